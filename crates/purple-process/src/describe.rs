//! A process file in plain words, for the person who signs it.

use crate::diagram::{diagram, route_diagram};
use crate::file::{
    Approval, Ask, CallTemplate, CheckTemplate, End, Fallback, Input, InputShape, InputType, Operand,
    Outcome, ProcessFile, Rule, Step, Task, Tell,
};

/// Describes a process in plain sentences, as Markdown with one sentence per line.
pub fn describe(file: &ProcessFile) -> String {
    let mut page = Page::default();
    page.line(format!("# {}", file.title));
    page.gap();
    page.line(format!("`{}` belongs to {}.", file.name, role(file.owner.as_str())));
    if !file.also.is_empty() {
        page.line(format!("It also answers to {}.", ticked(&file.also)));
    }
    if file.keywords.is_empty() {
        page.line("No words point to it: it takes what no other process takes.");
    } else {
        page.line(format!("Tasks with these words point to it: {}.", file.keywords.join(", ")));
    }
    let several = file.tasks.len() > 1;
    for task in &file.tasks {
        page.task(task, several);
    }
    page.limits(file);
    page.finish()
}

/// The description of a process with its drawings: the page of a process in the documentation.
pub fn page(file: &ProcessFile) -> String {
    let mut text = describe(file);
    for task in &file.tasks {
        let named = if file.tasks.len() > 1 { format!(": {}", task.title) } else { String::new() };
        text.push_str(&format!("\n## Drawing{named}\n\n```mermaid\n{}```\n", diagram(task)));
    }
    if let Some(task) = file.tasks.first() {
        text.push_str(&format!("\n## Route\n\n```mermaid\n{}```\n", route_diagram(&task.route)));
    }
    text
}

#[derive(Default)]
struct Page {
    lines: Vec<String>,
}

impl Page {
    fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    fn heading(&mut self, text: &str, level: usize) {
        self.gap();
        self.line(format!("{} {text}", "#".repeat(level)));
        self.gap();
    }

    fn task(&mut self, task: &Task, several: bool) {
        let level = if several {
            self.heading(&task.title, 2);
            if !task.keywords.is_empty() {
                self.line(format!("These words point to this task: {}.", task.keywords.join(", ")));
            }
            3
        } else {
            self.gap();
            2
        };
        self.line(format!("It visits {}.", task.route));
        if task.is_complete() {
            self.line(
                "It runs without a model when all its inputs are in the task and all its tools are there.",
            );
        } else {
            self.line("A model drives it, inside the same gates; the rules below still decide.");
        }
        self.preparation(task, level);
        self.decisions(task, level);
        self.outcomes(task, level);
        self.approval(&task.approval, level);
        if !task.instructions.is_empty() {
            self.heading("What a model is told", level);
            for (state, text) in &task.instructions {
                self.line(format!("- {state}: {text}"));
            }
        }
        self.gap();
        if !task.once_per.is_empty() {
            let key: Vec<&str> = task.once_per.iter().map(|part| part.source()).collect();
            self.line(format!("The same {} is not handled twice.", ticked(&key)));
        }
        match task.test_count() {
            0 => self.line("It carries no tests."),
            1 => self.line("It carries one test, which is run whenever the file is loaded."),
            count => {
                self.line(format!("It carries {count} tests, which are run whenever the file is loaded."))
            }
        }
    }

    fn preparation(&mut self, task: &Task, level: usize) {
        if !task.inputs.is_empty() {
            self.heading("It takes from the task", level);
            for input in &task.inputs {
                self.line(format!("- {}.", input_sentence(input)));
            }
        }
        if task.reads().next().is_some() {
            self.heading("It reads", level);
            for read in task.reads() {
                let each = read.for_each.as_ref();
                let each = each
                    .map(|each| format!(", once for each of `{}`", each.rows.source()))
                    .unwrap_or_default();
                self.line(format!("- `{}` with {}{each}.", read.name, call(&read.call)));
            }
        }
        if task.computes().next().is_some() {
            self.heading("It computes", level);
            for compute in task.computes() {
                self.line(format!("- `{}` as `{}`.", compute.name, compute.expression.source()));
            }
        }
    }

