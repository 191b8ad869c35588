//! Laws of verdicts, over arbitrary documents, facts and subjects.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use proptest::prelude::*;
use proptest::sample::select;
use purple_policy::{Authority, Facts, Level, PolicyDocument, Source, Subject, Value, Verdict, combine};
use serde_json::{Value as Json, json};

const CONDITIONS: &[&str] = &[
    "amount > 5000",
    "amount <= 5000 || urgent",
    "urgent && status == 'active'",
    "status in ['active', 'closed']",
    "total > 5000 USD",
    "100 * (total - paid) / paid > 2.0",
    "any(rows, row.quantity > 2)",
    "rate >= 2.5 && amount in 1..10000",
    "missing > 1",
    "missing > 1 || urgent",
    "amount / zero > 1",
    "true",
    "false",
];
const LEVELS: &[&str] = &["manager", "hr", "finance", "committee", "legal", "cfo", "ciso"];
const TOOLS: &[&str] = &["pay_invoice", "send_gift", "get_order", "confirm_with_user"];

fn action() -> impl Strategy<Value = Verdict> {
    select(Verdict::ALL.to_vec())
}

fn condition_rule(action: impl Strategy<Value = Verdict>) -> impl Strategy<Value = Json> {
    (select(CONDITIONS), action, proptest::option::of(select(LEVELS))).prop_map(
        |(condition, action, level)| {
            let mut rule = json!({"condition": condition, "action": action.as_str()});
            if let Some(level) = level {
                rule["level"] = json!(level);
            }
            rule
        },
    )
}

fn restricting_rule() -> impl Strategy<Value = Json> {
    prop_oneof![
        4 => condition_rule(select(Verdict::ALL[1..].to_vec())),
        1 => select(&["gift", "wire transfer", "nothing like it"][..])
            .prop_map(|keyword| json!({"type": "deny", "keywords": [keyword]})),
        1 => select(&["INV-[0-9]+", "^$", "zzz"][..]).prop_map(|pattern| json!({"type": "deny", "pattern": pattern})),
        2 => (select(TOOLS), select(TOOLS)).prop_map(|(tool, needs)| json!({"tool": tool, "require_before": needs})),
    ]
}

fn rule() -> impl Strategy<Value = Json> {
    prop_oneof![2 => condition_rule(action()), 3 => restricting_rule()]
}

fn default_action() -> impl Strategy<Value = Option<&'static str>> {
    proptest::option::of(select(&["allow", "deny"][..]))
}

fn authority() -> impl Strategy<Value = Authority> {
    select(vec![Authority::Operator, Authority::Process, Authority::Request])
}

/// Which facts are known, and what they say.
fn facts() -> impl Strategy<Value = Facts> {
    let values: &[(&str, &[&str])] = &[
        ("amount", &["4999.99", "5000", "5000.01", "text"]),
        ("urgent", &["true", "false"]),
        ("status", &["active", "closed", "5"]),
        ("total", &["5000.00 USD", "52340 USD", "1 EUR"]),
        ("paid", &["51200 USD", "0 USD"]),
        ("rate", &["2.5%", "2.4"]),
        ("zero", &["0", "1"]),
    ];
    let names: Vec<_> = values
        .iter()
        .map(|(name, options)| {
            proptest::option::weighted(0.8, select(*options)).prop_map(move |told| (*name, told))
        })
        .collect();
    (names, proptest::option::of(0_i64..5)).prop_map(|(told, quantity)| {
        let mut facts = Facts::new();
        for (name, literal) in told {
            if let Some(literal) = literal {
                facts.set(Source::Read, name, Value::from_literal(literal));
            }
        }
        if let Some(quantity) = quantity {
            let rows = Value::list([Value::record([("quantity", Value::from(quantity))])]);
            facts.set(Source::Read, "rows", rows);
        }
        facts
    })
}

#[derive(Clone, Debug)]
struct Asked {
    task: &'static str,
    tool: Option<&'static str>,
    satisfied: Vec<&'static str>,
    approval_tools: Vec<&'static str>,
}

impl Asked {
    fn subject(&self) -> Subject<'_> {
        Subject {
            task: self.task,
            tool: self.tool,
            arguments: "{\"id\": \"INV-1\"}",
            satisfied: &self.satisfied,
            approval_tools: &self.approval_tools,
        }
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    let tools = || proptest::sample::subsequence(TOOLS, 0..=TOOLS.len());
    (select(&["pay it", "a gift", ""][..]), proptest::option::of(select(TOOLS)), tools(), tools())
        .prop_map(|(task, tool, satisfied, approval_tools)| Asked { task, tool, satisfied, approval_tools })
}

