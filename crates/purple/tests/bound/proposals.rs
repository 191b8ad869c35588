//! What `purple process bind` proposes on catalogues with other words, held against what is right.

use std::collections::BTreeMap;

use purple_process::Effect;
use purple_worker::{BindingState, Manifest, Process, propose_bindings};

use crate::foreign::{Abroad, Style, abroad_in};
use crate::house::settings;

#[tokio::test]
async fn a_proposal_names_the_right_tool_or_none_and_says_why() {
    let (mut right, mut none, mut wrong) = (0, 0, Vec::new());
    for seed in 1..=3 {
        let Abroad { names, listing, .. } =
            abroad_in(Style::Plausible, seed, false, settings(), |_| None).await;
        for process in Process::shipped().unwrap() {
            for call in propose_bindings(&process.file, listing.clone(), &Manifest::default()) {
                let expected = names.tool(call.call.as_str());
                match &call.tool {
                    Some(id) if id.tool.as_str() == expected => right += 1,
                    Some(id) => wrong.push(format!("{} {}: {} ({})", seed, call.call, id.tool, call.reason)),
                    None => none += 1,
                }
                assert!(!call.reason.is_empty());
            }
        }
    }
    println!("right {right}, none {none}, wrong {}", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 2 * none, "right {right}, none {none}");
}

#[tokio::test]
async fn a_catalogue_that_says_nothing_is_not_guessed_at() {
    let Abroad { listing, .. } = abroad_in(Style::Opaque, 1, false, settings(), |_| None).await;
    for process in Process::shipped().unwrap() {
        let calls = propose_bindings(&process.file, listing.clone(), &Manifest::default());
        let proposed: Vec<_> = calls.iter().filter(|call| call.state != BindingState::None).collect();
        assert!(proposed.is_empty(), "{proposed:?}");
    }
}

#[tokio::test]
async fn parameters_and_fields_of_a_proposal_are_those_of_the_company() {
    let Abroad { names, listing, .. } = abroad_in(Style::Plausible, 1, false, settings(), |_| None).await;
    let mut states: BTreeMap<Effect, u32> = BTreeMap::new();
    for process in Process::shipped().unwrap() {
        for call in propose_bindings(&process.file, listing.clone(), &Manifest::default()) {
            if call.state != BindingState::Proposed {
                continue;
            }
            for (own, theirs) in &call.names {
                assert_eq!(*theirs, names.field(own), "{}: {own}", call.call);
            }
            *states.entry(call.effect).or_default() += 1;
        }
    }
    assert!(states.get(&Effect::Read).is_some_and(|count| *count > 3), "{states:?}");
}
