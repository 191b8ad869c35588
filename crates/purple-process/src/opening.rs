//! What the description of a tool opens with: the verb of its first sentence, and what that is about.
//!
//! A description proves nothing by itself. One that opens with a verb of which it is not known that it reads leaves no
//! tool a read.

use crate::nouns::{self, Kind};
use crate::verbs::ATTRIBUTES;
use crate::words::in_table;

mod side_effect;
pub(crate) mod tables;

use tables::{
    ADVERBS, DETERMINERS, ENDS_OBJECT, GIVERS, GIVES, HARMLESS, INFORMATION, JOINTS, LEADS, MARKETS,
    OBJECTS_FOLLOW, PARTIES, PERFORMS, PHRASAL, QUESTIONS, QUEUED, READS, SEARCHES, TAKERS, TAKES, USED_UP,
};

/// The longest description that is read, in bytes.
const DESCRIPTION_BYTES_MAX: usize = 16 * 1024;
/// How far from `perform` its object stands.
const OBJECT_WORDS_MAX: usize = 6;

/// The verb of the first sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Main {
    /// There is no description.
    Nothing,
    /// A verb that reads.
    Reads(&'static str),
    /// No verb: the name of a thing.
    Phrase,
    /// Another verb, or a word that may be one.
    Other(String),
}

/// The first sentence, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    pub(crate) main: Main,
    /// What is read, as far as the sentence says it.
    objects: Vec<String>,
    /// Another verb, of which it is not known that it reads.
    pub(crate) doubt: Option<String>,
    /// Whether it lists one thing, which may be to put it up.
    pub(crate) lists_one: bool,
    /// Whether it gets one thing for somebody, which may be to take or to make it: `Gets a seat for the employee`.
    pub(crate) gets_one: bool,
}

impl Opening {
    pub(crate) fn of(description: &str) -> Self {
        let end = description.floor_char_boundary(DESCRIPTION_BYTES_MAX);
        let text = description.get(..end).unwrap_or_default().to_lowercase();
        let sentences: Vec<Vec<&str>> = text
            .split(['.', '!', '?', ':', ';', '\n', '|', '—'])
            .map(words)
            .filter(|all| !all.is_empty())
            .collect();
        let says = |all: &Vec<&str>| all.len() > 1 && *all != ["start", "here"];
        let at = sentences.iter().position(says).unwrap_or(0);
        let Some(first) = sentences.get(at) else { return Self::nothing() };
        let sentence = without_lead(first);
        let (main, objects) = main_of(sentence);
        let third = sentence.first().is_some_and(|word| is_third(word));
        let later = sentences.iter().enumerate().filter(|(place, _)| *place != at);
        let used_up = USED_UP.iter().find(|words| text.contains(*words)).map(|words| (*words).to_owned());
        let doubt = second_verb(objects, third)
            .or(used_up)
            .or_else(|| side_effect::found(&text))
            .or_else(|| has_done(&main, objects))
            .or_else(|| later.clone().find_map(|(_, sentence)| statement(sentence)))
            .or_else(|| sentences.iter().find_map(|sentence| then_does(sentence)));
        let lists_one = main == Main::Reads("list") && (lists_one(objects) || offers(objects));
        let gets_one =
            matches!(main, Main::Reads(verb) if TAKES.contains(&verb)) && is_one_for_party(objects);
        let objects = named(objects);
        Self { main, objects, doubt, lists_one, gets_one }
    }

    /// The same, of a tool that takes a statement: to run that is to query, and what it does is judged at each call.
    #[must_use]
    pub(crate) fn of_statement(self) -> Self {
        match &self.main {
            Main::Other(verb) if in_table(&["run", "execute"], verb).is_some() => {
                Self { main: Main::Reads("query"), ..self }
            }
            Main::Other(_) | Main::Nothing | Main::Phrase | Main::Reads(_) => self,
        }
    }

