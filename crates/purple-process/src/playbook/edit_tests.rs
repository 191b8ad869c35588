use std::collections::BTreeMap;

use jiff::civil::date;
use proptest::prelude::*;
use purple_policy::Verdict;
use serde_json::json;

use super::*;
use crate::file::{ProcessFile, load};
use crate::playbook::Decision;

/// A credit that is computed, judged by three rules and written.
fn file(edit: &str) -> ProcessFile {
    let text = format!(
        "process: trial
title: Trial
owner: owner
read: {{base: get_base()}}
compute:
  credit: base.amount
  tax: round(credit / 10, cents, half_even)
  total: credit + tax
  note: base.note
  day: base.day
decide:
  - {{rule: R-0, if: 'note == \"\" || day == \"\"', outcome: none}}
  - {{rule: R-1, if: 'credit > 5000 USD', outcome: stop}}
  - {{rule: R-2, if: 'total > 100 USD', outcome: go, ask: lead}}
  - {{rule: R-3, if: 'total <= 100 USD', outcome: go, ask: nobody}}
outcomes:
  go: {{do: 'update_base(amount=credit, tax=tax, note=note)', check: get_base().amount == credit}}
approval: {{{edit}}}
"
    );
    load(&text).unwrap_or_else(|refused| panic!("{refused}"))
}

fn case<'t>(file: &'t ProcessFile, amount: &str) -> Case<'t> {
    let mut case = Case::start(&file.tasks()[0], &BTreeMap::new(), date(2026, 3, 4));
    let base = json!({"amount": amount, "note": "as agreed", "day": "2026-03-04"});
    case.answer("base", vec![Value::from_json(&base).unwrap()]).unwrap();
    case
}

fn told(case: &Case<'_>) -> (Decision, Vec<String>) {
    let decision = case.decide();
    let operations = case.operations(&decision, &crate::fixture::order()).unwrap_or_default();
    (decision.clone(), operations.iter().map(|one| format!("{:?} {:?}", one.arguments, one.check)).collect())
}

#[test]
fn an_edit_reaches_everything_that_hangs_on_it_and_nothing_before_it() {
    let file = file("edit: [credit, note]");
    let mut edited = case(&file, "50.00 USD");
    assert_eq!(edited.decide().verdict(), Some(Verdict::Allow));
    let value = edited.read_edit("credit", " 200.00 USD ").unwrap();
    edited.edit("credit", value);
    let figures: Vec<String> =
        edited.figures().into_iter().map(|(name, value)| format!("{name}={}", value.unwrap())).collect();
    assert_eq!(figures[..3], ["credit=200.00 USD", "tax=20.00 USD", "total=220.00 USD"]);
    assert_eq!(
        (edited.decide().rule(), edited.decide().verdict()),
        (Some("R-2"), Some(Verdict::RequireApproval))
    );
    assert_eq!(edited.facts().get("base.amount").unwrap(), Value::from_literal("50.00 USD"));
    assert_eq!(edited.editable().len(), 2);
}

#[test]
fn only_declared_fields_are_edited_and_only_by_values_of_their_kind() {
    let all = file("edit: [credit, note]");
    let known = case(&all, "50.00 USD");
    let refused = |name: &str, text: &str| known.read_edit(name, text).unwrap_err().to_string();
    assert_eq!(refused("tax", "1.00 USD"), "`tax` cannot be edited; what can be is credit, note");
    assert_eq!(refused("base", "1"), "`base` cannot be edited; what can be is credit, note");
    for text in ["", "much", "200", "200.00 EUR", "20%", "true", "2026-03-04", "1e3 USD"] {
        assert!(refused("credit", text).contains("not an amount in USD, which `credit` is"), "{text}");
    }
    assert_eq!(refused("credit", "50.00 USD"), "`credit` is 50.00 USD already");
    assert_eq!(refused("credit", "50 USD"), "`credit` is 50.00 USD already");
    for text in ["", "  ", "two\nlines", &"x".repeat(EDIT_BYTES_MAX + 1)] {
        assert!(refused("note", text).starts_with("the text for `note` is empty"), "{text}");
    }
    assert!(refused("note", "50.00 USD").contains("not a text"), "it would be read back as money");
    assert_eq!(known.read_edit("note", "by phone").unwrap(), Value::text("by phone"));
    let none = file("people: 1");
    let refusal = case(&none, "50.00 USD").read_edit("credit", "1.00 USD").unwrap_err().to_string();
    assert_eq!(refusal, "`credit` cannot be edited: this process lets nothing be edited");
}

#[test]
fn what_has_no_value_cannot_be_edited() {
    let file = file("edit: credit");
    let case = Case::start(&file.tasks()[0], &BTreeMap::new(), date(2026, 3, 4));
    let refused = case.read_edit("credit", "1.00 USD").unwrap_err();
    assert_eq!(refused, BadEdit::NoValue { name: "credit".to_owned() });
}

proptest! {
    /// The rules say to an edited case what they would have said had the value been computed: no more and no less.
    #[test]
    fn an_edit_is_judged_as_if_the_value_had_been_computed(before in 0_i64..2_000_000, after in 0_i64..2_000_000) {
        prop_assume!(before != after);
        let file = file("edit: credit");
        let money = |cents: i64| format!("{}.{:02} USD", cents / 100, cents % 100);
        let mut edited = case(&file, &money(before));
        let value = edited.read_edit("credit", &money(after)).unwrap();
        edited.edit("credit", value);
        let computed = case(&file, &money(after));
        prop_assert_eq!(told(&edited), told(&computed));
    }
}
