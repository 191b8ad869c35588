//! Pay runs and the files that go to the bank.

use rusqlite::types::Value as Cell;
use serde_json::Value;

use crate::desk::{Change, Desk, words};
use crate::money::Money;
use crate::parameter::{Arguments, Form, Parameter, needs};
use crate::record::{Record, money, text, whole};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};

static RUN: Record = Record::new(
    "pay run",
    ["pay_runs", "run_id"],
    &[
        text("run_id"),
        text("period"),
        text("country"),
        whole("employees"),
        money("net_total", "net_total_minor"),
        text("status"),
    ],
);

static BANK_FILE: Record = Record::new(
    "bank file",
    ["bank_files", "file_id"],
    &[text("file_id"), text("run_id"), money("bank_file_total", "total_minor"), text("status")],
);

const ID: Parameter = needs("run_id", Form::Text, "id of the pay run");

pub(super) const TOOLS: &[Tool] = &[
    Tool::effect(
        "pay_run",
        ["create_pay_run", "Creates the pay run of a country for a period. One per period."],
        &[
            needs("period", Form::Month, "the month"),
            needs("country", Form::Text, "country code"),
            needs("net_total", Form::Amount, "sum of all net payments"),
        ],
        create,
    )
    .keys(Keys::Parameter)
    .hints(Hints::Additive)
    .answers(&RUN),
    Tool::read("pay_run", ["get_pay_run", "Gets a pay run."], &[ID], |desk, arguments| {
        Ok(Value::Object(desk.one(&RUN, arguments.text("run_id")?)?))
    })
    .hints(Hints::ReadOnly)
    .answers(&RUN),
    Tool::effect(
        "bank_file",
        ["create_bank_file", "Writes the bank file of a pay run."],
        &[ID, needs("total", Form::Amount, "sum of the file")],
        |desk, arguments| {
            let id = arguments.text("run_id")?;
            let total = arguments.money("total")?;
            let run = desk.one(&RUN, id)?;
            let planned = run.get("net_total").and_then(Value::as_str).and_then(Money::parse);
            desk.require(planned == Some(total), || Refusal::Rule {
                noun: "pay run",
                id: id.to_owned(),
                because: format!("the bank file says {total}, the run says another sum"),
            })?;
            desk.create(
                &BANK_FILE,
                &desk.next_id("BF")?,
                ("total_minor", Cell::Integer(total.minor)),
                &[("run_id", words(id)), ("currency", words(total.currency)), ("status", words("ready"))],
            )
        },
    ),
    Tool::read(
        "bank_file",
        ["get_bank_file", "Gets a bank file's sum and status; never its lines."],
        &[needs("file_id", Form::Text, "id of the file")],
        |desk, arguments| Ok(Value::Object(desk.one(&BANK_FILE, arguments.text("file_id")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&BANK_FILE),
];

fn create(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let (period, country) = (arguments.text("period")?, arguments.text("country")?);
    let total = arguments.money("net_total")?;
    let rule =
        |because: String| Refusal::Rule { noun: "pay run", id: format!("{period} {country}"), because };
    let known =
        desk.word("SELECT run_id FROM pay_runs WHERE period = ?1 AND country = ?2", &[&period, &country])?;
    desk.require(known.is_none(), || rule(format!("exists as `{}`", known.clone().unwrap_or_default())))?;
    let sql = "SELECT count(*) FROM employees WHERE country = ?1 AND status <> 'terminated'";
    let people = desk.number(sql, &[&country])?;
    desk.require(people > 0, || rule("nobody is employed there".to_owned()))?;
    desk.create(
        &RUN,
        &desk.next_id("PR")?,
        ("net_total_minor", Cell::Integer(total.minor)),
        &[
            ("period", words(period)),
            ("country", words(country)),
            ("employees", Cell::Integer(people)),
            ("currency", words(total.currency)),
            ("status", words("draft")),
        ],
    )
}
