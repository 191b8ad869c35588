use super::*;
use crate::facts::Source;
use crate::value::Value;
use crate::verdict::Level;

fn document(json: &str, authority: Authority) -> PolicyDocument {
    PolicyDocument::parse(json, authority).unwrap_or_else(|wrong| panic!("{}", wrong[0]))
}

fn operator(json: &str) -> PolicyDocument {
    document(json, Authority::Operator)
}

fn rules(rules: &str) -> String {
    format!(r#"{{"rules": [{rules}]}}"#)
}

fn facts(pairs: &[(&str, &str)]) -> Facts {
    let mut facts = Facts::new();
    for (name, literal) in pairs {
        facts.set(Source::Read, *name, Value::from_literal(literal));
    }
    facts
}

fn task(task: &str) -> Subject<'_> {
    Subject { task, ..Subject::default() }
}

fn call<'a>(tool: &'a str, arguments: &'a str) -> Subject<'a> {
    Subject { task: "please", tool: Some(tool), arguments, ..Subject::default() }
}

/// The verdict, told by both doors.
fn verdict(document: &PolicyDocument, facts: &Facts, subject: &Subject<'_>) -> Option<Verdict> {
    let bound = document.bind(facts);
    let verdict = bound.verdict(subject);
    assert_eq!(bound.judge(subject).verdict(), verdict);
    verdict
}

const EXPENSE: &str = r#"{
  "rules": [{"id": "EXPENSE_LIMIT", "condition": "amount > 5000", "action": "require_approval", "level": "manager"}],
  "context": {"amount": 7200}
}"#;

#[test]
fn the_result_says_everything_about_the_rule_that_fired() {
    let judgement = operator(EXPENSE).bind(&Facts::new()).judge(&task("pay"));
    let expected = serde_json::json!({
        "passed": false,
        "verdict": "require_approval",
        "requiresApproval": true,
        "escalationRequired": false,
        "escalationLevel": "manager",
        "triggeredRules": [{
            "id": "EXPENSE_LIMIT",
            "condition": "amount > 5000",
            "action": "require_approval",
            "level": "manager",
            "description": null,
            "values": {"amount": "7200"},
            "explanation": "amount (7200) > 5000",
        }],
        "notEvaluated": [],
    });
    assert_eq!(serde_json::to_value(&judgement).unwrap(), expected);
}

