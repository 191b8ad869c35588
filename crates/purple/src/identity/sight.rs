//! Which runs somebody at the command line sees: what they asked for, what they decide about, or all of them.

use std::sync::Arc;

use purple_journal::record::plan::Plan;
use purple_journal::{Record, Redacted};
use purple_process::{PersonId, SessionId};
use purple_worker::port::view::Decides;
use purple_worker::port::{
    AcceptedTask, BoxFuture, DoorRole, EngineError, Events, Recorded, SessionRow, ShowRow, WorkerClient,
};
use purple_worker::{Awaited, ClientError, Command, Receipt, Summary, WorkerHandle};

use crate::account::owns;
use crate::config::{Config, Environment};
use crate::failure::Failure;
use crate::identity::{SignedIn, Speaker, decides, speaker};

/// What somebody sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Every run: a one-person set-up, an operator, an auditor, or whoever owns the data folder and is nobody here.
    All,
    /// Their own runs, and those that wait for one of the roles in which they decide.
    Own { person: PersonId, decides: Decides },
}

/// What whoever is speaking sees.
pub(crate) fn sight(
    config: &Config,
    environment: &Environment,
    said: Option<&str>,
) -> Result<Sight, Failure> {
    let Speaker { person, how } = match speaker(config, environment, said) {
        Ok(speaker) => speaker,
        // The files are theirs: nothing that this program does can hide from them what is in them.
        // And where a token was changed behind its back, they are to see which.
        Err(
            Failure::NotSignedIn { .. } | Failure::Client(ClientError::Engine(EngineError::Damaged { .. })),
        ) if owns(&config.settings.data_dir) => return Ok(Sight::All),
        Err(other) => return Err(other),
    };
    let entry = config.settings.people.entries.get(&person);
    let holds = |role: DoorRole| {
        let named = entry.is_some_and(|entry| entry.roles.iter().any(|one| one.as_str() == role.name()));
        named || matches!(&how, SignedIn::Token { roles, .. } if roles.contains(&role))
    };
    if how == SignedIn::Keyboard || holds(DoorRole::Operator) || holds(DoorRole::Auditor) {
        return Ok(Sight::All);
    }
    let decides = decides(config, &person)?;
    Ok(Sight::Own { person, decides })
}

impl Sight {
    /// The worker as they see it: the runs that they may not see are not there.
    pub(crate) fn over(self, worker: WorkerHandle) -> WorkerHandle {
        if self == Self::All {
            return worker;
        }
        let (client, events) = (worker.client.clone(), worker.events.clone());
        let seen = Arc::new(Seen { sight: self, client, events });
        WorkerHandle { client: seen.clone(), events: seen, ..worker }
    }

    fn sees(&self, row: &SessionRow) -> bool {
        let Self::Own { person, decides } = self else { return true };
        match serde_json::from_value::<Summary>(row.summary.clone()) {
            Ok(summary) => {
                let is_theirs = summary.requester == *person || summary.decided_by.contains(person);
                is_theirs || summary.waits_for(decides)
            }
            // It was taken in and has had no turn yet.
            Err(_) => AcceptedTask::read(row).is_some_and(|taken| taken.taken_from == *person),
        }
    }
}

/// A worker whose other runs are not there.
struct Seen {
    sight: Sight,
    client: Arc<dyn WorkerClient>,
    events: Arc<dyn Events>,
}

impl Seen {
    /// Whether there is such a run and it may not be seen.
    async fn hides(&self, run: &SessionId) -> Result<bool, EngineError> {
        Ok(self.events.session(run).await?.is_some_and(|row| !self.sight.sees(&row)))
    }

    /// That the same work was taken up may be told, and not by which run of somebody else.
    async fn unname(&self, recorded: &mut Recorded) -> Result<(), EngineError> {
        let Record::Plan(Plan::KeyTaken(taken)) = &mut recorded.entry.record else { return Ok(()) };
        let Ok(run) = SessionId::parse(taken.by.as_str()) else { return Ok(()) };
        if self.session(&run).await?.is_none() {
            taken.by = Redacted::of("another run");
        }
        Ok(())
    }

    async fn allowed(&self, run: &SessionId) -> Result<(), ClientError> {
        match self.hides(run).await? {
            true => Err(ClientError::NoSuchRun { run: run.to_string() }),
            false => Ok(()),
        }
    }
}

impl Events for Seen {
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>> {
        Box::pin(async move {
            if self.hides(session).await? {
                return Ok(Vec::new());
            }
            let mut entries = self.events.since(session, seq, limit).await?;
            for entry in &mut entries {
                self.unname(entry).await?;
            }
            Ok(entries)
        })
    }

    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>> {
        self.events.changed(session, seq)
    }

    fn sessions<'a>(
        &'a self,
        cursor: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>> {
        Box::pin(async move {
            let (mut found, mut cursor) = (Vec::new(), cursor.cloned());
            while found.len() < limit {
                let rows = self.events.sessions(cursor.as_ref(), limit).await?;
                let is_last = rows.len() < limit;
                cursor = rows.last().map(|row| row.session.clone());
                found.extend(rows.into_iter().filter(|row| self.sight.sees(row)));
                if is_last {
                    break;
                }
            }
            found.truncate(limit);
            Ok(found)
        })
    }

    fn each<'a>(&'a self, mut show: ShowRow) -> BoxFuture<'a, Result<(), EngineError>> {
        let sight = self.sight.clone();
        self.events.each(Box::new(move |row| {
            if sight.sees(&row) {
                show(row);
            }
        }))
    }

    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>> {
        Box::pin(async move {
            let found = self.events.session(session).await?;
            Ok(found.filter(|row| self.sight.sees(row)))
        })
    }
}

impl WorkerClient for Seen {
    fn submit(&self, command: Command) -> BoxFuture<'_, Result<Receipt, ClientError>> {
        Box::pin(async move {
            self.allowed(&command.run).await?;
            self.client.submit(command).await
        })
    }

    fn idle<'a>(
        &'a self,
        run: &'a SessionId,
        awaited: &'a Awaited,
    ) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(async move {
            self.allowed(run).await?;
            self.client.idle(run, awaited).await
        })
    }

    fn halt(
        &self,
        process: Option<String>,
        by: PersonId,
        reason: String,
    ) -> BoxFuture<'_, Result<(), ClientError>> {
        self.client.halt(process, by, reason)
    }

    fn resume(&self, process: Option<String>, by: PersonId) -> BoxFuture<'_, Result<bool, ClientError>> {
        self.client.resume(process, by)
    }
}
