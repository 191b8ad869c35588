//! Phrases of a data file, and where they are in a text.

use crate::token::{Token, TokenKind};

/// The most tokens that a gap may hold.
const GAP: usize = 10;

/// A phrase: words in a row, with gaps where `…` is written.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    elements: Vec<Element>,
}

#[derive(Clone, Debug)]
enum Element {
    /// One token that is any of these.
    Any(Vec<Atom>),
    /// Up to ten tokens of the same sentence.
    Gap,
    /// Nothing, at the beginning of a clause.
    Start,
}

#[derive(Clone, Debug)]
enum Atom {
    Exact(String),
    Prefix(String),
    Suffix(String),
}

impl Atom {
    fn read(text: &str) -> Self {
        match (text.strip_suffix('*'), text.strip_prefix('*')) {
            (Some(prefix), _) => Self::Prefix(prefix.to_owned()),
            (_, Some(suffix)) => Self::Suffix(suffix.to_owned()),
            _ => Self::Exact(text.to_owned()),
        }
    }

    fn beginning(&self) -> Beginning<'_> {
        match self {
            Self::Exact(text) => Beginning::Word(text),
            Self::Prefix(text) => text.chars().next().map_or(Beginning::Any, Beginning::First),
            Self::Suffix(text) => text.chars().next_back().map_or(Beginning::Any, Beginning::Last),
        }
    }

    fn is(&self, word: &str) -> bool {
        match self {
            Self::Exact(text) => text == word,
            Self::Prefix(text) => word.starts_with(text.as_str()),
            Self::Suffix(text) => word.ends_with(text.as_str()),
        }
    }
}

/// What a phrase can begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning<'a> {
    /// This word.
    Word(&'a str),
    /// A word with this first letter.
    First(char),
    /// A word with this last letter.
    Last(char),
    /// Any word.
    Any,
}

/// A token as written and, in languages that elide, without its elision: `n'approuvez` and `approuvez`.
pub(super) type Reading<'a> = (&'a str, Option<&'a str>);

impl Pattern {
    /// Reads a phrase: `a/b` is either word, `kein*` a beginning, `*n't` an end, `…` a gap, `^` the beginning
    /// of a clause.
    pub(super) fn read(phrase: &str, spellings: impl Fn(&str) -> Vec<String>) -> Self {
        let element = |word: &str| match word {
            "…" => Element::Gap,
            "^" => Element::Start,
            "/" => Element::Any(vec![Atom::Exact("/".to_owned())]),
            _ => Element::Any(word.split('/').flat_map(&spellings).map(|word| Atom::read(&word)).collect()),
        };
        Self { elements: phrase.split_whitespace().map(element).collect() }
    }

    /// What it can begin with.
    pub(super) fn beginnings(&self) -> Vec<Beginning<'_>> {
        let mut elements = self.elements.iter().skip_while(|element| matches!(element, Element::Start));
        match elements.next() {
            Some(Element::Any(atoms)) => atoms.iter().map(Atom::beginning).collect(),
            Some(Element::Gap | Element::Start) | None => vec![Beginning::Any],
        }
    }

    /// Whether this phrase begins at `at`; `found` then holds its token indexes. Gaps are as short as they can be.
    pub(super) fn find(
        &self,
        tokens: &[Token],
        readings: &[Reading],
        at: usize,
        found: &mut Vec<usize>,
    ) -> bool {
        found.clear();
        let (mut next, mut gap) = (at, 0);
        for element in &self.elements {
            let atoms = match element {
                Element::Any(atoms) => atoms,
                Element::Gap => {
                    gap = GAP;
                    continue;
                }
                Element::Start if begins_clause(tokens, next) => continue,
                Element::Start => return false,
            };
            let is = |word: &str| atoms.iter().any(|atom| atom.is(word));
            let is_here = |index: &usize| {
                readings.get(*index).is_some_and(|(whole, rest)| is(whole) || rest.is_some_and(is))
            };
            let same_sentence = |index: &usize| *index == next || !ends_sentence(tokens, *index - 1);
            let index = match gap {
                0 => Some(next).filter(is_here),
                _ => (next..=next + gap).take_while(same_sentence).find(is_here),
            };
            let Some(index) = index else { return false };
            found.push(index);
            (next, gap) = (index + 1, 0);
        }
        !found.is_empty()
    }
}

/// Words before a full stop that does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "nr", "no", "dr", "hr", "fr", "mr", "mrs", "ms", "st", "ca", "inkl", "bzw", "ggf", "evtl", "z", "b", "d",
    "h", "e", "g", "i", "u", "a", "art", "abs", "inc", "ltd", "co", "corp", "vs", "approx", "usw", "etc",
    "sr", "sra", "m", "mme",
];

/// Whether a sentence ends with this token.
fn ends_sentence(tokens: &[Token], index: usize) -> bool {
    let Some(token) = tokens.get(index).filter(|token| token.kind == TokenKind::Mark) else { return false };
    let before = index.checked_sub(1).and_then(|index| tokens.get(index));
    match token.lower.as_str() {
        "?" | "!" | ";" => true,
        "." => before.is_none_or(|before| {
            before.kind != TokenKind::Number && !ABBREVIATIONS.contains(&before.lower.as_str())
        }),
        _ => false,
    }
}

/// Whether a clause begins with this token: at the beginning or after a mark.
fn begins_clause(tokens: &[Token], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|index| tokens.get(index));
    before.is_none_or(|before| {
        matches!(before.lower.as_str(), "." | "?" | "!" | ";" | ":" | "," | "-" | "–" | "—")
    })
}
