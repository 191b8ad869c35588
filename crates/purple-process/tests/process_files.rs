//! The process files that ship, and the two examples of the format, load and pass their own tests.

use purple_process::file::{BUILTIN, builtin, load};

const INVOICE: &str = include_str!("fixtures/invoice_reconciliation.yaml");
const SLA: &str = include_str!("fixtures/sla_breach.yaml");

#[test]
fn the_two_examples_of_the_format_load_and_pass_their_tests() {
    for (text, tests) in [(INVOICE, 3), (SLA, 2)] {
        let file = load(text).unwrap_or_else(|refused| panic!("{refused}"));
        assert!(file.tasks()[0].is_complete());
        assert_eq!(file.tasks()[0].test_count(), tests);
    }
}

#[test]
fn all_fifteen_builtin_processes_load_under_their_names() {
    for (name, text) in BUILTIN {
        let file = load(text).unwrap_or_else(|refused| panic!("{name}\n{refused}"));
        assert_eq!(file.name(), name);
    }
    assert_eq!(builtin().unwrap().len(), 15);
}
