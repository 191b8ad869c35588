//! What a clause is: an order, a question, a negation.

use std::ops::Range;

use crate::act::Mood;
use crate::clause::Sentence;
use crate::language::{Cue, Form, FoundVerb, Language, Lexicon, Phrase, lexicon};
use crate::nominal::{Nominal, nominal};
use crate::occasion::occasion;
use crate::token::TokenKind;

/// How many words that can be verbs may be nouns in a row: `purchase order`.
const NEAR: usize = 4;

/// What the words of earlier clauses of the sentence say about a later one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scope {
    /// A negation whose scope reaches on.
    negated: bool,
}

/// What a whole sentence says about each of its clauses, read once.
#[derive(Debug)]
pub(crate) struct Whole {
    /// Whether it asks the reader to do something: "Could you approve it?"
    pub requests: bool,
    /// Whether all that it limits is a percentage.
    compares: bool,
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
    fn moves(&self, clause: &Range<usize>) -> bool {
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

/// The mood of a clause. The stricter of two readings counts.
pub(crate) fn mood(
    sentence: &Sentence,
    whole: &Whole,
    clause: &Range<usize>,
    scope: &mut Scope,
    lexicons: &[&Lexicon],
) -> Mood {
    let here = |cue| sentence.has(cue, clause);
    let anywhere = |cue| whole.has(sentence, cue, clause);
    if contrasts(sentence, clause) {
        *scope = Scope::default();
    }
    // "Don't book anything, just calculate it": the second clause says what is wanted instead.
    if here(Cue::Limit) && wants_figure(sentence, clause) {
        *scope = Scope::default();
    }
    // "Approval of INV-7 requested" reports no wish of somebody else.
    let asked = matches!(nominal(sentence, clause, lexicons), Some(Nominal::Asked { .. }));
    let orders = asked || is_order(sentence, clause, lexicons);
    // "Because her contract was not renewed": what a reason negates is nothing that somebody does.
    let reason = sentence.reason.get(clause.start) == Some(&true) && !orders;
    let negates = here(Cue::Negation) && !reason;
    // "We have not agreed to approve it and book it": what follows is still negated.
    let negated = scope.negated || negates && (orders || !reports_past(sentence, clause, lexicons));
    // "It was not our fault, so please book it": a statement about something else ends before what is ordered.
    let is_apart = whole.is_free(clause) && !sentence.verbs_in(clause).iter().any(can_order);
    scope.negated |= negates && !is_apart;
    let addressed = whole.requests;
    if sentence.asks && !addressed {
        return if wants_figure(sentence, clause) { Mood::Calculation } else { Mood::Question };
    }
    if anywhere(Cue::Condition) {
        return Mood::Conditional;
    }
    if negated {
        return Mood::Negated;
    }
    if here(Cue::Reversal) {
        return Mood::Reversal;
    }
    let asks_for_words = informs(sentence, clause, lexicons);
    let asks =
        asks(sentence, clause) && (orders || !is_relative(sentence, clause) && !describes(sentence, clause));
    if asks && (!(orders && addressed) || asks_for_words) {
        return if wants_figure(sentence, clause) { Mood::Calculation } else { Mood::Question };
    }
    if here(Cue::Draft) {
        return Mood::Draft;
    }
    if asks_for_words && orders {
        return Mood::Question;
    }
    let limits = anywhere(Cue::Limit) && (orders && here(Cue::Limit) || !whole.compares);
    if limits || wants_figure(sentence, clause) {
        return Mood::Calculation;
    }
    if !asked && anywhere(Cue::Reported) {
        return Mood::Reported;
    }
    match (orders, whole.moves(clause)) {
        (true, true) => Mood::OtherTime,
        (true, false) => Mood::Order,
        // "Last day: tomorrow" states a day and orders nothing.
        (false, _) => Mood::Statement,
    }
}

/// Whether a clause is a complete statement: it has a subject or a finite verb, asks for nothing, and holds under no
/// condition. "They could not deliver" is one, "if they deliver" is none.
fn states(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
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

/// Whether all that a clause negates is in the past: "INFRA-9 did not reach its uptime". `Was not to` is not among it.
fn reports_past(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is_past = |at: usize| {
        let token = sentence.tokens.get(at);
        token.is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_past_auxiliary(&token.lower)))
    };
    let mut negations =
        clause.clone().flat_map(|at| sentence.phrases_of(at)).filter(|phrase| phrase.cue == Cue::Negation);
    negations.all(|phrase| match phrase.words.as_slice() {
        [first] | [first, _] => is_past(*first) || first.checked_sub(1).is_some_and(is_past),
        [] | [_, _, _, ..] => false,
    })
}

/// Whether a clause only states what is not so, or was not: "nobody has complained", "the price isn't the agreed one".
/// No record, no obligation, no wish and nobody who speaks or is addressed is in it.
pub(crate) fn only_reports(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is = |at: usize, kind: fn(&Lexicon, &str) -> bool| is(sentence, at, lexicons, kind);
    let finite = |at: usize| sentence.is_finite(at) || is(at, Lexicon::is_past_auxiliary);
    let negated = |at: usize| sentence.phrases_of(at).any(|phrase| phrase.cue == Cue::Negation);
    // "That price isn't agreed", but "that isn't right".
    let points = |at: usize| is(at, Lexicon::is_determiner) && !finite(at + 1) && !negated(at + 1);
    let binds = |at: usize| {
        is(at, Lexicon::is_binding) && !points(at)
            || is(at, Lexicon::is_second_person)
            || sentence.in_id.get(at) == Some(&true)
    };
    let lacks = |verb: &FoundVerb| verb.forms.iter().any(|one| one.form == Form::Gerund);
    let negates = |phrase: &Phrase| match phrase.words.as_slice() {
        [word] if is(*word, Lexicon::is_nobody) => {
            let happened = |at: usize| is(at, Lexicon::is_circumstance) || is(at, Lexicon::is_remark);
            let mut rest = *word..clause.end;
            rest.clone().any(finite) || rest.any(happened) || sentence.verbs_in(clause).iter().any(lacks)
        }
        [word] => (clause.start..word + 1).any(finite),
        // "Le prix n'est pas celui convenu".
        [first, ..] => finite(*first),
        [] => false,
    };
    let plain = |phrase: &Phrase| match phrase.cue {
        Cue::Negation => negates(phrase),
        Cue::Courtesy | Cue::Sequence => true,
        _ => false,
    };
    !sentence.asks
        && !clause.clone().any(binds)
        && clause.clone().flat_map(|at| sentence.phrases_of(at)).all(plain)
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

/// Whether a clause begins with a word that ends the scope of what was before.
fn contrasts(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let before = clause.start.checked_sub(1).and_then(|at| sentence.contrast.get(at));
    before == Some(&true) || sentence.contrast.get(clause.start) == Some(&true)
}

/// Whether the clause is a question by its mark or its words.
fn asks(sentence: &Sentence, clause: &Range<usize>) -> bool {
    sentence.asks || sentence.has(Cue::Question, clause) || begins_with_question(sentence)
}

/// Whether a question word is among the first words: then the whole sentence asks. "Work out what they owe us, and book it"
/// asks for a figure only in its first clause.
fn begins_with_question(sentence: &Sentence) -> bool {
    const FIRST: usize = 4;
    let first = 0..FIRST.min(sentence.tokens.len());
    let Some(question) = sentence.first(Cue::Question, &first) else { return false };
    let computes = |verb: &FoundVerb| {
        can_order(verb) && verb.forms.iter().all(|form| form.lemma == "calculate") && !sentence.asks
    };
    !sentence.verbs_in(&(0..question)).iter().any(computes)
}

/// Whether a question word is before the wish: "Who can you ask to approve it?" asks, although it addresses the reader.
fn asks_before_wish(sentence: &Sentence) -> bool {
    let first = |cue: Cue| {
        let phrases = sentence.phrases.iter().filter(move |phrase| phrase.cue == cue);
        let words = phrases.filter(|phrase| phrase.words.iter().any(|at| is_word(sentence, *at)));
        words.filter_map(|phrase| phrase.words.first().copied()).min()
    };
    first(Cue::Question).zip(first(Cue::Wish)).is_some_and(|(question, wish)| question < wish)
}

fn is_word(sentence: &Sentence, at: usize) -> bool {
    sentence.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word)
}

/// Whether every question word of a statement only begins a relative clause: "It is above what we ordered". A subject or
/// a finite verb is before it, and nothing else asks.
fn is_relative(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let begins = |phrase: &&Phrase| phrase.words.first().is_some_and(|first| clause.contains(first));
    let mut questions = sentence.phrases.iter().filter(|phrase| phrase.cue == Cue::Question).filter(begins);
    !sentence.asks
        && !begins_with_question(sentence)
        && questions.all(|phrase| match phrase.words.as_slice() {
            [word] => sentence.subject.any(clause.start..*word),
            [] | [_, _, ..] => false,
        })
}

/// Whether a clause only describes what was named before it: "Could you offboard E-7, who leaves us on Friday?"
fn describes(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let after_id = clause.start.checked_sub(2).is_some_and(|at| sentence.in_id.get(at) == Some(&true));
    let mut questions =
        clause.clone().flat_map(|at| sentence.phrases_of(at)).filter(|phrase| phrase.cue == Cue::Question);
    let is_end = |phrase: &Phrase| phrase.words.iter().all(|at| !is_word(sentence, *at));
    let states = || sentence.verbs_in(clause).iter().any(only_states) || sentence.subject.any(clause.clone());
    after_id
        && states()
        && questions.all(|phrase| is_end(phrase) || phrase.words.as_slice() == [clause.start])
}

/// Whether the clause asks for information: `tell me`, `show`, `explain`.
fn informs(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    const TELLING: [&str; 12] = [
        "tell",
        "show",
        "list",
        "explain",
        "find",
        "look into",
        "check",
        "review",
        "verify",
        "summarise",
        "read",
        "report",
    ];
    // "Check it against the purchase order": a word that can be a verb is a noun after an article.
    let is_noun = |verb: &FoundVerb| {
        let first = verb.words.first().copied().unwrap_or_default();
        let before =
            (clause.start..first).rev().take(NEAR).find(|at| sentence.verbs_of(*at).next().is_none());
        before.is_some_and(|at| is_determiner(sentence, at, lexicons))
    };
    let mut verbs =
        sentence.verbs_in(clause).iter().filter(|verb| can_order(verb)).filter(|verb| !is_noun(verb));
    let first = verbs.next();
    let telling = |verb: &FoundVerb| verb.forms.iter().any(|form| TELLING.contains(&form.lemma.as_str()));
    first.is_some_and(telling) && verbs.next().is_none()
}

/// Whether the clause asks for a figure and for nothing else.
fn wants_figure(sentence: &Sentence, clause: &Range<usize>) -> bool {
    sentence.has(Cue::Calculation, clause)
}

/// Whether the clause asks for something to be done.
pub(crate) fn is_order(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let verbs = sentence.verbs_in(clause);
    // "In order to approve it we need a form" wishes for no act.
    let wish = sentence.first(Cue::Wish, clause).filter(|wish| !is_embedded(sentence, *wish, lexicons));
    if is_delegated(sentence, clause, lexicons) {
        return false;
    }
    if let Some(wish) = wish {
        if !wishes_for_act(sentence, wish, clause, lexicons) {
            return false;
        }
        let light = |at: usize| is_polite(sentence, at, lexicons) || !is_word(sentence, at);
        // "I want Maria to approve it" wishes for what somebody else does.
        let delegated = |verb: &FoundVerb| {
            let before = verb.words.first().and_then(|first| first.checked_sub(1));
            before.is_some_and(|at| {
                let token = sentence.tokens.get(at);
                token.is_some_and(|token| &*token.lower == "to") && sentence.phrases_of(at).next().is_none()
            })
        };
        let is_wished = |verb: &FoundVerb| verb.words.last() > Some(&wish) && !delegated(verb);
        if verbs.iter().any(is_wished) || !verbs.is_empty() && (wish..clause.end).all(light) {
            return true;
        }
    }
    let led_in = clause.clone().find(|at| !leads_in(sentence, *at, lexicons)).unwrap_or(clause.end);
    if lets_be_done(sentence, &(clause.start..led_in + 1), clause, lexicons) {
        return true;
    }
    verbs.iter().filter(|verb| can_order(verb)).any(|verb| {
        let first = verb.words.first().copied().unwrap_or(clause.start);
        let noun = first
            .checked_sub(1)
            .filter(|_| first > clause.start)
            .is_some_and(|at| is_determiner(sentence, at, lexicons));
        first <= led_in
            && !noun
            && !is_report(sentence, clause, verb)
            && !has_subject(sentence, clause, verb, lexicons)
            && !is_statement(sentence, clause, verb, lexicons)
            && !names_a_record(sentence, verb, lexicons)
            && !names_a_thing(sentence, clause, verb)
    }) || ends_with_infinitive(sentence, clause, lexicons)
}

/// Whether somebody else is to do it: "It needs to be approved by the controller".
fn is_delegated(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is = |at: usize, kind: fn(&Lexicon, &str) -> bool| is(sentence, at, lexicons, kind);
    let is_done =
        |verb: &FoundVerb| verb.forms.iter().any(|one| matches!(one.form, Form::Participle | Form::Noun));
    let done = sentence.verbs_in(clause).iter().any(is_done);
    let delegates = |at: usize| {
        let free = sentence.neutral.get(at) == Some(&false) && is(at, Lexicon::is_agent);
        let next = (at + 1..clause.end).find(|at| !is(*at, Lexicon::is_determiner));
        // "The accounts of employee 7" belong to somebody.
        let is_record = |next: usize| sentence.in_value.get(next + 1) == Some(&true);
        free && next.is_some_and(|next| is(next, Lexicon::is_people) && !is_record(next))
    };
    done && clause.clone().any(delegates)
}

/// Whether what a wish leads to is an act, where it leads to a noun: "Bitte um Freigabe", but not "Bitte um Info zur
/// Freigabe".
fn wishes_for_act(sentence: &Sentence, wish: usize, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let phrase = sentence.phrases_of(wish).find(|phrase| phrase.cue == Cue::Wish);
    let Some(last) = phrase.and_then(|phrase| phrase.words.last().copied()) else { return true };
    let is = |at: usize, kind: fn(&Lexicon, &str) -> bool| is(sentence, at, lexicons, kind);
    let light = |at: usize| is(at, Lexicon::is_function_word) || is_polite(sentence, at, lexicons);
    let next = (last + 1..clause.end).find(|at| !light(*at));
    let plain =
        |at: usize| sentence.verbs_of(at).next().is_none() && sentence.in_value.get(at) == Some(&false);
    // "Demande d'approbation refusée" says what became of it.
    let reports = |verb: &FoundVerb| {
        verb.words.first() > Some(&last)
            && verb.forms.iter().all(|one| matches!(one.form, Form::Past | Form::Participle))
            && !verb.words.iter().any(|at| is(*at, Lexicon::is_requested))
    };
    let leads = is(last, Lexicon::is_preposition)
        || sentence.tokens.get(last).is_some_and(|token| token.lower.starts_with("d'"));
    let is_noun = |verb: &FoundVerb| verb.forms.iter().any(|one| one.form == Form::Noun);
    let verbs = sentence.verbs_in(clause);
    if leads && verbs.iter().any(is_noun) && verbs.iter().any(reports) {
        return false;
    }
    !(is(last, Lexicon::is_preposition) && next.is_some_and(|at| is_word(sentence, at) && plain(at)))
}

/// Whether the clause begins with a word for letting something be done to what follows it: "Get INV-7 matched", "have two
/// Hub added". "Have approved it" does not.
fn lets_be_done(
    sentence: &Sentence,
    begin: &Range<usize>,
    clause: &Range<usize>,
    lexicons: &[&Lexicon],
) -> bool {
    let causes = |at: &usize| is(sentence, *at, lexicons, Lexicon::is_causative);
    let Some(first) = begin.clone().filter(|at| *at < clause.end).find(causes) else { return false };
    let led = (clause.start..first).all(|at| leads_in(sentence, at, lexicons));
    let is_done = |verb: &FoundVerb| {
        verb.words.first() > Some(&(first + 1)) && verb.forms.iter().any(|one| one.form == Form::Participle)
    };
    led && !sentence.asks && sentence.verbs_in(clause).iter().any(is_done)
}

/// Whether a verb that is all there is may as well be a participle: "Freigabe INV-7: erledigt".
fn is_report(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb) -> bool {
    let done = verb.forms.iter().any(|one| one.form == Form::Participle);
    let others = clause.clone().filter(|at| !verb.words.contains(at)).any(|at| is_word(sentence, at));
    done && !others
        && verb.words.len() == 1
        && !clause.clone().any(|at| sentence.in_value.get(at) == Some(&true))
}

/// Whether a wish is what somebody thinks or says: "They think that E-7 must be offboarded".
fn is_embedded(sentence: &Sentence, wish: usize, lexicons: &[&Lexicon]) -> bool {
    let reported = |at: usize| sentence.phrases_of(at).all(|phrase| phrase.cue == Cue::Reported);
    let free = |at: usize| reported(at) && sentence.neutral.get(at) == Some(&false);
    let part = || (0..wish).rev().take_while(|at| !sentence.joins(*at)).filter(|at| free(*at));
    // "For that invoice", "that invoice", but "they think, that".
    let is_comma = |at: usize| sentence.tokens.get(at).is_some_and(|token| &*token.lower == ",");
    let ends = |at: usize| is_word(sentence, at) && !is_determiner(sentence, at, lexicons);
    let after_word = |at: usize| (0..at).rev().find(|before| !is_comma(*before)).is_some_and(ends);
    let embeds = |at: usize| is(sentence, at, lexicons, Lexicon::is_embedding) && after_word(at);
    let is_subject = |at: usize| sentence.subject.any(at..at + 1);
    // "They think E-7 must be offboarded", but "they must be", "they also must be".
    let light = |at: usize| is_polite(sentence, at, lexicons) || is_subject(at);
    let thinks = |at: usize| is_subject(at) && !light(at + 1);
    part().any(|at| embeds(at) || thinks(at))
}

/// Whether a verb of one form for everything has a subject: "Colleagues approve it", "You approve it", or is what
/// something or somebody else is for: "To approve it we need Tom", "Get Tom to approve it".
fn has_subject(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb, lexicons: &[&Lexicon]) -> bool {
    let has = |form: Form| verb.forms.iter().any(|one| one.form == form);
    let first = verb.words.first().copied().unwrap_or(clause.start);
    // "Clients approve invoice 7": the noun after a verb can be spelled like one.
    let before = (0..first).rev().take(NEAR).find(|at| sentence.verbs_of(*at).next().is_none());
    let Some((at, token)) = before.and_then(|at| Some((at, sentence.tokens.get(at)?))) else { return false };
    if !(has(Form::Imperative) && has(Form::Infinitive)) || token.kind != TokenKind::Word {
        return false;
    }
    let is = |kind: fn(&Lexicon, &str) -> bool| lexicons.iter().any(|lexicon| kind(lexicon, &token.lower));
    let light = is(Lexicon::is_courtesy) || is(Lexicon::is_adverb) || is(Lexicon::is_function_word);
    let in_phrase = sentence.phrases_of(at).next().is_some();
    let purpose = &*token.lower == "to" && !in_phrase;
    let value = sentence.in_value.get(at) == Some(&true);
    purpose || is(Lexicon::is_second_person) || !light && !in_phrase && !value
}

/// Whether what is before a verb makes it a statement: a noun or a name as its subject, as in "The auditors approve
/// invoice INV-7", or anything at all where the form may be the third person as well, as in "INV-7 bearbeitet Eva".
fn is_statement(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb, lexicons: &[&Lexicon]) -> bool {
    let first = verb.words.first().copied().unwrap_or(clause.start);
    let third = verb.forms.iter().any(|form| form.form == Form::ThirdPerson);
    let asked_for = |at: usize| {
        is(sentence, at, lexicons, Lexicon::is_courtesy) && !is(sentence, at, lexicons, Lexicon::is_people)
    };
    // "In any case please approve it."
    if first > clause.start && asked_for(first - 1) {
        return false;
    }
    let is_subject = |at: usize| is(sentence, at, lexicons, Lexicon::is_people);
    let before =
        (clause.start..first).rev().find(|at| is_subject(*at) || !is_polite(sentence, *at, lexicons));
    before.is_some_and(|at| {
        let free = sentence.in_value.get(at) == Some(&false) && sentence.neutral.get(at) == Some(&false);
        let noun = free && is_word(sentence, at) && !is(sentence, at, lexicons, Lexicon::is_function_word);
        let is_mark = sentence.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark);
        noun || third && !(free && is_mark)
    })
}

