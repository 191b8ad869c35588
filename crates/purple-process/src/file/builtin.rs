//! The fifteen processes that ship with the product.

use super::load::load;
use super::model::ProcessFile;
use super::problem::Refused;

macro_rules! shipped {
    ($($name:literal,)*) => {
        /// The name and the text of every process that ships with the product.
        pub const BUILTIN: [(&str, &str); 15] = [
            $(($name, include_str!(concat!("../../../../processes/", $name, ".yaml"))),)*
        ];
    };
}

shipped! {
    "expense_approval",
    "procurement",
    "hr_offboarding",
    "incident_response",
    "invoice_reconciliation",
    "customer_onboarding",
    "compliance_audit",
    "dispute_resolution",
    "order_management",
    "sla_breach",
    "month_end_close",
    "ar_collections",
    "subscription_migration",
    "payroll",
    "general",
}

/// The fifteen built-in processes, loaded, checked and tested.
///
/// # Errors
///
/// Never, in a product whose own tests pass.
pub fn builtin() -> Result<Vec<ProcessFile>, Refused> {
    BUILTIN.iter().map(|(_, text)| load(text)).collect()
}
