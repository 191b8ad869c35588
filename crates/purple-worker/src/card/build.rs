//! Makes a card from a plan, its ruling and what was read.

use jiff::Timestamp;
use purple_policy::Money;
use purple_process::playbook;
use purple_process::{
    Answer, Argument, Arguments, Channel, Check, Decision, Digest, Operation, OperationKey, Order, Ordered,
    PersonId, Plan, PlanRuling, Seen, ToolName, Values, Version,
};
use serde_json::Value;

use crate::amount::{written, written_text};
use crate::observe::would_change_json;
use crate::outside::{Shown, short};
use crate::port::PastCase;
use purple_journal::RedactedJson;
use purple_port::card::{
    Arithmetic, Buttons, Card, CardParts, Change, EditedField, Effect, Evidence, Headline, History, Named,
    OrderedBy, Provenance, Source, Who, Why, Yes,
};
use purple_privacy::redact;

/// The most past cases on a card.
const HISTORY_LINES_MAX: usize = 5;
/// The most figures, and the most reads, on a card.
const LINES_MAX: usize = 100;

/// One read that the plan rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceLine {
    /// The tool that read.
    pub tool: ToolName,
    /// With these arguments.
    pub arguments: Values,
    /// When.
    pub read_at: Timestamp,
    /// What came back, redacted: a card accepts nothing else of a tool. Where nothing did, why, as text.
    pub found: RedactedJson,
    /// The digest of the bytes that came back.
    pub digest: Digest,
    /// How far it can be trusted.
    pub trust: Provenance,
}

/// Whether exclusions such as "never the requester" hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusions {
    /// People are known, and they hold.
    Enforced,
    /// One person at one keyboard: they are recorded, not enforced.
    Recorded,
}

/// What a card is made from.
#[derive(Clone, Copy, Debug)]
pub struct CardFacts<'a> {
    /// The plan that waits.
    pub plan: &'a Plan,
    /// The ruling on it.
    pub ruling: &'a PlanRuling,
    /// What was computed, in order: name and exact value.
    pub figures: &'a [(String, String)],
    /// What was read.
    pub evidence: &'a [EvidenceLine],
    /// The vendor or person that the case is about; `None` where nobody is named, and nothing is said about them.
    pub party: Option<&'a str>,
    /// The money that the case is about, where the operations do not move it themselves.
    pub amount: Option<Money>,
    /// The earlier cases with that vendor or person, newest first: all that are remembered, because the card compares.
    pub history: &'a [PastCase],
    /// What the process file decided.
    pub decision: Option<&'a playbook::Decision>,
    /// What the declared names mean here, each with where it was read.
    pub bound: &'a [String],
    /// What would change the outcome, where that is known.
    pub otherwise: Option<&'a str>,
    /// Who asked for the work.
    pub requester: &'a PersonId,
    /// Who may not say yes, and why.
    pub excluded: &'a [String],
    /// Whether that is enforced.
    pub exclusions: Exclusions,
    /// What was said so far; only a yes is shown.
    pub given: &'a [Decision],
    /// What an approver changed.
    pub edited: &'a [EditedField],
    /// What an approver may change: name and value now.
    pub editable: &'a [(String, String)],
    /// Since when it waits.
    pub asked_at: Timestamp,
    /// When waiting ends with a no.
    pub expires_at: Timestamp,
}

/// Builds the card of a plan.
pub fn build_card(facts: CardFacts<'_>) -> Card {
    let plan = facts.plan;
    Card::new(CardParts {
        headline: Headline { text: Shown::new(&plan.headline()), unusual: unusual(&facts) },
        effects: plan.keyed().map(|(operation, key)| effect(operation, key, facts.evidence)).collect(),
        why: why(&facts),
        arithmetic: arithmetic(facts.figures),
        evidence: evidence(facts.evidence),
        history: history(&facts),
        who: who(&facts),
        asked_at: facts.asked_at,
        expires_at: facts.expires_at,
        buttons: Buttons {
            approve: Shown::new(&plan.headline()),
            decline: Shown::new(&plan.decline_label()),
        },
        plan: plan.hash(),
        mode: facts.ruling.mode(),
        edited: facts.edited.to_vec(),
        editable: facts.editable.iter().map(named).collect(),
    })
}

