//! Whether a word says what a figure is ("1,000 EUR net"), or what is asked for ("what is the net").

use std::ops::Range;

/// Words between a label and its figure: "net amount of 1,000 EUR".
const LINKS: &[&str] = &[
    "amount",
    "amounts",
    "price",
    "value",
    "total",
    "sum",
    "figure",
    "invoice",
    "bill",
    "cost",
    "costs",
    "fee",
    "is",
    "was",
    "are",
    "of",
    "von",
    "betrag",
    "preis",
    "de",
    "a",
    "an",
    "the",
    "at",
    "ist",
    "war",
    "sind",
    "montant",
    "total",
    "to",
    "salary",
    "order",
    "über",
    "es",
    "est",
    "rechnungsbetrag",
    "beträgt",
    "betragen",
    "amounts",
];
/// Words between the words that ask and what they ask for.
const SKIPPED: &[&str] = &[
    "the",
    "a",
    "an",
    "amount",
    "of",
    "total",
    "my",
    "our",
    "their",
    "this",
    "is",
    "are",
    "does",
    "der",
    "die",
    "das",
    "den",
    "dem",
    "le",
    "la",
    "el",
    "les",
    "los",
    "un",
    "une",
    "de",
    "du",
    "des",
    "l'",
    "ist",
    "sind",
    "est",
    "es",
    "me",
    "montant",
    "betrag",
    "preis",
    "price",
    "importe",
    "value",
    "mir",
    "due",
    "be",
    "would",
    "will",
    "contained",
    "included",
    "enthaltene",
    "enthaltenen",
    "enthaltener",
    "inbegriffene",
    "do",
    "i",
    "we",
    "you",
    "ich",
    "wir",
    "just",
    "only",
    "nur",
    "solo",
    "sólo",
    "seulement",
    "uniquement",
    "al",
];
/// Words that join what is asked for.
const CONJUNCTIONS: &[&str] = &["and", "und", "et", "y"];
/// Words that ask.
pub(super) const ASKING: &[&str] = &[
    "what",
    "what's",
    "whats",
    "which",
    "how much",
    "how many",
    "how high",
    "calculate",
    "calc",
    "compute",
    "determine",
    "find",
    "work out",
    "figure out",
    "give",
    "tell",
    "show",
    "need",
    "want",
    "know",
    "extract",
    "get",
    "berechne",
    "berechnen",
    "wie viel",
    "wieviel",
    "wie hoch",
    "wie",
    "ermittle",
    "was",
    "welche",
    "rechne",
    "combien",
    "quel",
    "quelle",
    "calcule",
    "calculer",
    "calculez",
    "cuánto",
    "cuánta",
    "cuántos",
    "cuántas",
    "cuál",
    "cuáles",
    "qué",
    "quels",
    "quelles",
    "welcher",
    "welches",
    "welchen",
    "calcula",
    "calcular",
    "calcule",
];

/// Whether the word at this place says what the figure is.
pub(crate) fn is_label(lower: &str, place: &Range<usize>, figure: &Range<usize>) -> bool {
    if figure.end <= place.start {
        let between = lower.get(figure.end..place.start).unwrap_or_default();
        return matches!(between.trim(), "" | "(" | "-" | "is" | "was" | "ist" | "as" | "of");
    }
    if place.end > figure.start {
        return false;
    }
    let between = lower.get(place.end..figure.start).unwrap_or_default();
    let mut words = between.split(|c: char| c.is_whitespace() || matches!(c, ':' | '=' | '(' | '.'));
    let linked = words.all(|word| word.is_empty() || LINKS.contains(&word));
    let direct = between.trim().is_empty() || between.contains([':', '=']);
    linked && (direct || asking(lower, place) != Some(Asking::Question))
}

/// Whether the word at this place is the name of the percentage: "VAT: 19 %", "19 % VAT".
pub(crate) fn names_percentage(lower: &str, place: &Range<usize>, figure: &Range<usize>) -> bool {
    if figure.end <= place.start {
        let between = lower.get(figure.end..place.start).unwrap_or_default();
        return matches!(between.trim(), "" | "(" | "of" | "de");
    }
    let between = lower.get(place.end..figure.start).unwrap_or_default();
    let between = between.trim_matches(|c: char| c.is_whitespace() || ":=.()".contains(c));
    matches!(
        between,
        "" | "of" | "von" | "de" | "rate" | "rate of" | "del" | "is" | "ist" | "beträgt" | "est" | "es"
    )
}

/// How something is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asking {
    /// Words that ask are before it.
    Question,
    /// It begins a sentence, or can only be what is wanted.
    Begins,
    /// It is what is usually wanted where nothing else is asked for.
    Implied,
}

/// How the word at this place is asked for, if it is.
pub(crate) fn asking(lower: &str, place: &Range<usize>) -> Option<Asking> {
    let mut before = lower.get(..place.start).unwrap_or_default().trim_end();
    let after = lower.get(place.end..).unwrap_or_default().trim_start();
    // "…, net?"
    if after.starts_with('?') && before.ends_with([',', '.', ';', ':']) {
        return Some(Asking::Question);
    }
    loop {
        if before.is_empty() || before.ends_with(['.', ':', ';', '?', '!', '¿']) {
            return Some(Asking::Begins);
        }
        if ASKING.iter().any(|word| asks(before, word)) {
            return Some(Asking::Question);
        }
        // "the VAT and the gross": both are asked for.
        if let Some(first) = CONJUNCTIONS.iter().find_map(|word| strip_word(before, word)) {
            before = first.trim_end().trim_end_matches(|c: char| c.is_alphanumeric() || c == '-').trim_end();
            continue;
        }
        let percent = ["%", "percent", "prozent"].iter().find_map(|unit| before.strip_suffix(unit));
        let shorter = match percent {
            Some(number) => {
                number.trim_end().trim_end_matches(|c: char| c.is_numeric() || matches!(c, '.' | ','))
            }
            None => {
                let word = SKIPPED.iter().find(|word| ends_with_word(before, word))?;
                before.strip_suffix(word)?
            }
        };
        before = shorter.trim_end();
    }
}

/// Whether the text ends with this word and the word asks. The German "was" begins a clause, the English one does not.
fn asks(before: &str, word: &str) -> bool {
    let Some(rest) = strip_word(before, word) else { return false };
    let rest = rest.trim_end();
    let begins = || {
        rest.is_empty()
            || rest.ends_with(|c: char| !c.is_alphanumeric())
            || CONJUNCTIONS.iter().chain(&["mir", "uns"]).any(|word| ends_with_word(rest, word))
    };
    word != "was" || begins()
}

fn ends_with_word(text: &str, word: &str) -> bool {
    strip_word(text, word).is_some()
}

fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_suffix(word).filter(|rest| !rest.chars().next_back().is_some_and(char::is_alphanumeric))
}
