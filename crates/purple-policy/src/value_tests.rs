use super::*;

fn json(text: &str) -> Result<Value, ValueError> {
    Value::from_json(&serde_json::from_str(text).unwrap())
}

fn number(text: &str) -> Value {
    Value::Number(Exact::parse(text).unwrap())
}

fn usd(text: &str) -> Value {
    Value::Money { amount: Exact::parse(text).unwrap(), currency: Currency::parse("USD").unwrap() }
}

#[test]
fn json_numbers_keep_every_digit() {
    assert_eq!(json("0.10000000000000000001").unwrap(), number("0.10000000000000000001"));
    assert_eq!(json("1e-7").unwrap(), number("0.0000001"));
    assert_eq!(json("-2.5E3").unwrap(), number("-2500"));
}

#[test]
fn json_numbers_that_cannot_be_held_are_refused() {
    assert_eq!(json("1e400"), Err(ValueError::Exponent));
    assert_eq!(json("1e-99999999999"), Err(ValueError::Exponent));
    assert!(matches!(json(&"9".repeat(61)), Err(ValueError::Number(_))));
}

#[test]
fn both_json_forms_of_money_are_the_same_value() {
    assert_eq!(json(r#""85000.00 USD""#).unwrap(), usd("85000"));
    assert_eq!(json(r#"{"amount": 85000, "currency": "USD"}"#).unwrap(), usd("85000"));
    assert_eq!(json(r#"{"amount": "85000.0", "currency": "USD"}"#).unwrap(), usd("85000"));
}

#[test]
fn what_only_looks_like_money_stays_what_it_is() {
    assert_eq!(json(r#""85,000.00 USD""#).unwrap(), Value::text("85,000.00 USD"));
    assert_eq!(json(r#""5 usd""#).unwrap(), Value::text("5 usd"));
    assert_eq!(json(r#"{"amount": 5, "currency": "US"}"#).unwrap().kind(), Kind::Record);
    assert_eq!(json(r#"{"amount": 5, "currency": "USD", "due": 1}"#).unwrap().kind(), Kind::Record);
    assert_eq!(json(r#""2026-01-31""#).unwrap(), Value::text("2026-01-31"));
}

#[test]
fn deep_or_long_json_is_refused() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    assert!(json(&nested(VALUE_LEVELS_MAX)).is_ok());
    assert_eq!(json(&nested(VALUE_LEVELS_MAX + 1)), Err(ValueError::TooDeep));
    let rows = serde_json::Value::Array(vec![serde_json::Value::Null; LIST_ROWS_MAX + 1]);
    assert_eq!(Value::from_json(&rows), Err(ValueError::TooManyRows));
}

#[test]
fn literals_of_process_files_are_read_by_their_look() {
    assert_eq!(Value::from_literal("52340.00 USD"), usd("52340"));
    assert_eq!(Value::from_literal("99.9"), number("99.9"));
    assert_eq!(Value::from_literal("2.5%"), Value::Percent(Exact::parse("2.5").unwrap()));
    assert_eq!(Value::from_literal("true"), Value::Bool(true));
    assert_eq!(Value::from_literal("PO-1"), Value::text("PO-1"));
    assert_eq!(Value::from_literal("%"), Value::text("%"));
}

#[test]
fn json_comes_back_as_it_went_in() {
    for text in ["null", "true", "-12.5", r#""text""#, r#""12.50 USD""#, r#"[1,{"a":"b"}]"#] {
        assert_eq!(json(text).unwrap().to_json().to_string(), text);
    }
    let third = Exact::ratio(1, 3).unwrap();
    assert_eq!(Value::Number(third).to_json(), serde_json::json!("1/3"));
}

#[test]
fn a_field_of_a_list_is_the_list_of_the_field() {
    let rows = json(r#"[{"a": {"b": 1}}, {"a": {"b": 2}}]"#).unwrap();
    let path = ["a".to_owned(), "b".to_owned()];
    assert_eq!(rows.walk(&path).unwrap().into_owned(), json("[1, 2]").unwrap());
    assert_eq!(json(r#"[{"a": 1}, {}]"#).unwrap().walk(&path[..1]), None);
}

#[test]
fn money_has_an_amount_and_a_currency() {
    assert_eq!(usd("5.25").field("amount").unwrap().into_owned(), number("5.25"));
    assert_eq!(usd("5.25").field("currency").unwrap().into_owned(), Value::text("USD"));
    assert_eq!(usd("5.25").field("cents"), None);
}

#[test]
fn shown_values_are_short_quoted_and_visible() {
    assert_eq!(Value::text("a\"b\u{202E}").shown(), "\"a\\\"b\\u{202e}\"");
    assert_eq!(Value::text("x".repeat(100)).shown(), format!("\"{}…\"", "x".repeat(80)));
    assert_eq!(Value::Number(Exact::ratio(100, 3).unwrap()).shown(), "≈ 33.333333");
    assert_eq!(number("2.2265625").shown(), "2.2265625");
    assert_eq!(usd("1020").shown(), "1020.00 USD");
    assert_eq!(Value::list([Value::Null, Value::Null]).shown(), "2 rows");
}
