//! Words while something is open: at the gate, during a plan, in doubt. And what people do about it.

use purple_intent::value::Notation;
use purple_intent::{Mood, read};
use purple_journal::record::task::Task;
use purple_journal::record::turn::Turn;
use purple_journal::record::{approval, run};
use purple_journal::{Record, Redacted};
use purple_process::{Fact, PersonId, Said, read_answer, read_message};

use crate::event::{Called, Message, Verdict};
use crate::execute::advise::nothing_changed;
use crate::execute::call::cut;
use crate::execute::prepare::{figures, found};
use crate::execute::stance::orders_nothing;
use crate::prime::way::Way;
use crate::run::{Phase, Run};
use crate::session::{Driving, Running, Stage, Waiting};

impl Run<'_> {
    /// Words that are for what is open.
    pub(crate) async fn words(&mut self, message: Message) -> Phase<()> {
        match self.session.stage.clone() {
            Stage::Waiting(waiting) => self.at_the_gate(waiting, message).await,
            Stage::Running(Running { open: Some(open), .. }) if open.in_doubt => self.remark(&format!(
                "The outcome of `{}` is unknown ({}). Find out, then say `purple settle {} {} --done` or `--not-done`.",
                open.step,
                open.why,
                self.id(),
                open.step
            )),
            Stage::Running(Running { halted: Some(why), .. }) => {
                self.remark(&format!("The run stands still: {why}. `purple resume` lets it go on."))
            }
            Stage::Running(running)
                if running.inquiry.as_ref().is_some_and(|inquiry| inquiry.answers.is_none()) =>
            {
                self.answer_tool(running, &message).await
            }
            Stage::Driving(Driving { waits: Some(waits), .. }) => {
                self.remark(&format!("The run waits for the language model: {}.", waits.why))
            }
            Stage::Driving(_) => self.remark("A language model works on it. Ask again when it is done."),
            Stage::Running(_)
            | Stage::Preparing
            | Stage::Asking { .. }
            | Stage::Confirming { .. } => {
                self.remark("A plan is being carried out. Ask again when it is done.")
            }
            Stage::Closed { .. } if read_answer(&message.text).is_some() => {
                self.remark("Nothing waits for an answer here. Nothing was changed.")
            }
            Stage::Closed { .. } => {
                self.remark(&nothing_changed(orders_nothing(&message.text).unwrap_or(Mood::Statement)))
            }
        }
    }

    /// A decision by the closed grammar, a question, a new task; anything else is asked again.
    async fn at_the_gate(&mut self, waiting: Waiting, message: Message) -> Phase<()> {
        let plan = self.plan(waiting.plan).await?;
        let verdict = |steps, reason| Verdict {
            plan: waiting.hash,
            steps,
            reason,
            by: message.by.clone(),
            channel: message.channel,
            account: message.account.clone(),
            shown: waiting.card.0,
            message: None,
        };
        match read_message(&message.text, &plan) {
            Said::Approve => {
                let steps = plan.operations().iter().map(|one| one.step.clone()).collect();
                self.decided(verdict(steps, None)).await
            }
            Said::Reject { reason } => self.decided(verdict(Vec::new(), reason)).await,
            Said::AskAgain { approve, decline } => {
                self.remark(&format!("That could mean either. Say \"{approve}\" or \"{decline}\"."))
            }
            Said::NotADecision if asks(&message.text) => {
                let opened = self.opened(waiting.case).await?;
                self.remark("The plan is unchanged and waits. What it rests on:")?;
                if let Some(told) = &mut self.told {
                    told.left.shows = found(&opened);
                    told.left.figures = figures(&opened)?;
                }
                Ok(())
            }
            Said::NotADecision => self.maybe_another_task(waiting, message).await,
        }
    }

    /// Words that make a task of their own void the plan.
    async fn maybe_another_task(&mut self, waiting: Waiting, message: Message) -> Phase<()> {
        let today = self.settings.day(self.scribe.began());
        let is_task = matches!(self.way(&message.text)?, Way::Playbook(fit) if fit.missing.is_empty());
        // Whoever comes to decide does not take the run over: only its requester asks for something else in it.
        let known = matches!(self.ports.directory.on(today), purple_process::Directory::People(_));
        if !is_task || (known && message.by != self.session.requester) {
            return self.remark(
                "I did not understand that as a decision about the plan. It is unchanged and waits.",
            );
        }
        self.scribe.note(approval::Superseded { plan: waiting.hash })?;
        self.settle_claims().await?;
        self.session.requester = message.by;
        self.session.requester_account = message.account;
        self.session.channel = message.channel;
        self.begin_round(Fact::Superseded, &message.text)?;
        Box::pin(self.prepare(&message.text)).await
    }

    /// The round to which a message belongs; none has the number nought, and what was never heard belongs there.
    pub(crate) async fn round_of(&self, called: &Called) -> Phase<u32> {
        let (mut round, mut found, mut is_open) = (1, 0, false);
        for recorded in self.scribe.journal().await? {
            match recorded.record() {
                Record::Task(task) if names(task, called) => (found, is_open) = (round, true),
                Record::Run(run::Run::StateEntered(entered)) => {
                    round = entered.round.number();
                    if is_open {
                        found = round;
                    }
                }
                Record::Turn(Turn::Ended(_)) => is_open = false,
                Record::Run(
                    run::Run::Answered(_)
                    | run::Run::Ended(_)
                    | run::Run::Failed(_)
                    | run::Run::Stopped(_)
                    | run::Run::Cancelled(_)
                    | run::Run::CancelNotTaken(_)
                    | run::Run::Rescored(_),
                )
                | Record::Turn(
                    Turn::Began(_)
                    | Turn::Version(_)
                    | Turn::EventIgnored(_)
                    | Turn::Stuck(_)
                    | Turn::Retried(_)
                    | Turn::Skipped(_),
                )
                | Record::Task(_)
                | Record::Process(_)
                | Record::Model(_)
                | Record::Tool(_)
                | Record::Plan(_)
                | Record::Approval(_)
                | Record::Write(_)
                | Record::Learning(_)
                | Record::Incident(_)
                | Record::Operator(_)
                | Record::Unknown(_) => {}
            }
        }
        Ok(found)
    }

    /// Somebody calls the run off. An operation on its way is finished first.
    pub(crate) async fn call_off(&mut self, by: &PersonId, reason: &str, round: Option<u32>) -> Phase<()> {
        if round.is_some_and(|round| round != self.session.round()) {
            // It was about a round that is over, and the one that is open now is another task.
            let (by, why) = (Redacted::of(by), Redacted::of("that round is over already"));
            return self.scribe.note(run::CancelNotTaken { by, round, why });
        }
        let why = if reason.is_empty() {
            format!("{by} called it off")
        } else {
            format!("{by} called it off: {}", cut(reason))
        };
        let over = matches!(self.session.stage, Stage::Closed { .. });
        let by = Redacted::of(by);
        if over {
            let why = Redacted::of("the run is over already");
            self.scribe.note(run::CancelNotTaken { by, round: None, why })?;
        } else {
            self.scribe.note(run::Cancelled { by, reason: Redacted::of(&cut(reason)) })?;
        }
        match self.session.stage.clone() {
            Stage::Closed { .. } => self.remark("The run is over already."),
            Stage::Running(mut running) => {
                running.cancelled = Some(why);
                let on_its_way = running.open.is_some();
                self.session.stage = Stage::Running(running);
                if on_its_way {
                    return self.remark("It ends when the outcome of the present operation is known.");
                }
                self.operate().await
            }
            // The work of a model is over already when only its last words are missing.
            Stage::Driving(driving) if self.session.walk.ending().is_none() => {
                self.step(Fact::Cancelled)?;
                let opened = self.opened(driving.case).await?;
                let catalogue = self.catalogue().await?;
                let mut left = self.left(&opened, Some(driving.case), driving.trail, &catalogue, None)?;
                left.sentences = vec![format!("{why}.")];
                self.close(left).await
            }
            Stage::Driving(_) => self.drive().await,
            Stage::Waiting(waiting) => {
                self.step(Fact::Cancelled)?;
                let opened = self.opened(waiting.case).await?;
                let catalogue = self.catalogue().await?;
                let mut left = self.left(&opened, Some(waiting.case), waiting.trail, &catalogue, None)?;
                left.sentences = vec![format!("{why}.")];
                self.close(left).await
            }
            Stage::Preparing | Stage::Asking { .. } | Stage::Confirming { .. } => {
                self.step(Fact::Cancelled)?;
                let left = super::close::Left { sentences: vec![format!("{why}.")], ..Default::default() };
                self.close(left).await
            }
        }
    }
}

/// Whether a message asks for information and orders nothing.
fn asks(text: &str) -> bool {
    let moods: Vec<Mood> = read(text, &Notation::default()).acts.iter().map(|act| act.mood).collect();
    moods.iter().any(|mood| matches!(mood, Mood::Question | Mood::Calculation))
        && moods.iter().all(|mood| matches!(mood, Mood::Question | Mood::Calculation | Mood::Statement))
}

/// Whether a message that arrived is the one that is meant.
fn names(task: &Task, called: &Called) -> bool {
    match task {
        Task::Received(received) => {
            received.by == called.by.as_str()
                && received.message.as_ref().is_some_and(|id| *id == called.id.as_str())
        }
        Task::DecisionReceived(received) => {
            received.by == called.by.as_str() && received.message == called.id.as_str()
        }
        Task::PrivacyRefused(_)
        | Task::Rejected(_)
        | Task::InputAsked(_)
        | Task::Confirmed(_)
        | Task::Divided(_)
        | Task::ReversalSought(_)
        | Task::PolicyAdvisory(_)
        | Task::BriefMade(_)
        | Task::ConversationFolded(_) => false,
    }
}
