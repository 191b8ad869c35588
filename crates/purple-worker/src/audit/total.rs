//! Totals of listed lines: bullets, names with amounts, or the rows of a table, and the line that claims their sum.

use std::ops::Range;

use purple_finance::{Currency, Exact};

use super::found::{Found, Term, resting, resting_percent};
use super::line::{Plain, claims_total, plain};
use super::quantity::{Closeness, Quantity, same_currency};
use super::statement::{is_row, list_mark};
use super::table::{Table, is_rule};
use super::token::{Operator, Token, TokenKind, tokens};
use super::{Kind, Statement};

/// How many lines a total may have.
pub(super) const LINES_PER_TOTAL_MAX: usize = 1_000;

/// Every total.
pub(super) fn totals(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let (mut list, mut table) = (List::default(), Table::default());
    let mut offset = 0;
    let mut above = "";
    for line in text.split_inclusive('\n') {
        // Without outer bars, a row is known by the rule above it.
        let is_cut = line.contains('|') && (is_rule(above) || table.is_cut);
        if is_rule(line) && !is_row(line) {
            table.head(above);
        } else if is_row(line) || is_cut {
            table.is_cut = is_cut;
            list = List::default();
            table.row(text, line, offset, &mut found);
        } else if line.trim().is_empty() {
            table = Table::default();
            list.pause();
        } else if is_stroke(line) {
            // A stroke above a total is no line.
            table = Table::default();
        } else {
            table = Table::default();
            list.line(text, line, offset, &mut found);
        }
        offset += line.len();
        above = line;
    }
    found
}

fn is_stroke(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.chars().all(|sign| "-=_–—".contains(sign))
}

/// Words of what may be taken away from a subtotal.
const TAKEN: &[&str] = &[
    "paid",
    "prepaid",
    "payment",
    "payments",
    "deposit",
    "credit",
    "credits",
    "advance",
    "received",
    "refund",
    "discount",
    "rebate",
    "deduction",
    "withheld",
    "withholding",
    "retention",
    "allowance",
    "less",
    "minus",
    "off",
    "voucher",
    "returned",
    "returns",
];

/// What a label says about its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Total,
    Subtotal,
    /// What tax is added to, and what comes of it.
    Net,
    Gross,
    /// What it names is taken away.
    Less,
    Plain,
}

pub(super) fn label(words: &[&str]) -> Label {
    // "Net: USD 100"
    let words = match words.split_last() {
        Some((last, before)) if Currency::parse(&last.to_uppercase()).is_ok() => before,
        _ => words,
    };
    match words {
        ["subtotal" | "subtotals" | "sub-total", ..] | ["sub", "total", ..] => Label::Subtotal,
        ["net"] | ["net", "amount" | "price" | "value"] => Label::Net,
        ["gross"] | ["gross", "amount" | "price" | "value"] => Label::Gross,
        // What is left over is the total of no lines.
        [
            "total",
            "variance" | "difference" | "change" | "deviation" | "excess" | "outstanding" | "remaining",
            ..,
        ] => Label::Plain,
        ["the", "total", "is" | "comes" | "amounts" | "equals", ..]
        | ["this" | "that", "gives" | "makes" | "is", "a", "total", ..]
        | ["together" | "combined" | "altogether"] => Label::Total,
        ["total" | "sum", ..]
        | ["grand" | "overall" | "net" | "gross" | "invoice" | "combined" | "final", "total", ..] => {
            Label::Total
        }
        ["less" | "minus" | "discount" | "credit" | "refund" | "deduction" | "rebate", ..] => Label::Less,
        _ => Label::Plain,
    }
}

/// The first words of a line, in lower case and without emphasis.
pub(super) fn words(line: &str) -> Vec<String> {
    const WORDS_MAX: usize = 4;
    let cleaned = line.replace(['*', '_', '`'], "");
    let split =
        cleaned.split(|sign: char| !sign.is_alphabetic() && sign != '-').filter(|word| !word.is_empty());
    split.take(WORDS_MAX).map(str::to_lowercase).collect()
}

/// The amount of a line, and what may be summed with it.
#[derive(Clone)]
pub(super) struct Amount {
    pub(super) quantity: Quantity,
    /// Whether it is taken away; where it is not below zero, it may be added as well.
    pub(super) is_less: bool,
}

