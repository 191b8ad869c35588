//! How good a round was, from 0 to 1, by evidence: `0.35 × answer + 0.35 × tools + 0.30 × policy`.
//!
//! What people did outweighs what we think of ourselves: it takes hold of the parts themselves, and no praise of our
//! own moves the score as far. Longer is not better, and more calls are not better: neither is counted.

use purple_policy::{Exact, NumberError, Rounding};

use crate::execute::close::Effects;
use crate::learn::bandit::POINTS_MAX;
use crate::prime::wording::places;

/// How many decimals a score is written with.
const SCORE_PLACES: u8 = 4;

/// What is known of a round when it is scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// The answer without log and footer.
    pub(crate) answer: String,
    /// How the form of the answer is judged.
    pub(crate) form: Form,
    /// Whether it came to an end of its own.
    pub(crate) end: End,
    /// What the task wanted.
    pub(crate) wanted: Wanted,
    /// The fields that the answer had to hold.
    pub(crate) fields: Fields,
    /// What became of the writes.
    pub(crate) mutations: Mutations,
    /// What became of the calls.
    pub(crate) calls: Calls,
    /// What the rules said.
    pub(crate) policy: Policy,
    /// What people did about it.
    pub(crate) people: People,
    /// Whether what was done was ordered.
    pub(crate) effects: Effects,
}

/// How the form of an answer is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// By its fields and its words.
    Prose,
    /// It is one exact value, and that is all it should be.
    Exact,
}

/// Whether a round came to an end of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It was answered, or a rule or a person decided it.
    Decided,
    /// It failed, was called off, or was handed over without a rule that says so.
    GaveUp,
}

/// What a task wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Words: nothing could be changed, so there is nothing to say about that.
    Words,
    /// Something done or decided, and to be told of it.
    Deed,
}

/// The fields that an answer had to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    /// Those that are there.
    pub(crate) present: u32,
    /// Those that are not.
    pub(crate) missing: u32,
}

impl Fields {
    /// Of those required, which are missing.
    pub(crate) fn of(required: usize, missing: usize) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { present: count(required.saturating_sub(missing)), missing: count(missing) }
    }
}

/// What became of the writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mutations {
    /// Read back as written.
    pub(crate) verified: u32,
    /// Could not be read back.
    pub(crate) unverifiable: u32,
    /// Read back otherwise.
    pub(crate) mismatched: u32,
    /// Sent, and found not to have happened.
    pub(crate) absent: u32,
}

/// What became of the calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    /// All of them.
    pub(crate) total: u32,
    /// Those that failed.
    pub(crate) failed: u32,
    /// Those that asked again what was known.
    pub(crate) repeated: u32,
    /// Those that brought nothing.
    pub(crate) empty: u32,
}

/// What the rules said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// They were kept.
    Passed,
    /// None applied.
    NotApplicable,
    /// One was broken.
    Failed,
}

/// What people did, the worst of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum People {
    /// Nobody was asked.
    NotAsked,
    /// They said yes to the plan as it was.
    ApprovedUnchanged,
    /// They said yes to a part, or to something else.
    Edited,
    /// They said no.
    Rejected,
}

/// A score with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Score {
    /// From 0 to 1.
    pub(crate) total: Exact,
    /// The answer's part, from 0 to 1.
    pub(crate) answer: Exact,
    /// The tools' part, from 0 to 1.
    pub(crate) tools: Exact,
    /// The policy's part, from 0 to 1.
    pub(crate) policy: Exact,
    reasons: Vec<String>,
}

impl Score {
    /// How the score came about, line by line.
    pub(crate) fn explain(&self) -> Vec<String> {
        let sum = format!(
            "quality {} = 0.35 × {} (answer) + 0.35 × {} (tools) + 0.30 × {} (policy)",
            self.total, self.answer, self.tools, self.policy
        );
        std::iter::once(sum).chain(self.reasons.iter().cloned()).collect()
    }

    /// The total in ten-thousandths.
    pub(crate) fn points(&self) -> u16 {
        let points = self.total.times(&Exact::from(i64::from(POINTS_MAX))).ok().and_then(|all| all.to_i128());
        points.and_then(|points| u16::try_from(points).ok()).unwrap_or_default().min(POINTS_MAX)
    }
}

