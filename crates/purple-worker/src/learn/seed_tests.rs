use super::*;
use crate::port::{Citation, Digest, PastCase, SessionId};

fn now() -> Timestamp {
    "2026-03-20T12:00:00Z".parse().unwrap()
}

fn run(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

fn seed() -> Seed {
    let vendor = Entity { kind: "vendor".to_owned(), name: "Acme Corp".to_owned() };
    let case = PastCase {
        session: run("a"),
        round: 1,
        at: now(),
        process: "invoice_reconciliation".to_owned(),
        text: "Reconcile INV-1".to_owned(),
        entities: vec![vendor.clone()],
        body: json!({"ending": "done", "reads": ["get_invoice"]}),
    };
    let score = |round, points, cause: &str| Scored {
        session: run("a"),
        round,
        process: "invoice_reconciliation".to_owned(),
        arm: Some(Arm::Fsm),
        points,
        cause: cause.to_owned(),
        because: vec!["policy: passed".to_owned()],
        at: now(),
    };
    let fact = Fact {
        domain: "invoice_reconciliation".to_owned(),
        entity: vendor,
        field: "payment_terms".to_owned(),
        value: "Net 30".to_owned(),
        session: run("a"),
        round: 1,
        evidence: Citation { tool: "get_vendor".to_owned(), digest: Digest::of(b"x"), read_at: now() },
        at: now(),
        superseded: None,
    };
    let check = Check {
        session: run("a"),
        round: 1,
        process: "invoice_reconciliation".to_owned(),
        figure: "variance".to_owned(),
        given: "1".to_owned(),
        found: "1".to_owned(),
        hit: true,
        at: now(),
    };
    Seed {
        cases: vec![Logged { case, points: Some(9_000), left: false }],
        scores: vec![score(1, 9_000, "imported"), score(1, 3_000, "imported"), score(2, 5_000, "imported")],
        facts: vec![fact],
        checks: vec![check],
    }
}

fn read(files: &[(&'static str, Value)]) -> Result<Seed, BadSeed> {
    let mut read = Seed::default();
    for (name, value) in files {
        take(&mut read, name, &value.to_string(), now())?;
    }
    Ok(read)
}

#[test]
fn what_is_written_is_read_again() {
    assert_eq!(read(&files(&seed())).unwrap(), seed());
}

#[test]
fn the_arms_are_means_over_the_last_score_of_each_round() {
    assert_eq!(arms(&seed().scores), json!({"invoice_reconciliation": {"fsm": {"q": "0.4", "n": 2}}}));
}

#[test]
fn a_row_that_cannot_be_refuses_its_file_and_is_named() {
    type Breaks = fn(&mut Seed);
    let broken: [(&str, Breaks); 9] = [
        ("future", |seed| seed.cases[0].case.at = now() + jiff::SignedDuration::from_secs(1)),
        ("too long", |seed| seed.cases[0].case.text = "x".repeat(9_999)),
        ("kind", |seed| seed.cases[0].case.entities[0].kind = "grant".to_owned()),
        ("above one", |seed| seed.cases[0].points = Some(10_001)),
        ("above one", |seed| seed.scores[1].points = u16::MAX),
        ("name", |seed| seed.facts[0].value = "a\nb".to_owned()),
        ("name", |seed| seed.facts[0].entity.name = String::new()),
        ("future", |seed| seed.facts[0].evidence.read_at = Timestamp::MAX),
        ("future", |seed| seed.checks[0].at = Timestamp::MAX),
    ];
    for (why, breaks) in broken {
        let mut bad = seed();
        breaks(&mut bad);
        let error = read(&files(&bad)).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("row "), "{error}");
    }
}

#[test]
fn nothing_that_permits_has_a_place_in_a_file() {
    for extra in ["grant", "allow", "approved_by", "rules", "limits"] {
        for (name, mut value) in files(&seed()) {
            value[extra] = json!(true);
            assert!(
                take(&mut Seed::default(), name, &value.to_string(), now()).is_err(),
                "{extra} in {name}"
            );
        }
    }
    let mut odd = seed();
    odd.cases[0].case.body = json!({"ending": "done", "grant": {"all": true}, "approvers": 0});
    assert_eq!(read(&files(&odd)).unwrap().cases[0].case.body, json!({"ending": "done"}));
}

#[test]
fn other_files_and_other_forms_are_refused() {
    let mut none = Seed::default();
    let error = take(&mut none, "policy.json", "{}", now()).unwrap_err().to_string();
    assert!(error.contains("case_log.json"), "{error}");
    for text in ["", "[]", "{\"format\": \"other/1\", \"cases\": []}", "{\"cases\": []}"] {
        assert!(take(&mut none, CASES_FILE, text, now()).is_err(), "{text}");
    }
    assert_eq!(none, Seed::default());
}

#[test]
fn a_case_in_which_something_was_done_without_an_order_neither_leaves_nor_comes_in() {
    let mut marked = seed();
    marked.cases[0].case.body["not_ordered"] = json!(true);
    assert_eq!(read(&files(&marked)).unwrap().cases, []);
    let rows = json!({"format": FORMAT, "cases": marked.cases}).to_string();
    let mut taken = Seed::default();
    take(&mut taken, CASES_FILE, &rows, now()).unwrap();
    assert_eq!(taken.cases, []);
}
