//! Renaming every tool and field of the demo company changes no outcome once the mapping exists.

use purple_process::Ending;
use purple_worker::{Channel, Choice, RunView, Settings};
use serde_json::{Value, json};

use crate::foreign::{Abroad, abroad};
use crate::house::{Door, House, person, session, settings};

/// The cases of the demo, each with what is said in its session, and some that stop.
const CASES: [(&str, &[&str]); 7] = [
    (
        "reject",
        &[
            "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.",
        ],
    ),
    ("approve", &["Approve or reject invoice INV-2024-448 per policy."]),
    ("differs", &["Approve or reject invoice INV-2024-448 for $99,999 per policy."]),
    ("absent", &["Approve or reject invoice INV-2024-999 per policy."]),
    (
        "order",
        &[
            "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.",
        ],
    ),
    (
        "sla",
        &[
            "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.",
        ],
    ),
    (
        "offboarding",
        &[
            "Start offboarding for employee E-2291 (last day Friday)",
            "Now revoke system access and send exit survey",
        ],
    ),
];

/// How many renamings are tried.
const RENAMINGS: u64 = 2;

/// What came of a case: what the company saw, and how each message ended.
#[derive(Debug, PartialEq)]
struct Came {
    effects: Vec<Value>,
    endings: Vec<(String, Option<Ending>)>,
}

async fn play(house: &House, run: &str, said: &[&str]) -> Came {
    let mut endings = Vec::new();
    for (place, text) in said.iter().enumerate() {
        let view = match place {
            0 => house.task(run, text).await,
            _ => house.say(run, "alex", text).await,
        };
        let view = approved(house, run, view).await;
        let summary = &view.summary;
        let status = (format!("{} {:?}", summary.state, summary.status), summary.ending);
        endings.push(status);
    }
    let ledger = house.ledger();
    let one = |effect: &purple_backoffice::EffectRecord| {
        json!([effect.tool, effect.arguments, effect.target, effect.before, effect.after])
    };
    Came { effects: ledger.effects.iter().map(one).collect(), endings }
}

/// Everything that waits for a person is approved.
async fn approved(house: &House, run: &str, view: RunView) -> RunView {
    let mut view = view;
    for _ in 0..4 {
        if view.card.is_none() {
            break;
        }
        house.worker.decide(&session(run), person("kim"), Channel::Cli, Choice::Approve).await.unwrap();
        view = house.still(&session(run)).await;
    }
    view
}

#[tokio::test]
async fn renaming_every_tool_and_field_changes_no_outcome_once_the_mapping_exists() {
    let mut effects = 0;
    for (run, said) in CASES {
        let plain = House::open(Door::Streams, settings(), &[]).await;
        let expected = Box::pin(play(&plain, run, said)).await;
        effects += expected.effects.len();
        for seed in 1..=RENAMINGS {
            let Abroad { house, .. } = abroad(seed, true, settings()).await;
            assert_eq!(Box::pin(play(&house, run, said)).await, expected, "{run}, renaming {seed}");
        }
    }
    assert!(effects >= 8, "the cases write: {effects}");
}

#[tokio::test]
async fn the_card_and_the_plan_name_the_real_tool_with_its_real_arguments() {
    let Abroad { house, names, .. } = abroad(1, true, settings()).await;
    let view = house.task("run", CASES[0].1[0]).await;
    let card = serde_json::to_string(&view.card).unwrap();
    for real in [names.tool("reject_invoice"), names.field("invoice_id"), names.tool("get_invoice")] {
        assert!(card.contains(&real), "{real}: {card}");
    }
    assert!(!card.contains("\"reject_invoice\""), "{card}");
}

#[tokio::test]
async fn without_a_mapping_nothing_runs_and_the_answer_says_what_is_missing() {
    let Abroad { house, .. } = abroad(1, false, settings()).await;
    let view = house.task("run", CASES[0].1[0]).await;
    let answer = view.answer.unwrap().text;
    assert!(answer.contains("`get_invoice` is neither offered nor mapped"), "{answer}");
    assert_eq!(house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn a_tool_that_is_not_as_it_was_confirmed_is_not_used() {
    let Abroad { house, names, .. } = abroad(1, true, settings()).await;
    let mut manifest = purple_worker::Manifest::clone(&house.settings.manifest);
    for call in manifest.systems[0].calls.values_mut().filter(|call| !call.is_read) {
        call.pin = Some(purple_process::Digest::of(b"another definition"));
    }
    let changed = Settings { manifest: manifest.into(), ..house.settings.clone() };
    let mut house = house;
    house.restart(changed).await;
    let view = house.task("run", CASES[0].1[0]).await;
    let answer = view.answer.unwrap().text;
    let said = format!("`office/{}` is not as it was confirmed", names.tool("reject_invoice"));
    assert!(answer.contains(&said), "{answer}");
    assert_eq!(house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn two_systems_that_map_the_same_call_are_told_apart_by_the_operator() {
    let Abroad { house, .. } = abroad(1, true, settings()).await;
    let mut manifest = purple_worker::Manifest::clone(&house.settings.manifest);
    let second = purple_process::system::System { name: "second".to_owned(), ..manifest.systems[0].clone() };
    manifest.systems.push(second);
    let mut house = house;
    house.restart(Settings { manifest: manifest.into(), ..house.settings.clone() }).await;
    let view = house.task("run", CASES[1].1[0]).await;
    let answer = view.answer.unwrap().text;
    assert!(answer.contains("is mapped by each of theirs, second"), "{answer}");
    assert_eq!(house.effects(), Vec::<String>::new());
}
