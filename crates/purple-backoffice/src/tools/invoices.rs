//! Supplier invoices and the vendors that send them.

use serde_json::{Value, json};

use crate::desk::{word_of, words};
use crate::paging::{Filter, LIMIT, PAGE, Style, page};
use crate::parameter::{Form, Parameter, may, needs};
use crate::record::{Record, money, text, whole};
use crate::tool::{Hints, Keys, Tool};
use crate::tools::post::{TO, send};

pub(super) static INVOICE: Record = Record::new(
    "invoice",
    ["invoices", "invoice_id"],
    &[
        text("invoice_id"),
        text("number"),
        text("vendor_id"),
        text("vendor"),
        text("po_id"),
        text("status"),
        money("total", "total_minor"),
        text("issued_on"),
        text("due_on"),
        text("reason"),
    ],
);

pub(super) static VENDOR: Record = Record::new(
    "vendor",
    ["vendors", "vendor_id"],
    &[
        text("vendor_id"),
        text("name"),
        text("status"),
        text("email"),
        text("country"),
        whole("terms_days"),
        text("risk_rating"),
    ],
);

const ID: Parameter = needs("invoice_id", Form::Text, "id of the invoice, such as INV-2024-447");
const STATUSES: &[&str] = &["received", "approved", "rejected", "on_hold", "disputed", "paid"];

pub(super) const TOOLS: &[Tool] = &[
    Tool::read("invoice", ["get_invoice", "Gets one supplier invoice."], &[ID], |desk, arguments| {
        Ok(Value::Object(desk.one(&INVOICE, arguments.text("invoice_id")?)?))
    })
    .hints(Hints::ReadOnly)
    .answers(&INVOICE),
    Tool::read(
        "invoice",
        ["list_invoices", "Lists supplier invoices in pages (`page`, `limit`)."],
        &[
            may("status", Form::OneOf(STATUSES), "only these"),
            may("vendor_id", Form::Text, "only of this vendor"),
            PAGE,
            LIMIT,
        ],
        |desk, arguments| {
            let filter = Filter::default()
                .by("status", arguments.maybe_text("status"))
                .by("vendor_id", arguments.maybe_text("vendor_id"));
            page(desk, (&INVOICE, "invoices"), filter, arguments, Style::Page)
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "invoice",
        ["find_duplicate_invoices", "Finds other invoices of the same vendor with the same number."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("invoice_id")?;
            desk.one(&INVOICE, id)?;
            let condition = "WHERE invoice_id <> ?1 AND (vendor_id, number) = \
                             (SELECT vendor_id, number FROM invoices WHERE invoice_id = ?1) ORDER BY invoice_id";
            Ok(json!({"duplicates": desk.rows(&INVOICE, condition, &[&id])?}))
        },
    ),
    Tool::effect(
        "invoice",
        ["approve_invoice", "Approves an invoice for payment."],
        &[ID],
        |desk, arguments| {
            desk.change(
                &INVOICE,
                arguments.text("invoice_id")?,
                &["received", "on_hold"],
                ("status", words("approved")),
                &[],
            )
        },
    )
    .hints(Hints::Destructive)
    .keys(Keys::Either)
    .answers(&INVOICE),
    Tool::effect(
        "invoice",
        ["reject_invoice", "Rejects an invoice and says why."],
        &[ID, needs("reason", Form::Text, "why, as the vendor will read it")],
        |desk, arguments| {
            let reason = words(arguments.text("reason")?);
            let rest = [("reason", reason)];
            desk.change(
                &INVOICE,
                arguments.text("invoice_id")?,
                &["received", "on_hold"],
                ("status", words("rejected")),
                &rest,
            )
        },
    )
    .hints(Hints::Destructive)
    .keys(Keys::Either)
    .answers(&INVOICE),
    Tool::effect(
        "invoice",
        ["reopen_invoice", "Puts a decided invoice back to received."],
        &[ID],
        |desk, arguments| {
            let rest = [("reason", rusqlite::types::Value::Null)];
            desk.change(
                &INVOICE,
                arguments.text("invoice_id")?,
                &["approved", "rejected", "on_hold"],
                ("status", words("received")),
                &rest,
            )
        },
    ),
    Tool::effect(
        "invoice",
        ["put_invoice_on_hold", "Holds an invoice until somebody looked at it."],
        &[ID, needs("reason", Form::Text, "what is to be looked at")],
        |desk, arguments| {
            let rest = [("reason", words(arguments.text("reason")?))];
            desk.change(
                &INVOICE,
                arguments.text("invoice_id")?,
                &["received"],
                ("status", words("on_hold")),
                &rest,
            )
        },
    ),
    Tool::read(
        "vendor",
        ["get_vendor", "Gets a vendor's record."],
        &[needs("vendor_id", Form::Text, "id of the vendor")],
        |desk, arguments| Ok(Value::Object(desk.one(&VENDOR, arguments.text("vendor_id")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&VENDOR),
    Tool::read(
        "vendor",
        ["list_vendors", "Lists vendors in pages (`page`, `limit`)."],
        &[may("status", Form::Text, "approved, pending or suspended"), PAGE, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("status", arguments.maybe_text("status"));
            page(desk, (&VENDOR, "vendors"), filter, arguments, Style::Page)
        },
    ),
    Tool::effect(
        "vendor",
        ["update_vendor_status", "Approves or suspends a vendor."],
        &[
            needs("vendor_id", Form::Text, "id of the vendor"),
            needs("status", Form::OneOf(&["approved", "pending", "suspended"]), "the new status"),
        ],
        |desk, arguments| {
            desk.change(
                &VENDOR,
                arguments.text("vendor_id")?,
                &[],
                ("status", words(arguments.text("status")?)),
                &[],
            )
        },
    )
    .hints(Hints::Repeatable),
    Tool::effect(
        "message",
        ["notify_vendor", "Writes to a vendor about an invoice or an order."],
        &[needs("vendor_id", Form::Text, "id of the vendor"), needs("text", Form::Text, "what to write"), TO],
        |desk, arguments| {
            let id = arguments.text("vendor_id")?;
            let vendor = desk.one(&VENDOR, id)?;
            let usual = word_of(&vendor, "email").map(str::to_owned).into_iter().collect();
            send(desk, arguments, ("vendor_notice", id), None, usual)
        },
    )
    .hints(Hints::Outward),
];
