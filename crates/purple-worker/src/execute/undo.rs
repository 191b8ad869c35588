//! Undoing a verified operation: a new round, a new plan, judged and asked like any other.

use std::collections::{BTreeMap, BTreeSet};

use purple_journal::record::write;
use purple_journal::{Record, Redacted};
use purple_process::{
    Argument, Check, Effect, Fact, Operation, OperationKey, Order, Outcome, PersonId, Plan, Seen, Started,
    State, StepId, ToolUse,
};
use serde_json::Value;

use crate::execute::call::cut;
use crate::execute::catalogue::Catalogue;
use crate::execute::verify::{Look, look, put_in, results};
use crate::port::{BlobHash, TurnFailed};
use crate::prime::Undo;
use crate::run::{Phase, Run};
use crate::session::{PastRound, Stage, Trail, Undoing};

/// The most earlier rounds that are looked through.
const ROUNDS_MAX: usize = 1_000;

/// An operation that was done and verified.
pub(crate) struct Done {
    pub(crate) round: PastRound,
    plan: Plan,
    pub(crate) operation: Operation,
    record: Started,
}

/// The undo of operations, ready to be offered.
pub(crate) struct Reversal {
    case: BlobHash,
    /// The words that ask for it.
    text: String,
    done: Vec<Done>,
    operations: Vec<Operation>,
}

impl Done {
    /// As a person tells it from others: steps of different rounds share their names.
    fn named(&self) -> String {
        format!("`{}` of round {} ({})", self.operation.step, self.round.round, self.operation.headline())
    }
}