fn named((name, value): &(String, String)) -> Named {
    Named { name: Shown::new(name), value: Shown::new(value) }
}

/// What earlier cases with the same party do not show.
fn unusual(facts: &CardFacts<'_>) -> Vec<Shown> {
    let Some(party) = facts.party else { return Vec::new() };
    if facts.history.is_empty() {
        return vec![Shown::new(&format!("first case with {party}"))];
    }
    let mut said = Vec::new();
    let moved = facts.plan.operations().iter().flat_map(Operation::amounts);
    for amount in moved.chain(facts.amount) {
        let earlier = || facts.history.iter().flat_map(amounts);
        let same = || earlier().filter(|past| past.currency() == amount.currency());
        let line = match same().max_by_key(|past| past.minor().unsigned_abs()) {
            Some(most) if amount.minor().unsigned_abs() > most.minor().unsigned_abs() => {
                format!(
                    "{} is above every earlier amount with {party}: {} at most",
                    written(&amount),
                    written(&most)
                )
            }
            None if earlier().next().is_some() => {
                format!("{} is the first amount in {} with {party}", written(&amount), amount.currency())
            }
            Some(_) | None => continue,
        };
        let line = Shown::new(&line);
        if !said.contains(&line) {
            said.push(line);
        }
    }
    said
}

/// The money that an earlier case was about: `amounts` of its body, and what it names.
fn amounts(case: &PastCase) -> Vec<Money> {
    let listed = case.body.get("amounts").and_then(Value::as_array).into_iter().flatten();
    let named =
        case.entities.iter().filter(|entity| entity.kind == "amount").map(|entity| entity.name.as_str());
    listed.filter_map(Value::as_str).chain(named).filter_map(|text| Money::parse(text).ok()).collect()
}

fn effect(operation: &Operation, key: OperationKey, evidence: &[EvidenceLine]) -> Effect {
    let (verified_by, changes) = match &operation.check {
        Check::ReadBack { tool, arguments, expect } => {
            let now = Now { tool, arguments, seen: &operation.before, evidence };
            (Some(tool.clone()), changes(&now, expect))
        }
        Check::Observed { tool, written, .. } => {
            (Some(tool.clone()), known_changes(&operation.before, written))
        }
        Check::Unverifiable => (None, Vec::new()),
    };
    let named =
        |(name, argument): (&String, &Argument)| Named { name: Shown::new(name), value: value(argument) };
    let seen = operation.before.iter().map(|seen| Named {
        name: Shown::new(&format!("{}.{}", seen.tool, seen.field)),
        value: Shown::new(&seen.value.to_wire()),
    });
    Effect {
        step: operation.step.clone(),
        headline: Shown::new(&operation.headline()),
        tool: operation.tool.clone(),
        kind: operation.effect.name().to_owned(),
        arguments: operation.arguments.iter().map(named).collect(),
        changes,
        decided_on: seen.collect(),
        verified_by,
        undone_by: operation.undo.as_ref().map(|undo| undo.tool.clone()),
        key: short(&key.0),
        recipients: operation.recipients.iter().map(|recipient| Shown::new(recipient)).collect(),
        quiet: operation.quiet.as_deref().map(Shown::new),
        ordered: ordered(operation.order()),
        again: operation.done_before.as_ref().map(|done| Shown::new(&done.to_string())),
    }
}

