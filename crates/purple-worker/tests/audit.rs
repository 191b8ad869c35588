//! What the audit reads, what it leaves alone, and what it catches.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod audited;

use audited::{exact, fails, holds, is_left_alone, only};
use purple_finance::Exact;
use purple_worker::audit::{
    AUDIT_TEXT_BYTES_MAX, Fault, Kind, Known, STATEMENTS_MAX, Unaudited, audit, figures_in, statements,
};

#[test]
fn plain_equations_are_recomputed() {
    holds("2 + 2 = 4");
    fails("2 + 2 = 5", "4");
    holds("The fee is 8,500 × 0.12 = 1,020.");
    fails("The fee is 8,500 × 0.12 = 1,120.", "1020");
    holds("$1,200.00 - $180.50 = $1,019.50");
    fails("$1,200.00 − $180.50 = $1,029.50", "1019.5");
    holds("1,200.00 EUR – 180.50 EUR = 1,019.50 EUR");
    holds("USD 1,200 + USD 300 = USD 1,500");
    holds("€1,200 + €300 = €1,500");
    holds("1200€ + 300€ = 1500€");
    holds("9000 / 12 = 750");
    holds("9000 ÷ 12 = 750");
    fails("9000 ÷ 12 = 75", "750");
    holds("3 x 40 = 120");
    holds("3x40=120");
    fails("3 * 40 = 130", "120");
    holds("500-200=300");
    fails("500-200=400", "300");
    holds("500 -200 = 300");
    holds("-500 + 200 = -300");
    holds("-$500 + $200 = -$300");
    holds("1/4 + 1/4 = 0.5");
    holds("$1.2M + $0.3M = $1.5M");
    fails("$1.2M + $0.3M = $1.6M", "1500000");
    holds("2 million × 3 = 6 million");
    holds("**$500** + **$300** = **$800**");
    holds("`500 + 300 = 800`");
    holds("result: 500 + 300 = 800, as agreed");
    holds("5 plus 3 equals 8");
    fails("12 times 12 is 145", "144");
    holds("100 divided by 8 is 12.5");
}

#[test]
fn chains_precedence_and_parentheses_are_kept() {
    holds("100 + 50 - 30 = 120");
    fails("100 + 50 - 30 = 180", "120");
    holds("4 × 5 × 6 = 120");
    holds("2 + 3 × 4 = 14");
    fails("2 + 3 × 4 = 20", "14");
    holds("(2 + 3) × 4 = 20");
    holds("((2 + 3) × (4 - 1)) / 5 = 3");
    let longer = statements("8,500 × 12% = 8,500 × 0.12 = 1,020").unwrap();
    assert_eq!(longer.iter().map(|s| s.ok).collect::<Vec<_>>(), [true, true]);
    holds("5,000 + (1,140) = 3,860");
    holds("100 - 740 = (640)");
    holds("100 + 50 = 75 + 75");
    fails("100 + 50 = 75 + 80", "150");
}

