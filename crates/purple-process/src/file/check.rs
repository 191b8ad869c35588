//! From the keys of a file to a checked process: identity, tasks, routes, approval, limits.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU8;

use purple_intent::SayForm;

use super::input::Input;
use super::model::{Format, Outcome, ProcessFile, Rule, Task};
use super::names::plain_name;
use super::outcomes;
use super::problem::{Mark, ProblemCode, Problems};
use super::raw::{RawApproval, RawFile, RawInput, RawLimits, RawOutcome, RawRead, RawRule, RawTask, RawTest};
use super::rules;
use super::say;
use super::sentence;
use super::shape::{Entries, ShortOrFull};
use super::slots;
use super::suggest;
use super::terms::{Approval, Fallback, Limits};
use super::time::Span;
use super::trial;
use super::yaml::{Text, shown};
use crate::canonical::Digest;
use crate::id::Role;
use crate::machine::State;
use crate::route::Route;

/// The slots of one task, wherever they were written.
pub(crate) struct RawSlots {
    pub(crate) at: Mark,
    pub(crate) inputs: Entries<RawInput>,
    pub(crate) parameters: Entries<Text>,
    pub(crate) records: Entries<Entries<Text>>,
    pub(crate) actions: Entries<Text>,
    pub(crate) read: Entries<ShortOrFull<RawRead>>,
    pub(crate) compute: Entries<Text>,
    pub(crate) decide: Vec<RawRule>,
    pub(crate) outcomes: Entries<RawOutcome>,
    pub(crate) once_per: Vec<Text>,
    pub(crate) tests: Vec<RawTest>,
}

/// What the tasks of a file have in common.
struct Shared {
    format: Format,
    owner: Option<Role>,
    route: Option<Vec<Text>>,
    instructions: Entries<Text>,
    approval: Approval,
}

/// Checks a whole file. `None` when a problem was found.
pub(crate) fn check(
    raw: RawFile,
    keys: &[Text],
    digest: Digest,
    problems: &mut Problems,
) -> Option<ProcessFile> {
    let before = problems.len();
    plain_name(&raw.process, problems);
    raw.also.iter().for_each(|name| {
        plain_name(name, problems);
    });
    let keywords = keywords(&raw.keywords, problems);
    let format = format(raw.format.as_ref(), problems);
    let limits = raw.limits.as_ref().map(|limits| self::limits(limits, problems)).unwrap_or_default();
    let shared = Shared {
        format,
        owner: role(&raw.owner, problems),
        route: raw.route.clone(),
        instructions: raw.instructions.clone(),
        approval: raw.approval.as_ref().map(|raw| approval(raw, problems)).unwrap_or_default(),
    };
    let (name, title, at) = (raw.process.clone(), raw.title.one_line(), raw.at);
    let also: Vec<String> = raw.also.iter().map(|name| name.value.clone()).collect();
    let tasks = tasks(raw, keys, &shared, at, problems);
    if format == Format::Two {
        say::refuse_missing(tasks.as_deref().unwrap_or_default(), at, problems);
    }
    if problems.len() > before {
        return None;
    }
    Some(ProcessFile {
        name: name.value,
        title,
        owner: shared.owner?,
        also,
        keywords,
        format,
        limits,
        tasks: tasks?,
        digest,
    })
}

fn format(raw: Option<&Text>, problems: &mut Problems) -> Format {
    let Some(raw) = raw else { return Format::One };
    match raw.as_str() {
        "1" => Format::One,
        "2" => Format::Two,
        other => {
            let message = format!("`{other}` is not a format of a process file");
            problems.add(raw.at, ProblemCode::BadForm, message, "write `format: 2`");
            Format::One
        }
    }
}

fn tasks(
    raw: RawFile,
    keys: &[Text],
    shared: &Shared,
    at: Mark,
    problems: &mut Problems,
) -> Option<Vec<Task>> {
    if raw.tasks.0.is_empty() {
        let keywords = raw.keywords.iter().map(|word| word.value.clone()).collect();
        let slots = RawSlots {
            at,
            inputs: raw.inputs,
            parameters: raw.parameters,
            records: raw.records,
            actions: raw.actions,
            read: raw.read,
            compute: raw.compute,
            decide: raw.decide,
            outcomes: raw.outcomes,
            once_per: raw.once_per.0,
            tests: raw.tests,
        };
        let say = say::check(&raw.say, problems);
        let whole = TaskFrame { name: raw.process, title: raw.title, keywords, say };
        return task(whole, shared, None, &Entries::default(), None, slots, problems).map(|task| vec![task]);
    }
    refuse_slots_beside_tasks(keys, problems);
    refuse_same_keywords(&raw.tasks, problems);
    let mut checked = Vec::new();
    for (name, raw_task) in raw.tasks.0 {
        plain_name(&name, problems);
        checked.push(named_task(name, raw_task, shared, problems));
    }
    checked.into_iter().collect()
}

