//! The tests that a file carries: facts in, outcome and figures out.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use purple_policy::{Currency, Facts, Source, Value, Verdict};

use super::check::RawSlots;
use super::input::{Input, InputType, Setting, Shape, extract};
use super::literal;
use super::model::{Ask, End, Field, Task};
use super::names::{TODAY, root};
use super::outcomes::ENDS;
use super::problem::{Mark, ProblemCode, Problems};
use super::sentence;
use super::suggest;
use super::yaml::{Node, Text, shown};
use crate::playbook::{Case, Decision};

/// The day on which a test runs that does not say so.
pub(crate) const DEFAULT_TODAY: Date = date(2026, 1, 1);

/// One test of a file.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    at: Mark,
    number: usize,
    pub(crate) facts: Facts,
    /// The words that its inputs are taken from.
    pub(crate) text: Option<String>,
    figures: Vec<(Text, String)>,
    expect: Text,
    rule: Option<Text>,
    ask: Option<Text>,
    does: Option<Vec<String>>,
    /// How many rows its facts hold at most.
    rows: u64,
}

/// Reads the tests of a task.
pub(crate) fn read(raw: &RawSlots, task: &Task, problems: &mut Problems) -> Vec<Trial> {
    let written = Written::of(raw, task);
    let numbered = raw.tests.iter().zip(1_usize..);
    let facts = numbered.filter(|(test, _)| !sentence::is_one(&test.0));
    facts.filter_map(|(test, number)| trial(&test.0, number, &written, problems)).collect()
}

/// The names that the file writes down, whether or not what they stand for compiles: a test is not to blame for it.
struct Written<'f> {
    task: &'f Task,
    inputs: Vec<&'f str>,
    reads: Vec<&'f str>,
    computes: Vec<&'f str>,
    outcomes: Vec<&'f str>,
    /// Fields of declared records, dotted, and actions.
    declared: Vec<String>,
}

impl<'f> Written<'f> {
    fn of(raw: &'f RawSlots, task: &'f Task) -> Self {
        Self {
            task,
            inputs: raw.inputs.0.iter().map(|(name, _)| name.as_str()).collect(),
            reads: raw.read.0.iter().map(|(name, _)| name.as_str()).collect(),
            computes: raw.compute.0.iter().map(|(name, _)| name.as_str()).collect(),
            outcomes: raw.outcomes.0.iter().map(|(name, _)| name.as_str()).collect(),
            declared: task
                .records
                .iter()
                .map(Field::path)
                .chain(task.actions.iter().map(|action| action.name.clone()))
                .collect(),
        }
    }
}

const EXPECT_HELP: &str = "add `expect:` with an outcome, `stop`, `none` or `escalate`";

fn trial(node: &Node, number: usize, written: &Written<'_>, problems: &mut Problems) -> Option<Trial> {
    let Node::Map { at, entries } = node else {
        let help = "write `- {fact: value, expect: outcome}`";
        problems.add(
            node.at(),
            ProblemCode::BadTest,
            format!("a test is a mapping, not {}", node.shape()),
            help,
        );
        return None;
    };
    let mut words = BTreeMap::new();
    for (key, value) in entries {
        if let (true, Node::Scalar(text)) = (WORDS.contains(&key.as_str()), value) {
            words.insert(key.as_str(), text.clone());
        }
    }
    let Some(expect) = words.get("expect").cloned() else {
        problems.add(*at, ProblemCode::BadTest, "this test expects nothing", EXPECT_HELP);
        return None;
    };
    refuse_unknown_end(&expect, written, problems);
    let today = today(words.get("today"), problems)?;
    let mut trial = Trial {
        at: *at,
        number,
        facts: Facts::new().with(Source::Context, TODAY, Value::Date(today)),
        text: words.get("text").map(|text| text.value.clone()),
        figures: Vec::new(),
        expect,
        rule: words.get("rule").cloned(),
        ask: words.get("ask").cloned(),
        does: None,
        rows: 1 + items(node) + words.get("text").map_or(0, |text| text.value.len() as u64 / 2),
    };
    if let Some(text) = words.get("text") {
        trial.take_inputs(text, written.task, today);
    }
    for (key, value) in entries {
        trial.take(key, value, written, problems);
    }
    Some(trial)
}

/// How many items the lists below a node have, all together.
fn items(node: &Node) -> u64 {
    match node {
        Node::Scalar(_) => 0,
        Node::List { items, .. } => items.iter().map(|item| 1 + self::items(item)).sum(),
        Node::Map { entries, .. } => entries.iter().map(|(_, value)| items(value)).sum(),
    }
}

