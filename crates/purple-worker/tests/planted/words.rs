//! The same in words, with the result first, and in lines without marks.

use purple_finance::Exact;

use super::{Choices, Style, claimed, plain};

/// How many forms there are.
pub(super) const FORMS: u64 = 16;

/// What nobody could take for a year, or for how many parts there are.
pub(super) fn clear(number: Exact) -> Exact {
    match number.to_i128() {
        Some(2 | 3 | 1_900..=2_100) => number.plus(&Exact::from(1_000)).unwrap(),
        _ => number,
    }
}

/// Figures, and how they are written.
pub(super) struct Sheet {
    pub(super) style: Style,
    pub(super) a: Exact,
    pub(super) b: Exact,
    pub(super) c: Exact,
    pub(super) high: Exact,
    pub(super) low: Exact,
    pub(super) count: Exact,
    pub(super) rate: Exact,
    pub(super) is_planted: bool,
}

impl Sheet {
    pub(super) fn new(choices: &mut Choices, is_planted: bool) -> Self {
        let style = Style::choose(choices);
        let [a, b, c] = [(); 3].map(|()| clear(choices.number(style.places)));
        let (high, low) = if a < b { (b.clone(), a.clone()) } else { (a.clone(), b.clone()) };
        let count = Exact::from(i64::try_from(choices.below(40) + 2).unwrap());
        let rate = Exact::ratio(i128::from(choices.below(400) + 1), 10).unwrap();
        Self { style, a, b, c, high, low, count, rate, is_planted }
    }

    /// As amounts of money are written, and nothing else is.
    pub(super) fn of_money(mut self) -> Self {
        if self.style.before.is_empty() && self.style.after.is_empty() {
            self.style.before = "$";
        }
        self
    }

    pub(super) fn m(&self, number: &Exact) -> String {
        self.style.money(number)
    }

    pub(super) fn percent(&self) -> String {
        format!("{}%", plain(&self.rate, 1, false))
    }

    pub(super) fn share_of(&self, amount: &Exact) -> Exact {
        amount.times(&self.rate).unwrap().over(&Exact::from(100)).unwrap()
    }

    pub(super) fn sum(&self) -> Exact {
        self.a.plus(&self.b).unwrap().plus(&self.c).unwrap()
    }

    pub(super) fn claim(&self, choices: &mut Choices, exact: &Exact) -> String {
        let claimed = claimed(choices, exact, self.style.places, self.is_planted);
        self.m(&if self.is_planted { clear(claimed) } else { claimed })
    }

    fn row(&self, choices: &mut Choices) -> String {
        let and = choices.pick(&[" and ", ", and "]);
        format!("{}, {}{and}{}", self.m(&self.a), self.m(&self.b), self.m(&self.c))
    }
}

/// A statement in one of the forms, right or wrong.
pub(super) fn statement(choices: &mut Choices, is_planted: bool) -> String {
    let sheet = Sheet::new(choices, is_planted);
    let form = choices.below(FORMS);
    if form < 8 { in_a_sentence(choices, &sheet, form) } else { in_rows(choices, sheet, form) }
}

