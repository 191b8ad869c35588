use jiff::civil::date;
use purple_policy::{Unread, Verdict};
use serde_json::json;

use super::*;
use crate::effect::Effect;
use crate::file::{Ask, End, ProcessFile, load};
use crate::fixture::order;
use crate::operation::{Argument, Check, Operation};

const HEAD: &str = "process: trial\ntitle: Trial\nowner: owner\n";

fn file(body: &str) -> ProcessFile {
    load(&format!("{HEAD}{body}")).unwrap_or_else(|refused| panic!("{refused}"))
}

fn value(json: &serde_json::Value) -> Value {
    Value::from_json(json).unwrap()
}

fn case<'t>(file: &'t ProcessFile, reads: &[(&str, serde_json::Value)]) -> Case<'t> {
    let mut case = Case::start(&file.tasks()[0], &BTreeMap::new(), date(2026, 3, 4));
    for (name, answer) in reads {
        case.answer(name, vec![value(answer)]).unwrap();
    }
    case
}

/// Two rules that allow and one that asks, on `a.x`, `a.y` and `a.z`.
fn table(rules: &str) -> ProcessFile {
    file(&format!(
        "read: {{a: get_a()}}\ndecide:\n{rules}\noutcomes:\n  go: {{do: update_a(x=a.x), check: get_a().x == a.x}}\n"
    ))
}

const THREE: &str = "  - {rule: R-1, if: 'a.x > 10', outcome: go, ask: nobody}
  - {rule: R-2, if: 'a.y > 10', outcome: go, ask: lead}
  - {rule: R-3, if: 'a.z > 10', outcome: go, ask: nobody}";

fn decided(rules: &str, a: serde_json::Value) -> Decision {
    let file = table(rules);
    case(&file, &[("a", a)]).decide()
}

#[test]
fn the_first_rule_that_matches_decides() {
    let both = decided(THREE, json!({"x": 11, "y": 11, "z": 11}));
    assert_eq!((both.rule.as_deref(), both.verdict), (Some("R-1"), Some(Verdict::Allow)));
    let second = decided(THREE, json!({"x": 1, "y": 11, "z": 11}));
    assert_eq!((second.rule.as_deref(), second.verdict), (Some("R-2"), Some(Verdict::RequireApproval)));
    assert_eq!(second.explanation, "a.y (11) > 10");
}

#[test]
fn no_match_of_a_playbook_is_escalated() {
    let none = decided(THREE, json!({"x": 1, "y": 1, "z": 1}));
    assert_eq!((none.rule, none.end, none.verdict), (None, Some(End::Escalate), Some(Verdict::Escalate)));
}

#[test]
fn a_rule_in_doubt_that_asks_puts_its_own_outcome_to_its_own_person() {
    let doubt = decided(THREE, json!({"x": 1, "z": 1}));
    assert_eq!((doubt.rule.as_deref(), doubt.verdict), (Some("R-2"), Some(Verdict::RequireApproval)));
    let lead = Demand { ask: Ask::Role("lead".parse_role()), people: std::num::NonZeroU8::MIN };
    assert_eq!(doubt.demands(), std::slice::from_ref(&lead));
    let why = "`a.y` is not known".to_owned();
    assert_eq!(doubt.doubts, [Doubt { rule: "R-2".to_owned(), why, demands: Some(lead) }]);
    assert_eq!(
        (doubt.because, doubt.explanation.as_str()),
        (None, "could not be checked: `a.y` is not known")
    );
    // A later rule that holds and does the same decides; whom the doubt demands is asked all the same.
    let later = decided(THREE, json!({"x": 1, "z": 11}));
    assert_eq!((later.rule.as_deref(), later.verdict), (Some("R-3"), Some(Verdict::RequireApproval)));
    assert_eq!(later.demands()[0].ask, Ask::Role("lead".parse_role()));
}

