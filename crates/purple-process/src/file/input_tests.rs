use jiff::civil::date;

use super::*;

/// A Wednesday.
fn setting() -> Setting {
    Setting { today: date(2026, 3, 4), dollar: Currency::parse("USD").unwrap() }
}

fn one(kind: InputType, pattern: Option<&str>, near: Option<&str>) -> Input {
    let pattern = pattern.map(|pattern| Regex::new(pattern).unwrap());
    let shape = Shape::One { kind, pattern, near: near.map(str::to_owned), noun: None };
    Input { name: "it".to_owned(), shape, earlier: false, optional: false, label: None, find: None }
}

fn find(input: &Input, text: &str, setting: &Setting) -> Result<Value, Why> {
    let near: Vec<&str> = input.near().into_iter().map(|(_, word)| word).collect();
    input.find(&Words::of(text, &Records::default(), setting), &near, &[], setting).map(|(value, _)| value)
}

/// What an input finds, shown; or why it finds nothing.
fn found(input: &Input, text: &str) -> String {
    match find(input, text, &setting()) {
        Ok(value) => value.to_string(),
        Err(why) => why.to_string(),
    }
}

#[test]
fn an_id_is_a_whole_word_that_matches_its_pattern() {
    let invoice = one(InputType::Id, Some("INV-[0-9A-Z-]+"), None);
    assert_eq!(found(&invoice, "invoice INV-2024-447 for $52,340"), "INV-2024-447");
    assert_eq!(found(&invoice, "#INV-7: pay it"), "INV-7");
    assert_eq!(found(&invoice, "INV-7 and again INV-7."), "INV-7");
    assert_eq!(found(&invoice, "inv 2024 447, please"), "INV-2024-447");
    assert_eq!(found(&invoice, "invoice Inv-2024-447"), "INV-2024-447");
    assert_eq!(found(&invoice, "no such thing"), "it is not in the task");
    let customer = one(InputType::Id, Some("C-[0-9]+"), None);
    assert_eq!(found(&customer, "INC-88 is not a customer, X_C-9 neither"), "it is not in the task");
    assert_eq!(found(&customer, "(C-88)"), "C-88");
}

#[test]
fn two_different_values_are_ambiguous() {
    let order = one(InputType::Id, Some("PO-[0-9]+"), None);
    assert_eq!(found(&order, "PO-1 or PO-2"), "the task holds several: PO-1, PO-2");
    let amount = one(InputType::Money, None, None);
    assert_eq!(found(&amount, "$5 and $6"), "the task holds several: 5.00 USD, 6.00 USD");
    assert_eq!(found(&amount, "$5 and 5.00 USD"), "5.00 USD");
}

#[test]
fn near_takes_the_value_that_stands_nearest_to_the_word() {
    let total = one(InputType::Money, None, Some("invoice"));
    let text = "Acme submitted invoice INV-1 for $52,340. PO-8821 was $51,200. Approve or reject.";
    assert_eq!(found(&total, text), "52340.00 USD");
    let uptime = one(InputType::Percent, None, Some("uptime"));
    assert_eq!(found(&uptime, "had 99.1% uptime last month against 99.9% SLA"), "99.1%");
    // A word before a value names it rather than one after it.
    let between = one(InputType::Money, None, Some("is"));
    assert_eq!(found(&between, "$5 is $6"), "6.00 USD");
    assert_eq!(found(&total, "$5 and $6 without that word"), "the task holds several: 5.00 USD, 6.00 USD");
}

