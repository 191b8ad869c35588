//! Arithmetic that is told in words, with the result first, or in lines without marks; and what only looks like it.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod audited;

use audited::{fails, holds, is_left_alone, verdicts};

#[test]
fn a_result_may_stand_first() {
    holds("10,200 = 85,000 × 12%");
    fails("10,300 = 85,000 × 12%", "10200");
    fails("The credit is $1,030 = 12% of $8,500.", "1020");
    fails("120 = 3 × 50", "150");
    fails("So 5 = 2 + 2, as agreed", "4");
    fails("Therefore, 5 = 2 + 2", "4");
    holds("12% = 1,020 / 8,500");
    fails("13% = 1,020 / 8,500", "0.12");
    holds("1,020 is 12% of 8,500");
    fails("1,020 is 13% of 8,500", "1105");
    fails("$1,020 equals 13% of $8,500", "1105");
    fails("The charge $1,020 is $900 + $100.", "1000");
    assert_eq!(verdicts("10,300 = 85,000 × 12% = 10,200"), [false, true]);
}

#[test]
fn operators_may_be_words() {
    holds("$8,500 less $500 is $8,000");
    fails("$8,500 less $500 is $7,000", "8000");
    holds("100 less 10% is 90");
    holds("100 increased by 10% is 110");
    fails("100 increased by 10% is 120", "110");
    fails("$100 raised by $10 gives $120", "110");
    fails("100 decreased by 10% is 80", "90");
    fails("100 reduced by 10% is 80", "90");
    fails("100 lowered by 10% = 80", "90");
    fails("100 plus 10% is 120", "110");
    fails("100 minus 10% is 80", "90");
    fails("12 times 12 is 145", "144");
    fails("12 multiplied by 12 is 145", "144");
    fails("100 divided by 8 is 13.5", "12.5");
    fails("$8,500 minus $500 leaves $7,000", "8000");
    holds("85,000 at 12% is 10,200");
    fails("85,000 at 12% is 10,300", "10200");
    holds("52 hours at $28 is $1,456");
    fails("52 hours at $28 per hour is $1,465", "1456");
    fails("12 months times $500 is $6,500", "6000");
    fails("the price is 3 × 40 = 130 plus tax", "120");
    fails("Subtracting $500 from $8,500 gives $7,000", "8000");
    holds("Adding 100 to 250 gives 350");
}

#[test]
fn figures_in_a_row_are_summed_up() {
    holds("The sum of 100, 200 and 300 is 600");
    fails("The sum of 100, 200 and 300 is 700", "600");
    fails("The total of $100, $200, and $300 is $700.", "600");
    fails("The average of 100, 200 and 600 is 200", "300");
    holds("The mean of 1 and 2 is 1.5");
    holds("The average of 10, 10 and 11 is 10.33");
    fails("The product of 12 and 12 is 145", "144");
    fails("The difference between 900 and 650 is 350", "250");
    fails("The difference of $900 and $650 is $350", "250");
    holds("Items: 100, 200, 300. Total: 600");
    fails("Items: 100, 200, 300. Total: 700", "600");
    fails("Expenses: $100, $200 and $300; the total is $700", "600");
    fails("Fees: 10.50, 20.50, a total of 41.00", "31");
    fails("Charges: $100, $200, $300\nTotal: $700", "600");
    fails("Hotels: $100, $200\nMeals: $300, $400\nTotal: $1,100", "1000");
}

#[test]
fn lines_of_amounts_need_no_marks() {
    holds("Hosting 100.00\nSupport 200.00\nLicences 300.00\nTotal 600.00");
    fails("Hosting 100.00\nSupport 200.00\nLicences 300.00\nTotal 700.00", "600");
    fails("These are the costs:\nHosting: $1,200\nSupport INV-7: $300\nTotal: $1,600", "1500");
    fails("Hosting EUR 100\nSupport EUR 200\n\nGrand total EUR 400", "300");
    holds("Hosting 100.00\nDiscount 20.00\nTotal 80.00");
    fails("See above.\nHosting 100.00\nSupport 200.00\nTotal 700.00", "300");
    fails("- see section 4.2\n\nHosting 100.00\nSupport 200.00\nTotal 700.00", "300");
    let nested = "Hosting 100.00\nSupport 200.00\nSubtotal 300.00\nTax 30.00\nTotal 340.00";
    assert_eq!(verdicts(nested), [true, false]);
}

