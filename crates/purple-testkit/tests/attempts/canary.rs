//! Secrets in what tools say reach no model, no card, no answer, no journal and no summary, whichever way they go; and
//! neither do the words of another requester.

use std::sync::{Arc, Mutex};

use purple_process::{Digest, Directory, Person, PersonId, Role, SessionId};
use purple_testkit::{Asked as _, Brain, Recollection, call};
use purple_worker::learn::Sharing;
use purple_worker::port::{
    Asked, Called, Citation, Entity, Fact, Logged, ModelReply, ModelRequest, PastCase, Question,
};
use serde_json::{Value, json};

use crate::shop::{Ended, PROPOSE, Planted, QUESTION, Setting, alone_with};

/// A key, a token, two cards and a password. None of their parts is in anything else of these tests.
const CANARIES: [&str; 5] = [
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "4111 1111 1111 1111",
    "5500005555555559",
    "Zx81-Qw77-Lp09-Tt45",
];

/// What the model writes without having read it.
const OWN: [&str; 2] = ["AKIAABCDEFGHIJKLM234", "3530111333300000"];

/// The same desk, and a person is asked.
const ASKING: &str = r#"
process: credit_desk
title: Credit what an order says
owner: accounts_payable
keywords: [creditwork]
route: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, APPROVAL_GATE, MUTATE, COMPLETE]
decide:
  - {rule: D-1, if: 'exists(amount)', ask: cfo, because: "it is asked"}
"#;

/// Reads, proposes, and writes secrets of its own everywhere. It keeps every request.
struct Parrot(Mutex<Vec<String>>);

impl Brain for Parrot {
    fn reply(&self, request: &ModelRequest) -> ModelReply {
        self.0.lock().unwrap().push(serde_json::to_string(request).unwrap());
        if let Some(schema) = &request.output_schema {
            let has = |field: &str| schema.pointer(&format!("/properties/{field}")).is_some();
            let said = match (has("process"), has("note")) {
                (true, _) => json!({"process": "credit_desk"}),
                (_, true) => json!({"note": "look at the order"}),
                _ => json!({"goal": "credit it", "data_needs": []}),
            };
            return ModelReply::text(said.to_string());
        }
        if request.offers("get_order") && request.calls_of("get_order").len() < 2 {
            return ModelReply::calls(vec![call("get_order", json!({"order_id": "O-1"}))]);
        }
        if request.offers(PROPOSE) && request.calls_of(PROPOSE).is_empty() {
            let arguments = json!({"order_id": "O-1", "amount": "85.00 USD", "note": OWN[0]});
            let operation = json!({"tool": "apply_credit", "arguments": arguments, "why": OWN[1]});
            return ModelReply::calls(vec![call(PROPOSE, json!({"operations": [operation]}))]);
        }
        ModelReply::text(format!("The order says {} and {}.", OWN[0], OWN[1]))
    }
}

/// Everything that leaves, by its exit.
fn exits(parrot: &Parrot, ended: &Ended) -> Vec<(&'static str, String)> {
    let json = |value: Value| value.to_string();
    let journal: Vec<Value> = ended.journal.iter().map(|one| json!(one.record().data())).collect();
    vec![
        ("prompt", parrot.0.lock().unwrap().join("\n")),
        ("card", json(json!(ended.view.card))),
        ("answer", json(json!(ended.view.answer))),
        ("summary", json(json!(ended.view.summary))),
        ("journal", json(json!(journal))),
        ("notice", json(json!(ended.notices))),
    ]
}

fn check(planted: Planted, task: &'static str, files: Vec<&'static str>) -> Ended {
    check_for(planted, (task, files), &CANARIES.map(str::to_owned)).0
}

/// What is left after all that leaves was looked at, and the requests that the model was sent.
fn check_for(
    planted: Planted,
    (task, files): (&'static str, Vec<&'static str>),
    canaries: &[String],
) -> (Ended, Vec<String>) {
    let parrot = Arc::new(Parrot(Mutex::default()));
    let setting = Setting { task, files, planted, ..Setting::default() };
    let ended = alone_with(parrot.clone(), setting);
    for (exit, text) in exits(&parrot, &ended) {
        // Text that the model wrote is repeated in its own prompts only.
        let own = OWN.iter().filter(|_| exit != "prompt");
        let own = own.map(|own| (*own).to_owned());
        for canary in canaries.iter().cloned().chain(own) {
            assert!(!shows(&text, &canary), "{canary} leaves by the {exit}: {text}");
        }
    }
    let asked = parrot.0.lock().unwrap().clone();
    (ended, asked)
}

/// Whether a text shows a secret, however many levels of JSON are around it.
fn shows(text: &str, secret: &str) -> bool {
    if text.contains(secret) {
        return true;
    }
    let mut plain = text.to_owned();
    while plain.contains("\\\\") {
        plain = plain.replace("\\\\", "\\");
    }
    secret.contains('\n') && plain.replace("\\n", "\n").contains(secret)
}

