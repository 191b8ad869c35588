//! Opening the HTTP door.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use purple_otlp::{Exporter, Request, Requests};
use purple_process::{PersonId, SessionId};
use purple_server::{
    Doorman, IdMaker, NoId, OpenDoor, Ports, Readiness, Ready, RequestSpan, Server, ServerConfig, Skill,
    SpanContext, TlsFiles, Tracer,
};
use purple_store::{Intake, Store};
use purple_worker::learn::Switch;
use purple_worker::learn::carried::Carried;
use purple_worker::port::{Clock, Definitions as _};
use purple_worker::{Access, ClientError};
use tokio::sync::oneshot::Sender;
use tokio::task::JoinHandle;

use crate::cli::Serve;
use crate::commands::{Scene, learn, runtime};
use crate::config::{Config, Flags};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::Shelf;
use crate::wire_up::{
    Bucket, Ground, House, Purpose, SystemClock, TokenDoor, UntilFirstToken, fresh_run, is_loopback,
    push_rules,
};

/// `purple serve`
pub(crate) fn run(scene: &Scene<'_>, args: &Serve) -> Result<Exit, Failure> {
    let mut flags: Flags = Vec::new();
    flags.extend(args.host.clone().map(|host| ("serve.host", "--host", host)));
    flags.extend(args.port.map(|port| ("serve.port", "--port", port.to_string())));
    flags.extend(args.card_url.clone().map(|url| ("serve.card_url", "--card-url", url)));
    flags.extend(args.card_profile.clone().map(|profile| ("serve.card_profile", "--card-profile", profile)));
    let config = scene.config(flags)?;
    let purpose = if args.ephemeral { Purpose::Forget } else { Purpose::Act };
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let house = House::open(&config, scene.environment, purpose, scene.person(&config).ok()).await?;
        let served = serve(scene, &config, &house, args.ephemeral).await;
        house.close().await?;
        served
    });
    runtime.shutdown_background();
    served
}

async fn serve(scene: &Scene<'_>, config: &Config, house: &House, ephemeral: bool) -> Result<Exit, Failure> {
    let Some(ground) = house.ground() else {
        return Err(Failure::ServedElsewhere { folder: config.settings.data_dir.clone() });
    };
    let access = ground.access;
    seed(scene, config, &ground).await;
    let traces = traces(config, &ground)?;
    warn_of_lost_key(scene, &ground);
    let config_of_door = door(config, &ground).await?;
    let mut behind = ports(scene, config, house, ground)?;
    behind.tracer = traces.as_ref().map(|traces| Arc::new(Told(traces.requests.clone())) as Arc<dyn Tracer>);
    let server = Server::bind(config_of_door, behind).await?;
    let scheme = if server.is_secured() { "https" } else { "http" };
    let url = format!("{scheme}://{}", server.address());
    announce(scene, config, &url, access, ephemeral)?;
    scene.screen.next("purple inbox   (in another window)");
    let serving = server.run(asked_to_stop());
    tokio::pin!(serving);
    let mut hourly = tokio::time::interval(ANCHORED_EVERY);
    loop {
        tokio::select! {
            () = &mut serving => break,
            _ = hourly.tick() => house.anchor(),
        }
    }
    if let Some(Traces { stop, sending, requests: _ }) = traces {
        drop(stop);
        // What cannot be sent in time is dropped.
        let _ = tokio::time::timeout(LAST_TRACES_WITHIN, sending).await;
    }
    Ok(Exit::Done)
}

/// Takes up what others learned, once. What cannot be had is told, and nothing waits for it.
async fn seed(scene: &Scene<'_>, config: &Config, ground: &Ground) {
    if config.settings.learning.switch == Switch::Off {
        return;
    }
    let now = SystemClock.now();
    let warn = |place: &str, why: &dyn std::fmt::Display| {
        scene.screen.say(&format!("purple: warning: nothing was learned from {place}: {why}"));
    };
    if let Some(folder) = &config.settings.learning_dir {
        match learn::read(folder, now) {
            Ok(carried) => take(scene, config, ground, &folder.display().to_string(), carried).await,
            // A folder that is only exported to is empty at first.
            Err(Failure::NoSeed { folder }) if folder.is_dir() => {}
            Err(Failure::NoSeed { folder }) => {
                warn(&folder.display().to_string(), &"there is no such folder")
            }
            Err(failure) => warn(&folder.display().to_string(), &failure),
        }
    }
    if let Some(name) = &config.settings.learning_bucket {
        let read = match Bucket::of(name, scene.environment) {
            Ok(bucket) => bucket.carried(now).await,
            Err(error) => Err(error),
        };
        match read {
            Ok(carried) => take(scene, config, ground, &format!("s3://{name}"), carried).await,
            Err(error) => warn(&format!("s3://{name}"), &error),
        }
    }
}

