use super::*;

fn class(name: &str) -> (Class, String) {
    let words = split(name);
    class_of(&without_vendor(&words, &[]), |_| false)
}

#[track_caller]
fn check(expected: Class, names: &str) {
    for name in names.split_whitespace() {
        let (found, reason) = class(name);
        assert_eq!(found, expected, "{name}: {reason}");
        assert!(!reason.is_empty(), "{name}");
    }
}

#[test]
fn every_read_verb_reads_a_thing_and_every_unproven_one_proves_nothing() {
    for verb in READ {
        check(Class::Read, &format!("{verb}_gizmo"));
    }
    for verb in UNPROVEN.iter().filter(|verb| !WRITE.contains(verb) && !NOTIFY.contains(verb)) {
        check(Class::Unclear, &format!("{verb}_gizmo {verb}_gizmo_now"));
    }
    for verb in WRITE {
        check(Class::Write, &format!("{verb}_gizmo"));
    }
}

#[test]
fn every_write_verb_wins_after_every_first_word_unless_it_is_plainly_a_noun() {
    for verb in WRITE {
        for first in READ.iter().chain(UNPROVEN).chain(NOTIFY) {
            check(
                Class::Write,
                &format!("{first}_and_{verb}_gizmo {first}_gizmo_or_{verb} {first}_or_{verb}"),
            );
        }
        if ![NOUNS, RARE_NOUNS, MODIFIERS].concat().contains(verb) {
            for first in READ {
                check(Class::Write, &format!("{first}_{verb} {first}_{verb}_status {first}_gizmo_{verb}s"));
            }
        }
    }
}

#[test]
fn a_second_verb_of_any_kind_leaves_no_read() {
    for verb in UNPROVEN.iter().filter(|verb| !UNPROVEN_NOUNS.contains(verb)) {
        for first in READ {
            let (found, reason) = class(&format!("{first}_{verb}_gizmo"));
            assert_ne!(found, Class::Read, "{first}_{verb}: {reason}");
        }
    }
    for prefix in VERB_PREFIXES {
        for verb in WRITE.iter().filter(|verb| !NOT_PREFIXED.contains(&format!("{prefix}{verb}").as_str())) {
            let (found, reason) = class(&format!("list_{prefix}{verb}"));
            assert_ne!(found, Class::Read, "{prefix}{verb}: {reason}");
        }
    }
    for first in READ {
        for verb in SECOND_VERBS.iter().chain(DOUBTS).chain(&["resend", "reschedule"]) {
            let (found, reason) = class(&format!("{first}_{verb}"));
            assert_ne!(found, Class::Read, "{first}_{verb}: {reason}");
        }
    }
}

#[test]
fn things_that_are_named_like_verbs_are_read() {
    check(
        Class::Read,
        "get_refund get_issue get_commit get_document list_issues list_closed_issues get_release",
    );
    check(
        Class::Read,
        "get_release_notes get_refund_status get_transfer_history get_pay_stub list_pay_periods",
    );
    check(Class::Read, "search_documents find_matches list_group_merge_requests search_places");
    check(Class::Read, "get_start_date get_close_date list_locks list_data_sets list_checks get_forecast");
    check(Class::Read, "get_customer_refund get_feature_flag list_import_results count_open_issues");
    check(Class::Read, "show_pending_approvals get_deleted_users list_archived_orders get_approval_status");
    check(Class::Read, "get_update list_changes get_payment_release_date get_terms_and_conditions");
    check(Class::Read, "get_invoice get_purchase_orders list_order_items read_file search find");
}

#[test]
fn only_the_first_word_suggests_a_read() {
    check(
        Class::Unclear,
        "members_search turnover_and_margin_report order_history monitor_get clear_history",
    );
    check(Class::Write, "delete_report update_history create_list");
    check(Class::Unclear, "verify_report query_list run_search frobnicate gizmo");
}

#[test]
fn vendor_words_are_removed_and_never_hide_a_verb() {
    check(Class::Read, "slack_list_rooms sap.readTable API-get-user stripe_retrieve_payout get_user_hubspot");
    check(Class::Write, "slack_delete_room github_close_issue");
    let repeated = repeated(["acme_get_a", "acme_list_b", "acme_delete_c", "other"].into_iter());
    assert_eq!(repeated, ["acme"]);
    let words = split("acme_get_a");
    assert_eq!(class_of(&without_vendor(&words, &repeated), |_| false).0, Class::Read);
    for verb in WRITE.iter().chain(ALSO_WRITE).chain(UNPROVEN) {
        let words = split(&format!("{verb}_get_x"));
        let all = [(*verb).to_owned()];
        assert_ne!(class_of(&without_vendor(&words, &all), |_| false).0, Class::Read, "{verb}");
    }
}

