//! Input made to break things is refused quickly, and nothing panics.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

use proptest::prelude::*;
use purple_policy::{
    Authority, Code, Condition, Diagnostic, Expression, Facts, Judged, PolicyDocument, Scope, Source,
    Subject, Value, Verdict,
};

fn refused(source: &str) -> Diagnostic {
    Expression::compile(source, &Scope::open()).unwrap_err().swap_remove(0)
}

fn refused_document(json: impl AsRef<[u8]>) -> Diagnostic {
    PolicyDocument::parse_bytes(json.as_ref(), Authority::Request).unwrap_err().swap_remove(0)
}

fn rule_with_pattern(pattern: &str) -> String {
    serde_json::json!({"rules": [{"type": "deny", "pattern": pattern}]}).to_string()
}

#[test]
fn deep_nesting_is_refused_in_every_form() {
    for (open, middle, close) in [
        ("(", "x", ")"),
        ("[", "x", "]"),
        ("!", "x", ""),
        ("-", "x", ""),
        ("abs(", "x", ")"),
        ("if(a, b, ", "x", ")"),
        ("x in [", "x", "]"),
        ("x in (", "1..2", ")"),
        ("filter(a, ", "x", ")"),
        ("1 + (2 * ", "x", ")"),
        ("a && (b || ", "x", ")"),
    ] {
        for levels in [50, 500, 2_000] {
            let source = format!("{}{middle}{}", open.repeat(levels), close.repeat(levels));
            assert_eq!(refused(&source).code(), Code::Limit, "{open} {levels}");
        }
    }
}

#[test]
fn long_chains_without_parentheses_nest_too() {
    for sign in ["+", "-", "*", "/"] {
        let source = format!("x{}", format!(" {sign} x").repeat(400));
        assert_eq!(refused(&source).code(), Code::Limit, "{sign}");
    }
}

#[test]
fn long_chains_of_conditions_are_fine() {
    for sign in ["&&", "||"] {
        let source = format!("x{}", format!(" {sign} x").repeat(500));
        let condition = Condition::compile(&source, &Scope::open()).unwrap();
        let facts = Facts::new().with(Source::Input, "x", Value::Bool(true));
        assert_eq!(condition.judge(&facts), Judged::Fires);
    }
}

#[test]
fn expressions_of_the_greatest_lawful_depth_are_evaluated_on_a_small_stack() {
    let source = format!("{}x{}", "abs(1 + -".repeat(11), ")".repeat(11));
    let expression = Expression::compile(&source, &Scope::open()).unwrap();
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let value = small
        .spawn(move || expression.evaluate(&Facts::new().with(Source::Input, "x", Value::from(1))))
        .unwrap()
        .join()
        .unwrap();
    assert!(value.is_ok());
}

#[test]
fn membership_inside_membership_is_checked_once() {
    let source = format!("{}x{}", "x in [".repeat(15), "]".repeat(15));
    assert!(Expression::compile(&source, &Scope::open()).is_ok());
}

#[test]
fn a_document_full_of_names_is_read_at_once() {
    let condition =
        |rule: usize| (0..500).map(|name| format!("n{}", rule * 500 + name)).collect::<Vec<_>>().join("||");
    let rules: Vec<_> =
        (0..60).map(|rule| serde_json::json!({"condition": condition(rule), "action": "block"})).collect();
    let json = serde_json::json!({"rules": rules}).to_string();
    let document = PolicyDocument::parse(&json, Authority::Request).unwrap();
    assert_eq!(document.names().len(), 30_000);
    assert_eq!(document.bind(&Facts::new()).verdict(&Subject::default()), Some(Verdict::RequireApproval));
}

#[test]
fn row_functions_of_a_document_are_counted() {
    let rules = |count: usize| {
        let rule =
            serde_json::json!({"condition": "any(rows, row.x > 1) || count(rows) > 5", "action": "block"});
        serde_json::json!({"rules": vec![rule; count]}).to_string()
    };
    assert!(PolicyDocument::parse(&rules(16), Authority::Request).is_ok());
    assert_eq!(refused_document(rules(17)).code(), Code::Limit);
}

#[test]
fn long_texts_are_refused_before_they_are_read() {
    let megabytes = "x".repeat(5_000_000);
    let diagnostic = refused(&megabytes);
    assert_eq!(diagnostic.code(), Code::Limit);
    assert!(diagnostic.to_string().len() < 300);
    let diagnostic = refused_document(format!("{{\"rules\": [], \"context\": {{\"x\": \"{megabytes}\"}}}}"));
    assert_eq!(diagnostic.code(), Code::Limit);
    assert!(diagnostic.to_string().len() < 300);
}

