//! Which of the names that exist is meant by one that does not.

use serde::{Deserialize, Serialize};

use super::naming::words;
use super::similar::{Ratio, edit_ratio, sequence_ratio, sorted_edit_ratio};

/// Names that are used for the same thing, the usual one first.
const ALIASES: &[&[&str]] = &[
    &["client_name", "customer_name", "account_name", "company_name", "org_name"],
    &["amount", "value", "total", "price", "cost", "sum", "total_amount"],
    &["user_id", "creator_id", "employee_id"],
    &["name", "title", "label", "display_name", "full_name"],
    &["category", "type", "classification", "group", "kind"],
    &["email", "e_mail", "email_address", "contact_email", "mail"],
    &["status", "state", "stat", "state_code", "current_status"],
    &["owner_id", "owner", "assigned_to", "assignee_id"],
    &["created_at", "created", "create_date", "creation_date", "created_date", "date_created", "timestamp"],
    &["updated_at", "updated", "update_date", "modified_at", "last_modified", "modification_date"],
    &["description", "desc", "detail", "details", "notes", "comments", "body"],
];

/// The least share of matching blocks.
const SEQUENCE_MIN: Ratio = Ratio::new(6, 10);
/// The least share of characters that stay.
const EDIT_MIN: Ratio = Ratio::new(7, 10);
/// The shortest beginning that stands for a whole name, in characters.
const PREFIX_CHARS_MIN: usize = 3;

/// What the last word of a name says about its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Id,
    Amount,
    Count,
    Share,
    Day,
    Text,
    /// A thing or a person, not one of its properties.
    Thing,
    Unknown,
}

/// Last words, in groups that mean the same. A name never stands for one whose last word is in another group.
const LAST_WORDS: &[(Meaning, &[&str])] = &[
    (Meaning::Id, &["id", "no", "number", "num", "nr", "key", "ref", "reference", "uuid"]),
    (Meaning::Amount, &["amount", "amt", "value", "total", "sum", "price", "cost", "balance", "fee"]),
    (Meaning::Count, &["count", "quantity", "qty", "seats"]),
    (Meaning::Share, &["percent", "pct", "percentage", "rate", "ratio"]),
    (Meaning::Day, &["date", "day", "at", "on", "time", "timestamp", "created", "updated", "modified"]),
    (Meaning::Text, &["name", "title", "label"]),
    (Meaning::Text, &["email", "mail"]),
    (Meaning::Text, &["phone", "telephone", "mobile"]),
    (Meaning::Text, &["address", "street", "city", "country"]),
    (Meaning::Text, &["status", "state", "stat"]),
    (Meaning::Text, &["category", "type", "classification", "kind"]),
    (Meaning::Text, &["currency"]),
    (Meaning::Text, &["description", "desc", "detail", "details", "notes", "comments", "reason"]),
    (Meaning::Thing, &["account", "acct"]),
    (Meaning::Thing, &["customer", "client"]),
    (Meaning::Thing, &["vendor", "supplier"]),
    (Meaning::Thing, &["order"]),
    (Meaning::Thing, &["invoice", "bill"]),
    (Meaning::Thing, &["employee", "user", "owner", "assignee"]),
    (Meaning::Thing, &["item", "product", "sku"]),
];

/// How a name was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Found {
    /// The same but for case and punctuation.
    Spelling,
    /// The alias table.
    Alias,
    /// One begins with the other.
    Prefix,
    /// Matching blocks or edit distance.
    Similarity,
}

/// Which ways of finding a name are good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// A wrong column costs an error or an empty answer.
    ToAsk,
    /// A wrong field would be believed: no prefixes.
    ToBelieve,
}

