//! A session at the keyboard: one line is one message, and every answer is seen before the next.

use std::collections::VecDeque;
use std::io::{BufRead as _, Read as _};

use purple_process::{PersonId, SessionId};
use purple_worker::limits::TASK_BYTES_MAX;
use purple_worker::{
    AnswerData, Awaited, Channel, ClientError, Command, FurtherRun, RunView, Settings, Status, WorkerHandle,
    small_talk,
};

use crate::cli::Chat;
use crate::commands::{Scene, in_house, watch};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, Tone, exit_of, reading_lines, run_text, visible};
use crate::wire_up::{Purpose, fresh_run, worker_settings};

const HELP: &str = "One line is one message. Where a plan waits, answer it with yes or no.
  /new    begin a new session; the present run stays where it is
  /show   the run with its details
  /why    how your last message was read, and which rule decided
  /help   this page
  /quit   leave; the run stays where it is (Ctrl-D does the same)
For example:";
/// How many example sentences the help shows.
const EXAMPLES_MAX: usize = 5;

/// What was typed.
enum Line {
    Words(String),
    Show,
    New,
    Why,
    Help,
    Quit,
    Unknown(String),
}

/// `purple chat`
pub(crate) fn run(scene: &Scene<'_>, args: &Chat) -> Result<Exit, Failure> {
    let (config, person) = scene.config_and_person()?;
    let config = &config;
    in_house(scene, config, Purpose::Act, |worker| async move {
        let mut chat = Chatting {
            run: match &args.session {
                Some(id) => SessionId::parse(id)?,
                None => fresh_run(worker.clock.now())?,
            },
            settings: worker_settings(config)?,
            worker,
            screen: scene.screen,
            by: person,
            last: None,
            words: None,
            waiting: VecDeque::new(),
        };
        chat.talk().await
    })
}

/// A conversation: one session after the other.
struct Chatting {
    worker: WorkerHandle,
    settings: Settings,
    screen: Screen,
    by: PersonId,
    run: SessionId,
    last: Option<RunView>,
    /// The last message that was sent.
    words: Option<String>,
    /// Runs of several tasks that wait for an answer, after the present one.
    waiting: VecDeque<SessionId>,
}

impl Chatting {
    async fn talk(&mut self) -> Result<Exit, Failure> {
        self.screen.say(&format!("run {}; /help lists what you can type", self.run));
        if self.worker.events.session(&self.run).await.map_err(ClientError::from)?.is_some() {
            let view = self.worker.view(&self.run).await?;
            self.last = Some(shown(self.screen, view)?);
        }
        loop {
            let line = match next_line(self.screen).await {
                Ok(Line::Quit) => break,
                // A line that is too long or no text is reported, and the next one is read.
                Err(failure @ (Failure::TaskTooLong { .. } | Failure::TaskNotText)) => Err(failure),
                Err(failure) => return Err(failure),
                Ok(line) => self.obey(line).await,
            };
            if let Err(failure) = line {
                self.screen.fail(&failure);
            }
        }
        if let Some(view) = &self.last {
            watch::next_step(self.screen, view);
        }
        Ok(self.last.as_ref().map_or(Exit::Done, exit_of))
    }

    /// Carries out one line. What goes wrong ends the line, not the conversation.
    async fn obey(&mut self, line: Line) -> Result<(), Failure> {
        match line {
            Line::Quit => Ok(()),
            Line::Help => {
                self.help();
                Ok(())
            }
            Line::Unknown(word) => {
                self.screen.say(&format!("there is no `{word}`; /help lists what you can type"));
                Ok(())
            }
            Line::New => self.begin_anew(),
            Line::Why => self.explain(),
            Line::Show if self.last.is_none() => {
                self.screen.say("nothing was asked yet");
                Ok(())
            }
            Line::Show => self.screen.line(&run_text(&self.worker.view(&self.run).await?, self.screen.out)),
            Line::Words(text) => self.send(text).await,
        }
    }

    async fn send(&mut self, text: String) -> Result<(), Failure> {
        // What wants no work is answered here: it does not touch the run, nor print its result once more.
        if let Some(said) = small_talk(&text, &self.settings.processes) {
            self.words = Some(text);
            return match self.screen.is_json() {
                true => self.screen.record(&serde_json::json!({"said": said})),
                false => self.screen.line(&said),
            };
        }
        self.words = Some(text.clone());
        let message = Command::say(self.run.clone(), self.by.clone(), Channel::Cli, text);
        let receipt = self.worker.submit(message).await?;
        let view = watch::follow(&self.worker, self.screen, &receipt).await?;
        self.last = Some(shown(self.screen, view)?);
        self.go_on().await
    }

