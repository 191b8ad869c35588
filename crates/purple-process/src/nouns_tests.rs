use super::*;

#[test]
fn every_table_is_in_the_singular_and_has_each_word_once() {
    let texts = [
        include_str!("vocabulary/nouns.txt"),
        include_str!("vocabulary/also_verbs.txt"),
        include_str!("vocabulary/adjectives.txt"),
    ];
    let mut seen = BTreeSet::new();
    for word in texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('#')) {
        for word in word.split_whitespace() {
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{word}");
            assert!(seen.insert(word), "{word} stands twice");
        }
    }
    assert!(THINGS.len() > 900 && EITHER.len() > 300 && ADJECTIVES.len() > 300);
}

#[test]
fn no_verb_of_the_tables_is_only_the_name_of_a_thing() {
    use crate::verbs::{ALSO_WRITE, DOUBTS, NOTIFY, SECOND_VERBS, WRITE};
    for verb in [WRITE, ALSO_WRITE, DOUBTS, SECOND_VERBS, NOTIFY].concat() {
        assert!(kind(verb).may_be_verb(), "{verb}: {:?}", kind(verb));
        for prefix in ["re", "un", "de", "dis"] {
            let made = format!("{prefix}{verb}");
            assert!(kind(&made).may_be_verb() || THINGS.contains(made.as_str()), "{made}: {:?}", kind(&made));
        }
    }
}

#[test]
fn words_are_what_they_are() {
    for (word, expected) in [
        ("invoice", Kind::Either),
        ("invoices", Kind::Plural),
        ("vendor", Kind::Thing),
        ("categories", Kind::Plural),
        ("matrices", Kind::Plural),
        ("archived", Kind::Participle),
        ("sold", Kind::Participle),
        ("trending", Kind::Participle),
        ("pricing", Kind::Thing),
        ("monthly", Kind::Adjective),
        ("2", Kind::Adjective),
        ("amortisation", Kind::Thing),
        ("reposition", Kind::Unknown),
        ("decommission", Kind::Unknown),
        ("fulfill", Kind::Unknown),
        ("", Kind::Unknown),
    ] {
        assert_eq!(kind(word), expected, "{word}");
    }
}

#[test]
fn secrets_are_found_and_what_is_known_about_them_is_none() {
    for words in [&["env"][..], &["api", "keys"], &["user", "credentials"], &["environment", "variables"]] {
        assert!(is_secret(words), "{words:?}");
    }
    for words in [&["password", "policy"][..], &["token", "usage"], &["key", "accounts"], &["environment"]] {
        assert!(!is_secret(words), "{words:?}");
    }
}
