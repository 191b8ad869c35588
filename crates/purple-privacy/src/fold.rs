//! Writes a text in plain letters, so that look-alikes do not hide what it says.

/// A text in plain letters, and where each byte of it came from.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    pub(crate) text: String,
    /// For each byte of `text` the range in the original, as its two ends.
    origins: Vec<(usize, usize)>,
}

impl Folded {
    /// The range of the original text that a range of the folded text came from.
    pub(crate) fn origin(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let start = self.origins.get(range.start).map(|origin| origin.0);
        let end = range.end.checked_sub(1).and_then(|last| self.origins.get(last)).map(|origin| origin.1);
        start.unwrap_or_default()..end.unwrap_or_default()
    }
}

/// Folds digits of any script, full-width and mathematical letters, look-alike letters, dashes, quotes and
/// spaces, and drops what has no width.
pub(crate) fn fold(text: &str) -> Folded {
    let mut folded =
        Folded { text: String::with_capacity(text.len()), origins: Vec::with_capacity(text.len()) };
    for (start, original) in text.char_indices() {
        let end = start.saturating_add(original.len_utf8());
        let Some(plain) = plain(original) else { continue };
        folded.text.push(plain);
        folded.origins.extend(std::iter::repeat_n((start, end), plain.len_utf8()));
    }
    folded
}

/// The same where escapes of JSON, XML and addresses are written as what they stand for; `None` where there are none.
///
/// The end of a line is written `\\n` there, and its letter would join the next word.
pub(crate) fn decode(text: &str) -> Option<Folded> {
    if !text.bytes().any(|byte| matches!(byte, b'\\' | b'&' | b'%')) {
        return None;
    }
    let mut folded =
        Folded { text: String::with_capacity(text.len()), origins: Vec::with_capacity(text.len()) };
    let (mut at, mut found) = (0_usize, false);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let escape = escape(rest);
        found |= escape.is_some();
        let own = || rest.chars().next().map(|own| (own, own.len_utf8()));
        let Some((letter, bytes)) = escape.or_else(own) else { break };
        let end = at.saturating_add(bytes);
        if let Some(plain) = plain(letter) {
            folded.text.push(plain);
            folded.origins.extend(std::iter::repeat_n((at, end), plain.len_utf8()));
        }
        at = end;
    }
    found.then_some(folded)
}

/// The letter that an escape at the beginning stands for, and how many bytes it has.
fn escape(text: &str) -> Option<(char, usize)> {
    match text.bytes().next()? {
        b'\\' => escape_of_json(text),
        b'&' => escape_of_xml(text),
        b'%' => {
            let code = u8::from_str_radix(text.get(1..3)?, 16).ok().filter(u8::is_ascii)?;
            Some((char::from(code), 3))
        }
        _ => None,
    }
}

/// `\\n`, `\\"`, `\\u0041`, however many levels of JSON they went through.
fn escape_of_json(text: &str) -> Option<(char, usize)> {
    let plain = text.trim_start_matches('\\');
    let slashes = text.len().saturating_sub(plain.len());
    let one = |letter| Some((letter, slashes.saturating_add(1)));
    let hex = |digits: usize| {
        let code = u32::from_str_radix(plain.get(1..digits.saturating_add(1))?, 16).ok()?;
        Some((char::from_u32(code)?, slashes.saturating_add(digits).saturating_add(1)))
    };
    match plain.chars().next() {
        Some('n' | 'r') => one('\n'),
        Some('t') => one('\t'),
        Some(sign @ ('"' | '\'' | '/')) => one(sign),
        Some('u') => hex(4),
        Some('x') => hex(2),
        _ => Some(('\\', slashes)).filter(|_| slashes > 1),
    }
}

/// `&quot;`, `&#34;`, `&#x22;`.
fn escape_of_xml(text: &str) -> Option<(char, usize)> {
    const NAME_BYTES_MAX: usize = 8;
    let end = text.bytes().take(NAME_BYTES_MAX).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let letter = match name {
        "quot" => '"',
        "apos" => '\'',
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "nbsp" => ' ',
        _ => {
            let code = name.strip_prefix('#')?;
            let code = match code.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => code.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((letter, end.saturating_add(1)))
}

/// The plain letter for this one; `None` if it has no width.
fn plain(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c);
    }
    if is_invisible(c) {
        return None;
    }
    Some(digit(c).or_else(|| letter(c)).or_else(|| sign(c)).unwrap_or(c))
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20f0}' | '\u{e0000}'..='\u{e0fff}')
}

/// The zeros of the scripts that write numbers with ten digits in a row.
const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
    0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
    0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0,
    0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50,
    0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140,
    0x1e2f0, 0x1e4f0, 0x1e950, 0x1fbf0, 0x2080,
];

