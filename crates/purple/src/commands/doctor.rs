//! Checks that everything is in order, and says how to mend what is not.

mod servers;

use std::net::TcpListener;
use std::path::Path;

use purple_policy::{Authority, PolicyDocument};
use purple_process::Role;
use purple_worker::port::{Brake as _, Clock as _};
use purple_worker::{ClientError, Standing};
use serde_json::{Value, json};

use crate::commands::{Scene, runtime};
use crate::config::{Config, Provider, SecretRef};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::{Shelf, Shelved};
use crate::show::{Tone, one_line};
use crate::wire_up::{SystemClock, anchor, check_people, reader};

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Health {
    Well,
    Warning,
    Bad,
}

/// One check: what was looked at, how it is, and how to mend it.
struct Check {
    name: &'static str,
    health: Health,
    found: String,
    fix: Option<String>,
    /// The same for programs, where there is more to tell than a sentence.
    data: Option<Value>,
}

#[derive(Default)]
struct Checks(Vec<Check>);

impl Checks {
    fn well(&mut self, name: &'static str, found: impl Into<String>) {
        self.0.push(Check { name, health: Health::Well, found: found.into(), fix: None, data: None });
    }

    fn warn(&mut self, name: &'static str, found: impl Into<String>, fix: impl Into<String>) {
        let (found, fix) = (found.into(), Some(fix.into()));
        self.0.push(Check { name, health: Health::Warning, found, fix, data: None });
    }

    fn bad(&mut self, name: &'static str, found: impl Into<String>, fix: impl Into<String>) {
        let (found, fix) = (found.into(), Some(fix.into()));
        self.0.push(Check { name, health: Health::Bad, found, fix, data: None });
    }
}

/// `purple doctor`
pub(crate) fn run(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let mut checks = Checks::default();
    match scene.config(Vec::new()) {
        Ok(config) => {
            configuration(&config, &mut checks);
            data_folder(&config.settings.data_dir, &mut checks);
            stored(&config.settings.data_dir, &mut checks)?;
            anchored(scene, &config, &mut checks)?;
            clock(&config, &mut checks);
            policy(&config, &mut checks);
            let shelf = processes(&config, &mut checks);
            people(&config, &shelf, &mut checks);
            servers::ask(scene, &config, &mut checks)?;
            model(scene, &config, &mut checks);
            port(&config, &mut checks);
        }
        Err(Failure::Config(refused)) => {
            for problem in refused.problems {
                checks.bad("config", format!("{}: {}", problem.at, problem.message), problem.help);
            }
        }
        Err(other) => return Err(other),
    }
    show(scene, &checks.0)
}

fn show(scene: &Scene<'_>, checks: &[Check]) -> Result<Exit, Failure> {
    let worst = checks.iter().map(|check| check.health).max().unwrap_or(Health::Well);
    let exit = match worst {
        Health::Well => Exit::Done,
        Health::Warning => Exit::Warnings,
        Health::Bad => Exit::Error,
    };
    if scene.screen.is_json() {
        let word = |health: Health| match health {
            Health::Well => "ok",
            Health::Warning => "warning",
            Health::Bad => "failure",
        };
        let all: Vec<_> = checks
            .iter()
            .map(|c| {
                json!({"check": c.name, "health": word(c.health), "found": c.found, "fix": c.fix, "data": c.data})
            })
            .collect();
        scene.screen.document(&json!({"health": word(worst), "checks": all}))?;
        return Ok(exit);
    }
    for check in checks {
        let (tone, sign) = match check.health {
            Health::Well => (Tone::Good, "✓"),
            Health::Warning => (Tone::Warning, "!"),
            Health::Bad => (Tone::Bad, "✗"),
        };
        let line =
            format!("{} {:<10} {}", scene.screen.out.text(tone, sign), check.name, one_line(&check.found));
        scene.screen.line(line.trim_end())?;
        if let Some(fix) = &check.fix {
            scene.screen.line(&format!("  {:<10} fix: {}", "", one_line(fix)))?;
        }
    }
    Ok(exit)
}

