//! Exact money, rates, dates and the formulas of business.