fn digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let value = match c {
        '\u{b9}' => 1,
        '\u{b2}' => 2,
        '\u{b3}' => 3,
        '\u{2070}' => 0,
        '\u{2074}'..='\u{2079}' => code.checked_sub(0x2070)?,
        '\u{2460}'..='\u{2468}' => code.checked_sub(0x245f)?,
        '\u{24ea}' => 0,
        _ => {
            let zero = ZEROS.iter().find(|zero| (**zero..zero.saturating_add(10)).contains(&code))?;
            code.checked_sub(*zero)?
        }
    };
    char::from_digit(value, 10)
}

fn letter(c: char) -> Option<char> {
    let code = u32::from(c);
    let nth = |first: char, nth: u32| char::from_u32(u32::from(first).checked_add(nth)?);
    match c {
        '\u{ff01}'..='\u{ff5e}' => nth('!', code.checked_sub(0xff01)?),
        '\u{1d400}'..='\u{1d6a3}' => {
            let place = code.checked_sub(0x1d400)? % 52;
            if place < 26 { nth('A', place) } else { nth('a', place.checked_sub(26)?) }
        }
        '\u{24b6}'..='\u{24cf}' => nth('A', code.checked_sub(0x24b6)?),
        '\u{24d0}'..='\u{24e9}' => nth('a', code.checked_sub(0x24d0)?),
        _ => LOOK_ALIKES.iter().find(|(odd, _)| *odd == c).map(|(_, plain)| *plain),
    }
}

/// Cyrillic, Greek and accented letters that look like Latin ones.
const LOOK_ALIKES: &[(char, char)] = &[
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('ё', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('т', 't'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('А', 'A'),
    ('В', 'B'),
    ('С', 'C'),
    ('Е', 'E'),
    ('Н', 'H'),
    ('І', 'I'),
    ('Ј', 'J'),
    ('К', 'K'),
    ('М', 'M'),
    ('О', 'O'),
    ('Р', 'P'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('Х', 'X'),
    ('У', 'Y'),
    ('α', 'a'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('ν', 'v'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Χ', 'X'),
    ('à', 'a'),
    ('á', 'a'),
    ('â', 'a'),
    ('ä', 'a'),
    ('å', 'a'),
    ('è', 'e'),
    ('é', 'e'),
    ('ê', 'e'),
    ('ë', 'e'),
    ('ì', 'i'),
    ('í', 'i'),
    ('î', 'i'),
    ('ï', 'i'),
    ('ò', 'o'),
    ('ó', 'o'),
    ('ô', 'o'),
    ('ö', 'o'),
    ('ù', 'u'),
    ('ú', 'u'),
    ('û', 'u'),
    ('ü', 'u'),
    ('ç', 'c'),
    ('ñ', 'n'),
    ('ı', 'i'),
    ('ɑ', 'a'),
    ('ɡ', 'g'),
];

fn sign(c: char) -> Option<char> {
    match c {
        '\u{2010}'..='\u{2015}'
        | '\u{2043}'
        | '\u{2212}'
        | '\u{2e3a}'
        | '\u{2e3b}'
        | '\u{fe31}'
        | '\u{fe32}'
        | '\u{fe58}'
        | '\u{fe63}'
        | '\u{58a}'
        | '\u{5be}'
        | '\u{1806}'
        | '\u{30fb}'
        | '\u{b7}' => Some('-'),
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' | '\u{b4}' => Some('\''),
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => Some('"'),
        '\u{2024}' | '\u{3002}' => Some('.'),
        '\u{2236}' | '\u{a789}' => Some(':'),
        '\u{2044}' | '\u{2215}' => Some('/'),
        '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        c if c.is_whitespace() => Some(' '),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_written_in_plain_letters() {
        let plain = [
            ("１２３－４５－６７８９", "123-45-6789"),
            ("pass\u{200b}word", "password"),
            ("раsswоrd", "password"),
            ("٤١١١ ٠٠", "4111 00"),
            ("𝟒𝟏𝟏𝟏 𝐀𝐳", "4111 Az"),
            ("a\u{a0}b\u{2014}c", "a b-c"),
            ("what’s", "what's"),
        ];
        for (text, expected) in plain {
            assert_eq!(fold(text).text, expected);
        }
    }

    #[test]
    fn escapes_are_written_as_what_they_stand_for() {
        let decoded = [
            (r"a\nsk_live", "a\nsk_live"),
            (r#"{\\\"pin\\\":\"x\"}"#, "{\"pin\":\"x\"}"),
            (r"\u0070ass\x77ord", "password"),
            ("&quot;pin&#34;&amp;&#x3d;", "\"pin\"&="),
            ("api%5Fkey%3D", "api_key="),
        ];
        for (text, expected) in decoded {
            assert_eq!(decode(text).unwrap().text, expected, "{text}");
        }
        assert!(decode("50 % of AT&T \\ 7 %").is_none());
    }

    #[test]
    fn a_folded_range_leads_back_to_the_original() {
        let text = "x é１\u{200b}２ y";
        let folded = fold(text);
        let place = folded.text.find("12").unwrap();
        assert_eq!(&text[folded.origin(place..place + 2)], "１\u{200b}２");
    }
}
