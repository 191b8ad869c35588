//! The answer: what a run says in the end, or while it waits.
//!
//! The final answer, then the mutation log, then a short footer. A write is claimed only by the log, and the log says
//! how it was seen. An exact-match answer stands alone.

use purple_policy::{Judgement, Verdict};
use purple_process::playbook::Decision;
use purple_process::{Ending, Outcome};
use serde_json::{Value, json};

use crate::amount::{written_text, written_within};
use crate::card;
use crate::outside::{Shown, unsteered};
use crate::view::{Answer, AnswerData, FurtherRun, Mutation, NotStarted, PolicyResult, Witness};

/// What the log begins with.
const LOG: &str = "Mutation log";
/// What the footer begins with.
const FOOTER: &str = "— ";
/// What a line is given that would look like the log or the footer.
const QUOTE: &str = "> ";
/// The code of a task for which no model is there.
pub(crate) const MODEL_NEEDED: &str = "model.needed";
/// The code of work that another run has taken up.
pub(crate) const TAKEN_UP: &str = "business_key.handled";

/// What an answer is made from.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerFacts<'a> {
    /// The answer itself, as sentences. No write is claimed here that the log does not show.
    pub(crate) sentences: &'a [String],
    /// What was computed, in order: name and exact value.
    pub(crate) figures: &'a [(String, String)],
    /// What was read and is worth showing: name and value.
    pub(crate) shows: &'a [(String, String)],
    /// What the policy said.
    pub(crate) policy: Option<&'a PolicyResult>,
    /// The ruling on the plan.
    pub(crate) verdict: Option<Verdict>,
    /// What was done, in order.
    pub(crate) mutations: &'a [Mutation],
    /// What was granted and never started.
    pub(crate) not_started: &'a [NotStarted],
    /// How the round ended; `None` while it waits.
    pub(crate) ending: Option<Ending>,
    /// Runs that this one began or asked something of.
    pub(crate) runs: &'a [FurtherRun],
    /// A stable code where the run could not do what was asked.
    pub(crate) code: Option<&'a str>,
    /// The process.
    pub(crate) process: Option<&'a str>,
    /// Quality from 0 to 1, as decimal text.
    pub(crate) quality: Option<&'a str>,
    /// How that figure came about.
    pub(crate) quality_because: &'a [String],
    /// From the task to this answer, in milliseconds.
    pub(crate) took_ms: u64,
    /// The card as text, while a plan waits.
    pub(crate) waiting: Option<&'a str>,
}

/// Makes the answer.
pub(crate) fn compose(facts: &AnswerFacts<'_>) -> Answer {
    let given = facts.sentences.join("\n");
    let bare = facts.ending == Some(Ending::Done) && is_exact_match(&given);
    let answer = if bare { given.trim().to_owned() } else { final_answer(facts) };
    let text = if bare {
        answer.clone()
    } else {
        let card = facts.waiting.map(|card| format!("{card}\n")).unwrap_or_default();
        format!("{}\n\n{card}{}\n{}\n", answer, log(facts.mutations, facts.not_started), footer(facts))
    };
    let data = AnswerData {
        answer,
        process: facts.process.map(ToOwned::to_owned),
        ending: facts.ending,
        mutations: facts.mutations.to_vec(),
        not_started: facts.not_started.to_vec(),
        figures: facts.figures.to_vec(),
        policy: facts.policy.cloned(),
        runs: facts.runs.to_vec(),
        code: facts.code.map(ToOwned::to_owned),
        quality: facts.quality.map(ToOwned::to_owned),
        quality_because: facts.quality_because.to_vec(),
        took_ms: facts.took_ms,
    };
    Answer { text, data }
}

