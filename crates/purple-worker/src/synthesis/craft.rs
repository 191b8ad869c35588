//! A computation that nobody ships: what it must do is said first, then it is written, and it is used only if it does that.
//!
//! One call of a model at a time, between which the turn may rest. Where no function comes of it, the model works the figure
//! out by expressions, and the audit of its figures judges it like any other.

use std::sync::Arc;

use purple_finance::catalogue;
use purple_journal::record::{process, tool};
use purple_journal::{Redacted, RedactedJson};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::drive::{AtWork, Heard, Stakes, TURN_MS_MAX, Tier, single};
use crate::drive::{CASES, FUNCTION, GAP, fenced, fenced_task};
use crate::execute::call::cut;
use crate::port::{BlobHash, CallFault, Defined, DefinitionKind, ModelRequest, Origin, Outcome, Sandbox};
use crate::run::{Phase, Run};
use crate::synthesis::made::{CASES_MAX, CASES_MIN, Made, Specification, pointing};
use crate::synthesis::needs::{NEEDS, Need, asks_further, recognised};
use crate::synthesis::process::is_kind;
use crate::synthesis::purse::with_purse;
use crate::synthesis::refusal::Missing;

/// A shorter task does not ask for a computation that has no name.
const TASK_CHARS_MIN: usize = 100;
/// The longest answers, in tokens.
const NAMING_TOKENS_MAX: u32 = 200;
const CASES_TOKENS_MAX: u32 = 2_500;
const CODE_TOKENS_MAX: u32 = 2_000;
/// How often a function is written before it is given up.
const TRIES_MAX: u8 = 2;
/// The most functions that are offered at once.
const OFFERED_MAX: usize = 16;

/// How far the work on a missing computation is. Kept with the model's loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Gap {
    /// Nobody has looked.
    #[default]
    Open,
    /// It has a name, and nothing else.
    Named(Missing),
    /// It is said what it must do.
    Specified { what: Box<Specification>, tries: u8, told: Option<String> },
    /// Nothing is missing, or nothing more can be done about it.
    Closed,
}

/// What was made for a task, and what it may call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Craft {
    pub gap: Gap,
    /// The functions that are offered, each as it was when the state began.
    pub functions: Vec<BlobHash>,
    /// Those of them that a person has signed, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signed: Vec<String>,
    /// What the model is told about it.
    pub note: Option<String>,
}

/// What a model says about a missing computation.
#[derive(Debug, Deserialize)]
struct Naming {
    missing: bool,
    #[serde(default)]
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    words: Vec<String>,
}

