use serde_json::json;

use super::*;
use crate::learn::Sharing;
use purple_process::{Directory, PersonId};

fn logged(name: &str, text: &str) -> Logged {
    let case = PastCase {
        session: SessionId::parse(name).unwrap(),
        round: 1,
        at: "2026-03-20T12:00:00Z".parse().unwrap(),
        process: "invoice_reconciliation".to_owned(),
        text: text.to_owned(),
        entities: Vec::new(),
        body: json!({"ending": "done", "people": "edited", "reads": ["get_invoice", "get_purchase_order"]}),
    };
    Logged { case, points: Some(9_250), left: false }
}

fn told(text: &str, log: &[Logged], fits: &[i64]) -> Vec<String> {
    let found = log
        .iter()
        .zip(fits)
        .map(|(one, fit)| Ranked { session: one.case.session.clone(), round: one.case.round, fit: *fit })
        .collect();
    let requester = PersonId::parse("ada").unwrap();
    let audience =
        Audience { sharing: Sharing::default(), directory: Directory::Keyboard, requester: &requester };
    primer(text, log, found, "2026-03-20T13:00:00Z".parse().unwrap(), &audience)
}

#[test]
fn a_case_is_told_in_one_line() {
    assert_eq!(
        told("reconcile", &[logged("a", "Reconcile INV-1")], &[1]),
        ["Past pattern: invoice_reconciliation: Reconcile INV-1 → done; people: edited; quality 0.925; \
          read get_invoice, get_purchase_order"]
    );
}

#[test]
fn a_case_says_what_was_worked_out_and_what_was_done() {
    let mut case = logged("a", "Thank the vendor");
    case.case.body["computed"] = json!(["round(get_contract.monthly_fee * 2 / 100, cents, half_even)"]);
    case.case.body["did"] = json!(["apply_account_credit"]);
    let told = told("thank", &[case], &[1]);
    assert!(
        told[0].ends_with(
            "; worked out round(get_contract.monthly_fee * 2 / 100, cents, half_even); did apply_account_credit"
        ),
        "{told:?}"
    );
}

#[test]
fn the_three_that_fit_best_are_told_and_of_equals_those_that_share_more_words() {
    let log = [
        logged("a", "order lamps"),
        logged("b", "invoice variance vendor"),
        logged("c", "invoice lamps"),
        logged("d", "invoice variance"),
        logged("e", "something else"),
    ];
    let told = told("invoice variance of a vendor", &log, &[9, 5, 5, 5, 4]);
    let order: Vec<&str> =
        told.iter().map(|line| line.split(": ").nth(2).unwrap().split(" →").next().unwrap()).collect();
    assert_eq!(order, ["order lamps", "invoice variance vendor", "invoice variance"]);
}

#[test]
fn what_is_passed_over_is_not_told_however_well_it_fits() {
    let mut log: Vec<Logged> =
        (0..8).map(|n| logged(&format!("s{n}"), &format!("task number {n}x"))).collect();
    log[0].points = Some(100);
    let told = told("task", &log, &[99, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(told.len(), PRIMER_CASES_MAX);
    assert!(told.iter().all(|line| !line.contains("number 0x")), "{told:?}");
}

#[test]
fn a_line_has_a_limit() {
    let told = told("x", &[logged("a", &"word ".repeat(10_000))], &[1]);
    assert!(told[0].chars().count() <= LINE_CHARS_MAX);
}

#[test]
fn qualities_are_written_without_trailing_noughts() {
    for (points, text) in [(10_000, "1"), (0, "0"), (9_250, "0.925"), (1, "0.0001"), (8_688, "0.8688")] {
        assert_eq!(quality(points), text);
    }
}
