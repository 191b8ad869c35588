//! Weighs what is known about a tool: the review, a shipped manifest, the hints, the definition.

use serde::{Deserialize, Serialize};

use crate::effect::{Class, Effect};
use crate::json::Json;
use crate::opening::Opening;
use crate::parameter::{self, Context, Hazard, Risk};
use crate::percall::{ByArgument, PerCall};
use crate::verbs::{READ, READ_ENDINGS, UNPROVEN_NOUNS};
use crate::{proof, purpose, words};

/// A tool as its server offers it. Nothing in it is trusted.
#[derive(Clone, Copy, Debug)]
pub struct Offered<'a> {
    /// The name that its server gives it.
    pub name: &'a str,
    /// What the server says that it does.
    pub description: &'a str,
    /// The JSON Schema of its arguments.
    pub schema: &'a Json,
    /// Words that repeat over the tools of its server; see [`vendor_words`](crate::vendor_words).
    pub vendor: &'a [String],
}

/// What people and the server say about a tool, beside its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The effect that the operator stated.
    pub review: Option<Effect>,
    /// The effect in a shipped manifest that the operator named for the server.
    pub shipped: Option<Effect>,
    /// What a process file for which somebody answers does with it: it writes or notifies by it.
    pub file: Option<Effect>,
    /// The server's own hints.
    pub annotations: Annotations,
    /// Whether the operator trusts that server's hints.
    pub server: Trust,
}

impl Declared {
    /// Nobody said anything.
    pub const NOTHING: Self = Self {
        review: None,
        shipped: None,
        file: None,
        annotations: Annotations { read_only: None, destructive: None },
        server: Trust::Untrusted,
    };
}

/// The hints of an MCP server that bear on the effect. A missing hint says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotations {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
}

/// Whether a server's hints may loosen an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Its hints can only make the effect stricter.
    Untrusted,
    /// The operator marked it as trusted.
    Trusted,
}

/// What decided the effect, the strongest evidence first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The operator's review.
    Review,
    /// A shipped manifest.
    Shipped,
    /// A process file for which somebody answers.
    File,
    /// The server's hints.
    Annotations,
    /// Its name, description and schema.
    Definition,
}

/// What a tool is taken for, and why.
pub(crate) struct Decided {
    pub(crate) class: Class,
    pub(crate) by: DecidedBy,
    pub(crate) reason: String,
    pub(crate) per_call: Option<PerCall>,
}

impl Decided {
    fn of(class: Class, by: DecidedBy, reason: impl Into<String>) -> Self {
        Self { class, by, reason: reason.into(), per_call: None }
    }
}

/// Words at the ends of names that repeat over the tools of one server: its own name for itself.
pub fn vendor_words<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    words::repeated(names)
}

/// The strongest evidence decides; weaker evidence can only make it stricter.
pub(crate) fn decide(offered: Offered<'_>, declared: Declared) -> Decided {
    let decided = by_evidence(offered, declared);
    match declared.file {
        // It settles what nothing else does, and proves no read.
        Some(Effect::Notify) if is_open(offered, &decided, declared.annotations) => {
            Decided::of(Class::Notify, DecidedBy::File, "a process file tells somebody by it")
        }
        Some(Effect::Write) if is_open(offered, &decided, declared.annotations) => {
            Decided::of(Class::Write, DecidedBy::File, "a process file changes something by it")
        }
        _ => decided,
    }
}

/// Whether nothing shows what a tool does but that it does something: its definition leaves it open, and its server says
/// no more than that it does not only read.
fn is_open(offered: Offered<'_>, decided: &Decided, hints: Annotations) -> bool {
    let alone = || by_evidence(offered, Declared::NOTHING);
    let weighs = match decided.by {
        DecidedBy::Definition => decided.class == Class::Unclear,
        DecidedBy::Annotations => decided.class == Class::Write && hints.destructive != Some(true),
        DecidedBy::Review | DecidedBy::Shipped | DecidedBy::File => false,
    };
    weighs && matches!(alone(), Decided { class: Class::Unclear, per_call: None, .. })
}

