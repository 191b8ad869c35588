//! Ten typical rules in the dress of each engine, and the one context they are judged on.

/// One rule in each language. Where a language has no `in` or no range, it is written out.
pub struct Rule {
    pub ours: &'static str,
    pub zen: &'static str,
    pub cel: &'static str,
    pub cedar: &'static str,
    pub rego: &'static str,
    pub evalexpr: &'static str,
}

pub const RULES: [Rule; 10] = [
    Rule {
        ours: "amount > 5000",
        zen: "amount > 5000",
        cel: "amount > 5000.0",
        cedar: r#"context.amount.greaterThan(decimal("5000.0"))"#,
        rego: "input.amount > 5000",
        evalexpr: "amount > 5000.0",
    },
    Rule {
        ours: "status === \"active\"",
        zen: "status == \"active\"",
        cel: "status == \"active\"",
        cedar: "context.status == \"active\"",
        rego: "input.status == \"active\"",
        evalexpr: "status == \"active\"",
    },
    Rule {
        ours: "has_unvested_equity",
        zen: "has_unvested_equity",
        cel: "has_unvested_equity",
        cedar: "context.has_unvested_equity",
        rego: "input.has_unvested_equity",
        evalexpr: "has_unvested_equity",
    },
    Rule {
        ours: "amount > 1000 && !is_manager",
        zen: "amount > 1000 and !is_manager",
        cel: "amount > 1000.0 && !is_manager",
        cedar: r#"context.amount.greaterThan(decimal("1000.0")) && !context.is_manager"#,
        rego: "input.amount > 1000; not input.is_manager",
        evalexpr: "amount > 1000.0 && !is_manager",
    },
    Rule {
        ours: "escalate || requires_board",
        zen: "escalate or requires_board",
        cel: "escalate || requires_board",
        cedar: "context.escalate || context.requires_board",
        rego: "true in {input.escalate, input.requires_board}",
        evalexpr: "escalate || requires_board",
    },
    Rule {
        ours: "variance_percent > 2.0",
        zen: "variance_percent > 2.0",
        cel: "variance_percent > 2.0",
        cedar: r#"context.variance_percent.greaterThan(decimal("2.0"))"#,
        rego: "input.variance_percent > 2.0",
        evalexpr: "variance_percent > 2.0",
    },
    Rule {
        ours: "country in [\"IR\", \"KP\", \"SY\"]",
        zen: "country in [\"IR\", \"KP\", \"SY\"]",
        cel: "country in [\"IR\", \"KP\", \"SY\"]",
        cedar: "[\"IR\", \"KP\", \"SY\"].contains(context.country)",
        rego: "input.country in {\"IR\", \"KP\", \"SY\"}",
        evalexpr: "country == \"IR\" || country == \"KP\" || country == \"SY\"",
    },
    Rule {
        ours: "days_overdue >= 30 && balance > 10000",
        zen: "days_overdue >= 30 and balance > 10000",
        cel: "days_overdue >= 30.0 && balance > 10000.0",
        cedar: r#"context.days_overdue >= 30 && context.balance.greaterThan(decimal("10000.0"))"#,
        rego: "input.days_overdue >= 30; input.balance > 10000",
        evalexpr: "days_overdue >= 30.0 && balance > 10000.0",
    },
    Rule {
        ours: "risk_score in 7..10",
        zen: "risk_score in [7..10]",
        cel: "risk_score >= 7.0 && risk_score <= 10.0",
        cedar: "context.risk_score >= 7 && context.risk_score <= 10",
        rego: "input.risk_score >= 7; input.risk_score <= 10",
        evalexpr: "risk_score >= 7.0 && risk_score <= 10.0",
    },
    Rule {
        ours: "vendor.approved == false && amount >= 250.50",
        zen: "vendor.approved == false and amount >= 250.50",
        cel: "vendor.approved == false && amount >= 250.50",
        cedar: r#"context.vendor.approved == false && context.amount.greaterThanOrEqual(decimal("250.50"))"#,
        rego: "input.vendor.approved == false; input.amount >= 250.50",
        evalexpr: "vendor_approved == false && amount >= 250.50",
    },
];

/// The context, as JSON. Three of the ten rules fire on it.
pub const CONTEXT: &str = r#"{
    "amount": 7200.25, "status": "active", "has_unvested_equity": false, "is_manager": true, "escalate": false,
    "requires_board": false, "variance_percent": 2.2265625, "country": "DE", "days_overdue": 12,
    "balance": 25000, "risk_score": 3, "vendor": {"approved": true}
}"#;

/// How many of the rules fire.
pub const FIRED: usize = 3;
