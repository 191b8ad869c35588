//! Builds the house from the settings: the store, the engine, the worker and the tools, behind one worker.

pub(crate) mod anchor;
mod bucket;
mod callers;
mod configuration;
mod logins;
mod models;
mod operator;
mod post;
mod rehearsal;
mod world;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use purple_process::{Attendance, Mode, PersonId, SessionId};
use purple_sandbox::RhaiSandbox;
use purple_store::{Engine, LocalDoor, OpenError, Reader, Remote, Store};
use purple_worker::port::{Clock, Handler, Tokens};
use purple_worker::{Access, Client, ClientError, Notices, Ports, Worker, WorkerHandle, Workshop};
use ring::rand::{SecureRandom, SystemRandom};

pub(crate) use bucket::Bucket;
pub(crate) use callers::{TokenDoor, UntilFirstToken, is_loopback, made};
pub(crate) use configuration::{check_people, recorded, was_operator};
pub(crate) use logins::{login_store, logins};
pub(crate) use operator::{
    bare_amounts, each_server, manifest, processes, settings as worker_settings, tool_servers,
};
pub(crate) use post::push_rules;
pub(crate) use world::{SystemClock, clock};

use crate::account::account;
use crate::config::{Config, Environment};
use crate::failure::Failure;
use world::Sleep;

/// What a command wants of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Look at runs and journals.
    Look,
    /// Take events in and see them worked on.
    Act,
    /// The same, and everything is forgotten in the end.
    Forget,
    /// Take events in and see them worked on, with a lying model in the seat.
    Hostile,
    /// Take events in and see them worked on, with a model in the seat that knows only its prompt.
    Novice,
    /// Work on a task without writing anything, and forget it.
    Rehearse,
}

/// An open house.
pub(crate) struct House {
    /// What commands call.
    pub(crate) worker: WorkerHandle,
    at_work: Option<AtWork>,
    forgotten: Option<PathBuf>,
    /// The data folder, and where its anchor is kept outside it.
    anchored: Option<(PathBuf, anchor::Place)>,
}

/// What the HTTP door stands on.
pub(crate) struct Ground {
    pub(crate) store: Store,
    pub(crate) access: Access,
}

/// An engine that runs turns here, and the socket for commands beside it.
struct AtWork {
    engine: Engine,
    door: Option<LocalDoor>,
    access: Access,
}

impl House {
    /// Opens the house for one command of this person. Called inside a Tokio runtime.
    pub(crate) async fn open(
        config: &Config,
        environment: &Environment,
        purpose: Purpose,
        by: Option<PersonId>,
    ) -> Result<Self, Failure> {
        let folder = &config.settings.data_dir;
        match purpose {
            Purpose::Look => Ok(Self::of(reading(folder, config)?)),
            Purpose::Act | Purpose::Hostile | Purpose::Novice => {
                match Self::working(config, environment, folder, purpose, by).await {
                    // Another process works there: it takes the event in, and its data can be read from here.
                    Err(Failure::Open(OpenError::InUse { .. })) => {
                        let remote = Arc::new(Remote::connect(folder).await?);
                        let client =
                            Client { inbox: remote.clone(), brake: remote, ..client(folder, config)? };
                        Ok(Self::of(client.handle()))
                    }
                    opened => opened,
                }
            }
            Purpose::Forget | Purpose::Rehearse => {
                let folder = std::env::temp_dir().join(fresh_run(SystemClock.now())?.as_str());
                let house = Self::working(config, environment, &folder, purpose, by).await?;
                Ok(Self { forgotten: Some(folder), ..house })
            }
        }
    }

    /// Whether turns run here, and not in another process.
    pub(crate) fn works_here(&self) -> bool {
        self.at_work.is_some()
    }

    /// What the HTTP door stands on, where turns run here.
    pub(crate) fn ground(&self) -> Option<Ground> {
        let AtWork { engine, access, .. } = self.at_work.as_ref()?;
        Some(Ground { store: engine.store().clone(), access: *access })
    }

