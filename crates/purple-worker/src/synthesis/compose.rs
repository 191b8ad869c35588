//! A complete file from a run that a model drove: what the file of the run says and what the model did besides.

use std::collections::BTreeSet;
use std::sync::Arc;

use purple_intent::value::Notation;
use purple_intent::{SayForm, read};
use purple_policy::{Value as Known, Verdict};
use purple_process::fact;
use purple_process::file::{ProcessFile, Task, extract, load};
use purple_process::playbook::{Case, Decision};
use purple_process::{
    Argument, Arguments, Check, Effect, Operation, Order, Seen, SessionId, StepId, ToolName,
};
use serde_json::Value;

use crate::dossier::{Gathered, case_of, known};
use crate::execute::rule::to_serde;
use crate::observe::would_change_json;
use crate::settings::Settings;
use crate::synthesis::extend::{stated, word};
use crate::synthesis::frame::{Frame, OUTCOME};
use crate::synthesis::from_run::{NoDraft, same, told};
use crate::synthesis::origin::{Origins, equal, quoted};
use crate::synthesis::record::{Asked, Record, Unfit};

/// The most keywords of a draft.
const KEYWORDS_MAX: usize = 6;

/// What becomes of a name that rules look at and that the run had no value for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unknown {
    /// It is taken from what was read, where a field has this name.
    MayBeRead,
    /// It stays unknown, as it was in the run: rules that need it are in doubt, and doubt asks.
    Stays,
}

/// The fields that a file would expect of a read-back: those of which the run knew where the record has them.
fn expected(operation: &Operation) -> Option<Arguments> {
    let expect = match &operation.check {
        Check::ReadBack { expect, .. } => expect.clone(),
        Check::Observed { written, .. } => {
            let at = |(name, argument): (&String, &Argument)| {
                let value = argument.value()?;
                let here = |seen: &&Seen| would_change_json(name, value, &seen.field, &seen.value).is_some();
                Some((operation.before.iter().find(here)?.field.clone(), argument.clone()))
            };
            written.iter().filter_map(at).collect()
        }
        Check::Unverifiable => Arguments::new(),
    };
    (!expect.is_empty()).then_some(expect)
}

/// Whom the run asked, and whether a rule of its file did.
struct Wanted {
    asked: Asked,
    by_rule: bool,
    /// Everybody whom the file asked: by the rule that decided, and by those that could not be checked.
    everybody: BTreeSet<Asked>,
}

/// The file, if it can be written, loads, asks whom the run asked and does what the run did.
pub(super) fn composed(
    record: &Record,
    run: &SessionId,
    name: &str,
    settings: &Settings,
) -> Result<String, NoDraft> {
    let unfit = |what: Unfit| NoDraft::Incomplete { run: run.clone(), what };
    let task = record.task().ok_or_else(|| unfit(Unfit::NotKept))?;
    let frame = Frame::of(record)?;
    let free = frame.free_names();
    let reserved = frame.declared_names().cloned().chain(free.iter().cloned()).collect();
    let origins = Origins::of(record, &reserved)?;
    let wanted = wanted(record, task)?;
    let writer = Writer { record, origins: &origins, frame: &frame, free: &free, wanted: &wanted, run, name };
    match writer.tried(Unknown::MayBeRead, settings) {
        Err(NoDraft::AsksOtherwise { .. }) => writer.tried(Unknown::Stays, settings),
        tried => tried,
    }
}

/// Whom the rules of the file asked about what was done; where none of them said anything, whom anybody else did.
fn wanted(record: &Record, task: &Task) -> Result<Wanted, NoDraft> {
    let case = case_of(task, &record.dossier)?;
    let owner = || Asked { who: record.file.owner().to_string(), people: 1 };
    let by_rule = |decision: Decision| {
        decision.verdict().map(|_| Asked {
            who: decision.ask().map_or_else(|| record.file.owner().to_string(), word),
            people: decision.people().get(),
        })
    };
    let decisions = case.judge_all(&record.operations);
    let everybody = decisions.iter().flat_map(everybody).collect();
    let said: Vec<Option<Asked>> = decisions.into_iter().map(by_rule).collect();
    let is_by_rule = said.iter().any(Option::is_some);
    let mut asked: BTreeSet<Asked> = match is_by_rule {
        true => said.into_iter().map(|one| one.unwrap_or_else(owner)).collect(),
        false => record.asked.iter().cloned().collect(),
    };
    match asked.len() {
        0 | 1 => {
            Ok(Wanted { asked: asked.pop_first().unwrap_or_else(owner), by_rule: is_by_rule, everybody })
        }
        _ => Err(NoDraft::ManyAsked { asked: asked.iter().map(Asked::told).collect() }),
    }
}

