//! Runs, at a glance and in full.

use purple_process::{Ending, Outcome, SessionId};
use purple_worker::{Card, Mutation, RunView, Status, Summary, Wanted};

use crate::exit::Exit;
use crate::show::style::{Paint, Tone};
use crate::show::table::Table;
use crate::show::text::{one_line, shortened, visible};

/// The width of a card, in characters.
const CARD_CHARS: usize = 100;
/// The longest title in a list, in characters.
const TITLE_CHARS_MAX: usize = 60;

/// One line of `runs`.
pub(crate) fn run_line(table: &mut Table, run: &SessionId, changed: jiff::Timestamp, summary: &Summary) {
    let (tone, word) = standing(summary);
    let cells = [
        word.to_owned(),
        run.to_string(),
        summary.state.name().to_owned(),
        summary.process.as_deref().map_or_else(|| "–".to_owned(), one_line),
        seconds(changed),
        shortened(&summary.title, TITLE_CHARS_MAX),
    ];
    table.toned(tone, cells);
}

/// One line of `inbox`: what waits, for whom, until when.
pub(crate) fn inbox_line(table: &mut Table, run: &SessionId, summary: &Summary, wanted: Wanted<'_>) {
    let nobody = || "–".to_owned();
    let (tone, what, who, until, about) = match wanted {
        Wanted::Decision(open) => {
            let (asks, until) = (one_line(&open.asks.join(", ")), seconds(open.expires_at));
            (Tone::Warning, "approve", asks, until, open.headline.clone())
        }
        Wanted::Settlement(doubt) => {
            let about = format!("{} ({})", doubt.headline, doubt.step);
            (Tone::Bad, "settle", "whoever could approve it".to_owned(), nobody(), about)
        }
        Wanted::Words => {
            (Tone::Warning, "answer", summary.requester.to_string(), nobody(), summary.title.clone())
        }
    };
    let about = shortened(&about, TITLE_CHARS_MAX);
    table.toned(tone, [what.to_owned(), run.to_string(), who, until, about]);
}

/// A run in full, for people.
pub(crate) fn run_text(view: &RunView, paint: Paint) -> String {
    let summary = &view.summary;
    let (tone, word) = standing(summary);
    let mut lines = vec![
        paint.text(Tone::Strong, &one_line(&summary.title)),
        field("run", view.run.as_str()),
        format!("{}{} in {}", label("status"), paint.text(tone, word), summary.state),
        field("process", &process(summary)),
        field("requester", summary.requester.as_str()),
        field("mode", summary.mode.name()),
        field("began", &seconds(view.began)),
        field("changed", &seconds(view.changed)),
    ];
    if summary.round > 1 {
        lines.push(field("round", &summary.round.to_string()));
    }
    if let Some(stuck) = &view.stuck {
        lines.push(format!("{}{}", label("stuck"), paint.text(Tone::Bad, &one_line(stuck))));
    }
    if let Some(doubt) = &summary.doubt {
        let text = format!("{}: {} ({})", doubt.step, one_line(&doubt.headline), one_line(&doubt.why));
        lines.push(format!("{}{}", label("in doubt"), paint.text(Tone::Bad, &text)));
    }
    if let (Some(open), Some(card)) = (&summary.approval, &view.card) {
        lines.push(String::new());
        lines.push(paint.text(Tone::Strong, &one_line(&open.headline)));
        lines.push(field("asks", &one_line(&open.asks.join(", "))));
        lines.push(field("until", &seconds(open.expires_at)));
        lines.push(field("card", &open.card.0.to_string()));
        lines.push(String::new());
        lines.push(card_text(card));
        // The answer of a run that waits tells the card again.
        return lines.join("\n");
    }
    if let Some(answer) = &view.answer {
        lines.push(String::new());
        lines.push(visible(answer.text.trim_end()));
    }
    if summary.status == Status::Working {
        lines.push(String::new());
        lines.push(format!("Not finished. What was done so far: purple trace {}", view.run));
    }
    lines.join("\n")
}

/// The process, and who signed its file where somebody did here.
fn process(summary: &Summary) -> String {
    let name = summary.process.as_deref().unwrap_or("not chosen yet");
    let signed = summary.signed_by.as_ref().map_or_else(String::new, |by| format!(", signed by {by}"));
    format!("{name}{signed}")
}

/// The card itself.
fn card_text(card: &Card) -> String {
    card.to_text(CARD_CHARS)
}

/// How a command that waited for this run ends.
pub(crate) fn exit_of(view: &RunView) -> Exit {
    if view.stuck.is_some() {
        return Exit::Error;
    }
    let mutations = view.answer.as_ref().map_or(&[][..], |answer| &answer.data.mutations);
    let failed = |one: &Mutation| matches!(one.outcome, Outcome::Mismatch | Outcome::Absent);
    let mismatch = mutations.iter().any(failed);
    // What was done later in another way is done.
    let is_done = |rest: &[Mutation], tool: &str| rest.iter().any(|one| one.tool == tool && !failed(one));
    let undone = mutations.iter().enumerate().any(|(place, one)| {
        failed(one) && !is_done(mutations.get(place + 1..).unwrap_or_default(), &one.tool)
    });
    let left_out = view.answer.iter().any(|answer| !answer.data.not_started.is_empty());
    match view.summary.status {
        Status::Working => Exit::Done,
        Status::Waiting | Status::WaitingModel => Exit::Waiting,
        Status::InDoubt => Exit::Unknown,
        Status::Halted => Exit::Halted,
        Status::Closed => match view.summary.ending {
            // Everything that was granted was done, or the exit code says otherwise.
            Some(Ending::Done) if undone || left_out => Exit::Mismatch,
            Some(Ending::Done) => Exit::Done,
            Some(Ending::Escalated | Ending::Failed) if mismatch => Exit::Mismatch,
            Some(
                Ending::Declined | Ending::Blocked | Ending::Refused | Ending::Escalated | Ending::Cancelled,
            ) => Exit::Denied,
            Some(Ending::Failed) | None => Exit::Error,
        },
    }
}

