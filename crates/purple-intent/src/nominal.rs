//! Orders that are put by a noun: "Approval of INV-7, please", "Freigabe erbeten", "Offboarding: E-7, last day 3 March".

use std::ops::Range;

use crate::clause::Sentence;
use crate::language::{Cue, Form, FoundVerb, Language, Lexicon, Phrase, lexicon};
use crate::token::{Token, TokenKind};

/// How an act that is named by a noun is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nominal {
    /// With a word that asks for it: `please`, `requested`.
    Asked {
        /// Where the words end that name it; a remark may follow.
        end: usize,
    },
    /// Only things are asked for: "two more Hub for order 7, please". What is to be done with them is not said.
    Thing,
    /// As a heading: it orders something only where nothing else is said.
    Heading,
}

/// How a clause without a finite verb names an act by a noun; `None` where it does not.
pub(crate) fn nominal(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> Option<Nominal> {
    if sentence.asks {
        return None;
    }
    let all = Naming { sentence, clause: clause.clone(), lexicons };
    // "Rejection of INV-7 please, the goods were damaged": what follows is a remark.
    let marked = clause.clone().find(|at| all.asks_for(*at));
    let rest = marked.and_then(|marked| (marked + 1..clause.end).find(|at| sentence.joins(*at)));
    match rest.filter(|rest| all.starts_remark(*rest)) {
        Some(rest) => Naming { clause: clause.start..rest, ..all }.read(),
        None => all.read(),
    }
}

/// A part of a sentence that may name an act.
struct Naming<'a> {
    sentence: &'a Sentence,
    clause: Range<usize>,
    lexicons: &'a [&'a Lexicon],
}

