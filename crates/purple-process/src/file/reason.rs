//! Why a rule decides, in the words of its file: with the names of values in it, so that it cannot disagree with them.

use purple_policy::{Exact, Expression, Facts, Value};

use super::model::Parameter;
use super::names::{self, Names, Piece};
use super::problem::{ProblemCode, Problems};
use super::yaml::{Text, shown};

/// A `because`, with the values that it names.
#[derive(Clone, Debug)]
pub(crate) struct Reason {
    parts: Vec<Part>,
    /// With the thresholds put in, and the names of what is known only in a case.
    plain: String,
}

#[derive(Clone, Debug)]
enum Part {
    Words(String),
    Name(Expression),
}

impl Reason {
    /// Reads a `because`. `{name}` stands for a value; what has no name in the file is refused.
    pub(crate) fn read(
        text: &Text,
        names: &Names,
        parameters: &[Parameter],
        problems: &mut Problems,
    ) -> Option<Self> {
        let line = text.one_line();
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), line.as_str());
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, behind)) = after.split_once('}') else {
                let help = "write `{name}` for a value";
                problems.add(text.at, ProblemCode::BadForm, "a `{` is not closed", help);
                return None;
            };
            parts.push(Part::Words(before.to_owned()));
            plain.push_str(before);
            let piece = Piece { whole: text, source: name, offset: 0 };
            parts.push(Part::Name(names::expression(piece, &names.scope(), problems)?));
            match parameters.iter().find(|known| known.name == name.trim()) {
                Some(parameter) => plain.push_str(&written(&parameter.value)),
                None => plain.push_str(&name.trim().replace(['.', '_'], " ")),
            }
            rest = behind;
        }
        parts.push(Part::Words(rest.to_owned()));
        plain.push_str(rest);
        Some(Self { parts, plain })
    }

    /// In general: with thresholds, and the names of other values.
    pub(crate) fn plain(&self) -> &str {
        &self.plain
    }

    /// In a case: with all values. `None` where one of them has none: what is not known is not stated.
    pub(crate) fn filled(&self, facts: &Facts) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Words(words) => text.push_str(words),
                Part::Name(name) => text.push_str(&written(&name.evaluate(facts).ok()?)),
            }
        }
        Some(text)
    }

    fn words(&self) -> String {
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Words(words) => Some(words.as_str()),
            Part::Name(_) => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn written(value: &Value) -> String {
    value.to_string()
}

/// Refuses a figure in the words of a reason that its condition has too: one of the two will be changed without the other.
pub(crate) fn refuse_repeated(text: &Text, reason: &Reason, condition: &str, problems: &mut Problems) {
    let of_condition: Vec<Exact> = figures(condition);
    for figure in figures(&reason.words()).iter().filter(|figure| of_condition.contains(figure)) {
        let figure = figure.to_plain().unwrap_or_default();
        problems.add(
            text.at,
            ProblemCode::Repeated,
            format!("`{}` repeats the threshold {figure} of its condition", shown(text)),
            format!("give it a name under `parameters`, and write `{{name}}` in both: `parameters: {{limit: {figure}}}`"),
        );
    }
}

/// The numbers in a text, with or without separators of thousands.
fn figures(text: &str) -> Vec<Exact> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let words = text.split(|c: char| !(is_part(c) || c.is_alphanumeric() || c == '_' || c == '-'));
    words
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .filter_map(|word| Exact::parse(&word.trim_end_matches(['.', ',']).replace(',', "")).ok())
        .collect()
}
