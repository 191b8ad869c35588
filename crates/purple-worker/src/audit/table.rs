//! Tables: the totals of their columns, and what their headings say about each row.
//!
//! Under "Qty | Unit price | Amount" each amount is the product, and under "Net | VAT | Gross" the sum.

use std::ops::Range;

use purple_finance::Currency;

use super::Kind;
use super::found::{Found, Made};
use super::quantity::{Closeness, Quantity};
use super::token::{Token, TokenKind, tokens};
use super::told::is_one_money;
use super::total::{Amount, LINES_PER_TOTAL_MAX, Label, figures, judge, label, words};

/// First headings of tables whose rows tell of different things.
const SHEETS: &[&str] = &[
    "metric",
    "check",
    "field",
    "key",
    "property",
    "parameter",
    "attribute",
    "measure",
    "input",
    "figure",
    "value",
];

/// Rows of a table since its last total.
#[derive(Default)]
pub(super) struct Table {
    rows: Vec<(Label, Vec<Cell>)>,
    /// The headings of its columns.
    heads: Vec<Head>,
    /// Whether its rows tell of different things: "Check | Result".
    is_sheet: bool,
    /// Whether its rows have no outer bars.
    pub(super) is_cut: bool,
}

#[derive(Clone)]
enum Cell {
    Amount(Quantity),
    /// In parentheses: below zero, as accountants write it.
    Enclosed(Quantity),
    Blank,
    Text,
}

/// What a heading says about its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Count,
    Price,
    Amount,
    Net,
    Tax,
    Gross,
    /// Numbers of rows, which go into nothing.
    Place,
    Other,
}

impl Head {
    fn parse(heading: &str) -> Self {
        let cleaned = heading.replace(['*', '_', '`', '.'], "");
        // "Amount (USD)"
        let cleaned = if currency_of(heading).is_some() {
            cleaned.split('(').next().unwrap_or_default()
        } else {
            cleaned.as_str()
        };
        match cleaned.trim().to_lowercase().as_str() {
            "qty" | "quantity" | "units" | "hours" | "days" | "seats" | "pieces" | "pcs" | "count"
            | "licences" | "licenses" => Self::Count,
            "price" | "unit price" | "rate" | "unit cost" | "price per unit" | "price each"
            | "hourly rate" | "daily rate" | "cost per unit" | "unit rate" => Self::Price,
            "amount" | "total" | "line total" | "subtotal" | "line amount" | "extended"
            | "extended price" | "sum" | "cost" | "pay" | "total price" | "total cost" => Self::Amount,
            "net" | "net amount" => Self::Net,
            "vat" | "tax" | "gst" | "vat amount" | "tax amount" => Self::Tax,
            "gross" | "gross amount" => Self::Gross,
            "" | "#" | "no" | "pos" | "line" | "item" | "id" | "date" | "invoice" | "order"
            | "description" => Self::Place,
            _ => Self::Other,
        }
    }
}

impl Cell {
    fn read(cell: &str, at: usize) -> Self {
        let inside = tokens(cell, at);
        let all: Vec<_> = figures(&inside).collect();
        let is_blank = cell.trim().chars().all(|sign| "-–—: *".contains(sign));
        match all.as_slice() {
            [(quantity, _)] if is_only(&inside) => Self::Amount((*quantity).clone()),
            [(quantity, _)] if is_enclosed(&inside) => Self::Enclosed((*quantity).clone()),
            [] if is_blank => Self::Blank,
            _ => Self::Text,
        }
    }
}

impl Table {
    /// Takes the headings above a rule, in a table without outer bars.
    pub(super) fn head(&mut self, line: &str) {
        *self = Self { is_cut: true, ..Self::default() };
        self.headed(line);
    }

    fn headed(&mut self, line: &str) {
        let first = line.split('|').map(str::trim).find(|cell| !cell.is_empty()).unwrap_or_default();
        self.is_sheet = SHEETS.contains(&first.to_lowercase().as_str());
        let mut currencies = line.split('|').filter_map(currency_of);
        let first = currencies.next();
        // In two currencies, prices and amounts are converted.
        if currencies.all(|other| Some(other) == first) {
            self.heads = line.split('|').map(Head::parse).collect();
        }
    }

    /// Takes a row, and judges what it claims.
    pub(super) fn row(&mut self, text: &str, line: &str, offset: usize, found: &mut Vec<Found>) {
        if is_rule(line) {
            // What stands above it are headings, also where they are years.
            self.rows.clear();
            return;
        }
        let mut cells = Vec::new();
        let mut places = Vec::new();
        let mut at = offset;
        for cell in line.split('|') {
            cells.push(Cell::read(cell, at));
            places.push(at..at + cell.trim_end().len());
            at += cell.len() + 1;
        }
        let has_amount = cells.iter().any(|cell| matches!(cell, Cell::Amount(_) | Cell::Enclosed(_)));
        if self.heads.is_empty() && self.rows.is_empty() && !has_amount {
            self.headed(line);
        }
        let first = line.split('|').map(str::trim).find(|cell| !cell.is_empty()).unwrap_or_default();
        let words = words(first);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let label = label(&words);
        if label == Label::Total || label == Label::Subtotal {
            for (column, cell) in cells.iter().enumerate() {
                if let (Cell::Amount(claim), Some(place)) = (cell, places.get(column)) {
                    let judged = self.judge(text, column, claim, offset..place.end);
                    found.extend(judged.filter(|found| found.statement.ok || !self.is_mixed(column, claim)));
                }
            }
        } else {
            found.extend(self.across(text, &cells, &places));
        }
        if label == Label::Total {
            self.rows.clear();
        } else if self.rows.len() <= LINES_PER_TOTAL_MAX {
            self.rows.push((label, cells));
        }
    }

