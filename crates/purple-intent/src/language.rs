//! The cue words of each language, and which language a text is written in.
//!
//! The words are data: `data/en.toml` and so on. Adding a phrase needs no code.

mod detect;
mod file;
mod lexicon;
mod pattern;
mod phrases;
mod remark;
mod word;

use std::sync::LazyLock;

use serde::Deserialize;

pub use detect::Detected;
pub(crate) use detect::other_languages;
pub use lexicon::{FoundVerb, Lexicon, Phrase};

/// A language whose cue words are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
}

impl Language {
    /// All languages, in a fixed order.
    pub const ALL: [Self; 4] = [Self::English, Self::German, Self::French, Self::Spanish];

    /// Its code, such as `en`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
        }
    }

    /// The language of a code such as `en`.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The text of its data file.
    const fn data(self) -> &'static str {
        match self {
            Self::English => include_str!("../data/en.toml"),
            Self::German => include_str!("../data/de.toml"),
            Self::French => include_str!("../data/fr.toml"),
            Self::Spanish => include_str!("../data/es.toml"),
        }
    }

    /// What the text of its data file about remarks says.
    const fn remarks(self) -> &'static str {
        match self {
            Self::English => include_str!("../data/remark/en.toml"),
            Self::German => include_str!("../data/remark/de.toml"),
            Self::French => include_str!("../data/remark/fr.toml"),
            Self::Spanish => include_str!("../data/remark/es.toml"),
        }
    }

    /// Words about the circumstances of an order, with comments.
    const fn context(self) -> &'static str {
        match self {
            Self::English => include_str!("../data/context/en.txt"),
            Self::German => include_str!("../data/context/de.txt"),
            Self::French => include_str!("../data/context/fr.txt"),
            Self::Spanish => include_str!("../data/context/es.txt"),
        }
    }
}

/// What a phrase says about the words around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cue {
    /// Something is not to be done, or not so: `not`, `hold off`, `leave … alone`.
    Negation,
    /// Something is asked: `who`, `can we`, `?`.
    Question,
    /// Something holds only if something else does: `if`, `unless`, `as soon as`.
    Condition,
    /// Something done is to be undone: `undo`, `take … back`.
    Reversal,
    /// A text is wanted, not the act: `draft`, `compose`.
    Draft,
    /// A number is wanted: `calculate`, `how much`.
    Calculation,
    /// No more than this is wanted: `only`, `estimate`, `dry run`.
    Limit,
    /// Somebody else's words: `said`, `according to`.
    Reported,
    /// Not now, or not once: `tomorrow`, `every month`.
    OtherTime,
    /// What was said before is replaced: `scratch that`, `I mean`.
    Correction,
    /// Politeness without content: `please`, `thanks`.
    Courtesy,
    /// Another act follows: `and`, `then`.
    Sequence,
    /// An order in polite form: `could you`, `needs to be`.
    Wish,
}

/// Why a remark may change or take back the order that it stands beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Danger {
    /// It turns against what was said: `but`, `instead`, `on the other hand`, `hmm`.
    Contrast,
    /// It contrasts what is before it in its sentence: `but`, `although`.
    Turn,
    /// It replaces or takes back what was said: `scratch that`, `wrong chat`, `never mind`.
    Correction,
    /// It is disputed, wrong or uncertain: `fishy`, `no idea`, `looks like`.
    Doubt,
    /// It speaks against what was delivered or billed: `does not match`. That is a reason to reject it.
    Fault,
    /// It is to stop, to wait or to stay as it is: `hands off`, `on hold`, `stays open`.
    Stop,
    /// It is not meant: `kidding`, `when hell freezes over`, `over my dead body`.
    Joke,
    /// It is an example, a text, a test or a story: `for the slides`, `sandbox`, `wording`.
    Fiction,
    /// Somebody else is to do it, or does it: `@Tom`, `not your job`, `I'll do it myself`.
    Other,
    /// It is old, void or done: `superseded`, `already booked`, `no longer needed`.
    Stale,
    /// It is for another time: `not before`, `come April`, `until then`.
    Later,
    /// Somebody has to agree, to sign or to decide first: `pending`, `still has to`, `my go`.
    Permission,
}

impl Danger {
    /// Whether a remark before the order can have it. What turned against something then was said before the order, which
    /// is the last word.
    pub(crate) const fn counts_before(self) -> bool {
        match self {
            Self::Contrast | Self::Turn | Self::Correction => false,
            Self::Doubt
            | Self::Fault
            | Self::Stop
            | Self::Joke
            | Self::Fiction
            | Self::Other
            | Self::Stale
            | Self::Later
            | Self::Permission => true,
        }
    }
}

/// What a word says about a change of the items of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChangeWord {
    /// `two more`.
    More,
    /// `two fewer`.
    Less,
    /// A word before a number that is added: `plus two`.
    Plus,
    /// A word before a number that is taken away: `minus two`.
    Minus,
    /// A word after an item that comes in: `two Hub in`.
    Inward,
    /// A word after an item that goes out: `two Hub out`.
    Outward,
    /// An article that counts one.
    One,
    /// Twelve.
    Dozen,
    /// A word between a number and an item: `pieces of`.
    Measure,
    /// A word between what is replaced and its replacement.
    Swap,
    /// A word before a difference: `by two`.
    By,
    /// A verb that makes a quantity larger by a difference.
    Raise,
    /// A verb that makes a quantity smaller by a difference.
    Lower,
    /// `quantity`.
    Quantity,
    /// A verb of replacement whose objects can be in either order.
    Reverse,
    /// A word before a number that makes it inexact: `up to 3`, `about 20`.
    Inexact,
    /// A word after an item that makes it another quantity or a choice: `2 Hub each`, `2 Hub or 3 Lamp`.
    Repeats,
    /// A word by which somebody is said to want a change: `they need two more Hub`.
    Wants,
}

/// What a verb means and in which form it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VerbForm {
    /// The English base form: `approve` for `freigeben`.
    pub lemma: String,
    /// The form.
    pub form: Form,
}

/// The form of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `approve`, `genehmige`, `apruebe`; also the polite subjunctive and plural.
    Imperative,
    /// `approve`, `genehmigen`, `freizugeben`.
    Infinitive,
    /// Any other form of the present: `approves`, `genehmigst`.
    ThirdPerson,
    /// `approved`, `genehmigte`, `aprobó`.
    Past,
    /// `approved`, `genehmigt`, `approuvée`.
    Participle,
    /// `approving`, `approuvant`.
    Gerund,
    /// `approval`, `Freigabe`.
    Noun,
}

/// The cue words of a language.
pub fn lexicon(language: Language) -> &'static Lexicon {
    static LEXICONS: LazyLock<[Lexicon; 4]> = LazyLock::new(|| {
        Language::ALL.map(|language| Lexicon::read(language.data(), language.context(), language.remarks()))
    });
    let [english, german, french, spanish] = &*LEXICONS;
    match language {
        Language::English => english,
        Language::German => german,
        Language::French => french,
        Language::Spanish => spanish,
    }
}
