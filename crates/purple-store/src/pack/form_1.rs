//! Reads form 1, which earlier versions of the program wrote. Nothing writes it any more.
//!
//! Form 1 resembles LZ4: a token with two lengths, literals, and a copy from earlier output, where [`WORDS`] precedes
//! the output. Lengths and distances have seven bits per byte, so an LZ4 library cannot read it. In the output a mark
//! and 32 bytes represent a digest.

use purple_port::Digest;

/// The dictionary of form 1. It never changes, because stored texts refer to it.
const WORDS: &[u8] = include_bytes!("words_1.txt");
const COPY_BYTES_MIN: usize = 4;
/// The largest length that fits in half a token; from there on a number follows.
const NIBBLE_MAX: usize = 15;
const DIGEST_MARK: u8 = 1;
const DIGEST_BYTES: usize = 32;

/// The text, without the form byte in front of it; `None` if the bytes are invalid or the text is too long.
pub(super) fn unpack(packed: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let mut input = Input(packed);
    let length = input.number().filter(|length| *length <= bytes_max)?;
    let end = WORDS.len().checked_add(length)?;
    let mut output = Vec::with_capacity(end);
    output.extend_from_slice(WORDS);
    while !input.0.is_empty() {
        let token = input.byte()?;
        let literals = input.length(token >> 4)?;
        output.extend_from_slice(input.take(literals)?);
        if input.0.is_empty() {
            break;
        }
        let copied = input.length(token & 0xf)?.checked_add(COPY_BYTES_MIN)?;
        let start = output.len().checked_sub(input.number()?)?;
        if copied > end.checked_sub(output.len())? {
            return None;
        }
        // Byte by byte: a copy may overlap with its own output.
        for at in start..start.checked_add(copied)? {
            output.push(*output.get(at)?);
        }
    }
    if output.len() == end { unfold(output.get(WORDS.len()..)?, bytes_max) } else { None }
}

/// Writes out the digests of a text.
fn unfold(folded: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(folded.len());
    let mut rest = folded;
    while let Some(mark) = rest.iter().position(|byte| *byte == DIGEST_MARK) {
        let (plain, marked) = rest.split_at_checked(mark)?;
        let (digest, after) = marked.get(1..)?.split_first_chunk::<DIGEST_BYTES>()?;
        text.extend_from_slice(plain);
        text.extend_from_slice(Digest::from_bytes(*digest).to_string().as_bytes());
        rest = after;
        if text.len() > bytes_max {
            return None;
        }
    }
    text.extend_from_slice(rest);
    (text.len() <= bytes_max).then_some(text)
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// Seven bits per byte, the lowest first; the highest bit says that more follow.
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

    fn length(&mut self, nibble: u8) -> Option<usize> {
        let length = usize::from(nibble);
        if length < NIBBLE_MAX { Some(length) } else { length.checked_add(self.number()?) }
    }
}
