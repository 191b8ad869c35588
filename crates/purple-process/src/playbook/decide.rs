//! The decision table: the first rule that matches, and what doubt does to it.

use std::fmt;
use std::num::NonZeroU8;

use purple_policy::{Authority, Facts, Judged, Source, Unevaluable, Value, Verdict};

use super::{Case, GivenUp, known};
use crate::fact::{Binding, Computed};
use crate::file::{Ask, End, Rule};
use crate::id::Role;
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
    /// Whom it demands all the same; `None` where it would only allow, and so does not match.
    pub demands: Option<Demand>,
}

/// "AP-1 could not be checked: the invoice was not found".
impl fmt::Display for Doubt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} could not be checked: {}", self.rule, self.why)
    }
}

/// Somebody who must say yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Who.
    pub ask: Ask,
    /// How many different people.
    pub people: NonZeroU8,
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
    /// Whom the rule that decided asks.
    pub(crate) ask: Option<Ask>,
    /// How many different people must agree.
    pub(crate) people: NonZeroU8,
    /// Whom a later rule asks that holds, where the one that decided could not be checked.
    pub(crate) also: Option<Demand>,
    /// Why, in the words of the file.
    pub(crate) because: Option<String>,
    /// The policy that the rule comes from.
    pub(crate) source: Option<String>,
    /// The condition with the numbers put in.
    pub(crate) explanation: String,
    /// The rules before it, and itself, that could not be evaluated.
    pub(crate) doubts: Vec<Doubt>,
    /// What the declared names mean for the operation that is judged, and where each was read.
    pub(crate) facts: Vec<String>,
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

    /// Whom the rule that decided asks.
    pub fn ask(&self) -> Option<&Ask> {
        self.ask.as_ref()
    }

    /// Everybody who is asked: by the rule that decided, and by those that could not be checked. Each once.
    pub fn demands(&self) -> Vec<Demand> {
        let own = self.ask.clone().filter(|ask| *ask != Ask::Nobody);
        let own = own.map(|ask| Demand { ask, people: self.people });
        let mut all: Vec<Demand> = Vec::new();
        let doubts = self.doubts.iter().filter_map(|doubt| doubt.demands.clone());
        for demand in own.into_iter().chain(doubts).chain(self.also.clone()) {
            match all.iter_mut().find(|known| known.ask == demand.ask) {
                Some(known) => known.people = known.people.max(demand.people),
                None => all.push(demand),
            }
        }
        all
    }

    /// Whether a rule that restricts could not be checked.
    pub fn is_in_doubt(&self) -> bool {
        self.doubts.iter().any(|doubt| doubt.demands.is_some())
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
        let verdict = self.verdict?;
        let requirement = |demand: Demand| {
            let requirement = match demand.ask {
                Ask::Nobody => return None,
                Ask::Requester => Requirement::confirmation(owner.clone()),
                Ask::Role(role) => Requirement::role(role),
            };
            Some(requirement.or(next).by(demand.people))
        };
        let asks: Vec<Requirement> = match verdict {
            Verdict::RequireApproval => self.demands().into_iter().filter_map(requirement).collect(),
            Verdict::Allow | Verdict::Escalate | Verdict::Block => Vec::new(),
        };
        let unnamed = asks.is_empty() && verdict == Verdict::RequireApproval;
        let because = self.told();
        let authority = Authority::Process;
        let facts = self.facts.iter().map(|fact| format!("where {fact}"));
        let rules = std::iter::once(because.clone()).chain(facts).collect();
        Some(Ruling { authority, rules, verdict, asks, unnamed, because })
    }

    /// The rule that decided, with its reason, and each rule that could not be checked.
    fn told(&self) -> String {
        let because = self.because.as_deref().map(|because| format!(" ({because})")).unwrap_or_default();
        let decided = self.rule.as_deref().map(|id| format!("{id}: {}{because}", self.explanation));
        let nobody =
            (decided.is_none() && self.doubts.is_empty()).then(|| "no rule: no rule matched".to_owned());
        let already = |doubt: &&Doubt| self.rule.as_ref() != Some(&doubt.rule);
        let doubts = self.doubts.iter().filter(already).map(Doubt::to_string);
        decided.into_iter().chain(nobody).chain(doubts).collect::<Vec<_>>().join("; ")
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

/// The rules that were passed on the way to the one that decides, because they could not be checked.
#[derive(Default)]
struct Passed<'t> {
    doubts: Vec<Doubt>,
    /// Where each of them would have led.
    ends: Vec<Option<&'t End>>,
    /// The first of them that asks about an outcome, with nothing before it that would forbid or hand over.
    chosen: Option<&'t Rule>,
    forbids: bool,
}