/// The policy's result as data: what the documents and the process file said, and the ruling that followed.
pub(crate) fn policy_result(
    verdict: Verdict,
    decision: Option<&Decision>,
    judgements: &[Judgement],
) -> PolicyResult {
    let of_documents = judgements.iter().flat_map(Judgement::triggered_rules);
    let mut triggered_rules: Vec<Value> =
        of_documents.filter_map(|rule| serde_json::to_value(rule).ok()).collect();
    let of_documents = judgements.iter().flat_map(Judgement::unchecked_rules);
    let mut not_evaluated: Vec<Value> = of_documents
        .map(|rule| json!({"id": rule.id(), "name": rule.why().name(), "why": rule.why().to_string()}))
        .collect();
    let doubts = decision.map(Decision::doubts).unwrap_or_default();
    let restricting = doubts.iter().filter(|doubt| doubt.demands.is_some());
    not_evaluated.extend(restricting.map(|doubt| json!({"id": doubt.rule, "why": doubt.why})));
    let mut seen = std::collections::BTreeSet::new();
    not_evaluated.retain(|rule| seen.insert(rule.to_string()));
    if let Some(decision) = decision
        && let Some(rule) = decision.rule()
        && doubts.iter().all(|doubt| doubt.rule != rule)
    {
        triggered_rules.push(json!({
            "id": rule,
            "action": decision.verdict().map(Verdict::as_str),
            "description": decision.because(),
            "source": decision.source(),
            "explanation": decision.explanation(),
        }));
    }
    let level = judgements.iter().filter_map(Judgement::escalation_level).max();
    PolicyResult {
        passed: verdict == Verdict::Allow,
        requires_approval: verdict == Verdict::RequireApproval,
        escalation_required: verdict == Verdict::Escalate,
        escalation_level: level.map(|level| level.as_str().to_owned()),
        triggered_rules,
        not_evaluated,
    }
}

/// Whether a text is a full JSON list, which is returned bare.
pub(crate) fn is_exact_match(text: &str) -> bool {
    let text = text.trim();
    let bracketed = text.starts_with('[') && text.ends_with(']');
    bracketed && serde_json::from_str::<Vec<Value>>(text).is_ok()
}

/// The required fields of which an answer says nothing: neither as a key of a JSON record nor in words.
pub(crate) fn missing_fields(required: &[String], answer: &str) -> Vec<String> {
    let record: Option<Value> = serde_json::from_str(answer.trim()).ok().filter(Value::is_object);
    let words = folded(answer);
    let missing = |field: &&String| match &record {
        Some(record) => record.get(field.as_str()).is_none_or(Value::is_null),
        None => !words.contains(&folded(field)),
    };
    required.iter().filter(missing).cloned().collect()
}

/// Lower case, words set apart by one space, so that `credit_amount` and `Credit amount` are one.
fn folded(text: &str) -> String {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    format!(" {} ", words.map(str::to_lowercase).collect::<Vec<_>>().join(" "))
}

