//! Runs one operation a turn: intent, send, outcome, read-back. Nothing is sent twice, and doubt is visible.
//!
//! The order is that of the "rules for one write": nothing is sent before its intent is durable, and an attempt that
//! was interrupted looks before anything else.

use std::collections::BTreeMap;
use std::time::Duration;

use purple_process::{
    ApprovedPlan, Call, ClockReading, Effect, Evidence, Fact, GrantRefused, Next, Operation, OperationKey,
    Outcome, Pass, Plan, Ran, Repeat, Standing, Started, State, StepId, Values, gate, resend, restore,
};
use serde_json::{Value, json};

use crate::dossier::Opened;
use crate::execute::call::{cut, shown};
use crate::execute::catalogue::{Catalogue, Known};
use crate::execute::rule::{Bench, approval_tools};
use crate::execute::verify::{Compared, Look, compare, look, results};
use crate::port::{CallOptions, Called, TurnFailed};
use crate::run::{Phase, Run, result_of};
use crate::session::{Open, Reply, Running, Stage};

/// A plan on its way, with everything that this turn needs of it.
pub(crate) struct Underway<'a> {
    pub running: Running,
    pub plan: Plan,
    pub opened: &'a Opened,
    pub catalogue: &'a Catalogue,
}

/// The name of the timer that looks again, or tries again.
pub(crate) const LOOK: &str = "look";
pub(crate) const RETRY: &str = "retry";