impl Naming<'_> {
    fn read(&self) -> Option<Nominal> {
        let (sentence, clause) = (self.sentence, &self.clause);
        let verbs = sentence.verbs_in(clause);
        let head = verbs.iter().find(|verb| self.is_noun(verb) && self.is_head(verb));
        let names = |verb: &FoundVerb| {
            sentence.asks_with(verb) || self.is_noun(verb) || self.is_record(verb) || self.is_request(verb)
        };
        let is_plain =
            clause.clone().flat_map(|at| sentence.phrases_of(at)).all(|phrase| self.is_plain(phrase));
        // "Requested by the vendor" reports who wants it.
        let has_agent =
            clause.clone().any(|at| self.is(at, Lexicon::is_requested) && self.is(at + 1, Lexicon::is_agent));
        if !is_plain || has_agent || !verbs.iter().all(names) || clause.clone().any(|at| self.is_finite(at)) {
            return None;
        }
        let asked = clause.clone().any(|at| self.asks_for(at));
        let head = head.filter(|head| asked || self.is_request(head) || !self.is_under_way(head));
        let Some(head) = head else {
            let requested = clause.clone().any(|at| self.is(at, Lexicon::is_requested));
            let is_thing = asked && !requested && verbs.iter().all(|verb| self.is_record(verb));
            return is_thing.then_some(Nominal::Thing);
        };
        let first = head.words.first().copied()?;
        if asked {
            let end = sentence.span(clause)?.end;
            return Some(Nominal::Asked { end });
        }
        // "The approval of INV-7" is what something else is said about.
        let determined = (clause.start..first).any(|at| self.is(at, Lexicon::is_determiner));
        (!determined).then_some(Nominal::Heading)
    }

    /// Whether a verb says what somebody is doing, with its object: "approving INV-7", but not "processing of INV-7".
    fn is_under_way(&self, verb: &FoundVerb) -> bool {
        let next = verb.words.last().map_or(self.clause.end, |last| last + 1);
        let token = self.sentence.tokens.get(next).filter(|_| next < self.clause.end);
        let has_object =
            token.is_some_and(|token| !is_mark(token) && !self.is(next, Lexicon::is_preposition));
        has_object && verb.forms.iter().any(|one| one.form == Form::Gerund)
    }

    fn is(&self, at: usize, is: fn(&Lexicon, &str) -> bool) -> bool {
        let token = self.sentence.tokens.get(at);
        token.is_some_and(|token| self.lexicons.iter().any(|lexicon| is(lexicon, &token.lower)))
    }

    /// Whether a word asks for what is named: `please`, `requested`, `merci d'avance`.
    fn asks_for(&self, at: usize) -> bool {
        self.is_requested(at) || self.is(at, Lexicon::is_asking) || self.sentence.phrases_of(at).any(is_wish)
    }

    /// Whether a word says that something is asked for, and not that it needed something: "the order needed two more".
    fn is_requested(&self, at: usize) -> bool {
        let next = at + 1;
        let ends = next >= self.clause.end || self.sentence.tokens.get(next).is_some_and(is_mark);
        self.is(at, Lexicon::is_requested)
            && !self.is(next, Lexicon::is_agent)
            && (ends || self.is(next, Lexicon::is_preposition))
    }

    fn is_finite(&self, at: usize) -> bool {
        self.sentence.subject.any(at..at + 1) && !self.sentence.phrases_of(at).any(is_wish)
    }

    /// Whether something is stated after this mark.
    fn starts_remark(&self, mark: usize) -> bool {
        (mark + 1..self.clause.end).any(|at| self.sentence.is_finite(at))
    }

    fn is_plain(&self, phrase: &Phrase) -> bool {
        match phrase.cue {
            Cue::Courtesy | Cue::Sequence | Cue::Wish => true,
            Cue::Reported => phrase.words.iter().all(|at| self.is(*at, Lexicon::is_requested)),
            _ => false,
        }
    }

    fn is_request(&self, verb: &FoundVerb) -> bool {
        verb.words.iter().all(|at| self.is(*at, Lexicon::is_requested))
    }

    /// Whether a verb is the kind of a record: `invoice INV-7`.
    fn is_record(&self, verb: &FoundVerb) -> bool {
        let next = verb.words.last().map_or(self.clause.end, |last| last + 1);
        verb.words.iter().all(|at| self.is(*at, Lexicon::is_record))
            && self.sentence.in_value.get(next) == Some(&true)
    }

    /// Whether a verb is a noun here: `approval`, `processing`; one that can be an imperative as well only before a
    /// preposition: `release of`.
    fn is_noun(&self, verb: &FoundVerb) -> bool {
        let has = |form: Form| verb.forms.iter().any(|one| one.form == form);
        let next = verb.words.last().map_or(self.clause.end, |last| last + 1);
        let linked = || self.is(next, Lexicon::is_preposition) || self.is(next, Lexicon::is_requested);
        // "SLA credit CTR-1": a word before it makes it a noun.
        let first = verb.words.first().copied().unwrap_or(self.clause.start);
        let compound = || {
            let before = first.checked_sub(1).filter(|before| self.clause.contains(before));
            before.and_then(|before| Some((before, self.sentence.tokens.get(before)?))).is_some_and(
                |(at, token)| {
                    token.kind == TokenKind::Word
                        && !self.is(at, Lexicon::is_courtesy)
                        && !self.is(at, Lexicon::is_adverb)
                        && !self.is(at, Lexicon::is_function_word)
                        && self.sentence.phrases_of(at).next().is_none()
                },
            )
        };
        let ends = || next >= self.clause.end || self.sentence.tokens.get(next).is_some_and(is_mark);
        (has(Form::Noun) || has(Form::Gerund)) && (!has(Form::Imperative) || linked() || ends() || compound())
    }

    /// Whether a noun is the last of its group, so that it names the act: `access revocation`, but not `approval mail`.
    /// In the other languages a compound is one word, or what belongs to the noun follows it.
    fn is_head(&self, verb: &FoundVerb) -> bool {
        let english = lexicon(Language::English);
        if !self.lexicons.iter().any(|one| std::ptr::eq(*one, english)) {
            return true;
        }
        let next = verb.words.last().map_or(self.clause.end, |last| last + 1);
        let Some(token) = self.sentence.tokens.get(next).filter(|_| next < self.clause.end) else {
            return true;
        };
        let before_value = self.sentence.in_value.get(next + 1) == Some(&true);
        let is_known = self.lexicons.iter().any(|lexicon| lexicon.explains(&token.lower));
        is_mark(token)
            || self.sentence.in_value.get(next) == Some(&true)
            || self.is(next, Lexicon::is_function_word)
            || self.is(next, Lexicon::is_courtesy)
            || self.is(next, Lexicon::is_requested)
            || before_value && self.is(next, Lexicon::is_record)
            || token.capital && !is_known
            || self.sentence.verbs_of(next).any(|next| self.is_noun(next) && self.is_head(next))
    }
}

fn is_wish(phrase: &Phrase) -> bool {
    phrase.cue == Cue::Wish
}

fn is_mark(token: &Token) -> bool {
    token.kind == TokenKind::Mark
}
