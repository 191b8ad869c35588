//! Accounts with vendors, and credits on them.

use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::desk::{Change, Desk, words};
use crate::money::Money;
use crate::paging::{Filter, LIMIT, PAGE, Style, page};
use crate::parameter::{Arguments, Form, Parameter, may, needs};
use crate::record::{Record, money, text};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};

static ACCOUNT: Record = Record::new(
    "account",
    ["accounts", "vendor_id"],
    &[text("vendor_id"), money("balance", "balance_minor")],
);

static CREDIT: Record = Record::new(
    "credit",
    ["credits", "credit_id"],
    &[
        text("credit_id"),
        text("reference"),
        text("vendor_id"),
        money("amount", "amount_minor"),
        text("status"),
        text("applied_on"),
    ],
);

/// What is told of a reference, whatever stands behind it.
static APPLIED: Record = Record::new(
    "credit",
    ["credits", "reference"],
    &[
        text("reference"),
        text("vendor_id"),
        money("amount", "amount_minor"),
        text("status"),
        text("applied_on"),
    ],
);

const REFERENCE: Parameter =
    needs("reference", Form::Text, "the credit's reference, such as SLA-CTR-441-2026-02");
const VENDOR: Parameter = needs("vendor_id", Form::Text, "id of the vendor");

pub(super) const TOOLS: &[Tool] = &[
    Tool::effect(
        "credit",
        ["apply_account_credit", "Credits an account under a reference. A reference is used once."],
        &[VENDOR, needs("amount", Form::Amount, "the credit"), REFERENCE],
        apply,
    )
    .hints(Hints::Additive)
    .keys(Keys::Either),
    Tool::read(
        "credit",
        ["get_credit", "Gets the credit of a reference: the sum of what was applied and not reversed."],
        &[REFERENCE],
        |desk, arguments| credit(desk, arguments.text("reference")?),
    )
    .hints(Hints::ReadOnly)
    .answers(&APPLIED),
    Tool::read(
        "credit",
        ["list_credits", "Lists credits in pages (`page`, says `has_more`)."],
        &[may("vendor_id", Form::Text, "only of this vendor"), PAGE, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("vendor_id", arguments.maybe_text("vendor_id"));
            page(desk, (&CREDIT, "credits"), filter, arguments, Style::HasMore)
        },
    ),
    Tool::effect("credit", ["reverse_credit", "Takes a credit back."], &[REFERENCE], reverse)
        .hints(Hints::Destructive),
    Tool::read(
        "account",
        ["get_account_balance", "Gets the balance of a vendor's account."],
        &[VENDOR],
        |desk, arguments| Ok(Value::Object(desk.one(&ACCOUNT, arguments.text("vendor_id")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&ACCOUNT),
];

fn credit(desk: &Desk<'_>, reference: &str) -> Result<Value, Refusal> {
    let rows = desk.rows(&CREDIT, "WHERE reference = ?1 ORDER BY credit_id", &[&reference])?;
    let Some(first) = rows.first() else {
        return Err(Refusal::NotFound { noun: "credit", id: reference.to_owned() });
    };
    let sum = "SELECT sum(amount_minor) FROM credits WHERE reference = ?1 AND status = 'applied'";
    let minor = desk.number(sum, &[&reference])?;
    let currency = desk.word("SELECT currency FROM credits WHERE reference = ?1", &[&reference])?;
    let currency = currency.as_deref().unwrap_or("USD");
    let status = if minor == 0 { "reversed" } else { "applied" };
    Ok(json!({
        "reference": reference,
        "vendor_id": first.get("vendor_id"),
        "amount": Money::stored(minor, currency),
        "status": status,
        "applied_on": first.get("applied_on"),
        "entries": rows.len(),
    }))
}

fn apply(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let (vendor, reference) = (arguments.text("vendor_id")?, arguments.text("reference")?);
    let amount = arguments.money("amount")?;
    desk.one(&ACCOUNT, vendor)?;
    let rule = |because: String| Refusal::Rule { noun: "credit", id: reference.to_owned(), because };
    desk.require(amount.minor > 0, || rule("the amount must be above zero".to_owned()))?;
    let currency = desk.word("SELECT currency FROM accounts WHERE vendor_id = ?1", &[&vendor])?;
    let currency = currency.unwrap_or_default();
    desk.require(currency == amount.currency, || rule(format!("the account is in {currency}")))?;
    let before = credit(desk, reference).unwrap_or(Value::Null);
    desk.require(before.is_null(), || rule("this reference was used already".to_owned()))?;
    desk.add(
        "credits",
        ("amount_minor", Cell::Integer(amount.minor)),
        &[
            ("credit_id", words(&desk.next_id("CR")?)),
            ("reference", words(reference)),
            ("vendor_id", words(vendor)),
            ("currency", words(amount.currency)),
            ("status", words("applied")),
            ("applied_on", words(&desk.today.to_string())),
        ],
    )?;
    book(desk, vendor)?;
    changed(desk, reference, before)
}

fn reverse(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let reference = arguments.text("reference")?;
    let before = credit(desk, reference)?;
    let applied = before.get("status").and_then(Value::as_str) == Some("applied");
    desk.require(applied, || Refusal::Rule {
        noun: "credit",
        id: reference.to_owned(),
        because: "it was reversed already".to_owned(),
    })?;
    let status = desk.amended("status", words("reversed"));
    desk.run(
        "UPDATE credits SET status = ?2, updated_at = ?3 WHERE reference = ?1",
        &[&reference, &status, &desk.now],
    )?;
    let vendor = before.get("vendor_id").and_then(Value::as_str).unwrap_or_default();
    book(desk, vendor)?;
    changed(desk, reference, before)
}

/// Makes the balance what the opening and all applied credits say.
fn book(desk: &Desk<'_>, vendor: &str) -> Result<(), Refusal> {
    desk.run(
        "UPDATE accounts SET updated_at = ?2, balance_minor = opening_minor + coalesce(
           (SELECT sum(amount_minor) FROM credits WHERE vendor_id = ?1 AND status = 'applied'), 0)
         WHERE vendor_id = ?1",
        &[&vendor, &desk.now],
    )?;
    Ok(())
}

fn changed(desk: &Desk<'_>, reference: &str, before: Value) -> Result<Change, Refusal> {
    let after = credit(desk, reference)?;
    Ok(Change { target: format!("credit {reference}"), before, answer: after.clone(), after })
}
