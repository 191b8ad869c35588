//! The words of names: of tools, records, fields and parameters.

use std::collections::BTreeSet;

use crate::name::ID_WORDS;
use crate::words;

/// The words of a name, without order: `net_total` and `TotalNet` are the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Words(BTreeSet<String>);

/// Names of what people call a record by.
const NAMES: [&str; 3] = ["name", "title", "label"];
/// Keys of an answer that say nothing about what stands under them.
const ENVELOPES: [&str; 24] = [
    "data", "result", "results", "item", "items", "row", "rows", "record", "records", "value", "values",
    "response", "payload", "content", "contents", "body", "list", "entity", "entities", "object", "objects",
    "output", "hit", "hits",
];
/// Words for how much, which systems use for one another.
const AMOUNTS: [&str; 5] = ["amount", "total", "sum", "value", "gross"];

/// Words for money, where the currency stands beside the figure.
const MONEY: [&str; 14] = [
    "amount", "total", "sum", "value", "gross", "net", "price", "fee", "cost", "balance", "debit", "credit",
    "tax", "salary",
];

impl Words {
    /// The words of a name.
    pub(crate) fn of(name: &str) -> Self {
        Self(words::split(name).iter().map(|word| singular(word)).collect())
    }

    /// What a tool is about: its name without its verbs.
    pub(crate) fn noun(tool: &str) -> Self {
        let split = words::split(tool);
        let rest = words::without_vendor(&split, &[]);
        let last = rest.len().saturating_sub(1);
        let noun = rest.iter().enumerate().filter(|(at, word)| {
            // A verb in last place is a thing: `get_purchase_order`, `issue_refund`.
            *at == last || !words::is_verb(word) || *at > 0
        });
        Self(noun.map(|(_, word)| singular(word)).collect())
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether each of these words is among the others.
    pub(crate) fn within(&self, others: &Self) -> bool {
        !self.is_empty() && self.0.is_subset(&others.0)
    }

    /// Whether they have a word in common.
    pub(crate) fn meets(&self, others: &Self) -> bool {
        !self.0.is_disjoint(&others.0)
    }

    pub(crate) fn and(&self, others: &Self) -> Self {
        Self(self.0.union(&others.0).cloned().collect())
    }

    fn without(&self, others: &Self) -> Self {
        Self(self.0.difference(&others.0).cloned().collect())
    }

    /// Whether all of them say how much.
    pub(crate) fn is_amount(&self, record: &Self) -> bool {
        let rest = self.without(record);
        !rest.is_empty() && rest.0.iter().all(|word| AMOUNTS.contains(&word.as_str()))
    }

    /// Whether one of them is a word for money.
    pub(crate) fn tell_money(&self) -> bool {
        self.0.iter().any(|word| MONEY.contains(&word.as_str()))
    }

    /// Whether a kind of record is called so: by these words, more of them, or their first letters.
    pub(crate) fn names(&self, kind: &Self, written: &str) -> bool {
        self.within(kind) || kind.initials_are(self, written)
    }

    /// `po` for "purchase order". The order of words is that of the name that they were written in.
    fn initials_are(&self, short: &Self, written: &str) -> bool {
        let mut letters: Vec<char> = self.0.iter().filter_map(|word| word.chars().next()).collect();
        let first = short.0.first().filter(|_| short.0.len() == 1 && self.0.len() > 1);
        let Some(first) = first else { return false };
        let mut other: Vec<char> = first.chars().collect();
        letters.sort_unstable();
        other.sort_unstable();
        letters == other && !written.is_empty()
    }

    pub(crate) fn text(&self) -> String {
        self.0.iter().cloned().collect::<Vec<_>>().join(" ")
    }
}

/// What kind of record the value of such a name identifies: `vendor` of `vendor_id`. Empty for a plain `id`.
pub(crate) fn identified(name: &str) -> Option<Words> {
    let mut split = words::split(name);
    let last = split.last()?.clone();
    ID_WORDS.contains(&last.as_str()).then(|| {
        split.pop();
        Words(split.iter().map(|word| singular(word)).collect())
    })
}

/// Whether people call the record by the value of such a name.
pub(crate) fn is_name(name: &str) -> bool {
    words::split(name).last().is_some_and(|last| NAMES.contains(&last.as_str()))
}

/// What stands under a key of an answer; `None` where the key says nothing.
pub(crate) fn kind_of_key(key: &str) -> Option<Words> {
    let words = Words::of(key);
    let is_envelope = words.0.len() == 1 && ENVELOPES.contains(&key.to_lowercase().as_str());
    (!is_envelope && !words.is_empty()).then_some(words)
}

fn singular(word: &str) -> String {
    let plural = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    match word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        Some(stem) => format!("{stem}y"),
        None if plural => word.strip_suffix('s').unwrap_or(word).to_owned(),
        None => word.to_owned(),
    }
}
