//! The worker's port: all configured servers, and those at URLs that came with requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use purple_port::{
    BadArguments, BoxFuture, CallOptions, Called, Definition, Listing, Pass, Still, ToolName, Tools, ToolsAt,
    ToolsDown, Values,
};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::addresses::{Guard, Reach};
use crate::arguments::Checker;
use crate::catalogue::{Catalogue, Offer, Route};
use crate::config::{self, BadServers, Dialect, Era, ServerConfig, ServerKind, parse_url};
use crate::http;
use crate::limits::{LIST_FRESH_MS_MAX, VISITED_SERVERS_MAX};
use crate::oauth::{Consent, LoggedIn, Login, Logins};
use crate::request::{Defaults, Request};
use crate::said::Outcome;
use crate::supervise::Server;

/// Tool servers behind the worker's `Tools` port. Each is connected when it is first needed.
#[derive(Debug)]
pub struct ToolServers {
    configured: Arc<Group>,
    /// Servers at URLs that came with requests, the last used one at the end.
    visited: Mutex<Vec<(String, Arc<Group>)>>,
    /// For those, and what it may reach.
    http: reqwest::Client,
    guard: Guard,
    checker: Checker,
    fresh: Duration,
    defaults: Defaults,
}

/// A login that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginFailed {
    /// Nobody configured it.
    #[error("there is no tool server `{server}`")]
    NoServer {
        /// The name.
        server: String,
    },
    /// There is no token.
    #[error("no login at `{server}`: {why}")]
    Denied {
        /// The server.
        server: String,
        /// Why.
        why: String,
    },
}

/// Servers that are listed together.
#[derive(Debug)]
struct Group {
    servers: Vec<Arc<Server>>,
    catalogue: Mutex<Catalogue>,
}

impl ToolServers {
    /// Takes the configured servers; none is connected yet.
    ///
    /// # Errors
    /// If a name or a URL cannot be used.
    pub fn new(servers: Vec<ServerConfig>) -> Result<Self, BadServers> {
        config::check(&servers)?;
        let addresses = || servers.iter().filter_map(|server| parse_url(server.kind.url()?));
        let guard = Guard::new(Reach::Configured);
        for url in addresses() {
            guard.admit(&url).map_err(|reason| BadServers::Address { url: url.to_string(), reason })?;
        }
        // What the operator configured may be private; a request may name it too.
        let hosts = addresses().filter_map(|url| Some(url.host_str()?.to_ascii_lowercase()));
        let visitors = Guard::new(Reach::Visited { private: hosts.collect() });
        let http = http::client(guard)?;
        let servers = servers.into_iter().map(|config| {
            let ServerConfig { name, kind, era } = config;
            Arc::new(Server::new(name, kind, era, http.clone()))
        });
        let configured = Arc::new(Group::new(servers.collect()));
        let fresh = Duration::from_millis(LIST_FRESH_MS_MAX);
        Ok(Self {
            configured,
            visited: Mutex::default(),
            http: http::client(visitors.clone())?,
            guard: visitors,
            checker: Checker::default(),
            fresh,
            defaults: Defaults::AskedOf,
        })
    }

    /// The same, for an operator who lets questions that come during a call be answered with their defaults, where
    /// they have one for everything. All others still wait for a person.
    #[must_use]
    pub fn with_default_answers(self) -> Self {
        Self { defaults: Defaults::Taken, ..self }
    }

    /// The same, and these names may lead into private networks when a request gives them, beside the names of
    /// configured servers.
    ///
    /// # Errors
    /// If there is no HTTP on this machine.
    pub fn with_private_hosts(self, hosts: &[String]) -> Result<Self, BadServers> {
        let guard = self.guard.also(hosts);
        Ok(Self { http: http::client(guard.clone())?, guard, ..self })
    }

    /// The same, and configured servers over HTTP can be logged in to. An authorization server is reached like a server
    /// that a request names, so this comes after [`with_private_hosts`](Self::with_private_hosts).
    #[must_use]
    pub fn with_logins(self, logins: &Logins) -> Self {
        for server in &self.configured.servers {
            server.with_login(|| Login::new(&server.name, logins, self.http.clone(), self.guard.clone()));
        }
        self
    }

