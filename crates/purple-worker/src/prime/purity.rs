//! Whether a task asks for a figure and for nothing else.

use std::ops::Range;

use purple_intent::{Act, Mood, Reading, Role, Span, Word};

/// Verbs that every calculation can be asked with, by their English base form.
pub(super) const CALCULATING: &[&str] = &[
    "calculate",
    "compute",
    "determine",
    "estimate",
    "show",
    "tell",
    "count",
    "make",
    "have",
    "be",
    "get",
    "need",
    "figure",
    "want",
    "ask",
    "round",
    "check",
    "find",
    "receive",
    "cost",
];

/// Verbs that move money or records: a function's word that is one of them can still be an order.
const MOVING: &[&str] = &[
    "pay",
    "refund",
    "credit",
    "charge",
    "book",
    "transfer",
    "cancel",
    "apply",
    "send",
    "issue",
    "post",
    "reimburse",
    "terminate",
    "order",
    "claim",
];

/// Whether the acts of a task only ask for a figure. `explained` are the words that the function itself explains.
pub(crate) fn is_pure(
    lower: &str,
    reading: &Reading,
    explained: &[Range<usize>],
    figures: &[Range<usize>],
) -> bool {
    let explains =
        |span: Span| explained.iter().any(|place| place.start <= span.start && span.end <= place.end);
    // "credit sales" and "gross pay" name a figure; "credit" and "pay" alone can order something.
    let names = |span: Span| {
        let longer = |place: &Range<usize>| place.len() > span.end.saturating_sub(span.start);
        explained.iter().any(|place| place.start <= span.start && span.end <= place.end && longer(place))
    };
    let foreign = |act: &Act| {
        act.words.iter().any(|word| match &word.role {
            Role::Verb(lemmas) => {
                let moves = lemmas.iter().any(|lemma| MOVING.contains(&lemma.as_str()))
                    && matches!(act.mood, Mood::Order | Mood::OtherTime);
                let own = if moves { names(word.span) } else { explains(word.span) };
                !own && !calculates(word, lemmas) && !is_subject(lower, word)
            }
            Role::Cue(_) | Role::Name | Role::Other => false,
        })
    };
    // "Approve overtime: what is 45 hours at 20 USD?" asks, and begins with an order.
    let begins_foreign = |act: &Act| {
        act.words.first().is_some_and(|word| match &word.role {
            Role::Verb(lemmas) => {
                let before = lower.get(act.span.start..word.span.start).unwrap_or_default().trim();
                let first = matches!(before, "" | "please" | "pls" | "kindly" | "bitte" | "now" | "jetzt");
                // "berechnen" is to calculate and to charge; here a figure is asked for.
                let calculates = calculates(word, lemmas) || lemmas.iter().any(|lemma| lemma == "calculate");
                first && !explains(word.span) && !calculates
            }
            Role::Cue(_) | Role::Name | Role::Other => false,
        })
    };
    let has_figure =
        |act: &Act| figures.iter().any(|place| act.span.start <= place.start && place.end <= act.span.end);
    let allowed = |act: &Act| match act.mood {
        Mood::Calculation => !begins_foreign(act),
        Mood::Statement => true,
        // A question that has nothing of the function asks for something else.
        Mood::Question => {
            let inside = |place: &Range<usize>| act.span.start <= place.start && place.end <= act.span.end;
            let describes = describes(lower, act);
            explained.iter().any(inside)
                && !begins_foreign(act)
                && (describes || !wants_no_figure(lower, act))
        }
        // Nothing is ordered; a negation beside a figure has to be explained by the function.
        Mood::Negated => true,
        // "Please give me the VAT amount" asks for a figure in an order of its own.
        Mood::Order => {
            let inside = |place: &Range<usize>| act.span.start <= place.start && place.end <= act.span.end;
            (has_figure(act) || explained.iter().any(inside)) && !foreign(act)
        }
        // "If I cancel now, …" orders nothing.
        Mood::Conditional | Mood::Reported => !act.imperative || !foreign(act),
        Mood::OtherTime => !foreign(act),
        Mood::Reversal | Mood::Draft => false,
    };
    let asks = |act: &Act| match act.mood {
        Mood::Calculation | Mood::Question => true,
        Mood::Order => true,
        // "Bad debt reserve: …" has no verb and names the function first.
        Mood::Statement | Mood::OtherTime | Mood::Reported => {
            let first = act.words.first().map(|word| word.span);
            let figure_first = figures.iter().any(|place| place.start <= act.span.start.saturating_add(1));
            first.is_some_and(explains) || figure_first
        }
        // "Straight-line depreciation of 9,000 EUR over 3 years with no residual value" names the function first.
        Mood::Negated => act.words.first().is_some_and(|word| explains(word.span)) && has_figure(act),
        Mood::Conditional | Mood::Reversal | Mood::Draft => false,
    };
    reading.acts.iter().all(allowed) && reading.acts.iter().any(asks)
}

