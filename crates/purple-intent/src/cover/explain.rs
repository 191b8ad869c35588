//! Which words, values and signs of a task nothing explains.

use std::collections::HashSet;
use std::ops::Range;

use super::Covering;
use crate::act::{Act, Mood, Role, Word};
use crate::language::{ChangeWord, Cue, Form, Language, Lexicon, Phrase};
use crate::nominal::Nominal;
use crate::occasion::occasion;
use crate::say::SayForm;
use crate::span::{Span, holding, inside};
use crate::token::{Token, TokenKind, each_token, tokens};
use crate::value::{Day, Meaning, Unit, Value};

/// Verbs that support another one and order nothing themselves.
const SUPPORTING: [&str; 5] = ["ensure", "take care of", "go ahead", "proceed", "make"];

/// Words by which something has to happen before anything else.
const FIRST: [&str; 7] = ["erst", "zuerst", "vorher", "first", "d'abord", "primero", "antes"];

/// The longest word before a name that is looked at, in bytes.
const NAME_MAX: usize = 40;

/// Words for the whole of what is counted in a report.
const ALL: [&str; 10] = ["all", "every", "each", "alle", "alles", "tous", "toutes", "todos", "todas", "todo"];

impl Covering<'_> {
    /// Everything that nothing explains. `orders` are the acts that order something.
    pub(super) fn unexplained(&self, orders: &[usize]) -> Vec<String> {
        let first = orders.first().copied().unwrap_or_default();
        let mut unexplained = self.unexplained_words(first);
        unexplained.extend(self.unexplained_values(first));
        unexplained.extend(self.other_verbs(orders));
        unexplained.extend(self.unexplained_signs());
        unexplained.extend(self.unexplained_labels(orders));
        unexplained.extend(self.dangers(first));
        unexplained
    }

    fn unexplained_words(&self, first: usize) -> Vec<String> {
        let acts = self.acts.iter().enumerate().filter(|(at, _)| !self.is_aside(*at));
        let words = acts.flat_map(|(at, (act, mood))| {
            let place = if at < first { Place::Before } else { Place::AtOrder };
            let corrects = at > first && self.only_corrects(act, *mood);
            let signed = self.is_signature(act);
            let others = if *mood == Mood::Order { self.other_objects(act) } else { HashSet::new() };
            let left = move |word: &&Word| {
                corrects
                    || others.contains(&word.span.start)
                    || !signed
                        && !self.explains(act, *mood, place, word)
                        && !self.is_in_safe_phrase(act, word)
            };
            act.words.iter().filter(left).map(|word| word.lower.clone())
        });
        words.collect()
    }

    /// The verbs of orders that are satisfied without them: "remove the credit", where a credit is applied. The noun of a
    /// form names what something else is done to.
    fn other_verbs(&self, orders: &[usize]) -> Vec<String> {
        let spoken = self.spoken();
        let is_own = |word: &Word| is_doing(word) || spoken.iter().any(|form| form.names(word));
        let acts = || orders.iter().filter_map(|at| self.acts.get(*at)).map(|(act, _)| *act);
        let german = self.languages().any(|one| one == Language::German);
        // The first verb is what is to be done; in German the last one.
        let main = |act| self.ordering_verbs(act).take(if german { usize::MAX } else { 1 });
        if acts().any(|act| main(act).any(is_own)) {
            return Vec::new();
        }
        let fits = |act: &&Act| spoken.iter().any(|form| form.fits(act.words.iter()));
        let nouns = acts().filter(fits).filter(|act| act.nominal.is_none() && self.has_only_nouns(act));
        let nouns = nouns.flat_map(|act| act.words.iter().filter(|word| matches!(word.role, Role::Verb(_))));
        let others = acts().filter(fits).flat_map(main).chain(nouns);
        others.map(|word| word.lower.clone()).collect()
    }

    /// Whether all verbs of an act are nouns or kinds of records: "Invoice approval INV-7".
    fn has_only_nouns(&self, act: &Act) -> bool {
        let is_noun = |word: &Word| {
            let mut forms = self.lexicons.iter().flat_map(|lexicon| lexicon.verb(&word.lower)).peekable();
            self.lexicons.iter().any(|lexicon| lexicon.is_record(&word.lower))
                || forms.peek().is_some() && forms.all(|form| matches!(form.form, Form::Noun | Form::Gerund))
        };
        // "We need the approval of INV-7" wishes for it.
        let headed = act.words.first().is_some_and(|word| {
            word.span.start == act.span.start
                && self.lexicons.iter().any(|lexicon| lexicon.is_record(&word.lower))
        });
        let mut verbs = act.words.iter().filter(|word| matches!(word.role, Role::Verb(_)));
        headed && verbs.all(is_noun)
    }

    /// Whether a word is part of an occasion by which something is done: "before the audit on Friday".
    fn is_of_occasion(&self, word: &Word) -> bool {
        /// The longest words between it and the day, in bytes.
        const NEAR: usize = 40;
        let rest = Span::new(word.span.end, word.span.end + NEAR);
        let next = inside(&self.reading.values, rest, |value| value.span).first();
        self.lexicons.iter().any(|lexicon| lexicon.is_occasion(&word.lower))
            && next.is_some_and(|value| self.is_deadline(value))
    }

    /// The fitting forms in the languages of the text; where there is none, all of them.
    pub(super) fn spoken(&self) -> Vec<&SayForm> {
        let spoken = |form: &&SayForm| self.languages().any(|language| language == form.language());
        let own: Vec<&SayForm> = self.fitting.iter().copied().filter(spoken).collect();
        if own.is_empty() { self.fitting.clone() } else { own }
    }

    /// The verbs of an act that order something themselves: no nouns, no kinds of records, no words for support.
    pub(super) fn ordering_verbs<'w>(&self, act: &'w Act) -> impl Iterator<Item = &'w Word> {
        let is_noun = |word: &Word| {
            let before = self.before(word.span.start, NAME_MAX);
            let before = each_token(before).last();
            let determined = before
                .is_some_and(|token| self.lexicons.iter().any(|lexicon| lexicon.is_determiner(&token.lower)));
            // "The SLA credit".
            let compound = || {
                let next = act.words.partition_point(|one| one.span.end <= word.span.start);
                let before = next.checked_sub(1).and_then(|before| act.words.get(before));
                let adverb = |one: &Word| self.lexicons.iter().any(|lexicon| lexicon.is_adverb(&one.lower));
                before.is_some_and(|one| {
                    matches!(one.role, Role::Name | Role::Other)
                        && !adverb(one)
                        && Span::new(one.span.end, word.span.start).of(self.text).trim().is_empty()
                })
            };
            let forms = || self.lexicons.iter().flat_map(|lexicon| lexicon.verb(&word.lower));
            (determined || compound()) && forms().any(|form| form.form == Form::Noun)
        };
        act.words.iter().filter(move |word| {
            let Role::Verb(lemmas) = &word.role else { return false };
            let is_record = self.lexicons.iter().any(|lexicon| lexicon.is_record(&word.lower));
            let orders = self.can_order(&word.lower) || !self.is_verb(&word.lower);
            (orders || self.is_wished(word))
                && !is_record
                && !is_noun(word)
                && !is_supporting(lemmas)
                && !is_checking(lemmas)
                && !(self.asked.takes)(word.span)
        })
    }

    /// Whether a verb of the past is what the reader is wished to do: "I'd appreciate it if you revoked it".
    fn is_wished(&self, word: &Word) -> bool {
        let words = tokens(self.before(word.span.start, NAME_MAX));
        let Some(last) = words.len().checked_sub(1) else { return false };
        let is_second =
            |lexicon: &Lexicon| words.get(last).is_some_and(|token| lexicon.is_second_person(&token.lower));
        self.lexicons.iter().any(|lexicon| {
            let wish = |phrase: &Phrase| phrase.cue == Cue::Wish && phrase.words.last() == Some(&last);
            is_second(lexicon) && lexicon.said(&words).phrases.iter().any(wish)
        })
    }

    /// Whether an act after an order does nothing but correct it: "Approve it. Scratch that."
    fn only_corrects(&self, act: &Act, mood: Mood) -> bool {
        let corrects = |word: &Word| word.role == Role::Cue(Cue::Correction);
        let says_more = |word: &Word| matches!(word.role, Role::Other | Role::Verb(_));
        let has_value = !inside(&self.reading.values, act.span, |value| value.span).is_empty();
        matches!(mood, Mood::Statement | Mood::Order)
            && act.words.iter().any(corrects)
            && !act.words.iter().any(says_more)
            && !has_value
    }

    /// Signs that can take an order back: `❌`, `~~`, `=`. Punctuation and friendly signs explain themselves.
    fn unexplained_signs(&self) -> Vec<String> {
        const PLAIN: &str = ".,;:!?¿¡()[]{}<>\"'`´‘’“”„«»‹›–—-_/\\&%#*+@|…·•°§$€£¥₹✓✔✅👍🙏🙂😊😀😃😄😉☺";
        const MARKED: [&str; 7] = ["//", "[ ]", "[]", ";)", ";-)", "/*", "<!--"];
        let is_sign =
            |letter: &char| !letter.is_alphanumeric() && !letter.is_whitespace() && !letter.is_control();
        let asks = self.text.contains('?');
        let is_plain = |letter: char| PLAIN.contains(letter) && (letter != '¿' || asks);
        let own = || self.reading.own.iter().map(|span| span.of(self.text));
        let signs = own().flat_map(str::chars).filter(is_sign).filter(|letter| !is_plain(*letter));
        let marked =
            MARKED.into_iter().filter(|mark| own().any(|part| part.replace("://", "").contains(mark)));
        // A comment, and the sign by which programmers negate: "# approve it", "!approve it".
        let leads = |line: &str| {
            line.starts_with("# ")
                || line.starts_with('!') && line.chars().nth(1).is_some_and(char::is_alphabetic)
        };
        let led = own().flat_map(str::lines).map(str::trim_start).filter(|line| leads(line));
        let led = led.map(|line| line.chars().take(1).collect::<String>());
        signs.map(|letter| letter.to_string()).chain(marked.map(str::to_owned)).chain(led).collect()
    }

    fn unexplained_values(&self, first: usize) -> Vec<String> {
        let begins = self.reading.acts.get(first).map_or(0, |act| act.span.start);
        let own = |value: &&Value| holding(&self.reading.own, value.span, |part| *part).is_some();
        // "They were at 97 %. Apply the credit": a figure before an order may contradict what the systems say.
        // "On 1 April, revoke the access": a day before an order may be its own. "They signed on 1 April" is a report.
        let moves = |value: &Value| is_day(value) && self.leads_day(value, begins);
        let counts = |value: &&Value| value.span.start >= begins || is_percent(value) || moves(value);
        let values = self.reading.values.iter().filter(counts).filter(own);
        let names = self.words().filter(|word| word.role == Role::Name || self.is_numbered(word));
        let name_ends: HashSet<usize> = names.map(|word| word.span.end).collect();
        let left = values.filter(|value| {
            !(self.asked.takes)(value.span)
                && !is_part_of_name(value, &name_ends)
                && !is_today(value)
                && !self.is_over(value)
                && !self.is_reported(value)
                && !self.is_aside_figure(value)
                && !self.compares(value)
                && !self.is_of_reason(value)
                && !self.is_deadline(value)
        });
        left.map(|value| value.span.of(self.text).to_owned()).collect()
    }

    /// Whether a day is in the sentence of the order that begins here, with nothing before it that states something.
    fn leads_day(&self, value: &Value, begins: usize) -> bool {
        let gap = Span::new(value.span.end.min(begins), begins).of(self.text);
        let act = self.acts.iter().find(|(act, _)| act.span.contains(value.span));
        let states = |word: &Word| match &word.role {
            Role::Verb(_) => self.is_past(&word.lower) || self.states(&word.lower),
            Role::Cue(_) | Role::Name | Role::Other => false,
        };
        !gap.contains(['.', '!', ';', '\n']) && !act.is_some_and(|(act, _)| act.words.iter().any(states))
    }

    /// Whether a word is a verb in the third person.
    fn states(&self, word: &str) -> bool {
        let mut forms = self.lexicons.iter().flat_map(|lexicon| lexicon.verb(word));
        forms.any(|form| form.form == Form::ThirdPerson)
    }

    /// Whether a percentage only says by how much something deviates: "seven percent too much".
    fn compares(&self, value: &Value) -> bool {
        let percent = value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Percent(_)));
        let rest = self.text.get(value.span.end..).unwrap_or_default();
        let next = each_token(rest).next().filter(|_| percent);
        next.is_some_and(|token| self.lexicons.iter().any(|lexicon| lexicon.is_compared(&token.lower)))
    }

    /// Whether a figure says why the verb of the order is right: "reject it because it is 74.30 above the order".
    fn is_of_reason(&self, value: &Value) -> bool {
        let act = self.acts.iter().find(|(act, _)| act.span.contains(value.span));
        let exceeds = |word: &Word| match &word.role {
            Role::Verb(lemmas) => {
                word.span.end <= value.span.start && lemmas.iter().any(|one| one == "exceed")
            }
            Role::Cue(_) | Role::Name | Role::Other => false,
        };
        let states = act.is_some_and(|(act, mood)| {
            *mood == Mood::Statement || act.reason || act.words.iter().any(exceeds)
        });
        is_number(value) && states && self.ordered().takes_reasons()
    }

    /// Whether a day says when something happened: "approve it, the goods arrived yesterday".
    fn is_over(&self, value: &Value) -> bool {
        /// The longest words before, in bytes.
        const NEAR: usize = 60;
        if !value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Day(_))) {
            return false;
        }
        let is_past = matches!(value.only(), Some(Meaning::Day(Day::Ahead { days: ..0 })));
        let before = self.before(value.span.start, NEAR);
        let part = before.rsplit([',', ';', ':', '.', '(']).next().unwrap_or_default();
        let part_is_empty = part.trim().is_empty();
        let part = Span::new(value.span.start - part.len(), value.span.start);
        let act = holding(&self.reading.acts, value.span, |act| act.span);
        let words = || inside(act.map_or(&[][..], |act| &act.words), part, |word| word.span).iter();
        let happened = |word: &Word| self.is_past(&word.lower) || is_past;
        // "As I wrote yesterday": what leads to the day means nothing by itself.
        let led = is_past && !part_is_empty && words().next().is_none();
        (led || words().any(happened))
            && !words().any(|word| self.forms.iter().any(|form| form.requires(word)))
    }

    /// Whether a count, a day or a month is part of a report of its own: "all 30 monitors arrived on Friday".
    fn is_reported(&self, value: &Value) -> bool {
        let is_plain = |meaning: &Meaning| match meaning {
            Meaning::Number(_) | Meaning::Day(_) | Meaning::Month(_) => true,
            Meaning::Quantity { unit, .. } => *unit == Unit::Piece,
            Meaning::Id(_) | Meaning::Amount(_) | Meaning::Percent(_) => false,
        };
        let mut acts = self.acts.iter().filter(|(act, _)| act.span.contains(value.span));
        value.meanings.iter().all(is_plain) && acts.next().is_some_and(|(act, mood)| self.reports(act, *mood))
    }

    /// Whether an act states that something happened, and names nothing that the process does.
    fn reports(&self, act: &Act, mood: Mood) -> bool {
        let happened = |word: &Word| self.lexicons.iter().any(|lexicon| lexicon.is_event(&word.lower));
        let is_process = |word: &Word| self.forms.iter().any(|form| form.requires(word));
        mood == Mood::Statement && act.words.iter().any(happened) && !act.words.iter().any(is_process)
    }

    /// The text before a place, at most so many bytes of it.
    fn before(&self, place: usize, bytes: usize) -> &str {
        let begin = (place.saturating_sub(bytes)..=place).find(|at| self.text.is_char_boundary(*at));
        self.text.get(begin.unwrap_or(place)..place).unwrap_or_default()
    }

    /// Whether a day only says by when an order has to be done: "approve it by Friday". What lasts may end then instead:
    /// "block it until Friday" is the same in some languages.
    fn is_deadline(&self, value: &Value) -> bool {
        /// The longest words before, in bytes.
        const NEAR: usize = 60;
        if !is_day(value) || (self.asked.takes)(value.span) || self.lasting {
            return false;
        }
        let before = tokens(self.before(value.span.start, NEAR));
        let knows = |token: &Token, is: fn(&Lexicon, &str) -> bool| {
            self.lexicons.iter().any(|lexicon| is(lexicon, &token.lower))
        };
        if occasion(&before, before.len(), &self.lexicons).is_some() {
            return true;
        }
        let mut words = before.iter().rev();
        let word = words
            .find(|token| knows(token, Lexicon::is_deadline) || !knows(token, Lexicon::is_function_word));
        word.is_some_and(|token| knows(token, Lexicon::is_deadline))
    }

    /// Whether a word leads to a deadline: `before` of "before Friday".
    fn leads_to_deadline(&self, word: &Word) -> bool {
        /// The longest words between, with the day, in bytes.
        const NEAR: usize = 60;
        let leads =
            |lexicon: &&Lexicon| lexicon.is_deadline(&word.lower) || lexicon.leads_to_occasion(&word.lower);
        self.lexicons.iter().copied().any(|lexicon| leads(&lexicon))
            && inside(&self.reading.values, Span::new(word.span.end, word.span.end + NEAR), |value| {
                value.span
            })
            .first()
            .is_some_and(|value| {
                let gap = Span::new(word.span.end, value.span.start).of(self.text);
                let said = tokens(Span::new(word.span.start, value.span.start).of(self.text));
                let to_occasion = occasion(&said, said.len(), &self.lexicons) == Some(0);
                (to_occasion || gap.split_whitespace().count() <= 1) && self.is_deadline(value)
            })
    }

    fn explains(&self, act: &Act, mood: Mood, place: Place, word: &Word) -> bool {
        let lower = without_possessive(&word.lower);
        let any =
            |knows: fn(&Lexicon, &str) -> bool| self.lexicons.iter().any(|lexicon| knows(lexicon, lower));
        let reason = act.reason && word.role == Role::Other && self.is_about_business(act);
        let all = ALL.contains(&lower) && self.reports(act, mood);
        // "Compute the credit so that I know the amount" asks for nothing but the figure.
        if act.reason && self.calculates() {
            return self.belongs(word);
        }
        // Who only names what is to be done says nothing else in the same breath: "approval of it by the boss, please".
        let is_naming = match act.nominal {
            Some(Nominal::Asked { end }) => word.span.end <= end,
            Some(Nominal::Heading | Nominal::Thing) => mood == Mood::Order,
            None => false,
        };
        if is_naming && matches!(word.role, Role::Verb(_)) && any(Lexicon::is_requested) {
            return true;
        }
        if is_naming && word.role == Role::Other {
            return self.belongs(word) || any(Lexicon::is_requested) || any(Lexicon::is_label);
        }
        self.belongs(word)
            || reason
            || all
            || matches!(word.role, Role::Other | Role::Verb(_))
                && (self.suits_verb(word) || self.is_of_occasion(word))
            || match &word.role {
                // Names are compared with the records.
                Role::Cue(_) | Role::Name => true,
                // A verb of an order says what is to be done: the form has to name it. After an order a verb may say
                // that it was not to be: "I declined."
                Role::Verb(lemmas) => match (mood, place) {
                    (Mood::Order, _) => {
                        act.mood == Mood::Question
                            || is_supporting(lemmas) && (self.can_order(lower) || !self.is_verb(lower))
                            || is_checking(lemmas) && self.leads_to_order(word)
                            || any(Lexicon::is_common) && !self.calculates()
                            || any(Lexicon::is_circumstance) && !self.can_order(lower)
                    }
                    (Mood::Statement, Place::AtOrder) => {
                        any(Lexicon::is_common) || any(Lexicon::is_circumstance)
                    }
                    _ => true,
                },
                // "Approve half of it" orders something else; "half of it arrived" before an order is a report.
                // Words around a calculation that a form calls an order may say that only the figure is wanted.
                Role::Other => match place {
                    Place::Before => {
                        any(Lexicon::explains) || any(Lexicon::is_selecting) || any(Lexicon::is_remark)
                    }
                    // "Credit of 7: received" says what became of it.
                    Place::AtOrder if self.is_status(act, word) => false,
                    Place::AtOrder if self.counts_items(word) => true,
                    Place::AtOrder => {
                        let remark = || mood == Mood::Statement || self.is_apart(word);
                        let known = any(Lexicon::explains) || any(Lexicon::is_remark) && remark();
                        known && !self.calculates() || self.leads_to_deadline(word)
                    }
                },
            }
    }

    /// Whether a word says that the items after it come or go: `minus` of "minus 3 Hub".
    fn counts_items(&self, word: &Word) -> bool {
        /// The space between it and its items, in bytes.
        const NEAR: usize = 2;
        let signs = [ChangeWord::Plus, ChangeWord::Minus];
        let is_sign = |lexicon: &&Lexicon| signs.iter().any(|sign| lexicon.says(*sign, &word.lower));
        let next = Span::new(word.span.end, word.span.end + NEAR + 1);
        self.asked.items
            && self.lexicons.iter().copied().any(|lexicon| is_sign(&lexicon))
            && self.reading.values.iter().any(|value| {
                next.contains(Span::new(value.span.start, value.span.start)) && (self.asked.takes)(value.span)
            })
    }

    /// Whether a verb of the process follows a check of a record: "check it against its order and approve it". "Erst
    /// prüfen, dann freigeben" wants the check before.
    pub(super) fn leads_to_order(&self, check: &Word) -> bool {
        let own = self.own_verbs.get_or_init(|| self.own_verbs());
        let next = own.get(own.partition_point(|start| *start < check.span.end)).copied();
        // "Compare order 7: add two Hub" is a check of what follows.
        let follows = next.is_some_and(|next| !Span::new(check.span.end, next).of(self.text).contains(':'));
        let act = holding(&self.reading.acts, check.span, |act| act.span);
        let values = act.map_or(&[][..], |act| inside(&self.reading.values, act.span, |value| value.span));
        let before = each_token(self.before(check.span.start, NAME_MAX)).last();
        let is_first = before.is_some_and(|token| FIRST.contains(&token.lower.as_str()));
        follows && !is_first && values.iter().any(|value| (self.asked.takes)(value.span))
    }

    /// Where the verbs begin that order the process, in the order of the text.
    fn own_verbs(&self) -> Vec<usize> {
        let orders = self.acts.iter().filter(|(_, mood)| *mood == Mood::Order).map(|(act, _)| *act);
        let is_own = |word: &&Word| self.fitting.iter().any(|form| form.requires(word));
        let verbs = orders.flat_map(|act| self.ordering_verbs(act).filter(is_own));
        verbs.map(|word| word.span.start).collect()
    }

    /// Whether a word is all that follows a colon or a dash in the act that it ends.
    fn is_status(&self, act: &Act, word: &Word) -> bool {
        let before = Span::new(act.span.start, word.span.start.max(act.span.start)).of(self.text).trim_end();
        let after = Span::new(word.span.end, act.span.end.max(word.span.end)).of(self.text);
        before.ends_with([':', '-', '–', '—', '='])
            && !before.trim_end_matches([':', '-', '–', '—', '=']).trim().is_empty()
            && !after.contains(char::is_alphanumeric)
    }

    /// Whether a reason names something of the business: "because her contract was not renewed". Why something is ordered
    /// does not change it; "because I am kidding" is no reason.
    fn is_about_business(&self, act: &Act) -> bool {
        let names = |word: &Word| {
            self.belongs(word) || self.lexicons.iter().any(|lexicon| lexicon.is_common(&word.lower))
        };
        act.words.iter().any(names)
    }

    /// Whether a word says that something happened.
    pub(super) fn is_past(&self, word: &str) -> bool {
        let mut forms = self.lexicons.iter().flat_map(|lexicon| lexicon.verb(word));
        let is_past = forms.any(|form| matches!(form.form, Form::Past | Form::Participle));
        is_past && !self.can_order(word)
    }

    /// Whether a word is a verb by itself: `sie` of "sorgen Sie" is none.
    fn is_verb(&self, word: &str) -> bool {
        self.lexicons.iter().any(|lexicon| !lexicon.verb(word).is_empty())
    }

    /// Whether a word can be an imperative or an infinitive.
    fn can_order(&self, word: &str) -> bool {
        let forms = self.lexicons.iter().flat_map(|lexicon| lexicon.verb(word));
        forms.into_iter().any(|form| matches!(form.form, Form::Imperative | Form::Infinitive))
    }

    /// Whether a form makes an order of what would be a calculation.
    pub(super) fn calculates(&self) -> bool {
        self.acts.iter().any(|(act, mood)| *mood == Mood::Order && act.mood == Mood::Calculation)
    }

    /// Whether the process itself explains a word.
    pub(super) fn belongs(&self, word: &Word) -> bool {
        self.forms.iter().any(|form| form.explains(word))
            || (self.asked.uses)(without_possessive(&word.lower))
            || (self.asked.takes)(word.span)
    }

    /// The names that the records have to hold: those of orders and of statements in their sentence ("get Maria's okay
    /// and approve it"), and those that are a whole remark in the line of an order ("Approve it. Kidding!").
    pub(super) fn names_to_check(&self) -> Vec<String> {
        let counts = |act: &Act, mood: Mood| match mood {
            Mood::Order => true,
            _ => {
                !self.is_signature(act)
                    && (self.is_in_sentence(act) || self.is_remark(act) && !self.follows_courtesy(act.span))
            }
        };
        let acts = self.acts.iter().filter(|(act, mood)| counts(act, *mood));
        let names = acts.flat_map(|(act, _)| {
            let grounds = self.grounds(act);
            act.words.iter().filter(move |word| !grounds.iter().any(|ground| ground.contains(word.span)))
        });
        // A German noun that nobody knows looks like a name: "Systemzugang" is a kind of "Zugang".
        let as_noun = |word: &Word| Word { role: Role::Other, ..word.clone() };
        let names = names
            .filter(|word| word.role == Role::Name || self.is_numbered(word))
            .filter(|word| !self.belongs(word) && !self.belongs(&as_noun(word)));
        names.map(|word| without_possessive(&word.lower).to_owned()).collect()
    }

    /// Where an act says on whose word it is done: "as Maria suggested". Who that was is no party of a record.
    fn grounds(&self, act: &Act) -> Vec<Span> {
        let names = || act.words.iter().any(|word| word.role == Role::Name);
        let words = if names() { tokens(act.span.of(self.text)) } else { Vec::new() };
        let place = |at: usize| words.get(at).map(|token| token.span);
        let is_ground =
            |lexicon: &Lexicon, at: usize| words.get(at).is_some_and(|token| lexicon.is_ground(&token.lower));
        let around = self.lexicons.iter().flat_map(|lexicon| {
            let around = lexicon.said(&words).around.into_iter();
            around.filter(|around| is_ground(lexicon, around.start))
        });
        let span = |around: Range<usize>| {
            let (first, last) = (place(around.start)?, place(around.end)?);
            Some(Span::new(act.span.start + first.start, act.span.start + last.end))
        };
        around.filter_map(span).collect()
    }

    /// Whether a word that has a meaning is part of a name with a number after it: `Harbor Electric 41`.
    fn is_numbered(&self, word: &Word) -> bool {
        let is_capital = |text: &str| text.chars().next().is_some_and(char::is_uppercase);
        let rest = self.text.get(word.span.end..).unwrap_or_default();
        let number = rest.trim_start_matches([' ', '-']).starts_with(|letter: char| letter.is_ascii_digit());
        let before = self.before(word.span.start, NAME_MAX).split_whitespace().next_back();
        word.role == Role::Other
            && rest.starts_with(' ')
            && number
            && is_capital(word.span.of(self.text))
            && before.is_some_and(is_capital)
    }

    /// Whether an order follows in the same sentence.
    fn is_in_sentence(&self, act: &Act) -> bool {
        let orders = self.acts.iter().filter(|(_, mood)| *mood == Mood::Order).map(|(order, _)| order.span);
        let next = orders.filter(|order| order.start >= act.span.end).min_by_key(|order| order.start);
        let gap = next.map(|order| Span::new(act.span.end, order.start).of(self.text));
        gap.is_some_and(|gap| !gap.contains(['.', '!', '?', '\n']))
    }

    /// Whether an act is names only, in one line with another act.
    fn is_remark(&self, act: &Act) -> bool {
        let others = || self.acts.iter().map(|(other, _)| other.span);
        let before = others().filter(|other| other.end <= act.span.start).max_by_key(|other| other.end);
        let after = others().filter(|other| other.start >= act.span.end).min_by_key(|other| other.start);
        let gaps = [
            before.map(|other| Span::new(other.end, act.span.start)),
            after.map(|other| Span::new(act.span.end, other.start)),
        ];
        let in_line = gaps.iter().flatten().any(|gap| !gap.of(self.text).contains('\n'));
        in_line && act.words.iter().all(|word| word.role == Role::Name)
    }

    /// Whether the word before, of the same or another sentence, is polite: "Thanks, Anna".
    pub(super) fn follows_courtesy(&self, span: Span) -> bool {
        /// The longest word before, with its marks, in bytes.
        const NEAR: usize = 40;
        let before = tokens(self.before(span.start, NEAR));
        let last = before.iter().rev().find(|token: &&Token| token.kind == TokenKind::Word);
        last.is_some_and(|token| self.lexicons.iter().any(|lexicon| lexicon.is_courtesy(&token.lower)))
    }
}

