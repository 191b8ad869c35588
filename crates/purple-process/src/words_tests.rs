use super::*;

#[track_caller]
fn check(effect: Effect, names: &str) {
    for name in names.split_whitespace() {
        let (found, reason) = effect_of(name);
        assert_eq!(found, effect, "{name}: {reason}");
    }
}

#[test]
fn every_example_of_the_reference_has_its_effect() {
    check(Effect::Approval, "confirm_with_user confirm_with_customer await_approval");
    check(Effect::Approval, "require_customer_signoff request_manager_approval require_approval");
    check(Effect::Write, "authorize_payment confirm_order");
    check(Effect::Write, "get_and_delete_user check_and_lock_account");
    check(Effect::Read, "get_purchase_order list_payment_transfers get_change_orders get_return_policy");
    check(Effect::Write, "send_payment schedule_payment send_po");
    check(
        Effect::Notify,
        "send_order_confirmation schedule_equipment_return send_exit_survey notify_it_team",
    );
    check(Effect::Write, "delete_report");
    check(Effect::Write, "log_event log_audit create_audit_entry");
}

#[test]
fn every_verb_of_the_reference_decides_as_first_word() {
    for (verbs, effect) in
        [(READ, Effect::Read), (COMPUTE, Effect::Compute), (NOTIFY, Effect::Notify), (WRITE, Effect::Write)]
    {
        for verb in verbs {
            check(effect, &format!("{verb}_gizmo"));
        }
    }
}

#[test]
fn every_write_verb_wins_after_every_first_word_unless_it_is_plainly_a_noun() {
    for verb in WRITE {
        for first in READ.iter().chain(COMPUTE).chain(NOTIFY) {
            check(
                Effect::Write,
                &format!("{first}_and_{verb}_gizmo {first}_gizmo_or_{verb} {first}_or_{verb}"),
            );
        }
        for first in COMPUTE.iter().chain(NOTIFY) {
            check(Effect::Write, &format!("{first}_{verb}"));
        }
        if ![NOUNS, RARE_NOUNS, MODIFIERS].concat().contains(verb) {
            for first in READ {
                check(Effect::Write, &format!("{first}_{verb} {first}_{verb}_status {first}_gizmo_{verb}s"));
            }
        }
    }
}

#[test]
fn the_word_lists_are_as_long_as_in_the_reference() {
    assert_eq!((READ.len(), COMPUTE.len(), NOTIFY.len(), WRITE.len()), (18, 9, 8, 85));
}

#[test]
fn things_that_are_named_like_verbs_are_read() {
    check(
        Effect::Read,
        "get_refund get_issue get_commit get_document list_issues list_closed_issues get_release",
    );
    check(
        Effect::Read,
        "get_release_notes get_refund_status get_transfer_history get_pay_stub list_pay_periods",
    );
    check(Effect::Read, "check_refund_status verify_transfer_amount search_documents find_matches");
    check(Effect::Read, "get_start_date get_close_date list_locks check_for_updates list_data_sets");
    check(Effect::Read, "get_customer_refund get_feature_flag list_import_results count_open_issues");
    check(Effect::Read, "show_pending_approvals get_deleted_users list_archived_orders get_approval_status");
    check(
        Effect::Read,
        "preview_change get_update list_changes get_payment_release_date get_terms_and_conditions",
    );
    check(Effect::Read, "get_invoice get_purchase_orders list_order_items read_file query search find");
}

#[test]
fn second_verbs_after_a_read_verb_are_writes() {
    check(Effect::Write, "find_or_create_user get_update_apply get_or_create_tag fetch_and_process_orders");
    check(Effect::Write, "check_lock_account verify_release_funds check_pay_invoice find_close_ticket");
    check(Effect::Write, "fetch_update_user read_mark_message get_set_value check_update_status");
    check(Effect::Write, "find_and_replace get_and_zap_rows check_then_frobnicate read_modify_write");
    check(Effect::Write, "verify_process_payment get_issue_refund get_flag_account get_user_update_email");
    check(Effect::Write, "check_in_guest check_out_cart checkout get_lock find_replace_text");
    check(Effect::Read, "get_or_list_rows check_and_verify_totals find_and_compare_prices");
}

