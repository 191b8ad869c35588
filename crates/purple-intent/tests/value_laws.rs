//! Laws of the reader of values: it never fails, its spans are in order, and what a generator writes is read back.
//!
//! The generators write digits, separators and names themselves and share no code with the reader.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use purple_finance::{Currency, Exact};
use purple_intent::value::{Amount, Day, Meaning, MonthMeaning, Notation, Value, values};

fn notation() -> Notation {
    let prefixes = ["INV", "PO", "E", "CTR", "ORD", "INFRA", "C", "V", "EMP"];
    Notation { prefixes: prefixes.map(str::to_owned).to_vec(), ..Notation::default() }
}

/// The one value of a sentence around a written value, with one meaning.
fn only(written: &str) -> Result<Meaning, TestCaseError> {
    let text = format!("please note {written}, thanks");
    let found = values(&text, &notation());
    match found.as_slice() {
        [value] if value.span.of(&text) == written && value.meanings.len() == 1 => {
            Ok(value.meanings[0].clone())
        }
        _ => Err(TestCaseError::fail(format!("`{text}`: {found:?}"))),
    }
}

fn check_spans(text: &str, found: &[Value]) -> Result<(), TestCaseError> {
    let mut end = 0;
    for value in found {
        prop_assert!(!value.meanings.is_empty());
        prop_assert!(value.span.start >= end, "overlap in {found:?}");
        prop_assert!(value.span.start < value.span.end && value.span.end <= text.len());
        prop_assert!(text.is_char_boundary(value.span.start) && text.is_char_boundary(value.span.end));
        end = value.span.end;
    }
    Ok(())
}

/// Groups of three digits from the right, with a separator between them.
fn grouped(whole: u64, separator: &str) -> String {
    let digits = whole.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push_str(separator);
        }
        out.push(digit);
    }
    out
}

