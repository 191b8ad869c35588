//! Puts the brief together: what earlier cases, this session, the rules and the figures say about a task.
//!
//! A playbook does not need it; whoever drives a task without one is told this and nothing else.

use purple_process::Effect;
use serde_json::json;

use crate::execute::catalogue::Catalogue;
use crate::port::BlobHash;
use crate::prime::brief::{Brief, Section};
use crate::prime::choose::Fit;
use crate::prime::precompute::precompute;
use crate::prime::privacy::redact;
use crate::reflect::entities::entities;
use crate::run::{Phase, Run};
use crate::synthesis::recognised;

/// The most withheld tools that a brief names.
const WITHHELD_MAX: usize = 40;

/// The most past cases in a brief.
const PAST_CASES_MAX: usize = 3;
/// The most cases about one entity in a brief.
const ENTITY_CASES_MAX: usize = 2;
/// The most entities that are looked up.
const ENTITIES_MAX: usize = 4;

impl Run<'_> {
    /// Makes and keeps the brief of a task.
    #[allow(
        dead_code,
        reason = "for whoever drives a task without a complete file; a playbook pays nothing for it"
    )]
    pub(crate) async fn brief(
        &mut self,
        text: &str,
        fit: &Fit<'_>,
        catalogue: &Catalogue,
    ) -> Phase<BlobHash> {
        let today = self.settings.day(self.scribe.began());
        let shown = redact(text);
        let past = self.past_cases(&shown).await?;
        let known = self.known_entities(&shown).await?;
        let session = self.session.conversation.to_text();
        let mut policy = self.policy_preview(fit);
        if let Some(hash) = self.session.advisory {
            let prose = self.bytes("policy", hash).await?;
            policy.push_str("\nAdvisory, not evaluated:\n");
            policy.push_str(&String::from_utf8_lossy(&prose));
        }
        let finance: Vec<String> = precompute(text, &self.settings.setting(today))
            .into_iter()
            .map(|figure| format!("{} = {} ({})", figure.name, figure.value, figure.because))
            .collect();
        let needs = recognised(text).into_iter().filter(|need| need.shipped);
        let needs = needs
            .map(|need| format!("{}: `{}` computes {}, exactly", need.field.word(), need.name, need.about));
        let gaps: Vec<String> = catalogue.left_out().iter().cloned().chain(needs).collect();
        let gaps = gaps.join("\n");
        let finance = finance.join("\n");
        let gate = gate(catalogue);
        let sections = [
            (Section::PastCases, past.as_str()),
            (Section::Session, session.as_str()),
            (Section::Policy, policy.as_str()),
            (Section::Entities, known.as_str()),
            (Section::Finance, finance.as_str()),
            (Section::ToolGaps, gaps.as_str()),
            (Section::Gate, gate.as_str()),
        ];
        let brief = Brief::assemble(sections);
        let hash = self.keep("brief", &brief)?;
        self.scribe.note("brief.made", json!({"brief": hash, "bytes": brief.to_text().len()}))?;
        Ok(hash)
    }

    async fn past_cases(&self, text: &str) -> Phase<String> {
        let cases = self.ports.memory.recall(text, PAST_CASES_MAX).await?;
        let lines: Vec<String> = cases
            .iter()
            .map(|case| {
                let ending = case.body.get("ending").map(ToString::to_string).unwrap_or_default();
                format!("{}: {} → {}", case.process, case.text, ending.trim_matches('"'))
            })
            .collect();
        Ok(lines.join("\n"))
    }

    async fn known_entities(&self, text: &str) -> Phase<String> {
        let mut lines = Vec::new();
        let wanted = |kind: &str| matches!(kind, "vendor" | "person" | "id");
        for entity in entities(text).into_iter().filter(|entity| wanted(&entity.kind)).take(ENTITIES_MAX) {
            let cases = self.ports.memory.history(&entity, ENTITY_CASES_MAX).await?;
            if let Some(last) = cases.first() {
                lines.push(format!(
                    "{} {}: seen in {} ({})",
                    entity.kind, entity.name, last.session, last.process
                ));
            }
        }
        Ok(lines.join("\n"))
    }

    /// What the rules will look at. A preview: the verdict is made at POLICY_CHECK, on what was gathered.
    fn policy_preview(&self, fit: &Fit<'_>) -> String {
        let mut lines = vec![format!("mode {}", self.session.mode)];
        for rule in fit.task.rules() {
            let condition = rule.condition().unwrap_or("always");
            lines.push(format!("{}: {condition}", rule.id()));
        }
        if let Some(policy) = &self.settings.policy {
            lines.extend(policy.document.rule_ids().map(|id| format!("{}: {id}", policy.name)));
        }
        lines.join("\n")
    }
}

/// That nothing waits, and which tools are withheld until the rules or people have decided.
fn gate(catalogue: &Catalogue) -> String {
    let operations = catalogue.iter().filter(|known| match known.tool.effect() {
        Effect::Write | Effect::Notify => true,
        Effect::Read | Effect::Compute | Effect::Approval => false,
    });
    let names: Vec<&str> = operations.map(|known| known.name().as_str()).collect();
    let shown = names.get(..WITHHELD_MAX.min(names.len())).unwrap_or_default();
    let more = names.len() - shown.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    if names.is_empty() {
        return "No plan waits.".to_owned();
    }
    format!("No plan waits.\nWithheld until the rules or people have decided: {}{more}", shown.join(", "))
}
