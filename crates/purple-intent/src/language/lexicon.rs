//! The words of one language, ready to be found.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::file::LexiconFile;
use super::pattern::{Pattern, Reading};
use super::phrases::{Match, Phrases};
use super::remark::RemarkFile;
use super::word::{WordKind, Words};
use super::{ChangeWord, Cue, Danger, Form, VerbForm};
use crate::token::Token;

/// The words of one language.
#[derive(Debug, Default)]
pub struct Lexicon {
    cues: Phrases<Option<Cue>>,
    verbs: Phrases<VerbForm>,
    forms: HashMap<String, Vec<VerbForm>>,
    words: Words,
    changes: HashMap<ChangeWord, HashSet<String>>,
    elisions: Vec<String>,
    clitics: Vec<String>,
    hedges: Vec<String>,
    dangers: Phrases<Option<Danger>>,
    modals: HashSet<String>,
    relatives: HashSet<String>,
    consequences: HashSet<String>,
    finite: HashSet<String>,
    headings: HashSet<String>,
    anchors: HashSet<String>,
    unsure_reasons: HashSet<String>,
    messages: HashSet<String>,
    saying: HashSet<String>,
    wanting: HashSet<String>,
    receiving: HashSet<String>,
    pointing: HashSet<String>,
    presenting: HashSet<String>,
    passives: HashSet<String>,
    moments: HashSet<String>,
    own: HashSet<String>,
    occasions: HashSet<String>,
    occasion_leads: HashSet<String>,
    titles: HashSet<String>,
    listing: HashSet<String>,
    events: HashSet<String>,
}

/// A phrase of a cue in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// What it says.
    pub cue: Cue,
    /// The token indexes of its words, in order. Where there is a gap, they are not in a row.
    pub words: Vec<usize>,
}

/// The cues of a text.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// The cues in order, with exactly their words.
    pub(crate) phrases: Vec<Phrase>,
    /// The words of phrases that contain the word of a cue and mean nothing by themselves: `don't wait`, `as agreed`.
    pub(crate) neutral: Vec<usize>,
    /// Where those of several words begin and end.
    pub(crate) around: Vec<Range<usize>>,
}

/// A verb in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundVerb {
    /// What it can be, in no order of preference.
    pub forms: Vec<VerbForm>,
    /// The token indexes of its words: `gib` and `frei`.
    pub words: Vec<usize>,
}

mod remarks;

impl Lexicon {
    /// Reads a data file. The files are part of the program and tested; one that could not be read would know no verb,
    /// so that no text would be an order.
    /// `context` holds words about the circumstances of an order, separated by spaces, and lines that begin with `#`.
    /// The words of lines that begin with `+` say that something happened. A file about remarks that could not be read
    /// would know no danger; a test reads each.
    pub(super) fn read(text: &str, context: &str, remarks_file: &str) -> Self {
        let file: LexiconFile = toml::from_str(text).unwrap_or_default();
        let words = |list: &str| -> Vec<String> {
            list.split_whitespace().flat_map(|word| file.spellings(word)).collect()
        };
        let is_comment = |line: &&str| line.starts_with('#');
        let context: Vec<&str> = context.lines().filter(|line| !is_comment(line)).collect();
        let remarks: Vec<&str> = context.iter().filter_map(|line| line.strip_prefix('~')).collect();
        let events: Vec<&str> =
            context.iter().filter_map(|line| line.trim_start_matches('~').strip_prefix('+')).collect();
        let remarks: Vec<&str> = remarks.iter().map(|line| line.trim_start_matches('+')).collect();
        let context: Vec<&str> = context
            .iter()
            .filter(|line| !line.starts_with('~'))
            .map(|line| line.trim_start_matches('+'))
            .collect();
        let hedges = file.hedge.iter().map(|phrase| phrase.to_lowercase()).collect();
        let mut lexicon = Self {
            elisions: file.elisions.clone(),
            clitics: file.clitics.clone(),
            hedges,
            ..Self::default()
        };
        for (kind, list) in [
            (WordKind::Function, &file.function),
            (WordKind::Subject, &file.subject),
            (WordKind::Determiner, &file.determiner),
            (WordKind::SecondPerson, &file.second_person),
            (WordKind::PastAuxiliary, &file.past_auxiliary),
            (WordKind::Contrast, &file.contrast),
            (WordKind::Adverb, &file.adverb),
            (WordKind::Abbreviation, &file.abbreviation),
            (WordKind::Courtesy, &file.courtesy),
            (WordKind::Record, &file.record),
            (WordKind::Compared, &file.compared),
            (WordKind::Until, &file.until),
            (WordKind::Embedding, &file.embedding),
            (WordKind::Deadline, &file.deadline),
            (WordKind::Reason, &file.reason),
            (WordKind::People, &file.people),
            (WordKind::Vocabulary, &file.vocabulary),
            (WordKind::Context, &context.join(" ")),
            (WordKind::Event, &events.join(" ")),
            (WordKind::Remark, &remarks.join(" ")),
            (WordKind::Selecting, &file.selecting),
            (WordKind::Preposition, &file.preposition),
            (WordKind::Genitive, &file.genitive),
            (WordKind::Label, &file.label),
            (WordKind::Speaker, &file.speaker),
            (WordKind::Asking, &file.asking),
            (WordKind::Requested, &file.requested),
            (WordKind::Agent, &file.agent),
            (WordKind::Causative, &file.causative),
            (WordKind::Ground, &file.ground),
            (WordKind::Nobody, &file.nobody),
            (WordKind::Purpose, &file.purpose),
            (WordKind::Binding, &file.binding),
        ] {
            words(list).into_iter().for_each(|word| lexicon.words.add(word, kind));
        }
        lexicon.changes =
            file.changes.iter().map(|(kind, list)| (*kind, words(list).into_iter().collect())).collect();
        let cues =
            file.cues.iter().flat_map(|(cue, phrases)| phrases.iter().map(|phrase| (Some(*cue), phrase)));
        let neutral = file.neutral.iter().map(|phrase| (None, phrase));
        let courtesy = file.courtesy.split_whitespace().map(|word| (Some(Cue::Courtesy), word));
        let phrases = cues.chain(neutral).map(|(cue, phrase)| (cue, phrase.as_str())).chain(courtesy);
        for (cue, phrase) in phrases {
            lexicon.add_cue(&file, cue, phrase);
        }
        lexicon.add_remarks(&file, remarks_file);
        for (lemma, forms) in &file.verbs {
            for (phrase, form) in forms.phrases() {
                lexicon.add_verb(&file, phrase, VerbForm { lemma: lemma.clone(), form });
            }
        }
        lexicon
    }

