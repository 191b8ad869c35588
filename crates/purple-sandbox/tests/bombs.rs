//! Everything that grows or never ends: each ends within its bound, with a fault that names it, and the next call works.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

mod support;

use purple_port::{
    CallFault, LIST_ITEMS_MAX, NotAdmitted, NumberError, RECORD_FIELDS_MAX, Sandbox, Seen, TEXT_BYTES_MAX,
    VALUE_LEVELS_MAX,
};
use purple_sandbox::RhaiSandbox;
use purple_sandbox::limits::{CALL_LEVELS_MAX, CALL_MILLIS_MAX, STEPS_MAX, VARIABLES_MAX};
use support::*;

const STEPS: CallFault = CallFault::TooManySteps { steps_max: STEPS_MAX };
const LIST: CallFault = CallFault::TooLarge { what: "a list", most: LIST_ITEMS_MAX as u64 };
const RECORD: CallFault = CallFault::TooLarge { what: "a record", most: RECORD_FIELDS_MAX as u64 };
const TEXT: CallFault = CallFault::TooLarge { what: "a text", most: TEXT_BYTES_MAX as u64 };

fn check(body: &str, expected: CallFault) {
    assert_eq!(set_off(body, ""), Err(expected), "{body}");
}

#[test]
fn loops_without_an_end_end_by_steps() {
    check("let i = 0; while x == x { i += 1; }", STEPS);
    check("while x > 0 { }", STEPS);
    check("for i in 0..9223372036854775807 { }", STEPS);
    check("for i in 0..1000000 { for j in 0..1000000 { for k in 0..1000000 { } } }", STEPS);
}

#[test]
fn loops_that_say_so_are_not_even_admitted() {
    assert!(matches!(refused("while true { }"), NotAdmitted::Unbounded { construct: "while", line: 3 }));
    assert!(matches!(refused("while (true) { }"), NotAdmitted::Unbounded { .. }));
    assert!(matches!(refused("loop { }"), NotAdmitted::Disallowed { line: 3, .. }));
    assert!(matches!(refused("do { } while x > 0"), NotAdmitted::Disallowed { .. }));
}

