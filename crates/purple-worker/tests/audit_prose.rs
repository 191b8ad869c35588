//! Arithmetic as business prose tells it: what is wrong is caught, and what is right, or no arithmetic, passes.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod audited;

use audited::{exact, fails, holds, is_left_alone, verdicts};
use purple_worker::audit::statements;

/// What each text should say instead, and the text; `\n` is a new line.
const WRONG: &str = include_str!("data/audit/wrong.tsv");
/// Right texts, and figures that claim nothing.
const RIGHT: &str = include_str!("data/audit/right.txt");

#[test]
fn every_wrong_statement_of_the_list_is_caught_and_told_with_its_value() {
    let mut texts = 0;
    for line in WRONG.lines() {
        let (comes_to, text) = line.split_once('\t').unwrap();
        let text = text.replace("\\n", "\n");
        let found = statements(&text).unwrap();
        let wrong: Vec<_> = found.iter().filter(|statement| !statement.ok).collect();
        assert_eq!(wrong.len(), 1, "{text}: {found:#?}");
        assert_eq!(wrong[0].exact, Some(exact(comes_to)), "{text}");
        texts += 1;
    }
    assert!(texts > 150, "{texts}");
}

#[test]
fn nothing_in_the_list_of_right_texts_raises_an_alarm() {
    let mut texts = 0;
    for line in RIGHT.lines() {
        let text = line.replace("\\n", "\n");
        let found = statements(&text).unwrap();
        assert!(found.iter().all(|statement| statement.ok), "{text}: {found:#?}");
        texts += 1;
    }
    assert!(texts > 250, "{texts}");
}

#[test]
fn a_difference_is_read_in_both_directions_and_with_every_minus() {
    for minus in ["-", "–", "−"] {
        fails(&format!("300 {minus} 500 = 200"), "-200");
        fails(&format!("300 {minus} 500 = 150"), "-200");
        fails(&format!("300 {minus} 500 is 200"), "-200");
        holds(&format!("300 {minus} 500 = -200"));
        holds(&format!("300 {minus} 500 = −200"));
        holds(&format!("300 {minus} 500 = (200)"));
        fails(&format!("300 {minus} 500 = (250)"), "-200");
        for relation in ["is", "=", "equals", "makes", "comes to", "gives", "leaves", "→"] {
            fails(&format!("500 {minus} 300 {relation} 250"), "200");
            fails(&format!("The credit is $500 {minus} $300 {relation} $250."), "200");
            holds(&format!("So 500 {minus} 300 {relation} 200"));
        }
    }
    fails("200 = 300 - 500", "-200");
    fails("250 is 500 - 300", "200");
}

#[test]
fn a_hyphen_between_figures_may_be_no_minus() {
    for text in [
        "Pages 300 - 500 = 150",
        "Score: 300 - 579 = 1",
        "Ages 30 - 50 is 15",
        "The range $300 - $500 is $150 wide",
        "Tier 300 - 500 = 2%",
        "2024 - 2026 = 24 months",
        "2024 - 2026 is 3",
        "300-500 = 150",
        "$300-$500 = $150",
        "Order 4500-12 = 3",
        "PO 500-300 is 250",
        "INV-500-300 = 250",
        "Phone: 555-123 = 24",
        "2026-12-11 = 3",
        "12-10-8 = 4",
        "Team A won 5 - 3 = 4",
        "0 - 100 = 1, 101 - 500 = 2",
        "100 - 200 = 1\n201 - 500 = 2",
        "A ratio of 3 - 1 is 3",
    ] {
        is_left_alone(text);
    }
    // A lost minus is told in a list of ranges too.
    assert_eq!(verdicts("300 - 500 = 200, 100 - 700 = 600"), [false, false]);
}

#[test]
fn what_stands_beside_a_calculation_is_its_result() {
    fails("12% of $8,500 ($1,120)", "1020");
    holds("12% of $8,500 ($1,020)");
    fails("$1,120 (12% of $8,500)", "1020");
    holds("$140 ($1,140 - $1,000)");
    is_left_alone("$900 (12% of $8,500 capped)");
    is_left_alone("12% of $8,500 ($900 cap)");
    is_left_alone("$4,000 ($3,000 - $5,000)");
    is_left_alone("$500 (5/12)");
}
