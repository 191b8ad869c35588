//! Policy documents: all rules judged, the strictest wins.

use std::sync::Arc;

use crate::compile::{Slot, SlotTable};
use crate::deny::Searchable;
use crate::diagnostic::Diagnostic;
use crate::facts::Facts;
use crate::judgement::{Judgement, Triggered};
use crate::rule::{Cause, Fired, Rule};
use crate::subject::Subject;
use crate::value::Value;
use crate::verdict::{Authority, Verdict};
use crate::wire::read_document;

/// A policy document, compiled: rules, a context for their names, and a default.
///
/// Cheap to clone. See `docs/spec/policy-language.md` for the form.
#[derive(Clone, Debug)]
pub struct PolicyDocument {
    inner: Arc<Document>,
}

#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) authority: Authority,
    pub(crate) rules: Vec<Rule>,
    pub(crate) slots: SlotTable,
    pub(crate) context: Facts,
    pub(crate) default_action: Option<DefaultAction>,
    /// Whether a rule looks through the subject's texts.
    pub(crate) searches_text: bool,
    /// Which written values its conditions compare names with.
    pub(crate) compared: Vec<(String, Value)>,
}

/// What a document says about operations that its rules do not mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultAction {
    /// Permitted, if the authority may permit.
    Allow,
    /// Blocked, unless a rule allows it.
    Deny,
}

impl PolicyDocument {
    /// Reads and compiles a document. One mistake, and the whole of it is refused.
    ///
    /// # Errors
    ///
    /// What is wrong, where in the JSON, and how to mend it.
    pub fn parse(json: &str, authority: Authority) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self { inner: Arc::new(read_document(json.as_bytes(), authority)?) })
    }

    /// [`PolicyDocument::parse`] for bytes that may not be text at all.
    ///
    /// # Errors
    ///
    /// As [`PolicyDocument::parse`], and when the bytes are not UTF-8.
    pub fn parse_bytes(json: &[u8], authority: Authority) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self { inner: Arc::new(read_document(json, authority)?) })
    }

    /// Who stands behind it.
    pub fn authority(&self) -> Authority {
        self.inner.authority
    }

    /// The tools that a rule wants to be called before another one.
    pub fn needed_tools(&self) -> impl Iterator<Item = &str> {
        self.inner.rules.iter().flat_map(Rule::needed_tools)
    }

    /// The ids of its rules, in order.
    pub fn rule_ids(&self) -> impl Iterator<Item = &str> {
        self.inner.rules.iter().map(|rule| &*rule.id)
    }

    /// Its rules in words: id, what it says, what it demands.
    pub fn rules_told(&self) -> impl Iterator<Item = String> {
        self.inner.rules.iter().map(|rule| {
            let level = rule.level.map(|level| format!(" ({level})")).unwrap_or_default();
            format!("{}: {} -> {}{level}", rule.id, rule.text(), rule.action())
        })
    }

    /// The values that came with it, for its own rules.
    pub fn context(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.inner.context.told()
    }

    /// The dotted names that its conditions read.
    pub fn names(&self) -> Vec<String> {
        self.inner.slots.names().collect()
    }

    /// The names that its conditions compare with written values, and those values.
    pub fn compared(&self) -> &[(String, Value)] {
        &self.inner.compared
    }

    /// Looks every name up once, among the facts and the document's own context.
    pub fn bind(&self, facts: &Facts) -> Bound {
        let slots = self.inner.slots.bind(&facts.beside(&self.inner.context), &[]);
        Bound { document: Arc::clone(&self.inner), slots: slots.into() }
    }
}

/// A document with its names looked up: ready to judge many subjects.
#[derive(Clone, Debug)]
pub struct Bound {
    document: Arc<Document>,
    slots: Arc<[Slot]>,
}

impl Bound {
    /// The strictest verdict of the rules that fire; `None` if none does, which is not permission.
    pub fn verdict(&self, subject: &Subject<'_>) -> Option<Verdict> {
        let mut strictest = None;
        let mut allowed = false;
        let searchable = self.searchable(subject);
        for rule in &self.document.rules {
            if let Some(verdict) = rule.verdict(&self.slots, subject, searchable.as_ref()) {
                allowed |= verdict == Verdict::Allow;
                if self.document.counts(verdict) {
                    strictest = strictest.max(Some(verdict));
                }
            }
        }
        strictest.max(self.document.by_default(subject, strictest, allowed).map(|fired| fired.verdict))
    }

    /// The verdict with every rule that led to it and the values that were put in.
    pub fn judge(&self, subject: &Subject<'_>) -> Judgement {
        let mut triggered = Vec::new();
        let mut strictest = None;
        let mut allowed = false;
        let searchable = self.searchable(subject);
        for (index, rule) in self.document.rules.iter().enumerate() {
            if let Some(fired) = rule.judge(&self.slots, subject, searchable.as_ref()) {
                allowed |= fired.verdict == Verdict::Allow;
                if self.document.counts(fired.verdict) {
                    strictest = strictest.max(Some(fired.verdict));
                    triggered.push(Triggered { rule: Some(index), fired });
                }
            }
        }
        if let Some(fired) = self.document.by_default(subject, strictest, allowed) {
            strictest = strictest.max(Some(fired.verdict));
            triggered.push(Triggered { rule: None, fired });
        }
        Judgement::new(Arc::clone(&self.document), Arc::clone(&self.slots), strictest, triggered)
    }

    /// The subject's texts, if a rule looks through them.
    fn searchable(&self, subject: &Subject<'_>) -> Option<Searchable> {
        self.document.searches_text.then(|| Searchable::of(subject))
    }
}

impl Document {
    /// Whether a verdict of this authority has any effect: a request's `allow` has none.
    fn counts(&self, verdict: Verdict) -> bool {
        verdict > Verdict::Allow || self.authority.may_allow()
    }

    /// What the default says about an operation, after the rules.
    fn by_default(&self, subject: &Subject<'_>, strictest: Option<Verdict>, allowed: bool) -> Option<Fired> {
        let tool = subject.tool?;
        match self.default_action? {
            DefaultAction::Deny if !allowed => {
                Some(Fired { verdict: Verdict::Block, cause: Cause::NotAllowed { tool: tool.into() } })
            }
            DefaultAction::Allow if strictest.is_none() && self.authority.may_allow() => {
                Some(Fired { verdict: Verdict::Allow, cause: Cause::AllowedByDefault { tool: tool.into() } })
            }
            DefaultAction::Deny | DefaultAction::Allow => None,
        }
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
