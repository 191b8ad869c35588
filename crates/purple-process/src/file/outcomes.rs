//! Outcomes: what is done, read back, taken back, shown and told.

use std::collections::BTreeSet;

use purple_policy::{Expression, Kind, Scope};

use super::model::{CheckTemplate, Outcome, Step, Tell};
use super::names::{self, Names, Piece, plain_name};
use super::problem::{ProblemCode, Problems};
use super::raw::{RawCheck, RawOutcome, RawStep, RawTell};
use super::shape::{Entries, ShortOrFull};
use super::slots::{self, refuse_other_effect};
use super::time::QuietHours;
use super::yaml::{Node, Text, shown};
use crate::effect::Effect;

/// Words for the ends that every file has.
pub(crate) const ENDS: [&str; 3] = ["stop", "none", "escalate"];

/// Checks all outcomes of a task.
pub(crate) fn check(raw: &Entries<RawOutcome>, names: &Names, problems: &mut Problems) -> Vec<Outcome> {
    raw.0.iter().filter_map(|(name, raw)| outcome(name, raw, names, problems)).collect()
}

fn outcome(name: &Text, raw: &RawOutcome, names: &Names, problems: &mut Problems) -> Option<Outcome> {
    plain_name(name, problems);
    if ENDS.contains(&name.as_str()) || matches!(name.as_str(), "ask" | "allow" | "mode") {
        let message = format!("`{}` is not free as the name of an outcome", shown(name));
        problems.add(name.at, ProblemCode::BadName, message, "choose another name");
    }
    if raw.r#do.0.is_empty() && raw.tell.0.is_empty() {
        let message = format!("the outcome `{}` does and tells nothing", shown(name));
        let help = "add `do:` or `tell:`; where there is nothing to do, let the rule say `outcome: none`";
        problems.add(name.at, ProblemCode::EmptyOutcome, message, help);
    }
    refuse_misplaced(raw, problems);
    let mut made = BTreeSet::new();
    let mut steps = Vec::new();
    let single = raw.r#do.0.len() == 1;
    for (index, step) in raw.r#do.0.iter().enumerate() {
        let owned;
        let full = match step {
            ShortOrFull::Full(full) => full,
            ShortOrFull::Short(call) => {
                owned = short_step(call, raw, single);
                &owned
            }
        };
        steps.push(self::step(index, full, &mut made, names, problems));
    }
    let scope = names.outcome_scope(None);
    let show: Vec<_> =
        raw.show.0.iter().map(|text| slots::reading_call(Piece::all(text), &scope, problems)).collect();
    let tells: Vec<_> =
        raw.tell.0.iter().enumerate().map(|(index, raw)| tell(index, raw, &made, names, problems)).collect();
    Some(Outcome {
        name: name.value.clone(),
        steps: steps.into_iter().collect::<Option<_>>()?,
        show: show.into_iter().collect::<Option<_>>()?,
        tells: tells.into_iter().collect::<Option<_>>()?,
    })
}

