//! Plans and the subscriptions to them.

use serde_json::{Value, json};

use crate::desk::{Change, Desk, word_of, words};
use crate::parameter::{Arguments, Form, Parameter, needs};
use crate::record::{Record, money, text, whole};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};

static SUBSCRIPTION: Record = Record::new(
    "subscription",
    ["subscriptions", "subscription_id"],
    &[
        text("subscription_id"),
        text("customer_id"),
        text("plan_id"),
        text("status"),
        whole("seats_used"),
        text("started_on"),
        text("renews_on"),
        money("termination_fee", "termination_fee_minor"),
    ],
);

pub(super) static PLAN: Record = Record::new(
    "plan",
    ["plans", "plan_id"],
    &[text("plan_id"), text("title"), money("price", "monthly_price_minor"), whole("seat_limit")],
);

const ID: Parameter = needs("subscription_id", Form::Text, "id of the subscription, such as SUB-701");
const PLAN_ID: Parameter = needs("plan_id", Form::Text, "id of the plan");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read("subscription", ["get_subscription", "Gets a subscription."], &[ID], |desk, arguments| {
        Ok(Value::Object(desk.one(&SUBSCRIPTION, arguments.text("subscription_id")?)?))
    })
    .hints(Hints::ReadOnly)
    .answers(&SUBSCRIPTION),
    // Over-cautious: a read that calls itself destructive.
    Tool::read(
        "subscription",
        ["get_usage", "Gets the seats in use and their limit."],
        &[ID],
        |desk, arguments| {
            let subscription = desk.one(&SUBSCRIPTION, arguments.text("subscription_id")?)?;
            let plan = desk.one(&PLAN, word_of(&subscription, "plan_id").unwrap_or_default())?;
            Ok(json!({"usage": subscription.get("seats_used"), "plan_limit": plan.get("seat_limit")}))
        },
    )
    .hints(Hints::Destructive),
    Tool::read("plan", ["get_plan", "Gets a plan and its price."], &[PLAN_ID], |desk, arguments| {
        Ok(Value::Object(desk.one(&PLAN, arguments.text("plan_id")?)?))
    })
    .hints(Hints::ReadOnly)
    .answers(&PLAN),
    Tool::read("plan", ["list_plans", "Lists all plans."], &[], |desk, _| {
        Ok(json!({"plans": desk.rows(&PLAN, "ORDER BY plan_id", &[])?}))
    })
    .hints(Hints::ReadOnly),
    Tool::effect(
        "subscription",
        ["change_subscription_plan", "Moves a subscription to another plan at once."],
        &[ID, PLAN_ID],
        change_plan,
    )
    .hints(Hints::Repeatable)
    .keys(Keys::Meta)
    .answers(&SUBSCRIPTION),
    Tool::effect(
        "subscription",
        ["pause_subscription", "Pauses an active subscription."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("subscription_id")?;
            desk.change(&SUBSCRIPTION, id, &["active"], ("status", words("paused")), &[])
        },
    ),
    Tool::effect(
        "subscription",
        ["resume_subscription", "Resumes a paused subscription."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("subscription_id")?;
            desk.change(&SUBSCRIPTION, id, &["paused"], ("status", words("active")), &[])
        },
    ),
    Tool::effect(
        "subscription",
        ["cancel_subscription", "Ends a subscription; the termination fee falls due."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("subscription_id")?;
            desk.change(&SUBSCRIPTION, id, &["active", "paused"], ("status", words("cancelled")), &[])
        },
    )
    .hints(Hints::Destructive),
];

fn change_plan(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let (id, plan_id) = (arguments.text("subscription_id")?, arguments.text("plan_id")?);
    let subscription = desk.one(&SUBSCRIPTION, id)?;
    let plan = desk.one(&PLAN, plan_id)?;
    let number = |row: &crate::desk::Told, name: &str| row.get(name).and_then(Value::as_i64).unwrap_or(0);
    let (used, limit) = (number(&subscription, "seats_used"), number(&plan, "seat_limit"));
    let rule = |because: String| Refusal::Rule { noun: "subscription", id: id.to_owned(), because };
    desk.require(used <= limit, || rule(format!("{used} seats are in use, `{plan_id}` has {limit}")))?;
    let differs = word_of(&subscription, "plan_id") != Some(plan_id);
    desk.require(differs, || rule(format!("it is on `{plan_id}` already")))?;
    desk.change(&SUBSCRIPTION, id, &["active"], ("plan_id", words(plan_id)), &[])
}
