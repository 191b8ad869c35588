//! The packer that the store used before `zstd`, as it was. It serves only as the baseline here; what the product keeps
//! of it is the reader in `crates/purple-store/src/pack/form_1.rs`.

/// The first byte. Another list of words, or another way, is another number.
const FORM: u8 = 1;
/// The words of form 1. Never edited: what was packed with them is unpacked with them.
pub const WORDS: &[u8] = include_bytes!("../../../crates/purple-store/src/pack/words_1.txt");
/// What is shorter is not worth it; what is longer is rare, and not held up for it.
const RAW_BYTES_MIN: usize = 128;
const RAW_BYTES_MAX: usize = 1024 * 1024;
/// The shortest copy.
const COPY_BYTES_MIN: usize = 4;
/// What half a byte tells, and from which on more bytes follow.
const NIBBLE_MAX: usize = 15;
/// Stands before the bytes of a digest in a folded text. A text that holds it already is not packed.
const DIGEST_MARK: u8 = 1;
const DIGEST_BYTES: usize = 32;
const DIGEST_PREFIX: &str = "sha256:";
const DIGEST_CHARS: usize = DIGEST_PREFIX.len() + 2 * DIGEST_BYTES;

/// Where four bytes stood last, by a hash of them.
struct Places<const SLOTS: usize>([u32; SLOTS]);

impl<const SLOTS: usize> Places<SLOTS> {
    const NOWHERE: u32 = u32::MAX;

    const fn new() -> Self {
        Self([Self::NOWHERE; SLOTS])
    }

    fn slot(four: [u8; COPY_BYTES_MIN]) -> usize {
        let mixed = u32::from_le_bytes(four).wrapping_mul(0x9E37_79B1);
        (mixed >> 16) as usize % SLOTS
    }

    fn put(&mut self, four: [u8; COPY_BYTES_MIN], place: usize) {
        if let (Some(slot), Ok(place)) = (self.0.get_mut(Self::slot(four)), u32::try_from(place)) {
            *slot = place;
        }
    }

    fn get(&self, four: [u8; COPY_BYTES_MIN]) -> Option<usize> {
        let place = self.0.get(Self::slot(four)).copied().filter(|place| *place != Self::NOWHERE)?;
        usize::try_from(place).ok()
    }
}

/// Where the words are, found once.
static WORD_PLACES: std::sync::LazyLock<Places<8192>> = std::sync::LazyLock::new(|| {
    let mut places = Places::new();
    (0..WORDS.len())
        .filter_map(|at| Some((four(WORDS, at)?, at)))
        .for_each(|(four, at)| places.put(four, at));
    places
});

fn four(bytes: &[u8], at: usize) -> Option<[u8; COPY_BYTES_MIN]> {
    bytes.get(at..)?.first_chunk().copied()
}

/// The packed text; `None` where that would save too little.
pub fn pack(raw: &[u8]) -> Option<Vec<u8>> {
    if !(RAW_BYTES_MIN..=RAW_BYTES_MAX).contains(&raw.len()) || raw.contains(&DIGEST_MARK) {
        return None;
    }
    let text = fold(std::str::from_utf8(raw).ok()?);
    let mut out = Vec::with_capacity(text.len());
    out.push(FORM);
    write_number(text.len(), &mut out);
    let mut places = Places::<1024>::new();
    let (mut at, mut plain_from) = (0, 0);
    while let Some(four) = four(&text, at) {
        let copy = longest(&text, at, four, &places);
        places.put(four, at);
        let Some((length, back)) = copy else {
            at += 1;
            continue;
        };
        write_sequence(text.get(plain_from..at)?, Some((length, back)), &mut out);
        // A few places of what was copied are enough to find it again.
        let within = (at + 1..at + length).step_by(2);
        within
            .filter_map(|at| Some((self::four(&text, at)?, at)))
            .for_each(|(four, at)| places.put(four, at));
        at += length;
        plain_from = at;
    }
    let rest = text.get(plain_from..)?;
    if !rest.is_empty() {
        write_sequence(rest, None, &mut out);
    }
    (out.len() < raw.len() - raw.len() / 8).then_some(out)
}

/// The longest copy for this place: how long it is and how far back it begins.
fn longest(text: &[u8], at: usize, four: [u8; 4], places: &Places<1024>) -> Option<(usize, usize)> {
    let rest = text.get(at..)?;
    let same = |before: &[u8]| before.iter().zip(rest).take_while(|(one, other)| one == other).count();
    let in_text = places.get(four).and_then(|place| Some((same(text.get(place..)?), at - place)));
    let in_words =
        WORD_PLACES.get(four).and_then(|place| Some((same(WORDS.get(place..)?), at + WORDS.len() - place)));
    // Of two that are equally long the nearer one is written with fewer bytes.
    let best =
        in_text.into_iter().chain(in_words).max_by_key(|(length, back)| (*length, usize::MAX - back))?;
    (best.0 >= COPY_BYTES_MIN).then_some(best)
}

