//! Tokens of callers: made, listed, taken back. They work beside a running server.

use jiff::SignedDuration;
use purple_process::{PersonId, Role};
use purple_store::{OpenError, Remote, Store};
use purple_worker::ClientError;
use purple_worker::port::{Clock as _, DoorRole, Token, Tokens as _};
use serde_json::json;

use crate::cli;
use crate::commands::{Scene, runtime};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity;
use crate::show::Table;
use crate::wire_up::{SystemClock, made, reader};

/// `purple token …`
pub(crate) fn run(scene: &Scene<'_>, args: &cli::Token) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    match args {
        cli::Token::Create { name, role, group, days } => {
            let roles: std::collections::BTreeSet<DoorRole> =
                role.iter().map(|role| (*role).into()).collect();
            let groups: Result<_, _> = group.iter().map(|group| Role::parse(group)).collect();
            let groups: std::collections::BTreeSet<Role> = groups?;
            if !groups.is_empty() && !roles.contains(&DoorRole::Approver) {
                return Err(Failure::GroupWithoutApprover);
            }
            let (id, hash, shown) = made()?;
            let now = SystemClock.now();
            let until =
                days.and_then(|days| now.checked_add(SignedDuration::from_hours(i64::from(days) * 24)).ok());
            let person = PersonId::parse(name)?;
            if let Some(other) = identity::like(&config, &person)? {
                return Err(Failure::LooksLike { person, other });
            }
            create(
                scene,
                &config,
                Token { id, hash, person, roles, groups, made: now, until, revoked: None },
                &shown,
            )
        }
        cli::Token::List => list(scene, &config),
        cli::Token::Revoke { id } => revoke(scene, &config, id),
    }
}

fn create(scene: &Scene<'_>, config: &Config, token: Token, shown: &str) -> Result<Exit, Failure> {
    with_store(config, Change::Keep(Box::new(token.clone())), &operator(scene, config)?)?;
    let screen = scene.screen;
    if screen.is_json() {
        screen.document(&json!({
            "id": token.id, "person": token.person, "roles": token.roles, "groups": token.groups,
            "until": token.until, "token": shown,
        }))?;
    } else {
        screen.line(shown)?;
        screen.say(&format!("Keep it now: it is not shown again. Its id is {}.", token.id));
        screen.say("From now on callers must show a token, with a running `purple serve` too; commands in this folder ask for one as well, or for an account under [people].");
        screen.say("Only people with a role decide, with commands in this folder too: give it by `[people.NAME] roles = [\"…\"]`, or by `--group` of an approver's token.");
    }
    screen.next("purple serve");
    Ok(Exit::Done)
}

fn list(scene: &Scene<'_>, config: &Config) -> Result<Exit, Failure> {
    scene.oversees(config)?;
    let tokens = match reader(&config.settings.data_dir) {
        Ok(reader) => reader.tokens().map_err(ClientError::from)?,
        Err(Failure::NothingYet { .. }) => Vec::new(),
        Err(other) => return Err(other),
    };
    let now = SystemClock.now();
    if scene.screen.is_json() {
        let shown = |token: &Token| {
            json!({
                "id": token.id, "person": token.person, "roles": token.roles, "groups": token.groups,
                "made": token.made, "until": token.until, "revoked": token.revoked, "counts": token.counts(now),
            })
        };
        scene.screen.document(&json!({"tokens": tokens.iter().map(shown).collect::<Vec<_>>()}))?;
        return Ok(Exit::Done);
    }
    let row = |token: &Token| {
        let roles: Vec<&str> = token.roles.iter().map(|role| role.name()).collect();
        let groups: Vec<String> = token.groups.iter().map(ToString::to_string).collect();
        let state = match (token.counts(now), token.revoked) {
            (true, _) => token.until.map_or_else(|| "counts".to_owned(), |until| format!("until {until:.0}")),
            (false, Some(_)) => "revoked".to_owned(),
            (false, None) => "expired".to_owned(),
        };
        [token.id.clone(), token.person.to_string(), roles.join(", "), groups.join(", "), state]
    };
    let mut table = Table::new(&["ID", "PERSON", "ROLES", "GROUPS", "STATE"]);
    tokens.iter().for_each(|token| table.row(row(token)));
    for line in table.lines(scene.screen.out) {
        scene.screen.line(&line)?;
    }
    Ok(Exit::Done)
}

fn revoke(scene: &Scene<'_>, config: &Config, id: &str) -> Result<Exit, Failure> {
    if !with_store(config, Change::Revoke(id.to_owned()), &operator(scene, config)?)? {
        return Err(Failure::NoSuchToken { id: id.to_owned() });
    }
    if scene.screen.is_json() {
        scene.screen.document(&json!({"id": id, "revoked": true}))?;
    } else {
        scene.screen.line(&format!("{id} opens nothing any more"))?;
    }
    Ok(Exit::Done)
}

fn operator(scene: &Scene<'_>, config: &Config) -> Result<PersonId, Failure> {
    identity::operator(config, scene.environment, scene.global.person.as_deref())
}

/// What is to be written.
enum Change {
    Keep(Box<Token>),
    Revoke(String),
}

/// Writes into the store, or has the process write that works there. Answers whether there was something to do.
fn with_store(config: &Config, change: Change, by: &PersonId) -> Result<bool, Failure> {
    let folder = &config.settings.data_dir;
    let now = SystemClock.now();
    let runtime = runtime()?;
    runtime.block_on(async {
        match Store::open(folder, purple_store::Settings::default(), std::sync::Arc::new(SystemClock)) {
            Ok(store) => {
                let done = match change {
                    Change::Keep(token) => store.keep_token(*token, by).await,
                    Change::Revoke(id) => store.revoke_token(&id, by, now).await,
                };
                store.close().await.map_err(ClientError::from)?;
                Ok(done.map_err(ClientError::from)?)
            }
            Err(OpenError::InUse { .. }) => {
                let remote = Remote::connect(folder).await?;
                let done = match change {
                    Change::Keep(token) => remote.keep_token(*token, by).await,
                    Change::Revoke(id) => remote.revoke_token(&id, by, now).await,
                };
                Ok(done.map_err(ClientError::from)?)
            }
            Err(other) => Err(other.into()),
        }
    })
}
