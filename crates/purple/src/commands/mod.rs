//! One file a family of commands. A command takes what was typed, asks a room, and shows the answer.

mod about;
mod audit;
mod brake;
mod chat;
mod completions;
mod config;
mod decide;
pub(crate) mod demo;
mod doctor;
mod init;
pub(crate) mod learn;
mod look;
mod made;
mod place;
mod policy;
mod process;
mod replay;
mod serve;
mod session;
mod task;
mod token;
mod tools;
mod watch;

#[cfg(test)]
#[path = "client_tests.rs"]
mod client_tests;

use std::future::Future;

use purple_process::PersonId;

use crate::cli::{Command, Global, Typed};
use crate::config::{Config, Environment, Files, Flags};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity::{self, Sight, Speaker};
use crate::show::Screen;
use crate::wire_up::{House, Purpose};

/// What every command is given.
pub(crate) struct Scene<'a> {
    pub(crate) global: Global,
    pub(crate) environment: &'a Environment,
    pub(crate) screen: Screen,
}

impl Scene<'_> {
    /// The configuration, with what flags say about it.
    pub(crate) fn config(&self, flags: Flags) -> Result<Config, Failure> {
        let mut flags = flags;
        if let Some(folder) = &self.global.data_dir {
            flags.push(("data.dir", "--data-dir", folder.display().to_string()));
        }
        let files = match (&self.global.config, self.global.no_config) {
            (Some(file), _) => Files::Only(file.clone()),
            (None, true) => Files::None,
            (None, false) => Files::Found,
        };
        let config = Config::load(self.environment, &files, &flags)?;
        for (odd, meant) in &config.slips {
            self.screen.say(&format!("purple: the variable `{odd}` means nothing; did you mean `{meant}`?"));
        }
        Ok(config)
    }

    /// Who is speaking, and how that was established.
    pub(crate) fn speaker(&self, config: &Config) -> Result<Speaker, Failure> {
        identity::speaker(config, self.environment, self.global.person.as_deref())
    }

    /// Who is speaking.
    pub(crate) fn person(&self, config: &Config) -> Result<PersonId, Failure> {
        Ok(self.speaker(config)?.person)
    }

    /// Which runs whoever is speaking sees.
    pub(crate) fn sight(&self, config: &Config) -> Result<Sight, Failure> {
        identity::sight(config, self.environment, self.global.person.as_deref())
    }

    /// Whoever is speaking, if they may do what only operators do.
    pub(crate) fn operator(&self, config: &Config) -> Result<PersonId, Failure> {
        identity::operates(config, self.environment, self.global.person.as_deref())
    }

    /// Refuses whoever does not see the work of everybody.
    pub(crate) fn oversees(&self, config: &Config) -> Result<(), Failure> {
        match self.sight(config)? {
            Sight::All => Ok(()),
            Sight::Own { .. } => Err(Failure::NotAnOverseer),
        }
    }

    /// The configuration and who is speaking.
    pub(crate) fn config_and_person(&self) -> Result<(Config, PersonId), Failure> {
        let config = self.config(Vec::new())?;
        let person = self.person(&config)?;
        Ok((config, person))
    }
}

/// Carries out what was typed.
pub(crate) fn run(typed: Typed, environment: &Environment, screen: Screen) -> Result<Exit, Failure> {
    let scene = Scene { global: typed.global, environment, screen };
    match typed.command {
        Command::Process(args) => process::run(&scene, &args),
        Command::Config(args) => config::run(&scene, &args),
        Command::Doctor => doctor::run(&scene),
        Command::Init(args) => init::run(&scene, &args),
        Command::Completions(args) => completions::run(&scene, &args),
        Command::Version => about::version(&scene),
        Command::Help(args) => about::help(&scene, &args),
        Command::Policy(args) => policy::run(&scene, &args),
        Command::Run(args) => task::run(&scene, &args),
        Command::Chat(args) => chat::run(&scene, &args),
        Command::Plan(args) => task::plan(&scene, &args),
        Command::Runs(args) => look::runs(&scene, &args),
        Command::Show(args) => look::show(&scene, &args),
        Command::Trace(args) => look::trace(&scene, &args),
        Command::Inbox => look::inbox(&scene),
        Command::Approve(args) => decide::approve(&scene, &args),
        Command::Reject(args) => decide::reject(&scene, &args),
        Command::Settle(args) => decide::settle(&scene, &args),
        Command::Cancel(args) => decide::cancel(&scene, &args),
        Command::Halt(args) => brake::halt(&scene, &args),
        Command::Resume(args) => brake::resume(&scene, &args),
        Command::Demo(args) => demo::run(&scene, &args),
        Command::Undo(args) => decide::undo(&scene, &args),
        Command::Tools(args) => tools::run(&scene, &args),
        Command::Learn(args) => learn::run(&scene, &args),
        Command::Audit(args) => audit::run(&scene, &args),
        Command::Replay(args) => replay::run(&scene, &args),
        Command::Backup(args) => audit::backup(&scene, &args),
        Command::Serve(args) => serve::run(&scene, &args),
        Command::Token(args) => token::run(&scene, &args),
        Command::Login => session::login(&scene),
        Command::Logout => session::logout(&scene),
        Command::Whoami => session::whoami(&scene),
    }
}

/// Opens the house, does something in it until it is done or somebody presses Ctrl-C, and closes it.
pub(crate) fn in_house<F, D>(
    scene: &Scene<'_>,
    config: &Config,
    purpose: Purpose,
    work: F,
) -> Result<Exit, Failure>
where
    F: FnOnce(purple_worker::WorkerHandle) -> D,
    D: Future<Output = Result<Exit, Failure>>,
{
    let (runtime, by, sight) = (runtime()?, scene.person(config).ok(), scene.sight(config)?);
    let done = runtime.block_on(async {
        let house = House::open(config, scene.environment, purpose, by.clone()).await?;
        let working = work(sight.over(house.worker.clone()));
        tokio::pin!(working);
        let mut second = None;
        let exit = loop {
            let alone = purpose == Purpose::Act && !house.works_here() && second.is_none();
            tokio::select! {
                exit = &mut working => break exit,
                _ = tokio::signal::ctrl_c() => break Err(Failure::Interrupted),
                // The process that took our event in may end before its work is done: then it goes on here.
                taken_over = House::take_over(config, scene.environment, by.clone()), if alone => second = Some(taken_over),
            }
        };
        if let Some(second) = second {
            second.close().await?;
        }
        house.close().await?;
        exit
    });
    // A tool call that hangs must not keep the program alive.
    runtime.shutdown_background();
    done
}

/// What futures run on.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)
}
