use std::num::NonZeroU8;

use super::*;
use crate::fixture::{operation, plan, role, step};
use crate::people::Who;

fn approvals(mode: Mode, attendance: Attendance) -> Approvals {
    Approvals {
        mode,
        attendance,
        own_requests: OwnRequests::Never,
        excluded: BTreeSet::new(),
        fallback: role("owner"),
    }
}

fn ruling(authority: Authority, verdict: Verdict, asks: &[&str]) -> Ruling {
    let asks: Vec<Requirement> = asks.iter().map(|name| Requirement::role(role(name))).collect();
    let unnamed = asks.is_empty() && verdict == Verdict::RequireApproval;
    Ruling {
        authority,
        verdict,
        asks,
        unnamed,
        because: format!("{authority:?} {verdict}"),
        rules: Vec::new(),
    }
}

fn judge_with(said: &[Ruling], approvals: &Approvals) -> OperationRuling {
    let plan = plan(vec![operation("a", "create_order", &[])]);
    let ruling = judge(&plan, &BTreeMap::from([(step("a"), said.to_vec())]), approvals).unwrap();
    assert_eq!(ruling.plan(), plan.hash());
    assert_eq!(ruling.verdict(), ruling.operations()[0].verdict);
    assert_eq!(ruling.requirements(), ruling.operations()[0].requirements);
    ruling.operations()[0].clone()
}

/// What the design says, written a second time and differently.
fn expected(said: &[(Authority, Option<Verdict>)], mode: Mode, attendance: Attendance) -> Verdict {
    let strictest = said
        .iter()
        .filter(|(authority, verdict)| {
            !(*authority == Authority::Request && *verdict == Some(Verdict::Allow))
        })
        .filter_map(|(_, verdict)| *verdict)
        .max();
    let verdict = match strictest {
        Some(Verdict::Block) => Verdict::Block,
        Some(Verdict::Escalate) => Verdict::Escalate,
        Some(Verdict::RequireApproval) => Verdict::RequireApproval,
        Some(Verdict::Allow) if mode == Mode::Always => Verdict::RequireApproval,
        Some(Verdict::Allow) => Verdict::Allow,
        None if mode == Mode::Permissive => Verdict::Allow,
        None => Verdict::RequireApproval,
    };
    if verdict == Verdict::RequireApproval && attendance == Attendance::Unattended {
        Verdict::Escalate
    } else {
        verdict
    }
}

#[test]
fn every_combination_of_sources_mode_and_attendance_has_its_verdict() {
    let verdicts = [
        None,
        Some(Verdict::Allow),
        Some(Verdict::RequireApproval),
        Some(Verdict::Escalate),
        Some(Verdict::Block),
    ];
    let mut walked = 0;
    for operator in verdicts {
        for process in verdicts {
            for request in verdicts {
                for mode in Mode::ALL {
                    for attendance in [Attendance::Attended, Attendance::Unattended] {
                        let said = [
                            (Authority::Operator, operator),
                            (Authority::Process, process),
                            (Authority::Request, request),
                        ];
                        let rulings: Vec<Ruling> = said
                            .iter()
                            .filter_map(|(authority, verdict)| Some(ruling(*authority, (*verdict)?, &[])))
                            .collect();
                        let found = judge_with(&rulings, &approvals(mode, attendance));
                        assert_eq!(
                            found.verdict,
                            expected(&said, mode, attendance),
                            "{said:?} {mode} {attendance:?}"
                        );
                        let asks = found.verdict == Verdict::RequireApproval;
                        assert_eq!(!found.requirements.is_empty(), asks);
                        assert!(!found.reasons.is_empty());
                        walked += 1;
                    }
                }
            }
        }
    }
    assert_eq!(walked, 750);
}

#[test]
fn a_request_can_only_make_the_mode_stricter() {
    for operator in Mode::ALL {
        for requested in Mode::ALL {
            let tightened = approvals(operator, Attendance::Attended).tightened(requested);
            assert_eq!(tightened.mode, operator.max(requested));
            assert!(tightened.mode >= operator);
        }
    }
    assert!(Mode::ALL.is_sorted());
}

