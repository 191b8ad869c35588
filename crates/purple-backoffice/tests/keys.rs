//! Idempotency keys: where they are taken, a repetition answers the first result; where not, it is a second effect.

mod desk;

use desk::{Desk, answer};
use purple_backoffice::{Answer, Office, Setup};
use serde_json::{Value, json};

fn credit(reference: &str) -> Value {
    json!({"vendor_id": "INFRA-9", "amount": "1020.00 USD", "reference": reference})
}

#[test]
fn a_key_in_the_arguments_makes_a_repetition_harmless() {
    let desk = Desk::open();
    let mut arguments = credit("R-1");
    arguments["idempotency_key"] = json!("k-1");
    let first = desk.done("apply_account_credit", arguments.clone());
    assert_eq!(desk.done("apply_account_credit", arguments), first);
    let ledger = desk.ledger();
    assert_eq!(ledger.effects.len(), 1);
    assert_eq!(ledger.effects[0].key.as_deref(), Some("k-1"));
    assert_eq!(ledger.effects[0].arguments, credit("R-1"), "the key is no argument");
    let outcomes: Vec<&str> = ledger.calls.iter().map(|call| call.outcome.as_str()).collect();
    assert_eq!(outcomes, ["done", "replayed"]);
    assert_eq!(ledger.calls.iter().map(|call| call.applied).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_key_beside_the_arguments_is_the_same_key() {
    let desk = Desk::open();
    let first = answer(desk.keyed("apply_account_credit", credit("R-1"), "k-1"));
    let mut arguments = credit("R-1");
    arguments["idempotency_key"] = json!("k-1");
    assert_eq!(desk.done("apply_account_credit", arguments), first);
    assert_eq!(desk.effects(), 1);
}

#[test]
fn a_key_is_for_one_call_and_one_tool() {
    let desk = Desk::open();
    answer(desk.keyed("apply_account_credit", credit("R-1"), "k-1"));
    let other = desk.keyed("apply_account_credit", credit("R-2"), "k-1").answer;
    assert!(matches!(other, Answer::Refused { code: "KEY_REUSED", .. }), "{other:?}");
    answer(desk.keyed("approve_invoice", json!({"invoice_id": "INV-2024-448"}), "k-1"));
    assert_eq!(desk.effects(), 2);
}

#[test]
fn a_refused_call_does_not_use_its_key_up() {
    let desk = Desk::open();
    let arguments = json!({"invoice_id": "INV-2024-450"});
    assert!(matches!(desk.keyed("approve_invoice", arguments.clone(), "k").answer, Answer::Refused { .. }));
    desk.done("put_invoice_on_hold", json!({"invoice_id": "INV-2024-451", "reason": "x"}));
    assert!(matches!(desk.keyed("approve_invoice", arguments, "k").answer, Answer::Refused { .. }));
    answer(desk.keyed("approve_invoice", json!({"invoice_id": "INV-2024-451"}), "k"));
}

#[test]
fn a_tool_without_keys_does_it_again_and_the_witness_sees_the_key() {
    let desk = Desk::open();
    let refund = json!({"customer_id": "C-8821", "amount": "10.00 USD", "reference": "DSP-1"});
    answer(desk.keyed("issue_refund", refund.clone(), "op-7"));
    answer(desk.keyed("issue_refund", refund, "op-7"));
    let ledger = desk.ledger();
    let keys: Vec<_> = ledger.effects_of("issue_refund").map(|effect| effect.key.as_deref()).collect();
    assert_eq!(keys, [Some("op-7"), Some("op-7")]);
    let (code, _) = desk.refused(
        "issue_refund",
        json!({"customer_id": "C-8821", "amount": "10.00 USD", "reference": "x", "idempotency_key": "op-7"}),
    );
    assert_eq!(code, "INVALID_ARGUMENTS", "its schema has no key");
}

#[test]
fn keys_are_taken_in_the_arguments_by_some_and_in_meta_by_others() {
    let definitions = Desk::open().0.definitions();
    let places = |name: &str| {
        let found = definitions.iter().find(|definition| definition.name == name).unwrap();
        let schema = found.input_schema.as_ref().unwrap();
        (schema["properties"].get("idempotency_key").is_some(), found.takes_key_in_meta)
    };
    assert_eq!(places("apply_account_credit"), (true, true));
    assert_eq!(places("post_journal_entry"), (true, false));
    assert_eq!(places("create_ticket"), (false, true));
    assert_eq!(places("modify_order_items"), (false, false));
}

#[test]
fn keys_outlive_the_process() {
    let folder = desk::Folder::new("keys");
    let open = || {
        let setup = Setup { data: Some(folder.path("company.db")), ..Setup::in_memory(desk::TODAY) };
        Desk(std::sync::Arc::new(Office::open(setup).unwrap()))
    };
    let first = answer(open().keyed("apply_account_credit", credit("R-1"), "k-1"));
    let desk = open();
    assert_eq!(answer(desk.keyed("apply_account_credit", credit("R-1"), "k-1")), first);
    assert_eq!(desk.effects(), 1);
}
