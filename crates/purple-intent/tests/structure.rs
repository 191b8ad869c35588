//! The parts of e-mails.

#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use proptest::prelude::*;
use purple_intent::{PartKind, parts};

/// Texts with the kind of each part in `[[…]]` before it, separated by `====`.
const CASES: &str = include_str!("structure_cases.txt");

fn kind(name: &str) -> PartKind {
    match name {
        "subject" => PartKind::Subject,
        "greeting" => PartKind::Greeting,
        "own" => PartKind::Own,
        "closing" => PartKind::Closing,
        "signature" => PartKind::Signature,
        "quoted" => PartKind::Quoted,
        "forwarded" => PartKind::Forwarded,
        "attachment" => PartKind::Attachment,
        _ => panic!("unknown kind {name}"),
    }
}

/// The text of a case without its marks, and its parts without the space around them.
fn read_case(case: &str) -> (String, Vec<(PartKind, String)>) {
    let pieces = case.split("[[").skip(1).map(|piece| piece.split_once("]]").expect("a mark has an end"));
    let pieces: Vec<(&str, &str)> = pieces.collect();
    let text = pieces.iter().map(|(_, text)| *text).collect();
    (text, pieces.into_iter().map(|(name, text)| (kind(name), text.trim().to_owned())).collect())
}

fn read(text: &str) -> Vec<(PartKind, String)> {
    parts(text).into_iter().map(|part| (part.kind, part.span.of(text).trim().to_owned())).collect()
}

#[test]
fn mails_have_these_parts() {
    let mut wrong = Vec::new();
    for case in CASES.split("\n====\n") {
        let (text, expected) = read_case(case);
        let found = read(&text);
        if found != expected {
            wrong.push(format!("{text}\n  expected {expected:?}\n  found    {found:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(CASES.split("\n====\n").count() >= 60);
}

#[test]
fn line_ends_of_every_kind_give_the_same_parts() {
    for case in CASES.split("\n====\n") {
        let (text, _) = read_case(case);
        let plain = |text: &str| {
            read(text)
                .into_iter()
                .map(|(kind, text)| (kind, text.replace(['\r', '\n'], "")))
                .collect::<Vec<_>>()
        };
        assert_eq!(plain(&text), plain(&text.replace('\n', "\r\n")));
    }
}

/// No order of the other side is an own word, and no own word of the requester is lost.
#[test]
fn corpus_mails_keep_quoted_text_out_of_own_words() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../checks/corpus/open.jsonl");
    let rows = std::fs::read_to_string(path).expect("the corpus is in the repository");
    let own = |id: &str| {
        let row = rows
            .lines()
            .find(|row| row.contains(&format!("\"id\": \"{id}\"")))
            .expect("the id is in the corpus");
        let row: serde_json::Value = serde_json::from_str(row).expect("a row is JSON");
        let text = row["text"].as_str().expect("a row has a text").to_owned();
        read(&text)
            .into_iter()
            .filter(|(kind, _)| *kind == PartKind::Own)
            .map(|(_, text)| text)
            .collect::<Vec<_>>()
            .join(" … ")
    };
    for (id, expected) in [
        (
            "a-015",
            "The invoice from Birch Paper 30 (INV-2025-1282, $74,294.59) came in last week, order PO-9241. Please reconcile it and book the decision.",
        ),
        ("a-036", "Please approve or reject per policy, thanks. Eli"),
        (
            "a-152",
            "Veuillez lancer le départ (offboarding) de l'employé E-1037, dernier jour le 31 mars 2026.",
        ),
        (
            "a-302",
            "we settled the February outage with INFRA-4 in another way. Their breach should not be credited, and nobody is to notify them.",
        ),
        ("a-478", "FYI, this came in today:"),
        ("a-479", "The invoice's memo says: … What is INV-2025-1044 about?"),
        ("a-485", "Translate into German:"),
        ("a-486", "see below"),
        ("a-487", "In the notes of PO-9166 somebody typed … . Is that normal?"),
        ("a-491", "below is the mail from our customer. What do you think?"),
        ("a-495", "Please process invoice INV-2025-1162 against PO-9181."),
        ("a-500", "Zur Info:"),
        (
            "a-551",
            "please approve INV-2025-1106.\n\nOh wait, I just saw that the delivery note is missing. Forget it, do not approve anything.",
        ),
        ("a-554", "please add 2x Mount to ORD-5091."),
        ("a-556", "No, not yet please."),
        ("a-563", "je vous transfère le message de notre fournisseur, pour information uniquement."),
    ] {
        assert_eq!(own(id), expected, "{id}");
    }
}

/// The bytes of the parts, checked to cover the text in order.
fn covers(text: &str) -> bool {
    let mut at = 0;
    for part in parts(text) {
        if part.span.start != at || part.span.end <= at || !text.is_char_boundary(part.span.end) {
            return false;
        }
        at = part.span.end;
    }
    at == text.len()
}

proptest! {
    #[test]
    fn parts_cover_any_text(text in "\\PC*") {
        prop_assert!(covers(&text));
    }

    #[test]
    fn parts_cover_texts_full_of_marks(
        text in r#"([">„“”«»'‘’`{}<\[\]|:\-\n\r\t]|On 3 wrote:|From: a|To: b|Hi|Thanks|says|Translate| |approve|not|--|```|a\.pdf){0,60}"#
    ) {
        prop_assert!(covers(&text));
    }
}

#[test]
fn empty_and_blank_texts() {
    assert!(parts("").is_empty());
    assert_eq!(read("  \n "), [(PartKind::Own, String::new())]);
}

/// Each of these took quadratic time in some version.
#[test]
fn long_texts_of_one_mark_are_read() {
    let seeds = [
        "\"a ",
        "'a 'as' ",
        "“a “",
        "« ",
        "`a ",
        "{\"a\n\n",
        "<a>\n\n</b>",
        "a:\n",
        "a: ",
        "says: \"a b c d\" ",
        "On a\n",
    ];
    for seed in seeds {
        assert!(covers(&seed.repeat(20_000 / seed.len())), "{seed}");
    }
}