/// Lines of a list since the last total.
#[derive(Default)]
struct List {
    /// `None` once a line had no amount that can be told from other figures.
    lines: Vec<Option<Amount>>,
    /// The subtotals before, and the lines that they cover.
    subtotals: Vec<Amount>,
    covered: Vec<Amount>,
    /// How many lines stand before the last empty one: two lists may stand one below the other.
    gap: usize,
    /// Whether its lines have no marks.
    is_plain: bool,
}

impl List {
    fn line(&mut self, text: &str, line: &str, offset: usize, found: &mut Vec<Found>) {
        let mark = list_mark(line);
        let is_listed = mark > line.len() - line.trim_start().len();
        let content = line.get(mark..).unwrap_or_default();
        let words = words(content);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let label = label(&words);
        let tokens = tokens(content, offset + mark);
        match label {
            // "Net: $100" begins, whatever stands above.
            Label::Net if !is_listed && self.subtotals.is_empty() && claimed(&tokens).is_some() => {
                let net = claimed(&tokens)
                    .map(|(quantity, _)| Amount { quantity: quantity.clone(), is_less: false });
                *self = Self { subtotals: net.into_iter().collect(), ..Self::default() };
            }
            Label::Gross
                if self.subtotals.is_empty() || self.lines.iter().flatten().any(|line| line.is_less) =>
            {
                self.unmarked(plain(text, line, &tokens, false), label)
            }
            Label::Total | Label::Subtotal | Label::Gross => {
                if let Some((quantity, span)) =
                    claimed(&tokens).filter(|(claim, _)| self.takes(&tokens, claim))
                {
                    found.extend(self.judge(text, offset + mark..span.end, quantity));
                    self.close(quantity.clone(), label);
                } else {
                    *self = Self::default();
                }
            }
            Label::Less | Label::Plain | Label::Net if is_listed => {
                if self.is_plain {
                    *self = Self::default();
                }
                let amount =
                    listed(&tokens).map(|quantity| Amount { quantity, is_less: label == Label::Less });
                self.lines.push(amount);
            }
            // Between a subtotal and its total the added lines may stand without marks.
            Label::Less | Label::Plain | Label::Net
                if !self.subtotals.is_empty() && listed(&tokens).is_some() =>
            {
                // "Already paid: $400" below a subtotal.
                let is_less = label == Label::Less || words.iter().any(|word| TAKEN.contains(word));
                self.lines.push(listed(&tokens).map(|quantity| Amount { quantity, is_less }));
            }
            Label::Less | Label::Plain | Label::Net => {
                self.unmarked(plain(text, line, &tokens, label == Label::Less), label)
            }
        }
    }

    /// An empty line.
    fn pause(&mut self) {
        if self.is_plain && self.subtotals.is_empty() && self.lines.iter().all(Option::is_none) {
            *self = Self::default();
        }
        self.gap = self.lines.len();
    }

    /// A line without a mark.
    fn unmarked(&mut self, line: Plain, label: Label) {
        match line {
            Plain::Parts(parts) => {
                let has_marked = !self.is_plain && !self.lines.is_empty();
                if has_marked && self.gap == self.lines.len() {
                    *self = Self::default();
                } else if has_marked {
                    // Directly below marked lines it may belong to them or not.
                    self.lines.push(None);
                }
                let amount = |quantity| Some(Amount { quantity, is_less: label == Label::Less });
                self.lines.extend(parts.into_iter().map(amount));
                self.is_plain = true;
            }
            // Whatever it says belongs to the lines around it.
            Plain::Other => {
                self.lines.push(None);
                self.is_plain = true;
            }
            Plain::Unclear if self.is_plain => self.lines.push(None),
            Plain::Sentence | Plain::Unclear => *self = Self::default(),
        }
    }

    /// Whether a line may claim the total of what stands above it.
    fn takes(&self, tokens: &[Token], claim: &Quantity) -> bool {
        let parts = self.lines.iter().flatten().map(|amount| &amount.quantity);
        let is_clear = self.lines.iter().all(Option::is_some);
        !self.is_plain || (is_clear && claims_total(tokens, claim, parts))
    }

    /// After a total a new list begins; after a subtotal it goes on.
    fn close(&mut self, quantity: Quantity, label: Label) {
        let lines = std::mem::take(&mut self.lines);
        self.gap = 0;
        if label == Label::Subtotal {
            self.covered.extend(lines.into_iter().flatten());
            self.subtotals.push(Amount { quantity, is_less: false });
        } else {
            *self = Self::default();
        }
    }

