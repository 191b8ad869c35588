//! One write or notification, with everything that people and the gate must know about it.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use purple_policy::{Currency, Money};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::effect::Effect;
use crate::id::{StepId, ToolName};
use crate::json::{BadJson, Json, Values, cut};
use crate::order::{Held, Order};

/// An argument of an operation: a value, or what an earlier operation will have made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Exactly what goes over the wire.
    Value(Json),
    /// A field of the result of an earlier step, known only when that step has run.
    Reference(Reference),
}

/// A field of the result of a step, shown as `step.field`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// The step that makes the value.
    pub step: StepId,
    /// The field of its result; a dotted path goes deeper.
    pub field: String,
}

/// Named arguments.
pub type Arguments = BTreeMap<String, Argument>;

impl Argument {
    /// The reference, if it is one.
    pub fn reference(&self) -> Option<&Reference> {
        match self {
            Self::Reference(reference) => Some(reference),
            Self::Value(_) => None,
        }
    }

    /// The value, if it is known already.
    pub fn value(&self) -> Option<&Json> {
        match self {
            Self::Value(value) => Some(value),
            Self::Reference(_) => None,
        }
    }
}

impl From<Json> for Argument {
    fn from(value: Json) -> Self {
        Self::Value(value)
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Self::Value(Json::from(text))
    }
}

/// A reference is `"#@step.field"`, a form that neither a number nor text can have.
impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(out),
            Self::Reference(Reference { step, field }) => out.collect_str(&format_args!("#@{step}.{field}")),
        }
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        // Read loosely first: only here may text begin with `#@`.
        let raw = serde_json::Value::deserialize(input)?;
        if let serde_json::Value::String(text) = &raw
            && let Some(path) = text.strip_prefix("#@")
        {
            let refused = || D::Error::custom(BadJson::Coded { text: cut(text) });
            let (step, field) = path.split_once('.').ok_or_else(refused)?;
            if field.is_empty() {
                return Err(refused());
            }
            let step = StepId::parse(step).map_err(D::Error::custom)?;
            return Ok(Self::Reference(Reference { step, field: field.to_owned() }));
        }
        Json::deserialize(raw).map(Self::Value).map_err(D::Error::custom)
    }
}

/// A use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolUse {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments.
    pub arguments: Arguments,
}

/// How it is seen, after the write, that the write took effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Check {
    /// Another tool reads it back, and each of these fields must equal what is expected.
    ReadBack {
        /// The tool that reads.
        tool: ToolName,
        /// Its arguments.
        arguments: Arguments,
        /// Field of its result (a dotted path) to expected value.
        expect: Arguments,
    },
    /// Another tool reads the record before and after. What was written is compared wherever the record shows it;
    /// where it shows none of it, what changed is told, and nothing changed at all is a mismatch.
    Observed {
        /// The tool that reads.
        tool: ToolName,
        /// Its arguments.
        arguments: Arguments,
        /// What was written, by the name under which it was.
        written: Arguments,
    },
    /// Nothing can read it back. The answer says so.
    Unverifiable,
}

impl Check {
    /// The tool that reads, its arguments, and what is compared.
    pub fn read(&self) -> Option<(&ToolName, &Arguments, &Arguments)> {
        match self {
            Self::ReadBack { tool, arguments, expect } => Some((tool, arguments, expect)),
            Self::Observed { tool, arguments, written } => Some((tool, arguments, written)),
            Self::Unverifiable => None,
        }
    }
}

/// A value that was read before the plan was made. If it has changed since, the plan is stale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// The tool that read it.
    pub tool: ToolName,
    /// With these arguments.
    pub arguments: Values,
    /// The field of its result; a dotted path goes deeper.
    pub field: String,
    /// What stood there.
    pub value: Json,
}

/// Whether the same operation may be sent again after its outcome stayed unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// Never: a person settles it.
    Never,
    /// The operator declared that the target does an operation once per key.
    ByKey,
}

/// That an operation was carried out before: with the same arguments, or, in an earlier round, on the same record with
/// another amount. A person is asked whether it is meant again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoneBefore {
    /// How often in this round: the key of the next one counts on from there.
    #[serde(with = "as_text")]
    pub times: u32,
    /// When, the last time.
    pub at: Timestamp,
    /// What is known of it.
    pub was: Earlier,
}

/// What is known of an equal operation that was carried out before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Earlier {
    /// It was done, or may have been.
    Done,
    /// It was begun, and no trace of it was found.
    Untraced,
    /// Something like it was done in an earlier round: the same tool, on the same record, with another amount.
    Alike,
}

impl fmt::Display for DoneBefore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.strftime("%Y-%m-%d %H:%M UTC");
        match self.was {
            Earlier::Done => write!(out, "the same was done at {at}"),
            Earlier::Untraced => write!(out, "the same was begun at {at} and left no trace"),
            Earlier::Alike => {
                write!(out, "an earlier round did this to the same record at {at}, with another amount")
            }
        }
    }
}

/// A count as text: a plan holds no bare numbers.
mod as_text {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(count: &u32, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(count)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
        let text = String::deserialize(input)?;
        let count: u32 = text.parse().map_err(D::Error::custom)?;
        if count.to_string() == text { Ok(count) } else { Err(D::Error::custom("one count, one form")) }
    }
}