impl Run<'_> {
    /// Offers the undo of operations as a new plan.
    pub(crate) async fn undo(&mut self, wanted: Undo) -> Phase<()> {
        let done = match self.to_undo(&wanted).await? {
            Ok(done) => done,
            Err(why) => return self.not_undone(&wanted, &why),
        };
        match self.reversal(done, &wanted).await? {
            Ok(reversal) => {
                self.begin_round(Fact::NewRound, &reversal.text)?;
                self.offer_undo(reversal, wanted).await
            }
            Err(why) => self.not_undone(&wanted, &why),
        }
    }

    /// The operations that undo what was done, or why there are none.
    pub(crate) async fn reversal(&self, done: Vec<Done>, wanted: &Undo) -> Phase<Result<Reversal, String>> {
        let Some(first) = done.first() else {
            return Ok(Err("Nothing of this run can be undone.".to_owned()));
        };
        let case = first.round.case;
        let text = match &wanted.words {
            Some(words) => words.clone(),
            None => format!("Undo: {}", first.operation.headline()),
        };
        let mut operations = Vec::new();
        for one in &done {
            match self.reversed(one, &wanted.by, &text).await? {
                Ok(operation) => operations.push(operation),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(Reversal { case, text, done, operations }))
    }

    /// Makes a plan of an undo, in a round that has just begun.
    pub(crate) async fn offer_undo(&mut self, reversal: Reversal, wanted: Undo) -> Phase<()> {
        let Reversal { case, text, done, mut operations } = reversal;
        let opened = self.opened(case).await?;
        let catalogue = self.catalogue().await?;
        // An operation of an earlier round is judged by its own process, not by that of the last one.
        let route = opened.task()?.route().clone();
        self.keep_words(&text)?;
        // Only now: a request for an undo that is refused changes nothing.
        self.session.requester = wanted.by;
        self.session.requester_account = wanted.account;
        self.session.channel = wanted.channel;
        self.session.chosen = Some(opened.dossier.chosen.clone());
        self.session.undoing = Some(undoing(&done, &operations));
        self.session.walk = self.session.walk.rerouted(route)?;
        for one in &done {
            self.scribe.note(write::UndoAsked {
                step: one.operation.step.clone(),
                by: Redacted::of(&self.session.requester),
                of_round: one.round.round,
                key: one.record.key,
            })?;
        }
        self.step(Fact::Decomposed)?;
        for operation in &mut operations {
            operation.before = self.stands_now(operation, &catalogue).await;
        }
        self.step(Fact::Assessed)?;
        if self.session.walk.state() == State::Compute {
            self.step(Fact::Computed)?;
        }
        self.propose(&opened, case, &catalogue, operations, Trail::default()).await
    }

    /// The operations that are meant, the latest first, or why they are not undone.
    async fn to_undo(&self, wanted: &Undo) -> Phase<Result<Vec<Done>, String>> {
        if !matches!(self.session.stage, Stage::Closed { .. }) {
            return Ok(Err("Only a finished run has something that can be undone.".to_owned()));
        }
        let Some(step) = &wanted.step else {
            let mut all = self.undoable_here().await?;
            let round = wanted.round.or_else(|| all.first().map(|one| one.round.round));
            all.retain(|one| Some(one.round.round) == round);
            return Ok(Ok(all));
        };
        let rounds = self.rounds().await?;
        let undone = self.undone(&rounds).await?;
        let mut all = self.all_done(&rounds).await?;
        let is_meant =
            |one: &Done| one.operation.step == *step && wanted.round.is_none_or(|n| n == one.round.round);
        let open = |one: &Done| !undone.contains(&one.record.key);
        // The latest first.
        let Some(place) = all.iter().position(|one| is_meant(one) && open(one)) else {
            let why = if all.iter().any(is_meant) {
                format!("`{step}` was undone already.")
            } else {
                format!("`{step}` is not among the verified operations of this run.")
            };
            let left: Vec<String> =
                all.iter().filter(|one| open(one) && one.operation.undo.is_some()).map(Done::named).collect();
            let left = if left.is_empty() { "nothing".to_owned() } else { left.join(", ") };
            return Ok(Err(format!("{why} What can be undone: {left}.")));
        };
        let meant = &all[place];
        let later = all[..place].iter().find(|one| {
            open(one) && one.operation.undo.is_some() && same_record(&meant.operation, &one.operation)
        });
        if let Some(later) = later {
            return Ok(Err(format!(
                "`{step}` is not undone before what was done to the same record after it: {}.",
                later.named()
            )));
        }
        Ok(Ok(vec![all.swap_remove(place)]))
    }

    /// The verified operations of this session that have an undo and were not undone, the latest first.
    pub(crate) async fn undoable_here(&self) -> Phase<Vec<Done>> {
        let rounds = self.rounds().await?;
        let undone = self.undone(&rounds).await?;
        let mut all = self.all_done(&rounds).await?;
        all.retain(|one| !undone.contains(&one.record.key) && one.operation.undo.is_some());
        Ok(all)
    }

    /// The rounds in which something was done, the latest first.
    async fn rounds(&self) -> Phase<Vec<PastRound>> {
        let mut rounds: Vec<PastRound> = self.session.done().into_iter().collect();
        let mut next = self.session.past;
        while let Some(hash) = next
            && rounds.len() < ROUNDS_MAX
        {
            let past: PastRound = self.fetch("round", hash).await?;
            next = past.earlier;
            rounds.push(past);
        }
        Ok(rounds)
    }

    /// Every verified operation of these rounds, the latest first.
    async fn all_done(&self, rounds: &[PastRound]) -> Phase<Vec<Done>> {
        let mut all = Vec::new();
        for round in rounds {
            let mut own = Vec::new();
            for hash in &round.plans {
                let plan = self.plan(*hash).await?;
                for (operation, key) in plan.keyed() {
                    let verified = |one: &&Started| one.key == key && one.outcome == Outcome::Verified;
                    if let Some(record) = round.started.iter().find(verified) {
                        let (operation, record) = (operation.clone(), record.clone());
                        own.push(Done { round: round.clone(), plan: Plan::clone(&plan), operation, record });
                    }
                }
            }
            all.extend(own.into_iter().rev());
        }
        Ok(all)
    }

    /// The operations that these rounds undid. What cannot be verified counts as done: it is not reversed twice.
    async fn undone(&self, rounds: &[PastRound]) -> Phase<BTreeSet<OperationKey>> {
        let mut undone = BTreeSet::new();
        for round in rounds {
            let is_done = |one: &&Started| matches!(one.outcome, Outcome::Verified | Outcome::Unverifiable);
            let done: Vec<OperationKey> = round.started.iter().filter(is_done).map(|one| one.key).collect();
            match &round.undid {
                None => {}
                Some(Undoing::One(key)) => undone.extend((!done.is_empty()).then_some(*key)),
                Some(Undoing::Several(steps)) => {
                    for hash in &round.plans {
                        let plan = self.plan(*hash).await?;
                        let reached = plan.keyed().filter(|(_, key)| done.contains(key));
                        undone.extend(reached.filter_map(|(operation, _)| steps.get(&operation.step)));
                    }
                }
            }
        }
        Ok(undone)
    }

    fn not_undone(&mut self, wanted: &Undo, why: &str) -> Phase<()> {
        if let Some(step) = &wanted.step {
            let (by, reason) = (Redacted::of(&wanted.by), Redacted::of(&cut(why)));
            self.scribe.note(write::UndoNotTaken { step: step.clone(), by, why: reason })?;
        }
        self.remark(why)
    }

    /// The undo as an operation, read back against what stood there before; or why there is none.
    async fn reversed(&self, done: &Done, by: &PersonId, text: &str) -> Phase<Result<Operation, String>> {
        let step = &done.operation.step;
        let Some(undo) = &done.operation.undo else {
            return Ok(Err(format!("`{step}` cannot be undone: its process declares no undo.")));
        };
        let known = results(&done.plan, &done.round.started);
        let order = Order::command(by.clone(), text);
        let operation = self.undo_of(&done.operation, undo, (&known, &done.record), order).await?;
        let why = || format!("`{step}` cannot be undone: a value that its undo needs is not known.");
        Ok(operation.ok_or_else(why))
    }

    async fn undo_of(
        &self,
        operation: &Operation,
        undo: &ToolUse,
        (results, record): (&[(StepId, purple_process::Json)], &Started),
        order: Order,
    ) -> Phase<Option<Operation>> {
        let Some(arguments) = put_in(&undo.arguments, results) else { return Ok(None) };
        let arguments = arguments.into_iter().map(|(name, value)| (name, Argument::Value(value))).collect();
        let before = self.stood_before(record).await?;
        let check = match &operation.check {
            Check::ReadBack { tool, arguments, .. } if !before.is_empty() => {
                let Some(arguments) = put_in(arguments, results) else { return Ok(None) };
                let expect: Option<_> = before
                    .iter()
                    .map(|(field, value)| {
                        let value = purple_process::Json::from_serde(value).ok()?;
                        Some((field.clone(), Argument::Value(value)))
                    })
                    .collect();
                let Some(expect) = expect else { return Ok(None) };
                let arguments =
                    arguments.into_iter().map(|(name, value)| (name, Argument::Value(value))).collect();
                Check::ReadBack { tool: tool.clone(), arguments, expect }
            }
            // What stood there is to stand there again.
            Check::Observed { tool, arguments, written } if !before.is_empty() => {
                let Some(arguments) = put_in(arguments, results) else { return Ok(None) };
                let arguments =
                    arguments.into_iter().map(|(name, value)| (name, Argument::Value(value))).collect();
                let stood = |name: &String| {
                    let value = purple_process::Json::from_serde(before.get(name)?).ok()?;
                    Some((name.clone(), Argument::Value(value)))
                };
                let written = written.keys().filter_map(stood).collect();
                Check::Observed { tool: tool.clone(), arguments, written }
            }
            Check::ReadBack { .. } | Check::Observed { .. } | Check::Unverifiable => Check::Unverifiable,
        };
        let step = StepId::parse(&undo_step(&operation.step))
            .map_err(|error| TurnFailed::Unreadable { what: "plan", why: error.to_string() })?;
        let mut reversed = Operation::new(step, undo.tool.clone(), Effect::Write, arguments, check, order);
        reversed.amount = operation.amount;
        Ok(Some(reversed))
    }

    /// What stands there now, as the card shows it and as it is compared before anything is sent.
    async fn stands_now(&self, operation: &Operation, catalogue: &Catalogue) -> Vec<Seen> {
        let Check::ReadBack { tool, arguments, .. } = &operation.check else { return Vec::new() };
        let Some(arguments) = put_in(arguments, &[]) else { return Vec::new() };
        let Look::Seen(fields) = look(operation, &[], catalogue, &self.reads()).await else {
            return Vec::new();
        };
        let seen = |(field, value): (String, Value)| {
            let value = purple_process::Json::from_serde(&value).ok()?;
            Some(Seen { tool: tool.clone(), arguments: arguments.clone(), field, value })
        };
        fields.into_iter().filter_map(seen).collect()
    }

    /// The checked fields before the operation, from its intent.
    async fn stood_before(&self, record: &Started) -> Phase<BTreeMap<String, Value>> {
        let mut before = BTreeMap::new();
        for recorded in self.scribe.journal().await? {
            if let Record::Write(write::Write::Intent(intent)) = recorded.record()
                && intent.key == record.key
            {
                let stood: Option<BTreeMap<String, Value>> = self.fetch("before", intent.before).await?;
                before = stood.unwrap_or_default();
            }
        }
        Ok(before)
    }
}

/// The name of the step that undoes another.
pub(crate) fn undo_step(step: &StepId) -> String {
    format!("undo_{step}")
}

/// What a round undoes. One operation is kept as it always was.
fn undoing(done: &[Done], operations: &[Operation]) -> Undoing {
    match done {
        [only] => Undoing::One(only.record.key),
        several => {
            let steps = operations.iter().map(|operation| operation.step.clone());
            Undoing::Several(steps.zip(several.iter().map(|one| one.record.key)).collect())
        }
    }
}

/// Whether two operations are read back from the same place, or one needs what the other made.
fn same_record(one: &Operation, other: &Operation) -> bool {
    let refers = |from: &Operation, to: &Operation| {
        from.arguments.values().filter_map(Argument::reference).any(|reference| reference.step == to.step)
    };
    let place = |operation: &Operation| {
        operation.check.read().map(|(tool, arguments, _)| (tool.clone(), arguments.clone()))
    };
    refers(other, one) || place(one).is_some_and(|at| place(other) == Some(at))
}
