//! Sends one operation: the intent is made durable, what has come up since is looked at, then one call goes out.

use std::collections::BTreeMap;

use purple_journal::record::write;
use purple_journal::word::Attempt;
use purple_journal::{Redacted, RedactedJson};
use purple_process::{
    ApprovedPlan, Call, Check, Earlier, Effect, Operation, Outcome, Pass, PersonId, Started, Values, gate,
    resend,
};
use serde_json::Value;

use crate::execute::call::{brief, call_result, cut, said, shown};
use crate::execute::catalogue::Known;
use crate::execute::channel::said_by_tool;
use crate::execute::hold::Hindrance;
use crate::execute::masked::refusal;
use crate::execute::operate::{RETRY, Underway};
use crate::execute::outcome::{Window, window};
use crate::execute::quarantine::Cleared;
use crate::execute::rule::to_serde;
use crate::execute::settle::{Shown, pruned};
use crate::execute::verify::{Compared, Look, compare, look, made_by_itself, results};
use crate::observe::id_inside;
use crate::port::{Answers, CallOptions, Called};
use crate::run::{Phase, Run};
use crate::session::{Open, Reply, Stage};
use crate::view::Witness;

/// Who wants an operation to be sent once more.
pub(crate) enum Asked {
    /// A look that found no trace of it.
    ByLook,
    /// A person, who says that it was not done.
    ByPerson(PersonId),
}

