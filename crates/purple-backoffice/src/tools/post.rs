//! Messages that leave the company, and the file of those that left.

use rusqlite::types::Value as Cell;
use serde_json::Value;

use crate::canonical::canonical;
use crate::desk::{Change, Desk, words};
use crate::paging::{CURSOR, Filter, LIMIT, Style, page};
use crate::parameter::{Arguments, Form, Parameter, may, needs};
use crate::record::{Record, document, text};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};

/// A message in the outbox.
pub(crate) static MESSAGE: Record = Record::new(
    "message",
    ["messages", "message_id"],
    &[
        text("message_id"),
        text("kind"),
        text("recipient"),
        text("about"),
        document("body"),
        text("send_on"),
        text("status"),
    ],
);

/// To whom a message goes; tools that know the usual recipient may be called without it.
pub(crate) const TO: Parameter =
    may("to", Form::Recipients, "recipient or recipients; the usual one if left out");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "message",
        ["list_sent_messages", "Lists messages that left or are scheduled, by cursor."],
        &[
            may("to", Form::Text, "recipient"),
            may("about", Form::Text, "id of what it is about"),
            CURSOR,
            LIMIT,
        ],
        |desk, arguments| {
            let filter = Filter::default()
                .by("recipient", arguments.maybe_text("to"))
                .by("about", arguments.maybe_text("about"));
            page(desk, (&MESSAGE, "messages"), filter, arguments, Style::Cursor)
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "message",
        ["get_message", "Gets one message of the outbox."],
        &[needs("message_id", Form::Text, "id of the message")],
        |desk, arguments| Ok(Value::Object(desk.one(&MESSAGE, arguments.text("message_id")?)?)),
    )
    .hints(Hints::ReadOnly)
    .answers(&MESSAGE),
    Tool::effect(
        "message",
        ["send_email", "Sends an e-mail to people inside or outside the company."],
        &[
            needs("to", Form::Recipients, "recipient or recipients"),
            needs("subject", Form::Text, "subject"),
            needs("body", Form::Text, "text"),
        ],
        |desk, arguments| {
            let subject = arguments.text("subject")?;
            send(desk, arguments, ("email", subject), None, Vec::new())
        },
    )
    .hints(Hints::Outward)
    .keys(Keys::Meta),
    Tool::effect(
        "message",
        ["announce_to_team", "Posts an announcement to a team's channel."],
        &[needs("to", Form::Recipients, "team"), needs("text", Form::Text, "what to announce")],
        |desk, arguments| send(desk, arguments, ("announcement", "team"), None, Vec::new()),
    ),
];

/// Puts one message per call into the outbox: sent now, or scheduled for a day.
pub(crate) fn send(
    desk: &Desk<'_>,
    arguments: &Arguments<'_>,
    (kind, about): (&str, &str),
    send_on: Option<&str>,
    usual: Vec<String>,
) -> Result<Change, Refusal> {
    let given = arguments.texts("to");
    let recipients = if given.is_empty() { usual } else { given };
    if recipients.is_empty() {
        return Err(Refusal::Missing { name: "to" });
    }
    let id = desk.next_id("MSG")?;
    let status = if send_on.is_some() { "scheduled" } else { "sent" };
    desk.create(
        &MESSAGE,
        &id,
        ("recipient", words(&recipients.join(", "))),
        &[
            ("kind", words(kind)),
            ("about", words(about)),
            ("body", words(&canonical(arguments.0))),
            ("send_on", send_on.map_or(Cell::Null, words)),
            ("status", words(status)),
        ],
    )
}

/// The e-mail address of somebody, as a list of recipients.
pub(crate) fn address(desk: &Desk<'_>, sql: &str, id: &str) -> Result<Vec<String>, Refusal> {
    Ok(desk.word(sql, &[&id])?.into_iter().collect())
}
