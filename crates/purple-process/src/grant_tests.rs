use std::num::NonZeroU8;

use purple_policy::{Exact, Money};

use super::*;
use crate::fixture::{
    by_policy, careful, clock, directory, operation, ordered, person, plan, reference, request, role, ruling,
    step, time, yes,
};
use crate::judge::{Approvals, Ruling, judge};
use crate::people::{At, OwnRequests, Person, Who};

fn order() -> Plan {
    plan(vec![operation("a", "create_order", &[("note", "x")]), operation("b", "close_case", &[])])
}

fn ask(names: &[&str]) -> Vec<Requirement> {
    names.iter().map(|name| Requirement::role(role(name))).collect()
}

fn people() -> Directory {
    directory(&[
        ("rita", &["ap_lead"]),
        ("anna", &["ap_lead"]),
        ("carl", &["cfo"]),
        ("dora", &["ap_lead", "cfo"]),
    ])
}

/// What a restored grant depends on, to be changed one thing at a time.
struct Case {
    plan: Plan,
    ruling: PlanRuling,
    decisions: Vec<Decision>,
    directory: Directory,
    standing: Standing,
    clock: ClockReading,
    request: Request<'static>,
    /// Where the requester was.
    account: Option<&'static str>,
}

impl Case {
    /// One person of `ap_lead` must say yes, and anna did; rita asked for it.
    fn new() -> Self {
        let plan = order();
        Self {
            ruling: ruling(&plan, Verdict::RequireApproval, ask(&["ap_lead"])),
            decisions: vec![yes(&plan, "anna")],
            directory: people(),
            standing: Standing::Open,
            clock: clock(20),
            request: request(),
            account: None,
            plan,
        }
    }

    fn requires(mut self, asks: Vec<Requirement>) -> Self {
        self.ruling = ruling(&self.plan, Verdict::RequireApproval, asks);
        self
    }

