//! Identity checks, gaps in compliance, and entries in the audit log.

use serde_json::Value;

use crate::desk::words;
use crate::paging::{Filter, LIMIT, OFFSET, Style, page};
use crate::parameter::{Form, may, needs};
use crate::record::{Record, flag, text};
use crate::refusal::Refusal;
use crate::tool::{Hints, Tool};

static KYC: Record = Record::new(
    "identity check",
    ["kyc", "customer_id"],
    &[
        text("customer_id"),
        text("kyc_status"),
        text("risk_rating"),
        flag("politically_exposed"),
        flag("sanctions_hit"),
        text("reviewed_on"),
    ],
);

static GAP: Record = Record::new(
    "compliance gap",
    ["compliance_gaps", "gap_id"],
    &[text("gap_id"), text("control"), text("subject"), text("owner"), text("due_on"), text("status")],
);

static AUDIT_ENTRY: Record = Record::new(
    "audit entry",
    ["audit_entries", "entry_id"],
    &[text("entry_id"), text("subject"), text("text")],
);

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "kyc",
        ["get_kyc_record", "Gets the identity check of a customer."],
        &[needs("customer_id", Form::Text, "id of the customer")],
        |desk, arguments| Ok(Value::Object(desk.one(&KYC, arguments.text("customer_id")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&KYC),
    Tool::read(
        "kyc",
        ["list_kyc_records", "Lists identity checks (`offset`, `limit`)."],
        &[may("kyc_status", Form::Text, "passed, pending or failed"), OFFSET, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("kyc_status", arguments.maybe_text("kyc_status"));
            page(desk, (&KYC, "records"), filter, arguments, Style::Offset)
        },
    )
    .hints(Hints::ReadOnly),
    Tool::effect(
        "compliance_gap",
        ["record_compliance_gap", "Records a gap with an owner and a date."],
        &[
            needs("control", Form::Text, "which control"),
            needs("subject", Form::Text, "id of what is examined"),
            needs("owner", Form::Text, "who mends it"),
            needs("due_on", Form::Day, "until when"),
        ],
        |desk, arguments| {
            let due = arguments.day("due_on")?;
            desk.require(due >= desk.today, || Refusal::Rule {
                noun: "compliance gap",
                id: "new".to_owned(),
                because: "it cannot be due in the past".to_owned(),
            })?;
            desk.create(
                &GAP,
                &desk.next_id("GAP")?,
                ("control", words(arguments.text("control")?)),
                &[
                    ("subject", words(arguments.text("subject")?)),
                    ("owner", words(arguments.text("owner")?)),
                    ("due_on", words(&due.to_string())),
                    ("status", words("open")),
                ],
            )
        },
    ),
    Tool::read(
        "compliance_gap",
        ["list_compliance_gaps", "Lists recorded gaps (`offset`, `limit`)."],
        &[may("status", Form::Text, "open or mended"), OFFSET, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("status", arguments.maybe_text("status"));
            page(desk, (&GAP, "gaps"), filter, arguments, Style::Offset)
        },
    ),
    // Append-only: an operator may declare it a notification; by its name it writes.
    Tool::effect(
        "audit_entry",
        ["create_audit_entry", "Appends an entry to the company's audit log."],
        &[needs("subject", Form::Text, "id of what it is about"), needs("text", Form::Text, "what happened")],
        |desk, arguments| {
            desk.create(
                &AUDIT_ENTRY,
                &desk.next_id("AUD")?,
                ("text", words(arguments.text("text")?)),
                &[("subject", words(arguments.text("subject")?))],
            )
        },
    )
    .hints(Hints::Additive),
];
