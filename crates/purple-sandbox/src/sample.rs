//! Inputs from a declared domain: its corners first, then others by a seed, always the same ones for the same seed.

use purple_port::{Arguments, Datum, Domain, Exact, Rounding, Signature};

use crate::limits::SAMPLED_ITEMS_MAX;

/// The sample whose lists are as long as declared.
const LONGEST: usize = 24;

/// Makes inputs for one function.
pub(crate) struct Sampler<'a> {
    signature: &'a Signature,
    dice: Dice,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(signature: &'a Signature, seed: u64) -> Self {
        Self { signature, dice: Dice(seed) }
    }

    /// The input with this number: corners of all parameters together at first, then mixed and free ones.
    pub(crate) fn sample(&mut self, index: usize) -> Arguments {
        let mut arguments = Arguments::new();
        for (at, parameter) in self.signature.parameters.iter().enumerate() {
            let corners = corners(&parameter.takes);
            let corner = match index {
                // All at the same corner, then each at another one.
                0..8 => corners.get(index % corners.len().max(1)),
                8..24 => corners.get((index + at * (index - 7)) % corners.len().max(1)),
                LONGEST => None,
                _ if self.dice.roll(4) == 0 => corners.get(self.dice.below(corners.len())),
                _ => None,
            };
            let datum = corner.cloned().unwrap_or_else(|| self.free(&parameter.takes, index == LONGEST));
            arguments.insert(parameter.name.clone(), datum);
        }
        arguments
    }

    /// Any value of the domain; with `longest`, lists as long as declared.
    fn free(&mut self, domain: &Domain, longest: bool) -> Datum {
        match domain {
            Domain::Number { least, most, places } => Datum::Number(self.number(least, most, *places)),
            Domain::Text { chars_max } => {
                let chars = self.dice.below(usize::from(*chars_max).min(24) + 1);
                Datum::Text((0..chars).map(|_| LETTERS[self.dice.below(LETTERS.len())]).collect())
            }
            Domain::OneOf(words) => {
                Datum::Text(words.get(self.dice.below(words.len())).cloned().unwrap_or_default())
            }
            Domain::Truth => Datum::Truth(self.dice.roll(2) == 0),
            Domain::List { of, items_min, items_max } => {
                let (least, most) = (usize::from(*items_min), usize::from(*items_max));
                let usual = most.min(least + SAMPLED_ITEMS_MAX);
                let items = if longest { most } else { least + self.dice.below(usual - least + 1) };
                Datum::List((0..items).map(|_| self.free(of, false)).collect())
            }
            Domain::Record(fields) => Datum::Record(
                fields.iter().map(|(name, of)| (name.clone(), self.free(of, longest))).collect(),
            ),
        }
    }

    /// A number of the domain: near either end, or anywhere between.
    fn number(&mut self, least: &Exact, most: &Exact, places: u8) -> Exact {
        let share = Exact::ratio(i128::from(self.dice.roll(1_000_001)), 1_000_000);
        let span = most.minus(least);
        let anywhere = share.and_then(|share| span?.times(&share)).and_then(|offset| least.plus(&offset));
        let number = anywhere.map_or_else(|_| least.clone(), |number| number.rounded(places, Rounding::Down));
        if (least..=most).contains(&&number) { number } else { least.clone() }
    }
}

const LETTERS: &[char] = &['a', 'b', 'z', 'A', 'Z', '0', '9', ' ', '-', '.', ',', '/', 'é', '€'];

/// The values at the edges of a domain.
fn corners(domain: &Domain) -> Vec<Datum> {
    match domain {
        Domain::Number { least, most, places } => {
            let step =
                Exact::ratio(1, 10i128.checked_pow((*places).into()).unwrap_or(1)).unwrap_or(Exact::ONE);
            let tried = [
                Some(least.clone()),
                Some(most.clone()),
                Some(Exact::ZERO),
                Some(Exact::ONE),
                Some(step.clone()),
                Some(step.negated()),
                least.plus(&step).ok(),
                most.minus(&step).ok(),
            ];
            tried.into_iter().flatten().map(Datum::Number).filter(|datum| domain.holds(datum)).collect()
        }
        Domain::Text { chars_max } => {
            vec![Datum::Text(String::new()), Datum::Text("x".repeat(usize::from(*chars_max)))]
        }
        Domain::OneOf(words) => words.iter().cloned().map(Datum::Text).collect(),
        Domain::Truth => vec![Datum::Truth(false), Datum::Truth(true)],
        Domain::List { of, items_min, items_max } => {
            let within = corners(of);
            let short = usize::from(*items_min);
            let few = usize::from(*items_max).min(short + 3);
            let mut lists: Vec<Datum> = within
                .iter()
                .flat_map(|item| [short, few].map(|items| vec![item.clone(); items]))
                .map(Datum::List)
                .collect();
            lists.dedup();
            lists
        }
        Domain::Record(fields) => {
            let within: Vec<(&String, Vec<Datum>)> =
                fields.iter().map(|(name, of)| (name, corners(of))).collect();
            let most = within.iter().map(|(_, corners)| corners.len()).max().unwrap_or(1);
            (0..most)
                .map(|at| {
                    let field = |(name, corners): &(&String, Vec<Datum>)| {
                        Some(((*name).clone(), corners.get(at % corners.len().max(1))?.clone()))
                    };
                    Datum::Record(within.iter().filter_map(field).collect())
                })
                .filter(|datum| domain.holds(datum))
                .collect()
        }
    }
}

/// SplitMix64: small, quick, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`, which is not zero.
    fn roll(&mut self, sides: u64) -> u64 {
        self.next() % sides.max(1)
    }

    /// An index below `count`; zero if there is none.
    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.roll(u64::try_from(count).unwrap_or(1))).unwrap_or(0)
    }
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
