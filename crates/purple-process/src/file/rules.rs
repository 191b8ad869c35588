//! The decision table: each rule by itself, and what it leads to.

use std::collections::BTreeSet;

use purple_policy::{Condition, Facts, Judged, Scope};

use super::check::{count, role};
use super::model::{Ask, CheckTemplate, End, Format, Outcome, Parameter, Rule};
use super::names::{self, Names, Piece};
use super::outcomes::ENDS;
use super::problem::{ProblemCode, Problems};
use super::raw::{RawOutcome, RawRule};
use super::reason::{self, Reason};
use super::shape::Entries;
use super::suggest;
use super::terms::Approval;
use super::yaml::{Text, shown};

/// What the rules of a task stand among.
pub(crate) struct Within<'a> {
    pub(crate) names: &'a Names,
    pub(crate) parameters: &'a [Parameter],
    pub(crate) format: Format,
}

/// Checks all rules of a task, and that every outcome is reached by one.
pub(crate) fn check(
    raw: &[RawRule],
    outcomes: &[Outcome],
    raw_outcomes: &Entries<RawOutcome>,
    within: &Within<'_>,
    approval: &Approval,
    problems: &mut Problems,
) -> Vec<Rule> {
    let declared: Vec<&str> = raw_outcomes.0.iter().map(|(name, _)| name.as_str()).collect();
    let mut ids = BTreeSet::new();
    let mut rules = Vec::new();
    for raw in raw {
        rules.extend(rule(raw, &declared, outcomes, within, approval, &mut ids, problems));
    }
    for (name, _) in &raw_outcomes.0 {
        let used =
            raw.iter().any(|rule| rule.outcome.as_ref().is_some_and(|outcome| outcome.value == name.value));
        if !used {
            let message = format!("no rule leads to the outcome `{}`", shown(name));
            problems.add(name.at, ProblemCode::UnusedOutcome, message, "add a rule for it, or leave it out");
        }
    }
    rules
}

