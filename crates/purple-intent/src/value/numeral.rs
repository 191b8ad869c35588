//! A number as digits with separators, and what it can mean.

use purple_finance::Exact;

use super::cursor::{Pieces, is_apostrophe, is_dash};
use super::piece::Kind;

/// More groups of digits than any value has.
const GROUPS_MAX: usize = 12;
/// More digits than any amount has.
const DIGITS_MAX: usize = 30;

/// Groups of digits with one separator between each two, as long as they go on.
pub(super) struct Run<'a> {
    pub(super) groups: Vec<&'a str>,
    pub(super) separators: Vec<char>,
    /// The place after the last group.
    pub(super) end: usize,
    /// Whether groups were left out because there are too many.
    too_long: bool,
}

impl<'a> Run<'a> {
    /// The run that begins here, separators without spaces: `52,340.00`, `2026-03-20`, `14:30`.
    pub(super) fn read(pieces: Pieces<'a>, at: usize) -> Option<Self> {
        let mut run =
            Self { groups: vec![pieces.digits(at)?], separators: Vec::new(), end: at + 1, too_long: false };
        while let (Some(sign), Some(group)) = (pieces.sign(run.end), pieces.digits(run.end + 1)) {
            let joins = matches!(sign, '.' | ',' | '/' | ':') || is_apostrophe(sign) || is_dash(sign);
            if !joins {
                break;
            }
            run.push(sign, group);
        }
        Some(run)
    }

    fn push(&mut self, separator: char, group: &'a str) {
        self.end += 2;
        if self.groups.len() < GROUPS_MAX {
            self.separators.push(if is_apostrophe(separator) { '\'' } else { separator });
            self.groups.push(group);
        } else {
            self.too_long = true;
        }
    }

    /// The one separator of two groups, or of three with the same one.
    pub(super) fn same_separator(&self) -> Option<char> {
        let first = *self.separators.first()?;
        self.separators.iter().all(|separator| *separator == first).then_some(first)
    }
}

/// The numbers that digits with separators can mean.
#[derive(Clone, Debug)]
pub(super) struct Numeral {
    /// With every separator as a thousands separator, or without separators.
    pub(super) grouped: Option<Exact>,
    /// With a decimal separator.
    pub(super) decimal: Option<Exact>,
    /// The one separator that could be both.
    pub(super) doubtful: Option<char>,
    /// The number without its first group, where a plain space could also separate two numbers.
    pub(super) without_first: Option<Exact>,
    /// Whether a separator is written.
    pub(super) separated: bool,
    /// Whether a plain space groups the digits and nothing else shows that it does.
    pub(super) loose: bool,
    /// The place after it.
    pub(super) end: usize,
}

impl Numeral {
    /// The number that begins with the digits here, or how far to go on where the digits are no number.
    pub(super) fn read(pieces: Pieces<'_>, at: usize) -> Result<Self, usize> {
        let run = Run::read(pieces, at).ok_or(at)?;
        if run.too_long {
            return Err(run.end);
        }
        match spaced(pieces, at) {
            Some(spaced) => spaced.loose_numeral(pieces, at).ok_or(run.end),
            None => of(&run.groups, &run.separators, run.end).ok_or(run.end),
        }
    }

    /// One number: a word.
    pub(super) fn whole(number: i128, end: usize) -> Self {
        Self {
            grouped: Some(Exact::from(number)),
            decimal: None,
            doubtful: None,
            without_first: None,
            separated: false,
            loose: false,
            end,
        }
    }

    /// All numbers that this can be, before a currency or unit decides.
    pub(super) fn readings(&self) -> Vec<Exact> {
        self.grouped.iter().chain(&self.decimal).chain(&self.without_first).cloned().collect()
    }
}

/// Digits grouped by spaces: `52 340,00`.
struct Spaced<'a> {
    groups: Vec<&'a str>,
    fraction: Option<&'a str>,
    hard: bool,
    end: usize,
}

impl Spaced<'_> {
    fn loose_numeral(&self, pieces: Pieces<'_>, at: usize) -> Option<Numeral> {
        let whole = joined(&self.groups, false)?;
        let number = decimal(&whole, self.fraction)?;
        let sure = self.hard || self.fraction.is_some() || self.groups.len() > 2;
        let doubtful_name = !self.hard && self.groups.len() == 2 && after_name(pieces, at);
        let rest = self
            .groups
            .last()
            .filter(|_| doubtful_name)
            .and_then(|last| decimal(plain(last)?, self.fraction));
        Some(Numeral {
            grouped: Some(number),
            decimal: None,
            doubtful: None,
            without_first: rest,
            separated: true,
            loose: !sure,
            end: self.end,
        })
    }
}