    fn judge(&self, text: &str, span: Range<usize>, claim: &Quantity) -> Option<Found> {
        let below: Option<Vec<Amount>> = self.lines.iter().skip(self.gap).cloned().collect();
        let lines: Option<Vec<Amount>> = self.lines.iter().cloned().collect();
        // The list that the total stands below, with the lines above a gap where they can be read.
        let lines = lines.or_else(|| below.clone())?;
        let mut readings = vec![lines.clone()];
        readings.extend(below.filter(|below| below.len() < lines.len()));
        if !self.subtotals.is_empty() {
            readings.insert(0, self.subtotals.iter().chain(&lines).cloned().collect());
            readings.push(self.subtotals.clone());
            readings.push(self.covered.iter().chain(&lines).cloned().collect());
        }
        if claim.currency.is_some() {
            // "section 4.2" is no amount among amounts of money.
            let of_money = |reading: &Vec<Amount>| {
                reading
                    .iter()
                    .filter(|amount| amount.quantity.currency.is_some())
                    .cloned()
                    .collect::<Vec<_>>()
            };
            let shorter: Vec<_> = readings.iter().map(of_money).collect();
            readings.extend(shorter);
        }
        // A total of one line is a label.
        readings.retain(|reading| (2..=LINES_PER_TOTAL_MAX).contains(&reading.len()));
        judge(text, span, claim, &readings)
    }
}

/// Judges a claim by several readings of what it sums up: it holds if one of them gives it.
///
/// The first reading is the one that is told.
pub(super) fn judge(
    text: &str,
    span: Range<usize>,
    claim: &Quantity,
    readings: &[Vec<Amount>],
) -> Option<Found> {
    let told = readings.first()?;
    if readings.iter().any(|reading| !is_summable(reading, claim)) {
        return None;
    }
    let sums = |reading: &[Amount]| [sum(reading, true), sum(reading, false)];
    // "Total: 3" may count the lines.
    let counts = |reading: &[Amount]| {
        claim.is_bare && claim.value == Exact::from(i64::try_from(reading.len()).unwrap_or(i64::MAX))
    };
    let holding = readings.iter().find_map(|reading| {
        let mut sums = sums(reading).into_iter().flatten();
        sums.find(|sum| claim.states(sum, Closeness::Shown)).map(|sum| (reading, sum))
    });
    // The whole of shares is 100%; any other percentage below some may be their mean.
    if holding.is_none() && claim.is_percent && claim.value != Exact::ONE {
        return None;
    }
    let ok = holding.is_some() || readings.iter().any(|reading| counts(reading));
    let (read, exact) = match holding {
        Some((reading, sum)) => (reading, Some(sum)),
        None => (told, sum(told, true)),
    };
    let rests =
        |exact: &Exact| if claim.is_percent { resting_percent(exact) } else { resting(exact, Some(claim)) };
    // Nothing rests on how many lines there are.
    let gives = exact.as_ref().filter(|exact| ok && claim.states(exact, Closeness::Shown)).map(rests);
    let statement = Statement {
        text: text.get(span.clone()).unwrap_or_default().trim_end().to_owned(),
        span,
        kind: Kind::Total,
        inputs: read.iter().map(|amount| amount.quantity.value.clone()).collect(),
        stated: claim.value.clone(),
        exact,
        ok,
        fault: None,
    };
    let terms = read.iter().map(|amount| Term::addend(&amount.quantity)).collect();
    Some(Found { statement, terms, gives: gives.unwrap_or_default() })
}

/// The sum; with `deduct`, lines that name a deduction are taken away.
fn sum(amounts: &[Amount], deduct: bool) -> Option<Exact> {
    amounts.iter().try_fold(Exact::ZERO, |sum, amount| {
        let is_taken = deduct && amount.is_less && !amount.quantity.value.is_negative();
        if is_taken { sum.minus(&amount.quantity.value).ok() } else { sum.plus(&amount.quantity.value).ok() }
    })
}

