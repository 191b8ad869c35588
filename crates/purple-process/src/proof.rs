//! Whether a name can only be that of a read: a narrow read verb, and words that name what is read.
//!
//! What a word may do here is listed; a word of which nothing is known may be a verb.

use crate::json::Json;
use crate::nouns::{self, Kind};
use crate::opening::{Main, Opening};
use crate::verbs::{ATTRIBUTES, GETTERS, JOINTS, NOUNS, READ, READ_ENDINGS, SEARCH};
use crate::words::{self, in_table};

/// Why a name that begins with a read verb proves no read.
pub(crate) fn doubt_about(name: &[&str], opening: &Opening, schema: &Json) -> Option<String> {
    let (verb, rest) = name.split_first()?;
    if tells_secrets(rest, opening) {
        return Some(SECRET.to_owned());
    }
    about_words(verb, rest, opening)
        .or_else(|| about_listing(verb, rest, opening))
        .or_else(|| about_messages(verb, rest, opening))
        .or_else(|| about_taking(verb, rest, opening, schema))
        .or_else(|| about_ending(rest, opening))
        .or_else(|| about_description(opening))
}

/// Why a name without a verb proves no read: its description has to say that it reads, and nothing else.
pub(crate) fn doubt_about_thing(name: &[&str], opening: &Opening) -> Option<String> {
    if tells_secrets(name, opening) {
        return Some(SECRET.to_owned());
    }
    if let Some(end) = read_ending(name)
        && opening.main == Main::Phrase
        && name.get(..end).unwrap_or_default().iter().all(|word| nouns::kind(word) == Kind::Thing)
    {
        return about_description(opening);
    }
    if !matches!(opening.main, Main::Reads(_)) {
        return Some("neither its name nor its description says that it reads".to_owned());
    }
    // A word that is a verb too is a noun where the description reads what the name ends in.
    let head = name.iter().rev().find(|word| !READ_ENDINGS.contains(word) && !READ.contains(word));
    let heads = head.is_some_and(|head| opening.names(head));
    let unknown = name.iter().enumerate().find(|(at, word)| {
        let last = at + 1 == name.len() && (READ_ENDINGS.contains(word) || READ.contains(word));
        let ending = last || read_ending(name).is_some_and(|end| *at >= end);
        let known = match nouns::kind(word) {
            Kind::Thing | Kind::Plural | Kind::Adjective => true,
            // `return_order`, which returns the order, is no name of a thing.
            Kind::Either => heads && !matches!(&opening.main, Main::Reads(verb) if verb == *word),
            Kind::Participle | Kind::Unknown => false,
        };
        let preposition = PREPOSITIONS.contains(word) && *at > 0;
        !(ending && *at > 0 || known || preposition || QUIET.contains(word) || opening.names(word))
    });
    unknown
        .map(|(_, word)| format!("`{word}` may be a verb: its description does not say that it is read"))
        .or_else(|| about_description(opening))
}

/// Whether the verb that a name holds is that of a thing which its description reads: `place_details`, `invoice_link`.
pub(crate) fn is_thing_after_all(name: &[&str], opening: &Opening) -> bool {
    let noun = |at: usize, word: &str| {
        let next = name.get(at + 1);
        let ends = at > 0 && next.is_none();
        let has = next.is_some_and(|next| in_table(KNOWN_OF, next).is_some()) && at + 2 == name.len();
        (ends || has) && (NOUNS.contains(&word) || ["link", "place"].contains(&word)) && opening.names(word)
    };
    let verbs = name.iter().enumerate().filter(|(_, word)| words::is_verb(word));
    let all = verbs.clone().all(|(at, word)| noun(at, word) || READ_ENDINGS.contains(word));
    all && verbs.count() > 0 && doubt_about_thing(name, opening).is_none()
}

/// Where a name ends in a read verb and what it reads, written as one word: `customer_getlist`, `orders_getdetail1`.
fn read_ending(name: &[&str]) -> Option<usize> {
    let numbered = name.last().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    let at = name.len().checked_sub(1 + usize::from(numbered))?;
    let what = name.get(at).and_then(|word| word.strip_prefix("get"))?;
    let known = in_table(ATTRIBUTES, what).is_some() || READ_ENDINGS.contains(&what);
    (known && at > 0).then_some(at)
}

/// Whether what is read gives access to more.
pub(crate) fn tells_secrets(name: &[&str], opening: &Opening) -> bool {
    nouns::is_secret(name) || opening.tells_secrets()
}

const SECRET: &str = "whoever reads a secret can do more than read";

fn about_description(opening: &Opening) -> Option<String> {
    match &opening.main {
        Main::Other(word) => {
            Some(format!("its description says `{word}`, of which it is not known that it only reads"))
        }
        Main::Nothing | Main::Phrase | Main::Reads(_) => {
            opening.doubt.as_ref().map(|word| format!("its description also says `{word}`"))
        }
    }
}

/// What stands before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Verb,
    Noun,
    Adjective,
    Joint,
    Preposition,
}

