//! The figures that stand inside a text which is more than a figure: SQL, JSON, `name=value`, an amount in a sentence.
//!
//! Not a parser. What looks like a figure is one, and what plainly names a thing or a day is none.

use std::sync::LazyLock;

use regex::Regex;

use crate::json::Json;

/// The longest text that is looked into, in bytes. What is longer is taken for a figure itself.
pub(crate) const TEXT_BYTES_MAX: usize = 64 * 1024;

/// Words of a parameter that holds a statement.
const STATEMENT_WORDS: [&str; 8] =
    ["sql", "query", "queries", "statement", "statements", "script", "command", "formula"];

const NUMBER: &str = r"[0-9]+(?:[.,'_ ][0-9]+)*(?:[eE][+-]?[0-9]+)?";
const MONEY: &str =
    r"USD|EUR|GBP|CHF|JPY|CAD|AUD|CNY|INR|SEK|NOK|DKK|PLN|CZK|dollars?|euros?|pounds?|francs?";

/// `$5`, `5 USD`, `USD 5`, `name=5`.
static FIGURES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let signs = "[$€£¥]";
    let forms = [
        format!(r"{signs}\s*(?<sign>{NUMBER})"),
        format!(r"(?<after>{NUMBER})\s*(?:{signs}|(?:{MONEY})\b)"),
        format!(r"\b(?:{MONEY})\s*(?<before>{NUMBER})"),
        format!(r#"(?<name>[A-Za-z_][\w.-]*)["']?\s*(?:=|:)+\s*["']?(?<value>{NUMBER})"#),
    ];
    Regex::new(&format!("(?i){}", forms.join("|"))).ok()
});

/// The plain form of a statement, wherever it stands.
static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = [
        r"(?:insert|merge|replace|upsert)\s+(?:or\s+\w+\s+)?into\s",
        r"update\s+\S+\s+(?:as\s+\w+\s+)?set\s",
        r"delete\s+from\s",
        r"with\s+\w+\s+as\s*\(",
        r"(?:call|exec|execute)\s+[\w.]+\s*(?:\(|@)",
        r"set\s+@\w+\s*=",
        r"declare\s+@?\w+\s",
    ];
    Regex::new(&format!(r"(?is)\b(?:{})", forms.join("|"))).ok()
});

static DAY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?$").ok());

/// What a text holds.
#[derive(Debug, PartialEq)]
pub(crate) enum Embedded {
    /// It is data in a text.
    Data(Json),
    /// Figures, each with the name it stands under, if it has one.
    Figures(Vec<(Option<String>, String)>),
    /// It cannot be looked into.
    Opaque,
}

/// Looks into a text. `words` are those of the parameter's name; `is_prose`: whether anybody may write anything in it.
pub(crate) fn embedded(text: &str, words: &[String], is_prose: bool) -> Embedded {
    let trimmed = text.trim();
    if trimmed.len() > TEXT_BYTES_MAX {
        return Embedded::Opaque;
    }
    // A beginning like that may be prose all the same: `[urgent] …`.
    if trimmed.starts_with(['{', '[', '"'])
        && let Ok(value) = serde_json::from_str::<serde_json::Value>(trimmed)
    {
        return Json::from_serde(&value).map_or(Embedded::Opaque, Embedded::Data);
    }
    if is_statement(trimmed, words) {
        return Embedded::Figures(literals(trimmed).into_iter().map(|literal| (None, literal)).collect());
    }
    if is_prose {
        return Embedded::Figures(Vec::new());
    }
    let Some(figures) = FIGURES.as_ref() else { return Embedded::Opaque };
    let found = figures.captures_iter(trimmed).filter_map(|found| {
        let named = found.name("name").map(|name| name.as_str().to_owned());
        let value = ["sign", "after", "before", "value"].into_iter().find_map(|group| found.name(group))?;
        Some((named, value.as_str().to_owned()))
    });
    Embedded::Figures(found.collect())
}

