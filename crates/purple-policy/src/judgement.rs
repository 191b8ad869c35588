//! The result of judging: the verdict, the rules that led to it, and the numbers put in.

use std::fmt;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use crate::compile::Slot;
use crate::deny::What;
use crate::document::Document;
use crate::expression::put_in;
use crate::rule::{Body, Cause, Fired, Rule};
use crate::unevaluable::{Doubt, Unevaluable};
use crate::verdict::{Authority, Level, Verdict};

/// What a document says about a subject. Holds the data; texts are made when they are asked for.
#[derive(Clone, Debug)]
pub struct Judgement {
    document: Arc<Document>,
    slots: Arc<[Slot]>,
    verdict: Option<Verdict>,
    triggered: Vec<Triggered>,
}

/// A rule that fired or could not be checked, by its place; `None` is the document's default.
#[derive(Clone, Debug)]
pub(crate) struct Triggered {
    pub(crate) rule: Option<usize>,
    pub(crate) fired: Fired,
}

impl Judgement {
    pub(crate) fn new(
        document: Arc<Document>,
        slots: Arc<[Slot]>,
        verdict: Option<Verdict>,
        triggered: Vec<Triggered>,
    ) -> Self {
        Self { document, slots, verdict, triggered }
    }

    /// Who stands behind the rules.
    pub fn authority(&self) -> Authority {
        self.document.authority
    }

    /// The strictest verdict; `None` if no rule fired, which is not permission.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// No rule fired that demands anything.
    pub fn passed(&self) -> bool {
        self.verdict <= Some(Verdict::Allow)
    }

    /// A rule fired that demands approval.
    pub fn requires_approval(&self) -> bool {
        self.demands(Verdict::RequireApproval)
    }

    /// A rule fired that demands that a human takes over.
    pub fn escalation_required(&self) -> bool {
        self.demands(Verdict::Escalate)
    }

    /// The highest level among the rules that fired or could not be checked, and demand something.
    pub fn escalation_level(&self) -> Option<Level> {
        let demanding = self.triggered_rules().filter(|rule| rule.action() > Verdict::Allow);
        let unchecked = self.unchecked_rules().filter_map(|rule| rule.level());
        demanding.filter_map(|rule| rule.level()).chain(unchecked).max()
    }

    /// The rules that were evaluated and fired, in the order of the document.
    pub fn triggered_rules(&self) -> impl Iterator<Item = TriggeredRule<'_>> {
        self.triggered.iter().filter_map(|triggered| match &triggered.fired.cause {
            Cause::Doubt(_) => None,
            Cause::Holds
            | Cause::Found(_)
            | Cause::Unmet { .. }
            | Cause::NotAllowed { .. }
            | Cause::AllowedByDefault { .. } => Some(TriggeredRule { judgement: self, triggered }),
        })
    }

    /// The rules that would restrict and could not be evaluated, in the order of the document: each demands a person.
    pub fn unchecked_rules(&self) -> impl Iterator<Item = UncheckedRule<'_>> {
        self.triggered.iter().filter_map(|triggered| match (&triggered.fired.cause, triggered.rule) {
            (Cause::Doubt(why), Some(rule)) => {
                Some(UncheckedRule { rule: self.document.rules.get(rule)?, why })
            }
            _ => None,
        })
    }

    fn demands(&self, verdict: Verdict) -> bool {
        self.triggered.iter().any(|triggered| triggered.fired.verdict == verdict)
    }
}

/// One rule that fired.
#[derive(Clone, Copy, Debug)]
pub struct TriggeredRule<'a> {
    judgement: &'a Judgement,
    triggered: &'a Triggered,
}

