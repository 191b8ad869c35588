//! Saying yes, no, or what happened.

use std::collections::BTreeMap;

use purple_journal::record::approval::{EditNotTaken, NotTaken};
use purple_journal::record::run::CancelNotTaken;
use purple_journal::record::write::{SettleNotTaken, UndoNotTaken};
use purple_journal::{Record, Redacted};
use purple_process::{PersonId, StepId};
use purple_worker::{Channel, Desk, Edit, OpenApproval, RunView, Settlement, Verdict};

use crate::cli::{Approve, Cancel, Reject, Settle, Undo};
use crate::commands::look::PAGE;
use crate::commands::{Scene, in_house, watch};
use crate::config::{Config, nearest};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, one_line, run_text};
use crate::wire_up::{Purpose, reader};

/// How many letters of a card's hash are enough to name it.
const CARD_CHARS_MIN: usize = 8;

/// `purple approve RUN`
pub(crate) fn approve(scene: &Scene<'_>, args: &Approve) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(scene, &config, Purpose::Act, |desk| async move { yes(&desk, scene.screen, args, by).await })
}

/// `purple reject RUN`
pub(crate) fn reject(scene: &Scene<'_>, args: &Reject) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(scene, &config, Purpose::Act, |desk| async move { no(&desk, scene.screen, args, by).await })
}

/// `purple settle RUN OP`
pub(crate) fn settle(scene: &Scene<'_>, args: &Settle) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(scene, &config, Purpose::Act, |desk| async move { known(&desk, scene.screen, args, by).await })
}

/// `purple cancel RUN`
pub(crate) fn cancel(scene: &Scene<'_>, args: &Cancel) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(
        scene,
        &config,
        Purpose::Act,
        |desk| async move { called_off(&desk, scene.screen, args, by).await },
    )
}

/// `purple undo RUN OP`
pub(crate) fn undo(scene: &Scene<'_>, args: &Undo) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(scene, &config, Purpose::Act, |desk| async move { back(&desk, scene.screen, args, by).await })
}

/// Nothing can be decided where nothing has run, and asking makes no folder.
fn something_ran(config: &Config) -> Result<(), Failure> {
    reader(&config.settings.data_dir).map(drop)
}

pub(crate) async fn back(desk: &Desk, screen: Screen, args: &Undo, by: PersonId) -> Result<Exit, Failure> {
    let run = desk.find(&args.run).await?;
    let step = StepId::parse(&args.operation)?;
    let seq = desk.view(&run).await?.entries;
    desk.undo_in(&run, step, args.round, by, Channel::Cli).await?;
    after(desk, screen, &run, seq, false).await
}

pub(crate) async fn yes(desk: &Desk, screen: Screen, args: &Approve, by: PersonId) -> Result<Exit, Failure> {
    let view = desk.view(&desk.find(&args.run).await?).await?;
    let (open, all) = waiting(&view)?;
    same_card(&view, open, args.card.as_deref())?;
    if !args.set.is_empty() {
        return changed(desk, screen, (&view, open), args, by).await;
    }
    let steps = if args.step.is_empty() { all.clone() } else { chosen(&view, &all, &args.step)? };
    if !args.yes && args.card.is_none() {
        confirm(screen, &view, open, steps.len() == all.len())?;
    }
    decided(desk, screen, &view, open, (steps, None), by, args.no_wait).await
}

/// Posts new values for the plan and the card that were shown, and shows the new card.
async fn changed(
    desk: &Desk,
    screen: Screen,
    (view, open): (&RunView, &OpenApproval),
    args: &Approve,
    by: PersonId,
) -> Result<Exit, Failure> {
    let editable: Vec<&str> =
        view.card.iter().flat_map(|card| card.editable()).map(|field| field.name.as_str()).collect();
    let mut fields = BTreeMap::new();
    for set in &args.set {
        let (name, value) = set.split_once('=').ok_or_else(|| Failure::BadSet { text: set.clone() })?;
        let name = name.trim();
        if !editable.contains(&name) {
            let (run, near) = (view.run.to_string(), nearest(name, editable.iter().copied()));
            let (near, editable) = (near.map(str::to_owned), editable.iter().map(|one| (*one).to_owned()));
            return Err(Failure::NotEditable {
                run,
                field: name.to_owned(),
                editable: editable.collect(),
                near,
            });
        }
        if fields.insert(name.to_owned(), value.trim().to_owned()).is_some() {
            return Err(Failure::SetTwice { field: name.to_owned() });
        }
    }
    let edit = Edit { plan: open.plan, fields, by, channel: Channel::Cli, shown: open.card.0 };
    desk.edited(view.run.clone(), edit).await?;
    after(desk, screen, &view.run, view.entries, args.no_wait).await
}

pub(crate) async fn no(desk: &Desk, screen: Screen, args: &Reject, by: PersonId) -> Result<Exit, Failure> {
    let view = desk.view(&desk.find(&args.run).await?).await?;
    let (open, _) = waiting(&view)?;
    same_card(&view, open, args.card.as_deref())?;
    decided(desk, screen, &view, open, (Vec::new(), Some(args.reason.clone())), by, args.no_wait).await
}

pub(crate) async fn known(desk: &Desk, screen: Screen, args: &Settle, by: PersonId) -> Result<Exit, Failure> {
    let run = desk.find(&args.run).await?;
    let step = StepId::parse(&args.operation)?;
    let found = if args.found.done { Settlement::Done } else { Settlement::NotDone };
    let seq = desk.view(&run).await?.entries;
    desk.settle(&run, step, found, by).await?;
    after(desk, screen, &run, seq, args.no_wait).await
}