    /// Logs in to a configured server, with somebody who agrees.
    ///
    /// # Errors
    /// If there is no such server, or no login came of it.
    pub async fn log_in(&self, server: &str, consent: &dyn Consent) -> Result<LoggedIn, LoginFailed> {
        let found = self.configured.servers.iter().find(|one| one.name == server);
        let found = found.ok_or_else(|| LoginFailed::NoServer { server: server.to_owned() })?;
        let failed = |denied: crate::oauth::Denied| LoginFailed::Denied {
            server: server.to_owned(),
            why: denied.to_string(),
        };
        found.log_in(consent).await.map_err(failed)
    }

    /// The configured servers that wanted a login when they were last asked for something.
    pub fn wanting_logins(&self) -> Vec<String> {
        let wanting = self.configured.servers.iter().filter(|server| server.wants_login());
        wanting.map(|server| server.name.clone()).collect()
    }

    /// The same, with lists that stand for at most this long when a tool is compared with what was first seen.
    #[must_use]
    pub fn with_fresh_lists(self, fresh: Duration) -> Self {
        Self { fresh, ..self }
    }

    /// What each connected server speaks, by its configured name.
    pub async fn dialects(&self) -> Vec<(String, Dialect)> {
        let mut spoken = Vec::new();
        for server in &self.configured.servers {
            spoken.extend(server.dialect().await.map(|dialect| (server.name.clone(), dialect)));
        }
        spoken
    }

    fn group(&self, at: &ToolsAt) -> Result<Arc<Group>, String> {
        match at {
            ToolsAt::Configured => Ok(Arc::clone(&self.configured)),
            ToolsAt::Url(url) => self.visit(url),
        }
    }

    fn visit(&self, url: &str) -> Result<Arc<Group>, String> {
        let parsed = parse_url(url).ok_or_else(|| format!("`{url}` is no http or https URL"))?;
        self.guard.admit(&parsed)?;
        let mut visited = locked(&self.visited);
        let group = match visited.iter().position(|(known, _)| known == url) {
            Some(place) => visited.remove(place).1,
            None => {
                if visited.len() >= VISITED_SERVERS_MAX {
                    visited.remove(0);
                }
                let kind = ServerKind::Url(url.to_owned());
                // With its scheme, so that no host has the name of a configured server and what was said about that.
                let origin = parsed.origin().ascii_serialization();
                let server = Server::new(origin, kind, Era::Auto, self.http.clone());
                Arc::new(Group::new(vec![Arc::new(server)]))
            }
        };
        visited.push((url.to_owned(), Arc::clone(&group)));
        Ok(group)
    }
}

impl Tools for ToolServers {
    fn list<'a>(&'a self, at: &'a ToolsAt) -> BoxFuture<'a, Result<Listing, ToolsDown>> {
        Box::pin(async move {
            let group = self.group(at).map_err(|reason| ToolsDown { reason })?;
            group.list().await
        })
    }

    fn check(&self, definition: &Definition, arguments: &Values) -> Result<(), BadArguments> {
        self.checker.check(definition, arguments)
    }

    fn misfits(&self, schema: &Value, value: &Value) -> Vec<String> {
        self.checker.misfits(schema, value)
    }

    fn still<'a>(&'a self, at: &'a ToolsAt, seen: &'a Definition) -> BoxFuture<'a, Still> {
        Box::pin(async move {
            match self.group(at) {
                Ok(group) => group.still(seen, self.fresh).await,
                Err(reason) => Still::Unknown { reason },
            }
        })
    }

    fn call<'a>(&'a self, at: &'a ToolsAt, pass: Pass, options: CallOptions) -> BoxFuture<'a, Called> {
        Box::pin(async move {
            match self.group(at) {
                Ok(group) => group.call(pass, options, self.defaults).await,
                Err(reason) => Called::NotSent { reason: reason.into() },
            }
        })
    }
}

impl Group {
    fn new(servers: Vec<Arc<Server>>) -> Self {
        let names = servers.iter().map(|server| server.name.clone());
        let catalogue = Mutex::new(Catalogue::of(names));
        Self { servers, catalogue }
    }

