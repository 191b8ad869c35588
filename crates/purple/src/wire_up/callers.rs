//! Callers from outside: the tokens that they show, and what they may decide.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use purple_process::{Digest, Directory, PersonId};
use purple_server::{Caller, Doorman, Lock, OpenDoor, TurnedAway};
use purple_worker::port::view::Decides;
use purple_worker::port::{BoxFuture, Clock, DoorRole, Token, Tokens};
use purple_worker::{Access, ClientError};
use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;

use crate::config::{Auth, Config, People};
use crate::failure::Failure;

/// What a token begins with, so that people and scanners know one when they see it.
const PREFIX: &str = "purple_";
const ID_BYTES: usize = 6;
const SECRET_BYTES: usize = 32;

/// Tools on this machine, which a request may name where everybody is on this machine.
const LOOPBACK_ORIGINS: [&str; 3] = ["http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*"];

/// How callers say who they are: by what the operator set, and by whether people are configured or a token has existed.
/// A token that was revoked or has expired opens nothing, and leaves nothing open behind it.
pub(crate) fn access(config: &Config, tokens: &dyn Tokens) -> Result<Access, Failure> {
    Ok(match config.settings.serve.auth {
        Auth::Open => Access::Open,
        Auth::Tokens => Access::Tokens,
        Auth::Auto if !config.settings.people.entries.is_empty() => Access::Tokens,
        Auth::Auto => {
            let tokens = tokens.tokens().map_err(ClientError::from)?;
            if tokens.is_empty() { Access::Local } else { Access::Tokens }
        }
    })
}

/// Origins that a request may name as its tools: those of the operator, and this machine where everybody is on it.
pub(crate) fn endpoints_allowed(config: &Config, access: Access) -> Vec<String> {
    let mut allowed = config.settings.allowed_origins.clone();
    if access == Access::Local && is_loopback(&config.settings.serve.host) {
        allowed.extend(LOOPBACK_ORIGINS.map(str::to_owned));
    }
    allowed
}

/// Whether a host to listen on is this machine and nothing else.
pub(crate) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A new token: its id, the hash of its secret, and the text that is shown once.
pub(crate) fn made() -> Result<(String, Digest, String), Failure> {
    let mut random = [0_u8; ID_BYTES + SECRET_BYTES];
    SystemRandom::new().fill(&mut random).map_err(|_| Failure::NoRandomness)?;
    let (id, secret) = random.split_at(ID_BYTES);
    let (id, secret) = (format!("tok_{}", hex(id)), hex(secret));
    let hash = Digest::of(secret.as_bytes());
    let shown = format!("{PREFIX}{id}_{secret}");
    Ok((id, hash, shown))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lets in whoever shows a token that counts now.
pub(crate) struct TokenDoor {
    tokens: Arc<dyn Tokens>,
    clock: Arc<dyn Clock>,
    people: People,
    zone: TimeZone,
}

impl TokenDoor {
    /// The door of this set-up.
    pub(crate) fn new(config: &Config, tokens: Arc<dyn Tokens>, clock: Arc<dyn Clock>) -> Self {
        // A zone that is not known is refused where the worker is set up.
        let zone = TimeZone::get(&config.settings.timezone).unwrap_or(TimeZone::UTC);
        Self { tokens, clock, people: config.settings.people.clone(), zone }
    }

    /// What a person can decide about today, in their own name or in somebody's place.
    pub(crate) fn decides(&self, person: &PersonId) -> Decides {
        let (people, tokens, clock) = (self.people.clone(), self.tokens.clone(), self.clock.clone());
        let today = self.clock.now().to_zoned(self.zone.clone()).date();
        let staff = purple_worker::port::Directory::on(&Staff { people, tokens, clock }, today);
        match &staff {
            Directory::Keyboard => Decides::Everything,
            Directory::People(_) => Decides::As(staff.roles_of(person)),
        }
    }

    fn look(&self, shown: Option<&str>) -> Result<Caller, TurnedAway> {
        let token = self.find(shown)?;
        let decides = self.decides(&token.person);
        Ok(Caller { person: token.person, roles: token.roles, decides })
    }

    /// The token that is shown, if it counts now.
    pub(crate) fn find(&self, shown: Option<&str>) -> Result<Token, TurnedAway> {
        let shown = shown.ok_or(TurnedAway::NoToken)?;
        let parts = shown.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once('_'));
        let (id, secret) = parts.ok_or(TurnedAway::BadToken)?;
        let token = self.tokens.token(id).map_err(|_| TurnedAway::NotNow)?.ok_or(TurnedAway::BadToken)?;
        let hash = Digest::of(secret.as_bytes());
        let same: bool = hash.as_bytes().ct_eq(token.hash.as_bytes()).into();
        if !same || !token.counts(self.clock.now()) {
            return Err(TurnedAway::BadToken);
        }
        Ok(token)
    }
}

