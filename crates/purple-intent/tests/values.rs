//! The values of a text, against a table that was written before the reader.

use jiff::civil::Weekday;
use purple_intent::Span;
use purple_intent::value::{Day, Meaning, MonthMeaning, Notation, Value, values};

const TABLE: &str = include_str!("values.txt");

fn notation() -> Notation {
    let prefixes = ["INV", "PO", "E", "CTR", "ORD", "INFRA", "C", "V", "EMP"];
    Notation { prefixes: prefixes.map(str::to_owned).to_vec(), ..Notation::default() }
}

fn shown(value: &Value) -> String {
    value.meanings.iter().map(meaning).collect::<Vec<_>>().join(" | ")
}

fn meaning(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Id(id) => format!("id:{}", id.as_str()),
        Meaning::Amount(amount) => format!("{} {}", amount.number, amount.currency),
        Meaning::Percent(number) => format!("{number}%"),
        Meaning::Number(number) => format!("n:{number}"),
        Meaning::Quantity { number, unit } => format!("{number} {unit:?}"),
        Meaning::Day(day) => day_shown(*day),
        Meaning::Month(MonthMeaning::Of { year, month }) => format!("{year}-{month:02}"),
        Meaning::Month(MonthMeaning::Named { month }) => format!("month:{month}"),
        Meaning::Month(MonthMeaning::Ahead { months }) => format!("month{months:+}"),
    }
}

fn day_shown(day: Day) -> String {
    match day {
        Day::On(date) => date.to_string(),
        Day::DayMonth { day, month } => format!("day:{day}.{month}"),
        Day::Weekday { weekday, next } => format!("{}{}", if next { "next " } else { "" }, named(weekday)),
        Day::Ahead { days } => format!("today{days:+}"),
    }
}

fn named(weekday: Weekday) -> String {
    format!("{weekday:?}")
}

fn unescaped(text: &str) -> String {
    let pairs =
        [("\\n", "\n"), ("\\s", "\u{202f}"), ("\\_", "\u{a0}"), ("\\t", "\u{2009}"), ("\\z", "\u{200b}")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[test]
fn the_table_is_read_as_written() {
    let lines: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert!(lines.len() >= 120, "{} lines", lines.len());
    let mut wrong = Vec::new();
    for line in lines {
        let (text, expected) = line.split_once(" =>").unwrap();
        let found = values(&unescaped(text), &notation());
        let found = found.iter().map(shown).collect::<Vec<_>>().join(" ; ");
        if found != expected.trim() {
            wrong.push(format!("{text}\n   expected: {}\n   found:    {found}", expected.trim()));
        }
    }
    assert!(wrong.is_empty(), "{} lines differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_span_holds_the_words_of_its_value() {
    let text = "Zahle „1.190,00 €“ bis 20. März an #ORD 5592 (19 %).";
    let found = values(text, &notation());
    let words: Vec<&str> = found.iter().map(|value| value.span.of(text)).collect();
    assert_eq!(words, ["1.190,00 €", "20. März", "#ORD 5592", "19 %"]);
    assert!(found.iter().all(|value| value.span != Span::new(0, 0)));
}