fn in_a_sentence(choices: &mut Choices, sheet: &Sheet, form: u64) -> String {
    let is = choices.pick(&["is", "equals", "gives", "makes", "comes to", "="]);
    let Sheet { a, high, low, count, .. } = sheet;
    let m = |number: &Exact| sheet.m(number);
    match form {
        0 => {
            let exact = sheet.share_of(a);
            format!("{} = {} × {}", sheet.claim(choices, &exact), m(a), sheet.percent())
        }
        1 => {
            let exact = high.plus(low).unwrap();
            format!("{} = {} + {}", sheet.claim(choices, &exact), m(high), m(low))
        }
        2 => {
            let exact = sheet.share_of(a);
            format!("{} is {} of {}", sheet.claim(choices, &exact), sheet.percent(), m(a))
        }
        3 => {
            let exact = high.minus(low).unwrap();
            format!("{} less {} {is} {}", m(high), m(low), sheet.claim(choices, &exact))
        }
        4 => {
            let share = sheet.share_of(a);
            let (words, exact) = match choices.below(6) {
                0 => ("increased by", a.plus(&share)),
                1 => ("plus", a.plus(&share)),
                2 => ("decreased by", a.minus(&share)),
                3 => ("reduced by", a.minus(&share)),
                4 => ("minus", a.minus(&share)),
                _ => ("less", a.minus(&share)),
            };
            format!("{} {words} {} {is} {}", m(a), sheet.percent(), sheet.claim(choices, &exact.unwrap()))
        }
        5 => {
            let exact = sheet.share_of(a);
            format!("{} at {} {is} {}", m(a), sheet.percent(), sheet.claim(choices, &exact))
        }
        6 => {
            let (sign, exact) = match choices.below(3) {
                0 => ("divided by", a.over(count)),
                1 => ("times", a.times(count)),
                _ => ("multiplied by", a.times(count)),
            };
            format!("{} {sign} {count} {is} {}", m(a), sheet.claim(choices, &exact.unwrap()))
        }
        _ => {
            let (sign, exact) = match choices.below(2) {
                0 => ("plus", high.plus(low)),
                _ => ("minus", high.minus(low)),
            };
            format!("{} {sign} {} {is} {}", m(high), m(low), sheet.claim(choices, &exact.unwrap()))
        }
    }
}

fn in_rows(choices: &mut Choices, sheet: Sheet, form: u64) -> String {
    let is = choices.pick(&["is", "equals", "=", "comes to"]);
    let sum = sheet.sum();
    match form {
        8 => {
            let name = choices.pick(&["sum", "total"]);
            format!("The {name} of {} {is} {}", sheet.row(choices), sheet.claim(choices, &sum))
        }
        9 => {
            let exact = sum.over(&Exact::from(3)).unwrap();
            format!("The average of {} {is} {}", sheet.row(choices), sheet.claim(choices, &exact))
        }
        10 => {
            let exact = sheet.high.minus(&sheet.low).unwrap();
            let (high, low) = (sheet.m(&sheet.high), sheet.m(&sheet.low));
            format!("the difference between {high} and {low} {is} {}", sheet.claim(choices, &exact))
        }
        11 => {
            let name = choices.pick(&["Items", "Amounts", "Expenses", "Fees"]);
            let row = [&sheet.a, &sheet.b, &sheet.c].map(|number| sheet.m(number)).join(", ");
            let total = choices.pick(&[". Total: ", "; total: ", ". The total is ", ", a total of "]);
            format!("{name}: {row}{total}{}", sheet.claim(choices, &sum))
        }
        12 => {
            let exact = sheet.high.minus(&sheet.low).unwrap();
            let (high, low) = (sheet.m(&sheet.high), sheet.m(&sheet.low));
            format!("Subtracting {low} from {high} gives {}", sheet.claim(choices, &exact))
        }
        13 => {
            let sheet = sheet.of_money();
            let exact = sheet.a.times(&sheet.count).unwrap();
            let (hours, fee) = (&sheet.count, sheet.m(&sheet.a));
            format!("{hours} hours at {fee} {is} {}", sheet.claim(choices, &exact))
        }
        14 => {
            let sheet = sheet.of_money();
            let row = [&sheet.a, &sheet.b, &sheet.c].map(|number| sheet.m(number)).join(", ");
            format!("Charges: {row}\nTotal: {}", sheet.claim(choices, &sum))
        }
        _ => {
            let mut sheet = sheet;
            if choices.below(2) == 0 && sheet.style.places == 2 {
                (sheet.style.before, sheet.style.after) = ("", "");
            } else {
                sheet = sheet.of_money();
            }
            let colon = choices.pick(&["", ":"]);
            let lines = [("Hosting", &sheet.a), ("Support INV-7", &sheet.b), ("Licences", &sheet.c)]
                .map(|(name, number)| format!("{name}{colon} {}", sheet.m(number)));
            let total = choices.pick(&["Total", "Grand total", "Total amount", "Sum"]);
            format!("{}\n{total}{colon} {}", lines.join("\n"), sheet.claim(choices, &sum))
        }
    }
}