#[test]
fn many_tokens_items_and_digits_are_refused() {
    assert_eq!(refused(&"[],".repeat(1_000)).code(), Code::Limit);
    assert_eq!(refused(&format!("[{}1]", "1,".repeat(600))).code(), Code::Limit);
    assert_eq!(refused(&format!("[{}1]", "1,".repeat(300))).code(), Code::Limit);
    assert_eq!(refused(&"9".repeat(61)).code(), Code::Limit);
    assert_eq!(refused(&"9".repeat(4_000)).code(), Code::Limit);
    assert!(Expression::compile(&"9".repeat(60), &Scope::open()).is_ok());
}

#[test]
fn numbers_that_grow_without_end_become_a_doubt() {
    let expression = Expression::compile("x * x * x * x * x * x * x * x", &Scope::open()).unwrap();
    let facts = Facts::new().with(Source::Input, "x", Value::from_literal(&"9".repeat(60)));
    assert!(expression.evaluate(&facts).is_err());
    assert_eq!(
        refused(&format!("x > {0} * {0} * {0} * {0} * {0}", "9".repeat(60))).code(),
        Code::NeverEvaluable
    );
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    let diagnostic = refused_document(b"{\"rules\": [\xFF\xFE]}");
    assert_eq!((diagnostic.code(), diagnostic.path()), (Code::NotUtf8, Some("byte 11")));
    assert_eq!(refused_document(b"\xC0\x80").code(), Code::NotUtf8);
}

#[test]
fn deep_json_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(50_000), close.repeat(50_000));
        let code = refused_document(&deep).code();
        assert!(matches!(code, Code::NotJson | Code::Limit), "{code}");
        let nested =
            format!("{{\"rules\": [], \"context\": {{\"x\": {}1{}}}}}", open.repeat(40), close.repeat(40));
        assert_eq!(refused_document(&nested).code(), Code::Limit);
    }
}

#[test]
fn names_of_many_parts_do_no_harm() {
    let name = "a.".repeat(500) + "a";
    let condition = Condition::compile(&name, &Scope::open()).unwrap();
    assert!(matches!(condition.judge(&Facts::new()), Judged::Unevaluable(_)));
    let json = format!("{{\"rules\": [], \"context\": {{\"{}a\": 1}}}}", "a.".repeat(100_000));
    assert!(PolicyDocument::parse(&json, Authority::Request).is_ok());
}

#[test]
fn exploding_patterns_are_refused() {
    for pattern in [
        "(((a{100}){100}){100}){100}".to_owned(),
        "a{1000000000}".to_owned(),
        "(?:\\w{200}){200}".to_owned(),
        format!("{}a{}", "(".repeat(100), ")".repeat(100)),
        "(a*)*b\\1".to_owned(),
        "(?=a)".to_owned(),
        "[ab]{257}".to_owned(),
        "x".repeat(1_000),
        String::new(),
    ] {
        let diagnostic = refused_document(rule_with_pattern(&pattern));
        assert_eq!(diagnostic.code(), Code::BadPattern, "{pattern}");
    }
}

#[test]
fn the_patterns_of_a_document_are_bounded_together() {
    let rules = |count: usize| {
        let rule = serde_json::json!({"type": "deny", "pattern": "[ab]*a[ab]{200}b"});
        serde_json::json!({"rules": vec![rule; count]}).to_string()
    };
    assert!(PolicyDocument::parse(&rules(5), Authority::Request).is_ok());
    let diagnostic = refused_document(rules(6));
    assert_eq!((diagnostic.code(), diagnostic.path()), (Code::Limit, Some("rules[5].pattern")));
}

#[test]
fn patterns_that_blow_up_elsewhere_run_in_linear_time() {
    let long = "a".repeat(60_000) + "!";
    for pattern in ["(a+)+$", "(a|aa)+$", "(.*)*x", "^(a|a?)+$", "[ab]*a[ab]{200}b"] {
        let document = PolicyDocument::parse(&rule_with_pattern(pattern), Authority::Request).unwrap();
        assert_eq!(
            document.bind(&Facts::new()).verdict(&Subject { task: &long, ..Subject::default() }),
            None
        );
    }
}

#[test]
fn ordinary_patterns_fit_the_limits() {
    for pattern in [
        r"(?i)\b(?:gift|wire)\s+card\b",
        r"\d{3}-\d{2}-\d{4}",
        r"[\w.+-]+@[\w-]+\.[\w.]+",
        r"^\p{Lu}\w{1,9}$",
    ] {
        assert!(PolicyDocument::parse(&rule_with_pattern(pattern), Authority::Request).is_ok(), "{pattern}");
    }
}

