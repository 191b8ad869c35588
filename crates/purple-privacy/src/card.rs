//! Numbers of payment cards, however they are spaced.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::number::{glued_after, last_word};
use crate::pattern::pattern;

/// The fewest digits of a card.
const DIGITS_MIN: usize = 13;
/// The most digits of a card.
const DIGITS_MAX: usize = 19;
/// The fewest digits of a group, where a card stands among other numbers.
const GROUP_DIGITS_MIN: usize = 3;
/// How many digits a phone number has at most, by E.164.
const PHONE_DIGITS_MAX: usize = 15;
/// How far before a number the words are looked at, in bytes.
const WORDS_BEFORE_BYTES_MAX: usize = 32;

/// Where the card numbers are.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let says_card = CARD_WORDS.is_match(text);
    let mut found = Vec::new();
    for run in RUN.find_iter(text) {
        if is_other_number(text, run.range()) {
            continue;
        }
        let groups: Vec<Range<usize>> = GROUP
            .find_iter(run.as_str())
            .map(|group| run.start().saturating_add(group.start())..run.start().saturating_add(group.end()))
            .collect();
        cards_among(text, &groups, says_card, &mut found);
    }
    found
}

// Digits with a little between them. A point stands alone, so that two amounts do not join.
static RUN: LazyLock<Regex> = LazyLock::new(|| {
    // Groups with a stroke or the end of a line between them are a card's only in the lengths of a card's groups.
    pattern(concat!(
        r"(?:[0-9]{4}/){3}[0-9]{4}(?:/[0-9]{3})?|[0-9]{4}/[0-9]{6}/[0-9]{4,5}",
        r"|\b[0-9]{4}(?:[ \t]*\n[ \t]*[0-9]{4}){3}\b|\b[0-9]{4}[ \t]*\n[ \t]*[0-9]{6}[ \t]*\n[ \t]*[0-9]{4,5}\b",
        r"|[0-9]+(?:[ \t-]{1,3}[0-9]+)+|[0-9]+(?:[._][0-9]+)+|[0-9]{13,}"
    ))
});
static COLUMN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ \t]*\n[ \t]*[0-9]{4}[ \t]*(?:\n|$)"));
static GROUP: LazyLock<Regex> = LazyLock::new(|| pattern("[0-9]+"));
static CARD_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:(?:credit|debit|payment|bank)[ -]?card|card (?:no|num|number|#)|visa|mastercard|amex)")
});
static OTHER_NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:tracking|waybill|awb|parcel|shipment|consignment|iban|imei|iccid|isbn|ean|gtin|upc|barcode|sscc|serial)[a-z]*(?: (?:number|no|num|id|code|is))?\.?[ :#=]*$",
    )
});

/// Whether the run is a part of an id, an IBAN, a phone number or a tracking number.
fn is_other_number(text: &str, run: Range<usize>) -> bool {
    let before = text.get(..run.start).unwrap_or_default();
    let digits = text.get(run.clone()).unwrap_or_default().bytes().filter(u8::is_ascii_digit).count();
    if before.ends_with('+') && digits <= PHONE_DIGITS_MAX {
        return true;
    }
    let after = text.get(run.end..).unwrap_or_default().trim_start_matches(['-', '_', '/']);
    let begins = |word: &&str| after.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let is_followed = CARD_FOLLOWERS.iter().any(begins);
    if glued_after(text, run.end) && !is_followed {
        return true;
    }
    // A column of numbers that goes on.
    let is_column = text.get(run.clone()).is_some_and(|run| run.contains('\n'));
    if is_column && COLUMN.is_match(text.get(run.end..).unwrap_or_default()) {
        return true;
    }
    // `INV-4111…` and `DE89 3704…` are ids; `card-4111…` is a card.
    let glue = before.trim_end_matches(['-', '_', '/', '#', '.', ':']);
    if glue.ends_with(|c: char| c.is_alphanumeric()) && !before.ends_with([':', '#', '.']) {
        let word = last_word(glue).to_lowercase();
        return !CARD_PREFIXES.contains(&word.as_str());
    }
    let start = before.len().saturating_sub(WORDS_BEFORE_BYTES_MAX);
    let start = (start..=before.len()).find(|at| before.is_char_boundary(*at)).unwrap_or(before.len());
    OTHER_NUMBERS.is_match(before.get(start..).unwrap_or_default())
}