#[test]
fn a_rule_in_doubt_that_allows_does_not_match() {
    // Where a later rule does the same, the doubt makes no difference.
    let same = decided(THREE, json!({"y": 1, "z": 11}));
    assert_eq!((same.rule.as_deref(), same.verdict), (Some("R-3"), Some(Verdict::Allow)));
    assert_eq!(same.doubts.len(), 1);
    let later = decided(THREE, json!({"y": 11, "z": 1}));
    assert_eq!((later.rule.as_deref(), later.ask), (Some("R-2"), Some(Ask::Role("lead".parse_role()))));
}

const OTHER: &str = "outcomes:
  go: {do: update_a(x=a.x), check: get_a().x == a.x}
  leave: {do: update_a(x=a.z), check: get_a().x == a.z}\n";

#[test]
fn a_rule_in_doubt_that_would_have_done_something_else_is_not_passed_without_a_person() {
    let file = file(&format!(
        "read: {{a: get_a()}}\ndecide:
  - {{rule: R-1, if: 'a.x > 10', outcome: go, ask: nobody}}
  - {{rule: R-2, if: 'a.z > 10', outcome: leave, ask: nobody}}\n{OTHER}"
    ));
    let doubt = case(&file, &[("a", json!({"z": 11}))]).decide();
    assert_eq!((doubt.rule.as_deref(), doubt.verdict), (Some("R-2"), Some(Verdict::RequireApproval)));
    assert_eq!(doubt.demands()[0].ask, Ask::Role("owner".parse_role()));
}

