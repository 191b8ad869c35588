//! A function that somebody wrote: what goes in, what comes out, and by which cases it is judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use purple_finance::Exact;
use purple_process::Digest;
use serde::{Deserialize, Serialize};

/// The longest text of a function, in bytes.
pub const CODE_BYTES_MAX: usize = 16 * 1024;
/// The longest name of a function, a parameter, a field or a refusal, in characters.
pub const WORD_CHARS_MAX: usize = 48;
/// How many parameters a function may have.
pub const PARAMETERS_MAX: usize = 16;
/// How many refusals a function may declare.
pub const REFUSALS_MAX: usize = 16;
/// How many values a domain may list.
pub const CHOICES_MAX: usize = 64;
/// How many lists and records may lie inside each other.
pub const VALUE_LEVELS_MAX: usize = 8;
/// How many items the lists of one argument or result may have, all together.
pub const LIST_ITEMS_MAX: usize = 2_000;
/// How many fields the records of one argument or result may have, all together.
pub const RECORD_FIELDS_MAX: usize = 2_000;
/// How many bytes the texts of one argument or result may have, all together.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;
/// How many decimals a declared number may have.
pub const PLACES_MAX: u8 = 28;
/// How many cases a trial may have, shown ones and held-back ones each.
pub const CASES_MAX: usize = 64;

/// A value that goes into a function or comes out of it. Numbers are exact, and nothing is absent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Datum {
    /// A number.
    Number(Exact),
    /// A text; dates are texts such as `2026-01-31`.
    Text(String),
    /// Yes or no.
    Truth(bool),
    /// Several values in order.
    List(Vec<Datum>),
    /// Several values by name.
    Record(BTreeMap<String, Datum>),
}

/// What a function is given, by the names of its parameters.
pub type Arguments = BTreeMap<String, Datum>;

/// The inputs for which a parameter is declared. A function is tried on values from it, and never called outside of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Domain {
    /// Numbers from `least` to `most`, both included.
    Number {
        /// The smallest.
        least: Exact,
        /// The largest.
        most: Exact,
        /// With at most so many decimals.
        places: u8,
    },
    /// Texts.
    Text {
        /// With at most so many characters.
        chars_max: u16,
    },
    /// One of these words.
    OneOf(Vec<String>),
    /// Yes or no.
    Truth,
    /// Lists of one kind of item.
    List {
        /// Of what.
        of: Box<Domain>,
        /// With at least so many items.
        items_min: u16,
        /// With at most so many items.
        items_max: u16,
    },
    /// Records with exactly these fields.
    Record(BTreeMap<String, Domain>),
}

/// What a function promises to answer with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A number with at most so many decimals: what is longer was not rounded.
    Number {
        /// How many.
        places: u8,
    },
    /// A text.
    Text,
    /// Yes or no.
    Truth,
    /// A list of one kind of item.
    List(Box<Shape>),
    /// A record with exactly these fields.
    Record(BTreeMap<String, Shape>),
}

/// A parameter: its name and the inputs that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// What it is called.
    pub name: String,
    /// What it takes.
    pub takes: Domain,
}

/// What a function declares: its name, what it takes, what it answers with, and the words with which it may refuse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// What it is called.
    pub name: String,
    /// What it takes, in order.
    pub parameters: Vec<Parameter>,
    /// What it answers with.
    pub answers: Shape,
    /// The words with which it may refuse an input of its domain.
    pub refuses: Vec<String>,
}

/// How a call came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With a value.
    Value(Datum),
    /// With one of the refusals that the function declares.
    Refused(String),
}

/// One example that the function must reproduce. It was made before the code, by somebody else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What goes in.
    pub given: Arguments,
    /// What must come out.
    pub expected: Outcome,
}

/// A function with all that decides whether it is admitted. Its hash is its name for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// What it declares.
    pub signature: Signature,
    /// Its text, in the language of the sandbox.
    pub code: String,
    /// Cases that its author was shown.
    pub shown: Vec<Case>,
    /// Cases that its author never saw.
    pub held_back: Vec<Case>,
}

/// The content hash of a [`Program`]: signature, code and cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FunctionHash(pub Digest);

