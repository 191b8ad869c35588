//! What the name of a tool says beside its effect: which kind of look it takes, and at what.

pub(crate) use crate::observe::words;

/// Verbs that do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerbClass {
    /// Looks at one thing, or at everything about it.
    One,
    /// Looks for several.
    Many,
    Count,
    /// Says yes or no.
    Check,
    /// Says what something is made of.
    Describe,
    /// Makes something new.
    Make,
    /// Any other verb: the same only as itself.
    Other,
}

const CLASSES: &[(VerbClass, &[&str])] = &[
    (VerbClass::One, &["get", "fetch", "read", "lookup", "show", "view", "retrieve", "load"]),
    (VerbClass::Many, &["list", "search", "find", "query", "filter"]),
    (VerbClass::Count, &["count"]),
    (VerbClass::Check, &["check", "verify"]),
    (VerbClass::Describe, &["describe", "inspect"]),
    (
        VerbClass::Make,
        &["create", "add", "post", "issue", "apply", "record", "place", "register", "provision"],
    ),
];

/// Words that say that a tool is about the form of data.
const FORM_WORDS: &[&str] = &["schema", "column", "describe", "inspect", "metadata", "structure"];

/// Words that a thing has and that are not the thing.
const ATTRIBUTES: &[&str] = &["status", "state", "detail", "info", "information", "record", "item", "data"];

/// Words that end what a name is about.
const PREPOSITIONS: &[&str] =
    &["on", "to", "for", "from", "by", "with", "via", "at", "in", "of", "about", "into", "as", "per", "off"];

/// A name, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Naming {
    verb: String,
    /// What it is about, in the singular, without attributes.
    nouns: Vec<String>,
    /// All words after the verb, in the singular.
    all: Vec<String>,
}

impl Naming {
    /// Of a tool that may be called `server__tool` here.
    pub(crate) fn of(name: &str, server: &str) -> Self {
        let own = name.strip_prefix(server).and_then(|rest| rest.strip_prefix("__")).unwrap_or(name);
        let mut words = words(own).into_iter();
        let verb = words.next().unwrap_or_default();
        let all: Vec<String> = words.map(|word| singular(&word)).collect();
        let is_joint = |word: &&String| PREPOSITIONS.contains(&word.as_str());
        // `write_off_receivable`: a joint right after the verb belongs to the verb.
        let about = all.iter().skip_while(is_joint).take_while(|word| !is_joint(word));
        let plain: Vec<String> =
            about.clone().filter(|word| !ATTRIBUTES.contains(&word.as_str())).cloned().collect();
        let nouns = if plain.is_empty() { about.cloned().collect() } else { plain };
        Self { verb, nouns, all }
    }

    pub(crate) fn class(&self) -> VerbClass {
        let class = CLASSES.iter().find(|(_, verbs)| verbs.contains(&self.verb.as_str()));
        class.map_or(VerbClass::Other, |(class, _)| *class)
    }

    pub(crate) fn nouns(&self) -> &[String] {
        &self.nouns
    }

    pub(crate) fn describes(&self) -> bool {
        let speaks = |word: &String| FORM_WORDS.contains(&word.as_str());
        speaks(&self.verb) || self.all.iter().any(speaks)
    }

    pub(crate) fn makes(&self) -> bool {
        self.class() == VerbClass::Make
    }

    /// The same verb class and the same words after it.
    pub(crate) fn is_synonym(&self, other: &Self) -> bool {
        let same_verb = match (self.class(), other.class()) {
            (VerbClass::Other, VerbClass::Other) => self.verb == other.verb,
            (one, other) => one == other,
        };
        // All words: the status of a thing is not the thing.
        same_verb && !self.all.is_empty() && self.all == other.all
    }

    pub(crate) fn shared_nouns(&self, other: &Self) -> usize {
        let initials = other.initials();
        self.nouns.iter().filter(|noun| other.nouns.contains(noun) || initials == **noun).count()
    }

    /// Whether this is about the other's thing, perhaps described more closely: an account credit is a credit.
    pub(crate) fn is_kind_of(&self, other: &Self) -> bool {
        !other.nouns.is_empty() && self.nouns.ends_with(&other.nouns)
    }

    /// `po` of a purchase order. One noun has none.
    fn initials(&self) -> String {
        if self.nouns.len() < 2 {
            return String::new();
        }
        self.nouns.iter().filter_map(|noun| noun.chars().next()).collect()
    }

    /// Whether `invoice_id` is the id of what `get_invoice` is about; so are `po_id` and `claim_id` of
    /// `get_purchase_order` and `get_expense_claim`.
    pub(crate) fn is_id_of_noun(&self, parameter: &str) -> bool {
        let mut stem = words(parameter);
        if stem.last().is_some_and(|last| matches!(last.as_str(), "id" | "no" | "number" | "key")) {
            stem.pop();
        } else {
            return false;
        }
        let stem: Vec<String> = stem.iter().map(|word| singular(word)).collect();
        stem.is_empty()
            || self.nouns.ends_with(&stem)
            || matches!(stem.as_slice(), [only] if *only == self.initials())
    }
}

/// The singular of an English noun, as far as tools' names need it.
pub(crate) fn singular(word: &str) -> String {
    let whole = ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) || word.len() < 4;
    if whole {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for end in ["ches", "shes", "xes", "sses"] {
        if word.ends_with(end) {
            return word.strip_suffix("es").unwrap_or(word).to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}
