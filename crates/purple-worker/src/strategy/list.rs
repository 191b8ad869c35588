//! Whether a task asks for a list or a ranking, and the bracket form of one.

use serde_json::Value;

/// Words at the beginning of a task that ask for a list.
const OPENINGS: [&str; 3] = ["list ", "rank ", "sort "];
/// Words anywhere that ask for one.
const PHRASES: [&str; 12] = [
    "as a list",
    "as a json list",
    "as a json array",
    "a list of",
    "in a list",
    "a ranking of",
    "ranked by",
    "ranked list",
    "rank the",
    "in order of",
    "sorted by",
    "ordered by",
];
/// The most items of a list.
const ITEMS_MAX: usize = 1_000;

/// Whether a task asks for a list or a ranking.
pub(crate) fn asks_for_list(text: &str) -> bool {
    let lower = text.to_lowercase();
    let start = lower.trim_start().trim_start_matches("please ");
    OPENINGS.iter().any(|opening| start.starts_with(opening))
        || PHRASES.iter().any(|phrase| lower.contains(phrase))
}

/// An answer that is nothing but a list, in bracket form. `None` where it says anything else: words are never dropped.
pub(crate) fn bracketed(answer: &str) -> Option<String> {
    let mut items = Vec::new();
    for line in answer.lines().map(str::trim).filter(|line| !line.is_empty()) {
        items.push(Value::from(item(line)?));
    }
    (1..=ITEMS_MAX).contains(&items.len()).then(|| Value::Array(items).to_string())
}

/// The words behind a bullet or a number.
fn item(line: &str) -> Option<String> {
    let bullet = ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let digits = line.find(|sign: char| !sign.is_ascii_digit()).filter(|at| *at > 0)?;
        let rest = line.get(digits..)?;
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    };
    let words = bullet.or_else(numbered)?.trim().trim_matches('`').trim();
    // A list in a list has more to say than brackets can.
    (!words.is_empty()).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_asked_for_in_plain_words() {
        for text in [
            "List the overdue invoices of Acme.",
            "Please rank the vendors by spend.",
            "Give me the open orders as a list.",
            "Which customers owe us most, ranked by balance?",
        ] {
            assert!(asks_for_list(text), "{text}");
        }
        for text in
            ["Pay INV-7.", "What is the balance of Acme?", "Enlist two approvers.", "The price list changed."]
        {
            assert!(!asks_for_list(text), "{text}");
        }
    }

    #[test]
    fn an_answer_that_is_only_a_list_is_put_in_brackets_and_every_other_stays() {
        assert_eq!(bracketed("1. INV-1\n2. INV-2\n").unwrap(), r#"["INV-1","INV-2"]"#);
        assert_eq!(bracketed("- `INV-1`\n\n* INV \"2\"").unwrap(), r#"["INV-1","INV \"2\""]"#);
        for text in ["Here they are:\n- INV-1", "INV-1, INV-2", "", "- ", "2026. INV"] {
            let shown = bracketed(text);
            assert_eq!(shown.is_some(), text.starts_with("2026"), "{text}: {shown:?}");
        }
    }
}