async fn take(scene: &Scene<'_>, config: &Config, ground: &Ground, place: &str, carried: Carried) {
    let by = match scene.person(config) {
        Ok(by) => by,
        Err(failure) => return scene.screen.say(&format!("purple: warning: {failure}")),
    };
    match ground.store.import_once(carried, config.settings.learning.cases_max, by).await {
        Ok(Some(taken)) => scene.screen.say(&format!("learned from {place}: {} rows", taken.rows)),
        Ok(None) => {}
        Err(error) => {
            scene.screen.say(&format!("purple: warning: nothing was learned from {place}: {error}"));
        }
    }
}

/// How often the audit anchor is written while the server runs.
const ANCHORED_EVERY: Duration = Duration::from_secs(60 * 60);

/// How long the last traces may take to be sent.
const LAST_TRACES_WITHIN: Duration = Duration::from_secs(5);

/// Sends traces in the background, where a collector is set. It ends when the sender is dropped.
fn traces(config: &Config, ground: &Ground) -> Result<Option<Traces>, Failure> {
    let Some(endpoint) = &config.settings.serve.otlp_endpoint else { return Ok(None) };
    let exporter = Exporter::new(Arc::new(ground.store.clone()), endpoint)?;
    let requests = exporter.requests();
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let sending = tokio::spawn(exporter.run(async move {
        let _ = stopped.await;
    }));
    Ok(Some(Traces { stop, sending, requests }))
}

/// Traces on their way.
struct Traces {
    stop: Sender<()>,
    sending: JoinHandle<()>,
    requests: Requests,
}

/// Tells the exporter of requests: the door knows nothing of collectors, and traces nothing of doors.
struct Told(Requests);

impl Tracer for Told {
    fn leads_to(&self, session: &SessionId, at: jiff::Timestamp, request: &SpanContext) {
        self.0.leads_to(session, at, &request.trace, &request.span);
    }

    fn served(&self, request: RequestSpan) {
        let RequestSpan { at, parent, began, ended, method, message, task, conversation, state, error } =
            request;
        let known = [
            ("a2a.message.id", message),
            ("a2a.task.id", task),
            ("a2a.task.state", state.map(str::to_owned)),
            ("gen_ai.conversation.id", conversation),
        ];
        let attributes = known.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let (trace, span) = (at.trace, at.span);
        self.0.served(Request { trace, span, parent, began, ended, method, attributes, error });
    }
}

/// A database that came from a backup may lack the key that hides how to reach those who want to be told.
fn warn_of_lost_key(scene: &Scene<'_>, ground: &Ground) {
    let unopened = ground.store.unopened_watchers();
    if unopened > 0 {
        scene.screen.say(&format!(
            "purple: warning: {unopened} notification targets cannot be opened, because `watchers.key` is not the key that hid them; they are not notified until their callers set them again"
        ));
    }
}

/// What the operator set about the door.
async fn door(config: &Config, ground: &Ground) -> Result<ServerConfig, Failure> {
    let set = &config.settings.serve;
    let mut server = ServerConfig::at(address(&set.host, set.port).await?);
    server.card_url = set.card_url.clone();
    let definitions = ground.store.definitions().await.map_err(ClientError::from)?;
    server.skills = skills(&Shelf::fill(&config.settings).with(&definitions, config));
    server.card_profile = set.card_profile;
    server.pause_as = set.pause_as;
    server.answer_within = set.answer_within;
    server.requests_per_minute = set.requests_per_minute;
    server.tls = set.tls.clone().map(|(certificate, key)| TlsFiles { certificate, key });
    server.push = push_rules(config, ground.access);
    Ok(server)
}