#[test]
fn whom_to_ask_comes_from_the_rules_that_ask() {
    let careful = approvals(Mode::Careful, Attendance::Attended);
    let asked = |said: &[Ruling]| judge_with(said, &careful).requirements;
    let roles = |names: &[&str]| names.iter().map(|name| Requirement::role(role(name))).collect::<Vec<_>>();
    assert_eq!(asked(&[]), roles(&["owner"]));
    assert_eq!(asked(&[ruling(Authority::Operator, Verdict::RequireApproval, &[])]), roles(&["owner"]));
    assert_eq!(
        asked(&[
            ruling(Authority::Operator, Verdict::RequireApproval, &["cfo"]),
            ruling(Authority::Process, Verdict::RequireApproval, &["ap_lead", "cfo"]),
            ruling(Authority::Process, Verdict::Allow, &["nobody_asks_here"]),
            ruling(Authority::Request, Verdict::RequireApproval, &["manager"]),
        ]),
        roles(&["ap_lead", "cfo", "manager"])
    );
}

#[test]
fn a_plan_takes_its_strictest_operation_and_all_requirements() {
    let plan = plan(vec![
        operation("a", "create_order", &[]),
        operation("b", "close_case", &[]),
        operation("c", "notify_team", &[]),
    ]);
    let two = NonZeroU8::new(2).unwrap();
    let mut twice = ruling(Authority::Process, Verdict::RequireApproval, &["cfo"]);
    twice.asks = twice.asks.into_iter().map(|requirement| requirement.by(two)).collect();
    let said = |third: Verdict| {
        BTreeMap::from([
            (step("a"), vec![ruling(Authority::Operator, Verdict::RequireApproval, &["cfo"])]),
            (step("b"), vec![twice.clone()]),
            (step("c"), vec![ruling(Authority::Operator, third, &["legal"])]),
        ])
    };
    let careful = approvals(Mode::Careful, Attendance::Attended);
    let judged = judge(&plan, &said(Verdict::Allow), &careful).unwrap();
    assert_eq!(judged.verdict(), Verdict::RequireApproval);
    assert_eq!(judged.requirements(), [Requirement::role(role("cfo")).by(two)]);
    let verdicts: Vec<Verdict> = judged.operations().iter().map(|ruling| ruling.verdict).collect();
    assert_eq!(verdicts, [Verdict::RequireApproval, Verdict::RequireApproval, Verdict::Allow]);
    assert_eq!(judge(&plan, &said(Verdict::Block), &careful).unwrap().verdict(), Verdict::Block);
    assert_eq!(judge(&plan, &said(Verdict::Escalate), &careful).unwrap().verdict(), Verdict::Escalate);
    let all = judge(&plan, &said(Verdict::RequireApproval), &careful).unwrap();
    assert_eq!(all.requirements().len(), 2);
    assert_eq!((judged.mode(), judged.own_requests()), (Mode::Careful, OwnRequests::Never));
}

#[test]
fn an_empty_plan_is_allowed_in_every_mode() {
    for mode in Mode::ALL {
        let ruling = judge(&plan(vec![]), &BTreeMap::new(), &approvals(mode, Attendance::Attended)).unwrap();
        assert_eq!((ruling.verdict(), ruling.requirements().len()), (Verdict::Allow, 0));
        assert_eq!(ruling.shape(), Shape::Empty);
    }
}

#[test]
fn an_operation_that_was_put_to_nobody_is_not_judged() {
    let plan = plan(vec![operation("a", "create_order", &[])]);
    let careful = approvals(Mode::Permissive, Attendance::Attended);
    let missing = judge(&plan, &BTreeMap::new(), &careful);
    assert_eq!(missing, Err(Unjudged::NotAsked { step: step("a") }));
    let foreign = BTreeMap::from([(step("a"), vec![]), (step("b"), vec![])]);
    assert_eq!(judge(&plan, &foreign, &careful), Err(Unjudged::NotOnPlan { step: step("b") }));
}

