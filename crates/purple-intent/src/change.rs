//! Changes of the items of an order: how many of which item are added or removed.
//!
//! Only what is said exactly is read. A number of items without a word that says whether they are added or removed is
//! returned as unclear.

mod group;
mod item;

use std::collections::HashSet;
use std::ops::Range;

use crate::act::{Mood, Reading};
use crate::clause::Sentence;
use crate::language::{ChangeWord, Cue, Form, FoundVerb, Lexicon};
use crate::read::prepare;
use crate::span::{Span, holding};
use crate::token::TokenKind;
use crate::value::Notation;
use group::{Group, groups};
use item::ItemNames;

/// One item that is added or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemChange {
    /// Whether it is added or removed.
    pub action: ChangeAction,
    /// How many, at least one.
    pub quantity: u32,
    /// The item as it is written.
    pub item: String,
    /// Where it is written.
    pub span: Span,
}

/// What happens to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeAction {
    /// There will be more of it.
    Add,
    /// There will be fewer of it.
    Remove,
}

impl ChangeAction {
    /// Its word: `add` or `remove`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
        }
    }
}

/// The changes of items in the requester's own words, in the order of the text. `items` are the names of the items that
/// exist, as far as they are known: one of them is recognised in lower case and in the plural.
///
/// # Errors
///
/// The place of the first items of which the words do not say exactly which they are, or whether they are added or
/// removed.
pub fn item_changes(text: &str, notation: &Notation, items: &[&str]) -> Result<Vec<ItemChange>, Span> {
    let prepared = prepare(text, notation);
    let names = ItemNames::new(items);
    let mut changes: Vec<ItemChange> = Vec::new();
    let mut changed: HashSet<String> = HashSet::new();
    let mut wanted: HashSet<Span> = HashSet::new();
    for sentence in &prepared.sentences {
        let groups = groups(text, sentence, &prepared.values, &prepared.lexicons, &names);
        let clause = Clause { sentence, groups: &groups, lexicons: &prepared.lexicons };
        for (at, (group, listed)) in groups.iter().zip(clause.listed()).enumerate() {
            let before = changes.last().filter(|_| clause.is_corrected(at)).map(|last| last.action);
            let action = before.or_else(|| clause.action(at, listed)).ok_or(group.span)?;
            let Group { quantity, item, span, exact, .. } = group.clone();
            let unclear = !names.has(&item) && is_plural(quantity, &item);
            if !exact || unclear {
                return Err(span);
            }
            match changes.last_mut().filter(|last| last.item == item && clause.is_corrected(at)) {
                Some(last) => {
                    (last.quantity, last.span) = (quantity, Span::new(last.span.start, span.end));
                }
                None if !changed.insert(item.clone()) => return Err(span),
                None => changes.push(ItemChange { action, quantity, item, span }),
            }
            wanted.extend(clause.wants().then_some(span));
        }
    }
    let reading = prepared.into_reading();
    let orders = reading.acts.iter().any(|act| act.mood == Mood::Order);
    // What somebody is said to want is part of an order: "They need two more Hub. Please change it."
    let is_stated = |span: Span| !wanted.contains(&span) && is_stated(&reading, span);
    match changes.iter().find(|change| orders && is_stated(change.span)) {
        Some(change) => Err(change.span),
        None => Ok(changes),
    }
}

/// Whether the name of an item may be a plural, so that it is not said which item is meant: `2 Widgets`.
fn is_plural(quantity: u32, item: &str) -> bool {
    quantity > 1 && item.ends_with('s') && !item.ends_with("ss")
}

/// Whether a place is in no act that orders something, beside one that does: "They added 5 Widget B. Remove 3 Widget A."
fn is_stated(reading: &Reading, span: Span) -> bool {
    // A correction may reach into the next act.
    let act = holding(&reading.acts, Span::new(span.start, span.start), |act| act.span);
    act.is_none_or(|act| !act.orders())
}

/// A sentence with the items that it names.
struct Clause<'a> {
    sentence: &'a Sentence,
    groups: &'a [Group],
    lexicons: &'a [&'a Lexicon],
}

/// What a verb does to the items that it governs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Governs {
    Does(ChangeAction),
    Replaces,
    /// Another verb.
    Other,
}

