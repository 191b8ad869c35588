//! From what was gathered to a plan and its ruling: the file decides, every operation is judged, the machine moves.

use std::sync::Arc;
use std::time::Duration;

use purple_journal::record::plan;
use purple_journal::word::{PlannedOperation, RuleDoubt};
use purple_journal::{Record, Redacted, RedactedJson};
use purple_policy::Verdict;
use purple_process::file::End;
use purple_process::playbook::Decision;
use purple_process::{
    Arguments, Digest, Effect, Fact, Operation, Plan, PlanRuling, SessionId, StepId, Voice,
};
use serde_json::{Value, json};

use crate::card;
use crate::dossier::Opened;
use crate::execute::again::start_anew;
use crate::execute::catalogue::Catalogue;
use crate::execute::finish::TAKEN_UP;
use crate::execute::fit::unfit;
use crate::execute::rule::{Bench, approval_tools, draft};
use crate::port::{BlobHash, Claim, TurnFailed};
use crate::run::{Phase, Run};
use crate::session::{Running, Stage, Trail};
use crate::view::{Status, Summary};

/// How often a key is asked for that another run is about to give back, and the pause in between.
const KEY_TRIES_MAX: usize = 20;
const KEY_PAUSE: Duration = Duration::from_millis(250);

impl Run<'_> {
    /// Decides the case at POLICY_CHECK, and goes where the decision leads.
    pub(crate) async fn rule_on(
        &mut self,
        opened: &Opened,
        case_hash: BlobHash,
        catalogue: &Catalogue,
        trail: Trail,
    ) -> Phase<()> {
        let case = opened.case()?;
        let left = |run: &Self, trail: Trail| run.left(opened, Some(case_hash), trail, catalogue, None);
        if let Some(first) = self.claim(opened).await? {
            let mut left = left(self, trail)?;
            left.sentences = vec![self.told_of(&first).await];
            // What another run does was not judged in this one.
            left.policy = None;
            left.code = Some(TAKEN_UP.to_owned());
            self.step(Fact::NothingToDo)?;
            return self.close(left).await;
        }
        let decision = case.decide();
        let tools = approval_tools(catalogue);
        let bench = self.bench(opened, &case, &tools, None);
        let (task_verdict, sources) = (bench.task_verdict(), bench.task_sources(&decision));
        self.tell_decision(&decision, opened, &sources)?;
        let fact = match (task_verdict, decision.end()) {
            (Some(Verdict::Block), _) | (_, Some(End::Stop)) => Some(Fact::Stopped),
            (Some(Verdict::Escalate), _) | (_, Some(End::Escalate) | None) => Some(Fact::Escalated),
            (_, Some(End::Nothing)) => Some(Fact::NothingToDo),
            (_, Some(End::Outcome(_))) => None,
        };
        if let Some(fact) = fact {
            let left = left(self, trail)?;
            self.step(fact)?;
            return self.close(left).await;
        }
        let operations = match case.operations(&decision, &self.order(opened)) {
            Ok(operations) => operations,
            Err(stuck) => {
                let mut left = left(self, trail)?;
                left.sentences.push(format!("The operations cannot be written down: {stuck}."));
                self.step(Fact::Escalated)?;
                return self.close(left).await;
            }
        };
        // A plan that cannot be carried out as a whole is not begun.
        if let Some(why) = unfit(&operations, catalogue) {
            let mut left = left(self, trail)?;
            left.sentences.push(format!("Nothing was changed: {why}."));
            self.step(Fact::Escalated)?;
            return self.close(left).await;
        }
        self.propose(opened, case_hash, catalogue, operations, trail).await
    }

    /// Makes a plan of operations, has it judged, and opens the gate, begins, or ends.
    pub(crate) async fn propose(
        &mut self,
        opened: &Opened,
        case_hash: BlobHash,
        catalogue: &Catalogue,
        operations: Vec<Operation>,
        trail: Trail,
    ) -> Phase<()> {
        self.keep_words(&opened.dossier.text)?;
        let (plan, ruling) = self.planned(opened, catalogue, operations.clone(), None).await?;
        let parts = self.parts(opened, &plan, &ruling);
        let mut trail = trail;
        let (plan, ruling) = if parts.len() > 1 {
            let mut hashes = Vec::new();
            for part in parts.iter().skip(1) {
                let (plan, _) = self.planned(opened, catalogue, part.clone(), None).await?;
                hashes.push(self.keep("plan", &plan)?);
            }
            trail.to_ask = hashes;
            self.planned(opened, catalogue, parts.into_iter().next().unwrap_or_default(), None).await?
        } else {
            (plan, ruling)
        };
        start_anew(&plan, &mut trail);
        let hash = self.tell_plan(&plan, &ruling)?;
        self.step(Fact::Judged(&ruling))?;
        match ruling.verdict() {
            Verdict::Allow => {
                trail.permitted.push(hash);
                self.begin_plan(hash, case_hash, trail)
            }
            Verdict::RequireApproval => {
                self.ask(opened, case_hash, catalogue, (plan, hash), &ruling, trail, false).await
            }
            Verdict::Escalate | Verdict::Block => {
                let left = self.left(opened, Some(case_hash), trail, catalogue, Some((&plan, &ruling)))?;
                self.close(left).await
            }
        }
    }

    /// A plan and its ruling, at this moment.
    pub(crate) async fn planned(
        &self,
        opened: &Opened,
        catalogue: &Catalogue,
        operations: Vec<Operation>,
        next: Option<&purple_process::Role>,
    ) -> Phase<(Plan, PlanRuling)> {
        let unreadable = |why: String| TurnFailed::Unreadable { what: "plan", why };
        let case = opened.case()?;
        let tools = approval_tools(catalogue);
        let bench = self.bench(opened, &case, &tools, next);
        let at = (self.id().clone(), self.session.walk.round());
        let operations = self.marked(self.as_recorded(operations)?).await?;
        let draft = draft(at, &bench, catalogue, self.good_until(opened)?, operations);
        let plan = Plan::new(draft).map_err(|error| unreadable(error.to_string()))?;
        let ruling = bench.rule(&plan).map_err(|error| unreadable(error.to_string()))?;
        Ok((plan, ruling))
    }

    pub(crate) fn bench<'b>(
        &'b self,
        opened: &'b Opened,
        case: &'b purple_process::playbook::Case<'b>,
        approval_tools: &'b [String],
        next: Option<&'b purple_process::Role>,
    ) -> Bench<'b> {
        Bench {
            opened,
            case,
            settings: self.settings,
            mode: self.session.mode,
            next,
            satisfied: &[],
            approval_tools,
        }
    }

    /// The first part runs, one operation a turn.
    pub(crate) fn begin_plan(&mut self, plan: BlobHash, case: BlobHash, trail: Trail) -> Phase<()> {
        self.session.stage = Stage::Running(Running {
            plan,
            asks: Vec::new(),
            case,
            decisions: Vec::new(),
            next_asked: false,
            open: None,
            inquiry: None,
            halted: None,
            put_off: 0,
            cancelled: None,
            trail,
        });
        self.go_on()
    }

    /// A plan that is confirmed step by step is cut into one plan for each write; the last one tells.
    fn parts(&self, opened: &Opened, plan: &Plan, ruling: &PlanRuling) -> Vec<Vec<Operation>> {
        let whole = || vec![plan.operations().to_vec()];
        let gates = opened.task().map_or(1, |task| task.approval().confirmations.get());
        if ruling.verdict() != Verdict::RequireApproval || gates < 2 {
            return whole();
        }
        let (writes, tells): (Vec<&Operation>, Vec<&Operation>) =
            plan.operations().iter().partition(|operation| operation.effect == Effect::Write);
        let same =
            |one: &Operation, other: &Operation| one.tool == other.tool && one.arguments == other.arguments;
        let repeats = writes
            .iter()
            .enumerate()
            .any(|(place, one)| writes.iter().skip(place + 1).any(|other| same(one, other)));
        if writes.len() < 2 || writes.len() > usize::from(gates) || repeats || refers(plan) {
            return whole();
        }
        let mut parts: Vec<Vec<Operation>> = writes.into_iter().map(|write| vec![write.clone()]).collect();
        if let Some(last) = parts.last_mut() {
            last.extend(tells.into_iter().cloned());
        }
        parts
    }

    /// What the file decides and the documents say about a case that was changed, for the journal.
    pub(crate) fn tell_decision_of(&self, opened: &Opened, catalogue: &Catalogue) -> Phase<()> {
        let case = opened.case()?;
        let (decision, tools) = (case.decide(), approval_tools(catalogue));
        let sources = self.bench(opened, &case, &tools, None).task_sources(&decision);
        self.tell_decision(&decision, opened, &sources)
    }

    fn tell_decision(&self, decision: &Decision, opened: &Opened, sources: &[Voice]) -> Phase<()> {
        let doubts = decision.doubts().iter();
        self.scribe.note(plan::PolicyVerdict {
            process: Redacted::of(opened.file.name()),
            rule: decision.rule().map(Redacted::of),
            explanation: Redacted::of(decision.explanation()),
            because: decision.because().map(Redacted::of),
            source: decision.source().map(Redacted::of),
            doubts: doubts
                .map(|doubt| RuleDoubt { rule: Redacted::of(&doubt.rule), why: Redacted::of(&doubt.why) })
                .collect(),
            leads_to: Redacted::of(&end_word(decision.end())),
            sources: RedactedJson::of(sources),
        })
    }

    pub(crate) fn tell_plan(&mut self, plan: &Plan, ruling: &PlanRuling) -> Phase<BlobHash> {
        let hash = self.keep("plan", plan)?;
        self.shelf.keep_plan(hash, &Arc::new(plan.clone()));
        let planned = |one: &Operation| PlannedOperation {
            step: one.step.clone(),
            tool: Redacted::of(&one.tool),
            headline: Redacted::of(&one.headline()),
            order: card::ordered(one.order()).map(|order| Redacted::of(&order.label())),
        };
        self.scribe.note(plan::Made {
            plan: plan.hash(),
            kept: hash,
            headline: Redacted::of(&plan.headline()),
            operations: plan.operations().iter().map(planned).collect(),
            verdict: Redacted::of(ruling.verdict().as_str()),
            mode: ruling.mode(),
            ruling: RedactedJson::of(ruling),
            words: self.session.words,
        })?;
        Ok(hash)
    }

    /// Claims the business key of the case; another run that has it is named.
    pub(crate) async fn claim(&mut self, opened: &Opened) -> Phase<Option<SessionId>> {
        let case = opened.case()?;
        // A key that cannot be made out is no key: the rules see the same gap and refuse.
        let Ok(parts) = case.business_key() else { return Ok(None) };
        if parts.is_empty() {
            return Ok(None);
        }
        let parts: Vec<Value> = parts.iter().map(purple_policy::Value::to_json).collect();
        let key = json!([opened.file.name(), opened.dossier.chosen.task, parts]).to_string();
        match self.claim_key(&key).await? {
            Claim::Ours if self.session.claims.contains(&key) => Ok(None),
            Claim::Ours => {
                if self.used_before(&key).await? {
                    let (key, by) = (RedactedJson::of(&parts), Redacted::of(self.id()));
                    self.scribe.note(plan::KeyTaken { key, by })?;
                    return Ok(Some(self.id().clone()));
                }
                let (digest, round) = (fingerprint(&key), self.session.round());
                self.scribe.note(plan::KeyClaimed { key: digest, round })?;
                self.session.claims.push(key);
                Ok(None)
            }
            Claim::Theirs { session } => {
                let (key, by) = (RedactedJson::of(&parts), Redacted::of(&session));
                self.scribe.note(plan::KeyTaken { key, by })?;
                Ok(Some(session))
            }
        }
    }
}