fn named_task(name: Text, raw: RawTask, shared: &Shared, problems: &mut Problems) -> Option<Task> {
    let slots = RawSlots {
        at: name.at,
        inputs: raw.inputs,
        parameters: raw.parameters,
        records: raw.records,
        actions: raw.actions,
        read: raw.read,
        compute: raw.compute,
        decide: raw.decide,
        outcomes: raw.outcomes,
        once_per: raw.once_per.0,
        tests: raw.tests,
    };
    let approval = raw.approval.as_ref().map(|raw| approval(raw, problems));
    let keywords = keywords(&raw.keywords, problems);
    let title = raw.title.unwrap_or_else(|| name.clone());
    let say = say::check(&raw.say, problems);
    let frame = TaskFrame { name, title, keywords, say };
    task(frame, shared, raw.route, &raw.instructions, approval, slots, problems)
}

struct TaskFrame {
    name: Text,
    title: Text,
    keywords: Vec<String>,
    say: Vec<SayForm>,
}

fn task(
    frame: TaskFrame,
    shared: &Shared,
    own_route: Option<Vec<Text>>,
    own_instructions: &Entries<Text>,
    own_approval: Option<Approval>,
    raw: RawSlots,
    problems: &mut Problems,
) -> Option<Task> {
    let before = problems.len();
    let approval = own_approval.unwrap_or_else(|| shared.approval.clone());
    let slots = slots::check(&raw, problems);
    let outcomes = outcomes::check(&raw.outcomes, &slots.names, problems);
    let of = rules::Within { names: &slots.names, parameters: &slots.parameters, format: shared.format };
    let rules = rules::check(&raw.decide, &outcomes, &raw.outcomes, &of, &approval, problems);
    let clean = problems.len() == before;
    let route =
        route(own_route.as_ref().or(shared.route.as_ref()), &slots, &outcomes, &rules, raw.at, problems);
    let mut instructions = instructions(&shared.instructions, &route, own_route.is_some(), problems);
    instructions.extend(self::instructions(own_instructions, &route, false, problems));
    let texts = [frame.name.as_str(), frame.title.as_str()].into_iter();
    let texts = texts.chain(frame.keywords.iter().map(String::as_str));
    let texts = texts.chain(slots.inputs.iter().map(Input::name)).chain(outcomes.iter().map(Outcome::name));
    let words = say::words(texts);
    let compared: Vec<_> = rules.iter().flat_map(Rule::compared).collect();
    let records = slots.records.into_iter().map(|field| field.compared_with(&compared)).collect();
    let mut task = Task {
        name: frame.name.value,
        title: frame.title.one_line(),
        owner: shared.owner.clone()?,
        words,
        keywords: frame.keywords,
        say: frame.say,
        route: route?,
        instructions,
        inputs: slots.inputs,
        parameters: slots.parameters,
        records,
        actions: slots.actions,
        slots: slots.ordered,
        rules,
        outcomes,
        once_per: slots.once_per,
        approval,
        trials: Vec::new(),
        sentences: Vec::new(),
        binding: None,
    };
    say::refuse_unknown_slots(&task, raw.at, problems);
    if clean {
        super::edit::check(&task, problems);
        super::confirm::check(&task, &raw, problems);
        super::reach::check(&task, &raw.decide, problems);
    }
    task.trials = trial::read(&raw, &task, problems);
    task.sentences = sentence::read(&raw.tests, problems);
    // A test of a file that is wrong elsewhere would only repeat the same complaint in other words.
    if problems.len() == before {
        trial::run(&task, problems);
        sentence::run(&task, problems);
    }
    Some(task)
}

fn refuse_slots_beside_tasks(keys: &[Text], problems: &mut Problems) {
    const SLOTS: [&str; 11] = [
        "say",
        "inputs",
        "parameters",
        "records",
        "actions",
        "read",
        "compute",
        "decide",
        "outcomes",
        "once_per",
        "tests",
    ];
    for key in keys.iter().filter(|key| SLOTS.contains(&key.as_str())) {
        problems.add(
            key.at,
            ProblemCode::SlotOutsideTask,
            format!("`{}` stands beside `tasks`", shown(key)),
            format!("move `{}` into the task that it belongs to", shown(key)),
        );
    }
}

