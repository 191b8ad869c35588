//! Whether a parameter can only say what is read: an identifier, a filter, a search text, a page, a form.
//!
//! The words that may do so are listed. A parameter of which nothing is known may be an order.

use crate::nouns::{self, Kind};
use crate::verbs::{DOUBTS, SEARCH, SECOND_VERBS, UNPROVEN, VERB_PREFIXES};
use crate::words::{in_table, is_write_word, only_changes, split};

mod tables;

use tables::{
    CHOSEN, ENDS, FILTERS, FLAGS, FORMS, FREE, IDENTIFIERS, MODES, NAMED, NO_ORDERS, NUMBERS, OF_OUTPUT,
    ORDERS, PAGED, PLACES, SEARCHED, SHOWS, SWITCHES, TERMS, THINGS, VALUE_ORDERS, VALUES,
};

/// What a parameter takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes<'a> {
    Flag,
    Number,
    Text,
    /// One of these texts.
    Choice(&'a [&'a str]),
}

/// What is known around a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    /// The tool searches, or the parameter says so.
    pub(crate) searches: bool,
    /// The range or the way that it may end begins in a parameter beside it.
    pub(crate) begins: bool,
    /// The tool says which of many it means.
    pub(crate) lists: bool,
    /// The tool reads one of what the parameter is called.
    pub(crate) named: bool,
}

/// Whether a parameter of this name only selects.
pub(crate) fn selects(words: &[&str], takes: Takes<'_>, around: Around) -> bool {
    match takes {
        Takes::Flag => flag(words),
        Takes::Number => number(words),
        Takes::Text => text(words, around),
        Takes::Choice(values) => choice(words, values, around),
    }
}

/// Whether the name of a record among the parameters orders something: `fields_to_set`, `update`.
pub(crate) fn orders(words: &[&str]) -> bool {
    words.iter().any(|word| is_order(word))
}

/// What a parameter is called in which a range or a way begins that one of this name ends: `from` of `to`, `origin` of
/// `destination`, `object_type` of `to_object_type`.
pub(crate) fn beginnings(words: &[&str]) -> Vec<Vec<String>> {
    let begin = |word: &str| ENDS.iter().find(|(end, _)| *end == word).map(|(_, begin)| *begin);
    if !words.iter().any(|word| begin(word).is_some()) {
        return Vec::new();
    }
    let named = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let begins: Vec<&str> = words.iter().map(|word| begin(word).unwrap_or(word)).collect();
    match words {
        ["to", rest @ ..] if !rest.is_empty() => vec![named(&begins), named(rest)],
        _ => vec![named(&begins)],
    }
}

/// A word that says what is to happen, or to what state.
fn is_order(word: &str) -> bool {
    is_verb(word) || ORDERS.contains(&word)
}

/// A verb that changes something and is not what is asked for among parameters.
fn is_verb(word: &str) -> bool {
    changes(word) && !NO_ORDERS.contains(&word)
}

/// A verb that changes something, whether or not it is a noun as well.
fn changes(word: &str) -> bool {
    is_write_word(word)
        || [DOUBTS, SECOND_VERBS].iter().any(|table| table.contains(&word))
        || VERB_PREFIXES.iter().any(|prefix| word.strip_prefix(prefix).is_some_and(is_write_word))
}

fn flag(words: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let orders = |word: &str| changes(word) || ORDERS.contains(&word);
    let plain = |words: &[&str]| !words.iter().any(|word| orders(word) || in_table(UNPROVEN, word).is_some());
    if rest.is_empty() {
        return FLAGS.contains(first);
    }
    let known = |word: &&str| nouns::kind(word) != Kind::Unknown && !orders(word);
    // `include_closed` shows what is closed.
    let shown = |word: &&str| known(word) || nouns::kind(word) == Kind::Participle || !orders(word);
    if SHOWS.contains(first) {
        return rest.iter().all(&shown);
    }
    if words == ["exact", "match"] {
        return true;
    }
    if *first == "auto" && rest.first().is_some_and(|second| SHOWS.contains(second)) {
        return rest.iter().all(shown);
    }
    let last = rest.last().copied().unwrap_or_default();
    // `convert_to_markdown` is about the form of the answer.
    if let ["convert" | "as", "to", form] | ["as", form] = words {
        return FORMS.contains(form);
    }
    let all_known = |words: &[&str]| words.iter().all(&known);
    match last {
        "only" => all_known(words.get(..words.len() - 1).unwrap_or_default()),
        _ => FLAGS.contains(first) && plain(rest) && all_known(rest),
    }
}