#[test]
fn each_value_belongs_to_the_input_whose_word_is_nearest() {
    let named =
        |name: &str, near: &str| Input { name: name.to_owned(), ..one(InputType::Money, None, Some(near)) };
    let inputs = [named("total", "invoice"), named("order_total", "PO")];
    for (text, total, order_total) in [
        ("invoice INV-1 for $52,340. PO-8821 was $51,200.", Some("52340.00 USD"), Some("51200.00 USD")),
        ("Approve invoice INV-1 for $25,500 against PO-8822.", Some("25500.00 USD"), None),
        ("Approve invoice INV-1 against PO-8822, amount 25.5k USD", Some("25500.00 USD"), None),
        ("invoice INV-1, amount $500, PO-3 of $600", Some("500.00 USD"), Some("600.00 USD")),
        ("$7 for it", Some("7.00 USD"), None),
        ("$500 where PO-3 says $600", Some("500.00 USD"), Some("600.00 USD")),
        ("$400, $500 where PO-3 says $600", None, Some("600.00 USD")),
    ] {
        let found = extract(text, &inputs, &BTreeMap::new(), &setting()).found;
        let shown = |name: &str| found.get(name).map(ToString::to_string);
        assert_eq!(
            (shown("total").as_deref(), shown("order_total").as_deref()),
            (total, order_total),
            "{text}"
        );
    }
}

#[test]
fn amounts_are_read_exactly_or_not_at_all() {
    let amount = one(InputType::Money, None, None);
    for (text, read) in [
        ("$52,340", "52340.00 USD"),
        ("$1,234,567.89.", "1234567.89 USD"),
        ("US$ 5", "5.00 USD"),
        ("US$5", "5.00 USD"),
        ("USD 5000", "5000.00 USD"),
        ("5000 EUR today", "5000.00 EUR"),
        ("€12.50", "12.50 EUR"),
        ("-$25.97", "-25.97 USD"),
        ("100 JPY", "100 JPY"),
        ("$52,34", "52.34 USD"),
        ("€1.000,50", "1000.50 EUR"),
        ("$5.123", "`$5.123` can be read in more than one way"),
        ("1.5 JPY", "`1.5 JPY` has more digits than its currency"),
        ("$52k", "52000.00 USD"),
        ("$5 million", "5000000.00 USD"),
        ("52.340 USD", "`52.340 USD` can be read in more than one way"),
        ("25'500.00 USD", "25500.00 USD"),
        ("52 340,00 EUR", "52340.00 EUR"),
        ("EUR 8.000,00", "8000.00 EUR"),
        ("INV-2024-449 EUR 8.000,00", "8000.00 EUR"),
        ("25,500 dollars", "25500.00 USD"),
        ("3 PDF files", "it is not in the task"),
        ("PO-8821 was 52 hours", "it is not in the task"),
    ] {
        assert_eq!(found(&amount, text), read, "{text}");
    }
}

#[test]
fn a_bare_dollar_means_what_the_operator_says() {
    let amount = one(InputType::Money, None, None);
    let setting = Setting { dollar: Currency::parse("CAD").unwrap(), ..setting() };
    assert_eq!(find(&amount, "$5", &setting).unwrap().to_string(), "5.00 CAD");
    assert_eq!(find(&amount, "US$5", &setting).unwrap().to_string(), "5.00 USD");
}

#[test]
fn numbers_stand_alone() {
    let number = one(InputType::Number, None, None);
    for (text, read) in [
        ("52 hours this week", "52"),
        ("it took 1,234.5.", "1234.5"),
        ("minus -3 degrees", "-3"),
        ("$28 and 5% and PO-7 and 2026-01-01", "it is not in the task"),
        ("1,23", "1.23"),
    ] {
        assert_eq!(found(&number, text), read, "{text}");
    }
}

#[test]
fn days_count_from_today() {
    let day = one(InputType::Date, None, None);
    for (text, read) in [
        ("on 2026-03-31", "2026-03-31"),
        ("(last day Friday)", "2026-03-06"),
        ("this Monday", "2026-03-09"),
        ("today", "2026-03-04"),
        ("Tomorrow!", "2026-03-05"),
        ("March 6, 2026", "2026-03-06"),
        ("6th of nothing, 6 Mar 2026", "2026-03-06"),
        ("Wednesday", "`Wednesday` could be today or in a week: write the date"),
        ("next Friday", "`next Friday` could be this week's or the week after: write the date"),
        ("03/06/2026", "`03/06/2026` can be read in more than one way"),
        ("20/06/2026", "2026-06-20"),
        ("20.06.2026", "2026-06-20"),
        ("2026-02-30", "it is not in the task"),
        ("Friday or Monday", "the task holds several: 2026-03-06, 2026-03-09"),
        ("some day", "it is not in the task"),
    ] {
        assert_eq!(found(&day, text), read, "{text}");
    }
}