    /// Shows the runs that the last message began or asked something of. The conversation goes on in the first that waits.
    async fn go_on(&mut self) -> Result<(), Failure> {
        let answer = self.last.as_ref().and_then(|view| view.answer.as_ref());
        let further: Vec<FurtherRun> = answer.map(|answer| answer.data.runs.clone()).unwrap_or_default();
        for FurtherRun { run, after } in further {
            self.screen.say(&format!("run {run}"));
            let view = self.worker.idle(&run, &Awaited::turn_of(after, 1)).await?;
            let view = shown(self.screen, view)?;
            if view.summary.status == Status::Waiting {
                self.waiting.push_back(run);
            }
        }
        let is_open = self.last.as_ref().is_some_and(|view| view.summary.status != Status::Closed);
        if let Some(run) = self.waiting.pop_front_if(|_| !is_open) {
            let view = self.worker.view(&run).await?;
            self.screen.say(&format!("your next message is for run {run}; /new begins another one"));
            (self.run, self.last) = (run, Some(view));
        }
        Ok(())
    }

    fn begin_anew(&mut self) -> Result<(), Failure> {
        self.run = fresh_run(self.worker.clock.now())?;
        (self.last, self.words) = (None, None);
        self.waiting.clear();
        self.screen.say(&format!("run {}", self.run));
        Ok(())
    }

    fn help(&self) {
        self.screen.say(HELP);
        let tasks = self.settings.processes.iter().flat_map(|process| process.file.tasks());
        let examples = tasks.filter_map(|task| task.examples().into_iter().next());
        for example in examples.take(EXAMPLES_MAX) {
            self.screen.say(&format!("  {}", example.text));
        }
    }

    /// How the last message was read, and what decided.
    fn explain(&self) -> Result<(), Failure> {
        let Some(text) = &self.words else {
            self.screen.say("nothing was asked yet");
            return Ok(());
        };
        let read = self.settings.read_as(text, self.worker.clock.now());
        let answer = self.last.as_ref().and_then(|view| view.answer.as_ref());
        let decided = answer.map(|answer| rules(&answer.data)).unwrap_or_default();
        let quoted = || answer.map(|answer| quoted_rules(&answer.text)).unwrap_or_default();
        let rules = if decided.is_empty() { quoted() } else { decided };
        if self.screen.is_json() {
            return self
                .screen
                .record(&serde_json::json!({"why": {"text": text, "reading": read, "rules": rules}}));
        }
        for line in reading_lines(&read) {
            self.screen.line(&line)?;
        }
        for rule in &rules {
            self.screen.line(&format!("rule            {}", visible(rule)))?;
        }
        match answer.and_then(|answer| answer.data.code.as_ref()) {
            Some(code) => self.screen.line(&format!("code            {code}")),
            None if rules.is_empty() => self.screen.line("rule            no rule decided"),
            None => Ok(()),
        }
    }
}

/// The rules that decided, each with its numbers and its reason.
fn rules(answer: &AnswerData) -> Vec<String> {
    let line = |rule: &serde_json::Value| {
        let word = |name: &str| rule.get(name).and_then(serde_json::Value::as_str);
        let because = word("description").map(|because| format!(" ({because})")).unwrap_or_default();
        Some(format!("{}: {}{because}", word("id")?, word("explanation")?))
    };
    answer.policy.iter().flat_map(|policy| &policy.triggered_rules).filter_map(line).collect()
}

/// The rules that an answer to a question quotes: "AP-4 would approve it: …".
fn quoted_rules(answer: &str) -> Vec<String> {
    let quotes = |line: &&str| {
        let id = line.split_whitespace().next().unwrap_or_default();
        let is_id = id.split_once('-').is_some_and(|(name, number)| {
            name.starts_with(|c: char| c.is_ascii_uppercase())
                && number.starts_with(|c: char| c.is_ascii_digit())
        });
        let says = line.strip_prefix(id).unwrap_or_default().trim_start();
        is_id && ["would ", "decides ", "forbids "].iter().any(|verb| says.starts_with(verb))
    };
    answer.lines().filter(quotes).map(str::to_owned).collect()
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
            "/new" => Line::New,
            "/why" => Line::Why,
            command if command.starts_with('/') => {
                Line::Unknown(command.split_whitespace().next().unwrap_or_default().to_owned())
            }
            words => Line::Words(words.to_owned()),
        });
    }
}

/// One line of stdin; `None` at its end.
fn read_line() -> Result<Option<String>, Failure> {
    let limit = u64::try_from(TASK_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let mut line = Vec::new();
    let read = std::io::stdin().lock().take(limit).read_until(b'\n', &mut line);
    match read.map_err(|cause| Failure::Read { file: "stdin".into(), cause })? {
        0 => Ok(None),
        bytes if bytes > TASK_BYTES_MAX => {
            skip_line(&line)?;
            Err(Failure::TaskTooLong { bytes, bytes_max: TASK_BYTES_MAX })
        }
        _ => match String::from_utf8(line) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(Failure::TaskNotText),
        },
    }
}

/// Reads on to the end of a line whose beginning was too long.
fn skip_line(begin: &[u8]) -> Result<(), Failure> {
    let mut stdin = std::io::stdin().lock();
    while !begin.ends_with(b"\n") {
        let rest = stdin.fill_buf()?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (read, is_last) = (end.map_or(rest.len(), |at| at + 1), end.is_some() || rest.is_empty());
        stdin.consume(read);
        if is_last {
            break;
        }
    }
    Ok(())
}
