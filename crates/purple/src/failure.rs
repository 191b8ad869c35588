//! What can go wrong in the program: the fact, a stable code, the ending, and what to do next.

mod client;

use std::path::PathBuf;

use purple_process::PersonId;

use purple_process::BadName;
use purple_server::BadWebhook;
use purple_store::audit::{BadAnchor, KeyError};
use purple_store::{OpenError, RemoteError};
use purple_tools::{BadServers, LoginFailed};
use purple_worker::ClientError;
use purple_worker::port::{DefinitionKind, ToolsDown};

use crate::config::{NoSecret, Refused};
use crate::exit::Exit;
use client::{client_code, client_help};

/// A command that did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("the configuration is refused\n{0}")]
    Config(#[from] Refused),
    #[error("`{}` cannot be read: {cause}", file.display())]
    Read { file: PathBuf, cause: std::io::Error },
    #[error("`{}` cannot be written: {cause}", file.display())]
    Write { file: PathBuf, cause: std::io::Error },
    #[error("the output cannot be written: {0}")]
    Output(#[from] std::io::Error),
    #[error("{} of {checked} files are refused", files.len())]
    RefusedFiles { files: Vec<PathBuf>, checked: usize },
    #[error("there is no process `{name}`")]
    NoSuchProcess { name: String, near: Option<String>, known: Vec<String> },
    #[error("no setting begins with `{key}`")]
    NoSuchSetting { key: String, near: Option<String> },
    #[error("there is no command or topic `{topic}`")]
    NoSuchTopic { topic: String, near: Option<String> },
    #[error("the facts in `{place}` cannot be used: {why}")]
    BadFacts { place: String, why: String },
    #[error("`{text}` is not a fact")]
    BadFact { text: String },
    #[error("`{what}` is neither a file nor a run")]
    NothingToExplain { what: String },
    #[error("run `{run}` was not judged by rules yet")]
    NotJudged { run: String },
    #[error(transparent)]
    Name(#[from] BadName),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the card of run `{run}` is {now}, not {given}")]
    OtherCard { run: String, given: String, now: String },
    #[error("`{text}` is no new value of a field")]
    BadSet { text: String },
    #[error("`{field}` is set twice")]
    SetTwice { field: String },
    #[error("`{field}` cannot be edited in run `{run}`")]
    NotEditable { run: String, field: String, editable: Vec<String>, near: Option<String> },
    #[error("the edit was not taken: {why}")]
    EditNotTaken { run: String, why: String },
    #[error("nothing was done: {why}")]
    NotDone { run: String, why: String },
    #[error("no tool server is configured")]
    NoServers,
    #[error("run `{run}` has no card to decide about")]
    NoCard { run: String },
    #[error("this needs a confirmation, and nobody can be asked")]
    NobodyToAsk { run: String, card: String },
    #[error("not confirmed; nothing was decided")]
    NotConfirmed,
    #[error("not confirmed; nothing was forgotten")]
    NotForgotten,
    #[error("the task has {bytes} bytes; at most {bytes_max}")]
    TaskTooLong { bytes: usize, bytes_max: usize },
    #[error("the line is no text in UTF-8")]
    TaskNotText,
    #[error("the task is empty")]
    NoTask,
    #[error("no random numbers can be had from the operating system")]
    NoRandomness,
    #[error("nothing has run here yet: there is no data in `{}`", folder.display())]
    NothingYet { folder: PathBuf },
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Webhook(#[from] BadWebhook),
    #[error(transparent)]
    Servers(#[from] BadServers),
    #[error(transparent)]
    Login(#[from] LoginFailed),
    #[error("nobody can be sent back to this machine on port {port}: {cause}")]
    NoRedirect { port: u16, cause: std::io::Error },
    #[error(transparent)]
    ToolsDown(#[from] ToolsDown),
    #[error(transparent)]
    Secret(#[from] NoSecret),
    #[error("`{setting}` is not set")]
    NoModelKey { setting: &'static str },
    #[error("the language model cannot be used: {0}")]
    Model(#[from] purple_model::BadEndpoint),
    #[error("the checkpoint `{}` cannot be used: {cause}", file.display())]
    Anchor { file: PathBuf, cause: BadAnchor },
    #[error("`{given}` is neither a public key nor a file with one")]
    BadPublicKey { given: String },
    #[error("`{}` does not hold one public key", file.display())]
    NoPublicKey { file: PathBuf },
    #[error("time zone `{zone}` is not known on this machine")]
    NoZone { zone: String },
    #[error("the form of ids in `[systems.…].inputs` cannot be used: {why}")]
    BadIdForm { why: String },
    #[error("the runtime cannot be started: {0}")]
    Runtime(std::io::Error),
    #[error("another process works in `{}` already", folder.display())]
    ServedElsewhere { folder: PathBuf },
    #[error("the policy `{}` begins like JSON and is none: {cause}", file.display())]
    BadPolicy { file: PathBuf, cause: serde_json::Error },
    #[error("the decision was not taken: {why}")]
    NotTaken { why: String },
    #[error("this set-up has several people, and the account `{account}` is none of them")]
    NotSignedIn { account: String },
    #[error("you are `{person}` here, not `{said}`")]
    SomebodyElse { said: PersonId, person: PersonId },
    #[error("this token opens nothing here")]
    TokenRefused,
    #[error("only an operator does this")]
    NotAnOperator,
    #[error("run `{run}` is called off by whoever asked for it, could decide about it, or operates")]
    NotTheirsToCancel { run: String },
    #[error("this data folder knows other people than the configuration names")]
    OtherPeople,
    #[error("this shows the work of everybody, and only operators and auditors see that")]
    NotAnOverseer,
    #[error("`{person}` cannot be told apart from `{other}`")]
    LooksLike { person: PersonId, other: PersonId },
    #[error("others can read the token in `{}`", file.display())]
    LooseLogin { file: PathBuf },
    #[error("there is no folder for the token of this user")]
    NoHome,
    #[error("no server offers a tool `{tool}`")]
    NoSuchTool { tool: String, near: Option<String> },
    #[error("`{given}` states no effect of a tool")]
    BadEffect { given: String },
    #[error("there is no configuration file to write the pins into")]
    NoConfigFile,
    #[error("the pins cannot be written into `{}` by this program", file.display())]
    PinsNotWritten { file: PathBuf, lines: String },
    #[error("there is no host `{host}`")]
    NoSuchHost { host: String },
    #[error(transparent)]
    Serve(#[from] purple_server::ServeError),
    #[error("there is no token `{id}` that counts")]
    NoSuchToken { id: String },
    #[error("there is no {kind} `{name}` that was made or signed here", kind = kind.word())]
    NoSuchDefinition { kind: DefinitionKind, name: String },
    #[error("`{name}` is not used, so there is nothing to answer for: {state}")]
    NotUsed { name: String, state: String },
    #[error("`{name}` lies in a folder of yours, and nothing that is signed takes its place: {}", file.display())]
    OwnFile { name: String, file: PathBuf },
    #[error("`{name}` is a name of the process `{process}` already")]
    OthersName { name: String, process: String },
    #[error("no editor is named: neither $VISUAL nor $EDITOR is set")]
    NoEditor,
    #[error("the editor `{editor}` could not be used: {cause}")]
    Editor { editor: String, cause: std::io::Error },
    #[error("nothing is drafted here: `synthesis.enabled` is false")]
    SynthesisOff,
    #[error(transparent)]
    NoDraft(#[from] purple_worker::NoDraft),
    #[error("`--group` is for approvers: these business roles say what a person may approve")]
    GroupWithoutApprover,
    #[error(transparent)]
    NoPush(#[from] purple_server::NoPush),
    #[error(transparent)]
    NoTraces(#[from] purple_otlp::NoExporter),
    #[error("the demo company cannot be used: {cause}")]
    Company { cause: String },
    #[error("`{text}` names nobody")]
    BadEntity { text: String },
    #[error("no folder is given, and `learn.dir` is not set")]
    NoLearningDir,
    #[error("there is nothing that was learned in `{}`", folder.display())]
    NoSeed { folder: PathBuf },
    #[error(transparent)]
    Seed(#[from] purple_worker::learn::seed::BadSeed),
    #[error(transparent)]
    NoReplay(#[from] purple_worker::NoReplay),
    #[error("interrupted")]
    Interrupted,
}

impl Failure {
    /// How the program ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::NoSuchTopic { .. }
            | Self::NoSuchSetting { .. }
            | Self::BadFact { .. }
            | Self::NoTask
            | Self::BadPublicKey { .. }
            | Self::BadSet { .. }
            | Self::SetTwice { .. }
            | Self::NotEditable { .. }
            | Self::NobodyToAsk { .. }
            | Self::BadEntity { .. }
            | Self::NoLearningDir
            | Self::GroupWithoutApprover => Exit::Usage,
            Self::NotConfirmed | Self::NotForgotten => Exit::Denied,
            Self::Interrupted => Exit::Interrupted,
            Self::Config(_)
            | Self::Read { .. }
            | Self::Write { .. }
            | Self::Output(_)
            | Self::RefusedFiles { .. }
            | Self::NoSuchProcess { .. }
            | Self::BadFacts { .. }
            | Self::NothingToExplain { .. }
            | Self::NotJudged { .. }
            | Self::Name(_)
            | Self::Client(_)
            | Self::OtherCard { .. }
            | Self::NoCard { .. }
            | Self::TaskTooLong { .. }
            | Self::TaskNotText
            | Self::NoRandomness
            | Self::NothingYet { .. }
            | Self::Open(_)
            | Self::Remote(_)
            | Self::Key(_)
            | Self::Webhook(_)
            | Self::Servers(_)
            | Self::NoRedirect { .. }
            | Self::ToolsDown(_)
            | Self::Secret(_)
            | Self::NoModelKey { .. }
            | Self::Model(_)
            | Self::Anchor { .. }
            | Self::NoPublicKey { .. }
            | Self::EditNotTaken { .. }
            | Self::NotDone { .. }
            | Self::NoServers
            | Self::NoZone { .. }
            | Self::BadIdForm { .. }
            | Self::Runtime(_)
            | Self::Company { .. }
            | Self::NoReplay(_)
            | Self::NoSeed { .. }
            | Self::Seed(_)
            | Self::ServedElsewhere { .. }
            | Self::NoSuchHost { .. }
            | Self::NoSuchTool { .. }
            | Self::BadEffect { .. }
            | Self::NoConfigFile
            | Self::PinsNotWritten { .. }
            | Self::BadPolicy { .. }
            | Self::NoSuchToken { .. }
            | Self::LooksLike { .. }
            | Self::NoHome
            | Self::NoSuchDefinition { .. }
            | Self::NotUsed { .. }
            | Self::OwnFile { .. }
            | Self::OthersName { .. }
            | Self::NoEditor
            | Self::Editor { .. }
            | Self::NoDraft(_)
            | Self::SynthesisOff
            | Self::NoPush(_)
            | Self::NoTraces(_)
            | Self::Serve(_) => Exit::Error,
            Self::NotTaken { .. }
            | Self::NotSignedIn { .. }
            | Self::SomebodyElse { .. }
            | Self::TokenRefused
            | Self::NotAnOperator
            | Self::NotAnOverseer
            | Self::NotTheirsToCancel { .. }
            | Self::OtherPeople
            | Self::LooseLogin { .. }
            | Self::Login(_) => Exit::Auth,
        }
    }

    /// The stable code, for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Config(_) => "config.refused",
            Self::Read { .. } => "file.unreadable",
            Self::Write { .. } => "file.unwritable",
            Self::Output(_) => "output.failed",
            Self::RefusedFiles { .. } => "file.refused",
            Self::NoSuchProcess { .. } => "process.unknown",
            Self::NoSuchTopic { .. } => "help.unknown",
            Self::BadFacts { .. } | Self::BadFact { .. } => "facts.bad",
            Self::NothingToExplain { .. } => "explain.unknown",
            Self::NotJudged { .. } => "explain.not_judged",
            Self::Name(_) => "name.bad",
            Self::Client(error) => client_code(error),
            Self::OtherCard { .. } => "approval.other_card",
            Self::NoCard { .. } => "approval.no_card",
            Self::NobodyToAsk { .. } => "approval.nobody_to_ask",
            Self::NotConfirmed => "approval.not_confirmed",
            Self::NotForgotten => "learn.not_confirmed",
            Self::TaskTooLong { .. } => "task.too_long",
            Self::TaskNotText => "task.not_text",
            Self::NoTask => "task.empty",
            Self::NoRandomness => "system.no_randomness",
            Self::NothingYet { .. } => "store.nothing_yet",
            Self::Open(_) => "store.not_opened",
            Self::Remote(_) => "store.not_reached",
            Self::Key(_) => "audit.no_key",
            Self::Webhook(_) => "approvals.bad_notify_url",
            Self::Anchor { .. } => "audit.bad_anchor",
            Self::NoSuchSetting { .. } => "config.unknown_key",
            Self::BadSet { .. } => "edit.no_value",
            Self::SetTwice { .. } => "edit.twice",
            Self::NotEditable { .. } => "edit.not_editable",
            Self::EditNotTaken { .. } => "edit.not_taken",
            Self::NotDone { .. } => "run.not_done",
            Self::NoServers => "tools.none",
            Self::BadPublicKey { .. } => "audit.bad_key",
            Self::NoPublicKey { .. } => "audit.no_public_key",
            Self::Servers(_) => "tools.bad_server",
            Self::Login(_) => "tools.no_login",
            Self::NoRedirect { .. } => "tools.no_redirect",
            Self::ToolsDown(_) => "tools.down",
            Self::Secret(_) => "secret.missing",
            Self::NoModelKey { .. } => "model.no_key",
            Self::Model(_) => "model.refused",
            Self::NoZone { .. } => "system.no_zone",
            Self::BadIdForm { .. } => "systems.bad_id_form",
            Self::Runtime(_) => "system.no_runtime",
            Self::Company { .. } => "demo.company",
            Self::NoReplay(_) => "replay.impossible",
            Self::BadEntity { .. } => "learn.bad_entity",
            Self::NoLearningDir => "learn.no_folder",
            Self::NoSeed { .. } => "learn.no_seed",
            Self::Seed(_) => "learn.refused",
            Self::ServedElsewhere { .. } => "serve.in_use",
            Self::NoSuchHost { .. } => "serve.no_host",
            Self::NoSuchTool { .. } => "tools.unknown",
            Self::BadEffect { .. } => "tools.bad_effect",
            Self::NoConfigFile => "tools.no_config",
            Self::PinsNotWritten { .. } => "tools.pins_not_written",
            Self::BadPolicy { .. } => "policy.unreadable",
            Self::NotTaken { .. } => "decision.not_taken",
            Self::NotSignedIn { .. } => "people.not_signed_in",
            Self::SomebodyElse { .. } => "people.somebody_else",
            Self::TokenRefused => "token.refused",
            Self::NotAnOperator => "token.not_an_operator",
            Self::NotAnOverseer => "people.not_an_overseer",
            Self::NotTheirsToCancel { .. } => "people.not_theirs_to_cancel",
            Self::OtherPeople => "people.others_known",
            Self::LooksLike { .. } => "people.look_alike",
            Self::LooseLogin { .. } => "login.readable",
            Self::NoHome => "login.no_home",
            Self::Serve(_) => "serve.refused",
            Self::NoSuchToken { .. } => "token.unknown",
            Self::NoSuchDefinition { .. } => "definition.unknown",
            Self::NotUsed { .. } => "definition.not_used",
            Self::OwnFile { .. } => "definition.own_file",
            Self::OthersName { .. } => "definition.others_name",
            Self::NoEditor | Self::Editor { .. } => "editor.failed",
            Self::NoDraft(_) => "draft.refused",
            Self::SynthesisOff => "synthesis.off",
            Self::GroupWithoutApprover => "token.group_without_approver",
            Self::NoPush(_) => "serve.no_push",
            Self::NoTraces(_) => "telemetry.no_traces",
            Self::Interrupted => "interrupted",
        }
    }

    /// What to do next, where a person can act.
    pub(crate) fn help(&self) -> Option<String> {
        let text = match self {
            Self::ServedElsewhere { .. } => "end it first, or give another folder with --data-dir".to_owned(),
            Self::NoSuchTool { near, .. } => match near {
                Some(near) => format!("did you mean `{near}`? `purple tools list` shows every tool"),
                None => "`purple tools list` shows every tool".to_owned(),
            },
            Self::BadEffect { .. } => {
                "write `tool=effect` with one of read, compute, write, notify, approval".to_owned()
            }
            Self::BadSet { .. } => "write `field=value`, such as `--set credit=\"450.00 USD\"`".to_owned(),
            Self::SetTwice { .. } => "give each field one value".to_owned(),
            Self::NotEditable { run, editable, near, .. } => match (near, editable.as_slice()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, []) => format!(
                    "its process lets nothing be edited; say no with `purple reject {run} --reason TEXT`"
                ),
                (None, fields) => format!("what may be edited: {}", fields.join(", ")),
            },
            Self::EditNotTaken { run, .. } => format!("the plan is unchanged: purple show {run}"),
            Self::NotDone { run, .. } => format!("see what was done: purple show {run}"),
            Self::NoServers => {
                "add `[servers.NAME]` to purple.toml, or try `purple demo`, which brings its own".to_owned()
            }
            Self::NoSuchSetting { near, .. } => match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`purple config show` shows every setting".to_owned(),
            },
            Self::NoConfigFile => "write one with `purple init`, or name one with `--config FILE`".to_owned(),
            Self::PinsNotWritten { lines, .. } => format!("put this there by hand:\n{lines}"),
            Self::BadPolicy { .. } => "mend it: `purple policy check FILE` shows the place".to_owned(),
            Self::NotTaken { .. } => {
                "`purple show RUN` says who is asked, `purple whoami` who you are".to_owned()
            }
            Self::NotSignedIn { account } => format!(
                "`purple login` takes a token; or give somebody `account = \"{account}\"` under [people] in purple.toml"
            ),
            Self::SomebodyElse { .. } => {
                "leave `--as` and PURPLE_AS out, or log in as them with `purple login`".to_owned()
            }
            Self::TokenRefused => {
                "ask the operator for a token: `purple token create`; `purple logout` forgets this one"
                    .to_owned()
            }
            Self::OtherPeople => {
                "use the configuration file that named them; an operator accepts this one: purple config accept"
                    .to_owned()
            }
            Self::NotAnOperator | Self::NotAnOverseer | Self::NotTheirsToCancel { .. } => {
                "log in with an operator's token, or have the role `operator` and an `account` under [people]"
                    .to_owned()
            }
            Self::LooksLike { .. } => {
                "names of people differ in more than case and letters that look alike".to_owned()
            }
            Self::LooseLogin { .. } => "`purple logout`, then `purple login` again".to_owned(),
            Self::NoHome => "set HOME or XDG_STATE_HOME, or give the token in PURPLE_TOKEN".to_owned(),
            Self::Serve(error) => error.help().to_owned(),
            Self::NoModelKey { setting } => {
                format!("set `{setting} = \"env:NAME\"`, or `model.provider = \"offline\"`")
            }
            Self::Model(_) => "see what is configured: purple doctor".to_owned(),
            Self::BadPublicKey { .. } | Self::NoPublicKey { .. } => {
                "give `ed25519:` and 64 hexadecimal digits, the digits alone, or a file with them, as \
                 `purple audit anchor` told them"
                    .to_owned()
            }
            Self::NoSuchToken { .. } => "`purple token list` shows them".to_owned(),
            Self::NoSuchDefinition { kind, .. } => match kind {
                DefinitionKind::Process => "`purple process list --synthesized` shows them".to_owned(),
                DefinitionKind::Tool => "`purple tools list --synthesized` shows them".to_owned(),
            },
            Self::NotUsed { name, .. } => {
                format!("`purple tools show {name}` says why; forget it, and the next task has it made again")
            }
            Self::OwnFile { .. } => {
                "put the new text into that file, which counts as signed, or give yours another name: \
                 `process: NAME`"
                    .to_owned()
            }
            Self::OthersName { process, .. } => format!(
                "only the own name takes the place of a built-in process: `process: {process}`; else give yours \
                 other names, and see which are taken: purple process list"
            ),
            Self::NoEditor => "name a file with the new text: --file FILE".to_owned(),
            Self::Editor { .. } => {
                "set $EDITOR to a program that edits a file, or name one: --file FILE".to_owned()
            }
            Self::NoDraft(why) => why.help(),
            Self::SynthesisOff => "set `synthesis.enabled = true`, or write the file by hand".to_owned(),
            Self::NoTraces(_) => {
                "set `telemetry.otlp_endpoint` to an address such as `http://127.0.0.1:4318`".to_owned()
            }
            Self::GroupWithoutApprover => "add `--role approver`, or leave `--group` out".to_owned(),
            Self::NoSuchProcess { near, known, .. } => {
                let near = near.as_ref().map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                format!("{near}the processes are {}; a file is named by its path", known.join(", "))
            }
            Self::NoSuchTopic { near, .. } => match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`purple --help` lists the commands; `tasks` and `exit-codes` are topics".to_owned(),
            },
            Self::BadFacts { .. } => {
                "write a JSON object: {\"variance_percent\": 2.3, \"vendor\": \"Acme\"}".to_owned()
            }
            Self::BadFact { .. } => "write `name=value`, such as `--fact variance_percent=2.3`".to_owned(),
            Self::NothingToExplain { .. } => {
                "name a policy document, or a run that `purple runs` lists".to_owned()
            }
            Self::NotJudged { run } => format!("see how far it is: purple show {run}"),
            Self::Client(error) => return client_help(error),
            Self::OtherCard { run, .. } => format!("the plan changed; read the new card: purple show {run}"),
            Self::NoCard { run } => format!("see what it is doing: purple show {run}"),
            Self::NobodyToAsk { run, card } => {
                format!("read the card with `purple show {run}`, then repeat with `--card {card}` or `--yes`")
            }
            Self::TaskTooLong { .. } => "name documents in the task instead of pasting them".to_owned(),
            Self::TaskNotText => "type the words again".to_owned(),
            Self::NothingYet { .. } => "start with `purple run \"TASK\"` or `purple demo`".to_owned(),
            Self::Open(OpenError::InUse { .. }) => {
                "another command or server works there; wait for it, or choose another `--data-dir`"
                    .to_owned()
            }
            Self::Remote(error) => error.help().to_owned(),
            Self::Login(_) => "`purple doctor` says how each tool server is".to_owned(),
            Self::NoRedirect { .. } => "set `redirect_port` of the server to a port that is free".to_owned(),
            Self::ToolsDown(_) | Self::Servers(_) => "see what is configured: purple doctor".to_owned(),
            Self::BadIdForm { .. } => {
                "write a regular expression: `inputs = { invoice_id = 'RE[0-9]{6}' }`".to_owned()
            }
            Self::NoZone { .. } => {
                "install the zone database of this system, or write `timezone = \"UTC\"`".to_owned()
            }
            Self::NoTask => {
                "write the task in quotes: purple run \"Approve invoice INV-1 per policy\"".to_owned()
            }
            Self::Read { .. } => "see that the file is there and that this account may read it".to_owned(),
            Self::Write { .. } => {
                "see that its folder is there and that this account may write to it".to_owned()
            }
            Self::RefusedFiles { .. } => "mend what is said above, then try again".to_owned(),
            Self::Name(_) => "write it as other commands show it, without spaces".to_owned(),
            Self::NotConfirmed => "type `yes` in full, or say no with `purple reject`".to_owned(),
            Self::NotForgotten => "type `yes` in full, or add `--yes`".to_owned(),
            Self::Secret(_) => {
                "see which secrets are missing, and where they should be: purple doctor".to_owned()
            }
            Self::Anchor { .. } => {
                "name the file that `purple audit anchor -o FILE` wrote, unchanged".to_owned()
            }
            Self::Key(_) => {
                "the key is the file `audit.key` in the data folder; restore it from a backup".to_owned()
            }
            Self::NoSuchHost { .. } => {
                "give an address of this machine, such as `--host 127.0.0.1`, or mend `[serve] host`"
                    .to_owned()
            }
            Self::Open(OpenError::Files { .. }) => {
                "see that this account may write there; a copy needs a name that is not taken yet".to_owned()
            }
            Self::Open(OpenError::Newer { .. }) => {
                "use the newer program, or choose another `--data-dir`".to_owned()
            }
            Self::BadEntity { .. } => {
                "write kind and name, as `purple learn entities` shows them: `vendor:Acme Corp`".to_owned()
            }
            Self::NoLearningDir => "name a folder, or set `learn.dir` (or RL_CACHE_DIR)".to_owned(),
            Self::NoSeed { .. } => {
                format!("its files are {}", purple_worker::learn::carried::CARRIED_FILES.join(", "))
            }
            Self::Seed(_) => "nothing was taken; mend the file, or export it anew".to_owned(),
            Self::Company { .. } => "begin anew in another folder: purple demo --data-dir DIR".to_owned(),
            Self::NoReplay(_) => {
                "the journal is intact all the same if `purple audit verify` says so".to_owned()
            }
            Self::Config(_)
            | Self::Output(_)
            | Self::NoRandomness
            | Self::Open(_)
            | Self::Webhook(_)
            | Self::Runtime(_)
            | Self::NoPush(_)
            | Self::Interrupted => return None,
        };
        Some(text)
    }

    /// Whether the reader of our output went away, which is no fault.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(cause) if cause.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
