//! Who is at the command line, and how that was established.
//!
//! On a one-person set-up the person says who they are. Once people are configured, or a token has existed, a token or
//! the account of the operating system says it.

mod sight;
mod stored;

use std::collections::BTreeSet;
use std::sync::Arc;

use purple_process::PersonId;
use purple_store::Reader;
use purple_worker::ClientError;
use purple_worker::port::{DoorRole, Token, Tokens as _};

use crate::account::{account, owns};
use crate::config::{Config, Environment};
use crate::failure::Failure;
use crate::wire_up::{TokenDoor, clock, reader};

pub(crate) use sight::{Sight, sight};
pub(crate) use stored::{forget, keep};

/// Somebody at the command line.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    pub(crate) person: PersonId,
    pub(crate) how: SignedIn,
}

/// How a person at the command line was recognized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SignedIn {
    /// By their own word: this is a one-person set-up.
    Keyboard,
    /// By the account of the operating system that the configuration gives them.
    Account(String),
    /// By a token that counts now.
    Token { id: String, roles: BTreeSet<DoorRole> },
}

/// Who is speaking, where `said` is who they say they are.
pub(crate) fn speaker(
    config: &Config,
    environment: &Environment,
    said: Option<&str>,
) -> Result<Speaker, Failure> {
    let said = said.or_else(|| environment.get("PURPLE_AS")).map(PersonId::parse).transpose()?;
    let store = kept(config)?;
    if !authenticates(config, store.as_ref())? {
        let person = said.map_or_else(|| at_the_keyboard(environment), Ok)?;
        return Ok(Speaker { person, how: SignedIn::Keyboard });
    }
    let speaker = match stored::shown(config, environment)? {
        Some(text) => token_holder(config, store, &text)?,
        None => by_account(config)?,
    };
    match said {
        Some(said) if said != speaker.person => Err(Failure::SomebodyElse { said, person: speaker.person }),
        _ => Ok(speaker),
    }
}

/// Who makes and revokes tokens; anybody else is refused.
///
/// Whoever owns the data folder makes the first operator. From then on operators do, or people to whom the
/// configuration gives the role `operator`.
pub(crate) fn operator(
    config: &Config,
    environment: &Environment,
    said: Option<&str>,
) -> Result<PersonId, Failure> {
    let store = kept(config)?;
    let named = |person: &PersonId| {
        let entry = config.settings.people.entries.get(person);
        entry.is_some_and(|entry| entry.roles.iter().any(|role| role.as_str() == DoorRole::Operator.name()))
    };
    match speaker(config, environment, said) {
        Ok(Speaker { person, how }) => match how {
            SignedIn::Keyboard => return Ok(person),
            SignedIn::Token { roles, .. } if roles.contains(&DoorRole::Operator) => return Ok(person),
            SignedIn::Account(_) if named(&person) => return Ok(person),
            SignedIn::Token { .. } | SignedIn::Account(_) => {}
        },
        Err(Failure::NotSignedIn { .. } | Failure::SomebodyElse { .. }) => {}
        Err(other) => return Err(other),
    }
    let now = clock(config.settings.clock_start).now();
    let is_live = |token: &Token| token.counts(now) && token.roles.contains(&DoorRole::Operator);
    let operators =
        tokens(store.as_ref())?.iter().any(is_live) || config.settings.people.entries.keys().any(named);
    if operators || !owns(&config.settings.data_dir) {
        return Err(Failure::NotAnOperator);
    }
    // The account is what is known of whoever owns the folder.
    match account().and_then(|account| PersonId::parse(&account).ok()) {
        Some(account) => Ok(account),
        None => at_the_keyboard(environment),
    }
}

/// Somebody who has this name or one that looks like it, but is somebody else.
pub(crate) fn like(config: &Config, person: &PersonId) -> Result<Option<PersonId>, Failure> {
    let store = kept(config)?;
    let holders = tokens(store.as_ref())?.into_iter().map(|token| token.person);
    let mut all = config.settings.people.entries.keys().cloned().chain(holders);
    Ok(all.find(|other| other != person && other.looks() == person.looks()))
}

/// Whether the command line asks who somebody is: people are configured, or a token has existed.
fn authenticates(config: &Config, store: Option<&Reader>) -> Result<bool, Failure> {
    Ok(!config.settings.people.entries.is_empty() || !tokens(store)?.is_empty())
}

fn tokens(store: Option<&Reader>) -> Result<Vec<Token>, Failure> {
    Ok(store.map(|store| store.tokens().map_err(ClientError::from)).transpose()?.unwrap_or_default())
}

fn kept(config: &Config) -> Result<Option<Reader>, Failure> {
    match reader(&config.settings.data_dir) {
        Ok(reader) => Ok(Some(reader)),
        Err(Failure::NothingYet { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Whoever holds this token.
pub(crate) fn by_token(config: &Config, text: &str) -> Result<Speaker, Failure> {
    token_holder(config, kept(config)?, text)
}

fn token_holder(config: &Config, store: Option<Reader>, text: &str) -> Result<Speaker, Failure> {
    let store = store.ok_or(Failure::TokenRefused)?;
    let door = TokenDoor { tokens: Arc::new(store), clock: clock(config.settings.clock_start) };
    let token = door.find(Some(text)).map_err(|_| Failure::TokenRefused)?;
    let how = SignedIn::Token { id: token.id, roles: token.roles };
    Ok(Speaker { person: token.person, how })
}

fn by_account(config: &Config) -> Result<Speaker, Failure> {
    let account = account();
    let known = account.as_deref().and_then(|account| config.settings.people.of_account(account));
    match (known, account.clone()) {
        (Some((person, _)), Some(account)) => {
            Ok(Speaker { person: person.clone(), how: SignedIn::Account(account) })
        }
        _ => Err(Failure::NotSignedIn { account: account.unwrap_or_else(|| "unknown".to_owned()) }),
    }
}

/// The person at the keyboard of a one-person set-up.
fn at_the_keyboard(environment: &Environment) -> Result<PersonId, Failure> {
    let name = ["USER", "USERNAME"].into_iter().find_map(|name| environment.get(name));
    let person = name.and_then(|name| PersonId::parse(name).ok());
    person.map_or_else(|| Ok(PersonId::parse("operator")?), Ok)
}
