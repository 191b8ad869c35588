//! What was typed after commands that are about the set-up, not about a run.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// List the tools with their effect and why they have it.
    List {
        /// Only the functions that a model wrote.
        #[arg(long)]
        synthesized: bool,
    },
    /// Show a function that a model wrote, with the cases that it was judged by.
    Show {
        /// Its name.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Sign a function that a model wrote: from then on you answer for exactly this code, and its figures count as
    /// computed. Until then a person is asked about whatever rests on them.
    Sign {
        /// Its name.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Take away a function that a model wrote.
    Forget {
        /// Its name.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Log in to a tool server that wants it: open the address that is printed in a browser, and agree.
    Login {
        /// The name of the server in the configuration.
        #[arg(value_name = "SERVER")]
        server: String,
    },
    /// Forget the login at a tool server.
    Logout {
        /// The name of the server in the configuration.
        #[arg(value_name = "SERVER")]
        server: String,
    },
    /// Review the tools of a server: accept or change the effect that is proposed for each, and pin it.
    Review {
        /// The name of the server in the configuration.
        #[arg(value_name = "SERVER")]
        server: String,
        /// Accept what is proposed, without asking. What is unclear is accepted as a write.
        #[arg(long)]
        accept: bool,
        /// The effect of a tool in place of the proposed one; may be repeated.
        #[arg(long, value_name = "TOOL=EFFECT")]
        set: Vec<String>,
    },
    /// Compare the tools with those that were accepted, and accept them.
    Pin {
        /// Only this tool; may be repeated.
        #[arg(value_name = "TOOL")]
        tool: Vec<String>,
        /// Write the pins into the configuration: from then on another tool of the same name is not used.
        #[arg(long)]
        write: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Process {
    /// List the processes.
    List {
        /// Only those that a model wrote, or that were signed here.
        #[arg(long)]
        synthesized: bool,
    },
    /// Show the file of a process as it counts, and where it comes from.
    Show {
        /// The name of a process.
        #[arg(value_name = "NAME")]
        name: String,
        /// What a model wrote or was signed here under this name, whether it counts or not.
        #[arg(long)]
        synthesized: bool,
    },
    /// Change a process that a model wrote. It is unsigned afterwards.
    Edit {
        /// The name of the process.
        #[arg(value_name = "NAME")]
        name: String,
        /// Take the new text from this file; otherwise $VISUAL or $EDITOR is opened.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Take away a process that a model wrote, or that was signed here. A built-in one whose place it had counts again.
    Forget {
        /// The name of the process.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Sign a process that a model wrote, or a file: from then on you answer for exactly these bytes. A file with the name
    /// of a built-in process takes its place, and it is told how its rules differ.
    Sign {
        /// The name of a process, or a file.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Draft a process file from a run that was approved and verified.
    FromRun {
        /// The run; the beginning of its id is enough.
        #[arg(value_name = "RUN")]
        run: String,
        /// The name of the new process.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Write the draft into this file.
        #[arg(long, short, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Show which tools stand for the calls of processes, propose what nobody mapped, and confirm it.
    Bind {
        /// The name of a process; without it, every process that runs without a model.
        #[arg(value_name = "PROCESS")]
        name: Option<String>,
        /// The section of the configuration that new mappings are written to; without it, that of the tool's server.
        #[arg(long, value_name = "NAME")]
        system: Option<String>,
        /// Confirm what is proposed: write it into the configuration, pinned to the tools as they are now.
        #[arg(long)]
        accept: bool,
    },
    /// Check a process file, its tests included.
    Validate {
        /// The file; may be repeated.
        #[arg(value_name = "FILE", required = true)]
        file: Vec<PathBuf>,
    },
    /// Show sentences that each process and each calculation understands.
    Examples {
        /// Only this process, by its name or as a file.
        #[arg(value_name = "PROCESS")]
        name: Option<String>,
    },
    /// Draw a process.
    Graph {
        /// The name of a process, or a file.
        #[arg(value_name = "NAME")]
        name: String,
        /// The language of the drawing.
        #[arg(long, value_enum, default_value_t = GraphFormat::Mermaid)]
        format: GraphFormat,
    },
    /// Tell a process in plain sentences.
    Describe {
        /// The name of a process, or a file.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// The language of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Mermaid.
    Mermaid,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Check a policy document.
    Check {
        /// The file; may be repeated.
        #[arg(value_name = "FILE", required = true)]
        file: Vec<PathBuf>,
    },
    /// Show which rules fire, with the numbers put in.
    Explain(Explain),
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A policy document, or a run.
    #[arg(value_name = "FILE|RUN")]
    pub(crate) what: String,
    /// A JSON object of names and values that the rules are judged on.
    #[arg(long, value_name = "FILE")]
    pub(crate) facts: Option<PathBuf>,
    /// One fact, `name=value`; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) fact: Vec<String>,
    /// The tool of the operation that is judged.
    #[arg(long, value_name = "TOOL")]
    pub(crate) operation: Option<String>,
    /// The arguments of the operation, as a JSON object.
    #[arg(long, value_name = "JSON", requires = "operation")]
    pub(crate) arguments: Option<String>,
    /// A tool that counts as done before; may be repeated.
    #[arg(long, value_name = "TOOL")]
    pub(crate) after: Vec<String>,
    /// The words of the task.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) task: String,
    /// Judge as rules that came with a request: they can only restrict.
    #[arg(long)]
    pub(crate) as_request: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Check that no record was changed, lost or moved.
    Verify {
        /// A checkpoint that was written elsewhere.
        #[arg(long, value_name = "FILE", requires = "key")]
        anchor: Option<PathBuf>,
        /// The public key of the checkpoint: `ed25519:HEX`, the digits alone, or a file with them.
        #[arg(long, value_name = "KEY|FILE", requires = "anchor")]
        key: Option<String>,
    },
    /// List what operators changed: tokens, halts, definitions, settings and pins; the newest last.
    Operators,
    /// Write the journal as a bundle that anybody can verify.
    Export {
        /// Only this run, or how its id begins.
        #[arg(value_name = "RUN")]
        run: Option<String>,
        /// The file; stdout without one.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Write a signed checkpoint, to be kept elsewhere.
    Anchor {
        /// The file; stdout without one.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The folder to make.
    #[arg(value_name = "DIR")]
    pub(crate) to: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// What to begin with.
    #[arg(long, value_enum, default_value_t = Template::Invoices)]
    pub(crate) template: Template,
    /// The folder; the present one without it.
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// What a new folder begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// A process that reconciles invoices, with a policy.
    Invoices,
    /// A configuration only.
    Empty,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show every setting.
    Show {
        /// Show where each value came from.
        #[arg(long)]
        origin: bool,
        /// Only settings whose name begins so.
        #[arg(value_name = "KEY")]
        key: Option<String>,
    },
    /// Accept the people of this configuration in place of those that the data folder knows. Operators do that.
    Accept,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// Bash.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell.
    #[value(name = "powershell", alias = "pwsh")]
    Power,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The address to listen on.
    #[arg(long, value_name = "ADDR")]
    pub(crate) host: Option<String>,
    /// The port to listen on.
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// The public address of the agent card.
    #[arg(long, value_name = "URL")]
    pub(crate) card_url: Option<String>,
    /// Which fields the agent card has: `hybrid` or `v1`.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) card_profile: Option<String>,
    /// Keep nothing: all data is lost when the program ends.
    #[arg(long)]
    pub(crate) ephemeral: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Learn {
    /// How much was learned: cases, strategies with their mean quality, facts, entities.
    Status,
    /// List the cases of the log, the newest first, and whether a task is told of them.
    Cases {
        /// Those that left the log too: they are only the history of whom they were about.
        #[arg(long)]
        all: bool,
        /// Only those of this process.
        #[arg(long, value_name = "NAME")]
        process: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        limit: u16,
    },
    /// List the facts, each with the run and the tool that it comes from.
    Knowledge {
        /// Only those about this name.
        #[arg(long, value_name = "NAME")]
        about: Option<String>,
        /// Those that newer evidence contradicts too.
        #[arg(long)]
        all: bool,
    },
    /// List whether values that were computed before anything was read came out, the newest first.
    Checks {
        /// Only those of this process.
        #[arg(long, value_name = "NAME")]
        process: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        limit: u16,
    },
    /// List whom and what runs were about, the most often seen first.
    Entities {
        /// Only this kind: vendor, person, id, amount, date, product.
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        limit: u16,
    },
    /// Forget, for good. The journals of the runs stay.
    Forget(Forget),
    /// Write everything as JSON files into a folder.
    Export {
        /// The folder; without it, `learn.dir`.
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Take up what such a folder holds. It changes how tasks are attempted, never what is permitted.
    Import {
        /// The folder; without it, `learn.dir`.
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

/// What is to be forgotten.
#[derive(Debug, Args)]
pub(crate) struct Forget {
    #[command(flatten)]
    pub(crate) what: ForgetWhat,
    /// Do not ask for confirmation.
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// One of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ForgetWhat {
    /// What this run left.
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// All about somebody or something, such as `vendor:Acme Corp`.
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) entity: Option<String>,
    /// What the runs of this process left.
    #[arg(long, value_name = "NAME")]
    pub(crate) process: Option<String>,
    /// Everything.
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token. It is shown once, and never again.
    Create {
        /// Who shows it.
        #[arg(long, value_name = "PERSON")]
        name: String,
        /// What they may do at the door; may be repeated.
        #[arg(long, value_enum, required = true)]
        role: Vec<DoorRoleWord>,
        /// A business role that they approve in, such as `ap_lead`; may be repeated.
        #[arg(long, value_name = "ROLE")]
        group: Vec<String>,
        /// The days after which it stops to count; never without it.
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3650))]
        days: Option<u16>,
    },
    /// List the tokens, without their secrets.
    List,
    /// Take a token back. It opens nothing from then on.
    Revoke {
        /// The id of the token: `purple token list` shows it.
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// What a caller may do at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DoorRoleWord {
    /// Sends tasks, and follows their own.
    Requester,
    /// Sees what waits for a decision, and decides.
    Approver,
    /// Sees every task, and may call it off.
    Operator,
    /// Sees every task, and changes nothing.
    Auditor,
}

impl From<DoorRoleWord> for purple_worker::port::DoorRole {
    fn from(word: DoorRoleWord) -> Self {
        match word {
            DoorRoleWord::Requester => Self::Requester,
            DoorRoleWord::Approver => Self::Approver,
            DoorRoleWord::Operator => Self::Operator,
            DoorRoleWord::Auditor => Self::Auditor,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Help {
    /// A command, `tasks` or `exit-codes`.
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Vec<String>,
}