impl Run<'_> {
    pub(crate) async fn send(
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
        match self.reads().cleared(&known).await {
            Cleared::Yes => {}
            Cleared::Quarantined(why) => {
                let why = format!("`{}` is quarantined: {why}", known.name());
                return self.stop(underway, &why).await;
            }
            // What is sent must be what was approved, and nobody can say so at the moment. It waits, unsent.
            Cleared::Unknown(why) => return self.put_off(underway, &operation, &why).await,
        }
        if let Some(why) = self.halted(&underway).await? {
            return self.stand_still(underway, why);
        }
        if let Some(wait) = self.quiet(&operation) {
            self.session.stage = Stage::Running(underway.running);
            let quiet = operation.quiet.as_ref().map(Redacted::of);
            self.scribe.note(write::NoticeHeld { step: operation.step.clone(), quiet })?;
            return self.wake(RETRY, wait);
        }
        let before = match self.stands(&underway, &operation).await {
            Ok(before) => before,
            // What cannot be seen before it is written cannot be verified after it. It waits, unsent.
            Err(why) => return self.put_off(underway, &operation, &why).await,
        };
        if let Some(stands) = self.came_late(&underway, &operation, before.as_ref()) {
            return self.adopt(underway, &operation, stands).await;
        }
        let again = Call::new(&known.tool, arguments);
        let pass = match gate(self.session.walk.position(), again, approved.grant(), self.scribe.now()) {
            Ok(pass) => pass,
            Err(refusal) => return self.stop(underway, &refusal.to_string()).await,
        };
        let open = Open {
            step: operation.step.clone(),
            headline: operation.headline(),
            reply: Reply::Unknown,
            before: self.keep("before", &before)?,
            result: None,
            asked: None,
            looks: 0,
            why: "it was about to be sent".to_owned(),
            in_doubt: false,
        };
        self.intend(&pass, &open, Attempt::First).await?;
        if let Some(reason) = self.hindrance(&underway, &approved, &operation).await? {
            return self.withhold(underway, &operation, &pass, reason).await;
        }
        underway.running.open = Some(open);
        self.dispatch(underway, operation, &known, pass, Attempt::First).await
    }

    /// The checked fields as they stand now, before the operation; `None` where a read that nobody declared is refused
    /// for good: that keeps nothing from being done.
    async fn stands(
        &self,
        underway: &Underway<'_>,
        operation: &Operation,
    ) -> Result<Option<BTreeMap<String, Value>>, String> {
        // What is found only by a name that the operation itself gives is not there before it.
        if made_by_itself(operation) {
            return Ok(Some(BTreeMap::new()));
        }
        let results = results(&underway.plan, &underway.running.trail.started);
        match look(operation, &results, underway.catalogue, &self.reads()).await {
            Look::Seen(fields) => Ok(Some(fields)),
            Look::Nothing => Ok(Some(BTreeMap::new())),
            Look::Denied(_) if matches!(operation.check, Check::Observed { .. }) => Ok(None),
            Look::Blind(why) | Look::Denied(why) => Err(why),
        }
    }

    /// What stands there now, where an operation that was sent before and had left no trace turns out to be done.
    fn came_late(
        &self,
        underway: &Underway<'_>,
        operation: &Operation,
        stands: Option<&BTreeMap<String, Value>>,
    ) -> Option<BTreeMap<String, Value>> {
        let was = operation.done_before.as_ref().map(|before| before.was);
        let stands = stands.filter(|_| was == Some(Earlier::Untraced))?;
        let results = results(&underway.plan, &underway.running.trail.started);
        let compared = compare(operation, &results, stands, stands);
        (compared == Compared::EqualBefore).then(|| stands.clone())
    }

    /// Takes down that the first sending has come after all. It is not sent again.
    async fn adopt(
        &mut self,
        underway: Underway<'_>,
        operation: &Operation,
        stands: BTreeMap<String, Value>,
    ) -> Phase<()> {
        let why = "the first sending came late; it was not sent again";
        let open = Open {
            step: operation.step.clone(),
            headline: operation.headline(),
            reply: Reply::Unknown,
            before: self.keep("before", &Some(&stands))?,
            result: None,
            asked: None,
            looks: 0,
            why: why.to_owned(),
            in_doubt: false,
        };
        let shown = Shown { after: stands, note: Some(why.to_owned()), witness: Witness::ReadBack };
        self.settled(underway, operation, open, Outcome::Verified, shown).await
    }

    /// Makes the intent durable. Nothing is sent before.
    async fn intend(&mut self, pass: &Pass, open: &Open, attempt: Attempt) -> Phase<()> {
        let Some(spent) = pass.operation().cloned() else { return Ok(()) };
        // The journal shows a redacted view; the exact bytes are blobs.
        let sent = self.keep("arguments", &shown(pass.call().arguments()))?;
        let fields: BTreeMap<String, Value> =
            pass.call().arguments().iter().map(|(name, value)| (name.clone(), to_serde(value))).collect();
        self.scribe.note(write::Intent {
            step: spent.step,
            key: spent.key,
            plan: spent.plan,
            attempt,
            headline: Redacted::of(&open.headline),
            tool: Redacted::of(pass.call().tool()),
            effect: pass.call().effect(),
            arguments: RedactedJson::from_value(brief(&fields)),
            sent,
            before: open.before,
        })?;
        Ok(self.scribe.turn.durable().await?)
    }

    /// What has come up since: a record that somebody else changed, an expiry, a halt.
    ///
    /// The halt is asked for last, because the reads before it take time.
    async fn hindrance(
        &self,
        underway: &Underway<'_>,
        approved: &ApprovedPlan,
        operation: &Operation,
    ) -> Phase<Option<Hindrance>> {
        if let Some(why) = self.stale(underway, operation).await? {
            return Ok(Some(Hindrance::Stale(why)));
        }
        if self.scribe.now() >= approved.expires_at() {
            return Ok(Some(Hindrance::Expired));
        }
        Ok(self.halted(underway).await?.map(Hindrance::Halted))
    }

    /// Sends it, once, and takes down what came back.
    async fn dispatch(
        &mut self,
        mut underway: Underway<'_>,
        operation: Operation,
        known: &Known,
        pass: Pass,
        attempt: Attempt,
    ) -> Phase<()> {
        let Some(spent) = pass.operation().cloned() else { return Ok(()) };
        let inquiry = underway.running.inquiry.as_ref().filter(|inquiry| inquiry.step == spent.step);
        let answers = match inquiry.and_then(|inquiry| inquiry.answers) {
            Some(hash) => Some(self.fetch::<Answers>("answers", hash).await?),
            None => None,
        };
        let options = CallOptions { answers, ..self.settings.options(known) };
        let called = self.ports.tools.call(&self.session.tools_at, pass, options).await;
        let called = match operation.effect {
            // What somebody answered is read as an answer.
            Effect::Approval => called,
            Effect::Read | Effect::Compute | Effect::Write | Effect::Notify => refusal(called),
        };
        let called = match self.reads().misfit(known, &called) {
            // It may well be done; only the answer says nothing that can be relied on.
            Some(reason) => Called::Lost { reason: reason.into() },
            None => called,
        };
        let (reply, why) = heard(&called, attempt, operation.effect);
        let call_result = call_result(&self.scribe, &called);
        let (result, asked) = match called {
            Called::Answered(value) => (Some(value.into_work()), None),
            Called::Asked(asked) => (None, Some(self.keep("question", &asked)?)),
            Called::Refused { .. } | Called::NotSent { .. } | Called::Lost { .. } => (None, None),
        };
        let kept = match &result {
            Some(result) => Some(self.keep("tool result", result)?),
            None => None,
        };
        self.scribe.note(write::CallEnded {
            step: spent.step.clone(),
            key: spent.key,
            reply,
            why: Redacted::of(&why),
            result: kept,
            called: call_result,
        })?;
        let Some(reply) = reply else {
            // In the same commit as the outcome, so that nobody takes it for unknown.
            let (step, key) = (spent.step.clone(), Some(spent.key));
            self.scribe.note(write::Withheld { step, key, why: Redacted::of(&why) })?;
            self.scribe.turn.durable().await?;
            return self.put_off(underway, &operation, &why).await;
        };
        self.scribe.turn.durable().await?;
        let Some(announced) = underway.running.open.take() else { return Ok(()) };
        let result = result.as_ref().map(|value| named_inside(value, &operation));
        let result = result.as_ref().and_then(|value| pruned(value, &underway.referred_to(&spent.step)));
        let open = Open { reply, result, asked, why, ..announced };
        self.verify(underway, operation, open).await
    }

    /// Sends once more what left no trace, to a target that does it once per key.
    pub(crate) async fn send_again(
        &mut self,
        mut underway: Underway<'_>,
        operation: Operation,
        open: Open,
        asked: Asked,
    ) -> Phase<()> {
        let Some(key) = underway.key(&operation.step) else {
            return self.stop(underway, "an operation is gone").await;
        };
        let Some(known) = underway.catalogue.get(&operation.tool).cloned() else {
            return self.stop(underway, &format!("there is no tool `{}`", operation.tool)).await;
        };
        // For the gate it left no trace; whatever comes of that, it is not settled so.
        underway.settle(Started { key, outcome: Outcome::Absent, result: None });
        let approved = self.permission(&underway).await?;
        underway.running.trail.started.retain(|record| record.key != key);
        let mut approved = match approved {
            Ok(approved) => approved,
            Err(refused) => {
                return self.not_again(underway, &operation, open, asked, &refused.to_string()).await;
            }
        };
        let at = self.session.walk.position();
        let pass = match resend(at, &operation.step, &known.tool, approved.grant(), self.scribe.now()) {
            Ok(pass) => pass,
            Err(refusal) => {
                return self.not_again(underway, &operation, open, asked, &refusal.to_string()).await;
            }
        };
        underway.running.open = Some(open.clone());
        self.intend(&pass, &open, Attempt::Again).await?;
        if let Some(hindrance) = self.hindrance(&underway, &approved, &operation).await? {
            let why = hindrance.why();
            let (step, reason) = (operation.step.clone(), Redacted::of(&why));
            self.scribe.note(write::Withheld { step, key: Some(key), why: reason })?;
            return match hindrance {
                Hindrance::Halted(why) => {
                    underway.running.open = Some(Open { in_doubt: false, ..open });
                    self.stand_still(underway, why)
                }
                Hindrance::Stale(_) | Hindrance::Expired => {
                    self.not_again(underway, &operation, open, asked, &why).await
                }
            };
        }
        underway.running.open = Some(Open { looks: 0, in_doubt: false, ..open });
        self.dispatch(underway, operation, &known, pass, Attempt::Again).await
    }

    /// It may not be sent again. Whether the first sending has an effect stays open, unless a person has said so.
    async fn not_again(
        &mut self,
        underway: Underway<'_>,
        operation: &Operation,
        open: Open,
        asked: Asked,
        why: &str,
    ) -> Phase<()> {
        let why = cut(why);
        match asked {
            Asked::ByPerson(by) => {
                let note = format!("{by} says that it was not done; it was not sent again: {why}");
                self.offer_again(underway, operation, open, Shown::by(&by, note)).await
            }
            Asked::ByLook => {
                let why = format!("it left no trace so far, and may not be sent again: {why}");
                let wait = match window(open.looks, &self.settings.look_within, &self.settings.look_later) {
                    Window::Open(wait) | Window::Long(wait) => Some(wait),
                    Window::Over => None,
                };
                self.doubt(underway, operation, Open { why, ..open }, BTreeMap::new(), wait).await
            }
        }
    }
}

