//! New customers: their account, their workspace and their welcome.

use serde_json::Value;

use crate::desk::{Change, Desk, word_of, words};
use crate::parameter::{Arguments, Form, may, needs};
use crate::record::{Record, text};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};
use crate::tools::orders::CUSTOMER;
use crate::tools::post::{TO, send};
use crate::tools::subscriptions::PLAN;

static WORKSPACE: Record = Record::new(
    "workspace",
    ["workspaces", "workspace_id"],
    &[text("workspace_id"), text("customer_id"), text("plan_id"), text("status")],
);

pub(super) const TOOLS: &[Tool] = &[
    Tool::effect(
        "customer",
        ["create_customer", "Creates a customer's record."],
        &[
            needs("account_name", Form::Text, "name of the customer"),
            needs("email", Form::Text, "address of their contact"),
            needs("country", Form::Text, "country code"),
        ],
        create_customer,
    )
    .hints(Hints::Additive)
    .keys(Keys::Parameter)
    .answers(&CUSTOMER),
    Tool::effect(
        "workspace",
        ["provision_workspace", "Sets up a workspace on a plan for a customer."],
        &[
            needs("customer_id", Form::Text, "id of the customer"),
            needs("plan_id", Form::Text, "id of the plan"),
        ],
        |desk, arguments| {
            let (customer, plan) = (arguments.text("customer_id")?, arguments.text("plan_id")?);
            desk.require_status(&CUSTOMER, &desk.one(&CUSTOMER, customer)?, &["active", "new"])?;
            desk.one(&PLAN, plan)?;
            desk.create(
                &WORKSPACE,
                &desk.next_id("WS")?,
                ("plan_id", words(plan)),
                &[("customer_id", words(customer)), ("status", words("ready"))],
            )
        },
    ),
    Tool::read(
        "workspace",
        ["get_workspace", "Gets a workspace."],
        &[needs("workspace_id", Form::Text, "id of the workspace")],
        |desk, arguments| Ok(Value::Object(desk.one(&WORKSPACE, arguments.text("workspace_id")?)?)),
    )
    .answers(&WORKSPACE),
    Tool::effect(
        "message",
        ["send_welcome_message", "Welcomes a new customer."],
        &[
            needs("customer_id", Form::Text, "id of the customer"),
            may("text", Form::Text, "a personal line"),
            TO,
        ],
        |desk, arguments| {
            let id = arguments.text("customer_id")?;
            let customer = desk.one(&CUSTOMER, id)?;
            let usual = word_of(&customer, "email").map(str::to_owned).into_iter().collect();
            send(desk, arguments, ("welcome", id), None, usual)
        },
    ),
];

fn create_customer(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let name = arguments.text("account_name")?;
    let known = desk.word("SELECT customer_id FROM customers WHERE account_name = ?1", &[&name])?;
    desk.require(known.is_none(), || Refusal::Rule {
        noun: "customer",
        id: name.to_owned(),
        because: format!("exists already as `{}`", known.clone().unwrap_or_default()),
    })?;
    desk.create(
        &CUSTOMER,
        &desk.next_id("C")?,
        ("account_name", words(name)),
        &[
            ("status", words("new")),
            ("email", words(arguments.text("email")?)),
            ("country", words(arguments.text("country")?)),
            ("tier", words("standard")),
            ("created", words(&desk.today.to_string())),
        ],
    )
}
