//! The same company behind every door: the same list, the same answers, one physical call per pass.

mod company;

use company::{Company, Door, SHORT, get_invoice, read, reject};
use purple_backoffice::IDEMPOTENCY_META;
use purple_port::{Answers, CallOptions, Called, KeyPlace, Still, Tools, ToolsAt};
use purple_tools::ToolServers;
use serde_json::json;

fn refused(code: &str) -> impl Fn(&Called) -> bool {
    move |called| matches!(called, Called::Refused { code: Some(said), .. } if *said == code)
}

/// A bridge has no way to ask.
fn asks_or_refuses(called: &Called) -> bool {
    matches!(called, Called::Asked(asked) if asked.questions[0].message.for_work().contains("password"))
        || refused("INPUT_REQUIRED")(called)
}

fn lost(called: &Called) -> bool {
    matches!(called, Called::Lost { .. })
}

#[tokio::test(flavor = "multi_thread")]
async fn every_door_lists_all_tools_over_all_pages() {
    let expected: Vec<String> =
        company::office(&[]).definitions().iter().map(|definition| definition.name.to_owned()).collect();
    assert_eq!(expected.len(), 133);
    for door in Door::ALL {
        let company = Company::behind(door, &[]).await;
        let listing = company.list().await;
        let names: Vec<&str> = listing.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, expected, "{door:?}");
        assert_eq!(listing.left_out, [""; 0], "{door:?}");
        let reject = listing.tools.iter().find(|tool| tool.name.as_str() == "reject_invoice").unwrap();
        assert_eq!(
            (reject.server.as_str(), &reject.input_schema["required"]),
            ("company", &json!(["invoice_id", "reason"]))
        );
        assert_eq!(reject.annotations.destructive, if door.is_bridge() { None } else { Some(true) });
        assert_eq!(reject.output_schema.is_some(), !door.is_bridge(), "{door:?}");
        assert_eq!(company.arrived(), [""; 0], "to list is not to call");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_door_reads_refuses_and_writes_with_a_key() {
    for door in Door::ALL {
        let company = Company::behind(door, &[]).await;
        let Called::Answered(invoice) = company.call(get_invoice()).await else { panic!("{door:?}") };
        assert_eq!(invoice.for_work()["status"], "received", "{door:?}");
        let contract = company.call(read("get_contract", json!({"contract_id": "CTR-441"}))).await;
        let Called::Answered(contract) = contract else { panic!("{door:?}: {contract:?}") };
        assert_eq!(contract.for_work()["sla_percent"].to_string(), "99.9", "{door:?}");

        let missing = company.call(read("get_invoice", json!({"invoice_id": "INV-0"}))).await;
        let said = Called::Refused {
            code: Some("NOT_FOUND".into()),
            message: "invoice `INV-0` does not exist".into(),
        };
        assert_eq!(missing, said, "{door:?}");
        let unknown = company.call(read("get_nothing", json!({}))).await;
        let code = if door.is_bridge() { "UNKNOWN_TOOL" } else { "INVALID_PARAMS" };
        assert!(refused(code)(&unknown), "{door:?}: {unknown:?}");

        // The same operation twice, its key in either place: the company does it once.
        let key = reject().operation().unwrap().key.to_string();
        for place in
            [KeyPlace::Argument("idempotency_key".to_owned()), KeyPlace::Meta(IDEMPOTENCY_META.to_owned())]
        {
            let done = company.call_with(reject(), company::PATIENCE, Some(place.clone())).await;
            let Called::Answered(invoice) = done else { panic!("{door:?} {place:?}: {done:?}") };
            assert_eq!(invoice.for_work()["status"], "rejected", "{door:?}");
        }
        let ledger = company.ledger();
        let calls: Vec<_> = ledger.calls_of("reject_invoice").collect();
        assert!(calls.iter().all(|call| call.key.as_ref() == Some(&key)), "{door:?}: {calls:?}");
        assert_eq!(calls.iter().map(|call| call.outcome.as_str()).collect::<Vec<_>>(), ["done", "replayed"]);
        assert_eq!((ledger.effects.len(), ledger.calls.len()), (1, 6), "{door:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_door_tells_what_became_of_a_faulty_call() {
    /// What must be said, and how many effects there are.
    type Expected = (fn(&Called) -> bool, usize);
    let cases: [(&str, Expected); 9] = [
        ("reject_invoice:hang", (lost, 1)),
        ("reject_invoice:hang,applied=no", (lost, 0)),
        ("reject_invoice:drop", (lost, 1)),
        ("reject_invoice:drop,applied=no", (lost, 0)),
        ("reject_invoice:garbage", (lost, 1)),
        ("reject_invoice:huge,bytes=9000000", (lost, 1)),
        ("reject_invoice:unavailable", (lost, 0)),
        ("reject_invoice:rate_limit", (|called| refused("RATE_LIMITED")(called), 0)),
        ("reject_invoice:input_required", (asks_or_refuses, 0)),
    ];
    // Side by side, because most of the time is spent waiting for answers that never come.
    let mut doors = tokio::task::JoinSet::new();
    for door in Door::ALL {
        doors.spawn(async move {
            for (fault, (expected, effects)) in cases {
                let company = Company::behind(door, &[fault]).await;
                // The list comes first, as in every session; only then is it known what an answer must look like.
                assert_eq!(company.list().await.tools.len(), 133, "{door:?} {fault}");
                let silent = fault.contains("hang") || fault.contains("drop");
                let deadline = if silent { SHORT } else { company::PATIENCE };
                let called = company.call_with(reject(), deadline, None).await;
                assert!(expected(&called), "{door:?} {fault}: {called:?}");
                // The next call finds a server that works.
                let after = company.call(get_invoice()).await;
                assert!(matches!(after, Called::Answered(_)), "{door:?} {fault}: {after:?}");
                assert_eq!(company.arrived(), ["reject_invoice", "get_invoice"], "{door:?} {fault}");
                assert_eq!(company.ledger().effects.len(), effects, "{door:?} {fault}");
            }
        });
    }
    doors.join_all().await;
}

#[tokio::test]
async fn a_key_never_takes_the_place_of_an_argument() {
    let company = Company::behind(Door::Streams(purple_tools::Era::Auto), &[]).await;
    let place = Some(KeyPlace::Argument("reason".to_owned()));
    let called = company.call_with(reject(), company::PATIENCE, place).await;
    let reason = "argument `reason` is the place of the key and was given".to_owned();
    assert_eq!(called, Called::NotSent { reason: reason.into() });
    assert_eq!(company.arrived(), [""; 0]);
    // A read has no operation, so it has no key.
    let place = Some(KeyPlace::Argument("idempotency_key".to_owned()));
    let read = company.call_with(get_invoice(), company::PATIENCE, place).await;
    assert!(matches!(read, Called::Answered(_)), "{read:?}");
    assert_eq!(company.ledger().calls[0].key, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_bad_definition_leaves_the_others() {
    for door in Door::ALL {
        let company = Company::behind(door, &["reject_invoice:bad_definition"]).await;
        let listing = company.list().await;
        assert_eq!(listing.tools.len(), 132, "{door:?}");
        assert_eq!(listing.left_out.len(), 1, "{door:?}: {:?}", listing.left_out);
        assert!(
            listing.left_out[0].contains("`reject_invoice`: it has no schema"),
            "{door:?}: {:?}",
            listing.left_out
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_by_the_next_call_and_only_with_what_was_given() {
    for door in [Door::Streams(purple_tools::Era::Auto), Door::Http(purple_tools::Era::Modern)] {
        let company = Company::behind(door, &["reject_invoice:question"]).await;
        let asked = company.call(reject()).await;
        let Called::Asked(asked) = asked else { panic!("{door:?}: {asked:?}") };
        assert_eq!(asked.questions[0].message, "Which cost centre does this belong to?", "{door:?}");
        assert_eq!(company.ledger().effects.len(), 0, "{door:?}");
        let given = [(asked.questions[0].id.clone(), json!({"cost_centre": "4711"}))].into();
        let answers = Some(Answers { given, state: asked.state });
        let options = CallOptions { deadline: company::PATIENCE, key: None, answers };
        let done = company.servers.call(&ToolsAt::Configured, reject(), options).await;
        assert!(matches!(done, Called::Answered(_)), "{door:?}: {done:?}");
        assert_eq!(company.ledger().effects.len(), 1, "{door:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_compared_with_what_was_first_seen() {
    for door in [Door::Streams(purple_tools::Era::Auto), Door::Http(purple_tools::Era::Modern)] {
        for (what, part) in
            [("description", "description"), ("schema", "arguments"), ("annotations", "hints")]
        {
            // Every page of a list counts; the first list is still honest.
            let fault = format!("reject_invoice:drift,what={what},after=8");
            let mut company = Company::behind(door, &[&fault]).await;
            company.servers = ToolServers::new(vec![company.config.clone()])
                .unwrap()
                .with_fresh_lists(std::time::Duration::ZERO);
            let listing = company.list().await;
            let tool = |name: &str| listing.tools.iter().find(|tool| tool.name.as_str() == name).unwrap();
            let still = async |name: &str| company.servers.still(&ToolsAt::Configured, tool(name)).await;
            assert_eq!(still("get_invoice").await, Still::Same, "{door:?}");
            let mut changed = still("reject_invoice").await;
            for _ in 0..8 {
                if changed == Still::Same {
                    changed = still("reject_invoice").await;
                }
            }
            let expected = format!("changed since it was first seen: its {part}");
            assert_eq!(changed, Still::Changed { what: expected }, "{door:?}");
        }
    }
}
