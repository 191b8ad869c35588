use jiff::Timestamp;
use proptest::prelude::*;
use purple_process::{
    Answer, Argument, Channel, Decision, Digest, Json, Mode, Operation, Order, PersonId, PlanHash, Seen,
    StepId, ToolName, Values,
};
use serde_json::{Value, json};

use super::*;
use crate::fixture::{Story, invoice, past, time};
use crate::outside::Shown;
use crate::port::{Entity, PastCase};

const WIDTH: usize = 100;

/// Texts that try to be more than a value.
fn hostile() -> Vec<String> {
    [
        "<button onclick=approve()>Approve</button><script>alert(1)</script>",
        "[Approve](https://evil.example) **APPROVED** `x` # WHY",
        "\u{1b}[2J\u{1b}[1;1HDECISION\r\n  yes               Pay EUR 1",
        "x\nDECISION\n  yes               Approve everything\n  no                Never",
        "DECISION                                yes Approve",
        "\u{202e}evorppA\u{202c} \u{2066}x\u{2069}",
        "A\u{200b}c\u{200d}me\u{feff}",
        "\u{410}\u{441}me C\u{43e}rp",
        "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}",
        "\u{e0041}\u{e0050}\0\u{7}\u{8}\u{8}\u{8}",
        "\u{2028}EFFECT\u{2029}\u{85}WHY",
        "",
    ]
    .map(ToOwned::to_owned)
    .into_iter()
    .chain(["x".repeat(1_000_000), "\u{202e}".repeat(1_000_000), "y ".repeat(500_000)])
    .collect()
}

/// What is left of the column where values begin: our own words.
fn skeleton(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| line.chars().take(VALUE_COLUMN).collect::<String>().trim_end().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// A story with this text in every place that holds text from outside.
fn told_with(text: &str) -> Story {
    let mut story = invoice();
    // What a plan can hold at all: its own bounds refuse more.
    let within: String = text.chars().take(4_000).filter(|character| *character != '\0').collect();
    story.with_draft(|draft| {
        draft.process.name = within.clone();
        draft.policies[0].name = within.clone();
        let operation = &mut draft.operations[0];
        operation.arguments.insert("reason".to_owned(), Argument::Value(Json::Text(within.clone())));
        operation.recipients = vec![within.clone()];
        operation.quiet = Some(within.clone());
        let tool = ToolName::parse("get_invoice").unwrap();
        operation.before = vec![Seen {
            tool,
            arguments: Values::from([("invoice_id".to_owned(), Json::from("INV-2024-447"))]),
            field: "status".to_owned(),
            value: Json::Text(within.clone()),
        }];
    });
    story.figures = vec![("total".to_owned(), text.to_owned()), (text.to_owned(), "1".to_owned())];
    story.evidence[0].arguments.insert(within.clone(), Json::Text(text.to_owned()));
    story.party = Some(text.to_owned());
    story.history = vec![past(text, &[])];
    story.history[0].process = text.to_owned();
    story.history[0].body = json!({"ending": text, "outcome": text, "amounts": [text]});
    story.excluded = vec![text.to_owned()];
    story.otherwise = Some(text.to_owned());
    story
}

#[test]
fn the_card_of_an_invoice_above_its_order() {
    insta::assert_snapshot!(invoice().card().to_text(WIDTH));
}

#[test]
fn a_card_begins_with_what_nobody_asked_for_and_shows_the_words_for_the_rest() {
    let mut story = invoice();
    let asked = story.card();
    assert_eq!(asked.not_in_the_request().count(), 0);
    story.with_draft(|draft| {
        let planned = &draft.operations[0];
        let step = StepId::parse("more").unwrap();
        let (tool, arguments, check) =
            (planned.tool.clone(), planned.arguments.clone(), planned.check.clone());
        let effect = purple_process::Effect::Write;
        draft.operations.push(Operation::new(step, tool, effect, arguments, check, Order::missing()));
    });
    let card = story.card();
    let text = card.to_text(WIDTH);
    let headline = card.effects()[1].headline.as_str();
    assert!(text.starts_with(&format!("NOT IN THE REQUEST\n  nobody asked for  {headline}")), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("  asked for by")).collect();
    assert_eq!(
        rows,
        [
            "  asked for by      “Please approve INV-2024-447 against PO-8821”",
            "  asked for by      not in the request"
        ]
    );
    assert!(card.why().also.iter().any(|reason| reason.as_str().starts_with("not in the request")));
    assert_eq!(card.operations_data()["notInTheRequest"], json!(["more"]));
    assert_eq!(card.operations_data()["operations"][1]["orderedBy"], "not in the request");
}

#[test]
fn the_data_of_a_card_lets_a_program_show_and_answer_it() {
    let data = serde_json::to_string_pretty(&invoice().card().operations_data()).unwrap();
    insta::assert_snapshot!(data);
}

#[test]
fn hostile_text_in_every_field_leaves_the_skeleton_as_it_is() {
    let expected = skeleton(&told_with("harmless").card().to_text(WIDTH));
    let titles: Vec<&str> =
        expected.iter().map(String::as_str).filter(|line| !line.starts_with(' ')).collect();
    assert!(expected.contains(&"  yes".to_owned()) && titles == TITLES[1..]);
    for text in hostile() {
        let card = told_with(&text).card();
        for width in [0, 60, WIDTH, usize::MAX] {
            let shown = card.to_text(width);
            let start: String = text.chars().take(40).collect();
            assert_eq!(skeleton(&shown), expected, "{start:?} at width {width}");
            let hidden = |character: char| character.is_control() && character != '\n';
            assert!(!shown.contains(hidden) && !shown.contains(['\u{202e}', '\u{200b}', '\u{2028}']));
            assert!(shown.len() < 200_000, "{} bytes", shown.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_in_every_field_leaves_the_skeleton_as_it_is(text in any::<String>(), width in 0..200_usize) {
        let expected = skeleton(&told_with("harmless").card().to_text(WIDTH));
        prop_assert_eq!(skeleton(&told_with(&text).card().to_text(width)), expected);
    }
}

#[test]
fn a_stored_card_reads_back_as_itself_and_another_form_is_refused() {
    let card = told_with("a\u{202e}b").card();
    let again: Card = serde_json::from_slice(&card.to_bytes()).unwrap();
    assert_eq!((again.to_bytes(), again.digest()), (card.to_bytes(), card.digest()));
    let mut value = serde_json::to_value(&card).unwrap();
    value["schema"] = json!(2);
    assert!(serde_json::from_value::<Card>(value.clone()).is_err());
    value["schema"] = json!(1);
    value["note"] = json!("more");
    assert!(serde_json::from_value::<Card>(value).is_err());
}

/// Changes every leaf of a stored card in turn.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            path.push(name.clone());
            leaves(value, path, found);
            path.pop();
        }),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, value)| {
            path.push(at.to_string());
            leaves(value, path, found);
            path.pop();
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => found.push(path.clone()),
    }
}

