use super::*;
use crate::fixture::{operation, plan, reference};

#[test]
fn a_headline_says_what_will_be_done_to_which_one() {
    for (tool, pairs, expected) in [
        (
            "reject_invoice",
            &[("invoice_id", "INV-2024-447"), ("reason", "AP-3")][..],
            "Reject invoice INV-2024-447",
        ),
        ("closeTicket", &[("id", "T-7")], "Close ticket T-7"),
        ("delete_users", &[("user_id", "u1")], "Delete users u1"),
        (
            "apply_account_credit",
            &[("vendor_id", "INFRA-9"), ("amount", "1020.00 USD"), ("reference", "SLA-1")],
            "Apply account credit of 1020.00 USD, vendor INFRA-9",
        ),
        (
            "modify_order_items",
            &[("order_id", "ORD-5592"), ("remove", "3")],
            "Modify order items, order ORD-5592",
        ),
        ("run_payroll", &[("month", "2024-10")], "Run payroll"),
    ] {
        assert_eq!(operation("s", tool, pairs).headline(), expected);
    }
}

#[test]
fn a_notice_says_to_whom() {
    let mut notice = operation("s", "send_exit_survey", &[("employee_id", "E-2291")]);
    assert_eq!(notice.headline(), "Send exit survey, employee E-2291");
    notice.recipients = vec!["a@x".to_owned()];
    assert_eq!(notice.headline(), "Send exit survey, employee E-2291 to a@x");
    notice.recipients = ["a", "b", "c", "d", "e"].map(ToOwned::to_owned).to_vec();
    assert_eq!(notice.headline(), "Send exit survey, employee E-2291 to a, b, c and 2 more");
}

#[test]
fn a_value_that_is_not_known_yet_is_shown_as_its_origin() {
    let mut write = operation("s", "close_ticket", &[]);
    write.arguments.insert("ticket_id".to_owned(), reference("open", "ticket.id"));
    assert_eq!(write.headline(), "Close ticket (ticket.id of step open)");
}

#[test]
fn two_amounts_are_not_put_into_one_line() {
    let write = operation("s", "apply_credit", &[("a", "1.00 USD"), ("b", "2.00 USD")]);
    assert_eq!(write.headline(), "Apply credit");
}

#[test]
fn the_buttons_of_a_plan_are_its_own_words() {
    let reject = operation("a", "reject_invoice", &[("invoice_id", "INV-2024-447")]);
    let one = plan(vec![reject.clone()]);
    assert_eq!(one.headline(), "Reject invoice INV-2024-447");
    assert_eq!(one.decline_label(), "Do not reject invoice INV-2024-447");
    let three = plan(vec![reject, operation("b", "close_case", &[]), operation("c", "notify_team", &[])]);
    assert_eq!(three.headline(), "Reject invoice INV-2024-447 and 2 more");
    assert_eq!(plan(vec![]).headline(), "Do nothing");
    assert_eq!(plan(vec![]).decline_label(), "Do not do nothing");
}

#[test]
fn a_plan_that_rejects_something_is_known_as_such() {
    for (tool, rejects) in [
        ("reject_invoice", true),
        ("invoiceReject", true),
        ("deny_claim", true),
        ("decline_order", true),
        ("approve_invoice", false),
        ("rejected_items_delete", false),
        ("cancel_order", false),
    ] {
        assert_eq!(plan(vec![operation("a", tool, &[])]).is_rejection(), rejects, "{tool}");
    }
    let mixed = plan(vec![operation("a", "close_case", &[]), operation("b", "deny_claim", &[])]);
    assert!(mixed.is_rejection());
}

#[test]
fn nothing_hides_in_a_value() {
    assert_eq!(visible("INV-1\u{202e}7-VNI"), "INV-1\\u{202e}7-VNI");
    assert_eq!(
        visible("a\u{200b}b\u{feff}c\nd\te\u{1b}[31m"),
        "a\\u{200b}b\\u{feff}c\\u{a}d\\u{9}e\\u{1b}[31m"
    );
    assert_eq!(visible("a\u{a0}b\u{2028}c\u{3000}d"), "a\\u{a0}b\\u{2028}c\\u{3000}d");
    assert_eq!(visible("Nordwind GmbH & Söhne"), "Nordwind GmbH & Söhne");
    assert_eq!(visible(&"x".repeat(60)), "x".repeat(60));
    assert_eq!(visible(&"x".repeat(61)), format!("{}…", "x".repeat(60)));
}