fn about_words(verb: &str, rest: &[&str], opening: &Opening) -> Option<String> {
    let mut before = Before::Verb;
    for (at, word) in rest.iter().copied().enumerate() {
        let next = rest.get(at + 1).copied();
        before = match role(word, next, before, verb, opening) {
            Ok(role) => role,
            Err(why) => return Some(why),
        };
    }
    let open = matches!(before, Before::Joint | Before::Preposition);
    open.then(|| "the name ends in the middle".to_owned())
}

fn role(
    word: &str,
    next: Option<&str>,
    before: Before,
    verb: &str,
    opening: &Opening,
) -> Result<Before, String> {
    let doubt = |why: &str| Err(format!("`{word}` {why}"));
    if JOINTS.contains(&word) && next.is_some() {
        return match before {
            Before::Noun => Ok(Before::Joint),
            // `get_or_list_rows`.
            Before::Verb if next.is_some_and(|next| GETTERS.contains(&next)) => Ok(Before::Joint),
            _ => doubt("joins nothing that is known"),
        };
    }
    // `search_read`: what is found is read.
    if before == Before::Verb && SEARCH.contains(&verb) && ["count", "list", "read"].contains(&word) {
        return Ok(Before::Verb);
    }
    if PREPOSITIONS.contains(&word) {
        let looks = word == "in" && (verb == "list" || SEARCH.contains(&verb));
        let sought = word == "for" && SEARCH.contains(&verb);
        let phrasal = before == Before::Verb && !(word == "by" || looks || sought);
        return if phrasal { doubt("makes another verb of the first word") } else { Ok(Before::Preposition) };
    }
    if before == Before::Joint && GETTERS.contains(&word) {
        return Ok(Before::Verb);
    }
    // `next_meeting` is when there is one; any other thing that is next may be taken by reading it.
    if word == "next" && next.is_some_and(|next| in_table(TIMES, next).is_some()) {
        return Ok(Before::Adjective);
    }
    let kind = nouns::kind(word);
    if before == Before::Joint && kind.may_be_verb() {
        return doubt("may be a second verb");
    }
    match kind {
        Kind::Thing | Kind::Either | Kind::Plural => Ok(Before::Noun),
        Kind::Adjective => {
            Ok(if before == Before::Noun && next.is_none() { Before::Noun } else { Before::Adjective })
        }
        // `list_archived_orders` lists what is archived; `get_order_archived` has it archived.
        // What ends in -ing is no order.
        Kind::Participle if word.ends_with("ing") && next.is_some_and(|next| nouns::kind(next).is_noun()) => {
            Ok(Before::Adjective)
        }
        Kind::Participle
            if before != Before::Noun && next.is_some_and(|next| nouns::kind(next) != Kind::Unknown) =>
        {
            Ok(Before::Adjective)
        }
        Kind::Participle => doubt("may be what it has done"),
        Kind::Unknown if opening.names(word) => Ok(Before::Noun),
        Kind::Unknown => doubt("is not known to be the name of a thing"),
    }
}

/// The next job of a queue is gone when it was read, and to show a message is to tell somebody.
fn about_messages(verb: &str, rest: &[&str], opening: &Opening) -> Option<String> {
    let head = *rest.last()?;
    let next = |pair: &[&str]| matches!(pair, ["next", what] if in_table(TIMES, what).is_none());
    let queued = head == "next" || rest.windows(2).any(next) || opening.takes_from_queue();
    let why = match verb {
        "get" | "fetch" | "retrieve" | "read" if queued => "what is read may be taken out of a queue",
        "read" if rest.first() == Some(&"all") && in_table(SHOWN, head).is_some() => {
            "to read all messages is to mark them as read"
        }
        "show" if SHOWN.contains(&head) => "to show a message is to tell somebody",
        _ => return None,
    };
    Some(why.to_owned())
}

/// To get a lease is also to take it, and to count a vote to let it count.
fn about_taking(verb: &str, rest: &[&str], opening: &Opening, schema: &Json) -> Option<String> {
    let head = *rest.last()?;
    let takes = HAD.contains(&head) || (PAID_OUT.contains(&head) && !reads(opening));
    match verb {
        "count" if nouns::kind(head) == Kind::Either && !UNCOUNTED.contains(&head) && !reads(opening) => {
            Some("to count one thing may be to let it count".to_owned())
        }
        "get" | "fetch" | "retrieve" | "find"
            if (takes || opening.gets_one) && !names_parameter(schema, head) =>
        {
            Some(format!("to {verb} a {head} may be to take it: no parameter names one that there is"))
        }
        _ => None,
    }
}

fn reads(opening: &Opening) -> bool {
    matches!(opening.main, Main::Reads(_))
}

/// Whether a parameter names one of these: `lease_id`, `id`.
fn names_parameter(schema: &Json, word: &str) -> bool {
    let Json::Record(fields) = schema else { return false };
    let Some(Json::Record(properties)) = fields.get("properties") else { return false };
    properties.keys().any(|name| name == "id" || words::split(name).iter().any(|part| part == word))
}

