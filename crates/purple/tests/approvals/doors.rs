//! Bad input at the door: a clear code, nothing lost, and no secret on the disk.

use purple_process::{Ending, PersonId, SessionId};
use purple_worker::port::DedupKey;
use purple_worker::{Channel, Choice, ClientError, Event, RunView, Start};
use serde_json::{Value, json};

use crate::house::{House, person, session, settings};
use crate::scene::*;

fn start(text: &str) -> Start {
    Start {
        text: text.to_owned(),
        by: person("alex"),
        channel: Channel::A2a,
        account: None,
        policy: None,
        tools_endpoint: None,
        message_id: None,
    }
}

/// Every byte below a folder.
fn bytes(folder: &std::path::Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(bytes(&path));
        } else if path.is_file() {
            all.extend(std::fs::read(&path).unwrap());
        }
    }
    all
}

fn holds(folder: &std::path::Path, secret: &str) -> bool {
    bytes(folder).windows(secret.len()).any(|window| window == secret.as_bytes())
}

#[tokio::test]
async fn a_secret_in_a_task_is_refused_before_any_tool_and_is_nowhere_on_the_disk() {
    let secrets = [
        ("4111111111111111", "privacy.card_number"),
        ("4111 1111 1111 1111", "privacy.card_number"),
        ("536-22-8145", "privacy.ssn"),
        ("sk-ant-api03-abcdEFGH1234ijklMNOP", "privacy.api_key"),
    ];
    for (secret, expected) in secrets {
        let mut house = open(settings()).await;
        let view = house.task("run", &format!("{INVOICE} Use SSN or card or key {secret}.")).await;
        ended(&view, Ending::Refused);
        assert_eq!(code(&view), Some(expected), "{secret}");
        assert!(!text(&view).contains(secret));
        assert_eq!(house.ledger().calls.len(), 0, "{secret}");
        // Nor in anything that is said later.
        waits(&house.task("other", ORDER).await);
        house.say("other", "alex", &format!("Confirmed, the number is {secret}")).await;
        let reason = format!("no, use {secret}");
        house.worker.halt(None, person("ops"), reason.clone()).await.unwrap();
        house.worker.resume(None, crate::house::person("ops")).await.unwrap();
        let view = decide(&house, "other", "alex", Choice::Reject { reason: reason.clone() }).await;
        ended(&view, Ending::Declined);
        assert!(holds(house.folder.path(), "Widget"), "the search finds what is there");
        // Not even in the log of the database, or in what it has deleted since.
        assert!(!holds(house.folder.path(), secret), "{secret}, while it runs");
        house.stop().await;
        assert!(!holds(house.folder.path(), secret), "{secret}");
    }
}

#[tokio::test]
async fn ordinary_business_words_are_no_secrets() {
    let house = open(settings()).await;
    for (number, task) in [
        "Reset the password of employee E-2291",
        "Run payroll for March",
        "Approve the medical claim of employee E-2291",
        INVOICE,
    ]
    .into_iter()
    .enumerate()
    {
        let view = house.task(&format!("run-{number}"), task).await;
        assert_ne!(view.summary.ending, Some(Ending::Refused), "{task}");
    }
}

/// A task that is not accepted: there is no run of it, and nothing is stored.
async fn not_admitted(house: &House, run: &str, start: Start) -> ClientError {
    let refused = house.worker.start(session(run), DedupKey(run.to_owned()), start).await.unwrap_err();
    assert!(house.worker.events.session(&session(run)).await.unwrap().is_none(), "{run}");
    refused
}

async fn rejected(house: &House, run: &str, start: Start, expected: &str) -> RunView {
    let view = house.start(run, start).await;
    ended(&view, Ending::Failed);
    assert_eq!(code(&view), Some(expected), "{run}");
    view
}

