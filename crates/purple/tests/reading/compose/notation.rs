//! The same amount, date and id in the ways in which people write them.

use super::lexicon::Language;
use super::random::Random;

/// Digits in groups of three.
fn grouped(whole: i64, separator: &str) -> String {
    let digits = whole.to_string();
    let mut groups: Vec<&str> = Vec::new();
    let mut rest = digits.as_str();
    while rest.len() > 3 {
        let (head, tail) = rest.split_at(rest.len() - 3);
        groups.push(tail);
        rest = head;
    }
    groups.push(rest);
    groups.reverse();
    groups.join(separator)
}

/// An amount that has one meaning only.
pub(super) fn amount(random: &mut Random, language: Language, cents: i64) -> String {
    let (whole, part) = (cents / 100, cents % 100);
    let english = format!("{}.{part:02}", grouped(whole, ","));
    let continental = format!("{},{part:02}", grouped(whole, "."));
    let mut ways = vec![
        format!("{}.{part:02} USD", grouped(whole, "'")),
        format!("{},{part:02} USD", grouped(whole, " ")),
        format!("{whole}.{part:02} USD"),
        format!("USD {english}"),
        format!("{continental} USD"),
    ];
    if language == Language::English {
        ways.extend([format!("${english}"), format!("{english} USD"), format!("US$ {english}")]);
        if part == 0 {
            ways.extend([format!("{} dollars", grouped(whole, ",")), format!("${}", grouped(whole, ","))]);
        }
        if cents % 10_000 == 0 {
            ways.push(format!("{}.{}k USD", whole / 1000, whole % 1000 / 100));
        }
    }
    random.pick(&ways).clone()
}

/// An amount that can be read in two ways: 25.500 is 25.5 or 25,500.
pub(super) fn ambiguous_amount(cents: i64) -> Option<String> {
    let whole = cents / 100;
    (cents % 100 == 0 && (1_000..1_000_000).contains(&whole)).then(|| format!("{} USD", grouped(whole, ".")))
}

/// A day of March or April 2026 after the twelfth, so that no notation has two meanings.
#[derive(Clone, Copy)]
pub(super) struct Day {
    pub(super) month: usize,
    pub(super) day: usize,
}

impl Day {
    pub(super) fn pick(random: &mut Random) -> Self {
        Self { month: 3 + random.below(2), day: 13 + random.below(18) }
    }

    pub(super) fn iso(self) -> String {
        format!("2026-{:02}-{:02}", self.month, self.day)
    }

    pub(super) fn text(self, random: &mut Random, language: Language) -> String {
        let Self { month, day } = self;
        let index = month - 3;
        let ways = match language {
            Language::English => {
                let name = ["March", "April"][index];
                vec![
                    format!("{day} {name} 2026"),
                    format!("{name} {day}, 2026"),
                    format!("{month}/{day}/2026"),
                    format!("{day}.{month:02}.2026"),
                    self.iso(),
                ]
            }
            Language::German => {
                vec![
                    format!("{day}.{month:02}.2026"),
                    format!("{day}. {} 2026", ["März", "April"][index]),
                    self.iso(),
                ]
            }
            Language::French => {
                vec![
                    format!("{day} {} 2026", ["mars", "avril"][index]),
                    format!("{day}/{month:02}/2026"),
                    self.iso(),
                ]
            }
            Language::Spanish => {
                vec![
                    format!("{day} de {} de 2026", ["marzo", "abril"][index]),
                    format!("{day}/{month:02}/2026"),
                    self.iso(),
                ]
            }
        };
        random.pick(&ways).clone()
    }
}

/// An id as it is on the record, or as people type it.
pub(super) fn id(random: &mut Random, id: &str) -> String {
    match random.below(10) {
        0 => id.to_lowercase(),
        1 => id.replace('-', " "),
        2 => id.replacen('-', " ", 1),
        _ => id.to_owned(),
    }
}