    fn add_remarks(&mut self, file: &LexiconFile, text: &str) {
        let remarks: RemarkFile = toml::from_str(text).unwrap_or_default();
        let words = |list: &str| -> HashSet<String> {
            list.split_whitespace().flat_map(|word| file.spellings(word)).collect()
        };
        self.modals = words(&remarks.modal);
        self.relatives = words(&remarks.relative);
        self.consequences = words(&remarks.consequence);
        self.finite = words(&remarks.finite);
        self.headings = words(&remarks.heading);
        self.anchors = words(&remarks.anchor);
        self.unsure_reasons = words(&remarks.reason);
        self.events = words(&remarks.event);
        self.messages = words(&remarks.message);
        self.saying = words(&remarks.saying);
        self.wanting = words(&remarks.wanting);
        self.receiving = words(&remarks.receiving);
        self.pointing = words(&remarks.pointing);
        self.presenting = words(&remarks.presenting);
        self.passives = words(&remarks.passive);
        self.moments = words(&remarks.moment);
        self.own = words(&remarks.own);
        self.occasions = words(&remarks.occasion);
        self.occasion_leads = words(&remarks.occasion_lead);
        self.titles = words(&remarks.title);
        self.listing = words(&remarks.listing);
        for phrase in &remarks.neutral {
            self.add_cue(file, None, phrase);
        }
        words(&remarks.reason).into_iter().for_each(|word| self.words.add(word, WordKind::Reason));
        let safe = remarks.safe.iter().map(|phrase| (None, phrase));
        let dangers = remarks.danger.iter();
        let dangers =
            dangers.flat_map(|(danger, phrases)| phrases.iter().map(|phrase| (Some(*danger), phrase)));
        for (danger, phrase) in safe.chain(dangers) {
            self.dangers.add(Pattern::read(phrase, |word| file.spellings(word)), danger);
        }
    }