/// Where an act is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first order: it is context.
    Before,
    /// The first order, or after it: it may change what is ordered.
    AtOrder,
}

/// Whether a word is a verb whose effect lasts.
pub(super) fn lasts(word: &Word) -> bool {
    const LASTING: [&str; 4] = ["revoke", "freeze", "hold", "keep"];
    matches!(&word.role, Role::Verb(lemmas) if lemmas.iter().any(|one| LASTING.contains(&one.as_str())))
}

/// Whether a word stands for the whole of something: `all`.
pub(super) fn is_all(word: &Word) -> bool {
    ALL.contains(&word.lower.as_str())
}

/// Whether a word is a verb that only supports another one.
pub(super) fn supports(word: &Word) -> bool {
    matches!(&word.role, Role::Verb(lemmas) if is_supporting(lemmas))
}

/// Whether a verb is for doing whatever its object names: "arrange the offboarding".
fn is_doing(word: &Word) -> bool {
    const DOING: [&str; 9] = [
        "process",
        "handle",
        "settle",
        "take care of",
        "deal with",
        "arrange",
        "implement",
        "effect",
        "initiate",
    ];
    matches!(&word.role, Role::Verb(lemmas) if lemmas.iter().any(|one| DOING.contains(&one.as_str())))
}

/// Whether a verb only looks at something: what a check leads to is decided by what follows it.
pub(super) fn is_checking(lemmas: &[String]) -> bool {
    const CHECKING: [&str; 5] = ["check", "verify", "review", "match", "look into"];
    lemmas.iter().all(|one| CHECKING.contains(&one.as_str()))
}

fn is_supporting(lemmas: &[String]) -> bool {
    lemmas.iter().any(|one| SUPPORTING.contains(&one.as_str()))
}

/// Whether a value is a percentage and nothing else.
fn is_percent(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Percent(_)))
}

/// Whether a value is a percentage or an amount.
fn is_figure(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Percent(_) | Meaning::Amount(_)))
}

/// Whether a value is a day and nothing else.
fn is_day(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Day(_)))
}

/// Whether a value is a number, a percentage or an amount.
fn is_number(value: &Value) -> bool {
    is_figure(value) || value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Number(_)))
}

/// Whether a value is today: what is ordered is done now.
fn is_today(value: &Value) -> bool {
    matches!(value.only(), Some(Meaning::Day(Day::Ahead { days: 0 })))
}

/// Whether a bare number directly follows a name: `Depot 27`. `name_ends` are the places where names end.
fn is_part_of_name(value: &Value, name_ends: &HashSet<usize>) -> bool {
    let number = value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Number(_)));
    let before = value.span.start.checked_sub(1);
    number && before.is_some_and(|before| name_ends.contains(&before))
}

/// A word without the ending of a possessive: `month's`.
pub(super) fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}
