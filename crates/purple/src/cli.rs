//! What was typed.

mod parts;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use parts::{
    Audit, Backup, Completions, Config, Explain, Forget, GraphFormat, Help, Init, Learn, Policy, Process,
    Serve, Shell, Template, Token, Tools,
};

/// An AI worker for business processes: it reads, computes, checks the policy, asks, writes and reads back.
#[derive(Debug, Parser)]
#[command(
    name = "purple",
    version,
    disable_help_subcommand = true,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "Start with `purple demo`. Exit codes: `purple help exit-codes`."
)]
pub(crate) struct Typed {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Read this configuration file and no other.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration file.
    #[arg(long, global = true)]
    pub(crate) no_config: bool,
    /// The folder where runs and their journals are kept.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Give data as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colour.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorWhen::Auto)]
    pub(crate) color: ColorWhen,
    /// Never ask; fail where a question would be asked.
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
    /// Who is speaking, on a one-person set-up. With people or tokens, `purple login` says it.
    #[arg(long = "as", global = true, value_name = "PERSON")]
    pub(crate) person: Option<String>,
    /// Say nothing beside the data and errors.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// In a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Watch five business cases being done, offline, against a demo company.
    Demo(Demo),
    /// Carry out a task.
    Run(Run),
    /// Hold a session at the keyboard: one line is one message.
    Chat(Chat),
    /// Read, compute and decide, show what would be done, and write nothing.
    Plan(Plan),
    /// List runs, the last changed first.
    Runs(Runs),
    /// Show one run.
    Show(Show),
    /// Show the journal of a run.
    Trace(Trace),
    /// List what waits for a person.
    Inbox,
    /// Say yes to the plan that waits.
    Approve(Approve),
    /// Say no to the plan that waits.
    Reject(Reject),
    /// Say what became of an operation whose outcome is unknown.
    Settle(Settle),
    /// Offer the undoing of a verified operation as a new plan.
    Undo(Undo),
    /// Call a run off.
    Cancel(Cancel),
    /// Let no new operation start.
    Halt(Halt),
    /// Let operations start again.
    Resume(Resume),
    /// Look at the tools.
    #[command(subcommand, arg_required_else_help = true)]
    Tools(Tools),
    /// Look at processes.
    #[command(subcommand, arg_required_else_help = true)]
    Process(Process),
    /// Look at policy.
    #[command(subcommand, arg_required_else_help = true)]
    Policy(Policy),
    /// Look at what was learned from earlier runs, carry it away, or forget it.
    #[command(subcommand, arg_required_else_help = true)]
    Learn(Learn),
    /// Verify and export the audit journal.
    #[command(subcommand, arg_required_else_help = true)]
    Audit(Audit),
    /// Perform a run again from its journal, without model and tools, and compare.
    Replay(OneRun),
    /// Copy the data folder to a new place while work goes on.
    Backup(Backup),
    /// Check that everything is in order, and say how to mend what is not.
    Doctor,
    /// Write a first configuration, a process and a policy. Nothing is overwritten.
    Init(Init),
    /// Look at the configuration.
    #[command(subcommand, arg_required_else_help = true)]
    Config(Config),
    /// Print a completion script for a shell.
    Completions(Completions),
    /// Open the HTTP door.
    Serve(Serve),
    /// Make, list and revoke the tokens of callers.
    #[command(subcommand, arg_required_else_help = true)]
    Token(Token),
    /// Log in to the command line with a token, which is read from stdin.
    Login,
    /// Forget the token of the last login.
    Logout,
    /// Show who you are to this set-up, and how it knows.
    Whoami,
    /// Print the version.
    Version,
    /// Explain a command or a topic: `purple help exit-codes`.
    Help(Help),
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Answer the questions of the demo as a recorded demo approver.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Crash the worker at random points and show the recovery.
    #[arg(long)]
    pub(crate) kill: bool,
    /// Put a lying model in the seat, and show what it tried and what reached the company.
    #[arg(long, conflicts_with_all = ["kill", "case"])]
    pub(crate) hostile: bool,
    /// Work on a stream of mixed tasks with a model that knows only its prompt, and draw how it fares with and without
    /// what was learned.
    #[arg(long, conflicts_with_all = ["kill", "case", "hostile"])]
    pub(crate) learning: bool,
    /// How many tasks the stream has.
    #[arg(long, value_name = "N", requires = "learning", value_parser = clap::value_parser!(u16).range(10..=60), default_value_t = 60)]
    pub(crate) tasks: u16,
    /// Where the drawing of the curves is written; without it, beside the data.
    #[arg(long, value_name = "FILE", requires = "learning")]
    pub(crate) svg: Option<PathBuf>,
    /// Only this case; may be repeated.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) case: Vec<u8>,
    /// Serve the demo company's tools on stdin and stdout. What `purple demo` itself starts.
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) office: Option<PathBuf>,
    /// Work on the cases without a word, until they stand still or the process is killed.
    #[arg(long, hide = true)]
    pub(crate) work: bool,
}

