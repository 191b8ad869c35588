//! What the rules of a request say about its text alone, before any work. Pure.

use serde_json::Value;

use crate::document::PolicyDocument;
use crate::facts::Facts;
use crate::subject::Subject;
use crate::verdict::{Authority, Verdict};

/// What the rules say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The rules that fired, by id.
    pub applied: Vec<String>,
    /// Those of them that forbid, each with its reason.
    pub violations: Vec<Violation>,
    /// The rules that would restrict and could not be checked on the words alone, each with what is missing.
    pub unchecked: Vec<String>,
}

/// A rule that forbids what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: String,
    /// What it is for, or what it says.
    pub why: String,
}

/// Rules that cannot be read, and what is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rules cannot be read: {}", wrong.join("; "))]
pub struct BadRules {
    /// What is wrong, the first few.
    pub wrong: Vec<String>,
}

/// The most faults of a policy that are told at once.
const WRONG_TOLD_MAX: usize = 3;

/// Judges words by rules that came with them. Prose says nothing here: it is advice, and nobody evaluates it.
pub fn preview(policy: &Value, words: &str) -> Result<Preview, BadRules> {
    if policy.is_string() {
        return Ok(Preview::default());
    }
    let document = PolicyDocument::parse(&policy.to_string(), Authority::Request).map_err(|wrong| {
        BadRules { wrong: wrong.iter().take(WRONG_TOLD_MAX).map(ToString::to_string).collect() }
    })?;
    let judgement = document.bind(&Facts::new()).judge(&Subject { task: words, ..Subject::default() });
    let mut preview = Preview::default();
    for rule in judgement.triggered_rules() {
        preview.applied.push(rule.id().to_owned());
        if rule.action() == Verdict::Block {
            let why = rule.description().map_or_else(|| rule.condition(), str::to_owned);
            preview.violations.push(Violation { rule: rule.id().to_owned(), why });
        }
    }
    preview.unchecked = judgement.unchecked_rules().map(|rule| rule.to_string()).collect();
    Ok(preview)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_deny_rule_fires_on_the_words_and_says_what_it_is_for() {
        let rules = json!({
            "rules": [
                {"id": "r1", "type": "deny", "description": "no gifts", "keywords": ["gift card"]},
                {"id": "r2", "type": "deny", "pattern": "refund.*twice"},
            ],
            "default_action": "allow",
        });
        let clean = preview(&rules, "List the capitals of France and Germany.").unwrap();
        assert_eq!(clean, Preview::default());
        let found = preview(&rules, "Send a Gift Card, then refund them twice").unwrap();
        assert_eq!(found.applied, ["r1", "r2"]);
        assert_eq!(found.violations[0], Violation { rule: "r1".to_owned(), why: "no gifts".to_owned() });
        assert_eq!(found.violations.len(), 2);
        assert_eq!(preview(&json!("Be kind."), "gift card").unwrap(), Preview::default());
        let wrong = preview(&json!({"rules": [{"id": "r", "type": "deny"}]}), "x").unwrap_err();
        assert!(!wrong.wrong.is_empty());
    }
}