/// Whether a text is a statement for a database or the like.
fn is_statement(text: &str, words: &[String]) -> bool {
    words.iter().any(|word| STATEMENT_WORDS.contains(&word.as_str()))
        || STATEMENT.as_ref().is_none_or(|statement| statement.is_match(text))
}

/// The numbers of a statement, those in quotes included. Names, days and nought are none.
fn literals(statement: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut quoted: Option<char> = None;
    // A blank behind it ends the last word.
    for sign in statement.chars().chain([' ']) {
        match quoted {
            Some(quote) if sign == quote => {
                found.extend(is_quoted_figure(&word).then(|| word.clone()));
                (quoted, word) = (None, String::new());
            }
            Some(_) => word.push(sign),
            None if sign.is_alphanumeric() || sign == '_' || sign == '.' => word.push(sign),
            None => {
                found.extend(word.starts_with(|first: char| first.is_numeric()).then(|| word.clone()));
                word.clear();
                quoted = matches!(sign, '"' | '\'' | '`').then_some(sign);
            }
        }
    }
    // A quote that was never closed: whatever is in it counts.
    found.extend(quoted.map(|_| word));
    found.into_iter().map(|literal| literal.trim().to_owned()).filter(|literal| literal != "0").collect()
}

/// Whether what stands in quotes may be an amount: it has digits, and is no day and no name with letters in it.
fn is_quoted_figure(text: &str) -> bool {
    let is_day = DAY.as_ref().is_some_and(|day| day.is_match(text));
    let has_money = FIGURES.as_ref().is_none_or(|figures| figures.is_match(text));
    let is_name = text.chars().any(char::is_alphabetic) && !has_money;
    text.chars().any(char::is_numeric) && !is_day && !is_name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(name: &str, text: &str) -> Vec<String> {
        match embedded(text, &[name.to_owned()], false) {
            Embedded::Figures(found) => found.into_iter().map(|(_, figure)| figure).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_statement_gives_all_its_numbers_and_no_names_or_days() {
        let sql = "UPDATE payments SET amount = 987654.32, n2 = n2-5, at = '2026-03-04', by = 'INV-7' WHERE id = '12' AND x = \"7 USD\"";
        assert_eq!(figures("text", sql), ["987654.32", "5", "12", "7 USD"]);
        assert_eq!(figures("sql", "exotic 5"), ["5"], "the parameter says that it is a statement");
        assert_eq!(figures("sql", "update t set a = '99"), ["99"], "a quote that is never closed");
        assert_eq!(figures("sql", "update t set a = 0x1F"), ["0x1F"]);
        for prose in
            ["Call 555-123 before 10:30, from 5 to 7", "Select 3 of 9 from the list", "Update 3 sets"]
        {
            assert!(!is_statement(prose, &["note".to_owned()]), "{prose}");
        }
    }

    #[test]
    fn amounts_and_pairs_are_found_in_other_texts() {
        assert_eq!(figures("target", "amount=987654.32;to:ACME"), ["987654.32"]);
        assert_eq!(figures("target", "pay $1,000.50 or 20 EUR or usd 7"), ["1,000.50", "20", "7"]);
        assert_eq!(figures("title", "Server 500 since 2026-03-04, floor 3"), [""; 0]);
        assert_eq!(figures("name", "INV-2024-447"), [""; 0]);
    }

    #[test]
    fn data_in_a_text_is_data_and_what_is_too_long_is_opaque() {
        let data = embedded(r#" {"amount": 5} "#, &[], true);
        assert!(matches!(data, Embedded::Data(Json::Record(_))), "{data:?}");
        assert_eq!(embedded(&"9".repeat(TEXT_BYTES_MAX + 1), &[], true), Embedded::Opaque);
        assert_eq!(embedded("[urgent] pay 5 USD", &[], true), Embedded::Figures(Vec::new()));
    }
}
