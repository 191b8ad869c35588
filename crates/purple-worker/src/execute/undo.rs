//! Undoing a verified operation: a new round, a new plan, judged and asked like any other.

use std::collections::BTreeMap;

use purple_process::{
    Argument, Check, Effect, Fact, Operation, Outcome, PersonId, Plan, Seen, Started, State, StepId, ToolUse,
};
use serde_json::{Value, json};

use crate::event::Channel;
use crate::execute::catalogue::Catalogue;
use crate::execute::verify::{Look, look, put_in, results};
use crate::port::{BlobHash, TurnFailed};
use crate::run::{Phase, Run};
use crate::session::{Stage, Trail};

impl Run<'_> {
    /// Offers the undo of an operation as a new plan.
    pub(crate) async fn undo(&mut self, step: &StepId, by: PersonId, channel: Channel) -> Phase<()> {
        let Stage::Closed { case: Some(case), plans, started } = self.session.stage.clone() else {
            return self.remark("Only a finished run has something that can be undone.");
        };
        if self.session.walk.state() != State::Complete {
            return self.remark("This run was handed over to a person; nothing of it is undone here.");
        }
        let Some((plan, operation, record)) = self.done(step, &plans, &started).await? else {
            return self.remark(&format!("`{step}` is not among the verified operations of the last round."));
        };
        let Some(undo) = operation.undo.clone() else {
            return self.remark(&format!("`{step}` cannot be undone: its process declares no undo."));
        };
        let known = results(&plan, &started);
        let Some(operation) = self.reversed(&operation, &undo, &known, &record).await? else {
            return self
                .remark(&format!("`{step}` cannot be undone: a value that its undo needs is not known."));
        };
        let opened = self.opened(case).await?;
        let catalogue = self.catalogue().await?;
        let text = format!("Undo: {}", self.session.title);
        let route = self.session.walk.route().clone();
        self.begin_round(Fact::NewRound, &text)?;
        // Only now: whoever asks for an undo that is refused has asked for nothing.
        self.session.requester = by;
        self.session.channel = channel;
        self.session.walk = self.session.walk.rerouted(route)?;
        self.scribe.note("undo.asked", json!({"step": step, "by": self.session.requester}))?;
        self.step(Fact::Decomposed)?;
        let mut operation = operation;
        operation.before = self.stands_now(&operation, &catalogue).await;
        self.step(Fact::Assessed)?;
        if self.session.walk.state() == State::Compute {
            self.step(Fact::Computed)?;
        }
        self.propose(&opened, case, &catalogue, vec![operation], Trail::default()).await
    }

    async fn done(
        &self,
        step: &StepId,
        plans: &[BlobHash],
        started: &[Started],
    ) -> Phase<Option<(Plan, Operation, Started)>> {
        for hash in plans {
            let plan = self.plan(*hash).await?;
            let found = plan.keyed().find(|(operation, _)| operation.step == *step);
            let Some((operation, key)) = found.map(|(operation, key)| (operation.clone(), key)) else {
                continue;
            };
            let record =
                started.iter().find(|record| record.key == key && record.outcome == Outcome::Verified);
            if let Some(record) = record {
                return Ok(Some((Plan::clone(&plan), operation, record.clone())));
            }
        }
        Ok(None)
    }

    /// The undo as an operation, read back against what stood there before.
    async fn reversed(
        &self,
        operation: &Operation,
        undo: &ToolUse,
        results: &[(StepId, purple_process::Json)],
        record: &Started,
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
            Check::ReadBack { .. } | Check::Unverifiable => Check::Unverifiable,
        };
        let step = StepId::parse(&format!("undo_{}", operation.step))
            .map_err(|error| TurnFailed::Unreadable { what: "plan", why: error.to_string() })?;
        let mut reversed = Operation::new(step, undo.tool.clone(), Effect::Write, arguments, check);
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
        for recorded in self.scribe.turn.journal(0).await? {
            let data = &recorded.entry.data;
            let same =
                data.get("key").and_then(|key| serde_json::from_value(key.clone()).ok()) == Some(record.key);
            if recorded.entry.kind == "write.intent" && same {
                let hash = data.get("before").and_then(|hash| serde_json::from_value(hash.clone()).ok());
                if let Some(hash) = hash {
                    before = self.fetch("before", hash).await?;
                }
            }
        }
        Ok(before)
    }
}
