//! Signs, codes and words of currencies.

use purple_finance::{Currency, Symbols};

use super::cursor::Pieces;
use super::piece::Case;

/// A currency as it is written before or after a number.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// What it can be; empty where the sign has no meaning here.
    pub(super) currencies: Vec<Currency>,
    /// 1000 for `TEUR` and `T€`.
    pub(super) factor: i128,
    /// The sign, if several currencies share it: a code after the number can say which one it means.
    pub(super) shared: Option<char>,
    /// Whether the code is also an ordinary word: `ALL`.
    pub(super) wordlike: bool,
    /// The place after it.
    pub(super) end: usize,
}

impl Written {
    fn sure(currency: Currency, end: usize) -> Self {
        Self { currencies: vec![currency], factor: 1, shared: None, wordlike: false, end }
    }

    /// Whether the sign can stand for this currency: `$500 CAD`.
    pub(super) fn may_mean(&self, currency: Currency) -> bool {
        match self.shared {
            Some('$') => matches!(
                currency.code(),
                "USD" | "CAD" | "AUD" | "NZD" | "HKD" | "SGD" | "TWD" | "MXN" | "BRL" | "CLP" | "COP" | "ARS"
            ),
            Some('¥') => matches!(currency.code(), "JPY" | "CNY"),
            _ => false,
        }
    }
}

/// A currency before a number: a sign or a code.
pub(super) fn before(pieces: Pieces<'_>, at: usize, symbols: Symbols) -> Option<Written> {
    // In `USD/EUR 1.0850` the number is a rate.
    let pair = at > 1 && pieces.is_sign(at - 1, '/') && pieces.is_glued(at - 1);
    if pair || pieces.is_glued(at) {
        return None;
    }
    sign(pieces, at, symbols).or_else(|| code(pieces, at))
}

/// A currency after a number: a sign, a code or a word.
pub(super) fn after(pieces: Pieces<'_>, at: usize, symbols: Symbols) -> Option<Written> {
    let found =
        sign(pieces, at, symbols).or_else(|| code(pieces, at)).or_else(|| name(pieces, at, symbols))?;
    (!pieces.is_alphanumeric(found.end)).then_some(found)
}

/// Whether a currency is here that belongs to the number before it and not to one after it.
pub(super) fn ends_amount(pieces: Pieces<'_>, at: usize) -> bool {
    let found = after(pieces, at, Symbols::default());
    found.is_some_and(|found| pieces.digits(pieces.after_space(found.end)).is_none())
}

/// `€`, `$`, `US$`, `T€`.
fn sign(pieces: Pieces<'_>, at: usize, symbols: Symbols) -> Option<Written> {
    if let Some(sign) = pieces.sign(at) {
        let (currencies, shared) = of_sign(sign, symbols)?;
        return Some(Written { currencies, factor: 1, shared, wordlike: false, end: at + 1 });
    }
    let word = pieces.word(at)?;
    let sign = pieces.sign(at + 1)?;
    let country = match word {
        "us" => Some("USD"),
        "c" | "ca" | "can" => Some("CAD"),
        "a" | "au" => Some("AUD"),
        "nz" => Some("NZD"),
        "hk" => Some("HKD"),
        "s" | "sg" => Some("SGD"),
        "mx" => Some("MXN"),
        "r" => Some("BRL"),
        _ => None,
    };
    if sign == '$'
        && let Some(country) = country
    {
        return Some(Written::sure(Currency::parse(country).ok()?, at + 2));
    }
    let (currencies, shared) = of_sign(sign, symbols)?;
    Some(Written { currencies, factor: thousands(word)?, shared, wordlike: false, end: at + 2 })
}

fn of_sign(sign: char, symbols: Symbols) -> Option<(Vec<Currency>, Option<char>)> {
    Some(match sign {
        '€' => (vec![Currency::EUR], None),
        '£' => (vec![Currency::GBP], None),
        '₹' => (Currency::parse("INR").into_iter().collect(), None),
        '$' => (symbols.dollar.into_iter().collect(), Some(sign)),
        '¥' => match symbols.yen {
            Some(yen) => (vec![yen], Some(sign)),
            None => ([Currency::JPY].into_iter().chain(Currency::parse("CNY")).collect(), Some(sign)),
        },
        _ => return None,
    })
}

