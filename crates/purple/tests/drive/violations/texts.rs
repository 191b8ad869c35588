//! What a run says to people and programs, held against the records that were planted: a reason of a rule that does not
//! hold, a comparison that is not so, a value that stands nowhere.
//!
//! The status message and the data of A2A, the text of `purple show` and the message of an exit are made of the answer,
//! its data, the card and the summary; all of them are looked through here, and the journal too.

use purple_policy::Exact;
use purple_process::file::{Rule, builtin};
use purple_worker::RunView;
use serde_json::Value;

use super::Ran;
use super::cases::Violation;
use crate::house::session;

/// The most characters that a value takes in a reason.
const VALUE_CHARS_MAX: usize = 60;

pub(crate) fn card_and_answer(view: &RunView) -> String {
    let card = view.card.as_ref().map(|card| card.to_text(160)).unwrap_or_default();
    let answer = view.answer.as_ref().map(|answer| answer.text.clone()).unwrap_or_default();
    format!("{card}\n{answer}")
}

/// Everything that is shown of a run, each with what it is.
async fn all(ran: &Ran) -> Vec<(&'static str, String)> {
    let view = &ran.view;
    let mut texts = Vec::new();
    if let Some(card) = &view.card {
        // Lines of a card are broken; a sentence is not.
        texts.push(("card", one_line(&card.to_text(2_000))));
        texts.push(("card data", card.operations_data().to_string()));
    }
    if let Some(answer) = &view.answer {
        texts.push(("answer", one_line(&answer.text)));
        texts.push(("answer data", serde_json::to_string(&answer.data).unwrap()));
    }
    texts.push(("summary", serde_json::to_string(&view.summary).unwrap()));
    for entry in ran.house.worker.trace(&session("run"), 0, 10_000).await.unwrap() {
        // What a model says is a model's word.
        if !entry.entry.kind().starts_with("model.") {
            texts.push(("journal", format!("{:?}", entry.entry.record)));
        }
    }
    texts
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How many texts there were, and what is false in them.
pub(crate) async fn falsehoods(ran: &Ran, case: &Violation) -> (usize, Vec<String>) {
    let texts = all(ran).await;
    let files = builtin().unwrap();
    let rules: Vec<&Rule> =
        files.iter().flat_map(|file| file.tasks()).flat_map(|task| task.rules()).collect();
    let mut found = Vec::new();
    for (kind, text) in &texts {
        // A rule without a condition always holds.
        let holds = |rule: &Rule| rule.condition().is_none() || case.holding.contains(&rule.id());
        let holding = rules.iter().filter(|rule| holds(rule));
        let said: Vec<String> =
            holding.filter_map(|rule| Reason::of(rule)).flat_map(|it| it.in_text(text)).collect();
        // What holds is taken out: a longer reason may hold a shorter one.
        let rest = said.iter().fold(text.clone(), |rest, said| rest.replace(said.as_str(), ""));
        for rule in rules.iter().filter(|rule| !holds(rule)) {
            let claims = Reason::of(rule).into_iter().flat_map(|reason| reason.in_text(&rest));
            found
                .extend(claims.map(|said| format!("{}: {kind} claims `{said}` of {}", case.name, rule.id())));
        }
        found.extend(
            said.iter().filter(|said| is_false(said)).map(|said| format!("{}: {kind}: `{said}`", case.name)),
        );
        found.extend(unread(text, case).into_iter().map(|said| format!("{}: {kind}: `{said}`", case.name)));
    }
    (texts.len(), found)
}

/// A `because`: the words between its values.
struct Reason {
    words: Vec<String>,
}

impl Reason {
    fn of(rule: &Rule) -> Option<Self> {
        let mut rest = rule.because()?.to_owned();
        for name in rule.names() {
            rest = rest.replace(&name.replace(['.', '_'], " "), "\u{0}");
        }
        Some(Self { words: rest.split('\u{0}').map(str::to_owned).collect() })
    }

    /// Where a text says it, with whatever values.
    fn in_text(&self, text: &str) -> Vec<String> {
        // A reason may begin with a value: one word, then.
        let (skipped, first) = match self.words.iter().position(|word| !word.is_empty()) {
            Some(at) => (at, &self.words[at]),
            None => return Vec::new(),
        };
        let mut found = Vec::new();
        for (at, _) in text.match_indices(first.as_str()) {
            let before = text[..at].rfind([' ', '(', '"']).map_or(0, |space| space + 1);
            let start = if skipped == 0 { at } else { before };
            let mut end = at + first.len();
            let whole = self.words[skipped + 1..].iter().all(|word| {
                let limit = text.floor_char_boundary(end + VALUE_CHARS_MAX + word.len());
                // A reason that ends in a value ends with it.
                let place = match word.is_empty() {
                    true => text[end..limit].find([')', ';', '"', '\\']).or(Some(limit - end)),
                    false => text[end..limit].find(word.as_str()),
                };
                place.map(|at| end += at + word.len()).is_some()
            });
            if whole {
                found.push(text[start..end].to_owned());
            }
        }
        found
    }
}

/// Whether a reason is wrong by its own words.
fn is_false(said: &str) -> bool {
    let figures: Vec<Exact> = said
        .split_whitespace()
        .filter_map(|word| Exact::parse(&word.trim_end_matches([',', '.']).replace(',', "")).ok())
        .collect();
    let [one, other] = figures.as_slice() else { return false };
    let more = ["is above", "more than", "the plan holds"].iter().any(|words| said.contains(words));
    let differ = ["differ", "come to"].iter().any(|words| said.contains(words));
    (more && one <= other) || (differ && one == other)
}

/// Values that a text says were read and that stand in no such record: "vendor.status = approved (`status` of vendor V-9,
/// by get_vendor)".
fn unread(text: &str, case: &Violation) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, _) in text.match_indices(" (`") {
        let (before, behind) = text.split_at(at);
        let Some((names, value)) = before.rsplit_once(" = ") else { continue };
        let name =
            names.rsplit(|c: char| !(c.is_alphanumeric() || "._".contains(c))).next().unwrap_or_default();
        let Some((_, by)) = behind.split_once(", by ") else { continue };
        let tool = by.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        let Some((_, record)) = case.records.iter().find(|(known, _)| *known == tool) else { continue };
        if value.len() < VALUE_CHARS_MAX && !values(record).contains(&fold(value)) {
            wrong.push(format!("{name} = {value}, by {tool}"));
        }
    }
    wrong
}

fn values(record: &Value) -> Vec<String> {
    record.as_object().unwrap().values().map(|value| fold(&value.to_string())).collect()
}

fn fold(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() || *c == '.').flat_map(char::to_lowercase).collect()
}
