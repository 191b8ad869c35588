//! What tasks need to have computed, by the words that ask for it, and what is shipped for it.
//!
//! A table: a reader can see what is recognised, and a test walks it.

use crate::prime::wording::says;

pub(crate) use super::further::asks_further;

/// Where a need comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Field {
    Finance,
    Hr,
    Sla,
    SupplyChain,
    Tax,
    Risk,
    Dates,
    Statistics,
}

impl Field {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Finance => "finance",
            Self::Hr => "hr",
            Self::Sla => "sla",
            Self::SupplyChain => "supply chain",
            Self::Tax => "tax",
            Self::Risk => "risk",
            Self::Dates => "dates",
            Self::Statistics => "statistics",
        }
    }
}

/// A computation that tasks ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// Its name; that of the shipped function, where there is one.
    pub name: &'static str,
    pub field: Field,
    /// What it computes, in a sentence.
    pub about: &'static str,
    /// Words that ask for it, in lower case.
    pub words: &'static [&'static str],
    /// Whether a function for it is shipped, under the same name.
    pub shipped: bool,
}

const fn shipped(
    name: &'static str,
    field: Field,
    about: &'static str,
    words: &'static [&'static str],
) -> Need {
    Need { name, field, about, words, shipped: true }
}

const fn lacking(
    name: &'static str,
    field: Field,
    about: &'static str,
    words: &'static [&'static str],
) -> Need {
    Need { name, field, about, words, shipped: false }
}

use Field::{Dates, Finance, Hr, Risk, Sla, Statistics, SupplyChain, Tax};

