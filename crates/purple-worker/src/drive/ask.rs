//! One question to a model: within the budget, announced before it is sent, its reply kept before anything follows.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use jiff::Timestamp;
use purple_journal::record::model::{self, Model as ModelRecord};
use purple_journal::word::{self, Finish, UnknownCost};
use purple_journal::{Record, Redacted, RedactedJson};
use purple_process::{Digest, State, Tier as StateTier};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::drive::budget::{Budget, Stakes, Tier};
use crate::drive::memo::{Drive, OtherModel};
use crate::drive::outgoing::Prompt;
use crate::execute::call::cut;
use crate::port::{
    BlobHash, Clock, EngineError, FinishReason, Model, ModelError, ModelReply, ModelRequest, Pause, Purpose,
    StepFailed, TurnFailed, Usage,
};
use crate::run::{Phase, Run};

/// The timer that asks a model again.
pub(crate) const MODEL_TIMER: &str = "model";
/// What the names of steps that ask a model begin with.
pub(crate) const STEP: &str = "model:";

/// Words that make a task analytical: somebody must think, not only look up.
const ANALYTICAL: [&str; 6] = ["reconcil", "root cause", "diagnos", "forecast", "synthesi", "correlat"];

/// What came of a question.
pub(crate) enum Heard {
    Reply(ModelReply, Duration),
    /// Nobody was asked: nothing may be spent any more.
    Spent(String),
    /// A reply that cannot be read. Another one may be better.
    Garbage(ModelError),
    /// No reply now; later there may be one.
    Down(ModelError),
    /// No reply, now or later.
    Never(ModelError),
}

/// How long a reply is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// As long as the operator says.
    Full,
    /// At most this long.
    AtMost(Duration),
    /// At most this long, and not where something else is waiting for this session.
    Aside(Duration),
}

/// A kept reply, as a step remembers it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptReply {
    pub reply: BlobHash,
    pub took_ms: u64,
    /// What it cost, in tokens. Counted once: a repetition without the same past cases would count otherwise.
    pub cost: u64,
}

/// Who is asked in a state, and what depends on it.
pub(crate) fn wanted(state: State, task: &str) -> (Tier, Stakes) {
    let lower = task.to_lowercase();
    let stakes = if state == State::Mutate { Stakes::Writes } else { Stakes::Ordinary };
    let tier = match state.row().tier {
        StateTier::Strong => Tier::Strong,
        StateTier::StrongIfAnalytical if ANALYTICAL.iter().any(|word| lower.contains(word)) => Tier::Strong,
        StateTier::StrongIfAnalytical | StateTier::None | StateTier::Fast | StateTier::FastForANote => {
            Tier::Fast
        }
    };
    (tier, stakes)
}

