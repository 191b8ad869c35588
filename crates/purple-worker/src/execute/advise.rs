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
use crate::execute::field::field_asked_for;
use crate::execute::look_up::asks;
use crate::execute::prepare::{NO_VALUE, figures, found};
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
        let asked = answer_first(text, mood, &figures, &shows).filter(|_| !only_informs(text));
        let mut sentences = Vec::new();
        // What the rules would do is beside the point where a field of a record is asked for.
        if !matches!(asked, Some(First::Field(_))) {
            sentences.extend(advice(&case, &decision));
        }
        sentences.splice(0..0, asked.map(First::into_sentence));
        sentences.push(nothing_changed_by(text, mood));
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

/// Whether a text says of itself that it is only an example, or sent for information.
pub(crate) fn only_informs(text: &str) -> bool {
    const CUES: [&str; 14] = [
        "fyi",
        "for your information",
        "for information",
        "for example",
        "for instance",
        "e.g.",
        "example",
        "zur info",
        "zur information",
        "zur kenntnis",
        "zum beispiel",
        "z. b.",
        "par exemple",
        "por ejemplo",
    ];
    let lower = lowered(text);
    let begin = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    CUES.iter()
        .any(|cue| begin.strip_prefix(cue).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

/// The same for words that say of themselves that they only inform.
pub(crate) fn nothing_changed_by(text: &str, mood: Mood) -> String {
    match only_informs(text) {
        true => format!(
            "{NOTHING_CHANGED} The words are given as an example or for information, and order nothing."
        ),
        false => nothing_changed(mood),
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

/// What is answered before anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// A figure that was computed.
    Figure(String),
    /// A field of a record that was read.
    Field(String),
}

impl First {
    pub(crate) fn into_sentence(self) -> String {
        match self {
            Self::Figure(sentence) | Self::Field(sentence) => sentence,
        }
    }
}

/// What the words ask for: a figure by its name or by what people call it, a field of a record, or some figure.
pub(crate) fn answer_first(
    text: &str,
    mood: Mood,
    figures: &[(String, String)],
    records: &[(String, Json)],
) -> Option<First> {
    let known: Vec<(String, String)> =
        figures.iter().filter(|(_, value)| !value.starts_with(NO_VALUE)).cloned().collect();
    let some_figure = || {
        let asks = asks_for_figure(text, &known);
        asks.then(|| asked_for(text, &known, records).or_else(|| every_number(&known))).flatten()
    };
    if !asks(mood) {
        return some_figure().map(First::Figure);
    }
    let figure = figure_asked_for(text, &known).map(First::Figure);
    let field = || field_asked_for(text, records).map(First::Field);
    figure.or_else(field).or_else(|| some_figure().map(First::Figure))
}

/// The figure that a question names, or calls by what people say for it: "what would it cost" for a change of the price.
fn figure_asked_for(text: &str, figures: &[(String, String)]) -> Option<String> {
    const CALLED: [(&str, &[&str]); 5] = [
        (
            PERCENT,
            &[
                "percent",
                "percentage",
                "in %",
                "how many %",
                "wie viel %",
                "prozent",
                "prozentual*",
                "pour cent",
                "pourcentage",
                "por ciento",
                "porcentaje",
            ],
        ),
        (
            "delta",
            &[
                "cost",
                "costs",
                "price",
                "more expensive",
                "cheaper",
                "kosten",
                "kostet",
                "preis",
                "teurer",
                "billiger",
                "prix",
                "coûte",
                "coûterait",
                "precio",
                "cuesta",
                "costaría",
            ],
        ),
        (
            "variance",
            &["variance", "deviation", "difference", "abweichung", "differenz", "écart", "desviación"],
        ),
        ("credit", &["gutschrift", "avoir", "crédito"]),
        ("date", &["when", "wann", "quand", "cuándo"]),
    ];
    const PERCENT: &str = "percent";
    const ASKS: [&str; 14] = [
        "how much", "how many", "how does", "what", "by how", "wie", "was", "wann", "when", "combien",
        "quel", "quelle", "cuánto", "cuál",
    ];
    let lower = lowered(text);
    let says = |phrase: &str| !phrase_places(&lower, phrase).is_empty();
    if !ASKS.iter().any(|word| says(word)) {
        return None;
    }
    let asked_by_name = |name: &str| {
        let words = name.replace('_', " ");
        phrase_places(&lower, &words).iter().any(|place| asking(&lower, place) == Some(Asking::Question))
    };
    let called = |name: &str| {
        // The other words of its name have to be said as well, but for a change of the price and a share in percent.
        CALLED.iter().any(|(part, words)| {
            let rest_is_said = || *part != "date" || name.split('_').filter(|one| one != part).all(says);
            name.split('_').any(|one| one == *part) && words.iter().any(|word| says(word)) && rest_is_said()
        })
    };
    let figure = |(name, value): &(String, String)| format!("{value} ({name})");
    // A share in percent only answers words that ask for one.
    let in_percent =
        CALLED.iter().any(|(part, words)| *part == PERCENT && words.iter().any(|word| says(word)));
    let is_share = |name: &str| name.split('_').any(|one| one == PERCENT);
    let by_call: Vec<_> =
        figures.iter().filter(|(name, _)| called(name) && is_share(name) == in_percent).collect();
    if let [one] = by_call.as_slice() {
        return Some(figure(one));
    }
    let by_name: Vec<_> = figures.iter().filter(|(name, _)| asked_by_name(name)).collect();
    match by_name.as_slice() {
        [one] => Some(figure(one)),
        _ => None,
    }
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
