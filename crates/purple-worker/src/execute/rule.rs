//! Puts every operation of a plan to every source of rules, and makes one ruling of it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use purple_policy::{Authority, Facts, Judgement, Source, Subject, Value as Known, Verdict};
use purple_process::file::{Approval, ProcessFile};
use purple_process::playbook::{Case, Decision};
use purple_process::{
    Approvals, Effect, Operation, Order, OwnRequests, Pin, Plan, PlanDraft, PlanRuling, Repeat, Role, Round,
    Ruling, SessionId, StepId, ToolName, Unjudged, Voice, asks_somebody, judge,
};
use serde_json::Value;

use crate::dossier::Opened;
use crate::drive::{GENERAL, asked_anyway, doubted, not_pointed};
use crate::execute::catalogue::{Catalogue, Known as CatalogueTool};
use crate::execute::finish::policy_result;
use crate::settings::{Policy, Settings};
use crate::synthesis::unsigned;
use crate::view::PolicyResult;

/// Whether a round has come to POLICY_CHECK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    Yes,
    No,
}

/// What a plan is judged with, beside the plan.
pub(crate) struct Bench<'a> {
    pub opened: &'a Opened,
    pub case: &'a Case<'a>,
    pub settings: &'a Settings,
    pub mode: purple_process::Mode,
    /// Who is asked too, because nobody answered in time.
    pub next: Option<&'a Role>,
    /// Tools whose call was verified in this round.
    pub satisfied: &'a [String],
    pub approval_tools: &'a [String],
}

/// A plan for these operations, pinned to the tools as this session knows them.
pub(crate) fn draft(
    at: (SessionId, Round),
    bench: &Bench<'_>,
    catalogue: &Catalogue,
    good_until: Timestamp,
    mut operations: Vec<Operation>,
) -> PlanDraft {
    for operation in &mut operations {
        let keyed = catalogue.get(&operation.tool).is_some_and(|known| known.key.is_some());
        operation.repeat = if keyed { Repeat::ByKey } else { Repeat::Never };
    }
    let pins = pins(catalogue, &operations);
    PlanDraft {
        session: at.0,
        round: at.1,
        process: bench.opened.process(),
        policies: bench.opened.versions(),
        pins,
        good_until,
        operations,
    }
}

fn pins(catalogue: &Catalogue, operations: &[Operation]) -> BTreeMap<ToolName, Pin> {
    let mut pins = BTreeMap::new();
    let mut pin = |name: &ToolName| {
        if let Some(known) = catalogue.get(name) {
            pins.insert(name.clone(), known.tool.pin());
        }
    };
    for operation in operations {
        pin(&operation.tool);
        if let Some((tool, ..)) = operation.check.read() {
            pin(tool);
        }
        if let Some(undo) = &operation.undo {
            pin(&undo.tool);
        }
        operation.before.iter().for_each(|seen| pin(&seen.tool));
    }
    pins
}

