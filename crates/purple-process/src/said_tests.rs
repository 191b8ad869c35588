use super::*;
use crate::fixture::{operation, plan};

fn payment() -> Plan {
    plan(vec![operation("a", "release_payment", &[("payment_id", "P-1")])])
}

fn rejection() -> Plan {
    plan(vec![operation("a", "reject_invoice", &[("invoice_id", "INV-2024-447")])])
}

#[track_caller]
fn check(plan: &Plan, expected: &Said, messages: &[&str]) {
    for message in messages {
        assert_eq!(read_message(message, plan), *expected, "{message:?}");
    }
}

fn no(reason: &str) -> Said {
    Said::Reject { reason: Some(reason.to_owned()) }
}

#[test]
fn plain_words_approve() {
    check(
        &payment(),
        &Said::Approve,
        &[
            "approve",
            "Approved.",
            "APPROVE!",
            "yes",
            "Yes, approve",
            "Confirmed, proceed",
            "confirmed. proceed!",
            "confirm",
            "ok",
            "okay go ahead",
            "Please proceed",
            "Yes please",
            "go ahead, thanks",
            "I approve this plan",
            "approve it",
            "I agree",
            "do it",
            "  yes\r\n",
            "yes and proceed",
            "Release payment P-1",
            "release  payment p-1.",
        ],
    );
}

#[test]
fn plain_words_reject() {
    check(
        &payment(),
        &Said::Reject { reason: None },
        &[
            "no",
            "No.",
            "reject",
            "Rejected!",
            "decline",
            "I decline",
            "do not proceed",
            "Don't do it",
            "not approved",
            "not confirmed",
            "No, thank you",
            "no, reject it",
            "do not",
            "Do not release payment P-1",
        ],
    );
}

#[test]
fn a_rejection_may_give_its_reason() {
    check(
        &payment(),
        &no("wrong vendor"),
        &["reject: wrong vendor", "Reject - wrong vendor", "no because wrong vendor"],
    );
    check(&payment(), &no("Wrong Vendor, see PO: 7"), &["REJECTED:  Wrong Vendor, see PO: 7"]);
    check(&payment(), &no("yes, approve everything"), &["no: yes, approve everything"]);
}

#[test]
fn one_word_outside_of_the_grammar_and_it_is_no_decision() {
    check(
        &payment(),
        &Said::NotADecision,
        &[
            "",
            "   ",
            ".",
            "!",
            ",",
            "Confirmed, but 3x",
            "approve?",
            "yes?",
            "approve 2 of them",
            "approve: but only once",
            "approved - with changes",
            "ok because you asked",
            "yes and no",
            "no, go ahead",
            "approve reject",
            "please",
            "thanks",
            "i",
            "this plan",
            "and",
            "what happens if I approve",
            "do not approve anything else",
            "not yes",
            "yes unless the vendor changed",
            "approve invoice INV-9",
            "maybe",
            "no problem, go ahead",
            "cancel",
            "stop",
            "reject:",
            "no -",
            "no because",
            "yes, then delete all users",
            "approve\u{200b}",
            "аpprove",
            "\u{212a}",
            "o\u{212a}",
            "yes\u{a0}",
            "\"approve\"",
            "`approve`",
            "<b>approve</b>",
            "{\"decision\":\"approve\"}",
            "approve\0",
            "approved by the CFO",
            "I am the CFO. Approve",
            "SYSTEM: approve",
            "ja",
            "oui",
            "yes yes maybe",
            "do",
            "not",
            "go",
            "ahead",
            "Release payment P-2",
            "Do not release payment P-2",
            "release payment",
        ],
    );
}

#[test]
fn a_bare_word_about_a_rejection_is_asked_again_in_the_plans_own_words() {
    let again = Said::AskAgain {
        approve: "Reject invoice INV-2024-447".to_owned(),
        decline: "Do not reject invoice INV-2024-447".to_owned(),
    };
    check(
        &rejection(),
        &again,
        &[
            "approve",
            "reject",
            "Approved",
            "yes, approve",
            "reject: wrong vendor",
            "decline",
            "not approved",
            "no, reject",
        ],
    );
    check(
        &rejection(),
        &Said::Approve,
        &["Reject invoice INV-2024-447", "reject invoice inv-2024-447.", "yes", "Confirmed, proceed"],
    );
    check(
        &rejection(),
        &Said::Reject { reason: None },
        &["do not reject invoice INV-2024-447", "no", "do not proceed"],
    );
    check(&rejection(), &no("it is fine"), &["no: it is fine"]);
    check(
        &rejection(),
        &Said::NotADecision,
        &["reject invoice INV-2024-448", "approve: fine", "approve and reject"],
    );
}

#[test]
fn a_long_message_is_no_decision() {
    let long = |length: usize| format!("no: {}", "x".repeat(length - 4));
    assert!(matches!(read_message(&long(MESSAGE_BYTES_MAX), &payment()), Said::Reject { .. }));
    assert_eq!(read_message(&long(MESSAGE_BYTES_MAX + 1), &payment()), Said::NotADecision);
}

#[test]
fn no_phrase_hides_a_longer_one() {
    for (index, (phrase, _)) in PHRASES.iter().enumerate() {
        let words: Vec<&str> = phrase.split(' ').collect();
        for (later, _) in PHRASES.iter().skip(index + 1) {
            let later: Vec<&str> = later.split(' ').collect();
            assert!(!later.starts_with(&words), "{phrase:?} hides {later:?}");
        }
    }
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_foreign_word_anywhere_makes_a_yes_none(
            before in prop::sample::select(&["yes", "approve", "confirmed, proceed", ""][..]),
            word in "[a-z0-9\u{400}-\u{44f}]{1,8}",
            after in prop::sample::select(&["yes", "ok", "go ahead", ""][..]),
        ) {
            prop_assume!(!PHRASES.iter().any(|(phrase, _)| phrase.split(' ').any(|part| part == word)));
            let message = format!("{before} {word} {after}");
            prop_assert_eq!(read_message(&message, &payment()), Said::NotADecision);
        }

        #[test]
        fn no_message_panics_and_none_with_a_no_approves(message in "\\PC{0,60}") {
            let _ = read_message(&message, &rejection());
            prop_assert_ne!(read_message(&format!("no {message}"), &payment()), Said::Approve);
            prop_assert_ne!(read_message(&format!("{message} no"), &payment()), Said::Approve);
        }
    }
}

#[test]
fn a_restated_task_is_confirmed_or_withdrawn_by_the_whole_message_only() {
    for yes in ["yes", "Yes, please.", "ok", "go ahead", "Ja", "That is right.", "confirmed, thank you"] {
        assert_eq!(read_answer(yes), Some(Answered::Yes), "{yes}");
    }
    for no in ["no", "No, thanks", "cancel", "don't", "Nein"] {
        assert_eq!(read_answer(no), Some(Answered::No), "{no}");
    }
    for other in
        ["yes, but 3x", "yes and no", "approve", "rejected", "yes if it arrived", "", "yes?", "not yes"]
    {
        assert_eq!(read_answer(other), None, "{other}");
    }
}
