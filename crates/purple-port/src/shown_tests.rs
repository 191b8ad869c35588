use proptest::prelude::*;

use super::*;

#[test]
fn what_hides_is_written_out() {
    for (text, shown) in [
        ("Acme\nCorp", "Acme\\u{a}Corp"),
        ("\u{1b}[31mred", "\\u{1b}[31mred"),
        ("in\u{202e}voice", "in\\u{202e}voice"),
        ("ac\u{200b}me", "ac\\u{200b}me"),
        ("a\u{a0}b", "a\\u{a0}b"),
        ("tag\u{e0041}", "tag\\u{e0041}"),
        ("private \u{e001}", "private \\u{e001}"),
    ] {
        assert_eq!(Shown::new(text).as_str(), shown);
    }
}

#[test]
fn letters_that_pass_for_others_are_written_out() {
    for (text, shown) in [
        ("\u{410}cme Corp", "\\u{410}cme Corp"),
        ("Acme C\u{43e}rp", "Acme C\\u{43e}rp"),
        ("p\u{3b1}y", "p\\u{3b1}y"),
        ("\u{430}\u{440}\u{440}\u{4cf}\u{435}.com", "\\u{430}\\u{440}\\u{440}\\u{4cf}\\u{435}.com"),
        ("\u{ff21}cme", "\\u{ff21}cme"),
        ("\u{1d400}cme", "\\u{1d400}cme"),
        ("a\u{301}\u{43e}", "a\u{301}\\u{43e}"),
        ("e\u{301}\u{302}\u{303}\u{304}", "e\u{301}\u{302}\\u{303}\\u{304}"),
    ] {
        assert_eq!(Shown::new(text).as_str(), shown);
    }
}

#[test]
fn names_in_their_own_script_stay_as_they_are() {
    for name in [
        "ООО Ромашка",
        "Ромашка LLC",
        "Ελληνική Τράπεζα",
        "Müller & Söhne",
        "株式会社 X線",
        "שלום",
        "Łódź",
        "50 µm",
    ] {
        assert_eq!(Shown::new(name).as_str(), name);
    }
}

#[test]
fn a_long_value_is_cut_and_says_so() {
    let long = "x".repeat(1_000_000);
    let shown = Shown::new(&long);
    assert!(shown.as_str().chars().count() < 500);
    let other = format!("{}y", "x".repeat(999_999));
    assert!(shown.as_str().contains("cut: 1000000 characters, sha256:"));
    assert_ne!(shown, Shown::new(&other), "a change beyond the cut is seen");
}

#[test]
fn a_stored_value_is_checked_when_it_is_read() {
    let shown: Shown = serde_json::from_str("\"a\\u202eb\"").unwrap();
    assert_eq!(shown.as_str(), "a\\u{202e}b");
}

proptest! {
    #[test]
    fn shown_text_is_one_line_without_anything_hidden(text in any::<String>()) {
        let shown = Shown::new(&text);
        prop_assert!(!shown.as_str().chars().any(|character| hides(character) || is_disguise(character)));
        prop_assert!(shown.as_str().chars().count() <= WRITTEN_CHARS_MAX);
    }

    #[test]
    fn writing_out_twice_changes_nothing(text in "[a-cжсоеΑλ\u{301}\u{200b}\u{202e}. \\\\u{}0-9\u{13a0}Ａ]{0,24}") {
        let once = escaped(&text);
        prop_assert_eq!(escaped(&once), once.clone());
        let stored: Shown = serde_json::from_value(serde_json::json!(Shown::new(&text))).unwrap();
        prop_assert_eq!(stored, Shown::new(&text));
    }
}
