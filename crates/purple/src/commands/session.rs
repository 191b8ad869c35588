//! Logging in to the command line with a token, and out again.

use serde_json::json;

use crate::account::account;
use crate::commands::Scene;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity::{self, SignedIn, Speaker};

/// `purple login`
pub(crate) fn login(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let text = scene.screen.ask("token:")?;
    let speaker = identity::by_token(&config, &text)?;
    let file = identity::keep(&config, scene.environment, &text)?;
    scene.screen.say(&format!("The token is kept in {}; `purple logout` removes it.", file.display()));
    show(scene, &speaker)
}

/// `purple logout`
pub(crate) fn logout(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let there_was_one = identity::forget(&config, scene.environment)?;
    if scene.screen.is_json() {
        scene.screen.document(&json!({"logged_out": there_was_one}))?;
    } else {
        scene.screen.line(if there_was_one { "logged out" } else { "nobody was logged in" })?;
    }
    Ok(Exit::Done)
}

/// `purple whoami`
pub(crate) fn whoami(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    show(scene, &scene.speaker(&config)?)
}

fn show(scene: &Scene<'_>, Speaker { person, how }: &Speaker) -> Result<Exit, Failure> {
    let account = account();
    let (word, token) = match how {
        SignedIn::Keyboard => ("one-person set-up", None),
        SignedIn::Account(_) => ("account of the operating system", None),
        SignedIn::Token { id, .. } => ("token", Some(id)),
    };
    if scene.screen.is_json() {
        scene.screen.document(&json!({"person": person, "by": word, "token": token, "account": account}))?;
        return Ok(Exit::Done);
    }
    let token = token.map(|id| format!(" {id}")).unwrap_or_default();
    let account = account.map(|account| format!(", account {account}")).unwrap_or_default();
    scene.screen.line(&format!("{person} (by {word}{token}{account})"))?;
    Ok(Exit::Done)
}