impl Clause<'_> {
    /// What happens to the items of a group; `None` where that is not said exactly. `listed` is the verb of its list.
    fn action(&self, at: usize, listed: Option<Governs>) -> Option<ChangeAction> {
        let group = self.groups.get(at)?;
        match (group.said, self.governing(at, listed)) {
            (Some(said), None | Some(Governs::Other | Governs::Replaces)) => Some(said),
            (Some(said), Some(Governs::Does(action))) => (said == action).then_some(said),
            (None, Some(Governs::Does(action))) => Some(action),
            (None, Some(Governs::Replaces)) => self.replaced(at),
            (None, None) => group.hint,
            (None, Some(Governs::Other)) => group.hint.filter(|_| self.only_changes()),
        }
    }

    /// Whether no verb of the sentence says more than that something is changed or wanted.
    fn only_changes(&self) -> bool {
        const NEUTRAL: [&str; 10] = [
            "change", "modify", "update", "book", "process", "make", "initiate", "arrange", "order", "claim",
        ];
        let is_plain = |verb: &FoundVerb| {
            self.is_noun(verb) || verb.forms.iter().any(|form| NEUTRAL.contains(&form.lemma.as_str()))
        };
        self.sentence.verbs.iter().all(is_plain)
    }

    /// The first of two groups around `with` or `for` goes, the second comes.
    fn replaced(&self, at: usize) -> Option<ChangeAction> {
        let is_swap = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| self.groups.get(before));
            let (Some(before), Some(group)) = (before, self.groups.get(at)) else { return false };
            let between = before.tokens.end..group.tokens.start;
            let last = between.clone().next_back().filter(|_| self.is_plain(&between));
            last.is_some_and(|last| self.says(ChangeWord::Swap, last))
        };
        match (is_swap(at), is_swap(at + 1)) {
            (true, false) => Some(ChangeAction::Add),
            (false, true) => Some(ChangeAction::Remove),
            (true, true) | (false, false) => None,
        }
    }

    /// The verb that governs a group: the one next to it, or that of the groups that it is listed with.
    fn governing(&self, at: usize, listed: Option<Governs>) -> Option<Governs> {
        let before = self.before(at);
        let after = self.after(at);
        match (before, after) {
            (Some(Governs::Other), Some(one)) | (Some(one), Some(Governs::Other)) => Some(one),
            (Some(one), Some(other)) if one != other => Some(Governs::Other),
            (Some(one), _) | (None, Some(one)) => Some(one),
            (None, None) => listed,
        }
    }

    /// The verb before a group with no separator between them.
    fn before(&self, at: usize) -> Option<Governs> {
        let group = self.groups.get(at)?;
        let begin = self.group_before(at).map_or(0, |before| before.tokens.end);
        let verb = (begin..group.tokens.start).rev().find_map(|token| Some((token, self.verb_at(token)?)));
        let (token, verb) = verb?;
        let between = token + 1..group.tokens.start;
        (!self.separates(&between) || self.is_pair(at)).then_some(verb)
    }

    /// The verb after a group with no separator between them.
    fn after(&self, at: usize) -> Option<Governs> {
        let group = self.groups.get(at)?;
        let end = self.groups.get(at + 1).map_or(self.sentence.tokens.len(), |next| next.tokens.start);
        let verb = (group.tokens.end..end).find_map(|token| Some((token, self.verb_at(token)?)));
        let (token, verb) = verb?;
        (!self.separates(&(group.tokens.end..token))).then_some(verb)
    }

    /// Whether a group is the second of a pair.
    fn is_pair(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.replaced(before) == Some(ChangeAction::Remove))
    }

    /// The verb of the groups that each group is listed with: `add 2 Widget A and 3 Widget B`, or
    /// `2 Widget A und 3 Widget B entfernen`.
    fn listed(&self) -> Vec<Option<Governs>> {
        let mut listed: Vec<Option<Governs>> = Vec::with_capacity(self.groups.len());
        let mut verb = None;
        for at in 0..self.groups.len() {
            let before = at.checked_sub(1).filter(|_| self.continues_list(at));
            verb = before.and_then(|before| self.before(before).or(verb));
            listed.push(verb);
        }
        verb = None;
        for (at, place) in listed.iter_mut().enumerate().rev() {
            let next = Some(at + 1).filter(|next| self.continues_list(*next));
            verb = next.and_then(|next| self.after(next).or(verb));
            *place = place.or(verb);
        }
        listed
    }

    /// Whether a group is in one list with the group before it.
    fn continues_list(&self, at: usize) -> bool {
        let both = self.groups.get(at).zip(self.group_before(at));
        both.is_some_and(|(group, before)| self.is_plain(&(before.tokens.end..group.tokens.start)))
    }

    /// Whether a group corrects the one before it: "add 3 Hub to ORD-7, no, make that 2 Hub".
    fn is_corrected(&self, at: usize) -> bool {
        let Some((group, before)) = self.groups.get(at).zip(self.group_before(at)) else { return false };
        let corrects = |at: usize| self.sentence.phrases_of(at).any(|phrase| phrase.cue == Cue::Correction);
        let is_mark =
            |at: usize| self.sentence.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark);
        let between = before.tokens.end..group.tokens.start;
        let said = between.clone().filter(|at| !corrects(*at) && !is_mark(*at));
        between.clone().any(corrects)
            && said.into_iter().all(|at| self.is_plain(&(at..at + 1)) && !self.is_separator(at))
    }

    fn group_before(&self, at: usize) -> Option<&Group> {
        at.checked_sub(1).and_then(|before| self.groups.get(before))
    }

    /// What the verb at this token does; `None` where there is no verb.
    fn verb_at(&self, token: usize) -> Option<Governs> {
        let verb = self.sentence.verbs_of(token).next()?;
        let has = |lemmas: &[&str]| verb.forms.iter().any(|form| lemmas.contains(&form.lemma.as_str()));
        if self.is_noun(verb) {
            return None;
        }
        let reverse = verb.words.iter().any(|word| self.says(ChangeWord::Reverse, *word));
        Some(match (has(&["add"]), has(&["remove", "delete"]), has(&["replace"])) {
            (true, false, false) => Governs::Does(ChangeAction::Add),
            (false, true, false) => Governs::Does(ChangeAction::Remove),
            (false, false, true) if !reverse => Governs::Replaces,
            _ => Governs::Other,
        })
    }

    /// Whether a word that can be a verb is a noun here: `the order`, `la commande`, `order ORD-7`.
    fn is_noun(&self, verb: &FoundVerb) -> bool {
        let (Some(first), Some(last)) = (verb.words.first(), verb.words.last()) else { return false };
        let has = |form: Form| verb.forms.iter().any(|one| one.form == form);
        let before = first.checked_sub(1).and_then(|at| self.sentence.tokens.get(at));
        let follows = |is: fn(&Lexicon, &str) -> bool| {
            before.is_some_and(|token| self.lexicons.iter().any(|lexicon| is(lexicon, &token.lower)))
        };
        let counts = self.groups.binary_search_by_key(&(last + 1), |group| group.tokens.start).is_ok();
        let before_id = self.sentence.in_value.get(last + 1) == Some(&true) && !counts;
        let only_finite = !has(Form::Gerund) && !has(Form::Infinitive);
        (has(Form::Noun) && (before_id || follows(Lexicon::is_function_word)))
            || (only_finite && follows(Lexicon::is_determiner))
    }

    /// Whether a comma or a conjunction is in this range.
    fn separates(&self, range: &Range<usize>) -> bool {
        range.clone().any(|at| self.is_separator(at))
    }

    fn is_separator(&self, at: usize) -> bool {
        let mark =
            self.sentence.tokens.get(at).is_some_and(|token| matches!(token.lower.as_str(), "," | ";"));
        mark || self.sentence.contrast.get(at) == Some(&true)
            || self.sentence.phrases_of(at).any(|phrase| phrase.cue == Cue::Sequence)
    }

    /// Whether this range holds nothing but separators, function words, ids and marks.
    fn is_plain(&self, range: &Range<usize>) -> bool {
        range.clone().all(|at| {
            let Some(token) = self.sentence.tokens.get(at) else { return false };
            let light = |lexicon: &&Lexicon| lexicon.is_function_word(&token.lower);
            token.kind == TokenKind::Mark
                || self.is_separator(at)
                || self.sentence.in_value.get(at) == Some(&true)
                || self.lexicons.iter().any(light)
        })
    }

    /// Whether the sentence says that somebody wants something, and neither negates nor reports anything else.
    fn wants(&self) -> bool {
        let all = self.sentence.all();
        let past = |verb: &FoundVerb| verb.forms.iter().all(|form| form.form == Form::Past);
        all.clone().any(|at| self.says(ChangeWord::Wants, at))
            && !self.sentence.has(Cue::Negation, &all)
            && !self.sentence.verbs_in(&all).iter().any(past)
    }

    fn says(&self, kind: ChangeWord, at: usize) -> bool {
        self.sentence
            .tokens
            .get(at)
            .is_some_and(|token| self.lexicons.iter().any(|lexicon| lexicon.says(kind, &token.lower)))
    }
}
