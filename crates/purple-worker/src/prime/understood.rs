//! Whether everything in a task that bears on a figure is explained by the function that would answer it.

use std::ops::Range;
use std::sync::LazyLock;

use purple_finance::catalogue::{Function, Kind, Per};
use purple_finance::{Currency, Exact, Figure as Value};
use purple_intent::Mood;
use regex::Regex;

use super::argument::currency_named;
use super::calculate::Task;
use super::figures::Figure;
use super::headline::plain;
use super::label::asking;
use super::open::Lack;
use super::pattern::pattern;
use super::qualifiers::QUALIFIERS;
use super::reader::Arguments;
use super::wording::phrase_places;

impl Task {
    /// Finds what the function does not explain of all that bears on a figure.
    pub(super) fn understand(
        &self,
        function: &Function,
        arguments: &Arguments,
        explained: &[Range<usize>],
    ) -> Result<(), Lack> {
        if !self.has_evidence(function) {
            return Err(Lack::Which);
        }
        let unexplained = self.unexplained(explained);
        if !unexplained.is_empty() {
            return Err(self.not_understood(&unexplained));
        }
        let unknown = self.unknown_words(function, explained);
        if !unknown.is_empty() {
            return Err(Lack::Words(unknown.into_iter().map(ToOwned::to_owned).collect()));
        }
        let fits = self.digits_are(explained)
            && self.quotes_are(arguments)
            && self.currencies_are(function, arguments)
            && self.period_is_whole(arguments)
            && self.neighbours_are(arguments, explained);
        if fits { Ok(()) } else { Err(Lack::Figures) }
    }

    /// The places of all words that the function explains.
    pub(super) fn explained(&self, function: &Function) -> Vec<Range<usize>> {
        let mut places = self.figures();
        places.extend(self.reader.pers.iter().flatten().map(|(_, place)| place.clone()));
        places.extend(self.places(function.words));
        places.extend(self.places(function.asked.also));
        places.extend(self.places(function.asked.evidence));
        places.extend(self.places(TO_CENTS));
        if function.name == PRICE_DIFFERENCE {
            places.extend(self.reader.swap_places());
        }
        for word in function.asked.results.iter().flat_map(|result| result.words) {
            let found = phrase_places(&self.reader.lower, plain(word)).into_iter();
            // "It is gross. No, net.": a word that neither asks nor says what a figure is explains nothing.
            let counts = |place: &Range<usize>| {
                !word.starts_with('?')
                    || asking(&self.reader.lower, place).is_some()
                    || self.is_named_figure(place)
            };
            places.extend(found.filter(counts));
        }
        for parameter in function.parameters {
            let implied = parameter.must_be.map_or(&[] as &[&str], |(_, words)| words);
            let labels = self.places(parameter.labels).into_iter().chain(self.places(parameter.never));
            places.extend(labels.filter(|place| self.is_named_figure(place)));
            for words in [parameter.near, parameter.zero, implied] {
                places.extend(self.places(words));
            }
            let called: Vec<&str> = parameter.called.iter().map(|(word, _)| *word).collect();
            places.extend(self.places(&called));
            if let Kind::Choice(choices) = parameter.kind {
                let choices: Vec<String> = choices.iter().map(|choice| choice.replace('_', " ")).collect();
                places.extend(choices.iter().flat_map(|choice| phrase_places(&self.reader.lower, choice)));
            }
            if matches!(parameter.kind, Kind::List(Kind::Number)) {
                places.extend(self.reader.ratio_place());
            }
            if matches!(parameter.kind, Kind::List(Kind::Money)) {
                places.extend(self.reader.period_places());
            }
        }
        places
    }

    /// Whether the text says what the function needs to know: that an amount is net, that days are added.
    fn has_evidence(&self, function: &Function) -> bool {
        let evidence = function.asked.evidence;
        let labelled = || {
            let labels = function.parameters.iter().map(|parameter| parameter.labels);
            labels.into_iter().any(|labels| {
                (0..self.reader.figures.len()).any(|figure| self.reader.labelled(figure, labels))
            })
        };
        evidence.is_empty() || labelled() || !self.places(evidence).is_empty()
    }

    /// The words that change a figure and are not explained. A negated clause without figures changes none.
    fn unexplained(&self, explained: &[Range<usize>]) -> Vec<Range<usize>> {
        let figures = self.figures();
        let aside = |place: &Range<usize>| {
            self.reading.acts.iter().any(|act| {
                let inside = act.span.start <= place.start && place.end <= act.span.end;
                let figure = figures.iter().any(|one| act.span.start <= one.start && one.end <= act.span.end);
                // "He pays nothing" may change the figure, "book nothing" does not.
                let words = self.reader.lower.get(place.clone()).unwrap_or_default();
                let states = !act.imperative && matches!(words, "nothing" | "nichts" | "rien" | "nada");
                inside && !figure && act.mood == Mood::Negated && !act.reports && !states
            })
        };
        let places = self.places(&QUALIFIERS).into_iter();
        places.filter(|place| !is_within(place, explained) && !aside(place)).collect()
    }