/// `check` and `undo` of an outcome belong to its one call.
fn refuse_misplaced(raw: &RawOutcome, problems: &mut Problems) {
    let alone = matches!(raw.r#do.0.as_slice(), [ShortOrFull::Short(_)]);
    let given =
        [("check", raw.check.as_ref().map(check_at)), ("undo", raw.undo.as_ref().map(|text| text.at))];
    for (key, at) in given {
        if let Some(at) = at.filter(|_| !alone) {
            problems.add(
                at,
                ProblemCode::UnknownKey,
                format!("`{key}` stands beside several calls, or beside none"),
                format!("write `- {{call: …, {key}: …}}` for each call"),
            );
        }
    }
}

fn check_at(check: &ShortOrFull<RawCheck>) -> super::problem::Mark {
    match check {
        ShortOrFull::Short(text) => text.at,
        ShortOrFull::Full(full) => full.at,
    }
}

/// The long form of a call that was written as a text.
fn short_step(call: &Text, outcome: &RawOutcome, single: bool) -> RawStep {
    RawStep {
        at: call.at,
        call: call.clone(),
        r#as: None,
        when: None,
        for_each: None,
        check: outcome.check.clone().filter(|_| single),
        undo: outcome.undo.clone().filter(|_| single),
        amount: outcome.amount.clone().filter(|_| single),
    }
}

fn step(
    index: usize,
    raw: &RawStep,
    made: &mut BTreeSet<String>,
    names: &Names,
    problems: &mut Problems,
) -> Option<Step> {
    let for_each = match &raw.for_each {
        Some(text) => Some(names::for_each(text, names, problems)?),
        None => None,
    };
    let scope = names.outcome_scope(for_each.as_ref().map(|each| each.row.as_str()));
    let piece = Piece::all(&raw.call);
    let call_text = names::call_text(piece, problems);
    if let Some(call) = &call_text {
        refuse_other_effect(piece, call.tool, &[Effect::Write], problems);
        if !call.rest.trim().is_empty() {
            let at = raw.call.mark_at(call.rest_offset);
            problems.add(
                at,
                ProblemCode::BadCall,
                "something follows the call",
                "put the read-back in `check`",
            );
        }
    }
    let call = call_text.and_then(|call| names::arguments(piece, &call, &scope, made, problems));
    let id = step_name(index, raw, made, names, for_each.is_some(), problems);
    let when = raw.when.as_ref().map(|text| names::condition(Piece::all(text), &scope, problems));
    let tool = call.as_ref().map(|call| call.tool.as_str().to_owned());
    let check = self::check_of(raw, tool.as_deref(), &scope, made, problems);
    let undo = raw.undo.as_ref().map(|text| {
        let piece = Piece::all(text);
        let call = names::call_text(piece, problems)?;
        refuse_other_effect(piece, call.tool, &[Effect::Write], problems);
        names::arguments(piece, &call, &scope, made, problems)
    });
    let amount = raw.amount.as_ref().map(|text| amount(text, &scope, problems));
    Some(Step {
        id,
        call: call?,
        when: transpose(when)?,
        for_each,
        check: check?,
        undo: transpose(undo)?,
        amount: transpose(amount)?,
    })
}

fn amount(text: &Text, scope: &Scope, problems: &mut Problems) -> Option<Expression> {
    let expression = names::expression(Piece::all(text), scope, problems)?;
    match expression.kind() {
        Kind::Money | Kind::Unknown => Some(expression),
        kind => {
            let message = format!("`amount` is money, and this is {kind}");
            problems.add(text.at, ProblemCode::Expression, message, "name the amount that the call moves");
            None
        }
    }
}

/// `Some(None)` says that it was there and was wrong.
fn transpose<T>(given: Option<Option<T>>) -> Option<Option<T>> {
    match given {
        None => Some(None),
        Some(None) => None,
        Some(Some(value)) => Some(Some(value)),
    }
}

fn step_name(
    index: usize,
    raw: &RawStep,
    made: &mut BTreeSet<String>,
    names: &Names,
    repeated: bool,
    problems: &mut Problems,
) -> String {
    let Some(name) = &raw.r#as else { return format!("do_{}", index + 1) };
    plain_name(name, problems);
    if names.is_taken(name.as_str()) || made.contains(name.as_str()) {
        let message = format!("`{}` is the name of something else", shown(name));
        problems.add(name.at, ProblemCode::NameTaken, message, "give the step a name of its own");
    }
    if repeated {
        let message = format!("`{}` would name several results", shown(name));
        problems.add(name.at, ProblemCode::BadReference, message, "leave `as` out where `for_each` stands");
    } else {
        made.insert(name.value.clone());
    }
    name.value.clone()
}

fn check_of(
    raw: &RawStep,
    tool: Option<&str>,
    scope: &Scope,
    made: &BTreeSet<String>,
    problems: &mut Problems,
) -> Option<CheckTemplate> {
    match &raw.check {
        None => {
            let help = "add `check: read_tool(id=id).field == value`; `check: none` says that nothing can read it back";
            problems.add(raw.call.at, ProblemCode::Unchecked, "this call has no `check`", help);
            None
        }
        Some(ShortOrFull::Short(text)) if text.as_str() == "none" => Some(CheckTemplate::Unverifiable),
        Some(ShortOrFull::Short(text)) => short_check(text, tool, scope, made, problems),
        Some(ShortOrFull::Full(full)) => full_check(full, tool, scope, made, problems),
    }
}

const CHECK_HELP: &str = "write `read_tool(id=id).field == expression`";

/// `get_invoice(invoice_id=invoice_id).status == "rejected"`.
fn short_check(
    text: &Text,
    tool: Option<&str>,
    scope: &Scope,
    made: &BTreeSet<String>,
    problems: &mut Problems,
) -> Option<CheckTemplate> {
    let piece = Piece::all(text);
    let call = names::call_text(piece, problems)?;
    refuse_self_check(piece, call.tool, tool, problems);
    let mut complain = |message: &str| {
        problems.add(text.mark_at(call.rest_offset), ProblemCode::BadCheck, message, CHECK_HELP);
    };
    let Some((field, expected)) = call.rest.split_once("==") else {
        complain("the read-back is compared with nothing");
        return None;
    };
    let expected_offset = call.rest_offset + field.len() + 2 + (expected.len() - expected.trim_start().len());
    let path = field.trim().strip_prefix('.').filter(|path| is_path(path));
    let Some(path) = path else {
        complain("the read-back names no field");
        return None;
    };
    if expected.starts_with('=') || names_comparison(expected) {
        complain("a read-back is one field and one expected value");
        return None;
    }
    let expected = Piece { whole: text, source: expected.trim(), offset: expected_offset };
    let call = names::arguments(piece, &call, scope, made, problems);
    let operand = names::operand(expected, scope, made, problems);
    Some(CheckTemplate::ReadBack { call: call?, expect: vec![(path.to_owned(), operand?)] })
}

/// Whether another comparison or `&&` follows: `.status == "a" && .total == b` would silently lose its second half.
fn names_comparison(expected: &str) -> bool {
    let mut quoted = None;
    expected.chars().any(|c| match (quoted, c) {
        (Some(open), c) => {
            if c == open {
                quoted = None;
            }
            false
        }
        (None, '"' | '\'') => {
            quoted = Some(c);
            false
        }
        (None, c) => "&|<>=!".contains(c),
    })
}

fn is_path(path: &str) -> bool {
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    path.split('.').all(word)
}

fn full_check(
    full: &RawCheck,
    tool: Option<&str>,
    scope: &Scope,
    made: &BTreeSet<String>,
    problems: &mut Problems,
) -> Option<CheckTemplate> {
    let piece = Piece::all(&full.read);
    let call = names::call_text(piece, problems)?;
    refuse_self_check(piece, call.tool, tool, problems);
    if !call.rest.trim().is_empty() {
        let at = full.read.mark_at(call.rest_offset);
        problems.add(at, ProblemCode::BadCheck, "something follows the call", "name the fields in `expect`");
    }
    if full.expect.0.is_empty() {
        problems.add(full.at, ProblemCode::BadCheck, "the read-back is compared with nothing", CHECK_HELP);
    }
    let call = names::arguments(piece, &call, scope, made, problems);
    let mut expect = Vec::new();
    for (field, text) in &full.expect.0 {
        if !is_path(field.as_str()) {
            let message = format!("`{}` is no field", shown(field));
            problems.add(
                field.at,
                ProblemCode::BadCheck,
                message,
                "write a field, or a dotted path of fields",
            );
        }
        let operand = names::operand(Piece::all(text), scope, made, problems);
        expect.push(operand.map(|operand| (field.value.clone(), operand)));
    }
    Some(CheckTemplate::ReadBack { call: call?, expect: expect.into_iter().collect::<Option<_>>()? })
}

fn refuse_self_check(piece: Piece<'_>, reader: &str, writer: Option<&str>, problems: &mut Problems) {
    if Some(reader) == writer {
        let message = format!("`{reader}` would check itself");
        problems.add(piece.at(), ProblemCode::SelfCheck, message, "read back with a different tool");
    } else {
        refuse_other_effect(piece, reader, &[Effect::Read], problems);
    }
}

fn tell(
    index: usize,
    raw: &RawTell,
    made: &BTreeSet<String>,
    names: &Names,
    problems: &mut Problems,
) -> Option<Tell> {
    let for_each = match &raw.for_each {
        Some(text) => Some(names::for_each(text, names, problems)?),
        None => None,
    };
    let scope = names.outcome_scope(for_each.as_ref().map(|each| each.row.as_str()));
    let piece = Piece::all(&raw.tool);
    let tool = names::tool_name(raw.tool.as_str(), raw.tool.at, problems);
    refuse_other_effect(piece, raw.tool.as_str(), &[Effect::Notify], problems);
    let recipient = recipient(&raw.to, &scope, problems);
    let mut with = Vec::new();
    for (parameter, text) in &raw.with.0 {
        let operand = names::operand(Piece::all(text), &scope, made, problems);
        with.push(operand.map(|operand| (parameter.value.clone(), operand)));
    }
    let quiet = raw.quiet.as_ref().map(|text| {
        let quiet = QuietHours::parse(text.as_str());
        if quiet.is_none() {
            let message = format!("`{}` are no hours", shown(text));
            problems.add(text.at, ProblemCode::BadQuietHours, message, "write `quiet: \"20:00-07:00\"`");
        }
        quiet
    });
    let when = raw.when.as_ref().map(|text| names::condition(Piece::all(text), &scope, problems));
    let (parameter, to) = recipient?;
    let with: Vec<_> = with.into_iter().collect::<Option<_>>()?;
    if with.iter().any(|(name, _)| *name == parameter) {
        let message = format!("the parameter `{parameter}` is given in `to` and in `with`");
        problems.add(raw.tool.at, ProblemCode::BadCall, message, "keep the recipient in `to`");
    }
    Some(Tell {
        id: format!("tell_{}", index + 1),
        tool: tool?,
        parameter,
        to,
        with,
        quiet: transpose(quiet)?,
        when: transpose(when)?,
        for_each,
    })
}

/// `to: contract.contact`, or `to: {email: contract.contact}` where the tool does not call it `to`.
fn recipient(node: &Node, scope: &Scope, problems: &mut Problems) -> Option<(String, Expression)> {
    let (parameter, text) = match node {
        Node::Scalar(text) => ("to".to_owned(), text),
        Node::Map { entries, .. } => match entries.as_slice() {
            [(parameter, Node::Scalar(text))] => (parameter.value.clone(), text),
            _ => {
                let help = "write `to: expression`, or `to: {parameter: expression}`";
                problems.add(node.at(), ProblemCode::WrongShape, "a recipient is one expression", help);
                return None;
            }
        },
        Node::List { at, .. } => {
            let help = "write `to: [a, b]` in quotes as one expression, or one notification each";
            problems.add(*at, ProblemCode::WrongShape, "a recipient is one expression", help);
            return None;
        }
    };
    let expression = names::expression(Piece::all(text), scope, problems)?;
    match expression.kind() {
        Kind::Text | Kind::List | Kind::Unknown => Some((parameter, expression)),
        kind => {
            let message = format!("a recipient is a text, and this is {kind}");
            problems.add(text.at, ProblemCode::Expression, message, "name a field with an address or a role");
            None
        }
    }
}