/// A last group of three digits, and groups of two before it.
fn lakhs(whole: u64) -> String {
    let digits = whole.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len() - index;
        if index > 0 && left >= 3 && (left - 3).is_multiple_of(2) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

const PIECES: [&str; 66] = [
    "1", "20", "345", "2026", "0", "007", "9999", ".", ",", "'", "’", " ", "\u{a0}", "\u{202f}", "\n", "-",
    "–", "−", "/", ":", "(", ")", "#", "$", "€", "£", "¥", "%", "‰", "USD", "EUR", "eur", "dollars", "k",
    "Mio", "m", "x", "h", "INV", "inv", "E", "PO", "March", "may", "März", "de", "of", "th", "Friday",
    "next", "last", "month", "two", "thirty", "hundred", "one", "days", "pm", "ALL", "+", "½", "٣",
    "\u{200b}", "\u{301}", "@", "_",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_read(text in "\\PC{0,80}|.{0,80}") {
        check_spans(&text, &values(&text, &notation()))?;
    }

    #[test]
    fn any_row_of_pieces_is_read(parts in proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..24)) {
        let text = parts.concat();
        check_spans(&text, &values(&text, &notation()))?;
    }

    #[test]
    fn an_amount_is_read_in_every_notation(
        whole in prop_oneof![1_u64..1_000, 1_000_u64..1_000_000, 1_000_000_u64..1_000_000_000_000],
        cents in 0_u8..100,
        style in 0_usize..8,
        place in 0_usize..6,
        negative: bool,
    ) {
        let number = match style {
            0 => format!("{}.{cents:02}", grouped(whole, ",")),
            1 => format!("{},{cents:02}", grouped(whole, ".")),
            2 => format!("{}.{cents:02}", grouped(whole, "'")),
            3 => format!("{}.{cents:02}", grouped(whole, "’")),
            4 => format!("{},{cents:02}", grouped(whole, " ")),
            5 => format!("{},{cents:02}", grouped(whole, "\u{202f}")),
            6 => format!("{}.{cents:02}", lakhs(whole)),
            _ => format!("{whole}.{cents:02}"),
        };
        let minus = if negative { "-" } else { "" };
        let (written, code) = match place {
            0 => (format!("{minus}{number} USD"), "USD"),
            1 => (format!("EUR {minus}{number}"), "EUR"),
            2 => (format!("{minus}${number}"), "USD"),
            3 => (format!("{minus}{number}\u{a0}€"), "EUR"),
            4 => (format!("{minus}{number} dollars"), "USD"),
            _ => (format!("{minus}{number}chf"), "CHF"),
        };
        let plain = Exact::parse(&format!("{minus}{whole}.{cents:02}")).unwrap();
        let expected = Amount { number: plain, currency: Currency::parse(code).unwrap() };
        prop_assert_eq!(only(&written)?, Meaning::Amount(expected));
    }

    #[test]
    fn three_digits_after_one_point_have_two_meanings(first in 1_u16..1_000, last in 0_u16..1_000) {
        let text = format!("{first}.{last:03} USD");
        let found = values(&text, &notation());
        prop_assert_eq!(found.len(), 1);
        let numbers: Vec<Exact> = found[0].meanings.iter().filter_map(|meaning| match meaning {
            Meaning::Amount(amount) => Some(amount.number.clone()),
            _ => None,
        }).collect();
        let decimal = Exact::parse(&format!("{first}.{last:03}")).unwrap();
        prop_assert_eq!(numbers, vec![Exact::from(u32::from(first) * 1000 + u32::from(last)), decimal]);
    }

    #[test]
    fn a_date_is_read_in_every_notation(days in 0_i64..60_000, style in 0_usize..15) {
        let day = date(1950, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
        let (y, m, d) = (day.year(), day.month(), day.day());
        let written = match style {
            0 => format!("{y}-{m:02}-{d:02}"),
            1 => format!("{d:02}.{m:02}.{y}"),
            2 => format!("{d}.{m}.{y}"),
            3 => format!("{y}/{m:02}/{d:02}"),
            4 => format!("{} {d}, {y}", ENGLISH[month_index(day)]),
            5 => format!("{d} {} {y}", ENGLISH[month_index(day)]),
            6 => format!("{} {d}{} {y}", ENGLISH[month_index(day)], ending(d)),
            7 => format!("{d}. {} {y}", GERMAN[month_index(day)]),
            8 => format!("{d} {} {y}", FRENCH[month_index(day)]),
            9 => format!("{d} de {} de {y}", SPANISH[month_index(day)]),
            10 => format!("{d}-{}-{y}", &ENGLISH[month_index(day)][..3]),
            11 => format!("{} {d}, {y}", ENGLISH[month_index(day)].to_uppercase()),
            12 => format!("{d} {} {y}", ENGLISH[month_index(day)].to_lowercase()),
            13 => format!("{d}{} of {} {y}", ending(d), ENGLISH[month_index(day)]),
            _ => format!("{d}. {m}. {y}"),
        };
        prop_assert_eq!(only(&written)?, Meaning::Day(Day::On(day)));
    }

    #[test]
    fn a_date_with_slashes_has_each_possible_order(first in 1_i8..=31, second in 1_i8..=31, year in 1950_i16..2100) {
        let text = format!("on {first}/{second}/{year}");
        let found = values(&text, &notation());
        let mut expected: Vec<Date> =
            [Date::new(year, second, first), Date::new(year, first, second)].into_iter().flatten().collect();
        expected.dedup();
        let read: Vec<Date> = found.iter().flat_map(|value| &value.meanings).filter_map(|meaning| match meaning {
            Meaning::Day(Day::On(date)) => Some(*date),
            _ => None,
        }).collect();
        prop_assert_eq!(read, expected);
        prop_assert!(found.len() <= 1);
    }

    #[test]
    fn a_day_without_a_year_is_read(day in 1_i8..=28, month in 1_i8..=12, style in 0_usize..4) {
        let index = usize::try_from(month - 1).unwrap();
        let written = match style {
            0 => format!("{} {day}{}", ENGLISH[index], ending(day)),
            1 => format!("{day}. {}", GERMAN[index]),
            2 => format!("{day} {}", FRENCH[index]),
            _ => format!("{day} de {}", SPANISH[index]),
        };
        prop_assert_eq!(only(&written)?, Meaning::Day(Day::DayMonth { day, month }));
    }

    #[test]
    fn a_month_of_a_year_is_read(month in 1_i8..=12, year in 1950_i16..2100, style in 0_usize..6) {
        let index = usize::try_from(month - 1).unwrap();
        let written = match style {
            0 => format!("{year}-{month:02}"),
            1 => format!("{month:02}/{year}"),
            2 => format!("{} {year}", ENGLISH[index]),
            3 => format!("{} {year}", GERMAN[index]),
            4 => format!("{} {year}", FRENCH[index]),
            _ => format!("{} de {year}", SPANISH[index]),
        };
        prop_assert_eq!(only(&written)?, Meaning::Month(MonthMeaning::Of { year, month }));
    }

    #[test]
    fn an_id_is_read_in_any_case_and_spacing(
        prefix in proptest::sample::select(vec!["INV", "PO", "CTR", "ORD", "INFRA", "EMP"]),
        year in 2000_u16..2100,
        number in 100_u32..1_000_000,
        two_groups: bool,
        separator in proptest::sample::select(vec!["-", " ", "#", " #", "", "‑"]),
        case in 0_usize..3,
        mark in proptest::sample::select(vec!["", "#"]),
    ) {
        let prefix = match case {
            0 => prefix.to_owned(),
            1 => prefix.to_lowercase(),
            _ => format!("{}{}", &prefix[..1], prefix[1..].to_lowercase()),
        };
        let between = if separator.contains('#') { "-" } else { separator };
        let digits = if two_groups { format!("{year}{between}{number}") } else { number.to_string() };
        let written = format!("{mark}{prefix}{separator}{digits}");
        let Meaning::Id(id) = only(&written)? else { return Err(TestCaseError::fail(written)) };
        let hyphen = if two_groups && !between.is_empty() { format!("{year}-{number}") } else { digits.clone() };
        prop_assert_eq!(id.as_str(), format!("{}-{hyphen}", prefix.to_uppercase()));
        let plain: String = hyphen.chars().filter(char::is_ascii_digit).collect();
        prop_assert_eq!(id.key(), format!("{}{plain}", prefix.to_uppercase()));
    }
}

fn month_index(day: Date) -> usize {
    usize::try_from(day.month() - 1).unwrap_or_default()
}

fn ending(day: i8) -> &'static str {
    match (day, day % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

const ENGLISH: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const GERMAN: [&str; 12] = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];
const FRENCH: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];
const SPANISH: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

#[test]
fn long_texts_are_read_to_their_end() {
    // Each of these would take hours if one place could look at all the others, or end the stack.
    for part in [
        "1 ",
        "1,",
        "((((",
        "a-1-",
        "one ",
        "12:30/",
        "1 234 ",
        "234 ",
        "1234 ",
        "USD 1 ",
        "INV-2024-",
        "-",
        "\u{301}",
        "1'",
        "x1",
        "+1 ",
    ] {
        let text = format!("{}, 19 % VAT", part.repeat(300_000 / part.len()));
        let last = values(&text, &notation()).pop().expect(part);
        assert_eq!(last.span.of(&text), "19 %", "{part}");
    }
}
