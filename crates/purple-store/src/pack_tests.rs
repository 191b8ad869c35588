use super::*;
use proptest::prelude::*;

const BYTES_MAX: usize = 64 * 1024;

fn digest(of: &str) -> String {
    Digest::of(of.as_bytes()).to_string()
}

/// An entry as a journal has hundreds of, with words of a business in it.
fn entry() -> String {
    format!(
        r#"{{"at":"2031-05-04T10:42:37.942165443Z","data":{{"arguments":{{"order":"ORD-77"}},"attempt":"first","before":"{}","effect":"write","headline":"Ship order ORD-77","key":"{}","plan":"{}","sent":"{}","step":"do_1","tool":"ship_order"}},"kind":"write.intent"}}"#,
        digest("a"),
        digest("b"),
        digest("a"),
        digest("c")
    )
}

#[test]
fn an_entry_of_our_own_words_becomes_less_than_half_and_comes_back() {
    let raw = entry();
    let packed = pack(raw.as_bytes()).unwrap();
    assert!(packed.len() * 2 < raw.len(), "{} of {}", packed.len(), raw.len());
    assert_eq!(unpack(&packed, BYTES_MAX).unwrap(), raw.as_bytes());
}

/// If this changes, nothing that was packed before can be read any more.
#[test]
fn the_words_of_form_1_stay_what_they_are() {
    let expected = "sha256:0433ed535b7c29f1eee6c5c790abd172bd8a4b94091a55788a8f5b48be3eeb69";
    assert_eq!(Digest::of(WORDS).to_string(), expected);
}

#[test]
fn what_is_short_or_random_or_holds_the_mark_is_not_packed() {
    let random: Vec<u8> =
        (0..20_u32).flat_map(|number| *Digest::of(&number.to_be_bytes()).as_bytes()).collect();
    assert!(pack(&random).is_none());
    assert!(pack(b"{\"kind\":\"turn.ended\"}").is_none());
    assert!(pack(entry().replace("ORD", "\u{1}").as_bytes()).is_none());
    assert!(pack(&vec![b'a'; RAW_BYTES_MAX + 1]).is_none());
    let stored = Stored::of(b"short".to_vec());
    assert_eq!(
        (stored.plain.as_slice(), stored.packed, 5),
        (&b"short"[..], None, Stored::of("short".to_owned()).len())
    );
}

#[test]
fn a_text_that_is_longer_than_allowed_is_not_unpacked() {
    let raw = entry();
    let packed = pack(raw.as_bytes()).unwrap();
    assert!(unpack(&packed, raw.len()).is_some());
    assert!(unpack(&packed, raw.len() - 1).is_none());
    // A few bytes that claim to be many.
    let bomb = pack(&vec![b'a'; 100_000]).unwrap();
    assert!(bomb.len() < 100);
    assert!(unpack(&bomb, BYTES_MAX).is_none());
}

#[test]
fn a_repetition_reaches_into_what_it_makes() {
    let raw = "abc".repeat(1000);
    let packed = pack(raw.as_bytes()).unwrap();
    assert_eq!(unpack(&packed, BYTES_MAX).unwrap(), raw.as_bytes());
}

/// What unpacks to the same text has altered nothing; anything else is seen by the hash of the text.
#[test]
fn a_changed_byte_gives_another_text_or_none_and_never_a_panic() {
    let raw = entry();
    let packed = pack(raw.as_bytes()).unwrap();
    let mut other = 0;
    for place in 0..packed.len() {
        for bit in 0..8 {
            let mut damaged = packed.clone();
            damaged[place] ^= 1 << bit;
            other += usize::from(unpack(&damaged, BYTES_MAX).as_deref() != Some(raw.as_bytes()));
        }
        assert_ne!(unpack(&packed[..place], BYTES_MAX).as_deref(), Some(raw.as_bytes()));
    }
    assert!(other * 100 > packed.len() * 8 * 95, "{other} of {}", packed.len() * 8);
}

proptest! {
    #[test]
    fn whatever_is_packed_comes_back(pieces in prop::collection::vec(prop_oneof![
        any::<String>(),
        "[a-z]{1,3}".prop_map(|word| word.repeat(40)),
        any::<u64>().prop_map(|seed| digest(&seed.to_string())),
        (0..WORDS.len() - 200, 5..200_usize).prop_map(|(at, length)| {
            String::from_utf8_lossy(&WORDS[at..at + length]).into_owned()
        }),
        Just("sha256:0123".to_owned()),
    ], 0..40)) {
        let raw = pieces.concat().into_bytes();
        if let Some(packed) = pack(&raw) {
            prop_assert!(packed.len() < raw.len());
            prop_assert_eq!(unpack(&packed, 1 << 20).unwrap(), raw);
        }
    }

    #[test]
    fn any_bytes_are_unpacked_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Some(first) = bytes.first_mut() {
            *first = FORM;
        }
        if let Some(text) = unpack(&bytes, 10_000) {
            prop_assert!(text.len() <= 10_000);
        }
    }
}
