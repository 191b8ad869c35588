//! Any bytes, read as a policy document and as an expression: nothing panics, and printing changes nothing.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use purple_policy::{Authority, Expression, Facts, Kind, PolicyDocument, Scope, Source, Subject, Value, Verdict};

static FACTS: LazyLock<Facts> = LazyLock::new(|| {
    let rows = r#"[{"x": 1, "price": "10.00 USD", "late": true}, {"x": 2, "price": "19.99 USD", "late": false}]"#;
    let rows = serde_json::from_str(rows).expect("the rows are JSON");
    Facts::new()
        .with(Source::Input, "a", Value::from(5))
        .with(Source::Input, "amount", Value::from_literal("7200.25"))
        .with(Source::Computed, "rate", Value::from_literal("2.5%"))
        .with(Source::Read, "total", Value::from_literal("52340.00 USD"))
        .with(Source::Read, "status", Value::from("received"))
        .with(Source::Read, "urgent", Value::Bool(true))
        .with(Source::Read, "due", Value::from("2026-01-31"))
        .with(Source::Read, "nothing", Value::Null)
        .with(Source::Read, "rows", Value::from_json(&rows).expect("the rows are values"))
        .with(Source::Input, "disputed", Value::from(1))
        .with(Source::Read, "disputed", Value::from(2))
});

static DECLARED: LazyLock<Scope> = LazyLock::new(|| {
    Scope::closed()
        .with("a", Kind::Number)
        .with("amount", Kind::Number)
        .with("rate", Kind::Percent)
        .with("total", Kind::Money)
        .with("status", Kind::Text)
        .with("urgent", Kind::Bool)
        .with("rows", Kind::List)
        .with("order.total", Kind::Money)
});

fuzz_target!(|bytes: &[u8]| {
    document(bytes);
    if let Ok(source) = std::str::from_utf8(bytes) {
        expression(source);
        let condition = serde_json::json!({"rules": [{"condition": source, "action": "block"}]});
        document(condition.to_string().as_bytes());
    }
});

fn document(bytes: &[u8]) {
    let subject = Subject {
        task: "pay INV-1 by wire transfer",
        tool: Some("pay_invoice"),
        arguments: "{\"amount\": 5}",
        satisfied: &["get_order"],
        approval_tools: &["confirm_with_user"],
    };
    for authority in [Authority::Operator, Authority::Request] {
        match PolicyDocument::parse_bytes(bytes, authority) {
            Ok(document) => {
                let bound = document.bind(&FACTS);
                let judgement = bound.judge(&subject);
                assert_eq!(bound.verdict(&subject), judgement.verdict());
                assert!(authority == Authority::Operator || judgement.verdict() != Some(Verdict::Allow));
                serde_json::to_string(&judgement).expect("a judgement is JSON");
            }
            Err(wrong) => assert!(wrong.iter().all(|diagnostic| !diagnostic.to_string().is_empty())),
        }
    }
}

fn expression(source: &str) {
    let _ = Expression::compile(source, &DECLARED);
    match Expression::compile(source, &Scope::open()) {
        Ok(expression) => {
            let printed = expression.to_string();
            // The canonical form may be a little longer than a source at the limit of length.
            if let Ok(again) = Expression::compile(&printed, &Scope::open()) {
                assert_eq!(again, expression);
                assert_eq!(again.to_string(), printed);
                assert_eq!(again.evaluate(&FACTS), expression.evaluate(&FACTS));
            } else {
                assert!(printed.len() > 1_000, "{source:?} printed as {printed:?}");
            }
            let _ = expression.explain(&FACTS);
        }
        Err(wrong) => assert!(wrong.iter().all(|diagnostic| !diagnostic.to_string().is_empty())),
    }
}
