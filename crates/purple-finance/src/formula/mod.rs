//! The formulas of business, one a file. Each is a pure function; `docs/spec/money.md` has a worked example of each.
//!
//! Parameters are named as in the catalogue. Where a result is rounded, the rounding is the last argument.

mod error;

mod early_termination;
mod prorated_amount;
mod prorated_for_period;
mod share_out;
mod share_words;

mod order_delta;
mod variance;

mod sla_credit;
mod sla_downtime;
mod sla_penalty;

mod gift_card;
mod sub_limit;

mod depreciation;
mod loan;
mod revenue;

mod irr;
mod npv;

mod aging;
mod bad_debt;
mod dso;
mod late_fee;

mod eoq;
mod safety_stock;

mod overtime;

mod fx;
mod vat;
mod vat_words;
mod withholding;

mod day_count;
mod working_days;

pub use aging::{AGING_BOUNDS_MAX, Aging, AgingBucket, Receivable, aging_buckets};
pub use bad_debt::{Reserve, ReserveBucket, bad_debt_reserve};
pub use day_count::{CountedDays, day_count};
pub use depreciation::{Depreciation, LIFE_MONTHS_MAX, straight_line_depreciation};
pub use dso::{DSO_PLACES, dso};
pub use early_termination::{EarlyTermination, apply_early_termination_fee};
pub use eoq::{EOQ_PLACES, economic_order_quantity};
pub use error::FormulaError;
pub use fx::convert_currency;
pub use gift_card::{GiftCardCapacity, compute_gift_card_capacity};
pub use irr::{IRR_PERCENT_MAX, IRR_PLACES, irr};
pub use late_fee::{LateFee, Lateness, late_fee};
pub use loan::{Instalment, LOAN_MONTHS_MAX, Loan, amortize_loan};
pub use npv::{FLOWS_MAX, npv};
pub use order_delta::{OrderLine, PriceDelta, Settlement, net_price_delta};
pub use overtime::{Overtime, OvertimeBasis, OvertimeRule, Worked, overtime};
pub use prorated_amount::prorated_amount;
pub use prorated_for_period::prorated_for_period;
pub use revenue::{Revenue, recognize_revenue};
pub use safety_stock::{SAFETY_STOCK_PLACES, SafetyStock, Supply, safety_stock};
pub use share_out::{allocate_amount, split_amount};
pub use sla_credit::{SlaCredit, compute_sla_credit};
pub use sla_downtime::{SlaDowntime, sla_downtime};
pub use sla_penalty::sla_penalty;
pub use sub_limit::{SubLimit, apply_sub_limit};
pub use variance::{VARIANCE_PLACES, Variance, apply_variance_check};
pub use vat::{Vat, add_vat, extract_vat};
pub use withholding::{Withholding, withhold};
pub use working_days::{add_working_days, working_days};

use crate::catalogue::Function;

/// Every function, in the order of `docs/spec/money.md`.
pub(crate) const ENTRIES: &[&Function] = &[
    &prorated_amount::ENTRY,
    &prorated_for_period::ENTRY,
    &early_termination::ENTRY,
    &variance::ENTRY,
    &sla_credit::ENTRY,
    &sla_penalty::ENTRY,
    &sla_downtime::ENTRY,
    &sub_limit::ENTRY,
    &gift_card::ENTRY,
    &loan::ENTRY,
    &depreciation::ENTRY,
    &revenue::ENTRY,
    &order_delta::ENTRY,
    &npv::ENTRY,
    &irr::ENTRY,
    &dso::ENTRY,
    &bad_debt::ENTRY,
    &eoq::ENTRY,
    &safety_stock::ENTRY,
    &overtime::ENTRY,
    &vat::ADD_ENTRY,
    &vat::EXTRACT_ENTRY,
    &withholding::ENTRY,
    &fx::ENTRY,
    &late_fee::ENTRY,
    &working_days::COUNT_ENTRY,
    &working_days::ADD_ENTRY,
    &aging::ENTRY,
    &day_count::ENTRY,
    &share_out::SPLIT_ENTRY,
    &share_out::ALLOCATE_ENTRY,
];