#[test]
fn a_function_that_never_ends_on_a_case_is_not_admitted() {
    let endless = program("fn f(x) { while x == x { } x }");
    match sandbox().admit(&endless).unwrap_err() {
        NotAdmitted::CaseFailed { index: 0, seen, .. } => assert_eq!(*seen, Seen::Fault(STEPS)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn texts_do_not_grow_beyond_their_bound() {
    check(r#"let s = "x"; for i in 0..40 { s += s; }"#, TEXT);
    check(r#"let s = "x"; for i in 0..40 { s = s + s; }"#, TEXT);
    check(r#"let s = "xxxxxxxxxxxxxxxx"; for i in 0..40 { s = replace(s, "x", s); }"#, TEXT);
    check(r#"let s = "x"; for i in 0..40 { s = join([s, s, s], s); }"#, TEXT);
    check(r#"let s = "İ"; for i in 0..40 { s = lower(s + s); }"#, TEXT);
}

#[test]
fn lists_do_not_grow_beyond_their_bound() {
    check("let a = []; while x > 0 { a += [1]; }", LIST);
    check("let a = [1]; for i in 0..40 { a += a; }", LIST);
    check("let a = [1]; for i in 0..40 { a = a + a; }", LIST);
    check("let a = [1]; for i in 0..40 { a = [a, a]; }", LIST);
    check("let a = [1]; for i in 0..40 { a += [a]; }", LIST);
    check(r#"let s = "a,"; for i in 0..15 { s += s; } let a = split(s, ",");"#, LIST);
}

#[test]
fn records_do_not_grow_beyond_their_bound() {
    check("let m = #{}; let i = 0; while x > 0 { m = put(m, to_text(i), 1); i += 1; }", RECORD);
    check("let m = #{ a: 0, b: 0 }; for i in 0..40 { m = #{ a: m, b: m }; }", RECORD);
    check(
        "let m = #{}; for i in 0..40 { m = put(m, to_text(i), m); m = m.put(to_text(i + 1000), m); }",
        RECORD,
    );
}

#[test]
fn values_do_not_grow_in_part() {
    for body in [
        "let a = [0]; a[0] = a;",
        "let a = [[0]]; a[0][0] = a;",
        "let a = [0]; a[0] += 1;",
        "let m = #{ a: 0 }; m.a = m;",
        "let m = #{ a: 0 }; m . a = m;",
        "let m = #{ a: 0 }; m. // nothing\n a = m;",
        "let m = #{}; m[\"a\"] = m;",
        "let a = [#{ a: 0 }]; a[0].a = a;",
        "let a = [2]; a[0] **= 2;",
        "let a = [2]; (a)[0] = 2;",
        "let a = [[1]]; for b in a { b[0] = a; }",
    ] {
        assert!(matches!(refused(body), NotAdmitted::Disallowed { .. }), "{body}");
    }
    for body in ["let a = [[]]; a[0].push(a);", "let a = []; a.push(1);", "let a = [1]; push(a, 1);"] {
        assert!(matches!(refused(body), NotAdmitted::UnknownFunction { .. }), "{body}");
    }
}

#[test]
fn texts_inside_of_lists_and_records_count_together() {
    check(r#"let s = "x"; for i in 0..14 { s += s; } let a = []; for i in 0..100 { a += [s]; }"#, TEXT);
    check(
        r#"let s = "x"; for i in 0..14 { s += s; } let m = #{}; for i in 0..100 { m = put(m, to_text(i), s); }"#,
        TEXT,
    );
}

#[test]
fn nesting_as_deep_as_the_bounds_let_it_ends_in_a_fault_and_not_in_the_stack() {
    check("let a = []; while x > 0 { a = [a]; }", LIST);
    check("let m = #{}; while x > 0 { m = #{ a: m }; }", RECORD);
    check("let a = []; while x > 0 { a = [#{ a: a }]; }", RECORD);
    let deep = |levels: usize| format!("let a = []; for i in 0..{levels} {{ a = [a]; }} return a;");
    let depth = CallFault::TooLarge { what: "the depth of the answer", most: VALUE_LEVELS_MAX as u64 };
    check(&deep(1_900), depth);
    let compared = "let a = []; for i in 0..1900 { a = [a]; } let b = a; if a == b { return 1; }";
    let depth = CallFault::TooLarge { what: "the depth of a compared value", most: VALUE_LEVELS_MAX as u64 };
    check(compared, depth);
}

#[test]
fn many_values_at_their_bounds_are_bounded_by_the_number_of_variables() {
    let variables: String =
        (0..VARIABLES_MAX + 8).map(|n| format!("let v{n} = a;\n")).collect::<Vec<_>>().concat();
    check(
        &format!("let a = []; for i in 0..1900 {{ a += [i]; }}\n{variables}"),
        CallFault::TooLarge { what: "the number of variables", most: VARIABLES_MAX as u64 },
    );
}

#[test]
fn functions_do_not_call_each_other_without_an_end() {
    let deep = Err(CallFault::TooDeep { levels_max: CALL_LEVELS_MAX });
    assert_eq!(set_off("return g(x);", "fn g(x) { g(x + 1) }"), deep);
    assert_eq!(set_off("return g(x);", "fn g(x) { h(x) } fn h(x) { g(x) }"), deep);
    assert_eq!(set_off("return f(x);", ""), deep);
    let wide = "fn g(n) { if n > 9 { return 1; } g(n + 1) + g(n + 1) + g(n + 1) + g(n + 1) }";
    assert_eq!(set_off("return g(0);", wide), Err(STEPS));
}

const SUMS: usize = 8;

#[test]
fn the_deepest_call_with_the_deepest_expressions_fits_the_stack() {
    let sum = |inner: &str| format!("{}{inner}{}", "(1 + ".repeat(SUMS), ")".repeat(SUMS));
    let other = format!(
        "fn g(n) {{ if n > 8 {{ return 1; }} if true {{ if true {{ {} }} else {{ 0 }} }} else {{ 0 }} }}",
        sum("g(n + 1)")
    );
    let ended = set_off("return g(0);", &other);
    assert_eq!(ended, Ok(value(&(9 * SUMS + 1).to_string())));
}

#[test]
fn expressions_are_not_inside_each_other_without_an_end() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("-(", ")"), ("if x > 0 { ", " }"), ("#{ a: ", " }"), ("abs(", ")")]
    {
        let body = format!("let y = {}1{};", open.repeat(500), close.repeat(500));
        assert!(matches!(refused(&body), NotAdmitted::Unparsable { .. }), "{open}");
    }
    let long = format!("let y = 1{};", " + 1".repeat(3_000));
    assert!(matches!(refused(&long), NotAdmitted::Unparsable { .. }));
    let blocks = format!("{}{}", "{".repeat(500), "}".repeat(500));
    assert!(matches!(refused(&blocks), NotAdmitted::Unparsable { .. }));
}

#[test]
fn numbers_do_not_grow_beyond_their_bound() {
    let large = || CallFault::Number(NumberError::TooLarge);
    check("let n = 2; while x > 0 { n = n * n; }", large());
    check("let n = 3; while x > 0 { n *= n; }", large());
    check("let n = 10 ** 77; let m = n * 10;", large());
    check("let n = 0.1; while x > 0 { n = n * n; }", large());
    check("let n = 1 / 3; while x > 0 { n = n / 7; }", large());
    check("let n = 9223372036854775807; while x > 0 { n += n; }", large());
    assert!(matches!(set_off("let n = 2 ** 100000000;", ""), Err(CallFault::Wrong { line: 3, .. })));
    assert!(matches!(set_off("let n = 2 ** 0.5;", ""), Err(CallFault::Wrong { .. })));
    check("let n = 1 / (x - x);", CallFault::Number(NumberError::DivisionByZero));
    check("let n = 5 % 0;", CallFault::Number(NumberError::DivisionByZero));
}

#[test]
fn there_is_nothing_to_write_a_pattern_with() {
    for name in ["regex", "matches", "is_match", "find", "search", "test", "exec"] {
        let called = refused(&format!(r#"let s = {name}("aaaaaaaaaaaaaaaaaaaaaaaa!", "(a+)+$");"#));
        assert_eq!(called, NotAdmitted::UnknownFunction { name: name.to_owned(), line: 3 });
    }
    // What searches texts here takes its words literally and reads a text once.
    let body = r#"let s = "a"; for i in 0..15 { s += s; } if contains(s, "(a+)+$") { return 1; } return 2;"#;
    assert_eq!(set_off(body, ""), Ok(value("2")));
}

#[test]
fn a_call_ends_when_its_time_is_over() {
    // A look takes 1 ms of this clock, and sixteen steps lie between two looks.
    let sandbox = RhaiSandbox::new(LookedAt::by(1));
    let hidden = hidden("let i = 0; while i < 10000 { i += 1; }", "");
    let function = sandbox.admit(&hidden).unwrap().function;
    assert_eq!(call(&sandbox, function, TRIGGER), Err(CallFault::TooLong { millis_max: CALL_MILLIS_MAX }));
    assert_eq!(call(&sandbox, function, "1"), Ok(value("1")));
}

#[test]
fn a_judgement_ends_when_its_time_is_over() {
    let sandbox = RhaiSandbox::new(LookedAt::by(100));
    assert!(matches!(sandbox.admit(&program("fn f(x) { x }")), Err(NotAdmitted::TooSlow { .. })));
}

#[test]
fn a_clock_that_goes_back_ends_nothing_and_steps_still_do() {
    let sandbox = RhaiSandbox::new(LookedAt::by(-1_000));
    let function = sandbox.admit(&hidden("while x > 0 { }", "")).unwrap().function;
    assert_eq!(call(&sandbox, function, TRIGGER), Err(STEPS));
}
