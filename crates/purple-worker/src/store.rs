//! The last arrow: keeps the answer, remembers the outcome, saves the session with its summary.

use purple_process::{Ending, State};
use serde_json::json;

use crate::card::approval_id;
use crate::drive::DIGEST_TIMER;
use crate::port::{BlobHash, Checkpoint, TURN_ENDED, TurnFailed};
use crate::reflect::{Learned, Reflected};
use crate::run::Run;
use crate::session::{SCHEMA, Session, Stage};
use crate::view::{OpenApproval, OpenDoubt, Status, Summary};

/// Saves what a turn made. It commits with the end of the turn.
pub(crate) async fn store(reflected: Reflected<'_>) -> Result<(), TurnFailed> {
    let Reflected { mut run, answer, learned } = reflected;
    let answered = answer.is_some();
    let (ended, score, lesson) = match learned {
        Learned::NoEnd => (false, None, None),
        Learned::Ended { score, lesson } => (true, score, lesson),
    };
    let score = score.map(|score| {
        json!({"answer": score.answer.to_string(), "tools": score.tools.to_string(),
            "policy": score.policy.to_string(), "arm": run.session.arm})
    });
    if let Some(answer) = answer {
        let hash = run.keep("answer", &answer)?;
        run.session.answer = Some(hash);
        if ended {
            run.session.final_answer = Some(hash);
        }
        let data = &answer.data;
        run.scribe.note(
            if ended { "run.ended" } else { "run.answered" },
            json!({
                "ending": data.ending, "answer": hash, "code": data.code, "quality": data.quality,
                "took_ms": data.took_ms, "round": run.session.walk.round(), "score": score,
            }),
        )?;
    }
    if let Some(lesson) = lesson {
        for later in lesson.scores.iter().filter(|score| score.round != run.session.round()) {
            run.scribe.note(
                "run.rescored",
                json!({"of_round": later.round, "cause": later.cause, "score": {"points": later.points}}),
            )?;
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
        summary: serde_json::to_value(&summary).map_err(unreadable)?,
    };
    let saved = run.scribe.turn.save(checkpoint)?;
    // An attempt that was interrupted has no such entry. It names what no other entry of the turn did.
    let mut end = json!({"state": run.session.walk.state(), "saved": saved});
    let kept = unnamed(&run);
    if let Some(end) = end.as_object_mut().filter(|_| !kept.is_empty()) {
        end.insert("kept".to_owned(), json!(kept));
    }
    run.scribe.note(TURN_ENDED, end)
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
