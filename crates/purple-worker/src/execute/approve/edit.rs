//! Editing declared fields before a decision: a new case, a new plan, judged again. What was said before is void.

use std::collections::{BTreeMap, BTreeSet};

use purple_journal::Redacted;
use purple_journal::record::approval;
use purple_journal::word::EditedField;
use purple_policy::Verdict as Ruled;
use purple_process::file::End;
use purple_process::{Fact, Operation, Order, Plan, StepId};

use crate::dossier::{Edited, Opened, StoredInput};
use crate::event::{Edit, Verdict};
use crate::execute::call::cut;
use crate::execute::catalogue::Catalogue;
use crate::execute::rule::approval_tools;
use crate::port::TurnFailed;
use crate::run::{Phase, Run};
use crate::session::{Stage, Trail, Waiting};

/// How many edits one plan may have gone through: enough for people, and an end for programs.
const EDITS_MAX: u32 = 50;

/// A case with other values, and what follows from them.
struct Revised {
    opened: Opened,
    operations: Vec<Operation>,
}

impl Run<'_> {
    /// Takes new values for fields that the process lets be edited.
    pub(crate) async fn edit(&mut self, edit: Edit) -> Phase<()> {
        let Stage::Waiting(waiting) = self.session.stage.clone() else {
            return self.not_edited(&edit, "no plan waits");
        };
        let plan = self.plan(waiting.plan).await?;
        let opened = self.opened(waiting.case).await?;
        let catalogue = self.catalogue().await?;
        if let Err(why) = self.may_edit(&edit, &waiting, &plan, &opened, &catalogue).await? {
            return self.not_edited(&edit, &why);
        }
        let revised = match self.revised(&edit, &waiting, &opened, &catalogue).await? {
            Ok(revised) => revised,
            Err(why) => return self.not_edited(&edit, &why),
        };
        self.tell_edited(&edit, &waiting, &revised.opened)?;
        self.step(Fact::Revised)?;
        let Revised { opened, operations } = revised;
        let case = self.keep("case", &opened.dossier)?;
        self.tell_decision_of(&opened, &catalogue)?;
        // What was cut into several plans is cut again.
        let trail = Trail { to_ask: Vec::new(), ..waiting.trail.clone() };
        match next_role(&waiting, &opened)? {
            Some(next) => {
                let waiting = Waiting { case, trail, ..waiting };
                self.ask_next(waiting, &opened, &catalogue, operations, &next).await
            }
            None => self.propose(&opened, case, &catalogue, operations, trail).await,
        }
    }

    /// Whether this person may change anything here now; or why not.
    async fn may_edit(
        &self,
        edit: &Edit,
        waiting: &Waiting,
        plan: &Plan,
        opened: &Opened,
        catalogue: &Catalogue,
    ) -> Phase<Result<(), String>> {
        let no = |why: &str| Ok(Err(why.to_owned()));
        if edit.plan != waiting.hash {
            return no("it is about another plan");
        }
        if edit.shown != waiting.card.0 {
            return no("it was made on another card");
        }
        let now = self.scribe.now();
        if now >= waiting.expires_at {
            return no("the approval has expired");
        }
        if edit.fields.is_empty() {
            return no("it names no field");
        }
        if opened.dossier.edit_count >= EDITS_MAX {
            return no("this plan was edited too often");
        }
        if !waiting.trail.started.is_empty() || !waiting.trail.permitted.is_empty() {
            return no("a part of it was carried out already");
        }
        if !self.is_whole(waiting, plan, opened).await? {
            return no("the plan that waits is not all that the process made of its fields");
        }
        let all: BTreeSet<StepId> = plan.operations().iter().map(|one| one.step.clone()).collect();
        let steps = all.iter().cloned().collect();
        let Edit { by, channel, account, shown, .. } = edit.clone();
        let (plan_read, reason, message) = (waiting.hash, None, None);
        let verdict = Verdict { plan: plan_read, steps, reason, by, channel, account, shown, message };
        let ruling = self.judged_again(opened, catalogue, plan, next_role(waiting, opened)?.as_ref())?;
        let decision = self.decision(&verdict, waiting, all, now);
        // Who may not decide about a plan may not change it either.
        Ok(self.may_decide(decision, plan, &ruling).map(|_| ()))
    }

    /// Whether the plan, with those that come after it, is exactly what the case makes.
    async fn is_whole(&self, waiting: &Waiting, plan: &Plan, opened: &Opened) -> Phase<bool> {
        let mut waits: Vec<Operation> = plan.operations().to_vec();
        for later in &waiting.trail.to_ask {
            waits.extend(self.plan(*later).await?.operations().iter().cloned());
        }
        let case = opened.case()?;
        let made = case.operations(&case.decide(), &Order::missing()).unwrap_or_default();
        let key = |one: &Operation| (one.step.clone(), one.tool.clone(), one.arguments.clone());
        let sorted = |all: &[Operation]| {
            let mut keys: Vec<_> = all.iter().map(key).collect();
            keys.sort_by(|one, other| one.0.cmp(&other.0));
            keys
        };
        Ok(sorted(&waits) == sorted(&made))
    }

    /// The case with the new values, and its operations; or why it does not lead to a plan that can be approved.
    async fn revised(
        &self,
        edit: &Edit,
        waiting: &Waiting,
        opened: &Opened,
        catalogue: &Catalogue,
    ) -> Phase<Result<Revised, String>> {
        let case = opened.case()?;
        let mut dossier = opened.dossier.clone();
        dossier.edit_count = dossier.edit_count.saturating_add(1);
        let now: BTreeMap<String, String> =
            case.editable().into_iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect();
        for (name, text) in &edit.fields {
            let value = match case.read_edit(name, text) {
                Ok(value) => value,
                Err(bad) => return Ok(Err(bad.to_string())),
            };
            let stored = serde_json::to_value(StoredInput::of(&value))
                .map_err(|error| TurnFailed::Unreadable { what: "case", why: error.to_string() })?;
            // What the process computed stays on record, however often it is changed.
            let first = dossier.edits.get(name).map(|earlier| earlier.before.clone());
            let before = first.or_else(|| now.get(name).cloned()).unwrap_or_default();
            let (after, by, at) = (value.to_string(), edit.by.clone(), self.scribe.began());
            dossier.edits.insert(name.clone(), Edited { value: stored, before, after, by, at });
        }
        let opened = opened.with(dossier);
        let operations = match self.lead(&opened, waiting, catalogue).await? {
            Ok(operations) => operations,
            Err(why) => return Ok(Err(format!("with these values {why}"))),
        };
        Ok(Ok(Revised { opened, operations }))
    }

    /// Where the case leads: operations that people can be asked about, or what speaks against it.
    async fn lead(
        &self,
        opened: &Opened,
        waiting: &Waiting,
        catalogue: &Catalogue,
    ) -> Phase<Result<Vec<Operation>, String>> {
        let case = opened.case()?;
        let decision = case.decide();
        let rule = decision.rule().unwrap_or("no rule").to_owned();
        match decision.end() {
            Some(End::Outcome(_)) => {}
            Some(End::Stop) => return Ok(Err(format!("`{rule}` stops it: {}", decision.explanation()))),
            Some(End::Escalate) | None => {
                return Ok(Err(format!("`{rule}` leaves it to a person: {}", decision.explanation())));
            }
            Some(End::Nothing) => return Ok(Err("there is nothing to do".to_owned())),
        }
        let operations = match case.operations(&decision, &self.order(opened)) {
            Ok(operations) if operations.is_empty() => return Ok(Err("there is nothing to do".to_owned())),
            Ok(operations) => operations,
            Err(stuck) => return Ok(Err(format!("the operations cannot be written down: {stuck}"))),
        };
        let tools = approval_tools(catalogue);
        if self.bench(opened, &case, &tools, None).task_verdict().is_some() {
            return Ok(Err("a rule forbids the task".to_owned()));
        }
        let next = next_role(waiting, opened)?;
        let (_, ruling) = self.planned(opened, catalogue, operations.clone(), next.as_ref()).await?;
        match ruling.verdict() {
            Ruled::Allow | Ruled::RequireApproval => Ok(Ok(operations)),
            verdict @ (Ruled::Escalate | Ruled::Block) => {
                let reasons = ruling.operations().iter().filter(|one| one.verdict == verdict);
                let why: Vec<String> = reasons.flat_map(|one| one.reasons.iter().take(1).cloned()).collect();
                Ok(Err(format!("the policy says `{}`: {}", verdict.as_str(), why.join("; "))))
            }
        }
    }

    fn tell_edited(&self, edit: &Edit, waiting: &Waiting, opened: &Opened) -> Phase<()> {
        let edited = |name: &String| {
            let one = opened.dossier.edits.get(name)?;
            let (before, after) = (Redacted::of(&one.before), Redacted::of(&one.after));
            Some(EditedField { field: Redacted::of(name), before, after })
        };
        self.scribe.note(approval::Edited {
            approval: Redacted::of(&crate::card::approval_id(waiting.hash)),
            plan: waiting.hash,
            fields: edit.fields.keys().filter_map(edited).collect(),
            by: Redacted::of(&edit.by),
            channel: edit.channel,
            shown: edit.shown,
            mode: self.session.mode,
            void: Redacted::all(waiting.decisions.iter().map(|given| &given.person)),
            sod: self.duties_of(super::at(&edit.by, edit.account.as_deref())),
        })
    }

    fn not_edited(&mut self, edit: &Edit, why: &str) -> Phase<()> {
        self.scribe.note(approval::EditNotTaken {
            plan: edit.plan,
            by: Redacted::of(&edit.by),
            channel: edit.channel,
            why: Redacted::of(&cut(why)),
        })?;
        if !matches!(self.session.stage, Stage::Waiting(_)) {
            return Ok(());
        }
        self.remark(&format!("The edit of {} was not taken: {}. The plan is unchanged.", edit.by, cut(why)))
    }
}

/// Who may decide too, because nobody answered in time.
fn next_role(waiting: &Waiting, opened: &Opened) -> Phase<Option<purple_process::Role>> {
    Ok(if waiting.next_asked { opened.task()?.approval().then.clone() } else { None })
}