    /// Whether all digits belong to a figure or to words that are explained; a year may be named.
    fn digits_are(&self, explained: &[Range<usize>]) -> bool {
        let lower = &self.reader.lower;
        let records = !self.places(&["days", "tage"]).is_empty();
        lower.char_indices().filter(|(_, c)| c.is_numeric()).all(|(at, _)| {
            is_within(&(at..at.saturating_add(1)), explained)
                || (records && self.reader.is_range_of_days(at))
                || is_year(lower, at)
        })
    }

    /// Whether a contract or turnover that is called yearly or monthly has the days of a year or a month.
    fn period_is_whole(&self, arguments: &Arguments) -> bool {
        let number =
            |name: &str| arguments.values.get(name).and_then(Value::as_number).and_then(Exact::to_i128);
        // A contract of some months, some of which are over.
        let months = arguments.values.get("elapsed").and_then(|_| number("months"));
        let days = ["total_days", "days"].iter().find_map(|name| arguments.values.get(*name)?.as_days());
        let is_year =
            days.is_none_or(|days| (360..=366).contains(&days)) && months.is_none_or(|months| months == 12);
        let is_month = days.is_none_or(|days| (28..=31).contains(&days));
        let charged = |per: Per| self.reader.pers.iter().flatten().any(|(charge, _)| *charge == per);
        let says = |words: &[&str]| !self.places(words).is_empty();
        let yearly = charged(Per::Year)
            || says(&["yearly", "annual", "jahresvertrag", "jährlich*", "annuel*", "anual*"]);
        let monthly = charged(Per::Month) || says(&["monthly", "monatlich*", "monatsgebühr"]);
        (!yearly || is_year) && (!monthly || is_month)
    }

    /// Whether a rate of exchange is written for the two currencies, in their order: "0.92 EUR per USD", "USD/EUR".
    fn quotes_are(&self, arguments: &Arguments) -> bool {
        let (source, target) = currencies(arguments);
        let lower = &self.reader.lower;
        let quotes = (0..self.reader.figures.len()).filter_map(|figure| self.reader.is_quote(figure));
        let pairs = words_of(lower).filter_map(|(place, word)| {
            let other = lower.get(place.end..)?.strip_prefix('/')?;
            let other: String = other.chars().take_while(|c| c.is_alphabetic()).collect();
            Some((currency_named(&other)?, currency_named(word)?))
        });
        quotes.chain(pairs).all(|(quoted, unit)| Some(quoted) == target && Some(unit) == source)
    }

    /// Whether every currency that is named outside a figure is the one that the amounts have or become.
    fn currencies_are(&self, function: &Function, arguments: &Arguments) -> bool {
        let (source, target) = currencies(arguments);
        let figures = self.figures();
        let words = words_of(&self.reader.lower).filter(|(place, _)| !is_within(place, &figures));
        let mut named = words.filter_map(|(_, word)| {
            let is_code = CODES.contains(&word) || word.len() > 3;
            is_code.then(|| currency_named(word)).flatten()
        });
        let stated = self.reader.currency.filter(|_| !self.reader.no_currency);
        named.all(|currency| {
            let becomes = function.name == "convert_currency" && Some(currency) == target;
            becomes || Some(currency) == stated || Some(currency) == source
        })
    }

    /// Whether what is said directly at a figure is known: "a deposit of 100 EUR" and "about 100 EUR" are not.
    fn neighbours_are(&self, arguments: &Arguments, explained: &[Range<usize>]) -> bool {
        let figures = || self.reader.figures.iter().enumerate();
        let unnamed = |at: usize| arguments.unnamed.contains(&at);
        figures().all(|(at, figure)| {
            self.is_exact(figure) && (!unnamed(at) || self.noun_is_known(figure, explained))
        })
    }

    /// Whether the noun directly at a figure is known.
    fn noun_is_known(&self, figure: &Figure, explained: &[Range<usize>]) -> bool {
        let lower = &self.reader.lower;
        let known = |place: &Range<usize>, word: &str| {
            is_within(place, explained) || self.is_harmless(word) || self.is_object(place)
        };
        let before = words_of(lower).rfind(|(place, word)| {
            place.end <= figure.range.start && !matches!(*word, "of" | "is" | "von" | "de" | "ist" | "was")
        });
        let after = words_of(lower).find(|(place, _)| place.start >= figure.range.end);
        let direct = |gap: Range<usize>| {
            lower.get(gap).is_some_and(|gap| !gap.contains(|c: char| c.is_numeric() || ".,;?!(".contains(c)))
        };
        let touches = |gap: Range<usize>| lower.get(gap).is_some_and(|gap| gap.trim().is_empty());
        before.is_none_or(|(place, word)| !direct(place.end..figure.range.start) || known(&place, word))
            && after
                .is_none_or(|(place, word)| !touches(figure.range.end..place.start) || known(&place, word))
    }

