//! Tasks that order nothing, or not clearly: what would happen is said, and nothing is changed.

use purple_intent::value::Notation;
use purple_intent::{Act, Language, Mood, lexicon, read};
use purple_policy::Money;
use purple_process::file::{Ask, End, Outcome as FileOutcome};
use purple_process::playbook::{Case, Decision};
use purple_process::{Arithmetic, Fact, Order, Route, State};
use serde_json::Value as Json;

use crate::dossier::Opened;
use crate::execute::close::Left;
use crate::execute::confirm::not_part;
use crate::execute::prepare::{figures, found};
use crate::execute::reference::Reference;
use crate::port::BlobHash;
use crate::prime::choose::Fit;
use crate::prime::label::{Asking, asking};
use crate::prime::way::left_out;
use crate::prime::wording::{lowered, phrase_places};
use crate::run::{Phase, Run};

const NOTHING_CHANGED: &str = "Nothing was changed.";

impl Run<'_> {
    /// Reads, computes and decides what a complete file would do, on a route without any write.
    pub(crate) async fn advise(&mut self, text: &str, fit: Fit<'_>, mood: Mood) -> Phase<()> {
        let catalogue = match self.toolbox().await? {
            Ok(catalogue) => catalogue,
            Err(why) => return self.fail("tools.down", &why).await,
        };
        let left = left_out(text, &fit, &self.settings.processes);
        let chosen = self.take(&fit).await?;
        self.route(Route::question(Arithmetic::Needed))?;
        self.step(Fact::Decomposed)?;
        let (opened, case_hash) = self.gather(chosen, text, &catalogue).await?;
        self.step(Fact::Assessed)?;
        let case = opened.case()?;
        let decision = case.decide();
        let (shows, figures) = (found(&opened), figures(&opened)?);
        let mut sentences = Vec::new();
        if asks_for_figure(text, &figures) {
            sentences.extend(asked_for(text, &figures, &shows).or_else(|| every_number(&figures)));
        }
        sentences.extend(advice(&case, &decision));
        sentences.push(nothing_changed(mood));
        sentences.extend(not_part(&left));
        if self.session.walk.state() == State::Compute {
            self.step(Fact::Computed)?;
        }
        self.close(Left { case: Some(case_hash), sentences, shows, figures, ..Left::default() }).await
    }

    /// What is left where the rules lead to another outcome than the words order: "reject" never approves.
    pub(crate) fn differs(&self, text: &str, opened: &Opened, case_hash: BlobHash) -> Phase<Option<Left>> {
        let case = opened.case()?;
        let decision = case.decide();
        let Some(End::Outcome(outcome)) = decision.end() else { return Ok(None) };
        let verbs = ordered_verbs(text);
        let ordered: Vec<&str> = opened
            .task()?
            .outcomes()
            .iter()
            .map(FileOutcome::name)
            .filter(|name| verbs.iter().any(|verb| verb == name))
            .collect();
        if ordered.is_empty() || ordered.contains(&outcome.as_str()) {
            return Ok(None);
        }
        let order =
            format!("The words order `{}`, and the rules lead to `{outcome}`.", ordered.join("` or `"));
        let mut sentences = vec![format!("{NOTHING_CHANGED} {order}")];
        sentences.extend(advice(&case, &decision));
        let code = Some("order.differs".to_owned());
        Ok(Some(Left {
            case: Some(case_hash),
            sentences,
            code,
            figures: figures(opened)?,
            ..Left::default()
        }))
    }
}

/// States that nothing was changed, and why.
pub(crate) fn nothing_changed(mood: Mood) -> String {
    format!("{NOTHING_CHANGED} The words {}.", describe(mood))
}

/// Whether the words ask for a figure: by their mood, by a verb that calculates, or by asking for one of these by its
/// name. "Calculate what the credit would be" is put as a condition and asks for a figure all the same.
fn asks_for_figure(text: &str, figures: &[(String, String)]) -> bool {
    let lower = lowered(text);
    let names: Vec<String> = figures.iter().map(|(name, _)| name.replace('_', " ")).collect();
    let asked_by_name = |act: &Act| {
        let mut places = names.iter().flat_map(|name| phrase_places(&lower, name));
        places.any(|place| {
            let inside = act.span.start <= place.start && place.end <= act.span.end;
            inside && asking(&lower, &place) == Some(Asking::Question)
        })
    };
    read(text, &Notation::default()).acts.iter().any(|act| match act.mood {
        Mood::Calculation => true,
        Mood::Negated | Mood::Reversal | Mood::Draft => false,
        Mood::Order
        | Mood::Question
        | Mood::Conditional
        | Mood::Reported
        | Mood::OtherTime
        | Mood::Statement => act.verbs().contains(&"calculate") || asked_by_name(act),
    })
}