/// Scores a round.
///
/// # Errors
///
/// Numbers beyond what an exact number may have; no count of a run comes near.
pub(crate) fn score(evidence: &Evidence) -> Result<Score, NumberError> {
    match evidence.effects {
        Effects::AsOrdered => {}
        // Whoever approved it did not ask for it.
        Effects::NotOrdered => {
            let reasons =
                vec!["order: something was done that is not in the request, so nothing counts".to_owned()];
            let zero = || Exact::ZERO;
            return Ok(Score { total: zero(), answer: zero(), tools: zero(), policy: zero(), reasons });
        }
    }
    let mut reasons = Vec::new();
    let answer = answer(evidence, &mut reasons)?;
    let tools = tools(evidence, &mut reasons)?;
    let (answer, tools) = heard(evidence, answer, tools, &mut reasons)?;
    let policy = policy(evidence.policy, &mut reasons)?;
    let (answer, tools) = (rounded(&answer), rounded(&tools));
    let weighted = [("0.35", &answer), ("0.35", &tools), ("0.30", &policy)];
    let total = weighted
        .into_iter()
        .try_fold(Exact::ZERO, |sum, (weight, part)| sum.plus(&decimal(weight)?.times(part)?))?;
    Ok(Score { total: rounded(&total), answer, tools, policy, reasons })
}

/// An answer alone, while it can still be changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prosaic<'a> {
    /// Its words.
    pub(crate) answer: &'a str,
    /// The fields that it had to hold.
    pub(crate) fields: Fields,
}

/// The answer's part of the score, for words that nothing was decided on yet, and how it came about.
///
/// # Errors
///
/// See [`score`].
pub(crate) fn prose_score(prose: &Prosaic<'_>) -> Result<(Exact, Vec<String>), NumberError> {
    let evidence = Evidence {
        answer: prose.answer.to_owned(),
        form: Form::Prose,
        end: End::Decided,
        // What was done and decided is said by code, beside these words.
        wanted: Wanted::Words,
        fields: prose.fields,
        mutations: Mutations::default(),
        calls: Calls::default(),
        policy: Policy::NotApplicable,
        people: People::NotAsked,
        effects: Effects::AsOrdered,
    };
    let mut reasons = Vec::new();
    let score = answer(&evidence, &mut reasons)?;
    Ok((rounded(&score), reasons))
}

/// The score of a round of which people had something undone: only its rules still count.
///
/// # Errors
///
/// As [`score`].
pub(crate) fn undone(policy: &Exact) -> Result<Score, NumberError> {
    let total = decimal("0.30")?.times(policy)?;
    let reasons = vec!["people: undone, so answer and tools count for nothing".to_owned()];
    let policy = policy.clone();
    Ok(Score { total: rounded(&total), answer: Exact::ZERO, tools: Exact::ZERO, policy, reasons })
}

fn rounded(number: &Exact) -> Exact {
    number.rounded(SCORE_PLACES, Rounding::HalfEven)
}

fn decimal(text: &str) -> Result<Exact, NumberError> {
    Exact::parse(text)
}

const ERROR_PHRASES: &[&str] = &[
    "an error occurred",
    "error:",
    "exception",
    "traceback",
    "unable to",
    "could not",
    "couldn't",
    "failed to",
    "i don't know",
    "i do not know",
    "as an ai",
    "no data available",
];

const MARKERS: &[&str] = &[
    "approved",
    "rejected",
    "declined",
    "blocked",
    "escalated",
    "refused",
    "cancelled",
    "completed",
    "done",
    "confirmed",
    "applied",
    "scheduled",
    "updated",
    "sent",
    "created",
    "verified",
    "revoked",
    "paid",
    "waits for",
    "needs approval",
    "total",
    "totals",
    "result",
    "results",
    "no change",
];

fn answer(evidence: &Evidence, reasons: &mut Vec<String>) -> Result<Exact, NumberError> {
    let text = evidence.answer.trim().to_lowercase();
    if text.is_empty() {
        reasons.push("answer: there is none".to_owned());
        return Ok(Exact::ZERO);
    }
    if evidence.form == Form::Exact {
        reasons.push("answer: one exact value, full marks for form".to_owned());
        return Ok(Exact::ONE);
    }
    if evidence.end == End::GaveUp {
        reasons.push("answer: the task was given up".to_owned());
        return Ok(Exact::ZERO);
    }
    // What was not asked for is neither there nor missing: the other parts carry its weight.
    let mut parts = Vec::new();
    let Fields { present, missing } = evidence.fields;
    let required = u64::from(present).saturating_add(u64::from(missing));
    if required > 0 {
        reasons.push(format!("answer: {present} of {required} required fields"));
        parts.push(("0.5", share(u64::from(present), required)?));
    }
    match evidence.wanted {
        Wanted::Words => {}
        Wanted::Deed => {
            // The log stands beside the words, and says by itself what was done.
            let logged = evidence.mutations.verified > 0;
            let decided = logged || MARKERS.iter().any(|marker| stands(&text, marker));
            let says = if decided { "says what was decided or done" } else { "leaves open what was decided" };
            reasons.push(format!("answer: {says}"));
            parts.push(("0.3", truth(decided)));
        }
    }
    let phrase = ERROR_PHRASES.iter().find(|phrase| stands(&text, phrase));
    reasons.push(match phrase {
        Some(phrase) => format!("answer: speaks of an error (`{phrase}`)"),
        None => "answer: speaks of no error".to_owned(),
    });
    parts.push(("0.2", truth(phrase.is_none())));
    weigh(&parts)
}

