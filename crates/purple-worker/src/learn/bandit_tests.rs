use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const FREE: Permitted = Permitted::lawful(Reach::Reads);

/// UCB1 as the books have it: every reward kept, the mean moved step by step, the best found by looking at all.
#[derive(Default)]
struct Reference {
    arms: BTreeMap<&'static str, (f64, f64)>,
}

impl Reference {
    fn record(&mut self, arm: &'static str, reward: f64) {
        let (mean, tries) = self.arms.entry(arm).or_insert((0.0, 0.0));
        *tries += 1.0;
        *mean += (reward - *mean) / *tries;
    }

    fn choose(&self, lawful: &[&'static str]) -> &'static str {
        let all: f64 = self.arms.values().map(|(_, tries)| tries).sum();
        if all == 0.0 {
            return "fsm";
        }
        let score = |arm: &str| match self.arms.get(arm) {
            None => f64::INFINITY,
            Some((mean, tries)) => mean + 2.0_f64.sqrt() * (all.ln() / tries).sqrt(),
        };
        let mut sorted = lawful.to_vec();
        sorted.sort_unstable();
        let best = sorted.iter().map(|arm| score(arm)).fold(f64::NEG_INFINITY, f64::max);
        // The step-wise mean and the exact one differ in the last bits.
        sorted.into_iter().find(|arm| score(arm) >= best - 1e-9).unwrap()
    }
}

#[test]
fn the_first_visit_takes_fsm_and_then_each_other_way_by_name() {
    assert_eq!(choose(FREE, &[]), Arm::Fsm);
    assert_eq!(choose(Permitted::lawful(Reach::Writes), &[]), Arm::Fsm);
    let fsm = Tally::untried(Arm::Fsm).with(POINTS_MAX);
    assert_eq!(choose(FREE, &[fsm]), Arm::FivePhase);
    let five = Tally::untried(Arm::FivePhase).with(0);
    assert_eq!(choose(FREE, &[fsm, five]), Arm::Moa);
}

#[test]
fn of_equals_the_first_by_name_is_taken() {
    let equal: Vec<Tally> = Arm::ALL.into_iter().rev().map(|arm| Tally::untried(arm).with(5_000)).collect();
    assert_eq!(choose(FREE, &equal), Arm::FivePhase);
    assert_eq!(choose(FREE.without(Arm::FivePhase), &equal), Arm::Fsm);
}

#[test]
fn a_task_that_writes_never_runs_under_moa_however_good_it_was() {
    let writes = Permitted::lawful(Reach::Writes);
    assert!(!writes.contains(Arm::Moa));
    let tallies = [
        Tally { arm: Arm::Moa, tries: 1_000, points: 10_000_000 },
        Tally { arm: Arm::Fsm, tries: 1_000, points: 0 },
        Tally { arm: Arm::FivePhase, tries: 1_000, points: 0 },
    ];
    assert_eq!(choose(FREE, &tallies), Arm::Moa);
    assert_ne!(choose(writes, &tallies), Arm::Moa);
    assert_eq!(choose(Permitted::only_fsm(), &tallies), Arm::Fsm);
}

#[test]
fn fsm_cannot_be_taken_away_and_nothing_can_be_added() {
    let mut none = Permitted::lawful(Reach::Writes);
    for arm in Arm::ALL {
        none = none.without(arm);
    }
    assert_eq!(none.iter().collect::<Vec<_>>(), [Arm::Fsm]);
    assert_eq!(none, Permitted::only_fsm());
}

#[test]
fn it_converges_to_the_best_way() {
    for (best, worth) in [(Arm::Fsm, [3_000, 9_000, 4_000]), (Arm::Moa, [5_000, 2_000, 9_500])] {
        let mut tallies: Vec<Tally> = Vec::new();
        let rounds = 5_000_u64;
        for round in 0..rounds {
            let arm = choose(FREE, &tallies);
            let at = Arm::ALL.iter().position(|one| *one == arm).unwrap();
            // Some noise, the same each time.
            let noise = u16::try_from((round * 7_919) % 1_000).unwrap();
            tallies.push(Tally::untried(arm).with(u16::saturating_sub(worth[at], 500) + noise));
        }
        let tries = tally_of(best, &tallies).tries;
        assert!(tries > rounds * 9 / 10, "{best}: {tries} of {rounds}");
        for arm in Arm::ALL {
            assert!(tally_of(arm, &tallies).tries > 1, "{arm} is still tried now and then");
        }
    }
}

proptest! {
    #[test]
    fn it_chooses_as_the_reference_does(
        stream in prop::collection::vec((any::<bool>(), any::<bool>(), 0..=POINTS_MAX), 1..200),
    ) {
        let mut reference = Reference::default();
        let mut tallies: Vec<Tally> = Vec::new();
        for (writes, no_five, points) in stream {
            let mut permitted = Permitted::lawful(if writes { Reach::Writes } else { Reach::Reads });
            if no_five {
                permitted = permitted.without(Arm::FivePhase);
            }
            let lawful: Vec<&'static str> = permitted.iter().map(Arm::as_str).collect();
            let arm = choose(permitted, &tallies);
            prop_assert_eq!(arm.as_str(), reference.choose(&lawful));
            prop_assert!(permitted.contains(arm));
            reference.record(arm.as_str(), f64::from(points) / f64::from(POINTS_MAX));
            tallies.push(Tally::untried(arm).with(points));
        }
    }

    #[test]
    fn the_order_of_rewards_does_not_matter(
        mut rewards in prop::collection::vec((0..3_usize, 0..=POINTS_MAX), 0..60),
    ) {
        let tallies = |rewards: &[(usize, u16)]| -> Vec<Tally> {
            rewards.iter().map(|(at, points)| Tally::untried(Arm::ALL[*at]).with(*points)).collect()
        };
        let before = choose(FREE, &tallies(&rewards));
        rewards.reverse();
        prop_assert_eq!(choose(FREE, &tallies(&rewards)), before);
    }
}
