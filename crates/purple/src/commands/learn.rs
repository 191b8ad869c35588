//! What was learned: listed, inspected, carried away and forgotten. Nothing here changes what is permitted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use purple_process::{PersonId, SessionId};
use purple_sandbox::RhaiSandbox;
use purple_store::{Known, OpenError, Reader, Remote, Store};
use purple_worker::ClientError;
use purple_worker::learn::Switch;
use purple_worker::learn::bandit::{Arm, Tally};
use purple_worker::learn::carried::{self, CARRIED_FILES, Carried};
use purple_worker::learn::seed::{self, FILE_BYTES_MAX, Forget, Imported, Seed, passed_over};
use purple_worker::port::{Check, Clock as _, Definitions as _, Entity, Fact, Learned, Logged, Redefinition};
use serde_json::{Value, json};

use crate::cli;
use crate::commands::{Scene, runtime};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::shelf::Shelf;
use crate::show::{Table, one_line};
use crate::wire_up::{SystemClock, clock, reader, reading};

/// `purple learn …`
pub(crate) fn run(scene: &Scene<'_>, args: &cli::Learn) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    scene.oversees(&config)?;
    let runtime = runtime()?;
    runtime.block_on(async {
        match args {
            cli::Learn::Status => status(scene, &config).await,
            cli::Learn::Cases { all, process, limit } => {
                cases(scene, &config, *all, (process.as_deref(), usize::from(*limit))).await
            }
            cli::Learn::Checks { process, limit } => {
                checks(scene, &config, process.as_deref(), usize::from(*limit)).await
            }
            cli::Learn::Knowledge { about, all } => knowledge(scene, &config, about.as_deref(), *all).await,
            cli::Learn::Entities { kind, limit } => {
                entities(scene, &config, kind.as_deref(), usize::from(*limit)).await
            }
            cli::Learn::Forget(args) => forget(scene, &config, args, scene.operator(&config)?).await,
            cli::Learn::Export { folder } => export(scene, &config, folder.as_deref()).await,
            cli::Learn::Import { folder } => {
                import(scene, &config, folder.as_deref(), scene.operator(&config)?).await
            }
        }
    })
}