/// The one name among those that exist that is meant by `wanted`. Nothing if several are, or none.
pub(crate) fn find<'a>(wanted: &str, existing: &[&'a str], trust: Trust) -> Option<(&'a str, Found)> {
    let others: Vec<&str> = existing.iter().copied().filter(|name| *name != wanted).collect();
    let by = |found: Found, fits: &dyn Fn(&str) -> bool| {
        let fitting: Vec<&str> = others.iter().copied().filter(|name| fits(name)).collect();
        (!fitting.is_empty()).then_some((fitting, found))
    };
    let bare = plain(wanted);
    let alias = alias_group(wanted);
    let (fitting, found) = by(Found::Spelling, &|name| plain(name) == bare)
        .or_else(|| by(Found::Alias, &|name| alias.is_some() && alias == alias_group(name)))
        .or_else(|| match trust {
            Trust::ToAsk => by(Found::Prefix, &|name| is_prefix(wanted, name) && may_mean(wanted, name)),
            Trust::ToBelieve => None,
        })
        .or_else(|| by(Found::Similarity, &|name| likeness(wanted, name).is_some()))?;
    match (fitting.as_slice(), found) {
        ([only], found) => Some((only, found)),
        (several, Found::Similarity) if trust == Trust::ToAsk => {
            nearest(wanted, several).map(|name| (name, found))
        }
        (_, Found::Spelling | Found::Alias | Found::Prefix | Found::Similarity) => None,
    }
}

/// What a name says about its values.
pub(crate) fn meaning(name: &str) -> Meaning {
    last_group(name).map_or(Meaning::Unknown, |(meaning, _)| *meaning)
}

fn nearest<'a>(wanted: &str, several: &[&'a str]) -> Option<&'a str> {
    let mut rated: Vec<(Ratio, &str)> =
        several.iter().filter_map(|name| Some((likeness(wanted, name)?, *name))).collect();
    rated.sort_by_key(|(ratio, _)| std::cmp::Reverse(*ratio));
    match rated.as_slice() {
        [(best, name), (second, _), ..] if best > second => Some(name),
        [(_, only)] => Some(only),
        _ => None,
    }
}

/// How alike two names are, if they are alike enough and may mean the same.
fn likeness(wanted: &str, name: &str) -> Option<Ratio> {
    let [wanted, name] = [wanted, name].map(|name| words(name).join("_"));
    let sequence = sequence_ratio(&wanted, &name);
    let edit = edit_ratio(&wanted, &name).max(sorted_edit_ratio(&wanted, &name));
    let alike = sequence >= SEQUENCE_MIN || edit >= EDIT_MIN;
    (alike && may_mean(&wanted, &name)).then(|| sequence.max(edit))
}

/// Most of `vendor_id` and `order_id` is alike, and none of it matters: what is left without the last word
/// must be alike too, and begin alike.
fn may_mean(wanted: &str, name: &str) -> bool {
    if let (Some(one), Some(other)) = (alias_group(wanted), alias_group(name)) {
        return one == other;
    }
    let same_words = sorted_edit_ratio(wanted, name) == Ratio::ONE;
    let stems = match (last_group(wanted), last_group(name)) {
        (Some(one), Some(other)) if !std::ptr::eq(one, other) => return same_words,
        (Some(_), Some(_)) => [wanted, name].map(stem),
        (Some(_), None) | (None, Some(_)) | (None, None) => return true,
    };
    let [wanted, name] = &stems;
    match (wanted.chars().next(), name.chars().next()) {
        // `total` and `total_amount`: one says no more than the last word.
        (None, _) | (_, None) => true,
        (Some(one), Some(other)) => {
            same_words
                || one == other && (is_prefix(wanted, name) || sequence_ratio(wanted, name) >= SEQUENCE_MIN)
        }
    }
}

fn last_group(name: &str) -> Option<&'static (Meaning, &'static [&'static str])> {
    let words = words(name);
    let last = words.last()?;
    LAST_WORDS.iter().find(|(_, group)| group.contains(&last.as_str()))
}

fn stem(name: &str) -> String {
    let mut words = words(name);
    words.pop();
    words.join("_")
}

fn alias_group(name: &str) -> Option<usize> {
    let name = words(name).join("_");
    ALIASES.iter().position(|group| group.contains(&name.as_str()))
}

fn is_prefix(one: &str, other: &str) -> bool {
    let [one, other] = [plain(one), plain(other)];
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short.chars().count() >= PREFIX_CHARS_MIN && long.starts_with(&short)
}

/// Letters and digits only, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
