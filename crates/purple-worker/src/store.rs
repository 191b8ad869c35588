//! The last arrow: keeps the answer, remembers the outcome, saves the session with its summary.

use purple_journal::record::{run, turn};
use purple_journal::word::{Points, Score};
use purple_journal::{Clean, Redacted};
use purple_process::{Ending, State};

use crate::card::approval_id;
use crate::drive::DIGEST_TIMER;
use crate::port::{BlobHash, Checkpoint, TurnFailed};
use crate::reflect::{Learned, Reflected};
use crate::run::Run;
use crate::session::{SCHEMA, Session, Stage};
use crate::view::{AnswerData, OpenApproval, OpenDoubt, Status, Summary};

/// Saves what a turn made. It commits with the end of the turn.
pub(crate) async fn store(reflected: Reflected<'_>) -> Result<(), TurnFailed> {
    let Reflected { mut run, answer, learned } = reflected;
    let answered = answer.is_some();
    let (ended, score, lesson) = match learned {
        Learned::NoEnd => (false, None, None),
        Learned::Ended { score, lesson } => (true, score, lesson),
    };
    let score = score.map(|score| Score {
        answer: Redacted::of(&score.answer),
        tools: Redacted::of(&score.tools),
        policy: Redacted::of(&score.policy),
        arm: run.session.arm,
    });
    if let Some(answer) = answer {
        let hash = run.keep("answer", &Clean::of(&answer))?;
        run.session.answer = Some(hash);
        if ended {
            run.session.final_answer = Some(hash);
        }
        let AnswerData { ending, code, quality, took_ms, .. } = answer.data;
        let (code, quality) = (code.as_ref().map(Redacted::of), quality.as_ref().map(Redacted::of));
        let (answer, round) = (hash, run.session.walk.round());
        let answered = run::Answered { ending, answer, code, quality, took_ms, round, score };
        if ended {
            run.scribe.note(run::Ended::from(answered))?;
        } else {
            run.scribe.note(answered)?;
        }
    }
    if let Some(lesson) = lesson {
        for later in lesson.scores.iter().filter(|score| score.round != run.session.round()) {
            let (cause, score) = (Redacted::of(&later.cause), Points { points: later.points });
            run.scribe.note(run::Rescored { of_round: later.round, cause, score })?;
        }
        run.plan_facts(&lesson).await?;
        run.scribe.turn.learn(*lesson)?;
    }
    // After the answer, in a turn of its own: nobody waits for it.
    if answered && run.has_models() && run.session.conversation.older().is_some() {
        run.wake(DIGEST_TIMER, std::time::Duration::ZERO)?;
    }
    run.session.high_water = run.session.high_water.max(run.scribe.now());
    let summary = summary(&run.session);
    let unreadable =
        |error: serde_json::Error| TurnFailed::Unreadable { what: "session", why: error.to_string() };
    let checkpoint = Checkpoint {
        schema: SCHEMA,
        body: serde_json::to_value(&run.session).map_err(unreadable)?,
        summary: Clean::of(&summary).into_value(),
    };
    let saved = run.scribe.turn.save(checkpoint)?;
    // An attempt that was interrupted has no such entry. It names what no other entry of the turn did.
    let kept = Some(unnamed(&run)).filter(|kept| !kept.is_empty());
    run.scribe.note(turn::Ended { state: run.session.walk.state(), saved, kept })
}

/// What this turn kept and no entry of it names: the case, rules, plans that are asked later.
fn unnamed(run: &Run<'_>) -> Vec<BlobHash> {
    let mut kept: Vec<BlobHash> = Vec::new();
    for (hash, _) in &run.fresh {
        if !kept.contains(hash) && !run.scribe.has_named(hash) {
            kept.push(*hash);
        }
    }
    kept
}

/// The session at a glance.
fn summary(session: &Session) -> Summary {
    let (status, approval, doubt) = match &session.stage {
        Stage::Preparing => (Status::Working, None, None),
        Stage::Asking { .. } | Stage::Confirming { .. } => (Status::Waiting, None, None),
        Stage::Driving(driving) => match driving.waits {
            Some(_) => (Status::WaitingModel, None, None),
            None => (Status::Working, None, None),
        },
        Stage::Waiting(waiting) => {
            let open = OpenApproval {
                id: approval_id(waiting.hash),
                plan: waiting.hash,
                card: waiting.card,
                headline: waiting.headline.clone(),
                asks: waiting.asks.clone(),
                asked_at: waiting.asked_at,
                expires_at: waiting.expires_at,
            };
            (Status::Waiting, Some(open), None)
        }
        Stage::Running(running) => match (&running.open, &running.halted) {
            (Some(open), _) if open.in_doubt => {
                let (step, headline) = (open.step.clone(), open.headline.clone());
                (
                    Status::InDoubt,
                    None,
                    Some(OpenDoubt { step, headline, why: open.why.clone(), asks: running.asks.clone() }),
                )
            }
            (_, Some(_)) => (Status::Halted, None, None),
            (None, None) if running.inquiry.as_ref().is_some_and(|inquiry| inquiry.answers.is_none()) => {
                (Status::Waiting, None, None)
            }
            (Some(_) | None, None) => (Status::Working, None, None),
        },
        Stage::Closed { .. } => (Status::Closed, None, None),
    };
    let ending: Option<Ending> = session.walk.ending();
    let state: State = session.walk.state();
    Summary {
        status,
        state,
        ending,
        round: session.round(),
        title: session.title.clone(),
        process: session.chosen.as_ref().map(|chosen| chosen.process.clone()),
        requester: session.requester.clone(),
        mode: session.mode,
        approval,
        doubt,
        answer: session.answer,
        signed_by: session.chosen.as_ref().and_then(|chosen| chosen.signed_by.clone()),
        decided_by: session.decided_by.iter().cloned().collect(),
    }
}
