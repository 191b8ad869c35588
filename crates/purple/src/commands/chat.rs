//! A session at the keyboard: one line is one message, and every answer is seen before the next.

use std::io::{BufRead as _, Read as _};

use purple_process::{PersonId, SessionId};
use purple_worker::limits::TASK_BYTES_MAX;
use purple_worker::{Channel, ClientError, Command, RunView, Status, WorkerHandle};

use crate::cli::Chat;
use crate::commands::{Scene, in_house, watch};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, Tone, exit_of, run_text, visible};
use crate::wire_up::{Purpose, fresh_run};

const HELP: &str = "one line is one message; at a card, say yes or no in its words\n/show   the run as it stands\n/quit   leave it; the run stays where it is (so does Ctrl-D)";

/// What was typed.
enum Line {
    Words(String),
    Show,
    Help,
    Quit,
    Unknown(String),
}

/// `purple chat`
pub(crate) fn run(scene: &Scene<'_>, args: &Chat) -> Result<Exit, Failure> {
    let (config, person) = scene.config_and_person()?;
    in_house(
        scene,
        &config,
        Purpose::Act,
        |worker| async move { talk(&worker, scene.screen, args, person).await },
    )
}

async fn talk(worker: &WorkerHandle, screen: Screen, args: &Chat, by: PersonId) -> Result<Exit, Failure> {
    let run = match &args.session {
        Some(id) => SessionId::parse(id)?,
        None => fresh_run(worker.clock.now())?,
    };
    screen.say(&format!("run {run}; /help says what you can type"));
    let mut last = None;
    if worker.events.session(&run).await.map_err(ClientError::from)?.is_some() {
        last = Some(shown(screen, worker.view(&run).await?)?);
    }
    loop {
        match next_line(screen).await? {
            Line::Quit => break,
            Line::Help => screen.say(HELP),
            Line::Unknown(word) => screen.say(&format!("there is no `{word}`; /help says what there is")),
            Line::Show => match &last {
                Some(_) => screen.line(&run_text(&worker.view(&run).await?, screen.out))?,
                None => screen.say("nothing was said yet"),
            },
            Line::Words(text) => {
                let view = said(worker, screen, &run, text, &by).await?;
                last = Some(shown(screen, view)?);
            }
        }
    }
    if let Some(view) = &last {
        watch::next_step(screen, view);
    }
    Ok(last.as_ref().map_or(Exit::Done, exit_of))
}

async fn said(
    worker: &WorkerHandle,
    screen: Screen,
    run: &SessionId,
    text: String,
    by: &PersonId,
) -> Result<RunView, Failure> {
    let receipt = worker.submit(Command::say(run.clone(), by.clone(), Channel::Cli, text)).await?;
    watch::follow(worker, screen, &receipt).await
}

/// The answer, or the card that waits.
fn shown(screen: Screen, view: RunView) -> Result<RunView, Failure> {
    if screen.is_json() {
        screen.record(&serde_json::json!({"result": view}))?;
    } else {
        match (&view.answer, view.summary.status) {
            (Some(answer), Status::Closed | Status::Working) => {
                screen.line(visible(&answer.text).trim_end())?
            }
            (Some(_) | None, _) => screen.line(&run_text(&view, screen.out))?,
        }
    }
    Ok(view)
}

/// Waits for a line without holding up the work.
async fn next_line(screen: Screen) -> Result<Line, Failure> {
    loop {
        if screen.may_ask() {
            screen.prompt(&screen.talk.text(Tone::Strong, "you>"));
        }
        let read = tokio::task::spawn_blocking(read_line).await.map_err(std::io::Error::other)?;
        let Some(line) = read? else { return Ok(Line::Quit) };
        return Ok(match line.trim() {
            "" => continue,
            "/quit" | "/exit" | "/q" => Line::Quit,
            "/help" | "/?" => Line::Help,
            "/show" => Line::Show,
            command if command.starts_with('/') && !command.contains(char::is_whitespace) => {
                Line::Unknown(command.to_owned())
            }
            words => Line::Words(words.to_owned()),
        });
    }
}

/// One line of stdin; `None` at its end.
fn read_line() -> Result<Option<String>, Failure> {
    let limit = u64::try_from(TASK_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let mut line = String::new();
    let read = std::io::stdin().lock().take(limit).read_line(&mut line);
    match read.map_err(|cause| Failure::Read { file: "stdin".into(), cause })? {
        0 => Ok(None),
        bytes if bytes > TASK_BYTES_MAX => Err(Failure::TaskTooLong { bytes, bytes_max: TASK_BYTES_MAX }),
        _ => Ok(Some(line)),
    }
}
