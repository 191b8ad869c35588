//! Plans, tools and people for the tests of this crate.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use purple_policy::{Authority, Verdict};

use crate::canonical::Digest;
use crate::effect::Effect;
use crate::evidence::Declared;
use crate::grant::{ApprovedPlan, ClockReading, Evidence, Standing, restore};
use crate::id::{PersonId, Role, SessionId, StepId, ToolName};
use crate::json::Json;
use crate::judge::{Approvals, Attendance, Mode, PlanRuling, Ruling, judge};
use crate::machine::State;
use crate::operation::{Argument, Arguments, Check, Operation, Reference};
use crate::order::{Order, Request};
use crate::people::{Answer, At, Channel, Decision, Directory, OwnRequests, Person, Requirement};
use crate::plan::{Plan, PlanDraft, Round, Version};
use crate::progress::Started;
use crate::route::Route;
use crate::tool::Tool;
use crate::walk::{Fact, Walk};

pub(crate) fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

pub(crate) fn step(name: &str) -> StepId {
    StepId::parse(name).unwrap()
}

pub(crate) fn person(name: &str) -> PersonId {
    PersonId::parse(name).unwrap()
}

pub(crate) fn role(name: &str) -> Role {
    Role::parse(name).unwrap()
}

pub(crate) fn tool(name: &str) -> Tool {
    Tool::new(ToolName::parse(name).unwrap(), &Json::Null, Declared::NOTHING)
}

pub(crate) fn arguments(pairs: &[(&str, &str)]) -> Arguments {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), Argument::from(*value))).collect()
}

/// The task that the operations of the tests are ordered by.
pub(crate) const TASK: &str = "Please close case C-1 and create the order";

/// The words of [`TASK`].
pub(crate) fn order() -> Order {
    Order::task(TASK).unwrap()
}

/// [`TASK`], as it is stored.
pub(crate) fn request() -> Request<'static> {
    Request { text: Some(TASK), confirmed: None }
}

/// An operation that a tool of this name does, unverifiable.
pub(crate) fn operation(name: &str, uses: &str, pairs: &[(&str, &str)]) -> Operation {
    ordered(name, uses, pairs, order())
}

/// The same with another order.
pub(crate) fn ordered(name: &str, uses: &str, pairs: &[(&str, &str)], order: Order) -> Operation {
    let tool = tool(uses);
    let (name, effect) = (step(name), tool.effect());
    Operation::new(name, tool.name().clone(), effect, arguments(pairs), Check::Unverifiable, order)
}

pub(crate) fn reference(to: &str, field: &str) -> Argument {
    Argument::Reference(Reference { step: step(to), field: field.to_owned() })
}

pub(crate) fn draft(operations: Vec<Operation>) -> PlanDraft {
    let version = |name: &str| Version { name: name.to_owned(), digest: Digest::of(name.as_bytes()) };
    let used = operations.iter().flat_map(|operation| {
        let check = match &operation.check {
            Check::ReadBack { tool, .. } | Check::Observed { tool, .. } => Some(tool.clone()),
            Check::Unverifiable => None,
        };
        std::iter::once(operation.tool.clone()).chain(check)
    });
    let pins: BTreeMap<_, _> = used.map(|name| (name.clone(), tool(name.as_str()).pin())).collect();
    PlanDraft {
        session: SessionId::parse("s-1").unwrap(),
        round: Round::FIRST,
        process: version("invoice_reconciliation"),
        policies: vec![version("operator")],
        pins,
        good_until: time(1_000),
        operations,
    }
}

pub(crate) fn plan(operations: Vec<Operation>) -> Plan {
    Plan::new(draft(operations)).unwrap()
}

pub(crate) fn steps(plan: &Plan) -> BTreeSet<StepId> {
    plan.operations().iter().map(|operation| operation.step.clone()).collect()
}

/// Settings under which nothing runs without a person unless a rule allows it.
pub(crate) fn careful() -> Approvals {
    Approvals {
        mode: Mode::Careful,
        attendance: Attendance::Attended,
        own_requests: OwnRequests::Never,
        excluded: BTreeSet::new(),
        fallback: role("owner"),
    }
}

/// A ruling by the operator's policy, the same for every operation.
pub(crate) fn ruling(plan: &Plan, verdict: Verdict, asks: Vec<Requirement>) -> PlanRuling {
    let unnamed = asks.is_empty() && verdict == Verdict::RequireApproval;
    let said = Ruling {
        authority: Authority::Operator,
        verdict,
        asks,
        unnamed,
        because: "R-1".to_owned(),
        rules: Vec::new(),
    };
    let rulings = plan.operations().iter().map(|operation| (operation.step.clone(), vec![said.clone()]));
    judge(plan, &rulings.collect(), &careful()).unwrap()
}

/// A yes to all of a plan, given at 10 and good until 500.
pub(crate) fn yes(plan: &Plan, who: &str) -> Decision {
    Decision {
        person: person(who),
        on_behalf_of: None,
        channel: Channel::Console,
        account: None,
        plan: plan.hash(),
        card: Digest::of(b"card"),
        answer: Answer::Approve { operations: steps(plan) },
        mode: Mode::Careful,
        decided_at: time(10),
        expires_at: time(500),
    }
}

/// People by name and roles.
pub(crate) fn directory(people: &[(&str, &[&str])]) -> Directory {
    let facts =
        |roles: &[&str]| Person { roles: roles.iter().map(|name| role(name)).collect(), ..Person::default() };
    Directory::People(people.iter().map(|(name, roles)| (person(name), facts(roles))).collect())
}

/// The clock at this second, never yet later.
pub(crate) fn clock(seconds: i64) -> ClockReading {
    ClockReading { now: time(seconds), high_water: time(0) }
}

/// The grant that policy gives to a plan, at 20.
pub(crate) fn by_policy(plan: &Plan, started: &[Started]) -> ApprovedPlan {
    let ruling = ruling(plan, Verdict::Allow, Vec::new());
    let evidence = Evidence {
        ruling: &ruling,
        decisions: &[],
        requester: At { person: &person("rita"), account: None },
        request: request(),
        directory: &Directory::Keyboard,
        standing: Standing::Open,
        started,
        clock: clock(20),
    };
    restore(plan.clone(), &evidence).unwrap()
}

/// A walk that has come to MUTATE.
pub(crate) fn in_mutate() -> Walk {
    let states = [State::Decompose, State::Assess, State::PolicyCheck, State::Mutate, State::Complete];
    let walk = Walk::new(SessionId::parse("s-1").unwrap(), Route::parse(&states).unwrap());
    let cleared = plan(vec![operation("any", "create_order", &[])]);
    let ruling = ruling(&cleared, Verdict::Allow, Vec::new());
    [Fact::Decomposed, Fact::Assessed, Fact::Judged(&ruling)]
        .into_iter()
        .fold(walk, |walk, fact| walk.after(fact).unwrap())
}

#[test]
fn the_tools_of_the_fixtures_have_the_effects_that_tests_rely_on() {
    assert_eq!(tool("reject_invoice").effect(), Effect::Write);
    assert_eq!(tool("send_exit_survey").effect(), Effect::Notify);
    assert_eq!(tool("get_invoice").effect(), Effect::Read);
}