/// Whether the number here could belong to a name before it: `Delta Tooling 31`, `Widget A 2`.
fn after_name(pieces: Pieces<'_>, at: usize) -> bool {
    let Some(name) = at.checked_sub(2).filter(|_| pieces.is_space(at - 1)) else { return false };
    let begins = pieces.is_line_start(name) || (name > 1 && pieces.is_sign(name - 2, '.'));
    let label = matches!(
        pieces.word(name),
        Some(
            "total"
                | "amount"
                | "sum"
                | "price"
                | "betrag"
                | "rechnungsbetrag"
                | "summe"
                | "preis"
                | "gesamt"
                | "kosten"
                | "montant"
                | "somme"
                | "importe"
                | "suma"
                | "precio"
        )
    );
    pieces.is_capital(name) && !begins && !label
}

fn spaced<'a>(pieces: Pieces<'a>, at: usize) -> Option<Spaced<'a>> {
    let first = pieces.digits(at).filter(|first| first.len() <= 3)?;
    let mut out = Spaced { groups: vec![first], fraction: None, hard: true, end: at + 1 };
    let one_space = |at: usize| {
        pieces.is_space(at) && pieces.get(at).is_some_and(|piece| piece.span.end - piece.span.start <= 3)
    };
    while one_space(out.end) && out.groups.len() < GROUPS_MAX {
        let Some(group) = pieces.digits(out.end + 1).filter(|group| group.len() == 3) else { break };
        out.hard &= pieces.get(out.end)?.kind == Kind::HardSpace;
        out.groups.push(group);
        out.end += 2;
    }
    if out.groups.len() < 2 {
        return None;
    }
    if let (Some('.' | ','), Some(fraction)) = (pieces.sign(out.end), pieces.digits(out.end + 1)) {
        out.fraction = Some(fraction);
        out.end += 2;
    }
    let goes_on =
        pieces.sign(out.end).is_some_and(|sign| matches!(sign, '.' | ',' | '/' | ':') || is_dash(sign))
            && pieces.digits(out.end + 1).is_some();
    let more = one_space(out.end) && pieces.digits(out.end + 1).is_some();
    // A fraction of three digits, or groups that go on in another shape: a list or a telephone number.
    (!goes_on && !more).then_some(out)
}

/// What groups with these separators can mean as a number.
fn of(groups: &[&str], separators: &[char], end: usize) -> Option<Numeral> {
    let (fraction, whole) = groups.split_last()?;
    let mut numeral = Numeral { grouped: None, separated: true, ..Numeral::whole(0, end) };
    let one_kind = separators.iter().all(|separator| Some(separator) == separators.first());
    match separators {
        [] => {
            numeral.grouped = decimal(plain(fraction)?, None);
            numeral.separated = false;
        }
        _ if !separators.iter().all(|separator| matches!(separator, '.' | ',' | '\'')) => return None,
        [separator @ ('.' | ',')] => {
            let first = *whole.first()?;
            numeral.decimal = decimal(plain(first)?, Some(fraction));
            if fraction.len() == 3 && first.len() <= 3 && first != "0" {
                numeral.grouped = joined(groups, false).and_then(|whole| decimal(&whole, None));
                numeral.doubtful = Some(*separator);
            }
        }
        [separator, ..] if one_kind => {
            numeral.grouped = joined(groups, *separator == ',').and_then(|whole| decimal(&whole, None));
            numeral.loose = *separator == '.' && is_network_address(groups);
        }
        _ => numeral.decimal = mixed(whole, separators, fraction),
    }
    (numeral.grouped.is_some() || numeral.decimal.is_some()).then_some(numeral)
}

/// `192.168.100.200`.
fn is_network_address(groups: &[&str]) -> bool {
    groups.len() == 4 && groups.iter().all(|group| group.parse().is_ok_and(|number: u16| number < 256))
}

/// One kind of separator between thousands, then another one before the decimals.
fn mixed(whole: &[&str], separators: &[char], fraction: &str) -> Option<Exact> {
    let (last, thousands) = separators.split_last()?;
    let first = *thousands.first()?;
    let one_kind = thousands.iter().all(|separator| *separator == first);
    if !one_kind || *last == '\'' || *last == first {
        return None;
    }
    decimal(&joined(whole, first == ',')?, Some(fraction))
}

/// The digits of groups of three; with `indian`, also of groups of two before a last group of three.
fn joined(groups: &[&str], indian: bool) -> Option<String> {
    let (first, rest) = groups.split_first()?;
    let threes = (1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3);
    let (last, twos) = rest.split_last()?;
    let lakhs = indian
        && last.len() == 3
        && !twos.is_empty()
        && (1..=2).contains(&first.len())
        && twos.iter().all(|group| group.len() == 2);
    let starts_well = !first.starts_with('0');
    ((threes || lakhs) && starts_well).then(|| groups.concat())
}

/// Digits without a leading zero, which only identifiers have.
fn plain(digits: &str) -> Option<&str> {
    (digits.len() == 1 || !digits.starts_with('0')).then_some(digits)
}

fn decimal(whole: &str, fraction: Option<&str>) -> Option<Exact> {
    let fraction = fraction.unwrap_or_default();
    if whole.len() + fraction.len() > DIGITS_MAX {
        return None;
    }
    let point = if fraction.is_empty() { "" } else { "." };
    Exact::parse(&format!("{whole}{point}{fraction}")).ok()
}
