use std::collections::BTreeSet;

use super::*;
use crate::exact::Exact;
use crate::given::read_default;
use crate::money::Money;

fn arguments<const N: usize>(given: [(&str, Figure); N]) -> BTreeMap<String, Figure> {
    given.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect()
}

fn money(text: &str) -> Figure {
    Figure::Money(Money::parse(text).unwrap())
}

fn number(text: &str) -> Figure {
    Figure::Number(Exact::parse(text).unwrap())
}

fn check(name: &str, given: BTreeMap<String, Figure>, refusal: &str) {
    let error = call(name, &given).unwrap_err();
    assert_eq!(error.to_string(), refusal);
    assert!(!error.help().is_empty());
}

#[test]
fn a_call_answers_with_values_and_lines() {
    let given = arguments([
        ("invoiced", money("52340 USD")),
        ("po", money("51200 USD")),
        ("threshold_pct", Figure::Percent(Rate::parse("2%").unwrap())),
    ]);
    let answer = call("apply_variance_check", &given).unwrap();
    assert_eq!(answer.value("variance"), Some(&money("1140 USD")));
    assert_eq!(answer.value("exceeds"), Some(&Figure::Truth(true)));
    assert_eq!(answer.value("nonsense"), None);
    let lines: Vec<_> = answer.lines.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "variance: 52340.00 USD − 51200.00 USD = 1140.00 USD",
            "variance percent: 1140.00 USD / 51200.00 USD = 2.226562%",
            "exceeds: |2.2265625%| > 2% = true",
        ]
    );
}

#[test]
fn an_answer_is_plain_json() {
    let given = arguments([("hourly_rate", money("28 USD")), ("hours", Figure::Hours(Exact::from(52)))]);
    let answer = call("overtime", &given).unwrap();
    let expected = serde_json::json!({
        "values": { "double_hours": "0", "overtime_hours": "12", "overtime_pay": "504.00 USD", "regular_hours": "40", "total": "1624.00 USD" },
        "lines": [
            { "label": "regular", "expression": "40 h × 28.00 USD", "result": "1120.00 USD" },
            { "label": "overtime at 1.5 times", "expression": "12 h × 28.00 USD × 1.5", "result": "504.00 USD" },
            { "label": "total", "expression": "1120.00 USD + 504.00 USD", "result": "1624.00 USD" },
        ],
        "notes": ["The weekly rule applies: one and a half times the rate over 40 hours a week."],
    });
    assert_eq!(serde_json::to_value(&answer).unwrap(), expected);
}

#[test]
fn the_daily_rule_without_days_says_that_they_were_not_given() {
    let given = arguments([
        ("hourly_rate", money("28 USD")),
        ("hours", Figure::Hours(Exact::from(52))),
        ("rule", Figure::Text("california".to_owned())),
    ]);
    let answer = call("overtime", &given).unwrap();
    assert!(answer.notes[0].starts_with("The daily split was not given, so the weekly rule applies"));
}

#[test]
fn wrong_calls_are_refused_by_name() {
    check("overtme", BTreeMap::new(), "there is no function `overtme`");
    check("split_amount", arguments([("total", money("1 USD"))]), "`parts` is missing");
    let surplus = arguments([("total", money("1 USD")), ("parts", number("2")), ("colour", number("1"))]);
    check("split_amount", surplus, "there is no parameter `colour`");
    let wrong = arguments([("total", number("1")), ("parts", number("2"))]);
    check("split_amount", wrong, "`total` takes money, and the number 1 was given");
    let fraction = arguments([("total", money("1 USD")), ("parts", number("2.5"))]);
    check("split_amount", fraction, "`parts` takes a whole number, and the number 2.5 was given");
    let rounding = arguments([
        ("gross", money("1 USD")),
        ("rate", Figure::Percent(Rate::parse("2%").unwrap())),
        ("rounding", Figure::Text("bankers".to_owned())),
    ]);
    let choices = "half_even, half_up, half_down, up, down, ceiling, floor";
    check("withhold", rounding, &format!("`rounding` takes one of {choices}, and `bankers` was given"));
    let bare = arguments([("gross", money("1 USD")), ("rate", number("2"))]);
    check("withhold", bare, "`rate` takes percent, and the number 2 was given");
}