impl<'t> Passed<'t> {
    fn unchecked(&mut self, rule: &'t Rule, doubt: Doubt) {
        let asks = doubt.demands.is_some();
        match &rule.end {
            Some(End::Outcome(_)) if asks && !self.forbids => {
                self.chosen.get_or_insert(rule);
            }
            Some(End::Stop | End::Escalate) => self.forbids = true,
            Some(End::Outcome(_) | End::Nothing) | None => {}
        }
        self.ends.push(rule.end.as_ref());
        self.doubts.push(doubt);
    }

    /// The doubts beside a decision. A rule that would have allowed something else than what is decided is no longer
    /// without consequence: the owner says which of the two it is.
    fn doubts_beside(self, end: Option<&End>, owner: &Role, people: NonZeroU8) -> Vec<Doubt> {
        let Self { doubts, ends, .. } = self;
        let owner = || Demand { ask: Ask::Role(owner.clone()), people };
        let beside = |(doubt, would): (Doubt, Option<&End>)| match doubt.demands {
            None if would != end => Doubt { demands: Some(owner()), ..doubt },
            None | Some(_) => doubt,
        };
        doubts.into_iter().zip(ends).map(beside).collect()
    }
}

impl Case<'_> {
    /// What the file decides.
    pub fn decide(&self) -> Decision {
        self.own_decision().clone()
    }

    fn own_decision(&self) -> &Decision {
        self.found.decided.get_or_init(|| self.first_match(&self.facts_for(None, Computed::Ignored)))
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
        decisions.pop().unwrap_or_else(|| self.by_nobody(Passed::default()))
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
        let decision = self.by_names(operation);
        let told: Vec<String> = self.bindings(Some(operation)).iter().filter_map(Binding::told).collect();
        let decision = match decision.is_in_doubt() && self.found.known.has_computed() {
            true => {
                let facts = self.facts_for(Some(operation), Computed::Counts);
                stricter_of(decision, self.first_match(&facts))
            }
            false => decision,
        };
        let told = told.into_iter().chain(self.computed_told()).collect();
        let decision = Decision { facts: told, ..decision };
        // Only tool and arguments are compared.
        let own = self.operations(&decision, &Order::missing()).unwrap_or_default();
        self.held_against(&own, operation, decision)
    }

    /// What the rules say to an operation. What it says of itself is not softened by a record that says otherwise before
    /// it runs: where the two leave a rule in doubt that forbids or hands over by the operation alone, that decides.
    fn by_names(&self, operation: &Operation) -> Decision {
        let decision = self.first_match(&self.facts_for(Some(operation), Computed::Ignored));
        if !decision.is_in_doubt() || !self.task.records.is_empty() {
            return decision;
        }
        let is_given = |name: &String| operation.arguments.contains_key(name);
        let others = self.task.rules.iter().flat_map(Rule::names).filter(|name| !is_given(name)).collect();
        let own = self.first_match(&self.facts_with(Some(operation), Computed::Ignored, others));
        let is_stricter = own.verdict >= Some(Verdict::Escalate) && own.verdict > decision.verdict;
        if is_stricter { own } else { decision }
    }

    /// What shipped functions computed under declared names, for people.
    fn computed_told(&self) -> Vec<String> {
        let told = self.task.records.iter().filter_map(|field| {
            let (value, function) = self.found.known.computed_as(field)?;
            Some(format!("{} = {value} (computed by `{function}`)", field.path()))
        });
        told.collect()
    }

    /// What rules see: what the case has found, the operation's arguments, and what the declared records mean for it.
    fn facts_for(&self, operation: Option<&Operation>, computed: Computed) -> Facts {
        let names = self.task.rules.iter().flat_map(Rule::names).collect();
        self.facts_with(operation, computed, names)
    }

    /// The same, where a file that declares no records looks for these names in what was read.
    fn facts_with(&self, operation: Option<&Operation>, computed: Computed, names: Vec<String>) -> Facts {
        let own = operation.map(|operation| self.task.in_business(operation));
        let operation = own.as_deref();
        let mut facts = self.facts().clone();
        for (name, argument) in operation.into_iter().flat_map(|operation| &operation.arguments) {
            // What cannot be a value is null, and null makes a rule doubtful.
            let value = argument.value().and_then(known);
            facts.set(Source::Argument, name.as_str(), value.unwrap_or(Value::Null));
        }
        let subject = self.subject(operation);
        self.found.known.tell(&mut facts, &self.task.records, &self.task.actions, &subject, computed);
        // A file that declares no records names what it looks at as policy documents do.
        if self.task.records.is_empty() && self.task.outcomes.is_empty() {
            let compared: Vec<_> = self.task.rules.iter().flat_map(Rule::compared).collect();
            self.found.known.tell_names(&mut facts, &names, &compared, operation);
        }
        facts
    }

    fn held_against(&self, own: &[Operation], operation: &Operation, decision: Decision) -> Decision {
        let same = |own: &Operation| own.tool == operation.tool && own.arguments == operation.arguments;
        match decision.end {
            Some(End::Outcome(_)) if own.iter().any(same) => decision,
            Some(End::Outcome(_)) => self.asked(decision, "this is not what the file would do"),
            // No rule chose anything, and one could not be checked: people look at what was proposed.
            Some(End::Escalate) if decision.rule.is_none() && decision.is_in_doubt() => {
                Decision { verdict: Some(Verdict::RequireApproval), end: None, ..decision }
            }
            // The file found that there is nothing to do; something is done against it.
            Some(End::Nothing) => Decision { verdict: Some(Verdict::Block), ..decision },
            Some(End::Stop | End::Escalate) | None => decision,
        }
    }

    fn first_match(&self, facts: &Facts) -> Decision {
        let mut passed = Passed::default();
        for rule in &self.task.rules {
            let judged = rule.condition.as_ref().map_or(Judged::Fires, |condition| condition.judge(facts));
            match judged {
                Judged::Silent => {}
                Judged::Fires => return self.by_rule(rule, facts, passed),
                Judged::Unevaluable(why) => {
                    let why = self.root_cause(why);
                    passed
                        .unchecked(rule, Doubt { rule: rule.id.clone(), why, demands: self.demanded(rule) });
                }
            }
        }
        self.by_nobody(passed)
    }

    /// Whom a rule demands that could not be checked: whom it would ask, or the owner where it would forbid or hand over.
    fn demanded(&self, rule: &Rule) -> Option<Demand> {
        let people = rule.people.unwrap_or(self.task.approval.people);
        let ask = match verdict_of(rule)? {
            Verdict::Allow => return None,
            Verdict::RequireApproval => rule.ask.clone()?,
            Verdict::Escalate | Verdict::Block => Ask::Role(self.task.owner.clone()),
        };
        Some(Demand { ask, people })
    }

    /// The first rule that fires decides; what could not be checked before it can only make it stricter.
    fn by_rule(&self, rule: &Rule, facts: &Facts, passed: Passed<'_>) -> Decision {
        let explanation = match &rule.condition {
            None => "always".to_owned(),
            Some(condition) => condition.expression().explain_with(facts, &self.written()),
        };
        let decision = Decision {
            rule: Some(rule.id.clone()),
            end: rule.end.clone(),
            verdict: verdict_of(rule),
            ask: rule.ask.clone(),
            people: rule.people.unwrap_or(self.task.approval.people),
            also: None,
            because: rule.because.as_ref().and_then(|because| because.filled(facts)),
            source: rule.source.clone(),
            explanation,
            doubts: Vec::new(),
            facts: Vec::new(),
        };
        match &passed.chosen {
            // It might have been the earlier one, which does something else.
            Some(earlier) if matches!(rule.end, Some(End::Outcome(_))) && earlier.end != rule.end => {
                Decision { also: self.demanded(rule), ..self.unchecked(earlier, passed.doubts) }
            }
            Some(_) | None => self.in_doubt(decision, passed),
        }
    }

    /// The thresholds by their names, as they are written.
    fn written(&self) -> Vec<(&str, &str)> {
        let named = self.task.parameters.iter();
        named.map(|parameter| (parameter.name.as_str(), parameter.written.as_str())).collect()
    }

    /// A decision beside rules that could not be checked before it.
    fn in_doubt(&self, decision: Decision, passed: Passed<'_>) -> Decision {
        let doubts = passed.doubts_beside(decision.end.as_ref(), &self.task.owner, self.task.approval.people);
        let decision = Decision { doubts, ..decision };
        match decision.verdict {
            _ if !decision.is_in_doubt() => decision,
            Some(Verdict::RequireApproval | Verdict::Escalate | Verdict::Block) => decision,
            // "Nothing to do" cannot be asked about: a person takes over.
            Some(Verdict::Allow) | None if decision.end == Some(End::Nothing) => {
                Decision { verdict: Some(Verdict::Escalate), end: Some(End::Escalate), ask: None, ..decision }
            }
            Some(Verdict::Allow) | None => {
                Decision { verdict: Some(Verdict::RequireApproval), ask: None, ..decision }
            }
        }
    }

    /// What is put to people because this rule could not be checked. Its reason is not among it.
    fn unchecked(&self, rule: &Rule, doubts: Vec<Doubt>) -> Decision {
        let own = doubts.iter().find(|doubt| doubt.rule == rule.id);
        let why = own.map(|doubt| doubt.why.clone()).unwrap_or_default();
        Decision {
            rule: Some(rule.id.clone()),
            end: rule.end.clone(),
            verdict: Some(Verdict::RequireApproval),
            ask: rule.ask.clone(),
            people: rule.people.unwrap_or(self.task.approval.people),
            also: None,
            because: None,
            source: None,
            explanation: format!("could not be checked: {why}"),
            doubts,
            facts: Vec::new(),
        }
    }

    /// No rule matched: a playbook escalates; where rules only judge operations, the mode decides, unless one of them
    /// could not be checked.
    fn by_nobody(&self, passed: Passed<'_>) -> Decision {
        if let Some(rule) = passed.chosen {
            return self.unchecked(rule, passed.doubts);
        }
        let judges_only = self.task.outcomes.is_empty();
        let restricted = passed.doubts.iter().any(|doubt| doubt.demands.is_some());
        let verdict = match (judges_only, restricted) {
            (true, false) => None,
            (true, true) => Some(Verdict::RequireApproval),
            (false, _) => Some(Verdict::Escalate),
        };
        Decision {
            rule: None,
            end: (!judges_only).then_some(End::Escalate),
            verdict,
            ask: None,
            people: self.task.approval.people,
            also: None,
            because: None,
            source: None,
            explanation: "no rule matched".to_owned(),
            doubts: passed.doubts,
            facts: Vec::new(),
        }
    }

    /// The same decision, but the owner is asked.
    fn asked(&self, decision: Decision, why: &str) -> Decision {
        match decision.verdict {
            Some(Verdict::RequireApproval | Verdict::Escalate | Verdict::Block) => decision,
            Some(Verdict::Allow) | None => Decision {
                verdict: Some(Verdict::RequireApproval),
                ask: Some(Ask::Role(self.task.owner.clone())),
                explanation: format!("{}; {why}", decision.explanation),
                ..decision
            },
        }
    }

    /// Names the reason behind a name that is only missing because its own read or computation has no value.
    fn root_cause(&self, why: Unevaluable) -> String {
        let mut text = why.to_string();
        let mut missing = missing_name(&why);
        // Each step goes to a slot before the last one, so this ends; the bound only says so.
        for _ in 0..self.task.slots.len() {
            let Some(name) = missing.take() else { break };
            if let Some(reason) = self.found.given_up.get(name.as_str()) {
                text = match reason {
                    GivenUp::Absent(reason) => {
                        format!("the {} was not found: {reason}", name.replace('_', " "))
                    }
                    GivenUp::Unread(reason) => format!("{text}: {reason}"),
                };
            } else if let Some(deeper) = self.found.doubts.get(name.as_str()) {
                text = format!("{text}: {deeper}");
                missing = missing_name(deeper);
            }
        }
        text
    }
}

/// A decision in doubt, and the same where what functions computed counts: the rule that decides then, if it is not
/// milder, beside everybody whom the doubt demands.
fn stricter_of(in_doubt: Decision, computed: Decision) -> Decision {
    if computed.rule.is_none() || computed.verdict < in_doubt.verdict || computed.rule == in_doubt.rule {
        return in_doubt;
    }
    let own = in_doubt.ask.clone().filter(|ask| *ask != Ask::Nobody);
    let also = own.map(|ask| Demand { ask, people: in_doubt.people });
    let mut doubts = computed.doubts.clone();
    let is_new = |doubt: &Doubt| {
        computed.rule.as_ref() != Some(&doubt.rule) && !doubts.iter().any(|one| one.rule == doubt.rule)
    };
    let further: Vec<Doubt> = in_doubt.doubts.into_iter().filter(is_new).collect();
    doubts.extend(further);
    Decision { also: computed.also.clone().or(also), doubts, ..computed }
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