    fn decisions(&mut self, task: &Task, level: usize) {
        self.heading("It decides", level);
        if task.rules.is_empty() {
            self.line("It has no rules of its own: the operator's policy and the mode decide.");
            return;
        }
        let judged = task.outcomes.is_empty();
        self.line(if judged {
            "Each operation that is proposed is judged; the first rule that matches decides."
        } else {
            "The first rule that matches decides."
        });
        self.gap();
        for (place, rule) in task.rules.iter().enumerate() {
            self.line(format!("{}. {}.", place + 1, rule_sentence(rule, &task.approval)));
        }
        self.gap();
        let always = task.rules.last().is_some_and(|rule| rule.condition.is_none());
        if !always {
            self.line(if judged {
                "If no rule matches, the operator's policy and the mode decide.".to_owned()
            } else {
                format!("If no rule matches, it ends in ESCALATE: {} takes over.", role(task.owner.as_str()))
            });
        }
        self.line("A rule that would stop, escalate or ask and cannot be evaluated asks a person, and names what could not be checked.");
    }

    fn outcomes(&mut self, task: &Task, level: usize) {
        for outcome in &task.outcomes {
            self.heading(&format!("Outcome `{}`", outcome.name), level);
            self.outcome(outcome);
        }
    }

    fn outcome(&mut self, outcome: &Outcome) {
        for (place, step) in outcome.steps.iter().enumerate() {
            self.line(format!("{}. {}", place + 1, step_sentence(step)));
        }
        let before = outcome.steps.len();
        for (place, tell) in outcome.tells.iter().enumerate() {
            self.line(format!("{}. {}", before + place + 1, tell_sentence(tell)));
        }
        if !outcome.show.is_empty() {
            self.gap();
            let shown: Vec<String> = outcome.show.iter().map(call).collect();
            self.line(format!("At the end it shows what {} says.", shown.join(" and ")));
        }
    }

    fn approval(&mut self, approval: &Approval, level: usize) {
        let mut sentences = Vec::new();
        if approval.never_requester {
            sentences.push("The requester may not decide.".to_owned());
        }
        for role in &approval.never {
            sentences.push(format!("{} may not decide.", self::role(role.as_str())));
        }
        if approval.people.get() > 1 {
            sentences.push(format!("{} different people must agree.", approval.people));
        }
        if approval.confirmations.get() > 1 {
            let times = approval.confirmations;
            sentences.push(format!(
                "The operations are confirmed one after the other, at most {times} times in one run."
            ));
        }
        let editable: Vec<&str> = approval.editable().collect();
        if !editable.is_empty() {
            sentences.push(format!(
                "Whoever decides may change {} first; then everything is judged and asked again.",
                ticked(&editable)
            ));
        }
        match (&approval.within, &approval.then) {
            (Some(within), Some(then)) => sentences.push(format!(
                "An approval stays open for {within}; then it has expired, and {} is asked.",
                role(then.as_str())
            )),
            (Some(within), None) => {
                sentences.push(format!("An approval stays open for {within}; then it has expired."))
            }
            (None, _) => {}
        }
        if !sentences.is_empty() {
            sentences.push("Waiting never approves.".to_owned());
            self.heading("Approval", level);
            sentences.into_iter().for_each(|sentence| self.line(sentence));
        }
    }

    fn limits(&mut self, file: &ProcessFile) {
        let limits = file.limits;
        let counted =
            [(limits.model_calls, "calls of a model"), (limits.tokens, "tokens"), (limits.writes, "writes")];
        let mut parts: Vec<String> =
            counted.into_iter().filter_map(|(limit, what)| Some(format!("{} {what}", limit?))).collect();
        parts.extend(limits.deadline.map(|deadline| deadline.to_string()));
        if !parts.is_empty() {
            self.line(format!("One run has at most {}.", parts.join(", ")));
        }
        match limits.fallback_model {
            Some(Fallback::Other) => {
                self.line(
                    "While a language model is down the other one answers; for a write, never a weaker one.",
                );
            }
            None => {}
        }
    }