#[test]
fn second_verbs_after_a_read_verb_are_writes() {
    check(Class::Write, "find_or_create_user get_update_apply get_or_create_tag fetch_and_process_orders");
    check(Class::Write, "get_set_value fetch_update_user read_mark_message find_close_ticket");
    check(Class::Write, "find_and_replace read_modify_write get_issue_refund get_flag_account");
    check(
        Class::Write,
        "get_user_update_email get_lock find_replace_text get_user_and_drop list_jobs_then_run",
    );
    check(Class::Unclear, "get_and_zap_rows");
    check(Class::Read, "get_or_list_rows get_profit_and_loss list_terms_and_conditions get_store_hours");
}

#[test]
fn only_what_is_plainly_a_message_is_told() {
    for message in MESSAGES {
        check(Class::Notify, &format!("send_{message} schedule_{message} send_payment_{message}"));
    }
    check(Class::Notify, "notify notify_about_payment email_customer alert_on_call_team announce_outage");
    check(Class::Unclear, "send_gizmo schedule_gizmo send schedule send_to_bank");
    check(Class::Write, "send_funds_to_vendor email_contract remind_payment send_update send_document");
}

#[test]
fn a_tool_that_asks_is_unclear_until_it_is_declared() {
    let asking = "confirmWithUser requireCFOSignoff request_refund_approval require_legal_sign_off \
                  confirm_with_bank ask_manager await_approval request_customer_consent";
    check(Class::Unclear, asking);
    for name in asking.split_whitespace() {
        assert!(asks_somebody(name), "{name}");
    }
    check(Class::Write, "request_and_grant_approval confirm_with_user_and_ship");
    for name in ["request_refund", "approval", "request_approval_reset", "get_approval", "confirm_order"] {
        assert!(!asks_somebody(name), "{name}");
    }
}

#[test]
fn what_is_unknown_is_unclear() {
    check(Class::Unclear, "frobnicate getanddeleteuser listv2 _ 42 a invoice check_in_guest");
}

#[track_caller]
fn words(name: &str, expected: &str) {
    assert_eq!(split(name).join(" "), expected, "{name}");
}

#[test]
fn names_are_cut_at_separators_humps_and_digits() {
    words("get_purchase_order", "get purchase order");
    words("get-purchase.order/item", "get purchase order item");
    words("getPurchaseOrder", "get purchase order");
    words("GetPurchaseOrder", "get purchase order");
    words("getHTTPStatus", "get http status");
    words("HTTPGet", "http get");
    words("getV2Invoice", "get v 2 invoice");
    words("get_delete2fa", "get delete 2 fa");
    words("GET_INVOICE", "get invoice");
    words("__get--invoice..", "get invoice");
    words("listIDs", "list i ds");
    words("x", "x");
    words("", "");
}

#[test]
fn verbs_hidden_by_spelling_are_found() {
    check(
        Class::Write,
        "getAndDeleteUser get-delete2fa GET_THEN_DELETE get.user.delete list/remove getDELETEUser",
    );
    check(Class::Read, "getHTTPStatus GET_INVOICE get-invoice getInvoice2");
}

#[test]
fn the_reason_names_the_word_that_decided() {
    for (name, reason) in [
        ("get_and_delete_user", "`delete` in the name is a write verb"),
        ("get_invoice", "`get` in the name reads"),
        ("frobnicate", "the name holds no verb that proves anything"),
        ("verify_total", "`verify` proves nothing by itself"),
        ("send_po", "`po` is no message: to send it is more than telling"),
    ] {
        assert_eq!(class(name).1, reason);
    }
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_write_word_in_a_name_never_makes_it_a_read(
            before in "[a-z]{0,8}(_[a-z]{1,8}){0,2}",
            verb in prop::sample::select(WRITE),
            after in "[a-z]{0,8}(_[a-z]{1,8}){0,2}",
        ) {
            let without = class(&format!("{before}_{after}")).0;
            let with = class(&format!("{before}_{verb}_{after}")).0;
            prop_assert!(with != Class::Read || without == Class::Read, "{before}_{verb}_{after}");
        }

        #[test]
        fn no_name_makes_the_reader_panic(name in "\\PC{0,40}") {
            let (_, reason) = class(&name);
            prop_assert!(!reason.is_empty());
        }
    }
}
