//! From text to acts.

use std::ops::Range;

use crate::act::{Act, Mood, Reading, Role, Word};
use crate::clause::{Sentence, sentences};
use crate::language::{Cue, Detected, FoundVerb, Language, Lexicon, lexicon};
use crate::mood::{Scope, Whole, can_order, is_order, is_own_verb, mood, only_reports, orders_on_condition};
use crate::nominal::nominal;
use crate::span::{Span, holding, inside};
use crate::structure::{PartKind, parts};
use crate::token::{Token, TokenKind, enumerator, tokens};
use crate::value::{Meaning, Notation, Value, values};

/// Reads a text. Quoted and forwarded parts are evidence: their values are found, and they hold no act.
pub fn read(text: &str, notation: &Notation) -> Reading {
    prepare(text, notation).into_reading()
}

/// A text with its values and sentences, before its acts are read.
pub(crate) struct Prepared {
    language: Detected,
    pub(crate) lexicons: Vec<&'static Lexicon>,
    pub(crate) values: Vec<Value>,
    pub(crate) sentences: Vec<Sentence>,
    own: Vec<Span>,
}

pub(crate) fn prepare(text: &str, notation: &Notation) -> Prepared {
    let own: Vec<Span> =
        parts(text).into_iter().filter(|part| part.kind == PartKind::Own).map(|part| part.span).collect();
    let numbers = enumerators(text);
    let is_number = |span: Span| holding(&numbers, span, |number| *number).is_some();
    let values: Vec<Value> =
        values(text, notation).into_iter().filter(|value| !is_number(value.span)).collect();
    let is_said = |token: &Token| holding(&own, token.span, |part| *part).is_some() && !is_number(token.span);
    let mut said: Vec<Token> = tokens(text).into_iter().filter(is_said).collect();
    let language = Language::detect(&said);
    let languages: Vec<Language> = match &language {
        Detected::One(language) => vec![*language],
        Detected::Mixed(languages) => languages.clone(),
        Detected::Unknown => Language::ALL.to_vec(),
    };
    let lexicons: Vec<&Lexicon> = languages.into_iter().map(lexicon).collect();
    respell(&mut said, &lexicons);
    let sentences = sentences(text, &own, &said, &values, &lexicons);
    Prepared { language, lexicons, values, sentences, own }
}

/// The numbers of items at the beginning of lines, where there are several: `1.` and `2.`
fn enumerators(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let item = line.trim_start();
        let begin = start + line.len() - item.len();
        found.extend(enumerator(item).map(|length| Span::new(begin, begin + length)));
        start += line.len();
    }
    let announced = |item: &Span| {
        let above = text.get(..item.start).unwrap_or_default().trim_end();
        above.ends_with(':')
    };
    if found.len() > 1 || found.iter().any(announced) { found } else { Vec::new() }
}

/// Corrects words that are no words and become one where two letters change places, or one is doubled or not: `agianst`,
/// `aprove`. Other slips are left alone, since `remote` is no slip of `remove`.
fn respell(tokens: &mut [Token], lexicons: &[&Lexicon]) {
    /// In shorter words, too many slips are other words: of them, only function words are meant.
    const LETTERS_MIN: usize = 5;
    /// In still shorter words, a slip is another word.
    const SHORT_MIN: usize = 3;
    /// Longer ones are no words of a lexicon, and trying their slips would take long.
    const LETTERS_MAX: usize = 24;
    let known =
        |word: &str| lexicons.iter().any(|lexicon| lexicon.explains(word) || lexicon.is_selecting(word));
    let is_light = |word: &str| lexicons.iter().any(|lexicon| lexicon.is_function_word(word));
    let is_word = |word: &str| known(word) || lexicons.iter().any(|lexicon| lexicon.is_remark(word));
    for token in tokens.iter_mut().filter(|token| token.kind == TokenKind::Word) {
        if let Some(verb) = lexicons.iter().find_map(|lexicon| lexicon.without_clitic(&token.lower)) {
            token.lower = verb.to_owned();
        }
    }
    for token in tokens.iter_mut().filter(|token| token.kind == TokenKind::Word && !token.capital) {
        let letters: Vec<char> = token.lower.chars().take(LETTERS_MAX + 1).collect();
        if !(SHORT_MIN..=LETTERS_MAX).contains(&letters.len()) || is_word(&token.lower) {
            continue;
        }
        let is_short = letters.len() < LETTERS_MIN;
        let fits = |word: &String| if is_short { is_light(word) } else { known(word) };
        let mut meant: Vec<String> = slips(&letters).filter(fits).collect();
        meant.dedup();
        if let [word] = meant.as_slice() {
            token.lower = word.clone();
        }
    }
}

