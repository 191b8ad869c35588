//! The judge against results that it must find fault with.

use purple_worker::RunView;

use crate::company::{self, Operation, Seen};
use crate::judge::{Fault, Verdict, judge};
use crate::row::{Act, Expect, Mood, Row};

const INVOICE: &str = "INV-2024-448";

fn row(expect: Expect, mood: Mood, verb: &str, writes: &[&str]) -> Row {
    Row {
        id: "w".to_owned(),
        text: "Good morning!".to_owned(),
        acts: vec![Act { mood, verb: verb.to_owned(), targets: vec![INVOICE.to_owned()] }],
        expect,
        process: Some("invoice_reconciliation".to_owned()),
        writes: writes.iter().map(|one| (*one).to_owned()).collect(),
        figure: None,
    }
}

fn operation(tool: &str, id: &str) -> Operation {
    Operation {
        tool: tool.to_owned(),
        id: id.to_owned(),
        arguments: [("last_day".to_owned(), "2026-03-20".to_owned())].into(),
    }
}

fn seen(runs: &[RunView], effects: &[Operation], planned: &[Operation]) -> Seen {
    let (effects, planned, runs) = (effects.to_vec(), planned.to_vec(), runs.to_vec());
    Seen { effects, planned, runs, staying: Default::default() }
}

#[tokio::test]
async fn effects_and_plans_that_a_sentence_does_not_order_are_found() {
    let order = row(Expect::Does, Mood::Order, "approve", &["approve_invoice INV-2024-448"]);
    let question = row(Expect::Advises, Mood::Question, "approve", &[]);
    let reject = row(Expect::Does, Mood::Order, "reject", &[]);
    let runs = company::run(&question).await.runs;
    let [right, other] = [INVOICE, "INV-2024-451"].map(|id| [operation("approve_invoice", id)]);
    let rejection = [operation("reject_invoice", INVOICE)];
    let write = |verdict| matches!(verdict, Verdict::Wrong(Fault::Write(_)));
    let plan = |verdict| matches!(verdict, Verdict::Wrong(Fault::Plan(_)));
    assert_eq!(judge(&order, &seen(&runs, &right, &[])), Verdict::Right);
    assert!(write(judge(&order, &seen(&runs, &[right.clone(), other.clone()].concat(), &[]))));
    assert!(write(judge(&question, &seen(&runs, &right, &[]))));
    assert!(plan(judge(&order, &seen(&runs, &[], &other))));
    assert!(plan(judge(&question, &seen(&runs, &[], &right))));
    assert!(plan(judge(&reject, &seen(&runs, &[], &right))), "an order to reject never approves");
    assert!(plan(judge(&order, &seen(&runs, &[], &rejection))), "an order to approve does not reject");
    assert_eq!(judge(&reject, &seen(&runs, &[], &rejection)), Verdict::Right);
}

#[tokio::test]
async fn another_date_than_the_text_says_is_a_wrong_write() {
    let tool = "create_offboarding_checklist";
    let runs = company::run(&row(Expect::Chats, Mood::None, "", &[])).await.runs;
    for (day, right) in [("2026-03-20", true), ("2026-03-02", false)] {
        let write = format!("{tool} {INVOICE} last_day={day}");
        let verdict = judge(
            &row(Expect::Does, Mood::Order, "offboard", &[&write]),
            &seen(&runs, &[operation(tool, INVOICE)], &[]),
        );
        assert_eq!(verdict == Verdict::Right, right, "{verdict:?}");
    }
}

#[tokio::test]
async fn a_result_that_is_not_the_right_one_is_found() {
    let mut runs = company::run(&row(Expect::Chats, Mood::None, "", &[])).await.runs;
    let mut calculation = row(Expect::Calculates, Mood::Calculation, "calculate", &[]);
    calculation.text = "Extract 19% VAT from 1,190.00 EUR gross".to_owned();
    calculation.figure = Some("190.00 EUR".to_owned());
    runs[0].summary.ending = Some(purple_process::Ending::Done);
    runs[0].summary.status = purple_worker::Status::Closed;
    for (line, right) in [("190.00 EUR of VAT", true), ("1,416.10 EUR with VAT", false)] {
        runs[0].answer.as_mut().unwrap().data.answer = line.to_owned();
        let verdict = judge(&calculation, &seen(&runs, &[], &[]));
        assert_eq!(verdict == Verdict::Right, right, "{verdict:?}");
        assert_eq!(matches!(verdict, Verdict::Wrong(Fault::Figure(_))), !right);
    }
}