#[test]
fn a_wrong_part_is_named_with_its_path() {
    let line = |price: Figure| {
        Figure::record([
            ("id", Figure::Text("A".to_owned())),
            ("quantity", number("1")),
            ("unit_price", price),
        ])
    };
    let good = line(money("1 USD"));
    let call = |lines: Vec<Figure>| arguments([("original", Figure::List(lines))]);
    check(
        "net_price_delta",
        call(vec![good.clone(), line(number("1"))]),
        "`original[1].unit_price` takes money, and the number 1 was given",
    );
    let nameless = Figure::record([("quantity", number("1")), ("unit_price", money("1 USD"))]);
    check("net_price_delta", call(vec![nameless]), "`original[0].id` is missing");
    let extra = Figure::record([
        ("id", Figure::Text("A".to_owned())),
        ("quantity", number("1")),
        ("unit_price", money("1 USD")),
        ("size", number("1")),
    ]);
    check("net_price_delta", call(vec![extra]), "there is no parameter `original[0].size`");
    check(
        "net_price_delta",
        call(vec![good; 10_001]),
        "`original` takes at most 10000 items, and 10001 items was given",
    );
}

#[test]
fn one_figure_counts_as_a_list_of_one() {
    let given = arguments([
        ("downtime", number("50")),
        ("sla_max", number("43.2")),
        ("invoice", money("10000 USD")),
        ("credit_pct", Figure::Percent(Rate::parse("5%").unwrap())),
        ("cap", money("1000 USD")),
    ]);
    assert_eq!(call("compute_sla_credit", &given).unwrap().value("credit"), Some(&money("500 USD")));
}

#[test]
fn an_empty_list_is_refused_by_the_function() {
    let none = Figure::List(Vec::new());
    check("irr", arguments([("cash_flows", none.clone())]), "`cash_flows` has no items");
    check("bad_debt_reserve", arguments([("buckets", none.clone())]), "`buckets` has no items");
    check("net_price_delta", arguments([("original", none.clone())]), "`original` has no items");
    let pay = arguments([("hourly_rate", money("28 USD")), ("daily_hours", none)]);
    check("overtime", pay, "`daily_hours` has no items");
}

#[test]
fn counts_out_of_range_are_refused() {
    let given = |parts: &str| arguments([("total", money("1 USD")), ("parts", number(parts))]);
    check("split_amount", given("-1"), "`parts` must not be below zero, and is -1");
    check("split_amount", given("4294967296"), "`parts` must be at most 4294967295, and is 4294967296");
    let huge = "9223372036854775808";
    check(
        "split_amount",
        given(huge),
        &format!("`parts` takes a whole number, and the number {huge} was given"),
    );
}

#[test]
fn every_entry_is_complete() {
    let mut names = BTreeSet::new();
    for function in functions() {
        assert!(names.insert(function.name), "{} stands twice", function.name);
        assert!(function.summary.ends_with('.'), "{}", function.name);
        assert!(!function.words.is_empty() && !function.parameters.is_empty(), "{}", function.name);
        assert!(function.words.iter().all(|word| word.to_lowercase() == **word), "{}", function.name);
        assert_eq!(find(function.name).unwrap().name, function.name);
        let mut parameters = BTreeSet::new();
        for parameter in function.parameters {
            assert!(parameters.insert(parameter.name), "{} stands twice", parameter.name);
            assert!(!parameter.description.is_empty());
            if let Need::Default(text) = parameter.need {
                assert!(read_default(&parameter.kind, text).is_ok(), "{}.{}", function.name, parameter.name);
            }
        }
    }
    assert_eq!(names.len(), 31);
}

