//! The tools, one file per part of the company.

mod access;
mod accounts;
mod approvals;
mod books;
mod calculations;
mod compliance;
mod contracts;
mod disputes;
mod expenses;
mod incidents;
mod invoices;
mod onboarding;
mod orders;
mod payroll;
mod people;
mod post;
mod purchasing;
mod receivables;
mod records;
mod subscriptions;
mod tickets;

use crate::tool::Tool;

/// Every family of tools.
pub(crate) const FAMILIES: &[&[Tool]] = &[
    access::TOOLS,
    accounts::TOOLS,
    approvals::TOOLS,
    books::TOOLS,
    calculations::TOOLS,
    compliance::TOOLS,
    contracts::TOOLS,
    disputes::TOOLS,
    expenses::TOOLS,
    incidents::TOOLS,
    invoices::TOOLS,
    onboarding::TOOLS,
    orders::TOOLS,
    payroll::TOOLS,
    people::TOOLS,
    post::TOOLS,
    purchasing::TOOLS,
    receivables::TOOLS,
    records::TOOLS,
    subscriptions::TOOLS,
    tickets::TOOLS,
];
