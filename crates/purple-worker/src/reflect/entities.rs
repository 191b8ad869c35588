//! Whom and what a task is about, by the form of the words: no model, always the same answer.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use purple_finance::{Currency, Money};
use regex::Regex;

use crate::amount::written;
use crate::port::Entity;
use crate::prime::pattern::pattern;

/// How much of a text is read, in bytes.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// How many entities one text gives.
const ENTITIES_MAX: usize = 64;
/// The longest name, in bytes.
const NAME_BYTES_MAX: usize = 120;

/// The entities of a text in the order in which they first stand in it, each once.
pub(crate) fn entities(text: &str) -> Vec<Entity> {
    let end = (0..=text.len().min(TEXT_BYTES_MAX)).rev().find(|end| text.is_char_boundary(*end));
    let text = text.get(..end.unwrap_or_default()).unwrap_or_default();
    let mut found: Vec<(Range<usize>, &'static str, String)> = Vec::new();
    // What was read first is not read again as something else: "Acme Corp" is no person.
    for find in [vendors, ids, products, dates, amounts, people] {
        for (range, kind, name) in find(text) {
            let overlaps = |other: &Range<usize>| range.start < other.end && other.start < range.end;
            let known = found.iter().any(|(other, ..)| overlaps(other));
            if !known && !name.is_empty() && name.len() <= NAME_BYTES_MAX && found.len() < FOUND_MAX {
                found.push((range, kind, name));
            }
        }
    }
    found.sort_by_key(|(range, ..)| range.start);
    let mut entities: Vec<Entity> = Vec::new();
    for (_, kind, name) in found {
        let entity = Entity { kind: kind.to_owned(), name };
        if entities.len() < ENTITIES_MAX && !entities.contains(&entity) {
            entities.push(entity);
        }
    }
    entities
}

/// How many places are kept while reading; a name may stand in several.
const FOUND_MAX: usize = 4 * ENTITIES_MAX;

type Found = (Range<usize>, &'static str, String);

static VENDOR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)\b(?P<v>(?:\p{Lu}[\p{L}\p{N}&'.-]*[\ \t]|&[\ \t]){1,5}
            (?:Corporation|Corp|Incorporated|Inc|GmbH|AG|Ltd|Limited|LLC|LLP|PLC|plc|Co|Company|SE|KG|Pty|AB|Oy|SARL|SpA|NV|BV))\b",
    )
});
static NAMED_VENDOR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:[Vv]endor|[Ss]upplier)[ \t](?P<v>\p{Lu}\p{Ll}[\p{L}]+(?:[ \t]\p{Lu}\p{Ll}[\p{L}]+){0,2})\b",
    )
});

fn vendors(text: &str) -> Vec<Found> {
    named(text, &VENDOR)
        .chain(named(text, &NAMED_VENDOR))
        .map(|(range, name)| (range, "vendor", name))
        .collect()
}

static ID: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?P<v>[A-Z][A-Z0-9]{0,9}(?:-[A-Z0-9]{1,16}){1,4})\b"));

fn ids(text: &str) -> Vec<Found> {
    let numbered = |name: &str| name.bytes().any(|b| b.is_ascii_digit());
    captured(text, &ID).filter(|(_, name)| numbered(name)).map(|(range, name)| (range, "id", name)).collect()
}

static PRODUCT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b[0-9]{1,9}[ \t]?[xX×][ \t]?(?P<v>\p{Lu}[\p{L}\p{N}-]*(?:[ \t][\p{Lu}\p{N}][\p{L}\p{N}-]*){0,3})\b",
    )
});

fn products(text: &str) -> Vec<Found> {
    captured(text, &PRODUCT).map(|(range, name)| (range, "product", name)).collect()
}

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)\b(?P<v>[0-9]{4}-[0-9]{2}-[0-9]{2} | [0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{4}
          | (?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\.?\ [0-9]{1,2}(?:st|nd|rd|th)?,?\ [0-9]{4}
          | [0-9]{1,2}(?:st|nd|rd|th)?\ (?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\.?,?\ [0-9]{4})\b",
    )
});

fn dates(text: &str) -> Vec<Found> {
    captured(text, &DATE).map(|(range, name)| (range, "date", day(&name))).collect()
}

