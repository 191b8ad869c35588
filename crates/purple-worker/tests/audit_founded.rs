//! What stands behind a figure of an operation: nothing but what was known, and what follows from it.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use purple_finance::Exact;
use purple_worker::audit::{Known, audit};

fn known(value: &str) -> Known {
    Known { name: "known".to_owned(), value: Exact::parse(value).unwrap() }
}

/// Whether a text accounts for a figure, with these known.
fn accounts(text: &str, figure: &str, gathered: &[&str]) -> bool {
    let gathered: Vec<Known> = gathered.iter().map(|value| known(value)).collect();
    let audit = audit(text, &[known(figure)], &gathered).unwrap();
    assert!(audit.statements.iter().all(|statement| statement.ok), "{text}: {:#?}", audit.statements);
    assert!(!audit.statements.is_empty(), "{text}");
    // What nothing accounts for is of unknown origin, and not wrong.
    assert_eq!(audit.contradictions(), Vec::<String>::new());
    audit.underived.is_empty()
}

#[test]
fn a_true_statement_about_figures_of_nobody_accounts_for_nothing() {
    assert!(!accounts("5,000 + 3,500 = 8,500", "8500", &[]));
    assert!(!accounts("5,000 + 3,500 = 8,500", "8500", &["5000"]));
    assert!(!accounts("5,000 + 3,500 = 8,500", "8500", &["3500", "12"]));
    assert!(accounts("5,000 + 3,500 = 8,500", "8500", &["5000", "3500"]));
    assert!(!accounts("- a: $10\n- b: $20\nTotal: $30", "30", &["10"]));
    assert!(accounts("- a: $10\n- b: $20\nTotal: $30", "30", &["10", "20"]));
    assert!(!accounts("from 1,000 to 1,250 is an increase of 250", "250", &["1000"]));
    assert!(accounts("from 1,000 to 1,250 is an increase of 250", "250", &["1000", "1250"]));
    assert!(!accounts("The sum of 100, 200 and 300 is 600", "600", &["100", "200"]));
    assert!(accounts("The sum of 100, 200 and 300 is 600", "600", &["100", "200", "300"]));
    assert!(!accounts("1,020 is 12% of 8,500", "1020", &["8500"]));
    assert!(accounts("1,020 is 12% of 8,500", "1020", &["8500", "0.12"]));
}

#[test]
fn a_statement_may_rest_on_another_wherever_that_stands() {
    let forward = "5,000 + 3,500 = 8,500, and 8,500 × 12% = 1,020";
    assert!(accounts(forward, "1020", &["5000", "3500", "12"]));
    assert!(!accounts(forward, "1020", &["5000", "12"]));
    let backward = "8,500 × 12% = 1,020, because 5,000 + 3,500 = 8,500";
    assert!(accounts(backward, "1020", &["5000", "3500", "12"]));
    // Two that rest on each other rest on nothing.
    let circle = "8,500 - 3,500 = 5,000, and 5,000 + 3,500 = 8,500";
    assert!(!accounts(circle, "8500", &["3500"]));
}

#[test]
fn a_rate_may_be_known_as_a_fraction_or_in_points() {
    for rate in ["0.12", "12"] {
        assert!(accounts("12% of 8,500 = 1,020", "1020", &["8500", rate]), "{rate}");
    }
    assert!(!accounts("8,500 - 85 = 8,415", "8415", &["8500"]), "85 is no percentage of 8500");
}

#[test]
fn plain_scales_need_no_source_and_found_nothing_by_themselves() {
    assert!(accounts("500 × 12 = 6,000", "6000", &["500"]));
    assert!(accounts("12 × 500 = 6,000", "6000", &["500"]));
    assert!(accounts("7,300 / 365 = 20", "20", &["7300"]));
    assert!(accounts("8,500 × (1 + 12%) = 9,520", "9520", &["8500", "12"]));
    assert!(!accounts("500 + 12 = 512", "512", &["500"]), "what is added needs a source");
    assert!(!accounts("100 + 10% = 110", "110", &["10"]), "the hundred is an amount here");
    assert!(!accounts("500 × 7 = 3,500", "3500", &["500"]));
    assert!(!accounts("12 × 100 = 1,200", "1200", &[]));
}

#[test]
fn a_figure_rests_on_the_exact_value_or_on_an_amount_of_it() {
    let cases = [
        ("20 / 6 = 3.33", "3.33", true),
        ("20 / 6 = 3.3", "3.3", false),
        ("20 / 6 = 3.3", "3.33", true),
        ("20 / 6 = 3", "3", false),
        ("20 / 6 is about 3", "3", false),
        ("20 JPY / 6 = 3 JPY", "3", true),
        ("20 / 6 = 3.333 KWD", "3.333", true),
        ("20 / 6 = 3.333", "3.333", false),
        ("2.5 × 1.066 = 2.67", "2.67", true),
        ("2.5 × 1.066 = 2.67", "2.66", true),
        ("2.5 × 1.066 = 2.67", "2.665", true),
        ("2.5 × 1.066 = 3", "3", false),
        ("5 / 40 = 12.5%", "12.5", true),
        ("5 / 40 = 12.5%", "0.125", true),
        ("5 / 40 = 12%", "12", false),
        ("5 / 40 = 12%", "0.12", false),
        ("20 + (6) = 14", "14", true),
        ("20 + (6) = 14", "26", false),
        ("The average of 5, 5 and 6 is 5.33", "5.33", true),
        ("The average of 5, 5 and 6 is 5.3", "5.3", false),
        ("- a: $5\n- b: $20\nTotal: 2", "25", false),
    ];
    for (text, figure, is_accounted) in cases {
        let gathered = ["20", "6", "2.5", "1.066", "5", "40"];
        assert_eq!(accounts(text, figure, &gathered), is_accounted, "{text}: {figure}");
    }
}