fn number(words: &[&str]) -> bool {
    let last = words.last().copied().unwrap_or_default();
    let bound = words.iter().any(|word| ["max", "min", "maximum", "minimum"].contains(word));
    if words.iter().any(|word| is_order(word) || (TERMS.contains(word) && !bound)) {
        return false;
    }
    let count = words.len() == 1 || words.iter().any(|word| PAGED.contains(word));
    let excludes = words.len() > 1 && words.first().is_some_and(|first| SHOWS.contains(first));
    bound
        || excludes
        || in_table(NUMBERS, last).is_some()
        || (in_table(PAGED, last).is_some() && count)
        || names_one(words)
}

fn text(words: &[&str], around: Around) -> bool {
    let Some((last, before)) = words.split_last() else { return false };
    // `next_token`: where a page begins.
    let place =
        before.first().is_none_or(|first| PLACES.contains(first)) && ["cursor", "page"].contains(last);
    let token = before.first().is_some_and(|first| PLACES.contains(first)) && *last == "token";
    if place || token {
        return true;
    }
    let bound = ["max", "min", "maximum", "minimum"].iter().any(|bound| words.contains(bound));
    let ends = around.begins && words.len() <= 3;
    if around.lists && matches!(words, ["to" | "about"]) {
        return true;
    }
    let named = matches!(words, [.., "method" | "function" | "procedure" | "tool" | "plugin", "name"]);
    let outward = before.contains(&"output") && !OF_OUTPUT.contains(last);
    // `charge_id` names a charge, and `start_date` says when something starts.
    let names = names_one(words) || ["date", "time"].contains(last);
    let orders = |word: &str| {
        if names {
            only_changes(word) || (ORDERS.contains(&word) && !THINGS.contains(&word))
        } else {
            is_order(word)
        }
    };
    if !ends && words.iter().any(|word| orders(word)) || named || outward {
        return false;
    }
    if !ends && in_table(FREE, last).is_some() {
        if around.named && words.len() == 1 && in_table(NAMED, last).is_some() {
            return true;
        }
        let searches = around.searches || before.iter().any(|word| SEARCH.contains(word));
        return searches && in_table(SEARCHED, last).is_some();
    }
    ends || (bound && nouns::kind(last) != Kind::Unknown)
        || [FILTERS, NUMBERS, PAGED].iter().any(|table| in_table(table, last).is_some())
        || names_one(words)
        || nouns::kind(last).is_noun()
        || (nouns::kind(last) == Kind::Participle && before.is_empty())
}

fn choice(words: &[&str], values: &[&str], around: Around) -> bool {
    let Some(last) = words.last().copied() else { return false };
    let split: Vec<Vec<String>> = values.iter().map(|value| self::split(value)).collect();
    let sorts = words.iter().any(|word| ["sort", "order", "direction", "by"].contains(word));
    let orders = |value: &Vec<String>| {
        let order = |first: &String| is_verb(first) || VALUE_ORDERS.contains(&first.as_str());
        value.first().is_some_and(|first| nouns::kind(first) != Kind::Participle && order(first))
    };
    if !sorts && split.iter().any(orders) {
        return false;
    }
    let switch = values.len() > 1 && values.iter().all(|value| SWITCHES.contains(value));
    if switch {
        return flag(words) || words.len() == 1 && FLAGS.contains(&last);
    }
    if in_table(MODES, last).is_some() {
        // What a mode is must be known of every value.
        return split.iter().all(|value| value.iter().all(|word| plain_value(word)));
    }
    // One value is no choice.
    let ordered = words.iter().any(|word| is_order(word));
    let chosen = in_table(CHOSEN, last).is_some();
    !ordered && (values.len() <= 1 || chosen) || text(words, around)
}

/// Whether the value of a mode describes what is read, and is no order.
fn plain_value(word: &str) -> bool {
    VALUES.contains(&word)
        || matches!(nouns::kind(word), Kind::Thing | Kind::Plural | Kind::Adjective)
        || (nouns::kind(word) == Kind::Either && !is_verb(word) && !VALUE_ORDERS.contains(&word))
        || word.ends_with("ing")
}

/// Whether it names one of several things: `order_id`, `vendorNumber`.
fn names_one(words: &[&str]) -> bool {
    words.last().is_some_and(|last| in_table(IDENTIFIERS, last).is_some())
}

#[cfg(test)]
#[path = "selector_tests.rs"]
mod tests;
