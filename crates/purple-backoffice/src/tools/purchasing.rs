//! Purchase orders, quotes and budgets.

use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::desk::{Desk, word_of, words};
use crate::money::Money;
use crate::paging::{Filter, LIMIT, OFFSET, Style, page};
use crate::parameter::{Arguments, Form, Parameter, may, needs};
use crate::record::{Record, money, text, whole};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};
use crate::tools::invoices::VENDOR;

static ORDER: Record = Record::new(
    "purchase order",
    ["purchase_orders", "po_id"],
    &[
        text("po_id"),
        text("vendor_id"),
        text("vendor"),
        text("status"),
        money("total", "total_minor"),
        text("description"),
        text("cost_center"),
        text("created_on"),
    ],
);

static BUDGET: Record = Record::new(
    "budget",
    ["budgets", "cost_center"],
    &[text("cost_center"), text("owner"), money("allotted", "allotted_minor"), money("spent", "spent_minor")],
);

// An older system: it says `value` and `label` where the others say `amount` and `name`.
static QUOTE: Record = Record::new(
    "quote",
    ["quotes", "quote_id"],
    &[
        text("quote_id"),
        text("vendor_id"),
        crate::record::text_as("label", "item"),
        whole("quantity"),
        money("value", "total_minor"),
        text("valid_until"),
    ],
);

const ID: Parameter = needs("po_id", Form::Text, "id of the purchase order, such as PO-8821");
const COST_CENTER: Parameter = needs("cost_center", Form::Text, "cost centre, such as CC-100");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "purchase_order",
        ["get_purchase_order", "Gets one purchase order."],
        &[ID],
        |desk, arguments| Ok(Value::Object(desk.one(&ORDER, arguments.text("po_id")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&ORDER),
    Tool::read(
        "purchase_order",
        ["list_purchase_orders", "Lists purchase orders (`offset`, `limit`)."],
        &[
            may("vendor_id", Form::Text, "only of this vendor"),
            may("status", Form::Text, "open, sent, received, closed or cancelled"),
            OFFSET,
            LIMIT,
        ],
        |desk, arguments| {
            let filter = Filter::default()
                .by("vendor_id", arguments.maybe_text("vendor_id"))
                .by("status", arguments.maybe_text("status"));
            page(desk, (&ORDER, "items"), filter, arguments, Style::Offset)
        },
    ),
    Tool::effect(
        "purchase_order",
        ["create_purchase_order", "Creates a purchase order and charges its cost centre."],
        &[
            needs("vendor_id", Form::Text, "id of an approved vendor"),
            needs("amount", Form::Amount, "total of the order"),
            needs("description", Form::Text, "what is bought"),
            COST_CENTER,
        ],
        create,
    )
    .hints(Hints::Additive)
    .keys(Keys::Parameter)
    .answers(&ORDER),
    Tool::effect(
        "purchase_order",
        ["cancel_purchase_order", "Cancels a purchase order that was not delivered."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("po_id")?;
            desk.change(&ORDER, id, &["open", "sent"], ("status", words("cancelled")), &[])
        },
    ),
    // Its name begins like a notification; it commits the company.
    Tool::effect(
        "purchase_order",
        ["send_po", "Sends a purchase order to its vendor, which makes it binding."],
        &[ID],
        |desk, arguments| {
            desk.change(&ORDER, arguments.text("po_id")?, &["open"], ("status", words("sent")), &[])
        },
    )
    .hints(Hints::Outward),
    Tool::read(
        "budget",
        ["get_budget", "Gets the budget of a cost centre and what is left of it."],
        &[COST_CENTER],
        |desk, arguments| {
            let id = arguments.text("cost_center")?;
            let mut budget = desk.one(&BUDGET, id)?;
            budget.insert("budget_left".to_owned(), json!(left(desk, id)?));
            Ok(Value::Object(budget))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "quote",
        ["list_quotes", "Lists vendors' quotes for an item (`offset`, `limit`)."],
        &[may("item", Form::Text, "only for this item"), OFFSET, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("item", arguments.maybe_text("item"));
            page(desk, (&QUOTE, "results"), filter, arguments, Style::Offset)
        },
    ),
];

fn left(desk: &Desk<'_>, cost_center: &str) -> Result<String, Refusal> {
    let sql = "SELECT allotted_minor - spent_minor FROM budgets WHERE cost_center = ?1";
    let minor = desk.number(sql, &[&cost_center])?;
    let currency = desk.word("SELECT currency FROM budgets WHERE cost_center = ?1", &[&cost_center])?;
    Ok(Money::stored(minor, currency.as_deref().unwrap_or("USD")))
}

fn create(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<crate::desk::Change, Refusal> {
    let vendor_id = arguments.text("vendor_id")?;
    let amount = arguments.money("amount")?;
    let cost_center = arguments.text("cost_center")?;
    let vendor = desk.one(&VENDOR, vendor_id)?;
    desk.require_status(&VENDOR, &vendor, &["approved"])?;
    desk.one(&BUDGET, cost_center)?;
    desk.require(amount.minor > 0, || Refusal::Rule {
        noun: "purchase order",
        id: "new".to_owned(),
        because: "the amount must be above zero".to_owned(),
    })?;
    let id = desk.next_id("PO")?;
    let change = desk.create(
        &ORDER,
        &id,
        ("total_minor", Cell::Integer(amount.minor)),
        &[
            ("vendor_id", words(vendor_id)),
            ("vendor", words(word_of(&vendor, "name").unwrap_or_default())),
            ("status", words("open")),
            ("currency", words(amount.currency)),
            ("description", words(arguments.text("description")?)),
            ("cost_center", words(cost_center)),
            ("created_on", words(&desk.today.to_string())),
        ],
    )?;
    desk.run(
        "UPDATE budgets SET spent_minor = spent_minor + ?2 WHERE cost_center = ?1 AND currency = ?3",
        &[&cost_center, &amount.minor, &amount.currency],
    )?;
    Ok(change)
}