/// The words in which two neighbours have changed places, or a letter is doubled or no longer doubled. The first letter
/// stays.
fn slips(letters: &[char]) -> impl Iterator<Item = String> {
    let without = |at: usize| letters.iter().take(at).chain(letters.iter().skip(at + 1)).collect::<String>();
    (1..letters.len()).flat_map(move |at| {
        let mut swapped = letters.to_vec();
        let (one, next) = (letters.get(at).copied(), letters.get(at + 1).copied());
        let swap = next.filter(|next| Some(*next) != one).map(|_| {
            swapped.swap(at, at + 1);
            swapped.iter().collect::<String>()
        });
        let doubled: String = letters.iter().take(at + 1).chain(letters.iter().skip(at)).collect();
        let single = (one == next).then(|| without(at));
        swap.into_iter().chain([doubled]).chain(single)
    })
}

impl Prepared {
    pub(crate) fn into_reading(self) -> Reading {
        let Self { language, lexicons, values, sentences, own } = self;
        let mut acts: Vec<Act> = Vec::new();
        // Of the acts before this one, none is an order: they were all taken back.
        let mut taken_back = 0;
        let mut ordered = false;
        for sentence in &sentences {
            if takes_back(sentence) {
                withdraw(acts.get_mut(taken_back..).unwrap_or_default());
                taken_back = acts.len();
            }
            acts.extend(acts_of(sentence, &values, &lexicons, &mut ordered));
        }
        Reading { language, acts, values, own }
    }
}

/// Whether the second of two places corrects the first: "INV-1, sorry, I meant INV-2." Between them is nothing but a
/// correction, and the clause ends after the second.
pub fn corrects(text: &str, first: Span, second: Span) -> bool {
    /// The longest correction, in bytes.
    const CORRECTION_MAX: usize = 80;
    let gap = Span::new(first.end, second.start.max(first.end));
    let next = text.get(second.end..).and_then(|rest| rest.trim_start().chars().next());
    let ends = next.is_none_or(|letter| matches!(letter, '.' | '!' | ',' | ';' | ')'));
    if gap.end - gap.start > CORRECTION_MAX || !ends {
        return false;
    }
    let between = tokens(gap.of(text));
    // "Last day March 27. Correction: last day April 3": the words before the first may be said again.
    let label = label_before(text, first);
    let again = between.iter().any(|token| label.contains(&token.lower));
    if !again && between.iter().any(|token| matches!(token.lower.as_str(), "." | ";")) {
        return false;
    }
    let only_corrects = |language: Language| {
        let lexicon = lexicon(language);
        let phrases = lexicon.phrases(&between);
        let corrections = || phrases.iter().filter(|phrase| phrase.cue == Cue::Correction);
        let particle = particle_after(text, first, lexicon);
        let light = |at: usize, token: &Token| {
            matches!(token.lower.as_str(), "," | "-" | "–" | "—" | ":" | "(" | "." | ";")
                || label.contains(&token.lower)
                || (at == 0 && particle.as_ref() == Some(&token.lower))
                || corrections().any(|phrase| phrase.words.contains(&at))
                || lexicon.is_function_word(&token.lower)
                || lexicon.is_courtesy(&token.lower)
        };
        corrections().next().is_some() && between.iter().enumerate().all(|(at, token)| light(at, token))
    };
    Language::ALL.into_iter().any(only_corrects)
}

