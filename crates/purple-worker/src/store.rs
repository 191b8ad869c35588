//! The last arrow: keeps the answer, remembers the outcome, saves the session with its summary.

use purple_process::{Ending, State};
use serde_json::json;

use crate::card::approval_id;
use crate::drive::DIGEST_TIMER;
use crate::port::{Checkpoint, TurnFailed};
use crate::reflect::Reflected;
use crate::session::{SCHEMA, Session, Stage};
use crate::view::{OpenApproval, OpenDoubt, Status, Summary};

/// Saves what a turn made. It commits with the end of the turn.
pub(crate) fn store(reflected: Reflected<'_>) -> Result<(), TurnFailed> {
    let Reflected { mut run, answer, learned } = reflected;
    let answered = answer.is_some();
    if let Some(answer) = answer {
        let hash = run.keep("answer", &answer)?;
        run.session.answer = Some(hash);
        if learned.is_some() {
            run.session.final_answer = Some(hash);
        }
        let data = &answer.data;
        run.scribe.note(
            if learned.is_some() { "run.ended" } else { "run.answered" },
            json!({
                "ending": data.ending, "answer": hash, "code": data.code, "quality": data.quality,
                "took_ms": data.took_ms, "round": run.session.walk.round(),
            }),
        )?;
    }
    if let Some(case) = learned {
        run.scribe.turn.learn(case)?;
    }
    // After the answer, in a turn of its own: nobody waits for it.
    if answered && run.has_models() && run.session.conversation.older().is_some() {
        run.wake(DIGEST_TIMER, std::time::Duration::ZERO)?;
    }
    // An attempt that was interrupted has no such entry.
    run.scribe.note("turn.ended", json!({"state": run.session.walk.state()}))?;
    run.session.high_water = run.session.high_water.max(run.scribe.now());
    let summary = summary(&run.session);
    let unreadable =
        |error: serde_json::Error| TurnFailed::Unreadable { what: "session", why: error.to_string() };
    let checkpoint = Checkpoint {
        schema: SCHEMA,
        body: serde_json::to_value(&run.session).map_err(unreadable)?,
        summary: serde_json::to_value(&summary).map_err(unreadable)?,
    };
    Ok(run.scribe.turn.save(checkpoint)?)
}

/// The session at a glance.
fn summary(session: &Session) -> Summary {
    let (status, approval, doubt) = match &session.stage {
        Stage::Preparing => (Status::Working, None, None),
        Stage::Asking { .. } => (Status::Waiting, None, None),
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
                (Status::InDoubt, None, Some(OpenDoubt { step, headline, why: open.why.clone() }))
            }
            (_, Some(_)) => (Status::Halted, None, None),
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
    }
}
