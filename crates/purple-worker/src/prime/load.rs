//! Loads what is known of a session and says what an event asks of it.

use purple_journal::record::{task, turn};
use purple_journal::{Redacted, RedactedJson};
use purple_process::{Answered, Arithmetic, Fact, PersonId, Route, StepId, Walk, read_answer};
use serde_json::{Value, json};

use crate::conversation::{Conversation, Line, Speaker};
use crate::event::{Called, Channel, Edit, Event, Message, Refused, Settlement, Start, Verdict};
use crate::execute::finish::MODEL_NEEDED;
use crate::execute::reference::Reference;
use crate::execute::stance::orders_nothing;
use crate::limits::TASK_BYTES_MAX;
use crate::port::{ToolsAt, Turn, TurnFailed};
use crate::prime::privacy::{Refusal, redact};
use crate::prime::way::{Way, is_reversal};
use crate::run::{Bound, Phase, Run};
use crate::scribe::Scribe;
use crate::session::{SCHEMA, Session, Stage, VERSION};
use crate::settings::{Process, endpoint_allowed};

/// A session that is loaded and an event that passed the guard.
pub(crate) struct Primed<'a> {
    pub run: Run<'a>,
    pub todo: Todo,
}

/// What somebody wants undone.
#[derive(Clone, Debug)]
pub(crate) struct Undo {
    /// The operation; without one, all of the round that can be undone.
    pub step: Option<StepId>,
    /// The round; without one, the latest that has such an operation.
    pub round: Option<u32>,
    pub by: PersonId,
    pub channel: Channel,
    /// The account that it was given from, on the command line.
    pub account: Option<String>,
    /// The words that ask for it, where it was not a command.
    pub words: Option<String>,
}

