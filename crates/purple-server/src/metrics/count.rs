//! Counts records, family by family.

use jiff::Timestamp;
use purple_journal::record::approval::{Approval, Decided};
use purple_journal::record::plan::Plan;
use purple_journal::record::process::Process;
use purple_journal::record::run::{Ended, Run, StateEntered};
use purple_journal::record::task::Task;
use purple_journal::record::write::{Verified, Write};
use purple_journal::word::Outcome;
use purple_journal::{Record, Redacted};
use purple_port::{Placed, SessionId};

use super::{Counted, Open};
use crate::limits::FAST_APPROVAL_MS;

/// The run of a record, and its time.
#[derive(Clone, Copy)]
struct At<'a> {
    run: &'a SessionId,
    time: Timestamp,
}

impl Counted {
    /// Counts a record. One that is not counted leaves no trace, not even that its run exists.
    pub(super) fn count(&mut self, placed: &Placed) {
        self.place = placed.place;
        let at = At { run: &placed.session, time: placed.entry.at };
        match &placed.entry.record {
            Record::Task(task) => self.task(at, task),
            Record::Process(process) => self.process(at, process),
            Record::Plan(plan) => self.plan(plan),
            Record::Approval(approval) => self.approval(at, approval),
            Record::Write(write) => self.operation(at, write),
            Record::Run(run) => self.run(at, run),
            Record::Model(_)
            | Record::Tool(_)
            | Record::Turn(_)
            | Record::Learning(_)
            | Record::Incident(_)
            | Record::Operator(_)
            | Record::Unknown(_) => {}
        }
    }

    fn open(&mut self, at: At<'_>) -> &mut Open {
        self.open.entry(at.run.clone()).or_default()
    }

    fn task(&mut self, at: At<'_>, task: &Task) {
        match task {
            Task::Received(_) => {
                self.open(at).began.get_or_insert(at.time);
            }
            Task::PrivacyRefused(refused) => self.refused.add(vec![refused.code.to_string()]),
            Task::DecisionReceived(_)
            | Task::Rejected(_)
            | Task::InputAsked(_)
            | Task::Confirmed(_)
            | Task::Divided(_)
            | Task::ReversalSought(_)
            | Task::PolicyAdvisory(_)
            | Task::BriefMade(_)
            | Task::ConversationFolded(_) => {}
        }
    }

    fn process(&mut self, at: At<'_>, process: &Process) {
        match process {
            Process::Chosen(chosen) => self.open(at).process = Some(chosen.process.to_string()),
            Process::Pointed(_)
            | Process::DefinitionsKnown(_)
            | Process::Synthesized(_)
            | Process::SynthesisFailed(_) => {}
        }
    }

    fn plan(&mut self, plan: &Plan) {
        match plan {
            Plan::PolicyVerdict(verdict) => {
                let rule = verdict.rule.as_ref().map_or_else(|| "none".to_owned(), Redacted::to_string);
                self.policy.add(vec![verdict.process.to_string(), rule, verdict.leads_to.to_string()]);
            }
            Plan::KeyTaken(_) => self.suppressed.add(vec!["business_key".to_owned()]),
            Plan::Figures(_)
            | Plan::Calculation(_)
            | Plan::Made(_)
            | Plan::Expired(_)
            | Plan::Stale(_)
            | Plan::KeyClaimed(_)
            | Plan::KeyReleased(_) => {}
        }
    }

    fn approval(&mut self, at: At<'_>, approval: &Approval) {
        match approval {
            Approval::Asked(asked) => {
                let asks: Vec<&str> = asked.asks.iter().map(Redacted::as_str).collect();
                self.open(at).asked = Some((at.time, asks.join(", ")));
            }
            Approval::Decided(decided) => self.decided(at, decided),
            Approval::Expired(_) | Approval::Superseded(_) | Approval::Refused(_) => {
                self.open(at).asked = None;
            }
            Approval::HistorySeen(_)
            | Approval::Granted(_)
            | Approval::Edited(_)
            | Approval::NotTaken(_)
            | Approval::EditNotTaken(_)
            | Approval::ChannelAsked(_) => {}
        }
    }

    fn decided(&mut self, at: At<'_>, decided: &Decided) {
        let decision = decided.decision.to_string();
        self.decisions.add(vec![decision.clone(), decided.channel.to_string()]);
        let open = self.open(at);
        let process = open.process();
        let Some((since, _)) = open.asked.take() else { return };
        let waited = ms(since, at.time);
        self.waits.add(vec![process.clone(), decision], waited);
        if waited < FAST_APPROVAL_MS {
            self.fast.add(vec![process]);
        }
    }

    fn operation(&mut self, at: At<'_>, write: &Write) {
        match write {
            Write::Verified(verified) => self.verified(at, verified),
            Write::InDoubt(_) => self.open(at).doubts = 1,
            Write::Settled(_) => self.open(at).doubts = 0,
            Write::Withheld(_) => self.refused.add(vec!["withheld".to_owned()]),
            Write::Intent(_)
            | Write::CallEnded(_)
            | Write::PutOff(_)
            | Write::SettleNotTaken(_)
            | Write::NoticeHeld(_)
            | Write::UndoAsked(_)
            | Write::UndoNotTaken(_)
            | Write::HaltSeen(_) => {}
        }
    }

    fn verified(&mut self, at: At<'_>, verified: &Verified) {
        self.open(at).doubts = 0;
        let tool = verified.tool.to_string();
        self.writes.add(vec![tool.clone(), verified.outcome.to_string()]);
        let seen = match verified.outcome {
            Outcome::Verified => "equal",
            Outcome::Mismatch => "mismatch",
            Outcome::InDoubt | Outcome::Unverifiable | Outcome::Absent => "unknown",
        };
        self.verified.add(vec![tool, seen.to_owned()]);
    }

    fn run(&mut self, at: At<'_>, run: &Run) {
        match run {
            Run::StateEntered(entered) => self.entered(at, entered),
            Run::Ended(ended) => self.ended(at, ended),
            Run::Answered(_)
            | Run::Failed(_)
            | Run::Stopped(_)
            | Run::Cancelled(_)
            | Run::CancelNotTaken(_)
            | Run::Rescored(_) => {}
        }
    }

    fn entered(&mut self, at: At<'_>, entered: &StateEntered) {
        let open = self.open(at);
        let process = open.process();
        if let Some(before) = open.entered.replace(at.time) {
            self.state_times.add(vec![process, entered.from.to_string()], ms(before, at.time));
        }
    }

    fn ended(&mut self, at: At<'_>, ended: &Ended) {
        let open = self.open.remove(at.run).unwrap_or_default();
        let ending = ended.ending.map_or_else(|| "none".to_owned(), |ending| ending.to_string());
        self.runs.add(vec![open.process(), ending]);
        if let Some(began) = open.began {
            self.run_times.add(vec![open.process()], ms(began, at.time));
        }
    }
}

fn ms(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.duration_since(from).as_millis()).unwrap_or_default()
}
