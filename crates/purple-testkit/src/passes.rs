//! Passes for tests of what carries them: made by the real gate, for a plan that no rule minds.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use jiff::Timestamp;
use purple_process::{
    Approvals, Argument, Arguments, Arithmetic, At, Attendance, Call, Check, ClockReading, Declared, Digest,
    Directory, Evidence, Fact, Grant, Json, Mode, Operation, Order, OwnRequests, Pass, PersonId, Plan,
    PlanDraft, Request, Role, Round, Route, SessionId, Standing, State, StepId, Tool, ToolName, Values,
    Version, Walk, gate, judge, restore,
};

/// The task that asks for the write.
const TASK: &str = "Please do this";

/// A pass to read with this tool; its name must say that it reads.
///
/// # Errors
/// What the gate or a name says.
pub fn read_pass(tool: &str, arguments: Values) -> Result<Pass, Box<dyn Error>> {
    let walk = Walk::new(SessionId::parse("ses_read")?, Route::question(Arithmetic::None));
    let walk = walk.after(Fact::Decomposed)?;
    Ok(gate(walk.position(), Call::new(&named(tool)?, arguments), Grant::nothing(), at(30)?)?)
}

/// A pass to write with this tool; its name must say that it writes. Another session gives another key.
///
/// # Errors
/// What the gate or a name says.
pub fn write_pass(session: &str, tool: &str, arguments: Values) -> Result<Pass, Box<dyn Error>> {
    let (session, tool) = (SessionId::parse(session)?, named(tool)?);
    let given: Arguments =
        arguments.iter().map(|(name, value)| (name.clone(), Argument::Value(value.clone()))).collect();
    let step = StepId::parse("only")?;
    let (name, effect, order) = (tool.name().clone(), tool.effect(), Order::task(TASK)?);
    let operation = Operation::new(step.clone(), name, effect, given, Check::Unverifiable, order);
    let version = |name: &str| Version { name: name.to_owned(), digest: Digest::of(name.as_bytes()) };
    let plan = Plan::new(PlanDraft {
        session: session.clone(),
        round: Round::FIRST,
        process: version("process"),
        policies: vec![version("operator")],
        pins: BTreeMap::from([(tool.name().clone(), tool.pin())]),
        good_until: at(1_000)?,
        operations: vec![operation],
    })?;
    let approvals = Approvals {
        mode: Mode::Permissive,
        attendance: Attendance::Attended,
        own_requests: OwnRequests::Never,
        excluded: BTreeSet::new(),
        fallback: Role::parse("owner")?,
    };
    let ruling = judge(&plan, &BTreeMap::from([(step, Vec::new())]), &approvals)?;
    let states = [State::Decompose, State::Assess, State::PolicyCheck, State::Mutate, State::Complete];
    let mut walk = Walk::new(session, Route::parse(&states)?);
    for fact in [Fact::Decomposed, Fact::Assessed, Fact::Judged(&ruling)] {
        walk = walk.after(fact)?;
    }
    let evidence = Evidence {
        ruling: &ruling,
        decisions: &[],
        requester: At { person: &PersonId::parse("rita")?, account: None },
        request: Request { text: Some(TASK), confirmed: None },
        directory: &Directory::Keyboard,
        standing: Standing::Open,
        started: &[],
        clock: ClockReading { now: at(20)?, high_water: at(0)? },
    };
    let mut approved = restore(plan.clone(), &evidence)?;
    Ok(gate(walk.position(), Call::new(&tool, arguments), approved.grant(), at(30)?)?)
}

fn named(name: &str) -> Result<Tool, Box<dyn Error>> {
    Ok(Tool::new(ToolName::parse(name)?, &Json::Null, Declared::NOTHING))
}

fn at(seconds: i64) -> Result<Timestamp, Box<dyn Error>> {
    Ok(Timestamp::from_second(1_700_000_000 + seconds)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_uses_up_no_operation_and_a_write_has_a_key_of_its_session() {
        let arguments = || Values::from([("invoice_id".to_owned(), Json::from("INV-1"))]);
        let read = read_pass("get_invoice", arguments()).unwrap();
        assert!(read.operation().is_none() && read.call().arguments() == &arguments());
        assert!(read_pass("reject_invoice", arguments()).is_err());
        let keys = ["a", "b", "a"].map(|session| {
            write_pass(session, "reject_invoice", arguments()).unwrap().operation().unwrap().key
        });
        assert!(keys[0] == keys[2] && keys[0] != keys[1]);
    }
}
