//! What the description of a tool opens with: the verb of its first sentence, and what that is about.
//!
//! A description proves nothing by itself. One that opens with a verb of which it is not known that it reads leaves no
//! tool a read.

use crate::nouns::{self, Kind};
use crate::verbs::ATTRIBUTES;
use crate::words::{self as names, in_table};

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
        let doubt = second_verb(objects, third)
            .or_else(|| beside(&text))
            .or_else(|| has_done(&main, objects))
            .or_else(|| later.clone().find_map(|(_, sentence)| statement(sentence)))
            .or_else(|| sentences.iter().find_map(|sentence| then_does(sentence)));
        let lists_one = main == Main::Reads("list") && (lists_one(objects) || Self::offers(objects));
        let objects = named(objects);
        Self { main, objects, doubt, lists_one }
    }

    fn nothing() -> Self {
        Self { main: Main::Nothing, objects: Vec::new(), doubt: None, lists_one: false }
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

    /// Whether what is read comes out of a queue: it may be gone for others.
    pub(crate) fn takes_from_queue(&self) -> bool {
        let takes = matches!(&self.main, Main::Reads(verb) if ["get", "fetch", "retrieve", "read", "return"].contains(verb));
        let end = self.objects.iter().position(|word| ["from", "in", "of"].contains(&word.as_str()));
        let place = end.and_then(|end| self.objects.get(end..)).unwrap_or_default();
        let queue = |word: &String| in_table(&["queue"], word).is_some();
        let next = end.and_then(|end| self.objects.get(..end)).unwrap_or(&self.objects);
        takes
            && place.iter().any(queue)
            && !self.objects.first().is_some_and(|first| queue(first))
            && next.iter().any(|word| TAKEN.iter().any(|taken| in_table(&[taken], word).is_some()))
    }

    /// Whether it says that something is to be had on a market.
    fn offers(objects: &[&str]) -> bool {
        objects.iter().any(|word| in_table(MARKETS, word).is_some())
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

fn words(sentence: &str) -> Vec<&str> {
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
        ["to", "the" | "a" | "an" | "its" | "their" | "this", to] | [_, "to", to] => party(&to),
        _ => false,
    })
}

/// `Gives an overview of it`, and not `Gives them access`.
fn gives_information(objects: &[&str]) -> bool {
    let end = objects.iter().position(|word| ENDS_OBJECT.contains(word)).unwrap_or(objects.len());
    let head = objects.get(..end).unwrap_or_default().last();
    let known = head.is_some_and(|head| in_table(INFORMATION, head).is_some());
    known && !objects.contains(&"to")
}

/// What it does beside that, behind a comma or as a state that it leaves: `…, marking it as read`, `It is then locked`.
fn beside(text: &str) -> Option<String> {
    let changes = |stem: &str| names::is_change(stem);
    let behind_comma = |clause: &str| {
        let all = words(clause);
        let all = all
            .iter()
            .skip_while(|word| ADVERBS.contains(*word) || ["and", "while", "thereby"].contains(*word));
        let all: Vec<&str> = all.copied().collect();
        let [word, next, ..] = all.as_slice() else { return None };
        let verb =
            word.strip_suffix("ing").map(stems).or_else(|| is_third(word).then(|| stems_of_third(word)))?;
        (OBJECTS_FOLLOW.contains(next) && verb.iter().any(|stem| changes(stem) && stem != "match"))
            .then(|| (*word).to_owned())
    };
    let left = |sentence: &str| {
        let all = words(sentence);
        let at = all.windows(2).position(|pair| matches!(pair, ["is" | "are" | "gets" | "be", _]))?;
        let free = !all.iter().take(at).any(|word| CONDITIONS.contains(word));
        let done = all.iter().skip(at + 1).find(|word| !ADVERBS.contains(*word) && **word != "thereby")?;
        let stem = done.strip_suffix("ed").map(stems).unwrap_or_default();
        let changed =
            LEFT.contains(done) || stem.iter().any(|stem| changes(stem) && !STATES.contains(&stem.as_str()));
        (free && changed).then(|| (*done).to_owned())
    };
    let sentences = || text.split(['.', '!', '?', ';', '\n']);
    sentences()
        .flat_map(|sentence| sentence.split([',', '(']).skip(1))
        .find_map(behind_comma)
        .or_else(|| sentences().find_map(left))
}