#[test]
fn numbers_are_put_in_as_they_were_compared() {
    let document = operator(&rules(r#"{"condition": "variance_percent > 2.0", "action": "escalate"}"#));
    let judgement = document.bind(&facts(&[("variance_percent", "2.2265625")])).judge(&task(""));
    let explanations: Vec<String> = judgement.triggered_rules().map(|rule| rule.explanation()).collect();
    assert_eq!(explanations, ["variance_percent (2.2265625) > 2.0"]);
    assert_eq!(
        judgement.to_string(),
        "escalate\n  rule-1: escalate because variance_percent (2.2265625) > 2.0"
    );
}

#[test]
fn no_rule_that_fires_is_no_verdict_and_passes() {
    let judgement = operator(EXPENSE).bind(&facts(&[("amount", "7200")])).judge(&task(""));
    assert_eq!(judgement.verdict(), Some(Verdict::RequireApproval));
    let silent = operator(&rules(r#"{"condition": "amount > 9", "action": "block"}"#));
    let judgement = silent.bind(&facts(&[("amount", "9")])).judge(&task(""));
    assert_eq!((judgement.verdict(), judgement.passed()), (None, true));
    assert_eq!(judgement.triggered_rules().count(), 0);
}

#[test]
fn all_rules_are_judged_and_the_strictest_wins_with_the_highest_level() {
    let document = operator(&rules(
        r#"{"id": "A", "condition": "x > 1", "action": "allow", "level": "ciso"},
           {"id": "B", "condition": "x > 2", "action": "escalate", "level": "hr"},
           {"id": "C", "condition": "x > 3", "action": "require_approval", "level": "legal"},
           {"id": "D", "condition": "x > 4", "action": "block"}"#,
    ));
    let judged = |x: &str| {
        let judgement = document.bind(&facts(&[("x", x)])).judge(&task(""));
        let ids: Vec<String> = judgement.triggered_rules().map(|rule| rule.id().to_owned()).collect();
        (judgement.verdict(), judgement.escalation_level(), ids.join(""))
    };
    assert_eq!(judged("1"), (None, None, String::new()));
    assert_eq!(judged("2"), (Some(Verdict::Allow), None, "A".into()));
    assert_eq!(judged("3"), (Some(Verdict::Escalate), Some(Level::Hr), "AB".into()));
    assert_eq!(judged("4"), (Some(Verdict::Escalate), Some(Level::Legal), "ABC".into()));
    assert_eq!(judged("5"), (Some(Verdict::Block), Some(Level::Legal), "ABCD".into()));
}

#[test]
fn a_restricting_rule_that_cannot_be_evaluated_demands_a_person_and_names_the_value() {
    for action in ["require_approval", "escalate", "block"] {
        let rule = format!(
            r#"{{"id": "A", "condition": "amount > 1 && country == 'DE'", "action": "{action}", "level": "legal", "description": "Germany"}}"#
        );
        let judgement = operator(&rules(&rule)).bind(&facts(&[("amount", "5")])).judge(&task(""));
        assert_eq!(judgement.verdict(), Some(Verdict::RequireApproval), "{action}");
        assert_eq!(judgement.triggered_rules().count(), 0);
        assert!(judgement.requires_approval() && !judgement.escalation_required() && !judgement.passed());
        assert_eq!(judgement.escalation_level(), Some(Level::Legal));
        let unchecked = judgement.unchecked_rules().next().unwrap();
        assert_eq!((unchecked.id(), unchecked.action().as_str()), ("A", action));
        assert_eq!(unchecked.why().name(), Some("country"));
        assert_eq!(unchecked.explanation(), "could not be checked: `country` is not known");
        // Its author's words would claim what nobody found.
        assert!(!serde_json::to_string(&judgement).unwrap().contains("Germany"));
        assert!(!judgement.to_string().contains("because"), "{judgement}");
    }
}

#[test]
fn what_holds_beside_a_doubt_keeps_its_own_verdict() {
    let document = operator(&rules(
        r#"{"id": "A", "condition": "country == 'DE'", "action": "block"},
           {"id": "B", "condition": "amount > 1", "action": "escalate"},
           {"id": "C", "condition": "amount > 1", "action": "allow"}"#,
    ));
    assert_eq!(verdict(&document, &facts(&[("amount", "5")]), &task("")), Some(Verdict::Escalate));
    assert_eq!(verdict(&document, &facts(&[("amount", "1")]), &task("")), Some(Verdict::RequireApproval));
}

#[test]
fn an_allow_that_cannot_be_evaluated_does_not_fire() {
    let document = operator(&rules(r#"{"condition": "amount < 100", "action": "allow"}"#));
    assert_eq!(verdict(&document, &Facts::new(), &call("pay", "")), None);
    assert_eq!(verdict(&document, &facts(&[("amount", "5")]), &call("pay", "")), Some(Verdict::Allow));
}

#[test]
fn context_and_facts_that_disagree_are_a_doubt() {
    let doubt = |amount| verdict(&operator(EXPENSE), &facts(&[("amount", amount)]), &task(""));
    assert_eq!(doubt("7200.00"), Some(Verdict::RequireApproval));
    let judgement = operator(EXPENSE).bind(&facts(&[("amount", "1")])).judge(&task(""));
    let reasons: Vec<_> = judgement.unchecked_rules().map(|rule| rule.why().to_string()).collect();
    assert_eq!(reasons, ["`amount` is ambiguous: read says 1, context says 7200"]);
}

#[test]
fn context_does_not_hide_a_context_of_the_caller() {
    let facts = Facts::new().with(Source::Context, "amount", Value::from(1));
    assert_eq!(verdict(&operator(EXPENSE), &facts, &task("")), Some(Verdict::RequireApproval));
}

#[test]
fn a_request_can_only_restrict() {
    let allow = rules(r#"{"condition": "true", "action": "allow"}"#);
    let by_default = r#"{"rules": [], "default_action": "allow"}"#;
    for json in [allow.as_str(), by_default] {
        let judged = |authority| verdict(&document(json, authority), &Facts::new(), &call("pay", ""));
        assert_eq!(judged(Authority::Operator), Some(Verdict::Allow));
        assert_eq!(judged(Authority::Process), Some(Verdict::Allow));
        assert_eq!(judged(Authority::Request), None);
    }
}

#[test]
fn allow_by_default_concerns_operations_on_which_no_rule_fires() {
    let json =
        r#"{"rules": [{"condition": "x > 1", "action": "require_approval"}], "default_action": "allow"}"#;
    let document = operator(json);
    assert_eq!(verdict(&document, &facts(&[("x", "2")]), &call("pay", "")), Some(Verdict::RequireApproval));
    assert_eq!(verdict(&document, &facts(&[("x", "1")]), &call("pay", "")), Some(Verdict::Allow));
    assert_eq!(verdict(&document, &facts(&[("x", "1")]), &task("pay")), None);
}

#[test]
fn deny_by_default_blocks_what_no_rule_allows() {
    let json =
        r#"{"rules": [{"id": "small", "condition": "x < 5", "action": "allow"}], "default_action": "deny"}"#;
    for (authority, allowed) in [(Authority::Operator, Some(Verdict::Allow)), (Authority::Request, None)] {
        let document = document(json, authority);
        assert_eq!(verdict(&document, &facts(&[("x", "4")]), &call("pay", "")), allowed);
        assert_eq!(verdict(&document, &facts(&[("x", "5")]), &call("pay", "")), Some(Verdict::Block));
        assert_eq!(verdict(&document, &Facts::new(), &call("pay", "")), Some(Verdict::Block));
        assert_eq!(verdict(&document, &facts(&[("x", "5")]), &task("pay")), None);
    }
    let judgement = operator(json).bind(&Facts::new()).judge(&call("pay", ""));
    assert_eq!(judgement.to_string(), "block\n  default_action: block because no rule allows `pay`");
}

#[test]
fn keywords_are_whole_words_in_any_case_wherever_they_stand() {
    let document =
        operator(&rules(r#"{"id": "r1", "type": "deny", "keywords": ["Wire Transfer", "gift", "$$$"]}"#));
    let blocked = |subject: &Subject<'_>| verdict(&document, &Facts::new(), subject) == Some(Verdict::Block);
    assert!(blocked(&task("send a WIRE  transfer now")));
    assert!(blocked(&task("gift.")));
    assert!(blocked(&task("g\u{200B}ift")));
    assert!(blocked(&task("easy $$$!")));
    assert!(blocked(&call("send_gift_card", "{}")));
    assert!(blocked(&call("sendGiftCard", "{}")));
    assert!(blocked(&call("send", r#"{"note": "Gift"}"#)));
    assert!(blocked(&call("send", r#"{"note": "please\nGift\tnow"}"#)), "an escape hides nothing");
    assert!(!blocked(&task("gifted wires transferred $$")));
    assert!(!blocked(&task("wire the transfer")));
    let judgement = document.bind(&Facts::new()).judge(&call("send_gift_card", ""));
    assert_eq!(judgement.to_string(), "block\n  r1: block because `gift` stands in the tool's name");
}

#[test]
fn patterns_are_regular_expressions() {
    let document = operator(&rules(r#"{"type": "deny", "pattern": "(?i)acct[- ]?\\d{4}"}"#));
    let judged = |subject: &Subject<'_>| verdict(&document, &Facts::new(), subject);
    assert_eq!(judged(&task("ACCT-1234")), Some(Verdict::Block));
    assert_eq!(judged(&call("pay", "{\"to\":\"acct 9999\"}")), Some(Verdict::Block));
    assert_eq!(judged(&task("acct")), None);
    // Arguments without a tool belong to no operation.
    assert_eq!(judged(&Subject { arguments: "acct-1234", ..task("") }), None);
}

#[test]
fn a_text_too_long_to_search_is_a_doubt_and_asks() {
    let document = operator(&rules(r#"{"type": "deny", "keywords": ["gift"]}"#));
    let long = "a ".repeat(crate::limits::SUBJECT_TEXT_BYTES_MAX);
    assert_eq!(verdict(&document, &Facts::new(), &task(&long)), Some(Verdict::RequireApproval));
}

#[test]
fn a_tool_needs_another_first() {
    for json in [
        r#"{"tool": "modify_order_items", "require_before": "confirm_with_user"}"#,
        r#"{"type": "require_before", "tool": ["modify_order_items"], "requires": "confirm_with_user"}"#,
        r#"{"require_before": {"tool": "modify_order_items", "requires": ["confirm_with_user"]}}"#,
    ] {
        let document = operator(&rules(json));
        let unmet = call("modify_order_items", "{}");
        let asks = Subject { approval_tools: &["confirm_with_user"], ..unmet };
        let met = Subject { satisfied: &["get_order", "confirm_with_user"], ..unmet };
        assert_eq!(verdict(&document, &Facts::new(), &unmet), Some(Verdict::Block), "{json}");
        assert_eq!(verdict(&document, &Facts::new(), &asks), Some(Verdict::RequireApproval));
        assert_eq!(verdict(&document, &Facts::new(), &met), None);
        assert_eq!(verdict(&document, &Facts::new(), &call("get_order", "{}")), None);
        assert_eq!(verdict(&document, &Facts::new(), &task("modify_order_items")), None);
        let explained = document.bind(&Facts::new()).judge(&unmet).to_string();
        assert!(explained.ends_with("`modify_order_items` needs `confirm_with_user` first"), "{explained}");
    }
}

#[test]
fn of_several_unmet_tools_the_strictest_counts() {
    let document = operator(&rules(r#"{"tool": "pay", "require_before": ["ask", "check", "look"]}"#));
    let subject = Subject { approval_tools: &["ask"], satisfied: &["look"], ..call("pay", "") };
    assert_eq!(verdict(&document, &Facts::new(), &subject), Some(Verdict::Block));
    let subject = Subject { satisfied: &["look", "check"], ..subject };
    assert_eq!(verdict(&document, &Facts::new(), &subject), Some(Verdict::RequireApproval));
}

#[test]
fn rules_without_an_id_are_numbered_by_their_place() {
    let document = operator(&rules(
        r#"{"condition": "a", "action": "block"}, {"id": "named", "condition": "a", "action": "block"},
           {"condition": "b", "action": "block"}"#,
    ));
    assert_eq!(document.rule_ids().collect::<Vec<_>>(), ["rule-1", "named", "rule-3"]);
    assert_eq!(document.names(), ["a", "b"]);
    assert_eq!(document.authority(), Authority::Operator);
}
