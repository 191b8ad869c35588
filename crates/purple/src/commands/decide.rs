//! Saying yes, no, or what happened.

use std::collections::BTreeMap;

use purple_journal::record::approval::{EditNotTaken, NotTaken};
use purple_journal::record::run::CancelNotTaken;
use purple_journal::record::write::{SettleNotTaken, UndoNotTaken};
use purple_journal::{Record, Redacted};
use purple_process::{PersonId, SessionId, StepId};
use purple_worker::port::view::Decides;
use purple_worker::port::{AcceptedTask, SessionRow};
use purple_worker::{
    Action, Cancelled, Channel, Choice, ClientError, Command, OpenApproval, Receipt, Reviewed, RunView,
    Settlement, Summary, WorkerHandle,
};

use crate::cli::{Approve, Cancel, Reject, Settle, Undo};
use crate::commands::look::PAGE;
use crate::commands::{Scene, in_house, watch};
use crate::config::{Config, nearest};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity;
use crate::show::{Screen, one_line, run_text};
use crate::wire_up::{Purpose, reader};

/// How many letters of a card's hash are enough to name it.
const CARD_CHARS_MIN: usize = 8;

/// `purple approve RUN`
pub(crate) fn approve(scene: &Scene<'_>, args: &Approve) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(scene, &config, Purpose::Act, |worker| async move { yes(&worker, scene.screen, args, by).await })
}

/// `purple reject RUN`
pub(crate) fn reject(scene: &Scene<'_>, args: &Reject) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(scene, &config, Purpose::Act, |worker| async move { no(&worker, scene.screen, args, by).await })
}

/// `purple settle RUN OP`
pub(crate) fn settle(scene: &Scene<'_>, args: &Settle) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(
        scene,
        &config,
        Purpose::Act,
        |worker| async move { known(&worker, scene.screen, args, by).await },
    )
}

/// `purple cancel RUN`
pub(crate) fn cancel(scene: &Scene<'_>, args: &Cancel) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let speaker = scene.speaker(&config)?;
    let caller = Canceller {
        is_operator: identity::is_operator(&config, &speaker),
        decides: identity::decides(&config, &speaker.person)?,
        person: speaker.person,
    };
    something_ran(&config)?;
    in_house(scene, &config, Purpose::Act, |worker| async move {
        called_off(&worker, scene.screen, args, caller).await
    })
}

/// `purple undo RUN OP`
pub(crate) fn undo(scene: &Scene<'_>, args: &Undo) -> Result<Exit, Failure> {
    let (config, by) = scene.config_and_person()?;
    something_ran(&config)?;
    in_house(
        scene,
        &config,
        Purpose::Act,
        |worker| async move { back(&worker, scene.screen, args, by).await },
    )
}

/// Nothing can be decided where nothing has run, and asking makes no folder.
fn something_ran(config: &Config) -> Result<(), Failure> {
    reader(&config.settings.data_dir).map(drop)
}

pub(crate) async fn back(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Undo,
    by: PersonId,
) -> Result<Exit, Failure> {
    let run = worker.find(&args.run).await?;
    let action = Action::Undo { step: StepId::parse(&args.operation)?, round: args.round };
    after(worker, screen, command(run, by, action), false).await
}

pub(crate) async fn yes(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Approve,
    by: PersonId,
) -> Result<Exit, Failure> {
    let view = worker.view(&worker.find(&args.run).await?).await?;
    let open = waiting(&view)?;
    same_card(&view, open, args.card.as_deref())?;
    if !args.set.is_empty() {
        return changed(worker, screen, (&view, open), args, by).await;
    }
    let choice = match args.step.is_empty() {
        true => Choice::Approve,
        false => Choice::ApproveSome(args.step.clone()),
    };
    if !args.yes && args.card.is_none() {
        confirm(screen, &view, open, args.step.is_empty())?;
    }
    after(worker, screen, decision(&view, open, choice, by), args.no_wait).await
}

/// Posts new values for the plan and the card that were shown, and shows the new card.
async fn changed(
    worker: &WorkerHandle,
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
    let action = Action::Edit { read: reviewed(open), fields };
    after(worker, screen, command(view.run.clone(), by, action), args.no_wait).await
}

