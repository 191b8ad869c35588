//! The decision table: the first rule that matches, and what doubt does to it.

use std::num::NonZeroU8;

use purple_policy::{Authority, Facts, Judged, Source, Unevaluable, Value, Verdict};

use super::Case;
use crate::file::{Ask, End, Rule};
use crate::id::Role;
use crate::json::Json;
use crate::judge::Ruling;
use crate::operation::Operation;
use crate::order::Order;
use crate::people::Requirement;

/// A rule that could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Its id.
    pub rule: String,
    /// Why it has no value.
    pub why: String,
}

/// What the rules of a file say about a case, or about one operation of it. Only a [`Case`] decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The rule that decided; `None` when none matched.
    pub(crate) rule: Option<String>,
    /// Where it leads; `None` when the rule only judges, or when no rule of such a file matched.
    pub(crate) end: Option<End>,
    /// What it says about the operations; `None` leaves them to the mode.
    pub(crate) verdict: Option<Verdict>,
    /// Who is asked, doubt included.
    pub(crate) ask: Option<Ask>,
    /// How many different people must agree.
    pub(crate) people: NonZeroU8,
    /// Why, in the words of the file.
    pub(crate) because: Option<String>,
    /// The policy that the rule comes from.
    pub(crate) source: Option<String>,
    /// The condition with the numbers put in.
    pub(crate) explanation: String,
    /// The rules before it, and itself, that could not be evaluated.
    pub(crate) doubts: Vec<Doubt>,
}

impl Decision {
    /// The rule that decided; `None` when none matched.
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// Where it leads; `None` when the rule only judges, or when no rule of such a file matched.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// What it says about the operations; `None` leaves them to the mode.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// Who is asked, doubt included.
    pub fn ask(&self) -> Option<&Ask> {
        self.ask.as_ref()
    }

    /// How many different people must agree.
    pub fn people(&self) -> NonZeroU8 {
        self.people
    }

    /// Why, in the words of the file.
    pub fn because(&self) -> Option<&str> {
        self.because.as_deref()
    }

    /// The policy that the rule comes from.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The condition with the numbers put in.
    pub fn explanation(&self) -> &str {
        &self.explanation
    }

    /// The rules before it, and itself, that could not be evaluated.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// The same as what one source of rules says about an operation; `None` takes no part.
    ///
    /// `owner` may confirm in place of the requester. `next` is asked too, once nobody answered in time.
    pub fn ruling(&self, owner: &Role, next: Option<&Role>) -> Option<Ruling> {
        let requirement = match &self.ask {
            None | Some(Ask::Nobody) => None,
            Some(Ask::Requester) => Some(Requirement::confirmation(owner.clone())),
            Some(Ask::Role(role)) => Some(Requirement::role(role.clone())),
        };
        let requirement = requirement.map(|requirement| requirement.or(next));
        let id = self.rule.as_deref().unwrap_or("no rule");
        let because = self.because.as_deref().map(|because| format!(" ({because})")).unwrap_or_default();
        let unnamed = requirement.is_none() && self.verdict == Some(Verdict::RequireApproval);
        let because = format!("{id}: {}{because}", self.explanation);
        Some(Ruling {
            authority: Authority::Process,
            rules: vec![because.clone()],
            verdict: self.verdict?,
            asks: requirement.map(|requirement| requirement.by(self.people)).into_iter().collect(),
            unnamed,
            because,
        })
    }
}

/// What a rule does when it decides: a verdict, or `None` where the mode decides.
fn verdict_of(rule: &Rule) -> Option<Verdict> {
    match (&rule.end, &rule.ask) {
        (Some(End::Stop), _) => Some(Verdict::Block),
        (Some(End::Escalate), _) => Some(Verdict::Escalate),
        (Some(End::Nothing), _) | (Some(End::Outcome(_)) | None, Some(Ask::Nobody)) => Some(Verdict::Allow),
        (Some(End::Outcome(_)) | None, Some(Ask::Requester | Ask::Role(_))) => Some(Verdict::RequireApproval),
        (Some(End::Outcome(_)) | None, None) => None,
    }
}

/// Whether the rule might let something happen without a human. In doubt such a rule does not fire.
fn is_lenient(rule: &Rule) -> bool {
    verdict_of(rule).is_none_or(|verdict| verdict == Verdict::Allow)
}