    /// Waits until nobody works in the folder, and works there.
    pub(crate) async fn take_over(config: &Config, environment: &Environment, by: Option<PersonId>) -> Self {
        const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(250);
        loop {
            tokio::time::sleep(LOOK_AGAIN).await;
            let folder = &config.settings.data_dir;
            let by = by.clone();
            if let Ok(house) = Self::working(config, environment, folder, Purpose::Act, by).await {
                return house;
            }
        }
    }

    fn of(worker: WorkerHandle) -> Self {
        Self { worker, at_work: None, forgotten: None, anchored: None }
    }

    async fn working(
        config: &Config,
        environment: &Environment,
        folder: &Path,
        purpose: Purpose,
        by: Option<PersonId>,
    ) -> Result<Self, Failure> {
        let mut settings = operator::settings(config)?;
        if purpose == Purpose::Rehearse {
            // Every operation waits for a person, and nobody will come: nothing is written.
            (settings.mode, settings.attendance) = (Mode::Always, Attendance::Attended);
            settings.notices = Notices::None;
        }
        let tools = Arc::new(tool_servers(config, environment)?);
        let clock = world::clock(config.settings.clock_start);
        let limits =
            purple_store::Settings { turns_max: config.settings.parallel_runs, ..Default::default() };
        let store = Store::open(folder, limits, clock.clone())?;
        match purpose {
            Purpose::Act | Purpose::Hostile | Purpose::Novice => {
                check_people(config, &store.settings().map_err(ClientError::from)?)?;
                let with_tokens = !store.tokens().map_err(ClientError::from)?.is_empty();
                let recorded = recorded(config, &settings, with_tokens);
                store.record_settings(recorded, by).await.map_err(ClientError::from)?;
            }
            // Its folder is removed in the end.
            Purpose::Look | Purpose::Forget | Purpose::Rehearse => {}
        }
        let shared = Arc::new(store.clone());
        let kept = match purpose {
            Purpose::Rehearse => rehearsal::Kept::open(&config.settings.data_dir)?,
            Purpose::Look | Purpose::Act | Purpose::Hostile | Purpose::Novice | Purpose::Forget => None,
        };
        // Who is who in a rehearsal is what it is for good.
        let tokens: Arc<dyn Tokens> = match &kept {
            Some(kept) => kept.reader(),
            None => shared.clone(),
        };
        settings.access = callers::access(config, tokens.as_ref())?;
        settings.endpoints_allowed = callers::endpoints_allowed(config, settings.access);
        let client = Client {
            inbox: shared.clone(),
            events: shared.clone(),
            blobs: shared.clone(),
            brake: shared.clone(),
            clock: clock.clone(),
            endpoints_allowed: settings.endpoints_allowed.clone(),
            account: account(),
        };
        let handle = client.handle();
        let outbox = post::outbox(config, &handle, &store, settings.access)?;
        let models = match purpose {
            Purpose::Hostile => Some(crate::commands::demo::liar::models()),
            Purpose::Novice => Some(crate::commands::demo::learning::models()),
            Purpose::Look | Purpose::Act | Purpose::Forget | Purpose::Rehearse => {
                models::models(config, environment, &clock)?
            }
        };
        let sandbox = Arc::new(RhaiSandbox::new(clock.clone()));
        let workshop = Some(Workshop { definitions: shared.clone(), sandbox });
        let mut ports = Ports {
            tools,
            blobs: shared.clone(),
            events: shared.clone(),
            memory: shared.clone(),
            directory: callers::directory(config, tokens, clock.clone(), settings.access),
            clock,
            pause: Arc::new(Sleep),
            models,
            workshop,
        };
        let access = settings.access;
        if let Some(kept) = &kept {
            // A rehearsal knows what the real runs left, and leaves nothing itself.
            ports.events = kept.reader();
            ports.memory = kept.reader();
            ports.workshop = kept.workshop(ports.workshop.take());
            ports.blobs = Arc::new(kept.blobs(shared.clone()));
        }
        let worker = Worker::new(ports, settings);
        let handler: Arc<dyn Handler> = match kept {
            Some(kept) => Arc::new(kept.rehearsing(worker)),
            None => Arc::new(worker),
        };
        let engine = Engine::start(store, handler, outbox);
        // Without the socket, commands in another window wait for this one; that is all.
        let door = LocalDoor::open(engine.store()).ok();
        let at_work = Some(AtWork { engine, door, access });
        let anchored = match purpose {
            Purpose::Act => anchor::place(config, environment).map(|place| (folder.to_owned(), place)),
            // What a demo or a rehearsal leaves is no evidence of anything.
            Purpose::Look | Purpose::Hostile | Purpose::Novice | Purpose::Forget | Purpose::Rehearse => None,
        };
        let house = Self { worker: handle, at_work, forgotten: None, anchored };
        house.anchor();
        Ok(house)
    }