/// The words of the same clause directly before a value, in lower case.
fn label_before(text: &str, value: Span) -> Vec<String> {
    const LABEL_WORDS_MAX: usize = 3;
    const LABEL_BYTES_MAX: usize = 60;
    let line = text.get(..value.start).unwrap_or_default();
    let from = line.char_indices().rev().map(|(at, _)| at).find(|at| value.start - at >= LABEL_BYTES_MAX);
    let before = tokens(line.get(from.unwrap_or_default()..).unwrap_or_default());
    let words = before.iter().rev().take_while(|token| token.kind == TokenKind::Word);
    words.take(LABEL_WORDS_MAX).map(|token| token.lower.clone()).collect()
}

/// The second part of a verb around a value, directly after it: `frei` of "Gib INV-1 frei".
fn particle_after(text: &str, value: Span, lexicon: &Lexicon) -> Option<String> {
    /// Between the verb and its second part, in bytes.
    const VERB_MAX: usize = 80;
    let start = (0..=value.start).rev().take(VERB_MAX).filter(|at| text.is_char_boundary(*at)).last()?;
    let rest = tokens(text.get(value.end..)?.split_inclusive([',', '.', ';', '\n']).next()?);
    let particle = rest.first().filter(|token| token.kind == TokenKind::Word)?;
    let said = tokens(text.get(start..value.end + particle.span.end)?);
    let last = said.len().checked_sub(1)?;
    let ends = |verb: &FoundVerb| verb.words.len() > 1 && verb.words.last() == Some(&last);
    lexicon.verbs(&said).iter().any(ends).then(|| particle.lower.clone())
}

/// Whether a sentence takes an order back: "Actually, wait, don't."
fn takes_back(sentence: &Sentence) -> bool {
    let all = sentence.all();
    sentence.has(Cue::Correction, &all) && sentence.has(Cue::Negation, &all)
}

fn withdraw(acts: &mut [Act]) {
    for act in acts.iter_mut().filter(|act| act.mood == Mood::Order) {
        act.mood = Mood::Negated;
    }
}

/// The acts of a sentence. `ordered`: whether something was ordered before.
fn acts_of(sentence: &Sentence, values: &[Value], lexicons: &[&Lexicon], ordered: &mut bool) -> Vec<Act> {
    let light = |at: usize| is_light(sentence, at, lexicons);
    let clauses = sentence.clauses(light);
    let (whole, mut scope) = (Whole::of(sentence, &clauses, lexicons), Scope::default());
    let mut acts = Vec::new();
    for clause in clauses {
        let mood = match mood(sentence, &whole, &clause, &mut scope, lexicons) {
            // What was not done is context before an order. After one it may take the order back.
            Mood::Statement
                if *ordered
                    && sentence.has(Cue::Negation, &clause)
                    && sentence.reason.get(clause.start) != Some(&true) =>
            {
                Mood::Negated
            }
            mood => mood,
        };
        *ordered |= mood == Mood::Order;
        let words = words(sentence, &clause, lexicons);
        if let Some(span) = sentence.span(&clause)
            && (!words.is_empty() || !inside(values, span, |value| value.span).is_empty())
        {
            let limited = whole.has(sentence, Cue::Limit, &clause);
            let states = whole.is_free(&clause);
            let orders = is_order(sentence, &clause, lexicons)
                || mood == Mood::Conditional && orders_on_condition(sentence, &clause, lexicons);
            let imperative = orders && (!sentence.asks || whole.requests);
            let own_verb = matches!(mood, Mood::Negated | Mood::Reversal)
                && imperative
                && inside(values, span, |value| value.span).iter().any(is_id)
                && is_own_verb(sentence, &clause);
            let reason = mood == Mood::Statement && sentence.reason.get(clause.start) == Some(&true);
            // "We need the approval of INV-7": a wish for a noun.
            let verbs = sentence.verbs_in(&clause);
            let by_noun = !orders || !verbs.iter().any(|verb| can_order(verb) && !sentence.asks_with(verb));
            let nominal = (by_noun && matches!(mood, Mood::Order | Mood::Statement))
                .then(|| nominal(sentence, &clause, lexicons))
                .flatten();
            let reports = mood == Mood::Negated && !orders && only_reports(sentence, &clause, lexicons);
            acts.push(Act {
                mood,
                span,
                words,
                imperative,
                own_verb,
                limited,
                reports,
                reason,
                nominal,
                states,
            });
        }
    }
    corrected_within(sentence, &mut acts);
    acts
}