/// What has the same words and signs and is no arithmetic, or may be none.
const ALONE: &[&str] = &[
    "85,000 at 12% is the rate",
    "85,000 at 12% discount is 74,800",
    "85,000 at 12% over 2 years is 20,400",
    "85,000 at 12% for 3 months is 2,550",
    "net 30 is 2.5%",
    "Net 30 is 2.5% of 400",
    "Q3 2024 is 5% of 100",
    "2024 is 5% of 80",
    "Revenue 2024 = 85,000 + 3,000",
    "2024 = 85,000 + 3,000",
    "INV-2024-447 is 12% of 8,500",
    "Invoice 447 is 12% of 8,500",
    "order 44712 is 12% of 8,500",
    "version 2.1 is 50% of 10",
    "section 4.2 = 5 × 3",
    "VAT on $5,000 is 20% of $5,000",
    "The fee for $8,500 is 12% of $8,500",
    "more than $5,000 is 20% of $5,000",
    "Room 12 = 3 × 5 beds",
    "Key: tier 1 = 100 + 50, 2 = 200 + 50",
    "$1 = 100 + 20 points",
    "$50 = 2 × 3 credits",
    "100 USD = 90 + 2 EUR",
    "2 weeks = 7 + 7 days",
    "2 hours = 60 + 60 minutes",
    "5% = 100 + 20 points",
    "a rating of 3 is 4/5",
    "$8,000 is $5,000 - $10,000",
    "Balance - $500 = $300 + $100",
    "Sales in 2024 increased by 10% is 120",
    "Revenue 2024 increased by 10% is 120",
    "Item 7 increased by 10% is 120",
    "on $8,500 less $500 is $7,000",
    "$8,500 less $500 is $7,000 higher",
    "8,500 less 500 is 10% more",
    "3 less than 5 is 7",
    "3 × 40 less tax = 100",
    "500 or less = 3 × 20",
    "The sum of 3 and 4 is $700",
    "The sum of 100 and 200 is 50% higher",
    "The total of 3 invoices is 900",
    "The total of lines 3 and 4 is 900",
    "The average of 2023 and 2024 is 500",
    "The sum of 100 USD and 50 EUR is 160 USD",
    "Invoices: 447, 448, 449. Total: 700",
    "Phones: 555, 556. Total: 2",
    "Years: 2023, 2024. Total: 900",
    "Items: 100, 200, 300. Total: 3",
    "Items: 100, 200, 300. Total: 12 pages",
    "A: 100, 200. B: 300, 400. Total: 1,100",
    "A: 100, 200\nB: 300, 400. Total: 1,100",
    "Items 3, 5, 7. Total: 4",
    "Limits: $100, $200. Total: $50",
    "Quotes: $100, $200\nTotal: $200",
    "Call: 555, 123. Total time: 5",
    "Subtracting 5% from 100 gives 97",
    "Invoices: 447, 448\nTotal: $700",
    "Start 9.30\nEnd 17.30\nTotal 8.00",
    "Unit price 50.00\nShipping 10.00\nTotal 160.00",
    "Price 50.00\nTax 5.00\nQuantity 3\nShipping 10.00\nFee 1.00\nTotal 166.00",
    "Invoice number 447\nHosting 100.00\nTotal 100.00",
    "Invoice: $1,140.00\nPO: $1,000.00\nTotal: $1,140.00",
    "Budget 1,000.00\nTravel 300.00\nHotel 100.00\nTotal 600.00",
    "Item A 100.00\nDelivery free\nItem B 50.00\nItem C 20.00\nTotal 170.00",
    "Hosting 100.00\nSupport 200.00\nTotal hours 12.50",
    "Hosting 100.00\nSupport 200.00\nTotal 12",
    "- a: $10\n- b: $20\nTax $5\nFee $2\nTotal: $37",
    "- Invoiced: $1,140\n- Ordered: $1,000\nTotal variance: $140",
    "Apples 100\nPears 200\nTotal 700",
    "The limit is 500.00\nThe fee is 100.00\nTotal 100.00",
    "Call 555-123-4567 at 12% is 5",
    "Between 3 and 5 less 2 = open",
];

#[test]
fn what_may_mean_something_else_is_left_alone() {
    for text in ALONE {
        is_left_alone(text);
    }
}
