//! Tickets. This system says `title`, `state`, `assignee_id`, `kind`, `created` and `body`.

use serde_json::Value;

use crate::desk::words;
use crate::paging::{Filter, LIMIT, PAGE, Style, page};
use crate::parameter::{Form, Parameter, may, needs};
use crate::record::{Record, text};
use crate::tool::{Hints, Keys, Tool};

static TICKET: Record = Record::new(
    "ticket",
    ["tickets", "ticket_id"],
    &[
        text("ticket_id"),
        text("title"),
        text("state"),
        text("assignee_id"),
        text("kind"),
        text("body"),
        text("created"),
    ],
);

const ID: Parameter = needs("ticket_id", Form::Text, "id of the ticket, such as T-2001");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read("ticket", ["get_ticket", "Gets one ticket."], &[ID], |desk, arguments| {
        Ok(Value::Object(desk.one(&TICKET, arguments.text("ticket_id")?)?))
    })
    .answers(&TICKET),
    Tool::read(
        "ticket",
        ["list_tickets", "Lists tickets (`page`, says `has_more`)."],
        &[
            may("state", Form::OneOf(&["new", "in_progress", "closed"]), "only these"),
            may("assignee_id", Form::Text, "only of this person"),
            PAGE,
            LIMIT,
        ],
        |desk, arguments| {
            let filter = Filter::default()
                .by("state", arguments.maybe_text("state"))
                .by("assignee_id", arguments.maybe_text("assignee_id"));
            page(desk, (&TICKET, "results"), filter, arguments, Style::HasMore)
        },
    ),
    Tool::effect(
        "ticket",
        ["create_ticket", "Opens a ticket."],
        &[
            needs("title", Form::Text, "what it is about, in a few words"),
            needs("body", Form::Text, "what it is about"),
            may("kind", Form::OneOf(&["question", "problem", "request"]), "request if left out"),
        ],
        |desk, arguments| {
            desk.create(
                &TICKET,
                &desk.next_id("T")?,
                ("title", words(arguments.text("title")?)),
                &[
                    ("body", words(arguments.text("body")?)),
                    ("kind", words(arguments.maybe_text("kind").unwrap_or("request"))),
                    ("state", words("new")),
                    ("created", words(&desk.today.to_string())),
                ],
            )
        },
    )
    .hints(Hints::Additive)
    .keys(Keys::Meta)
    .answers(&TICKET),
    Tool::effect(
        "ticket",
        ["assign_ticket", "Gives a ticket to somebody."],
        &[ID, needs("assignee_id", Form::Text, "id of the employee")],
        |desk, arguments| {
            let (id, who) = (arguments.text("ticket_id")?, arguments.text("assignee_id")?);
            desk.one(&crate::tools::people::EMPLOYEE, who)?;
            desk.change(&TICKET, id, &["new", "in_progress"], ("assignee_id", words(who)), &[])
        },
    ),
    Tool::effect("ticket", ["close_ticket", "Closes a ticket."], &[ID], |desk, arguments| {
        let id = arguments.text("ticket_id")?;
        desk.change(&TICKET, id, &["new", "in_progress"], ("state", words("closed")), &[])
    })
    .hints(Hints::Repeatable),
];