const WORDS: [&str; 5] = ["expect", "rule", "ask", "today", "text"];

pub(crate) fn today(text: Option<&Text>, problems: &mut Problems) -> Option<Date> {
    let Some(text) = text else { return Some(DEFAULT_TODAY) };
    let day = text.as_str().parse().ok();
    if day.is_none() {
        let message = format!("`{}` is no day", shown(text));
        problems.add(text.at, ProblemCode::BadTest, message, "write `today: 2026-03-04`");
    }
    day
}

fn refuse_unknown_end(expect: &Text, written: &Written<'_>, problems: &mut Problems) {
    let mut known = written.outcomes.clone();
    known.extend(ENDS);
    if written.outcomes.is_empty() || written.task.rules.iter().any(|rule| rule.end.is_none()) {
        known.extend(["ask", "allow", "mode"]);
    }
    if !known.contains(&expect.as_str()) {
        let message = format!("no rule could end in `{}`", shown(expect));
        problems.add(expect.at, ProblemCode::BadTest, message, suggest::help(expect.as_str(), &known));
    }
}

/// How a sentence of a test is read on a day.
pub(crate) fn setting(today: Date) -> Setting {
    Setting { today, dollar: Currency::USD }
}

impl Trial {
    /// Inputs from the words of a task, as a run would take them.
    fn take_inputs(&mut self, text: &Text, task: &Task, today: Date) {
        let extracted = extract(text.as_str(), &task.inputs, &BTreeMap::new(), &setting(today));
        for (name, value) in extracted.found {
            self.facts.set(Source::Input, name, value);
        }
    }

    fn take(&mut self, key: &Text, value: &Node, written: &Written<'_>, problems: &mut Problems) {
        let name = key.as_str();
        if name == "does" {
            self.does = tools(value, problems);
        } else if WORDS.contains(&name) {
            if !matches!(value, Node::Scalar(_)) {
                let message = format!("`{name}` is a single value");
                problems.add(value.at(), ProblemCode::BadTest, message, format!("write `{name}: word`"));
            }
        } else if written.computes.contains(&name) {
            match value {
                Node::Scalar(text) => self.figures.push((text.clone(), name.to_owned())),
                Node::List { at, .. } | Node::Map { at, .. } => {
                    let help = "compare a single figure";
                    problems.add(*at, ProblemCode::BadTest, format!("`{name}` is computed"), help);
                }
            }
        } else {
            self.take_fact(key, value, written, problems);
        }
    }

    fn take_fact(&mut self, key: &Text, value: &Node, written: &Written<'_>, problems: &mut Problems) {
        let name = key.as_str();
        let input = written.task.inputs.iter().find(|input| input.name == name);
        let read = written.reads.contains(&root(name));
        let declared = written.declared.iter().any(|known| known == name);
        let open = declared || (written.outcomes.is_empty() && written.declared.is_empty());
        let source = match (written.inputs.contains(&name), read) {
            (true, _) => Source::Input,
            (false, true) => Source::Read,
            (false, false) if open => Source::Context,
            (false, false) => {
                let mut known = written.inputs.clone();
                known.extend(written.reads.iter().chain(&written.computes).copied());
                known.extend(written.declared.iter().map(String::as_str));
                known.extend(WORDS.into_iter().chain(["does"]));
                let message = format!("`{}` is no input, read or computation", shown(key));
                problems.add(key.at, ProblemCode::UnknownName, message, suggest::help(root(name), &known));
                return;
            }
        };
        if let Some(value) = fact(value, input, problems) {
            self.facts.set(source, name, value);
        }
    }
}

fn tools(value: &Node, problems: &mut Problems) -> Option<Vec<String>> {
    let Node::List { items, .. } = value else {
        let help = "write `does: [first_tool, second_tool]`";
        problems.add(value.at(), ProblemCode::BadTest, "`does` is a list of tools", help);
        return None;
    };
    let name = |item: &Node| match item {
        Node::Scalar(text) => Some(text.value.clone()),
        Node::List { .. } | Node::Map { .. } => None,
    };
    Some(items.iter().filter_map(name).collect())
}

/// A fact as it stands in a test; an input is read as its type says.
fn fact(node: &Node, input: Option<&Input>, problems: &mut Problems) -> Option<Value> {
    match node {
        Node::Scalar(text) => match input.map(|input| &input.shape) {
            Some(Shape::One { kind, .. }) => typed(text, *kind, problems),
            Some(Shape::Each { .. } | Shape::ItemChanges) | None => literal_value(text, problems),
        },
        Node::List { items, .. } => {
            let values: Vec<Value> = items.iter().filter_map(|item| fact(item, None, problems)).collect();
            (values.len() == items.len()).then(|| Value::list(values))
        }
        Node::Map { entries, .. } => {
            let fields: Vec<(String, Value)> = entries
                .iter()
                .filter_map(|(key, value)| Some((key.value.clone(), fact(value, None, problems)?)))
                .collect();
            (fields.len() == entries.len()).then(|| Value::record(fields))
        }
    }
}