#[test]
fn reasons_come_strictest_first_and_name_the_mode_that_decided() {
    let careful = approvals(Mode::Careful, Attendance::Unattended);
    let found = judge_with(
        &[
            ruling(Authority::Operator, Verdict::Allow, &[]),
            ruling(Authority::Process, Verdict::RequireApproval, &[]),
            ruling(Authority::Request, Verdict::Allow, &[]),
        ],
        &careful,
    );
    assert_eq!(found.reasons, ["Process require_approval", "Operator allow", "nobody is there to be asked"]);
    let found = judge_with(&[], &approvals(Mode::Permissive, Attendance::Attended));
    assert_eq!(found.reasons, ["in mode `permissive` what no rule forbids runs"]);
}

#[test]
fn a_call_in_mutate_is_answered_at_once() {
    use EarlierInTurn::{Captured, NothingCaptured};
    let plan = plan(vec![operation("a", "create_order", &[])]);
    let at_once = |verdict, before| {
        let said = BTreeMap::from([(step("a"), vec![ruling(Authority::Operator, verdict, &[])])]);
        judge(&plan, &said, &approvals(Mode::Careful, Attendance::Attended)).unwrap().at_once(before)
    };
    for (verdict, free, after_capture) in [
        (Verdict::Allow, AtOnce::Run, AtOnce::Capture),
        (Verdict::RequireApproval, AtOnce::Capture, AtOnce::Capture),
        (Verdict::Escalate, AtOnce::End, AtOnce::End),
        (Verdict::Block, AtOnce::Refuse, AtOnce::Refuse),
    ] {
        assert_eq!((at_once(verdict, NothingCaptured), at_once(verdict, Captured)), (free, after_capture));
    }
}

#[test]
fn a_level_is_a_role_and_a_confirmation_may_come_from_the_requester() {
    for level in Level::ALL {
        assert_eq!(Levels::default().role(level), Some(role(level.as_str())));
    }
    let confirmation = Requirement::confirmation(role("owner"));
    assert_eq!(confirmation.anyone_of, [Who::Requester, Who::Role(role("owner"))].into());
    assert_eq!(confirmation.to_string(), "1 × owner or the requester");
}

#[test]
fn a_policy_document_becomes_a_ruling_where_a_rule_fires() {
    let text = r#"{"rules": [
        {"id": "R-1", "condition": "amount > 100", "action": "require_approval", "level": "cfo"},
        {"id": "R-2", "condition": "amount > 100", "action": "require_approval"},
        {"id": "R-3", "condition": "amount > 10", "action": "allow"},
        {"id": "R-4", "condition": "amount > 1000", "action": "block", "level": "legal"}
    ]}"#;
    let document = purple_policy::PolicyDocument::parse(text, Authority::Operator).unwrap();
    let said = |amount: i64| {
        let mut facts = purple_policy::Facts::new();
        facts.set(purple_policy::Source::Argument, "amount", purple_policy::Value::Number(amount.into()));
        Ruling::of(&document.bind(&facts).judge(&purple_policy::Subject::default()), &Levels::default())
    };
    assert_eq!(said(5), None);
    let allowed = said(50).unwrap();
    assert_eq!((allowed.verdict, allowed.asks.len()), (Verdict::Allow, 0));
    assert_eq!(allowed.because, "R-3: amount (50) > 10");
    let asked = said(500).unwrap();
    assert_eq!((asked.verdict, asked.asks), (Verdict::RequireApproval, vec![Requirement::role(role("cfo"))]));
    let blocked = said(5_000).unwrap();
    assert_eq!((blocked.verdict, blocked.authority), (Verdict::Block, Authority::Operator));
}

#[test]
fn a_mode_has_one_name() {
    assert_eq!(Mode::ALL.map(|mode| mode.to_string()), ["permissive", "careful", "always"]);
    for mode in Mode::ALL {
        assert_eq!(serde_json::to_string(&mode).unwrap(), format!("\"{mode}\""));
    }
}