fn document(rules: &[Json], default_action: Option<&str>, authority: Authority) -> PolicyDocument {
    let mut json = json!({"rules": rules});
    if let Some(default_action) = default_action {
        json["default_action"] = json!(default_action);
    }
    PolicyDocument::parse(&json.to_string(), authority).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(800) })]

    #[test]
    fn adding_a_rule_that_does_not_allow_never_weakens_the_verdict(
        rules in proptest::collection::vec(rule(), 0..6),
        added in restricting_rule(),
        place in 0_usize..7,
        default in default_action(),
        authority in authority(),
        facts in facts(),
        asked in asked(),
    ) {
        let before = document(&rules, default, authority).bind(&facts).verdict(&asked.subject());
        let mut more = rules;
        more.insert(place.min(more.len()), added);
        let after = document(&more, default, authority).bind(&facts).verdict(&asked.subject());
        prop_assert!(after >= before, "{:?} became {:?}", before, after);
    }

    #[test]
    fn the_order_of_rules_does_not_matter(
        (rules, shuffled) in proptest::collection::vec(rule(), 0..6)
            .prop_flat_map(|rules| (Just(rules.clone()), Just(rules).prop_shuffle())),
        default in default_action(),
        authority in authority(),
        facts in facts(),
        asked in asked(),
    ) {
        let judged = |rules: &[Json]| {
            let judgement = document(rules, default, authority).bind(&facts).judge(&asked.subject());
            let count = (judgement.triggered_rules().count(), judgement.unchecked_rules().count());
            (judgement.verdict(), judgement.escalation_level(), judgement.requires_approval(), count)
        };
        prop_assert_eq!(judged(&rules), judged(&shuffled));
    }

    #[test]
    fn the_verdict_alone_is_the_verdict_of_the_judgement(
        rules in proptest::collection::vec(rule(), 0..6),
        default in default_action(),
        authority in authority(),
        facts in facts(),
        asked in asked(),
    ) {
        let bound = document(&rules, default, authority).bind(&facts);
        let judgement = bound.judge(&asked.subject());
        prop_assert_eq!(bound.verdict(&asked.subject()), judgement.verdict());

        let fired = judgement.triggered_rules().map(|rule| rule.action());
        // Whatever they would demand, what could not be checked asks a person.
        let asked_for = judgement.unchecked_rules().map(|_| Verdict::RequireApproval);
        let actions: Vec<Verdict> = fired.chain(asked_for).collect();
        prop_assert_eq!(judgement.verdict(), actions.iter().copied().max());
        prop_assert_eq!(judgement.passed(), actions.iter().all(|action| *action == Verdict::Allow));
        prop_assert_eq!(judgement.requires_approval(), actions.contains(&Verdict::RequireApproval));
        prop_assert_eq!(judgement.escalation_required(), actions.contains(&Verdict::Escalate));
        let demanding = judgement.triggered_rules().filter(|rule| rule.action() != Verdict::Allow);
        let unchecked = judgement.unchecked_rules().filter_map(|rule| rule.level());
        let highest: Option<Level> = demanding.filter_map(|rule| rule.level()).chain(unchecked).max();
        prop_assert_eq!(judgement.escalation_level(), highest);
    }

    #[test]
    fn a_request_never_allows_and_never_weakens_what_the_operator_says(
        operators in proptest::collection::vec(rule(), 0..4),
        requests in proptest::collection::vec(rule(), 0..6),
        default in default_action(),
        facts in facts(),
        asked in asked(),
    ) {
        let verdict = |rules: &[Json], authority| {
            document(rules, default, authority).bind(&facts).verdict(&asked.subject())
        };
        let operator = verdict(&operators, Authority::Operator);
        let request = verdict(&requests, Authority::Request);
        prop_assert_ne!(request, Some(Verdict::Allow));
        prop_assert!(combine([operator, request]) >= operator);
        // What a request demands is what the same rules of the operator would demand.
        let same = verdict(&requests, Authority::Operator);
        prop_assert_eq!(request, same.filter(|verdict| *verdict != Verdict::Allow));
    }

    #[test]
    fn knowing_less_never_lets_through_without_a_person_what_a_rule_restricts(
        rules in proptest::collection::vec(restricting_rule(), 0..6),
        facts in facts(),
        hidden in select(&["amount", "urgent", "status", "total", "paid", "rate", "zero", "rows"][..]),
        asked in asked(),
    ) {
        let document = document(&rules, None, Authority::Operator);
        let before = document.bind(&facts).verdict(&asked.subject());
        // Two sources that disagree hide a name.
        prop_assume!(facts.get(hidden).is_ok());
        let disputed = facts.with(Source::Input, hidden, Value::text("something else altogether"));
        let after = document.bind(&disputed).verdict(&asked.subject());
        // A block that cannot be evaluated asks; nothing that restricts is ever silenced.
        let least = before.map(|verdict| verdict.min(Verdict::RequireApproval));
        prop_assert!(after >= least, "{:?} became {:?}", before, after);
    }

    #[test]
    fn an_allow_that_cannot_be_evaluated_changes_nothing(
        rules in proptest::collection::vec(rule(), 0..6),
        place in 0_usize..7,
        facts in facts(),
        asked in asked(),
    ) {
        let before = document(&rules, None, Authority::Operator).bind(&facts).verdict(&asked.subject());
        let mut more = rules;
        more.insert(place.min(more.len()), json!({"condition": "missing > 1", "action": "allow"}));
        let after = document(&more, None, Authority::Operator).bind(&facts).verdict(&asked.subject());
        prop_assert_eq!(after, before);
    }

    #[test]
    fn the_same_facts_give_the_same_judgement_in_every_thread(
        rules in proptest::collection::vec(rule(), 0..6),
        facts in facts(),
        asked in asked(),
    ) {
        let bound = document(&rules, None, Authority::Operator).bind(&facts);
        let first = serde_json::to_string(&bound.judge(&asked.subject())).unwrap();
        let told: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| serde_json::to_string(&bound.judge(&asked.subject())).unwrap()))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        prop_assert!(told.iter().all(|text| *text == first));
    }
}
