//! Customers' orders, the stock behind them, and the customers.

use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::desk::{Change, Desk, Fidelity, Told, word_of, words};
use crate::money::Money;
use crate::paging::{CURSOR, Filter, LIMIT, PAGE, Style, page};
use crate::parameter::{Arguments, Form, Parameter, may, needs};
use crate::record::{Record, money, text, whole};
use crate::refusal::Refusal;
use crate::tool::{Hints, Tool};
use crate::tools::post::{TO, send};

static ORDER: Record = Record::new(
    "order",
    ["orders", "order_id"],
    &[
        text("order_id"),
        text("customer_id"),
        text("status"),
        text("contact"),
        text("currency"),
        text("placed_on"),
    ],
);

static STOCK: Record = Record::new(
    "item",
    ["inventory", "item"],
    &[
        text("item"),
        text("sku"),
        whole("available"),
        whole("reserved"),
        money("unit_price", "unit_price_minor"),
        text("warehouse"),
    ],
);

pub(super) static CUSTOMER: Record = Record::new(
    "customer",
    ["customers", "customer_id"],
    &[
        text("customer_id"),
        text("account_name"),
        text("status"),
        text("email"),
        text("country"),
        text("tier"),
        text("created"),
    ],
);

const ID: Parameter = needs("order_id", Form::Text, "id of the order, such as ORD-5592");
const ITEM: Parameter = needs("item", Form::Text, "name of the item, such as Widget B");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "order",
        ["get_order", "Gets an order with its items and prices."],
        &[ID],
        |desk, arguments| Ok(Value::Object(order(desk, arguments.text("order_id")?)?)),
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "order",
        ["list_orders", "Lists orders by cursor: pass `next_cursor` back as `cursor` until it is null."],
        &[
            may("customer_id", Form::Text, "only of this customer"),
            may("status", Form::Text, "open, shipped, delivered or cancelled"),
            CURSOR,
            LIMIT,
        ],
        |desk, arguments| {
            let filter = Filter::default()
                .by("customer_id", arguments.maybe_text("customer_id"))
                .by("status", arguments.maybe_text("status"));
            page(desk, (&ORDER, "data"), filter, arguments, Style::Cursor)
        },
    ),
    Tool::read(
        "inventory",
        ["get_inventory", "Gets stock and price of an item."],
        &[ITEM],
        |desk, arguments| Ok(Value::Object(desk.one(&STOCK, arguments.text("item")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&STOCK),
    Tool::read(
        "inventory",
        ["list_inventory", "Lists the stock in pages (`page`, `limit`)."],
        &[PAGE, LIMIT],
        |desk, arguments| page(desk, (&STOCK, "items"), Filter::default(), arguments, Style::Page),
    ),
    // Claims to read only. It does not.
    Tool::effect(
        "inventory",
        ["check_and_reserve_stock", "Checks whether an item is there and reserves it."],
        &[ITEM, needs("quantity", Form::Whole(1, 1_000_000), "how many")],
        |desk, arguments| {
            let item = arguments.text("item")?;
            let quantity = arguments.whole("quantity", 1);
            let before = desk.one(&STOCK, item)?;
            let free = number_of(&before, "available") - number_of(&before, "reserved");
            desk.require(quantity <= free, || short(item, free))?;
            let reserved = number_of(&before, "reserved") + quantity;
            desk.set(&STOCK, item, ("reserved", Cell::Integer(reserved)), &[])?;
            desk.changed(&STOCK, item, Value::Object(before))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::effect(
        "order",
        [
            "modify_order_items",
            "Adds and removes items of an open order. Call `confirm_with_user` first. No idempotency key: \
             a repetition changes the order again.",
        ],
        &[ID, needs("changes", Form::Changes, "what to add and what to remove")],
        modify,
    )
    .hints(Hints::Destructive),
    Tool::effect(
        "order",
        ["restore_order_items", "Replaces all items of an open order by the given ones."],
        &[ID, needs("items", Form::Lines, "the items the order is to have")],
        restore,
    )
    .hints(Hints::Repeatable),
    Tool::effect(
        "order",
        ["cancel_order", "Cancels an order that was not shipped."],
        &[ID],
        |desk, arguments| {
            desk.change(&ORDER, arguments.text("order_id")?, &["open"], ("status", words("cancelled")), &[])
        },
    ),
    Tool::effect(
        "message",
        ["send_order_confirmation", "Sends the customer the confirmation of an order as it is now."],
        &[ID, may("customer_id", Form::Text, "id of the customer"), TO],
        |desk, arguments| {
            let id = arguments.text("order_id")?;
            let order = desk.one(&ORDER, id)?;
            let customer = arguments.maybe_text("customer_id");
            let fits = customer.is_none_or(|customer| word_of(&order, "customer_id") == Some(customer));
            desk.require(fits, || rule(id, "it belongs to another customer"))?;
            let usual = word_of(&order, "contact").map(str::to_owned).into_iter().collect();
            send(desk, arguments, ("order_confirmation", id), None, usual)
        },
    ),
    Tool::read(
        "customer",
        ["get_customer", "Gets a customer's record."],
        &[needs("customer_id", Form::Text, "id of the customer, such as C-8821")],
        |desk, arguments| Ok(Value::Object(desk.one(&CUSTOMER, arguments.text("customer_id")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&CUSTOMER),
    Tool::read(
        "customer",
        ["search_customers", "Finds customers by a part of their name (`page`, says `has_more`)."],
        &[needs("account_name", Form::Text, "part of the name"), PAGE, LIMIT],
        |desk, arguments| {
            let part = arguments.text("account_name")?.replace(['%', '_'], "");
            let filter = Filter::default().with("account_name LIKE", words(&format!("%{part}%")));
            page(desk, (&CUSTOMER, "records"), filter, arguments, Style::HasMore)
        },
    ),
    Tool::effect(
        "message",
        ["email_customer", "Writes to a customer."],
        &[
            needs("customer_id", Form::Text, "id of the customer"),
            needs("text", Form::Text, "what to write"),
            TO,
        ],
        |desk, arguments| {
            let id = arguments.text("customer_id")?;
            let customer = desk.one(&CUSTOMER, id)?;
            let usual = word_of(&customer, "email").map(str::to_owned).into_iter().collect();
            send(desk, arguments, ("customer_email", id), None, usual)
        },
    ),
];

/// An order with its items.
fn order(desk: &Desk<'_>, id: &str) -> Result<Told, Refusal> {
    let mut order = desk.one(&ORDER, id)?;
    let currency = word_of(&order, "currency").unwrap_or("USD").to_owned();
    let mut statement = desk.db.prepare_cached(
        "SELECT item, quantity, unit_price_minor FROM order_items WHERE order_id = ?1 ORDER BY item",
    )?;
    let mut rows = statement.query([id])?;
    let (mut items, mut total, mut count) = (Vec::new(), 0_i64, 0_i64);
    while let Some(row) = rows.next()? {
        let (item, quantity, price): (String, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        total = total.saturating_add(quantity.saturating_mul(price));
        count = count.saturating_add(quantity);
        items
            .push(json!({"item": item, "quantity": quantity, "unit_price": Money::stored(price, &currency)}));
    }
    order.insert("items".to_owned(), Value::Array(items));
    order.insert("item_count".to_owned(), json!(count));
    order.insert("total".to_owned(), json!(Money::stored(total, &currency)));
    Ok(order)
}

fn modify(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let id = arguments.text("order_id")?;
    let before = order(desk, id)?;
    desk.require_status(&ORDER, &before, &["open"])?;
    // Half a change is its first entry.
    let entries = arguments.entries("changes");
    let entries =
        if desk.fidelity == Fidelity::Partial { entries.get(..1).unwrap_or_default() } else { entries };
    for entry in entries {
        let item = entry.get("item").and_then(Value::as_str).unwrap_or_default();
        let quantity = entry.get("quantity").and_then(Value::as_i64).unwrap_or(0);
        let quantity = quantity + i64::from(desk.fidelity == Fidelity::Other);
        match entry.get("action").and_then(Value::as_str) {
            Some("remove") => remove(desk, id, item, quantity)?,
            _ => add(desk, id, item, quantity)?,
        }
    }
    changed(desk, id, before)
}

fn add(desk: &Desk<'_>, id: &str, item: &str, quantity: i64) -> Result<(), Refusal> {
    let stock = desk.one(&STOCK, item)?;
    let free = number_of(&stock, "available") - number_of(&stock, "reserved");
    desk.require(quantity <= free, || short(item, free))?;
    desk.run(
        "INSERT INTO order_items (order_id, item, quantity, unit_price_minor, updated_at)
         SELECT ?1, ?2, ?3, unit_price_minor, ?4 FROM inventory WHERE item = ?2
         ON CONFLICT (order_id, item) DO UPDATE SET quantity = quantity + ?3, updated_at = ?4",
        &[&id, &item, &quantity, &desk.now],
    )?;
    reserve(desk, item, quantity)
}

fn remove(desk: &Desk<'_>, id: &str, item: &str, quantity: i64) -> Result<(), Refusal> {
    let ordered =
        desk.number("SELECT quantity FROM order_items WHERE order_id = ?1 AND item = ?2", &[&id, &item])?;
    desk.require(quantity <= ordered, || {
        rule(id, &format!("{quantity} of `{item}` cannot be removed, {ordered} were ordered"))
    })?;
    desk.run(
        "UPDATE order_items SET quantity = max(quantity - ?3, 0), updated_at = ?4 WHERE order_id = ?1 AND item = ?2",
        &[&id, &item, &quantity, &desk.now],
    )?;
    desk.run("DELETE FROM order_items WHERE order_id = ?1 AND quantity = 0", &[&id])?;
    reserve(desk, item, -quantity)
}

fn reserve(desk: &Desk<'_>, item: &str, quantity: i64) -> Result<(), Refusal> {
    desk.run(
        "UPDATE inventory SET reserved = max(reserved + ?2, 0), updated_at = ?3 WHERE item = ?1",
        &[&item, &quantity, &desk.now],
    )?;
    Ok(())
}

fn restore(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let id = arguments.text("order_id")?;
    let before = order(desk, id)?;
    desk.require_status(&ORDER, &before, &["open"])?;
    desk.run(
        "UPDATE inventory SET reserved = max(reserved - line.quantity, 0) FROM order_items AS line
         WHERE line.item = inventory.item AND line.order_id = ?1",
        &[&id],
    )?;
    desk.run("DELETE FROM order_items WHERE order_id = ?1", &[&id])?;
    for line in arguments.entries("items") {
        let item = line.get("item").and_then(Value::as_str).unwrap_or_default();
        let quantity = line.get("quantity").and_then(Value::as_i64).unwrap_or(0);
        let price = line.get("unit_price").and_then(Value::as_str).and_then(Money::parse);
        desk.one(&STOCK, item)?;
        let price = price.map_or(0, |price| price.minor);
        desk.add(
            "order_items",
            ("quantity", Cell::Integer(quantity)),
            &[("order_id", words(id)), ("item", words(item)), ("unit_price_minor", Cell::Integer(price))],
        )?;
        reserve(desk, item, quantity)?;
    }
    changed(desk, id, before)
}

fn changed(desk: &Desk<'_>, id: &str, before: Told) -> Result<Change, Refusal> {
    let after = Value::Object(order(desk, id)?);
    Ok(Change { target: format!("order {id}"), before: Value::Object(before), answer: after.clone(), after })
}

fn number_of(told: &Told, name: &str) -> i64 {
    told.get(name).and_then(Value::as_i64).unwrap_or(0)
}

fn short(item: &str, free: i64) -> Refusal {
    Refusal::Rule { noun: "item", id: item.to_owned(), because: format!("only {free} are free") }
}

fn rule(id: &str, because: &str) -> Refusal {
    Refusal::Rule { noun: "order", id: id.to_owned(), because: because.to_owned() }
}