/// A day in one spelling; as it is written where it may be another one elsewhere, like `03/04/2026`.
fn day(written: &str) -> String {
    let plain: String = written.chars().filter(|sign| !".,".contains(*sign)).collect();
    let words: Vec<&str> = plain.split(' ').collect();
    let [first, second, year] = words[..] else { return written.to_owned() };
    let (day, month) =
        if first.starts_with(|sign: char| sign.is_ascii_digit()) { (first, second) } else { (second, first) };
    let number = MONTHS.iter().zip(1_i8..).find(|(name, _)| month.starts_with(**name));
    let digits = day.trim_end_matches(|sign: char| !sign.is_ascii_digit());
    let date = number.and_then(|(_, month)| Date::new(year.parse().ok()?, month, digits.parse().ok()?).ok());
    date.map_or_else(|| written.to_owned(), |date| date.to_string())
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

static AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?P<v>(?:US\$|[$€£])[ \t]?[0-9][0-9,]{0,20}(?:\.[0-9]{1,4})?|\b(?P<before>[A-Z]{3})[ \t][0-9][0-9,]{0,20}(?:\.[0-9]{1,4})?|\b[0-9][0-9,]{0,20}(?:\.[0-9]{1,4})?[ \t]?(?:€|£|(?P<after>[A-Z]{3})\b))",
    )
});

fn amounts(text: &str) -> Vec<Found> {
    let amount = |found: regex::Captures<'_>| {
        let value = found.name("v")?;
        let code = found.name("before").or_else(|| found.name("after"));
        let currency = code.is_none_or(|code| Currency::parse(code.as_str()).is_ok());
        let name = value.as_str().trim_end_matches(',');
        let range = value.start()..value.start().saturating_add(name.len());
        currency.then(|| (range, "amount", money(name)))
    };
    AMOUNT.captures_iter(text).filter_map(amount).collect()
}

/// An amount in one spelling: `$28`, `USD 28` and `28.00 USD` are the same.
fn money(name: &str) -> String {
    let number: String = name.chars().filter(|sign| sign.is_ascii_digit() || *sign == '.').collect();
    let code: String = name.chars().filter(char::is_ascii_uppercase).collect();
    let code = match (code.as_str(), name.chars().find(|sign| "$€£".contains(*sign))) {
        (_, Some('€')) => "EUR",
        (_, Some('£')) => "GBP",
        (_, Some(_)) => "USD",
        (code, None) => code,
    };
    Money::parse(&format!("{number} {code}")).map_or_else(|_| name.to_owned(), |money| written(&money))
}

