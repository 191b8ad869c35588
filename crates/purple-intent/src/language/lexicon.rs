//! The words of one language, ready to be found.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::file::LexiconFile;
use super::pattern::{Pattern, Reading};
use super::{Cue, VerbForm};
use crate::token::Token;

/// The words of one language.
#[derive(Debug, Default)]
pub struct Lexicon {
    cues: Phrases<Option<Cue>>,
    verbs: Phrases<VerbForm>,
    forms: HashMap<String, Vec<VerbForm>>,
    function: HashSet<String>,
    subject: HashSet<String>,
    determiner: HashSet<String>,
    second_person: HashSet<String>,
    contrast: HashSet<String>,
    adverb: HashSet<String>,
    abbreviation: HashSet<String>,
    courtesy: HashSet<String>,
    vocabulary: HashSet<String>,
    single: HashSet<String>,
    elisions: Vec<String>,
}

/// A phrase of a cue in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// What it says.
    pub cue: Cue,
    /// The token indexes of its words, in order. Where there is a gap, they are not in a row.
    pub words: Vec<usize>,
}

/// A verb in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundVerb {
    /// What it can be, in no order of preference.
    pub forms: Vec<VerbForm>,
    /// The token indexes of its words: `gib` and `frei`.
    pub words: Vec<usize>,
}

/// Phrases with what each means, by their first word.
#[derive(Debug)]
struct Phrases<T> {
    all: Vec<(Pattern, T)>,
    by_word: HashMap<String, Vec<usize>>,
    by_part: Vec<usize>,
}

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self { all: Vec::new(), by_word: HashMap::new(), by_part: Vec::new() }
    }
}

/// What was found, and where.
type Match<'a, T> = (Vec<usize>, Vec<&'a T>);

impl<T> Phrases<T> {
    fn add(&mut self, pattern: Pattern, meaning: T) {
        let index = self.all.len();
        match pattern.beginnings() {
            Some(words) => {
                for word in words {
                    self.by_word.entry(word.to_owned()).or_default().push(index);
                }
            }
            None => self.by_part.push(index),
        }
        self.all.push((pattern, meaning));
    }

    /// All phrases of the text. A word belongs to one phrase: the one with most words, of those one that
    /// `prefer` is true for, of those the one with the shortest gap, and of those the first.
    fn find(&self, tokens: &[Token], readings: &[Reading], prefer: impl Fn(&T) -> bool) -> Vec<Match<'_, T>> {
        let mut candidates: BTreeMap<Vec<usize>, Vec<&T>> = BTreeMap::new();
        for (at, (whole, rest)) in readings.iter().copied().enumerate() {
            let listed = |word: &str| self.by_word.get(word).into_iter().flatten();
            for index in listed(whole).chain(rest.into_iter().flat_map(listed)).chain(&self.by_part) {
                let Some((pattern, meaning)) = self.all.get(*index) else { continue };
                if let Some(words) = pattern.find(tokens, readings, at) {
                    candidates.entry(words).or_default().push(meaning);
                }
            }
        }
        let mut candidates: Vec<Match<'_, T>> = candidates.into_iter().collect();
        let width = |words: &[usize]| words.last().zip(words.first()).map_or(0, |(last, first)| last - first);
        candidates.sort_by_key(|(words, meanings)| {
            (usize::MAX - words.len(), !meanings.iter().any(|meaning| prefer(meaning)), width(words))
        });
        let mut taken = vec![false; tokens.len()];
        candidates.retain(|(words, _)| {
            let free = words.iter().all(|word| taken.get(*word) == Some(&false));
            for word in words.iter().filter(|_| free) {
                if let Some(taken) = taken.get_mut(*word) {
                    *taken = true;
                }
            }
            free
        });
        candidates.sort_by(|(one, _), (other, _)| one.cmp(other));
        candidates
    }
}

impl Lexicon {
    /// Reads a data file. The files are part of the program and tested; one that could not be read would know no verb,
    /// so that no text would be an order.
    pub(super) fn read(text: &str) -> Self {
        let file: LexiconFile = toml::from_str(text).unwrap_or_default();
        let words = |list: &str| list.split_whitespace().flat_map(|word| file.spellings(word)).collect();
        let mut lexicon = Self {
            function: words(&file.function),
            subject: words(&file.subject),
            determiner: words(&file.determiner),
            second_person: words(&file.second_person),
            contrast: words(&file.contrast),
            adverb: words(&file.adverb),
            abbreviation: words(&file.abbreviation),
            courtesy: words(&file.courtesy),
            vocabulary: words(&file.vocabulary),
            elisions: file.elisions.clone(),
            ..Self::default()
        };
        let cues =
            file.cues.iter().flat_map(|(cue, phrases)| phrases.iter().map(|phrase| (Some(*cue), phrase)));
        let neutral = file.neutral.iter().map(|phrase| (None, phrase));
        let courtesy = file.courtesy.split_whitespace().map(|word| (Some(Cue::Courtesy), word));
        let phrases = cues.chain(neutral).map(|(cue, phrase)| (cue, phrase.as_str())).chain(courtesy);
        for (cue, phrase) in phrases {
            lexicon.add_cue(&file, cue, phrase);
        }
        for (lemma, forms) in &file.verbs {
            for (phrase, form) in forms.phrases() {
                lexicon.add_verb(&file, phrase, VerbForm { lemma: lemma.clone(), form });
            }
        }
        lexicon
    }

