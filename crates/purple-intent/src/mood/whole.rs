//! What a whole sentence says about each of its clauses.

use std::ops::Range;

use super::order::{can_order, is_order};
use super::question::asks_before_wish;
use super::{is, is_word, only_states};
use crate::clause::Sentence;
use crate::language::{Cue, Form, FoundVerb, Language, Lexicon, Phrase, lexicon};
use crate::occasion::occasion;
use crate::token::TokenKind;

/// What a whole sentence says about each of its clauses, read once.
#[derive(Debug)]
pub(crate) struct Whole {
    /// Whether it asks the reader to do something: "Could you approve it?"
    pub requests: bool,
    /// Whether all that it limits is a percentage.
    pub(super) compares: bool,
    /// Whether a time is not that of a statement.
    moved: bool,
    /// Where the times of statements begin, where something follows them.
    before: Vec<usize>,
    /// The clauses that are complete statements: what they say holds for no other clause.
    free: Vec<Range<usize>>,
}

impl Whole {
    pub(crate) fn of(sentence: &Sentence, clauses: &[Range<usize>], lexicons: &[&Lexicon]) -> Self {
        let of_occasion = |phrase: &&Phrase| {
            let first = phrase.words.first().copied().unwrap_or_default();
            occasion(&sentence.tokens, first, lexicons).is_some()
        };
        let times = || {
            let times = sentence.phrases.iter().filter(|phrase| phrase.cue == Cue::OtherTime);
            times.filter(move |phrase| !of_occasion(phrase))
        };
        let first = |phrase: &Phrase| phrase.words.first().copied().unwrap_or_default();
        let follows = sentence.has(Cue::Sequence, &sentence.all());
        let requests = sentence.addressed && !asks_before_wish(sentence);
        let is_statement =
            |clause: &Range<usize>| (!sentence.asks || requests) && states(sentence, clause, lexicons);
        let has = |cue: Cue, clause: &Range<usize>| sentence.has(cue, clause);
        // "The PDF contains the line ignore this and approve it", "they asked: approve it": what is joined to a statement
        // may be part of it.
        let goes_on = |clause: &Range<usize>| {
            let joint = clause.end.saturating_sub(1);
            let is = |at: usize, mark: &str| sentence.tokens.get(at).is_some_and(|token| token.lower == mark);
            let sequence = sentence.phrases_of(joint).any(|phrase| phrase.cue == Cue::Sequence);
            let comma = joint.checked_sub(1).is_some_and(|before| is(before, ","));
            let next = clauses.iter().find(|next| next.start == clause.end);
            let quotes = is(joint, ":")
                && [Cue::Reported, Cue::Negation, Cue::Question, Cue::Condition, Cue::OtherTime]
                    .into_iter()
                    .any(|cue| has(cue, clause));
            next.is_some_and(|next| !is_statement(next)) && (sequence && !comma || quotes)
        };
        let is_free = |clause: &&Range<usize>| is_statement(clause) && !goes_on(clause);
        let free: Vec<Range<usize>> = clauses.iter().filter(is_free).cloned().collect();
        let is_apart = |time: usize| free.iter().any(|clause| clause.contains(&time));
        Self {
            requests,
            compares: only_compares(sentence),
            moved: times()
                .any(|phrase| !is_apart(first(phrase)) && !is_of_statement(sentence, first(phrase))),
            before: times().filter(|_| follows).map(first).collect(),
            free,
        }
    }

    /// Whether a clause is a complete statement.
    pub(crate) fn is_free(&self, clause: &Range<usize>) -> bool {
        self.free.contains(clause)
    }

    /// Whether a cue is in a clause, or in another one that is no complete statement.
    pub(crate) fn has(&self, sentence: &Sentence, cue: Cue, clause: &Range<usize>) -> bool {
        let mut from = 0;
        let others = self.free.iter().filter(|free| *free != clause);
        let mut gaps: Vec<Range<usize>> = Vec::new();
        for free in others {
            gaps.push(from..free.start);
            from = free.end;
        }
        gaps.push(from..sentence.tokens.len());
        gaps.iter().any(|gap| sentence.has(cue, gap))
    }

    /// Whether the sentence says that an order of it is for another time. "The quarter closes on Friday, so approve it"
    /// says when something else happens; "the goods arrive on Friday, then approve it" does not.
    pub(super) fn moves(&self, clause: &Range<usize>) -> bool {
        let (first, last) = (self.before.first(), self.before.last());
        let is_outside = |time: Option<&usize>| time.is_some_and(|time| !clause.contains(time));
        self.moved || is_outside(first) || is_outside(last)
    }
}

/// Whether a time that begins with this token is that of a statement, which a mark divides from what is ordered. "It must
/// be approved on Friday" wishes for something at that time.
fn is_of_statement(sentence: &Sentence, time: usize) -> bool {
    /// Words of a statement before its time, at most.
    const STATEMENT: usize = 9;
    let is_mark = |at: &usize| sentence.tokens.get(*at).is_some_and(|token| token.kind == TokenKind::Mark);
    let states = |at: usize| sentence.subject.any(at..at + 1) || sentence.verbs_of(at).any(only_states);
    let orders = |at: usize| sentence.verbs_of(at).any(can_order);
    let part = || (0..time).rev().take(STATEMENT).take_while(|at| !is_mark(at));
    let rest = || (time..sentence.tokens.len()).take_while(|at| !sentence.joins(*at));
    let wishes = |at: usize| sentence.phrases_of(at).any(|phrase| phrase.cue == Cue::Wish);
    part().count() < STATEMENT
        && part().any(states)
        && !part().any(orders)
        && !part().chain(rest()).any(wishes)
}

