//! What is admitted, what is not, and what the refusal says.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

mod support;

use std::collections::BTreeMap;

use purple_port::{
    CallFault, Case, Datum, Domain, NotAdmitted, NumberError, Outcome, Program, Sandbox, Seen, Shape,
    Signature, Trial,
};
use purple_sandbox::limits::{FUNCTIONS_MAX, SAMPLES};
use purple_sandbox::{GUIDE, RhaiSandbox};
use support::*;

/// A fee by tiers, as a model might be asked for it.
fn late_fee(code: &str) -> Program {
    let tier = |from: &str, percent: &str| {
        Datum::Record(BTreeMap::from([
            ("from_days".to_owned(), number(from)),
            ("percent".to_owned(), number(percent)),
        ]))
    };
    let tiers = || Datum::List(vec![tier("1", "1.5"), tier("31", "4")]);
    let case = |amount: &str, days: &str, expected: Outcome| Case {
        given: given([("amount", number(amount)), ("days", number(days)), ("tiers", tiers())]),
        expected,
    };
    Program {
        signature: Signature {
            name: "late_fee".to_owned(),
            parameters: vec![
                parameter("amount", numbers("0", "1000000", 2)),
                parameter("days", numbers("-30", "400", 0)),
                parameter(
                    "tiers",
                    Domain::List {
                        of: Box::new(Domain::Record(BTreeMap::from([
                            ("from_days".to_owned(), numbers("1", "365", 0)),
                            ("percent".to_owned(), numbers("0.1", "25", 2)),
                        ]))),
                        items_min: 0,
                        items_max: 6,
                    },
                ),
            ],
            answers: Shape::Number { places: 2 },
            refuses: vec!["no_tier".to_owned()],
        },
        code: code.to_owned(),
        shown: vec![case("8500", "10", value("127.50")), case("8500", "0", value("0"))],
        held_back: vec![case("100.10", "45", value("4")), case("0.30", "1", value("0"))],
    }
}

