//! Ways to attempt a task: chosen by what was learned, lawful by the route, and the same powers under each.

use std::sync::{Arc, Mutex};

use purple_journal::record::{learning, model, process};
use purple_journal::word::Tier;
use purple_process::Ending;
use purple_testkit::{Brain, Recollection, records};
use purple_worker::learn::bandit::{Arm, Tally};
use purple_worker::port::{Message, ModelReply, ModelRequest};

use crate::shop::{DESK, Ended, Place, QUESTION, Setting, TASK, alone_with, teller};

/// A model that answers as it is written down, and remembers what it was asked.
struct Answering {
    answers: Mutex<Vec<&'static str>>,
    asked: Mutex<Vec<ModelRequest>>,
}

fn answering(answers: &[&'static str]) -> Arc<Answering> {
    let answers = Mutex::new(answers.iter().rev().copied().collect());
    Arc::new(Answering { answers, asked: Mutex::default() })
}

impl Answering {
    /// The last words to the model, of every question in which nothing is offered and no form is asked for.
    fn told(&self) -> Vec<(Option<u16>, String)> {
        let asked = self.asked.lock().unwrap();
        let plain = asked.iter().filter(|request| is_answer(request));
        plain.map(|request| (request.sampling.top_p_thousandths, last_words(request))).collect()
    }

    fn openings(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let users = asked.iter().flat_map(|request| &request.messages).filter_map(|message| match message {
            Message::User { text } if text.starts_with("State ") => Some(text.clone()),
            _ => None,
        });
        let mut openings: Vec<String> = Vec::new();
        for text in users {
            if !openings.contains(&text) {
                openings.push(text);
            }
        }
        openings
    }
}

fn is_answer(request: &ModelRequest) -> bool {
    request.tools.is_empty() && request.output_schema.is_none()
}

fn last_words(request: &ModelRequest) -> String {
    match request.messages.last() {
        Some(Message::User { text } | Message::System { text } | Message::Assistant { text, .. }) => {
            text.clone()
        }
        Some(Message::Tool { content, .. }) => content.clone(),
        None => String::new(),
    }
}

impl Brain for Answering {
    fn reply(&self, request: &ModelRequest) -> ModelReply {
        self.asked.lock().unwrap().push(request.clone());
        if is_answer(request) {
            return ModelReply::text(self.answers.lock().unwrap().pop().unwrap_or("It is done."));
        }
        teller(Place::Beside, "", "85.00 USD").reply(request)
    }
}

/// What was learned so far makes this arm the next one.
fn taught(arm: Arm) -> Recollection {
    let tally = |one: Arm| Tally { arm: one, tries: 50, points: if one == arm { 500_000 } else { 0 } };
    Recollection { tallies: Arm::ALL.map(tally).to_vec(), ..Recollection::default() }
}

fn attempt(brain: &Arc<Answering>, task: &'static str, memory: Recollection) -> Ended {
    alone_with(brain.clone(), Setting { task, memory, ..Setting::default() })
}

fn arm(ended: &Ended) -> Arm {
    ended.noted::<learning::StrategyChosen>()[0].arm
}

#[test]
fn the_first_visit_takes_fsm() {
    let ended = attempt(&answering(&[]), TASK, Recollection::default());
    assert_eq!((arm(&ended), ended.view.summary.ending), (Arm::Fsm, Some(Ending::Done)));
}

#[test]
fn five_phases_are_told_beside_the_states_and_every_offer_stays_the_same() {
    let (plain, phased) = (answering(&[]), answering(&[]));
    let before = attempt(&plain, TASK, Recollection::default());
    let after = attempt(&phased, TASK, taught(Arm::FivePhase));
    assert_eq!(arm(&after), Arm::FivePhase);
    assert_eq!(after.states(), before.states());
    assert_eq!(after.credits, before.credits);
    let offers = |brain: &Answering| -> Vec<Vec<String>> {
        let asked = brain.asked.lock().unwrap();
        asked.iter().map(|one| one.tools.iter().map(|tool| tool.name.clone()).collect()).collect()
    };
    assert_eq!(offers(&phased), offers(&plain));
    let phases: Vec<String> = phased
        .openings()
        .iter()
        .filter_map(|text| Some(text.split("Phase ").nth(1)?.split('.').next()?.to_owned()))
        .collect();
    assert_eq!(phases, ["PLAN", "GATHER", "SYNTHESIZE", "ARTIFACT", "INSIGHT"]);
    assert!(plain.openings().iter().all(|text| !text.contains("Phase ")));
}

#[test]
fn a_task_that_may_write_never_runs_under_moa() {
    let brain = answering(&[]);
    let ended = attempt(&brain, TASK, taught(Arm::Moa));
    assert_ne!(arm(&ended), Arm::Moa);
    assert_eq!(ended.noted::<learning::StrategyChosen>()[0].permitted, [Arm::FivePhase, Arm::Fsm]);
    assert_eq!(ended.noted::<model::AnswersCompared>().len(), 0);
    assert!(brain.told().iter().all(|(top_p, _)| top_p.is_none()));
}

#[test]
fn under_moa_an_answer_is_made_twice_and_taken_where_both_say_the_same() {
    let brain = answering(&["The total of O-1 is 85.00 USD.", "The total of order O-1 is 85 USD."]);
    let ended = attempt(&brain, QUESTION, taught(Arm::Moa));
    assert_eq!(arm(&ended), Arm::Moa);
    assert_eq!(ended.noted::<model::AnswersCompared>(), [model::AnswersCompared { agree: true }]);
    let told = brain.told();
    assert_eq!(told.iter().map(|(top_p, _)| *top_p).collect::<Vec<_>>(), [Some(500), Some(950)]);
    assert!(ended.view.answer.unwrap().data.answer.contains("The total of O-1 is 85.00 USD."));
    assert_eq!(ended.credits.len(), 0);
}

#[test]
fn where_two_answers_differ_the_strong_model_makes_one() {
    let brain =
        answering(&["The total is 85.00 USD.", "The total is 58.00 USD.", "The result is 85.00 USD."]);
    let ended = attempt(&brain, QUESTION, taught(Arm::Moa));
    assert_eq!(ended.noted::<model::AnswersCompared>(), [model::AnswersCompared { agree: false }]);
    let told = brain.told();
    assert_eq!(told.len(), 3);
    assert!(
        told[2].1.contains("58.00 USD") && told[2].1.contains("| The total is 85.00 USD."),
        "{}",
        told[2].1
    );
    let strong = ended.noted::<model::Asked>().iter().filter(|asked| asked.tier == Tier::Strong).count();
    assert_eq!(strong, 1);
    assert!(ended.view.answer.unwrap().data.answer.contains("The result is 85.00 USD."));
}

#[test]
fn a_weak_answer_is_improved_once_and_the_log_stays_what_it_was() {
    let brain = answering(&["I am unable to say.", "The credit of 85.00 USD was applied.", "never"]);
    let ended = attempt(&brain, TASK, Recollection::default());
    assert_eq!(ended.noted::<model::AnswerReflected>().len(), 1);
    assert_eq!(brain.told().len(), 2);
    let answer = ended.view.answer.as_ref().unwrap();
    assert!(answer.data.answer.contains("The credit of 85.00 USD was applied."), "{}", answer.text);
    assert_eq!((answer.data.mutations.len(), ended.credits.len()), (1, 1));
    // One that is no better is not taken, and it is not asked for a third time.
    let brain = answering(&["I am unable to say.", "An error occurred.", "never"]);
    let ended = attempt(&brain, TASK, Recollection::default());
    assert!(ended.view.answer.unwrap().data.answer.contains("I am unable to say."));
    assert_eq!(brain.told().len(), 2);
}

#[test]
fn an_exact_match_answer_is_never_improved_and_a_list_comes_in_brackets() {
    let brain = answering(&[r#"["could not"]"#]);
    let ended = attempt(&brain, QUESTION, Recollection::default());
    assert_eq!(ended.view.answer.unwrap().text, r#"["could not"]"#);
    assert_eq!((records::all::<model::AnswerReflected>(&ended.journal).len(), brain.told().len()), (0, 1));
    let brain = answering(&["1. O-1\n2. O-2\n"]);
    let list = "List the orders of the creditwork, ranked by total.";
    let ended = attempt(&brain, list, Recollection::default());
    assert_eq!(ended.view.answer.unwrap().text, r#"["O-1","O-2"]"#);
    assert!(brain.told()[0].1.contains("one JSON array"), "{}", brain.told()[0].1);
}

#[test]
fn a_document_is_answered_section_by_section_and_what_is_missing_is_marked() {
    let brain = answering(&["## Root cause\nA full disk.\n\n## Impact\nOrders were approved late.\n"]);
    let task = "What is known about the creditwork outage? Show me a post-mortem.";
    let ended = attempt(&brain, task, Recollection::default());
    assert!(brain.told()[0].1.contains("incident_summary, timeline"), "{}", brain.told()[0].1);
    let answer = ended.view.answer.unwrap().data.answer;
    assert!(answer.contains("A full disk.") && answer.contains("[TIMELINE — REQUIRED]"), "{answer}");
}

/// Rules for the words that the task has, and a file that only a model would choose.
const STRICT: &str = r#"
process: strict_desk
title: Credit with rules
owner: accounts_payable
keywords: [creditwork, order]
route: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, COMPLETE]
decide:
  - {rule: S-1, if: 'exists(amount) && amount > 50 USD', outcome: stop, because: "too much"}
"#;

fn named(file: &'static str) -> Ended {
    // The model says `credit_desk`; the words point elsewhere.
    let setting = Setting { files: vec![DESK, file], ..Setting::default() };
    alone_with(answering(&[]), setting)
}

#[test]
fn where_the_words_point_to_another_file_its_rules_count_too_and_say_so() {
    let ended = named(STRICT);
    assert_eq!(ended.noted::<process::Pointed>()[0].process, "strict_desk");
    assert_eq!((ended.credits.len(), ended.view.summary.ending), (0, Some(Ending::Blocked)));
    let answer = ended.view.answer.unwrap().text;
    let told: String = ended.journal.iter().map(|one| one.entry.text()).collect();
    assert!(told.contains("the words of the task point to `strict_desk`: S-1"), "{answer}");
}

#[test]
fn what_the_other_file_would_allow_counts_for_nothing() {
    const LENIENT: &str = r#"
process: lenient_desk
title: Credit without rules
owner: accounts_payable
keywords: [creditwork, order]
route: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, COMPLETE]
decide:
  - {rule: L-1, if: 'exists(amount)', ask: nobody, because: "fine"}
"#;
    // The model's own file can ask and not allow, because the words do not point to it.
    let ended = named(LENIENT);
    assert_eq!((ended.credits.len(), ended.view.summary.ending), (0, None), "{:#?}", ended.view.answer);
}