#[test]
fn months_count_from_today() {
    let month = one(InputType::Month, None, None);
    for (text, read) in [
        ("uptime last month", "2026-02"),
        ("this month", "2026-03"),
        ("October 2026", "2026-10"),
        ("for Oct. 2026.", "2026-10"),
        ("in 2026-10", "2026-10"),
        ("2026-13", "it is not in the task"),
        ("on 2026-10-05", "it is not in the task"),
        ("CTR-2026-10", "it is not in the task"),
        ("every month", "it is not in the task"),
    ] {
        assert_eq!(found(&month, text), read, "{text}");
    }
    let january = Setting { today: date(2026, 1, 31), ..setting() };
    assert_eq!(find(&month, "last month", &january).unwrap().to_string(), "2025-12");
}

#[test]
fn a_pattern_may_cut_the_value_out_of_its_surroundings() {
    let name = one(InputType::Text, Some("for employee ([A-Z][a-z]+ [A-Z][a-z]+)"), None);
    assert_eq!(found(&name, "Start it for employee Jordan Kim today"), "Jordan Kim");
    let hours = one(InputType::Number, Some("([0-9]+) hours"), None);
    assert_eq!(found(&hours, "worked 52 hours"), "52");
}

#[test]
fn each_makes_a_list_of_records() {
    let pattern = Regex::new("(?P<action>add|remove) (?P<quantity>[0-9]+)x (?P<item>Widget [A-Z])").unwrap();
    let fields = BTreeMap::from([("quantity".to_owned(), InputType::Number)]);
    let changes = Input {
        name: "changes".to_owned(),
        shape: Shape::Each { pattern, fields },
        earlier: false,
        optional: false,
        label: None,
        find: None,
    };
    let text = "change it: remove 3x Widget A, add 2x Widget B. Check inventory first.";
    assert_eq!(
        found(&changes, text),
        "[{action: remove, item: Widget A, quantity: 3}, {action: add, item: Widget B, quantity: 2}]"
    );
    assert_eq!(found(&changes, "nothing"), "it is not in the task");
}

#[test]
fn a_text_full_of_values_is_read_quickly() {
    let amount = one(InputType::Money, None, Some("invoice"));
    let text: String = (0..20_000).map(|n| format!("${n} invoice ")).collect();
    assert!(found(&amount, &text).starts_with("the task holds several: "));
    let pattern = Regex::new("(?P<n>[0-9]+)x").unwrap();
    let list = Input {
        name: "it".to_owned(),
        shape: Shape::Each { pattern, fields: BTreeMap::new() },
        earlier: false,
        optional: false,
        label: None,
        find: None,
    };
    assert_eq!(found(&list, &"3x ".repeat(501)), "`the task` lists more rows than one run may have");
    assert!(found(&list, &"3x ".repeat(500)).starts_with("[{n: 3}"));
}

#[test]
fn an_earlier_message_fills_only_what_allows_it_and_is_not_mentioned() {
    let pattern = Some("E-[0-9]+");
    let earlier = BTreeMap::from([("it".to_owned(), Value::text("E-1"))]);
    let mut input = one(InputType::Id, pattern, None);
    let told = |input: &Input, text: &str| extract(text, std::slice::from_ref(input), &earlier, &setting());
    assert_eq!(told(&input, "revoke it").missing[0].why, Why::Absent);
    input.earlier = true;
    assert_eq!(told(&input, "revoke it").found["it"], Value::text("E-1"));
    assert_eq!(told(&input, "revoke E-2").found["it"], Value::text("E-2"));
    assert!(matches!(told(&input, "revoke E-2 and E-3").missing[0].why, Why::Ambiguous { .. }));
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        // Each case compiles the patterns anew.
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
            for kind in InputType::ALL {
                let _ = find(&one(kind, None, Some("for")), &text, &setting());
                let _ = find(&one(kind, Some("[0-9]+"), None), &text, &setting());
            }
        }

        #[test]
        fn every_plain_amount_is_read_back(whole in 0_u32..=9_999_999, cents in 0_u8..100) {
            let amount = one(InputType::Money, None, None);
            let text = format!("it costs {whole}.{cents:02} USD, no more");
            prop_assert_eq!(found(&amount, &text), format!("{whole}.{cents:02} USD"));
        }
    }
}

