//! Tools that ask a person something. Their answer is the company's; what it is worth is for the caller to judge.

use serde_json::Value;

use crate::desk::{Change, Desk, words};
use crate::parameter::{Arguments, Form, may, needs};
use crate::record::{Record, text};
use crate::refusal::Refusal;
use crate::tool::Tool;

static APPROVAL: Record = Record::new(
    "approval request",
    ["approvals", "request_id"],
    &[text("request_id"), text("question"), text("asked"), text("answer")],
);

pub(super) const TOOLS: &[Tool] = &[
    Tool::effect(
        "approval",
        ["confirm_with_user", "Asks the user to confirm something. Answers approved, rejected or pending."],
        &[needs("question", Form::Text, "what is to be confirmed"), may("user", Form::Text, "whom to ask")],
        |desk, arguments| ask(desk, arguments, arguments.maybe_text("user").unwrap_or("the user")),
    ),
    Tool::effect(
        "approval",
        ["request_manager_approval", "Asks an employee's manager to approve something."],
        &[
            needs("question", Form::Text, "what is to be approved"),
            needs("employee_id", Form::Text, "whose manager"),
        ],
        |desk, arguments| {
            let id = arguments.text("employee_id")?;
            let manager = desk.word("SELECT manager_id FROM employees WHERE employee_id = ?1", &[&id])?;
            let manager =
                manager.ok_or_else(|| Refusal::NotFound { noun: "manager of", id: id.to_owned() })?;
            ask(desk, arguments, &manager)
        },
    ),
    Tool::effect(
        "approval",
        ["require_customer_signoff", "Asks a customer to sign something off."],
        &[
            needs("question", Form::Text, "what is to be signed off"),
            needs("customer_id", Form::Text, "which customer"),
        ],
        |desk, arguments| {
            let id = arguments.text("customer_id")?;
            desk.one(&crate::tools::orders::CUSTOMER, id)?;
            ask(desk, arguments, id)
        },
    ),
    Tool::read(
        "approval",
        ["get_approval_request", "Gets a request for approval and its answer so far."],
        &[needs("request_id", Form::Text, "id of the request")],
        |desk, arguments| Ok(Value::Object(desk.one(&APPROVAL, arguments.text("request_id")?)?)),
    ),
];

/// A question that went out. Whoever set the company up decides what the person says.
fn ask(desk: &Desk<'_>, arguments: &Arguments<'_>, asked: &str) -> Result<Change, Refusal> {
    let answer = desk.word("SELECT value FROM about WHERE name = 'approver'", &[])?;
    desk.create(
        &APPROVAL,
        &desk.next_id("APR")?,
        ("answer", words(answer.as_deref().unwrap_or("pending"))),
        &[("question", words(arguments.text("question")?)), ("asked", words(asked))],
    )
}
