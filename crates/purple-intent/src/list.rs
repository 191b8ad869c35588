//! Several tasks in one text: "approve A and reject B", "approve A, B and C".

use std::collections::HashMap;

use crate::act::{Act, Mood, Reading};
use crate::span::{Span, holding, inside};
use crate::value::{Meaning, Value};

/// One task of a text with several of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its words, as a text of their own.
    pub text: String,
    /// What its acts are.
    pub mood: Mood,
}

/// More tasks than this are not divided: the text is one task, and asked about as such.
const ITEMS_MAX: usize = 20;

/// The tasks of a text that holds several of them, each about records of its own; `None` where it holds one or more than
/// twenty, or where it is not clear which words belong to which record.
pub fn items(text: &str, reading: &Reading) -> Option<Vec<Item>> {
    let is_own = |value: &Value| holding(&reading.own, value.span, |part| *part).is_some();
    let ids: Vec<&Value> =
        reading.values.iter().filter(|value| id_of(value).is_some() && is_own(value)).collect();
    if let Some(items) = listed(text, reading, &ids) {
        return Some(items);
    }
    let groups = groups(&reading.acts, &ids)?;
    let mut items = Vec::new();
    for group in groups {
        let ids = inside(&ids, group.span, |id| id.span);
        let texts = distributed(text, group.span, ids, &reading.values)?;
        items.extend(texts.into_iter().map(|text| Item { text, mood: group.mood }));
        if items.len() > ITEMS_MAX {
            return None;
        }
    }
    (items.len() > 1).then_some(items)
}

/// The tasks of a list under an order without a record: "Approve these invoices:", and a line for each.
fn listed(text: &str, reading: &Reading, ids: &[&Value]) -> Option<Vec<Item>> {
    let names = |act: &Act| !inside(ids, act.span, |id| id.span).is_empty();
    let first = reading.acts.iter().position(names)?;
    let (head, rows) = reading.acts.split_at_checked(first)?;
    let order = head.last().filter(|act| act.mood == Mood::Order)?;
    let is_polite = |act: &Act| act.mood == Mood::Statement && act.words.is_empty();
    let others = head.len() - 1;
    let said = order.span.of(text).trim_end();
    let line = |row: &Act| {
        let before = text.get(..row.span.start)?.rsplit('\n').next()?;
        before
            .trim_matches([' ', '\t', '-', '*', '•', '–', '.', ')'])
            .chars()
            .all(|one| one.is_ascii_digit())
            .then_some(())
    };
    let is_row = |row: &Act| {
        let begins =
            inside(ids, row.span, |id| id.span).first().map(|id| Span::new(row.span.start, id.span.start));
        let bare = begins.is_some_and(|before| !before.of(text).contains(char::is_alphanumeric));
        row.mood == Mood::Statement && bare && line(row).is_some()
    };
    let several = rows.len() > 1 && rows.len() <= ITEMS_MAX;
    if !(said.ends_with(':') && several && head.iter().take(others).all(is_polite) && rows.iter().all(is_row))
    {
        return None;
    }
    let head = without_pointers(said.trim_end_matches(':'));
    let item = |row: &Act| Item { text: format!("{head} {}", trimmed(row.span.of(text))), mood: Mood::Order };
    Some(rows.iter().map(item).collect())
}

/// Words without those that only point to a list: `the following invoices`.
fn without_pointers(words: &str) -> String {
    const POINTERS: [&str; 12] = [
        "following",
        "below",
        "these",
        "folgende",
        "folgenden",
        "folgendes",
        "nachstehenden",
        "suivant",
        "suivants",
        "suivante",
        "suivantes",
        "siguientes",
    ];
    let is_pointer = |word: &str| POINTERS.contains(&word.to_lowercase().trim_end_matches([':', ',']));
    const NUMBERS: [&str; 15] = [
        "two", "three", "four", "five", "zwei", "drei", "vier", "fünf", "beiden", "deux", "trois", "quatre",
        "dos", "tres", "cuatro",
    ];
    let is_number = |word: &str| NUMBERS.contains(&word.to_lowercase().as_str());
    let mut kept: Vec<&str> = Vec::new();
    let mut pointed = false;
    for word in words.split(' ') {
        let points = is_pointer(word) || pointed && is_number(word);
        if !points {
            kept.push(word);
        }
        pointed = points;
    }
    kept.join(" ")
}

