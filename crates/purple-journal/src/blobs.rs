//! Which blobs a record names.
//!
//! Text from outside is never in these places, so nobody can make the journal name a blob that is not there.

use purple_process::Digest;

use crate::Record;
use crate::blob_hash::BlobHash;
use crate::record::approval::Approval;
use crate::record::model::Model;
use crate::record::process::Process;
use crate::record::run::Run;
use crate::record::task::Task;
use crate::record::tool::Tool;
use crate::record::turn::Turn;
use crate::record::write::Write;
use crate::record::{plan, turn};
use crate::word::CallResult;

impl Record {
    /// The blobs that it names. The reply of a model is named by the end of its turn.
    pub fn blobs(&self) -> Vec<BlobHash> {
        match self {
            Self::Task(task) => of_task(task),
            Self::Process(process) => of_process(process),
            Self::Model(model) => of_model(model),
            Self::Tool(tool) => of_tool(tool),
            Self::Plan(plan::Plan::Made(made)) => [made.kept].into_iter().chain(made.words).collect(),
            Self::Approval(approval) => of_approval(approval),
            Self::Write(write) => of_write(write),
            Self::Run(run) => of_run(run),
            Self::Turn(turn) => of_turn(turn),
            Self::Plan(
                plan::Plan::Figures(_)
                | plan::Plan::Calculation(_)
                | plan::Plan::PolicyVerdict(_)
                | plan::Plan::Expired(_)
                | plan::Plan::Stale(_)
                | plan::Plan::KeyClaimed(_)
                | plan::Plan::KeyTaken(_)
                | plan::Plan::KeyReleased(_),
            )
            | Self::Learning(_)
            | Self::Incident(_)
            | Self::Operator(_)
            | Self::Unknown(_) => Vec::new(),
        }
    }

    /// The digest of the checkpoint that a turn saved, if this is its end.
    pub const fn saved(&self) -> Option<Digest> {
        match self {
            Self::Turn(Turn::Ended(turn::Ended { saved, .. })) => Some(*saved),
            Self::Turn(
                Turn::Began(_)
                | Turn::Version(_)
                | Turn::EventIgnored(_)
                | Turn::Stuck(_)
                | Turn::Retried(_)
                | Turn::Skipped(_),
            )
            | Self::Task(_)
            | Self::Process(_)
            | Self::Model(_)
            | Self::Tool(_)
            | Self::Plan(_)
            | Self::Approval(_)
            | Self::Write(_)
            | Self::Run(_)
            | Self::Learning(_)
            | Self::Incident(_)
            | Self::Operator(_)
            | Self::Unknown(_) => None,
        }
    }
}

fn of_task(task: &Task) -> Vec<BlobHash> {
    match task {
        Task::Received(received) => received.whole.into_iter().collect(),
        Task::BriefMade(made) => vec![made.brief],
        Task::ReversalSought(sought) => vec![sought.kept],
        Task::DecisionReceived(_)
        | Task::PrivacyRefused(_)
        | Task::Rejected(_)
        | Task::InputAsked(_)
        | Task::Confirmed(_)
        | Task::Divided(_)
        | Task::PolicyAdvisory(_)
        | Task::ConversationFolded(_) => Vec::new(),
    }
}

fn of_process(process: &Process) -> Vec<BlobHash> {
    match process {
        Process::Chosen(chosen) => vec![chosen.file],
        Process::DefinitionsKnown(known) => vec![known.definition],
        Process::Synthesized(made) => vec![made.definition],
        // Its file is named by the end of the turn.
        Process::Pointed(_) | Process::SynthesisFailed(_) => Vec::new(),
    }
}

fn of_model(model: &Model) -> Vec<BlobHash> {
    match model {
        Model::Found(found) => vec![found.result],
        Model::Asked(_)
        | Model::Replied(_)
        | Model::Other(_)
        | Model::Failed(_)
        | Model::Lost(_)
        | Model::Refused(_)
        | Model::LoopRefused(_)
        | Model::Halted(_)
        | Model::Fallback(_)
        | Model::Spent(_)
        | Model::Waiting(_)
        | Model::Wants(_)
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
        | Model::TaskRead(_) => Vec::new(),
    }
}

fn of_tool(tool: &Tool) -> Vec<BlobHash> {
    match tool {
        Tool::CataloguePinned(pinned) => vec![pinned.catalogue],
        Tool::Read(read) => of_call(&read.result),
        Tool::FunctionSynthesized(made) => vec![made.definition],
        Tool::Crowded(_)
        | Tool::SchemaFixed(_)
        | Tool::Asks(_)
        | Tool::Answered(_)
        | Tool::AnswerRefused(_)
        | Tool::Quarantined(_)
        | Tool::FunctionRefused(_)
        | Tool::FunctionCalled(_)
        | Tool::FunctionQuarantined(_) => Vec::new(),
    }
}

/// The answer of a call. A question is named by the end of the turn.
fn of_call(result: &CallResult) -> Vec<BlobHash> {
    match result {
        CallResult::Answered(answer) => answer.iter().copied().collect(),
        CallResult::Refused { .. } | CallResult::Asked(_) | CallResult::NotSent(_) | CallResult::Lost(_) => {
            Vec::new()
        }
    }
}

fn of_approval(approval: &Approval) -> Vec<BlobHash> {
    match approval {
        Approval::HistorySeen(seen) => vec![seen.history],
        Approval::Asked(asked) => vec![asked.card],
        Approval::ChannelAsked(asked) => of_call(&asked.result),
        Approval::Decided(_)
        | Approval::Granted(_)
        | Approval::Refused(_)
        | Approval::Expired(_)
        | Approval::Superseded(_)
        | Approval::Edited(_)
        | Approval::NotTaken(_)
        | Approval::EditNotTaken(_) => Vec::new(),
    }
}

fn of_write(write: &Write) -> Vec<BlobHash> {
    match write {
        Write::Intent(intent) => vec![intent.sent, intent.before],
        Write::CallEnded(ended) => of_call(&ended.called),
        Write::Verified(verified) => vec![verified.seen],
        Write::Withheld(_)
        | Write::PutOff(_)
        | Write::InDoubt(_)
        | Write::Settled(_)
        | Write::SettleNotTaken(_)
        | Write::NoticeHeld(_)
        | Write::UndoAsked(_)
        | Write::UndoNotTaken(_)
        | Write::HaltSeen(_) => Vec::new(),
    }
}

fn of_run(run: &Run) -> Vec<BlobHash> {
    match run {
        Run::Answered(answered) => vec![answered.answer],
        Run::Ended(ended) => vec![ended.answer],
        Run::StateEntered(_)
        | Run::Failed(_)
        | Run::Stopped(_)
        | Run::Cancelled(_)
        | Run::CancelNotTaken(_)
        | Run::Rescored(_) => Vec::new(),
    }
}

fn of_turn(turn: &Turn) -> Vec<BlobHash> {
    match turn {
        Turn::Began(began) => began.kept.into_iter().collect(),
        Turn::Ended(ended) => ended.kept.clone().unwrap_or_default(),
        Turn::Version(_) | Turn::EventIgnored(_) | Turn::Stuck(_) | Turn::Retried(_) | Turn::Skipped(_) => {
            Vec::new()
        }
    }
}