/// Whether people are the subject of a plural that looks like an infinitive: "Die Kollegen bearbeiten INV-7".
fn has_people(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb, lexicons: &[&Lexicon]) -> bool {
    let first = verb.words.first().copied().unwrap_or(clause.start);
    let people = |at: usize| is(sentence, at, lexicons, Lexicon::is_people);
    let light = |at: usize| {
        is_polite(sentence, at, lexicons)
            || is(sentence, at, lexicons, Lexicon::is_function_word)
            || people(at)
    };
    (clause.start..first).any(people) && (clause.start..first).all(light)
}

fn is(sentence: &Sentence, at: usize, lexicons: &[&Lexicon], is: fn(&Lexicon, &str) -> bool) -> bool {
    let token = sentence.tokens.get(at);
    token.is_some_and(|token| lexicons.iter().any(|lexicon| is(lexicon, &token.lower)))
}

/// Whether a token is courtesy, an adverb or part of a cue.
fn is_polite(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    is(sentence, at, lexicons, Lexicon::is_courtesy)
        || is(sentence, at, lexicons, Lexicon::is_adverb)
        || sentence.phrases_of(at).next().is_some()
}

/// Whether an order follows a condition: "If it is late, please cancel it."
pub(crate) fn orders_on_condition(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    let is_comma = |at: &usize| sentence.tokens.get(*at).is_some_and(|token| &*token.lower == ",");
    sentence.verbs_in(clause).iter().filter(|verb| can_order(verb)).any(|verb| {
        let first = verb.words.first().copied().unwrap_or(clause.start);
        let comma = (clause.start..first).rev().find(is_comma);
        comma.is_some_and(|comma| (comma..first).all(|at| leads_in(sentence, at, lexicons)))
    })
}

