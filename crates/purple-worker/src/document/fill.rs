//! Fills documents from what a run left: its journal, its log, its figures and its rules. Nothing is guessed.

use purple_journal::record::approval::{Approval, Decided};
use purple_journal::record::incident::Incident;
use purple_journal::record::run::Run;
use purple_journal::record::tool::Read;
use purple_journal::record::write::Write;
use purple_journal::word::DecisionKind;
use purple_journal::{Record, Redacted};
use purple_policy::Exact;
use purple_process::Outcome;
use serde_json::Value;

use super::{Document, Template, approval_texts, code, list};
use crate::port::Recorded;
use crate::view::{AnswerData, Mutation, RunView};

/// The most lines of a timeline.
const TIMELINE_LINES_MAX: usize = 60;

/// What code knows that a section may be made of.
#[derive(Clone, Copy)]
enum Source {
    /// The task in one line.
    Task,
    /// What happened, and when.
    Timeline,
    /// Every figure that was computed.
    Figures,
    /// What was done and not read back as wanted.
    Open,
    /// The rules that decided, with their numbers.
    Rules,
    /// Whom the rules ask.
    Routing,
    /// Which tools were read.
    Scope,
}

/// Which sections code can fill, of any kind that has them. The others are a person's or a model's.
const FILLED: &[(&str, Source)] = &[
    ("incident_summary", Source::Task),
    ("timeline", Source::Timeline),
    ("impact", Source::Figures),
    ("financial_metrics", Source::Figures),
    ("action_items", Source::Open),
    ("findings", Source::Rules),
    ("risk_flags", Source::Rules),
    ("approval_routing", Source::Routing),
    ("audit_scope", Source::Scope),
];

/// A document about a run: what code knows, and below it what its answer says under headings of the same names.
///
/// The brief of an approval is made of the card of the view: the one that waits, or the last one that was asked.
#[must_use]
pub fn of_run(template: Template, view: &RunView, journal: &[Recorded]) -> Document {
    let mut document = Document::empty(template);
    if template == Template::ApprovalBrief {
        for (section, text) in view.card.iter().flat_map(approval_texts) {
            let _ = document.fill(section, &text);
        }
        if view.card.is_some() {
            let _ = document.fill("approver_decision", &decisions(journal));
        }
        return document;
    }
    let answer = view.answer.as_ref().map(|answer| &answer.data);
    for (section, source) in FILLED.iter().filter(|(section, _)| template.sections().contains(section)) {
        let text = match source {
            Source::Task => list([code(&view.summary.title)]),
            Source::Timeline => timeline(journal),
            Source::Figures => answer.map(figures).unwrap_or_default(),
            Source::Open => answer.map(open).unwrap_or_default(),
            Source::Rules => answer.map(rules).unwrap_or_default(),
            Source::Routing => routing(view, answer),
            Source::Scope => scope(view, journal),
        };
        // A text that is too long for its section leaves it as it is: marked.
        let _ = document.fill(section, &text);
    }
    let said = answer.map(|answer| Document::from_markdown(template, &answer.answer));
    for section in template.sections() {
        if let Some(text) = said.as_ref().and_then(|said| said.text(section)) {
            let _ = document.fill(section, text);
        }
    }
    document
}

/// The kind of document that a task asks for by its name, if it does.
#[must_use]
pub fn asked_for(task: &str) -> Option<Template> {
    const NAMES: &[(&str, Template)] = &[
        ("post-mortem", Template::PostMortem),
        ("post mortem", Template::PostMortem),
        ("postmortem", Template::PostMortem),
        ("root cause analysis", Template::IncidentRca),
        ("rca document", Template::IncidentRca),
        ("product requirements", Template::Prd),
        ("sprint plan", Template::SprintPlan),
        ("accounts receivable report", Template::ArReport),
        ("ar report", Template::ArReport),
        ("aging report", Template::ArReport),
        ("compliance report", Template::ComplianceReport),
        ("quarterly business review", Template::QbrSlide),
        ("qbr", Template::QbrSlide),
        ("contract renewal brief", Template::ContractRenewal),
        ("renewal brief", Template::ContractRenewal),
    ];
    let words = task.to_lowercase();
    let words =
        words.split(|sign: char| !sign.is_alphanumeric() && sign != '-').collect::<Vec<_>>().join(" ");
    let words = format!(" {words} ");
    let found = NAMES.iter().find(|(name, _)| words.contains(&format!(" {name} ")));
    found.map(|(_, template)| *template).or_else(|| {
        Template::all()
            .filter(|template| *template != Template::ApprovalBrief)
            .find(|template| task.to_lowercase().contains(template.name()))
    })
}

