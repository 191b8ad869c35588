//! Contracts with vendors, the uptime they delivered, and notices about it.

use serde_json::{Value, json};

use crate::desk::word_of;
use crate::paging::{Filter, LIMIT, OFFSET, Style, page};
use crate::parameter::{Form, Parameter, may, needs};
use crate::record::{Record, decimal, money, text};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};
use crate::tools::invoices::VENDOR;
use crate::tools::post::{TO, send};

static CONTRACT: Record = Record::new(
    "contract",
    ["contracts", "contract_id"],
    &[
        text("contract_id"),
        text("vendor_id"),
        text("status"),
        text("service"),
        money("monthly_fee", "monthly_fee_minor"),
        decimal("multiplier"),
        decimal("sla_percent"),
        text("contact"),
        text("starts_on"),
        text("ends_on"),
    ],
);

static UPTIME: Record = Record::new(
    "uptime",
    ["uptime", "month"],
    &[text("vendor_id"), text("month"), decimal("percent"), text("source")],
);

const ID: Parameter = needs("contract_id", Form::Text, "id of the contract, such as CTR-441");
const VENDOR_ID: Parameter = needs("vendor_id", Form::Text, "id of the vendor, such as INFRA-9");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read("contract", ["get_contract", "Gets the terms of a contract."], &[ID], |desk, arguments| {
        Ok(Value::Object(desk.one(&CONTRACT, arguments.text("contract_id")?)?))
    })
    .hints(Hints::ReadOnly)
    .answers(&CONTRACT),
    Tool::read(
        "contract",
        ["list_contracts", "Lists contracts (`offset`, `limit`)."],
        &[may("vendor_id", Form::Text, "only with this vendor"), OFFSET, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("vendor_id", arguments.maybe_text("vendor_id"));
            page(desk, (&CONTRACT, "contracts"), filter, arguments, Style::Offset)
        },
    ),
    Tool::read(
        "uptime",
        ["get_uptime", "Gets the uptime that was measured for a vendor in a month."],
        &[VENDOR_ID, needs("month", Form::Month, "the month, such as 2026-02")],
        |desk, arguments| {
            let (vendor, month) = (arguments.text("vendor_id")?, arguments.text("month")?);
            desk.one(&VENDOR, vendor)?;
            let rows = desk.rows(&UPTIME, "WHERE vendor_id = ?1 AND month = ?2", &[&vendor, &month])?;
            rows.into_iter()
                .next()
                .ok_or_else(|| Refusal::NotFound { noun: "uptime of", id: format!("{vendor} in {month}") })
        },
    )
    .hints(Hints::ReadOnly)
    .answers(&UPTIME),
    Tool::read(
        "uptime",
        ["list_uptime", "Lists all months that were measured for a vendor."],
        &[VENDOR_ID],
        |desk, arguments| {
            let vendor = arguments.text("vendor_id")?;
            desk.one(&VENDOR, vendor)?;
            Ok(json!({"months": desk.rows(&UPTIME, "WHERE vendor_id = ?1 ORDER BY month", &[&vendor])?}))
        },
    ),
    Tool::effect(
        "message",
        ["send_sla_breach_notification", "Tells a contract's contact about a credit for missed uptime."],
        &[ID, needs("amount", Form::Amount, "the credit"), TO],
        |desk, arguments| {
            let id = arguments.text("contract_id")?;
            let contract = desk.one(&CONTRACT, id)?;
            let usual = word_of(&contract, "contact").map(str::to_owned).into_iter().collect();
            send(desk, arguments, ("sla_breach", id), None, usual)
        },
    )
    .hints(Hints::Outward)
    .keys(Keys::Meta),
];
