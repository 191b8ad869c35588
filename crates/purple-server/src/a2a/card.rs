//! The agent card: who we are, where, and what we speak. Hybrid by default, so that clients of 0.3 and 1.0 read it.

use purple_port::Digest;
use serde_json::{Value, json};

use super::fault::Fault;
use super::model::Dialect;
use crate::auth::{Caller, Lock};
use crate::config::{CardProfile, ServerConfig, Skill};

/// The cards, written once at the start.
#[derive(Clone, Debug)]
pub(crate) struct Cards {
    pub hybrid: Card,
    pub pure_v1: Card,
    pub profile: CardProfile,
}

/// A card as it is sent, and the tag that says whether it changed.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub body: String,
    pub etag: String,
}

impl Cards {
    /// The cards of a server at this URL.
    pub(crate) fn new(config: &ServerConfig, url: &str, lock: Lock, pushes: bool) -> Self {
        let card = |body: Value| {
            let body = body.to_string();
            let etag = format!("\"{}\"", Digest::of(body.as_bytes()).to_string().replace("sha256:", ""));
            Card { body, etag }
        };
        let stamp = Stamp { url, lock, pushes };
        Self {
            hybrid: card(hybrid(config, stamp)),
            pure_v1: card(pure_v1(config, stamp)),
            profile: config.card_profile,
        }
    }

    /// The card for a caller who said who they are: it tells what they may do.
    pub(crate) fn extended(&self, caller: &Caller, dialect: Dialect) -> Result<Value, Fault> {
        let card = match dialect {
            Dialect::V1 => &self.pure_v1,
            Dialect::V03 | Dialect::V01 => &self.hybrid,
        };
        let mut card: Value = serde_json::from_str(&card.body).map_err(|_| Fault::Internal)?;
        let roles: Vec<&str> = caller.roles.iter().map(|role| role.name()).collect();
        let told = card["description"].as_str().unwrap_or_default();
        card["description"] =
            json!(format!("{told} You are `{}`, with the roles: {}.", caller.person, roles.join(", ")));
        Ok(card)
    }

    /// The card for a caller that speaks this version, if it says one.
    pub(crate) fn of(&self, version: Option<&str>) -> &Card {
        let pure = version.is_some_and(|version| version == "1" || version.starts_with("1."));
        match (pure, self.profile) {
            (true, CardProfile::Hybrid | CardProfile::PureV1) | (false, CardProfile::PureV1) => &self.pure_v1,
            (false, CardProfile::Hybrid) => &self.hybrid,
        }
    }
}

/// What a card tells beside what the operator wrote.
#[derive(Clone, Copy)]
struct Stamp<'a> {
    url: &'a str,
    lock: Lock,
    /// Whether notifications are offered.
    pushes: bool,
}

fn pure_v1(config: &ServerConfig, Stamp { url, lock, pushes }: Stamp<'_>) -> Value {
    let description = match lock {
        Lock::OpenAnywhere => {
            format!("{} This server is open: it asks nobody who they are.", config.identity.description)
        }
        Lock::OpenOnLoopback | Lock::Tokens => config.identity.description.clone(),
    };
    let rpc = |version: &str| json!({"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version});
    // Clients put a path after it.
    let base = url.trim_end_matches('/');
    let rest = json!({"url": base, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"});
    let mut card = json!({
        "name": config.identity.name,
        "description": description,
        "version": config.identity.version,
        "supportedInterfaces": [rpc("1.0"), rest, rpc("0.3")],
        "capabilities": {"streaming": true, "pushNotifications": pushes, "extendedAgentCard": true},
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": config.skills.iter().map(skill).collect::<Vec<_>>(),
    });
    if let (Lock::Tokens, Value::Object(map)) = (lock, &mut card) {
        let scheme = json!({"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}});
        map.insert("securitySchemes".to_owned(), scheme);
        map.insert("securityRequirements".to_owned(), json!([{"schemes": {"bearer": {"list": []}}}]));
    }
    card
}

/// Both field sets in one object. No `additionalInterfaces`: clients of 0.3 would take it over `url`, which gateways
/// rewrite and it not.
fn hybrid(config: &ServerConfig, stamp: Stamp<'_>) -> Value {
    let mut card = pure_v1(config, stamp);
    let Stamp { url, lock, .. } = stamp;
    if let Value::Object(map) = &mut card {
        map.insert("protocolVersion".to_owned(), json!("0.3.0"));
        map.insert("url".to_owned(), json!(url));
        map.insert("preferredTransport".to_owned(), json!("JSONRPC"));
        map.insert("supportsAuthenticatedExtendedCard".to_owned(), json!(true));
        if lock == Lock::Tokens {
            map.insert(
                "securitySchemes".to_owned(),
                json!({"bearer": {
                    "type": "http", "scheme": "bearer", "httpAuthSecurityScheme": {"scheme": "Bearer"},
                }}),
            );
            map.insert("security".to_owned(), json!([{"bearer": []}]));
        }
    }
    card
}

fn skill(skill: &Skill) -> Value {
    json!({
        "id": skill.id,
        "name": skill.name,
        "description": skill.description,
        "tags": skill.tags,
        "examples": skill.examples,
    })
}
