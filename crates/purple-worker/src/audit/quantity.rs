//! A figure as it is written: its value, how precisely it is shown, and what it is of.

use purple_finance::{Currency, Exact, Rounding};

/// A figure of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    /// What it is; a percentage as its fraction.
    pub(super) value: Exact,
    /// The place of its last shown digit: 2 for `1.20`, 0 for `12`, −6 for `3M`.
    pub(super) places: i32,
    /// Whether a percent sign follows it.
    pub(super) is_percent: bool,
    /// Its currency, as a sign or a code.
    pub(super) currency: Option<String>,
    /// The words that follow it, as long as they can belong to it.
    pub(super) unit: Option<String>,
    /// Whether it is nothing but a few digits, as the ends of a range are.
    pub(super) is_bare: bool,
    /// Whether commas stand between its thousands.
    pub(super) is_grouped: bool,
    /// How many zeros end a whole number.
    pub(super) zeros: u32,
}

/// How exactly a claim is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closeness {
    /// To the digits shown.
    Shown,
    /// As `≈` and `about` say it: zeros at the end of a whole number show nothing.
    About,
}

impl Quantity {
    /// Whether the exact number, rounded to the digits shown, is what is stated. Half even and half up are both fine.
    pub(super) fn states(&self, exact: &Exact, closeness: Closeness) -> bool {
        let mut places = self.places;
        if closeness == Closeness::About && places == 0 {
            places = -i32::try_from(self.zeros).unwrap_or(0);
        }
        rounds_to(exact, &self.value, places)
    }

    /// Whether it is written as an amount, and not as the number of something: with a currency, a percent sign, commas
    /// between thousands, or two decimals.
    pub(super) fn is_marked(&self) -> bool {
        self.currency.is_some() || self.is_percent || self.is_grouped || self.places == 2
    }

    /// Whether it may be a year.
    pub(super) fn is_year(&self) -> bool {
        self.is_bare && self.value.to_i128().is_some_and(|year| (1900..=2100).contains(&year))
    }

    /// Whether a point may stand between its thousands: `1.500 €` has three decimals, and its currency has two.
    pub(super) fn is_pointed(&self) -> bool {
        let code = self.currency.as_deref().map(|currency| if currency == "€" { "EUR" } else { currency });
        self.places == 3 && code.is_some_and(|code| !Currency::parse(code).is_ok_and(|one| one.digits() == 3))
    }

    /// The same figure as a percentage: `3 percentage points`.
    pub(super) fn as_percent(&self) -> Self {
        let value = self.value.over(&Exact::from(100)).unwrap_or_else(|_| self.value.clone());
        Self { value, places: self.places + 2, is_percent: true, ..self.clone() }
    }
}

/// Whether a number, rounded at this place, is the other one.
pub(super) fn rounds_to(exact: &Exact, stated: &Exact, places: i32) -> bool {
    [Rounding::HalfEven, Rounding::HalfUp]
        .into_iter()
        .any(|rounding| at(exact, places, rounding).as_ref() == Some(stated))
}

fn at(number: &Exact, places: i32, rounding: Rounding) -> Option<Exact> {
    if let Ok(places) = u8::try_from(places) {
        return Some(number.rounded(places, rounding));
    }
    let unit = ten_to(places.unsigned_abs())?;
    number.over(&unit).ok()?.rounded(0, rounding).times(&unit).ok()
}

/// Ten to a small power.
pub(super) fn ten_to(power: u32) -> Option<Exact> {
    10i128.checked_pow(power).map(Exact::from)
}

/// Whether two currencies can be one: `$` stands for every dollar, `¥` for yen and yuan.
pub(super) fn same_currency(left: &str, right: &str) -> bool {
    let covers = |sign: &str, code: &str| match sign {
        "$" => code.ends_with('D') || code == "US$",
        "US$" => code == "USD",
        "€" => code == "EUR",
        "£" => code == "GBP",
        "¥" => code == "JPY" || code == "CNY",
        _ => false,
    };
    left == right || covers(left, right) || covers(right, left)
}
