use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::fixture::{arguments, draft, operation, ordered, plan, reference, step, time};
use crate::id::SessionId;
use crate::json::Json;
use crate::operation::Check;
use crate::operation::{Argument, Repeat, Seen, ToolUse};
use crate::order::Order;

/// A plan in which every field is filled.
fn rich() -> PlanDraft {
    let mut create = operation("create", "create_order", &[("customer_id", "C-1"), ("note", "#1")]);
    create.arguments.insert("count".to_owned(), Argument::Value(Json::parse("1e2").unwrap()));
    let items = Json::parse(r#"[{"sku":"A","n":3,"gift":true},null]"#).unwrap();
    create.arguments.insert("items".to_owned(), Argument::Value(items));
    create.check = Check::ReadBack {
        tool: ToolName::parse("get_order").unwrap(),
        arguments: Arguments::from([("order_id".to_owned(), reference("create", "id"))]),
        expect: arguments(&[("status", "open")]),
    };
    create.undo = Some(ToolUse {
        tool: ToolName::parse("cancel_order").unwrap(),
        arguments: Arguments::from([("order_id".to_owned(), reference("create", "id"))]),
    });
    create.before = vec![Seen {
        tool: ToolName::parse("get_customer").unwrap(),
        arguments: [("customer_id".to_owned(), Json::from("C-1"))].into(),
        field: "status".to_owned(),
        value: Json::from("active"),
    }];
    create.amount = Some(purple_policy::Money::parse("64.00 USD").unwrap());
    create.repeat = Repeat::ByKey;
    let mut tell = operation("tell", "send_order_confirmation", &[]);
    tell.arguments.insert("order_id".to_owned(), reference("create", "order.id"));
    tell.recipients = vec!["a@x".to_owned(), "b@x".to_owned()];
    tell.quiet = Some("20:00-07:00".to_owned());
    draft(vec![create, tell])
}

#[test]
fn a_plan_is_stored_and_read_without_loss() {
    let plan = Plan::new(rich()).unwrap();
    for stored in [serde_json::to_string(&plan).unwrap(), plan.canonical().to_owned()] {
        let read: Plan = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, plan);
        assert_eq!(read.hash(), plan.hash());
    }
}

