//! Which words and signs of a task nothing explains.

use std::collections::HashSet;

use super::Covering;
use crate::act::{Act, Mood, Role, Word};
use crate::language::{ChangeWord, Cue, Form, Language, Lexicon, Phrase};
use crate::nominal::Nominal;
use crate::say::SayForm;
use crate::span::{Span, holding, inside};
use crate::token::{Token, TokenKind, each_token, tokens};

/// Verbs that support another one and order nothing themselves.
const SUPPORTING: [&str; 5] = ["ensure", "take care of", "go ahead", "proceed", "make"];

/// Words by which something has to happen before anything else.
const FIRST: [&str; 7] = ["erst", "zuerst", "vorher", "first", "d'abord", "primero", "antes"];

/// The longest word before a name that is looked at, in bytes.
pub(super) const NAME_MAX: usize = 40;

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

    /// Whether a word is a verb in the third person.
    pub(super) fn states(&self, word: &str) -> bool {
        let mut forms = self.lexicons.iter().flat_map(|lexicon| lexicon.verb(word));
        forms.any(|form| form.form == Form::ThirdPerson)
    }

    /// The text before a place, at most so many bytes of it.
    pub(super) fn before(&self, place: usize, bytes: usize) -> &str {
        let begin = (place.saturating_sub(bytes)..=place).find(|at| self.text.is_char_boundary(*at));
        self.text.get(begin.unwrap_or(place)..place).unwrap_or_default()
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

/// A word without the ending of a possessive: `month's`.
pub(super) fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}