impl Run<'_> {
    /// Asks a model once. Its reply is on record before anybody acts on it.
    pub(crate) async fn ask_model(
        &self,
        drive: &mut Drive,
        request: ModelRequest,
        who: (Tier, Stakes),
    ) -> Phase<Heard> {
        self.ask_patiently(drive, request, who, Patience::Full).await
    }

    /// The same, and no longer than that is worth.
    pub(crate) async fn ask_patiently(
        &self,
        drive: &mut Drive,
        request: ModelRequest,
        (wanted, stakes): (Tier, Stakes),
        patience: Patience,
    ) -> Phase<Heard> {
        let Some(models) = &self.ports.models else {
            return Ok(Heard::Spent("no language model is configured".to_owned()));
        };
        let Some((tier, request)) = allowed(drive, request, wanted, stakes) else {
            return Ok(Heard::Spent(spent(drive)));
        };
        let request = Prompt::of(request);
        let (model, name) = match tier {
            Tier::Fast => (&*models.fast, &models.fast_name),
            Tier::Strong => (&*models.strong, &models.strong_name),
        };
        let number = drive.calls;
        self.count_lost(drive, &request).await?;
        drive.calls = drive.calls.saturating_add(1);
        drive.calls_left = drive.calls_left.saturating_sub(1);
        let state = self.session.walk.state();
        self.scribe.note(model::Asked {
            call: number,
            state,
            purpose: noted_purpose(request.purpose),
            tier,
            model: Redacted::of(name),
            messages: request.messages.len(),
            tools: Redacted::all(request.tools.iter().map(|tool| &tool.name)),
            output_tokens_max: request.output_tokens_max,
        })?;
        // So that a call that is lost with the process is known to have been made.
        self.scribe.turn.durable().await?;
        let step = step_name(number, &request)?;
        let fresh = Mutex::new(None);
        let work = Box::pin(self.complete((model, patience), &request, (&drive.budget, &fresh)));
        match self.scribe.turn.step(&step, work).await {
            Ok(kept) => {
                // What this attempt has kept, no reader has yet.
                let fresh = fresh.into_inner().unwrap_or_else(PoisonError::into_inner);
                self.replied(drive, &request, (number, tier, name), (kept, fresh)).await
            }
            Err(EngineError::Step { cause, .. }) => self.failed(number, tier, &cause.reason),
            Err(other) => Err(other.into()),
        }
    }

    /// The call itself, inside a step: its reply is a blob, and the step names it.
    async fn complete(
        &self,
        (model, patience): (&dyn Model, Patience),
        request: &Prompt,
        (budget, fresh): (&Budget, &Mutex<Option<ModelReply>>),
    ) -> Result<Value, StepFailed> {
        let began = self.ports.clock.now();
        let full = self.settings.model_limits.call_deadline;
        let deadline = match patience {
            Patience::Full => full,
            Patience::AtMost(limit) | Patience::Aside(limit) => full.min(limit),
        };
        let reply = within(model, request, (&*self.ports.clock, &*self.ports.pause), deadline);
        let reply = match patience {
            Patience::Full | Patience::AtMost(_) => reply.await,
            Patience::Aside(_) => unless(reply, self.scribe.turn.others_wait()).await,
        };
        let reply = reply.map_err(|error| StepFailed { reason: json!(error).to_string() })?;
        let took = self.ports.clock.now().duration_since(began).as_millis();
        let failed = |reason: String| StepFailed { reason };
        let bytes = serde_json::to_vec(&reply).map_err(|error| failed(error.to_string()))?;
        let hash = self.scribe.turn.keep(bytes).map_err(|error| failed(error.to_string()))?;
        let cost = budget.clone().count(request, &reply);
        *fresh.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
        let kept = KeptReply { reply: hash, took_ms: u64::try_from(took).unwrap_or(0), cost };
        serde_json::to_value(kept).map_err(|error| failed(error.to_string()))
    }

    async fn replied(
        &self,
        drive: &mut Drive,
        request: &ModelRequest,
        (number, tier, name): (u32, Tier, &str),
        (kept, fresh): (Value, Option<ModelReply>),
    ) -> Phase<Heard> {
        let unreadable = |why: String| TurnFailed::Unreadable { what: "model reply", why };
        let KeptReply { reply: hash, took_ms, cost } =
            serde_json::from_value(kept).map_err(|error| unreadable(error.to_string()))?;
        let reply: ModelReply = match fresh {
            Some(reply) => reply,
            None => self.fetch("model reply", hash).await?,
        };
        drive.budget.count_at(request, &reply, cost);
        drive.took_ms = drive.took_ms.saturating_add(took_ms);
        let model = reply.model.as_deref().map_or_else(|| name.to_owned(), cut);
        let other = reply.model.as_deref().and_then(|_| OtherModel::of(name, &model));
        self.scribe.note(model::Replied {
            call: number,
            state: self.session.walk.state(),
            tier,
            model: Redacted::of(&model),
            reply: hash,
            usage: reply.usage.map(noted_usage),
            cost,
            spent: drive.budget.spent(),
            finish: noted_finish(&reply.finish),
            calls: reply.calls.len(),
            took_ms,
        })?;
        if let Some(other) = other.filter(|other| !drive.others.contains(other)) {
            let (asked, answered) = (Redacted::of(&other.asked), Redacted::of(&other.answered));
            self.scribe.note(model::Other { call: number, tier, asked, answered })?;
            drive.others.push(other);
        }
        Ok(Heard::Reply(reply, Duration::from_millis(took_ms)))
    }

    fn failed(&self, number: u32, tier: Tier, reason: &str) -> Phase<Heard> {
        let error: ModelError = serde_json::from_str(reason)
            .map_err(|error| TurnFailed::Unreadable { what: "model error", why: error.to_string() })?;
        let state = self.session.walk.state();
        self.scribe.note(model::Failed { call: number, state, tier, error: RedactedJson::of(&error) })?;
        Ok(match error {
            ModelError::Unreadable { .. } => Heard::Garbage(error),
            error if may_come_back(&error) => Heard::Down(error),
            error => Heard::Never(error),
        })
    }

    /// A call that an earlier attempt of this turn made and that nobody heard the reply of: its cost is not known, and
    /// counts at least what was sent.
    async fn count_lost(&self, drive: &mut Drive, request: &ModelRequest) -> Phase<()> {
        if self.scribe.turn.attempt() == 0 {
            return Ok(());
        }
        let mut open = 0_u32;
        for recorded in self.scribe.journal().await? {
            let Record::Model(record) = recorded.record() else { continue };
            match call_of(record) {
                Some((call, ModelCall::Asked)) if call == drive.calls => open = open.saturating_add(1),
                Some((call, ModelCall::Ended)) if call == drive.calls => open = open.saturating_sub(1),
                Some(_) | None => {}
            }
        }
        for _ in 0..open {
            let at_least = drive.budget.lose(request);
            self.scribe.note(model::Lost { call: drive.calls, cost: UnknownCost::Unknown, at_least })?;
        }
        Ok(())
    }
}

