//! Whether the words of a model match the log: what they say was done, was not done, waits or will be done.
//!
//! Pure. Only the log decides what was done. A sentence in which any claim about an operation is not that of the log is
//! not shown; what a record says of itself, as it was read, is no such claim.

mod lexis;

use std::collections::BTreeSet;

use purple_finance::Exact;
use purple_intent::value::{Meaning, Notation, values};
use purple_intent::{Detected, Form, Language, lexicon, tokens};
use serde_json::Value;

use crate::observe::words as words_of;
use lexis::{
    ALL, AUXILIARY, BEFORE_THINGS, CARRIED_OUT, CONDITION, DECISIONS, EARLIER, FIRST, GENERIC, HAPPENS,
    JOINS, LOOKS, MODAL, NEEDS, NOT, NOTHING, OPERATIONS, OTHERS, OVER, OWN, STANDS, STATE, STILL, TELLING,
    TO_COME,
};

/// How an operation came out, as far as words may tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Done,
    NotDone,
    /// It may have had an effect, or another one: neither may be said.
    Unsure,
}

/// An operation of the log.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    verbs: BTreeSet<String>,
    ids: BTreeSet<String>,
    numbers: Vec<Exact>,
    fate: Fate,
}

/// What the words of a model are held against.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book {
    pub deeds: Vec<Deed>,
    /// What was read, each answer as it is.
    pub read: Vec<String>,
    /// Whether the run could change anything.
    pub could: bool,
}

/// What is left of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub text: String,
    /// How many sentences were left out.
    pub dropped: usize,
}

impl Deed {
    /// An operation: its tool, what it was given and what was seen of it.
    pub(crate) fn new(tool: &str, given: &[Value], fate: Fate) -> Self {
        let own = tool.rsplit("__").next().unwrap_or(tool);
        let mut deed = Self {
            verbs: words_of(own).into_iter().collect(),
            ids: BTreeSet::new(),
            numbers: Vec::new(),
            fate,
        };
        deed.verbs.extend(lemmas(&own.replace('_', " "), &[Language::English]));
        given.iter().for_each(|value| deed.take(value));
        if deed.verbs.iter().any(|verb| TELLING.contains(&verb.as_str())) {
            deed.verbs.extend(TELLING.iter().map(|verb| (*verb).to_owned()));
        }
        deed
    }

    fn take(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.take(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.take(field)),
            Value::Number(number) => {
                self.numbers.extend(Exact::parse(&number.to_string()).ok());
                self.ids.insert(number.to_string());
            }
            Value::String(text) => {
                self.numbers.extend(numbers(text));
                if text.split_whitespace().count() <= 4 {
                    self.ids.insert(key(text));
                }
                // A status says what was done: `approved`.
                if text.split_whitespace().count() == 1 {
                    self.verbs.extend(forms_in(text, &[Language::English], |form| form == Form::Participle));
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn is_of(&self, claim: &Claim) -> bool {
        claim.ids.iter().all(|id| self.ids.contains(id))
    }

    fn does(&self, claim: &Claim) -> bool {
        claim.verbs.is_empty() || claim.verbs.iter().any(|verb| self.verbs.contains(verb))
    }
}

/// What a part of a sentence says about an operation.
#[derive(Clone, Debug)]
struct Claim {
    says: Says,
    /// What was done, as English base forms; empty where it may be anything.
    verbs: BTreeSet<String>,
    ids: BTreeSet<String>,
    numbers: Vec<Exact>,
    all: bool,
    /// Whether it leaves room for others.
    others: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// It was done, by who says so, or just now.
    Done,
    /// It was done; a record may say so too.
    Told,
    /// It is so.
    State,
    NotDone,
    /// Somebody has to decide, or it stands still.
    Waits,
    /// It will be done.
    ToCome,
    /// Who says so will do it.
    Promised,
}

/// The text without the sentences that do not match the log.
pub(crate) fn kept(text: &str, book: &Book) -> Kept {
    let languages = languages(text);
    let mut kept = Kept { text: String::new(), dropped: 0 };
    for sentence in sentences(text) {
        match holds(sentence, book, &languages) {
            true => kept.text.push_str(sentence),
            false => {
                kept.dropped += 1;
                // What a line began with and its end stay: a list is still one.
                kept.text.push_str(if sentence.ends_with('\n') { "\n" } else { "" });
            }
        }
    }
    // Data is all or nothing.
    if kept.dropped > 0 && text.trim_start().starts_with(['{', '[']) {
        kept.text.clear();
    }
    let says_something = kept.text.chars().any(char::is_alphanumeric);
    kept.text = if says_something { kept.text.trim().to_owned() } else { String::new() };
    kept
}

fn languages(text: &str) -> Vec<Language> {
    match purple_intent::read(text, &Notation::default()).language {
        Detected::One(language) => vec![language],
        Detected::Mixed(languages) => languages,
        Detected::Unknown => Language::ALL.to_vec(),
    }
}

/// The sentences of a text with everything between them, so that together they are the text.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let ends = match sign {
            '\n' => true,
            '.' | '!' | '?' | ';' => signs.peek().is_none_or(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            let end = at + sign.len_utf8();
            found.extend(text.get(from..end));
            from = end;
        }
    }
    found.extend(text.get(from..).filter(|rest| !rest.is_empty()));
    found
}

/// Whether every claim of a sentence matches the log.
fn holds(sentence: &str, book: &Book, languages: &[Language]) -> bool {
    sentence.trim_end().ends_with('?')
        || claims(sentence, book, languages).iter().all(|claim| book.has(claim))
}

/// The words of a sentence, in lower case.
struct Text {
    lower: Vec<String>,
}

impl Text {
    fn any(&self, range: std::ops::Range<usize>, of: &[&str]) -> bool {
        self.lower.get(range).is_some_and(|words| words.iter().any(|word| of.contains(&word.as_str())))
    }

