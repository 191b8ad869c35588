//! What a model reads: through the gate like every read, taken down with the case, told as what it is.

use purple_journal::record::model;
use purple_journal::{Redacted, RedactedJson};
use purple_process::{Json, Values};
use serde_json::{Map, Value};

use crate::dossier::NoAnswer;
use crate::drive::carry::AtWork;
use crate::drive::held::{Found, shown};
use crate::drive::look::{Looked, look};
use crate::drive::memo::Unread;
use crate::execute::call::said;
use crate::execute::catalogue::Known;
use crate::execute::reader::ReadOnce as _;
use crate::execute::rule::to_serde;
use crate::port::Called;
use crate::run::{Phase, Run};

/// The most reads without an answer that are kept with a case.
const UNREAD_MAX: usize = 100;

impl Run<'_> {
    /// Makes a read that a model asks for.
    pub(crate) async fn model_read(
        &mut self,
        work: &mut AtWork,
        known: &Known,
        arguments: &Map<String, Value>,
    ) -> Phase<Result<Value, String>> {
        let given = arguments.clone();
        let arguments = match values(arguments) {
            Ok(arguments) => arguments,
            Err(why) => return Ok(Err(why)),
        };
        let catalogue = std::sync::Arc::clone(&work.catalogue);
        let outcome = self.read_for_model(known, arguments.clone(), &catalogue, &mut work.drive).await?;
        self.taken_down(work, known, (given, arguments), outcome)
    }

    /// Makes a read that rules need and nobody asked for.
    pub(crate) async fn code_read(
        &mut self,
        work: &mut AtWork,
        known: &Known,
        arguments: Values,
    ) -> Phase<()> {
        let catalogue = std::sync::Arc::clone(&work.catalogue);
        let given = arguments.iter().map(|(name, value)| (name.clone(), to_serde(value))).collect();
        let outcome = self.read_of_code(known, arguments.clone(), &catalogue).await;
        // What comes of it is taken down with the case, an answer or that there is none.
        self.taken_down(work, known, (given, arguments), outcome).map(drop)
    }

    /// Takes down what became of a read, and says what a model is told of it.
    fn taken_down(
        &mut self,
        work: &mut AtWork,
        known: &Known,
        (given, arguments): (Map<String, Value>, Values),
        outcome: Result<Value, (NoAnswer, String)>,
    ) -> Phase<Result<Value, String>> {
        let answer = match outcome {
            Ok(answer) => answer,
            Err((no_answer, why)) => {
                let (tool, at) = (known.name().clone(), self.scribe.began());
                work.unread(Unread { tool, arguments, at, no_answer, why: why.clone() });
                return Ok(Err(why));
            }
        };
        let told = (known.name().clone(), arguments);
        let others = work.opened.dossier.driven.as_ref().map_or(&[][..], |driven| &driven.reads);
        let Some(found) = self.hold(told, answer.clone(), others)? else {
            return Ok(Ok(shown("(too large to be kept)", &answer)));
        };
        let name = work.found(found);
        let result = self.scribe.keep("tool result", &answer)?;
        self.scribe.note(model::Found {
            name: Redacted::of(&name),
            tool: Redacted::of(known.name()),
            arguments: RedactedJson::from_value(Value::Object(given)),
            result,
        })?;
        Ok(Ok(shown(&name, &answer)))
    }

    /// Looks into what was read already. What was seen is taken down: it vouches for figures from now on.
    pub(crate) fn model_looks(&self, work: &mut AtWork, given: &Value) -> Phase<Result<Value, String>> {
        let sources = work.opened.sources(&work.opened.case()?);
        Ok(match look(given, &work.opened, &sources) {
            Ok(Looked::Seen { told, seen }) => work.looked(given, told, &seen),
            Ok(Looked::Counted { value, basis }) => Ok(work.computed(value.clone(), &value, basis)),
            Err(why) => Err(why),
        })
    }

    /// Calls a tool that changes nothing and is no read: a calculation of a server, a question to somebody.
    pub(crate) async fn model_call(
        &mut self,
        known: &Known,
        arguments: &Map<String, Value>,
    ) -> Phase<Result<Value, String>> {
        let arguments = match values(arguments) {
            Ok(arguments) => arguments,
            Err(why) => return Ok(Err(why)),
        };
        Ok(match self.reads().read(known, arguments).await {
            Called::Answered(answer) => Ok(answer.into_work()),
            Called::Refused { code, message } => {
                let code = code.as_ref().map_or_else(|| "error".to_owned(), said);
                Err(format!("it said {code}: {}", message.redacted()))
            }
            // Only people answer tools, and nobody is asked for a call that changes nothing.
            Called::Asked(_) => Err("it wants to know something from a person first".to_owned()),
            Called::NotSent { reason } | Called::Lost { reason } => Err(reason.redacted().into_string()),
        })
    }
}

impl AtWork {
    /// Takes down what could not be read, in the place of an earlier try.
    fn unread(&mut self, unread: Unread) {
        let driven = self.opened.driven_mut();
        driven.unread.retain(|one| !one.is_of(&unread.tool, &unread.arguments));
        if driven.unread.len() < UNREAD_MAX {
            driven.unread.push(unread);
        }
        self.changed = true;
    }

    /// Takes down what was read, and gives it the name by which expressions know it.
    fn found(&mut self, found: Found) -> String {
        let driven = self.opened.driven_mut();
        driven.unread.retain(|one| !one.is_of(&found.tool, &found.arguments));
        driven.reads.push(found);
        let name = format!("r{}", driven.reads.len());
        self.changed = true;
        name
    }

    /// Takes down what was seen of a large answer.
    fn looked(&mut self, given: &Value, told: Value, seen: &Value) -> Result<Value, String> {
        let number = given.get("name").and_then(Value::as_str).and_then(|name| name.strip_prefix('r'));
        let place = number.and_then(|digits| digits.parse::<usize>().ok()?.checked_sub(1));
        let driven = self.opened.driven_mut();
        let Some(found) = place.and_then(|place| driven.reads.get_mut(place)) else { return Ok(told) };
        if !seen.is_null() && found.handle.is_some() {
            if !found.look_at(seen) {
                return Err("enough of it was looked at: use `where`, `sum` or `group_by`".to_owned());
            }
            self.changed = true;
        }
        Ok(told)
    }
}

pub(crate) fn values(arguments: &Map<String, Value>) -> Result<Values, String> {
    let one = |(name, value): (&String, &Value)| {
        let value = Json::from_serde(value).map_err(|bad| format!("`{name}` cannot be sent: {bad}"))?;
        Ok((name.clone(), value))
    };
    arguments.iter().map(one).collect()
}