fn thousands(letter: &str) -> Option<i128> {
    match letter {
        "t" | "k" => Some(1_000),
        "m" => Some(1_000_000),
        _ => None,
    }
}

/// Codes that are no words in any of the four languages, so that they are read in lower case too.
const CODES: [&str; 16] = [
    "usd", "eur", "gbp", "chf", "jpy", "cad", "aud", "inr", "sek", "nok", "dkk", "pln", "czk", "nzd", "sgd",
    "cny",
];

/// Codes that are also words, so that they are read only with a number that has separators.
const WORDS: [&str; 19] = [
    "all", "try", "top", "cup", "mad", "pen", "mop", "cop", "gel", "bob", "bam", "sos", "ron", "lak", "dop",
    "nad", "ang", "mur", "ars",
];

pub(super) fn code(pieces: Pieces<'_>, at: usize) -> Option<Written> {
    let word = pieces.word(at)?;
    if word == "sfr" {
        let dot = usize::from(pieces.is_sign(at + 1, '.'));
        return Some(Written::sure(Currency::parse("CHF").ok()?, at + 1 + dot));
    }
    let upper = pieces.get(at)?.case == Case::Upper;
    let (letters, factor) = match word.len() {
        4 if word.is_char_boundary(1) && CODES.contains(&&word[1..]) => (&word[1..], thousands(&word[..1])?),
        3 if upper || CODES.contains(&word) => (word, 1),
        _ => return None,
    };
    let currency = Currency::parse(&letters.to_ascii_uppercase()).ok()?;
    let wordlike = WORDS.contains(&letters);
    Some(Written { currencies: vec![currency], factor, shared: None, wordlike, end: at + 1 })
}

/// `dollars`, `Canadian dollars`, `US-Dollar`, `Schweizer Franken`, `pounds sterling`.
fn name(pieces: Pieces<'_>, at: usize, symbols: Symbols) -> Option<Written> {
    let word = pieces.word(at)?;
    if let Some(next) = pieces.next_word(at + 1)
        && let Some(code) = two_words(word, pieces.word(next)?)
    {
        return Some(Written::sure(Currency::parse(code).ok()?, next + 1));
    }
    let code = match word {
        "dollar" | "dollars" | "dolar" | "dolares" => {
            let currencies = symbols.dollar.into_iter().collect();
            return Some(Written { currencies, factor: 1, shared: Some('$'), wordlike: false, end: at + 1 });
        }
        "euro" | "euros" => "EUR",
        "pound" | "pounds" | "pfund" => "GBP",
        "franc" | "francs" | "franken" | "franco" | "francos" => "CHF",
        "yen" | "yens" => "JPY",
        "yuan" | "renminbi" => "CNY",
        _ => return None,
    };
    Some(Written::sure(Currency::parse(code).ok()?, at + 1))
}

fn two_words(first: &str, second: &str) -> Option<&'static str> {
    Some(match (first, second) {
        ("us" | "american", "dollar" | "dollars") => "USD",
        ("canadian" | "kanadische", "dollar" | "dollars") => "CAD",
        ("australian" | "australische", "dollar" | "dollars") => "AUD",
        ("dollar" | "dollars", "canadien" | "canadiens") => "CAD",
        ("dollar" | "dollars", "americain" | "americains") => "USD",
        ("swiss", "franc" | "francs") | ("schweizer", "franken") => "CHF",
        ("franc" | "francs", "suisse" | "suisses") | ("franco" | "francos", "suizo" | "suizos") => "CHF",
        ("pound" | "pounds", "sterling") | ("livre" | "livres", "sterling") => "GBP",
        ("libra" | "libras", "esterlina" | "esterlinas") => "GBP",
        _ => return None,
    })
}