fn refuse_same_keywords(tasks: &Entries<RawTask>, problems: &mut Problems) {
    let mut seen: BTreeMap<BTreeSet<String>, String> = BTreeMap::new();
    for (name, task) in &tasks.0 {
        let words: BTreeSet<String> = task.keywords.iter().map(|word| word.value.to_lowercase()).collect();
        if let Some(other) = seen.get(&words) {
            problems.add(
                name.at,
                ProblemCode::SameKeywords,
                format!("the tasks `{other}` and `{}` have the same keywords", shown(name)),
                "give each task words of its own, so that a message can be told apart",
            );
        }
        seen.insert(words, name.value.clone());
    }
}

fn keywords(words: &[Text], problems: &mut Problems) -> Vec<String> {
    let mut seen = BTreeSet::new();
    for word in words {
        if !word.value.chars().any(char::is_alphanumeric) {
            let message = format!("`{}` is no keyword", shown(word));
            problems.add(word.at, ProblemCode::BadName, message, "use words that stand in a task");
        } else if !seen.insert(word.value.to_lowercase()) {
            let message = format!("the keyword `{}` is given twice", shown(word));
            problems.add(word.at, ProblemCode::NameTaken, message, "keep one of the two");
        }
    }
    words.iter().map(|word| word.value.clone()).collect()
}

/// A role, written as one.
pub(crate) fn role(text: &Text, problems: &mut Problems) -> Option<Role> {
    const NOT_ROLES: [&str; 5] = ["nobody", "requester", "stop", "none", "escalate"];
    let begins_well = text.as_str().starts_with(|c: char| c.is_ascii_lowercase());
    let role = Role::parse(text.as_str()).ok().filter(|_| begins_well && !NOT_ROLES.contains(&text.as_str()));
    if role.is_none() {
        problems.add(
            text.at,
            ProblemCode::BadRole,
            format!("`{}` is no role", shown(text)),
            "use small letters, digits and `_`, such as `ap_lead`",
        );
    }
    role
}

fn route(
    given: Option<&Vec<Text>>,
    slots: &slots::Checked,
    outcomes: &[super::model::Outcome],
    rules: &[super::model::Rule],
    at: Mark,
    problems: &mut Problems,
) -> Option<Route> {
    let reads = slots.ordered.iter().any(|slot| matches!(slot, super::model::Slot::Read(_)));
    let writes = outcomes.iter().any(|outcome| !outcome.steps.is_empty());
    let tells = outcomes.iter().any(|outcome| !outcome.tells.is_empty());
    let Some(given) = given else {
        let computes = slots.ordered.len()
            > slots.ordered.iter().filter(|slot| matches!(slot, super::model::Slot::Read(_))).count();
        let asks = rules.iter().any(|rule| !matches!(rule.ask, None | Some(super::model::Ask::Nobody)));
        let visited = [
            (State::Decompose, true),
            (State::Assess, reads || writes),
            (State::Compute, computes),
            (State::PolicyCheck, writes || tells || !rules.is_empty()),
            (State::ApprovalGate, asks),
            (State::Mutate, writes),
            (State::ScheduleNotify, tells),
            (State::Complete, true),
        ];
        let states: Vec<State> =
            visited.into_iter().filter(|(_, visit)| *visit).map(|(state, _)| state).collect();
        return lawful(&states, at, problems);
    };
    let first = given.first().map_or(at, |text| text.at);
    let states: Option<Vec<State>> = given.iter().map(|text| state(text, problems)).collect();
    let route = lawful(&states?, first, problems)?;
    for (needed, state, what) in [
        (reads, State::Assess, "reads"),
        (writes, State::Mutate, "writes"),
        (!rules.is_empty(), State::PolicyCheck, "decides"),
    ] {
        if needed && !route.visits(state) {
            problems.add(
                first,
                ProblemCode::RouteTooShort,
                format!("the process {what}, and its route does not visit {state}"),
                format!("add {state} to the route, or leave the route out"),
            );
        }
    }
    Some(route)
}

fn lawful(states: &[State], at: Mark, problems: &mut Problems) -> Option<Route> {
    match Route::parse(states) {
        Ok(route) => Some(route),
        Err(unlawful) => {
            for flaw in &unlawful.flaws {
                problems.add(
                    at,
                    ProblemCode::UnlawfulRoute,
                    format!("the route is not lawful: {flaw}"),
                    flaw.help(),
                );
            }
            None
        }
    }
}

fn state(text: &Text, problems: &mut Problems) -> Option<State> {
    let found = State::parse(text.as_str());
    if found.is_none() {
        let names: Vec<&str> = State::ORDER.iter().map(|state| state.name()).collect();
        problems.add(
            text.at,
            ProblemCode::UnknownState,
            format!("there is no state `{}`", shown(text)),
            suggest::help(text.as_str(), &names),
        );
    }
    found
}