fn timeline(journal: &[Recorded]) -> String {
    let lines = journal.iter().filter_map(|recorded| {
        let what = milestone(recorded.record())?;
        Some(format!("{}: {what}", recorded.entry.at.strftime("%Y-%m-%d %H:%M:%S UTC")))
    });
    list(lines.take(TIMELINE_LINES_MAX))
}

/// The line of a record in a timeline; `None` where it has none.
fn milestone(record: &Record) -> Option<String> {
    Some(match record {
        Record::Run(Run::StateEntered(entered)) => format!("entered {}", entered.to),
        Record::Approval(Approval::Asked(asked)) => format!("asked: {}", code(asked.headline.as_str())),
        Record::Approval(Approval::Decided(decision)) => decided(decision),
        Record::Approval(Approval::Granted(_)) => "approved".to_owned(),
        Record::Approval(Approval::Expired(_)) => "not decided in time".to_owned(),
        Record::Write(Write::Verified(verified)) => {
            let outcome = crate::execute::operate::word(verified.outcome);
            format!("{}: {outcome}", code(verified.headline.as_str()))
        }
        Record::Incident(Incident::Reported(incident)) => {
            format!("incident: {}", code(incident.what.as_str()))
        }
        Record::Run(_)
        | Record::Approval(_)
        | Record::Write(_)
        | Record::Task(_)
        | Record::Process(_)
        | Record::Model(_)
        | Record::Tool(_)
        | Record::Plan(_)
        | Record::Turn(_)
        | Record::Learning(_)
        | Record::Operator(_)
        | Record::Unknown(_) => return None,
    })
}

/// What people decided about the last plan that was asked.
fn decisions(journal: &[Recorded]) -> String {
    let is_asked = |recorded: &Recorded| matches!(recorded.record(), Record::Approval(Approval::Asked(_)));
    let asked = journal.iter().rposition(is_asked);
    let since = journal.iter().skip(asked.unwrap_or(journal.len()));
    list(since.filter_map(|recorded| recorded.record().get::<Decided>().map(decided)))
}

/// `approve by kim, "fine"`.
fn decided(decision: &Decided) -> String {
    let reason = decision.reason.as_ref().map(Redacted::as_str).filter(|why| !why.is_empty());
    let reason = reason.map(|why| format!(", {}", code(why))).unwrap_or_default();
    let kind = match decision.decision {
        DecisionKind::Approve => "approve",
        DecisionKind::ApproveSome => "approve_some",
        DecisionKind::Reject => "reject",
    };
    format!("{kind} by {}{reason}", code(decision.by.as_str()))
}

fn figures(answer: &AnswerData) -> String {
    // A reference or a name is no figure.
    let is_number =
        |value: &str| value.split_whitespace().next().is_some_and(|word| Exact::parse(word).is_ok());
    let numbers = answer.figures.iter().filter(|(_, value)| is_number(value));
    list(numbers.map(|(name, value)| format!("{}: {}", code(name), code(value))))
}

fn open(answer: &AnswerData) -> String {
    let line = |mutation: &Mutation| {
        format!("{} ({})", code(&mutation.headline), crate::execute::operate::word(mutation.outcome))
    };
    // What was done and read back needs nobody any more.
    list(answer.mutations.iter().filter(|one| one.outcome != Outcome::Verified).map(line))
}

fn rules(answer: &AnswerData) -> String {
    let triggered = answer.policy.iter().flat_map(|policy| &policy.triggered_rules);
    // What a rule simply allows is no finding.
    let stands_out = |rule: &&Value| rule.get("action").and_then(Value::as_str) != Some("allow");
    list(triggered.filter(stands_out).filter_map(|rule| {
        let word = |name: &str| rule.get(name).and_then(Value::as_str).filter(|word| !word.is_empty());
        let because = word("description").map(|why| format!(", {}", code(why))).unwrap_or_default();
        Some(format!("{}: {}{because}", code(word("id")?), code(word("explanation").unwrap_or("it applies"))))
    }))
}

fn routing(view: &RunView, answer: Option<&AnswerData>) -> String {
    let asks = view.summary.approval.iter().flat_map(|approval| &approval.asks);
    let level = answer.and_then(|answer| answer.policy.as_ref()?.escalation_level.as_ref());
    let asks = asks.map(|who| format!("must say yes: {}", code(who)));
    list(asks.chain(level.map(|level| format!("level: {}", code(level)))))
}

fn scope<'j>(view: &RunView, journal: &'j [Recorded]) -> String {
    let tool_read = |recorded: &'j Recorded| recorded.record().get::<Read>().map(|read| read.tool.as_str());
    let mut tools: Vec<&str> = journal.iter().filter_map(tool_read).collect();
    tools.sort_unstable();
    tools.dedup();
    let read = tools.into_iter().map(|tool| format!("read: {}", code(tool)));
    list(std::iter::once(code(&view.summary.title)).chain(read))
}