pub(crate) async fn no(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Reject,
    by: PersonId,
) -> Result<Exit, Failure> {
    let view = worker.view(&worker.find(&args.run).await?).await?;
    let open = waiting(&view)?;
    same_card(&view, open, args.card.as_deref())?;
    let choice = Choice::Reject { reason: args.reason.clone() };
    after(worker, screen, decision(&view, open, choice, by), args.no_wait).await
}

pub(crate) async fn known(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Settle,
    by: PersonId,
) -> Result<Exit, Failure> {
    let run = worker.find(&args.run).await?;
    let found = if args.found.done { Settlement::Done } else { Settlement::NotDone };
    let action = Action::Settle { step: StepId::parse(&args.operation)?, found };
    after(worker, screen, command(run, by, action), args.no_wait).await
}

/// Somebody who wants to call a run off.
pub(crate) struct Canceller {
    pub(crate) person: PersonId,
    pub(crate) is_operator: bool,
    pub(crate) decides: Decides,
}

impl Canceller {
    /// Whoever could say no to it, asked for it, or operates.
    fn may(&self, row: &SessionRow) -> bool {
        let is_asked = match serde_json::from_value::<Summary>(row.summary.clone()) {
            Ok(summary) => summary.requester == self.person || summary.waits_for(&self.decides),
            // It was taken in and has had no turn yet.
            Err(_) => AcceptedTask::read(row).is_some_and(|taken| taken.taken_from == self.person),
        };
        self.is_operator || is_asked
    }
}

pub(crate) async fn called_off(
    worker: &WorkerHandle,
    screen: Screen,
    args: &Cancel,
    by: Canceller,
) -> Result<Exit, Failure> {
    let run = worker.find(&args.run).await?;
    let row = worker.events.session(&run).await.map_err(ClientError::from)?;
    if !row.is_some_and(|row| by.may(&row)) {
        return Err(Failure::NotTheirsToCancel { run: run.to_string() });
    }
    let by = by.person;
    let action = Action::Cancel { what: Cancelled::Run, reason: args.reason.clone() };
    match after(worker, screen, command(run.clone(), by, action), false).await {
        // It waits for nobody any more, so whoever could have decided about it does not see what came of it.
        Err(Failure::Client(ClientError::NoSuchRun { .. })) => {
            screen
                .line(&format!("{run} waits for nobody any more; whoever asked for it sees how it ended"))?;
        }
        ended => drop(ended?),
    }
    Ok(Exit::Done)
}

fn command(run: SessionId, by: PersonId, action: Action) -> Command {
    Command { run, by, channel: Channel::Cli, id: None, action }
}

/// The decision about exactly the plan and the card that were shown.
fn decision(view: &RunView, open: &OpenApproval, choice: Choice, by: PersonId) -> Command {
    Command::decide(view.run.clone(), by, Channel::Cli, reviewed(open), choice)
}

const fn reviewed(open: &OpenApproval) -> Reviewed {
    Reviewed { plan: open.plan, card: open.card }
}

/// The plan that waits.
fn waiting(view: &RunView) -> Result<&OpenApproval, Failure> {
    let none = || Failure::NoCard { run: view.run.to_string() };
    view.summary.approval.as_ref().ok_or_else(none)
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

/// Submits a command, follows the run until it is idle, and shows what came of it.
async fn after(
    worker: &WorkerHandle,
    screen: Screen,
    command: Command,
    no_wait: bool,
) -> Result<Exit, Failure> {
    let receipt = worker.submit(command).await?;
    if no_wait {
        screen.next(&format!("purple trace {} --follow", receipt.run));
        return Ok(Exit::Done);
    }
    let view = watch::follow(worker, screen, &receipt).await?;
    taken(worker, &receipt).await?;
    watch::outcome(screen, &view)
}

/// Whether the worker took the command; or why it did not.
async fn taken(worker: &WorkerHandle, receipt: &Receipt) -> Result<(), Failure> {
    let entries = worker.trace(&receipt.run, receipt.awaited.after, PAGE).await?;
    match entries.iter().find_map(|one| refusal(&receipt.run, one.record())) {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    }
}

/// The failure that a record reports, if it says that something was not accepted.
fn refusal(run: &SessionId, record: &Record) -> Option<Failure> {
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
