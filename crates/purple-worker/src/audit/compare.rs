//! Two amounts beside each other: "$1,140 exceeds $1,000 by $140", "$1,140 is 14% more than $1,000".

use super::Kind;
use super::found::{Found, Made};
use super::quantity::{Closeness, Quantity};
use super::statement::Reader;
use super::told::is_one_money;

impl Reader<'_> {
    /// Every comparison.
    pub(super) fn comparisons(&self, found: &mut Vec<Found>) {
        for at in 0..self.tokens.len() {
            found.extend(self.comparison(at));
        }
    }

    fn comparison(&self, at: usize) -> Option<Found> {
        let one = self.figure(at)?;
        let (other_at, by_at, is_more, end) = match self.word(at + 1)? {
            "exceeds" | "exceed" | "exceeded" => {
                let other_at = self.past_article(at + 2);
                let by_at = other_at + 2;
                if self.word(other_at + 1) != Some("by") {
                    return None;
                }
                (other_at, by_at, true, by_at + 1)
            }
            "is" | "was" | "are" | "were" => {
                let (is_more, words) = match (self.word(at + 3)?, self.word(at + 4)) {
                    ("more" | "higher" | "greater" | "larger" | "dearer", Some("than")) => (true, 2),
                    ("less" | "lower" | "smaller" | "cheaper", Some("than")) => (false, 2),
                    ("above" | "over", _) => (true, 1),
                    ("below" | "under", _) => (false, 1),
                    _ => return None,
                };
                let other_at = self.past_article(at + 3 + words);
                (other_at, at + 2, is_more, other_at + 1)
            }
            _ => return None,
        };
        let (other, by) = (self.figure(other_at)?, self.figure(by_at)?);
        let is_comparable = is_one_money([one, other])
            && (by.is_percent || is_one_money([one, by]))
            && !self.may_be_name(at)
            && self.is_final(end);
        if !is_comparable {
            return None;
        }
        let exact = difference(one, other, is_more, by.is_percent)?;
        Made {
            span: self.span(at, end),
            kind: Kind::Difference,
            inputs: vec![one, other],
            claim: by,
            readings: vec![exact],
            closeness: Closeness::Shown,
            is_scale: false,
        }
        .found(self.text)
    }
}

/// By how much one amount is more, or less, than the other; as a share of the other where that is told.
fn difference(
    one: &Quantity,
    other: &Quantity,
    is_more: bool,
    is_share: bool,
) -> Option<purple_finance::Exact> {
    let difference = one.value.minus(&other.value).ok()?;
    let signed = if is_more { difference } else { difference.negated() };
    if is_share { signed.over(&other.value.magnitude()).ok() } else { Some(signed) }
}
