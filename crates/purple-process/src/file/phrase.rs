//! Turns a form under `say` into a sentence.

use purple_intent::{Language, SayForm, lexicon};

use super::model::Task;

/// A word with its alternatives, or a slot.
enum Piece<'f> {
    Word { text: &'f str, part: Part },
    Slot { name: &'f str, part: Part },
}

/// Where a piece stands: outside of brackets, or in the optional part with this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Required,
    Optional(usize),
}

impl Piece<'_> {
    fn part(&self) -> Part {
        match self {
            Self::Word { part, .. } | Self::Slot { part, .. } => *part,
        }
    }
}

/// A sentence that the form fits. `value` gives the words for an input.
pub(super) fn sentence(form: &SayForm, task: &Task, value: &dyn Fn(&str) -> String) -> String {
    let pieces = pieces(form.text());
    let german = form.language() == Language::German;
    let mut words: Vec<String> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        if !is_said(&pieces, at, task) {
            continue;
        }
        let before_slot = matches!(pieces.get(at + 1), Some(Piece::Slot { .. }));
        words.push(match piece {
            Piece::Slot { name, .. } => value(name),
            // The word before an id, a day or an amount is a noun.
            Piece::Word { text, .. } if german && at > 0 && before_slot && is_noun(first_of(text)) => {
                capitalized(first_of(text))
            }
            Piece::Word { text, .. } => first_of(text).to_owned(),
        });
    }
    // A German infinitive stands at the end: "Rechnung INV-7 freigeben".
    if german && !words.is_empty() {
        words.rotate_left(1);
    }
    capitalized(&words.join(" "))
}

fn is_noun(word: &str) -> bool {
    !lexicon(Language::German).is_function_word(word)
}

/// Whether a piece belongs into a short sentence: what is required, the noun before a required slot, and the optional
/// parts that hold an input which the task needs.
fn is_said(pieces: &[Piece<'_>], at: usize, task: &Task) -> bool {
    let Some(part) = pieces.get(at).map(Piece::part) else { return false };
    if part == Part::Required {
        return true;
    }
    let own = || pieces.iter().enumerate().filter(move |(_, piece)| piece.part() == part);
    let needed = |name: &str| task.inputs.iter().any(|input| input.name == name && !input.optional);
    let mut slots = own().filter_map(|(_, piece)| match piece {
        Piece::Slot { name, .. } => Some(*name),
        Piece::Word { .. } => None,
    });
    match slots.next() {
        Some(first) => needed(first) || slots.any(needed),
        None => {
            let after = own().next_back().and_then(|(last, _)| pieces.get(last + 1));
            matches!(after, Some(Piece::Slot { part: Part::Required, .. }))
        }
    }
}

/// The pieces of a form that was read without a problem.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut part, mut count) = (Vec::new(), Part::Required, 0_usize);
    let mut rest = text;
    while let Some(begin) = rest.find(|letter: char| !letter.is_whitespace()) {
        rest = rest.get(begin..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix('[') {
            (part, count, rest) = (Part::Optional(count), count.saturating_add(1), after);
        } else if let Some(after) = rest.strip_prefix(']') {
            (part, rest) = (Part::Required, after);
        } else if let Some((name, after)) = rest.strip_prefix('{').and_then(|slot| slot.split_once('}')) {
            pieces.push(Piece::Slot { name: name.trim(), part });
            rest = after;
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "[]{".contains(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end.max(1));
            pieces.push(Piece::Word { text: word, part });
            rest = after;
        }
    }
    pieces
}

fn first_of(alternatives: &str) -> &str {
    alternatives.split('|').next().unwrap_or(alternatives)
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