/// What a tool may say with a secret in it, and the secret: the list that the redactor is tested with.
fn generated() -> Vec<(String, String)> {
    let texts = include_str!("../../../purple-privacy/tests/canaries/texts.txt");
    let lines = texts.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    let parts = lines.map(|line| line.rsplit_once(" | ").unwrap());
    parts.map(|(text, secret)| (text.replace("\\n", "\n"), secret.replace("\\n", "\n"))).collect()
}

/// The names of fields with secrets, each with a secret of its own.
fn named() -> serde_json::Map<String, Value> {
    let names = include_str!("../../../purple-privacy/tests/canaries/names.txt").lines();
    let names = names.filter(|line| !line.starts_with("# ") && !line.is_empty()).enumerate();
    names.map(|(number, name)| (name.to_owned(), json!(format!("canary7x{number}y")))).collect()
}

#[test]
fn no_generated_canary_leaves_by_any_exit() {
    const AT_ONCE: usize = 12;
    let mut notes = 0;
    for some in generated().chunks(AT_ONCE) {
        let secrets: Vec<String> = some.iter().map(|(_, secret)| secret.clone()).collect();
        let texts: Vec<&str> = some.iter().map(|(text, _)| text.as_str()).collect();
        let each = some.iter().enumerate().map(|(number, (text, _))| (format!("f{number}"), json!(text)));
        let fields: serde_json::Map<String, Value> = each.collect();
        let nested = json!({"raw": json!({"notes": texts}).to_string()});
        let said = texts.join("\n");
        for planted in [
            Planted { fields, ..Planted::default() },
            Planted { fields: nested.as_object().unwrap().clone(), ..Planted::default() },
            Planted { refusal: Some(said.clone()), ..Planted::default() },
            Planted { about: said.clone(), ..Planted::default() },
            Planted { instead: Some(Called::Answered(json!(said).into())), ..Planted::default() },
        ] {
            let (_, asked) = check_for(planted, (crate::shop::TASK, vec![ASKING]), &secrets);
            notes += asked
                .iter()
                .filter(|request| request.contains("/note") || request.contains("\"note\""))
                .count();
        }
    }
    assert!(notes > 0, "the note at the gate was asked for");
}

#[test]
fn no_value_of_a_named_secret_leaves_by_any_exit() {
    let names = named();
    let secrets: Vec<String> = names.values().map(|value| value.as_str().unwrap().to_owned()).collect();
    let pairs: Vec<Value> = names.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    let whole = Value::Object(names.clone()).to_string();
    let fields = json!({"pairs": pairs, "raw": whole}).as_object().unwrap().clone();
    for planted in [
        Planted { fields: names, ..Planted::default() },
        Planted { fields, ..Planted::default() },
        Planted { refusal: Some(format!("failed: {whole}")), ..Planted::default() },
        Planted {
            instead: Some(Called::Answered(json!(format!("Record:\n{whole}")).into())),
            ..Planted::default()
        },
    ] {
        for task in [crate::shop::TASK, QUESTION] {
            check_for(planted.clone(), (task, vec![ASKING]), &secrets);
        }
    }
}

fn fields() -> serde_json::Map<String, Value> {
    let fields = json!({
        "customer_name": format!("Acme {}", CANARIES[0]),
        "memo": format!("paid with {} today", CANARIES[2]),
        "number": CANARIES[3],
        "client_secret": CANARIES[4],
        "as_a_number": 5_500_005_555_555_559_u64,
        "nested": {"deep": [{"token": CANARIES[1]}]},
    });
    fields.as_object().unwrap().clone()
}

#[test]
fn secrets_in_a_record_leave_by_no_exit_when_a_person_is_asked() {
    let planted = Planted { fields: fields(), ..Planted::default() };
    let ended = check(planted, crate::shop::TASK, vec![ASKING]);
    assert!(ended.view.card.is_some(), "a card was shown");
}

#[test]
fn secrets_in_a_record_leave_by_no_exit_when_it_is_only_looked_up() {
    let planted = Planted { fields: fields(), ..Planted::default() };
    let ended = check(planted, QUESTION, vec![ASKING]);
    assert!(ended.view.answer.is_some());
}

#[test]
fn secrets_in_an_error_and_in_what_a_tool_says_of_itself_leave_by_no_exit() {
    let said = format!("denied for {} with {} and client_secret={}", CANARIES[0], CANARIES[3], CANARIES[4]);
    let planted = Planted { refusal: Some(said.clone()), about: said, ..Planted::default() };
    check(planted, crate::shop::TASK, vec![ASKING]);
}

#[test]
fn secrets_in_names_of_tools_parameters_and_fields_leave_by_no_exit() {
    for name in [
        CANARIES[0].to_owned(),
        CANARIES[1].to_owned(),
        format!("get_{}", CANARIES[0]),
        format!("order_{}", CANARIES[1]),
    ] {
        let planted = Planted { name: Some(name), ..Planted::default() };
        for task in [crate::shop::TASK, QUESTION] {
            check(planted.clone(), task, vec![ASKING]);
        }
    }
}