/// What a form without its ending may be a form of: `mark`, `delete`, `stop`, `apply`.
fn stems(form: &str) -> Vec<String> {
    let doubled = form.len() > 2 && form.as_bytes().iter().rev().nth(1) == form.as_bytes().last();
    let single = doubled.then(|| form.get(..form.len() - 1).unwrap_or_default().to_owned());
    let y = form.strip_suffix('i').map(|stem| format!("{stem}y"));
    [Some(form.to_owned()), Some(format!("{form}e")), single, y].into_iter().flatten().collect()
}

fn stems_of_third(word: &str) -> Vec<String> {
    let es = word.strip_suffix("es").map(str::to_owned);
    let ies = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    [word.strip_suffix('s').map(str::to_owned), es, ies].into_iter().flatten().collect()
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
    let verb = is_third(word) && OBJECTS_FOLLOW.contains(next);
    (verb && !is_harmless(word, Some(next), true)).then(|| (*word).to_owned())
}

/// Whether a verb would be in the third person: `forgets`, and not `pass`.
fn is_third(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss")
}

/// `… then forgets it`.
fn then_does(sentence: &[&str]) -> Option<String> {
    sentence.windows(2).find_map(|pair| match pair {
        ["then", word] if is_third(word) && !is_harmless(word, None, true) => Some((*word).to_owned()),
        _ => None,
    })
}

/// Whether `list` has one thing as its object: `Lists an item on the marketplace`.
fn lists_one(objects: &[&str]) -> bool {
    let end = objects.iter().position(|word| ENDS_OBJECT.contains(word)).unwrap_or(objects.len());
    let phrase = objects.get(..end).unwrap_or_default();
    let one = phrase.first().is_some_and(|first| matches!(*first, "a" | "an" | "one" | "the"));
    one && !phrase.iter().any(|word| word.ends_with('s') || ["stock", "inventory"].contains(word))
}

