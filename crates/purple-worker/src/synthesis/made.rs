//! A function that was made: what it is about, when it is thought of, and how plain JSON goes in and comes out.

use std::collections::BTreeMap;

use purple_finance::{Exact, Money};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::port::{
    Arguments, Case, Datum, Domain, FunctionHash, Outcome, Parameter, Program, Shape, Signature,
    ToolDefinition,
};
use crate::prime::wording::says;

/// The fewest and the most cases that a function is judged by.
pub(crate) const CASES_MIN: usize = 6;
pub(crate) const CASES_MAX: usize = 24;
/// The most words that point to a function.
pub(crate) const WORDS_MAX: usize = 6;
/// The shortest of them, in characters.
const WORD_CHARS_MIN: usize = 4;

/// What a number counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    #[default]
    Plain,
    /// An amount of money, in whatever currency it is given in.
    Money,
}

/// A function with all that is kept of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Made {
    pub about: String,
    /// Words of a task that point to it, in lower case.
    pub words: Vec<String>,
    /// The parameters that take money.
    pub money: Vec<String>,
    /// What it answers with.
    pub unit: Unit,
    pub program: Program,
}

/// What a function must do, as somebody said who does not write it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Specification {
    pub name: String,
    pub about: String,
    pub words: Vec<String>,
    pub money: Vec<String>,
    pub unit: Unit,
    pub signature: Signature,
    pub shown: Vec<Case>,
    pub held_back: Vec<Case>,
}

