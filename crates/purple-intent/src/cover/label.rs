//! What an order is listed under, and who is said to give it: "Later: approve it", "Vendor: approve it".

use super::Covering;
use super::explain::is_checking;
use crate::act::{Act, Mood, Reading, Role, Word};
use crate::language::{Danger, Form, Lexicon, lexicon};
use crate::read::read;
use crate::span::{Span, holding, inside};
use crate::token::{Token, TokenKind, enumerator, tokens};
use crate::value::{Meaning, Notation, Value};

/// Signs that begin an item of a list.
const BULLETS: [char; 7] = ['-', '*', '•', '–', '—', '·', '+'];

impl Covering<'_> {
    /// The words of labels before orders that are more than politeness and urgency.
    pub(super) fn unexplained_labels(&self, orders: &[usize]) -> Vec<String> {
        let mut words = Vec::new();
        let mut above = Above { text: self.text, read: 0 };
        // What is before an earlier order is the label of that order.
        let mut from = 0;
        for act in orders.iter().filter_map(|at| self.reading.acts.get(*at)) {
            let main = self.main_verb(act);
            words.extend(self.labels(main.unwrap_or(act.span.start), from, &mut above));
            // "Inspect order 7: add two": what asks for something else may be a label of what follows.
            if main.is_some() {
                from = act.span.end;
            }
        }
        words.extend(self.headings(orders));
        words.extend(self.sender());
        words
    }

    /// Remarks before the first order that only name something nobody explains: "Training slide. Approve it."
    fn headings(&self, orders: &[usize]) -> impl Iterator<Item = String> {
        let first = orders.first().copied().unwrap_or_default();
        let states = |span: Span| {
            let is_subject = |token: &Token| self.knows(token, Lexicon::is_subject);
            tokens(span.of(self.text)).iter().any(is_subject)
        };
        let is_bare = move |act: &&Act| {
            let noun = |word: &Word| word.role == Role::Other && !self.belongs(word);
            let named = |word: &Word| matches!(word.role, Role::Other | Role::Name) && !self.belongs(word);
            act.words.iter().any(noun)
                && act.words.iter().all(named)
                && inside(&self.reading.values, act.span, |value| value.span).is_empty()
                && !act.states
                && !states(act.span)
                && !self.is_harmless(act.span.of(self.text))
        };
        let acts = self.reading.acts.iter().take(first).filter(is_bare);
        acts.map(|act| act.span.of(self.text).to_owned())
    }

    fn knows(&self, token: &Token, is: fn(&Lexicon, &str) -> bool) -> bool {
        self.lexicons.iter().any(|lexicon| is(lexicon, &token.lower))
    }

    /// Where the verb of an act begins that the process is ordered with.
    fn main_verb(&self, act: &Act) -> Option<usize> {
        let is_own = |word: &&Word| {
            matches!(word.role, Role::Verb(_)) && self.forms.iter().any(|form| form.requires(word))
        };
        act.words.iter().find(is_own).map(|word| word.span.start)
    }

    /// What is said after `from` in the line of an order that begins here, and above its list where no order of the list
    /// was before.
    fn labels(&self, begins: usize, from: usize, above: &mut Above<'_>) -> Vec<String> {
        /// The longest words before an order that are looked at, in bytes.
        const LINE_MAX: usize = 1000;
        let near = begins.saturating_sub(LINE_MAX);
        let near = (near..=begins).find(|at| self.text.is_char_boundary(*at)).unwrap_or(begins);
        let before = Span::new(from.max(near).min(begins), begins).of(self.text);
        let entry = before.rsplit_once('\n').map_or(before, |(_, line)| line);
        let mut labels = Vec::new();
        if let Some((label, entry)) = entry.rsplit_once(':') {
            // "Last day: 27 March. Please start it": the label is that of a value.
            let values =
                inside(&self.reading.values, Span::new(begins - entry.len(), begins), |value| value.span);
            let is_value = |value: &Value| {
                let between = Span::new(begins - entry.len(), value.span.start).of(self.text);
                between.trim().is_empty() && (self.asked.takes)(value.span)
            };
            let is_check = self.holds_check(label);
            labels.extend((is_check || !values.first().is_some_and(is_value)).then_some(label));
        }
        let line = begins - entry.len();
        if from <= line && is_item(entry) {
            let heading = above.heading(line);
            labels.extend(heading.and_then(|line| line.trim_end().strip_suffix(':')));
        }
        labels
            .into_iter()
            .filter(|label| self.holds_check(label) || !self.holds_asides(label))
            .filter(|label| {
                self.holds_check(label) || !self.is_harmless(label) && !self.is_harmless(last_sentence(label))
            })
            .map(|label| label.trim().to_owned())
            .collect()
    }

    /// Whether a label holds statements beside the order and nothing else: "Legal has cleared it: go ahead".
    fn holds_asides(&self, label: &str) -> bool {
        // "Sent to us by mistake: approve it".
        let words = tokens(label);
        let corrects = |lexicon: &&Lexicon| {
            lexicon.dangers(&words).iter().any(|(danger, _)| *danger == Danger::Correction)
        };
        if self.lexicons.iter().any(corrects) {
            return false;
        }
        let start = label.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        // The colon belongs to the clause that it ends.
        let span = Span::new(start, start + label.len() + 1);
        let first = self.acts.partition_point(|(act, _)| act.span.end <= span.start);
        let held = self.acts.iter().enumerate().skip(first);
        let mut held = held.take_while(|(_, (act, _))| span.overlaps(act.span)).peekable();
        // "We changed the order last week: add two": what follows may be what was done.
        let is_process = |word: &Word| self.forms.iter().any(|form| form.requires(word));
        let taken = |act: &Act| {
            let values = inside(&self.reading.values, act.span, |value| value.span);
            values.iter().any(|value| (self.asked.takes)(value.span))
        };
        let is_apart =
            |act: &Act| span.contains(act.span) && !act.words.iter().any(is_process) && !taken(act);
        held.peek().is_some() && held.all(|(at, (act, _))| is_apart(act) && self.is_aside(at))
    }

    /// Whether a label asks for a check, so that what follows may be what is checked: "Check the stock for order 7: add
    /// two Hub".
    fn holds_check(&self, label: &str) -> bool {
        let start = label.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        let last = start + label.len() - last_sentence(label).len();
        let span = Span::new(last, start + label.len());
        let verbs = || {
            let acts = inside(&self.reading.acts, span, |act| act.span).iter();
            let around = holding(&self.reading.acts, span, |act| act.span).into_iter();
            let held = acts.chain(around).flat_map(|act| inside(&act.words, span, |word| word.span));
            held.filter_map(|word| match &word.role {
                Role::Verb(lemmas) => Some((word, lemmas)),
                Role::Cue(_) | Role::Name | Role::Other => None,
            })
        };
        let is_own = |word: &Word| self.forms.iter().any(|form| form.names(word));
        verbs().any(|(_, lemmas)| is_checking(lemmas)) && !verbs().any(|(word, _)| is_own(word))
    }

    /// Whether a label is polite or urgent, orders something itself, or names records without a report about them.
    fn is_harmless(&self, label: &str) -> bool {
        let polite = |lexicon: &&Lexicon, word: &str| {
            lexicon.is_courtesy(word)
                || lexicon.is_label(word)
                || lexicon.is_function_word(word)
                || lexicon.is_listing(word)
        };
        /// Longer ones are more than a label, in bytes.
        const LABEL_MAX: usize = 200;
        if label.len() > LABEL_MAX {
            return false;
        }
        let words = tokens(label);
        let mut words = words.iter().filter(|token| token.kind == TokenKind::Word);
        if words.all(|token| self.lexicons.iter().any(|lexicon| polite(lexicon, &token.lower))) {
            return true;
        }
        let reading = read(label, &Notation::default());
        if self.is_preface(label, &reading) {
            return true;
        }
        let states = |word: &Word| {
            let forms = self.reading_forms(&word.lower);
            matches!(word.role, Role::Verb(_))
                && forms.iter().any(|form| matches!(form, Form::Past | Form::Participle | Form::ThirdPerson))
                && !forms.contains(&Form::Noun)
        };
        // "Don't hesitate: approve it".
        let says_nothing = reading.values.is_empty() && reading.acts.iter().all(|act| act.words.is_empty());
        let orders = says_nothing || reading.acts.iter().any(|act| act.mood == Mood::Order);
        let reports = reading.acts.iter().flat_map(|act| &act.words).any(states);
        let is_id = |meaning: &Meaning| matches!(meaning, Meaning::Id(_));
        let names_record = reading.values.iter().any(|value| value.meanings.iter().any(is_id));
        orders || names_record && !reports
    }

    /// Whether a label begins with a phrase that means nothing by itself, and says nothing that nobody explains: "As
    /// Maria suggested on the phone: approve it".
    fn is_preface(&self, label: &str, reading: &Reading) -> bool {
        let words = tokens(label);
        let begins = |lexicon: &&Lexicon| lexicon.said(&words).neutral.contains(&0);
        let explained = |word: &Word| match &word.role {
            Role::Name => true,
            Role::Other | Role::Verb(_) => self
                .lexicons
                .iter()
                .any(|lexicon| lexicon.is_common(&word.lower) || lexicon.is_circumstance(&word.lower)),
            Role::Cue(_) => false,
        };
        // "As agreed on 3 March", "one last thing".
        let is_light = |meaning: &Meaning| matches!(meaning, Meaning::Day(_) | Meaning::Number(_));
        self.lexicons.iter().any(begins)
            && reading.values.iter().all(|value| value.meanings.iter().all(is_light))
            && reading.acts.iter().flat_map(|act| &act.words).all(explained)
    }

    fn reading_forms(&self, word: &str) -> Vec<Form> {
        self.languages().flat_map(|language| lexicon(language).verb(word)).map(|form| form.form).collect()
    }

    /// A line that says from whom a text is: it may be forwarded.
    fn sender(&self) -> Option<String> {
        const HEADERS: [&str; 4] = ["from:", "von:", "de:", "absender:"];
        let first = self.reading.own.first().map_or(0, |span| span.start);
        let own = self.reading.own.iter().map(|span| span.of(self.text));
        let texts = self.text.get(..first).into_iter().chain(own);
        let mut lines = texts.flat_map(str::lines).map(|line| line.trim().to_lowercase());
        lines.find(|line| HEADERS.iter().any(|header| line.starts_with(header)))
    }
}

/// The lines above the items of lists, each read once.
struct Above<'a> {
    text: &'a str,
    /// Where the lines begin that were not read.
    read: usize,
}

impl<'a> Above<'a> {
    /// The line above the list whose item begins here; `None` where it was the heading of an earlier item.
    fn heading(&mut self, line: usize) -> Option<&'a str> {
        let lines = self.text.get(self.read..line).unwrap_or_default().lines();
        let last = lines.rev().find(|line| !line.trim().is_empty() && !is_item(line));
        self.read = self.read.max(line);
        last
    }
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(BULLETS) || enumerator(line).is_some()
}

/// The last sentence of a label: those before it are read by themselves.
fn last_sentence(label: &str) -> &str {
    let last = label.rsplit(". ").next().filter(|last| last.starts_with(char::is_uppercase));
    last.unwrap_or(label)
}