pub(crate) async fn called_off(
    desk: &Desk,
    screen: Screen,
    args: &Cancel,
    by: PersonId,
) -> Result<Exit, Failure> {
    let run = desk.find(&args.run).await?;
    let seq = desk.view(&run).await?.entries;
    desk.cancel(&run, by, args.reason.clone()).await?;
    let view = watch::follow(desk, screen, &run, seq).await?;
    taken(desk, &run, seq).await?;
    watch::outcome(screen, &view)?;
    Ok(Exit::Done)
}

/// The plan that waits, and its steps.
fn waiting(view: &RunView) -> Result<(&OpenApproval, Vec<StepId>), Failure> {
    match (&view.summary.approval, &view.card) {
        (Some(open), Some(card)) => Ok((open, card.steps())),
        (None, _) | (_, None) => Err(Failure::NoCard { run: view.run.to_string() }),
    }
}

/// Refuses if the card is not the one that the person read.
fn same_card(view: &RunView, open: &OpenApproval, given: Option<&str>) -> Result<(), Failure> {
    let Some(given) = given else { return Ok(()) };
    let now = open.card.0.to_string();
    let hex = now.trim_start_matches("sha256:");
    let typed = given.trim_start_matches("sha256:");
    if typed.len() >= CARD_CHARS_MIN && hex.starts_with(&typed.to_ascii_lowercase()) {
        return Ok(());
    }
    Err(Failure::OtherCard { run: view.run.to_string(), given: given.to_owned(), now })
}

fn chosen(view: &RunView, all: &[StepId], typed: &[String]) -> Result<Vec<StepId>, Failure> {
    for step in typed {
        if !all.iter().any(|known| known.as_str() == step) {
            let steps = all.iter().map(ToString::to_string).collect();
            return Err(Failure::NoSuchStep { run: view.run.to_string(), step: step.clone(), steps });
        }
    }
    // In the order of the plan, each once.
    Ok(all.iter().filter(|known| typed.iter().any(|step| known.as_str() == step)).cloned().collect())
}

/// Shows the card and asks with the plan's own words.
fn confirm(screen: Screen, view: &RunView, open: &OpenApproval, whole: bool) -> Result<(), Failure> {
    if !screen.may_ask() {
        let card = open.card.0.to_string();
        return Err(Failure::NobodyToAsk { run: view.run.to_string(), card });
    }
    screen.say(&run_text(view, screen.talk));
    let part = if whole { "" } else { " Only the steps that you named." };
    let answer =
        screen.ask(&format!("\n{}?{part} Type `yes` to do exactly this:", one_line(&open.headline)))?;
    if answer == "yes" { Ok(()) } else { Err(Failure::NotConfirmed) }
}

/// Posts the decision about exactly the plan and the card that were shown.
async fn decided(
    desk: &Desk,
    screen: Screen,
    view: &RunView,
    open: &OpenApproval,
    (steps, reason): (Vec<StepId>, Option<String>),
    by: PersonId,
    no_wait: bool,
) -> Result<Exit, Failure> {
    let (plan, shown) = (open.plan, open.card.0);
    let verdict = Verdict { plan, steps, reason, by, channel: Channel::Cli, shown, message: None };
    desk.decided(view.run.clone(), verdict).await?;
    after(desk, screen, &view.run, view.entries, no_wait).await
}

async fn after(
    desk: &Desk,
    screen: Screen,
    run: &purple_process::SessionId,
    seq: u64,
    no_wait: bool,
) -> Result<Exit, Failure> {
    if no_wait {
        screen.next(&format!("purple trace {run} --follow"));
        return Ok(Exit::Done);
    }
    let view = watch::follow(desk, screen, run, seq).await?;
    taken(desk, run, seq).await?;
    watch::outcome(screen, &view)
}

/// Whether the worker took what was posted after `seq`; or why it did not.
async fn taken(desk: &Desk, run: &purple_process::SessionId, seq: u64) -> Result<(), Failure> {
    let posted = desk.trace(run, seq, PAGE).await?;
    match posted.iter().find_map(|one| refusal(run, one.record())) {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    }
}

/// The failure that a record reports, if it says that something was not accepted.
fn refusal(run: &purple_process::SessionId, record: &Record) -> Option<Failure> {
    if let Some(not_taken) = record.get::<NotTaken>() {
        return Some(Failure::NotTaken { why: clause(&not_taken.why) });
    }
    let run = run.to_string();
    if let Some(not_taken) = record.get::<EditNotTaken>() {
        return Some(Failure::EditNotTaken { run, why: clause(&not_taken.why) });
    }
    let undo = record.get::<UndoNotTaken>().map(|not_taken| &not_taken.why);
    let settle = record.get::<SettleNotTaken>().map(|not_taken| &not_taken.why);
    let cancel = record.get::<CancelNotTaken>().map(|not_taken| &not_taken.why);
    undo.or(settle).or(cancel).map(|why| Failure::NotDone { run, why: clause(why) })
}

/// A sentence of the worker as a part of one of ours.
fn clause(sentence: &Redacted) -> String {
    let text = one_line(sentence.as_str().trim_end_matches('.'));
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => text,
    }
}
