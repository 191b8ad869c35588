#[path = "pack/form_1_tests.rs"]
mod form_1_tests;

use super::*;
use proptest::prelude::*;
use purple_port::Digest;

const BYTES_MAX: usize = 64 * 1024;

fn digest(of: &str) -> String {
    Digest::of(of.as_bytes()).to_string()
}

/// A typical journal entry, with names from a business.
fn entry() -> String {
    format!(
        r#"{{"at":"2031-05-04T10:42:37.942165443Z","data":{{"arguments":{{"order":"ORD-77"}},"attempt":"first","before":"{}","effect":"write","headline":"Ship order ORD-77","key":"{}","plan":"{}","sent":"{}","step":"do_1","tool":"ship_order"}},"kind":"write.intent"}}"#,
        digest("a"),
        digest("b"),
        digest("a"),
        digest("c")
    )
}

/// A frame of form 2 that claims `bytes` bytes and repeats `a` as often.
fn repeated(bytes: u32) -> Vec<u8> {
    const SINGLE_SEGMENT_AND_SIZE_OF_4_BYTES: u8 = 0xa0;
    const BLOCK_BYTES_MAX: u32 = 128 * 1024;
    let mut packed = vec![FORM, SINGLE_SEGMENT_AND_SIZE_OF_4_BYTES];
    packed.extend(bytes.to_le_bytes());
    let mut rest = bytes;
    while rest > 0 {
        let block = rest.min(BLOCK_BYTES_MAX);
        rest -= block;
        // A block header: last or not, one byte repeated, its length.
        let header = u32::from(rest == 0) | 1 << 1 | block << 3;
        packed.extend(&header.to_le_bytes()[..3]);
        packed.push(b'a');
    }
    packed
}

#[test]
fn a_typical_entry_is_packed_to_less_than_half_and_unpacked() {
    let raw = entry();
    let packed = pack(raw.as_bytes()).unwrap();
    assert_eq!(packed[0], FORM);
    assert!(packed.len() * 2 < raw.len(), "{} of {}", packed.len(), raw.len());
    assert_eq!(unpack(&packed, BYTES_MAX).unwrap(), raw.as_bytes());
}

/// Stored texts refer to the dictionary: if it changes, they cannot be read any more.
#[test]
fn the_dictionary_of_form_2_stays_the_same() {
    let expected = "sha256:69c5d17a456f2e17a6b6948dee2a384aed13f51054c1497896f8d26ccc66c203";
    assert_eq!(Digest::of(DICTIONARY).to_string(), expected);
}

#[test]
fn short_random_and_very_long_texts_are_stored_as_they_are() {
    let random: Vec<u8> =
        (0..20_u32).flat_map(|number| *Digest::of(&number.to_be_bytes()).as_bytes()).collect();
    assert!(pack(&random).is_none());
    assert!(pack(b"{\"kind\":\"turn.ended\"}").is_none());
    assert!(pack(&vec![b'a'; RAW_BYTES_MAX]).is_some());
    assert!(pack(&vec![b'a'; RAW_BYTES_MAX + 1]).is_none());
    let stored = Stored::of(b"short".to_vec());
    assert_eq!(
        (stored.plain.as_slice(), stored.packed, 5),
        (&b"short"[..], None, Stored::of("short".to_owned()).len())
    );
}

#[test]
fn a_text_longer_than_allowed_is_not_unpacked() {
    let raw = entry();
    let packed = pack(raw.as_bytes()).unwrap();
    assert!(unpack(&packed, raw.len()).is_some());
    assert!(unpack(&packed, raw.len() - 1).is_none());
    let bomb = pack(&vec![b'a'; 100_000]).unwrap();
    assert!(bomb.len() < 100);
    assert!(unpack(&bomb, BYTES_MAX).is_none());
}

/// Stored bytes may be forged: neither what they claim nor what they expand to exceeds the limit of packing.
#[test]
fn a_frame_that_expands_beyond_the_limit_is_rejected_whatever_the_caller_allows() {
    let limit = u32::try_from(RAW_BYTES_MAX).unwrap();
    assert_eq!(unpack(&repeated(limit), usize::MAX).unwrap(), vec![b'a'; RAW_BYTES_MAX]);
    assert!(unpack(&repeated(limit + 1), usize::MAX).is_none());
    assert!(unpack(&repeated(u32::MAX / 16), usize::MAX).is_none());
    // A length of 4 GB, and nothing that fills it.
    assert!(unpack(&[FORM, 0xa0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0], usize::MAX).is_none());
    // Two frames that are short enough only one by one.
    let half = repeated(limit / 2 + 1);
    let two = [&half[..], &MAGIC, &half[1..]].concat();
    assert!(unpack(&two, usize::MAX).is_none());
}

#[test]
fn an_unknown_form_is_rejected() {
    let mut packed = pack(entry().as_bytes()).unwrap();
    packed[0] = FORM + 1;
    assert!(unpack(&packed, BYTES_MAX).is_none());
    assert!(unpack(&[], BYTES_MAX).is_none());
}

/// If the same text results, nothing was altered; the hash of the text shows everything else.
#[test]
fn a_changed_bit_gives_another_text_or_none() {
    let raw = entry();
    let packed = pack(raw.as_bytes()).unwrap();
    let mut other = 0;
    for place in 0..packed.len() {
        for bit in 0..8 {
            let mut changed = packed.clone();
            changed[place] ^= 1 << bit;
            other += usize::from(unpack(&changed, BYTES_MAX).as_deref() != Some(raw.as_bytes()));
        }
        assert_ne!(unpack(&packed[..place], BYTES_MAX).as_deref(), Some(raw.as_bytes()));
    }
    assert!(other * 100 > packed.len() * 8 * 95, "{other} of {}", packed.len() * 8);
}

/// A context that failed is used again.
#[test]
fn a_rejected_text_does_not_affect_the_next_one() {
    let packed = pack(entry().as_bytes()).unwrap();
    for _ in 0..100 {
        assert!(unpack(&packed[..packed.len() - 1], BYTES_MAX).is_none());
        assert_eq!(unpack(&packed, BYTES_MAX).unwrap(), entry().as_bytes());
    }
}

proptest! {
    #[test]
    fn a_packed_text_is_unpacked_to_itself(pieces in prop::collection::vec(prop_oneof![
        any::<String>(),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| {
            bytes.iter().map(|byte| char::from(*byte)).collect::<String>()
        }),
        "[a-z]{1,3}".prop_map(|word| word.repeat(40)),
        any::<u64>().prop_map(|seed| digest(&seed.to_string())),
        (0..DICTIONARY.len() - 200, 5..200_usize).prop_map(|(at, length)| {
            String::from_utf8_lossy(&DICTIONARY[at..at + length]).into_owned()
        }),
    ], 0..40)) {
        let raw = pieces.concat().into_bytes();
        if let Some(packed) = pack(&raw) {
            prop_assert!(packed.len() < raw.len());
            prop_assert_eq!(unpack(&packed, 1 << 20).unwrap(), raw);
        }
    }

    #[test]
    fn any_bytes_are_unpacked_within_the_limit_or_rejected(
        form in 1..=FORM,
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        if let Some(text) = unpack(&[&[form], &bytes[..]].concat(), 10_000) {
            prop_assert!(text.len() <= 10_000);
        }
    }
}