/// A correction inside a sentence takes back what was ordered before it, where it negates.
fn corrected_within(sentence: &Sentence, acts: &mut [Act]) {
    let correction = sentence.phrases.iter().find(|phrase| phrase.cue == Cue::Correction);
    let place = correction
        .and_then(|phrase| sentence.tokens.get(*phrase.words.first()?))
        .map(|token| token.span.start);
    let Some(place) = place else { return };
    let negated_after = acts.iter().any(|act| act.span.end > place && act.mood == Mood::Negated);
    if negated_after {
        let before = acts.iter_mut().filter(|act| act.span.start < place && act.mood == Mood::Order);
        before.for_each(|act| act.mood = Mood::Negated);
    }
}

fn is_id(value: &Value) -> bool {
    value.meanings.iter().any(|meaning| matches!(meaning, Meaning::Id(_)))
}

/// Words that carry nothing at the beginning of a clause.
fn is_light(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    token.kind == TokenKind::Mark
        || lexicons.iter().any(|lexicon| lexicon.is_adverb(&token.lower) || lexicon.is_courtesy(&token.lower))
        || sentence.contrast.get(at) == Some(&true)
        || sentence.phrases_of(at).any(|phrase| phrase.cue == Cue::Sequence)
}

/// The content words of a clause.
fn words(sentence: &Sentence, clause: &Range<usize>, lexicons: &[&Lexicon]) -> Vec<Word> {
    let mut out = Vec::new();
    for at in clause.clone() {
        let Some(token) = sentence.tokens.get(at) else { continue };
        if token.kind == TokenKind::Mark || sentence.in_value.get(at) == Some(&true) {
            continue;
        }
        if let Some(role) = role(sentence, at, token, lexicons) {
            out.push(Word { span: token.span, lower: token.lower.clone(), role });
        }
    }
    out
}

/// What the general grammar makes of a word; `None` for a word that carries nothing.
fn role(sentence: &Sentence, at: usize, token: &Token, lexicons: &[&Lexicon]) -> Option<Role> {
    let verb = sentence.verbs_of(at).next();
    // "Haz el favor de aprobar": the verb of a request says nothing by itself, "please do it" does.
    const ASKING: [&str; 4] = ["make", "do", "ensure", "take care of"];
    let is = |verb: &FoundVerb, lemmas: &[&str]| {
        verb.forms.iter().all(|form| lemmas.contains(&form.lemma.as_str()))
    };
    let other = |verb: &&FoundVerb| verb.words.first() > Some(&at) && !sentence.asks_with(verb);
    let only_asks = |verb: &FoundVerb| {
        is(verb, &["ask"]) || is(verb, &ASKING) && sentence.verbs.iter().any(|one| other(&one))
    };
    if verb.is_some_and(only_asks) && sentence.phrases_of(at).any(|phrase| phrase.cue == Cue::Wish) {
        return None;
    }
    let cue = sentence.phrases_of(at).map(|phrase| phrase.cue);
    let cue = cue.filter(|cue| !matches!(cue, Cue::Courtesy | Cue::Sequence | Cue::Wish)).min();
    match (cue, verb) {
        (Some(cue), None) => return Some(Role::Cue(cue)),
        (Some(cue), Some(_)) if !matches!(cue, Cue::Calculation | Cue::Draft | Cue::Reversal) => {
            return Some(Role::Cue(cue));
        }
        (_, Some(_)) if continues_name(sentence, at, lexicons) => return Some(Role::Name),
        (_, Some(verb)) => {
            let mut lemmas: Vec<String> = verb.forms.iter().map(|form| form.lemma.clone()).collect();
            lemmas.sort();
            lemmas.dedup();
            return Some(Role::Verb(lemmas));
        }
        (None, None) => {}
    }
    let light =
        |lexicon: &&Lexicon| lexicon.is_function_word(&token.lower) || lexicon.is_courtesy(&token.lower);
    let in_phrase = sentence.phrases_of(at).next().is_some();
    let neutral = sentence.neutral.get(at) == Some(&true);
    if !in_phrase && !neutral && lexicons.iter().any(|lexicon| lexicon.is_selecting(&token.lower)) {
        return Some(Role::Other);
    }
    if in_phrase || neutral || lexicons.iter().any(light) {
        return None;
    }
    let named = is_name(sentence, at, lexicons) || continues_name(sentence, at, lexicons);
    Some(if named { Role::Name } else { Role::Other })
}