fn configuration(config: &Config, checks: &mut Checks) {
    let files: Vec<String> = config.files.iter().map(|file| file.display().to_string()).collect();
    match files.is_empty() {
        true => checks.well("config", "no file; built-in values and the environment"),
        false => checks.well("config", files.join(", ")),
    }
    for (odd, meant) in &config.slips {
        checks.warn(
            "config",
            format!("the variable `{odd}` means nothing"),
            format!("did you mean `{meant}`?"),
        );
    }
}

/// Writes, syncs and removes a small file where the data will be.
fn data_folder(folder: &Path, checks: &mut Checks) {
    let there = folder.ancestors().find(|path| path.is_dir());
    let Some(there) = there else {
        let fix = "choose another folder with `--data-dir` or `[data] dir`";
        return checks.bad("data", format!("`{}` cannot be made", folder.display()), fix);
    };
    let probe = there.join(".purple-doctor");
    let tried = std::fs::File::create(&probe).and_then(|mut file| {
        use std::io::Write as _;
        file.write_all(b"ok")?;
        file.sync_all()
    });
    let _ = std::fs::remove_file(&probe);
    match tried {
        Ok(()) if there == folder => {
            checks.well("data", format!("{} can be written and synced", folder.display()))
        }
        Ok(()) => checks.well("data", format!("{} will be made at the first run", folder.display())),
        Err(cause) => {
            let fix =
                "give this account the right to write there, or choose another folder with `--data-dir`";
            checks.bad("data", format!("`{}` cannot be written: {cause}", there.display()), fix);
        }
    }
}

/// What SQLite and the chain say about what is kept, if anything is.
fn stored(folder: &Path, checks: &mut Checks) -> Result<(), Failure> {
    let runtime = runtime()?;
    let _entered = runtime.enter();
    let reader = match reader(folder) {
        Ok(reader) => reader,
        Err(Failure::NothingYet { .. }) => return Ok(()),
        Err(other) => {
            checks.bad("store", other.to_string(), "restore a backup, or choose another `--data-dir`");
            return Ok(());
        }
    };
    let health = reader.health().map_err(ClientError::from)?;
    match health.fault {
        None => checks.well("store", format!("{} runs, {} records", health.sessions, health.entries)),
        Some(fault) => checks.bad("store", fault, "restore a backup: the file is damaged"),
    }
    if health.stuck > 0 {
        let fix = "see which: purple runs; then purple show RUN";
        checks.warn("store", format!("{} runs are stuck", health.stuck), fix);
    }
    for halt in runtime.block_on(reader.halts()).map_err(ClientError::from)? {
        let what = halt.process.as_deref().unwrap_or("every process");
        let again = halt.process.as_ref().map_or_else(String::new, |name| format!(" --process {name}"));
        let found = format!("{what} is stopped since {} by {}: {}", halt.at, halt.by, halt.reason);
        checks.warn("halt", found, format!("let operations start again: purple resume{again}"));
    }
    match reader.verify().map_err(ClientError::from)?.fault {
        None => checks.well("audit", "complete, in order and unaltered"),
        Some(bad) => {
            let fix = "keep this folder as it is, and compare with an anchor or a backup";
            checks.bad("audit", bad.to_string(), fix);
        }
    }
    Ok(())
}