fn everybody(decision: &Decision) -> BTreeSet<Asked> {
    let demands = decision.demands().into_iter();
    demands.map(|demand| Asked { who: word(&demand.ask), people: demand.people.get() }).collect()
}

impl Asked {
    fn told(&self) -> String {
        match self.people {
            1 => format!("`{}`", self.who),
            people => format!("{people} × `{}`", self.who),
        }
    }
}

struct Writer<'a> {
    record: &'a Record,
    origins: &'a Origins,
    frame: &'a Frame,
    /// The names in its conditions that the file itself gives no value.
    free: &'a BTreeSet<String>,
    wanted: &'a Wanted,
    run: &'a SessionId,
    name: &'a str,
}

impl Writer<'_> {
    /// Writes the draft, and performs the run on it.
    fn tried(&self, unknown: Unknown, settings: &Settings) -> Result<String, NoDraft> {
        let bound = self.bound(unknown)?;
        let text = self.to_text(&bound)?;
        let file = load(&text)?;
        let task = file.tasks().first().ok_or(NoDraft::NothingRead)?;
        if !task.is_complete() {
            return Err(NoDraft::NothingRead);
        }
        let (decision, made) = self.performed(&file, settings)?;
        let asks = Asked {
            who: decision.ask().map_or_else(|| "nobody".to_owned(), word),
            people: decision.people().get(),
        };
        if !same(&made, &self.record.operations) {
            let (did, would) = (told(&self.record.operations), told(&made));
            return Err(NoDraft::Differs { what: format!("the run did {did}; the draft would do {would}") });
        }
        if asks != self.wanted.asked {
            return Err(NoDraft::AsksOtherwise { asked: self.wanted.asked.told(), would: asks.told() });
        }
        let would = everybody(&decision);
        if self.wanted.by_rule && would != self.wanted.everybody {
            let told = |all: &BTreeSet<Asked>| all.iter().map(Asked::told).collect::<Vec<_>>().join(", ");
            return Err(NoDraft::AsksOtherwise { asked: told(&self.wanted.everybody), would: told(&would) });
        }
        let text = format!("{text}{}", self.test(task, &decision, &made)?);
        load(&text)?;
        Ok(text)
    }

    fn to_text(&self, bound: &[(String, String)]) -> Result<String, NoDraft> {
        let mut text = format!(
            "# Drafted from run {}. It takes effect when a person has signed it: purple process sign FILE --as PERSON\n\
             {}process: {}\n{}title: {}\nowner: {}\nkeywords: [{}]\n",
            self.run,
            self.record.caveats.comments(),
            self.name,
            self.forms(),
            quoted(&format!("As in run {}", self.run)),
            self.record.file.owner(),
            self.keywords().join(", ")
        );
        let mut computes = self.origins.computes();
        computes.extend(bound.iter().map(|(name, value)| format!("  {name}: {}\n", quoted(value))));
        let slots = [
            ("inputs", self.frame.inputs(), self.origins.inputs()),
            ("read", self.frame.reads(), self.origins.reads()),
            ("compute", self.frame.computes(), computes),
        ];
        for (slot, carried, added) in slots {
            if !carried.is_empty() || !added.is_empty() {
                text.push_str(&format!("{slot}:\n{}{}", carried.concat(), added.concat()));
            }
        }
        text.push_str(&self.frame.declared());
        text.push_str(&self.rules());
        text.push_str(&format!("outcomes:\n  {OUTCOME}:\n"));
        text.push_str(&self.outcome()?);
        text.push_str(&self.frame.rest(&self.wanted.asked.who));
        Ok(text)
    }

    /// What must hold first, then the rules of the file, then what is asked where none of them matches.
    fn rules(&self) -> String {
        let mut ids = (1_usize..).map(|number| format!("FR-{number}")).filter(|id| !self.frame.has_rule(id));
        let mut id = || ids.next().unwrap_or_default();
        let mut text = "decide:\n".to_owned();
        let stop = |id: String, condition: &str, because: &str| {
            let (condition, because) = (quoted(condition), quoted(because));
            format!("  - {{rule: {id}, if: {condition}, outcome: stop, because: {because}}}\n")
        };
        for condition in self.origins.disagreements() {
            text.push_str(&stop(id(), &condition, "the task and the system disagree"));
        }
        let present = self.origins.presence();
        if self.frame.has_rules() && !present.is_empty() {
            text.push_str(&stop(id(), &format!("!({present})"), "what is looked up is not there"));
        }
        text.push_str(&self.frame.rules());
        if self.frame.always_decides() {
            return text;
        }
        let condition = match present {
            present if present.is_empty() => String::new(),
            present => format!("if: {}, ", quoted(&present)),
        };
        // Where the rules of the file decided this run, its owner is asked about what they say nothing to.
        let asked = match self.wanted.by_rule {
            true => Asked { who: self.record.file.owner().to_string(), people: 1 },
            false => self.wanted.asked.clone(),
        };
        let people = match asked.people {
            people if people == self.frame.people() => String::new(),
            people => format!(", people: {people}"),
        };
        let because = quoted(&format!("as in run {}", self.run));
        text.push_str(&format!(
            "  - {{rule: {}, {condition}outcome: {OUTCOME}, ask: {}{people}, because: {because}}}\n",
            id(),
            asked.who
        ));
        text
    }

    /// The names that rules look at, bound to what stands for them in the run.
    fn bound(&self, unknown: Unknown) -> Result<Vec<(String, String)>, NoDraft> {
        let mut bound = Vec::new();
        for name in self.free.iter().filter(|name| !self.origins.names(name)) {
            let values: Vec<(&Operation, Value)> = self
                .record
                .operations
                .iter()
                .filter_map(|one| Some((one, to_serde(one.arguments.get(name)?.value()?))))
                .collect();
            let expression = match values.first() {
                Some((_, first)) if values.iter().any(|(_, value)| !equal(first, value)) => {
                    let process = self.record.file.name().to_owned();
                    return Err(NoDraft::ManyValues { process, name: name.clone() });
                }
                Some((operation, value)) => self.origin(operation.tool.as_str(), name, value)?,
                None => {
                    let read = match unknown {
                        Unknown::MayBeRead => self.origins.field_named(name),
                        Unknown::Stays => None,
                    };
                    read.or_else(|| self.origins.absent(name)).ok_or(NoDraft::NothingRead)?
                }
            };
            bound.push((name.clone(), expression));
        }
        Ok(bound)
    }

    /// How the draft is asked for: as the task of the run ordered it. Without an order in its words, the requester
    /// confirms every task.
    fn forms(&self) -> String {
        let reading = read(&self.record.dossier.text, &Notation::default());
        let form = SayForm::of(&reading);
        form.map_or_else(String::new, |(language, form)| {
            format!("format: 2\nsay: {{{}: [{}]}}\n", language.code(), quoted(&form))
        })
    }

    fn keywords(&self) -> Vec<String> {
        // Words of the task that are no ids, figures or filler, longest first: those say most.
        let mut words: Vec<String> = self
            .record
            .dossier
            .text
            .split(|sign: char| !sign.is_alphanumeric() && sign != '-' && sign != '\'')
            .filter(|word| word.len() >= 5 && word.chars().all(|sign| sign.is_alphabetic()))
            .filter(|word| word.starts_with(|first: char| first.is_lowercase()))
            .map(str::to_lowercase)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.truncate(KEYWORDS_MAX);
        words.iter().map(|word| quoted(word)).collect()
    }

    fn outcome(&self) -> Result<String, NoDraft> {
        let is_write = |one: &&Operation| one.effect != Effect::Notify;
        let mut text = String::new();
        let writes: Vec<&Operation> = self.record.operations.iter().filter(is_write).collect();
        if !writes.is_empty() {
            text.push_str("    do:\n");
        }
        for one in writes {
            text.push_str(&format!(
                "      - call: {}\n",
                quoted(&self.call(one.tool.as_str(), &one.tool, &one.arguments)?)
            ));
            if self.is_referred_to(one) {
                text.push_str(&format!("        as: {}\n", self.made_by(&one.step)));
            }
            match &one.check {
                Check::Unverifiable => text.push_str("        check: none\n"),
                // A file says which fields it expects; of a record of which nobody knew any, it cannot.
                Check::Observed { .. } if expected(one).is_none() => text.push_str("        check: none\n"),
                Check::Observed { tool, arguments, .. } | Check::ReadBack { tool, arguments, .. } => {
                    let expect = &expected(one).unwrap_or_default();
                    let read = self.call(one.tool.as_str(), tool, arguments)?;
                    let mut fields = Vec::new();
                    for (field, value) in self.values(one.tool.as_str(), expect)? {
                        fields.push(format!("{}: {}", quoted(&field), quoted(&value)));
                    }
                    let fields = fields.join(", ");
                    text.push_str(&format!(
                        "        check: {{read: {}, expect: {{{fields}}}}}\n",
                        quoted(&read)
                    ));
                }
            }
        }
        let tells: Vec<&Operation> =
            self.record.operations.iter().filter(|one| one.effect == Effect::Notify).collect();
        if !tells.is_empty() {
            text.push_str("    tell:\n");
        }
        for one in tells {
            text.push_str(&self.tell(one)?);
        }
        Ok(text)
    }

    fn tell(&self, one: &Operation) -> Result<String, NoDraft> {
        let mut given = self.values(one.tool.as_str(), &one.arguments)?;
        let to = ["to", "recipient", "email", "customer_id", "employee_id", "vendor_id"];
        let place = given.iter().position(|(name, _)| to.contains(&name.as_str())).unwrap_or(0);
        if given.is_empty() {
            return Err(NoDraft::NoOrigin { tool: one.tool.to_string(), argument: "to".to_owned() });
        }
        let (name, recipient) = given.remove(place);
        let with: Vec<String> =
            given.iter().map(|(name, value)| format!("{name}: {}", quoted(value))).collect();
        let to =
            if name == "to" { quoted(&recipient) } else { format!("{{{name}: {}}}", quoted(&recipient)) };
        let with = if with.is_empty() { String::new() } else { format!(", with: {{{}}}", with.join(", ")) };
        Ok(format!("      - {{tool: {}, to: {to}{with}}}\n", one.tool))
    }

    /// `tool(name=expression, …)`.
    fn call(&self, of: &str, tool: &ToolName, arguments: &Arguments) -> Result<String, NoDraft> {
        let given: Vec<String> =
            self.values(of, arguments)?.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        Ok(format!("{tool}({})", given.join(", ")))
    }

    fn values(&self, of: &str, arguments: &Arguments) -> Result<Vec<(String, String)>, NoDraft> {
        let one = |(name, argument): (&String, &Argument)| {
            let expression = match argument {
                Argument::Value(value) => self.origin(of, name, &to_serde(value))?,
                Argument::Reference(made) => format!("{}.{}", self.made_by(&made.step), made.field),
            };
            Ok((name.clone(), expression))
        };
        arguments.iter().map(one).collect()
    }

    /// Whether something needs what an operation makes.
    fn is_referred_to(&self, made: &Operation) -> bool {
        let given = |one: &Operation| -> Vec<Argument> {
            let checked = one.check.read().map(|(_, arguments, expect)| [arguments, expect]);
            let checked = checked.into_iter().flatten().flat_map(Arguments::values);
            one.arguments.values().chain(checked).cloned().collect()
        };
        let mut all = self.record.operations.iter().flat_map(given);
        all.any(|argument| argument.reference().is_some_and(|to| to.step == made.step))
    }

    /// The name of what an operation makes.
    fn made_by(&self, step: &StepId) -> String {
        let place = self.record.operations.iter().position(|one| one.step == *step);
        format!("made_{}", place.map_or(0, |place| place + 1))
    }

    /// The expression for a value of an operation.
    fn origin(&self, of: &str, name: &str, value: &Value) -> Result<String, NoDraft> {
        let found = self.origins.expression(name, value);
        found.ok_or_else(|| match self.origins.computed_by(value) {
            Some(by) => NoDraft::NotAnExpression { by: by.to_owned() },
            None => NoDraft::NoOrigin { tool: of.to_owned(), argument: name.to_owned() },
        })
    }

    /// What the draft decides and does about the words of the run, from the answers of its reads.
    fn performed(
        &self,
        file: &ProcessFile,
        settings: &Settings,
    ) -> Result<(Decision, Vec<Operation>), NoDraft> {
        let differs = |what: String| NoDraft::Differs { what };
        let task = file.tasks().first().ok_or_else(|| differs("it has no task".to_owned()))?;
        let dossier = &self.record.dossier;
        let setting = settings.setting(dossier.today);
        let found = extract(&dossier.text, task.inputs(), &known(&dossier.inputs)?, &setting);
        if let Some(missing) = found.missing.first() {
            return Err(differs(format!("`{}` is not found in the task", missing.name)));
        }
        let mut case = Case::start(task, &found.found, dossier.today).knowing(self.known()?);
        // Reads become due one after the other, each once.
        for _ in 0..=dossier.reads.len() + self.record.looks.len() {
            let due: Vec<String> = case.due().iter().map(|due| due.name.to_owned()).collect();
            for name in due {
                match self.answers(&name) {
                    None => return Err(differs(format!("`{name}` was never read"))),
                    Some(Err(read)) => read.tell(&mut case),
                    Some(Ok(answer)) => {
                        let answer = Known::from_json(answer).map_err(|error| differs(error.to_string()))?;
                        case.answer(&name, vec![answer]).map_err(|error| differs(error.to_string()))?;
                    }
                }
            }
        }
        let decision = case.decide();
        let made = match decision.verdict() {
            Some(Verdict::Block | Verdict::Escalate) => Vec::new(),
            Some(Verdict::Allow | Verdict::RequireApproval) | None => {
                case.operations(&decision, &Order::missing()).map_err(|stuck| differs(stuck.to_string()))?
            }
        };
        Ok((decision, made))
    }

    /// Everything that the run read.
    fn known(&self) -> Result<Arc<fact::Known>, NoDraft> {
        let task = self.record.file.task(&self.record.dossier.chosen.task);
        let case = task.map(|task| case_of(task, &self.record.dossier)).transpose()?;
        Ok(case.map(|case| Arc::clone(case.known())).unwrap_or_default())
    }

    /// What a read was answered with in the run; `None` where there was no such read.
    fn answers(&self, name: &str) -> Option<Result<&Value, &Gathered>> {
        if let Some(answer) = self.origins.answer(name) {
            return Some(Ok(answer));
        }
        self.record.dossier.reads.iter().find(|read| read.name == name).map(Err)
    }

    /// The run itself, as a test.
    fn test(&self, task: &Task, decision: &Decision, made: &[Operation]) -> Result<String, NoDraft> {
        let dossier = &self.record.dossier;
        let mut text = format!("tests:\n  - text: {}\n    today: {}\n", quoted(&dossier.text), dossier.today);
        for (name, value) in stated(self.record, task)? {
            text.push_str(&format!("    {name}: {value}\n"));
        }
        text.push_str(&self.origins.facts());
        for binding in self.known()?.bind(task.records(), &fact::Subject::of(made.first())) {
            text.extend(
                binding.value.ok().map(|value| format!("    {}: {}\n", binding.name, value.to_json())),
            );
        }
        text.push_str(&format!("    expect: {OUTCOME}\n"));
        let rule = decision.rule().filter(|rule| self.frame.has_rule(rule));
        text.extend(rule.map(|rule| format!("    rule: {rule}\n")));
        if decision.demands().len() < 2 {
            text.push_str(&format!("    ask: {}\n", self.wanted.asked.who));
        }
        let does: Vec<&str> = made.iter().map(|one| one.tool.as_str()).collect();
        text.push_str(&format!("    does: [{}]\n", does.join(", ")));
        Ok(text)
    }
}
