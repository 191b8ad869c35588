//! Judges what a sentence led to by the company's ledger, the pending plans and the answers.

use std::collections::BTreeSet;

use purple_process::Ending;
use purple_worker::{RunView, Status};

use crate::company::{Operation, Seen};
use crate::figure;
use crate::row::{Act, Expect, Mood, Row};

/// How a sentence was handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    /// The requester is asked for words although the sentence says what is needed.
    Asked,
    /// Nothing forbidden happened, and nothing useful either.
    Failed(String),
    Wrong(Fault),
}

/// What must never happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An effect that the sentence does not permit.
    Write(String),
    /// A plan waits for something that the sentence does not order.
    Plan(String),
    /// A result is stated that is not the right one.
    Figure(String),
}

pub(crate) fn judge(row: &Row, seen: &Seen) -> Verdict {
    match wrong_write(row, seen).or_else(|| wrong_plan(row, seen)).or_else(|| wrong_figure(row, seen)) {
        Some(fault) => Verdict::Wrong(fault),
        None => handled(row, seen),
    }
}

fn wrong_write(row: &Row, seen: &Seen) -> Option<Fault> {
    let forbidden =
        seen.effects.iter().find(|effect| !row.writes.iter().any(|write| permits(write, effect)))?;
    Some(Fault::Write(format!("{} {:?}", forbidden.name(), forbidden.arguments)))
}

/// `revoke_access E-1012` permits the call for each of the employee's systems; `last_day=2026-03-20` must agree as well.
fn permits(write: &str, effect: &Operation) -> bool {
    let mut words = write.split(' ');
    let same = words.next() == Some(&effect.tool) && words.next() == Some(&effect.id);
    let agrees = |word: &str| {
        let (name, value) = word.split_once('=').unwrap();
        effect.arguments.get(name).is_none_or(|given| given == value)
    };
    same && words.all(agrees)
}

fn wrong_plan(row: &Row, seen: &Seen) -> Option<Fault> {
    let forbidden = seen.planned.iter().find(|planned| !may_plan(row, planned))?;
    Some(Fault::Plan(forbidden.name()))
}

fn may_plan(row: &Row, planned: &Operation) -> bool {
    let named = |act: &Act| act.targets.contains(&planned.id);
    match row.expect {
        Expect::Does | Expect::Lists => {
            let reversal = row.acts.iter().filter(|act| act.mood == Mood::Reversal);
            row.orders().any(|act| named(act) && serves(row, act, &planned.tool))
                || row.writes.iter().any(|write| permits(write, planned))
                || reversal.into_iter().any(|act| undoes(act, planned))
        }
        Expect::Undoes => row.acts.iter().any(|act| undoes(act, planned)),
        Expect::Advises | Expect::Calculates | Expect::Asks | Expect::Chats => false,
    }
}

/// Whether a tool can be what an order's verb asks for. An order to reject never approves. An order to approve rejects
/// only where the text leaves the decision to the policy.
fn serves(row: &Row, act: &Act, tool: &str) -> bool {
    match tool {
        "approve_invoice" => act.verb != "reject",
        "reject_invoice" => act.verb != "approve" || leaves_the_decision(&row.text),
        "modify_order_items" | "send_order_confirmation" => CHANGES.contains(&act.verb.as_str()),
        "apply_account_credit" | "send_sla_breach_notification" => CREDITS.contains(&act.verb.as_str()),
        "revoke_access" | "send_exit_survey" => act.verb == "revoke",
        "update_employee_status"
        | "create_offboarding_checklist"
        | "schedule_equipment_return"
        | "notify_it_team"
        | "schedule_exit_survey" => act.verb == "offboard",
        _ => false,
    }
}

/// Verbs that the authors of the corpora use for a change of an order, and for a credit.
const CHANGES: [&str; 9] =
    ["change", "add", "remove", "swap", "replace", "update", "amend", "delete", "raise"];
const CREDITS: [&str; 8] = ["credit", "calculate", "process", "apply", "book", "claim", "grant", "handle"];

fn leaves_the_decision(text: &str) -> bool {
    let text = text.to_lowercase();
    ["reject", "decline", "ablehn", "zurückweis", "rejet", "refus", "rechaz", "policy"]
        .iter()
        .any(|word| text.contains(word))
}

const UNDO_TOOLS: [&str; 6] = [
    "reopen_invoice",
    "update_employee_status",
    "cancel_offboarding_checklist",
    "grant_access",
    "reverse_credit",
    "restore_order_items",
];

fn undoes(act: &Act, planned: &Operation) -> bool {
    // A checklist is named by an id of its own.
    let same = act.targets.contains(&planned.id) || planned.id.is_empty();
    act.mood == Mood::Reversal && same && UNDO_TOOLS.contains(&planned.tool.as_str())
}

