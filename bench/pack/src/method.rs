//! The methods that are compared: each packs one text and unpacks it again.

use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::CParameter;

use crate::form_1;

pub type Failed = Box<dyn std::error::Error>;

/// No text of the comparison is longer than what the store packs.
pub const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// The dictionary that the store ships.
pub const DICTIONARY_2: &[u8] = include_bytes!("../../../crates/purple-store/src/pack/dictionary_2.zdict");

/// A way to pack one text.
pub trait Method {
    fn pack(&mut self, text: &[u8]) -> Result<Vec<u8>, Failed>;
    fn unpack(&mut self, packed: &[u8]) -> Result<Vec<u8>, Failed>;
}

/// The packer that the store used before: LZ4-like, with `words_1.txt` and folded digests.
pub struct Form1;

impl Method for Form1 {
    fn pack(&mut self, text: &[u8]) -> Result<Vec<u8>, Failed> {
        form_1::pack(text).ok_or_else(|| "a text that form 1 does not pack".into())
    }

    fn unpack(&mut self, packed: &[u8]) -> Result<Vec<u8>, Failed> {
        form_1::unpack(packed, TEXT_BYTES_MAX).ok_or_else(|| "form 1 cannot be unpacked".into())
    }
}

/// LZ4 blocks by `lz4_flex`. Its API prepares the table of the dictionary again for every text.
pub struct Lz4<'a> {
    pub dictionary: &'a [u8],
}

impl Method for Lz4<'_> {
    fn pack(&mut self, text: &[u8]) -> Result<Vec<u8>, Failed> {
        let mut packed = Vec::with_capacity(text.len());
        form_1::write_number(text.len(), &mut packed);
        packed.extend(lz4_flex::block::compress_with_dict(text, self.dictionary));
        Ok(packed)
    }

    fn unpack(&mut self, packed: &[u8]) -> Result<Vec<u8>, Failed> {
        let (length, block) = form_1::read_number(packed).ok_or("no length")?;
        let length = length.min(TEXT_BYTES_MAX);
        Ok(lz4_flex::block::decompress_with_dict(block, length, self.dictionary)?)
    }
}

/// The first bytes of every Zstandard frame: not stored, a form byte takes their place.
const MAGIC: [u8; 4] = zstd::zstd_safe::MAGICNUMBER.to_le_bytes();

/// Zstandard frames without magic number, checksum and dictionary id, with a dictionary prepared once.
pub struct Zstd<'a> {
    compressor: Compressor<'a>,
    decompressor: Decompressor<'a>,
}

impl<'a> Zstd<'a> {
    pub fn new(encoder: &'a EncoderDictionary<'_>, decoder: &'a DecoderDictionary<'_>) -> io::Result<Self> {
        let mut compressor = Compressor::with_prepared_dictionary(encoder)?;
        compressor.set_parameter(CParameter::DictIdFlag(false))?;
        Ok(Self { compressor, decompressor: Decompressor::with_prepared_dictionary(decoder)? })
    }
}

impl Method for Zstd<'_> {
    fn pack(&mut self, text: &[u8]) -> Result<Vec<u8>, Failed> {
        let frame = self.compressor.compress(text)?;
        Ok([&[2][..], frame.get(MAGIC.len()..).unwrap_or_default()].concat())
    }

    fn unpack(&mut self, packed: &[u8]) -> Result<Vec<u8>, Failed> {
        let frame = [&MAGIC[..], packed.get(1..).unwrap_or_default()].concat();
        Ok(self.decompressor.decompress(&frame, TEXT_BYTES_MAX)?)
    }
}

/// Another method, with digests folded to their 32 bytes before it.
pub struct Folded<M>(pub M);

impl<M: Method> Method for Folded<M> {
    fn pack(&mut self, text: &[u8]) -> Result<Vec<u8>, Failed> {
        self.0.pack(&form_1::fold(std::str::from_utf8(text)?))
    }

    fn unpack(&mut self, packed: &[u8]) -> Result<Vec<u8>, Failed> {
        let folded = self.0.unpack(packed)?;
        form_1::unfold(&folded, TEXT_BYTES_MAX).ok_or_else(|| "cannot be unfolded".into())
    }
}
