//! Whether a task asks for a computation that no known name covers.

use std::ops::Range;

use crate::prime::wording::places;

/// Words after which something stands that is to be computed.
const COMPUTING: [&str; 8] =
    ["calculate", "compute", "work out", "determine", "figure out", "derive", "estimate", "quantify"];
/// What begins a question that is not one of computing.
const NOT_COMPUTED: [&str; 8] = ["whether", "if", "who", "whom", "which", "when", "where", "why"];
/// What begins a further thing in a list of them.
const DETERMINERS: [&str; 12] =
    ["the", "a", "an", "its", "their", "our", "his", "her", "each", "every", "any", "both"];
/// What stands between the things of a list.
const BETWEEN: [&str; 5] = [" and ", ", ", " plus ", " as well as ", " & "];
/// What begins more about a thing that is named already.
const BEHIND: [&str; 24] = [
    "for",
    "per",
    "by",
    "under",
    "from",
    "on",
    "in",
    "at",
    "with",
    "using",
    "based",
    "against",
    "between",
    "to",
    "as",
    "that",
    "before",
    "after",
    "since",
    "according",
    "given",
    "until",
    "during",
    "within",
];
/// Sums, differences, shares: expressions have them, and no function is needed.
const PLAIN: [&str; 34] = [
    "it",
    "this",
    "that",
    "them",
    "these",
    "those",
    "all",
    "how",
    "much",
    "many",
    "what",
    "is",
    "are",
    "of",
    "total",
    "totals",
    "sum",
    "sums",
    "difference",
    "differences",
    "product",
    "share",
    "shares",
    "percentage",
    "percent",
    "average",
    "amount",
    "amounts",
    "number",
    "count",
    "result",
    "figure",
    "figures",
    "due",
];

/// Whether a text wants something computed that none of these words names. All of it is in lower case.
///
/// What is to be computed stands after a word such as `calculate`; a text without one wants nothing further.
pub(crate) fn asks_further<'w>(lower: &str, words: impl IntoIterator<Item = &'w str>) -> bool {
    let named: Vec<Range<usize>> =
        words.into_iter().flat_map(|word| places(lower, word).collect::<Vec<_>>()).collect();
    let is_named =
        |thing: &Range<usize>| named.iter().any(|place| place.start < thing.end && thing.start < place.end);
    let is_plain = |thing: &Range<usize>| {
        let text = lower.get(thing.clone()).unwrap_or_default();
        let mut words = text.split(|sign: char| !sign.is_alphabetic()).filter(|word| !word.is_empty());
        words.all(|word| PLAIN.contains(&word) || DETERMINERS.contains(&word))
    };
    wanted(lower).iter().any(|thing| !is_plain(thing) && !is_named(thing))
}

/// Where the things stand that a text wants computed.
fn wanted(lower: &str) -> Vec<Range<usize>> {
    let mut things = Vec::new();
    for verb in COMPUTING.iter().flat_map(|verb| places(lower, verb)) {
        let rest = lower.get(verb.end..).unwrap_or_default();
        let clause = rest.get(..clause_end(rest)).unwrap_or_default();
        for (place, part) in parts(clause).into_iter().enumerate() {
            let first = clause.get(part.clone()).and_then(|text| text.split_whitespace().next());
            let first = first.unwrap_or_default();
            if place == 0 && NOT_COMPUTED.contains(&first) {
                break;
            }
            if place == 0 || DETERMINERS.contains(&first) {
                let head = head(clause.get(part.clone()).unwrap_or_default());
                let start = verb.end + part.start;
                things.push(start..start + head);
            }
        }
    }
    things
}

/// Where a clause ends: at a sign that ends one, not inside a figure.
fn clause_end(text: &str) -> usize {
    let ends = |(at, sign): (usize, char)| {
        let next = text.get(at + sign.len_utf8()..).and_then(|rest| rest.chars().next());
        let is_end = match sign {
            ';' | '!' | '?' | '\n' => true,
            '.' | ':' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        is_end.then_some(at)
    };
    text.char_indices().find_map(ends).unwrap_or(text.len())
}

/// The members of a list in a clause.
fn parts(clause: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    loop {
        let rest = clause.get(start..).unwrap_or_default();
        let next = BETWEEN.iter().filter_map(|word| Some((rest.find(word)?, word.len()))).min();
        let Some((at, length)) = next else {
            parts.push(start..clause.len());
            return parts;
        };
        parts.push(start..start + at);
        start += at + length;
    }
}

/// How far the name of a thing goes, in bytes. What begins with something else is taken whole.
fn head(part: &str) -> usize {
    let behind = BEHIND.iter().flat_map(|word| places(part, word)).map(|place| place.start);
    let end = behind.min().unwrap_or(part.len());
    match part.get(..end).unwrap_or_default().trim().is_empty() {
        true => part.len(),
        false => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthesis::needs::NEEDS;

    fn further(text: &str) -> bool {
        let words = NEEDS.iter().flat_map(|need| need.words).copied();
        asks_further(&text.to_lowercase(), words)
    }

    #[test]
    fn a_task_whose_computations_all_have_a_name_asks_for_nothing_further() {
        for text in [
            "Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr.",
            "Calculate the late fee on INV-9 and put it on the account of Acme.",
            "Work out the late fee, the sales tax, and their sum.",
            "Determine the working days between the two dates and the total amount due.",
            "Compute the days between 2026-01-05 and 2026-03-01 for the loan.",
            "Determine whether the vendor may be paid, then calculate the sales tax.",
            "Calculate for each of the three customers the late fee per day.",
            "Approve invoice INV-7 and pay it.",
            "Calculate it.",
        ] {
            assert!(!further(text), "{text}");
        }
    }

    #[test]
    fn a_computation_without_a_name_is_asked_for_beside_one_that_has_one() {
        for text in [
            "Calculate the late fee and the fuel surcharge of the shipment.",
            "Calculate the late fee on INV-9. Then work out the yard storage charge by the agreement.",
            "Compute the fuel surcharge for the route, then the late fee.",
            "Work out how much detention credit the carrier gets under the late fee clause.",
            "Estimate our scrap allowance.",
        ] {
            assert!(further(text), "{text}");
        }
    }

    #[test]
    fn any_text_has_an_answer() {
        for text in ["calculate", "calculate ", "compute and the", "work out, , and the ä.", "derive for"] {
            let _ = further(text);
            let _ = further(&format!("{text}\u{130}x calculate\u{130}"));
        }
    }
}
