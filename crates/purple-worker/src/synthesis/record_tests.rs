use purple_journal::{Redacted, RedactedJson};
use purple_process::{Digest, PlanHash};
use serde_json::json;

use super::*;
use crate::synthesis::from_run::tests::{shipped, under};

fn made(ruling: Value) -> Made {
    let hash = Digest::of(b"a plan");
    Made {
        plan: PlanHash(hash),
        kept: BlobHash(hash),
        headline: Redacted::of("a plan"),
        operations: Vec::new(),
        verdict: Redacted::of("allow"),
        mode: Mode::Permissive,
        ruling: RedactedJson::from_value(ruling),
        words: None,
    }
}

#[test]
fn what_no_person_looked_at_needs_a_file_that_decides_and_that_somebody_answers_for() {
    let plan = made(json!({}));
    let mut decided = under(shipped("sla_breach"), "…");
    let driven = under(shipped("procurement"), "…");
    assert_eq!(decided.answered_for(&[]), Ok(()));
    assert_eq!(decided.answered_for(&[&plan]), Ok(()));
    assert_eq!(driven.answered_for(&[]), Ok(()));
    assert_eq!(driven.answered_for(&[&plan]), Err(Unfit::NotApproved));
    decided.dossier.chosen.unsigned = true;
    assert_eq!(decided.answered_for(&[]), Ok(()));
    let refused = decided.answered_for(&[&plan]).unwrap_err();
    assert_eq!(refused, Unfit::NotSigned { process: "sla_breach".to_owned() });
    assert!(refused.help().contains("purple process sign"), "{}", refused.help());
}

fn voice(verdict: &str, counts: bool, rules: &[&str]) -> Value {
    json!({"source": "operator", "verdict": verdict, "counts": counts, "rules": rules, "asks": []})
}

#[test]
fn what_permits_is_the_rules_that_allowed_and_count_each_once_else_the_mode() {
    let plan = made(json!({"operations": [
        {"said": [voice("allow", true, &["A-1: allow because 1 < 2"]), voice("allow", false, &["R-1: allow because"])]},
        {"said": [voice("allow", true, &["A-1: allow because 1 < 2", "A-2: always"])]},
    ]}));
    let rule = |id: &str| PermittedBy::Rule(id.to_owned());
    assert_eq!(permitted_by(&[&plan]), [rule("A-1"), rule("A-2")]);
    let silent = made(json!({"operations": [{"said": []}]}));
    assert_eq!(
        permitted_by(&[&plan, &silent]),
        [rule("A-1"), rule("A-2"), PermittedBy::Mode(Mode::Permissive)]
    );
    assert_eq!(permitted_by(&[]), []);
}

#[test]
fn a_caveat_never_ends_the_line_that_it_stands_in() {
    let permitted_by = vec![PermittedBy::Rule("A\nprocess: other\u{2028}\u{85}".to_owned())];
    let caveats = Caveats { not_read_back: Vec::new(), permitted_by };
    assert_eq!(
        caveats.comments(),
        "# No person looked at what rule A?process: other?? permitted in that run.\n"
    );
    assert_eq!(Caveats::default().comments(), "");
}