    /// Whether a word is what the figure is taken of, by a preposition and an article: "on a dividend of 1,000 EUR".
    fn is_object(&self, place: &Range<usize>) -> bool {
        let before = self.reader.lower.get(..place.start).unwrap_or_default();
        OBJECT.is_match(before)
    }

    /// Whether nothing says that a figure is only about right.
    fn is_exact(&self, figure: &Figure) -> bool {
        let before = self.reader.lower.get(..figure.range.start).unwrap_or_default().trim_end();
        !HEDGES.iter().any(|hedge| {
            before.strip_suffix(hedge).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
        })
    }
}

/// A preposition and an article, with an amount or not: "on a", "auf eine", "on a 1,000 EUR".
static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:on|for|from|of|auf|für|von|aus|sur|pour|sobre|para|de)\s(?:(?:a|an|the|our|my|eine?[nmrs]?|d(?:er|ie|as|en|em)|une?|la|le|el|una)\s)(?:[\d.,']+\s(?:\p{L}{3}|[$€£])\s)?(?:\p{L}+\s)?$",
    )
});

/// The function whose figures are lines of an order.
pub(super) const PRICE_DIFFERENCE: &str = "net_price_delta";

/// Amounts are rounded to cents anyway.
const TO_CENTS: &[&str] = &[
    "rounded to cents",
    "rounded to the cent",
    "rounded to the nearest cent",
    "round to cents",
    "to the cent",
    "to two decimals",
    "rounded to two decimals",
    "rounded to 2 decimals",
    "auf cent gerundet",
    "auf den cent gerundet",
    "gerundet auf cent",
    "auf zwei nachkommastellen",
    "arrondi au centime",
    "arrondie au centime",
    "redondeado a céntimos",
    "redondeado al céntimo",
];

/// Words before a figure that is not exact, or not the figure itself.
const HEDGES: &[&str] = &[
    "about",
    "around",
    "roughly",
    "approximately",
    "approx",
    "approx.",
    "circa",
    "ca.",
    "ca",
    "nearly",
    "almost",
    "of over",
    "of under",
    "more than",
    "less than",
    "up to",
    "at least",
    "~",
    "≈",
    "<",
    ">",
    "≤",
    "≥",
    "etwa",
    "ungefähr",
    "rund",
    "knapp",
    "mindestens",
    "höchstens",
    "bis zu",
    "mehr als",
    "weniger als",
    "fast",
    "environ",
    "à peu près",
    "presque",
    "plus de",
    "moins de",
    "aproximadamente",
    "unos",
    "casi",
    "más de",
    "menos de",
    "maybe",
    "perhaps",
    "probably",
    "vielleicht",
    "wahrscheinlich",
];

/// The codes of currencies that are no words of the languages that are read.
const CODES: &[&str] = &["eur", "usd", "gbp", "chf", "jpy", "cad", "aud"];

/// The currency of an amount that is converted, and the one that it becomes.
fn currencies(arguments: &Arguments) -> (Option<Currency>, Option<Currency>) {
    let source = arguments.values.get("amount").and_then(Value::as_money).map(|money| money.currency());
    let target = arguments.values.get("to").and_then(Value::as_text);
    (source, target.and_then(|code| currency_named(&code.to_lowercase())))
}

pub(super) fn is_within(place: &Range<usize>, places: &[Range<usize>]) -> bool {
    places.iter().any(|whole| whole.start <= place.start && place.end <= whole.end)
}

/// Whether the digit is in a year that is named as one: "in 2025", "fiscal year 2025".
fn is_year(lower: &str, at: usize) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let start = lower.get(..at).map_or(0, |before| before.trim_end_matches(digit).len());
    let number: String = lower.get(start..).unwrap_or_default().chars().take_while(|c| digit(*c)).collect();
    let before = lower.get(..start).unwrap_or_default().trim_end();
    let named = ["in", "year", "fy", "jahr", "fiscal", "q1", "q2", "q3", "q4"]
        .iter()
        .any(|word| before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)));
    named && number.len() == 4 && (number.starts_with("20") || number.starts_with("19"))
}

/// What French drops a vowel of before a noun: "d'indisponibilité".
const ELISIONS: &[&str] = &["d'", "l'", "qu'"];

/// The words of a text and where they are.
pub(super) fn words_of(lower: &str) -> impl DoubleEndedIterator<Item = (Range<usize>, &str)> {
    let start = lower.as_ptr() as usize;
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '-'))
        .map(|word| ELISIONS.iter().find_map(|elision| word.strip_prefix(elision)).unwrap_or(word))
        .filter(|word| !word.is_empty())
        .map(move |word| {
            let at = (word.as_ptr() as usize).saturating_sub(start);
            (at..at.saturating_add(word.len()), word)
        })
}