#[test]
fn the_hash_is_the_digest_of_the_stored_form() {
    let plan = Plan::new(rich()).unwrap();
    assert_eq!(plan.hash().to_string(), Digest::of(plan.canonical().as_bytes()).to_string());
    assert!(plan.canonical().contains(r##""count":"#100""##), "{}", plan.canonical());
    assert!(plan.canonical().contains(r###""note":"##1""###), "{}", plan.canonical());
    assert!(plan.canonical().contains(r##""order_id":"#@create.order.id""##), "{}", plan.canonical());
}

/// Every way to change one leaf, one key or one list of a document.
fn changed(value: &Value) -> Vec<Value> {
    let mut all = match value {
        Value::Null => vec![Value::from("x"), Value::from("#0")],
        Value::Bool(value) => vec![Value::from(!value)],
        Value::String(text) => {
            let flipped = text.replacen(|c: char| c.is_ascii_digit(), "9", 1);
            let shifted = text.replacen('a', "b", 1);
            [format!("{text}x"), format!("{text}0"), flipped, shifted, String::new()]
                .into_iter()
                .map(Value::from)
                .chain([Value::Null])
                .collect()
        }
        Value::Number(_) => vec![],
        Value::Array(items) => {
            let mut shorter = items.clone();
            shorter.pop();
            let mut turned = items.clone();
            turned.reverse();
            let twice = [items.as_slice(), items.as_slice()].concat();
            vec![Value::Array(shorter), Value::Array(turned), Value::Array(twice)]
        }
        Value::Object(fields) => fields
            .keys()
            .flat_map(|name| {
                let mut without = fields.clone();
                let taken = without.remove(name).unwrap();
                let mut renamed = without.clone();
                renamed.insert(format!("{name}2"), taken);
                [Value::Object(without), Value::Object(renamed)]
            })
            .collect(),
    };
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                all.extend(changed(item).into_iter().map(|item| {
                    let mut items = items.clone();
                    items[index] = item;
                    Value::Array(items)
                }));
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                all.extend(changed(field).into_iter().map(|field| {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), field);
                    Value::Object(fields)
                }));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all.retain(|other| other != value);
    all
}

#[test]
fn any_change_to_any_field_changes_the_hash_or_is_refused() {
    let plan = Plan::new(rich()).unwrap();
    let stored = serde_json::to_value(&plan).unwrap();
    let (mut other, mut refused) = (0, 0);
    let mut hashes = BTreeSet::from([plan.hash()]);
    for document in changed(&stored) {
        match serde_json::from_value::<Plan>(document.clone()) {
            Ok(read) => {
                assert!(hashes.insert(read.hash()), "{document}");
                other += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("changed plans: {other} with another hash, {refused} refused");
    assert!(other > 100 && refused > 100, "{other} {refused}");
}

#[test]
fn every_field_of_the_draft_is_under_the_hash() {
    let plan = Plan::new(rich()).unwrap();
    type Change = fn(&mut PlanDraft);
    let changes: &[(&str, Change)] = &[
        ("session", |draft| draft.session = SessionId::parse("s-2").unwrap()),
        ("round", |draft| draft.round = draft.round.next()),
        ("process name", |draft| draft.process.name.push('x')),
        ("process version", |draft| draft.process.digest = Digest::of(b"other")),
        ("policies", |draft| draft.policies.clear()),
        ("policy version", |draft| draft.policies[0].digest = Digest::of(b"other")),
        ("pins", |draft| draft.pins.values_mut().for_each(|pin| pin.0 = Digest::of(b"other"))),
        ("end", |draft| draft.good_until = time(1_001)),
        ("order", |draft| draft.operations.swap(0, 1)),
        ("step", |draft| draft.operations[1].step = step("told")),
        ("tool", |draft| draft.operations[1].tool = draft.operations[0].tool.clone()),
        ("effect", |draft| draft.operations[1].effect = Effect::Write),
        ("arguments", |draft| drop(draft.operations[0].arguments.insert("note".to_owned(), "2".into()))),
        ("check", |draft| draft.operations[0].check = Check::Unverifiable),
        ("undo", |draft| draft.operations[0].undo = None),
        ("before", |draft| draft.operations[0].before[0].value = Json::from("closed")),
        ("recipients", |draft| draft.operations[1].recipients.swap(0, 1)),
        ("quiet", |draft| draft.operations[1].quiet = None),
        ("amount", |draft| draft.operations[0].amount = None),
        ("repeat", |draft| draft.operations[0].repeat = Repeat::Never),
        ("its order", |draft| {
            draft.operations[1] = ordered("tell", "send_order_confirmation", &[], Order::missing());
        }),
    ];
    for (name, change) in changes {
        let mut draft = rich();
        change(&mut draft);
        match Plan::new(draft) {
            Ok(other) => assert_ne!(other.hash(), plan.hash(), "{name}"),
            // A step that is told before it is made.
            Err(error) => assert_eq!(*name, "order", "{error}"),
        }
    }
}

#[test]
fn an_operation_key_depends_on_session_round_tool_arguments_and_repetition_only() {
    let write = |name: &str, note: &str| operation(name, "create_order", &[("note", note)]);
    let keys = |draft: PlanDraft| Plan::new(draft).unwrap().keyed().map(|(_, key)| key).collect::<Vec<_>>();
    let first = keys(draft(vec![write("a", "x"), write("b", "y"), write("c", "x")]));
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 3);
    // Neither its name nor its place nor what surrounds it.
    assert_eq!(keys(draft(vec![write("z", "y")])), [first[1]]);
    assert_eq!(keys(draft(vec![write("m", "x"), write("n", "x")])), [first[0], first[2]]);
    let mut later = draft(vec![write("a", "x")]);
    later.good_until = time(2_000);
    later.policies.clear();
    assert_eq!(keys(later.clone()), [first[0]]);
    later.round = later.round.next();
    assert_ne!(keys(later.clone()), [first[0]]);
    later.round = Round::FIRST;
    later.session = SessionId::parse("s-2").unwrap();
    assert_ne!(keys(later), [first[0]]);
    let mut with_number = write("a", "");
    with_number.arguments.insert("note".to_owned(), Argument::Value(Json::parse("100").unwrap()));
    assert_ne!(keys(draft(vec![with_number])), keys(draft(vec![write("a", "100")])));
    assert_ne!(keys(draft(vec![operation("a", "update_order", &[("note", "x")])])), [first[0]]);
}

#[track_caller]
fn refused(draft: PlanDraft, expected: BadPlan) {
    assert_eq!(Plan::new(draft), Err(expected));
}

#[test]
fn a_plan_that_is_wrong_is_refused() {
    let write = |name: &str| operation(name, "create_order", &[]);
    refused(draft(vec![write("a"), write("a")]), BadPlan::DuplicateStep { step: step("a") });
    for effect in [Effect::Read, Effect::Compute] {
        let mut bad = write("a");
        bad.effect = effect;
        refused(draft(vec![bad]), BadPlan::NoOperation { step: step("a"), effect });
    }
    let tool = ToolName::parse("create_order").unwrap();
    let mut unpinned = draft(vec![write("a")]);
    unpinned.pins.clear();
    refused(unpinned, BadPlan::NoPin { step: step("a"), tool: tool.clone() });
    let check = |tool: &str| Check::ReadBack {
        tool: ToolName::parse(tool).unwrap(),
        arguments: Arguments::new(),
        expect: Arguments::new(),
    };
    let mut itself = write("a");
    itself.check = check("create_order");
    refused(draft(vec![itself]), BadPlan::ChecksItself { step: step("a"), tool });
    let mut unread = write("a");
    unread.check = check("get_order");
    let mut unpinned = draft(vec![unread]);
    unpinned.pins.remove(&ToolName::parse("get_order").unwrap());
    refused(unpinned, BadPlan::NoPin { step: step("a"), tool: ToolName::parse("get_order").unwrap() });
}

#[test]
fn a_reference_points_to_an_earlier_step_or_in_a_check_to_its_own() {
    let refers = |name: &str, to: &str| {
        let mut write = operation(name, "create_order", &[]);
        write.arguments.insert("id".to_owned(), reference(to, "id"));
        write
    };
    let bad = |at: &str, to: &str| BadPlan::BadReference { step: step(at), to: step(to) };
    refused(draft(vec![refers("a", "a")]), bad("a", "a"));
    refused(draft(vec![refers("a", "b"), operation("b", "create_order", &[])]), bad("a", "b"));
    refused(draft(vec![refers("a", "nowhere")]), bad("a", "nowhere"));
    assert!(Plan::new(draft(vec![operation("b", "create_order", &[]), refers("a", "b")])).is_ok());
    let mut undone = operation("a", "create_order", &[]);
    let undo = |to: &str| {
        Some(ToolUse {
            tool: ToolName::parse("cancel_order").unwrap(),
            arguments: Arguments::from([("id".to_owned(), reference(to, "id"))]),
        })
    };
    undone.undo = undo("a");
    assert!(Plan::new(draft(vec![undone.clone()])).is_ok());
    undone.undo = undo("b");
    refused(draft(vec![undone.clone()]), bad("a", "b"));
    undone.undo = None;
    let tool = ToolName::parse("get_order").unwrap();
    let own = Arguments::from([("id".to_owned(), reference("a", "id"))]);
    let other = Arguments::from([("id".to_owned(), reference("b", "id"))]);
    let none = Arguments::new();
    for (arguments, expect, fits) in
        [(&own, &own, true), (&other, &none, false), (&none, &other, false), (&none, &none, true)]
    {
        undone.check =
            Check::ReadBack { tool: tool.clone(), arguments: arguments.clone(), expect: expect.clone() };
        assert_eq!(Plan::new(draft(vec![undone.clone()])).is_ok(), fits);
    }
}

#[test]
fn values_that_could_mean_two_things_are_refused_wherever_they_stand() {
    let nul = || Json::from("a\0");
    let bad = || BadPlan::BadValue { step: step("a"), cause: BadJson::Nul };
    let write = || operation("a", "create_order", &[]);
    let with = |change: &dyn Fn(&mut Operation)| {
        let mut operation = write();
        change(&mut operation);
        draft(vec![operation])
    };
    refused(with(&|operation| drop(operation.arguments.insert("x".to_owned(), nul().into()))), bad());
    refused(with(&|operation| drop(operation.arguments.insert("x\0".to_owned(), "y".into()))), bad());
    refused(with(&|operation| operation.recipients.push("a\0".to_owned())), bad());
    refused(
        with(&|operation| {
            operation.before.push(Seen {
                tool: operation.tool.clone(),
                arguments: crate::json::Values::new(),
                field: "x".to_owned(),
                value: nul(),
            });
        }),
        bad(),
    );
    let mut deep = Json::Null;
    for _ in 0..=crate::json::NESTING_MAX {
        deep = Json::List(vec![deep]);
    }
    refused(
        with(&|operation| drop(operation.arguments.insert("x".to_owned(), deep.clone().into()))),
        BadPlan::BadValue { step: step("a"), cause: BadJson::TooDeep },
    );
}

#[test]
fn a_plan_has_limits() {
    let many = |count: usize| {
        draft((0..count).map(|index| operation(&format!("s{index}"), "create_order", &[])).collect())
    };
    assert!(Plan::new(many(OPERATIONS_MAX)).is_ok());
    refused(many(OPERATIONS_MAX + 1), BadPlan::TooMany { count: OPERATIONS_MAX + 1 });
    let long = |bytes: usize| draft(vec![operation("a", "create_order", &[("x", &"y".repeat(bytes))])]);
    let overhead = Plan::new(long(0)).unwrap().canonical().len();
    assert!(Plan::new(long(PLAN_BYTES_MAX - overhead)).is_ok());
    refused(long(PLAN_BYTES_MAX - overhead + 1), BadPlan::TooLong { bytes: PLAN_BYTES_MAX + 1 });
}

#[test]
fn part_of_a_plan_and_an_edited_plan_are_new_plans() {
    let whole = plan(vec![
        operation("a", "create_order", &[("note", "x")]),
        operation("b", "close_case", &[]),
        operation("c", "notify_team", &[]),
    ]);
    let part = whole.only(&BTreeSet::from([step("c"), step("a")])).unwrap();
    let names: Vec<&str> = part.operations().iter().map(|operation| operation.step.as_str()).collect();
    assert_eq!(names, ["a", "c"]);
    assert_ne!(part.hash(), whole.hash());
    assert_eq!(whole.only(&crate::fixture::steps(&whole)).unwrap().hash(), whole.hash());
    assert_eq!(whole.only(&BTreeSet::from([step("z")])), Err(BadPlan::NoSuchStep { step: step("z") }));
    assert!(whole.only(&BTreeSet::new()).unwrap().is_empty());
    let with = |note: &str| operation("a", "create_order", &[("note", note)]);
    let edited = whole.replaced(with("y")).unwrap();
    assert_ne!(edited.hash(), whole.hash());
    assert_eq!(edited.replaced(with("x")).unwrap(), whole);
    let foreign = whole.replaced(operation("z", "create_order", &[]));
    assert_eq!(foreign, Err(BadPlan::NoSuchStep { step: step("z") }));
    let mut refers = operation("b", "close_case", &[]);
    refers.arguments.insert("id".to_owned(), reference("a", "id"));
    let linked = plan(vec![operation("a", "create_order", &[]), refers]);
    let error = BadPlan::BadReference { step: step("b"), to: step("a") };
    assert_eq!(linked.only(&BTreeSet::from([step("b")])), Err(error));
}

#[test]
fn a_plan_knows_what_kinds_of_operation_it_holds() {
    let write = operation("a", "create_order", &[]);
    let tell = operation("b", "notify_team", &[]);
    let kinds = |operations| {
        let plan = plan(operations);
        (plan.is_empty(), plan.writes(), plan.notifies())
    };
    assert_eq!(kinds(vec![]), (true, false, false));
    assert_eq!(kinds(vec![write.clone()]), (false, true, false));
    assert_eq!(kinds(vec![tell.clone()]), (false, false, true));
    assert_eq!(kinds(vec![write, tell]), (false, true, true));
}

#[test]
fn a_round_is_read_in_one_form() {
    let read = |text: &str| Round::try_from(text.to_owned());
    assert_eq!(read("1"), Ok(Round::FIRST));
    assert_eq!(read("2"), Ok(Round::FIRST.next()));
    for text in ["0", "01", "+1", "-1", "1.0", "", " 1", "4294967296"] {
        assert_eq!(read(text), Err(BadRound), "{text:?}");
    }
    assert_eq!(Round(u32::MAX).next(), Round(u32::MAX));
}

#[test]
fn a_stored_reference_that_is_no_reference_is_refused() {
    for text in ["#@a", "#@.x", "#@a.", "#@a b.x", "#@", "#x", "#1e2"] {
        let read = serde_json::from_value::<Argument>(Value::from(text));
        assert!(read.is_err(), "{text} {read:?}");
    }
    let read: Argument = serde_json::from_value(Value::from("#@a.b.c")).unwrap();
    assert_eq!(read, reference("a", "b.c"));
    // A model's text can never become a reference.
    assert_eq!(serde_json::to_value(Argument::from("#@a.b")).unwrap(), Value::from("##@a.b"));
}

#[test]
fn the_amounts_of_an_operation_are_declared_or_found() {
    let mut write = operation("a", "create_order", &[("x", "5.00 USD"), ("y", "text"), ("z", "7 EUR")]);
    let shown =
        |operation: &Operation| operation.amounts().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(shown(&write), ["5.00 USD", "7.00 EUR"]);
    write.amount = Some(purple_policy::Money::parse("9.00 USD").unwrap());
    assert_eq!(shown(&write), ["9.00 USD"]);
}