/// What a run is doing or how it ended, in one word.
fn standing(summary: &Summary) -> (Tone, &'static str) {
    match (summary.status, summary.ending) {
        (Status::Working, _) => (Tone::Strong, "working"),
        (Status::Waiting, _) => (Tone::Warning, "waiting"),
        (Status::WaitingModel, _) => (Tone::Warning, "waiting for a model"),
        (Status::InDoubt, _) => (Tone::Bad, "in doubt"),
        (Status::Halted, _) => (Tone::Warning, "halted"),
        (Status::Closed, Some(Ending::Done)) => (Tone::Good, "done"),
        (Status::Closed, Some(Ending::Declined)) => (Tone::Warning, "declined"),
        (Status::Closed, Some(Ending::Blocked)) => (Tone::Warning, "blocked"),
        (Status::Closed, Some(Ending::Refused)) => (Tone::Warning, "refused"),
        (Status::Closed, Some(Ending::Escalated)) => (Tone::Warning, "escalated"),
        (Status::Closed, Some(Ending::Cancelled)) => (Tone::Faint, "cancelled"),
        (Status::Closed, Some(Ending::Failed)) => (Tone::Bad, "failed"),
        (Status::Closed, None) => (Tone::Faint, "closed"),
    }
}

fn label(name: &str) -> String {
    format!("  {name:<10}")
}

fn field(name: &str, value: &str) -> String {
    format!("{}{value}", label(name))
}

fn seconds(at: jiff::Timestamp) -> String {
    jiff::Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}

#[cfg(test)]
mod tests {
    use purple_process::{Mode, PersonId, State, StepId};
    use purple_worker::OpenDoubt;

    use super::*;

    fn summary() -> Summary {
        let step = StepId::parse("op_1").unwrap();
        Summary {
            status: Status::InDoubt,
            state: State::Mutate,
            ending: None,
            round: 2,
            title: "pay \u{1b}[31mINV-1".to_owned(),
            process: None,
            requester: PersonId::parse("kim").unwrap(),
            mode: Mode::Always,
            approval: None,
            doubt: Some(OpenDoubt {
                step,
                headline: "Pay INV-1".to_owned(),
                why: "no answer".to_owned(),
                asks: Vec::new(),
            }),
            answer: None,
            signed_by: None,
            decided_by: Vec::new(),
        }
    }

    #[test]
    fn a_run_in_full_says_what_a_person_needs() {
        let (began, changed) =
            ("2026-03-02T12:00:00.5Z".parse().unwrap(), "2026-03-02T12:00:01Z".parse().unwrap());
        let run = SessionId::parse("run_1").unwrap();
        let view = RunView {
            run,
            began,
            changed,
            entries: 3,
            summary: summary(),
            card: None,
            answer: None,
            stuck: None,
        };
        let lines = [
            "pay �[31mINV-1",
            "  run       run_1",
            "  status    in doubt in MUTATE",
            "  process   not chosen yet",
            "  requester kim",
            "  mode      always",
            "  began     2026-03-02T12:00:00Z",
            "  changed   2026-03-02T12:00:01Z",
            "  round     2",
            "  in doubt  op_1: Pay INV-1 (no answer)",
        ];
        assert_eq!(run_text(&view, Paint::Plain), lines.join("\n"));
        assert_eq!(exit_of(&view), Exit::Unknown);
    }

    #[test]
    fn a_run_at_work_points_to_its_journal() {
        let at = "2026-03-02T12:00:00Z".parse().unwrap();
        let run = SessionId::parse("run_1").unwrap();
        let summary = Summary { status: Status::Working, doubt: None, ..summary() };
        let (card, answer, stuck) = (None, None, None);
        let view = RunView { run, began: at, changed: at, entries: 3, summary, card, answer, stuck };
        let text = run_text(&view, Paint::Plain);
        assert!(text.ends_with("Not finished. What was done so far: purple trace run_1"), "{text}");
    }

    #[test]
    fn the_inbox_says_what_to_do() {
        let mut table = Table::new(&["DO", "RUN", "WHO", "UNTIL", "WHAT"]);
        let now = "2026-03-02T12:00:00Z".parse().unwrap();
        let asks = Summary { status: Status::Waiting, doubt: None, ..summary() };
        for summary in [summary(), asks] {
            let wanted = summary.wanted(now).unwrap();
            inbox_line(&mut table, &SessionId::parse("run_1").unwrap(), &summary, wanted);
        }
        let lines = table.lines(Paint::Plain);
        assert_eq!(lines[1], "settle  run_1  whoever could approve it  –      Pay INV-1 (op_1)");
        assert_eq!(lines[2], "answer  run_1  kim                       –      pay �[31mINV-1");
    }
}