/// What is behind the door.
fn ports(scene: &Scene<'_>, config: &Config, house: &House, ground: Ground) -> Result<Ports, Failure> {
    let (worker, store) = (house.worker.clone(), Arc::new(ground.store));
    let tokens = TokenDoor::new(config, store.clone(), worker.clock.clone());
    let doorman: Arc<dyn Doorman> = match ground.access {
        Access::Local => Arc::new(UntilFirstToken::new(OpenDoor::on_loopback(scene.person(config)?), tokens)),
        // Whoever calls is nobody in particular, unless the operator says in whose name they come.
        Access::Open => {
            let anybody = || PersonId::parse("anybody").map_err(Failure::from);
            Arc::new(OpenDoor::anywhere(scene.person(config).or_else(|_| anybody())?))
        }
        Access::Tokens => Arc::new(tokens),
    };
    let ids = Arc::new(Ids(worker.clock.clone()));
    let readiness = Arc::new(Intaking(store.as_ref().clone()));
    let ports = Ports::new(worker, doorman, ids);
    Ok(Ports { watchers: Some(store.clone()), figures: Some(store), readiness: Some(readiness), ..ports })
}

fn announce(
    scene: &Scene<'_>,
    config: &Config,
    url: &str,
    access: Access,
    ephemeral: bool,
) -> Result<(), Failure> {
    let screen = scene.screen;
    if access == Access::Open {
        screen.say("purple: warning: `auth = \"open\"`: whoever reaches this address may do everything, and no record says who it was");
    }
    if config.settings.serve.card_url.is_none() && !is_loopback(&config.settings.serve.host) {
        screen.say(&format!("purple: warning: the agent card says `{url}`, which others cannot reach; give the address that they call with `--card-url`"));
    }
    if access == Access::Tokens
        && config.settings.serve.tls.is_none()
        && !is_loopback(&config.settings.serve.host)
    {
        screen.say("purple: warning: tokens travel unencrypted without `serve.tls_certificate`, unless a proxy in front speaks TLS");
    }
    let word = match access {
        Access::Local => "local",
        Access::Tokens => "tokens",
        Access::Open => "open",
    };
    if screen.is_json() {
        let data = &config.settings.data_dir;
        let told = serde_json::json!({"url": url, "data": data, "ephemeral": ephemeral, "access": word});
        screen.record(&told)?;
        return Ok(());
    }
    screen.line(&format!("A2A      {url}/"))?;
    screen.line(&format!("card     {url}/.well-known/agent-card.json"))?;
    screen.line(&format!("health   {url}/health"))?;
    screen.line(&format!("metrics  {url}/metrics"))?;
    let kept = if ephemeral {
        "nowhere: all of it is lost when this program ends".to_owned()
    } else {
        config.settings.data_dir.display().to_string()
    };
    screen.line(&format!("data     {kept}"))?;
    screen.line(match access {
        Access::Local => "access   open to everybody on this machine: no tokens are set up",
        Access::Tokens => "access   by bearer token: `purple token list` shows them",
        Access::Open => "access   open to everybody who reaches it: `auth = \"open\"`",
    })?;
    Ok(())
}

/// Ends when somebody presses Ctrl-C or the system asks the program to end.
async fn asked_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

async fn address(host: &str, port: u16) -> Result<SocketAddr, Failure> {
    let unknown = || Failure::NoSuchHost { host: host.to_owned() };
    tokio::net::lookup_host((host, port)).await.map_err(|_| unknown())?.next().ok_or_else(unknown)
}

/// One skill for each process: what a caller can ask for.
fn skills(shelf: &Shelf) -> Vec<Skill> {
    shelf
        .processes
        .iter()
        .map(|one| Skill {
            id: one.process.name().to_owned(),
            name: one.process.title().to_owned(),
            description: one.process.title().to_owned(),
            tags: one.process.keywords().to_vec(),
            examples: Vec::new(),
        })
        .collect()
}

/// Whether the store takes something in.
struct Intaking(Store);

impl Readiness for Intaking {
    fn readiness(&self) -> Ready {
        match self.0.intake() {
            Intake::Open => Ready::Yes,
            Intake::Full => Ready::Full,
            Intake::Closing | Intake::Failed { .. } => Ready::Storage,
        }
    }
}

struct Ids(Arc<dyn Clock>);

impl IdMaker for Ids {
    fn fresh(&self) -> Result<SessionId, NoId> {
        fresh_run(self.0.now()).map_err(|_| NoId)
    }
}
