//! How well the name and description of a tool fit a call of a file. Words only; nothing is asked of a model.

use purple_process::file::CallNeeds;

use crate::execute::catalogue::Known;
use crate::execute::columns::{self, Trust};
use crate::execute::naming::{singular, words};

/// Words that companies use for one another, the first of each group for all of them.
const GROUPS: [&[&str]; 29] = [
    &["get", "fetch", "read", "show", "retrieve", "lookup", "load", "view", "display"],
    &["list", "search", "find", "query", "browse"],
    &["approve", "release", "accept", "authorize"],
    &["reject", "refuse", "decline", "deny"],
    &["reopen", "unlock", "reset"],
    &["create", "add", "make", "open", "start", "begin"],
    &["update", "change", "modify", "set", "edit", "amend", "alter"],
    &["revoke", "remove", "disable", "withdraw", "deactivate"],
    &["cancel", "abort", "void"],
    &["send", "notify", "mail", "message"],
    &["apply", "post", "book", "grant"],
    &["restore", "revert", "rollback"],
    &["reverse", "undo"],
    &["invoice", "bill"],
    &["customer", "client", "debtor"],
    &["vendor", "supplier", "creditor"],
    &["employee", "worker", "staff", "person", "colleague"],
    &["item", "product", "article", "sku"],
    &["inventory", "stock"],
    &["contract", "agreement"],
    &["purchase", "procurement"],
    &["total", "amount", "sum", "gross", "value"],
    &["status", "state", "stage"],
    &["quantity", "qty", "count", "pieces"],
    &["access", "permission", "entitlement"],
    &["reason", "note", "comment", "remark", "why"],
    &["reference", "ref"],
    &["balance", "saldo"],
    &["contact", "email", "mailbox"],
];

/// Last words that say that a value identifies something.
const ID_WORDS: [&str; 7] = ["id", "no", "nr", "number", "num", "key", "code"];
/// Words of a name that say nothing about the thing.
const EMPTY: [&str; 6] = ["the", "a", "an", "of", "for", "to"];
const MONEY: [&str; 10] =
    ["total", "amount", "price", "fee", "cost", "credit", "balance", "salary", "charge", "net"];

/// How well a tool fits, and why.
pub(super) struct Likeness {
    pub(super) points: u32,
    pub(super) why: String,
}

/// A word as all of its group are written.
fn common(word: &str) -> String {
    let word = singular(word);
    let group = GROUPS.iter().find(|group| group.contains(&word.as_str()));
    group.and_then(|group| group.first()).map_or(word, |first| (*first).to_owned())
}

fn common_words(name: &str) -> Vec<String> {
    let all = words(name).into_iter().filter(|word| !EMPTY.contains(&word.as_str()));
    all.map(|word| common(&word)).collect()
}

/// How a tool fits a call, if it does: every word of the call is in its name or its description, and the verb too.
pub(super) fn like(needs: &CallNeeds, known: &Known) -> Option<Likeness> {
    let wanted = common_words(needs.tool.as_str());
    let (verb, nouns) = wanted.split_first()?;
    let name = common_words(known.definition.own_name());
    let description = common_words(known.definition.description.for_work());
    let (mut points, mut told) = (0_u32, Vec::new());
    for word in nouns {
        let of_file = needs.name.as_ref().is_some_and(|own| common_words(own).contains(word));
        points += match (name.contains(word), description.contains(word)) {
            (true, _) => 6,
            (false, true) => 3,
            // `get_purchase_order`, which the file calls `order`: the rest of the name says it more closely.
            (false, false) if needs.name.is_some() && !of_file => 0,
            (false, false) => return None,
        };
        told.push(word.as_str());
    }
    points += match (name.contains(verb), description.contains(verb)) {
        (true, _) => 4,
        (false, true) => 2,
        (false, false) => return None,
    };
    // Words that the call does not have make it another thing: `reject_invoice_line`.
    let other = name.iter().filter(|word| !wanted.contains(word)).count();
    points = (points * 4).saturating_sub(u32::try_from(other).unwrap_or(u32::MAX));
    let own = name.iter().filter(|word| wanted.contains(word)).count();
    let place = if own == wanted.len() { "its name says" } else { "its name and description say" };
    Some(Likeness { points, why: format!("{place} `{verb}` and `{}`", told.join("`, `")) })
}

/// The one name that means the same: by its words, else as columns are found.
pub(super) fn like_name<'n>(wanted: &str, names: &[&'n str]) -> Option<&'n str> {
    if let Some(exact) = names.iter().find(|name| **name == wanted) {
        return Some(exact);
    }
    let only = |fits: &dyn Fn(&str) -> bool| {
        let mut fitting = names.iter().filter(|name| fits(name));
        fitting.next().filter(|_| fitting.next().is_none()).copied()
    };
    let own = meaning(wanted);
    only(&|name| meaning(name) == own)
        // `bill.state` for `status`: the last step of a path says it.
        .or_else(|| only(&|name| meaning(name.rsplit('.').next().unwrap_or(name)) == own))
        .or_else(|| columns::find(wanted, names, Trust::ToBelieve).map(|(name, _)| name))
        // An id of the only kind that there is.
        .or_else(|| own.1.then(|| only(&|name| meaning(name).1)).flatten())
}

/// The common words of a name in any order, and whether it is an id.
fn meaning(name: &str) -> (Vec<String>, bool) {
    let mut all = words(name);
    let is_id = all.last().is_some_and(|last| ID_WORDS.contains(&last.as_str()));
    if is_id {
        all.pop();
    }
    let mut all: Vec<String> = all.iter().map(|word| common(word)).collect();
    all.sort();
    (all, is_id)
}

/// Whether a field of a file is an amount by its name.
pub(super) fn tells_money(name: &str) -> bool {
    words(name).iter().any(|word| MONEY.contains(&word.as_str()))
}

/// Whether a name is that of a currency.
pub(super) fn is_currency(name: &str) -> bool {
    words(name).iter().any(|word| matches!(word.as_str(), "currency" | "curr"))
}