    /// What may change or take back an order in its remarks, with exactly its words.
    pub(crate) fn dangers(&self, tokens: &[Token]) -> Vec<(Danger, Vec<usize>)> {
        let found = self.dangers.find(tokens, &self.readings(tokens), Option::is_none);
        let danger = |(words, dangers): Match<'_, Option<Danger>>| {
            // What is safe as well is safe.
            let all: Option<Vec<Danger>> = dangers.into_iter().copied().collect();
            // Of several, the one that counts everywhere.
            all?.into_iter().max_by_key(|danger| danger.counts_before()).map(|danger| (danger, words))
        };
        found.into_iter().filter_map(danger).collect()
    }

    /// The words of phrases that hold words of a danger and are none: `no objections`.
    pub(crate) fn safe_words(&self, tokens: &[Token]) -> Vec<usize> {
        let found = self.dangers.find(tokens, &self.readings(tokens), Option::is_none);
        let safe = found.into_iter().filter(|(_, dangers)| dangers.iter().any(|danger| danger.is_none()));
        safe.flat_map(|(words, _)| words).collect()
    }

    fn add_cue(&mut self, file: &LexiconFile, cue: Option<Cue>, phrase: &str) {
        let one_spelling = cue.is_some_and(|cue| file.exact.contains(&cue));
        let spellings = |word: &str| if one_spelling { vec![word.to_owned()] } else { file.spellings(word) };
        let words: Vec<&str> = phrase.split_whitespace().flat_map(|word| word.split('/')).collect();
        if !phrase.contains([' ', '*']) && cue != Some(Cue::Courtesy) {
            let words = words.into_iter().flat_map(spellings);
            words.for_each(|word| self.words.add(word, WordKind::Cue));
        }
        self.cues.add(Pattern::read(phrase, spellings), cue);
    }

    fn add_verb(&mut self, file: &LexiconFile, phrase: &str, form: VerbForm) {
        if !phrase.contains(' ') {
            for word in file.spellings(phrase) {
                self.words.add(word.clone(), WordKind::Verb);
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
        self.said(tokens).phrases
    }

    /// The cues of the text, and the words that look like cues.
    pub(crate) fn said(&self, tokens: &[Token]) -> Said {
        let found = self.cues.find(tokens, &self.readings(tokens), |cue| *cue == Some(Cue::Negation));
        let mut said = Said::default();
        for (words, cues) in found {
            let mut cues: Vec<Cue> = cues.into_iter().copied().flatten().collect();
            cues.sort();
            cues.dedup();
            if cues.is_empty() {
                let ends = words.first().zip(words.last());
                said.around
                    .extend(ends.filter(|(first, last)| first < last).map(|(first, last)| *first..*last));
                said.neutral.extend(words);
                continue;
            }
            said.phrases.extend(cues.into_iter().map(|cue| Phrase { cue, words: words.clone() }));
        }
        said
    }

    /// Whether this word, in lower case, asks for what a noun names: `please`.
    pub(crate) fn is_asking(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Asking])
    }

    /// Whether this word, in lower case, says that what a noun names is asked for: `requested`.
    pub(crate) fn is_requested(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Requested])
    }

    /// Whether a reason follows this preposition, in lower case: `as`.
    pub(crate) fn is_ground(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Ground])
    }

    /// Whether this word, in lower case, lets something be done: `get` of "get it approved".
    pub(crate) fn is_causative(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Causative])
    }

    /// Whether who does something follows this word, in lower case: `by`.
    pub(crate) fn is_agent(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Agent])
    }

    /// Whether this word, in lower case, is the kind of a record: `order` before an id is no verb.
    pub fn is_record(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Record])
    }

    /// Whether this word, in lower case, names people that may be the subject of a verb.
    pub(crate) fn is_people(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::People])
    }

    /// Whether this word, in lower case, is a condition before a clause and a preposition before a date: `until`.
    pub(crate) fn is_until(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Until])
    }

    /// Whether this word, in lower case, begins a reason: `because`.
    pub(crate) fn is_reason(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Reason])
    }

    /// Whether this word, in lower case, begins what somebody thinks or says: `that` of "they think that".
    pub(crate) fn is_embedding(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Embedding])
    }

    /// Whether what is before a day makes it a deadline: `by Friday`. In lower case.
    pub(crate) fn is_deadline(&self, word: &str) -> bool {
        self.is_any(word, &[WordKind::Deadline])
    }

    /// Whether this word, in lower case, only compares after a percentage: `too` of "seven percent too much".
    pub(crate) fn is_compared(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Compared])
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
        self.words.is(word, &[WordKind::Function])
    }

    /// Whether this word, in lower case, is a subject or a finite auxiliary, after which a verb is no imperative.
    pub fn is_subject(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Subject])
    }

    /// Whether this word, in lower case, is an article or a preposition: the next word is a noun.
    pub fn is_determiner(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Determiner])
    }

    /// Whether this word, in lower case, addresses the reader.
    pub fn is_second_person(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::SecondPerson])
    }

    /// Whether this word, in lower case, begins what an order is for: `so`.
    pub(crate) fn is_purpose(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Purpose])
    }

    /// Whether this word, in lower case, is the subject of a negated report: `nobody`.
    pub(crate) fn is_nobody(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Nobody])
    }

    /// Whether a negation with this word, in lower case, may concern an order: `must`, `want`, `yet`.
    pub(crate) fn is_binding(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Binding])
    }

    /// Whether this word, in lower case, is an auxiliary of the past.
    pub fn is_past_auxiliary(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::PastAuxiliary])
    }

    /// Whether this word, in lower case, ends the scope of what was before.
    pub fn is_contrast(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Contrast])
    }

    /// Whether this word, in lower case, is an adverb that carries nothing before an imperative.
    pub fn is_adverb(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Adverb])
    }

    /// Whether the full stop after this word, in lower case, ends no sentence.
    pub fn is_abbreviation(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Abbreviation])
    }

    /// Whether this word, in lower case, is a common word of the language that changes nothing about an order.
    pub fn explains(&self, word: &str) -> bool {
        (self.has_word(word) || self.is_any(word, &[WordKind::Context])) && !self.is_selecting(word)
    }

    /// Whether this word, in lower case, is a common word of the language. Words about the circumstances of an order are
    /// none: what leaves an order as it is can change a figure.
    pub fn knows(&self, word: &str) -> bool {
        self.has_word(word) && !self.is_selecting(word)
    }

    /// Whether this word, in lower case, chooses a part of something or something else: `half`, `another`.
    pub(crate) fn is_selecting(&self, word: &str) -> bool {
        self.is_any(word, &[WordKind::Selecting])
    }

    /// Whether this word, in lower case, is about the circumstances of an order.
    pub(crate) fn is_circumstance(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Context])
    }

    /// Whether this word, in lower case, changes nothing about an order where it is part of a remark.
    pub(crate) fn is_remark(&self, word: &str) -> bool {
        self.is_any(word, &[WordKind::Remark]) && !self.is_selecting(word)
    }

    /// Whether this word, in lower case, says that something happened: `arrived`.
    pub(crate) fn is_event(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Event])
    }

    /// Whether this word, in lower case, is urgent and nothing else, so that an order can follow it: `urgent: …`.
    pub(crate) fn is_label(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Label])
    }

    /// Whether this word, in lower case, is the person who speaks, as an object: `me`.
    pub(crate) fn is_speaker(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Speaker])
    }

    /// Whether this word, in lower case, is a preposition.
    pub(crate) fn is_preposition(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Preposition])
    }

    /// Whether what follows this word, in lower case, belongs to the noun before it: `of`, or a German genitive.
    pub(crate) fn links_nouns(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Preposition, WordKind::Genitive])
    }

    /// Whether this word, in lower case, is a common word of business that orders nothing itself.
    pub fn is_common(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Vocabulary])
    }

    /// Phrases of somebody who is not sure, in lower case: `i think`, `not sure`.
    pub(crate) fn hedges(&self) -> &[String] {
        &self.hedges
    }

    /// Whether this word, in lower case, says this about a change of items.
    pub(crate) fn says(&self, kind: ChangeWord, word: &str) -> bool {
        self.changes.get(&kind).is_some_and(|words| words.contains(word))
    }

    /// Whether this word, in lower case, is only polite.
    pub fn is_courtesy(&self, word: &str) -> bool {
        self.words.is(word, &[WordKind::Courtesy])
    }

    /// Whether this word is a verb, a function word or a cue of one word, and therefore not a name.
    pub(crate) fn has_meaning(&self, word: &str) -> bool {
        self.is_any(word, &[WordKind::Verb, WordKind::Function, WordKind::Cue])
    }

    /// Whether this word shows that a text is in this language.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        const KINDS: [WordKind; 5] =
            [WordKind::Verb, WordKind::Function, WordKind::Cue, WordKind::Vocabulary, WordKind::Courtesy];
        self.is_any(word, &KINDS)
    }

    /// Whether a word is one of these kinds, as written or without its elision.
    fn is_any(&self, word: &str, kinds: &[WordKind]) -> bool {
        let without = || self.without_elision(word);
        self.words.is(word, kinds) || without().is_some_and(|rest| self.words.is(rest, kinds))
    }

    fn readings<'a>(&self, tokens: &'a [Token]) -> Vec<Reading<'a>> {
        tokens.iter().map(|token| (token.lower.as_str(), self.without_elision(&token.lower))).collect()
    }

    /// A verb without the pronouns that a hyphen joins to it: `envoyez-lui`.
    pub(crate) fn without_clitic<'a>(&self, word: &'a str) -> Option<&'a str> {
        let verbs = self.clitics.iter().filter_map(|clitic| word.strip_suffix(clitic.as_str()));
        let mut verbs = verbs.filter(|verb| self.verb(verb).iter().any(|one| one.form == Form::Imperative));
        verbs.next()
    }

    fn without_elision<'a>(&self, word: &'a str) -> Option<&'a str> {
        self.elisions
            .iter()
            .find_map(|elision| word.strip_prefix(elision.as_str()))
            .filter(|rest| !rest.is_empty())
    }
}