/// Whether the end of the journal could be cut off unseen.
fn anchored(scene: &Scene<'_>, config: &Config, checks: &mut Checks) -> Result<(), Failure> {
    let Some(place) = anchor::place(config, scene.environment) else {
        let found = "there is no place outside the data folder, so a journal that was cut off cannot be told";
        let fix = "set HOME or XDG_STATE_HOME, or keep anchors elsewhere: purple audit anchor -o FILE";
        checks.warn("anchor", found, fix);
        return Ok(());
    };
    let reader = match reader(&config.settings.data_dir) {
        Ok(reader) => reader,
        // What is wrong there was told before.
        Err(_) => return Ok(()),
    };
    let runtime = runtime()?;
    let _entered = runtime.enter();
    let database = reader.database().map_err(ClientError::from)?;
    if let Some(file) = place.of_another(&database) {
        let found = format!("another database was in this folder before: its anchor is {}", file.display());
        checks.warn(
            "anchor",
            found,
            "if nobody put it away on purpose, compare with a backup; otherwise remove that anchor",
        );
    }
    match place.kept(&database) {
        Ok(kept) if kept.is_empty() => {
            checks.well("anchor", format!("none yet; it will be in {}", place.folder.display()));
        }
        Ok(kept) => {
            let mut lost = None;
            for anchor in &kept {
                lost = lost.or(reader.lost_since(anchor).map_err(ClientError::from)?);
            }
            match lost {
                None => checks.well("anchor", format!("in {}", place.folder.display())),
                Some(bad) => {
                    let fix = "keep this folder as it is, and compare with a backup";
                    checks.bad("anchor", format!("the journal is not what was anchored: {bad}"), fix);
                }
            }
        }
        Err(failure) => {
            let fix = "look who changed it; without it: purple audit verify, then remove the file";
            checks.bad("anchor", failure.to_string(), fix);
        }
    }
    Ok(())
}

fn clock(config: &Config, checks: &mut Checks) {
    /// 2025-01-01T00:00:00Z: this program did not exist before.
    const EARLIEST_S: i64 = 1_735_689_600;
    let now = SystemClock.now();
    if now.as_second() < EARLIEST_S {
        checks.bad("clock", format!("the clock says {now}"), "set the clock of this machine");
    } else if let Some(start) = config.settings.clock_start {
        let zone = &config.settings.timezone;
        let found =
            format!("every command starts at {start} ({zone}), by `clock.start`; this machine says {now}");
        checks.well("clock", found);
    } else {
        checks.well("clock", format!("{now} ({})", config.settings.timezone));
    }
}

fn policy(config: &Config, checks: &mut Checks) {
    let Some(file) = &config.settings.policy_file else {
        let mode = config.settings.mode;
        return checks
            .well("policy", format!("no document of the operator; processes and mode `{mode}` decide"));
    };
    let name = file.display();
    match std::fs::read(file).map(|bytes| PolicyDocument::parse_bytes(&bytes, Authority::Operator)) {
        Ok(Ok(document)) => checks.well("policy", format!("{name}, {} rules", document.rule_ids().count())),
        Ok(Err(found)) => {
            let first = found.first().map_or("", |diagnostic| diagnostic.message());
            checks.bad(
                "policy",
                format!("{name}: {first}"),
                format!("see all of it: purple policy check {name}"),
            );
        }
        Err(cause) => {
            checks.bad("policy", format!("`{name}` cannot be read: {cause}"), "mend `[policy] file`")
        }
    }
}

fn processes(config: &Config, checks: &mut Checks) -> Shelf {
    // A store that cannot be read is told of by its own check; then only files are known.
    let shelf = Shelf::in_effect(config).unwrap_or_else(|_| Shelf::fill(&config.settings));
    let own = shelf.processes.iter().filter(|one| one.file.is_some()).count();
    let mut found = format!("{} in force, {own} of them your own", shelf.processes.len());
    let signed: Vec<&Shelved> = shelf.processes.iter().filter(|one| one.signed.is_some()).collect();
    if !signed.is_empty() {
        found.push_str(&format!(", {} signed here", signed.len()));
    }
    let instead = signed.iter().filter(|one| one.standing == Standing::SignedInstead);
    let instead: Vec<String> = instead.map(|one| format!("`{}`", one.process.name())).collect();
    if !instead.is_empty() {
        found.push_str(&format!(" ({} in the place of what is built in)", instead.join(", ")));
    }
    checks.well("processes", found);
    for (file, refused) in &shelf.refused {
        let first = refused.problems().first().map(|problem| problem.message.clone()).unwrap_or_default();
        let fix = format!("see all of it: purple process validate {}", file.display());
        checks.bad("processes", format!("{}: {first}", file.display()), fix);
    }
    for (file, cause) in &shelf.unreadable {
        let fix = "mend `[processes] dirs`";
        checks.bad("processes", format!("`{}` cannot be read: {cause}", file.display()), fix);
    }
    shelf
}