    async fn list(&self) -> Result<Listing, ToolsDown> {
        let mut asked = JoinSet::new();
        for (place, server) in self.servers.iter().enumerate() {
            let server = Arc::clone(server);
            asked.spawn(async move {
                let tools = server.list().await;
                Offer { server: place, name: server.name.clone(), version: server.version().await, tools }
            });
        }
        let mut offers = asked.join_all().await;
        offers.sort_by_key(|offer| offer.server);
        let up = offers.iter().any(|offer| offer.tools.is_ok());
        let listing = locked(&self.catalogue).update(offers);
        if up { Ok(listing) } else { Err(ToolsDown { reason: listing.left_out.join("; ") }) }
    }

    async fn still(&self, seen: &Definition, fresh: Duration) -> Still {
        let found = self.servers.iter().enumerate().find(|(_, server)| server.name == seen.server);
        let Some((place, server)) = found else {
            return Still::Changed { what: "its server is not configured any more".to_owned() };
        };
        let known = locked(&self.catalogue).knows(place);
        match server.relist(if known { fresh } else { Duration::ZERO }).await {
            Err(reason) => return Still::Unknown { reason },
            Ok(None) => {}
            Ok(Some(tools)) => {
                let (name, version) = (server.name.clone(), server.version().await);
                let offer = Offer { server: place, name, version, tools: Ok(tools) };
                locked(&self.catalogue).update(vec![offer]);
            }
        }
        match locked(&self.catalogue).difference(place, seen) {
            Some(what) => Still::Changed { what },
            None => Still::Same,
        }
    }

    async fn call(&self, pass: Pass, options: CallOptions, defaults: Defaults) -> Called {
        let name = pass.call().tool().clone();
        let Some(route) = self.route(&name).await else {
            return Called::NotSent { reason: format!("no server offers `{name}`").into() };
        };
        let Some(server) = self.servers.get(route.server) else {
            return Called::NotSent { reason: format!("the server of `{name}` is gone").into() };
        };
        match Request::new(pass, options, (&route.tool, route.promises_json), defaults) {
            Ok(request) => {
                let Outcome { called, link: _ } = server.call(request).await;
                called
            }
            Err(reason) => Called::NotSent { reason: reason.into() },
        }
    }

    /// Where a tool is. A name that is not known yet is looked for once; to list is not to call.
    async fn route(&self, name: &ToolName) -> Option<Route> {
        let known = locked(&self.catalogue).route(name);
        match (known, self.servers.len()) {
            (Some(route), _) => Some(route),
            // With one server there are no collisions, and its own refusal says more than ours.
            (None, 1) => Some(Route { server: 0, tool: name.as_str().to_owned(), promises_json: false }),
            (None, _) => {
                // What is down stays unknown; that is answered below.
                let _ = self.list().await;
                locked(&self.catalogue).route(name)
            }
        }
    }
}

/// What a panic elsewhere left behind is still whole: each change is one assignment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_visited_servers_are_kept_and_the_last_used_stay() {
        let servers = ToolServers::new(vec![]).unwrap();
        let visit = |port: usize| servers.visit(&format!("http://127.0.0.1:{port}")).unwrap();
        let first = visit(1);
        for port in 2..=VISITED_SERVERS_MAX {
            visit(port);
        }
        assert!(Arc::ptr_eq(&first, &visit(1)), "it is still known, and was just used");
        let second = visit(2);
        visit(VISITED_SERVERS_MAX + 1);
        assert_eq!(locked(&servers.visited).len(), VISITED_SERVERS_MAX);
        assert!(Arc::ptr_eq(&first, &visit(1)) && Arc::ptr_eq(&second, &visit(2)));
        let known = |url: &str| locked(&servers.visited).iter().any(|(known, _)| known == url);
        assert!(!known("http://127.0.0.1:3"), "the one unused for longest went");
        assert!(servers.visit("no address").is_err());
        let named = servers.visit("http://company/mcp").map(|group| group.servers[0].name.clone());
        assert_eq!(named.as_deref(), Ok("http://company"), "a host is no name of a configured server");
    }

    #[test]
    fn the_metadata_of_a_machine_is_no_tool_server_whoever_names_it() {
        let url = "http://169.254.169.254/latest";
        assert!(ToolServers::new(vec![]).unwrap().visit(url).is_err());
        let kind = ServerKind::Url(url.to_owned());
        let config = ServerConfig { name: "cloud".to_owned(), kind, era: Era::Auto };
        assert!(matches!(ToolServers::new(vec![config]), Err(BadServers::Address { .. })));
    }
}
