//! Numbers are those of the finance crate: the same sums, quotients, orders and roundings, digit for digit.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

mod support;

use std::sync::LazyLock;

use proptest::prelude::*;
use purple_port::{
    Arguments, CallFault, Case, Datum, Domain, Exact, FunctionHash, NumberError, Outcome, Program, Rounding,
    Sandbox, Shape, Signature,
};
use purple_sandbox::RhaiSandbox;
use support::*;

/// `f(a, b, op)` answers with a text, so that fractions come out rounded by name and everything else as it is.
static CALCULATOR: LazyLock<(RhaiSandbox, FunctionHash)> = LazyLock::new(|| {
    let code = r#"
        fn shown(n) { to_text(round(n, 28, "half_even")) }
        fn f(a, b, op) {
            let r = 0;
            if op == "+" { r = a + b; } else if op == "-" { r = a - b; } else if op == "*" { r = a * b; }
            else if op == "/" { if b == 0 { throw "zero"; } r = a / b; }
            else if op == "<" { return if a < b { "true" } else { "false" }; }
            else if op == "==" { return if a == b { "true" } else { "false" }; }
            else if op == "max" { r = max(a, b); }
            else if op == "back" { if b == 0 { throw "zero"; } return if a / b * b == a { "true" } else { "false" }; }
            else { return to_text(round(a, 2, op)); }
            shown(r)
        }"#;
    let case = |a: &str, b: &str, op: &str, expected: &str| Case {
        given: given([("a", number(a)), ("b", number(b)), ("op", text(op))]),
        expected: Outcome::Value(text(expected)),
    };
    let operators = ["+", "-", "*", "/", "<", "==", "max", "back"].into_iter();
    let words = operators.chain(Rounding::ALL.map(Rounding::name)).map(str::to_owned).collect();
    let program = Program {
        signature: Signature {
            name: "f".to_owned(),
            parameters: vec![
                parameter("a", numbers("-1000000000000000000000", "1000000000000000000000", 10)),
                parameter("b", numbers("-1000000000000000000000", "1000000000000000000000", 10)),
                parameter("op", Domain::OneOf(words)),
            ],
            answers: Shape::Text,
            refuses: vec!["zero".to_owned()],
        },
        code: code.to_owned(),
        shown: vec![case("0.1", "0.2", "+", "0.3")],
        held_back: vec![case("7", "2", "/", "3.5")],
    };
    let sandbox = sandbox();
    let function = sandbox.admit(&program).unwrap().function;
    (sandbox, function)
});

fn computed(a: &Exact, b: &Exact, op: &str) -> Outcome {
    let (sandbox, function) = &*CALCULATOR;
    let arguments: Arguments =
        given([("a", Datum::Number(a.clone())), ("b", Datum::Number(b.clone())), ("op", text(op))]);
    sandbox.call(*function, &arguments).unwrap()
}

fn said(number: Result<Exact, NumberError>) -> Outcome {
    match number {
        Ok(number) => Outcome::Value(text(&number.rounded(28, Rounding::HalfEven).to_plain().unwrap())),
        Err(NumberError::DivisionByZero) => Outcome::Refused("zero".to_owned()),
        Err(other) => panic!("{other}"),
    }
}