/// Words before records of which only some are meant: `one of`.
fn chooses(head: &str) -> bool {
    const CHOICES: [&str; 16] = [
        "one of",
        "either",
        "any of",
        "some of",
        "eine der",
        "einen der",
        "eine von",
        "einen von",
        "einer der",
        "une des",
        "l'une",
        "un des",
        "una de",
        "uno de",
        "alguna de",
        "entweder",
    ];
    let head = format!(" {} ", head.to_lowercase());
    CHOICES.iter().any(|choice| head.contains(&format!(" {choice} ")))
}

/// Acts in a row about the same records.
struct Group {
    span: Span,
    mood: Mood,
}

/// Joins acts without a record of their own to those beside them. A condition, a report or another time may be about
/// any of the acts, so that nothing is divided there.
fn groups(acts: &[Act], ids: &[&Value]) -> Option<Vec<Group>> {
    let names = |span: Span| !inside(ids, span, |id| id.span).is_empty();
    let mut groups: Vec<Group> = Vec::new();
    for act in acts {
        match act.mood {
            Mood::Order | Mood::Question | Mood::Negated | Mood::Calculation => {}
            Mood::Statement if !names(act.span) => {}
            Mood::Statement
            | Mood::Conditional
            | Mood::Reversal
            | Mood::Draft
            | Mood::Reported
            | Mood::OtherTime => return None,
        }
        match groups.last_mut() {
            Some(last) if !names(act.span) || !names(last.span) => {
                let joins = act.mood == last.mood || act.mood == Mood::Statement;
                let begins = !names(last.span) && last.mood == Mood::Statement;
                if !joins && !begins {
                    return None;
                }
                last.mood = if begins { act.mood } else { last.mood };
                last.span = Span::new(last.span.start, act.span.end);
            }
            Some(_) | None => groups.push(Group { span: act.span, mood: act.mood }),
        }
    }
    Some(groups)
}

/// The words once for each of several records of one kind; as they are where there is one.
fn distributed(text: &str, span: Span, ids: &[&Value], values: &[Value]) -> Option<Vec<String>> {
    let kind = |id: &Value| id_of(id).map_or("", kind_of).to_owned();
    let mut counted: HashMap<String, usize> = HashMap::new();
    for id in ids {
        *counted.entry(kind(id)).or_default() += 1;
    }
    let repeated = ids.iter().find(|id| counted.get(&kind(id)).is_some_and(|count| *count > 1));
    let Some(first) = repeated.copied() else { return Some(vec![trimmed(span.of(text)).to_owned()]) };
    let places: Vec<Span> = ids.iter().filter(|id| kind(id) == kind(first)).map(|id| id.span).collect();
    if places.len() > ITEMS_MAX {
        return None;
    }
    let head = Span::new(span.start, first.span.start).of(text);
    if chooses(head) {
        return None;
    }
    let head = &without_pointers(head);
    let ends = places.iter().skip(1).map(|next| next.start).chain([span.end]);
    let segments: Vec<Span> = places.iter().zip(ends).map(|(id, end)| Span::new(id.start, end)).collect();
    let held = |segment: &Span| inside(values, *segment, |value| value.span).len();
    let counts: Vec<usize> = segments.iter().map(held).collect();
    // "Approve A and B over 500 USD": nobody knows whether the amount is that of B or of both.
    let (last, others) = (places.last()?, segments.len() - 1);
    let shares = shares_day(text, Span::new(last.end, span.end), values)
        && counts.iter().take(others).all(|count| *count == 1);
    if !shares && counts.windows(2).any(|pair| pair.first() != pair.last()) {
        return None;
    }
    // "A, sorry, I meant B" is no list: each record stands alone, or has the same words around its values.
    let words = |segment: &Span| plain_words(joined_off(segment.of(text)), segment, values);
    let (between, after): (Vec<_>, Vec<_>) = (
        segments.iter().take(others).map(words).collect(),
        segments.iter().skip(others).map(words).collect(),
    );
    let alone = between.iter().all(Vec::is_empty);
    if !(alone || between.iter().all(|words| Some(words) == after.first())) {
        return None;
    }
    let tail = Span::new(last.end, span.end).of(text);
    let shared = if counts.first() == Some(&1) { tail } else { "" };
    let one = |(at, segment): (usize, &Span)| {
        let words = if at < others { joined_off(segment.of(text)) } else { segment.of(text) };
        let tail = if at < others { shared } else { "" };
        trimmed(&format!("{head}{words}{tail}")).to_owned()
    };
    Some(segments.iter().enumerate().map(one).collect())
}