/// What a record states about a call of a model.
enum ModelCall {
    Asked,
    Ended,
}

/// The number of the call that a record is about, and what it states about it.
fn call_of(record: &ModelRecord) -> Option<(u32, ModelCall)> {
    Some(match record {
        ModelRecord::Asked(asked) => (asked.call, ModelCall::Asked),
        ModelRecord::Replied(replied) => (replied.call, ModelCall::Ended),
        ModelRecord::Failed(failed) => (failed.call, ModelCall::Ended),
        ModelRecord::Lost(lost) => (lost.call, ModelCall::Ended),
        ModelRecord::Other(_)
        | ModelRecord::Refused(_)
        | ModelRecord::LoopRefused(_)
        | ModelRecord::Halted(_)
        | ModelRecord::Fallback(_)
        | ModelRecord::Spent(_)
        | ModelRecord::Waiting(_)
        | ModelRecord::Wants(_)
        | ModelRecord::Found(_)
        | ModelRecord::Computed(_)
        | ModelRecord::Proposed(_)
        | ModelRecord::Note(_)
        | ModelRecord::AuditPassed(_)
        | ModelRecord::AuditFailed(_)
        | ModelRecord::AuditDoubted(_)
        | ModelRecord::AnswersCompared(_)
        | ModelRecord::FiguresCompared(_)
        | ModelRecord::AnswerGaps(_)
        | ModelRecord::AnswerNoList(_)
        | ModelRecord::AnswerReflected(_)
        | ModelRecord::TaskRead(_) => return None,
    })
}

const fn noted_purpose(purpose: Purpose) -> word::Purpose {
    match purpose {
        Purpose::Plan => word::Purpose::Plan,
        Purpose::Decide => word::Purpose::Decide,
        Purpose::Execute => word::Purpose::Execute,
        Purpose::Finalize => word::Purpose::Finalize,
    }
}

const fn noted_usage(usage: Usage) -> word::Usage {
    let Usage { input_tokens, output_tokens, cached_tokens } = usage;
    word::Usage { input_tokens, output_tokens, cached_tokens }
}

