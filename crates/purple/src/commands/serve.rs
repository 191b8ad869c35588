//! Opening the HTTP door.

use std::net::SocketAddr;
use std::sync::Arc;

use purple_process::SessionId;
use purple_server::{IdMaker, NoId, OpenDoor, Server, ServerConfig, Skill};
use purple_worker::port::Clock;

use crate::cli::Serve;
use crate::commands::{Scene, runtime};
use crate::config::{Config, Flags};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::Shelf;
use crate::wire_up::{House, Purpose, fresh_run};

/// `purple serve`
pub(crate) fn run(scene: &Scene<'_>, args: &Serve) -> Result<Exit, Failure> {
    let mut flags: Flags = Vec::new();
    flags.extend(args.host.clone().map(|host| ("serve.host", "--host", host)));
    flags.extend(args.port.map(|port| ("serve.port", "--port", port.to_string())));
    flags.extend(args.card_url.clone().map(|url| ("serve.card_url", "--card-url", url)));
    let config = scene.config(flags)?;
    let purpose = if args.ephemeral { Purpose::Forget } else { Purpose::Act };
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let house = House::open(&config, scene.environment, purpose).await?;
        let served = match house.works_here() {
            true => serve(scene, &config, &house, args.ephemeral).await,
            false => Err(Failure::ServedElsewhere { folder: config.settings.data_dir.clone() }),
        };
        house.close().await?;
        served
    });
    runtime.shutdown_background();
    served
}

async fn serve(scene: &Scene<'_>, config: &Config, house: &House, ephemeral: bool) -> Result<Exit, Failure> {
    let set = &config.settings.serve;
    let address: SocketAddr = address(&set.host, set.port).await?;
    let mut server = ServerConfig::at(address);
    server.card_url = set.card_url.clone();
    server.skills = skills(config);
    let door = Arc::new(OpenDoor::on_loopback(scene.person()?));
    let ids = Arc::new(Ids(house.desk.clock.clone()));
    let server = Server::bind(server, house.desk.clone(), door, ids).await?;
    let screen = scene.screen;
    let url = format!("http://{}", server.address());
    if screen.is_json() {
        screen.record(
            &serde_json::json!({"url": url, "data": config.settings.data_dir, "ephemeral": ephemeral}),
        )?;
    } else {
        screen.line(&format!("A2A      {url}/"))?;
        screen.line(&format!("card     {url}/.well-known/agent-card.json"))?;
        screen.line(&format!("health   {url}/health"))?;
        let kept = if ephemeral {
            "nowhere: all of it is lost when this program ends".to_owned()
        } else {
            config.settings.data_dir.display().to_string()
        };
        screen.line(&format!("data     {kept}"))?;
        screen.line("access   open to everybody on this machine: no tokens are set up")?;
    }
    screen.next("purple inbox   (in another window)");
    server.run(asked_to_stop()).await?;
    Ok(Exit::Done)
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
fn skills(config: &Config) -> Vec<Skill> {
    let shelf = Shelf::fill(&config.settings);
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

struct Ids(Arc<dyn Clock>);

impl IdMaker for Ids {
    fn fresh(&self) -> Result<SessionId, NoId> {
        fresh_run(self.0.now()).map_err(|_| NoId)
    }
}