#[test]
fn what_a_rule_in_doubt_asks_about_comes_before_what_a_later_rule_does() {
    let file = file(&format!(
        "read: {{a: get_a()}}\ndecide:
  - {{rule: R-1, if: 'a.y > 10', outcome: go, ask: lead, because: \"it is large\"}}
  - {{rule: R-2, if: 'a.z > 10', outcome: leave, ask: second}}\n{OTHER}"
    ));
    let doubt = case(&file, &[("a", json!({"x": 1, "z": 11}))]).decide();
    assert_eq!(doubt.end, Some(End::Outcome("go".to_owned())));
    let asked: Vec<Ask> = doubt.demands().into_iter().map(|demand| demand.ask).collect();
    assert_eq!(asked, [Ask::Role("lead".parse_role()), Ask::Role("second".parse_role())]);
    let ruling = doubt.ruling(&"owner".parse_role(), None).unwrap();
    assert!(!ruling.because().contains("it is large"), "{}", ruling.because());
}

#[test]
fn nothing_to_do_is_not_said_in_doubt() {
    let rules =
        "  - {rule: R-1, if: 'a.x > 10', outcome: none}\n  - {rule: R-2, if: 'a.z > 10', outcome: none}
  - {rule: R-3, if: 'a.w > 10', outcome: go, ask: lead}";
    assert_eq!(decided(rules, json!({"x": 11})).end, Some(End::Nothing));
    let same = decided(rules, json!({"z": 11}));
    assert_eq!((same.end, same.verdict), (Some(End::Nothing), Some(Verdict::Allow)));
    let stops = rules.replacen("outcome: none", "outcome: stop", 1);
    let doubt = decided(&stops, json!({"z": 11}));
    assert_eq!((doubt.end, doubt.verdict), (Some(End::Escalate), Some(Verdict::Escalate)));
}

#[test]
fn a_stop_in_doubt_asks_the_owner_about_what_later_rules_choose() {
    for end in ["stop", "escalate"] {
        let rules = format!(
            "  - {{rule: R-1, if: 'a.x > 10', outcome: {end}, because: \"it is closed\"}}
  - {{rule: R-2, if: 'a.z > 10', outcome: go, ask: lead}}
  - {{rule: R-3, if: 'a.z > 5', outcome: go, ask: nobody}}"
        );
        let asked = |a| {
            let decision = decided(&rules, a);
            let people: Vec<Ask> = decision.demands().into_iter().map(|demand| demand.ask).collect();
            (decision.rule, decision.verdict, people)
        };
        let (lead, owner) = (Ask::Role("lead".parse_role()), Ask::Role("owner".parse_role()));
        let (rule, verdict, people) = asked(json!({"z": 11}));
        assert_eq!((rule.as_deref(), verdict), (Some("R-2"), Some(Verdict::RequireApproval)));
        assert_eq!(people, [lead, owner.clone()]);
        let (rule, verdict, people) = asked(json!({"z": 6}));
        assert_eq!((rule.as_deref(), verdict), (Some("R-3"), Some(Verdict::RequireApproval)));
        assert_eq!(people, [owner]);
        // Nothing is chosen: there is nothing to ask about, and a person takes over.
        let none = decided(&rules, json!({"z": 1}));
        assert_eq!((none.rule.as_deref(), none.verdict), (None, Some(Verdict::Escalate)));
        let told = none.ruling(&"owner".parse_role(), None).unwrap().because().to_owned();
        assert_eq!(told, "R-1 could not be checked: `a.x` is not known");
        // What plainly holds is not softened by it.
        assert_eq!(decided(&rules, json!({"x": 11})).rule.as_deref(), Some("R-1"));
    }
}

#[test]
fn what_was_not_found_is_told_as_that_and_no_reason_of_the_rule_is() {
    let file = table(
        "  - {rule: R-1, if: 'a.x > 10', outcome: stop, because: \"it was handled already\"}\n  - {rule: R-2, if: 'a.y > 1', outcome: go, ask: lead}",
    );
    let mut case = Case::start(&file.tasks()[0], &BTreeMap::new(), date(2026, 3, 4));
    case.absent("a", "there is no such thing");
    let decision = case.decide();
    assert_eq!((decision.end(), decision.because()), (Some(&End::Escalate), None));
    let told = decision.ruling(&"owner".parse_role(), None).unwrap().because().to_owned();
    assert!(
        told.starts_with("R-1 could not be checked: the a was not found: there is no such thing"),
        "{told}"
    );
    assert!(!told.contains("handled already"), "{told}");
}

#[test]
fn a_doubt_names_the_reason_behind_a_computed_name() {
    let file = file(
        "read: {a: get_a(), b: get_b()}\ncompute: {gap: a.total - b.total, share: gap / a.total}\ndecide:
  - {rule: R-1, if: 'share > 1', outcome: go, ask: lead}
outcomes:\n  go: {do: update_a(x=a.x), check: get_a().x == a.x}\n",
    );
    let case = case(&file, &[("a", json!({"total": "1.00 USD"})), ("b", json!({"total": "1.00 EUR"}))]);
    let why = &case.decide().doubts[0].why;
    assert_eq!(why, "`share` has no value: `gap` has no value: `-` cannot take USD and EUR");
}

#[test]
fn a_read_becomes_due_when_its_arguments_are_known() {
    let file = file(
        "inputs: {id: {type: id, pattern: 'I-[0-9]+'}}\nread: {order: get_order(id=invoice.order), invoice: get_invoice(id=id)}
decide: [{rule: R-1, if: 'order.x > 1', outcome: stop}]\n",
    );
    let inputs = BTreeMap::from([("id".to_owned(), Value::text("I-7"))]);
    let mut case = Case::start(&file.tasks()[0], &inputs, date(2026, 3, 4));
    let due = case.due();
    assert_eq!(due.iter().map(|due| due.name).collect::<Vec<_>>(), ["invoice"]);
    assert_eq!(due[0].calls, [Values::from([("id".to_owned(), "I-7".into())])]);
    assert!(matches!(case.answer("order", vec![Value::Null]), Err(BadAnswer::NotDue { .. })));
    case.answer("invoice", vec![value(&json!({"order": "O-9"}))]).unwrap();
    assert_eq!(case.due()[0].calls, [Values::from([("id".to_owned(), "O-9".into())])]);
    case.give_up("order", Unread::Failed, "the server did not answer");
    assert_eq!(case.due(), []);
    assert_eq!(
        case.decide().doubts[0].why,
        "`order` could not be read: the read failed: the server did not answer"
    );
}

/// A page that is made where there is none, and what follows from it.
const PAGE: &str = "read: {page: get_page(), owner: get_owner(id=page.owner)}
compute: {is_new: '!exists(page)', missing: 'default(owner.name, \"nobody\")'}
decide:
  - {rule: R-1, if: 'is_new', outcome: make}
  - {rule: R-2, if: '!exists(owner)', outcome: none}
outcomes:\n  make: {do: create_page(title=\"T\"), check: get_page().title == \"T\"}\n";

#[test]
fn only_a_read_that_ended_as_absent_lets_exists_be_false() {
    let file = file(PAGE);
    let begun = || Case::start(&file.tasks()[0], &BTreeMap::new(), date(2026, 3, 4));
    let mut absent = begun();
    absent.absent("page", "there is no page");
    assert_eq!((absent.decide().rule(), absent.decide().verdict()), (Some("R-1"), None));
    let mut empty = begun();
    empty.answer("page", vec![Value::Null]).unwrap();
    assert_eq!(empty.decide().rule(), Some("R-1"));
    for how in [Unread::Refused, Unread::Failed] {
        let mut unread = begun();
        unread.give_up("page", how, "the tool said no");
        let decision = unread.decide();
        assert_eq!((decision.rule(), decision.verdict()), (None, Some(Verdict::Escalate)), "{how:?}");
        assert_eq!(decision.doubts().len(), 2, "what is read or computed from it is in doubt too");
        assert!(decision.doubts()[0].why.ends_with(": the tool said no"), "{decision:?}");
        assert!(unread.figures().iter().all(|(_, figure)| figure.is_err()), "{how:?}");
    }
    assert_eq!(begun().decide().doubts().len(), 2, "what nobody has read yet is in doubt");
}

#[test]
fn a_repeated_read_keeps_each_row_beside_its_answer() {
    let file = file(
        "read: {list: get_list(), stock: {for_each: list.items as wanted, call: get_stock(item=wanted.name)}}
compute: {cost: 'sum(stock as line, line.wanted.count * line.price)'}
decide: [{rule: R-1, if: 'cost > 1 USD', outcome: stop}]\n",
    );
    let mut case =
        case(&file, &[("list", json!({"items": [{"name": "A", "count": 3}, {"name": "B", "count": 2}]}))]);
    assert_eq!(case.due()[0].calls.len(), 2);
    let answers = vec![value(&json!({"price": "1.50 USD"})), value(&json!({"price": "2.00 USD"}))];
    assert!(matches!(
        case.answer("stock", answers[..1].to_vec()),
        Err(BadAnswer::Count { calls: 2, answers: 1, .. })
    ));
    case.answer("stock", answers).unwrap();
    assert_eq!(case.figures(), [("cost", Ok(Value::from_literal("8.50 USD")))]);
}

fn operations(file: &ProcessFile, a: serde_json::Value) -> Result<Vec<Operation>, Stuck> {
    let case = case(file, &[("a", a)]);
    case.operations(&case.decide(), &order())
}

const STEPS: &str = "read: {a: get_a()}
decide: [{rule: R-1, if: 'a.go', outcome: go, ask: nobody, because: 'it says so'}]
outcomes:
  go:
    do:
      - {call: 'create_case(note=rule, why=because)', as: case, check: get_case(id=case.id).note == rule, undo: close_case(id=case.id)}
      - {when: a.big, call: flag_case(id=case.id), check: {read: get_case(id=case.id), expect: {flagged: 'true', note: rule}}}
      - {for_each: a.lines as line, when: line.n > 1, call: 'add_line(id=case.id, n=line.n)', check: none}
    show: get_case(id=a.id)
    tell:
      - {for_each: a.lines as line, tool: send_note, to: {mail: line.mail}, with: {case: case.id, n: line.n}, quiet: '20:00-07:00'}
";

fn steps() -> ProcessFile {
    file(&STEPS.replace("ask: nobody", "ask: lead"))
}

#[test]
fn operations_are_built_with_their_references_checks_and_recipients() {
    let lines = json!([{"n": 1, "mail": "x@example.com"}, {"n": 2, "mail": "y@example.com"}]);
    let made = operations(&steps(), json!({"go": true, "big": true, "id": "A", "lines": lines})).unwrap();
    let names: Vec<(&str, &str, Effect)> =
        made.iter().map(|o| (o.step.as_str(), o.tool.as_str(), o.effect)).collect();
    assert_eq!(
        names,
        [
            ("case", "create_case", Effect::Write),
            ("do_2", "flag_case", Effect::Write),
            ("do_3_2", "add_line", Effect::Write),
            ("tell_1_1", "send_note", Effect::Notify),
            ("tell_1_2", "send_note", Effect::Notify),
        ]
    );
    assert_eq!(made[0].arguments["note"], Argument::from("R-1"));
    assert_eq!(made[0].arguments["why"], Argument::from("it says so"));
    let reference = made[1].arguments["id"].reference().unwrap();
    assert_eq!((reference.step.as_str(), reference.field.as_str()), ("case", "id"));
    assert_eq!(made[0].undo.as_ref().unwrap().arguments["id"].reference(), Some(reference));
    let Check::ReadBack { tool, expect, .. } = &made[1].check else { panic!("{:?}", made[1].check) };
    assert_eq!((tool.as_str(), expect.len()), ("get_case", 2));
    assert_eq!(made[2].check, Check::Unverifiable);
    assert_eq!(made[4].recipients, ["y@example.com"]);
    assert_eq!(made[4].arguments["mail"], Argument::from("y@example.com"));
    assert_eq!(made[4].quiet.as_deref(), Some("20:00-07:00"));
}

#[test]
fn what_the_rule_looked_at_is_seen_before_each_operation() {
    let made = operations(&steps(), json!({"go": true, "big": false, "lines": []})).unwrap();
    let seen: Vec<(&str, &str)> =
        made[0].before.iter().map(|seen| (seen.tool.as_str(), seen.field.as_str())).collect();
    assert_eq!(seen, [("get_a", "go")]);
}

#[test]
fn a_reference_to_a_step_that_is_left_out_is_stuck() {
    let file = file(
        &STEPS
            .replace("ask: nobody", "ask: lead")
            .replace("- {call: 'create_case", "- {when: a.big, call: 'create_case"),
    );
    let stuck =
        operations(&file, json!({"go": true, "big": false, "lines": [{"n": 2, "mail": "x"}]})).unwrap_err();
    assert!(matches!(stuck, Stuck::LeftOut { .. }), "{stuck}");
}

#[test]
fn values_that_cannot_be_sent_are_stuck() {
    let third = file(
        "read: {a: get_a()}\ncompute: {third: a.n / 3}\ndecide: [{rule: R-1, if: 'a.n > 0', outcome: go, ask: lead}]
outcomes: {go: {do: update_a(n=third), check: get_a().n == 1, tell: {tool: send_note, to: a.mail}}}\n",
    );
    assert!(matches!(operations(&third, json!({"n": 1})), Err(Stuck::Unrounded { .. })));
    assert!(matches!(operations(&third, json!({"n": 3})), Err(Stuck::Unevaluable { .. })));
    assert!(matches!(operations(&third, json!({"n": 3, "mail": 7})), Err(Stuck::WrongKind { .. })));
    assert!(matches!(operations(&third, json!({"n": 3, "mail": " "})), Err(Stuck::WrongKind { .. })));
    assert_eq!(operations(&third, json!({"n": 3, "mail": ["x", "y"]})).unwrap()[1].recipients, ["x", "y"]);
    let rows: Vec<_> = (0..=ROWS_MAX).map(|n| json!({"n": n, "mail": "x"})).collect();
    let stuck = operations(&steps(), json!({"go": true, "big": true, "lines": rows}));
    assert!(matches!(stuck, Err(Stuck::TooManyRows { rows: 501, .. })), "{stuck:?}");
}

#[test]
fn a_model_that_drives_a_complete_file_is_allowed_only_what_the_outcome_does() {
    let file = table(THREE);
    let case = case(&file, &[("a", json!({"x": 11, "y": 1, "z": 1}))]);
    let own = case.operations(&case.decide(), &order()).unwrap().swap_remove(0);
    assert_eq!(case.judge(&own).verdict, Some(Verdict::Allow));
    let mut other = own.clone();
    other.arguments.insert("x".to_owned(), Argument::from("12"));
    let judged = case.judge(&other);
    assert_eq!(
        (judged.verdict, judged.ask),
        (Some(Verdict::RequireApproval), Some(Ask::Role("owner".parse_role())))
    );
}

#[test]
fn an_outcome_of_a_file_with_gaps_covers_no_other_operation_either() {
    let file = file(
        "inputs: {kind: {type: text, pattern: 'small'}}\ndecide:
  - {rule: R-1, if: 'kind == \"small\"', outcome: go, ask: nobody}\n  - {rule: R-2, ask: lead}
outcomes:\n  go: {do: update_a(kind=kind), check: get_a().x == 1}\n",
    );
    assert!(!file.tasks()[0].is_complete());
    let inputs = BTreeMap::from([("kind".to_owned(), Value::text("small"))]);
    let case = Case::start(&file.tasks()[0], &inputs, date(2026, 3, 4));
    let operation = |tool: &str| {
        let arguments = BTreeMap::from([("kind".to_owned(), Argument::from("small"))]);
        let (step, tool) = (crate::id::StepId::parse("s").unwrap(), ToolName::parse(tool).unwrap());
        Operation::new(step, tool, Effect::Write, arguments, Check::Unverifiable, order())
    };
    assert_eq!(case.judge(&operation("update_a")).verdict, Some(Verdict::Allow));
    assert_eq!(case.judge(&operation("delete_everything")).verdict, Some(Verdict::RequireApproval));
}

#[test]
fn a_model_does_nothing_where_the_file_finds_nothing_to_do() {
    let rules = "  - {rule: R-1, if: 'a.x > 10', outcome: none}\n  - {rule: R-2, if: 'a.x <= 10', outcome: go, ask: nobody}";
    let file = table(rules);
    let own = {
        let case = case(&file, &[("a", json!({"x": 1}))]);
        case.operations(&case.decide(), &order()).unwrap().swap_remove(0)
    };
    assert_eq!(case(&file, &[("a", json!({"x": 11}))]).judge(&own).verdict, Some(Verdict::Block));
}

#[test]
fn rules_of_a_file_with_gaps_judge_each_operation_by_its_arguments() {
    let file = file("decide:\n  - {rule: R-1, if: 'amount > 5000 USD', ask: controller, people: 2}\n");
    let case = Case::start(&file.tasks()[0], &BTreeMap::new(), date(2026, 3, 4));
    let operation = |amount: &str| {
        let arguments = BTreeMap::from([("amount".to_owned(), Argument::from(amount))]);
        let (step, tool) = (crate::id::StepId::parse("s").unwrap(), ToolName::parse("pay_claim").unwrap());
        Operation::new(step, tool, Effect::Write, arguments, Check::Unverifiable, order())
    };
    let large = case.judge(&operation("7200.00 USD"));
    assert_eq!(large.verdict, Some(Verdict::RequireApproval));
    let ruling = large.ruling(file.owner(), None).unwrap();
    assert_eq!(ruling.asks[0].people.get(), 2);
    assert_eq!(ruling.because, "R-1: amount (7200.00 USD) > 5000 USD");
    assert_eq!(case.judge(&operation("5000.00 USD")).verdict, None);
    assert_eq!(case.judge(&operation("5000.00 USD")).ruling(file.owner(), None), None);
    assert_eq!(case.judge(&operation("a lot")).verdict, Some(Verdict::RequireApproval));
}

#[test]
fn the_business_key_is_evaluated() {
    let file = file(
        "read: {a: get_a()}\ndecide: [{rule: R-1, if: 'a.x > 1', outcome: stop}]\nonce_per: [a.vendor, a.number]\n",
    );
    let key = case(&file, &[("a", json!({"vendor": "V-1", "number": 7}))]).business_key().unwrap();
    assert_eq!(key, [Value::text("V-1"), Value::from(7)]);
    assert!(case(&file, &[("a", json!({"vendor": "V-1"}))]).business_key().is_err());
}

trait ParseRole {
    fn parse_role(&self) -> crate::id::Role;
}

impl ParseRole for str {
    fn parse_role(&self) -> crate::id::Role {
        crate::id::Role::parse(self).unwrap()
    }
}
