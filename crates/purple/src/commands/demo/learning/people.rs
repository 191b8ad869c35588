//! The people of the stream: one asks, one decides by the rules of the business and signs what has proved itself.

use std::path::Path;

use purple_journal::record::approval::Granted;
use purple_journal::record::plan::Made;
use purple_process::{PersonId, Plan, SessionId};
use purple_worker::port::Recorded;
use purple_worker::{Channel, Choice, ClientError, Command, RunView, Status, WorkerHandle};
use serde_json::Value;

use super::stream::{Task, Unasked};
use crate::failure::Failure;

/// Longer than any journal of this stream.
const ENTRIES_MAX: usize = 10_000;
/// How often people say what is meant before they leave it.
const CORRECTIONS_MAX: u32 = 1;
const REQUESTER: &str = "demo_requester";
pub(super) const APPROVER: &str = "demo_approver";

/// What became of a task.
pub(super) struct Played {
    pub(super) journal: Vec<Recorded>,
    pub(super) answer: String,
    /// Approved as it was proposed, in the first round.
    pub(super) unchanged: bool,
}

/// One task from the words to the end, with everybody's part in it.
pub(super) async fn play(worker: &WorkerHandle, run: &SessionId, task: &Task) -> Result<Played, Failure> {
    let by = PersonId::parse(REQUESTER)?;
    let task_said = Command::say(run.clone(), by.clone(), Channel::Cli, task.words.clone());
    let mut view = done_with(worker, task_said.named(format!("stream:{run}"))).await?;
    let mut corrections = 0;
    let mut refused = false;
    loop {
        if view.summary.status == Status::Waiting && view.summary.approval.is_some() {
            let choice = choice(worker, &view, task).await?;
            refused |= !matches!(choice, Choice::Approve);
            let (approver, read) = (PersonId::parse(APPROVER)?, worker.pending(run).await?);
            let decision = Command::decide(run.clone(), approver, Channel::Cli, read, choice);
            view = done_with(worker, decision).await?;
            continue;
        }
        let missed = task.wants.is_some() && !done(&view);
        if !missed || corrections == CORRECTIONS_MAX || view.summary.status != Status::Closed {
            break;
        }
        corrections += 1;
        let rule = Command::say(run.clone(), by.clone(), Channel::Cli, task.rule.clone());
        view = done_with(worker, rule.named(format!("stream:{run}:{corrections}"))).await?;
    }
    let journal = worker.trace(run, 0, ENTRIES_MAX).await?;
    let answer = view.answer.as_ref().map(|answer| answer.text.clone()).unwrap_or_default();
    let asked = journal.iter().any(|one| one.record().get::<Granted>().is_some());
    let unchanged = asked && !refused && corrections == 0 && done(&view);
    Ok(Played { journal, answer, unchanged })
}

/// Submits a command and waits until the run is idle.
async fn done_with(worker: &WorkerHandle, command: Command) -> Result<RunView, Failure> {
    let receipt = worker.submit(command).await?;
    Ok(worker.idle(&receipt.run, &receipt.awaited).await?)
}

/// Whether something was done in this run.
fn done(view: &RunView) -> bool {
    view.answer.as_ref().is_some_and(|answer| !answer.data.mutations.is_empty())
}

/// What the approver says: yes to what the business wants, to that part of it, or no.
async fn choice(worker: &WorkerHandle, view: &RunView, task: &Task) -> Result<Choice, Failure> {
    let no = || Choice::Reject { reason: "this is not what the business does here".to_owned() };
    let Some(plan) = plan(worker, view).await? else { return Ok(no()) };
    let is_wanted = |one: &&purple_process::Operation| {
        let given = one.arguments.iter().filter_map(|(name, argument)| {
            Some((name.clone(), serde_json::to_value(argument.value()?).ok()?))
        });
        let arguments = Value::Object(given.collect());
        task.wants.as_ref().is_some_and(|wants| wants.is(one.tool.as_str(), &arguments))
    };
    let wanted: Vec<_> = plan.operations().iter().filter(is_wanted).map(|one| one.step.clone()).collect();
    Ok(match wanted.len() {
        1 if plan.operations().len() == 1 => Choice::Approve,
        1 => Choice::ApproveSome(wanted.iter().map(ToString::to_string).collect()),
        _ => no(),
    })
}

/// The plan that waits, as the journal kept it.
async fn plan(worker: &WorkerHandle, view: &RunView) -> Result<Option<Plan>, Failure> {
    let journal = worker.trace(&view.run, 0, ENTRIES_MAX).await?;
    let Some(made) = journal.iter().rev().find_map(|one| one.record().get::<Made>()) else { return Ok(None) };
    let bytes = worker.blobs.get(made.kept).await.map_err(ClientError::from)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Drafts a file from a run, writes in what people let pass unasked, and signs it, each by the program's own command.
/// Whether it was signed.
pub(super) fn sign(folder: &Path, run: &SessionId, task: &Task) -> Result<bool, Failure> {
    let name = task.kind.file();
    let file = folder.join(format!("{name}.yaml"));
    let path = file.display().to_string();
    if !purple(folder, &["process", "from-run", run.as_str(), "--name", name, "--out", &path])? {
        return Ok(false);
    }
    let drafted =
        std::fs::read_to_string(&file).map_err(|cause| Failure::Read { file: file.clone(), cause })?;
    let reviewed = reviewed(&drafted, task.kind.unasked());
    std::fs::write(&file, reviewed).map_err(|cause| Failure::Write { file: file.clone(), cause })?;
    purple(folder, &["process", "sign", &path, "--as", APPROVER])
}

/// The draft after a person has read it: its last rule asks always; where people need not be asked, they write so.
fn reviewed(draft: &str, unasked: Option<Unasked>) -> String {
    let Some(unasked) = unasked else { return draft.to_owned() };
    // What the draft's own test expects of people is decided by the person now.
    let lines = draft.lines().filter(|line| !line.starts_with("    ask: "));
    let rewritten = lines.map(|line| {
        if let (Unasked::UpTo { check, .. }, "        check: none") = (unasked, line) {
            return format!("        check: {check}");
        }
        if !(line.starts_with("  - {rule: FR-") && line.contains("outcome: apply")) {
            return line.to_owned();
        }
        match unasked {
            Unasked::Always => line.replace("ask: operations", "ask: nobody"),
            Unasked::UpTo { limit, .. } => {
                let when = |condition: &str| line.replace("if: \"", &format!("if: \"{condition} && "));
                let under = when(&format!("figure_1 <= {limit}")).replace("ask: operations", "ask: nobody");
                let over = when(&format!("figure_1 > {limit}")).replace("rule: FR-", "rule: FR-9");
                format!("{under}\n{over}")
            }
        }
    });
    rewritten.map(|line| format!("{line}\n")).collect()
}

/// One command of this program, in the folder of a series. Whether it did what was asked.
pub(super) fn purple(folder: &Path, arguments: &[&str]) -> Result<bool, Failure> {
    let program = std::env::current_exe().map_err(Failure::Runtime)?;
    let done = std::process::Command::new(program)
        .arg("--config")
        .arg(folder.join(super::super::company::SETTINGS))
        .args(["--quiet", "--no-input"])
        .args(arguments)
        .output()
        .map_err(Failure::Runtime)?;
    Ok(done.status.success())
}