#[tokio::test]
async fn a_request_that_cannot_be_served_ends_with_its_code_and_touches_nothing() {
    let house = open(settings()).await;
    for (run, text) in [("empty", ""), ("blank", " \n\t ")] {
        let refused = not_admitted(&house, run, start(text)).await;
        assert!(matches!(refused, ClientError::Empty), "{refused:?}");
    }
    for (number, policy) in [json!({"rules": [{"condition": "(((", "action": "block"}]}), json!(7), json!([])]
        .into_iter()
        .enumerate()
    {
        let start = Start { policy: Some(policy), ..start(INVOICE) };
        rejected(&house, &format!("policy-{number}"), start, "policy.unreadable").await;
    }
    for (number, url) in
        ["http://evil.example/mcp", "file:///etc/passwd", "", "not a url"].into_iter().enumerate()
    {
        let start = Start { tools_endpoint: Some(url.to_owned()), ..start(INVOICE) };
        let refused = not_admitted(&house, &format!("tools-{number}"), start).await;
        assert!(matches!(refused, ClientError::EndpointNotAllowed { .. }), "{refused:?}");
    }
    assert_eq!(house.ledger().calls.len(), 0);
    waits(&house.task("good", INVOICE).await);
}

#[tokio::test]
async fn an_origin_is_allowed_as_a_whole_or_not_at_all() {
    // The operator of this house allows `http://tools.example:8080`.
    let house = open(settings()).await;
    for (number, url) in [
        "http://tools.example:80801/",
        "http://tools.example:8080@evil.example/",
        "http://tools.example:8080.evil.example/",
        "https://tools.example:8080/",
        "http://tools.example",
    ]
    .into_iter()
    .enumerate()
    {
        let start = Start { tools_endpoint: Some(url.to_owned()), ..start(INVOICE) };
        let refused = not_admitted(&house, &format!("tools-{number}"), start).await;
        assert!(matches!(refused, ClientError::EndpointNotAllowed { .. }), "{url}: {refused:?}");
    }
    let allowed =
        Start { tools_endpoint: Some("http://tools.example:8080/mcp".to_owned()), ..start(INVOICE) };
    house.worker.start(session("allowed"), DedupKey("allowed".to_owned()), allowed).await.unwrap();
}

#[tokio::test]
async fn a_tool_server_that_a_client_with_other_settings_let_in_is_refused_by_the_worker() {
    let house = open(settings()).await;
    let evil = Start { tools_endpoint: Some("http://evil.example/mcp".to_owned()), ..start(INVOICE) };
    house.worker.post(session("run"), Event::Start(evil)).await.unwrap();
    let view = house.still(&session("run")).await;
    ended(&view, Ending::Failed);
    assert_eq!(code(&view), Some("tools.endpoint_not_allowed"));
}

#[tokio::test]
async fn a_text_that_is_too_long_is_refused_at_the_door_and_the_longest_one_is_not() {
    let house = open(settings()).await;
    let huge = "x".repeat(1 << 20);
    let refused = house.worker.start(session("huge"), DedupKey("huge".to_owned()), start(&huge)).await;
    assert!(matches!(refused, Err(ClientError::TooLong { bytes, .. }) if bytes == 1 << 20), "{refused:?}");
    assert!(matches!(house.worker.view(&session("huge")).await, Err(ClientError::NoSuchRun { .. })));
    // The longest that is taken, and the worst of that length: every byte is two in JSON.
    for (run, unit) in [("plain", "x"), ("quotes", "\""), ("lines", "\n")] {
        let mut text = INVOICE.to_owned();
        text.push_str(&unit.repeat(64 * 1024 - text.len()));
        let view = house.start(run, start(&text)).await;
        assert_eq!(view.stuck, None, "{run}");
        assert!(view.answer.is_some(), "{run}");
        house.worker.cancel(&session(run), person("alex"), String::new()).await.unwrap();
        house.still(&session(run)).await;
    }
}

#[tokio::test]
async fn a_task_that_names_too_much_or_lacks_something_for_long_never_gets_stuck() {
    let house = open(with(lockout(Systems::One, "nobody", "within: 1 day"))).await;
    let change = |what: String| format!("Customer C-8821 wants to change order #ORD-5592: {what}");
    let letters = || 'a'..='z';
    let pairs = letters().flat_map(|one| letters().map(move |other| format!("{one}{other}")));
    let rows = pairs.map(|name| format!("add 1x A{name}, ")).collect();
    let bytes = (300..400).map(|length| format!("add 1x A{}, ", "b".repeat(length))).collect();
    for (run, what, expected) in [("rows", rows, "input.missing"), ("bytes", bytes, "input.too_large")] {
        let view = house.task(run, &change(what)).await;
        assert_eq!((view.stuck.clone(), code(&view)), (None, Some(expected)), "{}", text(&view));
    }
    house.task("lacks", "Lockout, please").await;
    for turn in 0..4 {
        let view = house.say("lacks", "alex", &format!("{turn} {}", "\"".repeat(50_000))).await;
        assert_eq!((view.stuck.clone(), code(&view)), (None, Some("task.too_long")), "{turn}");
    }
    ended(&house.say("lacks", "alex", "E-2291").await, Ending::Done);
}

