use serde_json::json;

use super::*;

fn said() -> Value {
    let case = |amount: u32, days: u32, fee: &str| json!({"given": {"amount": amount, "days": days}, "expected": fee});
    json!({
        "parameters": [
            {"name": "amount", "takes": {"number": {"least": "0", "most": "1000000", "places": 2}}, "unit": "money"},
            {"name": "days", "takes": {"number": {"least": "0", "most": "365", "places": 0}}},
        ],
        "answers": {"number": {"places": 2}},
        "unit": "money",
        "refuses": ["too_old"],
        "cases": [
            case(100, 0, "0"), case(100, 10, "1"), case(200, 10, "2.00"), case(50, 20, "1"), case(1000, 1, "1"),
            case(10, 100, "1"), {"given": {"amount": 1, "days": 365}, "refused": "too_old"}, case(100, 0, "0"),
        ],
    })
}

fn specified(said: &Value) -> Result<Specification, Unspecified> {
    Specification::parse(&said.to_string(), "storage_fee", "the fee", &["storage".to_owned()])
}

#[test]
fn every_other_case_is_held_back_and_none_is_there_twice() {
    let what = specified(&said()).unwrap();
    assert_eq!((what.shown.len(), what.held_back.len()), (4, 3));
    assert!(what.held_back.iter().all(|held| !what.shown.iter().any(|shown| shown.given == held.given)));
    assert_eq!(what.declared(), "storage_fee(amount, days)");
    assert!(!what.examples().contains("\"20\""), "{}", what.examples());
}

#[test]
fn a_description_that_does_not_fit_itself_is_refused() {
    let mut wrong = said();
    wrong["cases"][1]["given"]["days"] = json!(366);
    assert!(matches!(specified(&wrong), Err(Unspecified::Case { index: 1 })));
    let mut wrong = said();
    wrong["cases"][0]["expected"] = json!("0.001");
    assert!(matches!(specified(&wrong), Err(Unspecified::Case { index: 0 })));
    let mut wrong = said();
    wrong["cases"].as_array_mut().unwrap().truncate(5);
    assert!(matches!(specified(&wrong), Err(Unspecified::Cases { count: 5, .. })));
    let mut wrong = said();
    wrong["effects"] = json!("write");
    assert!(matches!(specified(&wrong), Err(Unspecified::NotASpecification(_))));
}

#[test]
fn money_goes_in_and_comes_out_in_one_currency() {
    let made = specified(&said()).unwrap().with("fn storage_fee(amount, days) { 0 }");
    let (given, currency) = made.arguments(&json!({"amount": "100.50 EUR", "days": 3})).unwrap();
    assert_eq!(given["amount"], Datum::Number(Exact::parse("100.50").unwrap()));
    let answer = made.result(&Datum::Number(Exact::parse("1.5").unwrap()), currency.as_deref());
    assert_eq!(answer, json!("1.50 EUR"));
    for wrong in [
        json!({"amount": 100, "days": 3}),
        json!({"amount": "100 EUR"}),
        json!({"amount": "100 EUR", "days": 400}),
        json!({"amount": "100 EUR", "days": 4, "more": 1}),
    ] {
        assert!(made.arguments(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_task_with_its_word_points_to_it() {
    let made = specified(&said()).unwrap().with("");
    assert!(made.fits("Work out the STORAGE fee."));
    assert!(!made.fits("Work out the overstorage fee."));
    assert_eq!(
        pointing(&["Storage".to_owned(), "elsewhere".to_owned(), "fee".to_owned()], "storage fee"),
        ["storage"]
    );
}
