//! Structured documents from templates. What is missing is marked, never invented.

use std::collections::BTreeMap;
use std::fmt;

use crate::card::{Card, Effect, Provenance};
use crate::outside::{Shown, escaped};

mod fill;
mod form;

pub use fill::{asked_for, of_run};
pub use form::{Document, Flaw, SECTION_BYTES_MAX};

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Template {
    /// What an approver needs to know.
    ApprovalBrief,
    /// What happened, without blame.
    PostMortem,
    /// Why something happened.
    IncidentRca,
    /// What a product needs.
    Prd,
    /// The next sprint.
    SprintPlan,
    /// Open receivables.
    ArReport,
    /// The state of compliance.
    ComplianceReport,
    /// A page of a quarterly review.
    QbrSlide,
    /// A contract that ends.
    ContractRenewal,
}

/// Name, title and required sections of each template.
const TEMPLATES: &[(Template, &str, &str, &[&str])] = &[
    (
        Template::ApprovalBrief,
        "approval_brief",
        "Approval brief",
        &["request_summary", "proposed_actions", "policy_compliance", "risk_assessment", "approver_decision"],
    ),
    (
        Template::PostMortem,
        "post_mortem",
        "Post-mortem",
        &[
            "incident_summary",
            "timeline",
            "root_cause",
            "contributing_factors",
            "impact",
            "action_items",
            "blameless_note",
        ],
    ),
    (
        Template::IncidentRca,
        "incident_rca",
        "Root cause analysis",
        &[
            "incident_summary",
            "timeline",
            "root_cause",
            "contributing_factors",
            "remediation_options",
            "action_items",
        ],
    ),
    (
        Template::Prd,
        "prd",
        "Product requirements",
        &[
            "problem_statement",
            "user_stories",
            "acceptance_criteria",
            "technical_constraints",
            "success_metrics",
            "open_questions",
        ],
    ),
    (
        Template::SprintPlan,
        "sprint_plan",
        "Sprint plan",
        &["sprint_goal", "capacity_summary", "stories", "dependencies", "risks", "carryover"],
    ),
    (
        Template::ArReport,
        "ar_report",
        "Accounts receivable report",
        &["aging_summary", "by_customer", "recommended_actions", "revenue_impact", "write_offs"],
    ),
    (
        Template::ComplianceReport,
        "compliance_report",
        "Compliance report",
        &["audit_scope", "findings", "gap_analysis", "remediation_plan", "deadline_summary"],
    ),
    (
        Template::QbrSlide,
        "qbr_slide",
        "Quarterly business review",
        &[
            "executive_summary",
            "financial_metrics",
            "sales_pipeline",
            "product_highlights",
            "support_metrics",
            "key_insights",
        ],
    ),
    (
        Template::ContractRenewal,
        "contract_renewal",
        "Contract renewal",
        &[
            "vendor_summary",
            "current_terms",
            "proposed_changes",
            "risk_flags",
            "approval_routing",
            "recommendation",
        ],
    ),
];

impl Template {
    /// Every template.
    pub fn all() -> impl Iterator<Item = Self> {
        TEMPLATES.iter().map(|(template, ..)| *template)
    }

    /// The template of this name.
    pub fn find(name: &str) -> Option<Self> {
        TEMPLATES.iter().find(|(_, known, ..)| *known == name).map(|(template, ..)| *template)
    }

    fn row(self) -> Option<&'static (Self, &'static str, &'static str, &'static [&'static str])> {
        TEMPLATES.iter().find(|(template, ..)| *template == self)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |(_, name, ..)| name)
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        self.row().map_or("", |(_, _, title, _)| title)
    }

    /// Its required sections, in order.
    pub fn sections(self) -> &'static [&'static str] {
        self.row().map_or(&[], |(.., sections)| sections)
    }

    /// The sections that these texts leave empty.
    pub fn missing(self, texts: &BTreeMap<String, String>) -> Vec<&'static str> {
        let empty = |section: &&&str| texts.get(**section).is_none_or(|text| text.trim().is_empty());
        self.sections().iter().filter(empty).copied().collect()
    }
}

impl fmt::Display for Template {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The document as Markdown. A section without text is marked as required; texts of other sections are not used.
pub fn render(template: Template, texts: &BTreeMap<String, String>) -> String {
    let mut out = format!("# {}\n", template.title());
    for section in template.sections() {
        let text = texts.get(*section).map(|text| text.trim()).filter(|text| !text.is_empty());
        let body = text.map_or_else(|| mark(section), within_section);
        out.push_str(&format!("\n## {}\n\n{body}\n", heading(section)));
    }
    out
}

/// `[REQUEST SUMMARY — REQUIRED]`.
fn mark(section: &str) -> String {
    format!("[{} — REQUIRED]", section.replace('_', " ").to_uppercase())
}

fn heading(section: &str) -> String {
    let words = section.replace('_', " ");
    let mut characters = words.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}", characters.as_str())
}