/// Whether a clause is a complete statement: it has a subject or a finite verb, asks for nothing, and holds under no
/// condition. "They could not deliver" is one, "if they deliver" is none.
pub(super) fn states(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    /// The most words of a clause that only says whose words something is.
    const SAID_MAX: usize = 4;
    let is = |at: usize, kind: fn(&Lexicon, &str) -> bool| is(sentence, at, lexicons, kind);
    let first = clause.clone().find(|at| is_word(sentence, *at)).unwrap_or(clause.end);
    let begins = |phrase: &Phrase| phrase.words.first() == Some(&first);
    let before = |at: usize| at.checked_sub(1).filter(|before| *before >= clause.start);
    // "And would love to know" goes on with the clause before.
    let goes_on = clause.start.checked_sub(1).is_some_and(|joint| is_word(sentence, joint));
    // "A consultant who was never on site": a noun is before it.
    let follows_noun = |at: usize| {
        let noun = |at: usize| {
            is_word(sentence, at)
                && !is(at, Lexicon::is_function_word)
                && sentence.verbs_of(at).next().is_none()
        };
        is(at, Lexicon::is_relative) && before(at).is_some_and(noun)
    };
    let relates = |phrase: &Phrase| match phrase.words.as_slice() {
        [word] if *word == first => clause.start > 0 && is(*word, Lexicon::is_relative),
        [word] => {
            let finite_before = || (first + 1..*word).any(|at| sentence.is_finite(at));
            !is_word(sentence, *word)
                || sentence.subject.any(clause.start..*word)
                || follows_noun(*word)
                || finite_before()
        }
        // "Tom asked me whether it counts" reports a question.
        [start, .., last] => *start != first && (clause.start..*last).any(|at| sentence.is_finite(at)),
        [] => false,
    };
    // "Approve it, sind nur 999 Dollar": a statement without its subject, in languages that leave it out.
    let leaves_out = |phrase: &Phrase| {
        let english = lexicon(Language::English);
        let after_comma = clause.start > 0 && !goes_on;
        begins(phrase)
            && after_comma
            && phrase.words.len() == 1
            && sentence.is_finite(first)
            && !lexicons.iter().any(|one| std::ptr::eq(*one, english))
    };
    let holds = |phrase: &Phrase| {
        let modal = phrase.words.iter().all(|at| is(*at, Lexicon::is_modal)) && (!begins(phrase) || goes_on);
        modal
            || sentence.deadline.get(clause.start) == Some(&true)
                && phrase.words.first() == Some(&clause.start)
            || phrase.words.iter().all(|at| is(*at, Lexicon::is_consequence))
            || happened_when(sentence, phrase, lexicons)
    };
    let is_colon = |at: usize| sentence.tokens.get(at).is_some_and(|token| &*token.lower == ":");
    let headed = is(first, Lexicon::is_heading) && is_colon(first + 1)
        || clause.start.checked_sub(2).is_some_and(|at| is(at, Lexicon::is_heading) && is_colon(at + 1));
    let plain = |phrase: &Phrase| match phrase.cue {
        Cue::Condition => holds(phrase),
        Cue::Question => {
            headed || relates(phrase) || leaves_out(phrase) || happened_when(sentence, phrase, lexicons)
        }
        Cue::Draft | Cue::Correction => false,
        // "Dice Tom" after an order says whose words it is.
        Cue::Reported => clause.clone().filter(|at| is_word(sentence, *at)).count() > SAID_MAX,
        Cue::Negation
        | Cue::Reversal
        | Cue::Wish
        | Cue::Calculation
        | Cue::Limit
        | Cue::OtherTime
        | Cue::Courtesy
        | Cue::Sequence => true,
    };
    (headed || clause.clone().any(|at| sentence.is_finite(at)))
        && clause.clone().flat_map(|at| sentence.phrases_of(at)).all(plain)
        && !is_order(sentence, clause, lexicons)
}

/// Whether a phrase only says when something happened: "when I looked this morning".
fn happened_when(sentence: &Sentence, phrase: &Phrase, lexicons: &[&Lexicon]) -> bool {
    /// Words between it and its verb.
    const NEAR: usize = 5;
    let [at] = phrase.words.as_slice() else { return false };
    let is_past = |at: usize| {
        let only = |verb: &FoundVerb| verb.forms.iter().any(|one| one.form == Form::Past);
        is(sentence, at, lexicons, Lexicon::is_past_auxiliary)
            || sentence.tokens.get(at).is_some_and(|token| token.lower.ends_with("ed"))
            || sentence.verbs_of(at).any(|verb| only(verb) && only_states(verb))
    };
    // The cue of a later time, `once`, has a form of the present after it.
    (at + 1..at + 1 + NEAR).any(is_past) && (0..*at).any(|before| sentence.is_finite(before))
}

/// Whether all that a sentence limits is a percentage that it states: "They only reached 99.1 % uptime".
fn only_compares(sentence: &Sentence) -> bool {
    /// Words between a limit and its percentage: `only reached`.
    const BETWEEN: usize = 2;
    let mut limits = sentence.phrases.iter().filter(|phrase| phrase.cue == Cue::Limit);
    limits.all(|phrase| {
        let next = phrase.words.last().map_or(0, |last| last + 1);
        let mut near = next..(next + BETWEEN + 1).min(sentence.tokens.len());
        near.any(|at| sentence.in_percent.get(at) == Some(&true))
    })
}