/// All of them.
pub(crate) const NEEDS: &[Need] = &[
    shipped("npv", Finance, "the net present value of cash flows", &["npv", "net present value"]),
    shipped("irr", Finance, "the internal rate of return", &["irr", "internal rate of return"]),
    shipped(
        "amortize_loan",
        Finance,
        "the repayment schedule of a loan",
        &["amortization", "amortize", "repayment schedule", "mortgage"],
    ),
    shipped(
        "straight_line_depreciation",
        Finance,
        "straight-line depreciation",
        &["straight-line depreciation", "depreciation", "depreciate"],
    ),
    shipped(
        "recognize_revenue",
        Finance,
        "revenue recognised in a period",
        &["revenue recognition", "recognize revenue", "deferred revenue"],
    ),
    shipped("prorated_amount", Finance, "a prorated amount", &["prorate", "prorated", "proration"]),
    shipped(
        "late_fee",
        Finance,
        "the late fee of an overdue amount",
        &["late fee", "late payment charge", "overdue interest"],
    ),
    shipped(
        "convert_currency",
        Finance,
        "an amount in another currency",
        &["exchange rate", "convert currency", "fx rate"],
    ),
    shipped("split_amount", Finance, "an amount in equal parts", &["split equally", "equal parts"]),
    shipped(
        "allocate_amount",
        Finance,
        "an amount shared out by weights",
        &["allocate", "apportion", "pro rata"],
    ),
    shipped(
        "apply_variance_check",
        Finance,
        "the variance of an invoice against its order",
        &["variance", "above its order"],
    ),
    shipped("dso", Finance, "days sales outstanding", &["dso", "days sales outstanding"]),
    lacking(
        "declining_balance_depreciation",
        Finance,
        "depreciation by a declining balance: cost, rate in percent, and the year counted from 1 give the depreciation of that year, rounded half to even to cents",
        &["declining balance", "double-declining", "reducing balance"],
    ),
    lacking(
        "break_even_units",
        Finance,
        "the number of units at which fixed costs are covered by price less variable cost per unit, rounded up to whole units",
        &["break-even", "break even", "breakeven"],
    ),
    lacking(
        "early_payment_discount",
        Finance,
        "the discount for paying within so many days of an invoice, by its terms in percent and days",
        &["early payment discount", "2/10 net 30", "cash discount"],
    ),
    shipped(
        "overtime",
        Hr,
        "the pay of a week with overtime",
        &["overtime", "time and a half", "double time"],
    ),
    lacking(
        "accrued_leave",
        Hr,
        "the days of leave earned so far: days a year, months worked in the year, rounded half to even to two decimals",
        &["accrued leave", "accrued vacation", "vacation accrual", "leave balance", "pto accrual"],
    ),
    lacking(
        "severance_pay",
        Hr,
        "severance from weekly pay, weeks per year of service and full years of service",
        &["severance"],
    ),
    lacking(
        "mileage_reimbursement",
        Hr,
        "the reimbursement of kilometres or miles at a rate per unit",
        &["mileage", "kilometre allowance", "kilometer allowance"],
    ),
    lacking(
        "shift_differential",
        Hr,
        "pay for hours on a shift with a premium in percent of the base rate",
        &["shift differential", "night premium", "shift premium"],
    ),
    shipped("compute_sla_credit", Sla, "the credit for missed uptime", &["sla credit", "service credit"]),
    shipped(
        "sla_downtime",
        Sla,
        "the downtime that an uptime means",
        &["allowed downtime", "minutes of downtime"],
    ),
    shipped("sla_penalty", Sla, "the penalty for excess downtime", &["sla penalty", "excess downtime"]),
    lacking(
        "mean_time_to_repair",
        Sla,
        "the mean time to repair from the minutes of each outage",
        &["mttr", "mean time to repair", "mean time to recovery"],
    ),
    shipped("safety_stock", SupplyChain, "the safety stock of an item", &["safety stock", "buffer stock"]),
    shipped(
        "economic_order_quantity",
        SupplyChain,
        "the economic order quantity",
        &["eoq", "economic order quantity"],
    ),
    lacking(
        "reorder_point",
        SupplyChain,
        "the stock at which is reordered: demand a day times lead time in days plus safety stock, rounded up to whole units",
        &["reorder point", "re-order point", "reorder level"],
    ),
    lacking(
        "inventory_turnover",
        SupplyChain,
        "how often stock turns over: cost of goods sold by average inventory, rounded half to even to two decimals",
        &["inventory turnover", "stock turnover"],
    ),
    lacking(
        "dimensional_weight",
        SupplyChain,
        "the chargeable weight of a parcel from length, width, height, a divisor and its real weight",
        &["dimensional weight", "volumetric weight", "chargeable weight"],
    ),
    lacking(
        "demurrage",
        SupplyChain,
        "demurrage for days beyond the free days, at a rate per day and container",
        &["demurrage", "detention charge"],
    ),
    shipped("add_vat", Tax, "tax on a net amount", &["add vat", "plus vat", "sales tax"]),
    shipped(
        "extract_vat",
        Tax,
        "the tax in a gross amount",
        &["vat included", "extract vat", "tax included"],
    ),
    shipped("withhold", Tax, "tax withheld from a payment", &["withholding", "withhold"]),
    lacking(
        "bracket_tax",
        Tax,
        "tax by brackets: each bracket taxes the part of the amount between its lower bound and the next at its rate in percent, rounded half to even to cents",
        &["tax bracket", "tax brackets", "progressive tax", "marginal rate"],
    ),
    lacking(
        "customs_duty",
        Tax,
        "customs duty on the value of goods with freight and insurance at a rate in percent",
        &["customs duty", "import duty", "cif value"],
    ),
    shipped("bad_debt_reserve", Risk, "the reserve for bad debt", &["bad debt", "doubtful accounts"]),
    shipped("aging_buckets", Risk, "receivables by age", &["aging", "ageing"]),
    shipped("apply_sub_limit", Risk, "an insured amount under its sub-limit", &["sub-limit", "sublimit"]),
    lacking(
        "expected_loss",
        Risk,
        "the expected loss: exposure times probability of default in percent times loss given default in percent, rounded half to even to cents",
        &["expected loss", "probability of default", "loss given default"],
    ),
    lacking(
        "risk_score",
        Risk,
        "a weighted score from ratings and weights",
        &["risk score", "weighted score", "vendor score"],
    ),
    shipped(
        "working_days",
        Dates,
        "working days between two dates",
        &["working days", "business days", "workdays"],
    ),
    shipped(
        "add_working_days",
        Dates,
        "a date so many working days later",
        &["working days after", "business days from"],
    ),
    shipped(
        "day_count",
        Dates,
        "days between dates by a convention",
        &["day count", "year fraction", "days between"],
    ),
    lacking(
        "notice_period_end",
        Dates,
        "the last day of a notice period of so many months to the end of a month",
        &["notice period", "end of notice"],
    ),
    lacking("standard_deviation", Statistics, "the standard deviation of figures", &["standard deviation"]),
    lacking("median", Statistics, "the median of figures", &["median"]),
    lacking(
        "weighted_average",
        Statistics,
        "the weighted average of figures, rounded half to even to the declared decimals",
        &["weighted average", "weighted mean"],
    ),
    lacking(
        "compound_growth_rate",
        Statistics,
        "the compound annual growth rate",
        &["cagr", "compound annual growth", "compound growth"],
    ),
];

/// What a task asks for, by its words; where a phrase of one lies in a phrase of another, both are told.
pub(crate) fn recognised(text: &str) -> Vec<&'static Need> {
    let lower = text.to_lowercase();
    NEEDS.iter().filter(|need| need.words.iter().any(|word| says(&lower, word))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_field_is_there_and_every_name_once() {
        let fields: BTreeSet<Field> = NEEDS.iter().map(|need| need.field).collect();
        assert_eq!(fields.len(), 8);
        let names: BTreeSet<&str> = NEEDS.iter().map(|need| need.name).collect();
        assert_eq!(names.len(), NEEDS.len());
        assert!(NEEDS.len() >= 30);
    }

    #[test]
    fn what_is_said_to_be_shipped_is_and_what_is_not_is_not() {
        for need in NEEDS {
            let found = purple_finance::catalogue::find(need.name).is_ok();
            assert_eq!(found, need.shipped, "{}", need.name);
        }
    }

    #[test]
    fn each_is_recognised_by_each_of_its_words_and_by_no_part_of_one() {
        for need in NEEDS {
            for word in need.words {
                let text = format!("Please work out the {} for March.", word.to_uppercase());
                assert!(recognised(&text).iter().any(|found| found.name == need.name), "{word}");
                let text = format!("Please work out x{word}x for March.");
                assert!(!recognised(&text).iter().any(|found| found.name == need.name), "{word}");
            }
        }
        assert!(recognised("Approve invoice INV-7 and pay it.").is_empty());
    }
}