/// Every computed number with its name, where the words do not say which of them is wanted.
fn every_number(figures: &[(String, String)]) -> Option<String> {
    let is_number =
        |value: &str| value.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
    let numbers = figures.iter().filter(|(_, value)| is_number(value));
    let named: Vec<String> = numbers.map(|(name, value)| format!("{value} ({name})")).collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// What the words ask for: the one figure that they name, else the one field of a record that they name, else the one
/// amount of money. Words that name several fields get no headline.
pub(crate) fn asked_for(
    text: &str,
    figures: &[(String, String)],
    records: &[(String, Json)],
) -> Option<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|letter: char| !letter.is_alphanumeric()).collect();
    let names = |name: &str| name.split('_').all(|part| words.contains(&part));
    let figure = |(name, value): &(String, String)| format!("{value} ({name})");
    let named: Vec<_> = figures.iter().filter(|(name, _)| names(name)).collect();
    if let [one] = named.as_slice() {
        return Some(figure(one));
    }
    // A record is named by its kind or by its own id: "the status of INV-7".
    let has_id = |record: &str, value: &Json| {
        let id = value.get(format!("{record}_id")).and_then(Json::as_str);
        id.is_some_and(|id| Reference::is_in(id, text))
    };
    let of_named_record = records.iter().filter(|(record, value)| names(record) || has_id(record, value));
    let fields: Vec<String> = of_named_record
        .flat_map(|(record, value)| value.as_object().into_iter().flatten().map(move |field| (record, field)))
        .filter(|(record, (field, _))| *field != *record && names(field))
        .filter_map(|(record, (field, value))| Some(format!("{} ({field} of {record})", plain(value)?)))
        .collect();
    match fields.as_slice() {
        [one] => Some(one.clone()),
        [_, _, ..] => None,
        [] => {
            let money: Vec<_> = figures.iter().filter(|(_, value)| Money::parse(value).is_ok()).collect();
            if let [one] = money.as_slice() { Some(figure(one)) } else { None }
        }
    }
}

/// A single value as text.
fn plain(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Bool(_) | Json::Number(_) => Some(value.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// What would follow from a decision.
fn advice(case: &Case<'_>, decision: &Decision) -> Vec<String> {
    let rule = decision.rule().unwrap_or("No rule");
    let because = decision.because().map(|because| format!(": {because}")).unwrap_or_default();
    let mut sentences = match decision.end() {
        Some(End::Outcome(outcome)) if !lexicon(Language::English).verb(outcome).is_empty() => {
            vec![format!("{rule} would {outcome} it{because}.")]
        }
        Some(End::Outcome(outcome)) => vec![format!("{rule} would lead to `{outcome}`{because}.")],
        Some(End::Stop) => vec![format!("{rule} would stop it{because}.")],
        Some(End::Nothing) => vec![format!("{rule} would find nothing to do{because}.")],
        Some(End::Escalate) | None => vec![format!("{rule} decides it; a person would take over{because}.")],
    };
    if let Some(End::Outcome(_)) = decision.end() {
        let operations = case.operations(decision, &Order::missing()).unwrap_or_default();
        sentences.extend(operations.iter().map(|operation| format!("It would: {}.", operation.headline())));
        sentences.extend(decision.ask().map(|ask| match ask {
            Ask::Nobody => "Nobody would be asked.".to_owned(),
            Ask::Requester => "The requester would be asked.".to_owned(),
            Ask::Role(role) => format!("{role} would be asked."),
        }));
    }
    sentences
}

/// The English base forms of the verbs that the words order by.
fn ordered_verbs(text: &str) -> Vec<String> {
    let reading = read(text, &Notation::default());
    let orders = reading.acts.iter().filter(|act| act.mood == Mood::Order);
    orders.flat_map(|act| act.verbs().into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// What the words of a mood do, as the end of a sentence that begins with "The words".
pub(crate) const fn describe(mood: Mood) -> &'static str {
    match mood {
        Mood::Question => "ask something",
        Mood::Negated => "say that something is not to be done",
        Mood::Conditional => "state a condition",
        Mood::Reversal => "ask to undo something",
        Mood::Draft => "ask for a text",
        Mood::Calculation => "ask for a figure",
        Mood::Reported => "report what somebody else says",
        Mood::OtherTime => "name another time, and schedules do not exist yet",
        Mood::Order | Mood::Statement => "order nothing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_asked_for_by_a_verb_or_by_its_name_and_not_by_a_question_about_something_else() {
        let figures = [("credit".to_owned(), "1020.00 USD".to_owned())];
        for text in [
            "Just calculate what the credit of INFRA-9 for February would be, don't apply it.",
            "What would the credit be under CTR-441?",
            "How much would be credited?",
        ] {
            assert!(asks_for_figure(text, &figures), "{text}");
        }
        for text in
            ["Would you apply the credit?", "Who has to approve the credit?", "Don't calculate the credit."]
        {
            assert!(!asks_for_figure(text, &figures), "{text}");
        }
    }

    #[test]
    fn every_number_is_named_and_texts_are_left_out() {
        let figures = [("shortfall", "0.8"), ("credit", "1020.00 USD"), ("reference", "SLA-CTR-441-2026-02")];
        let figures = figures.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(every_number(&figures).as_deref(), Some("0.8 (shortfall), 1020.00 USD (credit)"));
        assert_eq!(every_number(&figures[2..]), None);
    }
}
