//! What a text leads to without a language model. Pure: a run, `purple demo` and `/why` all read a text here.

use std::collections::BTreeMap;

use purple_intent::value::{Meaning, Notation, Value};
use purple_intent::{Act, Cover, Doubt, Item, Mood, Reading, Span, items, read};
use purple_policy::Value as Known;
use purple_process::file::Setting;
use purple_process::{Arithmetic, is_question};

use super::calculate::{Calculation, Outcome, outcome};
use super::choose::{Fit, by_ids, choose, choose_again, to_look_up};
use super::open::Open;
use crate::execute::reference::Reference;
use crate::run::OrderRecords;
use crate::settings::Process;

/// What a text leads to without a language model.
pub(crate) enum Way<'p> {
    /// A shipped function answers it.
    Calculate(Calculation),
    /// It is a calculation that leaves something open.
    Open(Open),
    /// It only asks something.
    LookUp(Fit<'p>, Arithmetic, Mood),
    /// A complete file does it.
    Playbook(Fit<'p>),
    /// A complete file says what it would do: the words order nothing.
    Advise(Fit<'p>, Mood),
    /// A complete file would do it, if the requester confirms that it is meant.
    Unclear(Fit<'p>, Doubt),
    /// It asks to undo something.
    Reverse,
    /// It holds several tasks, each of them clear.
    Several(Vec<Item>),
    /// Nothing here does; what it looks like.
    NeedsModel(Option<Fit<'p>>),
}

/// What is known beside a text when it is read.
#[derive(Debug)]
pub(crate) struct ReadingContext<'p> {
    pub processes: &'p [Process],
    /// The process of the session.
    pub before: Option<&'p Process>,
    /// The inputs that earlier texts of the session named.
    pub earlier: BTreeMap<String, Known>,
    pub setting: Setting,
    /// Whether a language model is configured: it finds out itself what words mean that no file explains.
    pub has_model: bool,
    pub orders: OrderRecords,
}

impl<'p> ReadingContext<'p> {
    /// What a text leads to.
    pub(crate) fn way(&self, text: &str) -> Way<'p> {
        if is_reversal(text) {
            return Way::Reverse;
        }
        let whole = self.way_of(text);
        let is_clear = match &whole {
            Way::Playbook(fit) => fit.missing.is_empty(),
            Way::Calculate(_) | Way::Advise(..) | Way::Reverse | Way::Several(_) => true,
            Way::Open(_) | Way::LookUp(..) | Way::Unclear(..) | Way::NeedsModel(_) => false,
        };
        if is_clear {
            return whole;
        }
        self.listed(text).map_or(whole, Way::Several)
    }

    /// The same for a text with one task.
    fn way_of(&self, text: &str) -> Way<'p> {
        let setting = &self.setting;
        let fit = self.fit(text);
        // A calculation that needs no look-up is answered by a shipped function, with or without a process for it.
        let is_ready = |fit: &Fit<'_>| fit.task.is_complete() && fit.missing.is_empty();
        match outcome(text, setting) {
            Outcome::Answer(calculation) if !fit.as_ref().is_some_and(is_ready) => {
                return Way::Calculate(calculation);
            }
            // A model may know words that we do not, but not which of two amounts somebody meant.
            Outcome::Open(open)
                if fit.as_ref().is_none_or(|fit| !fit.task.is_complete())
                    && (!self.has_model || open.is_ambiguous()) =>
            {
                return Way::Open(open);
            }
            Outcome::Answer(_) | Outcome::Open(_) | Outcome::Other => {}
        }
        let Some(fit) = fit else {
            return match self.to_look_up(text).map(|fit| (fit.cover(text, setting), fit)) {
                Some((Cover::ReadOnly(mood), fit)) => Way::LookUp(fit, arithmetic(text), mood),
                Some((Cover::Covered { .. } | Cover::Doubtful(_), _)) | None => Way::NeedsModel(None),
            };
        };
        self.way_with(text, fit)
    }

    /// A question about a record that no process explains is answered with the record.
    fn to_look_up(&self, text: &str) -> Option<Fit<'p>> {
        match self.has_model {
            false => to_look_up(text, self.processes, &self.setting),
            true => None,
        }
    }

    /// What a text leads to with these inputs of a task.
    pub(crate) fn way_with(&self, text: &str, fit: Fit<'p>) -> Way<'p> {
        let complete = fit.task.is_complete();
        match fit.cover(text, &self.setting) {
            Cover::ReadOnly(mood) if complete && fit.missing.is_empty() => Way::Advise(fit, mood),
            Cover::ReadOnly(mood) if fit.finds_something() => Way::LookUp(fit, arithmetic(text), mood),
            Cover::ReadOnly(mood) => {
                Way::LookUp(self.to_look_up(text).unwrap_or(fit), arithmetic(text), mood)
            }
            Cover::Covered { .. } | Cover::Doubtful(_) if !complete => Way::NeedsModel(Some(fit)),
            // A file of format 1 does not say how it is asked for: its orders are confirmed, since orders are recorded.
            Cover::Covered { .. } if fit.task.say().is_empty() && self.orders == OrderRecords::Kept => {
                Way::Unclear(fit, Doubt::NoForm)
            }
            Cover::Covered { .. } => Way::Playbook(fit),
            // What is missing is asked first; the words are read again with the answer.
            Cover::Doubtful(_) if !fit.missing.is_empty() => Way::Playbook(fit),
            // What is cancelled or reopened here is a record, and this process does not do that.
            Cover::Doubtful(Doubt::Mood(Mood::Reversal)) => Way::NeedsModel(None),
            Cover::Doubtful(doubt) => Way::Unclear(fit, doubt),
        }
    }

    /// The process that a text points to, and what it says to it.
    pub(crate) fn fit(&self, text: &str) -> Option<Fit<'p>> {
        let Self { processes, earlier, setting, .. } = self;
        let fit = match self.before {
            Some(process) => {
                let again = choose_again(text, process, earlier, setting);
                let again = again.filter(|fit| fit.missing.is_empty());
                // Without a word of its own, the process of the session yields to one that has some.
                match again {
                    Some(again) if !again.hits.is_empty() => Some(again),
                    again => {
                        let other = choose(text, processes, earlier, setting);
                        other.filter(|other| again.is_none() || other.missing.is_empty()).or(again)
                    }
                }
            }
            None => choose(text, processes, earlier, setting),
        };
        match fit {
            None if !self.has_model => by_ids(text, processes, earlier, setting),
            fit => fit,
        }
    }

    /// The tasks of a text, where it holds several and each of them is clear by itself.
    fn listed(&self, text: &str) -> Option<Vec<Item>> {
        let tasks = self.processes.iter().flat_map(|process| process.file.tasks());
        let prefixes = tasks.flat_map(|task| task.prefixes().collect::<Vec<_>>()).collect();
        let reading = read(text, &self.setting.notation(prefixes));
        if offers_choice(text, &reading) {
            return None;
        }
        let items = items(text, &reading)?;
        let is_clear = |item: &&Item| {
            matches!(
                (item.mood, self.way_of(&item.text)),
                (Mood::Order, Way::Playbook(_))
                    | (
                        Mood::Question | Mood::Calculation,
                        Way::Advise(..) | Way::Calculate(_) | Way::LookUp(..),
                    )
            )
        };
        let mut wanted = items.iter().filter(|item| item.mood != Mood::Negated).peekable();
        (wanted.peek().is_some() && wanted.all(|item| is_clear(&item))).then_some(items)
    }
}

