//! A run performed again from its journal says the same; one whose journal was changed does not.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod house;

use std::sync::Arc;

use house::{Door, House, person, session, settings};
use purple_journal::record::plan::Plan;
use purple_journal::{Record, Redacted};
use purple_process::Ending;
use purple_worker::port::{BoxFuture, EngineError, Events, Recorded, SessionId, SessionRow};
use purple_worker::{Archive, Replayed, replay};

const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";

async fn again(house: &House, events: Arc<dyn Events>, run: &str) -> Replayed {
    let calls = house.ledger().calls.len();
    let archive =
        Archive { events, blobs: house.worker.blobs.clone(), directory: house.staff.clone(), sandbox: None };
    let replayed = replay(&archive, &house.settings, &session(run)).await.unwrap();
    assert_eq!(house.ledger().calls.len(), calls, "a replay calls no tool");
    replayed
}

#[tokio::test]
async fn runs_with_a_gate_a_refused_write_and_a_halt_are_the_same_when_performed_again() {
    let house = House::open(Door::Streams, settings(), &["send_sla_breach_notification:fail"]).await;
    house.task("order", ORDER).await;
    house.worker.halt(None, person("alex"), "stock-taking".to_owned()).await.unwrap();
    house.say("order", "alex", "Confirmed, proceed").await;
    house.worker.resume(None, person("alex")).await.unwrap();
    assert_eq!(house.still(&session("order")).await.summary.ending, Some(Ending::Done));
    house.task("sla", SLA).await;
    for run in ["order", "sla"] {
        let replayed = again(&house, house.worker.events.clone(), run).await;
        assert_eq!(replayed.difference, None);
        assert_eq!(replayed.entries as u64, house.worker.view(&session(run)).await.unwrap().entries);
        assert!(replayed.turns > 2, "{replayed:?}");
    }
}

/// A journal in which one figure was changed, behind a chain that nobody looks at.
struct Changed(Arc<dyn Events>);

impl Events for Changed {
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>> {
        Box::pin(async move {
            let mut entries = self.0.since(session, seq, limit).await?;
            for one in &mut entries {
                if let Record::Plan(Plan::Figures(figures)) = &mut one.entry.record {
                    figures.figures[1].value = Redacted::of("9999.00 USD");
                }
            }
            Ok(entries)
        })
    }

    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>> {
        self.0.changed(session, seq)
    }

    fn sessions<'a>(
        &'a self,
        cursor: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>> {
        self.0.sessions(cursor, limit)
    }

    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>> {
        self.0.session(session)
    }
}

#[tokio::test]
async fn a_journal_that_tells_another_figure_differs_at_that_entry() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    house.task("sla", SLA).await;
    let replayed = again(&house, Arc::new(Changed(house.worker.events.clone())), "sla").await;
    let (kind, _) = replayed.difference.unwrap().recorded.unwrap();
    assert_eq!(kind, "figures");
}
