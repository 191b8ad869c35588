use super::*;

fn number(text: &str) -> Datum {
    Datum::Number(Exact::parse(text).unwrap())
}

fn amounts(places: u8) -> Domain {
    Domain::Number { least: Exact::ZERO, most: Exact::from(100), places }
}

fn program() -> Program {
    Program {
        signature: Signature {
            name: "fee".to_owned(),
            parameters: vec![Parameter { name: "amount".to_owned(), takes: amounts(2) }],
            answers: Shape::Number { places: 2 },
            refuses: vec!["too_small".to_owned()],
        },
        code: "fn fee(amount) { amount }".to_owned(),
        shown: vec![Case {
            given: Arguments::from([("amount".to_owned(), number("1.5"))]),
            expected: Outcome::Value(number("1.5")),
        }],
        held_back: vec![],
    }
}

#[test]
fn a_domain_holds_its_values_and_no_others() {
    let list = Domain::List { of: Box::new(amounts(2)), items_min: 1, items_max: 2 };
    let record = Domain::Record([("rate".to_owned(), amounts(0))].into());
    let fields = |name: &str, datum| Datum::Record([(name.to_owned(), datum)].into());
    for (domain, datum, held) in [
        (&amounts(2), number("0"), true),
        (&amounts(2), number("100"), true),
        (&amounts(2), number("100.01"), false),
        (&amounts(2), number("-0.01"), false),
        (&amounts(2), number("0.001"), false),
        (&amounts(2), Datum::Number(Exact::ratio(1, 3).unwrap()), false),
        (&amounts(2), Datum::Text("1".to_owned()), false),
        (&list, Datum::List(vec![]), false),
        (&list, Datum::List(vec![number("1"), number("2")]), true),
        (&list, Datum::List(vec![number("1"), number("2"), number("3")]), false),
        (&list, Datum::List(vec![number("101")]), false),
        (&record, fields("rate", number("7")), true),
        (&record, fields("rate", number("7.5")), false),
        (&record, fields("rates", number("7")), false),
        (&Domain::Text { chars_max: 2 }, Datum::Text("äö".to_owned()), true),
        (&Domain::Text { chars_max: 2 }, Datum::Text("abc".to_owned()), false),
        (&Domain::OneOf(vec!["a".to_owned()]), Datum::Text("b".to_owned()), false),
        (&Domain::Truth, Datum::Truth(false), true),
    ] {
        assert_eq!(domain.holds(&datum), held, "{domain:?} {datum:?}");
    }
}

#[test]
fn a_number_that_was_not_rounded_does_not_fit_its_shape() {
    let shape = Shape::Number { places: 2 };
    assert!(shape.fits(&number("33.33")));
    assert!(!shape.fits(&number("33.333")));
    assert!(!shape.fits(&Datum::Number(Exact::ratio(100, 3).unwrap())));
}

#[test]
fn every_changed_part_changes_the_hash() {
    let first = program();
    let mut changed = vec![first.clone(); 4];
    changed[0].code.push(' ');
    changed[1].signature.refuses.push("more".to_owned());
    changed[2].shown[0].expected = Outcome::Refused("too_small".to_owned());
    changed[3].held_back.push(first.shown[0].clone());
    assert_eq!(first.hash(), program().hash());
    for other in changed {
        assert_ne!(first.hash(), other.hash(), "{other:?}");
    }
}

#[test]
fn a_program_survives_storage_with_every_digit() {
    let mut program = program();
    program.shown[0].expected = Outcome::Value(number("0.10000000000000000000000000000000001"));
    let text = serde_json::to_string(&program).unwrap();
    assert_eq!(serde_json::from_str::<Program>(&text).unwrap(), program);
}

#[test]
fn declarations_that_cannot_be_kept_are_refused() {
    let changed = |change: fn(&mut Signature)| {
        let mut signature = program().signature;
        change(&mut signature);
        signature.check()
    };
    assert_eq!(changed(|_| ()), Ok(()));
    assert!(matches!(changed(|s| s.name = "Fee".to_owned()), Err(BadSignature::NotAWord { .. })));
    assert!(matches!(changed(|s| s.name = "1fee".to_owned()), Err(BadSignature::NotAWord { .. })));
    assert!(matches!(
        changed(|s| s.parameters.push(s.parameters[0].clone())),
        Err(BadSignature::Twice { .. })
    ));
    assert!(matches!(
        changed(|s| s.refuses = vec!["a".to_owned(); REFUSALS_MAX + 1]),
        Err(BadSignature::TooMany { .. })
    ));
    assert!(matches!(
        changed(|s| s.parameters[0].takes = Domain::OneOf(vec![])),
        Err(BadSignature::Impossible { what: "a choice" })
    ));
    let deep = |levels| (0..levels).fold(Shape::Text, |shape, _| Shape::List(Box::new(shape)));
    let mut signature = program().signature;
    signature.answers = deep(VALUE_LEVELS_MAX);
    assert_eq!(signature.check(), Ok(()));
    signature.answers = deep(VALUE_LEVELS_MAX + 1);
    assert_eq!(signature.check(), Err(BadSignature::Impossible { what: "a list" }));
}

#[test]
fn values_have_bounds() {
    let list = |items: usize| Datum::List(vec![number("1"); items]);
    assert!(list(LIST_ITEMS_MAX).is_within_bounds());
    assert!(!list(LIST_ITEMS_MAX + 1).is_within_bounds());
    assert!(!Datum::List(vec![list(LIST_ITEMS_MAX)]).is_within_bounds());
    assert!(!Datum::Text("x".repeat(TEXT_BYTES_MAX + 1)).is_within_bounds());
    let nested = |levels| (0..levels).fold(number("1"), |datum, _| Datum::List(vec![datum]));
    assert!(nested(VALUE_LEVELS_MAX).is_within_bounds());
    assert!(!nested(VALUE_LEVELS_MAX + 1).is_within_bounds());
}