fn by_evidence(offered: Offered<'_>, declared: Declared) -> Decided {
    if let Some(effect) = declared.review {
        return Decided::of(effect.into(), DecidedBy::Review, "reviewed by the operator");
    }
    if let Some(effect) = declared.shipped {
        return Decided::of(effect.into(), DecidedBy::Shipped, "reviewed in a shipped manifest");
    }
    let split = words::split(offered.name);
    let name = words::without_vendor(&split, offered.vendor);
    let opening = Opening::of(offered.description);
    let context = Context { name: &name, description: offered.description, opening: &opening };
    let risks = parameter::risks(offered.schema, context);
    let statement = risks.iter().any(|risk| matches!(risk.hazard, Hazard::Text(_)));
    let opening = if statement { opening.of_statement() } else { opening };
    let (named, reason) = named(&name, &opening, offered.schema);
    let writes = purpose::writes(offered.description, &risks);
    let Annotations { read_only, destructive } = declared.annotations;
    let contradicts = destructive == Some(true) || read_only == Some(false);
    // No hint says who may know a secret.
    let secret = proof::tells_secrets(&name, &opening);
    let trusted = declared.server == Trust::Trusted && read_only == Some(true) && !contradicts && !secret;
    if contradicts && named != Class::Write {
        return match (named, destructive) {
            (Class::Notify, None | Some(false)) => Decided::of(named, DecidedBy::Definition, reason),
            _ => Decided::of(
                Class::Write,
                DecidedBy::Annotations,
                "the server itself says that it does not only read",
            ),
        };
    }
    if named == Class::Write || named == Class::Notify {
        // MCP has no word for telling, so a trusted hint that it only reads is about records.
        return match trusted && named == Class::Write && writes.is_none() {
            true => by_parameters(
                Decided::of(Class::Read, DecidedBy::Annotations, TRUSTED),
                offered.schema,
                &risks,
                Selections::Trusted,
            ),
            false => Decided::of(named, DecidedBy::Definition, reason),
        };
    }
    if let Some(verb) = writes {
        return Decided::of(Class::Write, DecidedBy::Definition, format!("its description says `{verb}`"));
    }
    if trusted {
        return by_parameters(
            Decided::of(Class::Read, DecidedBy::Annotations, TRUSTED),
            offered.schema,
            &risks,
            Selections::Trusted,
        );
    }
    let decided = Decided::of(named, DecidedBy::Definition, reason);
    let queries =
        name.first() == Some(&"query") && proof::doubt_about(&name, &opening, offered.schema).is_none();
    if named == Class::Read || queries {
        return by_parameters(decided, offered.schema, &risks, Selections::Unproven);
    }
    decided
}

/// What the name says, with the opening of the description: a read only where both can be nothing else.
fn named(name: &[&str], opening: &Opening, schema: &Json) -> (Class, String) {
    let (class, reason) = words::class_of(name, |word| opening.names(word));
    match class {
        Class::Write if proof::is_thing_after_all(name, opening) => {
            (Class::Read, "its description says that it reads what its name says".to_owned())
        }
        Class::Read => match proof::doubt_about(name, opening, schema) {
            Some(doubt) => (Class::Unclear, doubt),
            None => (Class::Read, reason),
        },
        Class::Unclear if is_thing(name) => match proof::doubt_about_thing(name, opening) {
            Some(doubt) => (Class::Unclear, doubt),
            None => (Class::Read, "its description says that it reads what its name says".to_owned()),
        },
        Class::Compute | Class::Write | Class::Notify | Class::Approval | Class::Unclear => (class, reason),
    }
}

/// Whether a name is that of a thing: no word in it is a verb of the tables, but for what is looked at in last place.
fn is_thing(name: &[&str]) -> bool {
    let last = name.len().saturating_sub(1);
    let verb = |(at, word): (usize, &&str)| {
        let read = at == last && at > 0 && READ.contains(word);
        words::is_verb(word) && !READ_ENDINGS.contains(word) && !UNPROVEN_NOUNS.contains(word) && !read
    };
    !name.iter().enumerate().any(verb)
        && !name.first().is_some_and(|first| words::is_verb(first) && *first != "history")
}

const TRUSTED: &str = "the trusted server says that it only reads";

/// Whether an expression that only selects is taken for one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Selections {
    /// A trusted server says so.
    Trusted,
    Unproven,
}

/// What the parameters leave of a read: nothing proves a tool harmless whose argument is a program.
fn by_parameters(decided: Decided, schema: &Json, risks: &[Risk], selections: Selections) -> Decided {
    let harmless = |risk: &&Risk| {
        // What a flag or a choice does is the server's own, and covered by what it says; a text is not.
        let told = matches!(risk.hazard, Hazard::Selection | Hazard::Switch | Hazard::Unproven);
        told && selections == Selections::Trusted
    };
    let risks: Vec<&Risk> = risks.iter().filter(|risk| !harmless(risk)).collect();
    let Some(first) = risks.first() else { return decided };
    let texts: Option<Vec<(String, ByArgument)>> = risks
        .iter()
        .map(|risk| match (risk.path.as_slice(), risk.hazard) {
            ([argument], Hazard::Text(language)) => Some((argument.clone(), ByArgument::Text(language))),
            _ => None,
        })
        .collect();
    let by = DecidedBy::Definition;
    let per_call = texts.map(|texts| PerCall::new(texts, schema));
    let worst = risks.iter().find(|risk| !matches!(risk.hazard, Hazard::Text(_))).unwrap_or(first);
    Decided { class: Class::Unclear, by, reason: worst.reason(), per_call }
}

/// The parameters that take an address, where nothing else keeps the tool from reading.
pub(crate) fn addresses(offered: Offered<'_>) -> Option<Vec<String>> {
    let split = words::split(offered.name);
    let name = words::without_vendor(&split, offered.vendor);
    let opening = Opening::of(offered.description);
    let context = Context { name: &name, description: offered.description, opening: &opening };
    let risks = parameter::risks(offered.schema, context);
    let writes = words::class_of(&name, |_| false).0 == Class::Write
        || purpose::writes(offered.description, &risks).is_some();
    let address = |risk: &Risk| match (risk.path.as_slice(), risk.hazard) {
        ([argument], Hazard::Address) => Some(argument.clone()),
        _ => None,
    };
    let addresses: Option<Vec<String>> = risks.iter().map(address).collect();
    addresses.filter(|addresses| !addresses.is_empty() && !writes)
}
