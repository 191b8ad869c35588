use super::*;

use State::{
    ApprovalGate as G, Assess as A, Complete as K, Compute as C, Decompose as D, Escalate as E, Failed as F,
    Mutate as M, PolicyCheck as P, ScheduleNotify as N,
};

#[track_caller]
fn refused(states: &[State], message: &str) {
    let error = Route::parse(states).unwrap_err();
    assert_eq!(error.to_string(), format!("the route is not lawful: {message}"));
}

#[test]
fn a_route_that_is_not_lawful_is_rejected_with_every_reason() {
    refused(&[], "it must start at DECOMPOSE; it must end at COMPLETE");
    refused(&[D], "it must end at COMPLETE");
    refused(&[A, K], "it must start at DECOMPOSE");
    refused(&[D, M, K], "MUTATE needs ASSESS before it; MUTATE needs POLICY_CHECK before it");
    refused(&[D, P, M, K], "MUTATE needs ASSESS before it");
    refused(&[D, A, M, K], "MUTATE needs POLICY_CHECK before it");
    refused(&[D, A, M, P, K], "MUTATE cannot come before POLICY_CHECK");
    refused(&[D, P, A, M, K], "POLICY_CHECK cannot come before ASSESS");
    refused(&[D, A, A, K], "ASSESS comes twice");
    refused(&[D, A, K, A, K], "ASSESS comes twice; COMPLETE comes twice; COMPLETE cannot come before ASSESS");
    refused(&[D, A, G, K], "APPROVAL_GATE needs POLICY_CHECK before it");
    refused(&[D, A, N, K], "SCHEDULE_NOTIFY needs POLICY_CHECK before it");
    refused(
        &[D, E, F, K],
        "ESCALATE is an ending and cannot be named on a route; FAILED is an ending and cannot be named on a route; \
         FAILED cannot come before COMPLETE",
    );
    refused(
        &[K, D],
        "it must start at DECOMPOSE; it must end at COMPLETE; COMPLETE cannot come before DECOMPOSE",
    );
}

#[test]
fn every_flaw_has_help() {
    let flaws = [
        RouteFlaw::WrongStart,
        RouteFlaw::WrongEnd,
        RouteFlaw::Ending { state: E },
        RouteFlaw::Twice { state: A },
        RouteFlaw::Order { later: M, earlier: P },
        RouteFlaw::Without { state: M, before: P },
    ];
    let help: std::collections::BTreeSet<&str> = flaws.iter().map(RouteFlaw::help).collect();
    assert_eq!(help.len(), flaws.len());
}

#[test]
fn a_question_looks_up_and_works_out_if_need_be() {
    assert_eq!(Route::question(Arithmetic::None).states(), [D, A, K]);
    assert_eq!(Route::question(Arithmetic::Needed).states(), [D, A, C, K]);
    for arithmetic in [Arithmetic::None, Arithmetic::Needed] {
        let route = Route::question(arithmetic);
        assert_eq!(Route::parse(route.states()), Ok(route));
    }
}

#[test]
fn operations_are_proposed_in_the_last_state_before_the_check() {
    for (states, expected) in [
        (&[D, A, C, P, M, K][..], Some(C)),
        (&[D, A, P, M, K], Some(A)),
        (&[D, P, K], Some(D)),
        (&[D, A, K], None),
    ] {
        assert_eq!(Route::parse(states).unwrap().proposes_in(), expected);
    }
}

#[test]
fn a_stored_route_is_checked_when_read() {
    let route = Route::parse(&[D, A, P, M, K]).unwrap();
    let stored = serde_json::to_string(&route).unwrap();
    assert_eq!(stored, r#"["DECOMPOSE","ASSESS","POLICY_CHECK","MUTATE","COMPLETE"]"#);
    assert_eq!(serde_json::from_str::<Route>(&stored).unwrap(), route);
    for bad in [r#"["DECOMPOSE","MUTATE","COMPLETE"]"#, r#"["decompose","COMPLETE"]"#, "[]", "\"DK\""] {
        assert!(serde_json::from_str::<Route>(bad).is_err(), "{bad}");
    }
    assert_eq!(route.to_string(), "DECOMPOSE → ASSESS → POLICY_CHECK → MUTATE → COMPLETE");
    assert!(route.visits(M) && !route.visits(C));
}

#[test]
fn the_next_stop_is_the_state_itself_or_the_first_after_it() {
    let route = Route::parse(&[D, A, P, M, K]).unwrap();
    for (target, stop) in [(D, D), (A, A), (C, P), (P, P), (G, M), (M, M), (N, K), (K, K)] {
        assert_eq!(route.at_or_after(target), stop);
    }
}