/// Whether words after the last of several records give a day to all of them: "A and B, last day Friday".
fn shares_day(text: &str, tail: Span, values: &[Value]) -> bool {
    let values = inside(values, tail, |value| value.span);
    let is_day = |value: &Value| value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Day(_)));
    let first = values.first().map(|value| Span::new(tail.start, value.span.start).of(text));
    values.len() == 1
        && values.iter().all(is_day)
        && first.is_some_and(|gap| gap.contains(',') && !gap.contains('('))
}

/// The words of a segment that are part of no value, in lower case.
fn plain_words(words: &str, segment: &Span, values: &[Value]) -> Vec<String> {
    let end = segment.start + words.len();
    let covered = inside(values, Span::new(segment.start, end), |value| value.span);
    let (mut plain, mut from) = (String::new(), 0);
    for span in covered.iter().map(|value| value.span) {
        plain.push_str(words.get(from..span.start - segment.start).unwrap_or_default());
        plain.push(' ');
        from = span.end - segment.start;
    }
    plain.push_str(words.get(from..).unwrap_or_default());
    let letters = plain.split(|letter: char| !letter.is_alphanumeric());
    letters.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Words without the conjunction at their end.
fn joined_off(words: &str) -> &str {
    const CONJUNCTIONS: [&str; 12] =
        ["and", "und", "et", "y", "e", "or", "oder", "as well as", "sowie", "plus", "&", "then"];
    let mut words = words.trim_end_matches([' ', '\n', ',', ';']);
    for conjunction in CONJUNCTIONS {
        if let Some(rest) = words.strip_suffix(conjunction)
            && rest.ends_with([' ', ',', '\n', ')'])
        {
            words = rest.trim_end_matches([' ', '\n', ',', ';']);
        }
    }
    words
}

/// Words without the number or mark of a list before them, and without marks and conjunctions around them.
fn trimmed(words: &str) -> &str {
    let words = words.trim_matches([' ', '\n', '\t', '-', '*', '•', '–', ',', ';', ':']);
    let digits = words.chars().take_while(char::is_ascii_digit).count();
    let numbered = words.get(digits..).and_then(|rest| rest.strip_prefix(['.', ')']));
    let words = match numbered {
        Some(rest) if (1..=2).contains(&digits) => rest.trim_start(),
        _ => words,
    };
    joined_off(words)
}

fn id_of(value: &Value) -> Option<&str> {
    value.meanings.iter().find_map(|meaning| match meaning {
        Meaning::Id(id) => Some(id.as_str()),
        Meaning::Amount(_)
        | Meaning::Percent(_)
        | Meaning::Number(_)
        | Meaning::Quantity { .. }
        | Meaning::Day(_)
        | Meaning::Month(_) => None,
    })
}

/// What ids of one kind have in common: `INV` of `INV-2024-7`.
fn kind_of(id: &str) -> &str {
    let letters = id.find(|letter: char| !letter.is_alphabetic()).unwrap_or(id.len());
    id.get(..letters).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use crate::value::Notation;

    fn texts(text: &str) -> Vec<String> {
        let items = items(text, &read(text, &Notation::default()));
        items.unwrap_or_default().into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn several_records_and_several_acts_are_several_tasks() {
        for (text, expected) in [
            ("Approve INV-1 and reject INV-2.", &["Approve INV-1", "reject INV-2."][..]),
            (
                "Approve INV-1, INV-2 and INV-3 per policy.",
                &["Approve INV-1 per policy.", "Approve INV-2 per policy.", "Approve INV-3 per policy."],
            ),
            (
                "Offboard E-1001 (last day 2026-03-20) and E-1004 (last day 2026-03-27).",
                &["Offboard E-1001 (last day 2026-03-20)", "Offboard E-1004 (last day 2026-03-27)."],
            ),
            (
                "Approve INV-1. What is the status of INV-2?",
                &["Approve INV-1.", "What is the status of INV-2?"],
            ),
            ("Bitte INV-1 und INV-2 freigeben.", &["Bitte INV-1 freigeben.", "Bitte INV-2 freigeben."]),
            ("Approve INV-1 rather than INV-2.", &["Approve INV-1", "rather than INV-2."]),
            ("Approve INV-1 instead of INV-2.", &["Approve INV-1", "instead of INV-2."]),
            ("INV-1 freigeben und INV-2 ablehnen.", &["INV-1 freigeben", "INV-2 ablehnen."]),
            ("INV-1 freigeben, INV-2 aber nicht.", &["INV-1 freigeben", "INV-2 aber nicht."]),
            (
                "Offboard E-1001 and E-1004, last day 2026-03-27.",
                &["Offboard E-1001, last day 2026-03-27.", "Offboard E-1004, last day 2026-03-27."],
            ),
            (
                "Please approve the following invoices:\n- INV-1\n- INV-2",
                &["Please approve the invoices INV-1", "Please approve the invoices INV-2"],
            ),
            (
                "Two things:\n1. Approve INV-1.\n2. Reject INV-2.",
                &["Two things:\n1. Approve INV-1.", "Reject INV-2."],
            ),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn what_may_belong_to_any_of_the_records_divides_nothing() {
        for text in [
            "Approve INV-1 against PO-2.",
            "Approve INV-1 and INV-2 over 500 USD.",
            "If the orders match, approve INV-1 and reject INV-2.",
            "Approve INV-1 and INV-2 tomorrow.",
            "Approve INV-1 and INV-2. Joan says that they are fine, but only once INV-3 is in.",
            "Approve INV-1, then post the decision.",
            "Approve INV-1, sorry, I meant INV-2.",
            "Approve one of the invoices INV-1 and INV-2.",
            "Approve INV-1 without PO-2.",
        ] {
            assert_eq!(texts(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn more_tasks_than_one_text_may_hold_are_not_divided() {
        let list = |count: usize| (1..=count).map(|at| format!("INV-{at}")).collect::<Vec<_>>().join(", ");
        assert_eq!(texts(&format!("Approve {}.", list(ITEMS_MAX))).len(), ITEMS_MAX);
        assert_eq!(texts(&format!("Approve {}.", list(ITEMS_MAX + 1))), Vec::<String>::new());
        let sentences =
            |count: usize| (1..=count).map(|at| format!("Approve INV-{at}. ")).collect::<String>();
        assert_eq!(texts(&sentences(ITEMS_MAX)).len(), ITEMS_MAX);
        assert_eq!(texts(&sentences(ITEMS_MAX + 1)), Vec::<String>::new());
    }
}