/// One write or notification on a plan, or a call that asks somebody. It exists only with its [`Order`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Its name in the plan.
    pub step: StepId,
    /// The tool that does it.
    pub tool: ToolName,
    /// [`Effect::Write`], [`Effect::Notify`] or [`Effect::Approval`].
    pub effect: Effect,
    /// What the tool is given.
    pub arguments: Arguments,
    /// How its effect is seen afterwards.
    pub check: Check,
    /// What would undo it.
    #[serde(deserialize_with = "present")]
    pub undo: Option<ToolUse>,
    /// The values that it was decided on.
    pub before: Vec<Seen>,
    /// Who is told.
    pub recipients: Vec<String>,
    /// Hours in which nobody is told, `20:00-07:00`.
    #[serde(deserialize_with = "present")]
    pub quiet: Option<String>,
    /// The money it moves, where that is known; limits of people are held against it.
    #[serde(deserialize_with = "present")]
    pub amount: Option<Money>,
    /// Whether it may be sent again by key.
    pub repeat: Repeat,
    /// That exactly this was done before in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_before: Option<DoneBefore>,
    /// What asks for it. Absent in plans that were stored before orders were recorded.
    #[serde(default = "Held::unrecorded", skip_serializing_if = "Held::is_unrecorded")]
    order: Held,
}

/// Reads a field that may be null but not missing: one operation, one stored form.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(input: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(input)
}

impl Operation {
    /// An operation with no undo, no recipients and nothing seen before; those are set as fields.
    pub fn new(
        step: StepId,
        tool: ToolName,
        effect: Effect,
        arguments: Arguments,
        check: Check,
        order: Order,
    ) -> Self {
        Self {
            step,
            tool,
            effect,
            arguments,
            check,
            undo: None,
            before: Vec::new(),
            recipients: Vec::new(),
            quiet: None,
            amount: None,
            repeat: Repeat::Never,
            done_before: None,
            order: Held(order),
        }
    }

    /// What asks for it.
    pub fn order(&self) -> &Order {
        &self.order.0
    }

    /// The money it moves: what is declared, else every argument that is an amount of money.
    pub fn amounts(&self) -> Vec<Money> {
        let read = |argument: &Argument| Money::parse(argument.value()?.as_text()?).ok();
        match self.amount {
            Some(amount) => vec![amount],
            None => self.arguments.values().filter_map(read).collect(),
        }
    }

    /// The money that it moves, for the limits of people; `None` where the plan does not tell.
    ///
    /// A declared amount counts unless an argument shows more. Without one, a number, a result of an earlier step or
    /// text that only looks like money could move anything.
    pub(crate) fn moved(&self) -> Option<Vec<Money>> {
        match self.effect {
            Effect::Write => {}
            Effect::Read | Effect::Compute | Effect::Notify | Effect::Approval => return Some(Vec::new()),
        }
        let mut shown = Vec::new();
        let mut known = true;
        for argument in self.arguments.values() {
            match argument {
                Argument::Value(value) => known &= collect_money(value, &mut shown),
                Argument::Reference(_) => known = false,
            }
        }
        match self.amount {
            Some(declared) => {
                let covers = |money: &Money| {
                    money.currency() == declared.currency()
                        && money.minor().unsigned_abs() <= declared.minor().unsigned_abs()
                };
                shown.retain(|money| !covers(money));
                shown.push(declared);
                Some(shown)
            }
            None => known.then_some(shown),
        }
    }

    /// Every value that it holds, with its name.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&String, &Json)> {
        let read_back =
            self.check.read().map_or_else(Vec::new, |(_, arguments, expect)| vec![arguments, expect]);
        let named = std::iter::once(&self.arguments)
            .chain(read_back)
            .chain(self.undo.iter().map(|undo| &undo.arguments))
            .flatten()
            .filter_map(|(name, argument)| Some((name, argument.value()?)));
        let seen = self
            .before
            .iter()
            .flat_map(|seen| seen.arguments.iter().chain(std::iter::once((&seen.field, &seen.value))));
        named.chain(seen)
    }
}

/// Collects the amounts of money in a value. `false` where it holds something that could be one and cannot be read.
fn collect_money(value: &Json, found: &mut Vec<Money>) -> bool {
    match value {
        Json::Null | Json::Bool(_) => true,
        Json::Number(_) => false,
        Json::Text(text) => match Money::parse(text) {
            Ok(money) => {
                found.push(money);
                true
            }
            Err(_) => !looks_like_money(text),
        },
        Json::List(values) => values.iter().all(|value| collect_money(value, found)),
        Json::Record(fields) => fields.values().all(|value| collect_money(value, found)),
    }
}

/// Digits that stand alone and are no date, or beside a sign or code of a currency: `90000.00`, `$90,000`, `EUR 5`.
fn looks_like_money(text: &str) -> bool {
    const SIGNS: &str = "$€£¥¢₹₩₽₺₫₴₦฿";
    let is_figure = |character: char| character.is_numeric() || " .,'+-()\u{2212}\u{a0}".contains(character);
    let rest: String = text.chars().filter(|character| !is_figure(*character)).collect();
    let beside = || {
        rest.chars().any(|character| SIGNS.contains(character))
            || Currency::parse(&rest.to_uppercase()).is_ok()
    };
    let alone = || rest.is_empty() && text.parse::<jiff::civil::Date>().is_err();
    text.chars().any(char::is_numeric) && (alone() || beside())
}