    fn finish(mut self) -> String {
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

fn rule_sentence(rule: &Rule, approval: &Approval) -> String {
    let when = rule
        .condition()
        .map_or_else(|| "in every other case".to_owned(), |condition| format!("if `{condition}`"));
    let people = rule.people.unwrap_or(approval.people);
    let people = if people.get() > 1 { format!(" ({people} people)") } else { String::new() };
    let asked = match &rule.ask {
        None | Some(Ask::Nobody) => None,
        Some(Ask::Requester) => Some(format!("the requester{people}")),
        Some(Ask::Role(named)) => Some(format!("{}{people}", role(named.as_str()))),
    };
    let does = match (&rule.end, asked) {
        (Some(End::Stop), _) => "it stops".to_owned(),
        (Some(End::Nothing), _) => "there is nothing to do".to_owned(),
        (Some(End::Escalate), _) => "it ends in ESCALATE and a person takes over".to_owned(),
        (Some(End::Outcome(name)), Some(who)) => format!("it asks {who}, and does `{name}` after a yes"),
        (Some(End::Outcome(name)), None) if rule.ask.is_some() => {
            format!("it does `{name}` without asking anybody")
        }
        (Some(End::Outcome(name)), None) => {
            format!("it does `{name}`; the mode says whether somebody is asked")
        }
        (None, Some(who)) => format!("{who} is asked"),
        (None, None) => "nobody is asked".to_owned(),
    };
    let because = rule.because().map(|because| format!(": {because}")).unwrap_or_default();
    let source = rule.source().map(|source| format!(" ({source})")).unwrap_or_default();
    format!("**{}**: {when}, {does}{because}{source}", rule.id)
}

fn step_sentence(step: &Step) -> String {
    let each = step
        .for_each
        .as_ref()
        .map(|each| format!("for each of `{}` ", each.rows.source()))
        .unwrap_or_default();
    let when =
        step.when.as_ref().map(|when| format!("if `{}` ", when.expression().source())).unwrap_or_default();
    let opening = capital(&format!("{each}{when}it calls {}", call(&step.call)));
    let check = match &step.check {
        CheckTemplate::ReadBack { call: read, expect } => {
            let fields: Vec<String> = expect
                .iter()
                .map(|(field, wanted)| format!("`{field}` must be `{}`", operand(wanted)))
                .collect();
            format!("reads it back with `{}`: {}", read.tool, fields.join(" and "))
        }
        CheckTemplate::Unverifiable => "nothing can read it back".to_owned(),
    };
    let undo = step
        .undo
        .as_ref()
        .map(|undo| format!(" It can be taken back with `{}`.", undo.tool))
        .unwrap_or_default();
    let moved =
        step.amount.as_ref().map(|amount| format!(" It moves `{}`.", amount.source())).unwrap_or_default();
    format!("{opening} and {check}.{undo}{moved}")
}

fn tell_sentence(tell: &Tell) -> String {
    let each = tell
        .for_each
        .as_ref()
        .map(|each| format!("for each of `{}` ", each.rows.source()))
        .unwrap_or_default();
    let when =
        tell.when.as_ref().map(|when| format!("if `{}` ", when.expression().source())).unwrap_or_default();
    let quiet = tell
        .quiet
        .map(|quiet| format!(", not between {}", quiet.to_string().replace('-', " and ")))
        .unwrap_or_default();
    let opening = format!("{each}{when}it tells `{}` with `{}`{quiet}.", tell.to.source(), tell.tool);
    capital(&opening)
}

fn input_sentence(input: &Input) -> String {
    let what = match &input.shape {
        InputShape::Each { .. } => "a list".to_owned(),
        InputShape::ItemChanges => "the items to add and to remove".to_owned(),
        InputShape::One { kind, near, .. } => {
            let article = if matches!(kind, InputType::Id) { "an" } else { "a" };
            let article = if matches!(kind, InputType::Money | InputType::Text) { "" } else { article };
            let near = near.as_ref().map(|near| format!(" near the word \"{near}\"")).unwrap_or_default();
            format!("{article} {kind}{near}").trim_start().to_owned()
        }
    };
    let earlier = if input.earlier { ", or from an earlier message of the session" } else { "" };
    let found = input.find.as_ref().map(|find| {
        let by = find.by.as_ref().map(|by| format!(", by `{by}`")).unwrap_or_default();
        format!(", or found with {}{by}", call(&find.call))
    });
    format!("`{}`, {what}{earlier}{}", input.name, found.unwrap_or_default())
}

fn call(call: &CallTemplate) -> String {
    let arguments: Vec<String> =
        call.arguments.iter().map(|(name, value)| format!("{name}={}", operand(value))).collect();
    format!("`{}({})`", call.tool, arguments.join(", "))
}

fn operand(operand: &Operand) -> String {
    match operand {
        Operand::Expression(expression) => expression.source().to_owned(),
        Operand::Reference { step, field } => format!("{step}.{field}"),
    }
}

fn role(role: &str) -> String {
    format!("`{role}`")
}

fn ticked<S: AsRef<str>>(words: &[S]) -> String {
    let ticked: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    ticked.join(", ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
