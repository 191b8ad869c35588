//! Who is at the command line, and how that was established.
//!
//! On a one-person set-up the person says who they are. Once people are configured, or a token has existed, a token or
//! the account of the operating system says it.

mod sight;
mod stored;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use purple_process::PersonId;
use purple_store::Reader;
use purple_worker::ClientError;
use purple_worker::port::view::Decides;
use purple_worker::port::{DoorRole, Token, Tokens as _};

use crate::account::{account, owns};
use crate::config::{Config, Environment};
use crate::failure::Failure;
use crate::wire_up::{TokenDoor, check_people, clock, reader, was_operator};

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
    check_people(config, &settings(store.as_ref())?)?;
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

/// Whoever is speaking, if they may do what only operators do.
pub(crate) fn operates(
    config: &Config,
    environment: &Environment,
    said: Option<&str>,
) -> Result<PersonId, Failure> {
    let speaker = speaker(config, environment, said)?;
    if is_operator(config, &speaker) { Ok(speaker.person) } else { Err(Failure::NotAnOperator) }
}

/// Whether somebody is an operator: the one person at the keyboard, by the roles of the token, or by the configuration.
pub(crate) fn is_operator(config: &Config, Speaker { person, how }: &Speaker) -> bool {
    match how {
        SignedIn::Keyboard => true,
        SignedIn::Token { roles, .. } => roles.contains(&DoorRole::Operator),
        SignedIn::Account(_) => is_named_operator(config, person),
    }
}

fn is_named_operator(config: &Config, person: &PersonId) -> bool {
    let entry = config.settings.people.entries.get(person);
    entry.is_some_and(|entry| entry.roles.iter().any(|role| role.as_str() == DoorRole::Operator.name()))
}

/// Whoever is speaking, if they may accept other people than the data folder knows: an operator by what it knows, and
/// not by the configuration that is to be accepted.
pub(crate) fn accepts_people(config: &Config, environment: &Environment) -> Result<PersonId, Failure> {
    let store = kept(config)?;
    let known = settings(store.as_ref())?;
    if check_people(config, &known).is_ok() {
        return operates(config, environment, None);
    }
    if let Some(text) = stored::shown(config, environment)? {
        let speaker = token_holder(config, store, &text)?;
        return if is_operator(config, &speaker) { Ok(speaker.person) } else { Err(Failure::NotAnOperator) };
    }
    let account = account().filter(|account| was_operator(&known, account)).ok_or(Failure::NotAnOperator)?;
    Ok(PersonId::parse(&account)?)
}

/// Who makes and revokes tokens; anybody else is refused.
///
/// Whoever owns the data folder makes the first tokens, as long as nobody is configured and there is no operator. From
/// then on operators do.
pub(crate) fn operator(
    config: &Config,
    environment: &Environment,
    said: Option<&str>,
) -> Result<PersonId, Failure> {
    match operates(config, environment, said) {
        Err(Failure::NotAnOperator | Failure::NotSignedIn { .. } | Failure::SomebodyElse { .. }) => {}
        answered => return answered,
    }
    let store = kept(config)?;
    let now = clock(config.settings.clock_start).now();
    let is_live = |token: &Token| token.counts(now) && token.roles.contains(&DoorRole::Operator);
    let operators = tokens(store.as_ref())?.iter().any(is_live);
    // Where people are configured, a token for a further one would let whoever made it decide about their own work.
    let has_people = !config.settings.people.entries.is_empty();
    if has_people || operators || !owns(&config.settings.data_dir) {
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

/// The settings that the data folder knows.
fn settings(store: Option<&Reader>) -> Result<BTreeMap<String, String>, Failure> {
    Ok(store.map(|store| store.settings().map_err(ClientError::from)).transpose()?.unwrap_or_default())
}

fn kept(config: &Config) -> Result<Option<Reader>, Failure> {
    match reader(&config.settings.data_dir) {
        Ok(reader) => Ok(Some(reader)),
        Err(Failure::NothingYet { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// What somebody can decide about today, by the configuration and by tokens.
pub(crate) fn decides(config: &Config, person: &PersonId) -> Result<Decides, Failure> {
    let Some(store) = kept(config)? else { return Ok(Decides::As(BTreeSet::new())) };
    Ok(TokenDoor::new(config, Arc::new(store), clock(config.settings.clock_start)).decides(person))
}

/// Whoever holds this token.
pub(crate) fn by_token(config: &Config, text: &str) -> Result<Speaker, Failure> {
    token_holder(config, kept(config)?, text)
}

fn token_holder(config: &Config, store: Option<Reader>, text: &str) -> Result<Speaker, Failure> {
    let store = store.ok_or(Failure::TokenRefused)?;
    let door = TokenDoor::new(config, Arc::new(store), clock(config.settings.clock_start));
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