    /// Writes the audit anchor outside the data folder anew, where there is a place for it.
    pub(crate) fn anchor(&self) {
        if let Some((folder, place)) = &self.anchored {
            // Without it the journal is as it was; `doctor` tells how old the anchor is.
            let _ = anchor::renew(folder, place);
        }
    }

    /// Closes it: what was accepted is durable, and what is being worked on stops at a safe place.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        let Self { worker, at_work, forgotten, anchored } = self;
        drop(worker);
        if let Some(AtWork { engine, door, .. }) = at_work {
            if let Some(door) = door {
                door.close().await;
            }
            let store = engine.store().clone();
            engine.stop().await.map_err(ClientError::from)?;
            store.close().await.map_err(ClientError::from)?;
        }
        if let Some((folder, place)) = anchored {
            // Without it the journal is as it was; `doctor` tells how old the anchor is.
            let _ = anchor::renew(&folder, &place);
        }
        if let Some(folder) = forgotten {
            // It is in the folder for temporary files, and holds no run of anybody.
            let _ = std::fs::remove_dir_all(folder);
        }
        Ok(())
    }
}

/// What is kept, to be read. Works beside a running server.
pub(crate) fn reader(folder: &Path) -> Result<Reader, Failure> {
    Reader::open(folder).map_err(|error| match error {
        OpenError::Missing { folder } => Failure::NothingYet { folder },
        other => Failure::Open(other),
    })
}

/// A handle with which everything can be read and nothing done.
pub(crate) fn reading(folder: &Path, config: &Config) -> Result<WorkerHandle, Failure> {
    Ok(client(folder, config)?.handle())
}

/// A client over what is stored. It accepts nothing.
fn client(folder: &Path, config: &Config) -> Result<Client, Failure> {
    let reader = Arc::new(reader(folder)?);
    let clock = world::clock(config.settings.clock_start);
    let access = callers::access(config, reader.as_ref())?;
    let endpoints_allowed = callers::endpoints_allowed(config, access);
    let (inbox, events, blobs, brake) = (reader.clone(), reader.clone(), reader.clone(), reader);
    Ok(Client { inbox, events, blobs, brake, clock, endpoints_allowed, account: account() })
}

/// A new run's id: it sorts by time, and nobody guesses it.
pub(crate) fn fresh_run(now: Timestamp) -> Result<SessionId, Failure> {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut random = [0_u8; 12];
    SystemRandom::new().fill(&mut random).map_err(|_| Failure::NoRandomness)?;
    let letter = |five_bits: u8| char::from(ALPHABET[usize::from(five_bits & 31)]);
    let ms = u64::try_from(now.as_millisecond()).unwrap_or_default();
    let mut id = String::from("run_");
    id.extend((0..9).rev().map(|place| letter(u8::try_from(ms >> (place * 5) & 31).unwrap_or_default())));
    id.extend(random.iter().map(|byte| letter(*byte)));
    Ok(SessionId::parse(&id)?)
}
