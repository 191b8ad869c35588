//! One rule of a document: when it fires, and what it then demands.

use std::sync::Arc;

use crate::compared::compared;
use crate::compile::{Program, Slot};
use crate::deny::{Deny, Found, Searchable};
use crate::eval::Evaluation;
use crate::parse::parse;
use crate::subject::Subject;
use crate::unevaluable::Doubt;
use crate::value::Value;
use crate::verdict::{Level, Verdict};

/// A rule, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) id: Arc<str>,
    pub(crate) level: Option<Level>,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) body: Body,
}

/// The three kinds of rule.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Fires when its condition holds.
    Condition { source: Arc<str>, program: Program, action: Verdict },
    /// Blocks what touches its words.
    Deny(Deny),
    /// Certain tools need others first.
    RequireBefore(RequireBefore),
}

/// `tools` need every one of `needs` first.
#[derive(Clone, Debug)]
pub(crate) struct RequireBefore {
    pub(crate) tools: Vec<Arc<str>>,
    pub(crate) needs: Vec<Arc<str>>,
}

/// A rule that fired: what it demands, and why.
#[derive(Clone, Debug)]
pub(crate) struct Fired {
    pub(crate) verdict: Verdict,
    pub(crate) cause: Cause,
}

/// Why something fired.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// Its condition holds.
    Holds,
    /// It could not be evaluated, and demands a person.
    Doubt(Doubt),
    /// A forbidden word or pattern was found.
    Found(Found),
    /// A tool is called before one that it needs.
    Unmet { tool: Arc<str>, needs: Arc<str> },
    /// No rule allows this tool, and the document denies by default.
    NotAllowed { tool: Arc<str> },
    /// No rule fired, and the document allows by default.
    AllowedByDefault { tool: Arc<str> },
}

impl Rule {
    /// Judges the rule. Silent rules cost no allocation.
    pub(crate) fn judge(
        &self,
        slots: &[Slot],
        subject: &Subject<'_>,
        searchable: Option<&Searchable>,
    ) -> Option<Fired> {
        match &self.body {
            Body::Condition { program, action, .. } => match Evaluation::of(slots).holds(&program.root) {
                Ok(true) => Some(Fired { verdict: *action, cause: Cause::Holds }),
                Ok(false) => None,
                Err(doubt) => in_doubt(*action).map(|verdict| Fired { verdict, cause: Cause::Doubt(doubt) }),
            },
            Body::Deny(deny) => match deny.find(searchable?) {
                Ok(found) => Some(Fired { verdict: Verdict::Block, cause: Cause::Found(found?) }),
                Err(doubt) => in_doubt(Verdict::Block)
                    .map(|verdict| Fired { verdict, cause: Cause::Doubt(Arc::new(doubt)) }),
            },
            Body::RequireBefore(rule) => rule.judge(subject),
        }
    }

    /// What the rule demands, if it fires: [`Rule::judge`] without the reasons.
    pub(crate) fn verdict(
        &self,
        slots: &[Slot],
        subject: &Subject<'_>,
        searchable: Option<&Searchable>,
    ) -> Option<Verdict> {
        match &self.body {
            Body::Condition { program, action, .. } => match Evaluation::of(slots).holds(&program.root) {
                Ok(fires) => fires.then_some(*action),
                Err(_) => in_doubt(*action),
            },
            Body::Deny(_) | Body::RequireBefore(_) => {
                self.judge(slots, subject, searchable).map(|fired| fired.verdict)
            }
        }
    }

    /// What the rule says when it is evaluated and fires.
    pub(crate) fn action(&self) -> Verdict {
        match &self.body {
            Body::Condition { action, .. } => *action,
            Body::Deny(_) | Body::RequireBefore(_) => Verdict::Block,
        }
    }

    /// The tools that the rule wants first.
    pub(crate) fn needed_tools(&self) -> impl Iterator<Item = &str> {
        let needs: &[Arc<str>] = match &self.body {
            Body::RequireBefore(rule) => &rule.needs,
            Body::Condition { .. } | Body::Deny(_) => &[],
        };
        needs.iter().map(|tool| &**tool)
    }

    /// The names that its condition compares with written values.
    pub(crate) fn compared(&self) -> Vec<(String, Value)> {
        match &self.body {
            // It compiled, so it can be parsed.
            Body::Condition { source, .. } => parse(source).map(|expr| compared(&expr)).unwrap_or_default(),
            Body::Deny(_) | Body::RequireBefore(_) => Vec::new(),
        }
    }

    /// What the rule says, as text.
    pub(crate) fn text(&self) -> String {
        match &self.body {
            Body::Condition { source, .. } => source.to_string(),
            Body::Deny(deny) => deny.described(),
            Body::RequireBefore(rule) => {
                format!("{} before {}", rule.needs.join(", "), rule.tools.join(", "))
            }
        }
    }
}

/// What a rule demands that cannot be evaluated: a person, unless it would permit; then it does not match.
pub(crate) fn in_doubt(action: Verdict) -> Option<Verdict> {
    match action {
        Verdict::Allow => None,
        Verdict::RequireApproval | Verdict::Escalate | Verdict::Block => Some(Verdict::RequireApproval),
    }
}

impl RequireBefore {
    fn judge(&self, subject: &Subject<'_>) -> Option<Fired> {
        let tool = self.tools.iter().find(|tool| subject.tool == Some(tool))?;
        let unmet = self.needs.iter().filter(|needed| !subject.satisfied.contains(&&***needed));
        let verdict = |needed: &Arc<str>| {
            if subject.approval_tools.contains(&&**needed) {
                Verdict::RequireApproval
            } else {
                Verdict::Block
            }
        };
        let needs = unmet.max_by_key(|needed| verdict(needed))?;
        let cause = Cause::Unmet { tool: Arc::clone(tool), needs: Arc::clone(needs) };
        Some(Fired { verdict: verdict(needs), cause })
    }
}