/// Whether the only cues of a clause that negate or reverse are its main verb, and no other act is named: in "stop
/// processing INV-7" and "cancel the offboarding of E-1014" there is one. To undo something is never an act by itself.
pub(crate) fn is_own_verb(sentence: &Sentence, clause: &Range<usize>) -> bool {
    let mut verbs = sentence.verbs_in(clause).iter();
    let Some(main) = verbs.next().filter(|verb| can_order(verb)) else { return false };
    let part_of_main = |words: &[usize]| words.iter().any(|word| main.words.contains(word));
    let turns = |cue: Cue| matches!(cue, Cue::Negation | Cue::Reversal);
    let mut cues = sentence
        .phrases
        .iter()
        .filter(|phrase| turns(phrase.cue) && phrase.words.first().is_some_and(|word| clause.contains(word)));
    // "Order ORD-7" after the verb names the record.
    let names_record = |verb: &FoundVerb| {
        let next = verb.words.last().map_or(clause.end, |word| word + 1);
        can_order(verb) && sentence.in_value.get(next) == Some(&true)
    };
    !main.forms.iter().any(|form| form.lemma == "undo")
        && cues.all(|phrase| part_of_main(&phrase.words))
        && verbs.all(|verb| part_of_main(&verb.words) || names_record(verb))
}