/// Words before the verb of a first sentence.
const LEADS: &[&str] = &[
    "this",
    "tool",
    "it",
    "also",
    "will",
    "can",
    "optionally",
    "automatically",
    "function",
    "endpoint",
    "method",
    "operation",
    "command",
    "to",
    "lets",
    "let",
    "you",
    "users",
    "agents",
    "me",
    "us",
    "allows",
    "allow",
    "helps",
    "help",
    "enables",
    "enable",
    "used",
    "api",
    "mcp",
    "deprecated",
    "beta",
    "experimental",
    "please",
];
/// Verbs of descriptions that read or calculate.
const READS: &[&str] = &[
    "get",
    "list",
    "fetch",
    "read",
    "search",
    "find",
    "look",
    "lookup",
    "describe",
    "show",
    "view",
    "count",
    "retrieve",
    "return",
    "display",
    "query",
    "browse",
    "check",
    "inspect",
    "see",
    "explain",
    "summarize",
    "summarise",
    "analyze",
    "analyse",
    "compare",
    "compute",
    "calculate",
    "tell",
    "identify",
    "determine",
    "discover",
    "locate",
    "detect",
    "verify",
    "validate",
    "preview",
    "examine",
    "enumerate",
    "extract",
    "sum",
];
/// Verbs that read where information is their object.
const GIVERS: &[&str] = &["give", "provide"];
const INFORMATION: &[&str] = &[
    "answer",
    "balance",
    "breakdown",
    "count",
    "data",
    "detail",
    "figure",
    "history",
    "information",
    "info",
    "insight",
    "list",
    "overview",
    "report",
    "statistics",
    "status",
    "summary",
    "total",
    "view",
];
/// To whom something is returned that was not only asked for.
const PARTIES: &[&str] = &[
    "account",
    "bank",
    "borrower",
    "buyer",
    "cardholder",
    "client",
    "customer",
    "draft",
    "employee",
    "inventory",
    "lender",
    "merchant",
    "owner",
    "payee",
    "payer",
    "pool",
    "queue",
    "seller",
    "sender",
    "shelf",
    "stock",
    "supplier",
    "vendor",
    "warehouse",
];
/// What is taken out of a queue.
const TAKEN: &[&str] = &["entry", "item", "job", "message", "next", "one", "record", "task", "ticket"];
/// Where something is offered by being listed.
const MARKETS: &[&str] = &["auction", "marketplace", "sale", "storefront"];
/// How something is left that was changed.
const LEFT: &[&str] = &["frozen", "gone", "hidden", "paid", "sent", "sold", "taken", "withdrawn"];
/// Verbs whose participles say as often how something is.
const STATES: &[&str] = &[
    "apply",
    "complete",
    "convert",
    "document",
    "download",
    "execute",
    "generate",
    "import",
    "issue",
    "link",
    "match",
    "place",
    "post",
    "print",
    "process",
    "provision",
    "publish",
    "register",
    "release",
    "resolve",
    "retry",
    "run",
    "save",
    "set",
    "sign",
    "store",
    "tag",
];
/// Words of clauses that say when something is so, and not what is done.
const CONDITIONS: &[&str] = &[
    "that", "which", "who", "whose", "if", "when", "whether", "where", "unless", "until", "after", "before",
    "once", "only", "what", "how", "not", "no", "while", "must", "should", "since", "because", "every",
    "any", "all",
];
/// Those of them whose object is in the answer.
const GIVES: &[&str] = &["get", "list", "fetch", "read", "show", "view", "retrieve", "return", "display"];
/// What makes another verb of them.
const PHRASAL: &[&str] = &["in", "out", "rid", "off", "after", "back", "away"];
const QUESTIONS: &[&str] = &["whether", "who", "what", "which", "how", "where", "when", "if", "why"];
/// Verbs whose object says what is done.
const PERFORMS: &[&str] = &["perform", "run", "do", "conduct", "make", "execute", "issue"];
const SEARCHES: &[&str] = &["search", "lookup", "query", "research", "select", "read", "sql"];
/// Verbs of later sentences and second verbs, which change nothing.
const HARMLESS: &[&str] = &[
    "allow",
    "be",
    "can",
    "contain",
    "do",
    "equal",
    "expect",
    "filter",
    "focus",
    "format",
    "group",
    "handle",
    "has",
    "have",
    "highlight",
    "ignore",
    "include",
    "is",
    "let",
    "map",
    "match",
    "mean",
    "need",
    "normalize",
    "omit",
    "paginate",
    "parse",
    "prefer",
    "prevent",
    "provide",
    "rank",
    "render",
    "represent",
    "require",
    "respect",
    "scan",
    "select",
    "sort",
    "span",
    "specify",
    "suggest",
    "support",
    "use",
    "work",
    "aggregate",
    "assess",
    "understand",
    "learn",
    "are",
    "does",
    "should",
    "must",
    "may",
    "will",
    "returning",
    "including",
    "using",
];
const JOINTS: &[&str] = &["and", "or", "then", "plus"];
const ADVERBS: &[&str] = &["also", "then", "optionally", "immediately", "automatically", "finally", "not"];
const DETERMINERS: &[&str] = &[
    "a", "an", "the", "all", "any", "every", "each", "some", "one", "two", "your", "their", "its", "his",
    "her", "my", "both", "other", "no",
];
/// Words that follow a verb and begin its object.
const OBJECTS_FOLLOW: &[&str] = &[
    "a",
    "an",
    "the",
    "it",
    "them",
    "its",
    "their",
    "this",
    "that",
    "these",
    "those",
    "each",
    "every",
    "all",
    "any",
    "your",
    "his",
    "her",
    "what",
    "whatever",
    "everything",
    "him",
];
/// Words that end an object.
const ENDS_OBJECT: &[&str] = &[
    "about", "across", "after", "against", "as", "at", "based", "before", "between", "by", "during", "for",
    "from", "given", "in", "into", "matching", "near", "of", "on", "over", "per", "since", "through", "to",
    "under", "until", "using", "via", "when", "where", "which", "who", "with", "within", "without",
];

#[cfg(test)]
#[path = "opening_tests.rs"]
mod tests;
