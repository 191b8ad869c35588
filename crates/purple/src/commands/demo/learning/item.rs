//! What a record counts as in the cost of a task.

use purple_journal::Record;
use purple_journal::record::approval::Approval;
use purple_journal::record::model::Model;
use purple_journal::record::run::Run;
use purple_journal::record::task::Task;
use purple_journal::record::tool::Tool;
use purple_journal::record::write::Write;
use purple_journal::word::DecisionKind;

/// One item of the cost of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A call of a model or of a tool.
    Step,
    /// Something that a person was asked.
    Question,
    /// Something that was refused or failed.
    Error,
}

pub(super) fn item(record: &Record) -> Option<Item> {
    match record {
        Record::Task(task) => of_task(task),
        Record::Model(model) => of_model(model),
        Record::Tool(tool) => of_tool(tool),
        Record::Approval(approval) => of_approval(approval),
        Record::Write(write) => of_write(write),
        Record::Run(run) => of_run(run),
        Record::Process(_)
        | Record::Plan(_)
        | Record::Turn(_)
        | Record::Learning(_)
        | Record::Incident(_)
        | Record::Operator(_)
        | Record::Unknown(_) => None,
    }
}

fn of_task(task: &Task) -> Option<Item> {
    match task {
        Task::InputAsked(_) => Some(Item::Question),
        Task::Received(_)
        | Task::DecisionReceived(_)
        | Task::PrivacyRefused(_)
        | Task::Rejected(_)
        | Task::PolicyAdvisory(_)
        | Task::Confirmed(_)
        | Task::Divided(_)
        | Task::ReversalSought(_)
        | Task::BriefMade(_)
        | Task::ConversationFolded(_) => None,
    }
}

fn of_model(model: &Model) -> Option<Item> {
    match model {
        Model::Asked(_) => Some(Item::Step),
        Model::Refused(_) | Model::LoopRefused(_) => Some(Item::Error),
        Model::Replied(_)
        | Model::Other(_)
        | Model::Failed(_)
        | Model::Lost(_)
        | Model::Halted(_)
        | Model::Fallback(_)
        | Model::Spent(_)
        | Model::Waiting(_)
        | Model::Wants(_)
        | Model::Found(_)
        | Model::Computed(_)
        | Model::Proposed(_)
        | Model::Note(_)
        | Model::AuditPassed(_)
        | Model::AuditFailed(_)
        | Model::AuditDoubted(_)
        | Model::AnswersCompared(_)
        | Model::FiguresCompared(_)
        | Model::AnswerGaps(_)
        | Model::AnswerNoList(_)
        | Model::AnswerReflected(_)
        | Model::TaskRead(_) => None,
    }
}

fn of_tool(tool: &Tool) -> Option<Item> {
    match tool {
        Tool::Read(_) => Some(Item::Step),
        Tool::CataloguePinned(_)
        | Tool::Crowded(_)
        | Tool::SchemaFixed(_)
        | Tool::Asks(_)
        | Tool::Answered(_)
        | Tool::AnswerRefused(_)
        | Tool::Quarantined(_)
        | Tool::FunctionSynthesized(_)
        | Tool::FunctionRefused(_)
        | Tool::FunctionCalled(_)
        | Tool::FunctionQuarantined(_) => None,
    }
}

fn of_approval(approval: &Approval) -> Option<Item> {
    match approval {
        Approval::Asked(_) => Some(Item::Question),
        Approval::Decided(decided) => (decided.decision == DecisionKind::Reject).then_some(Item::Error),
        Approval::HistorySeen(_)
        | Approval::Granted(_)
        | Approval::Refused(_)
        | Approval::Expired(_)
        | Approval::Superseded(_)
        | Approval::Edited(_)
        | Approval::NotTaken(_)
        | Approval::EditNotTaken(_)
        | Approval::ChannelAsked(_) => None,
    }
}

fn of_write(write: &Write) -> Option<Item> {
    match write {
        Write::Intent(_) => Some(Item::Step),
        Write::CallEnded(_)
        | Write::Verified(_)
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

fn of_run(run: &Run) -> Option<Item> {
    match run {
        Run::Failed(_) => Some(Item::Error),
        Run::StateEntered(_)
        | Run::Answered(_)
        | Run::Ended(_)
        | Run::Stopped(_)
        | Run::Cancelled(_)
        | Run::CancelNotTaken(_)
        | Run::Rescored(_) => None,
    }
}