#[test]
fn a_ruling_shows_what_it_says() {
    let asks = vec![Requirement::role(role("cfo"))];
    let ruling = Ruling::asking(Authority::Process, asks.clone(), "AP-3");
    assert_eq!((ruling.authority(), ruling.verdict()), (Authority::Process, Verdict::RequireApproval));
    assert_eq!((ruling.asks(), ruling.because()), (asks.as_slice(), "AP-3"));
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    fn any_ruling() -> impl Strategy<Value = Ruling> {
        let authority =
            prop::sample::select(&[Authority::Operator, Authority::Process, Authority::Request][..]);
        (authority, prop::sample::select(&Verdict::ALL[..]))
            .prop_map(|(authority, verdict)| ruling(authority, verdict, &[]))
    }

    proptest! {
        #[test]
        fn one_more_ruling_that_does_not_allow_never_weakens_the_verdict(
            said in prop::collection::vec(any_ruling(), 0..5),
            more in any_ruling(),
            mode in prop::sample::select(&Mode::ALL[..]),
        ) {
            let approvals = approvals(mode, Attendance::Attended);
            let before = judge_with(&said, &approvals).verdict;
            let mut longer = said.clone();
            longer.push(more.clone());
            let after = judge_with(&longer, &approvals).verdict;
            if more.verdict > Verdict::Allow || more.authority == Authority::Request {
                // In `permissive` and `careful` a ruling can take the place of the mode's.
                prop_assert!(after >= before || said.iter().all(|ruling| ruling.authority == Authority::Request && ruling.verdict == Verdict::Allow), "{before} {after}");
                prop_assert!(after >= more.verdict);
            }
        }

        #[test]
        fn a_stricter_mode_never_weakens_the_verdict(said in prop::collection::vec(any_ruling(), 0..5)) {
            let verdict = |mode| judge_with(&said, &approvals(mode, Attendance::Attended)).verdict;
            prop_assert!(verdict(Mode::Permissive) <= verdict(Mode::Careful));
            prop_assert!(verdict(Mode::Careful) <= verdict(Mode::Always));
        }
    }
}

/// Law 7 for people: whoever is asked without the request's rules is asked with them too.
#[test]
fn a_request_adds_people_and_never_replaces_them() {
    let own = [
        vec![],
        vec![ruling(Authority::Operator, Verdict::Allow, &[])],
        vec![ruling(Authority::Operator, Verdict::RequireApproval, &[])],
        vec![ruling(Authority::Process, Verdict::RequireApproval, &["controller"])],
    ];
    let requests = [
        ruling(Authority::Request, Verdict::Allow, &[]),
        ruling(Authority::Request, Verdict::RequireApproval, &[]),
        ruling(Authority::Request, Verdict::RequireApproval, &["clerk"]),
        Ruling::asking(Authority::Request, vec![Requirement::requester()], "the request says so"),
    ];
    let mut walked = 0;
    for mode in Mode::ALL {
        let approvals = approvals(mode, Attendance::Attended);
        for said in &own {
            let without = judge_with(said, &approvals);
            for request in &requests {
                let with = judge_with(&[said.clone(), vec![request.clone()]].concat(), &approvals);
                assert!(with.verdict >= without.verdict);
                let kept = without.requirements.iter().all(|one| with.requirements.contains(one));
                assert!(kept, "{mode}: {:?} became {:?}", without.requirements, with.requirements);
                walked += 1;
            }
        }
    }
    assert_eq!(walked, 48);
}

#[test]
fn the_highest_level_among_the_rules_that_ask_decides_in_the_role_that_the_operator_gave_it() {
    let text = r#"{"rules": [
        {"id": "R-1", "condition": "true", "action": "require_approval", "level": "manager"},
        {"id": "R-2", "condition": "true", "action": "require_approval", "level": "cfo"},
        {"id": "R-3", "condition": "true", "action": "require_approval", "level": "finance"}
    ]}"#;
    let document = purple_policy::PolicyDocument::parse(text, Authority::Operator).unwrap();
    let judged = document.bind(&purple_policy::Facts::new()).judge(&purple_policy::Subject::default());
    let set = Levels::new([(Level::Cfo, role("chief_accountant"))]);
    for (levels, asked) in [(Levels::default(), "cfo"), (set, "chief_accountant")] {
        assert_eq!(Ruling::of(&judged, &levels).unwrap().asks, [Requirement::role(role(asked))]);
    }
}