/// A declaration that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSignature {
    /// A name that is not a word of lower-case letters, digits and underscores.
    #[error("`{word}` is not a name: lower-case letters, digits and underscores, {max} at most", max = WORD_CHARS_MAX)]
    NotAWord {
        /// What was written, cut.
        word: String,
    },
    /// The same name twice.
    #[error("`{word}` is declared twice")]
    Twice {
        /// Which.
        word: String,
    },
    /// More than may be declared.
    #[error("{count} {what} are declared; at most {count_max}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many may be.
        count_max: usize,
    },
    /// A domain that holds nothing, or that needs a larger value than there may be.
    #[error("{what} is declared without a possible value")]
    Impossible {
        /// What: `a number`, `a list`.
        what: &'static str,
    },
}

impl Datum {
    /// What kind of value it is, in a word.
    #[must_use]
    pub const fn kind_name(&self) -> &'static str {
        match self {
            Self::Number(_) => "number",
            Self::Text(_) => "text",
            Self::Truth(_) => "truth",
            Self::List(_) => "list",
            Self::Record(_) => "record",
        }
    }

    /// Whether it keeps the bounds of this file: levels, items, fields, bytes.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        let mut size = Size::default();
        size.add(self, VALUE_LEVELS_MAX) && size.fits()
    }
}

/// How large a value is, counted while it is walked.
#[derive(Default)]
struct Size {
    items: usize,
    fields: usize,
    bytes: usize,
}

impl Size {
    fn fits(&self) -> bool {
        self.items <= LIST_ITEMS_MAX && self.fields <= RECORD_FIELDS_MAX && self.bytes <= TEXT_BYTES_MAX
    }

    /// Adds a value that may hold so many levels more; `false` ends the walk.
    fn add(&mut self, datum: &Datum, levels: usize) -> bool {
        match datum {
            Datum::Number(_) | Datum::Truth(_) => true,
            Datum::Text(text) => {
                self.bytes += text.len();
                self.fits()
            }
            Datum::List(items) => {
                self.items += items.len();
                levels > 0 && self.fits() && items.iter().all(|item| self.add(item, levels - 1))
            }
            Datum::Record(fields) => {
                self.fields += fields.len();
                self.bytes += fields.keys().map(String::len).sum::<usize>();
                levels > 0 && self.fits() && fields.values().all(|field| self.add(field, levels - 1))
            }
        }
    }
}

impl Domain {
    /// Whether the value belongs to it.
    #[must_use]
    pub fn holds(&self, datum: &Datum) -> bool {
        match (self, datum) {
            (Self::Number { least, most, places }, Datum::Number(number)) => {
                (least..=most).contains(&number) && has_places(number, *places)
            }
            (Self::Text { chars_max }, Datum::Text(text)) => text.chars().count() <= usize::from(*chars_max),
            (Self::OneOf(words), Datum::Text(text)) => words.contains(text),
            (Self::Truth, Datum::Truth(_)) => true,
            (Self::List { of, items_min, items_max }, Datum::List(items)) => {
                (usize::from(*items_min)..=usize::from(*items_max)).contains(&items.len())
                    && items.iter().all(|item| of.holds(item))
            }
            (Self::Record(domains), Datum::Record(fields)) => {
                domains.len() == fields.len()
                    && domains.iter().all(|(name, domain)| fields.get(name).is_some_and(|f| domain.holds(f)))
            }
            (Self::Number { .. }, _)
            | (Self::Text { .. } | Self::OneOf(_), _)
            | (Self::Truth, _)
            | (Self::List { .. }, _)
            | (Self::Record(_), _) => false,
        }
    }

    fn check(&self, levels: usize) -> Result<(), BadSignature> {
        match self {
            Self::Number { least, most, places } => {
                possible(least <= most && *places <= PLACES_MAX, "a number")
            }
            Self::Text { chars_max } => possible(usize::from(*chars_max) <= TEXT_BYTES_MAX / 4, "a text"),
            Self::OneOf(words) => {
                at_most("choices", words.len(), CHOICES_MAX)?;
                possible(
                    !words.is_empty() && words.iter().map(String::len).sum::<usize>() <= TEXT_BYTES_MAX,
                    "a choice",
                )
            }
            Self::Truth => Ok(()),
            Self::List { of, items_min, items_max } => {
                possible(
                    levels > 0 && items_min <= items_max && usize::from(*items_max) <= LIST_ITEMS_MAX,
                    "a list",
                )?;
                of.check(levels - 1)
            }
            Self::Record(fields) => {
                possible(levels > 0 && fields.len() <= RECORD_FIELDS_MAX, "a record")?;
                fields
                    .iter()
                    .try_for_each(|(name, domain)| word(name).and_then(|()| domain.check(levels - 1)))
            }
        }
    }
}

