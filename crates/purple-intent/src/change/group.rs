//! A number of one item: `2x Widget B`, `two more Hub Pro`, `Widget B x2`.

use std::cell::OnceCell;
use std::ops::Range;

use super::ChangeAction;
use super::item::ItemNames;
use crate::clause::Sentence;
use crate::language::{ChangeWord, Form, FoundVerb, Lexicon};
use crate::span::{Span, holding};
use crate::token::TokenKind;
use crate::value::{Meaning, Unit, Value};

/// A number of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) quantity: u32,
    pub(super) item: String,
    pub(super) span: Span,
    pub(super) tokens: Range<usize>,
    /// Whether nothing beside it makes the quantity inexact.
    pub(super) exact: bool,
    /// What its own words say: `more`, `fewer`, a sign.
    pub(super) said: Option<ChangeAction>,
    /// What a word before the number says where no verb says something else: `another`.
    pub(super) hint: Option<ChangeAction>,
}

/// The groups of a sentence in order.
pub(super) fn groups(
    text: &str,
    sentence: &Sentence,
    values: &[Value],
    lexicons: &[&Lexicon],
    names: &ItemNames<'_>,
) -> Vec<Group> {
    let finder = Finder { text, sentence, values, lexicons, names, scaled: OnceCell::new() };
    let mut groups: Vec<Group> = Vec::new();
    let mut at = 0;
    while at < sentence.tokens.len() {
        let found = finder.number_first(at).or_else(|| finder.item_first(at)).or_else(|| finder.by(at));
        let found = found.or_else(|| finder.item_signed(at)).or_else(|| finder.item_by(at));
        let found = found.or_else(|| finder.same_number(at, groups.last()?));
        at = found.as_ref().map_or(at + 1, |group| group.tokens.end);
        groups.extend(found);
    }
    groups
}

/// The most words that an item has.
const ITEM_WORDS_MAX: usize = 5;
const DOZEN: u32 = 12;
const SIGNS: [&str; 4] = ["+", "-", "−", "–"];

struct Finder<'a> {
    text: &'a str,
    sentence: &'a Sentence,
    values: &'a [Value],
    lexicons: &'a [&'a Lexicon],
    names: &'a ItemNames<'a>,
    /// What raising and lowering words agree on, looked for once.
    scaled: OnceCell<Option<ChangeAction>>,
}

/// A number of pieces, and the place after it.
struct Count {
    number: u32,
    end: usize,
}