    fn decided(mut self, people: &[&str]) -> Self {
        self.decisions = people.iter().map(|name| yes(&self.plan, name)).collect();
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn restore(self) -> Result<ApprovedPlan, GrantRefused> {
        let evidence = Evidence {
            ruling: &self.ruling,
            decisions: &self.decisions,
            requester: At { person: &person("rita"), account: self.account },
            request: self.request,
            directory: &self.directory,
            standing: self.standing,
            started: &[],
            clock: self.clock,
        };
        restore(self.plan, &evidence)
    }

    #[track_caller]
    fn refused(self) -> GrantRefused {
        self.restore().map(|approved| approved.basis().clone()).unwrap_err()
    }

    #[track_caller]
    fn granted_to(self, names: &[&str]) {
        let approved = self.restore().unwrap();
        assert_eq!(*approved.basis(), Basis::People(names.iter().map(|name| person(name)).collect()));
    }

    #[track_caller]
    fn not_counted(self) -> Vec<NotCounted> {
        match self.refused() {
            GrantRefused::TooFew { not_counted, .. } => not_counted,
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_plan_that_policy_allows_needs_nobody() {
    let case = Case::new().with(|case| {
        case.ruling = ruling(&case.plan, Verdict::Allow, Vec::new());
        case.decisions.clear();
    });
    let approved = case.restore().unwrap();
    assert_eq!((approved.basis(), approved.expires_at()), (&Basis::Policy, time(1_000)));
}

#[test]
fn a_plan_that_needs_somebody_is_granted_by_them_until_their_decision_ends() {
    let approved = Case::new().restore().unwrap();
    assert_eq!(*approved.basis(), Basis::People([person("anna")].into()));
    assert_eq!(approved.expires_at(), time(500));
    let later = Case::new().with(|case| case.decisions[0].expires_at = time(5_000));
    assert_eq!(later.restore().unwrap().expires_at(), time(1_000));
}

#[test]
fn a_ruling_or_a_decision_about_another_plan_counts_for_nothing() {
    let other = plan(vec![operation("a", "create_order", &[("note", "y")])]);
    let hash = order().hash();
    let case = Case::new().with(|case| case.ruling = ruling(&other, Verdict::Allow, Vec::new()));
    assert_eq!(case.refused(), GrantRefused::OtherRuling { ruled: other.hash(), plan: hash });
    let case = Case::new().with(|case| case.decisions.push(yes(&other, "dora")));
    let refusal = GrantRefused::OtherPlan { person: person("dora"), decided: other.hash(), plan: hash };
    assert_eq!(case.refused(), refusal);
}

#[test]
fn what_is_blocked_or_escalated_cannot_be_approved_by_anybody() {
    for (verdict, refusal) in
        [(Verdict::Block, GrantRefused::Blocked), (Verdict::Escalate, GrantRefused::Escalated)]
    {
        let case = Case::new().with(|case| case.ruling = ruling(&case.plan, verdict, ask(&["ap_lead"])));
        assert_eq!(case.refused(), refusal);
    }
}

#[test]
fn a_request_that_no_longer_stands_grants_nothing() {
    let case = |standing| Case::new().with(|case| case.standing = standing);
    assert_eq!(case(Standing::Superseded).refused(), GrantRefused::Superseded);
    assert_eq!(case(Standing::Revoked).refused(), GrantRefused::Revoked);
    assert!(case(Standing::Open).restore().is_ok());
}

#[test]
fn an_expired_plan_or_decision_is_a_no_to_the_second() {
    let at = |seconds| Case::new().with(|case| case.clock = clock(seconds));
    assert!(at(499).restore().is_ok());
    let expired = GrantRefused::DecisionExpired { person: person("anna"), expires_at: time(500) };
    assert_eq!(at(500).refused(), expired);
    let by_policy = |seconds| {
        at(seconds).with(|case| {
            case.ruling = ruling(&case.plan, Verdict::Allow, Vec::new());
            case.decisions.clear();
        })
    };
    assert!(by_policy(999).restore().is_ok());
    assert_eq!(by_policy(1_000).refused(), GrantRefused::PlanExpired { good_until: time(1_000) });
}

#[test]
fn a_clock_that_goes_back_revives_nothing() {
    let back = |high_water| {
        Case::new().with(|case| case.clock = ClockReading { now: time(20), high_water: time(high_water) })
    };
    assert!(back(499).restore().is_ok());
    assert!(matches!(back(500).refused(), GrantRefused::DecisionExpired { .. }));
    assert!(matches!(back(1_000).refused(), GrantRefused::PlanExpired { .. }));
}

#[test]
fn a_decision_from_the_future_is_refused() {
    let at = |seconds| Case::new().with(|case| case.clock = clock(seconds));
    assert_eq!(at(9).refused(), GrantRefused::FromTheFuture { person: person("anna"), decided_at: time(10) });
    assert!(at(10).restore().is_ok());
}

#[test]
fn one_no_outweighs_every_yes_and_even_the_policy() {
    let no = |case: &mut Case| {
        let mut no = yes(&case.plan, "carl");
        no.answer = Answer::Reject { reason: "wrong vendor".to_owned() };
        case.decisions.push(no);
    };
    let refusal = GrantRefused::Rejected { person: person("carl"), reason: "wrong vendor".to_owned() };
    assert_eq!(Case::new().with(no).refused(), refusal);
    let allowed =
        Case::new().with(no).with(|case| case.ruling = ruling(&case.plan, Verdict::Allow, Vec::new()));
    assert_eq!(allowed.refused(), refusal);
    assert_eq!(refusal.to_string(), "`carl` rejected it: wrong vendor");
}

#[test]
fn a_yes_to_other_operations_is_not_a_yes_to_the_plan() {
    for names in [&["a"][..], &["b"], &[], &["a", "b", "c"], &["a", "c"]] {
        let case = Case::new().with(|case| {
            let operations = names.iter().map(|name| step(name)).collect();
            case.decisions[0].answer = Answer::Approve { operations };
        });
        assert_eq!(case.refused(), GrantRefused::Partial { person: person("anna") }, "{names:?}");
    }
}

#[test]
fn the_requester_does_not_approve_their_own_request() {
    let own = || vec![NotCounted::OwnRequest(person("rita"))];
    assert_eq!(Case::new().decided(&["rita"]).not_counted(), own());
    Case::new().decided(&["rita", "anna"]).granted_to(&["anna"]);
    // Unless the operator's policy says so.
    let allowed = Case::new().decided(&["rita"]).with(|case| {
        let mut settings = crate::fixture::careful();
        settings.own_requests = OwnRequests::Allowed;
        settings.fallback = role("ap_lead");
        let rulings = case.plan.operations().iter().map(|operation| (operation.step.clone(), vec![]));
        case.ruling = judge(&case.plan, &rulings.collect(), &settings).unwrap();
    });
    allowed.granted_to(&["rita"]);
}

/// A yes that came from this account of the operating system.
fn from(account: &str, decision: Decision) -> Decision {
    Decision { account: Some(account.to_owned()), ..decision }
}

#[test]
fn one_account_is_one_person_whatever_the_names_are() {
    // The requester under another name.
    let other = Case::new().with(|case| {
        case.account = Some("ux");
        case.decisions = vec![from("ux", yes(&case.plan, "anna"))];
    });
    assert_eq!(other.not_counted(), [NotCounted::OwnRequest(person("anna"))]);
    // Another account, or none that is known, is somebody else.
    for decided in [Some("uy"), None] {
        let other = Case::new().with(|case| {
            case.account = Some("ux");
            case.decisions =
                vec![Decision { account: decided.map(str::to_owned), ..yes(&case.plan, "anna") }];
        });
        other.granted_to(&["anna"]);
    }
    // Two names at one account are one of two people, also through a name that they share.
    let two = |accounts: [&str; 2]| {
        let asked = vec![Requirement::role(role("cfo")).by(NonZeroU8::new(2).unwrap())];
        Case::new().requires(asked).with(|case| {
            let names = ["carl", "dora"].into_iter().zip(accounts);
            case.decisions = names.map(|(name, account)| from(account, yes(&case.plan, name))).collect();
        })
    };
    two(["ux", "uy"]).granted_to(&["carl", "dora"]);
    assert!(matches!(two(["ux", "ux"]).refused(), GrantRefused::TooFew { .. }));
    // At one keyboard there is one person anyway, and nothing is enforced.
    let alone = two(["ux", "ux"]).with(|case| case.directory = Directory::Keyboard);
    alone.granted_to(&["carl", "dora"]);
}

#[test]
fn the_requester_confirms_where_a_rule_asks_them() {
    let confirm = || vec![Requirement::confirmation(role("cfo"))];
    Case::new().requires(confirm()).decided(&["rita"]).granted_to(&["rita"]);
    Case::new().requires(confirm()).decided(&["carl"]).granted_to(&["carl"]);
    let wrong = Case::new().requires(confirm()).decided(&["anna"]).not_counted();
    assert_eq!(wrong, [NotCounted::WrongRole(person("anna"))]);
    // Their word does not count for the other requirement.
    let both = || vec![Requirement::confirmation(role("owner")), Requirement::role(role("ap_lead"))];
    assert_eq!(
        Case::new().requires(both()).decided(&["rita"]).not_counted(),
        [NotCounted::OwnRequest(person("rita"))]
    );
    Case::new().requires(both()).decided(&["rita", "anna"]).granted_to(&["anna", "rita"]);
}

#[test]
fn a_yes_needs_the_role_that_the_rule_names() {
    for (roles, decided, granted) in [
        (&["ap_lead"][..], &["carl"][..], false),
        (&["cfo"], &["anna"], false),
        (&["cfo"], &["carl"], true),
        (&["ap_lead", "cfo"], &["anna"], false),
        (&["ap_lead", "cfo"], &["carl"], false),
        (&["ap_lead", "cfo"], &["anna", "carl"], true),
        (&["ap_lead", "cfo"], &["dora"], true),
        (&["ap_lead"], &["stranger"], false),
        (&["ap_lead"], &[], false),
    ] {
        let result = Case::new().requires(ask(roles)).decided(decided).restore();
        assert_eq!(result.is_ok(), granted, "{roles:?} {decided:?}");
    }
    let stranger = Case::new().decided(&["stranger"]).not_counted();
    assert_eq!(stranger, [NotCounted::WrongRole(person("stranger"))]);
}

#[test]
fn two_people_are_two_people() {
    let two =
        || ask(&["ap_lead"]).into_iter().map(|one| one.by(NonZeroU8::new(2).unwrap())).collect::<Vec<_>>();
    Case::new().requires(two()).decided(&["anna", "dora"]).granted_to(&["anna", "dora"]);
    for decided in [&["anna"][..], &["anna", "anna"], &["anna", "rita"], &["anna", "carl"]] {
        match Case::new().requires(two()).decided(decided).refused() {
            GrantRefused::TooFew { counted, .. } => assert_eq!(counted, [person("anna")].into()),
            other => panic!("{other}"),
        }
    }
    // The same person through another channel is the same person.
    let mut case = Case::new().requires(two()).decided(&["anna", "anna"]);
    case.decisions[1].channel = crate::people::Channel::Cli;
    assert!(matches!(case.refused(), GrantRefused::TooFew { .. }));
}

#[test]
fn a_refusal_says_what_was_needed_and_who_did_not_count() {
    let refusal = Case::new().decided(&["carl"]).refused();
    assert_eq!(
        refusal.to_string(),
        "0 of 1 × ap_lead said yes; `carl` does not hold a role that is asked for"
    );
}

#[test]
fn a_refusal_says_what_can_be_done() {
    let no = GrantRefused::Blocked.help();
    let ask = Case::new().decided(&["carl"]).refused().help();
    let again = Case::new().with(|case| case.clock = clock(500)).refused().help();
    assert_eq!(
        [no, ask, again],
        [
            "change the request or the policy; no approval helps",
            "ask somebody whose yes counts",
            "ask this person again"
        ]
    );
}

#[test]
fn a_money_limit_holds_for_the_whole_plan() {
    let money = |text: &str| Money::parse(text).unwrap();
    let moves = |amounts: &[&str]| {
        let operations = amounts
            .iter()
            .enumerate()
            .map(|(index, amount)| operation(&format!("s{index}"), "apply_credit", &[("amount", amount)]));
        plan(operations.collect())
    };
    let granted = |limit: Option<&str>, amounts: &[&str]| {
        let plan = moves(amounts);
        let limit = limit.map(money);
        let anna = Person { roles: [role("ap_lead")].into(), limit, ..Person::default() };
        let case = Case {
            ruling: ruling(&plan, Verdict::RequireApproval, ask(&["ap_lead"])),
            decisions: vec![yes(&plan, "anna")],
            directory: Directory::People([(person("anna"), anna)].into()),
            standing: Standing::Open,
            clock: clock(20),
            request: request(),
            account: None,
            plan,
        };
        match case.restore() {
            Ok(_) => true,
            Err(GrantRefused::TooFew { not_counted, .. }) => {
                assert_eq!(not_counted, [NotCounted::AboveLimit(person("anna"))]);
                false
            }
            Err(other) => panic!("{other}"),
        }
    };
    assert!(granted(None, &["1000000.00 USD"]));
    assert!(granted(Some("100.00 USD"), &["100.00 USD"]));
    assert!(!granted(Some("100.00 USD"), &["100.01 USD"]));
    assert!(granted(Some("100.00 USD"), &["60.00 USD", "40.00 USD"]));
    assert!(!granted(Some("100.00 USD"), &["60.00 USD", "40.01 USD"]));
    // What flows back does not make room, and another currency is beyond the limit.
    assert!(!granted(Some("100.00 USD"), &["150.00 USD", "-60.00 USD"]));
    assert!(!granted(Some("100.00 USD"), &["-100.01 USD"]));
    assert!(!granted(Some("100.00 USD"), &["1.00 EUR"]));
    assert!(granted(Some("100.00 USD"), &["words"]));
    assert!(Exact::parse("1").is_ok());
}

#[test]
fn a_substitute_has_the_powers_and_the_exclusions_of_whom_they_stand_in_for() {
    let stands_in = |case: &mut Case, who: &str, principal: &str| {
        case.decisions[0] = yes(&case.plan, who);
        case.decisions[0].on_behalf_of = Some(person(principal));
    };
    let listed = |case: &mut Case, who: &str, principal: &str| {
        if let Directory::People(people) = &mut case.directory {
            people.entry(person(who)).or_default().stands_in_for.insert(person(principal));
        }
    };
    let case = Case::new().with(|case| {
        stands_in(case, "carl", "anna");
        listed(case, "carl", "anna");
    });
    case.granted_to(&["carl"]);
    let unlisted = Case::new().with(|case| stands_in(case, "carl", "anna"));
    assert_eq!(unlisted.not_counted(), [NotCounted::NoSubstitute(person("carl"), person("anna"))]);
    // Whoever stands in for the requester is excluded like them, and so is the requester standing in for others.
    for (who, principal) in [("carl", "rita"), ("rita", "anna")] {
        let case = Case::new().with(|case| {
            stands_in(case, who, principal);
            listed(case, who, principal);
        });
        assert_eq!(case.not_counted(), [NotCounted::OwnRequest(person(who))]);
    }
    let nobody = Case::new().with(|case| {
        stands_in(case, "carl", "ghost");
        listed(case, "carl", "ghost");
    });
    assert_eq!(nobody.not_counted(), [NotCounted::WrongRole(person("carl"))]);
}

#[test]
fn at_one_keyboard_the_one_person_holds_every_role_but_stays_one_person() {
    let keyboard = |case: Case| case.with(|case| case.directory = Directory::Keyboard);
    keyboard(Case::new().decided(&["rita"])).granted_to(&["rita"]);
    keyboard(Case::new().requires(ask(&["cfo", "legal"])).decided(&["rita"])).granted_to(&["rita"]);
    assert!(matches!(keyboard(Case::new().decided(&[])).refused(), GrantRefused::TooFew { .. }));
    let two = Requirement { anyone_of: [Who::Role(role("cfo"))].into(), people: NonZeroU8::new(2).unwrap() };
    let case = keyboard(Case::new().requires(vec![two]).decided(&["rita", "rita"]));
    assert!(matches!(case.refused(), GrantRefused::TooFew { .. }));
}

#[test]
fn an_empty_plan_grants_nothing() {
    let empty = plan(vec![]);
    let mut approved = by_policy(&empty, &[]);
    assert_eq!(approved.next(), Next::Finished);
    assert_eq!(approved.expires_at(), time(1_000));
    assert_eq!(approved.basis(), &Basis::Policy);
    assert_eq!((approved.held_back(), approved.notices_due()), (None, false));
    assert!(approved.grant().into_scope().is_none());
    let settled = approved.settle(&step("a"), Outcome::Verified, None);
    assert_eq!(settled, Err(BadSettlement::NoSuchStep { step: step("a") }));
    assert!(Grant::nothing().into_scope().is_none());
}

fn started(plan: &Plan, name: &str, outcome: Outcome, result: Option<Json>) -> Started {
    let (_, key) = plan.keyed().find(|(operation, _)| operation.step == step(name)).unwrap();
    Started { key, outcome, result }
}

#[test]
fn a_restored_plan_goes_on_where_it_stopped() {
    let plan = plan(vec![
        operation("tell", "notify_team", &[]),
        operation("a", "create_order", &[("note", "x")]),
        operation("b", "close_case", &[]),
    ]);
    let next = |done: &[Started]| match by_policy(&plan, done).next() {
        Next::Run { step, .. } => step.to_string(),
        Next::Stopped { step, outcome } => format!("stopped at {step}: {outcome:?}"),
        other => format!("{other:?}"),
    };
    let at = |name, outcome| started(&plan, name, outcome, None);
    assert_eq!(next(&[]), "a");
    for outcome in Outcome::ALL {
        let found = next(&[at("a", outcome)]);
        match outcome {
            Outcome::Verified | Outcome::Unverifiable => assert_eq!(found, "b"),
            Outcome::InDoubt | Outcome::Mismatch | Outcome::Absent => {
                assert_eq!(found, format!("stopped at a: {outcome:?}"));
            }
        }
    }
    let writes = [at("a", Outcome::Verified), at("b", Outcome::Unverifiable)];
    assert_eq!(next(&writes), "tell");
    for outcome in Outcome::ALL {
        let all = [writes.as_slice(), &[at("tell", outcome)]].concat();
        assert_eq!(next(&all), "Finished");
        let approved = by_policy(&plan, &all);
        assert_eq!((approved.held_back(), approved.notices_due()), (None, false));
    }
    assert!(by_policy(&plan, &writes).notices_due());
    let approved = by_policy(&plan, &[at("a", Outcome::Mismatch)]);
    assert_eq!(approved.held_back(), Some((&step("a"), Some(Outcome::Mismatch))));
    assert_eq!(by_policy(&plan, &writes[..1]).held_back(), Some((&step("b"), None)));
}

#[test]
fn only_what_is_in_doubt_can_be_settled_and_only_once() {
    let plan = order();
    for before in Outcome::ALL {
        for outcome in Outcome::ALL {
            let mut approved = by_policy(&plan, &[started(&plan, "a", before, None)]);
            let expected = if before == Outcome::InDoubt {
                Ok(())
            } else {
                Err(BadSettlement::Settled { step: step("a") })
            };
            assert_eq!(approved.settle(&step("a"), outcome, None), expected);
        }
    }
    let mut approved = by_policy(&plan, &[]);
    let outcome = Outcome::Verified;
    assert_eq!(
        approved.settle(&step("a"), outcome, None),
        Err(BadSettlement::NotStarted { step: step("a") })
    );
    assert_eq!(
        approved.settle(&step("z"), outcome, None),
        Err(BadSettlement::NoSuchStep { step: step("z") })
    );
}

#[test]
fn what_an_earlier_step_made_is_put_into_a_later_one() {
    let mut second = operation("b", "close_case", &[("note", "x")]);
    second.arguments.insert("case_id".to_owned(), reference("a", "case.id"));
    let plan = plan(vec![operation("a", "create_order", &[]), second]);
    let next = |result: Option<&str>| {
        let result = result.map(|text| Json::parse(text).unwrap());
        match by_policy(&plan, &[started(&plan, "a", Outcome::Verified, result)]).next() {
            Next::Run { arguments, .. } => arguments.get("case_id").map(Json::to_wire).unwrap(),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(next(Some(r#"{"case":{"id":"C-7"}}"#)), r#""C-7""#);
    assert_eq!(next(Some(r#"{"case":{"id":7}}"#)), "7");
    assert_eq!(next(Some(r#"{"case":{"id":true}}"#)), "true");
    let missing = "MissingResult { step: StepId(\"b\") }";
    for result in [
        None,
        Some("null"),
        Some("{}"),
        Some(r#"{"case":"C-7"}"#),
        Some(r#"{"case":{"id":null}}"#),
        Some(r#"{"case":{"id":["C-7"]}}"#),
        Some(r#"{"case":{"id":{"x":1}}}"#),
        Some(r#"{"case.id":"C-7"}"#),
        Some(r#"[{"case":{"id":"C-7"}}]"#),
    ] {
        assert_eq!(next(result), missing, "{result:?}");
    }
}

#[test]
fn a_result_that_is_told_later_replaces_none_but_is_not_lost() {
    let mut second = operation("b", "close_case", &[]);
    second.arguments.insert("id".to_owned(), reference("a", "id"));
    let plan = plan(vec![operation("a", "create_order", &[]), second]);
    let result = Json::parse(r#"{"id":"C-7"}"#).unwrap();
    for (at_start, at_end) in [(None, Some(result.clone())), (Some(result), None)] {
        let mut approved = by_policy(&plan, &[started(&plan, "a", Outcome::InDoubt, at_start)]);
        approved.settle(&step("a"), Outcome::Verified, at_end).unwrap();
        assert!(matches!(approved.next(), Next::Run { .. }));
    }
}

/// Every way to write an amount that a limit cannot read is beyond the limit.
#[test]
fn money_that_cannot_be_read_is_beyond_every_limit() {
    let moved = |arguments: &str, declared: Option<&str>| {
        let mut one = operation("s", "apply_credit", &[]);
        one.arguments = serde_json::from_str(arguments).unwrap();
        one.amount = declared.map(|text| Money::parse(text).unwrap());
        one.moved().map(|amounts| amounts.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    for unknown in [
        r##"{"amount": "#90000"}"##,
        r#"{"amount": "90,000.00 USD"}"#,
        r#"{"amount": "$90000.00"}"#,
        r#"{"amount": "90000.00", "currency": "USD"}"#,
        r#"{"total": {"amount": "90000.00", "currency": "USD"}}"#,
        r##"{"total": "#@first.total"}"##,
    ] {
        assert_eq!(moved(unknown, None), None, "{unknown}");
        assert_eq!(moved(unknown, Some("5.00 USD")), Some(vec!["5.00 USD".to_owned()]), "{unknown}");
    }
    assert_eq!(moved(r#"{"lines": ["90000.00 USD"]}"#, None), Some(vec!["90000.00 USD".to_owned()]));
    let plain = r#"{"invoice_id": "INV-2024-447", "day": "2026-03-06", "note": "paid in 2024"}"#;
    assert_eq!(moved(plain, None), Some(vec![]));
    // A declared amount cannot hide a greater one that the arguments show.
    let shown = moved(r#"{"amount": "90000.00 USD"}"#, Some("0.01 USD")).unwrap();
    assert_eq!(shown, ["90000.00 USD", "0.01 USD"]);
}

#[test]
fn two_records_of_one_operation_count_as_the_one_that_holds_the_rest_back() {
    let plan = plan(vec![operation("a", "apply_credit", &[]), operation("b", "close_ticket", &[])]);
    let (_, key) = plan.keyed().next().unwrap();
    let started = |outcome| Started { key, outcome, result: None };
    for records in [[Outcome::Mismatch, Outcome::Verified], [Outcome::Verified, Outcome::Mismatch]] {
        let progress = Progress::new(&plan, &records.map(started));
        assert!(matches!(progress.next(&plan), Next::Stopped { outcome: Outcome::Mismatch, .. }));
    }
}

#[test]
fn a_role_that_is_excluded_never_counts_whatever_else_its_holder_holds() {
    let excluding = |case: &mut Case, asks: Vec<Requirement>| {
        let said = Ruling::asking(purple_policy::Authority::Operator, asks, "R-1");
        let rulings = case.plan.operations().iter().map(|one| (one.step.clone(), vec![said.clone()]));
        let approvals = Approvals { excluded: BTreeSet::from([role("cfo")]), ..careful() };
        case.ruling = judge(&case.plan, &rulings.collect(), &approvals).unwrap();
    };
    let dora = Case::new().decided(&["dora"]).with(|case| excluding(case, ask(&["ap_lead"])));
    assert_eq!(dora.not_counted(), [NotCounted::Excluded(person("dora"), role("cfo"))]);
    Case::new()
        .decided(&["dora", "anna"])
        .with(|case| excluding(case, ask(&["ap_lead"])))
        .granted_to(&["anna"]);
    // Standing in moves the task, and never lifts the exclusion.
    let through = Case::new().with(|case| {
        excluding(case, ask(&["ap_lead"]));
        let Directory::People(people) = &mut case.directory else { panic!("people are known here") };
        people.entry(person("emil")).or_default().stands_in_for.insert(person("dora"));
        case.decisions = vec![Decision { on_behalf_of: Some(person("dora")), ..yes(&case.plan, "emil") }];
    });
    assert_eq!(through.not_counted(), [NotCounted::Excluded(person("emil"), role("cfo"))]);
    // Not even the requester's own confirmation counts where their role is excluded.
    let requester = Case::new().decided(&["rita"]).with(|case| {
        excluding(case, vec![Requirement::requester()]);
        case.directory = directory(&[("rita", &["cfo"])]);
    });
    assert_eq!(requester.not_counted(), [NotCounted::Excluded(person("rita"), role("cfo"))]);
    // At one keyboard exclusions are recorded, not enforced.
    let keyboard = Case::new().decided(&["dora"]).with(|case| {
        excluding(case, ask(&["ap_lead"]));
        case.directory = Directory::Keyboard;
    });
    keyboard.granted_to(&["dora"]);
}

#[test]
fn an_order_of_another_task_grants_nothing() {
    let other = Request { text: Some("Please close case C-2"), confirmed: None };
    let refused = Case::new().with(|case| case.request = other).refused();
    assert_eq!(refused, GrantRefused::OtherOrder { step: step("a"), cause: OrderMismatch::OtherText });
    assert_eq!(
        refused.to_string(),
        "the order of `a` does not belong to this task: it was given for another text"
    );
    let missing = plan(vec![ordered("a", "create_order", &[], crate::order::Order::missing())]);
    let ruling = ruling(&missing, Verdict::Allow, Vec::new());
    assert_eq!(ruling.verdict(), Verdict::RequireApproval);
    let unanswered = Case { ruling, decisions: Vec::new(), plan: missing, ..Case::new() };
    assert!(matches!(unanswered.refused(), GrantRefused::TooFew { .. }));
}