/// What may be a second verb behind the thing that it changes: `get_stock_reserve`. A description shows what it is.
fn about_ending(rest: &[&str], opening: &Opening) -> Option<String> {
    let [.., before, last] = rest else { return None };
    let verb = ACTS.contains(last) && nouns::kind(before).is_noun() && !opening.names(last);
    verb.then(|| format!("`{last}` may be a second verb"))
}

/// To list one thing is also to put it up: `list_property`.
fn about_listing(verb: &str, rest: &[&str], opening: &Opening) -> Option<String> {
    if verb != "list" || rest.is_empty() {
        return None;
    }
    if matches!(&opening.main, Main::Reads(reads) if *reads != "list") {
        return None;
    }
    // `trips_awaiting_approval` are trips.
    let behind =
        |at: usize, word: &str| at > 0 && nouns::kind(word) == Kind::Participle && word.ends_with("ing");
    let ends = |(at, word): (usize, &&str)| PREPOSITIONS.contains(word) || behind(at, word);
    let end = rest.iter().enumerate().position(ends).unwrap_or(rest.len());
    let head =
        rest.get(..end).unwrap_or_default().iter().rev().find(|word| nouns::kind(word) != Kind::Adjective);
    let several =
        head.is_none_or(|head| head.ends_with('s') || UNCOUNTED.contains(head) || nouns::is_irregular(head));
    let offered = rest.windows(2).any(|pair| matches!(pair, ["for" | "on", what] if OFFERED.contains(what)));
    (!several || offered || opening.lists_one).then(|| "to list one thing may be to offer it".to_owned())
}

/// Verbs that change nothing, as names of what is read.
const QUIET: &[&str] = &["analyze", "diff", "explain", "geocode", "inspect", "preview", "research"];
/// Words that bind a thing to another one and follow no verb of their own.
const PREPOSITIONS: &[&str] = &[
    "about", "across", "after", "at", "before", "between", "by", "during", "for", "from", "in", "near", "of",
    "on", "per", "since", "under", "until", "via", "with", "within", "without",
];
/// Things that are listed although there is one of them, and that nobody offers.
const UNCOUNTED: &[&str] = &[
    "balance",
    "calendar",
    "log",
    "report",
    "schedule",
    "statement",
    "status",
    "summary",
    "activity",
    "all",
    "backlog",
    "content",
    "data",
    "equipment",
    "feedback",
    "history",
    "income",
    "info",
    "information",
    "inventory",
    "knowledge",
    "media",
    "metadata",
    "personnel",
    "traffic",
    "uptime",
    "usage",
];
/// What one has by getting it.
const HAD: &[&str] = &[
    "approval",
    "consent",
    "hold",
    "lease",
    "loan",
    "lock",
    "mutex",
    "refund",
    "reservation",
    "semaphore",
    "session",
    "signature",
    "signoff",
    "token",
];
/// What is known of a thing.
const KNOWN_OF: &[&str] = &[
    "count",
    "detail",
    "history",
    "info",
    "information",
    "list",
    "report",
    "state",
    "status",
    "summary",
    "total",
];
/// What one has by fetching it, unless the description reads it.
const PAID_OUT: &[&str] = &[
    "advance",
    "bonus",
    "cash",
    "collection",
    "debt",
    "deposit",
    "disbursement",
    "extension",
    "funds",
    "investment",
    "license",
    "money",
    "parcel",
    "payment",
    "payout",
    "promotion",
    "rebate",
    "reimbursement",
    "seat",
];
/// What is next without being taken.
const TIMES: &[&str] = &[
    "appointment",
    "cursor",
    "date",
    "day",
    "deadline",
    "due",
    "event",
    "holiday",
    "meeting",
    "month",
    "page",
    "pay",
    "payment",
    "period",
    "quarter",
    "renewal",
    "run",
    "week",
    "year",
];
/// What somebody is told by being shown it.
const SHOWN: &[&str] =
    &["alert", "banner", "dialog", "message", "notification", "prompt", "reminder", "toast", "warning"];
/// Nouns that are verbs first.
const ACTS: &[&str] = &[
    "block",
    "commit",
    "copy",
    "delegate",
    "export",
    "hold",
    "import",
    "lock",
    "mail",
    "mark",
    "merge",
    "move",
    "park",
    "patch",
    "pin",
    "post",
    "provision",
    "push",
    "recall",
    "release",
    "repair",
    "reserve",
    "reset",
    "return",
    "sanction",
    "share",
    "ship",
    "start",
    "stop",
    "swap",
    "switch",
    "track",
    "trade",
    "transfer",
    "trigger",
    "update",
    "upgrade",
    "upload",
    "vote",
    "waive",
    "wire",
];
/// What is done with a thing that is listed for it.
const OFFERED: &[&str] = &["auction", "hire", "lease", "marketplace", "rent", "sale"];

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
