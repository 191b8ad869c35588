use super::*;

const CRM: &[&str] = &[
    "account_no",
    "org_name",
    "e_mail",
    "status",
    "state_code",
    "kind",
    "assignee_id",
    "create_date",
    "total",
];

#[test]
fn a_table_that_an_older_system_left_is_understood() {
    for (wanted, meant, found) in [
        ("client_name", "org_name", Found::Alias),
        ("email", "e_mail", Found::Spelling),
        ("Status", "status", Found::Spelling),
        ("category", "kind", Found::Alias),
        ("owner_id", "assignee_id", Found::Alias),
        ("created_at", "create_date", Found::Alias),
        ("amount", "total", Found::Alias),
        ("account_number", "account_no", Found::Similarity),
        ("accounts_no", "account_no", Found::Similarity),
        ("no_account", "account_no", Found::Similarity),
    ] {
        assert_eq!(find(wanted, CRM, Trust::ToAsk), Some((meant, found)), "{wanted}");
    }
    for unknown in ["phone", "vendor_id", "updated_at", "x", ""] {
        assert_eq!(find(unknown, CRM, Trust::ToAsk), None, "{unknown}");
    }
}

#[test]
fn a_name_that_was_never_filled_has_its_alias() {
    assert_eq!(find("status", CRM, Trust::ToAsk), Some(("state_code", Found::Alias)));
}

#[test]
fn names_that_only_look_alike_do_not_stand_for_each_other() {
    for (wanted, other) in [
        ("vendor_id", "order_id"),
        ("vendor_id", "sender_id"),
        ("vendor_id", "vendor_name"),
        ("amount", "account"),
        ("paid_total", "unpaid_total"),
        ("created_at", "updated_at"),
        ("net_amount", "tax_amount"),
        ("start_date", "end_date"),
        ("min_price", "max_price"),
        ("user_id", "owner_id"),
        ("debit", "credit"),
    ] {
        for trust in [Trust::ToAsk, Trust::ToBelieve] {
            assert_eq!(find(wanted, &[other], trust), None, "{wanted} {other}");
            assert_eq!(find(other, &[wanted], trust), None, "{other} {wanted}");
        }
    }
}

#[test]
fn a_beginning_is_enough_to_ask_but_not_to_believe() {
    assert_eq!(find("cust", &["customer"], Trust::ToAsk), Some(("customer", Found::Prefix)));
    assert_eq!(find("region", &["region_of_birth"], Trust::ToAsk), Some(("region_of_birth", Found::Prefix)));
    assert_eq!(find("region", &["region_of_birth"], Trust::ToBelieve), None);
}

#[test]
fn two_that_fit_equally_are_none_and_the_nearest_may_be_asked_for() {
    assert_eq!(find("amount", &["total", "price"], Trust::ToAsk), None);
    let near = &["acct_balances", "acc_balanced_x"];
    assert_eq!(find("acct_balanced", near, Trust::ToAsk), Some(("acct_balances", Found::Similarity)));
    assert_eq!(find("acct_balanced", near, Trust::ToBelieve), None);
    assert_eq!(find("colour", &["colour"], Trust::ToAsk), None, "it is there");
}