/// A reply that says what a function must do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    parameters: Vec<SaidParameter>,
    answers: Shape,
    #[serde(default)]
    unit: Unit,
    #[serde(default)]
    refuses: Vec<String>,
    cases: Vec<SaidCase>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidParameter {
    name: String,
    takes: Domain,
    #[serde(default)]
    unit: Unit,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidCase {
    given: Map<String, Value>,
    #[serde(default)]
    expected: Option<Value>,
    #[serde(default)]
    refused: Option<String>,
}

/// Why a reply says not what a function must do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unspecified {
    #[error("the reply is not a description of a function: {0}")]
    NotASpecification(#[from] serde_json::Error),
    #[error(transparent)]
    Signature(#[from] crate::port::BadSignature),
    #[error("case {index} does not fit what is declared")]
    Case { index: usize },
    #[error("{count} different cases; at least {count_min} and at most {count_max}")]
    Cases { count: usize, count_min: usize, count_max: usize },
}

impl Specification {
    /// Reads a reply. Every other case is held back from whoever writes the code.
    pub(crate) fn parse(reply: &str, name: &str, about: &str, words: &[String]) -> Result<Self, Unspecified> {
        let said: Said = serde_json::from_str(reply.trim())?;
        let parameter = |one: &SaidParameter| Parameter { name: one.name.clone(), takes: one.takes.clone() };
        let signature = Signature {
            name: name.to_owned(),
            parameters: said.parameters.iter().map(parameter).collect(),
            answers: said.answers,
            refuses: said.refuses,
        };
        signature.check()?;
        let mut cases: Vec<Case> = Vec::new();
        for (index, said) in said.cases.iter().enumerate() {
            let case = case_of(&signature, said).ok_or(Unspecified::Case { index })?;
            if !cases.iter().any(|known| known.given == case.given) {
                cases.push(case);
            }
        }
        if !(CASES_MIN..=CASES_MAX).contains(&cases.len()) {
            let (count_min, count_max) = (CASES_MIN, CASES_MAX);
            return Err(Unspecified::Cases { count: cases.len(), count_min, count_max });
        }
        let (shown, held_back): (Vec<_>, Vec<_>) =
            cases.into_iter().enumerate().partition(|(index, _)| index % 2 == 0);
        let money = said.parameters.iter().filter(|one| one.unit == Unit::Money).map(|one| one.name.clone());
        Ok(Self {
            name: name.to_owned(),
            about: about.to_owned(),
            words: words.to_vec(),
            money: money.collect(),
            unit: said.unit,
            signature,
            shown: shown.into_iter().map(|(_, case)| case).collect(),
            held_back: held_back.into_iter().map(|(_, case)| case).collect(),
        })
    }

    /// The function with this code.
    pub(crate) fn with(&self, code: &str) -> Made {
        let Self { name: _, about, words, money, unit, signature, shown, held_back } = self.clone();
        let program = Program { signature, code: code.to_owned(), shown, held_back };
        Made { about, words, money, unit, program }
    }

    /// `fee(amount, days)`.
    pub(crate) fn declared(&self) -> String {
        let names: Vec<&str> = self.signature.parameters.iter().map(|one| one.name.as_str()).collect();
        format!("{}({})", self.name, names.join(", "))
    }

    /// The examples that whoever writes the code may see.
    pub(crate) fn examples(&self) -> String {
        let one = |case: &Case| {
            let given: Map<String, Value> =
                case.given.iter().map(|(name, datum)| (name.clone(), to_json(datum))).collect();
            match &case.expected {
                Outcome::Value(datum) => format!("{} → {}", Value::Object(given), to_json(datum)),
                Outcome::Refused(word) => format!("{} → throw {word:?}", Value::Object(given)),
            }
        };
        self.shown.iter().map(one).collect::<Vec<_>>().join("\n")
    }
}

impl Made {
    pub(crate) fn name(&self) -> &str {
        &self.program.signature.name
    }

    pub(crate) fn hash(&self) -> FunctionHash {
        self.program.hash()
    }

    /// Whether a task has a word that points to it.
    pub(crate) fn fits(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        self.words.iter().any(|word| says(&lower, word))
    }

    /// The function as a tool.
    pub(crate) fn tool(&self) -> ToolDefinition {
        let parameter = |one: &Parameter| (one.name.clone(), self.schema_of(one));
        let properties: Map<String, Value> =
            self.program.signature.parameters.iter().map(parameter).collect();
        let required: Vec<&String> = properties.keys().collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let mut definition = ToolDefinition::new(self.name(), crate::drive::described(&self.about));
        definition.input_schema = schema;
        definition
    }

    fn schema_of(&self, parameter: &Parameter) -> Value {
        if self.money.contains(&parameter.name) {
            return json!({"type": "string", "description": "as `1250.75 USD`"});
        }
        schema(&parameter.takes)
    }

    /// What a model gave, as arguments, and the currency that all of its money is in.
    pub(crate) fn arguments(&self, given: &Value) -> Result<(Arguments, Option<String>), String> {
        let Value::Object(given) = given else { return Err("the arguments are not an object".to_owned()) };
        let mut currency: Option<String> = None;
        let mut arguments = Arguments::new();
        for parameter in &self.program.signature.parameters {
            let name = &parameter.name;
            let value = given.get(name).ok_or_else(|| format!("`{name}` is missing"))?;
            let value = match self.money.contains(name) {
                true => {
                    let text =
                        value.as_str().ok_or_else(|| format!("`{name}` is money, as `1250.75 USD`"))?;
                    let money = Money::parse(text).map_err(|error| format!("`{name}`: {error}"))?;
                    let own = money.currency().to_string();
                    if currency.get_or_insert_with(|| own.clone()) != &own {
                        return Err(format!("`{name}` is in another currency than the money before it"));
                    }
                    json!(money.amount().to_string())
                }
                false => value.clone(),
            };
            let datum = from_json(&parameter.takes, &value)
                .ok_or_else(|| format!("`{name}` is not what it takes: {}", json!(parameter.takes)))?;
            arguments.insert(name.clone(), datum);
        }
        match given.keys().find(|name| !arguments.contains_key(*name)) {
            Some(name) => Err(format!("there is no parameter `{name}`")),
            None => Ok((arguments, currency)),
        }
    }

    /// What came out, as JSON. Money has the currency that went in.
    pub(crate) fn result(&self, datum: &Datum, currency: Option<&str>) -> Value {
        match (self.unit, datum, currency) {
            (Unit::Money, Datum::Number(number), Some(currency)) => {
                let plain = format!("{number} {currency}");
                json!(Money::parse(&plain).map_or(plain, |money| money.to_string()))
            }
            (Unit::Money | Unit::Plain, _, _) => to_json(datum),
        }
    }
}

/// Words that point to a computation: those that stand in the task.
pub(crate) fn pointing(words: &[String], text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let plain = words.iter().map(|word| word.trim().to_lowercase());
    plain
        .filter(|word| word.chars().count() >= WORD_CHARS_MIN && says(&lower, word))
        .take(WORDS_MAX)
        .collect()
}

fn case_of(signature: &Signature, said: &SaidCase) -> Option<Case> {
    let mut given = Arguments::new();
    for parameter in &signature.parameters {
        given.insert(parameter.name.clone(), from_json(&parameter.takes, said.given.get(&parameter.name)?)?);
    }
    let expected = match (&said.expected, &said.refused) {
        (Some(value), None) => Outcome::Value(shaped(&signature.answers, value)?),
        (None, Some(word)) => Outcome::Refused(word.clone()),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    (said.given.len() == given.len()).then_some(Case { given, expected })
}

fn number(value: &Value) -> Option<Exact> {
    match value {
        Value::Number(number) => Exact::parse(&number.to_string()).ok(),
        Value::String(text) => Exact::parse(text.trim().strip_suffix('%').unwrap_or(text.trim())).ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// JSON as a value of a domain.
fn from_json(domain: &Domain, value: &Value) -> Option<Datum> {
    let datum = match (domain, value) {
        (Domain::Number { .. }, value) => Datum::Number(number(value)?),
        (Domain::Text { .. } | Domain::OneOf(_), Value::String(text)) => Datum::Text(text.clone()),
        (Domain::Truth, Value::Bool(truth)) => Datum::Truth(*truth),
        (Domain::List { of, .. }, Value::Array(items)) => {
            Datum::List(items.iter().map(|item| from_json(of, item)).collect::<Option<_>>()?)
        }
        (Domain::Record(fields), Value::Object(given)) => {
            let field = |(name, domain): (&String, &Domain)| {
                Some((name.clone(), from_json(domain, given.get(name)?)?))
            };
            Datum::Record(fields.iter().map(field).collect::<Option<BTreeMap<_, _>>>()?)
        }
        (
            Domain::Text { .. } | Domain::OneOf(_) | Domain::Truth | Domain::List { .. } | Domain::Record(_),
            _,
        ) => {
            return None;
        }
    };
    domain.holds(&datum).then_some(datum)
}

/// JSON as a value of a shape.
fn shaped(shape: &Shape, value: &Value) -> Option<Datum> {
    let datum = match (shape, value) {
        (Shape::Number { .. }, value) => Datum::Number(number(value)?),
        (Shape::Text, Value::String(text)) => Datum::Text(text.clone()),
        (Shape::Truth, Value::Bool(truth)) => Datum::Truth(*truth),
        (Shape::List(of), Value::Array(items)) => {
            Datum::List(items.iter().map(|item| shaped(of, item)).collect::<Option<_>>()?)
        }
        (Shape::Record(fields), Value::Object(given)) => {
            let field =
                |(name, shape): (&String, &Shape)| Some((name.clone(), shaped(shape, given.get(name)?)?));
            Datum::Record(fields.iter().map(field).collect::<Option<BTreeMap<_, _>>>()?)
        }
        (Shape::Text | Shape::Truth | Shape::List(_) | Shape::Record(_), _) => return None,
    };
    shape.fits(&datum).then_some(datum)
}

/// A value as JSON; a number as text, with all its digits.
pub(crate) fn to_json(datum: &Datum) -> Value {
    match datum {
        Datum::Number(number) => json!(number.to_string()),
        Datum::Text(text) => json!(text),
        Datum::Truth(truth) => json!(truth),
        Datum::List(items) => Value::Array(items.iter().map(to_json).collect()),
        Datum::Record(fields) => {
            Value::Object(fields.iter().map(|(name, field)| (name.clone(), to_json(field))).collect())
        }
    }
}

fn schema(domain: &Domain) -> Value {
    match domain {
        Domain::Number { least, most, places } => json!({
            "type": ["number", "string"],
            "description": format!("from {least} to {most}, at most {places} decimals"),
        }),
        Domain::Text { chars_max } => json!({"type": "string", "maxLength": chars_max}),
        Domain::OneOf(words) => json!({"enum": words}),
        Domain::Truth => json!({"type": "boolean"}),
        Domain::List { of, items_min, items_max } => {
            json!({"type": "array", "items": schema(of), "minItems": items_min, "maxItems": items_max})
        }
        Domain::Record(fields) => {
            let properties: Map<String, Value> =
                fields.iter().map(|(name, domain)| (name.clone(), schema(domain))).collect();
            let required: Vec<&String> = fields.keys().collect();
            json!({"type": "object", "properties": properties, "required": required})
        }
    }
}

#[cfg(test)]
#[path = "made_tests.rs"]
mod tests;