/// Text that can be anything but a heading of the document, nor a fence or a tag that swallows what follows.
fn within_section(text: &str) -> String {
    let line = |line: &str| {
        let line = escaped(line.trim_end());
        let start = line.trim_start();
        let underlines = |sign: char| !start.is_empty() && start.chars().all(|one| one == sign || one == ' ');
        let opens = ["#", "<", "```", "~~~"].iter().any(|sign| start.starts_with(sign));
        if opens || underlines('=') || underlines('-') {
            let indent = line.len() - start.len();
            let (space, rest) = line.split_at(indent);
            return format!("{space}\\{rest}");
        }
        line
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The brief of an approval, filled by code from the card.
pub fn approval_brief(card: &Card) -> String {
    let texts = approval_texts(card).map(|(section, text)| (section.to_owned(), text));
    render(Template::ApprovalBrief, &BTreeMap::from(texts))
}

fn approval_texts(card: &Card) -> [(&'static str, String); 5] {
    [
        ("request_summary", request_summary(card)),
        ("proposed_actions", proposed_actions(card)),
        ("policy_compliance", policy_compliance(card)),
        ("risk_assessment", risk_assessment(card)),
        ("approver_decision", approver_decision(card)),
    ]
}

/// A value from outside as code, so that no Markdown and no HTML in it works.
fn code(value: &str) -> String {
    let longest = value.split(|sign| sign != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    if value.is_empty() { "(empty)".to_owned() } else { format!("{fence}{pad}{value}{pad}{fence}") }
}

fn shown(value: &Shown) -> String {
    code(value.as_str())
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().map(|item| format!("* {item}")).collect::<Vec<_>>().join("\n")
}

fn request_summary(card: &Card) -> String {
    let headline = format!("To decide: {}", shown(&card.headline().text));
    let requester = format!("Requested by {}", code(card.who().requester.as_str()));
    let asked = format!("Waiting since {}, until {}", card.asked_at(), card.expires_at());
    list([headline, requester, asked])
}

fn proposed_actions(card: &Card) -> String {
    let action = |effect: &Effect| {
        let mut lines = vec![format!("* {} with {}", shown(&effect.headline), code(effect.tool.as_str()))];
        lines.extend(effect.changes.iter().map(|change| {
            let before = change.before.as_ref().map_or("not read".to_owned(), shown);
            format!("    * {}: {before} → {}", shown(&change.field), shown(&change.after))
        }));
        lines.extend(effect.recipients.iter().map(|to| format!("    * tells {}", shown(to))));
        lines.join("\n")
    };
    card.effects().iter().map(action).collect::<Vec<_>>().join("\n")
}

fn policy_compliance(card: &Card) -> String {
    let why = card.why();
    let named = |name: &str, value: Option<&Shown>| value.map(|value| format!("{name}: {}", shown(value)));
    let rule =
        named("Rule", why.rule.as_ref()).unwrap_or_else(|| "No rule of the process matched".to_owned());
    let facts = [
        named("With the numbers put in", why.numbers.as_ref()),
        named("Because", why.because.as_ref()),
        named("Source", why.source.as_ref()),
    ];
    let also = why.also.iter().map(|reason| format!("Also: {}", shown(reason)));
    let doubts = why.doubts.iter().map(|doubt| shown(doubt).clone());
    let mode = format!("Mode: {}", card.mode());
    list(std::iter::once(rule).chain(facts.into_iter().flatten()).chain(also).chain(doubts).chain([mode]))
}

/// What code can see of the risk. It says what it looked for when it found nothing.
fn risk_assessment(card: &Card) -> String {
    let mut risks: Vec<String> =
        card.headline().unusual.iter().map(|line| format!("Unusual: {}", shown(line))).collect();
    for effect in card.effects() {
        if effect.undone_by.is_none() {
            risks.push(format!("Cannot be undone: {}", shown(&effect.headline)));
        }
        if effect.verified_by.is_none() {
            risks.push(format!("Nothing can read it back: {}", shown(&effect.headline)));
        }
    }
    let weak = card.evidence().lines.iter().filter(|line| match line.trust {
        Provenance::SystemOfRecord | Provenance::NotRead => false,
        Provenance::Counterparty | Provenance::UntrustedText => true,
    });
    let unread = card.evidence().lines.iter().filter(|line| line.trust == Provenance::NotRead);
    risks.extend(
        unread
            .map(|line| format!("Could not be read: {} ({})", code(line.tool.as_str()), shown(&line.found))),
    );
    risks.extend(weak.map(|line| format!("Rests on {}: {}", line.trust.label(), code(line.tool.as_str()))));
    risks.extend(card.why().doubts.iter().map(|doubt| shown(doubt).clone()));
    if risks.is_empty() {
        return "Nothing was found: every operation can be undone and read back, every source is a system of \
                record, no rule is in doubt, and nothing is unusual."
            .to_owned();
    }
    list(risks)
}

fn approver_decision(card: &Card) -> String {
    let choices =
        [&card.buttons().approve, &card.buttons().decline].map(|words| format!("[ ] {}", shown(words)));
    let asks = card.who().asks.iter().map(|who| format!("Must say yes: {}", code(who)));
    let approval = format!("Approval {}, plan {}", code(&card.approval_id()), code(&card.plan().to_string()));
    list(choices.into_iter().chain(asks).chain([approval]))
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