fn rule(
    raw: &RawRule,
    declared: &[&str],
    outcomes: &[Outcome],
    within: &Within<'_>,
    approval: &Approval,
    ids: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> Option<Rule> {
    let names = within.names;
    let id = rule_id(raw, ids, problems);
    let end = raw.outcome.as_ref().map(|text| end(text, declared, problems));
    let ask = raw.ask.as_ref().map(|text| ask(text, approval, problems));
    let people = raw.people.as_ref().and_then(|text| count(text, problems));
    // A rule without an outcome judges operations, whose arguments the file cannot know.
    let scope = match (&raw.outcome, declared.is_empty()) {
        (None, _) | (Some(_), true) if !names.are_declared() => names.open_scope(),
        (None | Some(_), _) => names.scope(),
    };
    let condition = raw.r#if.as_ref().map(|text| names::condition(Piece::all(text), &scope, problems));
    if let (Some(text), Some(Some(condition))) = (&raw.r#if, &condition) {
        refuse_guarded(text, condition, names, problems);
    }
    refuse_senseless(raw, &end, &ask, outcomes, problems);
    let because = raw.because.as_ref().and_then(|text| {
        let reason = Reason::read(text, names, within.parameters, problems)?;
        if let (Format::Two, Some(condition)) = (within.format, &raw.r#if) {
            reason::refuse_repeated(text, &reason, condition.as_str(), problems);
        }
        Some(reason)
    });
    Some(Rule {
        id: id?,
        condition: match condition {
            None => None,
            Some(compiled) => Some(compiled?),
        },
        end: match end {
            None => None,
            Some(end) => Some(end?),
        },
        ask: match ask {
            None => None,
            Some(ask) => Some(ask?),
        },
        people,
        because,
        source: raw.source.as_ref().map(Text::one_line),
    })
}

/// A rule that asks whether a declared field exists is silent wherever nobody read it: it would forbid nothing.
fn refuse_guarded(text: &Text, condition: &Condition, names: &Names, problems: &mut Problems) {
    for name in condition.expression().guarded().iter().filter(|name| names.is_declared(name)) {
        problems.add(
            text.at,
            ProblemCode::Guarded,
            format!("`exists({name})` guards a field of a declared record: the rule would be silent where it was not read"),
            format!("leave `exists({name})` out: without a value the rule asks a person, and names what could not be checked"),
        );
    }
}

fn rule_id(raw: &RawRule, ids: &mut BTreeSet<String>, problems: &mut Problems) -> Option<String> {
    let Some(id) = &raw.rule else {
        problems.add(
            raw.at,
            ProblemCode::RuleWithoutId,
            "this rule has no id",
            "add `rule: AP-1`, so that a decision can cite it",
        );
        return None;
    };
    let clean = id.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !clean || id.value.len() > 32 {
        let help = "use letters, digits, `-`, `_` and `.`, at most 32";
        problems.add(id.at, ProblemCode::BadName, format!("`{}` cannot be a rule's id", shown(id)), help);
    }
    if !ids.insert(id.value.clone()) {
        let message = format!("two rules have the id `{}`", shown(id));
        problems.add(id.at, ProblemCode::NameTaken, message, "give each rule an id of its own");
    }
    Some(id.value.clone())
}

fn end(text: &Text, declared: &[&str], problems: &mut Problems) -> Option<End> {
    match text.as_str() {
        "stop" => Some(End::Stop),
        "none" => Some(End::Nothing),
        "escalate" => Some(End::Escalate),
        name if declared.contains(&name) => Some(End::Outcome(name.to_owned())),
        name => {
            let known: Vec<&str> = declared.iter().copied().chain(ENDS).collect();
            let message = format!("there is no outcome `{}`", shown(text));
            problems.add(text.at, ProblemCode::UnknownOutcome, message, suggest::help(name, &known));
            None
        }
    }
}

fn ask(text: &Text, approval: &Approval, problems: &mut Problems) -> Option<Ask> {
    let ask = match text.as_str() {
        "nobody" => Ask::Nobody,
        "requester" => Ask::Requester,
        _ => Ask::Role(role(text, problems)?),
    };
    let excluded = match &ask {
        Ask::Nobody => false,
        Ask::Requester => approval.never_requester,
        Ask::Role(role) => approval.never.contains(role),
    };
    if excluded {
        let message = format!("`{}` is asked here and may never decide by `approval`", shown(text));
        problems.add(text.at, ProblemCode::AskedAndExcluded, message, "ask somebody else, or change `never`");
    }
    Some(ask)
}

fn refuse_senseless(
    raw: &RawRule,
    end: &Option<Option<End>>,
    ask: &Option<Option<Ask>>,
    outcomes: &[Outcome],
    problems: &mut Problems,
) {
    let at = raw.rule.as_ref().map_or(raw.at, |id| id.at);
    if end.is_none() && ask.is_none() {
        let help = "add `outcome: …` or `ask: …`";
        problems.add(at, ProblemCode::EmptyRule, "this rule neither decides nor asks", help);
    }
    if let (Some(Some(End::Stop | End::Nothing | End::Escalate)), Some(text)) = (end, &raw.ask) {
        let help = "leave `ask` out, or let the rule lead to an outcome that does something";
        problems.add(
            text.at,
            ProblemCode::NothingToAsk,
            "there is nothing to ask about where nothing is done",
            help,
        );
    }
    if let Some(Some(Ask::Nobody)) = ask {
        // What holds whatever the facts are is no condition: `true`, `1 == 1`, `x > 5 || true`.
        let always = |text: &Text| {
            let condition = Condition::compile(text.as_str(), &Scope::open());
            condition.is_ok_and(|condition| matches!(condition.judge(&Facts::new()), Judged::Fires))
        };
        if raw.r#if.as_ref().is_none_or(always) {
            let help = "say with `if:` when nobody has to be asked";
            problems.add(at, ProblemCode::UnconditionalAllow, "this rule allows everything, always", help);
        }
        if raw.people.is_some() {
            let help = "leave `people` out";
            problems.add(at, ProblemCode::NothingToAsk, "`people` are counted where nobody is asked", help);
        }
        refuse_unverified(raw, end, outcomes, problems);
    }
}

/// Nobody looks before and nothing looks after: then nobody would ever know.
fn refuse_unverified(
    raw: &RawRule,
    end: &Option<Option<End>>,
    outcomes: &[Outcome],
    problems: &mut Problems,
) {
    let Some(Some(End::Outcome(name))) = end else { return };
    let Some(outcome) = outcomes.iter().find(|outcome| outcome.name == *name) else { return };
    let unverifiable = outcome.steps.iter().find(|step| matches!(step.check, CheckTemplate::Unverifiable));
    if let Some(step) = unverifiable {
        let at = raw.ask.as_ref().map_or(raw.at, |text| text.at);
        problems.add(
            at,
            ProblemCode::UnverifiedAlone,
            format!("`{}` has `check: none`, and nobody is asked before it", step.call.tool),
            "ask somebody, or add a `check` that reads it back",
        );
    }
}