impl Run<'_> {
    /// Goes on with the work on a missing computation; `false` where the turn should rest first.
    pub(crate) async fn crafted(&mut self, work: &mut AtWork) -> Phase<bool> {
        if self.workshop().is_none() {
            return Ok(true);
        }
        loop {
            if work.turn_ms >= TURN_MS_MAX && work.drive.craft.gap != Gap::Closed {
                return Ok(false);
            }
            match std::mem::replace(&mut work.drive.craft.gap, Gap::Closed) {
                Gap::Closed => return Ok(true),
                Gap::Open => self.look_for_gap(work).await?,
                Gap::Named(missing) => self.specify(work, missing).await?,
                Gap::Specified { what, tries, told } => self.write(work, *what, tries, told).await?,
            }
        }
    }

    /// Whether a computation is missing, by the table, by what was made before, or by a model.
    async fn look_for_gap(&mut self, work: &mut AtWork) -> Phase<()> {
        // Others may have made something since the task was taken up.
        self.tell_definitions()?;
        let text = work.opened.dossier.text.clone();
        let fitting = |made: &&Arc<Made>| made.fits(&text);
        let made = &self.holdings.functions;
        let (near, far): (Vec<_>, Vec<_>) = made.iter().partition(fitting);
        let has_near = !near.is_empty();
        let offered: Vec<Arc<Made>> = near.into_iter().chain(far).take(OFFERED_MAX).cloned().collect();
        for function in offered {
            self.offer_made(work, function)?;
        }
        let lower = text.to_lowercase();
        let made = &self.holdings.functions;
        let given_up = self.given_up();
        let needs = recognised(&text);
        let is_missing = |need: &&&Need| {
            !need.shipped
                && !made.iter().any(|one| one.name() == need.name)
                && !given_up.iter().any(|one| one.name == need.name)
        };
        if let Some(need) = needs.iter().find(is_missing) {
            let words: Vec<String> = need.words.iter().map(|word| (*word).to_owned()).collect();
            let (name, about) = (need.name.to_owned(), need.about.to_owned());
            work.drive.craft.gap = Gap::Named(Missing { name, about, words: pointing(&words, &text) });
            return Ok(());
        }
        let in_vain = given_up.iter().find(|one| one.fits(&lower));
        work.drive.craft.note = in_vain.map(|one| by_hand(&one.name));
        // What is named here is known, shipped or not; whatever else the task wants computed may be missing.
        let named = NEEDS.iter().flat_map(|need| need.words).copied();
        let named = named.chain(made.iter().flat_map(|one| &one.words).map(String::as_str));
        let named = named.chain(given_up.iter().flat_map(|one| &one.what.words).map(String::as_str));
        let knows_some = has_near || in_vain.is_some() || !needs.is_empty();
        let is_short = text.chars().count() < TASK_CHARS_MIN;
        if is_short || (knows_some && !asks_further(&lower, named)) {
            return Ok(());
        }
        self.name_gap(work, &text).await
    }

    /// Asks the fast model whether a computation is missing.
    async fn name_gap(&mut self, work: &mut AtWork, text: &str) -> Phase<()> {
        let shipped = catalogue::functions().iter().map(|one| format!("{}: {}", one.name, one.summary));
        let made = self.holdings.functions.iter().map(|one| format!("{}: {}", one.name(), one.about));
        let functions: Vec<String> = shipped.chain(made).collect();
        let prompt = GAP.fill(&[("functions", &fenced(&functions.join("\n"))), ("task", &fenced_task(text))]);
        let words = json!({"type": "array", "items": {"type": "string"}});
        let schema = json!({
            "type": "object",
            "properties": {
                "missing": {"type": "boolean"}, "name": {"type": "string"}, "about": {"type": "string"},
                "words": words,
            },
            "required": ["missing"],
        });
        let request = single(None, prompt, schema, NAMING_TOKENS_MAX);
        let Ok(reply) = self.synthesis_call(work, request, Tier::Fast).await? else { return Ok(()) };
        let Ok(said) = serde_json::from_str::<Naming>(reply.trim()) else { return Ok(()) };
        let exists = catalogue::find(&said.name).is_ok()
            || self.holdings.functions.iter().any(|made| made.name() == said.name);
        if !said.missing || exists || !is_kind(&said.name) || said.about.trim().is_empty() {
            return Ok(());
        }
        if self.given_up().iter().any(|one| one.name == said.name) {
            work.drive.craft.note = Some(by_hand(&said.name));
            return Ok(());
        }
        let words = pointing(&said.words, text);
        work.drive.craft.gap = Gap::Named(Missing { name: said.name, about: cut(&said.about), words });
        Ok(())
    }

    /// Has it said what the function must do, before anybody writes it.
    async fn specify(&mut self, work: &mut AtWork, missing: Missing) -> Phase<()> {
        let Missing { name, about, words } = &missing;
        let prompt = CASES.fill(&[
            ("name", name),
            ("about", about),
            ("cases_min", &CASES_MIN.to_string()),
            ("cases_max", &CASES_MAX.to_string()),
        ]);
        let request = single(None, prompt, specification_schema(), CASES_TOKENS_MAX);
        let reply = match self.synthesis_call(work, request, Tier::Strong).await? {
            Ok(reply) => reply,
            Err(why) => return self.give_up(work, name, &why),
        };
        match Specification::parse(&reply, name, about, words) {
            Ok(what) => {
                work.drive.craft.gap = Gap::Specified { what: Box::new(what), tries: 0, told: None };
                Ok(())
            }
            Err(why) => self.fail_to_make(work, &missing, &why.to_string()).await,
        }
    }

    /// Has the function written, and judges it. The held-back cases are never told.
    async fn write(
        &mut self,
        work: &mut AtWork,
        what: Specification,
        tries: u8,
        told: Option<String>,
    ) -> Phase<()> {
        let Some(sandbox) = self.workshop().map(|workshop| Arc::clone(&workshop.sandbox)) else {
            return Ok(());
        };
        let told =
            told.map_or_else(String::new, |told| format!("The last version was refused:\n{}", fenced(&told)));
        let prompt = FUNCTION.fill(&[
            ("declared", &what.declared()),
            ("about", &what.about),
            ("signature", &json!(what.signature).to_string()),
            ("examples", &what.examples()),
            ("told", &told),
            ("guide", sandbox.guide()),
        ]);
        let schema = json!({
            "type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"],
        });
        let request = single(None, prompt, schema, CODE_TOKENS_MAX);
        let reply = match self.synthesis_call(work, request, Tier::Strong).await? {
            Ok(reply) => reply,
            Err(why) => return self.give_up(work, &what.name, &why),
        };
        let said: Option<Value> = serde_json::from_str(reply.trim()).ok();
        let code =
            said.as_ref().and_then(|said| said.get("code")).and_then(Value::as_str).unwrap_or_default();
        let made = what.with(code);
        match sandbox.admit(&made.program) {
            Ok(admission) => self.keep_made(work, made, json!(admission)).await,
            Err(refused) => {
                let tries = tries.saturating_add(1);
                self.scribe.note(tool::FunctionRefused {
                    function: Redacted::of(&what.name),
                    r#try: tries,
                    why: Redacted::of(&cut(&refused.to_string())),
                })?;
                if tries >= TRIES_MAX {
                    let Specification { name, about, words, .. } = what;
                    let missing = Missing { name, about, words };
                    return self.fail_to_make(work, &missing, &refused.to_string()).await;
                }
                let told = Some(cut(&refused.for_author()));
                work.drive.craft.gap = Gap::Specified { what: Box::new(what), tries, told };
                Ok(())
            }
        }
    }

    /// Keeps an admitted function for every later task. Where somebody was first, theirs is used.
    async fn keep_made(&mut self, work: &mut AtWork, made: Made, admission: Value) -> Phase<()> {
        let Some(workshop) = &self.ports.workshop else { return Ok(()) };
        let unreadable = |why: serde_json::Error| crate::port::TurnFailed::Unreadable {
            what: "function",
            why: why.to_string(),
        };
        let model = self.ports.models.as_ref().map_or("", |models| &models.strong_name);
        let new = Defined {
            kind: DefinitionKind::Tool,
            name: made.name().to_owned(),
            text: serde_json::to_string(&made).map_err(unreadable)?,
            origin: Origin::Model { run: self.id().clone(), model: model.to_owned() },
            at: self.scribe.began(),
            signed: None,
            quarantined: None,
        };
        let (stands, first) = self.define(&*workshop.definitions, new).await?;
        let kept = self.scribe.keep("definition", &stands)?;
        self.scribe.note(tool::FunctionSynthesized {
            function: Redacted::of(&stands.name),
            hash: made.hash().0,
            digest: stands.digest(),
            model: Redacted::of(model),
            first,
            definition: kept,
            admission: RedactedJson::from_value(admission),
        })?;
        self.forget_failure(&stands.name).await?;
        let stands =
            if first { Some(made) } else { super::library::function_of(&stands, &*workshop.sandbox) };
        match stands {
            Some(made) => self.offer_made(work, Arc::new(made)),
            None => Ok(()),
        }
    }

    fn offer_made(&mut self, work: &mut AtWork, made: Arc<Made>) -> Phase<()> {
        work.drive.craft.functions.push(self.keep("function", &*made)?);
        let is_it = |one: &&Defined| one.kind == DefinitionKind::Tool && one.name == made.name();
        let defined = self.holdings.definitions.iter().find(is_it);
        let is_same = |text: &str| serde_json::from_str::<Made>(text).is_ok_and(|one| one == *made);
        if defined.is_some_and(|one| one.is_signed() && is_same(&one.text)) {
            work.drive.craft.signed.push(made.name().to_owned());
        }
        work.functions.push(made);
        Ok(())
    }

    /// A model answered, and no function comes of what it said: that is remembered for the next tasks.
    async fn fail_to_make(&mut self, work: &mut AtWork, missing: &Missing, why: &str) -> Phase<()> {
        self.remember_failure(work, missing, why).await?;
        self.give_up(work, &missing.name, why)
    }

    /// No function comes of it: the model works the figure out, and is told so.
    fn give_up(&mut self, work: &mut AtWork, name: &str, why: &str) -> Phase<()> {
        let (function, reason) = (Some(Redacted::of(name)), Redacted::of(&cut(why)));
        self.scribe.note(process::SynthesisFailed { function, process: None, why: reason })?;
        work.drive.craft.note = Some(by_hand(name));
        Ok(())
    }

    async fn synthesis_call(
        &mut self,
        work: &mut AtWork,
        request: ModelRequest,
        tier: Tier,
    ) -> Phase<Result<String, String>> {
        let heard = with_purse(&mut work.drive, async |drive| {
            self.ask_model(drive, request, (tier, Stakes::Ordinary)).await
        });
        Ok(match heard.await? {
            Heard::Reply(reply, took) => {
                let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                work.turn_ms = work.turn_ms.saturating_add(took_ms);
                if reply.finish.is_complete() { Ok(reply.text) } else { Err("the reply was cut".to_owned()) }
            }
            Heard::Spent(why) => Err(why),
            Heard::Garbage(error) | Heard::Down(error) | Heard::Never(error) => Err(error.to_string()),
        })
    }

    /// Reads the functions that are offered, where a later turn goes on.
    pub(crate) async fn load_made(&self, work: &mut AtWork) -> Phase<()> {
        for hash in work.drive.craft.functions.iter().skip(work.functions.len()) {
            let made: Made = self.fetch("function", *hash).await?;
            work.functions.push(Arc::new(made));
        }
        Ok(())
    }

    /// Calls a function that was made: the answer, and whether every figure that went in has a source.
    pub(crate) fn call_made(&self, made: &Made, given: &Value) -> Result<Value, String> {
        let Some(workshop) = &self.ports.workshop else { return Err("it is gone".to_owned()) };
        let (arguments, currency) = made.arguments(given)?;
        let sandbox: &dyn Sandbox = &*workshop.sandbox;
        let mut called = sandbox.call(made.hash(), &arguments);
        if matches!(called, Err(CallFault::NotAdmitted { .. })) {
            sandbox.admit(&made.program).map_err(|refused| refused.to_string())?;
            called = sandbox.call(made.hash(), &arguments);
        }
        match called.map_err(|fault| fault.to_string())? {
            Outcome::Value(datum) => Ok(made.result(&datum, currency.as_deref())),
            Outcome::Refused(word) => Err(format!("it refuses this input: {word}")),
        }
    }
}

/// What a model is told about a function that there is not.
fn by_hand(name: &str) -> String {
    format!("No function computes `{name}`: work it out step by step with `calculate`.")
}

fn specification_schema() -> Value {
    let unit = json!({"enum": ["plain", "money"]});
    json!({
        "type": "object",
        "properties": {
            "parameters": {"type": "array", "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "takes": {}, "unit": unit},
                "required": ["name", "takes"],
            }},
            "answers": {},
            "unit": unit,
            "refuses": {"type": "array", "items": {"type": "string"}},
            "cases": {"type": "array", "items": {
                "type": "object",
                "properties": {"given": {"type": "object"}, "expected": {}, "refused": {"type": "string"}},
                "required": ["given"],
            }},
        },
        "required": ["parameters", "answers", "cases"],
    })
}
