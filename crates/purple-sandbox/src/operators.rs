//! The operators: each is ours for every pair of values, so that none of the language's own is ever reached.

use purple_port::{CallFault, Exact, NumberError, Rounding, TEXT_BYTES_MAX};
use rhai::{Dynamic, ImmutableString, Module};

use crate::fault::{Answer, end, long_text, number, wrong};
use crate::limits::EXPONENT_MAX;
use crate::value::{from_exact, kind, order, same, to_exact, to_text};

/// A binary operator.
#[derive(Clone, Copy)]
enum Binary {
    Plus,
    Minus,
    Times,
    Over,
    Rest,
    Power,
}

const BINARY: [(&str, &str, Binary); 6] = [
    ("+", "+=", Binary::Plus),
    ("-", "-=", Binary::Minus),
    ("*", "*=", Binary::Times),
    ("/", "/=", Binary::Over),
    ("%", "%=", Binary::Rest),
    ("**", "**=", Binary::Power),
];

/// Puts all of them into the module.
pub(crate) fn register(module: &mut Module) {
    for (sign, assigning, operator) in BINARY {
        module.set_native_fn(sign, move |left: Dynamic, right: Dynamic| operator.apply(&left, &right));
        module.set_native_fn(assigning, move |left: &mut Dynamic, right: Dynamic| {
            *left = operator.apply(left, &right)?;
            Ok(())
        });
    }
    module.set_native_fn("==", |left: Dynamic, right: Dynamic| equal(&left, &right));
    module.set_native_fn("!=", |left: Dynamic, right: Dynamic| equal(&left, &right).map(|equal| !equal));
    module.set_native_fn("<", |l: Dynamic, r: Dynamic| compared("<", &l, &r).map(std::cmp::Ordering::is_lt));
    module
        .set_native_fn("<=", |l: Dynamic, r: Dynamic| compared("<=", &l, &r).map(std::cmp::Ordering::is_le));
    module.set_native_fn(">", |l: Dynamic, r: Dynamic| compared(">", &l, &r).map(std::cmp::Ordering::is_gt));
    module
        .set_native_fn(">=", |l: Dynamic, r: Dynamic| compared(">=", &l, &r).map(std::cmp::Ordering::is_ge));
    module.set_native_fn("-", |value: Dynamic| match to_exact(&value) {
        Some(number) => Ok(from_exact(number.negated())),
        None => wrong(format!("`-` does not take a {}", kind(&value))),
    });
    module.set_native_fn("+", |value: Dynamic| match to_exact(&value) {
        Some(number) => Ok(from_exact(number)),
        None => wrong(format!("`+` does not take a {}", kind(&value))),
    });
    module.set_native_fn("!", |value: Dynamic| match value.as_bool() {
        Ok(truth) => Ok(!truth),
        Err(_) => wrong(format!("`!` does not take a {}", kind(&value))),
    });
}

impl Binary {
    fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Over => "/",
            Self::Rest => "%",
            Self::Power => "**",
        }
    }

    fn apply(self, left: &Dynamic, right: &Dynamic) -> Answer<Dynamic> {
        if let (Ok(left), Ok(right)) = (left.as_int(), right.as_int())
            && let Some(result) = self.whole(left, right)
        {
            return Ok(Dynamic::from(result));
        }
        if let (Some(left), Some(right)) = (to_exact(left), to_exact(right)) {
            return self.exact(&left, &right).map(from_exact);
        }
        if matches!(self, Self::Plus) {
            if let (Some(left), Some(right)) = (to_text(left), to_text(right)) {
                return joined(&left, &right);
            }
            if let (Ok(left), Ok(right)) = (left.as_array_ref(), right.as_array_ref()) {
                return Ok(Dynamic::from([left.as_slice(), right.as_slice()].concat()));
            }
        }
        wrong(format!("`{}` does not take a {} and a {}", self.sign(), kind(left), kind(right)))
    }

    /// The quick way, where the result is a whole number that fits.
    fn whole(self, left: i64, right: i64) -> Option<i64> {
        match self {
            Self::Plus => left.checked_add(right),
            Self::Minus => left.checked_sub(right),
            Self::Times => left.checked_mul(right),
            Self::Over if left.checked_rem(right)? == 0 => left.checked_div(right),
            Self::Rest => left.checked_rem(right),
            Self::Over | Self::Power => None,
        }
    }

    fn exact(self, left: &Exact, right: &Exact) -> Answer<Exact> {
        let result = match self {
            Self::Plus => left.plus(right),
            Self::Minus => left.minus(right),
            Self::Times => left.times(right),
            Self::Over => left.over(right),
            Self::Rest => rest(left, right),
            Self::Power => return power(left, right),
        };
        result.map_err(number)
    }
}

/// What a division toward zero leaves; it has the sign of the dividend.
fn rest(left: &Exact, right: &Exact) -> Result<Exact, NumberError> {
    let whole = left.over(right)?.rounded(0, Rounding::Down);
    left.minus(&whole.times(right)?)
}

fn power(base: &Exact, exponent: &Exact) -> Answer<Exact> {
    let whole = exponent.to_i128().and_then(|whole| i64::try_from(whole).ok());
    let Some(count) = whole.filter(|whole| whole.abs() <= EXPONENT_MAX) else {
        return wrong(format!("`**` takes whole exponents from -{EXPONENT_MAX} to {EXPONENT_MAX}"));
    };
    let mut result = Exact::ONE;
    let mut square = base.clone();
    let mut left = count.unsigned_abs();
    while left > 0 {
        if left % 2 == 1 {
            result = result.times(&square).map_err(number)?;
        }
        left /= 2;
        if left > 0 {
            square = square.times(&square).map_err(number)?;
        }
    }
    if count < 0 { Exact::ONE.over(&result).map_err(number) } else { Ok(result) }
}

fn joined(left: &str, right: &str) -> Answer<Dynamic> {
    if left.len() + right.len() > TEXT_BYTES_MAX {
        return end(long_text());
    }
    Ok(Dynamic::from(ImmutableString::from([left, right].concat())))
}

fn equal(left: &Dynamic, right: &Dynamic) -> Answer<bool> {
    let too_deep = CallFault::TooLarge {
        what: "the depth of a compared value",
        most: crate::fault::wide(purple_port::VALUE_LEVELS_MAX),
    };
    same(left, right).map_or_else(|| end(too_deep), Ok)
}

fn compared(sign: &str, left: &Dynamic, right: &Dynamic) -> Answer<std::cmp::Ordering> {
    match order(left, right) {
        Some(order) => Ok(order),
        None => wrong(format!("`{sign}` does not take a {} and a {}", kind(left), kind(right))),
    }
}
