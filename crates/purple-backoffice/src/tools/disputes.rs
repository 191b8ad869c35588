//! Disputes with customers, and refunds.

use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::desk::{Change, Desk, word_of, words};
use crate::paging::{CURSOR, Filter, LIMIT, Style, page};
use crate::parameter::{Arguments, Form, Parameter, day, may, needs};
use crate::record::{Record, money, text};
use crate::refusal::Refusal;
use crate::tool::{Hints, Tool};
use crate::tools::orders::CUSTOMER;

static DISPUTE: Record = Record::new(
    "dispute",
    ["disputes", "dispute_id"],
    &[
        text("dispute_id"),
        text("customer_id"),
        text("order_id"),
        money("amount", "amount_minor"),
        text("status"),
        text("reason"),
        text("opened_on"),
        text("resolution"),
    ],
);

static REFUND: Record = Record::new(
    "refund",
    ["refunds", "refund_id"],
    &[
        text("refund_id"),
        text("customer_id"),
        text("reference"),
        money("amount", "amount_minor"),
        text("status"),
        text("issued_on"),
    ],
);

const ID: Parameter = needs("dispute_id", Form::Text, "id of the dispute, such as DSP-501");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "dispute",
        ["get_dispute", "Gets a dispute and how long it has been open."],
        &[ID],
        |desk, arguments| {
            let mut row = desk.one(&DISPUTE, arguments.text("dispute_id")?)?;
            let opened = word_of(&row, "opened_on").and_then(day);
            let days =
                opened.and_then(|opened| opened.until(desk.today).ok()).map_or(0, |span| span.get_days());
            row.insert("days_open".to_owned(), json!(days));
            Ok(Value::Object(row))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "dispute",
        ["list_disputes", "Lists disputes by cursor."],
        &[may("status", Form::Text, "open, resolved or withdrawn"), CURSOR, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("status", arguments.maybe_text("status"));
            page(desk, (&DISPUTE, "disputes"), filter, arguments, Style::Cursor)
        },
    ),
    Tool::effect(
        "dispute",
        ["resolve_dispute", "Closes a dispute with a decision."],
        &[ID, needs("resolution", Form::OneOf(&["refund", "replacement", "rejected"]), "the decision")],
        |desk, arguments| {
            let rest = [("resolution", words(arguments.text("resolution")?))];
            desk.change(
                &DISPUTE,
                arguments.text("dispute_id")?,
                &["open"],
                ("status", words("resolved")),
                &rest,
            )
        },
    )
    .hints(Hints::Destructive),
    // Moves money, takes no key, and has no annotations: the case that must never be sent twice blindly.
    Tool::effect(
        "refund",
        ["issue_refund", "Pays an amount back to a customer. Each call pays again."],
        &[
            needs("customer_id", Form::Text, "id of the customer"),
            needs("amount", Form::Amount, "how much"),
            needs("reference", Form::Text, "what it is for"),
        ],
        refund,
    ),
    Tool::read(
        "refund",
        ["list_refunds", "Lists refunds by cursor."],
        &[
            may("customer_id", Form::Text, "only of this customer"),
            may("reference", Form::Text, "only for this reference"),
            CURSOR,
            LIMIT,
        ],
        |desk, arguments| {
            let filter = Filter::default()
                .by("customer_id", arguments.maybe_text("customer_id"))
                .by("reference", arguments.maybe_text("reference"));
            page(desk, (&REFUND, "refunds"), filter, arguments, Style::Cursor)
        },
    )
    .hints(Hints::ReadOnly),
];

fn refund(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let customer = arguments.text("customer_id")?;
    let amount = arguments.money("amount")?;
    desk.one(&CUSTOMER, customer)?;
    desk.require(amount.minor > 0, || Refusal::Rule {
        noun: "refund",
        id: "new".to_owned(),
        because: "the amount must be above zero".to_owned(),
    })?;
    desk.create(
        &REFUND,
        &desk.next_id("RF")?,
        ("amount_minor", Cell::Integer(amount.minor)),
        &[
            ("customer_id", words(customer)),
            ("reference", words(arguments.text("reference")?)),
            ("currency", words(amount.currency)),
            ("status", words("issued")),
            ("issued_on", words(&desk.today.to_string())),
        ],
    )
}
