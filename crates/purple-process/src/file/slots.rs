//! Inputs, reads, computations and the business key: names, types, order.

use std::collections::{BTreeMap, BTreeSet};

use purple_policy::{Expression, Scope};
use regex::{Regex, RegexBuilder};

use super::call;
use super::check::RawSlots;
use super::find::Find;
use super::input::{ITEM_CHANGES, Input, InputType, Shape};
use super::literal;
use super::model::{Action, Compute, Field, Parameter, Read, Slot};
use super::names::{self, Named, Names, Piece};
use super::problem::{ProblemCode, Problems};
use super::raw::{RawInput, RawRead};
use super::records;
use super::shape::ShortOrFull;
use super::suggest;
use super::yaml::{Text, shown};
use crate::effect::{Class, Effect};
use crate::words;

/// The slots of a task before its rules.
pub(crate) struct Checked {
    pub(crate) names: Names,
    pub(crate) inputs: Vec<Input>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) records: Vec<Field>,
    pub(crate) actions: Vec<Action>,
    pub(crate) ordered: Vec<Slot>,
    pub(crate) once_per: Vec<Expression>,
}

/// Checks everything that gives a name a value.
pub(crate) fn check(raw: &RawSlots, problems: &mut Problems) -> Checked {
    let mut known = Names::default();
    let mut inputs = Vec::new();
    for (name, raw_input) in &raw.inputs.0 {
        let input = input(name, raw_input, problems);
        let named = input.as_ref().map_or(Named::Broken, |input| Named::Input(input.kind()));
        known.take(name, named, problems);
        inputs.extend(input);
    }
    for (name, read) in &raw.read.0 {
        let rows = matches!(read, ShortOrFull::Full(_));
        known.take(name, Named::Read { rows }, problems);
    }
    for (name, _) in &raw.compute.0 {
        known.take(name, Named::Computed(purple_policy::Kind::Unknown), problems);
    }
    let parameters = records::parameters(raw, &mut known, problems);
    let fields = records::records(raw, &mut known, problems);
    let actions = records::actions(raw, &mut known, problems);
    for (name, raw_input) in &raw.inputs.0 {
        let find = find(raw_input, &inputs, problems);
        inputs
            .iter_mut()
            .filter(|input| input.name == name.value)
            .for_each(|input| input.find = find.clone());
    }
    let order = order(raw, problems);
    let mut ordered = Vec::new();
    for name in order {
        if let Some((key, read)) = raw.read.0.iter().find(|(key, _)| key.as_str() == name) {
            ordered.extend(self::read(key, read, &known, problems).map(Slot::Read));
        } else if let Some((_, text)) = raw.compute.0.iter().find(|(key, _)| key.as_str() == name)
            && let Some(expression) = names::expression(Piece::all(text), &known.scope(), problems)
        {
            known.learn_kind(&name, expression.kind());
            ordered.push(Slot::Compute(Compute { name, expression }));
        }
    }
    let once_per = raw
        .once_per
        .iter()
        .filter_map(|text| names::expression(Piece::all(text), &known.scope(), problems))
        .collect();
    Checked { names: known, inputs, parameters, records: fields, actions, ordered, once_per }
}

/// Reads and computations in an order in which each comes after those it needs. Cycles are refused.
fn order(raw: &RawSlots, problems: &mut Problems) -> Vec<String> {
    let mut needs: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut listed: Vec<&Text> = Vec::new();
    for (name, read) in &raw.read.0 {
        listed.push(name);
        needs.insert(name.as_str(), needs_of_read(read));
    }
    for (name, text) in &raw.compute.0 {
        listed.push(name);
        needs.entry(name.as_str()).or_default().extend(needs_of(text.as_str()));
    }
    let slots: BTreeSet<String> = needs.keys().map(|name| (*name).to_owned()).collect();
    let mut done: BTreeSet<String> = BTreeSet::new();
    let mut order = Vec::new();
    loop {
        let ready = |name: &&&Text| {
            let open = needs.get(name.as_str()).into_iter().flatten();
            !done.contains(name.as_str())
                && open.filter(|need| slots.contains(*need)).all(|need| done.contains(need))
        };
        let Some(next) = listed.iter().find(ready) else { break };
        done.insert(next.value.clone());
        order.push(next.value.clone());
    }
    let circle: Vec<&Text> = listed.into_iter().filter(|name| !done.contains(name.as_str())).collect();
    if let Some(first) = circle.first() {
        let members: Vec<&str> = circle.iter().map(|name| name.as_str()).collect();
        problems.add(
            first.at,
            ProblemCode::Cycle,
            format!("{} need each other, or something that does", suggest::listed(&members)),
            "let each read or computation use only inputs and what comes before it",
        );
    }
    order
}