/// Whether records are alternatives: "approve A or B", "one of A and B". Then not all of them are meant.
fn offers_choice(text: &str, reading: &Reading) -> bool {
    const OR: [&str; 4] = ["or", "oder", "ou", "o"];
    const CHOICE: [&str; 10] = [
        "either",
        "either of",
        "one of",
        "only one",
        "any of",
        "entweder",
        "eine von",
        "einen von",
        "une de",
        "una de",
    ];
    let is_id = |value: &&Value| value.meanings.iter().any(|meaning| matches!(meaning, Meaning::Id(_)));
    let ids: Vec<Span> = reading.values.iter().filter(is_id).map(|value| value.span).collect();
    let words = |from: usize, to: usize| {
        let lower = Span::new(from, to).of(text).to_lowercase();
        let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<String>>()
    };
    let is_or = |pair: &[Span]| match pair {
        [one, next] => words(one.end, next.start).first().is_some_and(|word| OR.contains(&word.as_str())),
        _ => false,
    };
    let head = ids.first().map(|first| words(0, first.start).join(" ")).unwrap_or_default();
    let chooses = CHOICE.iter().any(|choice| head == *choice || head.ends_with(&format!(" {choice}")));
    chooses || ids.windows(2).any(is_or)
}

/// Records that an act names and that are no inputs of a task: they belong to something else.
pub(crate) fn left_out(text: &str, fit: &Fit<'_>, processes: &[Process]) -> Vec<String> {
    let tasks = processes.iter().flat_map(|process| process.file.tasks());
    let prefixes = tasks.flat_map(|task| task.prefixes().collect::<Vec<_>>()).collect();
    let reading = read(text, &Notation { prefixes, ..Notation::default() });
    let in_act = |value: &&Value| {
        let is_id = value.meanings.iter().any(|meaning| matches!(meaning, Meaning::Id(_)));
        is_id && reading.acts.iter().any(|act| act.span.contains(value.span))
    };
    let named = reading.values.iter().filter(in_act).map(|value| value.span.of(text));
    let known: Vec<String> = fit.found.values().map(ToString::to_string).collect();
    let mut left: Vec<String> = Vec::new();
    for name in named {
        if !known.iter().any(|value| Reference::is_in(name, value)) && !left.iter().any(|one| one == name) {
            left.push(name.to_owned());
        }
    }
    left
}

fn arithmetic(text: &str) -> Arithmetic {
    is_question(text).unwrap_or(Arithmetic::Needed)
}

/// Whether a text asks to undo something, and orders nothing else.
pub(crate) fn is_reversal(text: &str) -> bool {
    let reading = read(text, &Notation::default());
    let is_other = |act: &Act| match act.mood {
        // To cancel an order is not to undo what was done to it.
        Mood::Reversal => act.own_verb,
        Mood::Statement => false,
        Mood::Order
        | Mood::Question
        | Mood::Negated
        | Mood::Conditional
        | Mood::Draft
        | Mood::Calculation
        | Mood::Reported
        | Mood::OtherTime => true,
    };
    reading.acts.iter().any(|act| act.mood == Mood::Reversal) && !reading.acts.iter().any(is_other)
}
