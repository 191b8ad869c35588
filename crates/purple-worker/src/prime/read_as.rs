//! What a text is read as, for people who want to know why something happened or did not.

use std::collections::BTreeMap;

use jiff::Timestamp;
use purple_intent::{Cover, Doubt, Item, Mood, read};
use purple_process::file::Setting;

use super::choose::Fit;
use super::suggest::lacking;
use super::way::{ReadingContext, Way};
use crate::run::OrderRecords;
use crate::settings::{Process, Settings};

/// What a text is read as without a model, as the first task of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ReadAs {
    /// What kind of sentence it is: `order`, `unclear order`, `question`, `negation` and so on.
    pub kind: &'static str,
    /// The process that it leads to.
    pub process: Option<String>,
    /// The task of that process.
    pub task: Option<String>,
    /// The shipped function that calculates it.
    pub function: Option<&'static str>,
    /// The words that nothing explains.
    pub not_understood: Vec<String>,
    /// What the task needs and the text does not say.
    pub missing: Vec<String>,
    /// The tasks of a text that holds several, each of which gets a run of its own.
    pub tasks: Vec<String>,
}

impl Settings {
    /// What a text is read as at a time, as the first task of a run without a model.
    pub fn read_as(&self, text: &str, at: Timestamp) -> ReadAs {
        ReadAs::of(text, &self.processes, &self.setting(self.day(at)))
    }
}

impl ReadAs {
    /// Reads a text with these processes, as a run does.
    fn of(text: &str, processes: &[Process], setting: &Setting) -> Self {
        let context = ReadingContext {
            processes,
            before: None,
            earlier: BTreeMap::new(),
            setting: *setting,
            has_model: false,
            orders: OrderRecords::Kept,
        };
        match context.way(text) {
            Way::Calculate(calculation) => {
                Self { function: Some(calculation.function), ..Self::plain(kind(Mood::Calculation)) }
            }
            Way::Open(open) => Self {
                function: Some(open.function),
                missing: vec![open.question()],
                ..Self::plain(kind(Mood::Calculation))
            },
            Way::Reverse => match context.fit(text) {
                Some(fit) => Self::about(&fit, kind(Mood::Reversal)),
                None => Self::plain(kind(Mood::Reversal)),
            },
            Way::Several(items) => {
                let words = |item: Item| item.text;
                Self { tasks: items.into_iter().map(words).collect(), ..Self::plain("several tasks") }
            }
            Way::LookUp(fit, _, mood) | Way::Advise(fit, mood) => Self::about(&fit, kind(mood)),
            Way::Unclear(fit, doubt) => Self::covered(&fit, Cover::Doubtful(doubt)),
            Way::Playbook(fit) | Way::NeedsModel(Some(fit)) => Self::covered(&fit, fit.cover(text, setting)),
            Way::NeedsModel(None) => {
                let acts = read(text, &setting.notation(Vec::new())).acts;
                Self::plain(acts.first().map_or("nothing", |act| kind(act.mood)))
            }
        }
    }

    fn plain(kind: &'static str) -> Self {
        Self { kind, ..Self::default() }
    }

    fn about(fit: &Fit<'_>, kind: &'static str) -> Self {
        Self {
            process: Some(fit.process.file.name().to_owned()),
            task: Some(fit.task.name().to_owned()),
            missing: fit.missing.iter().map(|missing| lacking(fit.task, missing)).collect(),
            ..Self::plain(kind)
        }
    }

    fn covered(fit: &Fit<'_>, cover: Cover) -> Self {
        let mut own = Self::about(fit, "");
        own.kind = match cover {
            Cover::Covered { .. } => kind(Mood::Order),
            Cover::ReadOnly(mood) => kind(mood),
            Cover::Doubtful(doubt) => own.doubtful(doubt),
        };
        own
    }

    fn doubtful(&mut self, doubt: Doubt) -> &'static str {
        match doubt {
            Doubt::Words(words) => {
                self.not_understood = words;
                "unclear order"
            }
            Doubt::NoForm => "unclear order",
            Doubt::Mood(mood @ (Mood::Reversal | Mood::OtherTime)) => kind(mood),
            Doubt::Mood(_) => "unclear order",
            Doubt::Statement => kind(Mood::Statement),
            Doubt::Language => "unknown language",
        }
    }
}

const fn kind(mood: Mood) -> &'static str {
    match mood {
        Mood::Order => "order",
        Mood::Question => "question",
        Mood::Negated => "negation",
        Mood::Conditional => "condition",
        Mood::Reversal => "reversal",
        Mood::Draft => "draft",
        Mood::Calculation => "calculation",
        Mood::Reported => "reported speech",
        Mood::OtherTime => "other time",
        Mood::Statement => "statement",
    }
}