/// The first parts of the names in an expression; nothing, if it does not compile, which is reported elsewhere.
fn needs_of(source: &str) -> BTreeSet<String> {
    Expression::compile(source, &Scope::open())
        .map(|expression| names::roots(&expression))
        .unwrap_or_default()
}

fn needs_of_read(read: &ShortOrFull<RawRead>) -> BTreeSet<String> {
    let (text, rows) = match read {
        ShortOrFull::Short(text) => (text, None),
        ShortOrFull::Full(full) => (&full.call, Some(call::rows_as(full.for_each.as_str()))),
    };
    let arguments = call::read(text.as_str()).map(|call| call.arguments).unwrap_or_default();
    let mut needs: BTreeSet<String> =
        arguments.iter().flat_map(|argument| needs_of(argument.expression)).collect();
    if let Some((rows, row)) = rows {
        needs.remove(row);
        needs.extend(needs_of(rows));
    }
    needs
}

fn read(name: &Text, raw: &ShortOrFull<RawRead>, known: &Names, problems: &mut Problems) -> Option<Read> {
    let (text, for_each) = match raw {
        ShortOrFull::Short(text) => (text, None),
        ShortOrFull::Full(full) => (&full.call, Some(names::for_each(&full.for_each, known, problems)?)),
    };
    let mut scope = known.scope();
    if let Some(each) = &for_each {
        scope = scope.with(each.row.as_str(), purple_policy::Kind::Unknown);
    }
    let piece = Piece::all(text);
    let call = reading_call(piece, &scope, problems)?;
    Some(Read { name: name.value.clone(), call, for_each })
}

/// A call to a tool that only reads, with nothing behind it.
pub(crate) fn reading_call(
    piece: Piece<'_>,
    scope: &Scope,
    problems: &mut Problems,
) -> Option<super::model::CallTemplate> {
    let call = names::call_text(piece, problems)?;
    if !call.rest.trim().is_empty() {
        problems.add(
            piece.whole.mark_at(piece.offset + call.rest_offset),
            ProblemCode::BadCall,
            format!(
                "something follows the call: `{}`",
                call.rest.trim().chars().take(40).collect::<String>()
            ),
            "read the whole record, and take its fields where they are used",
        );
    }
    refuse_other_effect(piece, call.tool, &[Effect::Read], problems);
    names::arguments(piece, &call, scope, &BTreeSet::new(), problems)
}

/// Refuses a tool whose name says that it does something else than is wanted here.
///
/// The catalogue decides at run time; the name is what a file can be judged by.
pub(crate) fn refuse_other_effect(piece: Piece<'_>, tool: &str, wanted: &[Effect], problems: &mut Problems) {
    // Of two servers with one tool each is called `server__tool`; only the tool's own name says something.
    let own = tool.split_once("__").map_or(tool, |(_, own)| own);
    let split = words::split(own);
    let (class, reason) = words::class_of(&words::without_vendor(&split, &[]), |_| false);
    // A name that proves nothing is not judged by it: the operator or a trusted server may know better.
    if class == Class::Unclear || wanted.contains(&class.effect()) {
        return;
    }
    let (code, help) = match wanted.first() {
        Some(Effect::Write) => {
            (ProblemCode::NotAWrite, "reads belong in `read` or `show`, notifications in `tell`")
        }
        Some(Effect::Notify) => {
            (ProblemCode::NotANotice, "calls that change something belong in `do`, with a `check`")
        }
        _ => (
            ProblemCode::NotARead,
            "only tools that read belong here; calls that change something belong in `do`",
        ),
    };
    let says = match class.effect() {
        Effect::Read => "reads",
        Effect::Compute => "computes",
        Effect::Write => "writes",
        Effect::Notify => "notifies",
        Effect::Approval => "asks somebody",
    };
    problems.add(piece.at(), code, format!("`{tool}` {says}: {reason}"), help);
}