/// What asks for an operation. The requester's words are redacted: approvers are other people.
pub(crate) fn ordered(order: &Order) -> Option<OrderedBy> {
    match order.ordered() {
        Ordered::Words(words) => Some(OrderedBy::Words(Shown::new(&redact(words)))),
        Ordered::Confirmed(confirmation) => Some(OrderedBy::Confirmed {
            by: confirmation.by.clone(),
            sentence: Shown::new(&redact(&confirmation.sentence)),
        }),
        Ordered::Command { by, command } => {
            Some(OrderedBy::Command { by: by.clone(), command: Shown::new(&redact(command)) })
        }
        Ordered::Missing => Some(OrderedBy::Missing),
        Ordered::Unrecorded => None,
    }
}

/// What stands now in the record that will be read back.
struct Now<'a> {
    tool: &'a ToolName,
    arguments: &'a Arguments,
    seen: &'a [Seen],
    evidence: &'a [EvidenceLine],
}

impl Now<'_> {
    /// What the plan fixed as seen, else what the same read showed. A read of something else shows nothing.
    fn field(&self, field: &str) -> Option<Shown> {
        let same = |tool: &ToolName, arguments: &Values| {
            let equal = |(name, value): (&String, &Argument)| {
                value.value().is_some_and(|value| arguments.get(name) == Some(value))
            };
            tool == self.tool && arguments.len() == self.arguments.len() && self.arguments.iter().all(equal)
        };
        let seen = self.seen.iter().find(|seen| seen.field == field && same(&seen.tool, &seen.arguments));
        if let Some(seen) = seen {
            return Some(Shown::new(&seen.value.to_wire()));
        }
        let read = self.evidence.iter().rev().find(|read| same(&read.tool, &read.arguments))?;
        let found = field.split('.').try_fold(read.found.value(), |value, part| value.get(part))?;
        Some(Shown::new(&found.to_string()))
    }
}

/// The fields that are read back, before and after; those that change.
fn changes(now: &Now<'_>, expect: &Arguments) -> Vec<Change> {
    let change = |(field, after): (&String, &Argument)| Change {
        field: Shown::new(field),
        before: now.field(field),
        after: value(after),
    };
    expect.iter().map(change).filter(|change| change.before.as_ref() != Some(&change.after)).collect()
}

/// The fields of a record that are known and that change.
fn known_changes(before: &[Seen], written: &Arguments) -> Vec<Change> {
    let change = |seen: &Seen| {
        let changes = |(name, argument): &(&String, &Argument)| {
            let changes = |value| would_change_json(name, value, &seen.field, &seen.value);
            argument.value().and_then(changes) == Some(true)
        };
        let (_, argument) = written.iter().find(changes)?;
        let (field, before) = (Shown::new(&seen.field), Some(Shown::new(&seen.value.to_wire())));
        Some(Change { field, before, after: value(argument) })
    };
    before.iter().filter_map(change).collect()
}

fn value(argument: &Argument) -> Shown {
    match argument {
        Argument::Value(value) => Shown::new(&value.to_wire()),
        Argument::Reference(reference) => {
            Shown::new(&format!("({} of step {})", reference.field, reference.step))
        }
    }
}

fn why(facts: &CardFacts<'_>) -> Why {
    let decision = facts.decision;
    let rule = decision.and_then(|decision| decision.rule());
    let own = decision.map(|decision| format!("{}: {}", rule.unwrap_or("no rule"), decision.explanation()));
    let mut also: Vec<Shown> = Vec::new();
    for reason in facts.ruling.operations().iter().flat_map(|ruling| &ruling.reasons) {
        let is_own = own.as_ref().is_some_and(|own| reason.starts_with(own.as_str()));
        let reason = Shown::new(reason);
        if !is_own && !also.contains(&reason) && also.len() < LINES_MAX {
            also.push(reason);
        }
    }
    let doubts = decision.map(|decision| decision.doubts()).unwrap_or_default();
    let version = |version: &Version| Shown::new(&format!("{} ({})", version.name, short(&version.digest)));
    Why {
        rule: rule.map(Shown::new),
        numbers: decision.map(|decision| Shown::new(decision.explanation())),
        because: decision.and_then(|decision| decision.because()).map(Shown::new),
        source: decision.and_then(|decision| decision.source()).map(Shown::new),
        facts: facts.bound.iter().take(LINES_MAX).map(|line| Shown::new(line)).collect(),
        doubts: doubts.iter().map(|doubt| Shown::new(&doubt.to_string())).collect(),
        also,
        otherwise: facts.otherwise.map(Shown::new),
        process: version(&facts.plan.draft().process),
        policies: facts.plan.draft().policies.iter().map(version).collect(),
    }
}