impl Shape {
    /// Whether the value has it.
    #[must_use]
    pub fn fits(&self, datum: &Datum) -> bool {
        match (self, datum) {
            (Self::Number { places }, Datum::Number(number)) => has_places(number, *places),
            (Self::Text, Datum::Text(_)) | (Self::Truth, Datum::Truth(_)) => true,
            (Self::List(of), Datum::List(items)) => items.iter().all(|item| of.fits(item)),
            (Self::Record(shapes), Datum::Record(fields)) => {
                shapes.len() == fields.len()
                    && shapes
                        .iter()
                        .all(|(name, shape)| fields.get(name).is_some_and(|field| shape.fits(field)))
            }
            (Self::Number { .. }, _)
            | (Self::Text, _)
            | (Self::Truth, _)
            | (Self::List(_), _)
            | (Self::Record(_), _) => false,
        }
    }

    fn check(&self, levels: usize) -> Result<(), BadSignature> {
        match self {
            Self::Number { places } => possible(*places <= PLACES_MAX, "a number"),
            Self::Text | Self::Truth => Ok(()),
            Self::List(of) => possible(levels > 0, "a list").and_then(|()| of.check(levels - 1)),
            Self::Record(fields) => {
                possible(levels > 0 && fields.len() <= RECORD_FIELDS_MAX, "a record")?;
                fields.iter().try_for_each(|(name, shape)| word(name).and_then(|()| shape.check(levels - 1)))
            }
        }
    }
}

impl Signature {
    /// Whether it can be kept at all.
    ///
    /// # Errors
    ///
    /// [`BadSignature`], the first that is found.
    pub fn check(&self) -> Result<(), BadSignature> {
        word(&self.name)?;
        at_most("parameters", self.parameters.len(), PARAMETERS_MAX)?;
        at_most("refusals", self.refuses.len(), REFUSALS_MAX)?;
        let mut seen = BTreeSet::new();
        for name in self.parameters.iter().map(|parameter| &parameter.name) {
            word(name)?;
            if !seen.insert(name) {
                return Err(BadSignature::Twice { word: name.clone() });
            }
        }
        self.refuses.iter().try_for_each(|refusal| word(refusal))?;
        self.parameters.iter().try_for_each(|parameter| parameter.takes.check(VALUE_LEVELS_MAX))?;
        self.answers.check(VALUE_LEVELS_MAX)
    }
}

impl Program {
    /// Its content hash.
    #[must_use]
    pub fn hash(&self) -> FunctionHash {
        // Fields are written in the order of their declaration and names in their own, numbers as decimal text.
        let mut bytes = b"purple function 1\n".to_vec();
        // A vector takes every write, and every map here has text for keys: nothing can fail.
        let written = serde_json::to_writer(&mut bytes, self);
        debug_assert!(written.is_ok(), "a program is plain data");
        FunctionHash(Digest::of(&bytes))
    }
}

impl fmt::Display for FunctionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn has_places(number: &Exact, places: u8) -> bool {
    number.finite_places().is_some_and(|found| found <= places)
}

fn possible(fits: bool, what: &'static str) -> Result<(), BadSignature> {
    if fits { Ok(()) } else { Err(BadSignature::Impossible { what }) }
}

fn at_most(what: &'static str, count: usize, count_max: usize) -> Result<(), BadSignature> {
    if count <= count_max { Ok(()) } else { Err(BadSignature::TooMany { what, count, count_max }) }
}

fn word(text: &str) -> Result<(), BadSignature> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let begins = text.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    if begins && text.len() <= WORD_CHARS_MAX && text.bytes().all(plain) {
        return Ok(());
    }
    Err(BadSignature::NotAWord { word: text.chars().take(WORD_CHARS_MAX).collect() })
}

#[cfg(test)]
#[path = "function_tests.rs"]
mod tests;
