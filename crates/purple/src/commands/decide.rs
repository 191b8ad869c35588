//! Saying yes, no, or what happened.

use purple_process::{PersonId, StepId};
use purple_worker::port::{DedupKey, Post};
use purple_worker::{Channel, Desk, DeskError, Event, OpenApproval, RunView, Settlement, Verdict};

use crate::cli::{Approve, Cancel, Reject, Settle, Undo};
use crate::commands::look::PAGE;
use crate::commands::{Scene, in_house, watch};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, one_line, run_text};
use crate::wire_up::Purpose;

/// How many letters of a card's hash are enough to name it.
const CARD_CHARS_MIN: usize = 8;

/// `purple approve RUN`
pub(crate) fn approve(scene: &Scene<'_>, args: &Approve) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    in_house(scene, &config, Purpose::Act, |desk| async move { yes(&desk, scene.screen, args, by).await })
}

/// `purple reject RUN`
pub(crate) fn reject(scene: &Scene<'_>, args: &Reject) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    in_house(scene, &config, Purpose::Act, |desk| async move { no(&desk, scene.screen, args, by).await })
}

/// `purple settle RUN OP`
pub(crate) fn settle(scene: &Scene<'_>, args: &Settle) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    in_house(scene, &config, Purpose::Act, |desk| async move { known(&desk, scene.screen, args, by).await })
}

/// `purple cancel RUN`
pub(crate) fn cancel(scene: &Scene<'_>, args: &Cancel) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
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
    in_house(scene, &config, Purpose::Act, |desk| async move { back(&desk, scene.screen, args, by).await })
}

pub(crate) async fn back(desk: &Desk, screen: Screen, args: &Undo, by: PersonId) -> Result<Exit, Failure> {
    let run = desk.find(&args.run).await?;
    let step = StepId::parse(&args.operation)?;
    let seq = desk.view(&run).await?.entries;
    let dedup = DedupKey(format!("undo:{run}:{step}:{seq}"));
    let post = Post {
        session: run.clone(),
        dedup,
        due: None,
        event: Event::Undo { step, by, channel: Channel::Cli },
    };
    desk.inbox.post(post).await.map_err(DeskError::from)?;
    after(desk, screen, &run, seq, false).await
}

pub(crate) async fn yes(desk: &Desk, screen: Screen, args: &Approve, by: PersonId) -> Result<Exit, Failure> {
    let view = desk.view(&desk.find(&args.run).await?).await?;
    let (open, all) = waiting(&view)?;
    same_card(&view, open, args.card.as_deref())?;
    let steps = if args.step.is_empty() { all.clone() } else { chosen(&view, &all, &args.step)? };
    if !args.yes && args.card.is_none() {
        confirm(screen, &view, open, steps.len() == all.len())?;
    }
    decided(desk, screen, &view, open, (steps, None), by, args.no_wait).await
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
    let verdict = Verdict { plan, steps, reason, by, channel: Channel::Cli, shown };
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
    let refused =
        desk.trace(run, seq, PAGE).await?.into_iter().find(|one| one.entry.kind == "approval.not_taken");
    if let Some(refused) = refused {
        let why = refused.entry.data.get("why").and_then(|why| why.as_str()).unwrap_or_default();
        return Err(Failure::NotTaken { why: one_line(why) });
    }
    watch::outcome(screen, &view)
}
