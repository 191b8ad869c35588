//! Which faults are on, and what they order for the next call or listing.

use std::collections::BTreeMap;

use crate::fault::{Applied, Drifted, Fault, FaultKind};
use crate::tool::Tool;

/// How a write is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Faithful,
    Lie,
    Partial,
    Other,
    Twice,
    LateReads(u32),
    LateMs(u64),
}

/// What happens instead of any work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instead {
    Fail,
    RateLimit,
    Unavailable,
    InputRequired,
    Question,
    Cut,
    Hang,
}

/// What happens to the answer, after the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Afterwards {
    #[default]
    Answer,
    FailAfter,
    Cut,
    Hang,
    Huge(u64),
    Garbage,
}

/// Everything the faults say about one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orders {
    pub(crate) mode: Mode,
    pub(crate) instead: Option<Instead>,
    pub(crate) afterwards: Afterwards,
    pub(crate) slow_ms: u64,
    pub(crate) lag_reads: Option<u32>,
    /// Reads of the noun go down: this many times, or from then on.
    pub(crate) reads_down: Option<Option<u32>>,
    /// The names of the faults, for the log.
    pub(crate) names: Vec<&'static str>,
}

/// How a definition is listed untruly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    Drifted(Drifted),
    WithoutSchema,
}

#[derive(Debug)]
struct Armed {
    fault: Fault,
    seen: u64,
    used: u64,
}

/// The faults of one company.
#[derive(Debug, Default)]
pub(crate) struct Switchboard {
    armed: Vec<Armed>,
    /// Nouns whose reads are down, and for how many reads.
    down: BTreeMap<&'static str, Option<u32>>,
}

impl Switchboard {
    /// Replaces all faults; counts start anew.
    pub(crate) fn set(&mut self, faults: Vec<Fault>) {
        self.armed = faults.into_iter().map(|fault| Armed { fault, seen: 0, used: 0 }).collect();
        self.down.clear();
    }

    pub(crate) fn orders(&mut self, tool: &Tool) -> Orders {
        let mut orders = Orders::default();
        for armed in &mut self.armed {
            let kind = armed.fault.kind();
            let fits = armed.fault.targets([tool.name, tool.noun]);
            if !fits || (kind.is_about_effects() && tool.is_read()) {
                continue;
            }
            armed.seen += 1;
            if matches!(kind, FaultKind::Drift(_) | FaultKind::BadDefinition) {
                continue;
            }
            if armed.fault.is_on(armed.seen, armed.used) {
                armed.used += 1;
                orders.names.push(kind.name());
                orders.add(kind);
            }
        }
        orders
    }

    /// An effect on this noun is about to happen under orders that take its reads down.
    pub(crate) fn take_down(&mut self, noun: &'static str, reads: Option<u32>) {
        self.down.insert(noun, reads);
    }

    /// Whether this read fails because its noun is down.
    pub(crate) fn is_down(&mut self, noun: &str) -> bool {
        match self.down.get_mut(noun) {
            None | Some(Some(0)) => false,
            Some(None) => true,
            Some(Some(reads)) => {
                *reads -= 1;
                true
            }
        }
    }

    pub(crate) fn omits_schemas(&self) -> bool {
        self.armed.iter().any(|armed| armed.fault.kind() == FaultKind::BadDefinition)
    }

    /// Counts one listing and says which tools are listed untruly.
    pub(crate) fn listing(&mut self, tools: &[Tool]) -> Vec<(usize, Listed)> {
        let mut untrue = Vec::new();
        for armed in &mut self.armed {
            let listed = match armed.fault.kind() {
                FaultKind::Drift(drifted) => Listed::Drifted(drifted),
                FaultKind::BadDefinition => Listed::WithoutSchema,
                _ => continue,
            };
            armed.seen += 1;
            if !armed.fault.is_on(armed.seen, armed.used) {
                continue;
            }
            armed.used += 1;
            let hit =
                tools.iter().enumerate().filter(|(_, tool)| armed.fault.targets([tool.name, tool.noun]));
            untrue.extend(hit.map(|(index, _)| (index, listed)));
        }
        untrue
    }
}

impl Orders {
    fn add(&mut self, kind: FaultKind) {
        match kind {
            FaultKind::Lie => self.mode = Mode::Lie,
            FaultKind::Partial => self.mode = Mode::Partial,
            FaultKind::OtherValue => self.mode = Mode::Other,
            FaultKind::Twice => self.mode = Mode::Twice,
            FaultKind::LateReads(reads) => self.mode = Mode::LateReads(reads),
            FaultKind::LateMs(ms) => self.mode = Mode::LateMs(ms),
            FaultKind::Slow(ms) => self.slow_ms = self.slow_ms.saturating_add(ms),
            FaultKind::Fail => self.instead = Some(Instead::Fail),
            FaultKind::FailAfter => self.afterwards = Afterwards::FailAfter,
            FaultKind::Unavailable => self.instead = Some(Instead::Unavailable),
            FaultKind::Drop(Applied::Yes) => self.afterwards = Afterwards::Cut,
            FaultKind::Drop(Applied::No) => self.instead = Some(Instead::Cut),
            FaultKind::Hang(Applied::Yes) => self.afterwards = Afterwards::Hang,
            FaultKind::Hang(Applied::No) => self.instead = Some(Instead::Hang),
            FaultKind::Lag(reads) => self.lag_reads = Some(reads),
            FaultKind::ReadbackDown(reads) => self.reads_down = Some(reads),
            FaultKind::RateLimit => self.instead = Some(Instead::RateLimit),
            FaultKind::InputRequired => self.instead = Some(Instead::InputRequired),
            FaultKind::Question => self.instead = Some(Instead::Question),
            FaultKind::Huge(bytes) => self.afterwards = Afterwards::Huge(bytes),
            FaultKind::Garbage => self.afterwards = Afterwards::Garbage,
            FaultKind::Drift(_) | FaultKind::BadDefinition => {}
        }
    }
}