    fn any_stem(&self, range: std::ops::Range<usize>, of: &[&str]) -> bool {
        let fits = |word: &String| of.iter().any(|stem| word.starts_with(stem));
        self.lower.get(range).is_some_and(|words| words.iter().any(fits))
    }

    /// Whether it is a sentence of a few words.
    fn is_short(&self) -> bool {
        self.lower.iter().filter(|word| word.chars().any(char::is_alphabetic)).count() <= 4
    }

    fn negates(&self, range: std::ops::Range<usize>) -> bool {
        let contracted = |word: &String| word.ends_with("n't") || word.ends_with("n’t");
        self.any(range.clone(), NOT)
            || self.any(range.clone(), NOTHING)
            || self.lower.get(range).is_some_and(|words| words.iter().any(contracted))
    }
}

/// A verb of a sentence: where it is, its meanings and its forms.
struct Verb {
    at: usize,
    end: usize,
    lemmas: BTreeSet<String>,
    forms: BTreeSet<Form>,
    /// Whether the word itself says that it was not done.
    undone: bool,
}

fn claims(sentence: &str, book: &Book, languages: &[Language]) -> Vec<Claim> {
    let all = tokens(sentence);
    let text = Text { lower: all.iter().map(|token| token.lower.clone()).collect() };
    let verbs = verbs(sentence, &text, languages);
    let mut claims: Vec<Claim> = Vec::new();
    // Waiting is said by the sentence as a whole.
    let whole = 0..text.lower.len();
    let offset = |at: usize| all.get(at).map_or(sentence.len(), |token| token.span.start);
    let part = |range: &std::ops::Range<usize>| {
        sentence.get(offset(range.start)..offset(range.end)).unwrap_or_default()
    };
    let claim = |range: &std::ops::Range<usize>, says: Says, verbs: BTreeSet<String>| Claim {
        says,
        verbs,
        ids: ids(part(range), book),
        numbers: numbers(part(range)),
        all: text.any(range.clone(), ALL),
        others: text.any(range.clone(), OTHERS),
    };
    let stands_still = text.any_stem(whole.clone(), STANDS);
    if stands_still || text.any_stem(whole.clone(), NEEDS) {
        let decides = text.any_stem(whole.clone(), DECISIONS);
        let stands =
            stands_still && (text.any_stem(whole.clone(), OPERATIONS) || text.any(whole.clone(), STILL));
        let denied = text.any(whole.clone(), NOTHING) || text.any(whole.clone(), NOT);
        let offers = text.any(whole.clone(), CONDITION) && !text.any(whole.clone(), STILL);
        if (decides || stands) && !denied && !offers {
            claims.push(claim(&whole, Says::Waits, BTreeSet::new()));
        }
    }
    let mut before: Option<Says> = None;
    for (place, verb) in verbs.iter().enumerate() {
        let start = match place.checked_sub(1).and_then(|before| verbs.get(before)) {
            Some(last) => joint(&text, last.end..verb.at).unwrap_or(last.end),
            None => 0,
        };
        let end = match verbs.get(place + 1) {
            Some(next) => joint(&text, verb.end..next.at).unwrap_or(next.at),
            None => text.lower.len(),
        };
        let range = start..end.max(verb.end);
        let says = said(&text, verb, &range, before);
        before = says;
        let Some(says) = says else { continue };
        claims.push(claim(&range, says, meant(verb, part(&range), languages)));
    }
    claims
}

/// Where the second of two claims begins: at the last word between them that joins.
fn joint(text: &Text, between: std::ops::Range<usize>) -> Option<usize> {
    let is_joint = |at: &usize| {
        text.lower
            .get(*at)
            .is_some_and(|word| JOINS.contains(&word.as_str()) || matches!(word.as_str(), "," | ";" | "–"))
    };
    between.rev().find(is_joint)
}

/// What a verb says of an operation, by the words of its part of the sentence; `before` is what the verb before it says.
fn said(text: &Text, verb: &Verb, range: &std::ops::Range<usize>, before: Option<Says>) -> Option<Says> {
    let has = |of: &[&str]| text.any(range.clone(), of);
    let first = has(FIRST)
        || text.lower.get(range.clone()).is_some_and(|words| words.iter().any(|word| word.starts_with("j'")));
    let is = |forms: &[Form]| forms.iter().any(|form| verb.forms.contains(form));
    let last = verb.at.checked_sub(1).and_then(|at| text.lower.get(at)).map_or("", String::as_str);
    let ends = [Form::Participle, Form::Past];
    if is(&ends) {
        // "reject or approve": a part without words of its own goes on as the one before.
        let own = [FIRST, TO_COME, MODAL, STATE, OWN, AUXILIARY];
        let is_bare = !(first || own.iter().any(|of| has(of)) || text.negates(range.clone()));
        let joined = range.start > 0 && is_bare;
        if verb.undone || text.negates(range.clone()) {
            return Some(Says::NotDone);
        }
        if has(TO_COME) {
            return Some(if first { Says::Promised } else { Says::ToCome });
        }
        let to_be = text.lower.get(range.start..verb.at).is_some_and(|words| {
            words
                .windows(2)
                .any(|pair| matches!((pair[0].as_str(), pair[1].as_str()), ("to", "be") | ("à", "être")))
        });
        if has(MODAL) || has(CONDITION) || to_be {
            return Some(Says::ToCome);
        }
        if BEFORE_THINGS.contains(&last) {
            return Some(Says::State);
        }
        let begins = text.lower.get(..verb.at).is_some_and(|words| {
            words.iter().all(|word| !word.chars().any(char::is_alphabetic) || OVER.contains(&word.as_str()))
        });
        if has(EARLIER) && !first {
            return Some(Says::State);
        }
        return Some(match before.filter(|_| joined) {
            Some(Says::State) if has(STATE) => Says::State,
            Some(before @ (Says::Done | Says::Told | Says::NotDone | Says::ToCome | Says::Promised)) => {
                before
            }
            _ if first || has(OWN) || begins => Says::Done,
            // "It is done", "Everything is done": what is over is the work.
            _ if text.is_short() && text.any(verb.at..verb.end, OVER) => Says::Told,
            _ if has(STATE) => Says::State,
            _ => Says::Told,
        });
    }
    if text.negates(range.clone()) && !is(&[Form::Noun]) {
        return Some(Says::NotDone);
    }
    let purpose = matches!(last, "to" | "zu" | "um" | "de" | "pour" | "para" | "d" | "a");
    if has(TO_COME) && first && !purpose && !has(MODAL) {
        return Some(Says::Promised);
    }
    let near = text.any(verb.at.saturating_sub(2)..verb.at, FIRST);
    if near && !purpose && !has(MODAL) && !has(TO_COME) && !has(CONDITION) && !is(&[Form::Gerund]) {
        return Some(Says::Done);
    }
    // "The payment is complete", "Überweisung erledigt".
    if is(&[Form::Noun]) && (has(OVER) || has(HAPPENS)) {
        return Some(if text.negates(range.clone()) { Says::NotDone } else { Says::Told });
    }
    None
}

/// What the verb means: for a general one, what the nouns beside it say.
fn meant(verb: &Verb, part: &str, languages: &[Language]) -> BTreeSet<String> {
    let is_general = verb.lemmas.iter().all(|lemma| GENERIC.contains(&lemma.as_str()));
    let mut own: BTreeSet<String> = verb.lemmas.clone();
    if is_general {
        own = nouns(part, languages);
    }
    if own.iter().any(|lemma| TELLING.contains(&lemma.as_str())) {
        own.extend(TELLING.iter().map(|lemma| (*lemma).to_owned()));
    }
    own
}

/// The verbs of a sentence that change something.
fn verbs(sentence: &str, text: &Text, languages: &[Language]) -> Vec<Verb> {
    let all = tokens(sentence);
    let mut found: Vec<Verb> = Vec::new();
    for language in languages {
        for verb in lexicon(*language).verbs(&all) {
            let forms = verb.forms.iter().filter(|form| !LOOKS.contains(&form.lemma.as_str()));
            let (lemmas, forms): (BTreeSet<String>, BTreeSet<Form>) =
                forms.map(|form| (form.lemma.clone(), form.form)).unzip();
            let (Some(at), Some(last)) = (verb.words.first(), verb.words.last()) else { continue };
            let looks = verb.forms.iter().any(|form| LOOKS.contains(&form.lemma.as_str()));
            if lemmas.is_empty() || (looks && languages.len() == 1 && forms.contains(&Form::Noun)) {
                continue;
            }
            match found.iter_mut().find(|known| known.at == *at) {
                Some(known) => {
                    known.lemmas.extend(lemmas);
                    known.forms.extend(forms);
                }
                None => found.push(Verb { at: *at, end: last + 1, lemmas, forms, undone: false }),
            }
        }
    }
    for (at, word) in text.lower.iter().enumerate() {
        let carries = CARRIED_OUT.iter().any(|stem| word.starts_with(stem)) || OVER.contains(&word.as_str());
        if carries && !found.iter().any(|verb| (verb.at..verb.end).contains(&at)) {
            let lemmas = BTreeSet::from(["process".to_owned()]);
            let forms = BTreeSet::from([Form::Participle]);
            found.push(Verb { at, end: at + 1, lemmas, forms, undone: false });
        }
    }
    found.extend(undone(text, languages));
    found.sort_by_key(|verb| verb.at);
    // A noun beside a verb is what it is about: "the approval was recorded", "no changes were made".
    let is_noun = |verb: &Verb| {
        let acts = [Form::Participle, Form::Past, Form::Gerund];
        let before = verb.at.saturating_sub(1)..verb.at;
        let is_thing =
            [BEFORE_THINGS, NOTHING, OTHERS, ALL, &["no"]].iter().any(|of| text.any(before.clone(), of))
                || text.any(verb.end..(verb.end + 1).min(text.lower.len()), AUXILIARY);
        let only = verb.forms.iter().all(|form| *form == Form::Noun);
        only || (is_thing && !acts.iter().any(|form| verb.forms.contains(form)))
    };
    let nouns: Vec<usize> = found.iter().filter(|verb| is_noun(verb)).map(|verb| verb.at).collect();
    if nouns.len() < found.len() {
        found.retain(|verb| !nouns.contains(&verb.at));
    }
    found
}

/// Words that say that something was not done: `unpaid`.
fn undone(text: &Text, languages: &[Language]) -> Vec<Verb> {
    let mut found = Vec::new();
    for (at, word) in text.lower.iter().enumerate() {
        let Some(rest) = word.strip_prefix("un").filter(|rest| rest.len() > 3) else { continue };
        let forms = languages.iter().flat_map(|language| lexicon(*language).verb(rest));
        let participles = forms.filter(|form| form.form == Form::Participle);
        let lemmas: BTreeSet<String> = participles
            .map(|form| form.lemma.clone())
            .filter(|lemma| !LOOKS.contains(&lemma.as_str()))
            .collect();
        if !lemmas.is_empty() {
            let forms = BTreeSet::from([Form::Participle]);
            found.push(Verb { at, end: at + 1, lemmas, forms, undone: true });
        }
    }
    found
}

fn lemmas(text: &str, languages: &[Language]) -> BTreeSet<String> {
    forms_in(text, languages, |_| true)
}

fn nouns(text: &str, languages: &[Language]) -> BTreeSet<String> {
    forms_in(text, languages, |form| matches!(form, Form::Noun | Form::Infinitive | Form::Imperative))
        .into_iter()
        .filter(|lemma| !GENERIC.contains(&lemma.as_str()) && !LOOKS.contains(&lemma.as_str()))
        .collect()
}

fn forms_in(text: &str, languages: &[Language], wanted: impl Fn(Form) -> bool) -> BTreeSet<String> {
    let all = tokens(text);
    let mut found = BTreeSet::new();
    for language in languages {
        for verb in lexicon(*language).verbs(&all) {
            let forms = verb.forms.iter().filter(|form| wanted(form.form));
            found.extend(forms.map(|form| form.lemma.clone()));
        }
    }
    found
}

/// The records that a part of a sentence names.
fn ids(part: &str, book: &Book) -> BTreeSet<String> {
    let known = |key: &String| book.deeds.iter().any(|deed| deed.ids.contains(key));
    let one = |word: &str| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        let has = |of: fn(char) -> bool| word.chars().any(of);
        let looks = has(|sign| sign.is_ascii_digit())
            && word.chars().next().is_some_and(char::is_alphabetic)
            && has(char::is_uppercase);
        let key = key(word);
        let is_number = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
        (looks || (is_number && known(&key))).then_some(key)
    };
    part.split(|sign: char| sign.is_whitespace() || matches!(sign, ',' | '/' | '(' | ')'))
        .filter_map(one)
        .collect()
}