#[test]
fn every_figure_of_a_longer_equation_is_compared() {
    let found = statements("8,500 × 12% = 8,500 × 0.13 = 1,105").unwrap();
    assert_eq!(found.iter().map(|s| s.ok).collect::<Vec<_>>(), [false, true]);
    let found = statements("1,020 / 8,500 = 0.12 = 13%").unwrap();
    assert_eq!(found.iter().map(|s| s.ok).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn percentages_are_shares() {
    holds("12 % of 8,500 = 1,020");
    holds("12% of $8,500 is $1,020");
    fails("12% of $8,500 is $1,200", "1020");
    holds("2.5 percent of 400 = 10");
    holds("1/3 of 900 = 300");
    holds("100 + 10% = 110");
    fails("100 + 10% = 120", "110");
    holds("200 - 25% = 150");
    holds("5% + 3% = 8%");
    holds("15% - 12% = 3 percentage points");
    holds("1,020 / 8,500 = 12%");
    holds("1,020 / 8,500 × 100 = 12%");
    fails("1,020 / 8,500 × 100 = 13%", "12");
    holds("20% of 50% = 10%");
}

#[test]
fn a_claim_holds_to_the_digits_it_shows() {
    holds("100 / 3 = 33.33");
    holds("100 / 3 = 33.3");
    holds("100 / 3 = 33");
    assert_eq!(only("100 / 3 = 33.34").exact, Some(Exact::ratio(100, 3).unwrap()));
    assert!(!only("100 / 3 = 33.34").ok);
    holds("2.5 × 1.066 = 2.66");
    holds("2.5 × 1.066 = 2.67");
    fails("2.5 × 1.066 = 2.68", "2.665");
    holds("-2.5 × 1.066 = -2.67");
    holds("10 / 4 = 2");
    holds("10 / 4 = 3");
    holds("7,000 × 1.0004 = 7,003");
    holds("997 + 6 ≈ 1,000");
    fails("997 + 6 = 1,000", "1003");
    holds("6 × 166.5 is about 1,000");
    fails("6 × 66.5 is about 1,000", "399");
    holds("$1,234,567 + $1 = $1.2M");
}

#[test]
fn units_belong_to_their_figures() {
    holds("52 hours × $28/hr = $1,456");
    fails("52 hours × $28/hr = $1,465", "1456");
    holds("12 months x 500 EUR/month = 6,000 EUR");
    holds("3 items + 4 items = 7 items");
    fails("3 items + 4 items = 8 items", "7");
    is_left_alone("2 weeks + 3 days = 17 days");
    holds("90 minutes / 60 = 1.5 hours");
    holds("100 EUR × 1.09 = 109 USD");
}

#[test]
fn what_cannot_be_computed_does_not_hold() {
    let divided = only("5 / 0 = 0");
    assert_eq!((divided.ok, divided.fault, divided.exact), (false, Some(Fault::DivisionByZero), None));
    let mixed = only("100 USD + 50 EUR = 150 USD");
    assert_eq!((mixed.ok, mixed.fault), (false, Some(Fault::MixedCurrencies)));
    holds("$100 + 50 USD = $150");
}

#[test]
fn differences_are_recomputed() {
    holds("from 1,000 to 1,250 is 250");
    fails("from 1,000 to 1,250 is 350", "250");
    holds("From $1,250 to $1,000, is a decrease of $250");
    fails("From $1,250 to $1,000 is an increase of $250", "-250");
    holds("going from 80 to 100 is a 25% increase");
    fails("going from 80 to 100 is a 20% increase", "0.25");
    holds("from 12% to 15% is a change of 3 percentage points");
    holds("the difference between $900 and $650 is $250");
    fails("the difference between $900 and $650 is $350", "250");
    holds("from 100 to 80 means a drop of 20");
    holds("from 10 to 4 = -6");
    is_left_alone("open from 9 to 5 is 8 hours");
    is_left_alone("a score from 1 to 5 is 3 on average");
    is_left_alone("from 3 to 7 is 5 days");
}

#[test]
fn totals_of_lists_are_recomputed() {
    holds("- Hosting: $1,200.00\n- Support: $300.00\n- Licences: $99.50\nTotal: $1,599.50");
    fails("- Hosting: $1,200.00\n- Support: $300.00\n- Licences: $99.50\nTotal: $1,699.50", "1599.5");
    holds("1. INV-2024-447: 100 EUR\n2. INV-2024-448: 250 EUR\n\n**Total: 350 EUR**");
    holds("* a: 10\n* b: 20\n* Total: 30");
    holds("- a: 10\n- b: 20\n- Discount: 5\nTotal: 25");
    holds("- a: $10\n- b: $20\nTotal: 2");
    holds("- Consulting (3 days): $2,700\n- Travel: $300\nSum = $3,000");
    is_left_alone("- Policy limit\n- Invoice: $300\nTotal: $300");
    is_left_alone("- a: $10\n- b: 20 EUR\nTotal: $30");
    is_left_alone("Total: $30");
    holds("- see section 4.2\n\n- a: $10\n- b: $20\nTotal: $30");
    holds("- see section 4.2\n- a: $10\n- b: $20\nTotal: $30");
    fails("- see the section\n\n- a: $10\n- b: $20\nTotal: $31", "30");
    holds("- a: $10\n\n- b: $20\n\nTotal: $30");
    is_left_alone("- a: $10\n- b: $20\nThe two lines were checked.\nTotal: $99");
    let nested = statements("- a: $10\n- b: $20\nSubtotal: $30\nVAT 20%: $6\nTotal: $36").unwrap();
    assert_eq!(nested.iter().map(|s| s.ok).collect::<Vec<_>>(), [true, true], "{nested:#?}");
    let nested = statements("- a: $10\n- b: $20\nSubtotal: $30\nVAT 20%: $6\nTotal: $37").unwrap();
    assert_eq!(nested.iter().map(|s| s.ok).collect::<Vec<_>>(), [true, false], "{nested:#?}");
    assert_eq!(nested[1].exact, Some(exact("36")));
}

#[test]
fn totals_of_tables_are_recomputed_by_column_and_rows_by_their_headings() {
    let table = |amount: &str, total: &str| {
        format!(
            "| item | qty | price | amount |\n|---|---:|---:|---:|\n| a | 2 | $5.00 | {amount} |\n| b | 1 | $7.50 | $7.50 |\n| **Total** | 3 | | {total} |\n"
        )
    };
    let found = statements(&table("$10.00", "**$17.50**")).unwrap();
    let kinds: Vec<_> = found.iter().map(|s| (s.kind, s.ok)).collect();
    let (row, total) = ((Kind::Equation, true), (Kind::Total, true));
    assert_eq!(kinds, [row, row, total, total], "{found:#?}");
    let found = statements(&table("$10.00", "$18.50")).unwrap();
    assert_eq!(found.iter().map(|s| s.ok).collect::<Vec<_>>(), [true, true, true, false]);
    assert_eq!(found[3].exact, Some(exact("17.5")));
    let found = statements(&table("$11.00", "$18.50")).unwrap();
    assert_eq!(found.iter().map(|s| s.ok).collect::<Vec<_>>(), [false, true, true, true]);
    assert_eq!(found[0].exact, Some(exact("10")));
}

/// Everything that has figures and signs and is no arithmetic.
const ALONE: &[&str] = &[
    "Invoice INV-2024-447 of 2024-01-15 = open",
    "Call 555-123-4567 or +1 (555) 123-4567 = 24 hours",
    "on 5/12/2026 = 3 days before the due date",
    "released 1.2.3 - 4 = beta",
    "version 2.10.1 = 5",
    "IP 10.0.0.1 - 10.0.0.9 = 9 hosts",
    "Tier 3 - 5 = 2%",
    "FY 2024 - 2026 = 24 months",
    "pages 3-5 = 20",
    "grades 3 - 5 is 40 pupils",
    "a ratio of 3:1 = 3",
    "at 10:30 - 11:45 = 75 minutes",
    "PO 4500-12 = 3 units",
    "x = 5 - y",
    "let total = a + 3;",
    "for (i = 0; i < 10; i += 2) { n = n + 1; }",
    "if 2 + 2 == 5 { return 1; }",
    "assert(3 + 4 != 8)",
    "f(2) + 3 = 5.5",
    "a[3] + 4 = 9",
    "x + 5 - 3 = 10",
    "rate × 3 = 15",
    "5 × rate = 15",
    "Balance - 500 + 300 = 1,200",
    "https://example.com/?a=1-2=3&b=4",
    "2 ** 3 = 9",
    "3² + 4 = 5",
    "1 234 + 5 = 1 239",
    "1.234,56 + 1 = 2",
    "12,5 + 1 = 14",
    "SKU A-5 + B-3 = 9",
    "Q1 + Q2 = 500",
    "#447 - #448 = 2 tickets",
    "007 + 1 = 9",
    "1e5 + 1 = 7",
    "0x10 + 1 = 18",
    "7 < 8 = true",
    "score 3/5 = good",
    "24/7 = always",
    "step 3 of 5 is 60 done",
    "room 3 = 12",
    "3 = 4",
    "Total of 3 invoices is 900",
    "between 3 and 5 is 4",
    "sqrt(16) + 3 = 8",
    "the square root of 16 + 9 = 6",
    "n! - 3! = 5!",
    "10 - 20 °C = 3 months a year",
    "{\"a\": 3, \"b\": 4}",
    "SELECT 1 + n FROM t WHERE k = 5",
    "IBAN DE89 3704 0044 0532 0130 00 = 22",
    "Order 3-2-1 = go",
    "W-2 + 1099 = forms",
    "1st + 2nd = 4",
    "MD5=5d41402a - 3 = 7b",
];

#[test]
fn dates_identifiers_ranges_ratios_and_code_are_left_alone() {
    for text in ALONE {
        is_left_alone(text);
    }
}

#[test]
fn the_figures_of_operations_come_from_somewhere() {
    let known = |name: &str, value: &str| Known { name: name.to_owned(), value: exact(value) };
    let third = Known { name: "computed.share".to_owned(), value: Exact::ratio(100, 3).unwrap() };
    let gathered = [
        known("invoice.total", "8500"),
        known("contract.rate", "0.12"),
        known("fee.base", "2.5"),
        known("fee.factor", "1.066"),
        third,
    ];
    let text = "Credit: 12% of 8,500 = 1,020. Fee: 2.5 × 1.066 = 2.67. Wrong: 8,500 × 0.12 = 1,120.";
    let proposed = [
        known("pay.amount", "8500"),
        known("pay.share", "33.33"),
        known("credit.amount", "1020"),
        known("fee.amount", "2.67"),
        known("fee.exact", "2.665"),
        known("credit.wrong", "1120"),
        known("credit.unknown", "77"),
    ];
    let audit = audit(text, &proposed, &gathered).unwrap();
    let names: Vec<&str> = audit.underived.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(names, ["credit.wrong", "credit.unknown"]);
    assert_eq!(audit.underived[0].exact, Some(exact("1020")));
    assert_eq!(audit.underived[0].inputs, [exact("8500"), exact("0.12")]);
    assert_eq!(audit.underived[1].exact, None);
    assert_eq!(
        audit.complaints(),
        [
            "`8,500 × 0.12 = 1,120` says 1120, but 8500 and 0.12 give 1020",
            "`credit.wrong` is 1120, but 8500 and 0.12 give 1020",
            "`credit.unknown` is 77, which no gathered field, computed value or statement gives",
        ]
    );
    assert!(!audit.passes());
}

#[test]
fn figures_of_documents_are_found_by_their_paths() {
    let document: serde_json::Value = serde_json::from_str(
        r#"{"id": "INV-2024-447", "total": "1,020.00 USD", "rows": [{"net": 0.10000000000000000001, "due": "2026-01-31"}], "paid": false}"#,
    )
    .unwrap();
    let found = figures_in("invoice", &document).unwrap();
    let found: Vec<_> = found.iter().map(|known| (known.name.as_str(), known.value.to_string())).collect();
    assert_eq!(
        found,
        [("invoice.rows[0].net", "0.10000000000000000001".to_owned()), ("invoice.total", "1020".to_owned())]
    );
}

#[test]
fn a_text_that_is_too_much_is_not_audited() {
    let long = " ".repeat(AUDIT_TEXT_BYTES_MAX + 1);
    assert!(matches!(statements(&long), Err(Unaudited::TooLong { .. })));
    let many = "1 + 1 = 2\n".repeat(STATEMENTS_MAX + 1);
    assert!(matches!(statements(&many), Err(Unaudited::TooManyStatements { .. })));
    let deep = format!("{}1{} = 1", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(statements(&deep).unwrap(), vec![]);
    let wide = format!("1{} = 20000", " + 1".repeat(10_000));
    assert_eq!(statements(&wide).unwrap(), vec![]);
}
