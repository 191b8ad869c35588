//! Numbers written as words, and words that multiply a number.

use super::cursor::Pieces;
use super::numeral::Numeral;

/// A number that is written as a word.
pub(super) struct Spoken {
    pub(super) numeral: Numeral,
    /// Whether the word is also an article or another word, so that it counts only before a unit.
    pub(super) careful: bool,
}

/// The number whose word is at this place, or how far to go on where words make up a number that is not read.
pub(super) fn read(pieces: Pieces<'_>, at: usize) -> Option<Result<Spoken, usize>> {
    let number = of(pieces, at)?;
    let mut end = at + 1;
    while let Some(next) = joined(pieces, end) {
        end = next + 1;
    }
    let after_hyphen = at > 0 && pieces.is_hyphen(at - 1);
    if end > at + 1 || after_hyphen || pieces.is_glued(at) || pieces.is_alphanumeric(end) {
        return Some(Err(end));
    }
    let end = repeated(pieces, end, number).unwrap_or(end);
    Some(Ok(Spoken { numeral: Numeral::whole(number, end), careful: is_careful(pieces, at) }))
}

/// The place of the next part of a number such as `thirty two` or `treinta y dos`.
fn joined(pieces: Pieces<'_>, end: usize) -> Option<usize> {
    let next = pieces.next_word(end)?;
    if of(pieces, next).is_some() {
        return Some(next);
    }
    let after = pieces.next_word(next + 1)?;
    (matches!(pieces.word(next)?, "y" | "et" | "und") && of(pieces, after).is_some()).then_some(after)
}

/// The place after `(1)` in `one (1)`.
fn repeated(pieces: Pieces<'_>, end: usize, number: i128) -> Option<usize> {
    let open = pieces.after_space(end);
    let same = pieces.is_sign(open, '(') && pieces.digits(open + 1)?.parse() == Ok(number);
    (same && pieces.is_sign(open + 2, ')')).then_some(open + 3)
}

fn is_careful(pieces: Pieces<'_>, at: usize) -> bool {
    match pieces.word(at) {
        Some("one") => is_pronoun(pieces, at),
        Some(
            "ein" | "eine" | "einen" | "einem" | "einer" | "un" | "une" | "una" | "uno" | "neuf" | "once"
            | "sept" | "seize" | "elf",
        ) => true,
        _ => false,
    }
}

/// Words before the pronoun `one`.
const BEFORE_PRONOUN: [&str; 21] = [
    "the", "this", "that", "no", "any", "every", "each", "which", "another", "wrong", "right", "same",
    "first", "second", "last", "only", "new", "old", "next", "some", "other",
];

/// Words after the pronoun `one`.
const AFTER_PRONOUN: [&str; 20] = [
    "of", "by", "another", "who", "that", "is", "can", "should", "has", "to", "or", "and", "in", "before",
    "after", "for", "on", "at", "with", "from",
];

/// `the right one`, `one of them`; not `one Hub`.
fn is_pronoun(pieces: Pieces<'_>, at: usize) -> bool {
    let open = pieces.after_space(at + 1);
    if pieces.is_sign(open, '(') && pieces.digits(open + 1).is_some() {
        return false;
    }
    let before = pieces.word_before(at).is_some_and(|word| BEFORE_PRONOUN.contains(&word));
    let after = pieces.next_word(at + 1).and_then(|next| pieces.word(next));
    before || after.is_none_or(|word| AFTER_PRONOUN.contains(&word))
}

fn of(pieces: Pieces<'_>, at: usize) -> Option<i128> {
    let piece = pieces.get(at)?;
    let word = pieces.word(at)?;
    // French `très` is no number.
    let accent = piece.span.end - piece.span.start != word.len();
    if word == "tres" && accent { None } else { small(word).or_else(|| large(word)) }
}

fn small(word: &str) -> Option<i128> {
    Some(match word {
        "zero" | "null" => 0,
        "one" | "eins" | "ein" | "eine" | "einen" | "einem" | "einer" | "un" | "une" | "una" | "uno" => 1,
        "two" | "zwei" | "zwo" | "deux" | "dos" => 2,
        "three" | "drei" | "trois" | "tres" => 3,
        "four" | "vier" | "quatre" | "cuatro" => 4,
        "five" | "funf" | "fuenf" | "cinq" | "cinco" => 5,
        "six" | "sechs" | "seis" => 6,
        "seven" | "sieben" | "sept" | "siete" => 7,
        "eight" | "acht" | "huit" | "ocho" => 8,
        "nine" | "neun" | "neuf" | "nueve" => 9,
        "ten" | "zehn" | "dix" | "diez" => 10,
        "eleven" | "elf" | "onze" | "once" => 11,
        "twelve" | "zwolf" | "zwoelf" | "douze" | "doce" => 12,
        _ => return None,
    })
}

/// Beyond twelve, so that no part of `thirty two` is read alone.
fn large(word: &str) -> Option<i128> {
    Some(match word {
        "thirteen" | "dreizehn" | "treize" | "trece" => 13,
        "fourteen" | "vierzehn" | "quatorze" | "catorce" => 14,
        "fifteen" | "funfzehn" | "quinze" | "quince" => 15,
        "sixteen" | "sechzehn" | "seize" | "dieciseis" => 16,
        "seventeen" | "siebzehn" | "diecisiete" => 17,
        "eighteen" | "achtzehn" | "dieciocho" => 18,
        "nineteen" | "neunzehn" | "diecinueve" => 19,
        "twenty" | "zwanzig" | "vingt" | "veinte" => 20,
        "thirty" | "dreissig" | "trente" | "treinta" => 30,
        "forty" | "vierzig" | "quarante" | "cuarenta" => 40,
        "fifty" | "funfzig" | "cinquante" | "cincuenta" => 50,
        "sixty" | "sechzig" | "soixante" | "sesenta" => 60,
        "seventy" | "siebzig" | "setenta" => 70,
        "eighty" | "achtzig" | "ochenta" => 80,
        "ninety" | "neunzig" | "noventa" => 90,
        _ => return None,
    })
}

/// What a word after a number multiplies it by. English and German disagree on `billion`, so it has two meanings.
pub(super) fn factors(word: &str) -> &'static [i128] {
    match word {
        "hundred" | "hundert" | "cientos" => &[100],
        "thousand" | "tausend" | "tsd" | "mille" | "mil" => &[1_000],
        "million" | "millions" | "millionen" | "millon" | "millones" | "mio" | "mn" | "mill" => &[1_000_000],
        "milliard" | "milliards" | "milliarde" | "milliarden" | "mrd" | "bn" => &[1_000_000_000],
        "billion" | "billions" | "billionen" | "billon" | "billones" => &[1_000_000_000, 1_000_000_000_000],
        _ => &[],
    }
}