/// What an event asks for.
#[derive(Clone, Debug)]
pub(crate) enum Todo {
    /// The guard refused the words.
    Refuse(Refusal),
    /// The words cannot be served; the session stays as it is.
    Remark { code: &'static str, why: String },
    /// The request itself cannot be served.
    Reject { code: &'static str, why: String },
    /// A task, in a new round.
    Task(String),
    /// The requester confirmed the task as it was restated.
    Confirmed { text: String, by: PersonId, channel: Channel },
    /// The requester withdrew the task that was restated.
    Withdraw,
    /// Words while something is open.
    Words(Message),
    /// A decision.
    Decide(Verdict),
    /// Other values for the plan that waits.
    Edit(Edit),
    /// A person says how an operation came out.
    Settle { step: StepId, done: Settlement, by: PersonId, account: Option<String> },
    /// Somebody wants something undone.
    Undo(Undo),
    /// A timer rang.
    Ring(String),
    /// Somebody calls it off.
    CallOff { by: PersonId, reason: String, round: Option<u32>, message: Option<Called> },
    /// The next operation.
    GoOn,
}

/// The longest title of a run, in characters.
const TITLE_CHARS_MAX: usize = 160;
/// The longest words that the journal shows, in bytes as JSON. Longer ones are a blob that it names.
const SHOWN_BYTES_MAX: usize = 16 * 1024;

const _: () = assert!(SHOWN_BYTES_MAX < crate::limits::ENTRY_BYTES_MAX);

/// The first arrow. `None`: there is nothing to do, and nothing to save.
pub(crate) async fn prime<'a>(
    bound: Bound<'a>,
    turn: &'a dyn Turn,
    event: Event,
) -> Phase<Option<Primed<'a>>> {
    let ports = bound.ports;
    let scribe = Scribe::new(turn, ports.clock.clone(), ports.blobs.clone());
    let saved = match turn.load().await? {
        None => None,
        Some(checkpoint) if checkpoint.schema > SCHEMA => {
            return Err(TurnFailed::NewerSchema { schema: checkpoint.schema, known: SCHEMA });
        }
        Some(checkpoint) => Some(
            serde_json::from_value::<Session>(checkpoint.body)
                .map_err(|error| TurnFailed::Unreadable { what: "session", why: error.to_string() })?,
        ),
    };
    let guarded = match &event {
        Event::Refused(refused) => Err(Refusal::of(refused.code)),
        _ => Ok(()),
    };
    let kept = Some(scribe.keep("event", &event)?);
    let event_name = event.name();
    let account = event.account().map(|account| Redacted::of(&account));
    let (attempt, began) = (turn.attempt(), turn.began());
    scribe.note(turn::Began { event: event_name, attempt, began, kept, account })?;
    let Some(mut session) = saved else {
        let start = match event {
            Event::Start(start) => start,
            Event::Refused(Refused { text, by, channel, message_id, .. }) => {
                Start { text, by, channel, account: None, policy: None, tools_endpoint: None, message_id }
            }
            Event::Message(_)
            | Event::Decision(_)
            | Event::Edit(_)
            | Event::Settled { .. }
            | Event::Undo { .. }
            | Event::Timer { .. }
            | Event::Cancel { .. }
            | Event::Continue => {
                let why = Redacted::of("there is no such run");
                scribe.note(turn::EventIgnored { event: event_name, why })?;
                return Ok(None);
            }
        };
        return first(bound, scribe, start, guarded).map(Some);
    };
    if session.version.as_deref() != Some(VERSION) {
        note_version(&scribe, &mut session)?;
    }
    let run = Run::new(bound, scribe, session);
    let primed = match event {
        Event::Start(start) => again(run, start, guarded)?,
        Event::Message(message) => words(run, message, None, guarded)?,
        Event::Refused(Refused { text, by, channel, message_id, .. }) => {
            words(run, Message { text, by, channel, account: None }, message_id.as_deref(), guarded)?
        }
        Event::Decision(verdict) => {
            run.hear_decision(&verdict)?;
            Primed { run, todo: Todo::Decide(verdict) }
        }
        Event::Edit(edit) => Primed { run, todo: Todo::Edit(edit) },
        Event::Settled { step, done, by, account } => {
            Primed { run, todo: Todo::Settle { step, done, by, account } }
        }
        Event::Undo { step, round, by, channel, account, words } => {
            Primed { run, todo: Todo::Undo(Undo { step, round, by, channel, account, words }) }
        }
        Event::Timer { name } => Primed { run, todo: Todo::Ring(name) },
        Event::Cancel { by, reason, round, message } => {
            Primed { run, todo: Todo::CallOff { by, reason, round, message } }
        }
        Event::Continue => Primed { run, todo: Todo::GoOn },
    };
    Ok(Some(primed))
}

/// Records that this version of the program works on the run from now on.
fn note_version(scribe: &Scribe<'_>, session: &mut Session) -> Phase<()> {
    session.version = Some(VERSION.to_owned());
    scribe.note(turn::Version { version: Redacted::of(VERSION) })
}

/// A session begins.
fn first<'a>(
    bound: Bound<'a>,
    scribe: Scribe<'a>,
    start: Start,
    guarded: Result<(), Refusal>,
) -> Phase<Primed<'a>> {
    let now = scribe.began();
    let id = scribe.turn.session().clone();
    let tools_at = start.tools_endpoint.clone().map_or(ToolsAt::Configured, ToolsAt::Url);
    let mut session = Session {
        version: None,
        walk: Walk::new(id, Route::question(Arithmetic::None)),
        requester: start.by.clone(),
        requester_account: start.account.clone(),
        channel: start.channel,
        began: now,
        high_water: now,
        mode: bound.settings.mode,
        tools_at,
        catalogue: None,
        chosen: None,
        pointed: Vec::new(),
        brief: None,
        request_policy: None,
        advisory: None,
        title: String::new(),
        conversation: Conversation::default(),
        inputs: Default::default(),
        fixes: Default::default(),
        claims: Vec::new(),
        gates: 0,
        answer: None,
        final_answer: None,
        quarantine: Default::default(),
        past: None,
        undoing: None,
        arm: None,
        decided_by: Default::default(),
        words: None,
        confirmed: None,
        stage: Stage::Preparing,
    };
    note_version(&scribe, &mut session)?;
    let mut run = Run::new(bound, scribe, session);
    run.hear(&start.text, &start.by, start.channel, start.message_id.as_deref())?;
    let todo = match guarded {
        Err(refusal) => Todo::Refuse(refusal),
        Ok(()) => match admit(&mut run, &start)? {
            Some((code, why)) => Todo::Reject { code, why },
            None => Todo::Task(start.text),
        },
    };
    Ok(Primed { run, todo })
}