fn typed(text: &Text, kind: InputType, problems: &mut Problems) -> Option<Value> {
    let literal = match kind {
        InputType::Text | InputType::Id | InputType::Month => return Some(Value::text(text.as_str())),
        InputType::Date => text.as_str().parse().ok().map(Value::Date),
        InputType::Percent => {
            let dollar = Currency::parse("USD").ok()?;
            literal::read_as(text.as_str(), kind, &Setting { today: DEFAULT_TODAY, dollar }).ok()
        }
        InputType::Number | InputType::Money => Some(Value::from_literal(text.as_str())),
    };
    let fits = matches!(
        (&literal, kind),
        (Some(Value::Date(_)), InputType::Date)
            | (Some(Value::Percent(_)), InputType::Percent)
            | (Some(Value::Number(_)), InputType::Number)
            | (Some(Value::Money { .. }), InputType::Money)
    );
    if !fits {
        let message = format!("`{}` is no value of type `{kind}`", shown(text));
        let help = "write amounts as \"52340.00 USD\", percentages as \"2.5\", dates as 2026-01-31";
        problems.add(text.at, ProblemCode::BadTest, message, help);
        return None;
    }
    literal
}

fn literal_value(text: &Text, problems: &mut Problems) -> Option<Value> {
    let exponent = text.value.split_once(['e', 'E']).is_some_and(|(mantissa, exponent)| {
        let digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| b"0123456789.+-".contains(&byte));
        digits(mantissa) && digits(exponent)
    });
    if exponent && !text.quoted {
        let message = format!("`{}` is a number in exponent form", shown(text));
        problems.add(text.at, ProblemCode::Exponent, message, "write all its digits");
        return None;
    }
    if !text.quoted && matches!(text.as_str(), "null" | "~" | "") {
        return Some(Value::Null);
    }
    Some(Value::from_literal(text.as_str()))
}

/// The most rows that the tests of a task may visit, as estimated before they run.
const VISITED_ROWS_MAX: u64 = 5_000_000;

/// Functions that visit every row of a list.
const ROW_FUNCTIONS: [&str; 9] = ["filter", "map", "any", "all", "group_by", "sum", "count", "max", "min"];

/// How deep row functions stand inside one another.
fn row_depth(source: &str) -> u32 {
    let mut open: Vec<bool> = Vec::new();
    let mut deepest = 0;
    for (offset, c) in source.char_indices() {
        match c {
            '(' => {
                let before = source.get(..offset).unwrap_or_default();
                let word = before
                    .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default();
                open.push(ROW_FUNCTIONS.contains(&word));
                deepest = deepest.max(open.iter().filter(|rows| **rows).count());
            }
            ')' => {
                open.pop();
            }
            _ => {}
        }
    }
    u32::try_from(deepest).unwrap_or(u32::MAX)
}

/// Refuses tests that would keep the loader busy: rows to the power of the nesting, for every expression.
fn refuse_costly(task: &Task, problems: &mut Problems) -> bool {
    let conditions = task.rules.iter().filter_map(|rule| rule.condition());
    let expressions = task.computes().map(|compute| compute.expression.source()).chain(conditions);
    let depths: Vec<u32> = expressions.map(row_depth).collect();
    let visited = task.trials.iter().fold(0_u64, |sum, trial| {
        let each =
            depths.iter().fold(0_u64, |sum, depth| sum.saturating_add(trial.rows.saturating_pow(*depth)));
        sum.saturating_add(each)
    });
    let costly = visited > VISITED_ROWS_MAX;
    if let Some(first) = task.trials.first().filter(|_| costly) {
        let message = format!("the tests would visit more than {VISITED_ROWS_MAX} rows");
        problems.add(
            first.at,
            ProblemCode::CostlyTests,
            message,
            "use fewer rows in the tests, or nest the row functions less",
        );
    }
    costly
}

/// Runs every test of a task.
pub(crate) fn run(task: &Task, problems: &mut Problems) {
    if refuse_costly(task, problems) {
        return;
    }
    for trial in &task.trials {
        let case = Case::with_facts(task, trial.facts.clone());
        let decision = case.decide();
        let mut failures = trial.figures_differ(&case);
        failures.extend(trial.decision_differs(&decision));
        if failures.is_empty() {
            failures.extend(trial.operations_differ(&case, &decision));
        }
        for (at, message) in failures {
            problems.add(
                at,
                ProblemCode::FailingTest,
                format!("test {} {message}", trial.number),
                told(&case, &decision),
            );
        }
    }
}