/// Whether everybody who can be asked is there: owners of processes, and the roles of levels.
fn people(config: &Config, shelf: &Shelf, checks: &mut Checks) {
    let known = reader(&config.settings.data_dir).ok().and_then(|reader| reader.settings().ok());
    if let Some(Err(other)) = known.map(|known| check_people(config, &known)) {
        checks.bad("people", other.to_string(), other.help().unwrap_or_default());
    }
    let people = &config.settings.people;
    if people.entries.is_empty() {
        let found = "nobody is declared: whoever sits at the keyboard holds every role";
        return checks.well("people", found);
    }
    checks.well("people", format!("{} declared", people.entries.len()));
    let levels =
        config.settings.levels.iter().map(|(level, role)| (role.clone(), format!("level `{level}`")));
    let is_own = |one: &&Shelved| matches!(one.standing, Standing::Operator | Standing::Signed);
    let own = shelf.processes.iter().filter(is_own);
    let owners = own.map(|one| (one.process.owner().clone(), format!("process `{}`", one.process.name())));
    let mut missing: Vec<(Role, String)> = levels.chain(owners).collect();
    missing.retain(|(role, _)| people.holders(role) == 0);
    missing.sort();
    for (role, asked_by) in missing {
        let fix = format!("give somebody the role: `[people.NAME] roles = [\"{role}\"]`");
        checks.warn("people", format!("nobody holds `{role}`, which {asked_by} asks for"), fix);
    }
}

fn model(scene: &Scene<'_>, config: &Config, checks: &mut Checks) {
    let model = &config.settings.model;
    if let Some(brainos) = &model.brainos {
        checks.well("model", format!("BrainOS at {} is asked first", brainos.url));
        if let Some(reference) = &brainos.key {
            secret(scene, "model", reference, checks);
        }
    }
    let key = match model.chosen() {
        Provider::Offline | Provider::Auto => {
            return checks.well("model", "offline: complete processes run without a model");
        }
        Provider::Ollama => None,
        Provider::Anthropic => Some((&model.anthropic_key, "model.anthropic_key")),
        Provider::OpenAi => Some((&model.openai_key, "model.openai_key")),
    };
    checks.well("model", format!("provider `{}`", model.chosen().name()));
    match key {
        Some((Some(reference), _)) => secret(scene, "model", reference, checks),
        Some((None, setting)) => {
            let fix = format!("set `{setting} = \"env:NAME\"`, or `model.provider = \"offline\"`");
            checks.bad("model", format!("`{setting}` is not set"), fix);
        }
        None => {}
    }
}

fn secret(scene: &Scene<'_>, name: &'static str, reference: &SecretRef, checks: &mut Checks) {
    match reference.resolve(scene.environment) {
        Ok(secret) => {
            checks.well(name, format!("{reference} holds {} characters", secret.expose().chars().count()))
        }
        Err(missing) => {
            checks.bad(name, format!("{reference}: {missing}"), "put the secret there, or name another place")
        }
    }
}

fn port(config: &Config, checks: &mut Checks) {
    let serve = &config.settings.serve;
    let address = format!("{}:{}", serve.host, serve.port);
    match TcpListener::bind(&address) {
        Ok(_) => checks.well("port", format!("{address} is free for `purple serve`")),
        Err(cause) => {
            let fix = "a running server of your own is fine; else choose another port: `[serve] port`";
            checks.warn("port", format!("{address} cannot be used: {cause}"), fix);
        }
    }
}