/// Checks what came with the request: a tool server must be one that the operator of this process allows, and rules can
/// only restrict.
fn admit(run: &mut Run<'_>, start: &Start) -> Phase<Option<(&'static str, String)>> {
    // The client checks this first; it may run in another process, with other settings.
    if let ToolsAt::Url(url) = &run.session.tools_at
        && !endpoint_allowed(&run.settings.endpoints_allowed, url)
    {
        let why = format!("The operator does not allow tools at `{}`.", redact(url));
        return Ok(Some(("tools.endpoint_not_allowed", why)));
    }
    match &start.policy {
        None => {}
        // Prose is shown to a model as advice; it is never reported as evaluated.
        Some(Value::String(prose)) => {
            run.session.advisory = Some(run.keep_bytes(redact(prose).into_bytes())?);
            run.scribe.note(task::PolicyAdvisory { chars: prose.chars().count() })?
        }
        Some(rules) => {
            let text = rules.to_string();
            match purple_policy::PolicyDocument::parse(&text, purple_policy::Authority::Request) {
                Ok(_) => run.session.request_policy = Some(run.keep_bytes(text.into_bytes())?),
                Err(wrong) => {
                    let why: Vec<String> = wrong.iter().take(3).map(ToString::to_string).collect();
                    return Ok(Some((
                        "policy.unreadable",
                        format!("The policy cannot be read: {}", why.join("; ")),
                    )));
                }
            }
        }
    }
    Ok(None)
}

