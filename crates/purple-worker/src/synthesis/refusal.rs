//! A function that could not be made is remembered, so that not every similar task pays for trying it again.
//!
//! It stands among the functions, never to be used, with its reason. It is tried a few times, by different tasks; then not
//! any more, until a person forgets it or a while has passed.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::drive::AtWork;
use crate::execute::call::cut;
use crate::port::{Defined, DefinitionKind, NOT_MADE, Origin, Redefinition, TurnFailed};
use crate::prime::wording::says;
use crate::run::{Phase, Run};
use crate::synthesis::made::{Made, WORDS_MAX, pointing};

/// How many tasks try to have it made.
pub(crate) const FAILURES_MAX: u8 = 3;
/// After this long it is tried again: models get better.
const TRIED_AGAIN_AFTER_DAYS: i64 = 30;
/// The most of them that are remembered. The oldest makes way.
const REMEMBERED_MAX: usize = 50;

/// What is missing, and by which words it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Missing {
    pub name: String,
    pub about: String,
    pub words: Vec<String>,
}

/// A function that could not be made, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotMade {
    pub about: String,
    /// Words of tasks that point to it, in lower case.
    pub words: Vec<String>,
    /// How many tasks tried in vain.
    pub failures: u8,
    pub why: String,
}

/// The same with its name and when it was last tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub name: String,
    pub at: Timestamp,
    pub what: NotMade,
}

impl Failed {
    pub(crate) fn of(defined: &Defined) -> Option<Self> {
        let name = defined.name.strip_prefix(NOT_MADE).filter(|_| defined.is_not_made())?.to_owned();
        let what = serde_json::from_str(&defined.text).ok()?;
        Some(Self { name, at: defined.at, what })
    }

    /// A function that is not used any more. Its name stays taken until a person forgets it.
    fn quarantined(defined: &Defined) -> Option<Self> {
        let why = defined.quarantined.clone().filter(|_| defined.kind == DefinitionKind::Tool)?;
        let Made { about, words, .. } = serde_json::from_str(&defined.text).ok()?;
        let what = NotMade { about, words, failures: FAILURES_MAX, why };
        Some(Self { name: defined.name.clone(), at: defined.at, what })
    }

    /// Whether it is still remembered at this time.
    fn holds(&self, now: Timestamp) -> bool {
        let days = SignedDuration::from_hours(TRIED_AGAIN_AFTER_DAYS.saturating_mul(24));
        self.at.checked_add(days).is_ok_and(|until| now < until)
    }

    /// Whether a text in lower case has a word that points to it.
    pub(crate) fn fits(&self, lower: &str) -> bool {
        self.what.words.iter().any(|word| says(lower, word))
    }
}

impl Run<'_> {
    /// The functions that are not tried for now: those that could not be made, and those that were made and proved wrong.
    pub(crate) fn given_up(&self) -> Vec<Failed> {
        let now = self.scribe.began();
        let all = &self.holdings.definitions;
        let failed = all.iter().filter_map(Failed::of);
        let failed = failed.filter(|one| one.what.failures >= FAILURES_MAX && one.holds(now));
        failed.chain(all.iter().filter_map(Failed::quarantined)).collect()
    }

    /// Takes down that a function could not be made for this task.
    pub(crate) async fn remember_failure(&self, work: &AtWork, missing: &Missing, why: &str) -> Phase<()> {
        let Some(workshop) = &self.ports.workshop else { return Ok(()) };
        let now = self.scribe.began();
        let text = &work.opened.dossier.text;
        let lower = text.to_lowercase();
        let known: Vec<Failed> = self.holdings.definitions.iter().filter_map(Failed::of).collect();
        let same = known.iter().find(|one| one.name == missing.name);
        // A model may give the same thing another name for another task.
        let same = same.or_else(|| known.iter().find(|one| one.fits(&lower)));
        let mut words = same.map(|one| one.what.words.clone()).unwrap_or_default();
        let own_name = missing.name.replace('_', " ");
        let pointing = pointing(&[missing.words.as_slice(), &[own_name]].concat(), text);
        let new: Vec<String> = pointing.into_iter().filter(|word| !words.contains(word)).collect();
        words.extend(new);
        words.truncate(WORDS_MAX);
        let before = same.filter(|one| one.holds(now)).map_or(0, |one| one.what.failures);
        let (failures, why) = (before.saturating_add(1), cut(why));
        let what = NotMade { about: missing.about.clone(), words, failures, why: why.clone() };
        let unreadable = |error: serde_json::Error| TurnFailed::Unreadable {
            what: "function that was not made",
            why: error.to_string(),
        };
        let model = self.ports.models.as_ref().map_or("", |models| &models.strong_name);
        let name = same.map_or(&missing.name, |one| &one.name);
        let new = Defined {
            kind: DefinitionKind::Tool,
            name: format!("{NOT_MADE}{name}"),
            text: serde_json::to_string(&what).map_err(unreadable)?,
            origin: Origin::Model { run: self.id().clone(), model: model.to_owned() },
            at: now,
            signed: None,
            quarantined: Some(why),
        };
        let oldest = known.iter().min_by_key(|one| one.at).filter(|_| known.len() >= REMEMBERED_MAX);
        if let Some(oldest) = oldest.filter(|_| same.is_none()) {
            self.forget_failure(&oldest.name).await?;
        }
        workshop.definitions.redefine(Redefinition::Replace(new)).await?;
        Ok(())
    }

    /// It was made after all, or makes way.
    pub(crate) async fn forget_failure(&self, name: &str) -> Phase<()> {
        let Some(workshop) = &self.ports.workshop else { return Ok(()) };
        let name = format!("{NOT_MADE}{name}");
        if self.holdings.definitions.iter().any(|one| one.name == name) {
            let change = Redefinition::Forget { kind: DefinitionKind::Tool, name };
            workshop.definitions.redefine(change).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use purple_process::SessionId;
    use serde_json::json;

    use super::*;

    fn failed(at: &str, name: &str) -> Option<Failed> {
        let text =
            json!({"about": "a fee", "words": ["yard storage"], "failures": 3, "why": "no"}).to_string();
        let run = SessionId::parse("run_1").unwrap();
        let defined = Defined {
            kind: DefinitionKind::Tool,
            name: name.to_owned(),
            text,
            origin: Origin::Model { run, model: "m".to_owned() },
            at: at.parse().unwrap(),
            signed: None,
            quarantined: Some("no".to_owned()),
        };
        Failed::of(&defined)
    }

    #[test]
    fn it_is_known_by_its_words_and_for_a_while() {
        let one = failed("2026-03-04T09:00:00Z", "not_made.storage_fee").unwrap();
        assert_eq!(one.name, "storage_fee");
        assert!(one.fits("work out the yard storage fee") && !one.fits("work out the storage fee"));
        assert!(one.holds("2026-04-03T08:59:59Z".parse().unwrap()));
        assert!(!one.holds("2026-04-03T09:00:00Z".parse().unwrap()));
        assert_eq!(failed("2026-03-04T09:00:00Z", "storage_fee"), None, "a function is none");
    }
}