#[test]
fn an_input_is_called_by_its_label_or_by_its_name_in_words() {
    let named = |name: &str, label: Option<&str>| {
        let shape = Shape::One { kind: InputType::Money, pattern: None, near: None, noun: None };
        let label = label.map(str::to_owned);
        Input { name: name.to_owned(), shape, earlier: false, optional: false, label, find: None }.label()
    };
    assert_eq!(named("stated_po", None), "po");
    assert_eq!(named("last_day", None), "last day");
    assert_eq!(named("stated_po", Some("purchase order number")), "purchase order number");
}

#[test]
fn the_time_of_speaking_is_no_second_day() {
    let last_day = one(InputType::Date, None, Some("last day|letzter Tag"));
    let found = |text: &str| found(&last_day, text);
    assert_eq!(found("Today please offboard her, last day 2026-03-20."), "2026-03-20");
    assert_eq!(found("As said yesterday: letzter Tag 20.03.2026"), "2026-03-20");
    assert_eq!(found("Her last day is today."), "2026-03-04");
    assert_eq!(
        found("Her last day is today, the contract ends on 2026-05-01."),
        "the task holds several: 2026-03-04, 2026-05-01"
    );
    assert_eq!(
        found("Last day 2026-03-13. Or was it 2026-03-20?"),
        "the task holds several: 2026-03-13, 2026-03-20"
    );
}

#[test]
fn an_id_without_its_prefix_follows_its_noun() {
    let mut invoice = one(InputType::Id, Some("INV-[0-9A-Z-]+"), None);
    if let Shape::One { noun, .. } = &mut invoice.shape {
        *noun = Some(literal::noun_pattern("invoice|rechnung").unwrap());
    }
    assert_eq!(found(&invoice, "approve the Acme invoice 2024-451 over 12400 dollars"), "INV-2024-451");
    assert_eq!(found(&invoice, "Rechnung Nr. 77 freigeben"), "INV-77");
    for other in ["invoice 500 chairs", "invoice 2026-03-20", "the invoice over 500 USD", "invoice of 2024"] {
        assert_eq!(found(&invoice, other), "it is not in the task", "{other}");
    }
    assert_eq!(found(&invoice, "INV-1, invoice 22"), "INV-1");
}

#[test]
fn a_value_is_corrected_only_by_the_next_one() {
    let invoice = one(InputType::Id, Some("INV-[0-9A-Z-]+"), None);
    assert_eq!(found(&invoice, "Approve INV-1, sorry, I meant INV-2."), "INV-2");
    assert_eq!(
        found(&invoice, "INV-1 freigeben, nein, ich meine INV-2"),
        "the task holds several: INV-1, INV-2"
    );
    for two in
        ["Approve INV-1, sorry, INV-2 is late.", "Approve INV-1. Sorry for INV-2.", "INV-1, then INV-2."]
    {
        assert_eq!(found(&invoice, two), "the task holds several: INV-1, INV-2", "{two}");
    }
}

#[test]
fn an_id_in_two_notations_is_one_and_two_ids_are_two() {
    let invoice = one(InputType::Id, Some("INV-[0-9A-Z-]+"), None);
    assert_eq!(found(&invoice, "About INV-2025-107: approve inv 2025 107"), "INV-2025-107");
    assert_eq!(found(&invoice, "INV-1 and inv 22"), "the task holds several: INV-1, INV-22");
}
