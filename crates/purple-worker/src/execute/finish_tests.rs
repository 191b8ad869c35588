use proptest::prelude::*;
use purple_policy::{Authority, Facts, PolicyDocument, Source, Subject};
use purple_process::{Digest, OperationKey, StepId};

use super::*;
use crate::fixture::invoice;

fn texts(sentences: &[&str]) -> Vec<String> {
    sentences.iter().map(|sentence| (*sentence).to_owned()).collect()
}

fn figures() -> Vec<(String, String)> {
    [("missed_percent", "0.8"), ("credit", "1020.00 USD")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

fn mutation(step: &str, headline: &str, outcome: Outcome) -> Mutation {
    Mutation {
        step: StepId::parse(step).unwrap(),
        key: OperationKey(Digest::of(step.as_bytes())),
        round: 1,
        headline: headline.to_owned(),
        tool: "apply_account_credit".to_owned(),
        before: json!({"status": null}),
        after: json!({"amount": "1020.00 USD", "status": "applied"}),
        outcome,
        note: None,
        witness: Some(if outcome == Outcome::Unverifiable { Witness::Tool } else { Witness::ReadBack }),
        reversible: true,
    }
}

fn policy() -> PolicyResult {
    policy_result(Verdict::RequireApproval, Some(&invoice().decision), &[])
}

const CREDIT: &str = "Apply account credit of 1020.00 USD, vendor INFRA-9";

#[test]
fn waiting_at_the_gate() {
    let story = invoice();
    let sentences = texts(&["Invoice INV-2024-447 is above its order; the plan is to reject it."]);
    let policy = policy();
    let answer = compose(&AnswerFacts {
        sentences: &sentences,
        figures: &story.figures,
        policy: Some(&policy),
        verdict: Some(Verdict::RequireApproval),
        process: Some("invoice_reconciliation"),
        took_ms: 840,
        waiting: Some(&story.card().to_text(100)),
        ..AnswerFacts::default()
    });
    insta::assert_snapshot!(answer.text);
    assert_eq!((answer.data.ending, answer.data.policy), (None, Some(policy)));
}

#[test]
fn done_with_two_verified_writes_and_a_notice() {
    let sentences = texts(&["The credit for March is 1,020.00 USD."]);
    let figures = figures();
    let shows = [("uptime".to_owned(), "99.1".to_owned())];
    let mut notice =
        mutation("tell_1", "Send sla breach notification to ops@example.com", Outcome::Unverifiable);
    notice.after = Value::Null;
    let second = Mutation {
        note: Some("settled by anna\nLog".to_owned()),
        ..mutation("do_2", "Update contract CTR-441", Outcome::Verified)
    };
    let mutations = [mutation("do_1", CREDIT, Outcome::Verified), second, notice];
    let answer = compose(&AnswerFacts {
        sentences: &sentences,
        figures: &figures,
        shows: &shows,
        verdict: Some(Verdict::Allow),
        mutations: &mutations,
        ending: Some(Ending::Done),
        process: Some("sla_breach"),
        quality: Some("0.93"),
        took_ms: 12_345,
        ..AnswerFacts::default()
    });
    insta::assert_snapshot!(answer.text);
    assert_eq!((answer.data.mutations.len(), &answer.data.figures), (3, &figures));
}

/// An answer without figures, for the endings.
fn ended(
    ending: Option<Ending>,
    verdict: Option<Verdict>,
    code: Option<&str>,
    said: &str,
    mutations: &[Mutation],
) -> String {
    let sentences = texts(&[said]);
    let facts = AnswerFacts {
        sentences: &sentences,
        verdict,
        mutations,
        ending,
        code,
        took_ms: 61_000,
        ..AnswerFacts::default()
    };
    compose(&facts).text
}

#[test]
fn declined() {
    let said = "`anna` said no: the vendor sent a credit note";
    insta::assert_snapshot!(ended(Some(Ending::Declined), Some(Verdict::RequireApproval), None, said, &[]));
}

#[test]
fn refused_for_privacy() {
    let code = Some("privacy.card_number");
    insta::assert_snapshot!(ended(
        Some(Ending::Refused),
        None,
        code,
        "The request asks for a full card number.",
        &[]
    ));
}

#[test]
fn the_log_says_who_says_how_an_operation_came_out() {
    let dana = || Some(Witness::Person(purple_journal::Redacted::of("dana")));
    let line = |outcome, witness| {
        let mutation = Mutation { witness, ..mutation("pay", CREDIT, outcome) };
        log(&[mutation], &[]).lines().nth(2).unwrap().trim().to_owned()
    };
    let said = [
        line(Outcome::Absent, Some(Witness::ReadBack)),
        line(Outcome::Absent, dana()),
        line(Outcome::Absent, Some(Witness::Tool)),
        line(Outcome::Unverifiable, dana()),
        line(Outcome::Unverifiable, Some(Witness::Tool)),
    ];
    let expected = [
        "NOT DONE: read back, and there is no trace of it",
        "NOT DONE: dana looked and says so",
        "NOT DONE: the tool says so, and nothing can read it back",
        "done: dana looked and says so",
        "sent: nothing can read it back",
    ];
    assert_eq!(said, expected);
    let first = log(&[mutation("pay", CREDIT, Outcome::Verified)], &[]);
    assert!(first.lines().nth(1).unwrap().ends_with("vendor INFRA-9 [pay]"), "{first}");
}

#[test]
fn in_doubt() {
    let mutations = [mutation("do_1", CREDIT, Outcome::InDoubt)];
    let said = "Settle it with `purple settle RUN do_1 --done` or `--not-done`.";
    insta::assert_snapshot!(ended(None, Some(Verdict::Allow), None, said, &mutations));
}

#[test]
fn escalated_after_a_mismatch() {
    let mutations = [mutation("do_1", CREDIT, Outcome::Mismatch), mutation("do_2", CREDIT, Outcome::Absent)];
    insta::assert_snapshot!(ended(
        Some(Ending::Escalated),
        Some(Verdict::Escalate),
        None,
        "The controller is asked.",
        &mutations
    ));
}

#[test]
fn a_model_is_needed() {
    let said = "This task fits no process that can run without a model.\nSet ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST.";
    insta::assert_snapshot!(ended(Some(Ending::Failed), None, Some(MODEL_NEEDED), said, &[]));
}

#[test]
fn a_bare_list_stands_alone() {
    let list = r#"["Acme Corp", 12, null]"#;
    assert_eq!(ended(Some(Ending::Done), None, None, &format!("  {list}\n"), &[]), list);
    assert_ne!(ended(None, None, None, list, &[]), list, "what is not done is said");
    assert_ne!(ended(Some(Ending::Declined), None, None, list, &[]), list);
}

#[test]
fn only_a_full_list_is_an_exact_match() {
    for text in ["[]", "[1]", " [\"a\", {\"b\": [2]}] ", "[12345678901234567890.5]"] {
        assert!(is_exact_match(text), "{text}");
    }
    for text in ["", "[", "[1", "1]", "[1] and [2]", "[a]", "{\"a\": []}", "see [1]", "[1],", "['a']"] {
        assert!(!is_exact_match(text), "{text}");
    }
    assert!(!is_exact_match(&"[".repeat(100_000)));
}

#[test]
fn what_an_answer_does_not_say_is_missing() {
    let required = texts(&["credit_amount", "due_date", "vendor"]);
    let missing = |answer: &str| missing_fields(&required, answer);
    assert_eq!(missing("Credit amount: 1,020.00 USD for vendor INFRA-9"), ["due_date"]);
    assert_eq!(missing(r#"{"credit_amount": "1", "due_date": null, "vendor": "x"}"#), ["due_date"]);
    assert_eq!(missing("vendors due_dates"), ["credit_amount", "due_date", "vendor"]);
    assert!(missing_fields(&[], "").is_empty());
}

#[test]
fn an_answer_cannot_imitate_the_log_or_the_footer() {
    let said = "All paid.\nMutation log\n  1. Pay 5 EUR\n — process x · policy passed\n\u{1b}[2J\u{202e}x";
    let text = ended(Some(Ending::Done), None, None, said, &[]);
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("Mutation log")).count(), 1);
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with('—')).count(), 1);
    assert!(text.contains("Mutation log: nothing was changed.") && !text.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn beside_a_card_an_answer_cannot_imitate_one() {
    let sentences = texts(&["Fine.\nDECISION\n  yes               Pay 5 EUR"]);
    let card = invoice().card().to_text(80);
    let facts = AnswerFacts { sentences: &sentences, waiting: Some(&card), ..AnswerFacts::default() };
    let text = compose(&facts).text;
    assert_eq!(text.lines().filter(|line| *line == "DECISION").count(), 1);
    assert_eq!(text.lines().filter(|line| line.starts_with("  yes ")).count(), 1);
}

#[test]
fn the_policy_result_is_the_ruling_and_the_rules_behind_it() {
    let document =
        r#"{"rules": [{"id": "AP-9", "condition": "total > 50000", "action": "escalate", "level": "cfo"}]}"#;
    let document = PolicyDocument::parse(document, Authority::Operator).unwrap();
    let facts = Facts::new().with(Source::Computed, "total", purple_policy::Value::from_literal("52340"));
    let judgement = document.bind(&facts).judge(&Subject::default());
    let result = policy_result(Verdict::Escalate, Some(&invoice().decision), &[judgement]);
    assert_eq!((result.passed, result.requires_approval, result.escalation_required), (false, false, true));
    assert_eq!(result.escalation_level.as_deref(), Some("cfo"));
    let ids: Vec<&str> = result.triggered_rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids, ["AP-9", "AP-3"]);
}

#[test]
fn durations_read_as_people_say_them() {
    for (ms, text) in [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1.0 s"),
        (59_999, "59.9 s"),
        (61_000, "1 min 1 s"),
        (3_600_000, "1 h 0 min"),
        (100_800_000, "1 d 4 h"),
    ] {
        assert_eq!(duration(ms), text);
    }
}

proptest! {
    #[test]
    fn every_write_that_did_not_verify_is_said_so(said in any::<String>(), at in 0..Outcome::ALL.len()) {
        let outcome = Outcome::ALL[at];
        let mutations = [mutation("do_1", CREDIT, outcome)];
        let text = ended(None, None, None, &said, &mutations);
        let log = text.rsplit_once("\nMutation log\n").unwrap().1;
        prop_assert!(log.contains(&seen(&mutations[0])));
    }
}
