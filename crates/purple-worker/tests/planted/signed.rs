//! Differences in both orders: below zero with a hyphen, a minus or parentheses, as texts write it.

use purple_finance::Exact;

use super::words::{Sheet, clear};
use super::{Choices, Style, claimed};

/// How many forms there are, each as often as one of the others.
pub(super) const FORMS: u64 = 6;

/// An amount with its sign, written in one of the ways.
fn signed(choices: &mut Choices, style: &Style, number: &Exact) -> String {
    let amount = style.money(&number.magnitude());
    if !number.is_negative() {
        return amount;
    }
    match choices.below(3) {
        0 => format!("-{amount}"),
        1 => format!("−{amount}"),
        _ => format!("({amount})"),
    }
}

/// A difference in whichever order, right or wrong. A lost minus is an error as well.
pub(super) fn statement(choices: &mut Choices, is_planted: bool) -> String {
    let sheet = Sheet::new(choices, is_planted);
    let Sheet { style, a, b, .. } = &sheet;
    let exact = a.minus(b).unwrap();
    let right = claimed(choices, &exact, style.places, false);
    let claim = match (is_planted, choices.below(3)) {
        (false, _) => right,
        (true, 0) if exact.is_negative() => right.negated(),
        (true, _) => {
            let wrong = claimed(choices, &exact, style.places, true);
            if wrong.is_negative() { clear(wrong.negated()).negated() } else { clear(wrong) }
        }
    };
    let minus = choices.pick(&["-", "–", "−", "minus"]);
    let is = choices.pick(&["=", "is", "equals", "makes", "comes to", "gives", "leaves", "→", "amounts to"]);
    let claim = if claim.is_negative() == exact.is_negative() {
        signed(choices, style, &claim)
    } else {
        // Without its minus, and without parentheses, which could stand for it.
        style.money(&claim)
    };
    let tight = choices.below(6) == 0 && minus == "-" && is == "=";
    if tight {
        return format!("{}{minus}{}={claim}", style.money(a), style.money(b));
    }
    format!("{} {minus} {} {is} {claim}", style.money(a), style.money(b))
}