impl Doorman for TokenDoor {
    fn lock(&self) -> Lock {
        Lock::Tokens
    }

    fn admit<'a>(&'a self, token: Option<&'a str>) -> BoxFuture<'a, Result<Caller, TurnedAway>> {
        Box::pin(std::future::ready(self.look(token)))
    }
}

/// Open to everybody on this machine until the first token is created, and by tokens from then on.
pub(crate) struct UntilFirstToken {
    open: OpenDoor,
    tokens: TokenDoor,
    locked: AtomicBool,
}

impl UntilFirstToken {
    pub(crate) fn new(open: OpenDoor, tokens: TokenDoor) -> Self {
        Self { open, tokens, locked: AtomicBool::new(false) }
    }

    fn is_locked(&self) -> bool {
        // Tokens that cannot be read may exist.
        let exist = || self.tokens.tokens.tokens().map_or(true, |tokens| !tokens.is_empty());
        if !self.locked.load(Ordering::Acquire) && exist() {
            self.locked.store(true, Ordering::Release);
        }
        self.locked.load(Ordering::Acquire)
    }
}

impl Doorman for UntilFirstToken {
    fn lock(&self) -> Lock {
        if self.is_locked() { self.tokens.lock() } else { self.open.lock() }
    }

    fn admit<'a>(&'a self, token: Option<&'a str>) -> BoxFuture<'a, Result<Caller, TurnedAway>> {
        if self.is_locked() { self.tokens.admit(token) } else { self.open.admit(token) }
    }
}

/// The people of the configuration, and those who hold tokens.
pub(crate) fn directory(
    config: &Config,
    tokens: Arc<dyn Tokens>,
    clock: Arc<dyn Clock>,
    access: Access,
) -> Arc<dyn purple_worker::port::Directory> {
    let people = config.settings.people.clone();
    match access {
        Access::Open => Arc::new(people),
        Access::Local | Access::Tokens => Arc::new(Staff { people, tokens, clock }),
    }
}

/// People of the configuration and holders of tokens. The groups of an approver's token are business roles.
struct Staff {
    people: People,
    tokens: Arc<dyn Tokens>,
    clock: Arc<dyn Clock>,
}

impl purple_worker::port::Directory for Staff {
    fn on(&self, day: Date) -> Directory {
        let tokens = self.tokens.tokens();
        let mut people = match purple_worker::port::Directory::on(&self.people, day) {
            Directory::Keyboard if tokens.as_ref().is_ok_and(Vec::is_empty) => return Directory::Keyboard,
            Directory::Keyboard => BTreeMap::new(),
            Directory::People(people) => people,
        };
        // Tokens that cannot be read give nobody a role.
        let now = self.clock.now();
        for token in tokens.unwrap_or_default().into_iter().filter(|token| token.counts(now)) {
            let person = people.entry(token.person).or_default();
            if token.roles.contains(&DoorRole::Approver) {
                person.roles.extend(token.groups);
            }
        }
        Directory::People(people)
    }
}

#[cfg(test)]
#[path = "callers_tests.rs"]
mod tests;