#[test]
fn a_rule_that_names_nobody_asks_the_owner_beside_those_who_are_named() {
    let text = r#"{"rules": [
        {"id": "R-1", "condition": "true", "action": "require_approval"},
        {"id": "R-2", "condition": "true", "action": "require_approval", "level": "manager"}
    ]}"#;
    let document = purple_policy::PolicyDocument::parse(text, Authority::Operator).unwrap();
    let judged = document.bind(&purple_policy::Facts::new()).judge(&purple_policy::Subject::default());
    let said = [Ruling::of(&judged, &Levels::default()).unwrap()];
    let judged = judge_with(&said, &approvals(Mode::Careful, Attendance::Attended));
    assert_eq!(judged.requirements, [Requirement::role(role("manager")), Requirement::role(role("owner"))]);
}

#[test]
fn a_confirmation_that_must_come_first_is_asked_of_the_requester_and_of_the_level_that_its_rule_names() {
    let requirements = |level: &str| {
        let text = format!(
            r#"{{"rules": [{{"tool": "modify_order_items", "require_before": "confirm_with_user"{level}}}]}}"#
        );
        let document = purple_policy::PolicyDocument::parse(&text, Authority::Operator).unwrap();
        let subject = purple_policy::Subject {
            tool: Some("modify_order_items"),
            approval_tools: &["confirm_with_user"],
            ..purple_policy::Subject::default()
        };
        let judged = document.bind(&purple_policy::Facts::new()).judge(&subject);
        let said = [Ruling::of(&judged, &Levels::default()).unwrap()];
        let judged = judge_with(&said, &approvals(Mode::Careful, Attendance::Attended));
        assert_eq!(judged.verdict, Verdict::RequireApproval);
        judged.requirements
    };
    assert_eq!(requirements(""), [Requirement::requester()]);
    assert_eq!(
        requirements(r#", "level": "cfo""#),
        [Requirement::role(role("cfo")), Requirement::requester()]
    );
}

#[test]
fn what_nobody_asked_for_needs_a_person_in_every_mode_and_under_every_rule() {
    let missing = crate::fixture::ordered("a", "create_order", &[], crate::order::Order::missing());
    let plan = plan(vec![missing]);
    let verdicts = [None, Some(Verdict::Allow), Some(Verdict::RequireApproval), Some(Verdict::Block)];
    for mode in Mode::ALL {
        for verdict in verdicts {
            let said: Vec<Ruling> =
                verdict.map(|verdict| ruling(Authority::Operator, verdict, &[])).into_iter().collect();
            let rulings = BTreeMap::from([(step("a"), said)]);
            let attended = judge(&plan, &rulings, &approvals(mode, Attendance::Attended)).unwrap();
            let expected = verdict.unwrap_or(Verdict::Allow).max(Verdict::RequireApproval);
            assert_eq!(attended.verdict(), expected, "{mode:?} {verdict:?}");
            if expected == Verdict::RequireApproval {
                assert_eq!(attended.requirements(), [Requirement::role(role("owner"))]);
            }
            assert_eq!(attended.operations()[0].reasons[0], NOT_IN_THE_REQUEST);
            let unattended = judge(&plan, &rulings, &approvals(mode, Attendance::Unattended)).unwrap();
            assert_eq!(unattended.verdict(), expected.max(Verdict::Escalate));
        }
    }
}

#[test]
fn a_rule_names_who_decides_about_what_nobody_asked_for_and_a_request_does_not() {
    let plan = plan(vec![crate::fixture::ordered("a", "create_order", &[], crate::order::Order::missing())]);
    let asked = |authority| {
        let rulings =
            BTreeMap::from([(step("a"), vec![ruling(authority, Verdict::RequireApproval, &["lead"])])]);
        let ruling = judge(&plan, &rulings, &approvals(Mode::Permissive, Attendance::Attended)).unwrap();
        ruling.requirements().to_vec()
    };
    let (lead, owner) = (Requirement::role(role("lead")), Requirement::role(role("owner")));
    assert_eq!(asked(Authority::Operator), std::slice::from_ref(&lead));
    assert_eq!(asked(Authority::Request), [lead, owner]);
}