/// Whether a verb is in a form in which somebody can order something.
pub(crate) fn can_order(verb: &FoundVerb) -> bool {
    verb.forms.iter().any(|form| matches!(form.form, Form::Imperative | Form::Infinitive))
}

/// Whether a verb is in a form that states something: "Acme submitted invoice 7".
fn only_states(verb: &FoundVerb) -> bool {
    verb.forms.iter().any(|form| matches!(form.form, Form::Past | Form::ThirdPerson)) && !can_order(verb)
}

/// Whether a word can stand before an imperative: politeness, adverbs, values, names and marks, but no subject.
fn leads_in(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    // "Before I forget: approve it."
    let neutral = sentence.neutral.get(at) == Some(&true);
    if token.kind == TokenKind::Mark || sentence.in_value.get(at) == Some(&true) || neutral {
        return true;
    }
    if sentence.verbs_of(at).any(only_states) {
        return false;
    }
    let polite = || lexicons.iter().any(|lexicon| lexicon.is_courtesy(&token.lower));
    let in_cue = || {
        sentence
            .phrases_of(at)
            .any(|phrase| matches!(phrase.cue, Cue::Courtesy | Cue::Sequence | Cue::Wish | Cue::Limit))
    };
    let subject = sentence.subject.any(at..at + 1);
    !subject || polite() || in_cue()
}

