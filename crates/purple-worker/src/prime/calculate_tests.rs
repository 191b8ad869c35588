use purple_finance::Currency;

use super::*;

fn setting() -> Setting {
    Setting { today: jiff::civil::date(2026, 3, 2), dollar: Currency::USD }
}

fn answered(text: &str) -> Option<(&'static str, String)> {
    calculate(text, &setting()).map(|found| (found.function, found.result))
}

#[test]
fn overtime_without_the_daily_split_says_so() {
    let text = "Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr, CA state rules apply.";
    let found = calculate(text, &setting()).unwrap();
    assert_eq!(found.function, "overtime");
    let given = [("hourly_rate", "28.00 USD"), ("hours", "52 h"), ("rule", "california")];
    assert_eq!(found.given, given.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(found.result, "504.00 USD");
    assert_eq!(found.beside, [("total".to_owned(), "1624.00 USD".to_owned())]);
    assert_eq!(
        found.lines,
        [
            "regular: 40 h × 28.00 USD = 1120.00 USD",
            "overtime at 1.5 times: 12 h × 28.00 USD × 1.5 = 504.00 USD",
            "total: 1120.00 USD + 504.00 USD = 1624.00 USD",
        ]
    );
    assert!(found.notes[0].starts_with("The daily split was not given"), "{:?}", found.notes);
}

#[test]
fn calculations_are_answered_by_the_function_whose_words_and_parameters_they_hold() {
    let cases = [
        ("What overtime is due for 45 hours at $20 an hour under federal rules?", "overtime", "150.00 USD"),
        (
            "Compute overtime pay at $30/hr, hours each day: 10, 10, 10, 10, 10 hours, California",
            "overtime",
            "450.00 USD",
        ),
        ("Prorate $3,650 for 100 of 365 days", "prorated_amount", "1000.00 USD"),
        (
            "Calculate the amount of period 1 of 3 of a prorated total of $100.00",
            "prorated_for_period",
            "33.34 USD",
        ),
        (
            "Compute the early termination fee of 10% on a remaining $5,000",
            "apply_early_termination_fee",
            "500.00 USD",
        ),
        (
            "What is the variance of an invoice of $52,340 against a PO of $51,200 with a tolerance of 2%?",
            "apply_variance_check",
            "1140.00 USD",
        ),
        (
            "Calculate the SLA penalty: 345.6 excess minutes of 43200 total minutes, monthly fee $85,000, multiplier 1.5",
            "sla_penalty",
            "1020.00 USD",
        ),
        (
            "How much downtime beyond the SLA: 99.1% uptime against 99.9% target?",
            "sla_downtime",
            "345.6 minutes",
        ),
        (
            "Compute the monthly payment of a loan of $12,000 at 6% over 12 months",
            "amortize_loan",
            "1032.80 USD",
        ),
        (
            "Calculate straight-line depreciation: cost $10,000, salvage $1,000, life 5 years",
            "straight_line_depreciation",
            "1800.00 USD per year",
        ),
        (
            "Recognize revenue on a $12,000 contract over 12 months, 5 months elapsed",
            "recognize_revenue",
            "5000.00 USD",
        ),
        ("What is the NPV of cash flows -$1,000, $600, $600 at 10%?", "npv", "41.32 USD"),
        ("Compute DSO with receivables of $50,000 and credit sales of $365,000", "dso", "50 days"),
        (
            "Calculate the EOQ for an annual demand of 1200 units, order cost $50 and holding cost $3",
            "economic_order_quantity",
            "200 units",
        ),
        ("How much is $1,000 net plus 19% VAT?", "add_vat", "1190.00 USD"),
        ("How much is the tax if 119.00 EUR has 19% VAT included?", "extract_vat", "19.00 EUR"),
        ("Calculate backup withholding of 24% on $2,500", "withhold", "600.00 USD"),
        ("Convert EUR 8,420 to USD at an exchange rate of 1.091", "convert_currency", "9186.22 USD"),
        ("Calculate the late fee on $10,000 at 7.3% a year, 50 days late", "late_fee", "100.00 USD"),
        ("How many working days between 2026-03-02 and 2026-03-13?", "working_days", "10 working days"),
        ("How many days between 2026-01-01 and 2026-01-31?", "day_count", "30 days"),
        ("Split $100.00 in 3 parts", "split_amount", "[33.34 USD, 33.33 USD, 33.33 USD]"),
        ("Allocate $100.00 by weights 1, 1, 2", "allocate_amount", "[25.00 USD, 25.00 USD, 50.00 USD]"),
        (
            "What does the policy pay on a claim of $5,000 with a sublimit of $3,000?",
            "apply_sub_limit",
            "3000.00 USD",
        ),
        (
            "What capacity has a gift card with a balance of $80, incoming $50 and a limit of $100?",
            "compute_gift_card_capacity",
            "20.00 USD",
        ),
    ];
    let mut wrong = Vec::new();
    for (text, function, result) in cases {
        let got = answered(text);
        if got != Some((function, result.to_owned())) {
            wrong.push(format!("{text}\n   {got:?}, expected {function} {result}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_was_assumed_is_said_unless_the_words_state_it() {
    let assumed = |text: &str| calculate(text, &setting()).unwrap().assumed;
    let month = Some("for a month of 30 days".to_owned());
    assert_eq!(assumed("How much downtime beyond the SLA: 99.1% uptime against 99.9% target?"), month);
    let stated = "How much downtime beyond the SLA in a 30-day month: 99.1% uptime against 99.9% target?";
    assert_eq!(assumed(stated), None);
    let federal = Some("by the federal rule of the United States".to_owned());
    assert_eq!(assumed("What overtime is due for 45 hours at $20 an hour?"), federal);
    assert_eq!(assumed("What overtime is due for 45 hours at $20 an hour under federal rules?"), None);
}

#[test]
fn every_function_answers_its_own_example() {
    for function in catalogue::functions() {
        let Some(example) = function.example else { continue };
        assert_eq!(answered(example).map(|(name, _)| name), Some(function.name), "{example}");
    }
    let without: Vec<&str> =
        catalogue::functions().iter().filter(|one| one.example.is_none()).map(|one| one.name).collect();
    assert_eq!(without, ["net_price_delta", "aging_buckets"], "these take lists of records");
}

#[test]
fn what_is_no_pure_calculation_is_left_alone() {
    let texts = [
        // A parameter is missing, or one is there twice.
        "Calculate Sarah Chen's overtime: 52 hours this week, CA state rules apply.",
        "Calculate overtime: 52 hours and 41 hours at $28/hr",
        "Split $100.00",
        "Convert EUR 8,420 to USD",
        "Calculate the late fee on $10,000 at 7.3% a year",
        "Calculate straight-line depreciation: $10,000 and $1,000, life 60 months",
        // A figure that no parameter takes.
        "Calculate overtime: 52 hours at $28/hr, bonus $500",
        // Two rules at once.
        "Calculate overtime for 52 hours at $28/hr, California or federal",
        // Two functions that fit as well.
        "What is 19% of $100 with sales tax or withheld?",
        // Something is to be changed, or to be looked up.
        "Calculate overtime for 52 hours at $28/hr and pay it",
        "Approve overtime: what is 52 hours at $28/hr?",
        "Calculate the late fee on $10,000 at 7.3% a year, 50 days late, then send the invoice",
        "Calculate the refund after a 10% early termination fee on a remaining $5,000 and refund the customer",
        "Calculate the late fee on INV-2024-447 over $10,000 at 7.3% a year, 50 days late",
        "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.",
        // Nothing is asked.
        "Sarah worked overtime: 52 hours at $28/hr",
        // The value of the used days, or of the others.
        "Prorate a $3,650 contract: 100 of 365 days used",
        // An amount or a date that can be read in two ways.
        "Calculate overtime: 52 hours at 1.500 USD",
        "How many working days between 1/2/2026 and 1/3/2026?",
        "Convert EUR 8,42 to USD at 1.091",
        "What is the weather?",
        "",
    ];
    for text in texts {
        assert_eq!(calculate(text, &setting()), None, "{text}");
    }
}

#[test]
fn what_a_calculation_leaves_open_is_asked() {
    let cases = [
        ("What is 19% VAT on 1.234 EUR net?", "`1.234 EUR` can mean 1234 EUR or 1.234 EUR. Which is it?"),
        ("How many working days between 4.5.26 and 8.5.26?", "`4.5.26` can mean 2026-05-04 or 2026-04-05"),
        ("Wie hoch ist die MwSt auf 1,000 EUR netto bei 19 %?", "`1,000 EUR` can mean 1000 EUR or 1 EUR"),
        (
            "What is the payment on a loan of 10,000 EUR over 24 months?",
            "missing: the nominal rate of a year",
        ),
        ("What is 19% VAT on 1,000 EUR net, halved?", "did not understand: halved"),
        ("Prorate 1,200 EUR for 40 of 30 days", "It has no answer: "),
        ("What is my annual payment on a 10,000 EUR loan at 5% over 24 months?", "annual"),
        ("Prorate 1,200 EUR: 10 of 30 days used", "which figure is asked for. It can be: remaining, used."),
    ];
    for (text, expected) in cases {
        let Outcome::Open(open) = outcome(text, &setting()) else { panic!("nothing is asked: {text}") };
        assert!(open.question().contains(expected), "{text}: {}", open.question());
    }
    for text in
        ["Who has to sign an invoice over 5,000 USD?", "Approve INV-7 over 5,000 USD plus VAT", "Hello"]
    {
        assert_eq!(outcome(text, &setting()), Outcome::Other, "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_fail(text in "(calculate|overtime|vat|split|[0-9]{1,5}|%|\\$|hours|days|of|USD|[ ,.-]|\\PC){0,40}") {
        let _ = calculate(&text, &setting());
    }
}