const CARD_PREFIXES: &[&str] = &[
    "card",
    "cc",
    "visa",
    "mastercard",
    "amex",
    "discover",
    "pan",
    "number",
    "no",
    "nr",
    "creditcard",
    "num",
    "cardnumber",
    "ccnumber",
    "debitcard",
    "karte",
    "kreditkarte",
    "kartennummer",
    "carte",
    "numero",
    "tarjeta",
];

/// What is written right behind the number of a card.
const CARD_FOLLOWERS: &[&str] = &["exp", "cvv", "cvc", "valid", "gultig", "expire"];

fn cards_among(text: &str, groups: &[Range<usize>], says_card: bool, found: &mut Vec<Range<usize>>) {
    let digits = |groups: &[Range<usize>]| -> String {
        groups.iter().filter_map(|group| text.get(group.clone())).collect()
    };
    let span = |groups: &[Range<usize>]| match (groups.first(), groups.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    };
    let length = |groups: &[Range<usize>]| groups.iter().map(ExactSizeIterator::len).sum::<usize>();
    if length(groups) <= DIGITS_MAX && is_card(&digits(groups), says_card) {
        found.push(span(groups));
        return;
    }
    // A card beside other numbers: its expiry, an amount.
    let mut start = 0;
    while start < groups.len() {
        let rest = groups.get(start..).unwrap_or_default();
        let ends = (1..=rest.len().min(DIGITS_MAX)).rev();
        let card = ends.filter_map(|end| rest.get(..end)).find(|window| {
            length(window) <= DIGITS_MAX
                && window.iter().all(|group| group.len() >= GROUP_DIGITS_MIN)
                && is_card(&digits(window), says_card)
        });
        if let Some(window) = card {
            found.push(span(window));
        }
        start = start.saturating_add(card.map_or(1, <[_]>::len));
    }
}

fn is_card(digits: &str, says_card: bool) -> bool {
    (DIGITS_MIN..=DIGITS_MAX).contains(&digits.len()) && has_brand(digits, says_card) && passes_luhn(digits)
}

/// First digits from and to, and the lengths of such cards.
const BRANDS: &[(&str, &str, &[usize])] = &[
    ("4", "4", &[16, 19]),
    ("51", "55", &[16]),
    ("2221", "2720", &[16]),
    ("34", "34", &[15]),
    ("37", "37", &[15]),
    ("6011", "6011", &[16, 19]),
    ("644", "659", &[16, 19]),
    ("300", "305", &[14, 16, 19]),
    ("36", "36", &[14, 16, 19]),
    ("38", "39", &[14, 16, 19]),
    ("3528", "3589", &[16, 19]),
    ("62", "62", &[16, 17, 18, 19]),
    ("5018", "5018", &[13, 15, 16, 18, 19]),
    ("5020", "5020", &[13, 15, 16, 18, 19]),
    ("5038", "5038", &[13, 15, 16, 18, 19]),
    ("5893", "5893", &[13, 15, 16, 18, 19]),
    ("6304", "6304", &[13, 15, 16, 18, 19]),
    ("6759", "6759", &[13, 15, 16, 18, 19]),
    ("6761", "6763", &[13, 15, 16, 18, 19]),
];

fn has_brand(digits: &str, says_card: bool) -> bool {
    // Thirteen digits from 4 on are also the bar code of many goods, so they need the word.
    if says_card && digits.len() == DIGITS_MIN && digits.starts_with('4') {
        return true;
    }
    BRANDS.iter().any(|(from, to, lengths)| {
        let first = digits.get(..from.len()).unwrap_or_default();
        lengths.contains(&digits.len()) && (*from..=*to).contains(&first)
    })
}

fn passes_luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip([false, true].into_iter().cycle())
        .map(|(digit, doubled)| {
            let value = u32::from(digit.saturating_sub(b'0'));
            match (doubled, value.saturating_mul(2)) {
                (false, _) => value,
                (true, twice) => twice.checked_sub(9).unwrap_or(twice),
            }
        })
        .sum();
    sum.is_multiple_of(10)
}