/// What is there. Nothing, where nothing has run yet.
async fn all(config: &Config) -> Result<Option<(Reader, Seed)>, Failure> {
    match reader(&config.settings.data_dir) {
        Ok(reader) => {
            let seed = reader.learned().await.map_err(ClientError::from)?;
            Ok(Some((reader, seed)))
        }
        Err(Failure::NothingYet { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The time as the runs have it.
fn now(config: &Config) -> Timestamp {
    clock(config.settings.clock_start).now()
}

/// The cases of the log, each with why it is passed over; without those that left it.
fn log(seed: &Seed, now: Timestamp) -> Vec<(&Logged, Option<seed::Passed>)> {
    let log: Vec<Logged> = seed.cases.iter().filter(|one| !one.left).cloned().collect();
    let passed = passed_over(&log, now);
    seed.cases.iter().filter(|one| !one.left).zip(passed).collect()
}

async fn status(scene: &Scene<'_>, config: &Config) -> Result<Exit, Failure> {
    let (counted, seed, known, definitions) = match all(config).await? {
        Some((reader, seed)) => {
            let known = reader.known(usize::MAX).await.map_err(ClientError::from)?;
            let definitions = reader.definitions().await.map_err(ClientError::from)?;
            (reader.counted().await.map_err(ClientError::from)?, seed, known.len(), definitions)
        }
        None => (Learned::default(), Seed::default(), 0, Vec::new()),
    };
    let shelf = Shelf::fill(&config.settings).with(&definitions, config);
    let signed = shelf.processes.iter().filter(|one| one.signed.is_some());
    let signed: Vec<String> = signed.map(|one| format!("{} {}", one.process.name(), one.whence())).collect();
    let log = log(&seed, now(config));
    let passed = log.iter().filter(|(_, why)| why.is_some()).count();
    let superseded = seed.facts.iter().filter(|fact| fact.superseded.is_some()).count();
    let facts = seed.facts.len() - superseded;
    let on = config.settings.learning.switch == Switch::On;
    let screen = scene.screen;
    if screen.is_json() {
        let by_process: serde_json::Map<String, Value> =
            counted.cases.iter().map(|(process, count)| (process.clone(), json!(count))).collect();
        screen.document(&json!({
            "enabled": on,
            "cases": {"total": log.len(), "passed_over": passed, "by_process": by_process,
                "max": config.settings.learning.cases_max},
            "bandit": seed::arms(&seed.scores),
            "knowledge": {"facts": facts, "superseded": superseded},
            "entities": known,
            "checks": seed.checks.len(),
            "tool_registry": counted.tools,
            "synthesized_definitions": counted.processes,
            "signed_definitions": signed.len(),
        }))?;
        return Ok(Exit::Done);
    }
    screen.line(&format!("learning     {}", if on { "on" } else { "off (learn.enabled = false)" }))?;
    let max = config.settings.learning.cases_max;
    screen.line(&format!("cases        {} of at most {max}, {passed} passed over", log.len()))?;
    screen.line(&format!("knowledge    {facts} facts, {superseded} superseded"))?;
    screen.line(&format!("entities     {known}"))?;
    screen.line(&format!("checks       {} of values that were computed beforehand", seed.checks.len()))?;
    screen.line(&format!("synthesized  {} processes, {} tools", counted.processes, counted.tools))?;
    signed.iter().try_for_each(|one| screen.line(&format!("             {}", one_line(one))))?;
    if !counted.arms.is_empty() {
        screen.line("")?;
        let mut table = Table::new(&["PROCESS", "STRATEGY", "Q", "N"]);
        for arm in &counted.arms {
            table.row([arm.context.clone(), arm.arm.clone(), arm.mean.clone(), arm.tries.to_string()]);
        }
        table.lines(screen.out).iter().try_for_each(|line| screen.line(line))?;
    }
    Ok(Exit::Done)
}

async fn cases(
    scene: &Scene<'_>,
    config: &Config,
    with_left: bool,
    (process, limit): (Option<&str>, usize),
) -> Result<Exit, Failure> {
    let seed = all(config).await?.map(|(_, seed)| seed).unwrap_or_default();
    let mut wanted = log(&seed, now(config));
    if with_left {
        wanted.extend(seed.cases.iter().filter(|one| one.left).map(|one| (one, None)));
    }
    let of_process = |(one, _): &(&Logged, _)| process.is_none_or(|name| one.case.process == name);
    let wanted = wanted.into_iter().filter(of_process).take(limit);
    let screen = scene.screen;
    if screen.is_json() {
        let shown = |(one, why): (&Logged, Option<seed::Passed>)| {
            json!({"case": one.case, "quality": one.points.map(quality), "left": one.left,
                "passed_over": why.map(seed::Passed::as_str)})
        };
        screen.document(&json!({"cases": wanted.map(shown).collect::<Vec<_>>()}))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["QUALITY", "RUN", "PROCESS", "ENDED", "TOLD", "TASK"]);
    for (one, why) in wanted {
        let told = if one.left { "left the log" } else { why.map_or("yes", seed::Passed::as_str) };
        table.row([
            one.points.map_or_else(|| "-".to_owned(), quality),
            one.case.session.to_string(),
            one.case.process.clone(),
            format!("{:.0}", one.case.at),
            told.to_owned(),
            one_line(&one.case.text),
        ]);
    }
    lines(scene, &table)
}

async fn knowledge(
    scene: &Scene<'_>,
    config: &Config,
    about: Option<&str>,
    superseded: bool,
) -> Result<Exit, Failure> {
    let facts = all(config).await?.map(|(_, seed)| seed.facts).unwrap_or_default();
    let wanted = |fact: &&Fact| {
        (superseded || fact.superseded.is_none())
            && about.is_none_or(|name| fact.entity.name.eq_ignore_ascii_case(name))
    };
    let facts: Vec<&Fact> = facts.iter().filter(wanted).collect();
    if scene.screen.is_json() {
        scene.screen.document(&json!({ "facts": facts }))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["ABOUT", "FIELD", "VALUE", "DOMAIN", "SOURCE", "RUN", "STANDS"]);
    for fact in facts {
        let stands = fact.superseded.map_or_else(|| "yes".to_owned(), |at| format!("until {at:.0}"));
        table.row([
            format!("{} {}", fact.entity.kind, one_line(&fact.entity.name)),
            one_line(&fact.field),
            one_line(&fact.value),
            fact.domain.clone(),
            one_line(&fact.evidence.tool),
            fact.session.to_string(),
            stands,
        ]);
    }
    lines(scene, &table)
}

async fn checks(
    scene: &Scene<'_>,
    config: &Config,
    process: Option<&str>,
    limit: usize,
) -> Result<Exit, Failure> {
    let checks = all(config).await?.map(|(_, seed)| seed.checks).unwrap_or_default();
    let of_process = |check: &&Check| process.is_none_or(|name| check.process == name);
    let checks: Vec<&Check> = checks.iter().rev().filter(of_process).take(limit).collect();
    if scene.screen.is_json() {
        scene.screen.document(&json!({ "checks": checks }))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["FIGURE", "GIVEN", "FOUND", "HIT", "PROCESS", "RUN", "WHEN"]);
    for check in checks {
        table.row([
            one_line(&check.figure),
            one_line(&check.given),
            one_line(&check.found),
            if check.hit { "yes" } else { "no" }.to_owned(),
            check.process.clone(),
            check.session.to_string(),
            format!("{:.0}", check.at),
        ]);
    }
    lines(scene, &table)
}

async fn entities(
    scene: &Scene<'_>,
    config: &Config,
    kind: Option<&str>,
    limit: usize,
) -> Result<Exit, Failure> {
    let known = match all(config).await? {
        Some((reader, _)) => reader.known(usize::MAX).await.map_err(ClientError::from)?,
        None => Vec::new(),
    };
    let wanted = |known: &&Known| kind.is_none_or(|kind| known.entity.kind == kind);
    let known: Vec<&Known> = known.iter().filter(wanted).take(limit).collect();
    if scene.screen.is_json() {
        let shown = |one: &&Known| json!({"kind": one.entity.kind, "name": one.entity.name, "seen": one.seen, "at": one.at, "runs": one.runs});
        scene.screen.document(&json!({"entities": known.iter().map(shown).collect::<Vec<_>>()}))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["KIND", "NAME", "SEEN", "LAST", "RUNS"]);
    for one in known {
        let runs: Vec<String> = one.runs.iter().map(ToString::to_string).collect();
        table.row([
            one.entity.kind.clone(),
            one_line(&one.entity.name),
            one.seen.to_string(),
            format!("{:.0}", one.at),
            runs.join(", "),
        ]);
    }
    lines(scene, &table)
}

fn lines(scene: &Scene<'_>, table: &Table) -> Result<Exit, Failure> {
    table.lines(scene.screen.out).iter().try_for_each(|line| scene.screen.line(line))?;
    Ok(Exit::Done)
}

/// A quality as a decimal.
pub(crate) fn quality(points: u16) -> String {
    seed::mean(Tally { arm: Arm::Fsm, tries: 1, points: u64::from(points) })
}

async fn forget(
    scene: &Scene<'_>,
    config: &Config,
    args: &cli::Forget,
    by: PersonId,
) -> Result<Exit, Failure> {
    let folder = &config.settings.data_dir;
    let what = match (&args.what.run, &args.what.entity, &args.what.process) {
        (Some(run), ..) => Forget::Run(left_by(config, run).await?),
        (None, Some(entity), _) => {
            let (kind, name) = entity
                .split_once(':')
                .filter(|(_, name)| !name.trim().is_empty())
                .ok_or_else(|| Failure::BadEntity { text: entity.clone() })?;
            Forget::Entity(Entity { kind: kind.to_owned(), name: name.trim().to_owned() })
        }
        (None, None, Some(process)) => Forget::Process(process.clone()),
        (None, None, None) => Forget::Everything,
    };
    if what == Forget::Everything && !args.yes && !confirmed(scene)? {
        return Err(Failure::NotForgotten);
    }
    let rows = match store(folder)? {
        At::Here(store) => {
            let rows = store.forget(what, by).await;
            store.close().await.map_err(ClientError::from)?;
            rows
        }
        At::There => Remote::connect(folder).await?.forget(what, by).await,
    };
    let rows = rows.map_err(ClientError::from)?;
    if scene.screen.is_json() {
        scene.screen.document(&json!({"forgotten": rows}))?;
    } else {
        scene.screen.line(&format!("forgotten: {rows} rows"))?;
        if rows == 0 && args.what.entity.is_some() {
            scene
                .screen
                .say("Nothing is known under this kind and name; `purple learn entities` lists what is.");
        }
        scene
            .screen
            .say("The journals of the runs are untouched: they are the audit, and nothing learns from them.");
    }
    Ok(Exit::Done)
}

/// The run whose id is so or begins so, here or among those from elsewhere that left something.
async fn left_by(config: &Config, name: &str) -> Result<SessionId, Failure> {
    let here = reading(&config.settings.data_dir, config)?.find(name).await;
    let Err(ClientError::NoSuchRun { .. }) = &here else { return Ok(here?) };
    let seed = all(config).await?.map(|(_, seed)| seed).unwrap_or_default();
    let cases = seed.cases.iter().map(|one| &one.case.session);
    let scores = seed.scores.iter().map(|one| &one.session);
    let facts = seed.facts.iter().map(|one| &one.session);
    let checks = seed.checks.iter().map(|one| &one.session);
    let every = cases.chain(scores).chain(facts).chain(checks);
    let found: BTreeSet<&SessionId> = every.filter(|run| run.as_str().starts_with(name)).collect();
    let exact = found.iter().copied().find(|run| run.as_str() == name);
    match (exact, found.len()) {
        (Some(run), _) => Ok(run.clone()),
        (None, 0) => Ok(here?),
        (None, 1) => Ok(found.into_iter().next().cloned().map_or(here, Ok)?),
        (None, _) => {
            let runs = found.iter().take(RUNS_NAMED_MAX).map(ToString::to_string).collect();
            Err(ClientError::Ambiguous { prefix: name.to_owned(), runs }.into())
        }
    }
}

/// The most runs that are named where several begin alike.
const RUNS_NAMED_MAX: usize = 8;

fn confirmed(scene: &Scene<'_>) -> Result<bool, Failure> {
    if !scene.screen.may_ask() {
        return Ok(false);
    }
    Ok(scene.screen.ask("Forget everything that was learned? Type `yes`: ")?.trim() == "yes")
}

async fn export(scene: &Scene<'_>, config: &Config, folder: Option<&Path>) -> Result<Exit, Failure> {
    let folder = place(config, folder)?;
    let carried = match all(config).await? {
        Some((reader, seed)) => {
            Carried { seed, definitions: reader.definitions().await.map_err(ClientError::from)? }
        }
        None => Carried::default(),
    };
    let unwritten = |file: &Path| {
        let file = file.to_owned();
        move |cause| Failure::Write { file, cause }
    };
    std::fs::create_dir_all(&folder).map_err(unwritten(&folder))?;
    let mut written = Vec::new();
    for (name, value) in carried::files(&carried) {
        let (file, draft) = (folder.join(name), folder.join(format!("{name}.part")));
        let text = serde_json::to_string_pretty(&value).map_err(std::io::Error::from);
        std::fs::write(&draft, text.map_err(unwritten(&file))?).map_err(unwritten(&draft))?;
        std::fs::rename(&draft, &file).map_err(unwritten(&file))?;
        written.push(file);
    }
    let (rows, made) = (carried.seed.rows(), carried.definitions.len());
    if scene.screen.is_json() {
        let told = json!({"folder": folder, "files": written, "rows": rows, "definitions": made});
        scene.screen.document(&told)?;
    } else {
        scene.screen.line(&format!("{rows} rows and {made} definitions written to {}", folder.display()))?;
    }
    Ok(Exit::Done)
}

async fn import(
    scene: &Scene<'_>,
    config: &Config,
    folder: Option<&Path>,
    by: PersonId,
) -> Result<Exit, Failure> {
    let folder = place(config, folder)?;
    // Everything is checked before anything is taken.
    let Carried { seed, definitions } = read(&folder, SystemClock.now())?;
    let cases_max = config.settings.learning.cases_max;
    let data = &config.settings.data_dir;
    let changes = definitions.into_iter().map(Redefinition::Define);
    let mut made = Imported::default();
    let mut count = |new: bool| match new {
        true => made.rows += 1,
        false => made.known += 1,
    };
    let taken = match store(data)? {
        At::Here(store) => {
            let taken = store.import(seed, cases_max, by).await;
            for change in changes {
                count(store.redefine(change).await.map_err(ClientError::from)?);
            }
            store.close().await.map_err(ClientError::from)?;
            taken
        }
        At::There => {
            let remote = Remote::connect(data).await?;
            for change in changes {
                count(remote.redefine(change).await.map_err(ClientError::from)?);
            }
            remote.import(seed, cases_max, by).await
        }
    };
    let Imported { rows, known } = taken.map_err(ClientError::from)?;
    if scene.screen.is_json() {
        let made = json!({"taken": made.rows, "known": made.known});
        let told = json!({"folder": folder, "taken": rows, "known": known, "definitions": made});
        scene.screen.document(&told)?;
        return Ok(Exit::Done);
    }
    scene.screen.line(&format!("{rows} rows taken from {}, {known} were known", folder.display()))?;
    if made != Imported::default() {
        let Imported { rows, known } = made;
        scene.screen.line(&format!("{rows} definitions taken, {known} names were taken already"))?;
        scene.screen.say("Nobody has signed them here: purple process list --synthesized");
    }
    Ok(Exit::Done)
}

/// One file of a folder; `None` where it is not there.
fn read_file(folder: &Path, name: &str) -> Result<Option<String>, Failure> {
    let file = folder.join(name);
    let unread = |cause| Failure::Read { file: file.clone(), cause };
    let bytes = match std::fs::metadata(&file) {
        Ok(about) => about.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(unread(cause)),
    };
    if bytes > FILE_BYTES_MAX as u64 {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        return Err(seed::BadSeed::TooLong { file: name.to_owned(), bytes }.into());
    }
    Ok(Some(std::fs::read_to_string(&file).map_err(unread)?))
}

/// Reads the files of a folder; one of them is enough.
pub(crate) fn read(folder: &Path, now: Timestamp) -> Result<Carried, Failure> {
    let sandbox = RhaiSandbox::new(Arc::new(SystemClock));
    let mut carried = Carried::default();
    let mut found = false;
    for name in CARRIED_FILES {
        let Some(text) = read_file(folder, name)? else { continue };
        carried::take(&mut carried, name, &text, now, &sandbox)?;
        found = true;
    }
    if found { Ok(carried) } else { Err(Failure::NoSeed { folder: folder.to_owned() }) }
}

fn place(config: &Config, folder: Option<&Path>) -> Result<PathBuf, Failure> {
    let set = folder.map(Path::to_owned).or_else(|| config.settings.learning_dir.clone());
    set.ok_or(Failure::NoLearningDir)
}

/// Where writing happens: here, or in the process that works in the folder.
enum At {
    Here(Store),
    There,
}

fn store(folder: &Path) -> Result<At, Failure> {
    match Store::open(folder, purple_store::Settings::default(), Arc::new(SystemClock)) {
        Ok(store) => Ok(At::Here(store)),
        Err(OpenError::InUse { .. }) => Ok(At::There),
        Err(other) => Err(other.into()),
    }
}