#[tokio::test]
async fn an_unknown_run_and_a_garbage_id_are_named_as_such() {
    let house = open(settings()).await;
    let run = session("nobody-knows-it");
    assert!(matches!(house.worker.view(&run).await, Err(ClientError::NoSuchRun { .. })));
    let decided = house.worker.decide(&run, person("lea"), Channel::Cli, Choice::Approve).await;
    assert!(matches!(decided, Err(ClientError::NoSuchRun { .. })));
    assert!(matches!(
        house.worker.cancel(&run, person("lea"), String::new()).await,
        Err(ClientError::NoSuchRun { .. })
    ));
    assert!(matches!(house.worker.find("nobody").await, Err(ClientError::NoSuchRun { .. })));
    let long = "x".repeat(10_000);
    for garbage in ["", " ", "a b", "\u{202e}", "x'; DROP TABLE inbox; --", "a\nb", &long] {
        assert!(SessionId::parse(garbage).is_err(), "{garbage:?}");
        assert!(PersonId::parse(garbage).is_err(), "{garbage:?}");
    }
}

#[tokio::test]
async fn rules_that_come_with_a_later_task_are_not_dropped_in_silence() {
    let house = open(settings()).await;
    waits(&house.task("run", ORDER).await);
    let rules: Value = json!({"rules": [{"id": "R-1", "condition": "true", "action": "block"}]});
    let later = Start { policy: Some(rules), ..start("Confirmed") };
    house.worker.start(session("run"), DedupKey("later".to_owned()), later).await.unwrap();
    let view = house.still(&session("run")).await;
    waits(&view);
    assert_eq!(code(&view), Some("request.late"));
    assert_eq!(house.effects(), nothing());
}

#[tokio::test]
async fn rules_that_come_with_a_new_round_count_in_it() {
    let house = open(settings()).await;
    house.task("run", "Start offboarding for employee E-2291 (last day Friday)").await;
    let before = house.effects();
    assert!(!before.is_empty());
    let rules: Value = json!({"rules": [{"id": "R-1", "condition": "true", "action": "block"}]});
    let later = Start { policy: Some(rules), ..start("Now revoke system access and send exit survey") };
    house.worker.start(session("run"), DedupKey("later".to_owned()), later).await.unwrap();
    let view = house.still(&session("run")).await;
    assert_eq!(
        (view.summary.round, view.summary.ending),
        (2, Some(purple_process::Ending::Blocked)),
        "{view:?}"
    );
    assert_eq!(house.effects(), before);
    let wrong = Start {
        policy: Some(json!({"rules": [{"id": "R-1", "condition": "((", "action": "block"}]})),
        ..start("Now revoke system access")
    };
    house.worker.start(session("run"), DedupKey("wrong".to_owned()), wrong).await.unwrap();
    assert_eq!(house.still(&session("run")).await.summary.round, 2);
    assert_eq!(house.effects(), before);
}

#[tokio::test]
async fn the_same_task_twice_is_one_run_and_another_one_under_its_name_is_refused() {
    let house = open(settings()).await;
    let key = || DedupKey("message-1".to_owned());
    house.worker.start(session("run"), key(), start(INVOICE)).await.unwrap();
    let again = house.worker.start(session("other"), key(), start(INVOICE)).await.unwrap();
    assert_eq!((again.run, again.repeated), (session("run"), true));
    let other = house.worker.start(session("run"), key(), start(ORDER)).await;
    assert!(matches!(other, Err(ClientError::Conflicting { .. })), "{other:?}");
    waits(&house.still(&session("run")).await);
}