impl Run<'_> {
    /// Goes on with the plan that runs.
    pub(crate) async fn operate(&mut self) -> Phase<()> {
        let Stage::Running(running) = self.session.stage.clone() else { return Ok(()) };
        let plan = self.plan(running.plan).await?;
        let opened = self.opened(running.case).await?;
        let catalogue = self.catalogue().await?;
        let mut underway = Underway { running, plan, opened: &opened, catalogue: &catalogue };
        underway.running.halted = None;
        if underway.running.open.is_none() && self.scribe.turn.attempt() > 0 {
            underway.running.open = self.interrupted(&underway).await?;
        }
        match underway.running.open.clone() {
            Some(open) => self.look_again(underway, open).await,
            None => match underway.running.cancelled.clone() {
                Some(why) => self.called_off(underway.running, why).await,
                None => self.next_operation(underway).await,
            },
        }
    }

    /// The operation that an earlier attempt of this turn may have sent, by the journal.
    async fn interrupted(&self, underway: &Underway<'_>) -> Phase<Option<Open>> {
        let settled = &underway.running.trail.started;
        let mut open: BTreeMap<OperationKey, Open> = BTreeMap::new();
        for recorded in self.scribe.turn.journal(0).await? {
            let data = &recorded.entry.data;
            let Some(key) = data.get("key").and_then(|key| serde_json::from_value(key.clone()).ok()) else {
                continue;
            };
            match recorded.entry.kind.as_str() {
                "write.intent" => {
                    open.insert(key, self.intended(data).await?);
                }
                "write.outcome" => {
                    if let Some(open) = open.get_mut(&key) {
                        self.heard(open, data).await?;
                    }
                }
                "write.withheld" | "write.verified" => {
                    open.remove(&key);
                }
                _ => {}
            }
        }
        let keys: Vec<OperationKey> = underway.plan.keyed().map(|(_, key)| key).collect();
        open.retain(|key, _| keys.contains(key) && !settled.iter().any(|record| record.key == *key));
        Ok(open.into_values().next())
    }

    /// An operation by its intent in the journal.
    async fn intended(&self, data: &Value) -> Phase<Open> {
        Ok(Open {
            step: named(data, "step")?,
            headline: named(data, "headline")?,
            reply: Reply::Unknown,
            before: self.fetch("before", named(data, "before")?).await?,
            result: None,
            looks: 0,
            why: "the worker was interrupted after it had announced the operation".to_owned(),
            in_doubt: false,
        })
    }

    /// What its outcome in the journal adds.
    async fn heard(&self, open: &mut Open, data: &Value) -> Phase<()> {
        open.reply = named(data, "reply")?;
        open.why = named(data, "why")?;
        open.result = match named(data, "result")? {
            Some(hash) => Some(self.fetch("tool result", hash).await?),
            None => None,
        };
        Ok(())
    }

    async fn next_operation(&mut self, underway: Underway<'_>) -> Phase<()> {
        let approved = match self.permission(&underway)? {
            Ok(approved) => approved,
            Err(refused) => return self.permission_lost(underway, &refused).await,
        };
        match approved.next() {
            Next::Finished => self.plan_done(underway).await,
            Next::Stopped { step, outcome } => {
                let why = format!("`{step}` is {}", word(outcome));
                self.stop(underway, &why).await
            }
            Next::MissingResult { step } => {
                let why = format!("`{step}` needs a result that an earlier operation did not give");
                self.stop(underway, &why).await
            }
            Next::Run { step, arguments } => {
                let operation = underway.plan.operation(step).cloned();
                let Some(operation) = operation else {
                    return self.stop(underway, "an operation is gone").await;
                };
                if operation.effect == Effect::Notify && self.session.walk.state() == State::Mutate {
                    return self.writes_done(underway).await;
                }
                self.send(underway, approved, operation, arguments).await
            }
        }
    }

    /// The permission, made anew from the records.
    fn permission(&self, underway: &Underway<'_>) -> Phase<Result<ApprovedPlan, GrantRefused>> {
        let case = underway.opened.case()?;
        let approval_tools = approval_tools(underway.catalogue);
        let satisfied = self.satisfied(underway);
        let bench = Bench {
            opened: underway.opened,
            case: &case,
            settings: self.settings,
            mode: self.session.mode,
            next: underway.next_role()?,
            satisfied: &satisfied,
            approval_tools: &approval_tools,
        };
        let ruling = bench
            .rule(&underway.plan)
            .map_err(|error| TurnFailed::Unreadable { what: "plan", why: error.to_string() })?;
        let now = self.scribe.now();
        let directory = self.ports.directory.on(self.settings.day(now));
        let decisions = self.still_counting(&underway.running.decisions, underway.opened, &directory)?;
        let evidence = Evidence {
            ruling: &ruling,
            decisions: &decisions,
            requester: &self.session.requester,
            directory: &directory,
            standing: Standing::Open,
            started: &underway.running.trail.started,
            clock: ClockReading { now, high_water: self.session.high_water },
        };
        Ok(restore(underway.plan.clone(), &evidence))
    }

    /// Tools whose call was verified in this round.
    fn satisfied(&self, underway: &Underway<'_>) -> Vec<String> {
        let done = |key: &OperationKey| {
            let record = underway.running.trail.started.iter().find(|record| record.key == *key);
            record.is_some_and(|record| record.outcome == Outcome::Verified)
        };
        underway.plan.keyed().filter(|(_, key)| done(key)).map(|(one, _)| one.tool.to_string()).collect()
    }

    async fn send(
        &mut self,
        mut underway: Underway<'_>,
        mut approved: ApprovedPlan,
        operation: Operation,
        arguments: Values,
    ) -> Phase<()> {
        let Some(known) = underway.catalogue.get(&operation.tool).cloned() else {
            return self.stop(underway, &format!("there is no tool `{}`", operation.tool)).await;
        };
        if let Err(bad) = self.ports.tools.check(&known.definition, &arguments) {
            return self.stop(underway, &bad.to_string()).await;
        }
        if let Some(wait) = self.quiet(&operation) {
            self.session.stage = Stage::Running(underway.running);
            self.scribe.note("notice.held", json!({"step": operation.step, "quiet": operation.quiet}))?;
            return self.wake(RETRY, wait);
        }
        let results = results(&underway.plan, &underway.running.trail.started);
        let before = match look(&operation, &results, underway.catalogue, &self.reads()).await {
            Look::Seen(fields) => fields,
            Look::Nothing => BTreeMap::new(),
            // What cannot be seen before it is written cannot be verified after it. It waits, unsent.
            Look::Blind(why) => return self.put_off(underway, &operation, &why).await,
        };
        let again = Call::new(&known.tool, arguments);
        let pass = match gate(self.session.walk.position(), again, approved.grant(), self.scribe.now()) {
            Ok(pass) => pass,
            Err(refusal) => return self.stop(underway, &refusal.to_string()).await,
        };
        let open = Open {
            step: operation.step.clone(),
            headline: operation.headline(),
            reply: Reply::Unknown,
            before,
            result: None,
            looks: 0,
            why: "it was about to be sent".to_owned(),
            in_doubt: false,
        };
        self.intend(&pass, &open, "first").await?;
        if let Some(reason) = self.hindrance(&underway, &approved, &operation).await? {
            return self.withhold(underway, &operation, &pass, reason).await;
        }
        underway.running.open = Some(open);
        self.dispatch(underway, operation, &known, pass).await
    }

    /// Makes the intent durable. Nothing is sent before.
    async fn intend(&mut self, pass: &Pass, open: &Open, which: &str) -> Phase<()> {
        let Some(spent) = pass.operation() else { return Ok(()) };
        // The journal shows a redacted view; the exact bytes are blobs.
        let arguments = shown(pass.call().arguments());
        let (sent, before) = (self.keep("arguments", &arguments)?, self.keep("before", &open.before)?);
        self.scribe.note(
            "write.intent",
            json!({
                "step": spent.step, "key": spent.key, "plan": spent.plan, "attempt": which, "headline": open.headline,
                "tool": pass.call().tool(), "effect": pass.call().effect(),
                "arguments": arguments, "sent": sent, "before": before,
            }),
        )?;
        Ok(self.scribe.turn.durable().await?)
    }

    /// What has come up since: a halt, an expiry, a record that somebody else changed.
    async fn hindrance(
        &self,
        underway: &Underway<'_>,
        approved: &ApprovedPlan,
        operation: &Operation,
    ) -> Phase<Option<Hindrance>> {
        let process = underway.opened.file.name();
        if let Some(halt) = self.scribe.turn.halted(process).await? {
            let process = halt.process.as_deref().unwrap_or("all processes");
            return Ok(Some(Hindrance::Halted(format!(
                "{} halted {process}: {}",
                halt.by,
                cut(&halt.reason)
            ))));
        }
        if self.scribe.now() >= approved.expires_at() {
            return Ok(Some(Hindrance::Expired));
        }
        Ok(self.stale(underway, operation).await?.map(Hindrance::Stale))
    }

    /// Sends it, once, and takes down what came back.
    async fn dispatch(
        &mut self,
        mut underway: Underway<'_>,
        operation: Operation,
        known: &Known,
        pass: Pass,
    ) -> Phase<()> {
        let Some(spent) = pass.operation().cloned() else { return Ok(()) };
        let options = CallOptions { deadline: self.settings.tool_timeout, key: known.key.clone() };
        let called = self.ports.tools.call(&self.session.tools_at, pass, options).await;
        let (reply, why, result) = match &called {
            Called::Answered(value) => (Reply::Ok, "the tool said done".to_owned(), Some(value.clone())),
            Called::Refused { code, message } => {
                let code = code.as_deref().unwrap_or("error");
                (Reply::Error, format!("the tool said {code}: {}", cut(message)), None)
            }
            Called::NotSent { reason } => (Reply::Error, format!("it was not sent: {}", cut(reason)), None),
            Called::Lost { reason } => (Reply::Unknown, format!("no answer: {}", cut(reason)), None),
        };
        let kept = match &result {
            Some(result) => Some(self.keep("tool result", result)?),
            None => None,
        };
        self.scribe.note(
            "write.outcome",
            json!({"step": spent.step, "key": spent.key, "reply": reply, "why": why, "result": kept}),
        )?;
        self.scribe.turn.durable().await?;
        let transient = transient(&called);
        let before = underway.running.open.take().map(|open| open.before).unwrap_or_default();
        let open = Open {
            step: spent.step,
            headline: operation.headline(),
            reply,
            before,
            result,
            looks: 0,
            why,
            in_doubt: false,
        };
        if let Called::NotSent { reason } = &called {
            self.scribe
                .note("write.withheld", json!({"step": open.step, "key": spent.key, "why": cut(reason)}))?;
            return self.put_off(underway, &operation, reason).await;
        }
        self.verify(underway, operation, open, transient).await
    }

    async fn look_again(&mut self, underway: Underway<'_>, open: Open) -> Phase<()> {
        let Some(operation) = underway.plan.operation(&open.step).cloned() else {
            return self.stop(underway, "an operation is gone").await;
        };
        self.verify(underway, operation, open, Transient::No).await
    }

    /// Reads back, and decides from what is seen how the operation came out.
    async fn verify(
        &mut self,
        mut underway: Underway<'_>,
        operation: Operation,
        mut open: Open,
        transient: Transient,
    ) -> Phase<()> {
        let mut known = results(&underway.plan, &underway.running.trail.started);
        known.extend(open.result.as_ref().and_then(result_of).map(|result| (operation.step.clone(), result)));
        let seen = look(&operation, &known, underway.catalogue, &self.reads()).await;
        let told_before = compare(&operation, &known, &open.before, &open.before) == Compared::Equal;
        let (found, after) = match seen {
            Look::Nothing => (Found::Untold, BTreeMap::new()),
            Look::Blind(why) => {
                open.why = format!("it cannot be read back: {}", cut(&why));
                (Found::Blind, BTreeMap::new())
            }
            Look::Seen(fields) => {
                let compared = compare(&operation, &known, &open.before, &fields);
                let found = match compared {
                    Compared::Equal if told_before => Found::Untold,
                    Compared::Equal => Found::Equal,
                    Compared::Unchanged => Found::Unchanged,
                    Compared::Different => Found::Different,
                };
                (found, fields)
            }
        };
        match self.ruled(&operation, &open, found) {
            Then::Settled(Outcome::Absent) if transient == Transient::Yes => {
                let why = open.why.clone();
                let key = underway.key(&operation.step);
                self.scribe
                    .note("write.withheld", json!({"step": operation.step, "key": key, "why": why}))?;
                underway.running.open = None;
                self.put_off(underway, &operation, &why).await
            }
            Then::Settled(outcome) => self.settled(underway, &operation, open, outcome, after, None).await,
            Then::Resend => Box::pin(self.send_again(underway, operation, open, after)).await,
            Then::LookAgain { after: wait, in_doubt } => {
                open.looks = open.looks.saturating_add(1);
                if in_doubt && !open.in_doubt {
                    open.in_doubt = true;
                    let key = underway.key(&operation.step);
                    self.scribe.note(
                        "write.in_doubt",
                        json!({"step": operation.step, "key": key, "why": open.why, "seen": after}),
                    )?;
                }
                underway.running.open = Some(open);
                self.session.stage = Stage::Running(underway.running);
                match wait {
                    Some(wait) => self.wake(LOOK, wait),
                    None => Ok(()),
                }
            }
        }
    }

    /// The table of what a look means.
    fn ruled(&self, operation: &Operation, open: &Open, found: Found) -> Then {
        let within = &self.settings.look_within;
        let later = &self.settings.look_later;
        let looks = open.looks as usize;
        let wait = within.get(looks).copied();
        let long = looks.checked_sub(within.len()).and_then(|looks| later.get(looks)).copied();
        let again = |in_doubt: bool| match (wait, long) {
            (Some(wait), _) => Then::LookAgain { after: Some(wait), in_doubt: false },
            (None, long) => Then::LookAgain { after: long, in_doubt },
        };
        let over = wait.is_none() && long.is_none();
        match (found, open.reply) {
            (Found::Equal, Reply::Ok | Reply::Error | Reply::Unknown) => Then::Settled(Outcome::Verified),
            (Found::Untold, Reply::Ok) => Then::Settled(Outcome::Unverifiable),
            (Found::Untold, Reply::Error) => Then::Settled(Outcome::Absent),
            (Found::Untold, Reply::Unknown) => Then::LookAgain { after: None, in_doubt: true },
            (Found::Blind, Reply::Ok | Reply::Error | Reply::Unknown) => again(true),
            (Found::Unchanged, Reply::Error) => Then::Settled(Outcome::Absent),
            // It said done and there is no trace: late, until the last look; then it is a mismatch.
            (Found::Unchanged, Reply::Ok) if over => Then::Settled(Outcome::Mismatch),
            (Found::Unchanged, Reply::Unknown) if wait.is_none() && operation.repeat == Repeat::ByKey => {
                Then::Resend
            }
            (Found::Unchanged, Reply::Ok | Reply::Unknown) => again(true),
            (Found::Different, Reply::Ok | Reply::Error | Reply::Unknown) => match wait {
                Some(wait) => Then::LookAgain { after: Some(wait), in_doubt: false },
                None => Then::Settled(Outcome::Mismatch),
            },
        }
    }

    /// Sends once more what left no trace, to a target that does it once per key.
    pub(crate) async fn send_again(
        &mut self,
        mut underway: Underway<'_>,
        operation: Operation,
        open: Open,
        seen: BTreeMap<String, Value>,
    ) -> Phase<()> {
        let Some(key) = underway.key(&operation.step) else {
            return self.stop(underway, "an operation is gone").await;
        };
        underway.settle(Started { key, outcome: Outcome::Absent, result: None });
        let mut approved = match self.permission(&underway)? {
            Ok(approved) => approved,
            Err(refused) => {
                let note = format!("it left no trace, and may not be sent again: {refused}");
                return self.settled(underway, &operation, open, Outcome::Absent, seen, Some(note)).await;
            }
        };
        let Some(known) = underway.catalogue.get(&operation.tool).cloned() else {
            return self.stop(underway, &format!("there is no tool `{}`", operation.tool)).await;
        };
        let at = self.session.walk.position();
        let pass = match resend(at, &operation.step, &known.tool, approved.grant(), self.scribe.now()) {
            Ok(pass) => pass,
            Err(refusal) => {
                let note = refusal.to_string();
                return self.settled(underway, &operation, open, Outcome::Absent, seen, Some(note)).await;
            }
        };
        underway.running.trail.started.retain(|record| record.key != key);
        self.intend(&pass, &open, "again, by key").await?;
        if let Some(reason) = self.hindrance(&underway, &approved, &operation).await? {
            return self.withhold(underway, &operation, &pass, reason).await;
        }
        underway.running.open = Some(Open { looks: 0, in_doubt: false, ..open });
        self.dispatch(underway, operation, &known, pass).await
    }

    /// Takes down how an operation came out, and goes on or stops.
    pub(crate) async fn settled(
        &mut self,
        mut underway: Underway<'_>,
        operation: &Operation,
        open: Open,
        outcome: Outcome,
        after: BTreeMap<String, Value>,
        note: Option<String>,
    ) -> Phase<()> {
        let Some(key) = underway.key(&operation.step) else {
            return self.stop(underway, "an operation is gone").await;
        };
        let note =
            note.or_else(|| (open.reply != Reply::Ok || !outcome.lets_go_on()).then(|| open.why.clone()));
        self.scribe.note(
            "write.verified",
            json!({
                "step": operation.step, "key": key, "tool": operation.tool, "headline": operation.headline(),
                "effect": operation.effect, "before": open.before, "after": after, "outcome": outcome,
                "note": note, "reversible": operation.undo.is_some(), "round": self.session.walk.round(),
            }),
        )?;
        let wanted = underway.referred_to(&operation.step);
        let result = open.result.as_ref().filter(|_| wanted).and_then(result_of);
        underway.settle(Started { key, outcome, result });
        underway.running.open = None;
        underway.running.put_off = 0;
        if outcome == Outcome::Mismatch {
            self.incident(
                "a read-back does not show what was written",
                json!({"step": operation.step, "headline": operation.headline(), "before": open.before, "after": after}),
            )?;
        }
        self.session.stage = Stage::Running(underway.running);
        self.go_on()
    }

    /// All writes of this plan are done: the next plan is asked, or people are told, or it is over.
    async fn plan_done(&mut self, underway: Underway<'_>) -> Phase<()> {
        match self.session.walk.state() {
            State::Mutate => self.writes_done(underway).await,
            State::ScheduleNotify => {
                self.look_at_results(underway.opened, underway.catalogue).await?;
                self.step(Fact::Notified)?;
                self.close_running(underway.running).await
            }
            _ => self.close_running(underway.running).await,
        }
    }

    async fn writes_done(&mut self, mut underway: Underway<'_>) -> Phase<()> {
        if !underway.running.trail.to_ask.is_empty() {
            let next = underway.running.trail.to_ask.remove(0);
            return self.reopen(underway.running, underway.opened, underway.catalogue, next).await;
        }
        self.look_at_results(underway.opened, underway.catalogue).await?;
        let mut ran = Vec::new();
        for hash in &underway.running.trail.permitted {
            ran.push(Ran::new(&self.plan(*hash).await?, &underway.running.trail.started));
        }
        self.step(Fact::Applied(&ran))?;
        if self.session.walk.state() == State::ScheduleNotify {
            self.session.stage = Stage::Running(underway.running);
            return self.go_on();
        }
        self.close_running(underway.running).await
    }

    /// Nothing more runs; a person takes over.
    pub(crate) async fn stop(&mut self, underway: Underway<'_>, why: &str) -> Phase<()> {
        self.scribe.note("run.stopped", json!({"why": cut(why)}))?;
        self.step(Fact::Escalated)?;
        self.end_running(underway.running, Some(why.to_owned())).await
    }
}

