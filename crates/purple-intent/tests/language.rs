//! Cue words, verbs and the language of a text.

#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use purple_intent::{Cue, Form, Language, lexicon, tokens};

const ROWS: &str = include_str!("language_cues.txt");
const FILES: [(Language, &str); 4] = [
    (Language::English, include_str!("../data/en.toml")),
    (Language::German, include_str!("../data/de.toml")),
    (Language::French, include_str!("../data/fr.toml")),
    (Language::Spanish, include_str!("../data/es.toml")),
];

fn language(name: &str) -> Language {
    match name {
        "en" => Language::English,
        "de" => Language::German,
        "fr" => Language::French,
        "es" => Language::Spanish,
        _ => panic!("unknown language {name}"),
    }
}

/// The cues of a text, as `negation: do not` with the words of the phrase.
fn cues(language: Language, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let words = |words: &[usize]| {
        words.iter().map(|index| tokens[*index].lower.as_str()).collect::<Vec<_>>().join(" ")
    };
    let phrases = lexicon(language).phrases(&tokens);
    phrases.iter().map(|phrase| format!("{:?}: {}", phrase.cue, words(&phrase.words))).collect()
}

/// Rows of `language | text | cue: words; cue: words`. Cues that a row does not name are allowed only where it ends
/// with `; …`.
#[test]
fn sentences_have_these_cues() {
    let mut wrong = Vec::new();
    for row in ROWS.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let [name, text, expected] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("a row has three cells: {row}")
        };
        let found = cues(language(name), text);
        let mut expected: Vec<&str> = expected.split("; ").filter(|cue| *cue != "none").collect();
        let more = expected.last() == Some(&"…");
        expected.retain(|cue| *cue != "…");
        let all = expected.iter().all(|cue| found.iter().any(|found| found == cue));
        if !all || (!more && found.len() != expected.len()) {
            wrong.push(format!("{row}\n   found {}", found.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn file(text: &str) -> toml::Table {
    toml::from_str(text).expect("a data file is TOML")
}

/// The phrases of each cue, and those that are `neutral`.
fn phrases(text: &str) -> BTreeMap<String, Vec<String>> {
    let table = file(text);
    let mut lists = table["cues"].as_table().expect("cues are a table").clone();
    lists.insert("neutral".to_owned(), table["neutral"].clone());
    let words = |list: &toml::Value| {
        let list = list.as_array().expect("phrases are a list").iter();
        list.map(|phrase| phrase.as_str().expect("a phrase is a text").to_owned()).collect()
    };
    lists.iter().map(|(cue, list)| (cue.clone(), words(list))).collect()
}

#[test]
fn data_files_have_every_cue_and_no_phrase_twice() {
    for (language, text) in FILES {
        let lists = phrases(text);
        assert_eq!(lists.len(), 14, "{language:?}: thirteen cues and the neutral phrases");
        for (cue, list) in lists {
            for (index, phrase) in list.iter().enumerate() {
                assert!(!list[..index].contains(phrase), "{language:?}: `{phrase}` is twice in {cue}");
                assert_eq!(*phrase, phrase.to_lowercase(), "{language:?}: `{phrase}` is not in lower case");
            }
        }
        assert!(!lexicon(language).verbs(&tokens("approve freigeben approuver aprobar")).is_empty());
    }
}

#[test]
fn no_courtesy_or_function_word_is_a_negation() {
    for (language, text) in FILES {
        let table = file(text);
        for list in ["function", "courtesy"] {
            for word in table[list].as_str().expect("a list of words").split_whitespace() {
                let found = cues(language, word);
                assert!(!found.iter().any(|cue| cue.starts_with("Negation")), "{language:?} {list}: {word}");
            }
        }
    }
}

/// A phrase that contains a negation but does not negate hides that negation. Each of them was reviewed.
#[test]
fn phrases_that_hide_a_negation_are_these() {
    let mut hiding = Vec::new();
    for (language, text) in FILES {
        let lists = phrases(text);
        let negations = lists["negation"].clone();
        for (cue, list) in lists {
            let hides = |phrase: &&String| {
                let words =
                    phrase.split_whitespace().filter(|word| *word != "…").flat_map(|word| word.split('/'));
                let mut words = words.filter(|word| !word.is_empty());
                phrase.contains(' ')
                    && words.any(|word| {
                        cues(language, word.trim_matches('*')).iter().any(|cue| cue.starts_with("Negation"))
                    })
            };
            if cue != "negation" {
                let list = list.iter().filter(|phrase| !negations.contains(phrase));
                hiding.extend(list.filter(hides).map(|phrase| format!("{language:?} {cue}: {phrase}")));
            }
        }
    }
    let reviewed: Vec<&str> = include_str!("language_hiding.txt").lines().collect();
    assert_eq!(hiding, reviewed, "found:\n{}", hiding.join("\n"));
}

#[test]
fn verbs_have_these_forms() {
    use Form::{Gerund, Imperative, Infinitive, Noun, Participle, Past, ThirdPerson};
    for (name, word, lemma, form) in [
        ("en", "approve", "approve", Imperative),
        ("en", "approve", "approve", Infinitive),
        ("en", "approves", "approve", ThirdPerson),
        ("en", "approved", "approve", Past),
        ("en", "approved", "approve", Participle),
        ("en", "approving", "approve", Gerund),
        ("en", "approval", "approve", Noun),
        ("en", "paid", "pay", Participle),
        ("en", "sent", "send", Past),
        ("en", "splitting", "split", Gerund),
        ("en", "cancelled", "cancel", Participle),
        ("en", "transferring", "transfer", Gerund),
        ("en", "notifies", "notify", ThirdPerson),
        ("en", "depreciation", "depreciate", Noun),
        ("de", "genehmige", "approve", Imperative),
        ("de", "genehmigst", "approve", ThirdPerson),
        ("de", "freigeben", "approve", Infinitive),
        ("de", "freizugeben", "approve", Infinitive),
        ("de", "freigegeben", "approve", Participle),
        ("de", "freigabe", "approve", Noun),
        ("de", "abzulehnen", "reject", Infinitive),
        ("de", "zurückgewiesen", "reject", Participle),
        ("de", "zurueckgewiesen", "reject", Participle),
        ("de", "pruefen", "check", Infinitive),
        ("de", "sperre", "revoke", Imperative),
        ("de", "entzogen", "revoke", Participle),
        ("de", "gutschrift", "credit", Noun),
        ("de", "kündigung", "terminate", Noun),
        ("de", "entwirf", "draft", Imperative),
        ("fr", "approuvez", "approve", Imperative),
        ("fr", "d'approuver", "approve", Infinitive),
        ("fr", "n'approuvez", "approve", Imperative),
        ("fr", "rejette", "reject", Imperative),
        ("fr", "révoquer", "revoke", Infinitive),
        ("fr", "revoquez", "revoke", Imperative),
        ("fr", "l'approbation", "approve", Noun),
        ("es", "aprueba", "approve", Imperative),
        ("es", "apruebes", "approve", Imperative),
        ("es", "apruébala", "approve", Imperative),
        ("es", "aprobada", "approve", Participle),
        ("es", "revoquen", "revoke", Imperative),
        ("es", "rechazar", "reject", Infinitive),
        ("es", "aplicó", "apply", Past),
        ("es", "anade", "add", Imperative),
    ] {
        let forms = lexicon(language(name)).verb(word);
        assert!(forms.iter().any(|found| found.lemma == lemma && found.form == form), "{word}: {forms:?}");
    }
    assert!(lexicon(Language::English).verb("invoice-number").is_empty());
}

#[test]
fn verbs_of_several_words_are_found_around_their_object() {
    for (name, text, lemma, words) in [
        ("en", "Please take care of INV-1.", "take care of", "take care of"),
        ("en", "Turn down invoice INV-1.", "reject", "turn down"),
        ("en", "Kick the offboarding off.", "start", "kick off"),
        ("en", "take two brackets off ord-5044", "remove", "take off"),
        ("de", "Gib die Rechnung INV-1 über 74.346,00 USD frei, Bestellung PO-1.", "approve", "gib frei"),
        ("de", "Lehne bitte die Rechnung Nr. 5 von Juniper ab.", "reject", "lehne ab"),
        ("de", "Weisen Sie INV-1 zurück.", "reject", "weisen sie zurück"),
        ("de", "Leiten Sie bitte das Offboarding ein.", "initiate", "leiten sie ein"),
        ("es", "Dé de baja a la empleada E-1015.", "offboard", "dé de baja"),
    ] {
        let tokens = tokens(text);
        let verbs = lexicon(language(name)).verbs(&tokens);
        let found = verbs.iter().find(|verb| verb.forms.iter().any(|form| form.lemma == lemma));
        let found = found.map(|verb| {
            verb.words.iter().map(|index| tokens[*index].lower.as_str()).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(found.as_deref(), Some(words), "{text}: {verbs:?}");
    }
}

#[test]
fn a_gap_ends_with_the_sentence_and_after_ten_tokens() {
    let found = |text: &str| cues(Language::English, text).contains(&"Negation: leave alone".to_owned());
    assert!(found("leave a b c d e f g h i j alone"));
    assert!(!found("leave a b c d e f g h i j k alone"));
    for mark in [".", "?", "!", ";"] {
        assert!(!found(&format!("leave them there{mark} Work alone")), "{mark}");
    }
    assert_eq!(
        lexicon(Language::English).cues(&tokens("leave them all alone")).first(),
        Some(&(Cue::Negation, 0..4))
    );
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC*") {
        let tokens = tokens(&text);
        Language::detect(&tokens);
        for language in Language::ALL {
            for (_, range) in lexicon(language).cues(&tokens) {
                prop_assert!(range.start < range.end && range.end <= tokens.len());
            }
            for verb in lexicon(language).verbs(&tokens) {
                prop_assert!(verb.words.iter().all(|word| *word < tokens.len()));
            }
        }
    }
}
