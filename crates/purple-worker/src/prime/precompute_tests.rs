use purple_finance::Currency;

use super::*;

/// The month before is April, with 30 days.
fn computed(text: &str) -> Vec<(&'static str, String)> {
    let setting = Setting { today: jiff::civil::date(2026, 5, 4), dollar: Currency::USD };
    precompute(text, &setting).into_iter().map(|one| (one.name, one.value)).collect()
}

fn values(expected: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    expected.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

#[test]
fn an_invoice_and_its_order_determine_the_variance() {
    let text = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";
    let expected = [("variance", "1140.00 USD"), ("variance_percent", "2.226562%")];
    assert_eq!(computed(text), values(&expected));
    let text = "Actual spend was $900 against a budget of $1,000";
    assert_eq!(computed(text), values(&[("variance", "-100.00 USD"), ("variance_percent", "-10%")]));
}

#[test]
fn the_worked_line_shows_the_figures() {
    let setting = Setting { today: jiff::civil::date(2026, 5, 4), dollar: Currency::USD };
    let found = precompute("invoice $52,340, PO $51,200", &setting);
    assert_eq!(found[0].because, "52340.00 USD − 51200.00 USD = 1140.00 USD");
    assert_eq!(found[1].because, "1140.00 USD / 51200.00 USD = 2.226562%, exactly 2.2265625%");
}

#[test]
fn two_uptimes_and_a_month_determine_the_minutes() {
    let minutes =
        [("sla_allowed_minutes", "43.2"), ("sla_actual_minutes", "388.8"), ("sla_excess_minutes", "345.6")];
    let texts = [
        "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.",
        "Uptime was 99.1%, the SLA target 99.9%, over 30 days",
        "99.1% availability measured against an SLA of 99.9% in a month of 30 days",
    ];
    for text in texts {
        assert_eq!(computed(text), values(&minutes), "{text}");
    }
    let mut with_fee = values(&minutes);
    with_fee.push(("credit", "1020.00 USD".to_owned()));
    let text = "99.1% uptime last month against 99.9% SLA, fee $85,000, multiplier 1.5. What is the credit?";
    assert_eq!(computed(text), with_fee);
}

#[test]
fn days_and_an_amount_determine_the_proration() {
    let expected = [("prorated_used", "1000.00 USD"), ("prorated_remaining", "2650.00 USD")];
    assert_eq!(computed("Prorate $3,650: 100 of 365 days used"), values(&expected));
    let expected = [("prorated_used", "1000.00 USD"), ("prorated_remaining", "2000.00 USD")];
    assert_eq!(computed("Prorate the $3,000 fee for 10 days of last month"), values(&expected));
}

#[test]
fn a_percentage_and_an_amount_determine_the_credit() {
    assert_eq!(computed("Give a 10% credit on the invoice of $85,000"), values(&[("credit", "8500.00 USD")]));
}

#[test]
fn nothing_is_computed_where_a_part_is_missing_or_there_is_more_than_one() {
    let texts = [
        "Invoice INV-1 for $500",
        "Invoice $500 and invoice $600",
        "Invoice $500, PO $450 and freight $20",
        "Invoice 5.000 USD, PO $4,500",
        "Invoice $500, PO $450 and freight of about $2k",
        "Invoice 500 EUR, PO $450",
        "Uptime was 99.1% against 99.9% SLA",
        "Uptime 99.1% last month",
        "Uptime 99.1% last month against 99.9% SLA or 99.5% SLA this month",
        "Prorate $3,000",
        "Prorate $3,000 or $4,000 for 10 days of last month",
        "Credit the customer $50",
        "Employees: 99 of 100 came",
        "",
    ];
    for text in texts {
        assert_eq!(computed(text), [], "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_fail(text in "(invoice|PO|uptime|SLA|prorate|credit|last month|[0-9]{1,5}|%|\\$|days|of|USD|[ ,.-]|\\PC){0,40}") {
        let _ = computed(&text);
    }
}