/// An id without case and signs.
fn key(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The amounts of money of a text.
fn numbers(text: &str) -> Vec<Exact> {
    let found = values(text, &Notation::default());
    let amounts = found.iter().flat_map(|value| &value.meanings).filter_map(|meaning| match meaning {
        Meaning::Amount(amount) => Some(amount.number.clone()),
        _ => None,
    });
    amounts.collect()
}

impl Book {
    /// Whether a claim is that of the log.
    fn has(&self, claim: &Claim) -> bool {
        match claim.says {
            Says::Done => self.was_done(claim),
            Says::Told if !self.could => true,
            Says::Told => self.was_done(claim) || self.was_read(claim),
            Says::State if !self.could => true,
            // What nobody names may be a record that was read.
            Says::State if claim.ids.is_empty() => {
                !self.of(claim, Fate::NotDone) || self.of(claim, Fate::Done)
            }
            Says::State => self.was_done(claim) || self.was_read(claim),
            Says::NotDone => claim.others || self.was_not_done(claim),
            // Whatever was decided on is over when words are said.
            Says::Waits => self.is_elsewhere(claim),
            Says::ToCome => !self.of(claim, Fate::Done) && !self.of(claim, Fate::Unsure),
            Says::Promised => false,
        }
    }

    /// Whether an operation of the log is the one of a claim.
    fn of(&self, claim: &Claim, fate: Fate) -> bool {
        self.deeds.iter().any(|deed| deed.fate == fate && deed.does(claim) && deed.is_of(claim))
    }

    /// Whether each record that is named had it done, with this amount; where none is named, any, or all.
    fn was_done(&self, claim: &Claim) -> bool {
        let done: Vec<&Deed> =
            self.deeds.iter().filter(|deed| deed.fate == Fate::Done && deed.does(claim)).collect();
        let each = claim.ids.iter().all(|id| done.iter().any(|deed| deed.ids.contains(id)));
        let missed = || {
            self.deeds.iter().any(|deed| deed.fate != Fate::Done && deed.does(claim)) && claim.ids.is_empty()
        };
        let amounts = claim.numbers.iter().all(|number| {
            let mut of_it = done
                .iter()
                .filter(|deed| claim.ids.is_empty() || claim.ids.iter().any(|id| deed.ids.contains(id)));
            of_it.any(|deed| self.numbers_of(deed).contains(number))
        });
        !done.is_empty() && each && amounts && !(claim.all && missed())
    }

    /// The amounts of an operation: those that it was given, or those of the records that it names, as they were read.
    fn numbers_of(&self, deed: &Deed) -> Vec<Exact> {
        let mut found = deed.numbers.clone();
        let about = self.read.iter().filter(|read| {
            let read = key(read);
            deed.ids.iter().any(|id| id.len() > 2 && read.contains(id.as_str()))
        });
        found.extend(about.flat_map(|read| numbers(read)));
        found
    }

    /// Whether what was read says so: of the same records, in words of the same verb.
    fn was_read(&self, claim: &Claim) -> bool {
        self.read.iter().any(|read| {
            let plain = key(read);
            let names = claim.ids.iter().all(|id| plain.contains(id.as_str()));
            let words = lemmas(&read.replace(['_', '"'], " "), &[Language::English]);
            names && !claim.verbs.is_empty() && claim.verbs.iter().any(|verb| words.contains(verb))
        })
    }

    fn was_not_done(&self, claim: &Claim) -> bool {
        let done = self.of(claim, Fate::Done) || self.of(claim, Fate::Unsure);
        // Of several alike, the one that was not done may be meant.
        !done || (!claim.all && self.of(claim, Fate::NotDone) && !claim.verbs.is_empty())
    }

    /// Whether it is about a record that nothing was decided on here, and that was read.
    fn is_elsewhere(&self, claim: &Claim) -> bool {
        let is_read = |id: &String| self.read.iter().any(|read| key(read).contains(id.as_str()));
        let is_ours = |id: &String| self.deeds.iter().any(|deed| deed.ids.contains(id));
        !claim.ids.is_empty() && claim.ids.iter().all(|id| is_read(id) && !is_ours(id))
    }
}

#[cfg(test)]
#[path = "claims_tests.rs"]
mod tests;