fn guide_example() -> String {
    let (_, after) = GUIDE.split_once("```rhai\n").unwrap();
    after.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_example_of_the_guide_is_admitted_and_computes() {
    let sandbox = sandbox();
    let program = late_fee(&guide_example());
    let admission = sandbox.admit(&program).unwrap();
    assert_eq!((admission.shown, admission.held_back, admission.sampled), (2, 2, SAMPLES));
    assert!(admission.steps_most > 10, "{admission:?}");
    assert_eq!(admission.function, program.hash());
    let arguments =
        given([("amount", number("999.99")), ("days", number("5")), ("tiers", Datum::List(vec![]))]);
    assert_eq!(sandbox.call(admission.function, &arguments), Ok(Outcome::Refused("no_tier".to_owned())));
}

#[test]
fn every_function_that_the_guide_names_exists() {
    let (_, list) = GUIDE.split_once("Functions: ").unwrap();
    let names =
        list.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_' && sign != '(' && sign != ')');
    let mut tried = 0;
    let mut depth = 0i32;
    for name in names {
        if depth == 0 && !name.is_empty() {
            let name = name.split('(').next().unwrap();
            let refused = sandbox().admit(&program(&format!("fn f(x) {{ {name}(); x }}"))).unwrap_err();
            assert!(!matches!(refused, NotAdmitted::UnknownFunction { .. }), "{name}");
            tried += 1;
        }
        depth += i32::try_from(name.matches('(').count()).unwrap();
        depth -= i32::try_from(name.matches(')').count()).unwrap();
    }
    assert!(tried > 30, "{tried}");
}

#[test]
fn a_wrong_function_is_refused_with_the_case_that_failed() {
    let wrong = guide_example().replace("/ 100", "/ 1000");
    match sandbox().admit(&late_fee(&wrong)).unwrap_err() {
        NotAdmitted::CaseFailed { trial: Trial::Shown, index: 0, expected, seen, .. } => {
            assert_eq!(expected, value("127.50"));
            assert_eq!(*seen, Seen::Outcome(value("12.75")));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_author_is_told_the_shown_case_and_never_the_held_back_one() {
    let wrong = sandbox().admit(&late_fee(&guide_example().replace("/ 100", "/ 1000"))).unwrap_err();
    let told = wrong.for_author();
    assert!(told.contains("expected 127.5") && told.contains("came out: 12.75"), "{told}");
    let fitted = sandbox().admit(&late_fee(FITTED)).unwrap_err().for_author();
    assert!(!fitted.contains("100.1") && !fitted.contains('4'), "{fitted}");
}

/// It knows the answers that its author was shown, and nothing else.
const FITTED: &str = "fn late_fee(amount, days, tiers) { if days == 10 { 127.50 } else { 0 } }";

#[test]
fn a_function_that_only_fits_its_shown_cases_is_caught_by_the_held_back_ones() {
    match sandbox().admit(&late_fee(FITTED)).unwrap_err() {
        NotAdmitted::CaseFailed { trial: Trial::HeldBack, index: 0, expected, seen, .. } => {
            assert_eq!((expected, *seen), (value("4"), Seen::Outcome(value("0"))));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_function_that_is_not_total_on_its_domain_is_refused_with_the_input() {
    let mut program = program("fn f(x) { x * x / x }");
    let refused = sandbox().admit(&program).unwrap_err();
    let zero = given([("x", number("0"))]);
    let fault = Box::new(CallFault::Number(NumberError::DivisionByZero));
    assert_eq!(refused, NotAdmitted::NotTotal { given: zero, fault });
    assert!(refused.for_author().contains("x = 0"), "{}", refused.for_author());
    // A declared refusal is an outcome; an undeclared one is not.
    program.code = r#"fn f(x) { if x == 0 { throw "no"; } x * x / x }"#.to_owned();
    sandbox().admit(&program).unwrap();
    program.code = r#"fn f(x) { if x == 0 { throw "never"; } x * x / x }"#.to_owned();
    let fault = Box::new(CallFault::Undeclared { word: "never".to_owned() });
    assert!(matches!(sandbox().admit(&program), Err(NotAdmitted::NotTotal { fault: f, .. }) if f == fault));
}

#[test]
fn an_amount_that_was_not_rounded_is_refused() {
    let unrounded = program("fn f(x) { if x < 3 { x } else { x / 3 } }");
    let refused = sandbox().admit(&unrounded).unwrap_err();
    assert!(
        matches!(&refused, NotAdmitted::NotTotal { fault, .. } if **fault == CallFault::WrongShape { found: "number" }),
        "{refused:?}"
    );
    let rounded = program(r#"fn f(x) { if x < 3 { x } else { round(x / 3, 2, "half_even") } }"#);
    sandbox().admit(&rounded).unwrap();
}

#[test]
fn an_answer_of_another_kind_is_refused() {
    for (answer, found) in [
        ("\"1\"", "text"),
        ("true", "truth"),
        ("[1]", "list"),
        ("#{ a: 1 }", "record"),
        ("()", "nothing"),
        ("0..1", "other value"),
    ] {
        let refused = sandbox().admit(&program(&format!("fn f(x) {{ {answer} }}"))).unwrap_err();
        let NotAdmitted::CaseFailed { seen, .. } = refused else { panic!("{refused:?}") };
        assert_eq!(*seen, Seen::Fault(CallFault::WrongShape { found }), "{answer}");
    }
}

#[test]
fn a_number_that_the_language_would_cut_is_refused() {
    for (literal, refused) in [
        ("0.1234567890123456789012345678", true),
        ("0.123456789012345678901234567", false),
        ("1e5", true),
        ("0x10", true),
        ("1_000.50", false),
    ] {
        let admitted = sandbox().admit(&hidden(&format!("let y = {literal};"), ""));
        assert_eq!(
            matches!(admitted, Err(NotAdmitted::Disallowed { .. })),
            refused,
            "{literal}: {admitted:?}"
        );
    }
}

#[test]
fn the_declared_function_must_be_there() {
    let declared = || NotAdmitted::NoSuchFunction { declared: "f(x)".to_owned() };
    for code in ["fn g(x) { x }", "fn f(y) { y }", "fn f(x, y) { x }", "", "// nothing"] {
        assert_eq!(sandbox().admit(&program(code)), Err(declared()), "{code}");
    }
    assert!(matches!(
        sandbox().admit(&program("fn f(x) { x +")),
        Err(NotAdmitted::Unparsable { line: 1, .. })
    ));
}

#[test]
fn cases_must_be_there_fit_the_declaration_and_not_repeat_each_other() {
    let changed = |change: fn(&mut Program)| {
        let mut program = program("fn f(x) { x }");
        change(&mut program);
        sandbox().admit(&program).unwrap_err()
    };
    assert!(matches!(changed(|p| p.shown.clear()), NotAdmitted::Cases { trial: Trial::Shown, cases: 0, .. }));
    assert!(matches!(changed(|p| p.held_back.clear()), NotAdmitted::Cases { trial: Trial::HeldBack, .. }));
    assert_eq!(changed(|p| p.held_back = p.shown.clone()), NotAdmitted::CaseShown { index: 0 });
    let unfit = NotAdmitted::CaseUnfit { trial: Trial::Shown, index: 0 };
    assert_eq!(changed(|p| p.shown[0].expected = value("1.001")), unfit);
    assert_eq!(changed(|p| p.shown[0].expected = Outcome::Refused("maybe".to_owned())), unfit);
    assert_eq!(changed(|p| p.shown[0].given = given([("x", number("1001"))])), unfit);
    assert_eq!(changed(|p| p.shown[0].given = given([("y", number("1"))])), unfit);
    assert!(matches!(changed(|p| p.code = " ".repeat(20_000)), NotAdmitted::TooLong { .. }));
    assert!(matches!(changed(|p| p.signature.name = "F".to_owned()), NotAdmitted::Signature(_)));
}

#[test]
fn a_function_is_called_by_its_hash_and_only_within_its_domain() {
    let sandbox = sandbox();
    let program = program("fn f(x) { x }");
    let function = program.hash();
    assert_eq!(call(&sandbox, function, "1"), Err(CallFault::NotAdmitted { function }));
    sandbox.admit(&program).unwrap();
    assert_eq!(call(&sandbox, function, "1000"), Ok(value("1000")));
    let outside = |parameter: &str| Err(CallFault::Outside { parameter: parameter.to_owned() });
    assert_eq!(call(&sandbox, function, "1000.01"), outside("x"));
    assert_eq!(call(&sandbox, function, "0.001"), outside("x"));
    assert_eq!(sandbox.call(function, &given([])), outside("x"));
    assert_eq!(sandbox.call(function, &given([("x", text("1"))])), outside("x"));
    assert_eq!(sandbox.call(function, &given([("x", number("1")), ("y", number("1"))])), outside("y"));
    assert!(sandbox.forget(function));
    assert!(!sandbox.forget(function));
    assert_eq!(call(&sandbox, function, "1"), Err(CallFault::NotAdmitted { function }));
}

#[test]
fn what_was_stored_is_judged_again_when_it_is_loaded() {
    let stored = late_fee(&guide_example());
    let first = sandbox().admit(&stored).unwrap();
    let again = sandbox().admit(&stored.clone()).unwrap();
    assert_eq!(first, again, "the same program has the same samples and the same steps");
    // Somebody changed the stored cases: it is another function, and it does not pass.
    let mut tampered = stored;
    tampered.held_back[0].expected = value("5");
    let sandbox = sandbox();
    assert!(matches!(sandbox.admit(&tampered), Err(NotAdmitted::CaseFailed { .. })));
    let function = tampered.hash();
    assert!(matches!(sandbox.call(function, &tampered.shown[0].given), Err(CallFault::NotAdmitted { .. })));
}

#[test]
fn there_is_room_for_a_bounded_number_of_functions() {
    let sandbox = RhaiSandbox::new(LookedAt::by(0));
    let numbered = |at: usize| program(&format!("fn f(x) {{ x + {at} - {at} }}"));
    for at in 0..FUNCTIONS_MAX {
        sandbox.admit(&numbered(at)).unwrap();
    }
    assert_eq!(
        sandbox.admit(&numbered(FUNCTIONS_MAX)),
        Err(NotAdmitted::Full { functions_max: FUNCTIONS_MAX })
    );
    sandbox.admit(&numbered(0)).unwrap();
    assert!(sandbox.forget(numbered(1).hash()));
    sandbox.admit(&numbered(FUNCTIONS_MAX)).unwrap();
}

#[test]
fn every_bound_has_a_name_with_its_unit() {
    let bounds = sandbox().bounds();
    assert!(bounds.len() >= 14, "{bounds:?}");
    for (name, bound) in bounds {
        assert!(bound > 0, "{name}");
    }
}
