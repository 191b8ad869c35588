//! One tool call through the stack: arguments against the schema, the gate, one dispatch.

use std::collections::BTreeMap;

use purple_journal::record::tool;
use purple_journal::word::CallResult;
use purple_journal::{Redacted, RedactedJson};
use purple_process::{Call, Effect, Grant, Pass, Values, Walk, gate};
use serde_json::Value;

use crate::execute::catalogue::Known;
use crate::execute::quarantine::{Cleared, Quarantine};
use crate::execute::reader::ReadOnce;
use crate::execute::rule::to_serde;
use crate::port::untrusted::Untrusted;
use crate::port::{BoxFuture, CallOptions, Called, ToolsAt};
use crate::scribe::Scribe;
use crate::settings::{Ports, Settings};

/// The code of a call that is not made because its tool is not what it was.
pub(crate) const QUARANTINED: &str = "QUARANTINED";
/// The code of an answer that is not what its tool declares.
pub(crate) const BAD_ANSWER: &str = "BAD_ANSWER";
/// The code of a call that an operator's halt keeps from being made.
pub(crate) const HALTED: &str = "HALTED";
/// The code of a read that would need a person first.
pub(crate) const INPUT_REQUIRED: &str = "INPUT_REQUIRED";

/// Makes reads in the present state of one walk.
pub(crate) struct Reads<'a> {
    pub ports: &'a Ports,
    pub settings: &'a Settings,
    pub scribe: &'a Scribe<'a>,
    pub walk: &'a Walk,
    pub at: &'a ToolsAt,
    pub quarantine: &'a Quarantine,
    /// The process, as halts name it; empty while none is chosen.
    pub process: &'a str,
}

impl ReadOnce for Reads<'_> {
    fn read<'a>(&'a self, tool: &'a Known, arguments: Values) -> BoxFuture<'a, Called> {
        Box::pin(self.one(tool, arguments))
    }
}

impl Reads<'_> {
    /// One read. What is refused here was never sent.
    async fn one(&self, known: &Known, arguments: Values) -> Called {
        // A server that cannot be asked is not called in vain: the call itself says that it is down.
        if let Cleared::Quarantined(why) = self.cleared(known).await {
            let message = format!("`{}` is quarantined: {why}", known.name()).into();
            return Called::Refused { code: Some(QUARANTINED.into()), message };
        }
        let shown = shown(&arguments);
        let name = known.tool.name().to_string();
        let called = match self.ports.tools.check(&known.definition, &arguments) {
            Err(bad) => Called::NotSent { reason: bad.to_string().into() },
            Ok(()) => {
                let call = Call::new(&known.tool, arguments);
                match gate(self.walk.position(), call, Grant::nothing(), self.scribe.now()) {
                    Err(refusal) => Called::NotSent { reason: refusal.to_string().into() },
                    Ok(pass) => match self.halted(known, &pass).await {
                        Some(stopped) => stopped,
                        None => {
                            let options = CallOptions { key: None, ..self.settings.options(known) };
                            self.heard(known, self.ports.tools.call(self.at, pass, options).await)
                        }
                    },
                }
            }
        };
        self.tell(&name, shown, &called);
        called
    }

    /// Why a call is not made while the operator halts this process: only reads that were reviewed go on.
    pub(crate) async fn halted(&self, known: &Known, pass: &Pass) -> Option<Called> {
        if known.tool.is_reviewed() && pass.call().effect() == Effect::Read {
            return None;
        }
        match self.scribe.turn.halted_before_call(self.process).await {
            Ok(None) => None,
            Ok(Some(halt)) => {
                let message = format!("{} halted it: {}", halt.by, cut(&halt.reason)).into();
                Some(Called::Refused { code: Some(HALTED.into()), message })
            }
            Err(error) => Some(Called::NotSent { reason: error.to_string().into() }),
        }
    }

    /// What a read may pass on: only what fits what its tool declares, and no questions of tools.
    fn heard(&self, known: &Known, called: Called) -> Called {
        if let Some(message) = self.misfit(known, &called) {
            return Called::Refused { code: Some(BAD_ANSWER.into()), message: message.into() };
        }
        match called {
            Called::Asked(asked) => {
                let question = asked.questions.first().map(|question| said(&question.message));
                let question = question.unwrap_or_else(|| "more input".to_owned());
                let message = format!("it asks before it answers: {question}").into();
                Called::Refused { code: Some(INPUT_REQUIRED.into()), message }
            }
            other @ (Called::Answered(_)
            | Called::Refused { .. }
            | Called::NotSent { .. }
            | Called::Lost { .. }) => other,
        }
    }

    /// Why an answer is not what its tool declares, if it is not.
    pub(crate) fn misfit(&self, known: &Known, called: &Called) -> Option<String> {
        let schema = known.definition.output_schema.as_ref()?;
        let Called::Answered(answer) = called else { return None };
        let misfits = self.ports.tools.misfits(schema, answer.for_work());
        let told =
            || format!("the answer is not of the form that the tool declares: {}", cut(&misfits.join("; ")));
        (!misfits.is_empty()).then(told)
    }

    /// A read that could not be told in the journal fails when the turn ends; the read itself stands.
    fn tell(&self, tool: &str, arguments: Value, called: &Called) {
        let read = tool::Read {
            tool: Redacted::of(tool),
            state: self.walk.state(),
            arguments: Some(RedactedJson::from_value(arguments)),
            result: call_result(self.scribe, called),
        };
        // A record that is too large is written without the arguments.
        if self.scribe.note(read.clone()).is_err() {
            let _ = self.scribe.note(tool::Read { arguments: None, ..read });
        }
    }
}