    fn nothing() -> Self {
        Self { main: Main::Nothing, objects: Vec::new(), doubt: None, lists_one: false, gets_one: false }
    }

    /// Whether the sentence names this word among what it reads, in the singular or the plural.
    pub(crate) fn names(&self, word: &str) -> bool {
        // `the next job` is what is taken, and not what it is called.
        if word == "next" {
            return false;
        }
        let same = |one: &String| {
            let plural = |singular: &str, plural: &str| {
                plural.strip_prefix(singular).is_some_and(|ending| matches!(ending, "s" | "es"))
                    || singular.strip_suffix('y').is_some_and(|stem| plural.strip_prefix(stem) == Some("ies"))
            };
            one == word || plural(word, one) || plural(one, word)
        };
        matches!(self.main, Main::Reads(_)) && (self.objects.iter().any(same) || self.abbreviates(word))
    }

    /// Whether the sentence spells out what this word abbreviates: `mrr`, and `monthly recurring revenue`.
    fn abbreviates(&self, word: &str) -> bool {
        const LETTERS_MIN: usize = 3;
        let initials =
            |objects: &[String]| word.chars().zip(objects).all(|(letter, object)| object.starts_with(letter));
        word.len() >= LETTERS_MIN && self.objects.windows(word.chars().count()).any(initials)
    }

    /// Whether what is read comes out of a queue, so that it may be gone for others: `Gets a message from the queue`.
    pub(crate) fn takes_from_queue(&self) -> bool {
        let takes = matches!(&self.main, Main::Reads(verb) if TAKES.contains(verb));
        let preposition = |word: &String| ["from", "in", "of"].contains(&word.as_str());
        let end = self.objects.iter().position(preposition).unwrap_or(self.objects.len());
        let (what, place) = self.objects.split_at(end);
        let any = |words: &[String], table: &[&'static str]| {
            words.iter().any(|word| in_table(table, word).is_some())
        };
        takes && any(what, QUEUED) && any(place, &["queue"])
    }

    /// Whether what is read is found by this: `by code or name`.
    pub(crate) fn finds_by(&self, word: &str) -> bool {
        const WORDS_MAX: usize = 4;
        let by = self.objects.iter().position(|object| object == "by");
        let after = by.and_then(|by| self.objects.get(by + 1..)).unwrap_or_default();
        matches!(self.main, Main::Reads(_)) && after.iter().take(WORDS_MAX).any(|object| object == word)
    }

    /// Whether what is read opens doors.
    pub(crate) fn tells_secrets(&self) -> bool {
        let gives = matches!(&self.main, Main::Reads(verb) if GIVES.contains(verb));
        let end = self.objects.iter().position(|word| ENDS_OBJECT.contains(&word.as_str()));
        let phrase: Vec<&str> =
            self.objects.iter().take(end.unwrap_or(self.objects.len())).map(String::as_str).collect();
        gives && nouns::is_secret(&phrase)
    }
}