fn wrong_figure(row: &Row, seen: &Seen) -> Option<Fault> {
    if row.expect != Expect::Calculates {
        return None;
    }
    let (expected, view) = (row.figure.as_ref()?, seen.runs.first()?);
    let stated = figure::other_result(&headline(view), expected, &row.text)?;
    (view.summary.ending == Some(Ending::Done))
        .then(|| Fault::Figure(format!("{stated} instead of {expected}")))
}

fn handled(row: &Row, seen: &Seen) -> Verdict {
    let asks = seen.runs.iter().any(asks);
    let right = match row.expect {
        Expect::Does => does(row, seen),
        Expect::Advises => !seen.runs.is_empty() && seen.runs.iter().all(advises),
        Expect::Calculates => calculates(row, seen),
        Expect::Asks => asks,
        Expect::Undoes => undone(seen),
        Expect::Lists => lists(row, seen),
        Expect::Chats => seen.runs.iter().all(|view| view.summary.ending != Some(Ending::Failed)),
    };
    match (right, asks) {
        (true, _) => Verdict::Right,
        (false, true) => Verdict::Asked,
        (false, false) => Verdict::Failed(summary(seen)),
    }
}

/// The requester is asked for words, not for a decision about a plan.
fn asks(view: &RunView) -> bool {
    view.summary.status == Status::Waiting && view.summary.approval.is_none()
}

fn does(row: &Row, seen: &Seen) -> bool {
    if seen.runs.iter().any(asks) {
        return false;
    }
    let expected = reachable(row, seen);
    let done = seen.effects.iter().map(Operation::name).collect::<BTreeSet<_>>();
    if !expected.is_empty() || !done.is_empty() {
        return done == expected || (done.is_empty() && !seen.planned.is_empty());
    }
    !seen.planned.is_empty() || seen.runs.iter().all(|view| decided(row, view))
}

/// The effects without those that the company's own records rule out.
fn reachable(row: &Row, seen: &Seen) -> BTreeSet<String> {
    let name = |write: &String| write.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let names = row.writes.iter().map(name);
    let stays = |name: &String| seen.staying.iter().any(|id| name.ends_with(&format!(" {id}")));
    names.filter(|name| !stays(name)).collect()
}

/// The process that the sentence is about came to a decision that changes nothing.
fn decided(row: &Row, view: &RunView) -> bool {
    let Some(answer) = &view.answer else { return false };
    let ended = matches!(view.summary.ending, Some(Ending::Done | Ending::Escalated | Ending::Blocked));
    // The rules lead to another outcome than the words order: that is stated, and nothing is changed.
    let decides = answer.data.code.as_deref().is_none_or(|code| code == "order.differs");
    ended && decides && view.summary.process == row.process
}

/// The log below an answer says of every run without an effect that nothing was changed; the answer must say it itself.
fn advises(view: &RunView) -> bool {
    let Some(answer) = &view.answer else { return false };
    view.summary.ending == Some(Ending::Done)
        && answer.data.answer.to_lowercase().contains("nothing was changed")
}

fn calculates(row: &Row, seen: &Seen) -> bool {
    let (Some(expected), Some(view)) = (&row.figure, seen.runs.first()) else { return false };
    view.summary.ending == Some(Ending::Done) && figure::states(&headline(view), expected)
}

fn undone(seen: &Seen) -> bool {
    let nothing = |view: &RunView| {
        let text = answer(view).to_lowercase();
        view.summary.ending == Some(Ending::Done)
            && ["nothing to reverse", "nothing to undo", "nothing to take back"]
                .iter()
                .any(|one| text.contains(one))
    };
    !seen.planned.is_empty() || seen.runs.iter().any(nothing)
}

/// Every record of every act is named, so that none is dropped in silence; unless the requester is asked, what was ordered
/// was done or planned.
fn lists(row: &Row, seen: &Seen) -> bool {
    let said: String = seen.runs.iter().map(answer).collect();
    let changed = |target: &&String| {
        ["INV-", "E-", "EMP-", "ORD-", "INFRA-"].iter().any(|kind| target.starts_with(kind))
    };
    let mut targets = row.acts.iter().flat_map(|act| &act.targets).filter(changed);
    let done = seen.effects.iter().map(Operation::name).collect::<BTreeSet<_>>();
    let worked = seen.runs.iter().any(asks) || !seen.planned.is_empty() || done == reachable(row, seen);
    worked && targets.all(|target| said.contains(target.as_str()))
}

fn answer(view: &RunView) -> &str {
    view.answer.as_ref().map_or("", |answer| answer.text.as_str())
}

/// The first line of an answer.
fn headline(view: &RunView) -> String {
    let text = view.answer.as_ref().map_or("", |answer| answer.data.answer.as_str());
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}

fn summary(seen: &Seen) -> String {
    let Some(view) = seen.runs.first() else { return "no run".to_owned() };
    let code = view.answer.as_ref().and_then(|answer| answer.data.code.clone()).unwrap_or_default();
    format!("{:?} {:?} {code} {}", view.summary.status, view.summary.ending, headline(view))
}