#[test]
fn every_function_of_the_reference_is_there() {
    let reference = [
        ("prorated_amount", "total days_used total_days"),
        ("prorated_for_period", "total period_num total_periods"),
        ("apply_early_termination_fee", "remaining fee_pct"),
        ("apply_variance_check", "invoiced po threshold_pct"),
        ("compute_sla_credit", "downtime sla_max invoice credit_pct cap"),
        ("sla_penalty", "excess_minutes total_minutes monthly_fee multiplier"),
        ("apply_sub_limit", "claimed sub_limit rider_limit"),
        ("compute_gift_card_capacity", "balance incoming limit"),
        ("amortize_loan", "principal rate months"),
        ("straight_line_depreciation", "cost salvage life_months"),
        ("recognize_revenue", "value months elapsed"),
        ("net_price_delta", "original modified cancelled_ids"),
    ];
    for (name, parameters) in reference {
        let function = find(name).unwrap();
        let names: Vec<_> = function
            .parameters
            .iter()
            .map(|parameter| parameter.name)
            .filter(|name| *name != "rounding")
            .collect();
        assert_eq!(names.join(" "), parameters, "{name}");
    }
}

#[test]
fn figures_are_read_by_their_kind() {
    let cases = [
        (Kind::Money, "$52,340", "52340.00 USD"),
        (Kind::Number, "1,250.75", "1250.75"),
        (Kind::Whole, "12.0", "12"),
        (Kind::Percent, "250 bp", "2.5%"),
        (Kind::Hours, "52", "52 h"),
        (Kind::Hours, "7.5 h", "7.5 h"),
        (Kind::Days, "30", "30 days"),
        (Kind::Days, "-30 days", "-30 days"),
        (Kind::Date, "2026-01-31", "2026-01-31"),
        (Kind::Text, "INV-1", "INV-1"),
        (Kind::Choice(&["a", "b"]), "b", "b"),
    ];
    for (kind, text, written) in cases {
        assert_eq!(kind.read(text).unwrap().to_string(), written);
    }
    let refused = [
        (Kind::Money, "5", "`5` is not money: the amount has no currency"),
        (Kind::Number, "1e5", "`1e5` is not a number: an amount is not written with an exponent"),
        (Kind::Whole, "1.5", "`1.5` is not a whole number: it has decimals"),
        (Kind::Percent, "5", "`5` is not percent: `5` has no unit: it could be a fraction or percent"),
        (Kind::Days, "1.5", "`1.5` is not days: it is not a number of whole days"),
        (
            Kind::Days,
            "99999999999999999999",
            "`99999999999999999999` is not days: it is not a number of whole days",
        ),
        (Kind::Date, "1/2/2026", "`1/2/2026` is not a date: `1/2/2026` is not a date"),
        (Kind::Choice(&["a", "b"]), "c", "`c` is not one of a, b: it is not one of them"),
        (Kind::List(&Kind::Text), "c", "`c` is not a list of text: its parts are given one by one"),
        (Kind::Record(&[]), "c", "`c` is not a record of : its parts are given one by one"),
    ];
    for (kind, text, reason) in refused {
        assert_eq!(kind.read(text).unwrap_err().to_string(), reason);
    }
}

#[test]
fn figures_are_written_for_people() {
    let list = Figure::List(vec![number("1"), Figure::Truth(false)]);
    assert_eq!(list.to_string(), "[1, false]");
    assert_eq!(Figure::record([("a", number("1")), ("b", list)]).to_string(), "{a: 1, b: [1, false]}");
}

#[test]
fn words_beside_a_figure_are_lower_case_and_tell_the_parameters_of_one_kind_apart() {
    for function in functions() {
        for parameter in function.parameters {
            let lower = |word: &str| word == word.to_lowercase();
            assert!(parameter.near.iter().all(|word| lower(word)), "{}", function.name);
            for (word, choice) in parameter.called {
                assert!(lower(word) && parameter.kind.read(choice).is_ok(), "{} {word}", function.name);
            }
            let others = function.parameters.iter().filter(|other| other.name != parameter.name);
            let shared = others.filter(|other| other.kind.to_string() == parameter.kind.to_string());
            for other in shared {
                let both = parameter.near.iter().find(|word| other.near.contains(word));
                assert_eq!(both, None, "{}: {} and {}", function.name, parameter.name, other.name);
            }
        }
    }
}