/// A task for a session that exists. Its tools come with the first task. Its rules may change with a new round, which
/// then keeps the new ones; in the middle of one they cannot be taken in, and to go on without them would be to loosen
/// what the requester asked for.
fn again(mut run: Run<'_>, start: Start, guarded: Result<(), Refusal>) -> Phase<Primed<'_>> {
    let Start { text, by, channel, account, policy, tools_endpoint, message_id } = start;
    let endpoint = tools_endpoint.map(ToolsAt::Url);
    let other_tools = endpoint.is_some_and(|endpoint| endpoint != run.session.tools_at);
    let other_rules = match (&policy, run.session.request_policy) {
        (None | Some(Value::String(_)), _) => None,
        (Some(rules), before) => {
            let text = rules.to_string();
            let kept = run.keep_bytes(text.clone().into_bytes())?;
            (Some(kept) != before).then_some((text, kept))
        }
    };
    let over = matches!(run.session.stage, Stage::Closed { .. });
    if other_tools || (other_rules.is_some() && !over) {
        let why = match other_tools {
            true => "A tool server can be given with the first task of a session only. Start a new one.",
            false => {
                "Rules can be given with a task only, and one is open here. Wait for its end, or start a new session."
            }
        };
        run.hear(&text, &by, channel, message_id.as_deref())?;
        return Ok(Primed { run, todo: Todo::Remark { code: "request.late", why: why.to_owned() } });
    }
    if let Some((rules, kept)) = other_rules {
        if let Err(wrong) = purple_policy::PolicyDocument::parse(&rules, purple_policy::Authority::Request) {
            let wrong: Vec<String> = wrong.iter().take(3).map(ToString::to_string).collect();
            let why = format!("The policy cannot be read: {}", wrong.join("; "));
            run.hear(&text, &by, channel, message_id.as_deref())?;
            return Ok(Primed { run, todo: Todo::Remark { code: "policy.unreadable", why } });
        }
        run.session.request_policy = Some(kept);
    }
    words(run, Message { text, by, channel, account }, message_id.as_deref(), guarded)
}

/// Words in a session that exists: a new round where the last one is over, else for what is open.
fn words<'a>(
    mut run: Run<'a>,
    message: Message,
    message_id: Option<&str>,
    guarded: Result<(), Refusal>,
) -> Phase<Primed<'a>> {
    run.hear(&message.text, &message.by, message.channel, message_id)?;
    let todo = match (guarded, &run.session.stage) {
        (Err(refusal), _) => Todo::Refuse(refusal),
        (Ok(()), stage) if too_long(stage, &message.text) => Todo::Remark {
            code: "task.too_long",
            why: format!("Together these are too many words: {TASK_BYTES_MAX} bytes are the most."),
        },
        (Ok(()), Stage::Closed { .. })
            if run.ports.models.is_none()
                && let Way::NeedsModel(fit) = run.way(&message.text)? =>
        {
            // "Thanks!" ends nothing: the session stays as it is, open for another task.
            match orders_nothing(&message.text) {
                Some(_) if fit.is_none() => Todo::Words(message),
                Some(_) | None => {
                    let why = run.no_model(&message.text, fit.map(|fit| fit.process));
                    Todo::Remark { code: MODEL_NEEDED, why }
                }
            }
        }
        (Ok(()), Stage::Closed { .. }) => {
            run.session.requester = message.by;
            run.session.requester_account = message.account;
            run.session.channel = message.channel;
            run.begin_round(Fact::NewRound, &message.text)?;
            Todo::Task(message.text)
        }
        (Ok(()), Stage::Asking { .. }) if message.by != run.session.requester => Todo::Remark {
            code: "input.missing",
            why: format!("Only {} can complete or withdraw this task.", run.session.requester),
        },
        (Ok(()), Stage::Asking { text }) if withdraws(text, &message.text, &run.settings.processes) => {
            Todo::Withdraw
        }
        (Ok(()), Stage::Asking { text }) => match run.doubt_about(text, &message.text) {
            Some(why) => Todo::Remark { code: "input.missing", why },
            None => Todo::Task(run.with_answer(text, &message.text)),
        },
        (Ok(()), Stage::Confirming { text, restated }) => answered(&run, (text, restated), message)?,
        (Ok(()), Stage::Driving(_) | Stage::Waiting(_) | Stage::Running(_) | Stage::Preparing) => {
            Todo::Words(message)
        }
    };
    Ok(Primed { run, todo })
}

/// The answer to a restated task: only its requester confirms or withdraws it. Words that are a task of their own take
/// its place; with anything else it stays as it is.
fn answered(run: &Run<'_>, (text, restated): (&str, &str), message: Message) -> Phase<Todo> {
    let Message { text: said, by, channel, account: _ } = message;
    let remark = |why: String| Todo::Remark { code: "task.unclear", why };
    let is_own = by == run.session.requester;
    Ok(match read_answer(&said) {
        Some(_) if !is_own => {
            remark(format!("Only {} can confirm or withdraw this task.", run.session.requester))
        }
        Some(Answered::Yes) => Todo::Confirmed { text: text.to_owned(), by, channel },
        _ if is_own && withdraws(text, &said, &run.settings.processes) => Todo::Withdraw,
        None if is_own && is_task(run, &said)? => Todo::Task(said),
        Some(Answered::No) | None => remark(format!(
            "That is neither yes nor no, and no task of its own. Nothing was done yet. Still open: {restated}. \
             Answer \"yes\" to have exactly this done, \"no\" to leave it, or say the whole task in other words."
        )),
    })
}