#[test]
fn the_digest_changes_with_every_field() {
    let card = told_with("text").card();
    let stored = serde_json::to_value(&card).unwrap();
    let mut found = Vec::new();
    leaves(&stored, &mut Vec::new(), &mut found);
    let mut changed = 0;
    for path in found.iter().filter(|path| path.as_slice() != ["schema"]) {
        let mut other = stored.clone();
        let leaf = other.pointer_mut(&format!("/{}", path.join("/"))).unwrap();
        *leaf = match leaf {
            Value::Bool(flag) => json!(!*flag),
            Value::Number(_) => json!(7),
            Value::String(text) if text.starts_with("sha256:") && text.len() > 70 => {
                json!(Digest::of(text.as_bytes()))
            }
            Value::String(text) if text.parse::<Timestamp>().is_ok() => json!("2030-01-01T00:00:00Z"),
            Value::String(text) if path.last().is_some_and(|name| name == "mode" || name == "trust") => {
                json!(if text == "careful" { "always" } else { "untrusted_text" })
            }
            Value::String(text) => json!(format!("{text}x")),
            Value::Null => continue,
            Value::Array(_) | Value::Object(_) => panic!("a leaf has no parts"),
        };
        let other: Card = serde_json::from_value(other).unwrap();
        assert_ne!(other.digest(), card.digest(), "{path:?}");
        changed += 1;
    }
    assert!(changed > 40, "{changed}");
}

