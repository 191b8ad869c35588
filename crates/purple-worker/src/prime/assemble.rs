//! Puts the brief together: what earlier cases, this session, the rules and the figures say about a task.
//!
//! A playbook does not need it; whoever drives a task without one is told this and nothing else.

use purple_journal::record::task;
use purple_policy::{Authority, Facts, PolicyDocument, Subject};
use purple_process::Effect;

use crate::execute::catalogue::Catalogue;
use crate::port::BlobHash;
use crate::prime::brief::{Brief, Section};
use crate::prime::choose::Fit;
use crate::prime::privacy::redact;
use crate::run::{Phase, Run};
use crate::synthesis::recognised;

/// The most withheld tools that a brief names.
const WITHHELD_MAX: usize = 120;

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
        let shown = redact(text);
        let past = self.past_cases(&shown).await?;
        let (known, facts) = self.known_about(&shown).await?;
        let session = self.session.conversation.to_text();
        let mut policy = self.policy_preview(fit);
        policy.extend(self.request_preview(text).await?);
        let mut policy = policy.join("\n");
        if let Some(hash) = self.session.advisory {
            let prose = self.bytes("policy", hash).await?;
            policy.push_str("\nAdvisory, not evaluated:\n");
            policy.push_str(&String::from_utf8_lossy(&prose));
        }
        let finance = self.computed_before(text).await?;
        let needs = recognised(text).into_iter().filter(|need| need.shipped);
        let needs = needs
            .map(|need| format!("{}: `{}` computes {}, exactly", need.field.word(), need.name, need.about));
        let gaps: Vec<String> = catalogue.left_out().iter().cloned().chain(needs).collect();
        let gaps = gaps.join("\n");
        let gate = gate(catalogue);
        let sections = [
            (Section::PastCases, past.as_str()),
            (Section::Session, session.as_str()),
            (Section::Policy, policy.as_str()),
            (Section::Entities, known.as_str()),
            (Section::Knowledge, facts.as_str()),
            (Section::Finance, finance.as_str()),
            (Section::ToolGaps, gaps.as_str()),
            (Section::Gate, gate.as_str()),
        ];
        let brief = Brief::assemble(sections);
        let hash = self.keep("brief", &brief)?;
        self.scribe.note(task::BriefMade { brief: hash, bytes: brief.to_text().len() })?;
        Ok(hash)
    }

    /// What the rules will look at. A preview: the verdict is made at POLICY_CHECK, on what was gathered.
    fn policy_preview(&self, fit: &Fit<'_>) -> Vec<String> {
        let mut lines = vec![format!("mode {}", self.session.mode)];
        for rule in fit.task.rules() {
            let condition = rule.condition().unwrap_or("always");
            lines.push(format!("{}: {condition}", rule.id()));
        }
        if let Some(policy) = &self.settings.policy {
            lines.extend(policy.document.rule_ids().map(|id| format!("{}: {id}", policy.name)));
        }
        lines
    }

    /// What the rules that came with the request say to its words alone, with their context: result and reasons.
    async fn request_preview(&self, text: &str) -> Phase<Vec<String>> {
        let Some(hash) = self.session.request_policy else { return Ok(Vec::new()) };
        let bytes = self.bytes("policy", hash).await?;
        // Rules that cannot be read were refused when the request came in.
        let Ok(document) = PolicyDocument::parse_bytes(&bytes, Authority::Request) else {
            return Ok(Vec::new());
        };
        let judgement = document.bind(&Facts::new()).judge(&Subject { task: text, ..Subject::default() });
        let mut lines = vec!["rules of the request; they can only restrict:".to_owned()];
        lines.extend(document.rules_told());
        lines.extend(document.context().map(|(name, value)| format!("context: {name} = {value}")));
        let verdict = judgement.verdict().map_or("no rule fires", purple_policy::Verdict::as_str);
        lines.push(format!("on the words alone: {verdict}"));
        lines.extend(judgement.triggered_rules().map(|rule| rule.to_string()));
        lines.extend(judgement.unchecked_rules().map(|rule| rule.to_string()));
        Ok(lines)
    }
}

/// That nothing waits, and which tools are withheld until the rules or people have decided.
fn gate(catalogue: &Catalogue) -> String {
    let operations = catalogue.iter().filter(|known| match known.tool.effect() {
        Effect::Write | Effect::Notify | Effect::Approval => true,
        Effect::Read | Effect::Compute => false,
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
