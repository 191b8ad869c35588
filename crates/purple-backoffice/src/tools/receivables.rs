//! What customers owe: open items, reminders, payment plans and write-offs.

use jiff::civil::Date;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::desk::{Change, Desk, Told, word_of, words};
use crate::money::Money;
use crate::paging::{Filter, LIMIT, PAGE, Style, page};
use crate::parameter::{Arguments, Form, Parameter, day, may, needs};
use crate::record::{Record, money, text, whole};
use crate::refusal::Refusal;
use crate::tool::{Hints, Tool};
use crate::tools::post::{TO, address, send};

static RECEIVABLE: Record = Record::new(
    "receivable",
    ["receivables", "receivable_id"],
    &[
        text("receivable_id"),
        text("customer_id"),
        text("customer_status"),
        money("amount", "amount_minor"),
        text("due_on"),
        text("status"),
    ],
);

static PLAN: Record = Record::new(
    "payment plan",
    ["payment_plans", "plan_id"],
    &[text("plan_id"), text("receivable_id"), whole("instalments"), text("first_due_on"), text("status")],
);

const ID: Parameter = needs("receivable_id", Form::Text, "id of the receivable, such as AR-1001");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "receivable",
        ["list_open_receivables", "Lists open receivables with their age (`page`, says `has_more`)."],
        &[may("customer_id", Form::Text, "only of this customer"), PAGE, LIMIT],
        |desk, arguments| {
            let filter = Filter::default()
                .by("status", Some("open"))
                .by("customer_id", arguments.maybe_text("customer_id"));
            let mut list = page(desk, (&RECEIVABLE, "rows"), filter, arguments, Style::HasMore)?;
            if let Some(rows) = list.get_mut("rows").and_then(Value::as_array_mut) {
                for row in rows.iter_mut().filter_map(Value::as_object_mut) {
                    aged(row, desk.today);
                }
            }
            Ok(list)
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "receivable",
        ["get_receivable", "Gets one receivable and its age."],
        &[ID],
        |desk, arguments| {
            let mut row = desk.one(&RECEIVABLE, arguments.text("receivable_id")?)?;
            aged(&mut row, desk.today);
            Ok(Value::Object(row))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read("receivable", ["get_aging_report", "Sums the open receivables by age."], &[], |desk, _| {
        aging(desk)
    }),
    Tool::effect(
        "message",
        ["send_payment_reminder", "Reminds a customer of an open receivable."],
        &[ID, TO],
        |desk, arguments| {
            let id = arguments.text("receivable_id")?;
            let row = desk.one(&RECEIVABLE, id)?;
            desk.require_status(&RECEIVABLE, &row, &["open", "in_plan"])?;
            let customer = word_of(&row, "customer_id").unwrap_or_default();
            let usual = address(desk, "SELECT email FROM customers WHERE customer_id = ?1", customer)?;
            send(desk, arguments, ("payment_reminder", id), None, usual)
        },
    ),
    Tool::effect(
        "payment_plan",
        ["create_payment_plan", "Agrees on instalments for a receivable."],
        &[
            ID,
            needs("instalments", Form::Whole(2, 36), "how many"),
            needs("first_due_on", Form::Day, "when the first is due"),
        ],
        create_plan,
    ),
    Tool::read(
        "payment_plan",
        ["get_payment_plan", "Gets a payment plan."],
        &[needs("plan_id", Form::Text, "id of the plan")],
        |desk, arguments| Ok(Value::Object(desk.one(&PLAN, arguments.text("plan_id")?)?)),
    ),
    Tool::effect(
        "receivable",
        ["write_off_receivable", "Writes a receivable off as a loss."],
        &[ID, needs("reason", Form::Text, "why")],
        |desk, arguments| {
            let id = arguments.text("receivable_id")?;
            desk.change(&RECEIVABLE, id, &["open", "in_plan"], ("status", words("written_off")), &[])
        },
    )
    .hints(Hints::Destructive),
];

fn aged(row: &mut Told, today: Date) {
    let days = word_of(row, "due_on").and_then(day).map_or(0, |due| days_late(due, today));
    row.insert("days_overdue".to_owned(), json!(days));
}

/// Days past the due date, never negative.
fn days_late(due: Date, today: Date) -> i32 {
    due.until(today).map_or(0, |span| span.get_days()).max(0)
}

fn aging(desk: &Desk<'_>) -> Result<Value, Refusal> {
    let mut statement = desk.db.prepare_cached(
        "SELECT due_on, amount_minor FROM receivables WHERE status = 'open' AND currency = 'USD'",
    )?;
    let mut rows = statement.query([])?;
    let mut sums = [0_i64; 4];
    while let Some(row) = rows.next()? {
        let (due, minor): (String, i64) = (row.get(0)?, row.get(1)?);
        let late = day(&due).map_or(0, |due| days_late(due, desk.today));
        let bucket = match late {
            ..=30 => 0,
            31..=60 => 1,
            61..=90 => 2,
            91.. => 3,
        };
        if let Some(sum) = sums.get_mut(bucket) {
            *sum = sum.saturating_add(minor);
        }
    }
    let [month, two, three, beyond] = sums.map(|minor| Money::stored(minor, "USD"));
    Ok(json!({"days_0_30": month, "days_31_60": two, "days_61_90": three, "days_over_90": beyond}))
}

fn create_plan(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let id = arguments.text("receivable_id")?;
    let row = desk.one(&RECEIVABLE, id)?;
    desk.require_status(&RECEIVABLE, &row, &["open"])?;
    let first = arguments.day("first_due_on")?;
    desk.require(first >= desk.today, || Refusal::Rule {
        noun: "receivable",
        id: id.to_owned(),
        because: "the first instalment cannot be due in the past".to_owned(),
    })?;
    desk.run(
        "UPDATE receivables SET status = 'in_plan', updated_at = ?2 WHERE receivable_id = ?1",
        &[&id, &desk.now],
    )?;
    desk.create(
        &PLAN,
        &desk.next_id("PP")?,
        ("instalments", Cell::Integer(arguments.whole("instalments", 2))),
        &[
            ("receivable_id", words(id)),
            ("first_due_on", words(&first.to_string())),
            ("status", words("agreed")),
        ],
    )
}