/// Whether a word that can be a verb names a thing: "Invoice INV-7 was approved", with a value after it and a finite verb.
fn names_a_thing(sentence: &Sentence, clause: &Range<usize>, verb: &FoundVerb) -> bool {
    let next = verb.words.last().map_or(clause.end, |word| word + 1);
    let before_value = sentence.in_value.get(next) == Some(&true);
    // "Increase of the quantity confirmed".
    let of = sentence.tokens.get(next).is_some_and(|token| &*token.lower == "of");
    if of && verb.forms.iter().any(|form| form.form == Form::Noun) {
        return true;
    }
    let is_noun = verb.forms.iter().any(|form| form.form == Form::Noun);
    // "Report from monitoring is on file".
    let before_preposition = sentence.determined.get(next) == Some(&true);
    (before_value || before_preposition) && is_noun && sentence.subject.any(next..clause.end)
}

/// Whether a verb is the kind of a record here: `order PO-7`.
fn names_a_record(sentence: &Sentence, verb: &FoundVerb, lexicons: &[&Lexicon]) -> bool {
    let [at] = verb.words.as_slice() else { return false };
    let is_record = |word: &str| lexicons.iter().any(|lexicon| lexicon.is_record(word));
    let marks =
        sentence.tokens.iter().skip(at + 1).take_while(|token| matches!(&*token.lower, "#" | ":")).count();
    let before_id = sentence.in_id.get(at + 1 + marks) == Some(&true);
    before_id && sentence.tokens.get(*at).is_some_and(|token| is_record(&token.lower))
}

fn is_determiner(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let token = sentence.tokens.get(at);
    token.is_some_and(|token| lexicons.iter().any(|lexicon| lexicon.is_determiner(&token.lower)))
}

/// German and the Romance languages order by an infinitive: "Bitte die Rechnung freigeben".
fn ends_with_infinitive(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> bool {
    // An English imperative is no infinitive that orders.
    let has = |verb: &FoundVerb, form: Form| verb.forms.iter().any(|one| one.form == form);
    let is_infinitive = |verb: &FoundVerb| has(verb, Form::Infinitive) && !has(verb, Form::Imperative);
    let determined = |verb: &FoundVerb| {
        let before = verb.words.first().and_then(|first| first.checked_sub(1));
        before.is_some_and(|at| is_determiner(sentence, at, lexicons))
    };
    let is_wanted = |verb: &FoundVerb| {
        is_infinitive(verb)
            && !determined(verb)
            && !names_a_record(sentence, verb, lexicons)
            && !has_subject(sentence, clause, verb, lexicons)
            && !has_people(sentence, clause, verb, lexicons)
    };
    let verbs = sentence.verbs_in(clause);
    !sentence.subject.any(clause.clone()) && verbs.iter().any(is_wanted) && !verbs.iter().any(only_states)
}
