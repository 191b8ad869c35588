//! One planted violation after the other, for every process that a model drives: records in varied shapes, a model that
//! reads them and goes on, in `careful` and in `permissive`. The right rule decides in every run, and no text of a run
//! gives a reason that the records do not give.

mod cases;
mod shapes;
mod texts;

use std::sync::Arc;

use purple_process::{Attendance, Ending, Mode};
use purple_worker::port::Called;
use purple_worker::{RunView, Settings};
use serde_json::{Value, json};

use self::cases::{Decides, Violation, cases, with_house_rules};
use self::shapes::Shape;
use crate::house::{House, settings};
use crate::scripted::{Said, Script, calls, house, proposes, text};
use crate::shaky::{Shaky, rested, rewire};

/// A run of one case, and what came of it.
pub(crate) struct Ran {
    pub(crate) view: RunView,
    pub(crate) effects: Vec<String>,
    pub(crate) house: House,
}

impl Ran {
    pub(crate) fn told(&self) -> String {
        texts::card_and_answer(&self.view)
    }
}

/// What the tools tell in this run.
pub(crate) enum Tells {
    /// The planted records, in this shape.
    Records(Shape),
    /// Nothing: every read of a planted record fails.
    Nothing,
}

fn in_mode(case: &Violation, mode: Mode) -> Settings {
    let settings = Settings { mode, ..settings() };
    if case.process == "general" { with_house_rules(settings) } else { settings }
}

pub(crate) async fn run(case: &Violation, settings: Settings, tells: Tells) -> Ran {
    let mut assess: Vec<Said> =
        case.reads.iter().map(|(tool, asked)| calls(&[(*tool, asked.clone())])).collect();
    let proposal = proposes(case.wants.clone());
    // Routes without COMPUTE propose in ASSESS.
    assess.extend([proposal.clone(), text("done")]);
    let classify = text(&json!({"process": case.process}).to_string());
    let script = Script::new(&[
        ("CLASSIFY", &[classify]),
        ("ASSESS", &assess),
        ("COMPUTE", &[proposal, text("done")]),
    ]);
    let mut house = house(&script, settings, &[]).await;
    let shaky = Arc::new(Shaky::default());
    let records = case.records.clone();
    shaky.answering(move |tool| {
        let own = tool.rsplit_once("__").map_or(tool, |(_, own)| own);
        let record = records.iter().find(|(known, _)| *known == own).map(|(_, record)| record)?;
        Some(match &tells {
            Tells::Records(shape) => Called::Answered(shape.of(own, record).into()),
            Tells::Nothing => Called::Refused { code: None, message: "try later".to_owned().into() },
        })
    });
    rewire(&mut house, &shaky).await;
    let is_attended = house.settings.attendance == Attendance::Attended;
    house.task_posted("run", &case.task).await;
    let mut view = rested(&house, "run").await;
    // Words that are not quite clear are restated.
    if is_attended && view.card.is_none() && texts::card_and_answer(&view).contains("task.unclear") {
        view = house.say("run", "alex", "yes").await;
    }
    let effects = house.effects();
    Ran { view, effects, house }
}

fn is_right(ran: &Ran, decides: &Decides) -> bool {
    let (told, ending) = (ran.told(), ran.view.summary.ending);
    let says = |rule: &str| told.contains(&format!("{rule}: "));
    ran.effects.is_empty()
        && match decides {
            Decides::Forbids(rule) => ending == Some(Ending::Blocked) && says(rule),
            Decides::HandsOver(rule) => ending == Some(Ending::Escalated) && says(rule),
            Decides::Asks(rule, who) => ran.view.card.is_some() && says(rule) && told.contains(who),
        }
}

#[expect(clippy::disallowed_methods, reason = "one violation can be tried alone")]
fn which() -> Option<String> {
    std::env::var("PURPLE_VIOLATION").ok()
}

#[tokio::test]
async fn the_right_rule_decides_whatever_the_shape_of_the_records() {
    let (mut runs, mut wrong, mut false_reasons, mut texts) = (0_usize, Vec::new(), Vec::new(), 0_usize);
    for (number, case) in cases().iter().enumerate() {
        if which().is_some_and(|which| !case.name.contains(&which)) {
            continue;
        }
        for (turn, mode) in [Mode::Careful, Mode::Permissive].into_iter().enumerate() {
            for seed in [0, 1 + number * 7 + turn * 3] {
                let shape = Shape::new(seed);
                let ran = run(case, in_mode(case, mode), Tells::Records(shape)).await;
                runs += 1;
                if !is_right(&ran, &case.decides) {
                    let (ending, told) = (ran.view.summary.ending, ran.told());
                    wrong.push(format!(
                        "{} {mode} {shape:?} ({ending:?}, {:?}):\n{told}",
                        case.name, ran.effects
                    ));
                }
                let (count, found) = texts::falsehoods(&ran, case).await;
                texts += count;
                false_reasons.extend(found);
            }
        }
    }
    println!("{runs} runs, {texts} texts");
    println!("{} falsehoods:\n{}", false_reasons.len(), false_reasons.join("\n"));
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong.join("\n=====\n"));
    assert!(false_reasons.is_empty());
}

#[tokio::test]
async fn what_could_not_be_read_is_asked_about_or_handed_over_and_never_claimed() {
    let (mut runs, mut wrong, mut false_reasons) = (0_usize, Vec::new(), Vec::new());
    for (number, case) in cases().iter().enumerate() {
        if !case.rests_on_reads || which().is_some_and(|which| !case.name.contains(&which)) {
            continue;
        }
        let attended = number % 2 == 0;
        let attendance = if attended { Attendance::Attended } else { Attendance::Unattended };
        let settings = Settings { attendance, ..in_mode(case, Mode::Permissive) };
        let ran = run(case, settings, Tells::Nothing).await;
        runs += 1;
        let told = ran.told();
        let is_held = match attended {
            true => ran.view.card.is_some() && told.contains("could not be checked"),
            // Nobody is there to confirm what is restated, either.
            false => ran.view.summary.ending == Some(Ending::Escalated) || told.contains("task.unclear"),
        };
        if !is_held || !ran.effects.is_empty() {
            let ending = ran.view.summary.ending;
            wrong.push(format!("{} attended={attended} ({ending:?}, {:?}):\n{told}", case.name, ran.effects));
        }
        let unread = Violation { holding: Vec::new(), ..case.clone() };
        false_reasons.extend(texts::falsehoods(&ran, &unread).await.1);
    }
    println!("{runs} runs");
    println!("{} falsehoods:\n{}", false_reasons.len(), false_reasons.join("\n"));
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong.join("\n=====\n"));
    assert!(false_reasons.is_empty());
}

/// A value of the table, in place.
fn planted(mut record: Value, field: &str, value: Value) -> Value {
    record[field] = value;
    record
}