#[test]
fn sending_things_is_a_write_and_sending_words_is_not() {
    check(
        Effect::Write,
        "send_funds_to_vendor send_payment_v2 send_payment_now send_wires schedule_deliveries",
    );
    check(Effect::Write, "send_invoice send_credentials schedule_deletion schedule_payroll send_bank_file");
    check(Effect::Write, "send send_to_bank schedule schedule_for_friday email_contract remind_payment");
    check(Effect::Notify, "send_reminder_for_payment send_payment_reminder send_notice_of_termination");
    check(Effect::Notify, "notify notify_about_payment email_customer alert_on_call_team schedule_meeting");
    check(
        Effect::Notify,
        "send_sla_breach_notification message_requester announce_outage send_receipt_by_email",
    );
    check(Effect::Write, "send_update notify_and_close send_document");
}

#[test]
fn asking_is_only_what_plainly_asks() {
    check(
        Effect::Approval,
        "confirmWithUser requireCFOSignoff request_refund_approval require_legal_sign_off",
    );
    check(Effect::Write, "request_and_grant_approval confirm_with_user_and_ship confirm_with_bank");
    check(Effect::Write, "request_refund require_password approval request_approval_reset");
}

#[test]
fn a_noun_after_a_compute_or_notify_verb_stays_a_verb() {
    check(Effect::Write, "calculate_refund estimate_charge validate_transfer sum_charges email_updates");
    check(Effect::Compute, "calculate_overtime validateIBAN convert_currency");
}

#[test]
fn analysis_suffixes_do_not_soften_a_write() {
    for suffix in ["report", "analysis", "test", "preview", "estimate", "forecast"] {
        check(Effect::Write, &format!("delete_{suffix} update_{suffix} frobnicate_{suffix}"));
    }
}

#[test]
fn what_is_unknown_is_a_write() {
    check(Effect::Write, "frobnicate erp.get_invoice bulkDelete getanddeleteuser listv2 _ 42 a invoice");
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
        Effect::Write,
        "getAndDeleteUser get-delete2fa GET_THEN_DELETE get.user.delete list/remove getDELETEUser",
    );
    check(Effect::Read, "getHTTPStatus GET_INVOICE get-invoice getInvoice2");
}

#[test]
fn the_reason_names_the_word_that_decided() {
    for (name, reason) in [
        ("get_and_delete_user", "`delete` in the name is a write verb"),
        ("get_invoice", "the name begins with `get`, which reads"),
        ("frobnicate", "nothing is known about `frobnicate`, and doubt is a write"),
        ("send_po", "`po` is money, goods, access or a record: to send it is not only telling"),
        ("list_refunds_and_cancels", "`cancel` in the name is a write verb"),
    ] {
        assert_eq!(effect_of(name).1, reason);
    }
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_name_with_a_verb_that_is_never_a_noun_is_never_read(
            first in prop::sample::select(READ),
            middle in "[a-z]{0,6}",
            verb in prop::sample::select(&["delete", "create", "approve", "cancel", "remove", "revoke", "apply"][..]),
            last in "[a-z]{0,6}",
            separator in prop::sample::select(&["_", "-", ".", "/"][..]),
        ) {
            let name = [first, &middle, verb, &last].join(separator);
            prop_assert_eq!(effect_of(&name).0, Effect::Write);
            let (head, rest) = verb.split_at(1);
            let camel = format!("{first}{}{rest}", head.to_uppercase());
            prop_assert_eq!(effect_of(&camel).0, Effect::Write);
        }

        #[test]
        fn no_name_makes_the_reader_panic(name in "\\PC{0,40}") {
            let (_, reason) = effect_of(&name);
            prop_assert!(!reason.is_empty());
        }
    }
}

#[test]
fn a_second_verb_is_seen_behind_every_first_one() {
    check(
        Effect::Write,
        "compute_and_store validate_and_save_order calculate_then_persist notify_and_drop_user",
    );
    check(Effect::Write, "get_user_and_drop fetch_rows_and_save list_jobs_then_run");
    check(Effect::Read, "get_profit_and_loss list_terms_and_conditions get_store_hours");
}