fn arithmetic(figures: &[(String, String)]) -> Arithmetic {
    let lines = figures
        .iter()
        .take(LINES_MAX)
        .map(|(name, value)| Named { name: Shown::new(name), value: Shown::new(&written_text(value)) });
    Arithmetic { lines: lines.collect(), more: figures.len().saturating_sub(LINES_MAX) }
}

fn evidence(reads: &[EvidenceLine]) -> Evidence {
    let lines = reads.iter().take(LINES_MAX).map(|read| {
        let arguments = read.arguments.iter().map(|(name, value)| format!("{name}={}", value.to_wire()));
        Source {
            tool: read.tool.clone(),
            arguments: Shown::new(&arguments.collect::<Vec<_>>().join(", ")),
            found: match (read.trust, read.found.value()) {
                (Provenance::NotRead, Value::String(why)) => Shown::new(why),
                (_, found) => Shown::new(&plain_fields(found)),
            },
            read_at: read.read_at,
            digest: short(&read.digest),
            trust: read.trust,
        }
    });
    Evidence { lines: lines.collect(), more: reads.len().saturating_sub(LINES_MAX) }
}

/// The plain fields of an answer, as `available = 47, reserved = 12`.
fn plain_fields(found: &Value) -> String {
    const FIELDS_MAX: usize = 8;
    let Some(fields) = found.as_object() else { return String::new() };
    let plain =
        fields.iter().filter(|(_, value)| !value.is_object() && !value.is_array() && !value.is_null());
    let shown = plain.take(FIELDS_MAX).map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name} = {text}"),
        None => format!("{name} = {value}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn history(facts: &CardFacts<'_>) -> History {
    let line = |case: &PastCase| {
        let word = |name: &str| case.body.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
        let most = amounts(case).into_iter().max_by_key(|amount| amount.minor().unsigned_abs());
        let parts = [
            Some(case.at.strftime("%Y-%m-%d").to_string()),
            Some(case.process.clone()),
            most.map(|amount| written(&amount)),
            word("outcome"),
            word("ending"),
            Some(case.text.clone()).filter(|text| !text.is_empty()),
        ];
        Shown::new(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
    };
    History {
        party: facts.party.map(Shown::new),
        lines: facts.history.iter().take(HISTORY_LINES_MAX).map(line).collect(),
        more: facts.history.len().saturating_sub(HISTORY_LINES_MAX),
    }
}

fn who(facts: &CardFacts<'_>) -> Who {
    let yes = |decision: &Decision| match &decision.answer {
        Answer::Approve { .. } if decision.plan == facts.plan.hash() => Some(Yes {
            person: decision.person.clone(),
            on_behalf_of: decision.on_behalf_of.clone(),
            channel: way(&decision.channel),
            at: decision.decided_at,
        }),
        Answer::Approve { .. } | Answer::Reject { .. } => None,
    };
    Who {
        requester: facts.requester.clone(),
        asks: facts.ruling.requirements().iter().map(ToString::to_string).collect(),
        given: facts.given.iter().filter_map(yes).collect(),
        excluded: facts.excluded.iter().map(|text| Shown::new(text)).collect(),
        enforced: match facts.exclusions {
            Exclusions::Enforced => true,
            Exclusions::Recorded => false,
        },
    }
}

fn way(channel: &Channel) -> String {
    match channel {
        Channel::Console => "console".to_owned(),
        Channel::Cli => "command line".to_owned(),
        Channel::FollowUp => "follow-up message".to_owned(),
        Channel::Tool(tool) => format!("tool {tool}"),
    }
}
