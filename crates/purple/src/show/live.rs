//! A run while it works: one line per state, live in a terminal, plain in a pipe, records in JSON.

use jiff::Timestamp;
use purple_worker::port::Recorded;

use crate::failure::Failure;
use crate::show::screen::Screen;
use crate::show::style::Tone;
use crate::show::text::shortened;
use crate::show::trace::detail;

const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// The widest live line, in characters: a line that wraps cannot be drawn over.
const LIVE_CHARS_MAX: usize = 76;

/// Follows the journal of one run.
pub(crate) struct Live {
    screen: Screen,
    state: Option<Open>,
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
        Self { screen, state: None, frame: 0 }
    }

    /// Takes the next entry of the journal.
    pub(crate) fn entry(&mut self, recorded: &Recorded) -> Result<(), Failure> {
        if self.screen.is_json() {
            return self.screen.record(recorded);
        }
        let entered = recorded.entry.data.get("to").and_then(|to| to.as_str());
        match (recorded.entry.kind.as_str(), entered) {
            ("state.entered", Some(state)) => {
                self.leave(recorded.entry.at);
                let name = shortened(state, 24);
                self.state = Some(Open { name, since: recorded.entry.at, details: Vec::new() });
            }
            ("run.ended", _) => self.leave(recorded.entry.at),
            _ => {
                if let (Some(open), Some(text)) = (&mut self.state, detail(recorded)) {
                    open.details.push(text);
                }
            }
        }
        Ok(())
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
        let Some(Open { name, since, details }) = self.state.take() else { return };
        self.screen.redraw("");
        let took = elapsed(since, at);
        let name = format!("{name:<16}");
        if self.screen.live {
            let tick = self.screen.talk.text(Tone::Good, "✓");
            let (first, rest) =
                details.split_first().map_or(("", details.as_slice()), |(f, r)| (f.as_str(), r));
            let head = format!("  {tick} {} {took:>8}  {first}", self.screen.talk.text(Tone::Strong, &name));
            self.screen.say(head.trim_end());
            for more in rest {
                self.screen.say(&format!("{}{more}", " ".repeat(31)));
            }
        } else {
            let line = format!("{name} {took:>8}  {}", details.join("; "));
            self.screen.say(line.trim_end());
        }
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