fn write_sequence(plain: &[u8], copy: Option<(usize, usize)>, out: &mut Vec<u8>) {
    let more = copy.map_or(0, |(length, _)| length - COPY_BYTES_MIN);
    let half = |count: usize| u8::try_from(count.min(NIBBLE_MAX)).unwrap_or(0);
    out.push(half(plain.len()) << 4 | half(more));
    if plain.len() >= NIBBLE_MAX {
        write_number(plain.len() - NIBBLE_MAX, out);
    }
    out.extend_from_slice(plain);
    let Some((_, back)) = copy else { return };
    if more >= NIBBLE_MAX {
        write_number(more - NIBBLE_MAX, out);
    }
    write_number(back, out);
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
pub fn write_number(mut number: usize, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Unpacks a text of at most `bytes_max` bytes; `None` if these bytes are not a packed text.
pub fn unpack(packed: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let mut from = Unread(packed);
    if from.byte()? != FORM {
        return None;
    }
    let length = from.number()?;
    if length > bytes_max {
        return None;
    }
    let mut text = Vec::with_capacity(length);
    while !from.0.is_empty() {
        let token = from.byte()?;
        let plain = from.length(token >> 4)?;
        text.extend_from_slice(from.take(plain)?);
        if from.0.is_empty() {
            break;
        }
        let copied = from.length(token & 0xf)?.checked_add(COPY_BYTES_MIN)?;
        let back = from.number()?;
        if copied > length.checked_sub(text.len())? {
            return None;
        }
        copy(&mut text, back, copied)?;
    }
    if text.len() == length { unfold(&text, bytes_max) } else { None }
}

/// Appends what stands so far back, in the text or in the words before it.
fn copy(text: &mut Vec<u8>, back: usize, count: usize) -> Option<()> {
    match text.len().checked_sub(back) {
        Some(start) if back > 0 => {
            // It may reach into what it has just appended.
            for at in start..start.checked_add(count)? {
                text.push(*text.get(at)?);
            }
        }
        Some(_) => return None,
        None => {
            let start = WORDS.len().checked_sub(back - text.len())?;
            text.extend_from_slice(WORDS.get(start..start.checked_add(count)?)?);
        }
    }
    Some(())
}

struct Unread<'a>(&'a [u8]);

impl<'a> Unread<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn length(&mut self, half: u8) -> Option<usize> {
        let length = usize::from(half);
        if length < NIBBLE_MAX { Some(length) } else { length.checked_add(self.number()?) }
    }
}

/// The text with its digests as bytes.
pub fn fold(raw: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, from)) = rest.find(DIGEST_PREFIX).and_then(|place| rest.split_at_checked(place)) {
        out.extend_from_slice(before.as_bytes());
        let digest = from.get(..DIGEST_CHARS).and_then(|shown| digest_bytes(shown));
        let taken = match digest {
            Some(digest) => {
                out.push(DIGEST_MARK);
                out.extend_from_slice(&digest);
                DIGEST_CHARS
            }
            None => {
                out.extend_from_slice(DIGEST_PREFIX.as_bytes());
                DIGEST_PREFIX.len()
            }
        };
        rest = from.get(taken..).unwrap_or_default();
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

pub fn unfold(text: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len().saturating_add(text.len() / 2));
    let mut rest = text;
    while let Some(place) = rest.iter().position(|byte| *byte == DIGEST_MARK) {
        let (plain, marked) = rest.split_at_checked(place)?;
        out.extend_from_slice(plain);
        let (bytes, behind) = marked.get(1..)?.split_first_chunk::<DIGEST_BYTES>()?;
        write_digest(bytes, &mut out);
        rest = behind;
        if out.len() > bytes_max {
            return None;
        }
    }
    out.extend_from_slice(rest);
    (out.len() <= bytes_max).then_some(out)
}

/// The number at the start, and what follows it.
pub fn read_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut from = Unread(bytes);
    Some((from.number()?, from.0))
}

fn digest_bytes(shown: &str) -> Option<[u8; DIGEST_BYTES]> {
    let mut bytes = [0; DIGEST_BYTES];
    for (byte, pair) in bytes.iter_mut().zip(shown.get(DIGEST_PREFIX.len()..)?.as_bytes().chunks_exact(2)) {
        let [high, low] = *pair else { return None };
        *byte = nibble(high)? << 4 | nibble(low)?;
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

fn write_digest(bytes: &[u8; DIGEST_BYTES], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(DIGEST_PREFIX.as_bytes());
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    out.extend(nibbles.map(|nibble| DIGITS[usize::from(nibble)]));
}