    fn add_cue(&mut self, file: &LexiconFile, cue: Option<Cue>, phrase: &str) {
        let one_spelling = cue.is_some_and(|cue| file.exact.contains(&cue));
        let spellings = |word: &str| if one_spelling { vec![word.to_owned()] } else { file.spellings(word) };
        let words: Vec<&str> = phrase.split_whitespace().flat_map(|word| word.split('/')).collect();
        if !phrase.contains([' ', '*']) && cue != Some(Cue::Courtesy) {
            self.single.extend(words.into_iter().flat_map(spellings));
        }
        self.cues.add(Pattern::read(phrase, spellings), cue);
    }

    fn add_verb(&mut self, file: &LexiconFile, phrase: &str, form: VerbForm) {
        if !phrase.contains(' ') {
            for word in file.spellings(phrase) {
                let forms = self.forms.entry(word).or_default();
                if !forms.contains(&form) {
                    forms.push(form.clone());
                }
            }
        }
        self.verbs.add(Pattern::read(phrase, |word| file.spellings(word)), form);
    }

    /// The cues of the text in order, each with its tokens from the first to the last; the words of a gap are inside.
    pub fn cues(&self, tokens: &[Token]) -> Vec<(Cue, Range<usize>)> {
        let range = |phrase: Phrase| {
            let (first, last) = (phrase.words.first()?, phrase.words.last()?);
            Some((phrase.cue, *first..last + 1))
        };
        self.phrases(tokens).into_iter().filter_map(range).collect()
    }

    /// The cues of the text in order, with exactly their words. A word belongs to one phrase, the longest; a phrase
    /// with several meanings is returned once for each. Of phrases equally long, a negation wins.
    pub fn phrases(&self, tokens: &[Token]) -> Vec<Phrase> {
        let found = self.cues.find(tokens, &self.readings(tokens), |cue| *cue == Some(Cue::Negation));
        let phrases = found.into_iter().flat_map(|(words, mut cues)| {
            cues.sort();
            cues.dedup();
            let phrase = move |cue| Phrase { cue, words: words.clone() };
            cues.into_iter().copied().flatten().map(phrase).collect::<Vec<_>>()
        });
        phrases.collect()
    }

    /// The verbs of the text in order, those of several words included: `take care of`, `gib … frei`.
    pub fn verbs(&self, tokens: &[Token]) -> Vec<FoundVerb> {
        let found = self.verbs.find(tokens, &self.readings(tokens), |_| false);
        let verb = |(words, forms): Match<'_, VerbForm>| {
            let mut forms: Vec<VerbForm> = forms.into_iter().cloned().collect();
            forms.sort();
            forms.dedup();
            FoundVerb { forms, words }
        };
        found.into_iter().map(verb).collect()
    }

    /// The verb forms that this word, in lower case, can be; none if it is not a known verb of one word.
    pub fn verb(&self, word: &str) -> &[VerbForm] {
        let forms = self.forms.get(word).or_else(|| self.forms.get(self.without_elision(word)?));
        forms.map_or(&[], Vec::as_slice)
    }

    /// Whether this word, in lower case, is an article, preposition, pronoun, auxiliary or conjunction that carries no
    /// order.
    pub fn is_function_word(&self, word: &str) -> bool {
        self.function.contains(word)
    }

    /// Whether this word, in lower case, is a subject or a finite auxiliary, after which a verb is no imperative.
    pub fn is_subject(&self, word: &str) -> bool {
        self.subject.contains(word)
    }

    /// Whether this word, in lower case, is an article or a preposition: the next word is a noun.
    pub fn is_determiner(&self, word: &str) -> bool {
        self.determiner.contains(word)
    }

    /// Whether this word, in lower case, addresses the reader.
    pub fn is_second_person(&self, word: &str) -> bool {
        self.second_person.contains(word)
    }

    /// Whether this word, in lower case, ends the scope of what was before.
    pub fn is_contrast(&self, word: &str) -> bool {
        self.contrast.contains(word)
    }

    /// Whether this word, in lower case, is an adverb that carries nothing before an imperative.
    pub fn is_adverb(&self, word: &str) -> bool {
        self.adverb.contains(word)
    }

    /// Whether the full stop after this word, in lower case, ends no sentence.
    pub fn is_abbreviation(&self, word: &str) -> bool {
        self.abbreviation.contains(word)
    }

    /// Whether this word, in lower case, is a common word of the language, of any kind.
    pub fn explains(&self, word: &str) -> bool {
        self.has_word(word)
    }

    /// Whether this word, in lower case, is a common word of business that orders nothing itself.
    pub fn is_common(&self, word: &str) -> bool {
        self.vocabulary.contains(word)
    }

    /// Whether this word, in lower case, is only polite.
    pub fn is_courtesy(&self, word: &str) -> bool {
        self.courtesy.contains(word)
    }

    /// Whether this word is a verb, a function word or a cue of one word, and therefore not a name.
    pub(crate) fn has_meaning(&self, word: &str) -> bool {
        let known = |word: &str| {
            self.forms.contains_key(word) || self.function.contains(word) || self.single.contains(word)
        };
        known(word) || self.without_elision(word).is_some_and(known)
    }

    /// Whether this word shows that a text is in this language.
    pub(super) fn has_word(&self, word: &str) -> bool {
        let known = |word: &str| self.vocabulary.contains(word) || self.courtesy.contains(word);
        known(word) || self.has_meaning(word) || self.without_elision(word).is_some_and(known)
    }

    fn readings<'a>(&self, tokens: &'a [Token]) -> Vec<Reading<'a>> {
        tokens.iter().map(|token| (token.lower.as_str(), self.without_elision(&token.lower))).collect()
    }

    fn without_elision<'a>(&self, word: &'a str) -> Option<&'a str> {
        self.elisions
            .iter()
            .find_map(|elision| word.strip_prefix(elision.as_str()))
            .filter(|rest| !rest.is_empty())
    }
}
