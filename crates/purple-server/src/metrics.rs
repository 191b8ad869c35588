//! Figures for operators in the text form of Prometheus, counted from the journals of all runs.
//!
//! They are counted from the first entry on, so they survive a restart. No label names a run, a person or a record.

mod count;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use jiff::Timestamp;
use purple_port::{Brake, EngineError, Figures, SessionId};
use tokio::sync::Mutex;

use crate::limits::{FIGURES_PAGE, LABELS_MAX};

/// Upper bounds of the buckets of durations, in milliseconds.
const BUCKETS_MS: [u64; 12] =
    [10, 50, 100, 500, 1_000, 5_000, 10_000, 60_000, 300_000, 3_600_000, 86_400_000, 604_800_000];

/// Counts what the journals tell, each entry once.
pub(crate) struct Tally {
    figures: Arc<dyn Figures>,
    version: String,
    counted: Mutex<Counted>,
}

impl Tally {
    pub(crate) fn new(figures: Arc<dyn Figures>, version: String) -> Self {
        Self { figures, version, counted: Mutex::default() }
    }

    /// What is behind the counts.
    pub(crate) fn figures(&self) -> &Arc<dyn Figures> {
        &self.figures
    }

    /// Everything, as text.
    pub(crate) async fn text(&self, brake: &Arc<dyn Brake>) -> Result<String, EngineError> {
        let mut counted = self.counted.lock().await;
        loop {
            let page = self.figures.entries(counted.place, FIGURES_PAGE).await?;
            let full = page.len() == FIGURES_PAGE;
            page.iter().for_each(|one| counted.count(one));
            if !full {
                break;
            }
        }
        let halted = brake.halts().await?.len();
        let mut out = counted.write();
        family(&mut out, "purple_halted", "gauge", "Stops of the operator that hold now.");
        line(&mut out, "purple_halted", &[], &halted.to_string());
        family(&mut out, "purple_build_info", "gauge", "The program that answers.");
        line(&mut out, "purple_build_info", &[("version", &self.version)], "1");
        Ok(out)
    }
}

/// The values of the labels of one line.
type Labels = Vec<String>;

#[derive(Default)]
struct Counted {
    place: i64,
    open: BTreeMap<SessionId, Open>,
    runs: Counters,
    run_times: Times,
    state_times: Times,
    policy: Counters,
    decisions: Counters,
    waits: Times,
    fast: Counters,
    writes: Counters,
    verified: Counters,
    suppressed: Counters,
    refused: Counters,
}

/// What is known of a run whose round is not over.
#[derive(Default)]
struct Open {
    process: Option<String>,
    began: Option<Timestamp>,
    entered: Option<Timestamp>,
    /// Since when a plan waits, and for whom.
    asked: Option<(Timestamp, String)>,
    doubts: u64,
}

impl Open {
    fn process(&self) -> String {
        self.process.clone().unwrap_or_else(|| "none".to_owned())
    }
}

#[derive(Default)]
struct Counters(BTreeMap<Labels, u64>);

impl Counters {
    fn add(&mut self, labels: Labels) {
        *self.0.entry(bounded(self.0.len(), labels, |labels| self.0.contains_key(labels))).or_default() += 1;
    }
}

#[derive(Default)]
struct Times(BTreeMap<Labels, Spread>);

#[derive(Default)]
struct Spread {
    buckets: [u64; BUCKETS_MS.len()],
    count: u64,
    sum_ms: u64,
}

impl Times {
    fn add(&mut self, labels: Labels, ms: u64) {
        let labels = bounded(self.0.len(), labels, |labels| self.0.contains_key(labels));
        let spread = self.0.entry(labels).or_default();
        spread.count += 1;
        spread.sum_ms = spread.sum_ms.saturating_add(ms);
        for (bucket, bound) in spread.buckets.iter_mut().zip(BUCKETS_MS) {
            *bucket += u64::from(ms <= bound);
        }
    }
}

/// A label set that is one too many becomes `other`.
fn bounded(count: usize, labels: Labels, known: impl Fn(&Labels) -> bool) -> Labels {
    if count < LABELS_MAX || known(&labels) {
        return labels;
    }
    labels.iter().map(|_| "other".to_owned()).collect()
}

