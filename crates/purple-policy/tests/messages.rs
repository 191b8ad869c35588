//! What people read when a rule is wrong: the words, the place that is underlined, the help.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::fmt::Write as _;

use purple_policy::{
    Authority, Condition, Expression, Facts, Kind, PolicyDocument, Scope, Source, Subject, Value,
};

#[test]
fn refused_expressions_say_what_where_and_how_to_mend() {
    let scope = Scope::closed()
        .with("amount", Kind::Number)
        .with("rate", Kind::Percent)
        .with("total", Kind::Money)
        .with("status", Kind::Text)
        .with("urgent", Kind::Bool)
        .with("due", Kind::Date)
        .with("invoice", Kind::Record)
        .with("rows", Kind::List)
        .with("order.total", Kind::Money);
    let sources = [
        "",
        "amount >",
        "amount > 5,000",
        "amount > 1e6",
        "amount > 1_000",
        "amount > 5.",
        "amount = 5",
        "amount > 5 & urgent",
        "amount => 5",
        "amount ≥ 5",
        "amount − 5 > 0",
        "total > $5",
        "status == “paid”",
        "status == \"paid",
        "status == \"p\\aid\"",
        "urgent and amount > 5",
        "amount is 5",
        "status not in ['paid']",
        "1 < amount < 5",
        "amount in 1..5 == true",
        "1..5",
        "amount in 5..1",
        "total in 1 USD..5 EUR",
        "rows[0].price > 5 USD",
        "ammount > 5",
        "amount.value > 5",
        "invioce.total > 5 USD",
        "total > 5000",
        "total + 5 > 6 USD",
        "5 EUR + 6 USD > 1 EUR",
        "5 ERU > total",
        "5.001 USD > total",
        "rate * total > 5 USD",
        "amount > \"many\"",
        "status > 'a'",
        "due + 5 > due",
        "status + 'x' == 'y'",
        "urgent == 1",
        "urgent && amount",
        "!amount",
        "-status == 5",
        "amount in status",
        "status in 'paid'",
        "amount in [1, 'two']",
        "rows == 5",
        "round(total, cents) > 5 USD",
        "round(amount, cents, half_even) > 5",
        "round(amount, 2, bankers) > 5",
        "round(amount, amount, half_up) > 5",
        "roudn(amount, 2, half_up) > 5",
        "default(total, 0) > 5 USD",
        "if(urgent, 1, 'one') == 1",
        "filter(rows, row.x)",
        "filter(amount, row.x) == 1",
        "sum(rows as r, r.x) > 5 && len(status as s) > 1",
        "exists(amount + 1)",
        "1 / 0 > amount",
        "date('2026-02-30') > due",
        "amount",
        "amount > 5 urgent",
        "(amount > 5",
        "amount > 5)",
        "amount > 5 && // comment",
        "amount\n  > 5 &&\n  status = 'paid'",
        "amount > 5; urgent",
        "amount > 5 ? true : false",
        "{\"a\": 1}",
        "a\u{202E}b",
    ];
    insta::assert_snapshot!(told(&sources, &scope));
}

fn told(sources: &[&str], scope: &Scope) -> String {
    let mut text = String::new();
    for source in sources {
        writeln!(text, "## {}", source.escape_debug()).unwrap();
        match Condition::compile(source, scope) {
            Ok(_) => writeln!(text, "accepted").unwrap(),
            Err(wrong) => wrong.iter().for_each(|diagnostic| writeln!(text, "{diagnostic}").unwrap()),
        }
        text.push('\n');
    }
    text
}

#[test]
fn refused_documents_say_what_where_and_how_to_mend() {
    let documents = [
        r#"{"rules": [], "contex": {}}"#,
        r#"{"rules": [{"id": 7, "conditon": "a", "action": "block"}]}"#,
        r#"{"rules": [{"condition": "amount > 5000", "action": "aprove"}]}"#,
        r#"{"rules": [{"condition": "amount >", "action": "block", "level": "managr"}]}"#,
        r#"{"rules": [{"condition": "5 EUR > 4 USD", "action": "block"}]}"#,
        r#"{"rules": [{"condition": "amount + 1", "action": "block"}, {"condition": "5", "action": "block"}]}"#,
        r#"{"rules": [{"keywords": ["gift"]}]}"#,
        r#"{"rules": [{"type": "allow", "keywords": ["gift"]}]}"#,
        r#"{"rules": [{"type": "deny", "pattern": "(gift"}]}"#,
        r#"{"rules": [{"type": "deny", "pattern": "a{9}{9}{9}{9}"}]}"#,
        r#"{"rules": [{"tool": "pay", "require_before": "ask", "requires": "ask"}]}"#,
        r#"{"rules": [{"id": "default_action", "condition": "a", "action": "block"}]}"#,
        r#"{"rules": [{"id": "rule-2", "condition": "a", "action": "block"}, {"condition": "b", "action": "block"}]}"#,
        r#"{"rules": [{"condition": "a", "action": "block", "action": "allow"}]}"#,
        "{\"rules\": [\n  {\"condition\": \"a\"\n  \"action\": \"block\"}]}",
        r#"{"rules": [], "default_action": "block"}"#,
        r#"["rules"]"#,
    ];
    let mut text = String::new();
    for json in documents {
        writeln!(text, "## {json}").unwrap();
        for diagnostic in PolicyDocument::parse(json, Authority::Request).unwrap_err() {
            writeln!(text, "{diagnostic}").unwrap();
        }
        text.push('\n');
    }
    insta::assert_snapshot!(text);
}

#[test]
fn explanations_put_the_numbers_in() {
    let facts = Facts::new()
        .with(Source::Read, "invoice", Value::record([("total", Value::from_literal("52340.00 USD"))]))
        .with(Source::Read, "order.total", Value::from_literal("51200.00 USD"))
        .with(Source::Computed, "third", Value::Number(purple_policy::Exact::ratio(1, 3).unwrap()))
        .with(Source::Input, "vendor", Value::text("Acme \"Corp\"\u{202E}"))
        .with(Source::Read, "rows", Value::list([Value::record([("x", Value::from(1))])]));
    let mut text = String::new();
    for source in [
        "100 * (invoice.total - order.total) / order.total > 2.0",
        "third < 0.34 && vendor == 'Acme'",
        "any(rows, row.x > third)",
        "unknown > 5 || vendor != \"Acme\"",
    ] {
        let expression = Expression::compile(source, &Scope::open()).unwrap();
        writeln!(text, "{}", expression.explain(&facts)).unwrap();
    }
    let json = r#"{"rules": [{"id": "AP-3", "condition": "100 * (invoice.total - order.total) / order.total > 2.0",
        "action": "require_approval", "level": "finance"}, {"id": "AP-9", "condition": "unknown", "action": "block"}]}"#;
    let document = PolicyDocument::parse(json, Authority::Operator).unwrap();
    write!(text, "{}", document.bind(&facts).judge(&Subject::default())).unwrap();
    insta::assert_snapshot!(text);
}