pub(crate) fn words(sentence: &str) -> Vec<&str> {
    sentence.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// The sentence from its first word that says something: after `This tool allows you to`, `Recursively`.
fn without_lead<'a>(sentence: &'a [&'a str]) -> &'a [&'a str] {
    let lead = |word: &str, next: Option<&&str>| {
        let adverb = word.len() > 4 && word.ends_with("ly") && nouns::kind(word) == Kind::Unknown;
        let of_tool = word == "the" && next.is_some_and(|next| LEADS.contains(next));
        LEADS.contains(&word) || adverb || of_tool || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut rest = sentence;
    if let [first, second, ..] = rest
        && *first == "use"
        && ["this", "to"].contains(second)
    {
        rest = rest.get(1..).unwrap_or_default();
    }
    while let [word, others @ ..] = rest {
        if !lead(word, others.first()) || others.is_empty() {
            break;
        }
        rest = others;
    }
    rest
}

/// The main verb, and what stands behind it.
fn main_of<'a>(sentence: &'a [&'a str]) -> (Main, &'a [&'a str]) {
    let Some((word, rest)) = sentence.split_first() else { return (Main::Nothing, &[]) };
    let next = rest.first().copied();
    if let Some(verb) = in_table(READS, word) {
        // `check in`, `look after`, `get rid of`.
        let phrasal = next.is_some_and(|next| PHRASAL.contains(&next))
            || (verb == "look" && !rest.contains(&"up") && !rest.contains(&"for"))
            || (verb == "return" && gives_back(rest));
        return if phrasal { (Main::Other((*word).to_owned()), rest) } else { (Main::Reads(verb), rest) };
    }
    let says = in_table(&["say"], word).is_some() && next.is_some_and(|next| QUESTIONS.contains(&next));
    if says || (in_table(GIVERS, word).is_some() && gives_information(rest)) {
        return (Main::Reads("return"), rest);
    }
    if QUESTIONS.contains(word) {
        return (Main::Reads("whether"), rest);
    }
    if in_table(PERFORMS, word).is_some() {
        let search = rest.iter().take(OBJECT_WORDS_MAX).any(|one| in_table(SEARCHES, one).is_some());
        return if search { (Main::Reads("search"), rest) } else { (Main::Other((*word).to_owned()), rest) };
    }
    let names = next.is_none_or(|next| {
        ENDS_OBJECT.contains(&next) || in_table(ATTRIBUTES, next).is_some() || JOINTS.contains(&next)
    });
    let phrase = DETERMINERS.contains(word)
        || match nouns::kind(word) {
            Kind::Thing => !next.is_some_and(|next| OBJECTS_FOLLOW.contains(&next)),
            Kind::Plural => names || !nouns::may_be_statement(word),
            Kind::Either => names && next.is_some(),
            Kind::Adjective | Kind::Participle => next.is_some(),
            Kind::Unknown => false,
        };
    if phrase { (Main::Phrase, sentence) } else { (Main::Other((*word).to_owned()), rest) }
}

/// `Returns the payment to the customer` gives something back.
fn gives_back(objects: &[&str]) -> bool {
    let party = |word: &&str| in_table(PARTIES, word).is_some();
    objects.windows(3).any(|words| match words {
        ["to", "the" | "a" | "an" | "its" | "their" | "this", to] | [_, "to", to] => party(to),
        _ => false,
    })
}

/// `a seat for the employee`, and not `a list for the employee`, nor `the seat of the employee`.
fn is_one_for_party(objects: &[&str]) -> bool {
    let Some((&("a" | "an"), rest)) = objects.split_first() else { return false };
    let Some(at) = rest.iter().position(|word| matches!(*word, "for" | "from" | "to")) else { return false };
    let (what, party) = rest.split_at(at);
    let informs = what.iter().any(|word| in_table(INFORMATION, word).is_some());
    let party = party.iter().skip(1).find(|word| !DETERMINERS.contains(word));
    let takes = |word: &&str| in_table(PARTIES, word).is_some() || in_table(TAKERS, word).is_some();
    !informs && party.is_some_and(takes)
}

/// `Gives an overview of it`, and not `Gives them access`.
fn gives_information(objects: &[&str]) -> bool {
    let end = objects.iter().position(|word| ENDS_OBJECT.contains(word)).unwrap_or(objects.len());
    let head = objects.get(..end).unwrap_or_default().last();
    let known = head.is_some_and(|head| in_table(INFORMATION, head).is_some());
    known && !objects.contains(&"to")
}

/// The words that a sentence names: not those that may be another verb.
fn named(objects: &[&str]) -> Vec<String> {
    let before = std::iter::once("").chain(objects.iter().copied());
    let named =
        objects.iter().zip(before).filter(|(_, before)| !["to", "then", "and", "or"].contains(before));
    named.map(|(word, _)| (*word).to_owned()).collect()
}

/// A verb behind a joint, of which it is not known that it reads.
fn second_verb(objects: &[&str], third: bool) -> Option<String> {
    objects.iter().enumerate().filter(|(_, word)| JOINTS.contains(*word)).find_map(|(at, _)| {
        let skipped = objects.iter().skip(at + 1).take_while(|word| ADVERBS.contains(*word)).count();
        let place = at + 1 + skipped;
        let word = *objects.get(place)?;
        let next = objects.get(place + 1).copied();
        // Directly behind the verb stands another one: `finds and fixes`.
        let verb = at == 0 || next.is_none_or(|next| OBJECTS_FOLLOW.contains(&next)) && next.is_some();
        (verb && !is_harmless(word, next, third)).then(|| word.to_owned())
    })
}

/// Whether a word in the place of a verb reads, or is none.
fn is_harmless(word: &str, next: Option<&str>, third: bool) -> bool {
    let reads = [READS, HARMLESS].iter().any(|table| in_table(table, word).is_some());
    let pronoun = next.is_some_and(|next| matches!(next, "it" | "them"));
    reads
        || [DETERMINERS, ENDS_OBJECT, QUESTIONS, OBJECTS_FOLLOW, ADVERBS]
            .iter()
            .any(|table| table.contains(&word))
        || match nouns::kind(word) {
            Kind::Thing | Kind::Adjective => !pronoun,
            // `and shut the account`.
            Kind::Participle => !next.is_some_and(|next| OBJECTS_FOLLOW.contains(&next)),
            Kind::Plural => !pronoun && (!third || !nouns::may_be_statement(word)),
            Kind::Either | Kind::Unknown => false,
        }
}

/// `Gets the invoice paid` has it paid.
fn has_done(main: &Main, objects: &[&str]) -> Option<String> {
    const WORDS_MAX: usize = 5;
    let [.., before, last] = objects else { return None };
    let done = nouns::kind(last) == Kind::Participle && nouns::kind(before).is_noun();
    (*main == Main::Reads("get") && objects.len() <= WORDS_MAX && done).then(|| (*last).to_owned())
}

/// A later sentence that says what the tool does: `Also forgets it.`
fn statement(sentence: &[&str]) -> Option<String> {
    let sentence = without_lead(sentence);
    let [word, next, ..] = sentence else { return None };
    // `Lines that were cancelled`.
    let relative = *next == "that" && nouns::kind(word).is_noun();
    let verb = is_third(word) && OBJECTS_FOLLOW.contains(next) && !relative;
    (verb && !is_harmless(word, Some(next), true)).then(|| (*word).to_owned())
}

/// Whether a verb would be in the third person: `forgets`, and not `pass`.
pub(crate) fn is_third(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss")
}

/// `… then forgets it`.
fn then_does(sentence: &[&str]) -> Option<String> {
    sentence.windows(2).find_map(|pair| match pair {
        ["then", word] if is_third(word) && !is_harmless(word, None, true) => Some((*word).to_owned()),
        _ => None,
    })
}

/// Whether something is put up for somebody to have: `Lists cars for sale`, `Lists it on the marketplace`.
fn offers(objects: &[&str]) -> bool {
    let sells =
        objects.windows(2).any(|words| matches!(words, ["for", "sale" | "auction" | "rent" | "lease"]));
    let market = |words: &[&str]| matches!(words, ["on", _, to] if MARKETS.contains(to));
    sells || objects.windows(3).any(market)
}

/// Whether `list` has one thing as its object: `Lists an item on the marketplace`.
fn lists_one(objects: &[&str]) -> bool {
    let end = objects.iter().position(|word| ENDS_OBJECT.contains(word)).unwrap_or(objects.len());
    let phrase = objects.get(..end).unwrap_or_default();
    let one = phrase.first().is_some_and(|first| matches!(*first, "a" | "an" | "one" | "the"));
    one && !phrase.iter().any(|word| word.ends_with('s') || ["stock", "inventory"].contains(word))
}

#[cfg(test)]
#[path = "opening_tests.rs"]
mod tests;
