use purple_process::file::{BUILTIN, load};

use super::*;

fn shipped(name: &str) -> &'static str {
    BUILTIN.iter().find(|(known, _)| *known == name).unwrap().1
}

fn between(before: &str, after: &str) -> Difference {
    Difference::between(before, after).unwrap()
}

const PLAIN: &str = r#"process: vetted
title: Look at a vendor
owner: purchasing
keywords: [vetting]
decide:
  - {rule: V-1, if: 'amount > 100', ask: controller, because: "much"}
  - {rule: V-2, if: 'amount > 10', ask: purchasing}
approval: {never: requester}
"#;

#[test]
fn a_file_with_one_more_test_has_the_same_rules_and_the_same_of_everything_that_decides() {
    for (name, text) in BUILTIN {
        let file = load(text).unwrap();
        let task = file.tasks()[0].name();
        let more = purple_process::file::with_test(text, task, &[("text".to_owned(), json!("x"))]);
        let Some(more) = more else { continue };
        let found = between(text, &more);
        assert_eq!((found.rules.len(), found.is_reordered, found.parts.len()), (0, false, 0), "{name}");
        assert_eq!(found.tests_after, found.tests_before + 1, "{name}");
        assert_eq!(found.lines()[..2], ["rules: the same", "everything else that decides: the same"]);
    }
}

#[test]
fn a_rule_that_asks_less_is_added_or_left_out_is_told_by_its_id_and_its_words() {
    let text = PLAIN
        .replace("ask: controller", "ask: nobody")
        .replace("  - {rule: V-2, if: 'amount > 10', ask: purchasing}", "  - {rule: V-9, ask: nobody}");
    let found = between(PLAIN, &text);
    let lines = found.lines();
    assert_eq!(lines[0], "rules: 1 added, 1 removed, 1 changed");
    assert!(lines.contains(&"  ~ V-1, ask: controller → nobody".to_owned()), "{lines:?}");
    assert!(lines.contains(&"  + V-9: ask nobody".to_owned()), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("  - V-2: ") && line.contains("ask purchasing")),
        "{lines:?}"
    );
    let data = found.to_json();
    assert_eq!((&data["rules"]["added"], &data["rules"]["removed"]), (&json!(["V-9"]), &json!(["V-2"])));
    assert_eq!(data["rules"]["changed"][0]["rule"], "V-1");
    assert_eq!(
        data["rules"]["changed"][0]["parts"],
        json!([{"part": "ask", "before": "controller", "after": "nobody"}])
    );
}

#[test]
fn rules_in_another_order_are_told_because_the_first_that_matches_decides() {
    let (first, second) = (PLAIN.lines().nth(5).unwrap(), PLAIN.lines().nth(6).unwrap());
    let swapped = PLAIN.replace(first, "@").replace(second, first).replace('@', second);
    let found = between(PLAIN, &swapped);
    assert!(found.is_reordered && found.rules.is_empty());
    assert!(found.lines()[0].contains("in another order"), "{:?}", found.lines());
    assert_eq!(found.to_json()["rules"]["reordered"], true);
}

#[test]
fn what_else_decides_is_told_by_name_also_within_a_task() {
    let without = between(PLAIN, &PLAIN.replace("approval: {never: requester}\n", "limits: {writes: 3}\n"));
    assert_eq!(without.parts, ["approval", "limits"]);
    let text = shipped("hr_offboarding");
    let other = text.replacen("revoke_access(employee_id", "revoke_all_access(employee_id", 1);
    assert_ne!(text, other);
    let found = between(text, &other);
    assert!(found.parts.iter().any(|part| part.contains('.')), "{:?}", found.parts);
    assert!(found.lines().iter().any(|line| line.starts_with("everything else that decides: changed in ")));
}