/// Text for states. Text of the file for a state that a task's own route leaves out is not used, and not wrong.
fn instructions(
    given: &Entries<Text>,
    route: &Option<Route>,
    route_is_own: bool,
    problems: &mut Problems,
) -> BTreeMap<State, String> {
    let mut told = BTreeMap::new();
    for (name, text) in &given.0 {
        let Some(state) = state(name, problems) else { continue };
        // The gate and the notices are inserted where a route has none.
        let inserted = matches!(state, State::ApprovalGate | State::ScheduleNotify);
        let visited = route.as_ref().is_none_or(|route| route.visits(state));
        if visited || inserted {
            told.insert(state, text.value.clone());
        } else if !route_is_own {
            problems.add(
                name.at,
                ProblemCode::IdleInstruction,
                format!("the route does not visit {state}"),
                format!("add {state} to the route, or leave this text out"),
            );
        }
    }
    told
}

/// Words that would make waiting an approval.
const APPROVING: [&str; 12] = [
    "approve", "approved", "approves", "allow", "allowed", "accept", "accepted", "grant", "granted",
    "proceed", "nobody", "yes",
];

fn approval(raw: &RawApproval, problems: &mut Problems) -> Approval {
    let mut approval = Approval::default();
    for text in &raw.never.0 {
        if text.as_str() == "requester" {
            approval.never_requester = true;
        } else {
            approval.never.extend(role(text, problems));
        }
    }
    approval.within = raw.within.as_ref().and_then(|text| duration(text, problems));
    if let Some(then) = &raw.then {
        if APPROVING.contains(&then.as_str().to_lowercase().as_str()) {
            problems.add(
                then.at,
                ProblemCode::ExpiryApproves,
                format!("`then: {}` would approve by waiting", shown(then)),
                "an expired approval is a no; name the role that is asked next",
            );
        } else {
            approval.then = role(then, problems);
        }
        if raw.within.is_none() {
            let help = "add `within: 2 business days`, or leave `then` out";
            problems.add(then.at, ProblemCode::MissingKey, "`then` has no `within` that could expire", help);
        }
    }
    approval.people = raw.people.as_ref().and_then(|text| count(text, problems)).unwrap_or(NonZeroU8::MIN);
    approval.confirmations =
        raw.confirmations.as_ref().and_then(|text| count(text, problems)).unwrap_or(NonZeroU8::MIN);
    approval.edit = raw.edit.0.iter().map(|text| (text.value.clone(), text.at)).collect();
    approval
}

fn duration(text: &Text, problems: &mut Problems) -> Option<Span> {
    let span = Span::parse(text.as_str());
    if span.is_none() {
        problems.add(
            text.at,
            ProblemCode::BadDuration,
            format!("`{}` is no duration", shown(text)),
            "write a number and a unit: 30 minutes, 2 hours, 3 days, 2 business days, 1 week",
        );
    }
    span
}

/// A number of people or confirmations.
pub(crate) fn count(text: &Text, problems: &mut Problems) -> Option<NonZeroU8> {
    bounded(text, 1, 9, problems).and_then(|number| u8::try_from(number).ok()).and_then(NonZeroU8::new)
}

fn limits(raw: &RawLimits, problems: &mut Problems) -> Limits {
    const MOST: u32 = 10_000_000;
    let mut whole = |text: &Option<Text>| text.as_ref().and_then(|text| bounded(text, 0, MOST, problems));
    let (model_calls, tokens, writes) = (whole(&raw.model_calls), whole(&raw.tokens), whole(&raw.writes));
    Limits {
        model_calls,
        tokens,
        writes,
        deadline: raw.deadline.as_ref().and_then(|text| duration(text, problems)),
        fallback_model: raw.fallback_model.as_ref().and_then(|text| fallback(text, problems)),
    }
}

fn fallback(text: &Text, problems: &mut Problems) -> Option<Fallback> {
    if text.value == "other" {
        return Some(Fallback::Other);
    }
    let told = format!("`{}` is no language model that may stand in", shown(text));
    problems.add(text.at, ProblemCode::BadName, told, "write `other`, or leave it out");
    None
}

fn bounded(text: &Text, low: u32, high: u32, problems: &mut Problems) -> Option<u32> {
    let plain = text.value.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.value.parse().ok().filter(|number| plain && (low..=high).contains(number));
    if number.is_none() {
        problems.add(
            text.at,
            ProblemCode::BadNumber,
            format!("`{}` is no whole number from {low} to {high}", shown(text)),
            "write plain digits",
        );
    }
    number
}
