//! Reversals of something that was done: the undo is offered as a plan, and nothing is changed before somebody approves it.

use crate::company;
use crate::judge::{Verdict, judge};
use crate::row::{Act, Expect, Mood, Row};

const INVOICE: &str = "Approve invoice INV-2024-448 for $25,500.00 against PO-8822.";
const OFFBOARDING: &str = "Start offboarding for employee E-2291 (last day Friday)";
const CREDIT: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";

const REVERSALS: [(&str, &str, &str); 6] = [
    (INVOICE, "Undo the approval of INV-2024-448.", "INV-2024-448"),
    (INVOICE, "Bitte die Freigabe von INV-2024-448 wieder zurücknehmen.", "INV-2024-448"),
    (OFFBOARDING, "Cancel the offboarding of E-2291.", "E-2291"),
    (OFFBOARDING, "Annulez l'offboarding de E-2291.", "E-2291"),
    (CREDIT, "Please reverse the SLA credit for INFRA-9.", "INFRA-9"),
    (CREDIT, "Anule el crédito SLA de INFRA-9.", "INFRA-9"),
];

#[tokio::test]
async fn a_reversal_offers_the_undo_of_what_an_earlier_run_did() {
    for (earlier, text, target) in REVERSALS {
        let act = Act { mood: Mood::Reversal, verb: String::new(), targets: vec![target.to_owned()] };
        let row = Row {
            id: text.to_owned(),
            text: text.to_owned(),
            acts: vec![act],
            expect: Expect::Undoes,
            process: None,
            writes: Vec::new(),
            figure: None,
        };
        let seen = company::run_after(Some(earlier), &row).await;
        assert_eq!(judge(&row, &seen), Verdict::Right, "{text}");
        assert!(!seen.planned.is_empty(), "{text}: there is something to reverse");
    }
}