/// Whether an answer withdraws a task that is not complete or not confirmed: it says no, or cancels what the task names.
fn withdraws(task: &str, answer: &str, processes: &[Process]) -> bool {
    if read_answer(answer) == Some(Answered::No) {
        return true;
    }
    is_reversal(answer)
        && Reference::of(answer, processes).names().iter().all(|name| Reference::is_in(name, task))
}

/// Whether words order something by themselves.
fn is_task(run: &Run<'_>, text: &str) -> Phase<bool> {
    let begins_with_answer =
        text.split([' ', ',', '.', '!', ';', ':']).next().is_some_and(|word| read_answer(word).is_some());
    Ok(match run.way(text)? {
        Way::Playbook(_) | Way::Several(_) | Way::Reverse => true,
        // "Yes, tomorrow" orders nothing else.
        Way::Unclear(..) => !begins_with_answer,
        Way::NeedsModel(_) => !begins_with_answer && run.ports.models.is_some(),
        Way::Calculate(_) | Way::Open(_) | Way::LookUp(..) | Way::Advise(..) => false,
    })
}

impl Run<'_> {
    /// Takes down that somebody said something; never what the guard refuses.
    fn hear(&mut self, text: &str, by: &PersonId, channel: Channel, message_id: Option<&str>) -> Phase<()> {
        let shown = redact(text);
        let is_short = json!(shown).to_string().len() <= SHOWN_BYTES_MAX;
        let begins: String = shown.chars().take(TITLE_CHARS_MAX).collect();
        let whole = if is_short { None } else { Some(self.keep_bytes(shown.clone().into_bytes())?) };
        self.scribe.note(task::Received {
            by: Redacted::of(by),
            channel,
            message: message_id.map(Redacted::of),
            text: is_short.then(|| Redacted::of(&shown)),
            begins: (!is_short).then(|| Redacted::of(&begins)),
            whole,
            access: self.settings.access.noted(),
        })?;
        if self.session.title.is_empty() {
            self.session.title = title(&shown);
        }
        let at = self.scribe.began();
        self.session.conversation.push(Line { who: Speaker::Requester, text: shown, at });
        Ok(())
    }

    /// Takes down that a message decided, so that it is known by its name.
    fn hear_decision(&self, verdict: &Verdict) -> Phase<()> {
        let Some(sent) = &verdict.message else { return Ok(()) };
        self.scribe.note(task::DecisionReceived {
            by: Redacted::of(&verdict.by),
            channel: verdict.channel,
            message: Redacted::of(&sent.id),
            said: RedactedJson::from_value(sent.body.clone()),
        })
    }

    /// Another round of the same session.
    pub(crate) fn begin_round(&mut self, fact: Fact<'_>, text: &str) -> Phase<()> {
        if let Some(past) = self.session.done() {
            self.session.past = Some(self.keep("round", &past)?);
        }
        self.session.undoing = None;
        self.session.words = None;
        self.session.confirmed = None;
        self.session.arm = None;
        self.step(fact)?;
        self.session.began = self.scribe.began();
        self.session.mode = self.settings.mode;
        self.session.gates = 0;
        self.session.title = title(&redact(text));
        self.session.stage = Stage::Preparing;
        Ok(())
    }
}

/// Whether words are more than a session takes, together with those that it keeps until the task is complete.
fn too_long(stage: &Stage, text: &str) -> bool {
    match stage {
        // Kept in the session, as JSON.
        Stage::Asking { text: before } | Stage::Confirming { text: before, .. } => {
            json!([before, text]).to_string().len() > TASK_BYTES_MAX
        }
        Stage::Preparing
        | Stage::Driving(_)
        | Stage::Waiting(_)
        | Stage::Running(_)
        | Stage::Closed { .. } => text.len() > TASK_BYTES_MAX,
    }
}

fn title(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut title: String = line.chars().take(TITLE_CHARS_MAX).collect();
    if title.len() < line.len() {
        title.push('…');
    }
    title
}
