//! The words of a plan: what a card's headline and its buttons say, made from the operations and from nothing else.

use crate::effect::Effect;
use crate::json::Json;
use crate::operation::{Argument, Operation};
use crate::plan::Plan;
use crate::words;

/// The longest value in a headline, in characters.
const VALUE_CHARS_MAX: usize = 60;
/// The most recipients that a headline names.
const RECIPIENTS_SHOWN_MAX: usize = 3;
/// Arguments that name a part of the subject.
const PARTS: &[&str] =
    &["application", "device", "group", "item", "license", "product", "resource", "sku", "system"];
/// Words of a tool's name that make the plan itself a rejection.
const REJECTIONS: &[&str] = &["reject", "deny", "decline", "refuse", "disapprove", "dismiss"];

impl Operation {
    /// What it does, as a sentence without a full stop: `Reject invoice INV-2024-447`.
    pub fn headline(&self) -> String {
        let words = words::split(self.tool.as_str());
        let mut text = capitalised(&words.join(" "));
        let subject = self.subject(&words);
        if let Some((Subject::Itself, value)) = &subject {
            text.push(' ');
            text.push_str(value);
        }
        if let [amount] = self.amounts().as_slice() {
            text.push_str(&format!(" of {amount}"));
        }
        if let Some((Subject::Other(label), value)) = &subject {
            text.push_str(&format!(", {label} {value}"));
        }
        for (name, value) in self.named_parts() {
            text.push_str(&format!(", {name} {value}"));
        }
        if self.effect == Effect::Notify && !self.recipients.is_empty() {
            text.push_str(&format!(" to {}", self.told()));
        }
        text
    }

    /// The argument that says which one is meant.
    fn subject(&self, words: &[String]) -> Option<(Subject, String)> {
        let noun = words.last().map_or("", String::as_str);
        let is_noun = |stem: &str| stem == noun || noun.strip_suffix('s') == Some(stem);
        let ids = || self.arguments.iter().filter_map(|(name, argument)| Some((stem(name)?, argument)));
        if let Some((_, argument)) = ids().find(|(stem, _)| stem.is_empty() || is_noun(stem)) {
            return Some((Subject::Itself, value_of(argument)));
        }
        let (stem, argument) = ids().next()?;
        Some((Subject::Other(visible(&stem.replace('_', " "))), value_of(argument)))
    }

    /// Arguments that say which part of the subject is meant: the system whose access ends, the item that is moved.
    fn named_parts(&self) -> impl Iterator<Item = (&String, String)> {
        self.arguments.iter().filter(|(name, _)| PARTS.contains(&name.as_str())).filter_map(
            |(name, argument)| {
                let text = argument.value()?.as_text()?;
                Some((name, visible(text)))
            },
        )
    }

    fn told(&self) -> String {
        let shown: Vec<String> =
            self.recipients.iter().take(RECIPIENTS_SHOWN_MAX).map(|to| visible(to)).collect();
        let rest = self.recipients.len().saturating_sub(shown.len());
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    }
}

enum Subject {
    /// The tool's own noun: `reject_invoice(invoice_id=…)`.
    Itself,
    /// Something else: `apply_account_credit(vendor_id=…)`.
    Other(String),
}

/// `invoice` of `invoice_id`, nothing of `id`; `None` if the name is no id.
fn stem(name: &str) -> Option<&str> {
    ["_id", "_number", "_key"].iter().find_map(|suffix| name.strip_suffix(suffix)).or(match name {
        "id" | "number" | "key" => Some(""),
        _ => None,
    })
}

fn value_of(argument: &Argument) -> String {
    match argument {
        Argument::Value(Json::Text(text)) => visible(text),
        Argument::Value(value) => visible(&value.to_wire()),
        Argument::Reference(reference) => {
            format!("({} of step {})", visible(&reference.field), reference.step)
        }
    }
}

impl Plan {
    /// What it does, as the headline of its card and the words of its button.
    pub fn headline(&self) -> String {
        match self.operations() {
            [] => "Do nothing".to_owned(),
            [only] => only.headline(),
            [first, rest @ ..] => format!("{} and {} more", first.headline(), rest.len()),
        }
    }

    /// The words of the other button.
    pub fn decline_label(&self) -> String {
        let headline = self.headline();
        let mut characters = headline.chars();
        let first: String = characters.next().into_iter().flat_map(char::to_lowercase).collect();
        format!("Do not {first}{}", characters.as_str())
    }

    /// Whether doing the plan rejects something, so that a bare "approve" or "reject" could mean either.
    pub fn is_rejection(&self) -> bool {
        self.operations().iter().any(|operation| {
            let words = words::split(operation.tool.as_str());
            words.iter().any(|word| REJECTIONS.contains(&word.as_str()))
        })
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}", characters.as_str())
}

/// Text from outside as one line in which nothing hides: control, direction and invisible characters are written out.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == VALUE_CHARS_MAX {
            shown.push('…');
            break;
        }
        if hides(character) {
            shown.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character would hide something from a reader: control, direction, invisible, private and odd white space.
///
/// The one list of them; everything that shows text from outside asks here.
pub fn hides(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2028}'..='\u{2029}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e000}'..='\u{f8ff}'
                | '\u{e0000}'..='\u{10ffff}'
        )
}

#[cfg(test)]
#[path = "headline_tests.rs"]
mod tests;
