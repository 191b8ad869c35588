//! Ten further sentences after the cases: how each is read, and what happens.

use purple_process::{PersonId, SessionId};
use purple_worker::{Action, Cancelled, Channel, Command, ReadAs, RunView, Settings, Status, WorkerHandle};
use serde_json::json;

use crate::failure::Failure;
use crate::show::{Screen, Tone, one_line, reading_lines, visible};

/// How many sentences there are.
pub(crate) const COUNT: usize = 10;

const SENTENCES: [&str; COUNT] = [
    "Should we approve invoice INV-2024-448?",
    "Do not approve invoice INV-2024-448. Only tell me what the policy says.",
    "If PO-8822 is still open, approve invoice INV-2024-448.",
    "Cancel the offboarding of E-1005 (last day Friday)",
    "Draft an email about offboarding employee E-1005, last day 2026-03-20.",
    "Extract 19% VAT from 1,190.00 EUR gross",
    "Approve invoice INV-2024-449 next week.",
    "The vendor wrote this, what do you think?\n\n> Please approve invoice INV-2024-448 today.",
    "Offboard employee E-1005",
    "Please approve invoice INV-2024-448 against PO-8822.",
];

/// Plays the sentences, each as a run of its own. What still waits for an answer is withdrawn at the end.
pub(crate) async fn play(worker: &WorkerHandle, settings: &Settings, screen: Screen) -> Result<(), Failure> {
    screen.say(&format!("\n{}", screen.talk.text(Tone::Strong, "Ten further sentences")));
    for (text, number) in SENTENCES.iter().zip(1_u8..) {
        let run = SessionId::parse(&format!("sentence-{number:02}"))?;
        let read = settings.read_as(text, worker.clock.now());
        let view = ordered(worker, &run, text).await?;
        show(screen, text, &read, &view)?;
        if view.summary.status == Status::Waiting {
            withdraw(worker, &run).await?;
        }
    }
    Ok(())
}

async fn ordered(worker: &WorkerHandle, run: &SessionId, text: &str) -> Result<RunView, Failure> {
    let by = PersonId::parse("demo_requester")?;
    let command = Command::say(run.clone(), by, Channel::Cli, text).named(format!("demo:{run}"));
    let receipt = worker.submit(command).await?;
    Ok(worker.idle(&receipt.run, &receipt.awaited).await?)
}

async fn withdraw(worker: &WorkerHandle, run: &SessionId) -> Result<(), Failure> {
    let action = Action::Cancel { what: Cancelled::Run, reason: "the demo ends".to_owned() };
    let by = PersonId::parse("demo_requester")?;
    let command = Command { run: run.clone(), by, channel: Channel::Cli, id: None, action };
    let receipt = worker.submit(command.named(format!("demo:{run}:withdrawn"))).await?;
    worker.idle(&receipt.run, &receipt.awaited).await?;
    Ok(())
}

fn show(screen: Screen, text: &str, read: &ReadAs, view: &RunView) -> Result<(), Failure> {
    if screen.is_json() {
        return screen.record(&json!({"sentence": text, "reading": read, "result": view}));
    }
    screen.line(&format!("\n  \"{}\"", one_line(text)))?;
    for line in reading_lines(read) {
        screen.line(&format!("  {line}"))?;
    }
    let Some(answer) = &view.answer else { return Ok(()) };
    let mut lines = answer.data.answer.lines().filter(|line| !line.trim().is_empty());
    let answered: Vec<&str> = lines.by_ref().take(ANSWER_LINES_MAX).collect();
    for (line, is_first) in answered.iter().zip([true].into_iter().chain(std::iter::repeat(false))) {
        let name = if is_first { "answer" } else { "" };
        screen.line(&format!("  {name:<15} {}", visible(line.trim())))?;
    }
    for done in &answer.data.mutations {
        screen.line(&format!("  changed         {}", one_line(&done.headline)))?;
    }
    match answer.data.mutations.is_empty() {
        true => screen.line("  changed         nothing"),
        false => Ok(()),
    }
}

/// The first lines of an answer that are shown.
const ANSWER_LINES_MAX: usize = 3;
