use proptest::prelude::*;

use super::*;
use crate::fixture::time;

fn line(who: Speaker, text: &str) -> Line {
    Line { who, text: text.to_owned(), at: time("2026-03-04T09:00:00Z") }
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn of(texts: &[String]) -> Conversation {
    let mut conversation = Conversation::default();
    texts.iter().for_each(|text| conversation.push(line(Speaker::Requester, text)));
    conversation
}

#[test]
fn twenty_turns_stay_as_they_were() {
    let texts: Vec<String> = (0..20).map(|at| format!("turn {at}")).collect();
    let conversation = of(&texts);
    assert_eq!((conversation.lines().len(), conversation.digest(), conversation.folded()), (20, None, 0));
}

#[test]
fn the_twenty_first_folds_all_but_the_last_six() {
    let texts: Vec<String> = (0..21).map(|at| format!("turn {at}")).collect();
    let conversation = of(&texts);
    let kept: Vec<&str> = conversation.lines().iter().map(|line| line.text.as_str()).collect();
    assert_eq!(kept, ["turn 15", "turn 16", "turn 17", "turn 18", "turn 19", "turn 20"]);
    assert_eq!(conversation.folded(), 15);
}

#[test]
fn eight_thousand_tokens_fold_too() {
    let texts: Vec<String> = (0..8).map(|at| format!("{at} {}", "word ".repeat(960))).collect();
    let conversation = of(&texts);
    assert_eq!((conversation.lines().len(), conversation.folded()), (6, 2));
    assert_eq!(of(&texts[..6]).folded(), 0);
}

#[test]
fn ids_amounts_dates_and_decisions_survive() {
    let mut conversation = Conversation::default();
    conversation.push(line(
        Speaker::Requester,
        "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.",
    ));
    conversation
        .push(line(Speaker::Worker, "The credit is 1,020.00 USD (EUR 5), due 2026-03-06; variance 2.23%."));
    conversation.push(line(Speaker::Approver, "Confirmed, proceed"));
    conversation.push(line(Speaker::Worker, "The invoice was rejected and verified."));
    for at in 0..20 {
        conversation.push(line(Speaker::Requester, if at % 2 == 0 { "and then" } else { "well" }));
    }
    insta::assert_snapshot!(conversation.digest().unwrap());
}

#[test]
fn a_later_digest_keeps_what_an_earlier_one_said() {
    let mut texts = vec!["Pay INV-1 of 900.00 EUR to Nordwind.".to_owned()];
    texts.extend((0..80).map(|_| "hello there".to_owned()));
    let conversation = of(&texts);
    assert!(conversation.folded() > 60);
    let digest = conversation.digest().unwrap();
    assert!(digest.contains("INV-1") && digest.contains("900.00 EUR"), "{digest}");
}

#[test]
fn newer_ids_push_out_the_oldest() {
    let texts: Vec<String> = (0..400).map(|at| format!("order ORD-{at} please")).collect();
    let conversation = of(&texts);
    let digest = conversation.digest().unwrap();
    assert!(digest.contains("ORD-385") && !digest.contains("ORD-3;"), "{digest}");
    assert!(words(digest) <= DIGEST_WORDS_MAX);
}

#[test]
fn one_huge_line_is_cut_with_a_mark_and_never_dropped() {
    let conversation = of(&["x".repeat(1_000_000)]);
    let text = &conversation.lines()[0].text;
    assert!(text.starts_with("xxx") && text.ends_with("… [cut: 1000000 characters in all]"));
    assert!(stored(text) <= LINE_BYTES_MAX);
}

#[test]
fn the_text_tells_the_digest_first() {
    let texts: Vec<String> = (0..21).map(|at| format!("see INV-{at}")).collect();
    let text = of(&texts).to_text();
    assert!(text.starts_with("15 earlier turns\nnamed: INV-0; INV-1"), "{text}");
    assert!(text.ends_with("requester: see INV-20"));
}

fn any_line() -> impl Strategy<Value = Line> {
    let who = prop_oneof![Just(Speaker::Requester), Just(Speaker::Worker), Just(Speaker::Approver)];
    let long = (any::<char>(), 0..12_000_usize).prop_map(|(letter, count)| letter.to_string().repeat(count));
    let named = "[A-Z]{2,4}-[0-9]{1,6} (approved|rejected|seen|[;:\u{1}\\n]) [0-9]{1,7}\\.[0-9]{2} (USD|EUR)";
    (who, prop_oneof![any::<String>(), long, named]).prop_map(|(who, text)| line(who, &text))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_conversation_is_bounded_whatever_is_said(lines in prop::collection::vec(any_line(), 0..60)) {
        let mut conversation = Conversation::default();
        for (at, line) in lines.iter().enumerate() {
            conversation.push(line.clone());
            let bytes = serde_json::to_vec(&conversation).unwrap().len();
            prop_assert!(bytes <= CONVERSATION_BYTES_MAX, "{} bytes", bytes);
            prop_assert!(words(conversation.digest().unwrap_or_default()) <= DIGEST_WORDS_MAX);
            prop_assert_eq!(conversation.lines().len() + conversation.folded() as usize, at + 1);
            let mut again = conversation.clone();
            again.compress();
            prop_assert_eq!(&again, &conversation);
        }
        let last = lines.iter().rev().take(KEPT_TURNS).filter(|line| stored(&line.text) <= LINE_BYTES_MAX);
        for line in last {
            prop_assert!(conversation.lines().contains(line));
        }
    }

    #[test]
    fn ids_survive_while_there_is_room(ids in prop::collection::vec("[A-Z]{2,4}-[0-9]{1,6}", 1..40)) {
        let mut texts: Vec<String> = ids.iter().map(|id| format!("Please look at {id}, thank you.")).collect();
        texts.extend((0..40).map(|_| "yes".to_owned()));
        let conversation = of(&texts);
        let digest = conversation.digest().unwrap();
        for id in &ids {
            let found = digest.lines().next().unwrap().split([' ', ';']).any(|word| word == id);
            prop_assert!(found, "{} of {}", id, digest);
        }
    }
}
