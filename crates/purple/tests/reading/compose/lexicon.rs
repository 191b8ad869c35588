//! The parts of sentences in four languages. `verbs.txt` and `sentences.txt` hold the words.
//!
//! In a verb `{o}` is the object with its details, `{t}` the bare id and `{x}` an item. In a sentence `{imp}`, `{neg}`,
//! `{inf}`, `{ger}`, `{noun}`, `{subj}` and `{part}` are the forms of a verb; `{Imp}` begins a sentence, `{imp2}` is of a second verb.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::row::Mood;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Language {
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
    #[serde(rename = "fr")]
    French,
    #[serde(rename = "es")]
    Spanish,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Invoice,
    Offboarding,
    Access,
    Credit,
    Change,
}

impl Kind {
    pub(super) const ALL: [Self; 5] =
        [Self::Invoice, Self::Offboarding, Self::Access, Self::Credit, Self::Change];
}

pub(super) struct Verb {
    language: Language,
    kind: Kind,
    /// Its name in the corpus.
    pub(super) name: &'static str,
    /// The imperative; the imperative, negated; the infinitive after a modal verb (in German with the verb at the end);
    /// the English gerund, the German infinitive with `zu`, elsewhere the infinitive; the noun; subject and participle of
    /// the passive, in English and German.
    pub(super) forms: [&'static str; 7],
}

/// What a sentence makes of the order in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It has this mood, and is one sentence.
    Is(Mood),
    /// It stands before an order and takes it back.
    Before,
    /// It stands after an order and takes it back.
    After,
    /// Of two verbs, the first is an order and the second has this mood.
    And(Mood),
}

impl Role {
    fn parse(word: &str) -> Self {
        match (word, word.strip_prefix("and_")) {
            ("before", _) => Self::Before,
            ("after", _) => Self::After,
            (_, Some(mood)) => Self::And(named(mood)),
            (mood, None) => Self::Is(named(mood)),
        }
    }
}

pub(super) struct Lexicon {
    verbs: Vec<Verb>,
    sentences: Vec<(Language, Role, String)>,
}

impl Lexicon {
    pub(super) fn read() -> Self {
        let verbs =
            rows(include_str!("verbs.txt")).map(|[language, kind, name, forms @ ..]: [&'static str; 10]| {
                Verb { language: named(language), kind: named(kind), name, forms }
            });
        let sentences =
            rows(include_str!("sentences.txt")).map(|[language, role, text]: [&'static str; 3]| {
                (named(language), Role::parse(role), text.replace("\\n", "\n"))
            });
        Self { verbs: verbs.collect(), sentences: sentences.collect() }
    }

    pub(super) fn verbs(&self, language: Language, kind: Kind) -> Vec<&Verb> {
        self.verbs.iter().filter(|verb| (verb.language, verb.kind) == (language, kind)).collect()
    }

    /// The sentences of a language whose role is wanted.
    pub(super) fn sentences(&self, language: Language, wanted: impl Fn(Role) -> bool) -> Vec<(Role, &str)> {
        let sentences =
            self.sentences.iter().filter(|(spoken, role, _)| *spoken == language && wanted(*role));
        sentences.map(|(_, role, text)| (*role, text.as_str())).collect()
    }
}

fn rows<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines().map(|line| line.split(" | ").collect::<Vec<_>>().try_into().unwrap())
}

fn named<T: DeserializeOwned>(word: &str) -> T {
    serde_json::from_value(Value::from(word)).unwrap()
}

/// The ways to name a record: its noun, and how its details follow.
pub(super) fn objects(language: Language, kind: Kind) -> (&'static [&'static str], &'static [&'static str]) {
    match (language, kind) {
        (Language::English, Kind::Invoice) => (
            &["invoice {i}", "the invoice {i}", "{i}", "{vendor} invoice {i}"],
            &["", "", " for {amount}", " against {po}", " ({amount}, {po})", " over {amount} against {po}"],
        ),
        (Language::German, Kind::Invoice) => (
            &["die Rechnung {i}", "{i}", "die Rechnung {i} von {vendor}"],
            &["", "", " über {amount}", " zur Bestellung {po}", " ({amount}, {po})"],
        ),
        (Language::French, Kind::Invoice) => {
            (&["la facture {i}"], &["", " de {amount}", " ({amount}, {po})"])
        }
        (Language::Spanish, Kind::Invoice) => {
            (&["la factura {i}"], &["", " por {amount}", " ({amount}, {po})"])
        }
        (Language::English, Kind::Offboarding) => (
            &["employee {i}", "{i}", "{name} ({i})"],
            &[" (last day {day})", " with last day {day}", ", last day {day}"],
        ),
        (Language::German, Kind::Offboarding) => {
            (&["{i}", "{name} ({i})"], &[" zum {day}", " (letzter Tag {day})"])
        }
        (Language::French, Kind::Offboarding) => (&["{i}", "l'employé {i}"], &[" (dernier jour {day})"]),
        (Language::Spanish, Kind::Offboarding) => (&["{i}", "la persona {i}"], &[" con último día {day}"]),
        (Language::English, Kind::Access) => (&["employee {i}", "{i}", "{name} ({i})"], &[""]),
        (Language::German | Language::French | Language::Spanish, Kind::Access) => {
            (&["{i}", "{name} ({i})"], &[""])
        }
        (Language::English, Kind::Credit) => (
            &["{i}", "vendor {i}"],
            &[
                " for February 2026 under contract {contract}",
                " for last month per {contract}",
                " for February ({uptime}% uptime, contract {contract})",
            ],
        ),
        (Language::German, Kind::Credit) => {
            (&["{i}"], &[" für Februar 2026 laut Vertrag {contract}", " für letzten Monat laut {contract}"])
        }
        (Language::French, Kind::Credit) => (&["{i}"], &[" pour février 2026 selon le contrat {contract}"]),
        (Language::Spanish, Kind::Credit) => {
            (&["{i}"], &[" de febrero de 2026 según el contrato {contract}"])
        }
        (Language::English, Kind::Change) => {
            (&["order {i}", "order #{i}", "{i}"], &["", " of customer {customer}"])
        }
        (Language::German, Kind::Change) => (&["der Bestellung {i}", "{i}"], &["", " des Kunden {customer}"]),
        (Language::French, Kind::Change) => (&["la commande {i}"], &["", " du client {customer}"]),
        (Language::Spanish, Kind::Change) => (&["la orden {i}"], &["", " del cliente {customer}"]),
    }
}
