//! Compresses texts before they are stored: most of a journal consists of the same field names and phrases.
//!
//! A packed text is a form byte and a Zstandard frame without its constant magic number, compressed with a dictionary
//! that was trained on texts of the demo. The reader of a packed text compares the hash of the unpacked one.
//! See `docs/decisions/0028-packed-with-zstd.md`.

mod form_1;

use std::io;
use std::sync::{LazyLock, Mutex, PoisonError};

use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{CParameter, MAGICNUMBER};

/// The first byte of a packed text. Another dictionary or another compression gets another number.
const FORM: u8 = 2;
const FORM_OF_EARLIER_VERSIONS: u8 = 1;
/// The dictionary of form 2. It never changes, because stored texts refer to it.
const DICTIONARY: &[u8] = include_bytes!("pack/dictionary_2.zdict");
const LEVEL: i32 = 1;
const MAGIC: [u8; 4] = MAGICNUMBER.to_le_bytes();
/// Shorter texts save too little; longer ones are rare, and stored at once instead of compressed.
const RAW_BYTES_MIN: usize = 128;
const RAW_BYTES_MAX: usize = 1024 * 1024;

/// A text, or bytes, as stored: either `plain`, or `packed` with an empty `plain`.
#[derive(Clone, Debug)]
pub(crate) struct Stored<T> {
    pub(crate) plain: T,
    pub(crate) packed: Option<Vec<u8>>,
}

impl<T: AsRef<[u8]> + Default> Stored<T> {
    pub(crate) fn of(raw: T) -> Self {
        match pack(raw.as_ref()) {
            Some(packed) => Self { plain: T::default(), packed: Some(packed) },
            None => Self { plain: raw, packed: None },
        }
    }

    /// The number of bytes it takes.
    pub(crate) fn len(&self) -> usize {
        self.plain.as_ref().len().saturating_add(self.packed.as_ref().map_or(0, Vec::len))
    }
}

static ENCODER_DICTIONARY: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));
static DECODER_DICTIONARY: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

static COMPRESSORS: Idle<Compressor<'static>> = Idle(Mutex::new(Vec::new()));
static DECOMPRESSORS: Idle<Decompressor<'static>> = Idle(Mutex::new(Vec::new()));

/// Contexts of the library that are not in use: creating one costs more than packing a text.
struct Idle<T>(Mutex<Vec<T>>);

impl<T> Idle<T> {
    /// Runs `work` with an idle context, or with a new one where all are in use.
    fn with<R>(
        &self,
        create: impl FnOnce() -> io::Result<T>,
        work: impl FnOnce(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let idle = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut context = match idle {
            Some(context) => context,
            None => create()?,
        };
        let done = work(&mut context);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(context);
        done
    }
}

fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_prepared_dictionary(&ENCODER_DICTIONARY)?;
    // The form byte already names the dictionary.
    compressor.set_parameter(CParameter::DictIdFlag(false))?;
    Ok(compressor)
}

/// The packed text; `None` if packing saves less than an eighth, or the library fails.
pub(crate) fn pack(raw: &[u8]) -> Option<Vec<u8>> {
    if !(RAW_BYTES_MIN..=RAW_BYTES_MAX).contains(&raw.len()) {
        return None;
    }
    let frame = COMPRESSORS.with(compressor, |compressor| compressor.compress(raw)).ok()?;
    let after_magic = frame.strip_prefix(&MAGIC)?;
    let saves = after_magic.len().checked_add(1)? < raw.len() - raw.len() / 8;
    saves.then(|| [&[FORM], after_magic].concat())
}

/// The text that was packed; `None` if the bytes are invalid, or the text is longer than `bytes_max`.
///
/// Allocates at most [`RAW_BYTES_MAX`], whatever length the bytes claim: no longer text is ever packed.
pub(crate) fn unpack(packed: &[u8], bytes_max: usize) -> Option<Vec<u8>> {
    let bytes_max = bytes_max.min(RAW_BYTES_MAX);
    match packed.split_first()? {
        (&FORM, after_magic) => {
            let frame = [&MAGIC, after_magic].concat();
            let create = || Decompressor::with_prepared_dictionary(&DECODER_DICTIONARY);
            DECOMPRESSORS.with(create, |decompressor| decompressor.decompress(&frame, bytes_max)).ok()
        }
        (&FORM_OF_EARLIER_VERSIONS, sequences) => form_1::unpack(sequences, bytes_max),
        _ => None,
    }
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
