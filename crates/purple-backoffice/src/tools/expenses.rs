//! Expense claims and their receipts.

use serde_json::{Value, json};

use crate::desk::words;
use crate::money::Money;
use crate::paging::{Filter, LIMIT, PAGE, Style, page};
use crate::parameter::{Form, Parameter, may, needs};
use crate::record::{Record, money, text};
use crate::tool::{Hints, Keys, Tool};

// This system says `type`, `total_amount` and `notes`.
static CLAIM: Record = Record::new(
    "expense claim",
    ["expense_claims", "claim_id"],
    &[
        text("claim_id"),
        text("employee_id"),
        text("type"),
        money("total_amount", "amount_minor"),
        text("cost_center"),
        text("status"),
        text("notes"),
        text("submitted_on"),
    ],
);

static RECEIPT: Record = Record::new(
    "receipt",
    ["receipts", "receipt_id"],
    &[
        text("receipt_id"),
        text("claim_id"),
        money("amount", "amount_minor"),
        text("merchant"),
        text("spent_on"),
    ],
);

const ID: Parameter = needs("claim_id", Form::Text, "id of the claim, such as EXP-3001");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read("expense", ["get_expense_claim", "Gets one expense claim."], &[ID], |desk, arguments| {
        Ok(Value::Object(desk.one(&CLAIM, arguments.text("claim_id")?)?))
    })
    .hints(Hints::ReadOnly)
    .answers(&CLAIM),
    Tool::read(
        "expense",
        ["list_expense_claims", "Lists expense claims in pages (`page`, `limit`)."],
        &[
            may("employee_id", Form::Text, "only of this employee"),
            may("status", Form::Text, "submitted, approved, rejected or paid"),
            PAGE,
            LIMIT,
        ],
        |desk, arguments| {
            let filter = Filter::default()
                .by("employee_id", arguments.maybe_text("employee_id"))
                .by("status", arguments.maybe_text("status"));
            page(desk, (&CLAIM, "data"), filter, arguments, Style::Page)
        },
    ),
    Tool::read(
        "expense",
        ["get_receipts", "Gets the receipts of a claim and their sum."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("claim_id")?;
            desk.one(&CLAIM, id)?;
            let receipts = desk.rows(&RECEIPT, "WHERE claim_id = ?1 ORDER BY receipt_id", &[&id])?;
            let minor = desk.number("SELECT sum(amount_minor) FROM receipts WHERE claim_id = ?1", &[&id])?;
            let currency = desk.word("SELECT currency FROM expense_claims WHERE claim_id = ?1", &[&id])?;
            let total = Money::stored(minor, currency.as_deref().unwrap_or("USD"));
            Ok(json!({"claim_id": id, "receipts": receipts, "receipt_total": total}))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::effect("expense", ["approve_expense", "Approves a submitted claim."], &[ID], |desk, arguments| {
        desk.change(&CLAIM, arguments.text("claim_id")?, &["submitted"], ("status", words("approved")), &[])
    })
    .keys(Keys::Parameter)
    .hints(Hints::Destructive),
    Tool::effect(
        "expense",
        ["reject_expense", "Rejects a submitted claim and says why."],
        &[ID, needs("reason", Form::Text, "why, as the claimant will read it")],
        |desk, arguments| {
            let (id, reason) = (arguments.text("claim_id")?, arguments.text("reason")?);
            desk.change(
                &CLAIM,
                id,
                &["submitted"],
                ("status", words("rejected")),
                &[("notes", words(reason))],
            )
        },
    ),
];