/// The answer with the ids by which a read that nobody declared finds what was made, wherever the answer has them.
fn named_inside(answer: &Value, operation: &Operation) -> Value {
    let mut told = answer.clone();
    let Check::Observed { arguments, .. } = &operation.check else { return told };
    let own = arguments.values().filter_map(|argument| argument.reference());
    for reference in own.filter(|reference| reference.step == operation.step) {
        let id = id_inside(answer, &reference.field);
        if let (Some(fields), Some(id)) = (told.as_object_mut(), id) {
            fields.entry(reference.field.clone()).or_insert(id);
        }
    }
    told
}

/// What the tool said; nothing, if it was certainly not sent at all.
fn heard(called: &Called, attempt: Attempt, effect: Effect) -> (Option<Reply>, String) {
    match (called, attempt) {
        // Nothing that waits for an answer goes on without a clear yes.
        (Called::Answered(value), _) if effect == Effect::Approval => match said_by_tool(value.for_work()) {
            Some((true, _)) => (Some(Reply::Ok), "the answer is yes".to_owned()),
            Some((false, _)) => (Some(Reply::Error), "the answer is no".to_owned()),
            None => (Some(Reply::Error), "there is no clear answer".to_owned()),
        },
        (Called::Answered(_), _) => (Some(Reply::Ok), "the tool said done".to_owned()),
        (Called::Refused { code, message }, _) => {
            let code = code.clone().unwrap_or_else(|| "error".into());
            let reply = match code.for_work().as_str() {
                "RATE_LIMITED" | "RATE_LIMIT" | "429" => Reply::NotNow,
                _ => Reply::Error,
            };
            (Some(reply), format!("the tool said {}: {}", said(&code), said(message)))
        }
        (Called::Asked(_), _) => (Some(Reply::Asks), "the tool wants to know something first".to_owned()),
        (Called::NotSent { reason }, Attempt::First) => (None, format!("it was not sent: {}", said(reason))),
        // That the second one was not sent says nothing about the first one.
        (Called::NotSent { reason }, Attempt::Again) => {
            (Some(Reply::Unknown), format!("it could not be sent again: {}", said(reason)))
        }
        (Called::Lost { reason }, _) => (Some(Reply::Unknown), format!("no answer: {}", said(reason))),
    }
}