fn final_answer(facts: &AnswerFacts<'_>) -> String {
    let mut blocks = vec![status(facts).map(ToOwned::to_owned).into_iter().collect::<Vec<_>>()];
    let beside = if facts.waiting.is_some() { Beside::Card } else { Beside::Nothing };
    blocks.push(facts.sentences.iter().map(|text| quoted(text.trim_end(), beside)).collect());
    blocks.push(pairs(facts.shows));
    blocks.push(pairs(facts.figures));
    blocks.push(facts.policy.map(rules).unwrap_or_default());
    if let Some(code) = facts.code {
        blocks.push(vec![format!("Code: {code}")]);
    }
    let texts = blocks.into_iter().filter(|block| !block.is_empty()).map(|block| block.join("\n"));
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Where the run stands, said by code.
fn status(facts: &AnswerFacts<'_>) -> Option<&'static str> {
    let ran = !facts.mutations.is_empty();
    let in_doubt = facts.mutations.iter().any(|mutation| mutation.outcome == Outcome::InDoubt);
    match facts.ending {
        None if in_doubt => {
            Some("In doubt: an operation may or may not have taken effect. A person must look and settle it.")
        }
        None if facts.waiting.is_some() && ran => Some(
            "Waiting for approval: what was done so far is in the log, and nothing of this plan has run.",
        ),
        None if facts.waiting.is_some() => Some("Waiting for approval: nothing has been changed."),
        None => None,
        Some(Ending::Done) if facts.code == Some(TAKEN_UP) => {
            Some("Taken up already: nothing was done in this run.")
        }
        Some(Ending::Done) => None,
        Some(Ending::Declined) if ran => Some("Declined: no more was done than the log shows."),
        Some(Ending::Declined) => Some("Declined: nothing was changed."),
        Some(Ending::Blocked) => Some("Blocked: a rule forbids it."),
        Some(Ending::Refused) => Some("Refused: it would disclose what is private."),
        Some(Ending::Escalated) => Some("Escalated: a person takes over."),
        Some(Ending::Cancelled) => Some("Cancelled."),
        Some(Ending::Failed) => Some("Failed: it could not be done."),
    }
}

/// `name: value`, aligned, amounts as people write them.
fn pairs(pairs: &[(String, String)]) -> Vec<String> {
    let named: Vec<(Shown, Shown)> =
        pairs.iter().map(|(name, value)| (Shown::new(name), Shown::new(&written_text(value)))).collect();
    let width = named.iter().map(|(name, _)| name.as_str().chars().count()).max().unwrap_or(0);
    named.iter().map(|(name, value)| format!("  {:<width$}  {value}", name.as_str())).collect()
}

/// The rules that decided, with the numbers put in.
fn rules(policy: &PolicyResult) -> Vec<String> {
    let line = |rule: &Value| {
        let word = |name: &str| rule.get(name).and_then(Value::as_str);
        let because = word("description").map(|because| format!(" ({because})")).unwrap_or_default();
        let source = word("source").map(|source| format!(", {source}")).unwrap_or_default();
        let text = format!("{}: {}{because}{source}", word("id")?, word("explanation")?);
        Some(format!("Rule {}", Shown::new(&text)))
    };
    let unchecked = |rule: &Value| {
        let word = |name: &str| rule.get(name).and_then(Value::as_str);
        let text = format!("{} could not be checked: {}", word("id")?, word("why")?);
        Some(format!("Rule {}", Shown::new(&text)))
    };
    let fired = policy.triggered_rules.iter().filter_map(line);
    fired.chain(policy.not_evaluated.iter().filter_map(unchecked)).collect()
}

/// What else of ours stands around a sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    Card,
}

/// A text in which no line looks like the log, the footer or, where there is one, a part of the card.
fn quoted(text: &str, beside: Beside) -> String {
    let line = |line: &str| {
        let start = line.trim();
        let log = start.to_lowercase().starts_with(&LOG.to_lowercase()) || start.starts_with(FOOTER.trim());
        let indented = line.starts_with(char::is_whitespace) && !start.is_empty();
        let card = beside == Beside::Card && (indented || card::TITLES.contains(&start));
        if log || card { format!("{QUOTE}{line}") } else { line.to_owned() }
    };
    unsteered(text).lines().map(line).collect::<Vec<_>>().join("\n")
}

fn log(mutations: &[Mutation], not_started: &[NotStarted]) -> String {
    let mut out = match mutations {
        [] => format!("{LOG}: nothing was changed.\n"),
        _ => format!("{LOG}\n"),
    };
    for (at, mutation) in mutations.iter().enumerate() {
        let headline = Shown::new(&written_within(&mutation.headline));
        out.push_str(&format!("  {}. {headline} [{}]\n", at + 1, mutation.step));
        out.push_str(&format!("     {}\n", seen(mutation)));
        for (field, before, after) in changes(mutation) {
            out.push_str(&format!("     {field}: {before} → {after}\n"));
        }
        if let Some(note) = &mutation.note {
            out.push_str(&format!("     note: {}\n", Shown::new(note)));
        }
    }
    for (at, one) in not_started.iter().enumerate() {
        let headline = Shown::new(&written_within(&one.headline));
        out.push_str(&format!("  {}. {headline} [{}]\n", mutations.len() + at + 1, one.step));
        out.push_str(&format!("     NOT STARTED: {}\n", Shown::new(&one.why)));
    }
    out
}

/// How an operation came out and who says so, said plainly.
fn seen(mutation: &Mutation) -> String {
    let said = match (mutation.outcome, &mutation.witness) {
        (Outcome::Verified, _) => "verified: read back as intended",
        (Outcome::Unverifiable, Some(Witness::Person(by))) => {
            return format!("done: {by} looked and says so");
        }
        (Outcome::Unverifiable, Some(Witness::ReadBack)) if !changes(mutation).is_empty() => {
            "sent: read back, and this changed; it cannot be compared with what was asked"
        }
        (Outcome::Unverifiable, Some(Witness::Tool | Witness::ReadBack) | None) => {
            "sent: nothing can read it back"
        }
        (Outcome::Mismatch, _) if stands_as_before(mutation) => {
            "MISMATCH: read back, and nothing has changed, although the tool said done"
        }
        (Outcome::Mismatch, _) => "MISMATCH: read back, and not as intended",
        (Outcome::Absent, Some(Witness::Person(by))) => return format!("NOT DONE: {by} looked and says so"),
        (Outcome::Absent, Some(Witness::Tool)) => "NOT DONE: the tool says so, and nothing can read it back",
        (Outcome::Absent, Some(Witness::ReadBack) | None) => {
            "NOT DONE: read back, and there is no trace of it"
        }
        (Outcome::InDoubt, _) => "IN DOUBT: it may or may not have taken effect",
    };
    said.to_owned()
}

/// Whether nothing of what was checked has changed.
fn stands_as_before(mutation: &Mutation) -> bool {
    let fields = mutation.after.as_object().into_iter().flatten();
    let mut fields = fields.filter(|(name, now)| mutation.before.get(name.as_str()) != Some(*now));
    fields.next().is_none()
}

/// The checked fields, before and after.
fn changes(mutation: &Mutation) -> Vec<(Shown, Shown, Shown)> {
    // What nobody read back is not shown as a change.
    let after = match mutation.outcome {
        Outcome::Verified | Outcome::Mismatch => mutation.after.as_object(),
        Outcome::Unverifiable if mutation.witness == Some(Witness::ReadBack) => mutation.after.as_object(),
        Outcome::Unverifiable | Outcome::Absent | Outcome::InDoubt => None,
    };
    let Some(after) = after else { return Vec::new() };
    // What was not seen has no value; what was seen empty is `null`.
    let value = |value: Option<&Value>| match value {
        Some(Value::String(text)) => Shown::new(&written_text(text)),
        Some(other) => Shown::new(&other.to_string()),
        None => Shown::new("(not read)"),
    };
    after
        .iter()
        .map(|(field, now)| (Shown::new(field), value(mutation.before.get(field)), value(Some(now))))
        .collect()
}

fn footer(facts: &AnswerFacts<'_>) -> String {
    let process = facts.process.map_or("no process".to_owned(), |process| format!("process {process}"));
    let quality = facts.quality.map(|quality| format!(" · quality {}", Shown::new(quality)));
    format!(
        "{FOOTER}{} · policy {}{} · {}",
        Shown::new(&process),
        policy_status(facts.verdict, facts.ending),
        quality.unwrap_or_default(),
        duration(facts.took_ms)
    )
}

const fn policy_status(verdict: Option<Verdict>, ending: Option<Ending>) -> &'static str {
    match (verdict, ending) {
        (None, _) => "not evaluated",
        (Some(Verdict::Allow), _) => "passed",
        (Some(Verdict::RequireApproval), None) => "approval required",
        (Some(Verdict::RequireApproval), Some(Ending::Done)) => "approved",
        (Some(Verdict::RequireApproval), Some(Ending::Declined)) => "approval declined",
        (
            Some(Verdict::RequireApproval),
            Some(Ending::Blocked | Ending::Refused | Ending::Escalated | Ending::Cancelled | Ending::Failed),
        ) => "approval required",
        (Some(Verdict::Escalate), _) => "escalated",
        (Some(Verdict::Block), _) => "blocked",
    }
}

/// `840 ms`, `1.2 s`, `3 min 4 s`, `2 h 5 min`, `1 d 4 h`.
fn duration(ms: u64) -> String {
    let (seconds, minutes, hours, days) = (ms / 1_000, ms / 60_000, ms / 3_600_000, ms / 86_400_000);
    if seconds == 0 {
        format!("{ms} ms")
    } else if minutes == 0 {
        format!("{seconds}.{} s", ms % 1_000 / 100)
    } else if hours == 0 {
        format!("{minutes} min {} s", seconds % 60)
    } else if days == 0 {
        format!("{hours} h {} min", minutes % 60)
    } else {
        format!("{days} d {} h", hours % 24)
    }
}

#[cfg(test)]
#[path = "finish_tests.rs"]
mod tests;