/// What the decision rests on: the rule with its numbers, and what could not be evaluated.
fn told(case: &Case<'_>, decision: &Decision) -> String {
    let mut parts = Vec::new();
    match &decision.rule {
        Some(rule) => parts.push(format!("`{rule}` decided: {}", decision.explanation)),
        None => parts.push("no rule matched".to_owned()),
    }
    for doubt in &decision.doubts {
        parts.push(doubt.to_string());
    }
    let figures: Vec<String> = case
        .figures()
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name} = {}", value.ok()?)))
        .collect();
    if !figures.is_empty() {
        parts.push(figures.join(", "));
    }
    parts.join("; ")
}

impl Trial {
    fn decision_differs(&self, decision: &Decision) -> Vec<(Mark, String)> {
        let mut failures = Vec::new();
        let mut compare = |at: Mark, what: &str, wanted: &str, got: &str| {
            if wanted != got {
                failures.push((at, format!("expects {what}`{wanted}` and got `{got}`")));
            }
        };
        compare(self.expect.at, "", self.expect.as_str(), end_word(decision));
        if let Some(rule) = &self.rule {
            compare(rule.at, "rule ", rule.as_str(), decision.rule.as_deref().unwrap_or("no rule"));
        }
        if let Some(ask) = &self.ask {
            compare(ask.at, "to ask ", ask.as_str(), &asked(decision));
        }
        failures
    }

    fn figures_differ(&self, case: &Case<'_>) -> Vec<(Mark, String)> {
        let computed = case.figures();
        let mut failures = Vec::new();
        for (wanted, name) in &self.figures {
            let got = computed.iter().find(|(figure, _)| figure == name).map(|(_, value)| value);
            let message = match got {
                Some(Ok(value)) if same_figure(value, wanted.as_str()) => continue,
                Some(Ok(value)) => format!("expects {name} `{}` and got `{value}`", shown(wanted)),
                Some(Err(why)) => format!("expects {name} `{}` and it has no value: {why}", shown(wanted)),
                None => format!("expects {name} `{}` and nothing computes it", shown(wanted)),
            };
            failures.push((wanted.at, message));
        }
        failures
    }

    fn operations_differ(&self, case: &Case<'_>, decision: &Decision) -> Option<(Mark, String)> {
        let wanted = self.does.as_ref()?;
        let got: Vec<String> = match case.operations(decision, &crate::order::Order::missing()) {
            Ok(operations) => operations.iter().map(|operation| operation.tool.to_string()).collect(),
            Err(stuck) => return Some((self.at, format!("expects operations, and {stuck}"))),
        };
        (got != *wanted).then(|| {
            (
                self.at,
                format!("expects the calls {} and got {}", suggest::listed(wanted), suggest::listed(&got)),
            )
        })
    }
}

/// Equal, or written alike; a percentage may be written without its sign.
fn same_figure(value: &Value, wanted: &str) -> bool {
    let literal = Value::from_literal(wanted);
    let number_before_sign =
        matches!((value, &literal), (Value::Percent(got), Value::Number(want)) if got == want);
    *value == literal || number_before_sign || value.to_string() == wanted
}

fn end_word(decision: &Decision) -> &str {
    match (&decision.end, decision.verdict) {
        (Some(End::Outcome(name)), _) => name,
        (Some(End::Stop), _) => "stop",
        (Some(End::Nothing), _) => "none",
        (Some(End::Escalate), _) => "escalate",
        (None, Some(Verdict::Allow)) => "allow",
        (None, Some(Verdict::RequireApproval | Verdict::Escalate | Verdict::Block)) => "ask",
        (None, None) => "mode",
    }
}

/// Everybody who is asked, doubt included: `controller, manager`.
fn asked(decision: &Decision) -> String {
    let demands = decision.demands();
    if demands.is_empty() || decision.verdict != Some(Verdict::RequireApproval) {
        return ask_word(decision.ask.as_ref()).to_owned();
    }
    demands.iter().map(|demand| ask_word(Some(&demand.ask))).collect::<Vec<_>>().join(", ")
}

fn ask_word(ask: Option<&Ask>) -> &str {
    match ask {
        None => "whom the mode says",
        Some(Ask::Nobody) => "nobody",
        Some(Ask::Requester) => "requester",
        Some(Ask::Role(role)) => role.as_str(),
    }
}
