//! Reads sentences of business people as tasks, without a language model. The ledger of the demo company judges.
//!
//! `checks/reading` runs more sentences than the tests, and sentences of another file.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

#[path = "../house/mod.rs"]
mod house;

mod company;
mod compose;
mod figure;
mod judge;
mod report;
mod reversal;
mod rounds;
mod row;
mod several;
mod weakened;

use std::path::PathBuf;

use judge::Verdict;
use report::{Count, Report, Show};
use row::{Expect, Row};

/// Composed sentences of the test command; `checks/reading` sets `PURPLE_READING_COMPOSED`.
const COMPOSED: usize = 300;
/// Orders whose variants are compared with them, and variants of each.
const FAMILIES: (usize, usize) = (30, 3);
/// Of the orders, questions and calculations that a complete process or a shipped function covers, so many are right.
const RIGHT_PERCENT_MIN: usize = 85;
/// Of the orders, so many at most are answered with a question.
const ASKED_PERCENT_MAX: usize = 5;
/// The rows of the open corpus that are right, at least. Raised when the grammar becomes better, never lowered.
const RIGHT_MIN: [(Expect, usize); 7] = [
    (Expect::Does, 158),
    (Expect::Advises, 195),
    (Expect::Calculates, 50),
    (Expect::Asks, 45),
    (Expect::Undoes, 19),
    (Expect::Lists, 29),
    (Expect::Chats, 14),
];

fn open_corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../checks/corpus/open.jsonl")
}

#[expect(clippy::disallowed_methods, reason = "the length of the check and its file are the caller's")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[expect(clippy::print_stdout, reason = "the report is what the check is run for")]
fn show_report(report: &Report, show: Show) {
    println!("{}", report.to_text(show));
}

/// Runs sentences, prints the report, and fails if one of them did what it does not permit.
async fn nothing_wrong(rows: Vec<Row>, show: Show) -> Report {
    let report = Report::of(rows).await;
    show_report(&report, show);
    let Count { writes, plans, figures, .. } = report.count_where(|_| true);
    assert_eq!((writes, plans, figures), (0, 0, 0), "wrong writes, plans and figures");
    report
}

#[track_caller]
fn mostly_right(report: &Report) {
    let (covered, orders) = (report.count_where(Row::is_covered), report.count(Expect::Does));
    assert!(covered.right * 100 >= covered.rows * RIGHT_PERCENT_MIN, "{covered:?}");
    assert!(orders.asked * 100 <= orders.rows * ASKED_PERCENT_MAX, "{orders:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_sentence_of_a_corpus_leads_to_what_it_does_not_order() {
    let other = setting("PURPLE_READING_FILE").map(PathBuf::from);
    let show = if setting("PURPLE_READING_IDS_ONLY").is_some() { Show::Ids } else { Show::Sentences };
    let report = nothing_wrong(row::read(&other.clone().unwrap_or_else(open_corpus)), show).await;
    mostly_right(&report);
    if other.is_none() {
        for (expect, right) in RIGHT_MIN {
            assert!(report.count(expect).right >= right, "{expect}: {:?}", report.count(expect));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_composed_sentence_leads_to_what_it_does_not_order() {
    let count = setting("PURPLE_READING_COMPOSED").map_or(COMPOSED, |text| text.parse().unwrap());
    let seed = setting("PURPLE_READING_SEED").map_or(1, |text| text.parse().unwrap());
    let report = nothing_wrong(compose::compose(seed, count), Show::Sentences).await;
    mostly_right(&report);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_covered_order_stays_one_with_courtesies_and_in_mails() {
    let (count, variants) = FAMILIES;
    let families = compose::families(1, count, variants);
    let rows = families.iter().flat_map(|family| std::iter::once(&family.plain).chain(&family.variants));
    let report = nothing_wrong(rows.cloned().collect(), Show::Sentences).await;
    let right =
        |row: &Row| report.judged.iter().any(|(one, verdict)| one.id == row.id && *verdict == Verdict::Right);
    let covered: Vec<_> = families.iter().filter(|family| right(&family.plain)).collect();
    assert!(covered.len() * 100 >= count * RIGHT_PERCENT_MIN, "{} of {count} plain orders", covered.len());
    let lost: Vec<_> = covered.iter().flat_map(|family| &family.variants).filter(|row| !right(row)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}