/// Whether a word that can be a verb is the subject: "Invoice is 2,040 EUR".
fn is_subject(lower: &str, word: &Word) -> bool {
    let after = lower.get(word.span.end..).unwrap_or_default().trim_start();
    ["is ", "was ", "are ", "were ", "ist ", "war ", "sind "].iter().any(|verb| after.starts_with(verb))
}

/// Whether a clause is answered by yes or no, or by a name or a reason: "is it within 2 %", and not "can you tell me".
fn wants_no_figure(lower: &str, act: &Act) -> bool {
    let clause = lower.get(act.span.start..act.span.end).unwrap_or_default();
    let mut words = clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let asks_us = matches!(second, "you" | "u" | "sie" | "du" | "vous" | "tu" | "usted");
    // The German "was" asks for a figure, the English one does not.
    let was = first == "was" && SUBJECTS.contains(&second) && !matches!(second, "das" | "der" | "die" | "es");
    !asks_us && (NO_FIGURE.contains(&first) || was)
}

/// Whether a clause only goes on with what is said of its subject: "a van costs 9,000 EUR, has no residual value".
fn describes(lower: &str, act: &Act) -> bool {
    let before = lower.get(..act.span.start).unwrap_or_default().trim_end();
    let clause = lower.get(act.span.start..act.span.end).unwrap_or_default();
    let after = lower.get(act.span.end..).unwrap_or_default().trim_start();
    let asks = clause.trim_end().ends_with('?') || after.starts_with('?');
    let mut words = clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let has = matches!(words.next(), Some("has" | "have" | "hat" | "haben" | "is" | "ist"));
    before.ends_with(',') && has && !asks && words.next().is_some_and(|word| !SUBJECTS.contains(&word))
}

const SUBJECTS: &[&str] = &[
    "it", "he", "she", "we", "they", "i", "this", "that", "the", "there", "er", "sie", "es", "wir", "ich",
    "das", "der", "die",
];

/// Words that begin a question for something else than a figure.
const NO_FIGURE: &[&str] = &[
    "who", "whom", "whose", "why", "where", "wer", "wem", "warum", "wieso", "wo", "qui", "pourquoi", "quién",
    "dónde", "is", "are", "do", "does", "did", "can", "could", "should", "shall", "will", "would", "may",
    "must", "has", "have", "ist", "sind", "kann", "können", "soll", "sollen", "darf", "dürfen", "muss",
    "wird", "hat", "haben", "puis", "peut", "dois", "doit", "puedo", "puede", "debo", "debe",
];

/// Whether a calculation can be asked with this verb: "calculate", "give me".
fn calculates(word: &Word, lemmas: &[String]) -> bool {
    let gives = matches!(word.lower.as_str(), "give" | "gib" | "geben" | "donne" | "donnez" | "dame");
    gives || lemmas.iter().all(|lemma| CALCULATING.contains(&lemma.as_str()))
}