impl Case<'_> {
    /// What the file decides.
    pub fn decide(&self) -> Decision {
        self.own_decision().clone()
    }

    fn own_decision(&self) -> &Decision {
        self.found.decided.get_or_init(|| self.first_match(self.facts()))
    }

    /// What the file would do.
    fn own_operations(&self) -> &[Operation] {
        // Only tool and arguments are compared.
        self.found
            .own
            .get_or_init(|| self.operations(self.own_decision(), &Order::missing()).unwrap_or_default())
    }

    /// What the file says about an operation that a model proposes.
    ///
    /// A rule that leads to an outcome covers only the operations of that outcome; any other is asked of the owner. In a
    /// file with gaps the rules see the operation's arguments.
    pub fn judge(&self, operation: &Operation) -> Decision {
        let mut decisions = self.judge_all(std::slice::from_ref(operation));
        // One operation, one decision.
        decisions.pop().unwrap_or_else(|| self.by_nobody(Vec::new()))
    }

    /// What the file says about each of these operations, in their order.
    pub fn judge_all(&self, operations: &[Operation]) -> Vec<Decision> {
        if !self.task.is_complete() {
            return operations.iter().map(|operation| self.judge_alone(operation)).collect();
        }
        let judged =
            operations.iter().map(|one| self.held_against(self.own_operations(), one, self.decide()));
        judged.collect()
    }

    /// In a file with gaps every operation is judged by its own arguments.
    fn judge_alone(&self, operation: &Operation) -> Decision {
        let mut facts = self.facts().clone();
        for (name, argument) in &operation.arguments {
            let value = argument.value().and_then(known);
            facts.set(Source::Argument, name.as_str(), value.unwrap_or(Value::Null));
        }
        let decision = self.first_match(&facts);
        // Only tool and arguments are compared.
        let own = self.operations(&decision, &Order::missing()).unwrap_or_default();
        self.held_against(&own, operation, decision)
    }

    fn held_against(&self, own: &[Operation], operation: &Operation, decision: Decision) -> Decision {
        let same = |own: &Operation| own.tool == operation.tool && own.arguments == operation.arguments;
        match decision.end {
            Some(End::Outcome(_)) if own.iter().any(same) => decision,
            Some(End::Outcome(_)) => self.asked(decision, "this is not what the file would do"),
            // The file found that there is nothing to do; something is done against it.
            Some(End::Nothing) => Decision { verdict: Some(Verdict::Block), ..decision },
            Some(End::Stop | End::Escalate) | None => decision,
        }
    }

    fn first_match(&self, facts: &Facts) -> Decision {
        let mut doubts = Vec::new();
        for rule in &self.task.rules {
            let judged = rule.condition.as_ref().map_or(Judged::Fires, |condition| condition.judge(facts));
            match judged {
                Judged::Silent => {}
                Judged::Fires => {
                    let decision = self.by_rule(rule, facts, doubts);
                    let in_doubt = !decision.doubts.is_empty() && is_lenient(rule);
                    return if in_doubt {
                        self.asked(decision, "an earlier rule could not be evaluated")
                    } else {
                        decision
                    };
                }
                Judged::Unevaluable(why) => {
                    doubts.push(Doubt { rule: rule.id.clone(), why: self.root_cause(why) });
                    if !is_lenient(rule) {
                        return self.by_rule(rule, facts, doubts);
                    }
                }
            }
        }
        self.by_nobody(doubts)
    }

    fn by_rule(&self, rule: &Rule, facts: &Facts, doubts: Vec<Doubt>) -> Decision {
        Decision {
            rule: Some(rule.id.clone()),
            end: rule.end.clone(),
            verdict: verdict_of(rule),
            ask: rule.ask.clone(),
            people: rule.people.unwrap_or(self.task.approval.people),
            because: rule.because.clone(),
            source: rule.source.clone(),
            explanation: rule
                .condition
                .as_ref()
                .map_or_else(|| "always".to_owned(), |condition| condition.expression().explain(facts)),
            doubts,
        }
    }

    /// No rule matched: a playbook escalates; where rules only judge operations, the mode decides.
    fn by_nobody(&self, doubts: Vec<Doubt>) -> Decision {
        let judges_only = self.task.outcomes.is_empty();
        // Doubt about a lenient rule must not become a run without a human.
        let verdict = match (judges_only, doubts.is_empty()) {
            (true, true) => None,
            (true, false) => Some(Verdict::RequireApproval),
            (false, _) => Some(Verdict::Escalate),
        };
        Decision {
            rule: None,
            end: (!judges_only).then_some(End::Escalate),
            verdict,
            ask: (verdict == Some(Verdict::RequireApproval)).then(|| Ask::Role(self.task.owner.clone())),
            people: self.task.approval.people,
            because: None,
            source: None,
            explanation: "no rule matched".to_owned(),
            doubts,
        }
    }

    /// The same decision, but the owner is asked.
    fn asked(&self, decision: Decision, why: &str) -> Decision {
        match decision.verdict {
            Some(Verdict::RequireApproval | Verdict::Escalate | Verdict::Block) => decision,
            Some(Verdict::Allow) | None => Decision {
                // "Nothing to do" cannot be asked about: a person takes over.
                verdict: Some(match decision.end {
                    Some(End::Nothing) => Verdict::Escalate,
                    Some(End::Outcome(_) | End::Stop | End::Escalate) | None => Verdict::RequireApproval,
                }),
                end: match decision.end {
                    Some(End::Nothing) => Some(End::Escalate),
                    other => other,
                },
                ask: Some(Ask::Role(self.task.owner.clone())),
                explanation: format!("{}; {why}", decision.explanation),
                ..decision
            },
        }
    }

    /// Names the reason behind a computed name that is only missing because its own computation failed.
    fn root_cause(&self, why: Unevaluable) -> String {
        let mut text = why.to_string();
        let mut missing = missing_name(&why);
        // Each step goes to a slot before the last one, so this ends; the bound only says so.
        for _ in 0..self.task.slots.len() {
            let Some(name) = missing.take() else { break };
            if let Some(reason) = self.found.given_up.get(name.as_str()) {
                text = format!("{text}: {reason}");
            } else if let Some(deeper) = self.found.doubts.get(name.as_str()) {
                text = format!("{text}: {deeper}");
                missing = missing_name(deeper);
            }
        }
        text
    }
}

fn missing_name(why: &Unevaluable) -> Option<String> {
    match why {
        Unevaluable::Missing { name } | Unevaluable::Unread { name, .. } => {
            Some(name.split('.').next().unwrap_or(name).to_owned())
        }
        Unevaluable::Uncomputed { why, .. } => missing_name(why),
        _ => None,
    }
}

/// An argument as a value of the language. What cannot be one is null, and null makes a rule doubtful.
fn known(json: &Json) -> Option<Value> {
    let json = serde_json::from_str(&json.to_wire()).ok()?;
    Value::from_json(&json).ok()
}
