use proptest::prelude::*;

use super::*;

fn good() -> Evidence {
    Evidence {
        answer: "Credit of 1,020.00 USD applied and verified.".to_owned(),
        form: Form::Prose,
        end: End::Decided,
        wanted: Wanted::Deed,
        fields: Fields { present: 4, missing: 0 },
        mutations: Mutations { verified: 2, ..Mutations::default() },
        calls: Calls { total: 6, ..Calls::default() },
        policy: Policy::Passed,
        people: People::NotAsked,
        effects: Effects::AsOrdered,
    }
}

#[test]
fn what_nobody_ordered_counts_for_nothing_whoever_approved_it() {
    for people in [People::NotAsked, People::ApprovedUnchanged, People::Edited, People::Rejected] {
        let score = score(&Evidence { effects: Effects::NotOrdered, people, ..good() }).unwrap();
        assert_eq!((score.points(), score.policy.to_string()), (0, "0".to_owned()), "{people:?}");
        assert!(score.explain().concat().contains("not in the request"), "{:?}", score.explain());
    }
}

fn total(evidence: &Evidence) -> String {
    score(evidence).unwrap().total.to_string()
}

#[test]
fn the_parts_weigh_as_the_formula_says() {
    assert_eq!(total(&good()), "1");
    let cases = [
        (Evidence { policy: Policy::NotApplicable, ..good() }, "0.85"),
        (Evidence { policy: Policy::Failed, ..good() }, "0.7"),
        (Evidence { answer: "  ".to_owned(), ..good() }, "0.65"),
        (Evidence { fields: Fields { present: 1, missing: 3 }, ..good() }, "0.8688"),
        (Evidence { answer: "Something happened.".to_owned(), ..good() }, "1"),
        (
            Evidence { answer: "Something happened.".to_owned(), mutations: Mutations::default(), ..good() },
            "0.895",
        ),
        (Evidence { answer: "Done, but an error occurred.".to_owned(), ..good() }, "0.93"),
        (Evidence { end: End::GaveUp, ..good() }, "0.65"),
        (Evidence { calls: Calls { total: 4, failed: 1, repeated: 1, empty: 0 }, ..good() }, "0.93"),
        (
            Evidence {
                mutations: Mutations { verified: 1, unverifiable: 1, ..Mutations::default() },
                ..good()
            },
            "0.9475",
        ),
        (
            Evidence {
                mutations: Mutations::default(),
                calls: Calls { total: 4, empty: 4, ..Calls::default() },
                ..good()
            },
            "0.65",
        ),
        (
            Evidence {
                answer: "42".to_owned(),
                form: Form::Exact,
                fields: Fields { present: 0, missing: 3 },
                ..good()
            },
            "1",
        ),
    ];
    for (evidence, expected) in cases {
        assert_eq!(total(&evidence), expected, "{evidence:?}");
    }
}

#[test]
fn what_was_not_asked_for_and_not_tried_earns_nothing() {
    let none = Evidence { fields: Fields::default(), ..good() };
    assert_eq!(total(&none), "1", "the other parts carry its weight");
    let silent = Evidence {
        answer: "Something happened.".to_owned(),
        mutations: Mutations::default(),
        ..none.clone()
    };
    assert_eq!(total(&silent), "0.79", "0.35 × 0.4 (only no error) + 0.35 + 0.30");
    assert_eq!(total(&Evidence { wanted: Wanted::Words, ..silent }), "1", "a question decides nothing");
    let idle = Evidence { mutations: Mutations::default(), calls: Calls::default(), ..none };
    assert_eq!(total(&idle), "0.825", "no call is no evidence of good calls");
    let gave_up = Evidence { end: End::GaveUp, policy: Policy::NotApplicable, ..idle };
    assert_eq!(total(&gave_up), "0.325", "below what is kept for recall");
    assert_eq!(total(&Evidence { policy: Policy::Failed, ..gave_up }), "0.175");
}

#[test]
fn what_people_did_moves_the_score_most() {
    let poor = Evidence {
        answer: "error: unable to".to_owned(),
        calls: Calls { total: 4, failed: 4, ..Calls::default() },
        ..good()
    };
    assert_eq!(total(&Evidence { people: People::ApprovedUnchanged, ..poor }), "1");
    assert_eq!(total(&Evidence { people: People::Edited, ..good() }), "0.475");
    assert_eq!(total(&Evidence { people: People::Rejected, ..good() }), "0.3");
    let absent = Mutations { absent: 1, ..Mutations::default() };
    let undone = Evidence {
        people: People::ApprovedUnchanged,
        mutations: absent,
        end: End::GaveUp,
        policy: Policy::Failed,
        ..good()
    };
    assert_eq!(total(&undone), "0.14", "an approval of what did not happen: 0.35 × 0.4 for the calls");
    assert_eq!(total(&Evidence { end: End::Decided, mutations: Mutations::default(), ..undone }), "0.7");
    let otherwise = Mutations { verified: 5, mismatched: 1, ..Mutations::default() };
    assert_eq!(total(&Evidence { mutations: otherwise, people: People::ApprovedUnchanged, ..good() }), "0.3");
}