fn noted_finish(finish: &FinishReason) -> Finish {
    match finish {
        FinishReason::Stop => Finish::Stop,
        FinishReason::ToolCalls => Finish::ToolCalls,
        FinishReason::Length => Finish::Length,
        FinishReason::Filtered => Finish::Filtered,
        FinishReason::Unknown { reason } => Finish::Unknown { reason: Redacted::of(reason) },
    }
}

/// The tier that may answer, and the request within what is left; `None` where nothing is.
fn allowed(
    drive: &Drive,
    request: ModelRequest,
    wanted: Tier,
    stakes: Stakes,
) -> Option<(Tier, ModelRequest)> {
    if drive.spent.is_some() || drive.calls_left == 0 {
        return None;
    }
    let tier = drive.budget.tier(wanted, stakes)?;
    let output_tokens_max = drive.budget.output_tokens(request.output_tokens_max)?;
    Some((tier, ModelRequest { output_tokens_max, ..request }))
}

/// Why no model is asked any more, in words: the limit and its number.
pub(crate) fn spent(drive: &Drive) -> String {
    match &drive.spent {
        Some(why) => why.clone(),
        None if drive.calls_left == 0 => format!("all {} calls of a model are used", drive.calls),
        None => format!("the {} tokens of this task are spent", drive.budget.spent()),
    }
}

/// The same question has the same name, so that a repeated turn finds its reply; another question never does.
fn step_name(number: u32, request: &ModelRequest) -> Phase<String> {
    let bytes = serde_json::to_vec(request)
        .map_err(|error| TurnFailed::Unreadable { what: "model request", why: error.to_string() })?;
    Ok(format!("{STEP}{number}:{}", Digest::of(&bytes)))
}

/// Whether the same question may be answered later.
fn may_come_back(error: &ModelError) -> bool {
    match error {
        ModelError::Unreachable { .. } | ModelError::TimedOut { .. } => true,
        ModelError::Refused { status, .. } => matches!(status, 408 | 429 | 500..=599),
        ModelError::Unreadable { .. } | ModelError::NoModel { .. } => false,
    }
}

/// The reply, or that none came in time. The model is polled first, so that a reply in time is never missed.
async fn within(
    model: &dyn Model,
    request: &Prompt,
    (clock, pause): (&dyn Clock, &dyn Pause),
    deadline: Duration,
) -> Result<ModelReply, ModelError> {
    let until = clock.now().checked_add(deadline).unwrap_or(Timestamp::MAX);
    let mut reply = pin!(model.complete(request));
    let mut alarm = pin!(async {
        pause.pause(deadline).await;
        while clock.now() < until {
            clock.reached(until).await;
        }
    });
    let first = poll_fn(|context| match reply.as_mut().poll(context) {
        Poll::Ready(reply) => Poll::Ready(reply),
        Poll::Pending => alarm.as_mut().poll(context).map(|()| {
            let limit_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
            Err(ModelError::TimedOut { model: String::new(), limit_ms })
        }),
    });
    first.await
}

/// The reply, unless something else comes first: then nobody waits for it any more.
async fn unless(
    reply: impl Future<Output = Result<ModelReply, ModelError>>,
    other: impl Future<Output = ()>,
) -> Result<ModelReply, ModelError> {
    let (mut reply, mut other) = (pin!(reply), pin!(other));
    let first = poll_fn(|context| match reply.as_mut().poll(context) {
        Poll::Ready(reply) => Poll::Ready(reply),
        Poll::Pending => other.as_mut().poll(context).map(|()| {
            Err(ModelError::NoModel { problem: "something else came in, and goes first".to_owned() })
        }),
    });
    first.await
}

/// A question that stands alone: one prompt, an answer that fits a schema.
pub(crate) fn single(
    system: Option<String>,
    prompt: String,
    schema: Value,
    output_tokens_max: u32,
) -> ModelRequest {
    use crate::port::Message;
    let system = system.map(|text| Message::System { text });
    ModelRequest {
        purpose: Purpose::Plan,
        messages: system.into_iter().chain([Message::user(prompt)]).collect(),
        tools: Vec::new(),
        output_schema: Some(schema),
        sampling: Default::default(),
        output_tokens_max,
    }
}
