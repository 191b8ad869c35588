//! Two thousand texts with one planted error each: all are caught. Two thousand right ones, of the same shapes: none is.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod planted;

use planted::text;
use proptest::prelude::*;
use proptest::{collection, sample::select};
use purple_finance::{Exact, Rounding};
use purple_worker::audit::{Known, Statement, audit, statements};

/// What a text about figures is made of, with whatever stands before and behind it.
const WORDS: &[&str] = &[
    "100",
    " 200",
    " $300.00",
    " 12%",
    "1,000 ",
    " 0",
    "-5 ",
    " 2024",
    " is ",
    " = ",
    ": ",
    ", ",
    ". ",
    "\n",
    "\n- ",
    " and ",
    " the ",
    "sum of ",
    "Total",
    "average of ",
    "product of ",
    "difference between ",
    " less ",
    " increased by ",
    " reduced by ",
    " at ",
    " plus ",
    " times ",
    " divided by ",
    " of ",
    "(",
    ")",
    "|",
    "Items",
    "adding ",
    "subtracting ",
    " from ",
    " to ",
    " gives ",
    "é",
    "¥",
    " EUR",
    " hours",
    "Subtotal ",
    " × ",
    " - ",
    " /",
];

fn wrong(text: &str) -> Vec<Statement> {
    statements(text).unwrap().into_iter().filter(|statement| !statement.ok).collect()
}

/// What may be proposed after a statement: its value, and where that is no percentage, rounded as an amount is.
fn derived(statement: &Statement) -> Vec<Exact> {
    let exact = statement.exact.clone().unwrap();
    let points = statement.stated.times(&Exact::from(100)).unwrap().to_fixed(1, Rounding::HalfEven);
    let is_percentage = statement.text.contains(&format!("{points}%"));
    let amount = exact.rounded(2, Rounding::HalfEven);
    if is_percentage { vec![exact] } else { vec![exact, amount] }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

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
        // Every amount that the text derives from what is known may be proposed, and none that it makes up.
        let named = |value: &Exact| Known { name: "amount".to_owned(), value: value.clone() };
        let proposed: Vec<Known> =
            found.iter().flat_map(derived).map(|value| named(&value)).collect();
        let inputs: Vec<Known> = found.iter().flat_map(|statement| &statement.inputs).map(named).collect();
        prop_assert!(audit(&text, &proposed, &inputs).unwrap().passes(), "{}", text);
        prop_assert_eq!(audit(&text, &proposed, &[]).unwrap().underived.len(), proposed.len(), "{}", text);
    }

    #[test]
    fn any_text_is_read_without_a_fault(text in prop_oneof![
        "[0-9a-zA-Z $€%.,:;/*+=()|×÷−–≈\\-\\n]{0,200}",
        any::<String>(),
        collection::vec(select(WORDS), 0..60).prop_map(|words| words.concat()),
    ]) {
        for statement in statements(&text).unwrap() {
            prop_assert_eq!(text.get(statement.span.clone()).map(str::trim_end), Some(statement.text.as_str().trim_end()));
        }
        let known = Known { name: "known".to_owned(), value: Exact::from(100) };
        prop_assert!(audit(&text, std::slice::from_ref(&known), std::slice::from_ref(&known)).is_ok());
    }
}
