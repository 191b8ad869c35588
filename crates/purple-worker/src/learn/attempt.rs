//! How a task is attempted: the way that did best, and what the brief says about earlier ones.

use purple_journal::Redacted;
use purple_journal::record::learning;
use purple_process::PersonId;

use crate::learn::Switch;
use crate::learn::accuracy::{self, CHECKS_MAX};
use crate::learn::bandit::{Arm, Permitted, choose, tally_of};
use crate::learn::primer::primer;
use crate::learn::sharing::{Audience, Disclosed, author_of};
use crate::port::{Fact, SessionId, Whose};
use crate::prime::precompute::precompute;
use crate::reflect::entities::entities;
use crate::run::{Phase, Run};
use crate::view::Summary;

/// The most cases that a search brings.
const FOUND_MAX: usize = 200;
/// The most cases and facts about one entity that are looked through for those that may be told.
const ENTITY_ROWS_MAX: usize = 50;
/// The most entities that are looked up.
const ENTITIES_MAX: usize = 4;
/// The most facts about one entity.
const ENTITY_FACTS_MAX: usize = 4;

impl Run<'_> {
    /// Whether anything is remembered and recalled.
    pub(crate) fn learns(&self) -> bool {
        self.settings.learning.switch == Switch::On
    }

    /// Chooses how this round is attempted, among the ways that are lawful for it, and tells why.
    pub(crate) async fn choose_arm(&mut self, permitted: Permitted) -> Phase<Arm> {
        let process = self.session.chosen.as_ref().map(|chosen| chosen.process.clone()).unwrap_or_default();
        let tallies = if self.learns() { self.ports.memory.tallies(&process).await? } else { Vec::new() };
        let arm = choose(permitted, &tallies);
        self.scribe.note(learning::StrategyChosen {
            arm,
            process: Redacted::of(&process),
            permitted: permitted.iter().collect(),
            tallies: Arm::ALL.into_iter().map(|arm| tally_of(arm, &tallies)).collect(),
        })?;
        self.session.arm = Some(arm);
        Ok(arm)
    }

    /// The cases that are most like a text.
    pub(crate) async fn past_cases(&self, text: &str) -> Phase<String> {
        if !self.learns() {
            return Ok(String::new());
        }
        let limit = usize::try_from(self.settings.learning.cases_max).unwrap_or(usize::MAX);
        let log = self.ports.memory.log(limit).await?;
        let found = self.ports.memory.recall(text, FOUND_MAX).await?;
        Ok(primer(text, &log, found, self.scribe.began(), &self.audience()).join("\n"))
    }

    /// For whom the cases of others are told.
    pub(crate) fn audience(&self) -> Audience<'_> {
        let directory = self.ports.directory.on(self.settings.day(self.scribe.began()));
        Audience { sharing: self.settings.learning.sharing, directory, requester: &self.session.requester }
    }

    /// Who asked in a run, as far as is known.
    async fn author(&self, run: &SessionId) -> Option<PersonId> {
        let row = self.ports.events.session(run).await.ok().flatten()?;
        serde_json::from_value::<Summary>(row.summary).ok().map(|summary| summary.requester)
    }

    /// What is known about those whom a text names: where they were seen, and what records said of them.
    ///
    /// A name is a word of whoever wrote it, and so is the process of its case: both are told only to those who are told
    /// the words.
    pub(crate) async fn known_about(&self, text: &str) -> Phase<(String, String)> {
        if !self.learns() {
            return Ok(Default::default());
        }
        let (mut seen, mut facts) = (Vec::new(), Vec::new());
        let wanted = |kind: &str| matches!(kind, "vendor" | "person" | "id" | "product");
        for entity in entities(text).into_iter().filter(|entity| wanted(&entity.kind)).take(ENTITIES_MAX) {
            let cases = self.ports.memory.history(&entity, Whose::Anybodys, ENTITY_ROWS_MAX).await?;
            let audience = self.audience();
            let is_told = |author: Option<&PersonId>| audience.of(author) == Disclosed::Words;
            if let Some(last) = cases.iter().find(|case| is_told(author_of(case).as_ref())) {
                let (kind, name) = (&entity.kind, &entity.name);
                seen.push(format!("{kind} {name}: seen before ({})", last.process));
            }
            let mut told = 0;
            for fact in self.ports.memory.facts(&entity, ENTITY_ROWS_MAX).await? {
                if told < ENTITY_FACTS_MAX && is_told(self.author(&fact.session).await.as_ref()) {
                    facts.push(said(&fact));
                    told += 1;
                }
            }
        }
        Ok((seen.join("\n"), facts.join("\n")))
    }

    /// What the words of a task determine, each value or a warning in its place.
    pub(crate) async fn computed_before(&self, text: &str) -> Phase<String> {
        let today = self.settings.day(self.scribe.began());
        let figures = precompute(text, &self.settings.setting(today));
        if figures.is_empty() {
            return Ok(String::new());
        }
        let process = self.session.chosen.as_ref().map(|chosen| chosen.process.as_str());
        let checks = match process {
            Some(process) if self.learns() => self.ports.memory.checks(process, CHECKS_MAX).await?,
            Some(_) | None => Vec::new(),
        };
        let lines: Vec<String> = figures.iter().map(|figure| accuracy::told(figure, &checks)).collect();
        Ok(lines.join("\n"))
    }
}

/// A fact in a line, with where it stands.
fn said(fact: &Fact) -> String {
    format!(
        "{} {}: {} was {} ({}, {})",
        fact.entity.kind,
        fact.entity.name,
        fact.field,
        fact.value,
        fact.evidence.tool,
        fact.evidence.read_at.strftime("%Y-%m-%d"),
    )
}
