//! What a text is read as, for people who want to know why something happened or did not.

use std::collections::BTreeMap;

use jiff::Timestamp;
use purple_intent::{Cover, Doubt, Mood, read};
use purple_process::file::Setting;

use super::calculate::calculate;
use super::choose::{by_ids, choose};
use super::suggest::lacking;
use crate::settings::{Process, Settings};

/// What a text is read as without a model, as the first task of a run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
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
        let earlier = BTreeMap::new();
        let fit = choose(text, processes, &earlier, setting);
        let fit = fit.or_else(|| by_ids(text, processes, &earlier, setting));
        let mut own = Self {
            kind: "",
            process: None,
            task: None,
            function: None,
            not_understood: Vec::new(),
            missing: Vec::new(),
        };
        let calculation = calculate(text, setting);
        let whole = |task: &purple_process::file::Task, missing: usize| task.is_complete() && missing == 0;
        if let Some(calculation) =
            calculation.filter(|_| fit.as_ref().is_none_or(|fit| !whole(fit.task, fit.missing.len())))
        {
            own.kind = kind(Mood::Calculation);
            own.function = Some(calculation.function);
            return own;
        }
        let Some(fit) = fit else {
            let acts = read(text, &setting.notation(Vec::new())).acts;
            own.kind = acts.first().map_or("nothing", |act| kind(act.mood));
            return own;
        };
        own.process = Some(fit.process.file.name().to_owned());
        own.task = Some(fit.task.name().to_owned());
        own.missing = fit.missing.iter().map(|missing| lacking(fit.task, missing)).collect();
        own.kind = match fit.cover(text, setting) {
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