impl<'a> TriggeredRule<'a> {
    fn rule(&self) -> Option<&'a Rule> {
        self.judgement.document.rules.get(self.triggered.rule?)
    }

    /// The rule's id; `default_action` for the document's default.
    pub fn id(&self) -> &'a str {
        self.rule().map_or(DEFAULT_ID, |rule| &rule.id)
    }

    /// What the rule demands.
    pub fn action(&self) -> Verdict {
        self.triggered.fired.verdict
    }

    /// Who is to be asked.
    pub fn level(&self) -> Option<Level> {
        self.rule()?.level
    }

    /// What the rule is for, in its author's words.
    pub fn description(&self) -> Option<&'a str> {
        self.rule()?.description.as_deref()
    }

    /// What the rule says, as it was written.
    pub fn condition(&self) -> String {
        self.rule().map_or_else(|| DEFAULT_ID.to_owned(), Rule::text)
    }

    /// The names in the condition and their values, each once.
    pub fn values(&self) -> Vec<(String, String)> {
        let Some(Rule { body: Body::Condition { source, program, .. }, .. }) = self.rule() else {
            return Vec::new();
        };
        let mut values: Vec<(String, String)> = Vec::new();
        for mention in &program.mentions {
            let name = mention.span.text(source);
            if let Some(Ok(value)) = self.judgement.slots.get(mention.slot)
                && !values.iter().any(|(known, _)| known == name)
            {
                values.push((name.to_owned(), value.shown()));
            }
        }
        values
    }

    /// The tool that had to come first and did not, if that is why it fired.
    pub fn unmet(&self) -> Option<&'a str> {
        match &self.triggered.fired.cause {
            Cause::Unmet { needs, .. } => Some(needs),
            Cause::Holds
            | Cause::Doubt(_)
            | Cause::Found(_)
            | Cause::NotAllowed { .. }
            | Cause::AllowedByDefault { .. } => None,
        }
    }

    /// Why it fired: `variance_percent (2.2265625) > 2.0`.
    pub fn explanation(&self) -> String {
        match (&self.triggered.fired.cause, self.rule().map(|rule| &rule.body)) {
            (Cause::Holds, Some(Body::Condition { source, program, .. })) => {
                put_in(source, (&program.mentions, &[]), &self.judgement.slots)
            }
            // INVARIANT: what is in doubt is an `UncheckedRule`.
            (Cause::Holds | Cause::Doubt(_), _) => self.condition(),
            (Cause::Found(found), _) => match &found.what {
                What::Keyword(keyword) => format!("`{keyword}` stands in {}", found.place),
                What::Pattern => format!("the pattern matches in {}", found.place),
            },
            (Cause::Unmet { tool, needs }, _) => format!("`{tool}` needs `{needs}` first"),
            (Cause::NotAllowed { tool }, _) => format!("no rule allows `{tool}`"),
            (Cause::AllowedByDefault { tool }, _) => format!("no rule speaks against `{tool}`"),
        }
    }
}

/// The id under which a document's default appears.
pub(crate) const DEFAULT_ID: &str = "default_action";

/// One line: id, action, explanation and, if it could not be evaluated, why.
impl fmt::Display for TriggeredRule<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.id(), self.action())?;
        if let Some(level) = self.level() {
            write!(out, " ({level})")?;
        }
        write!(out, " because {}", self.explanation())
    }
}

/// One rule that would restrict and could not be evaluated.
///
/// It has no explanation and no reason of its author: nothing of what it says was found to be so.
#[derive(Clone, Copy, Debug)]
pub struct UncheckedRule<'a> {
    rule: &'a Rule,
    why: &'a Doubt,
}

impl<'a> UncheckedRule<'a> {
    /// The rule's id.
    pub fn id(&self) -> &'a str {
        &self.rule.id
    }

    /// What it would demand if its condition held.
    pub fn action(&self) -> Verdict {
        self.rule.action()
    }

    /// Who is to be asked.
    pub fn level(&self) -> Option<Level> {
        self.rule.level
    }

    /// What the rule says, as it was written.
    pub fn condition(&self) -> String {
        self.rule.text()
    }

    /// Why it could not be evaluated.
    pub fn why(&self) -> &'a Unevaluable {
        self.why
    }

    /// The same as a sentence for people: "could not be checked: `country` is not known".
    pub fn explanation(&self) -> String {
        format!("could not be checked: {}", self.why)
    }
}

/// One line: id, and why it could not be checked.
impl fmt::Display for UncheckedRule<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.id(), self.explanation())
    }
}

/// The verdict, then one line for each rule that fired.
impl fmt::Display for Judgement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.verdict.map_or("no rule fired", Verdict::as_str))?;
        for rule in self.triggered_rules() {
            write!(out, "\n  {rule}")?;
        }
        for rule in self.unchecked_rules() {
            write!(out, "\n  {rule}")?;
        }
        Ok(())
    }
}

impl Serialize for Judgement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Judgement", 7)?;
        fields.serialize_field("passed", &self.passed())?;
        fields.serialize_field("verdict", &self.verdict)?;
        fields.serialize_field("requiresApproval", &self.requires_approval())?;
        fields.serialize_field("escalationRequired", &self.escalation_required())?;
        fields.serialize_field("escalationLevel", &self.escalation_level())?;
        fields.serialize_field("triggeredRules", &self.triggered_rules().collect::<Vec<_>>())?;
        fields.serialize_field("notEvaluated", &self.unchecked_rules().collect::<Vec<_>>())?;
        fields.end()
    }
}

impl Serialize for TriggeredRule<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("TriggeredRule", 7)?;
        fields.serialize_field("id", self.id())?;
        fields.serialize_field("condition", &self.condition())?;
        fields.serialize_field("action", &self.action())?;
        fields.serialize_field("level", &self.level())?;
        fields.serialize_field("description", &self.description())?;
        fields.serialize_field("values", &Pairs(self.values()))?;
        fields.serialize_field("explanation", &self.explanation())?;
        fields.end()
    }
}

impl Serialize for UncheckedRule<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("UncheckedRule", 6)?;
        fields.serialize_field("id", self.id())?;
        fields.serialize_field("condition", &self.condition())?;
        fields.serialize_field("action", &self.action())?;
        fields.serialize_field("level", &self.level())?;
        fields.serialize_field("name", &self.why.name())?;
        fields.serialize_field("why", &self.why.to_string())?;
        fields.end()
    }
}

/// Names and values as one JSON object, in the order of the condition.
struct Pairs(Vec<(String, String)>);

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