impl Finder<'_> {
    /// `2x Widget B`, `two more of Widget B`, `one Widget A less`.
    fn number_first(&self, at: usize) -> Option<Group> {
        let count = self.count(at)?;
        let mut said = self.sign(at).or_else(|| self.compared(at)).or_else(|| self.counted(at));
        said = said.or_else(|| self.scaled(at));
        let mut begin = self.repeated(&count).unwrap_or(count.end);
        while self.says(ChangeWord::Measure, begin) || self.compared(begin).is_some() || self.is_times(begin)
        {
            said = said.or_else(|| self.compared(begin));
            begin += 1;
        }
        let (item, mut end) = self.item(begin)?;
        if let Some(after) = self.compared(end).or_else(|| self.moved(end)) {
            if said.is_some_and(|said| said != after) {
                return None;
            }
            said = Some(after);
            end += 1;
        }
        let further = at.checked_sub(1).filter(|before| self.says(ChangeWord::More, *before));
        let group = self.group(count.number, item, further.unwrap_or(at)..end, said)?;
        Some(Group { hint: further.map(|_| ChangeAction::Add), ..group })
    }

    /// The place after the same number again: `4 (four)`.
    fn repeated(&self, count: &Count) -> Option<usize> {
        let is =
            |at: usize, mark: &str| self.sentence.tokens.get(at).is_some_and(|token| &*token.lower == mark);
        let again = self.count(count.end + 1).filter(|_| is(count.end, "("))?;
        (again.number == count.number && is(again.end, ")")).then_some(again.end + 1)
    }

    /// What a verb says about the number after `by`: `trim the order by 6 Widget B`.
    fn scaled(&self, at: usize) -> Option<ChangeAction> {
        let before = at.checked_sub(1)?;
        let by = self.says(ChangeWord::By, before);
        by.then(|| *self.scaled.get_or_init(|| self.only_scale())).flatten()
    }

    /// What all words of the sentence that say that something is raised or lowered agree on.
    fn only_scale(&self) -> Option<ChangeAction> {
        let scales = |at: usize| self.either(at, ChangeWord::Raise, ChangeWord::Lower);
        let mut said = (0..self.sentence.tokens.len()).filter_map(scales);
        let action = said.next()?;
        said.all(|other| other == action).then_some(action)
    }

    /// `Widget A +10`, `Widget A, minus 3`.
    fn item_signed(&self, at: usize) -> Option<Group> {
        let (item, end) = self.item(at)?;
        let is_pause = |at: &usize| {
            self.sentence.tokens.get(*at).is_some_and(|token| matches!(&*token.lower, "," | ":"))
        };
        let next = Some(end).filter(is_pause).map_or(end, |pause| pause + 1);
        let signed = || {
            let action = self.sign(next)?;
            Some((action, self.count(next).or_else(|| self.count(next + 1))?))
        };
        let worded = || Some((self.counted(next + 1)?, self.count(next + 1)?));
        let (action, count) = signed().or_else(worded)?;
        if self.item(count.end).is_some() {
            return None;
        }
        self.group(count.number, item, at..count.end, Some(action))
    }

    /// `Widget B um 6 verringern`.
    fn item_by(&self, at: usize) -> Option<Group> {
        /// Tokens between the number and the verb.
        const NEAR: usize = 3;
        let (item, end) = self.item(at)?;
        let is_by = |at: &usize| self.says(ChangeWord::By, *at);
        let light = |at: usize| self.is_light(at) || self.is_polite(at);
        let by = (end..self.sentence.tokens.len()).find(|at| is_by(at) || !light(*at));
        let count = self.count(by.filter(is_by)? + 1)?;
        let scales = |at: usize| self.either(at, ChangeWord::Raise, ChangeWord::Lower);
        let action = (count.end..count.end + NEAR).find_map(scales)?;
        if self.item(count.end).is_some() {
            return None;
        }
        self.group(count.number, item, at..count.end, Some(action))
    }

    /// `Widget B x2`.
    fn item_first(&self, at: usize) -> Option<Group> {
        let (item, end) = self.item(at)?;
        let token = self.sentence.tokens.get(end)?;
        let glued = token.lower.strip_prefix(['x', '×']).and_then(|digits| digits.parse().ok());
        let (number, end) = match glued {
            Some(number) => (number, end + 1),
            None if self.is_times(end) => {
                let count = self.count(end + 1).or_else(|| self.count(end))?;
                (count.number, count.end)
            }
            None => return None,
        };
        // `Widget B x 2 Widget C` could count either.
        if self.item(end).is_some() {
            return None;
        }
        self.group(number, item, at..end, None)
    }

    /// The replacement in `replace two Widget A with Widget B`: as many as are replaced.
    fn same_number(&self, at: usize, replaced: &Group) -> Option<Group> {
        let before = at.checked_sub(1).filter(|before| self.says(ChangeWord::Swap, *before))?;
        let mut verbs = self.sentence.verbs_in(&(0..replaced.tokens.start)).iter().rev();
        let replaces = verbs.next().is_some_and(|verb| verb.forms.iter().any(|form| form.lemma == "replace"));
        let plain = (replaced.tokens.end..before).all(|at| self.is_light(at));
        let (item, end) = self.item(at).filter(|_| replaces && plain)?;
        self.group(replaced.quantity, item, at..end, None)
    }

    /// `increase the quantity of Widget A by two`.
    fn by(&self, at: usize) -> Option<Group> {
        let action = self.either(at, ChangeWord::Raise, ChangeWord::Lower)?;
        let begin = (at + 1..self.sentence.tokens.len()).find(|at| !self.is_light(*at))?;
        let (item, end) = self.item(begin)?;
        let is_by = |at: &usize| self.says(ChangeWord::By, *at);
        let by = (end..self.sentence.tokens.len()).find(|at| is_by(at) || !self.is_light(*at));
        let count = self.count(by.filter(is_by)? + 1)?;
        if self.item(count.end).is_some() {
            return None;
        }
        let group = self.group(count.number, item, at..count.end, Some(action))?;
        // "To increase": what is before the verb says nothing about the number.
        Some(Group { exact: !self.says(ChangeWord::Repeats, count.end), ..group })
    }

    fn group(
        &self,
        quantity: u32,
        item: String,
        tokens: Range<usize>,
        said: Option<ChangeAction>,
    ) -> Option<Group> {
        let span = self.sentence.span(&tokens)?;
        let article = |at: &usize| {
            let token = self.sentence.tokens.get(*at);
            token.is_some_and(|token| self.lexicons.iter().any(|one| one.is_determiner(&token.lower)))
        };
        let before = tokens.start.checked_sub(1);
        // `2 of the 5 Lamp`.
        let further = before.filter(article).and_then(|before| before.checked_sub(1));
        // `Widget A par 2 Widget B`: the letter is part of a name.
        let further = further.filter(|further| !self.is_capital(*further));
        let inexact = before.into_iter().chain(further).any(|at| self.says(ChangeWord::Inexact, at));
        let exact = !inexact && !self.says(ChangeWord::Repeats, tokens.end);
        (quantity > 0).then_some(Group { quantity, item, span, tokens, exact, said, hint: None })
    }

    /// A number of pieces at this place.
    fn count(&self, at: usize) -> Option<Count> {
        let token = self.sentence.tokens.get(at)?;
        let counted = match holding(self.values, token.span, |value| value.span) {
            Some(value) if self.begins(value, at) => Count { number: number(value)?, end: self.after(value) },
            None if self.says(ChangeWord::One, at) => Count { number: 1, end: at + 1 },
            Some(_) | None => return None,
        };
        match self.says(ChangeWord::Dozen, counted.end) {
            true => Some(Count { number: counted.number.checked_mul(DOZEN)?, end: counted.end + 1 }),
            false => Some(counted),
        }
    }

    /// Whether this token is the first of a value, besides a sign.
    fn begins(&self, value: &Value, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.sentence.tokens.get(before));
        before.is_none_or(|before| before.kind == TokenKind::Mark || before.span.end <= value.span.start)
    }

    /// The token after a value.
    fn after(&self, value: &Value) -> usize {
        self.sentence.tokens.partition_point(|token| token.span.end <= value.span.end)
    }

    /// The sign directly before a number, inside or outside of its value: `+10`, `-10`.
    fn sign(&self, at: usize) -> Option<ChangeAction> {
        let is_sign =
            |at: &usize| self.sentence.tokens.get(*at).is_some_and(|token| SIGNS.contains(&&*token.lower));
        let at = if is_sign(&at) { at } else { at.checked_sub(1).filter(is_sign)? };
        let (sign, number) = (self.sentence.tokens.get(at)?, self.sentence.tokens.get(at + 1)?);
        let before = self.text.get(..sign.span.start).and_then(|text| text.chars().next_back());
        let free = before.is_none_or(|letter| letter.is_whitespace() || matches!(letter, '(' | ':' | ','));
        let action = if sign.lower == "+" { ChangeAction::Add } else { ChangeAction::Remove };
        (free && sign.span.end == number.span.start).then_some(action)
    }

    fn compared(&self, at: usize) -> Option<ChangeAction> {
        self.either(at, ChangeWord::More, ChangeWord::Less)
    }

    /// What a word says that is either of the one kind or of the other.
    fn either(&self, at: usize, adds: ChangeWord, removes: ChangeWord) -> Option<ChangeAction> {
        match (self.says(adds, at), self.says(removes, at)) {
            (true, false) => Some(ChangeAction::Add),
            (false, true) => Some(ChangeAction::Remove),
            (true, true) | (false, false) => None,
        }
    }

    /// `plus two`, `minus two`.
    fn counted(&self, at: usize) -> Option<ChangeAction> {
        let before = at.checked_sub(1)?;
        self.either(before, ChangeWord::Plus, ChangeWord::Minus)
    }

    /// `two Hub out, two Lamp in`: the word ends its part of the sentence.
    fn moved(&self, at: usize) -> Option<ChangeAction> {
        let next = self.sentence.tokens.get(at + 1);
        let ends = next
            .is_none_or(|next| matches!(next.lower.as_str(), "," | ";" | "." | "!" | ")" | "and" | "und"));
        self.either(at, ChangeWord::Inward, ChangeWord::Outward).filter(|_| ends)
    }

    /// The item that begins here, and the place after it: one whose name is known, or words with a capital letter.
    fn item(&self, begin: usize) -> Option<(String, usize)> {
        let known = self.names.at(&self.sentence.tokens, begin);
        // `Hub Pro` is not the known `Hub`: a word with a capital letter that follows may be part of the name.
        let known = known.filter(|(_, end)| !self.is_capital(*end) || self.is_polite(*end));
        if let Some((name, end)) = known {
            return Some((name.to_owned(), end));
        }
        let end = self.written(begin)?;
        Some((self.words(begin..end)?, end))
    }

    /// The place after the words with a capital letter that begin here, and a measure such as `5 m`. They are not read
    /// where a word with a capital letter follows that may or may not be part of them.
    fn written(&self, begin: usize) -> Option<usize> {
        if !self.is_capital(begin) || self.is_known(begin) {
            return None;
        }
        let more = (begin + 1..).take(ITEM_WORDS_MAX);
        let more = more.take_while(|at| self.is_capital(*at) && !self.is_polite(*at)).count();
        let end = begin + 1 + more;
        (more < ITEM_WORDS_MAX && !self.is_capital(end)).then(|| self.measure(end).unwrap_or(end))
    }

    fn is_polite(&self, at: usize) -> bool {
        let token = self.sentence.tokens.get(at);
        token.is_some_and(|token| self.lexicons.iter().any(|one| one.is_courtesy(&token.lower)))
    }

    /// Whether a token is a word with a capital letter and no value.
    fn is_capital(&self, at: usize) -> bool {
        let Some(token) = self.sentence.tokens.get(at) else { return false };
        token.kind == TokenKind::Word
            && token.capital
            && self.sentence.in_value.get(at) == Some(&false)
            && !token.lower.contains(|letter: char| letter.is_ascii_digit())
    }

    /// Whether a token is a word with another meaning, which does not begin the name of an item.
    fn is_known(&self, at: usize) -> bool {
        const NO_ITEM: [ChangeWord; 3] = [ChangeWord::Measure, ChangeWord::Dozen, ChangeWord::Quantity];
        let Some(token) = self.sentence.tokens.get(at) else { return false };
        let light =
            |lexicon: &&Lexicon| lexicon.is_function_word(&token.lower) || lexicon.is_courtesy(&token.lower);
        let in_verb = self.sentence.verbs_of(at).any(|verb| !can_be_noun(verb));
        in_verb || self.lexicons.iter().any(light) || NO_ITEM.into_iter().any(|kind| self.says(kind, at))
    }

    /// The place after a measure that is part of the name of an item: `5 m`.
    fn measure(&self, at: usize) -> Option<usize> {
        let token = self.sentence.tokens.get(at)?;
        let first = self.values.partition_point(|value| value.span.start < token.span.start);
        let value = self.values.get(first).filter(|value| value.span.start == token.span.start)?;
        is_measure(value).then(|| self.after(value))
    }

    fn words(&self, range: Range<usize>) -> Option<String> {
        let span = self.sentence.span(&range)?;
        Some(span.of(self.text).split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn is_times(&self, at: usize) -> bool {
        self.sentence.tokens.get(at).is_some_and(|token| matches!(token.lower.as_str(), "x" | "×" | "*"))
    }

    /// Whether a token carries nothing between a verb and its item, or between an item and its difference.
    fn is_light(&self, at: usize) -> bool {
        let Some(token) = self.sentence.tokens.get(at) else { return false };
        let is_noun = self.sentence.verbs_of(at).any(can_be_noun);
        self.lexicons.iter().any(|lexicon| lexicon.is_function_word(&token.lower))
            || self.says(ChangeWord::Quantity, at)
            || self.says(ChangeWord::Raise, at)
            || self.sentence.in_value.get(at) == Some(&true)
            || (is_noun && !token.capital)
    }

    fn says(&self, kind: ChangeWord, at: usize) -> bool {
        let token = self.sentence.tokens.get(at);
        token.is_some_and(|token| self.lexicons.iter().any(|lexicon| lexicon.says(kind, &token.lower)))
    }
}

fn can_be_noun(verb: &FoundVerb) -> bool {
    verb.forms.iter().any(|form| form.form == Form::Noun)
}

/// A whole number of pieces.
fn number(value: &Value) -> Option<u32> {
    match value.only()? {
        Meaning::Number(number) | Meaning::Quantity { number, unit: Unit::Piece } => {
            number.to_string().trim_start_matches(['+', '-']).parse().ok()
        }
        Meaning::Id(_)
        | Meaning::Amount(_)
        | Meaning::Percent(_)
        | Meaning::Quantity { .. }
        | Meaning::Day(_)
        | Meaning::Month(_) => None,
    }
}

/// Whether a value is a length, a weight or a volume.
fn is_measure(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| match meaning {
        Meaning::Quantity { unit, .. } => match unit {
            Unit::Gram
            | Unit::Kilogram
            | Unit::Millimetre
            | Unit::Centimetre
            | Unit::Metre
            | Unit::Kilometre
            | Unit::Litre => true,
            Unit::Second
            | Unit::Minute
            | Unit::Hour
            | Unit::Day
            | Unit::WorkingDay
            | Unit::Week
            | Unit::Month
            | Unit::Year
            | Unit::Piece => false,
        },
        Meaning::Id(_)
        | Meaning::Amount(_)
        | Meaning::Percent(_)
        | Meaning::Number(_)
        | Meaning::Day(_)
        | Meaning::Month(_) => false,
    })
}
