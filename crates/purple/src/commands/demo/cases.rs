//! The five cases, and how they are played: once each, in order, so that an interrupted demo can be taken up again.

use purple_process::{PersonId, SessionId};
use purple_worker::{Channel, Choice, Command, Receipt, RunView, Status, WorkerHandle};

use super::{follow, tell};
use crate::failure::Failure;
use crate::show::{Screen, Tone};

/// One case of the demo.
pub(crate) struct Case {
    pub(crate) number: u8,
    pub(crate) run: &'static str,
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
    /// What the recorded approver does at the gate.
    recorded: Recorded,
    /// A later turn of the same session.
    later: Option<&'static str>,
}

/// What the recorded approver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    Confirms,
    LeavesItWaiting,
}

/// Who answers at the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// The person at the keyboard, if there is one.
    Asking,
    /// The recorded demo approver.
    Recorded,
    /// The recorded demo approver, without a word.
    Silent,
}

pub(crate) const CASES: [Case; 5] = [
    Case {
        number: 1,
        run: "case-1-invoice",
        title: "An invoice above its order",
        text: "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.",
        recorded: Recorded::LeavesItWaiting,
        later: None,
    },
    Case {
        number: 2,
        run: "case-2-order",
        title: "A change of an order, which the customer's side confirms",
        text: "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.",
        recorded: Recorded::Confirms,
        later: None,
    },
    Case {
        number: 3,
        run: "case-3-overtime",
        title: "A process nobody defined: a shipped function calculates it",
        text: "Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr, CA state rules apply.",
        recorded: Recorded::LeavesItWaiting,
        later: None,
    },
    Case {
        number: 4,
        run: "case-4-sla",
        title: "A missed service level, credited by the contract",
        text: "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.",
        recorded: Recorded::LeavesItWaiting,
        later: None,
    },
    Case {
        number: 5,
        run: "case-5-offboarding",
        title: "An offboarding in two turns of one session",
        text: "Start offboarding for employee E-2291 (last day Friday)",
        recorded: Recorded::LeavesItWaiting,
        later: Some("Now revoke system access and send exit survey"),
    },
];

/// Plays the cases. What was played before is not played again.
pub(crate) async fn play(
    worker: &WorkerHandle,
    screen: Screen,
    cases: &[&Case],
    mood: Mood,
) -> Result<(), Failure> {
    for case in cases {
        let run = SessionId::parse(case.run)?;
        say(screen, mood, case, case.text);
        let receipt = worker.submit(spoken(&run, case.text)?.named(format!("demo:{run}"))).await?;
        let mut view = idle(worker, screen, &receipt, mood).await?;
        if view.summary.status == Status::Waiting && view.summary.round == 1 {
            view = at_the_gate(worker, screen, case, view, mood).await?;
        }
        // A worker that was started again in the second round waits for its end too.
        let is_first_over = view.summary.round > 1 || view.summary.status == Status::Closed;
        if let (Some(text), true) = (case.later, is_first_over) {
            say(screen, mood, case, text);
            let later = spoken(&run, text)?.named(format!("demo:{run}:later"));
            idle(worker, screen, &worker.submit(later).await?, mood).await?;
        }
    }
    Ok(())
}

fn say(screen: Screen, mood: Mood, case: &Case, text: &str) {
    if mood != Mood::Silent {
        let title = screen.talk.text(Tone::Strong, &format!("Case {}: {}", case.number, case.title));
        screen.say(&format!("\n{title}\n  \"{text}\""));
    }
}

/// What the requester of the demo says.
fn spoken(run: &SessionId, text: &str) -> Result<Command, Failure> {
    Ok(Command::say(run.clone(), PersonId::parse("demo_requester")?, Channel::Cli, text))
}

/// Waits until a run is idle, and shows what happens on the way.
async fn idle(
    worker: &WorkerHandle,
    screen: Screen,
    receipt: &Receipt,
    mood: Mood,
) -> Result<RunView, Failure> {
    if mood == Mood::Silent {
        return Ok(worker.idle(&receipt.run, &receipt.awaited).await?);
    }
    let view = follow(worker, screen, receipt).await?;
    tell(screen, &view)?;
    Ok(view)
}

/// The card is shown; somebody decides, or it stays where it is.
async fn at_the_gate(
    worker: &WorkerHandle,
    screen: Screen,
    case: &Case,
    view: RunView,
    mood: Mood,
) -> Result<RunView, Failure> {
    let choice = match mood {
        Mood::Asking => asked(screen, &view)?,
        Mood::Recorded | Mood::Silent => match case.recorded {
            Recorded::Confirms => Some(Choice::Approve),
            Recorded::LeavesItWaiting => None,
        },
    };
    let Some(choice) = choice else {
        if mood != Mood::Silent {
            screen.say("  It waits. Nothing was written, and nothing could be.");
        }
        return Ok(view);
    };
    let by = PersonId::parse("demo_approver")?;
    if mood == Mood::Recorded {
        let words = view.summary.approval.as_ref().map_or("", |open| open.headline.as_str());
        screen.say(&format!("  the recorded demo approver says yes: {words}"));
    }
    let read = worker.pending(&view.run).await?;
    let decision = Command::decide(view.run.clone(), by, Channel::Cli, read, choice);
    idle(worker, screen, &worker.submit(decision).await?, mood).await
}

/// Asks the person at the keyboard; nobody there leaves it waiting.
fn asked(screen: Screen, view: &RunView) -> Result<Option<Choice>, Failure> {
    let Some(card) = view.card.as_ref().filter(|_| screen.may_ask()) else { return Ok(None) };
    let (yes, no) = (card.buttons().approve.as_str(), card.buttons().decline.as_str());
    screen.say(&format!("\n  y      {yes}\n  n      {no}\n  Enter  leave it waiting"));
    loop {
        match screen.ask("  your decision:")?.to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(Choice::Approve)),
            "n" | "no" => {
                let reason = screen.ask("  why not:")?;
                return Ok(Some(Choice::Reject { reason }));
            }
            "" => return Ok(None),
            _ => screen.say("  y, n or Enter"),
        }
    }
}