fn input(name: &Text, raw: &RawInput, problems: &mut Problems) -> Option<Input> {
    let mut complain = |at, message: &str, help: &str| problems.add(at, ProblemCode::BadInput, message, help);
    let mut is_true = |key: &str, text: Option<&Text>| {
        let Some(text) = text else { return false };
        if !matches!(text.as_str(), "true" | "false") {
            complain(text.at, &format!("`{key}` is true or false"), &format!("write `{key}: true`"));
        }
        text.as_str() == "true"
    };
    let (earlier, optional) =
        (is_true("earlier", raw.earlier.as_ref()), is_true("optional", raw.optional.as_ref()));
    let shape = match &raw.each {
        Some(each) => {
            for (key, given) in
                [("type", &raw.r#type), ("pattern", &raw.pattern), ("near", &raw.near), ("noun", &raw.noun)]
            {
                if let Some(text) = given {
                    let message = format!("`{key}` does not go with `each`, which makes a list");
                    complain(text.at, &message, "leave it out, and give the types of the groups in `fields`");
                }
            }
            list_shape(each, raw, problems)?
        }
        None => {
            if let Some((field, _)) = raw.fields.0.first() {
                complain(field.at, "`fields` goes only with `each`", "leave `fields` out");
            }
            value_shape(name, raw, problems)?
        }
    };
    let label = raw.label.as_ref().map(Text::one_line);
    Some(Input { name: name.value.clone(), shape, earlier, optional, label, find: None })
}

/// How the system of record finds an input. The call uses other inputs only, since nothing else is known by then.
fn find(raw: &RawInput, inputs: &[Input], problems: &mut Problems) -> Option<Find> {
    let Some(text) = &raw.find else {
        if let Some(by) = &raw.by {
            problems.add(by.at, ProblemCode::BadInput, "`by` goes only with `find`", "leave `by` out");
        }
        return None;
    };
    let kind = raw.r#type.as_ref().map(Text::as_str).filter(|_| raw.each.is_none());
    let goes = kind == Some(InputType::Id.name()) || (kind == Some(ITEM_CHANGES) && raw.by.is_some());
    if !goes {
        let message = format!(
            "`find` goes only with `type: {}`, or with `by` and `type: {ITEM_CHANGES}`",
            InputType::Id
        );
        problems.add(text.at, ProblemCode::BadInput, message, "leave it out");
        return None;
    }
    let mut scope = Scope::closed();
    for input in inputs {
        scope = scope.with(input.name.as_str(), Named::Input(input.kind()).kind());
    }
    let call = reading_call(Piece::all(text), &scope, problems)?;
    Some(Find { call, by: raw.by.as_ref().map(|by| by.value.clone()) })
}

fn value_shape(name: &Text, raw: &RawInput, problems: &mut Problems) -> Option<Shape> {
    let Some(kind_text) = &raw.r#type else {
        let help = "add `type: …`, or `each: …` for a list";
        problems.add(
            raw.at,
            ProblemCode::MissingKey,
            format!("the input `{}` has no `type`", shown(name)),
            help,
        );
        return None;
    };
    if kind_text.as_str() == ITEM_CHANGES {
        for (key, given) in [("pattern", &raw.pattern), ("near", &raw.near), ("noun", &raw.noun)] {
            if let Some(text) = given {
                let message = format!("`{key}` does not go with `type: {ITEM_CHANGES}`, which makes a list");
                problems.add(text.at, ProblemCode::BadInput, message, "leave it out");
            }
        }
        return Some(Shape::ItemChanges);
    }
    let kind = input_type(kind_text, problems);
    let pattern = raw.pattern.as_ref().map(|text| pattern(text, problems));
    let kind = kind?;
    if pattern.is_none() && matches!(kind, InputType::Text | InputType::Id) {
        let message = format!("an input of type `{kind}` needs a `pattern`");
        let help = "add `pattern: 'INV-[0-9]+'`, so that it can be found in the task";
        problems.add(kind_text.at, ProblemCode::BadInput, message, help);
        return None;
    }
    let pattern = match pattern {
        Some(compiled) => Some(compiled?),
        None => None,
    };
    if let Some(text) = raw.noun.as_ref().filter(|_| kind != InputType::Id) {
        let message = format!("`noun` goes only with `type: {}`", InputType::Id);
        problems.add(text.at, ProblemCode::BadInput, message, "leave it out");
    }
    let noun = raw.noun.as_ref().and_then(|text| literal::noun_pattern(text.as_str()).ok());
    Some(Shape::One { kind, pattern, near: raw.near.as_ref().map(|text| text.value.clone()), noun })
}

fn list_shape(each: &Text, raw: &RawInput, problems: &mut Problems) -> Option<Shape> {
    let pattern = pattern(each, problems)?;
    let groups: Vec<&str> = pattern.capture_names().flatten().collect();
    if groups.is_empty() {
        let help = "name the parts of a row: `(?P<quantity>[0-9]+)x (?P<item>[A-Z]+)`";
        problems.add(each.at, ProblemCode::BadPattern, "`each` has no named groups", help);
        return None;
    }
    let mut fields = BTreeMap::new();
    for (field, kind) in &raw.fields.0 {
        if !groups.contains(&field.as_str()) {
            let message = format!("`each` has no group `{}`", shown(field));
            problems.add(field.at, ProblemCode::BadInput, message, suggest::help(field.as_str(), &groups));
        }
        fields.extend(input_type(kind, problems).map(|kind| (field.value.clone(), kind)));
    }
    Some(Shape::Each { pattern, fields })
}

fn input_type(text: &Text, problems: &mut Problems) -> Option<InputType> {
    let kind = InputType::parse(text.as_str());
    if kind.is_none() {
        let known: Vec<&str> = InputType::ALL.iter().map(|kind| kind.name()).chain([ITEM_CHANGES]).collect();
        let message = format!("there is no type `{}`", shown(text));
        problems.add(text.at, ProblemCode::UnknownType, message, suggest::help(text.as_str(), &known));
    }
    kind
}

/// The largest compiled pattern, in bytes: counted repeats of counted repeats end here.
const PATTERN_COMPILED_BYTES_MAX: usize = 256 * 1024;

fn pattern(text: &Text, problems: &mut Problems) -> Option<Regex> {
    let built =
        RegexBuilder::new(text.as_str()).size_limit(PATTERN_COMPILED_BYTES_MAX).nest_limit(32).build();
    match built {
        Ok(pattern) if pattern.is_match("") => {
            let help = "let it match at least one character: `+` instead of `*`";
            problems.add(
                text.at,
                ProblemCode::BadPattern,
                "this pattern matches nothing at all, everywhere",
                help,
            );
            None
        }
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let why = match &error {
                regex::Error::CompiledTooBig(_) => "it is too large when compiled".to_owned(),
                other => {
                    let text = other.to_string();
                    let last = text.lines().last().unwrap_or("it does not compile").trim();
                    last.trim_start_matches("error: ").to_owned()
                }
            };
            problems.add(
                text.at,
                ProblemCode::BadPattern,
                format!("this is no regular expression: {why}"),
                "see the syntax of the `regex` crate; look-around and back-references do not exist",
            );
            None
        }
    }
}