/// A task and what comes with it.
#[derive(Debug, Args)]
pub(crate) struct Task {
    /// The task in plain words; `-` reads it from stdin.
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// Rules (JSON) or prose that come with the task. They can only restrict.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Where the tools of this task are. Used only if the configuration allows it.
    #[arg(long, value_name = "URL")]
    pub(crate) tools_endpoint: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) task: Task,
    /// Wait until the run ends or waits for somebody; the default.
    #[arg(long, overrides_with = "no_wait")]
    pub(crate) wait: bool,
    /// Return as soon as the task is taken.
    #[arg(long, overrides_with = "wait")]
    pub(crate) no_wait: bool,
    /// Go on in this session, or begin it under this id.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// What makes this the same request when it is sent again.
    #[arg(long, value_name = "KEY")]
    pub(crate) request_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// Go on in this session, or begin it under this id.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) task: Task,
    /// Exit with 10 if something would be done.
    #[arg(long)]
    pub(crate) detailed_exitcode: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Runs {
    /// Only runs that are doing this.
    #[arg(long, value_enum)]
    pub(crate) status: Option<StatusWord>,
    /// At most so many.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=500))]
    pub(crate) limit: u16,
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusWord {
    /// A turn runs or is due.
    Working,
    /// A plan waits for people.
    Waiting,
    /// The outcome of an operation is unknown.
    InDoubt,
    /// The operator's stop keeps it waiting.
    Halted,
    /// The round is over.
    Closed,
}

#[derive(Debug, Args)]
pub(crate) struct OneRun {
    /// The run, or how its id begins.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The run, or how its id begins.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Only the brief of the approval that waits, as a Markdown document.
    #[arg(long)]
    pub(crate) brief: bool,
    /// Only how the quality of the run came about.
    #[arg(long, conflicts_with = "brief")]
    pub(crate) quality: bool,
    /// A document about the run, such as `post_mortem`: what is known is filled in, what is missing is marked.
    #[arg(long, value_name = "KIND", conflicts_with_all = ["brief", "quality"], value_parser = document_kind)]
    pub(crate) document: Option<purple_worker::document::Template>,
}

fn document_kind(name: &str) -> Result<purple_worker::document::Template, String> {
    use purple_worker::document::Template;
    let known = || Template::all().map(Template::name).collect::<Vec<_>>().join(", ");
    Template::find(name).ok_or_else(|| format!("there is no such document; there are {}", known()))
}

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// The run, or how its id begins.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Go on until the run ends.
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Only entries after this one.
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) after: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Approve {
    /// The run, or how its id begins.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Approve only this step; may be repeated.
    #[arg(long, value_name = "STEP")]
    pub(crate) step: Vec<String>,
    /// Change a field that the process lets be edited, and ask again instead of approving; may be repeated.
    #[arg(long, value_name = "FIELD=VALUE", conflicts_with_all = ["step", "yes"])]
    pub(crate) set: Vec<String>,
    /// The card that was read, by its hash or how that begins. Another card is refused.
    #[arg(long, value_name = "HASH")]
    pub(crate) card: Option<String>,
    /// Do not ask for confirmation.
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Return without waiting for what follows.
    #[arg(long)]
    pub(crate) no_wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Reject {
    /// The run, or how its id begins.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The card that was read, by its hash or how that begins. Another card is refused.
    #[arg(long, value_name = "HASH")]
    pub(crate) card: Option<String>,
    /// Return without waiting for what follows.
    #[arg(long)]
    pub(crate) no_wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Settle {
    /// The run, or how its id begins.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The operation.
    #[arg(value_name = "OP")]
    pub(crate) operation: String,
    #[command(flatten)]
    pub(crate) found: Found,
    /// Return without waiting for what follows.
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// What a person found out.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Found {
    /// It took effect.
    #[arg(long)]
    pub(crate) done: bool,
    /// It did not.
    #[arg(long)]
    pub(crate) not_done: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// The run, or how its id begins.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The operation.
    #[arg(value_name = "OP")]
    pub(crate) operation: String,
    /// The round in which it ran; without it, the latest that has such an operation.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) round: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The run, or how its id begins.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Why.
    #[arg(long, value_name = "TEXT", default_value = "called off")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct Halt {
    /// Only this process.
    #[arg(long, value_name = "NAME")]
    pub(crate) process: Option<String>,
    /// Why.
    #[arg(long, value_name = "TEXT", default_value = "stopped by the operator")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// Only this process.
    #[arg(long, value_name = "NAME")]
    pub(crate) process: Option<String>,
}
