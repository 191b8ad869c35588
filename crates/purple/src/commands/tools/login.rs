//! Logging in to a tool server with a browser, and forgetting it again.

use std::time::Duration;

use purple_tools::{Consent, Keep as _, LoggedIn, LoginFailed, NoConsent};
use purple_worker::port::{BoxFuture, Tools as _, ToolsAt};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::commands::{Scene, runtime};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::Screen;
use crate::wire_up::{login_store, tool_servers};

/// How long a person has to log in.
const LOGIN_WITHIN: Duration = Duration::from_secs(300);
/// How long a browser has to say what it wants.
const REQUEST_WITHIN: Duration = Duration::from_secs(10);
/// The longest request of a browser that is read, in bytes.
const REQUEST_BYTES_MAX: usize = 16 * 1024;
/// Where the browser is sent back to.
const BACK: &str = "/back";

/// `purple tools login SERVER`
pub(super) fn log_in(scene: &Scene<'_>, config: &Config, server: &str) -> Result<Exit, Failure> {
    let port = configured(config, server)?;
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let servers = tool_servers(config, scene.environment)?;
        let refused = |cause| Failure::NoRedirect { port, cause };
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(refused)?;
        let redirect = format!("http://{}{BACK}", listener.local_addr().map_err(refused)?);
        let browser = Browser { screen: scene.screen, listener, redirect };
        let came = tokio::select! {
            came = servers.log_in(server, &browser) => came?,
            _ = tokio::signal::ctrl_c() => return Err(Failure::Interrupted),
        };
        if came == LoggedIn::NotNeeded {
            return tell(scene, server, false, None);
        }
        let listed = servers.list(&ToolsAt::Configured).await;
        let offered = listed.map(|listing| listing.tools.iter().filter(|tool| tool.server == server).count());
        tell(scene, server, true, offered.ok())
    });
    runtime.shutdown_background();
    done
}

fn tell(scene: &Scene<'_>, server: &str, logged_in: bool, tools: Option<usize>) -> Result<Exit, Failure> {
    if scene.screen.is_json() {
        scene.screen.record(&json!({"server": server, "logged_in": logged_in, "tools": tools}))?;
        return Ok(Exit::Done);
    }
    scene.screen.line(&match (logged_in, tools) {
        (false, _) => format!("`{server}` names no authorization server: it wants no login"),
        (true, Some(tools)) => format!("logged in to `{server}`, which offers {tools} tools"),
        (true, None) => format!("logged in to `{server}`, which does not list its tools"),
    })?;
    scene.screen.next("purple tools list");
    Ok(Exit::Done)
}

/// `purple tools logout SERVER`
pub(super) fn log_out(scene: &Scene<'_>, config: &Config, server: &str) -> Result<Exit, Failure> {
    configured(config, server)?;
    let forgotten = login_store(config).forget(server)?;
    if scene.screen.is_json() {
        scene.screen.document(&json!({"server": server, "forgotten": forgotten}))?;
    } else if forgotten {
        scene.screen.line(&format!("the login at `{server}` is forgotten here"))?;
        scene
            .screen
            .say("What it allowed can be taken back where it was given, at the authorization server.");
    } else {
        scene.screen.line(&format!("there is no login at `{server}`"))?;
    }
    Ok(Exit::Done)
}

/// The port for the way back to this machine.
fn configured(config: &Config, server: &str) -> Result<u16, Failure> {
    let servers = &config.settings.servers;
    let found = servers.get(server).map(|found| found.oauth.redirect_port);
    found.ok_or_else(|| Failure::Login(LoginFailed::NoServer { server: server.to_owned() }))
}

/// A person with a browser on this machine.
struct Browser {
    screen: Screen,
    listener: TcpListener,
    redirect: String,
}

impl Consent for Browser {
    fn redirect(&self) -> String {
        self.redirect.clone()
    }

    fn ask<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<String, NoConsent>> {
        Box::pin(async move {
            let why = |why: String| NoConsent { why };
            let shown = if self.screen.is_json() {
                self.screen.record(&json!({"open": address}))
            } else {
                self.screen.say("Open this in a browser on this machine, and agree there:");
                self.screen.line(address)
            };
            shown.map_err(|failure| why(failure.to_string()))?;
            let back = tokio::time::timeout(LOGIN_WITHIN, self.back()).await;
            back.map_err(|_| why(format!("nobody came within {} s", LOGIN_WITHIN.as_secs())))
        })
    }
}

impl Browser {
    /// Waits for a browser that comes to the right place. Others are shown the door.
    async fn back(&self) -> String {
        loop {
            let Ok((mut stream, _)) = self.listener.accept().await else { continue };
            let asked = tokio::time::timeout(REQUEST_WITHIN, target(&mut stream)).await;
            let query = asked.ok().flatten().and_then(|target| query_of(&target).map(str::to_owned));
            let (status, words) = match &query {
                Some(_) => ("200 OK", "Thank you. Purple has what it needs; this window can be closed."),
                None => ("404 Not Found", "There is nothing here."),
            };
            let length = words.len();
            let page = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
                 Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{words}"
            );
            let _ = stream.write_all(page.as_bytes()).await;
            let _ = stream.shutdown().await;
            if let Some(query) = query {
                return format!("{}?{query}", self.redirect);
            }
        }
    }
}

/// The query of a request for the place to which people are sent back.
fn query_of(target: &str) -> Option<&str> {
    target.strip_prefix(BACK)?.strip_prefix('?')
}

/// What the first line of a request asks for.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    let mut piece = [0_u8; 1024];
    while !read.contains(&b'\n') {
        let length = stream.read(&mut piece).await.ok().filter(|length| *length > 0)?;
        read.extend_from_slice(piece.get(..length)?);
        if read.len() > REQUEST_BYTES_MAX {
            return None;
        }
    }
    let line = read.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    (words.next()? == "GET").then(|| words.next().map(str::to_owned)).flatten()
}