/// Why an operation is not sent after all.
pub(crate) enum Hindrance {
    Halted(String),
    Expired,
    Stale(String),
}

/// What a look showed, for the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Equal,
    Unchanged,
    Different,
    Blind,
    /// It cannot be told: there is no read-back, or it looked so before.
    Untold,
}

enum Then {
    Settled(Outcome),
    Resend,
    LookAgain { after: Option<Duration>, in_doubt: bool },
}

/// Whether a refusal only means "not now".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transient {
    Yes,
    No,
}

fn transient(called: &Called) -> Transient {
    match called {
        Called::Refused { code: Some(code), .. }
            if matches!(code.as_str(), "RATE_LIMITED" | "RATE_LIMIT" | "429") =>
        {
            Transient::Yes
        }
        Called::Answered(_) | Called::Refused { .. } | Called::NotSent { .. } | Called::Lost { .. } => {
            Transient::No
        }
    }
}

pub(crate) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::InDoubt => "in doubt",
        Outcome::Verified => "verified",
        Outcome::Unverifiable => "done, and cannot be read back",
        Outcome::Mismatch => "not as it should be",
        Outcome::Absent => "not done",
    }
}

impl Underway<'_> {
    pub(crate) fn key(&self, step: &StepId) -> Option<OperationKey> {
        self.plan.keyed().find(|(operation, _)| operation.step == *step).map(|(_, key)| key)
    }

    fn settle(&mut self, record: Started) {
        self.running.trail.started.retain(|old| old.key != record.key);
        self.running.trail.started.push(record);
    }

    fn referred_to(&self, step: &StepId) -> bool {
        let refers = |arguments: &purple_process::Arguments| {
            arguments
                .values()
                .filter_map(|argument| argument.reference())
                .any(|reference| reference.step == *step)
        };
        self.plan.operations().iter().any(|operation| {
            let check = match &operation.check {
                purple_process::Check::ReadBack { arguments, expect, .. } => {
                    refers(arguments) || refers(expect)
                }
                purple_process::Check::Unverifiable => false,
            };
            check
                || refers(&operation.arguments)
                || operation.undo.as_ref().is_some_and(|undo| refers(&undo.arguments))
        })
    }

    fn next_role(&self) -> Phase<Option<&purple_process::Role>> {
        let task = self.opened.task()?;
        Ok(if self.running.next_asked { task.approval().then.as_ref() } else { None })
    }
}

/// A field of a journal entry.
fn named<T: serde::de::DeserializeOwned>(data: &Value, name: &str) -> Phase<T> {
    let value = data.get(name).cloned().unwrap_or(Value::Null);
    serde_json::from_value(value)
        .map_err(|error| TurnFailed::Unreadable { what: "journal", why: format!("`{name}`: {error}") })
}
