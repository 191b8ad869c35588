//! The words of a language by which a request for something protected is known.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use purple_intent::{Detected, Language, Reading};

use super::words::Word;

/// Words, each with `*` where more letters may stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(Vec<Pattern>);

#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Whole(&'static str),
    Begins(&'static str),
    Ends(&'static str),
}

impl Pattern {
    fn of(text: &'static str) -> Self {
        match (text.strip_prefix('*'), text.strip_suffix('*')) {
            (Some(end), _) => Self::Ends(end),
            (None, Some(start)) => Self::Begins(start),
            (None, None) => Self::Whole(text),
        }
    }

    pub(super) fn fits(&self, word: &str) -> bool {
        match self {
            Self::Whole(whole) => word == *whole,
            Self::Begins(start) => word.starts_with(start),
            Self::Ends(end) => word.ends_with(end),
        }
    }
}

impl Words {
    fn of(text: &'static str) -> Self {
        Self(text.split_whitespace().map(Pattern::of).collect())
    }

    pub(super) fn matches(&self, word: &str) -> bool {
        self.0.iter().any(|pattern| pattern.fits(word))
    }
}

/// A noun of one or more words; words without content may stand between them.
#[derive(Clone, Debug)]
pub(super) struct Noun(Vec<Pattern>);

impl Noun {
    /// Whether a word is this noun but for one slip: a letter left out, written twice, or changed with its neighbour. Only
    /// long words are known by what is left of them.
    pub(super) fn is_meant_by(&self, word: &str) -> bool {
        const LETTERS_MIN: usize = 7;
        let [Pattern::Whole(noun) | Pattern::Begins(noun) | Pattern::Ends(noun)] = self.0.as_slice() else {
            return false;
        };
        let (noun, word): (Vec<char>, Vec<char>) = (noun.chars().collect(), word.chars().collect());
        if noun.len() <= LETTERS_MIN || word.len() < LETTERS_MIN || noun.first() != word.first() {
            return false;
        }
        let same = noun.iter().zip(&word).take_while(|(one, other)| one == other).count();
        let rest = |letters: &[char], from: usize| letters.get(from..).unwrap_or_default().to_vec();
        let (left_out, doubled) =
            (rest(&noun, same + 1) == rest(&word, same), rest(&noun, same) == rest(&word, same + 1));
        let is_twin = same > 0 && word.get(same) == word.get(same - 1);
        let changed = rest(&noun, same + 2) == rest(&word, same + 2)
            && noun.get(same) == word.get(same + 1)
            && noun.get(same + 1) == word.get(same);
        same < noun.len()
            && (left_out && same + 1 < noun.len() || doubled && is_twin || changed && same + 1 < noun.len())
    }

    /// Where it ends, if it begins at this word.
    pub(super) fn at(&self, words: &[Word], at: usize, lexis: &Lexis) -> Option<usize> {
        const BETWEEN_MAX: usize = 2;
        let mut place = at;
        for (number, pattern) in self.0.iter().enumerate() {
            let mut skipped = 0;
            loop {
                let word = words.get(place)?;
                if pattern.fits(&word.plain) {
                    break;
                }
                if number == 0 || skipped == BETWEEN_MAX || !lexis.between.matches(&word.plain) {
                    return None;
                }
                (place, skipped) = (place + 1, skipped + 1);
            }
            place += 1;
        }
        Some(place)
    }
}

/// The words of one language.
#[derive(Clone, Debug)]
pub(super) struct Lexis {
    language: Language,
    pub(super) secret: Vec<Noun>,
    /// Personal data that is protected for every person.
    pub(super) always: Vec<Noun>,
    pub(super) personal: Vec<Noun>,
    /// Question words with a verb that asks for protected data of its subject.
    pub(super) facts: Vec<Vec<Pattern>>,
    /// Words for secrets that are many other things too, and are secrets where they were disguised.
    pub(super) disguised: Words,
    /// Words by which things are counted or summed.
    pub(super) counts: Words,
    /// Words that count what follows with an "of".
    pub(super) counted: Words,
    /// The words for ourselves, who are no person.
    pub(super) own: Words,
    /// The words for names: what is listed by name is not counted.
    pub(super) names: Words,
    /// Question words before what is asked for.
    pub(super) opens: Words,
    pub(super) tells: Words,
    pub(super) channels: Words,
    pub(super) asks: Words,
    pub(super) needs: Words,
    pub(super) speakers: Words,
    pub(super) sent: Words,
    pub(super) not: Words,
    pub(super) other: Words,
    /// Words by which data is written down or used, and told to nobody.
    pub(super) keeps: Words,
    /// Words before a place where something is written down.
    pub(super) goals: Words,
    /// Words for writing something down there.
    pub(super) writes: Words,
    pub(super) about: Words,
    pub(super) follows: Words,
    pub(super) becomes: Words,
    pub(super) whole: Words,
    pub(super) people: Words,
    pub(super) companies: Words,
    pub(super) determiners: Words,
    pub(super) between: Words,
    pub(super) it: Words,
    pub(super) of: Words,
    pub(super) leads: Words,
}

static ALL: LazyLock<Vec<Lexis>> = LazyLock::new(|| {
    let text = |language| match language {
        Language::English => include_str!("en.txt"),
        Language::German => include_str!("de.txt"),
        Language::French => include_str!("fr.txt"),
        Language::Spanish => include_str!("es.txt"),
    };
    let mut all: Vec<Lexis> =
        Language::ALL.into_iter().map(|language| Lexis::of(language, text(language))).collect();
    // The words of the trade are English in every language.
    let english =
        all.iter().find(|lexis| lexis.language == Language::English).map(|lexis| lexis.secret.clone());
    for lexis in all.iter_mut().filter(|lexis| lexis.language != Language::English) {
        lexis.secret.extend(english.iter().flatten().cloned());
    }
    all
});

impl Lexis {
    pub(super) fn all() -> &'static [Self] {
        &ALL
    }

    /// Whether a text is in this language, or may be.
    pub(super) fn is_spoken(&self, reading: &Reading) -> bool {
        match &reading.language {
            Detected::One(language) => *language == self.language,
            Detected::Mixed(languages) => languages.contains(&self.language),
            Detected::Unknown => true,
        }
    }

    /// Reads a file: `name = words`, one name a line; nouns are separated by commas.
    fn of(language: Language, text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let named: BTreeMap<&str, &'static str> =
            lines.filter_map(|line| line.split_once('=')).map(|(name, words)| (name.trim(), words)).collect();
        let get = |name: &str| named.get(name).copied().unwrap_or_default();
        let words = |name: &str| Words::of(get(name));
        let nouns = |name: &str| -> Vec<Noun> {
            let nouns = get(name).split(',').map(|noun| noun.split_whitespace().map(Pattern::of).collect());
            nouns.filter(|noun: &Vec<Pattern>| !noun.is_empty()).map(Noun).collect()
        };
        Self {
            language,
            secret: nouns("secret"),
            always: nouns("always"),
            personal: nouns("personal"),
            facts: get("facts")
                .split(',')
                .map(|words| words.split_whitespace().map(Pattern::of).collect::<Vec<_>>())
                .filter(|words| words.len() > 1)
                .collect(),
            disguised: words("disguised"),
            counts: words("counts"),
            counted: words("counted"),
            own: words("own"),
            names: words("names"),
            opens: words("opens"),
            tells: words("tells"),
            channels: words("channels"),
            asks: words("asks"),
            needs: words("needs"),
            speakers: words("speakers"),
            sent: words("sent"),
            not: words("not"),
            other: words("other"),
            keeps: words("keeps"),
            goals: words("goals"),
            writes: words("writes"),
            about: words("about"),
            follows: words("follows"),
            becomes: words("becomes"),
            whole: words("whole"),
            people: words("people"),
            companies: words("companies"),
            determiners: words("determiners"),
            between: words("between"),
            it: words("it"),
            of: words("of"),
            leads: words("leads"),
        }
    }
}