impl Counted {
    fn write(&self) -> String {
        let mut out = String::new();
        let counters: [(&str, &str, &[&str], &Counters); 8] = [
            ("purple_runs_total", "Rounds of runs that ended.", &["process", "outcome"], &self.runs),
            (
                "purple_policy_decisions_total",
                "Decisions of rules.",
                &["process", "rule", "outcome"],
                &self.policy,
            ),
            (
                "purple_approval_decisions_total",
                "Decisions of people.",
                &["decision", "channel"],
                &self.decisions,
            ),
            ("purple_approval_fast_total", "Decisions within 5 s.", &["process"], &self.fast),
            ("purple_writes_total", "Operations by how they came out.", &["tool", "outcome"], &self.writes),
            ("purple_verify_total", "What reading back showed.", &["tool", "outcome"], &self.verified),
            (
                "purple_duplicate_suppressed_total",
                "Work that was not done twice.",
                &["source"],
                &self.suppressed,
            ),
            ("purple_gate_refusals_total", "What was refused.", &["reason"], &self.refused),
        ];
        for (name, help, labels, counters) in counters {
            family(&mut out, name, "counter", help);
            for (values, count) in &counters.0 {
                line(&mut out, name, &paired(labels, values), &count.to_string());
            }
        }
        let times: [(&str, &str, &[&str], &Times); 3] = [
            ("purple_run_duration_seconds", "From the task to its end.", &["process"], &self.run_times),
            ("purple_state_duration_seconds", "Time in a state.", &["process", "state"], &self.state_times),
            (
                "purple_approval_wait_seconds",
                "From the question to the decision.",
                &["process", "decision"],
                &self.waits,
            ),
        ];
        for (name, help, labels, times) in times {
            family(&mut out, name, "histogram", help);
            for (values, spread) in &times.0 {
                spread.write(&mut out, name, &paired(labels, values));
            }
        }
        self.write_gauges(&mut out);
        out
    }

    fn write_gauges(&self, out: &mut String) {
        let (mut pending, mut doubts) = (BTreeMap::new(), BTreeMap::new());
        for open in self.open.values() {
            if let Some((_, asks)) = &open.asked {
                *pending.entry((open.process(), asks.clone())).or_insert(0_u64) += 1;
            }
            if open.doubts > 0 {
                *doubts.entry(open.process()).or_insert(0_u64) += open.doubts;
            }
        }
        let name = "purple_approvals_pending";
        family(out, name, "gauge", "Plans that wait for people.");
        for ((process, role), count) in &pending {
            line(out, name, &[("process", process), ("role", role)], &count.to_string());
        }
        let name = "purple_outcome_unknown";
        family(out, name, "gauge", "Operations whose outcome is unknown.");
        for (process, count) in &doubts {
            line(out, name, &[("process", process)], &count.to_string());
        }
    }
}

impl Spread {
    fn write(&self, out: &mut String, name: &str, labels: &[(&str, &str)]) {
        let bucket = format!("{name}_bucket");
        for (count, bound) in self.buckets.iter().zip(BUCKETS_MS) {
            let bound = seconds(bound);
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            line(out, &bucket, &labels, &count.to_string());
        }
        let labels_inf: Vec<(&str, &str)> = labels.iter().copied().chain([("le", "+Inf")]).collect();
        line(out, &bucket, &labels_inf, &self.count.to_string());
        line(out, &format!("{name}_sum"), labels, &seconds(self.sum_ms));
        line(out, &format!("{name}_count"), labels, &self.count.to_string());
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

fn paired<'a>(names: &[&'a str], values: &'a [String]) -> Vec<(&'a str, &'a str)> {
    names.iter().copied().zip(values.iter().map(String::as_str)).collect()
}

fn family(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a text does not fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(out: &mut String, name: &str, labels: &[(&str, &str)], value: &str) {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
    let _ = match labels.is_empty() {
        true => writeln!(out, "{name} {value}"),
        false => writeln!(out, "{name}{{{}}} {value}", labels.join(",")),
    };
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