    fn judge(&self, text: &str, column: usize, claim: &Quantity, span: Range<usize>) -> Option<Found> {
        let (mut lines, mut since, mut subtotals) = (Vec::new(), Vec::new(), Vec::new());
        for (label, cells) in &self.rows {
            match cells.get(column) {
                Some(cell @ (Cell::Amount(quantity) | Cell::Enclosed(quantity))) => {
                    let mut quantity = quantity.clone();
                    if matches!(cell, Cell::Enclosed(_)) {
                        quantity.value = quantity.value.negated();
                    }
                    let amount = Amount { quantity, is_less: *label == Label::Less };
                    if *label == Label::Subtotal {
                        subtotals.push(amount);
                        since.clear();
                    } else {
                        lines.push(amount.clone());
                        since.push(amount);
                    }
                }
                Some(Cell::Blank) | None => {}
                // The heading of the column; further down it is a line without an amount.
                Some(Cell::Text) if lines.is_empty() && subtotals.is_empty() => {}
                Some(Cell::Text) => return None,
            }
        }
        let has_subtotals = !subtotals.is_empty();
        let mut readings = vec![lines, since.clone()];
        if has_subtotals {
            readings.push(subtotals.clone());
            subtotals.extend(since);
            readings.push(subtotals);
        }
        readings.retain(|reading| reading.len() >= 2);
        judge(text, span, claim, &readings)
    }

    /// Whether the rows of a column may be of different kinds: some with a currency, or each of its own.
    fn is_mixed(&self, column: usize, claim: &Quantity) -> bool {
        let is_other = |cells: &Vec<Cell>| match cells.get(column) {
            Some(Cell::Amount(quantity) | Cell::Enclosed(quantity)) => {
                quantity.currency.is_some() != claim.currency.is_some()
            }
            Some(Cell::Blank | Cell::Text) | None => false,
        };
        self.is_sheet || self.rows.iter().any(|(_, cells)| is_other(cells))
    }

    /// What the headings say about one row: so many times the price, or net and tax.
    fn across(&self, text: &str, cells: &[Cell], places: &[Range<usize>]) -> Option<Found> {
        let column = |head: Head| {
            let mut columns = self.heads.iter().enumerate().filter(|(_, one)| **one == head);
            let only = columns.next().map(|(at, _)| at);
            only.filter(|_| columns.next().is_none())
        };
        let amount = |at: usize| match cells.get(at) {
            Some(Cell::Amount(quantity)) => Some(quantity),
            Some(Cell::Enclosed(_) | Cell::Blank | Cell::Text) | None => None,
        };
        // A column that nobody knows may be a discount, or as many months.
        let is_unclear =
            |(at, head): (usize, &Head)| *head == Head::Other && !matches!(cells.get(at), Some(Cell::Text));
        if self.heads.iter().enumerate().any(is_unclear) {
            return None;
        }
        let is_taxed = column(Head::Tax).is_some() || column(Head::Net).is_some();
        let (first, second, result) = if is_taxed {
            (column(Head::Net)?, column(Head::Tax)?, column(Head::Gross).or(column(Head::Amount))?)
        } else {
            (column(Head::Count)?, column(Head::Price)?, column(Head::Amount)?)
        };
        if is_taxed && column(Head::Count).or(column(Head::Price)).is_some() {
            return None;
        }
        let (one, other, claim) = (amount(first)?, amount(second)?, amount(result)?);
        let is_even = if is_taxed {
            is_one_money([one, other, claim]) || [one, other, claim].iter().all(|q| q.currency.is_none())
        } else {
            one.currency.is_none() && (other.currency.is_none() || is_one_money([other, claim]))
        };
        if !is_even || [one, other, claim].iter().any(|quantity| quantity.is_percent) {
            return None;
        }
        let exact =
            if is_taxed { one.value.plus(&other.value) } else { one.value.times(&other.value) }.ok()?;
        let start = places.get(first.min(second).min(result))?.start;
        let span = start..places.get(first.max(second).max(result))?.end;
        Made {
            span,
            kind: if is_taxed { Kind::Total } else { Kind::Equation },
            inputs: vec![one, other],
            claim,
            readings: vec![exact],
            closeness: Closeness::Shown,
            is_scale: !is_taxed,
        }
        .found(text)
    }
}

/// The currency of a heading: "Amount (USD)".
fn currency_of(heading: &str) -> Option<&str> {
    let (_, code) = heading.split_once('(')?;
    let code = code.split(')').next()?.trim();
    Currency::parse(code).is_ok().then_some(code)
}

/// Whether a line is the rule below the headings of a table: `---|---:`.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('|') && line.contains("--") && line.chars().all(|sign| "-–—:| ".contains(sign))
}

/// Whether a cell is one figure and nothing else but emphasis.
fn is_only(tokens: &[Token]) -> bool {
    let counted = |token: &&Token| !matches!(token.kind, TokenKind::Other);
    let enclosing = |token: &&Token| matches!(token.kind, TokenKind::Open | TokenKind::Close);
    tokens.iter().filter(counted).filter(|token| !enclosing(token)).count() == 1
        && !tokens.iter().any(|token| enclosing(&token))
}

/// Whether a cell is one figure in parentheses.
fn is_enclosed(tokens: &[Token]) -> bool {
    let kinds: Vec<&TokenKind> = tokens.iter().map(|token| &token.kind).collect();
    matches!(kinds.as_slice(), [TokenKind::Open, TokenKind::Figure(_), TokenKind::Close])
}
