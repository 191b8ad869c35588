//! The round that a record names, if it names one.

use purple_journal::Record;
use purple_journal::record::learning::Learning;
use purple_journal::record::plan::Plan;
use purple_journal::record::run::Run;
use purple_journal::record::tool::Tool;
use purple_journal::record::write::Write;

pub(super) fn round_of(record: &Record) -> Option<u32> {
    match record {
        Record::Tool(tool) => of_tool(tool),
        Record::Plan(plan) => of_plan(plan),
        Record::Write(write) => of_write(write),
        Record::Run(run) => of_run(run),
        Record::Learning(learning) => of_learning(learning),
        Record::Task(_)
        | Record::Process(_)
        | Record::Model(_)
        | Record::Approval(_)
        | Record::Turn(_)
        | Record::Incident(_)
        | Record::Operator(_)
        | Record::Unknown(_) => None,
    }
}

fn of_tool(tool: &Tool) -> Option<u32> {
    match tool {
        Tool::FunctionCalled(called) => Some(called.round),
        // The `round` of a question counts the questions of its tool.
        Tool::Asks(_)
        | Tool::CataloguePinned(_)
        | Tool::Crowded(_)
        | Tool::Read(_)
        | Tool::SchemaFixed(_)
        | Tool::Answered(_)
        | Tool::AnswerRefused(_)
        | Tool::Quarantined(_)
        | Tool::FunctionSynthesized(_)
        | Tool::FunctionRefused(_)
        | Tool::FunctionQuarantined(_) => None,
    }
}

fn of_plan(plan: &Plan) -> Option<u32> {
    match plan {
        Plan::KeyClaimed(claimed) => Some(claimed.round),
        Plan::KeyReleased(released) => Some(released.round),
        Plan::Figures(_)
        | Plan::Calculation(_)
        | Plan::PolicyVerdict(_)
        | Plan::Made(_)
        | Plan::Expired(_)
        | Plan::Stale(_)
        | Plan::KeyTaken(_) => None,
    }
}

fn of_write(write: &Write) -> Option<u32> {
    match write {
        Write::Verified(verified) => Some(verified.round.number()),
        Write::Intent(_)
        | Write::CallEnded(_)
        | Write::Withheld(_)
        | Write::PutOff(_)
        | Write::InDoubt(_)
        | Write::Settled(_)
        | Write::SettleNotTaken(_)
        | Write::NoticeHeld(_)
        | Write::UndoAsked(_)
        | Write::UndoNotTaken(_)
        | Write::HaltSeen(_) => None,
    }
}

fn of_run(run: &Run) -> Option<u32> {
    match run {
        Run::StateEntered(entered) => Some(entered.round.number()),
        Run::Answered(answered) => Some(answered.round.number()),
        Run::Ended(ended) => Some(ended.round.number()),
        Run::CancelNotTaken(not_taken) => not_taken.round,
        Run::Failed(_) | Run::Stopped(_) | Run::Cancelled(_) | Run::Rescored(_) => None,
    }
}

fn of_learning(learning: &Learning) -> Option<u32> {
    match learning {
        Learning::FactsFound(found) => Some(found.round),
        Learning::StrategyChosen(_) => None,
    }
}
