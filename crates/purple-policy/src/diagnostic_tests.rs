use super::*;

fn shown(source: &str, start: usize, end: usize) -> String {
    let source: Arc<str> = source.into();
    Diagnostic::new(Code::Unexpected, Span::new(start, end), "this is wrong")
        .help("mend it")
        .within(&source)
        .to_string()
}

#[test]
fn the_place_is_underlined_and_help_follows() {
    assert_eq!(
        shown("status = 5", 7, 8),
        "error[unexpected]: this is wrong\n  | status = 5\n  |        ^\n  = help: mend it"
    );
}

#[test]
fn only_the_line_in_question_is_shown() {
    assert!(shown("a &&\nbcd ||\ne", 5, 8).contains("\n  | bcd ||\n  | ^^^\n"));
}

#[test]
fn a_long_line_is_cut_on_both_sides() {
    let long = format!("{}X{}", "a".repeat(500), "b".repeat(500));
    let text = shown(&long, 500, 501);
    let expected = format!("  | …{}X{}\n  | {}^\n", "a".repeat(60), "b".repeat(40), " ".repeat(61));
    assert!(text.contains(&expected), "{text}");
}

#[test]
fn characters_that_hide_or_reorder_text_are_shown_as_such() {
    assert!(shown("a\u{202E}b", 0, 1).contains("a\u{FFFD}b"));
}

#[test]
fn a_span_outside_the_text_or_inside_a_character_does_no_harm() {
    for (start, end) in [(0, 99), (99, 120), (1, 2), (3, 1)] {
        assert!(shown("äöü", start, end).contains('^'));
    }
}

#[test]
fn a_near_word_is_suggested_and_a_far_one_is_not() {
    let words = ["amount", "status", "currency"];
    assert_eq!(nearest("ammount", words), Some("amount"));
    assert_eq!(nearest("Status", words), Some("status"));
    assert_eq!(nearest("curerncy", words), Some("currency"));
    assert_eq!(nearest("vendor", words), None);
    assert_eq!(nearest(&"a".repeat(100), words), None);
}

#[test]
fn codes_are_distinct() {
    let texts: std::collections::BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(texts.len(), Code::ALL.len());
}