fn any_number() -> impl Strategy<Value = Exact> {
    let mantissa = prop_oneof![
        -1_000i128..1_000,
        -1_000_000_000_000i128..1_000_000_000_000,
        (-10i128.pow(20))..10i128.pow(20)
    ];
    (mantissa, 0u32..=10).prop_map(|(mantissa, places)| Exact::ratio(mantissa, 10i128.pow(places)).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn arithmetic_is_the_one_of_the_finance_crate(a in any_number(), b in any_number()) {
        prop_assert_eq!(computed(&a, &b, "+"), said(a.plus(&b)));
        prop_assert_eq!(computed(&a, &b, "-"), said(a.minus(&b)));
        prop_assert_eq!(computed(&a, &b, "*"), said(a.times(&b)));
        prop_assert_eq!(computed(&a, &b, "/"), said(a.over(&b)));
        prop_assert_eq!(computed(&a, &b, "max"), said(Ok(a.clone().max(b.clone()))));
        prop_assert_eq!(computed(&a, &b, "<"), Outcome::Value(text(&(a < b).to_string())));
        prop_assert_eq!(computed(&a, &b, "=="), Outcome::Value(text(&(a == b).to_string())));
        if !b.is_zero() {
            prop_assert_eq!(computed(&a, &b, "back"), Outcome::Value(text("true")));
        }
    }

    #[test]
    fn every_rounding_is_the_one_of_the_finance_crate(a in any_number()) {
        for rounding in Rounding::ALL {
            let expected = a.rounded(2, rounding).to_plain().unwrap();
            prop_assert_eq!(computed(&a, &Exact::ZERO, rounding.name()), Outcome::Value(text(&expected)));
        }
    }
}

fn evaluates(expression: &str, expected: &str) {
    let ended = set_off(&format!("return {expression};"), "");
    assert_eq!(ended, Ok(value(expected)), "{expression}");
}

#[test]
fn whole_numbers_divide_exactly_and_never_wrap() {
    evaluates("7 / 2", "3.5");
    evaluates("-7 / 2", "-3.5");
    evaluates("6 / 3", "2");
    evaluates("7 % 3", "1");
    evaluates("-7 % 3", "-1");
    evaluates("7.5 % 2", "1.5");
    evaluates("9223372036854775807 + 1 - 9223372036854775807", "1");
    evaluates("(9223372036854775807 * 9223372036854775807) / 9223372036854775807 - 9223372036854775806", "1");
    evaluates("2 ** 10", "1024");
    evaluates("2 ** -2", "0.25");
    evaluates("(1 / 3) * 3", "1");
    evaluates("1 / 3 + 1 / 3 + 1 / 3", "1");
    evaluates("0.1 + 0.2", "0.3");
    evaluates("floor(7 / 2) + ceiling(7 / 2)", "7");
    evaluates("floor(-3.5)", "-4");
    evaluates("abs(-2.5)", "2.5");
    evaluates("sum([0.1, 0.2, 1 / 3, 2 / 3])", "1.3");
    evaluates("min([3, 0.5, 2]) + max([3, 0.5, 2])", "3.5");
    evaluates("sorted([3, 0.5, 2])[0]", "0.5");
    evaluates("[1, 2.0, 3][1]", "2");
    evaluates("number(\"12.50\") * 2", "25");
    evaluates("-(1.5)", "-1.5");
}

#[test]
fn named_roundings_settle_the_halves() {
    evaluates("round(2.665, 2, \"half_even\")", "2.66");
    evaluates("round(2.675, 2, \"half_even\")", "2.68");
    evaluates("round(2.665, 2, \"half_up\")", "2.67");
    evaluates("round(-2.665, 2, \"half_up\")", "-2.67");
    evaluates("div(100, 3, 2, \"half_even\")", "33.33");
    evaluates("div(200, 3, 2, \"down\")", "66.66");
    // A product of more than 28 digits, which a fixed decimal would cut.
    evaluates(
        "round(1.00000000000001 * 1.00000000000001 * 10 ** 28 - 10 ** 28 - 2 * 10 ** 14, 2, \"down\")",
        "1",
    );
}

#[test]
fn one_number_is_equal_to_itself_however_it_is_written() {
    for condition in [
        "1 == 1.0",
        "1.50 == 1.5",
        "3 / 2 == 1.5",
        "1 in [1.0]",
        "[1, 2] == [1.0, 4 / 2]",
        "#{ a: 1 } == #{ a: 1.0 }",
        "1 != 1.01",
        "\"1\" != 1",
        "!(1 == 2)",
        "\"a\" < \"b\"",
        "2 > 1.99",
        "1 / 3 < 0.34",
        "1 / 3 > 0.33",
    ] {
        evaluates(&format!("if {condition} {{ 1 }} else {{ 0 }}"), "1");
    }
}

#[test]
fn what_does_not_fit_together_is_a_fault_with_its_line() {
    for (expression, what) in [
        ("1 + \"a\"", "`+` does not take a number and a text"),
        ("\"a\" * 2", "`*` does not take a text and a number"),
        ("[1] - [1]", "`-` does not take a list and a list"),
        ("1 < \"a\"", "`<` does not take a number and a text"),
        ("round(1, 99, \"up\")", "a number is rounded to 0 to 28 decimals, not 99"),
        ("to_text(1 / 3)", "a number without an end has no text: round it first"),
    ] {
        let expected = CallFault::Wrong { line: 3, what: what.to_owned() };
        assert_eq!(set_off(&format!("return {expression};"), ""), Err(expected), "{expression}");
    }
    for expression in
        ["round(1, 2)", "[1][5]", "#{ a: 1 }.b", "round(1, 2, \"nearest\")", "sum([\"a\"])", "min([])"]
    {
        let ended = set_off(&format!("return {expression};"), "");
        assert!(matches!(ended, Err(CallFault::Wrong { line: 3, .. })), "{expression}: {ended:?}");
    }
}

#[test]
fn dates_are_texts_and_count_days() {
    evaluates("days_between(\"2024-02-28\", \"2024-03-01\")", "2");
    evaluates("days_between(\"2026-01-31\", add_months(\"2026-01-31\", 1))", "28");
    evaluates("days_between(\"2026-01-01\", add_days(\"2026-01-01\", -5))", "-5");
    evaluates("days_between(\"2026-02-01\", end_of_month(\"2026-02-10\"))", "27");
    assert!(matches!(
        set_off("return days_between(\"31.01.2026\", \"2026-01-01\");", ""),
        Err(CallFault::Wrong { .. })
    ));
}

#[test]
fn texts_and_records_have_what_a_calculation_needs() {
    evaluates("len(split(\"a;b;c\", \";\"))", "3");
    evaluates("len(join([\"ab\", \"cd\"], \"--\"))", "6");
    evaluates("len(trim(\"  äb \"))", "2");
    evaluates("if part(upper(\"gold\"), 0, 2) == \"GO\" { 1 } else { 0 }", "1");
    evaluates("len(replace(\"aXbX\", \"X\", \"--\"))", "6");
    evaluates("get(#{ a: 1 }, \"b\", 7)", "7");
    evaluates("put(#{ a: 1 }, \"b\", 7).b", "7");
    evaluates("len(keys(put(#{ a: 1 }, \"b\", 7))) + sum(values(#{ c: 3 }))", "5");
    evaluates("if \"a\" in #{ a: 1 } { 1 } else { 0 }", "1");
    evaluates("len(leave_out(#{ a: 1 }, \"a\"))", "0");
    evaluates("sum(slice([1, 2, 3, 4], 1, 2)) + reversed([1, 2])[0]", "7");
}