impl Run<'_> {
    /// Claims a key. A run whose approval is over gives its keys back when its timer rings, and by nobody else's doing:
    /// only its own turn knows that nothing was done. That turn is due now, and is waited for.
    async fn claim_key(&self, key: &str) -> Phase<Claim> {
        let mut claim = self.scribe.turn.claim(key).await?;
        for _ in 0..KEY_TRIES_MAX {
            let Claim::Theirs { session } = &claim else { break };
            if !self.is_overdue(session).await {
                break;
            }
            self.ports.pause.pause(KEY_PAUSE).await;
            claim = self.scribe.turn.claim(key).await?;
        }
        Ok(claim)
    }

    /// Whether a run waits for a decision that would come too late.
    async fn is_overdue(&self, session: &SessionId) -> bool {
        let row = self.ports.events.session(session).await.ok().flatten();
        let summary = row.and_then(|row| serde_json::from_value::<Summary>(row.summary).ok());
        let open = summary.filter(|found| found.status == Status::Waiting).and_then(|found| found.approval);
        open.is_some_and(|open| open.expires_at <= self.scribe.now())
    }

    /// Whether an earlier round of this session had an effect under a business key.
    async fn used_before(&self, key: &str) -> Phase<bool> {
        let mut rounds = Vec::new();
        let digest = fingerprint(key);
        for recorded in self.scribe.journal().await? {
            if let Record::Plan(plan::Plan::KeyClaimed(claimed)) = recorded.record()
                && claimed.key == digest
            {
                rounds.push(claimed.round);
            }
        }
        for round in rounds {
            if round != self.session.round() && self.had_effect(round).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A business key as the journal names it: its words may be redacted there, its digest is not.
fn fingerprint(key: &str) -> Digest {
    Digest::of(key.as_bytes())
}

fn refers(plan: &Plan) -> bool {
    let any = |arguments: &Arguments| arguments.values().any(|argument| argument.reference().is_some());
    let other = |step: &StepId, arguments: &Arguments| {
        arguments
            .values()
            .filter_map(|argument| argument.reference())
            .any(|reference| reference.step != *step)
    };
    plan.operations().iter().any(|operation| {
        any(&operation.arguments)
            || operation.check.read().is_some_and(|(_, arguments, expect)| {
                other(&operation.step, arguments) || other(&operation.step, expect)
            })
    })
}

fn end_word(end: Option<&End>) -> String {
    match end {
        Some(End::Outcome(name)) => name.clone(),
        Some(End::Stop) => "stop".to_owned(),
        Some(End::Nothing) => "none".to_owned(),
        Some(End::Escalate) => "escalate".to_owned(),
        None => "nothing".to_owned(),
    }
}