impl Bench<'_> {
    /// The ruling on a plan, made anew from what is on record.
    pub(crate) fn rule(&self, plan: &Plan) -> Result<PlanRuling, Unjudged> {
        let mut rulings: BTreeMap<StepId, Vec<Ruling>> = BTreeMap::new();
        let mut earlier: Vec<String> = self.satisfied.to_vec();
        let decisions = self.case.judge_all(plan.operations());
        let driven = self.opened.dossier.driven.as_ref();
        let behind = driven.map(|_| {
            let own = self.case.operations(&self.case.decide(), &Order::missing()).unwrap_or_default();
            (self.opened.sources(self.case), own)
        });
        let mut also = self.opened.also_says(plan.operations()).into_iter();
        for (operation, decision) in plan.operations().iter().zip(decisions) {
            let mut said: Vec<Ruling> = decision.ruling(self.owner(), self.next).into_iter().collect();
            // What the file itself would do is made by code from what it reads; all else is a model's word.
            let is_own = |one: &Operation| one.tool == operation.tool && one.arguments == operation.arguments;
            if let Some((sources, own)) = &behind
                && !own.iter().any(is_own)
            {
                said.extend(asked_anyway(operation, sources));
            }
            said.extend(driven.and_then(|driven| doubted(operation, driven)));
            said.extend(also.next().into_iter().flatten());
            if driven.is_some_and(|driven| !driven.pointed) && decision.verdict() == Some(Verdict::Allow) {
                said.push(not_pointed());
            }
            if self.opened.dossier.chosen.unsigned {
                said.push(unsigned(self.opened.file.name()));
            }
            let judgements = self.judgements(Some(operation), &earlier);
            said.extend(
                judgements.iter().filter_map(|judgement| Ruling::of(judgement, &self.settings.levels)),
            );
            // Whatever the rules say to the new values, a person looks at what a person changed.
            if said.iter().all(|ruling| ruling.verdict() == Verdict::Allow) {
                said.extend(self.edited());
            }
            rulings.insert(operation.step.clone(), said);
            earlier.push(operation.tool.to_string());
        }
        judge(plan, &rulings, &self.approvals())
    }

    /// The demand that comes with an edit: somebody reads the new card.
    fn edited(&self) -> Option<Ruling> {
        let edits = &self.opened.dossier.edits;
        let fields: Vec<String> = edits.iter().map(|(name, edit)| format!("{name} by {}", edit.by)).collect();
        let because = format!("edited: {}", fields.join(", "));
        (!fields.is_empty()).then(|| Ruling::asking(Authority::Process, Vec::new(), because))
    }

    /// What the policy documents say about the task itself, whatever is proposed.
    pub(crate) fn task_verdict(&self) -> Option<Verdict> {
        let judged = self.judgements(None, &[]);
        judged.iter().filter_map(Judgement::verdict).filter(|verdict| *verdict >= Verdict::Escalate).max()
    }

    /// What each source of rules says about the task itself, for people.
    pub(crate) fn task_sources(&self, decision: &Decision) -> Vec<Voice> {
        let judged = self.judgements(None, &[]);
        let documents = judged.iter().filter_map(|judgement| Ruling::of(judgement, &self.settings.levels));
        let file = decision.ruling(self.owner(), self.next);
        file.into_iter().chain(documents).map(|ruling| ruling.voice()).collect()
    }

    /// The result as ground truth for the answer.
    pub(crate) fn result(&self, plan: Option<(&Plan, &PlanRuling)>, reached: Reached) -> PolicyResult {
        let operations = plan.map_or(&[][..], |(plan, _)| plan.operations());
        let decision = match (&self.opened.dossier.driven, self.case.task().is_complete()) {
            _ if reached == Reached::No => None,
            // Rules that judge what a model proposes say nothing where it proposes nothing.
            (Some(_), false) => {
                let judged = self.case.judge_all(operations);
                judged.into_iter().max_by_key(purple_process::playbook::Decision::verdict)
            }
            (Some(_) | None, _) => Some(self.case.decide()),
        };
        let mut judgements = self.judgements(None, self.satisfied);
        judgements.extend(operations.iter().flat_map(|one| self.judgements(Some(one), self.satisfied)));
        let of_file = decision.as_ref().and_then(purple_process::playbook::Decision::verdict);
        let said = judgements.iter().map(Judgement::verdict).chain([of_file]).flatten().max();
        let verdict = plan.map(|(_, ruling)| ruling.verdict()).max(said).unwrap_or(Verdict::Allow);
        policy_result(verdict, decision.as_ref(), &judgements)
    }

    fn judgements(&self, operation: Option<&Operation>, earlier: &[String]) -> Vec<Judgement> {
        if self.opened.policies.is_empty() {
            return Vec::new();
        }
        let mut facts: Facts = self.case.facts().clone();
        let mut wire = serde_json::Map::new();
        for (name, argument) in operation.map(|operation| &operation.arguments).into_iter().flatten() {
            let value = argument.value().map_or(Value::Null, to_serde);
            facts.set(Source::Argument, name.as_str(), Known::from_json(&value).unwrap_or(Known::Null));
            wire.insert(name.clone(), value);
        }
        let arguments = Value::Object(wire).to_string();
        let satisfied: Vec<&str> = earlier.iter().map(String::as_str).collect();
        // One that nobody offers cannot be called first, and a person can still be asked.
        let needed = self.opened.policies.iter().flat_map(|policy| policy.document.needed_tools());
        let approval_tools: Vec<&str> = self
            .approval_tools
            .iter()
            .map(String::as_str)
            .chain(needed.filter(|tool| asks_somebody(tool)))
            .collect();
        let subject = Subject {
            task: &self.opened.dossier.text,
            tool: operation.map(|operation| operation.tool.as_str()),
            arguments: &arguments,
            satisfied: &satisfied,
            approval_tools: &approval_tools,
        };
        let judged = |policy: &std::sync::Arc<Policy>| {
            let mut facts = facts.clone();
            let document = &policy.document;
            let (mut given, names) = (facts.clone(), document.names());
            self.case.known().tell_names(&mut facts, &names, document.compared(), operation);
            let judged = document.bind(&facts).judge(&subject);
            let is_given = |name: &String| operation.is_some_and(|one| one.arguments.contains_key(name));
            if judged.unchecked_rules().next().is_none() || !names.iter().any(is_given) {
                return judged;
            }
            // What the operation itself says is not softened by a record that says otherwise before it runs.
            let others: Vec<String> = names.into_iter().filter(|name| !is_given(name)).collect();
            self.case.known().tell_names(&mut given, &others, document.compared(), operation);
            let own = document.bind(&given).judge(&subject);
            let is_stricter = own.verdict() >= Some(Verdict::Escalate) && own.verdict() > judged.verdict();
            if is_stricter { own } else { judged }
        };
        self.opened.policies.iter().map(judged).collect()
    }

    /// Who is asked where no rule names anybody. A file that nobody signed cannot say who that is.
    fn owner(&self) -> &Role {
        self.general().map_or(self.opened.file.owner(), |general| general.owner())
    }

    /// The file for tasks of no kind, where the one of this task is signed by nobody: whom that one would ask is asked too.
    fn general(&self) -> Option<&ProcessFile> {
        let general = self.settings.process(GENERAL).filter(|_| self.opened.dossier.chosen.unsigned)?;
        Some(&general.file)
    }

    fn approvals(&self) -> Approvals {
        let general = self.general().into_iter().flat_map(|file| file.tasks()).map(|task| task.approval());
        let own = self.opened.task().ok().map(|task| task.approval());
        let all: Vec<&Approval> = own.into_iter().chain(general).collect();
        // Whoever asked for something does not say yes to it by a file that may be their own.
        let never = self.opened.dossier.chosen.unsigned || all.iter().any(|one| one.never_requester);
        Approvals {
            mode: self.mode,
            attendance: self.settings.attendance,
            own_requests: if never { OwnRequests::Never } else { self.settings.own_requests },
            excluded: all.iter().flat_map(|one| &one.never).cloned().collect(),
            fallback: self.owner().clone(),
        }
    }
}

/// A value of a plan as JSON.
pub(crate) fn to_serde(value: &purple_process::Json) -> Value {
    serde_json::from_str(&value.to_wire()).unwrap_or(Value::Null)
}

/// The tools that ask somebody something: those that were declared, and those whose name says so.
///
/// It grants nothing: a rule that wants one of them first asks a person instead of blocking.
pub(crate) fn approval_tools(catalogue: &Catalogue) -> Vec<String> {
    let asks = |known: &&CatalogueTool| {
        known.tool.effect() == Effect::Approval || asks_somebody(known.definition.own_name())
    };
    catalogue.iter().filter(asks).map(|known| known.tool.name().to_string()).collect()
}
