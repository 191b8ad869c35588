use super::*;
use crate::facts::Source;

fn compile(source: &str) -> Expression {
    Expression::compile(source, &Scope::open()).unwrap_or_else(|wrong| panic!("{}", wrong[0]))
}

#[test]
fn names_are_told_once_in_order_and_rows_are_not_names() {
    let expression =
        compile("b.c > a && any(rows as r, r.x > a) && b.c < limit && filter(rows, row.y).z == 1");
    assert_eq!(expression.names(), ["b.c", "a", "rows", "limit"]);
}

#[test]
fn words_of_round_are_not_names() {
    assert_eq!(compile("round(total, cents, half_even)").names(), ["total"]);
}

#[test]
fn the_kind_is_known_where_it_can_be() {
    let scope = Scope::open().with("total", Kind::Money).with("rate", Kind::Percent).with("rows", Kind::List);
    for (source, kind) in [
        ("total - 5 USD", Kind::Money),
        ("100 * total / total", Kind::Number),
        ("rate / 100 * total", Kind::Money),
        ("rate - 1", Kind::Percent),
        ("total > 5 USD", Kind::Bool),
        ("join('a', rate)", Kind::Text),
        ("add_days('2026-01-31', 5)", Kind::Date),
        ("filter(rows, row.x > 1)", Kind::List),
        ("count(rows)", Kind::Number),
        ("default(total, 0 USD)", Kind::Money),
        ("sum(rows, row.x)", Kind::Unknown),
        ("unknown", Kind::Unknown),
        ("null", Kind::Null),
    ] {
        assert_eq!(Expression::compile(source, &scope).unwrap().kind(), kind, "{source}");
    }
}

#[test]
fn a_local_hides_facts_of_its_name() {
    let facts =
        Facts::new().with(Source::Read, "row", Value::from(1)).with(Source::Read, "limit", Value::from(5));
    let row = Value::record([("amount", Value::from(7))]);
    let expression = compile("row.amount > limit");
    assert_eq!(expression.evaluate_with(&facts, &[("row", row.clone())]), Ok(Value::Bool(true)));
    assert!(expression.evaluate(&facts).is_err());
    let missing = compile("row.weight > limit").evaluate_with(&facts, &[("row", row)]);
    assert_eq!(missing, Err(Unevaluable::Missing { name: "row.weight".into() }));
}

#[test]
fn the_canonical_form_has_only_the_parentheses_it_needs() {
    for (source, canonical) in [
        ("((a))", "a"),
        ("(a&&b)||c", "a && b || c"),
        ("a&&(b||c)", "a && (b || c)"),
        ("a && (b && c)", "a && (b && c)"),
        ("(1+2)*x", "(1 + 2) * x"),
        ("(y+2)*x-(3-z)", "(y + 2) * x - (3 - z)"),
        ("x in 1..5", "x in [1..5]"),
        ("x in (1..y]", "x in (1..y]"),
        ("!(a == 'b')", "!(a == \"b\")"),
        ("-x.y", "-x.y"),
        ("first( rows ) . amount>5.00 USD", "first(rows).amount > 5 USD"),
        ("filter(rows as r,r.x)", "filter(rows as r, r.x)"),
        ("'it\\'s \"x\"'", "\"it's \\\"x\\\"\""),
    ] {
        assert_eq!(compile(source).to_string(), canonical, "{source}");
    }
}

#[test]
fn a_condition_is_judged_in_three_ways() {
    let condition = Condition::compile("amount > 5", &Scope::open()).unwrap();
    let with = |amount: &str| Facts::new().with(Source::Input, "amount", Value::from_literal(amount));
    assert_eq!(condition.judge(&with("6")), Judged::Fires);
    assert_eq!(condition.judge(&with("5")), Judged::Silent);
    assert!(matches!(condition.judge(&Facts::new()), Judged::Unevaluable(Unevaluable::Missing { .. })));
    assert_eq!(condition.expression().source(), "amount > 5");
}
