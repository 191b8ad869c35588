//! Lines of amounts without marks: `Hosting 1,200.00`, and the line below that claims their total.
//!
//! Anything may stand in such lines. They are summed up only where every line of the block is a name with one amount at
//! its end, no name says that its amount is something else than a part, and the total is written in the same way.

use super::phrase::labelled_row;
use super::quantity::Quantity;
use super::token::{Token, TokenKind};

/// How many words a name may have.
const NAME_WORDS_MAX: usize = 6;

/// Words of names whose amount is compared, limited, counted or already a sum, and not a part of a total; and of what
/// may be added or taken away.
pub(super) const NO_PART: &[&str] = &[
    "price",
    "rate",
    "unit",
    "quantity",
    "qty",
    "balance",
    "limit",
    "threshold",
    "tolerance",
    "budget",
    "average",
    "mean",
    "remaining",
    "previous",
    "prior",
    "last",
    "target",
    "minimum",
    "maximum",
    "min",
    "max",
    "difference",
    "variance",
    "change",
    "deviation",
    "excess",
    "start",
    "end",
    "begin",
    "opening",
    "closing",
    "from",
    "until",
    "due",
    "paid",
    "payment",
    "payments",
    "received",
    "invoice",
    "invoiced",
    "po",
    "order",
    "ordered",
    "purchase",
    "contract",
    "quote",
    "quoted",
    "estimate",
    "expected",
    "actual",
    "planned",
    "forecast",
    "approved",
    "requested",
    "original",
    "revised",
    "old",
    "new",
    "before",
    "after",
    "net",
    "gross",
    "cumulative",
    "ytd",
    "withdrawal",
    "withdrawals",
    "deposit",
    "deposits",
    "discount",
    "discounts",
    "credit",
    "credits",
    "refund",
    "refunds",
    "rebate",
    "rebates",
    "deduction",
    "deductions",
    "return",
    "returns",
    "adjustment",
    "adjustments",
    "version",
    "section",
    "total",
    "totals",
    "sum",
    "subtotal",
    "is",
    "are",
    "was",
    "were",
    "of",
    "to",
    "by",
    "than",
    "over",
    "under",
    "above",
    "below",
    "about",
    "number",
    "no",
    "id",
    "recorded",
    "claimed",
    "allowed",
    "spent",
    "used",
    "salary",
    "value",
];

/// Words of a line that claims nothing but a total.
const TOTAL: &[&str] = &[
    "total", "totals", "sum", "subtotal", "sub", "grand", "overall", "combined", "final", "amount", "due",
    "payable", "cost", "costs", "charges",
];

/// What a line without a mark is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plain {
    /// Parts of a total that may follow.
    Parts(Vec<Quantity>),
    /// A name with a figure that is no part, or may be none.
    Other,
    /// A sentence, after which something else begins.
    Sentence,
    /// Anything else: what stands above it cannot be told from what it says.
    Unclear,
}

/// Looks at a line without a mark. What is taken away is a part where its name begins with the word for it.
pub(super) fn plain(text: &str, line: &str, tokens: &[Token], is_less: bool) -> Plain {
    if let Some((name, figure)) = named(text, tokens) {
        let is_amount = !figure.is_percent && (figure.currency.is_some() || figure.places == 2);
        // "Discount 20.00" is a part that is taken away; whether "Early discount" is one nobody can tell.
        let is_part = |(at, word): (usize, &&str)| !NO_PART.contains(word) || (is_less && at == 0);
        // "INV-7: $100" has an identifier for a name.
        let is_identified = tokens.iter().any(|token| {
            let written = text.get(token.span.clone()).unwrap_or_default();
            let prefix = written.split(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default();
            token.kind == TokenKind::Other
                && prefix.contains(|sign: char| sign.is_ascii_uppercase())
                && !NO_PART.contains(&prefix.to_lowercase().as_str())
        });
        let is_named = (usize::from(!is_identified)..=NAME_WORDS_MAX).contains(&name.len())
            && name.iter().enumerate().all(is_part);
        return if is_amount && is_named { Plain::Parts(vec![figure.clone()]) } else { Plain::Other };
    }
    let colon = tokens.iter().position(|token| text.get(token.span.clone()) == Some(":"));
    if let Some((row, end)) = colon.and_then(|at| labelled_row(text, tokens, at)) {
        let is_whole = end == tokens.len() && row.iter().all(Quantity::is_marked);
        return if is_whole { Plain::Parts(row) } else { Plain::Unclear };
    }
    if line.trim_end().ends_with('.') { Plain::Sentence } else { Plain::Unclear }
}

/// The words and the figure of `Name 100.00` and `Name: $100`.
fn named<'t>(text: &str, tokens: &'t [Token]) -> Option<(Vec<&'t str>, &'t Quantity)> {
    let (last, before) = tokens.split_last()?;
    let TokenKind::Figure(figure) = &last.kind else { return None };
    let mut words = Vec::new();
    for token in before {
        match &token.kind {
            TokenKind::Word(word) => words.push(word.as_str()),
            TokenKind::Other => {
                let written = text.get(token.span.clone()).unwrap_or_default();
                if written != ":" && written != "," && !written.chars().any(char::is_alphanumeric) {
                    return None;
                }
            }
            // "Hosting = $100"; without a currency it may be a line of code.
            TokenKind::Equals if figure.currency.is_some() => {}
            TokenKind::Figure(_)
            | TokenKind::Operator(_)
            | TokenKind::Open
            | TokenKind::Close
            | TokenKind::Equals
            | TokenKind::About => return None,
        }
    }
    Some((words, figure))
}

/// Whether a line claims the total of parts and nothing else, written as they are.
pub(super) fn claims_total<'q>(
    tokens: &[Token],
    claim: &Quantity,
    mut parts: impl Iterator<Item = &'q Quantity>,
) -> bool {
    let is_named = tokens.iter().all(|token| match &token.kind {
        TokenKind::Word(word) => TOTAL.contains(&word.as_str()),
        TokenKind::Figure(_)
        | TokenKind::Operator(_)
        | TokenKind::Open
        | TokenKind::Close
        | TokenKind::Equals
        | TokenKind::About
        | TokenKind::Other => true,
    });
    let is_alike =
        |part: &Quantity| part.places == claim.places && part.currency.is_some() == claim.currency.is_some();
    is_named && parts.all(is_alike)
}