#[test]
fn rows_inside_rows_inside_rows_end_as_a_doubt() {
    let rows = Value::list((0..1_000).map(|number| Value::record([("x", Value::from(number))])));
    let facts = Facts::new().with(Source::Read, "rows", rows);
    let source = "any(rows as a, any(rows as b, any(rows as c, a.x + b.x + c.x < 0)))";
    let condition = Condition::compile(source, &Scope::open()).unwrap();
    assert!(matches!(condition.judge(&facts), Judged::Unevaluable(purple_policy::Unevaluable::TooManyRows)));
}

#[test]
fn texts_that_grow_end_as_a_doubt() {
    let facts = Facts::new().with(Source::Read, "x", Value::text("x".repeat(60_000)));
    for source in ["concat(x, x)", "join(x, x)", "upper(concat(x, x))"] {
        let expression = Expression::compile(source, &Scope::open()).unwrap();
        assert!(expression.evaluate(&facts).is_err(), "{source}");
    }
}

#[test]
fn many_mistakes_are_reported_up_to_a_limit() {
    let rules: Vec<serde_json::Value> = (0..200).map(|_| serde_json::json!({"acton": 1})).collect();
    let wrong = PolicyDocument::parse(&serde_json::json!({"rules": rules}).to_string(), Authority::Request);
    assert_eq!(wrong.unwrap_err().len(), 32);
    let source = format!("[{}1]", "1 + \"a\", ".repeat(100));
    assert_eq!(Expression::compile(&source, &Scope::open()).unwrap_err().len(), 32);
}

#[test]
fn too_many_rules_are_refused() {
    let rules = |count: usize| {
        let rule = serde_json::json!({"condition": "a", "action": "block"});
        serde_json::json!({"rules": vec![rule; count]}).to_string()
    };
    assert!(PolicyDocument::parse(&rules(256), Authority::Request).is_ok());
    assert_eq!(refused_document(rules(257)).code(), Code::Limit);
}

fn facts() -> Facts {
    Facts::new()
        .with(Source::Input, "a", Value::from(5))
        .with(Source::Input, "b", Value::Bool(true))
        .with(Source::Read, "c", Value::from_literal("5.00 USD"))
        .with(Source::Read, "rows", Value::list([Value::record([("a", Value::from(1))])]))
}

/// Texts made of the language's own pieces, in no particular order.
fn pieces() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        "b",
        "c",
        "rows",
        "row",
        "row.a",
        "1",
        "2.5",
        "2.5%",
        "5 USD",
        "5 EUR",
        "\"t\"",
        "'t'",
        "true",
        "null",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        "..",
        "+",
        "-",
        "*",
        "/",
        "&&",
        "||",
        "!",
        "<",
        ">=",
        "==",
        "===",
        "!=",
        "in",
        "as",
        "filter(",
        "sum(",
        "max(",
        "any(",
        "round(",
        "cents",
        "half_even",
        "date(",
        "default(",
        "exists(",
        "if(",
        "=",
        "%",
        "and",
        "é",
        "\u{202E}",
        "\"",
        "join(",
        "group_by(",
        "first(",
        "add_days(",
        "money(",
    ];
    proptest::collection::vec(proptest::sample::select(PIECES), 0..30).prop_map(|pieces| pieces.join(" "))
}

fn check_text(source: &str) {
    match Expression::compile(source, &Scope::open()) {
        Ok(expression) => {
            let value = expression.evaluate(&facts());
            let printed = expression.to_string();
            let again = Expression::compile(&printed, &Scope::open()).unwrap_or_else(|_| panic!("{printed}"));
            assert_eq!(again, expression, "{source} printed as {printed}");
            assert_eq!(again.to_string(), printed);
            assert_eq!(again.evaluate(&facts()), value);
            let _ = expression.explain(&facts());
        }
        Err(wrong) => assert!(wrong.iter().all(|diagnostic| !diagnostic.to_string().is_empty())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn any_text_is_compiled_or_refused_and_printing_changes_nothing(source in "\\PC{0,60}") {
        check_text(&source);
    }

    #[test]
    fn any_mixture_of_pieces_is_compiled_or_refused_and_printing_changes_nothing(source in pieces()) {
        check_text(&source);
    }

    #[test]
    fn any_bytes_are_a_document_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = PolicyDocument::parse_bytes(&bytes, Authority::Request);
    }

    #[test]
    fn any_condition_in_a_document_is_judged_or_refused(source in pieces()) {
        let json = serde_json::json!({"rules": [{"condition": source, "action": "block"}]}).to_string();
        if let Ok(document) = PolicyDocument::parse(&json, Authority::Operator) {
            let judgement = document.bind(&facts()).judge(&Subject::default());
            prop_assert!(judgement.verdict().is_none_or(|verdict| verdict >= Verdict::RequireApproval));
            prop_assert!(!serde_json::to_string(&judgement).unwrap().is_empty());
        }
    }
}