/// The result of a call, as the journal records it. What was answered is a blob.
pub(crate) fn call_result(scribe: &Scribe<'_>, called: &Called) -> CallResult {
    match called {
        Called::Answered(value) => CallResult::Answered(scribe.keep("tool result", value.for_work()).ok()),
        Called::Refused { code, message } => CallResult::Refused {
            code: code.as_ref().map(|code| code.redacted()),
            message: Some(Redacted::of(&said(message))),
        },
        Called::Asked(asked) => match scribe.keep("question", asked) {
            Ok(hash) => CallResult::Asked(hash),
            Err(_) => CallResult::Refused { code: Some(Redacted::of(INPUT_REQUIRED)), message: None },
        },
        Called::NotSent { reason } => CallResult::NotSent(Redacted::of(&said(reason))),
        Called::Lost { reason } => CallResult::Lost(Redacted::of(&said(reason))),
    }
}

/// Arguments as JSON.
pub(crate) fn shown(arguments: &Values) -> Value {
    arguments
        .iter()
        .map(|(name, value)| (name.clone(), to_serde(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// The longest value that the journal shows in full, in bytes as JSON; the exact bytes are a blob.
const SHOWN_BYTES_MAX: usize = 2 * 1024;
/// The most that one record of fields takes up in the journal, in bytes.
const RECORD_BYTES_MAX: usize = 12 * 1024;

/// Fields as the journal shows them: what is long is told by its size.
pub(crate) fn brief(fields: &BTreeMap<String, Value>) -> Value {
    let mut left = RECORD_BYTES_MAX;
    let mut one = |(name, value): (&String, &Value)| {
        let bytes = value.to_string().len().saturating_add(name.len());
        let value = if bytes <= SHOWN_BYTES_MAX.min(left) {
            left -= bytes;
            value.clone()
        } else {
            Value::String(format!("({bytes} bytes)"))
        };
        (cut(name), value)
    };
    let shown: serde_json::Map<String, Value> = fields.iter().take(FIELDS_MAX).map(&mut one).collect();
    Value::Object(shown)
}

/// The most fields that one record shows in the journal.
const FIELDS_MAX: usize = 200;

const MESSAGE_CHARS_MAX: usize = 500;

/// What a tool said, as it may be told: without its secrets, which are masked before the text is cut, and short.
pub(crate) fn said(text: &Untrusted<String>) -> String {
    cut(text.redacted().as_str())
}

/// A message from outside, short enough for the journal.
pub(crate) fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