#[test]
fn secrets_in_whatever_becomes_of_a_call_leave_by_no_exit() {
    let said = || format!("no: {}, card {} and client_secret={}", CANARIES[0], CANARIES[3], CANARIES[4]);
    // A secret at the place where a long text is cut leaves no part of itself.
    let long = || format!("{} {}", "x".repeat(490), CANARIES[1]);
    let question = |message: String| Question {
        id: "q".to_owned(),
        message: message.into(),
        schema: json!({"type": "object", "properties": {"x": {"type": "string", "title": CANARIES[0]}}}),
    };
    for text in [said(), long()] {
        let asked = Asked { questions: vec![question(text.clone())], state: None };
        for instead in [
            Called::Refused { code: Some(CANARIES[0].into()), message: text.clone().into() },
            Called::NotSent { reason: text.clone().into() },
            Called::Lost { reason: text.clone().into() },
            Called::Asked(Box::new(asked)),
            Called::Answered(json!({"error": text}).into()),
            Called::Answered(json!(text).into()),
        ] {
            let planted = Planted { instead: Some(instead), ..Planted::default() };
            for (task, file) in
                [(crate::shop::TASK, crate::shop::DESK), (crate::shop::TASK, ASKING), (QUESTION, ASKING)]
            {
                let ended = check(planted.clone(), task, vec![file]);
                let journal: Vec<Value> =
                    ended.journal.iter().map(|one| json!(one.record().data())).collect();
                assert!(!json!(journal).to_string().contains("ghp_16C7"), "a part of it is in the journal");
            }
        }
    }
}

/// Eve asked for something else before, and a fact was found in her run.
fn of_eve() -> Recollection {
    let at = "2026-03-03T09:00:00Z".parse().unwrap();
    let session = SessionId::parse("evescontext").unwrap();
    let case = PastCase {
        session: session.clone(),
        round: 1,
        at,
        process: "credit_desk".to_owned(),
        text: "Creditwork: refund Zebra Industries 9876.50 USD quietly".to_owned(),
        entities: Vec::new(),
        body: json!({"requester": "eve", "ending": "done", "reads": ["get_order"], "did": ["apply_credit"],
            "computed": ["9876.50 - get_order.total"]}),
    };
    let fact = Fact {
        domain: "credit_desk".to_owned(),
        entity: Entity { kind: "id".to_owned(), name: "O-1".to_owned() },
        field: "payment_terms".to_owned(),
        value: "Net 30".to_owned(),
        session,
        round: 1,
        evidence: Citation { tool: "get_order".to_owned(), digest: Digest::of(b"x"), read_at: at },
        at,
        superseded: None,
    };
    Recollection {
        log: vec![Logged { case, points: Some(9_000), left: false }],
        facts: vec![fact],
        ..Recollection::default()
    }
}

/// Everything that leaves a task of Alex, whose roles are these; Eve is a buyer.
fn told_alex(sharing: Sharing, roles: &[&str]) -> String {
    let one = |roles: &[&str]| Person {
        roles: roles.iter().map(|role| Role::parse(role).unwrap()).collect(),
        ..Person::default()
    };
    let name = |name: &str| PersonId::parse(name).unwrap();
    let people = Directory::People([(name("alex"), one(roles)), (name("eve"), one(&["buyer"]))].into());
    let parrot = Arc::new(Parrot(Mutex::default()));
    let setting = Setting { files: vec![ASKING], memory: of_eve(), people, sharing, ..Setting::default() };
    let ended = alone_with(parrot.clone(), setting);
    exits(&parrot, &ended).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_that_another_requester_said_leaves_unless_the_operator_shares_it() {
    const ABOUT_ENTITIES: [&str; 3] = ["seen before", "payment_terms", "Net 30"];
    const WORDS: [&str; 4] = ["Zebra", "quietly", "9876.50", "evescontext"];
    let told = told_alex(Sharing::Structure, &["buyer"]);
    assert!(WORDS.iter().all(|word| !told.contains(word)), "{told}");
    assert!(told.contains("Past pattern: credit_desk → done"), "the pattern is shared: {told}");
    // That she dealt with somebody, by which process, and what a record said of them is hers.
    assert!(ABOUT_ENTITIES.iter().all(|word| !told.contains(word)), "{told}");
    for roles in [&["buyer"][..], &["seller"]] {
        let told = told_alex(Sharing::Requester, roles);
        let words = WORDS.iter().chain(&ABOUT_ENTITIES).chain(&["Past pattern"]);
        assert!(words.into_iter().all(|word| !told.contains(word)), "{told}");
    }
    assert!(!told_alex(Sharing::Group, &["seller"]).contains("Past pattern"));
    for (sharing, roles) in [(Sharing::Group, "buyer"), (Sharing::All, "seller")] {
        let told = told_alex(sharing, &[roles]);
        assert!(told.contains("Zebra") && !told.contains("evescontext"), "{told}");
        assert!(told.contains("id O-1: seen before (credit_desk)"), "{told}");
    }
}