static FULL_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:[Ee]mployee|[Ff]or|[Bb]y|[Mm]anager|[Ff]rom|[Tt]o|[Ww]ith|[Oo]f|[Cc]ustomer|[Aa]pprover|[Cc]olleague|[Hh]ire|[Cc]ontact)[ \t](?P<v>\p{Lu}\p{Ll}[\p{L}'’-]*(?:[ \t]\p{Lu}[\p{L}'’-]+){1,2})\b",
    )
});
static ADDRESSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:[Ee]mployee|Mr\.?|Ms\.?|Mrs\.?|Dr\.?)[ \t](?P<v>\p{Lu}\p{Ll}[\p{L}-]+(?:[ \t]\p{Lu}\p{Ll}[\p{L}-]+){0,2})\b",
    )
});
static OWNER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?P<v>\p{Lu}\p{Ll}[\p{L}-]*(?:[ \t]\p{Lu}\p{Ll}[\p{L}-]*){0,3})['’]s\b"));

/// Words with a capital letter that are not a part of a name.
const NO_NAMES: &[&str] = &[
    "a",
    "add",
    "all",
    "an",
    "and",
    "any",
    "apply",
    "approve",
    "at",
    "book",
    "calculate",
    "cancel",
    "change",
    "check",
    "close",
    "company",
    "compute",
    "confirm",
    "contract",
    "create",
    "customer",
    "delete",
    "employee",
    "find",
    "for",
    "from",
    "get",
    "he",
    "here",
    "how",
    "invoice",
    "issue",
    "it",
    "last",
    "let",
    "list",
    "modify",
    "month",
    "my",
    "next",
    "now",
    "of",
    "offboard",
    "on",
    "onboard",
    "open",
    "order",
    "our",
    "pay",
    "please",
    "process",
    "purchase",
    "read",
    "refund",
    "reject",
    "remove",
    "reset",
    "review",
    "revoke",
    "run",
    "schedule",
    "send",
    "set",
    "she",
    "show",
    "start",
    "stop",
    "supplier",
    "tell",
    "that",
    "the",
    "their",
    "then",
    "there",
    "this",
    "to",
    "today",
    "tomorrow",
    "transfer",
    "update",
    "vendor",
    "verify",
    "we",
    "week",
    "what",
    "when",
    "where",
    "who",
    "why",
    "with",
    "year",
    "yesterday",
    "you",
    "your",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "q1",
    "q2",
    "q3",
    "q4",
    "finance",
    "accounting",
    "legal",
    "human",
    "resources",
    "policy",
    "department",
    "team",
];

fn people(text: &str) -> Vec<Found> {
    // After an ordinary word such as "for" a single word with a capital letter may be anything.
    let full = named(text, &FULL_NAME).filter(|(_, name)| name.contains(' '));
    let all = full.chain(named(text, &OWNER)).chain(named(text, &ADDRESSED));
    let is_name = |name: &String| !name.split(' ').any(is_no_name);
    all.filter(|(_, name)| is_name(name)).map(|(range, name)| (range, "person", name)).collect()
}

fn is_no_name(word: &str) -> bool {
    NO_NAMES.contains(&word.to_lowercase().as_str())
}

/// What the group `v` caught.
fn captured<'t>(text: &'t str, pattern: &'static Regex) -> impl Iterator<Item = (Range<usize>, String)> + 't {
    let caught = pattern.captures_iter(text).filter_map(|found| found.name("v"));
    caught.map(|value| (value.range(), value.as_str().to_owned()))
}

/// What the group `v` caught, without the ordinary words it begins with and the possessive it ends with.
fn named<'t>(text: &'t str, pattern: &'static Regex) -> impl Iterator<Item = (Range<usize>, String)> + 't {
    pattern.captures_iter(text).filter_map(|found| found.name("v")).map(|value| {
        let (mut start, mut name) = (value.start(), value.as_str());
        while let Some((word, rest)) = name.split_once([' ', '\t']).filter(|(word, _)| is_no_name(word)) {
            start = start.saturating_add(word.len()).saturating_add(1);
            name = rest;
        }
        let name = name.trim_end_matches("'s").trim_end_matches("’s");
        (start..start.saturating_add(name.len()), name.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        entities(text).into_iter().map(|entity| format!("{}:{}", entity.kind, entity.name)).collect()
    }

    #[test]
    fn entities_are_found_by_their_form() {
        let cases: &[(&str, &[&str])] = &[
            (
                "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.",
                &[
                    "vendor:Acme Corp",
                    "id:INV-2024-447",
                    "amount:52,340.00 USD",
                    "id:PO-8821",
                    "amount:51,200.00 USD",
                ],
            ),
            (
                "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B.",
                &["id:C-8821", "id:ORD-5592", "product:Widget A", "product:Widget B"],
            ),
            ("Calculate Sarah Chen's overtime: base rate $28/hr", &["person:Sarah Chen", "amount:28.00 USD"]),
            (
                "Pay Müller & Söhne GmbH 1,250.75 EUR by 2026-01-31",
                &["vendor:Müller & Söhne GmbH", "amount:1,250.75 EUR", "date:2026-01-31"],
            ),
            ("Book a flight for Maria Lopez on January 31, 2026", &["person:Maria Lopez", "date:2026-01-31"]),
            ("Offboard employee Jordan on Friday", &["person:Jordan"]),
            ("vendor Globex sent 3 PDF files", &["vendor:Globex"]),
            ("Today's report for Friday Morning", &[]),
            ("INV-1, INV-1 and INV-1", &["id:INV-1"]),
            (
                "$28, US$ 28.00, USD 28, 28 USD and 28.0 USD; €5 and 5.00 EUR; £7",
                &["amount:28.00 USD", "amount:5.00 EUR", "amount:7.00 GBP"],
            ),
            ("$28.005 and 1,000 JPY", &["amount:$28.005", "amount:1,000 JPY"]),
            ("On 2026-01-31, Jan. 31, 2026, 31st January 2026 and 31 Jan 2026", &["date:2026-01-31"]),
            ("By 03/04/2026, not February 31, 2026", &["date:03/04/2026", "date:February 31, 2026"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), *expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_gives_a_bounded_list() {
        let text: String = (0..5_000).map(|n| format!("INV-{n} ")).collect();
        assert_eq!(entities(&text).len(), ENTITIES_MAX);
        assert_eq!(entities(&"é".repeat(TEXT_BYTES_MAX)), []);
    }

    proptest::proptest! {
        #[test]
        fn every_name_stands_in_the_text_once(text in "(Acme|Corp|for|Sarah Chen|'s|INV-|[0-9]{1,4}|x |\\$|EUR|[ ,.-]|\\PC){0,40}") {
            let found = entities(&text);
            let mut once = found.clone();
            once.sort();
            once.dedup();
            proptest::prop_assert_eq!(once.len(), found.len());
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let as_written = |entity: &Entity| !matches!(entity.kind.as_str(), "amount" | "date");
            for entity in found.into_iter().filter(as_written) {
                proptest::prop_assert!(words.contains(&entity.name), "{} in {}", entity.name, text);
            }
        }
    }
}
