//! Plans, tools, people and walks for the laws, made through the public door only.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use purple_policy::{Authority, Facts, PolicyDocument, Subject, Verdict};
use purple_process::{
    Answer, Approvals, ApprovedPlan, Argument, Attendance, Call, Channel, Check, ClockReading, Decision,
    Declared, Digest, Directory, Effect, Evidence, Json, Mode, Operation, Order, OwnRequests, PersonId, Plan,
    PlanDraft, PlanRuling, Request, Role, Round, Ruling, SessionId, Standing, Started, StepId, Tool,
    ToolName, Values, Version, judge, restore,
};

pub(crate) fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

pub(crate) fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

pub(crate) fn step(name: &str) -> StepId {
    StepId::parse(name).unwrap()
}

/// A tool whose effect the operator declared.
pub(crate) fn tool(effect: Effect) -> Tool {
    let declared = Declared { review: Some(effect), ..Declared::NOTHING };
    Tool::new(ToolName::parse(&format!("tool_that_does_{effect}")).unwrap(), &Json::Null, declared)
}

pub(crate) fn call(effect: Effect, note: &str) -> Call {
    Call::new(&tool(effect), Values::from([("note".to_owned(), Json::from(note))]))
}

const TASK: &str = "Please do this";

/// The words that ask for the operations of the laws.
pub(crate) fn order() -> Order {
    Order::task(TASK).unwrap()
}

/// The same words, as they are stored.
pub(crate) fn request() -> Request<'static> {
    Request { text: Some(TASK), confirmed: None }
}

pub(crate) fn operation(name: &str, effect: Effect, note: &str) -> Operation {
    let tool = tool(effect);
    let arguments = [("note".to_owned(), Argument::from(note))].into();
    Operation::new(step(name), tool.name().clone(), tool.effect(), arguments, Check::Unverifiable, order())
}

pub(crate) fn plan_of(session_name: &str, round: Round, operations: Vec<Operation>) -> Plan {
    let version = |name: &str| Version { name: name.to_owned(), digest: Digest::of(name.as_bytes()) };
    let pins = Effect::ALL.map(|effect| (tool(effect).name().clone(), tool(effect).pin()));
    Plan::new(PlanDraft {
        session: session(session_name),
        round,
        process: version("general"),
        policies: vec![version("operator")],
        pins: pins.into(),
        good_until: time(1_000),
        operations,
    })
    .unwrap()
}

pub(crate) fn approvals(mode: Mode) -> Approvals {
    Approvals {
        mode,
        attendance: Attendance::Attended,
        own_requests: OwnRequests::Never,
        excluded: BTreeSet::new(),
        fallback: Role::parse("owner").unwrap(),
    }
}

/// What an operator's policy with one rule says. There is no other way to an `allow`.
pub(crate) fn said(verdict: Verdict) -> Ruling {
    let json = format!(r#"{{"rules": [{{"id": "R-1", "condition": "true", "action": "{verdict}"}}]}}"#);
    let document = PolicyDocument::parse(&json, Authority::Operator).unwrap();
    let judgement = document.bind(&Facts::new()).judge(&Subject::default());
    Ruling::of(&judgement, &purple_process::Levels::default()).unwrap()
}

/// The operator's policy says this about every operation.
pub(crate) fn ruling(plan: &Plan, verdict: Verdict) -> PlanRuling {
    let said = said(verdict);
    let rulings: BTreeMap<_, _> =
        plan.operations().iter().map(|operation| (operation.step.clone(), vec![said.clone()])).collect();
    judge(plan, &rulings, &approvals(Mode::Careful)).unwrap()
}

pub(crate) fn yes(plan: &Plan, person: &str) -> Decision {
    Decision {
        person: PersonId::parse(person).unwrap(),
        on_behalf_of: None,
        channel: Channel::Console,
        account: None,
        plan: plan.hash(),
        card: Digest::of(b"card"),
        answer: Answer::Approve {
            operations: plan.operations().iter().map(|operation| operation.step.clone()).collect(),
        },
        mode: Mode::Careful,
        decided_at: time(0),
        expires_at: time(500),
    }
}

/// A plan that policy allowed, or that the one person at the keyboard approved.
pub(crate) fn granted(plan: &Plan, verdict: Verdict, started: &[Started]) -> ApprovedPlan {
    let ruling = ruling(plan, verdict);
    let decisions = match verdict {
        Verdict::Allow => vec![],
        _ => vec![yes(plan, "anna")],
    };
    let evidence = Evidence {
        ruling: &ruling,
        decisions: &decisions,
        requester: purple_process::At { person: &PersonId::parse("rita").unwrap(), account: None },
        request: request(),
        directory: &Directory::Keyboard,
        standing: Standing::Open,
        started,
        clock: ClockReading { now: time(1), high_water: time(1) },
    };
    restore(plan.clone(), &evidence).unwrap()
}