/// Whether a phrase stands in a text in whole words: who is absent has not sent anything.
fn stands(text: &str, phrase: &str) -> bool {
    let words = phrase.trim_end_matches(':');
    let rest = phrase.strip_prefix(words).unwrap_or_default();
    places(text, words).any(|place| text.get(place.end..).is_some_and(|after| after.starts_with(rest)))
}

fn tools(evidence: &Evidence, reasons: &mut Vec<String>) -> Result<Exact, NumberError> {
    let Calls { total, failed, repeated, empty } = evidence.calls;
    let mut parts = Vec::new();
    if total > 0 {
        let wasted = failed.saturating_add(repeated).saturating_add(empty).min(total);
        parts.push(("0.4", share(u64::from(total.saturating_sub(wasted)), u64::from(total))?));
        reasons.push(format!(
            "tools: {total} calls, of which {failed} failed, {repeated} repeated, {empty} empty"
        ));
    }
    let Mutations { verified, unverifiable, mismatched, absent } = evidence.mutations;
    let writes = [verified, unverifiable, mismatched, absent].into_iter().map(u64::from).sum::<u64>();
    if writes > 0 {
        reasons.push(format!(
            "tools: {verified} of {writes} writes verified, {unverifiable} unverifiable, {mismatched} otherwise, {absent} absent"
        ));
        // What cannot be read back is worth half.
        let halves = u64::from(verified).saturating_mul(2).saturating_add(u64::from(unverifiable));
        parts.push(("0.6", share(halves, writes.saturating_mul(2))?));
    }
    if parts.is_empty() {
        reasons.push("tools: none was called, which shows nothing".to_owned());
        return decimal("0.5");
    }
    weigh(&parts)
}

/// What people and read-backs said about the parts. It outweighs what the parts say of themselves.
fn heard(
    evidence: &Evidence,
    answer: Exact,
    tools: Exact,
    reasons: &mut Vec<String>,
) -> Result<(Exact, Exact), NumberError> {
    if evidence.mutations.mismatched > 0 {
        reasons.push("read-back: something else was found, so answer and tools count for nothing".to_owned());
        return Ok((Exact::ZERO, Exact::ZERO));
    }
    let quarter = decimal("0.25")?;
    let happened = evidence.end == End::Decided && evidence.mutations.absent == 0;
    Ok(match evidence.people {
        People::NotAsked => (answer, tools),
        People::ApprovedUnchanged if !happened => {
            reasons.push("people: approved unchanged, and it did not happen, which adds nothing".to_owned());
            (answer, tools)
        }
        People::ApprovedUnchanged => {
            reasons.push("people: approved unchanged, so answer and tools count in full".to_owned());
            (Exact::ONE, Exact::ONE)
        }
        People::Edited => {
            reasons.push("people: edited, so answer and tools count for a quarter at most".to_owned());
            (answer.min(quarter.clone()), tools.min(quarter))
        }
        People::Rejected => {
            reasons.push("people: rejected, so answer and tools count for nothing".to_owned());
            (Exact::ZERO, Exact::ZERO)
        }
    })
}

fn policy(policy: Policy, reasons: &mut Vec<String>) -> Result<Exact, NumberError> {
    let (value, word) = match policy {
        Policy::Passed => ("1", "passed"),
        Policy::NotApplicable => ("0.5", "not applicable"),
        Policy::Failed => ("0", "failed"),
    };
    reasons.push(format!("policy: {word}"));
    decimal(value)
}

fn share(part: u64, whole: u64) -> Result<Exact, NumberError> {
    Exact::ratio(i128::from(part), i128::from(whole))
}

fn truth(truth: bool) -> Exact {
    if truth { Exact::ONE } else { Exact::ZERO }
}

/// The mean of parts by their weights.
fn weigh(parts: &[(&str, Exact)]) -> Result<Exact, NumberError> {
    let (mut sum, mut weights) = (Exact::ZERO, Exact::ZERO);
    for (weight, part) in parts {
        let weight = decimal(weight)?;
        sum = sum.plus(&weight.times(part)?)?;
        weights = weights.plus(&weight)?;
    }
    sum.over(&weights)
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