/// Whether a word is part of a name: it begins with a capital letter, no language explains it, and another such word, or
/// a word of a name, is beside it. In a sentence that does not write its nouns with a capital letter one word is enough,
/// unless the sentence begins with it.
fn is_name(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let capital = |at: usize| {
        sentence.tokens.get(at).is_some_and(|token| {
            token.capital
                && token.kind == TokenKind::Word
                && !lexicons.iter().any(|lexicon| {
                    lexicon.explains(&token.lower)
                        || sentence.capital_nouns && lexicon.is_remark(&token.lower)
                })
        })
    };
    let beside = || at.checked_sub(1).is_some_and(capital) || capital(at + 1);
    let letter = sentence.tokens.get(at).is_some_and(|token| token.lower.chars().nth(1).is_none());
    let alone = || !sentence.capital_nouns && (at > 0 || is_only_names(sentence, capital));
    capital(at)
        && (letter
            || beside()
            || alone()
            || is_entry(sentence, at)
            || is_identified(sentence, at)
            || is_party(sentence, at, lexicons))
}

/// Whether a word with a capital letter is whom something is from or for: "Rechnung INV-7 von Acme". Whatever it is, the
/// records have to hold it.
fn is_party(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let before = at.checked_sub(1).filter(|before| *before > 0);
    let from = before.and_then(|before| sentence.tokens.get(before));
    let german = lexicons.iter().any(|one| std::ptr::eq(*one, lexicon(Language::German)));
    let leads = |lexicon: &&Lexicon, word: &str| {
        lexicon.is_agent(word) || !german && lexicon.is_preposition(word) && !lexicon.is_deadline(word)
    };
    from.is_some_and(|token| lexicons.iter().any(|lexicon| leads(lexicon, &token.lower)))
}

/// Whether the number of a record in brackets follows a word: `Cobalt (INFRA-9)`.
fn is_identified(sentence: &Sentence, at: usize) -> bool {
    let bracket = sentence.tokens.get(at + 1).is_some_and(|token| &*token.lower == "(");
    bracket && sentence.in_id.get(at + 2) == Some(&true)
}

/// Whether a word is the first of several with a capital letter after a heading: `Vendor: Cobalt Systems`.
fn is_entry(sentence: &Sentence, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| sentence.tokens.get(before));
    let next = sentence.tokens.get(at + 1);
    before.is_some_and(|token| &*token.lower == ":") && next.is_some_and(|token| token.capital)
}

/// Whether a word with a capital letter that can mean something follows a name: `Fjord Supply`.
fn continues_name(sentence: &Sentence, at: usize, lexicons: &[&Lexicon]) -> bool {
    let is_capital = sentence.tokens.get(at).is_some_and(|token| token.capital);
    let before = at.checked_sub(1).filter(|before| *before > 0);
    let german = lexicons.iter().any(|one| std::ptr::eq(*one, lexicon(Language::German)));
    let may_follow = |before: usize| !german && !sentence.capital_nouns || is_entry(sentence, before);
    is_capital && before.is_some_and(|before| may_follow(before) && is_name(sentence, before, lexicons))
}

/// Whether a sentence consists of a name: the signature after "Thanks."
fn is_only_names(sentence: &Sentence, capital: impl Fn(usize) -> bool) -> bool {
    let is_word = |at: &usize| sentence.tokens.get(*at).is_some_and(|token| token.kind == TokenKind::Word);
    sentence.all().filter(is_word).all(capital)
}