#[test]
fn each_part_is_explained() {
    let lines = score(&Evidence { people: People::Edited, ..good() }).unwrap().explain();
    assert_eq!(
        lines,
        [
            "quality 0.475 = 0.35 × 0.25 (answer) + 0.35 × 0.25 (tools) + 0.30 × 1 (policy)",
            "answer: 4 of 4 required fields",
            "answer: says what was decided or done",
            "answer: speaks of no error",
            "tools: 6 calls, of which 0 failed, 0 repeated, 0 empty",
            "tools: 2 of 2 writes verified, 0 unverifiable, 0 otherwise, 0 absent",
            "people: edited, so answer and tools count for a quarter at most",
            "policy: passed",
        ]
    );
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let people = prop::sample::select(vec![
        People::NotAsked,
        People::ApprovedUnchanged,
        People::Edited,
        People::Rejected,
    ]);
    let policy = prop::sample::select(vec![Policy::Passed, Policy::NotApplicable, Policy::Failed]);
    let counts = prop::array::uniform9(prop_oneof![0_u32..5, any::<u32>()]);
    (prop::sample::select(vec!["", "done", "error: no", "text"]), people, policy, counts).prop_map(
        |(answer, people, policy, [a, b, c, d, e, f, g, h, i])| Evidence {
            answer: answer.to_owned(),
            form: Form::Prose,
            end: End::Decided,
            wanted: Wanted::Deed,
            fields: Fields { present: a, missing: b },
            mutations: Mutations { verified: c, unverifiable: d, mismatched: e, absent: a % 3 },
            calls: Calls { total: f, failed: g, repeated: h, empty: i },
            policy,
            people,
            effects: Effects::AsOrdered,
        },
    )
}

proptest! {
    #[test]
    fn a_score_is_between_nought_and_one(evidence in evidence()) {
        let score = score(&evidence).unwrap();
        for part in [&score.total, &score.answer, &score.tools, &score.policy] {
            prop_assert!(!part.is_negative() && *part <= Exact::ONE, "{:?}", score);
        }
    }

    #[test]
    fn a_longer_answer_and_more_calls_are_not_better(evidence in evidence(), more in 0_u32..1000) {
        let longer = Evidence { answer: format!("{}{}", evidence.answer, " ".repeat(more as usize)), ..evidence.clone() };
        prop_assert_eq!(score(&longer).unwrap().total, score(&evidence).unwrap().total);
        let clean = Evidence { calls: Calls { total: 1, ..Calls::default() }, ..evidence };
        let busier = Evidence { calls: Calls { total: 1 + more, ..Calls::default() }, ..clean.clone() };
        prop_assert_eq!(score(&busier).unwrap().total, score(&clean).unwrap().total);
    }
}

#[test]
fn a_write_that_did_not_happen_is_not_proven() {
    let absent = Mutations { verified: 1, absent: 1, ..Mutations::default() };
    assert_eq!(total(&Evidence { mutations: absent, ..good() }), "0.895");
}

#[test]
fn what_was_undone_keeps_only_what_its_rules_were_worth() {
    for (policy, expected) in [("1", 3_000), ("0.5", 1_500), ("0", 0)] {
        let score = undone(&Exact::parse(policy).unwrap()).unwrap();
        assert_eq!(score.points(), expected, "{policy}");
        assert_eq!(score.explain().last().unwrap(), "people: undone, so answer and tools count for nothing");
    }
}

#[test]
fn points_are_the_total_in_ten_thousandths() {
    assert_eq!(score(&good()).unwrap().points(), 10_000);
    let fields = Fields { present: 1, missing: 3 };
    assert_eq!(score(&Evidence { fields, ..good() }).unwrap().points(), 8_688);
}

#[test]
fn what_is_said_is_said_in_whole_words() {
    let told = |answer: &str| {
        let evidence = Evidence { answer: answer.to_owned(), mutations: Mutations::default(), ..good() };
        let reasons = score(&evidence).unwrap().reasons;
        let holds = |words: &str| reasons.iter().any(|line| line.contains(words));
        (holds("says what was decided"), holds("speaks of an error"))
    };
    for open in ["The invoice is unpaid.", "Kim is absent.", "It was abandoned.", "Nothing is subtotalled."] {
        assert_eq!(told(open), (false, false), "{open}");
    }
    for said in ["The invoice is paid.", "Sent!", "(done)", "The totals: 4.", "Nobody reads it: no change"] {
        assert_eq!(told(said), (true, false), "{said}");
    }
    assert_eq!(told("An exceptional month, paid."), (true, false));
    for wrong in
        ["Paid, with one exception.", "paid; ERROR: timeout", "error:timeout, paid", "Paid. I couldn't tell."]
    {
        assert_eq!(told(wrong), (true, true), "{wrong}");
    }
}
