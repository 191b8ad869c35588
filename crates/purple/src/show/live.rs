//! A run while it works: one line per state, live in a terminal, plain in a pipe, records in JSON.

use jiff::Timestamp;
use purple_journal::record::run::{Run, StateEntered};
use purple_journal::{Record, Recorded};

use crate::failure::Failure;
use crate::show::screen::Screen;
use crate::show::style::{Paint, Tone};
use crate::show::trace::detail;

const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// The widest live line, in characters: a line that wraps cannot be drawn over.
const LIVE_CHARS_MAX: usize = 76;

/// Follows the journal of one run.
pub(crate) struct Live {
    screen: Screen,
    state: Option<Open>,
    /// What was told before the first move: since when, and what.
    early: Option<(Timestamp, Vec<String>)>,
    frame: usize,
}

/// The state that the run is in.
struct Open {
    name: String,
    since: Timestamp,
    details: Vec<String>,
}

impl Live {
    pub(crate) fn new(screen: Screen) -> Self {
        Self { screen, state: None, early: None, frame: 0 }
    }

    /// Takes the next entry of the journal.
    pub(crate) fn entry(&mut self, recorded: &Recorded) -> Result<(), Failure> {
        if self.screen.is_json() {
            return self.screen.record(recorded);
        }
        match recorded.record() {
            Record::Run(run) => self.run(recorded, run),
            Record::Task(_)
            | Record::Process(_)
            | Record::Model(_)
            | Record::Tool(_)
            | Record::Plan(_)
            | Record::Approval(_)
            | Record::Write(_)
            | Record::Turn(_)
            | Record::Learning(_)
            | Record::Incident(_)
            | Record::Operator(_)
            | Record::Unknown(_) => self.add(recorded),
        }
        Ok(())
    }

    fn run(&mut self, recorded: &Recorded, run: &Run) {
        match run {
            Run::StateEntered(entered) => self.enter(recorded.entry.at, entered),
            Run::Ended(_) => self.leave(recorded.entry.at),
            Run::Answered(_)
            | Run::Failed(_)
            | Run::Stopped(_)
            | Run::Cancelled(_)
            | Run::CancelNotTaken(_)
            | Run::Rescored(_) => self.add(recorded),
        }
    }

    fn enter(&mut self, at: Timestamp, entered: &StateEntered) {
        let (since, details) = self.early.take().unwrap_or((at, Vec::new()));
        if self.state.is_none() {
            self.state = Some(Open { name: entered.from.to_string(), since, details });
        }
        self.leave(at);
        self.state = Some(Open { name: entered.to.to_string(), since: at, details: Vec::new() });
    }

    /// Adds what a record shows to the line of its state.
    fn add(&mut self, recorded: &Recorded) {
        let details = match &mut self.state {
            Some(open) => &mut open.details,
            None => &mut self.early.get_or_insert((recorded.entry.at, Vec::new())).1,
        };
        // A read that is repeated to be sure is shown once.
        if let Some(text) = detail(recorded).filter(|text| !details.contains(text)) {
            details.push(text);
        }
    }

    /// Draws the live line again.
    pub(crate) fn tick(&mut self, now: Timestamp) {
        let Some(open) = &self.state else { return };
        self.frame = (self.frame + 1) % FRAMES.len();
        let frame = FRAMES.get(self.frame).copied().unwrap_or('·');
        let doing = open.details.last().map_or("", String::as_str);
        let line = format!("  {frame} {:<16} {:>8}  {doing}", open.name, elapsed(open.since, now));
        let cut: String = line.chars().take(LIVE_CHARS_MAX).collect();
        self.screen.redraw(&cut);
    }

    /// The run ended or waits: the last state is told.
    pub(crate) fn finish(&mut self, now: Timestamp) {
        self.leave(now);
    }

    fn leave(&mut self, at: Timestamp) {
        let Some(open) = self.state.take() else { return };
        self.screen.redraw("");
        let lines = if self.screen.live { open.drawn(at, self.screen.talk) } else { vec![open.plain(at)] };
        for line in lines {
            self.screen.say(&line);
        }
    }
}

impl Open {
    /// For a terminal: a tick, the state, the time it took, and what it did, one thing a line.
    fn drawn(&self, at: Timestamp, paint: Paint) -> Vec<String> {
        let (tick, name) =
            (paint.text(Tone::Good, "✓"), paint.text(Tone::Strong, &format!("{:<16}", self.name)));
        let first = self.details.first().map_or("", String::as_str);
        let head = format!("  {tick} {name} {:>8}  {first}", elapsed(self.since, at));
        let rest = self.details.iter().skip(1).map(|more| format!("{}{more}", " ".repeat(31)));
        [head.trim_end().to_owned()].into_iter().chain(rest).collect()
    }

    /// For a pipe: all of it on one line.
    fn plain(&self, at: Timestamp) -> String {
        let line = format!("{:<16} {:>8}  {}", self.name, elapsed(self.since, at), self.details.join("; "));
        line.trim_end().to_owned()
    }
}

/// A time in few characters: `12 ms`, `3.4 s`, `2 min`, `5 h`.
fn elapsed(from: Timestamp, to: Timestamp) -> String {
    let ms = to.as_millisecond().saturating_sub(from.as_millisecond()).max(0);
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{} min", ms / 60_000),
        _ => format!("{} h", ms / 3_600_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> Open {
        let details = vec!["get_invoice".to_owned(), "get_purchase_order".to_owned()];
        Open { name: "ASSESS".to_owned(), since: Timestamp::UNIX_EPOCH, details }
    }

    #[test]
    fn a_pipe_gets_one_line_per_state() {
        let at = Timestamp::from_millisecond(1_240).unwrap();
        assert_eq!(open().plain(at), "ASSESS              1.2 s  get_invoice; get_purchase_order");
    }

    #[test]
    fn a_terminal_gets_what_was_done_one_thing_a_line_and_aligned() {
        let at = Timestamp::from_millisecond(12).unwrap();
        let lines = open().drawn(at, Paint::Plain);
        assert_eq!(
            lines,
            ["  ✓ ASSESS              12 ms  get_invoice", &format!("{:31}get_purchase_order", "")]
        );
        let place = |line: &String| line.chars().position(|c| c == 'g');
        assert_eq!(place(&lines[0]), place(&lines[1]));
    }

    #[test]
    fn times_are_short() {
        let shown = |ms| elapsed(Timestamp::UNIX_EPOCH, Timestamp::from_millisecond(ms).unwrap());
        assert_eq!(
            [0, 999, 1_000, 61_000, 7_200_000, -5].map(shown),
            ["0 ms", "999 ms", "1.0 s", "1 min", "2 h", "0 ms"]
        );
    }
}