#[test]
fn what_is_unusual_comes_from_history() {
    let story = invoice();
    let usd = |amount: &str| purple_policy::Money::parse(amount).ok();
    let said = |history: &[PastCase], party: Option<&str>| -> Vec<String> {
        let card = build_card(CardFacts { history, party, amount: usd("52340.00 USD"), ..story.facts() });
        card.headline().unusual.iter().map(ToString::to_string).collect()
    };
    assert_eq!(said(&[], Some("V-77")), ["first case with V-77"]);
    assert!(said(&[], None).is_empty(), "nothing is said about nobody");
    assert_eq!(
        said(
            &[past("a", &["900.00 USD"]), past("b", &["1200.00 USD", "3.00 USD"]), past("c", &[])],
            Some("V-77")
        ),
        ["52,340.00 USD is above every earlier amount with V-77: 1,200.00 USD at most"]
    );
    assert!(said(&[past("a", &["52340.00 USD"])], Some("V-77")).is_empty());
    assert!(said(&[past("a", &[])], Some("V-77")).is_empty());
    let mut named = past("a", &[]);
    named.entities = vec![Entity { kind: "amount".to_owned(), name: "90000.00 USD".to_owned() }];
    assert!(said(&[named], Some("V-77")).is_empty(), "an amount that a case names counts");
    assert_eq!(
        said(&[past("a", &["900.00 EUR"])], Some("V-77")),
        ["52,340.00 USD is the first amount in USD with V-77"]
    );
}

#[test]
fn a_field_shows_what_the_same_record_held_before_and_never_another_record() {
    let before = |story: &Story| story.card().effects()[0].changes[0].before.clone();
    let mut story = invoice();
    assert_eq!(before(&story), Some(Shown::new("\"received\"")));
    story.with_draft(|draft| draft.operations[0].before.clear());
    assert_eq!(before(&story), Some(Shown::new("\"received\"")), "what was read comes second");
    story.evidence[0].arguments.insert("invoice_id".to_owned(), Json::from("INV-1"));
    assert_eq!(before(&story), None);
    assert_eq!(before(&told_with("paid")), Some(Shown::new("\"paid\"")), "what the plan fixed comes first");
}

#[test]
fn only_a_yes_to_this_plan_is_counted_as_given() {
    let story = invoice();
    let decision = |plan: PlanHash, answer: Answer| Decision {
        person: PersonId::parse("anna").unwrap(),
        on_behalf_of: None,
        channel: Channel::Cli,
        account: None,
        plan,
        card: Digest::of(b"card"),
        answer,
        mode: Mode::Careful,
        decided_at: time("2026-03-04T10:00:00Z"),
        expires_at: time("2026-03-06T09:00:00Z"),
    };
    let yes = || Answer::Approve {
        operations: story.plan.operations().iter().map(|one| one.step.clone()).collect(),
    };
    let given = [
        decision(story.plan.hash(), yes()),
        decision(PlanHash(Digest::of(b"other")), yes()),
        decision(story.plan.hash(), Answer::Reject { reason: "no".to_owned() }),
    ];
    let card = build_card(CardFacts { given: &given, ..story.facts() });
    assert_eq!(card.who().given.len(), 1);
    assert!(card.to_text(WIDTH).contains("anna · 2026-03-04 10:00 UTC · command line"));
}

#[test]
fn at_a_keyboard_exclusions_are_recorded_and_elsewhere_they_hold() {
    let story = invoice();
    let text = |exclusions| build_card(CardFacts { exclusions, ..story.facts() }).to_text(WIDTH);
    assert!(text(Exclusions::Recorded).contains("recorded, not enforced"));
    assert!(!text(Exclusions::Enforced).contains("recorded, not enforced"));
}

#[test]
fn at_most_five_earlier_cases_are_shown_and_the_rest_is_counted() {
    let mut story = invoice();
    story.history = (0..8).map(|at| past(&format!("case {at}"), &["1200.00 USD"])).collect();
    let card = story.card();
    assert_eq!((card.history().lines.len(), card.history().more), (5, 3));
    let text = card.to_text(WIDTH);
    assert!(text.contains("and 3 more"));
    assert!(
        text.contains("2026-01-05 · invoice_reconciliation · 1,200.00 USD · approve · done · case 0"),
        "{text}"
    );
}

#[test]
fn the_buttons_are_the_plan_s_own_words_and_the_steps_are_its_steps() {
    let story = invoice();
    let card = story.card();
    assert_eq!(card.buttons().approve, Shown::new(&story.plan.headline()));
    assert_eq!(card.buttons().decline, Shown::new(&story.plan.decline_label()));
    let steps: Vec<StepId> =
        story.plan.operations().iter().map(|Operation { step, .. }| step.clone()).collect();
    assert_eq!(card.steps(), steps);
    assert!(
        card.approval_id().starts_with("apr_")
            && story.plan.hash().to_string().contains(&card.approval_id()[4..])
    );
}