/// Whether the amounts are of one kind: one currency, all percentages or none.
fn is_summable(amounts: &[Amount], claim: &Quantity) -> bool {
    let quantities = || amounts.iter().map(|amount| &amount.quantity).chain([claim]);
    let currencies: Vec<&str> = quantities().filter_map(|quantity| quantity.currency.as_deref()).collect();
    let one_currency =
        currencies.windows(2).all(|pair| matches!(pair, [one, other] if same_currency(one, other)));
    // "$10/month" and "$50" are added by nobody.
    let rate = |quantity: &Quantity| quantity.unit.clone().filter(|unit| unit.starts_with('/'));
    one_currency
        && quantities().all(|quantity| quantity.is_percent == claim.is_percent)
        && quantities().all(|quantity| rate(quantity) == rate(claim))
}

/// The amount that a line of a list states: its only one with a currency, or the figure at its end.
fn listed(tokens: &[Token]) -> Option<Quantity> {
    if is_multiplied(tokens) {
        return None;
    }
    let figures: Vec<&Quantity> = figures(tokens).map(|(quantity, _)| quantity).collect();
    let mut money = figures.iter().filter(|quantity| quantity.currency.is_some());
    if let (Some(only), None) = (money.next(), money.next()) {
        return Some((*only).clone());
    }
    let last = tokens.iter().rev().find(|token| token.kind != TokenKind::Other)?;
    match &last.kind {
        TokenKind::Figure(quantity) if figures.len() == 1 || quantity.currency.is_some() => {
            Some(quantity.clone())
        }
        TokenKind::Figure(quantity) => {
            // "3 × 40 = 120" states what stands after its equals sign.
            let is_result = tokens.iter().any(|token| matches!(token.kind, TokenKind::Equals));
            is_result.then(|| quantity.clone())
        }
        _ => None,
    }
}

/// "3 × $100" and "3 seats at $100 each", without what they come to.
fn is_multiplied(tokens: &[Token]) -> bool {
    let is_product = |three: &[Token]| {
        let [one, operator, other] = three else { return false };
        let is_operator = matches!(operator.kind, TokenKind::Operator(Operator::Times | Operator::Over));
        let is_figure = |token: &Token| matches!(token.kind, TokenKind::Figure(_));
        is_operator && is_figure(one) && is_figure(other)
    };
    let first = tokens.iter().position(|token| matches!(token.kind, TokenKind::Figure(_)));
    let is_rate = |(at, token): (usize, &Token)| match &token.kind {
        TokenKind::Word(word) => {
            matches!(word.as_str(), "each" | "per" | "apiece")
                || (word == "at" && first.is_some_and(|first| first < at))
        }
        _ => false,
    };
    let is_told = tokens.iter().any(|token| matches!(token.kind, TokenKind::Equals));
    !is_told && (tokens.windows(3).any(is_product) || tokens.iter().enumerate().any(is_rate))
}

pub(super) fn figures(tokens: &[Token]) -> impl Iterator<Item = (&Quantity, &Range<usize>)> {
    tokens.iter().filter_map(|token| match &token.kind {
        TokenKind::Figure(quantity) => Some((quantity, &token.span)),
        _ => None,
    })
}

/// The claim of a line `Total: x`: its only figure, after words and signs, with nothing counted behind it.
fn claimed(tokens: &[Token]) -> Option<(&Quantity, &Range<usize>)> {
    let at = tokens.iter().position(|token| matches!(token.kind, TokenKind::Figure(_)))?;
    let (before, after) = tokens.split_at(at);
    let is_label = before.iter().all(|token| {
        matches!(
            token.kind,
            TokenKind::Word(_) | TokenKind::Other | TokenKind::Equals | TokenKind::Open | TokenKind::Close
        ) || matches!(token.kind, TokenKind::Operator(_))
    });
    // "Total: $150" and "Total: $150 (rounded)", but not "Total of 3 invoices" and not "Total: 100 + 50 = 150".
    let ends = match after.get(1).map(|token| &token.kind) {
        None | Some(TokenKind::Other | TokenKind::Open) => true,
        // "Total ($400)"
        Some(TokenKind::Close) => after.get(2).is_none_or(|token| token.kind == TokenKind::Other),
        Some(TokenKind::Figure(_) | TokenKind::Operator(_)) => false,
        Some(TokenKind::Equals | TokenKind::About | TokenKind::Word(_)) => false,
    };
    let only = after.iter().skip(1).all(|token| !matches!(token.kind, TokenKind::Figure(_)));
    if is_label && ends && only { figures(after).next() } else { None }
}
