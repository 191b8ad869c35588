//! A thousand texts with one planted error each: all are caught. A thousand right ones: none is.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod planted;

use planted::text;
use proptest::prelude::*;
use purple_worker::audit::{Known, Statement, audit, statements};

fn wrong(text: &str) -> Vec<Statement> {
    statements(text).unwrap().into_iter().filter(|statement| !statement.ok).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn every_planted_error_is_caught(seed: u64) {
        let text = text(seed, true);
        let wrong = wrong(&text);
        prop_assert_eq!(wrong.len(), 1, "{}\n{:#?}", text, statements(&text));
        prop_assert!(!audit(&text, &[], &[]).unwrap().passes());
    }

    #[test]
    fn no_right_text_raises_an_alarm_and_every_statement_is_read(seed: u64) {
        let text = text(seed, false);
        let found = statements(&text).unwrap();
        prop_assert!(found.iter().all(|statement| statement.ok), "{}\n{:#?}", text, wrong(&text));
        prop_assert_eq!(found.len(), 3, "{}\n{:#?}", text, found);
        // Every figure that the text derives may be proposed.
        let proposed: Vec<Known> =
            found.iter().map(|s| Known { name: "amount".to_owned(), value: s.stated.clone() }).collect();
        prop_assert!(audit(&text, &proposed, &[]).unwrap().passes());
    }

    #[test]
    fn any_text_is_read_without_a_fault(text in "[0-9a-zA-Z $€%.,:;/*+=()|×÷−–≈\\-\\n]{0,200}") {
        for statement in statements(&text).unwrap() {
            prop_assert_eq!(text.get(statement.span.clone()).map(str::trim_end), Some(statement.text.as_str().trim_end()));
        }
    }
}
