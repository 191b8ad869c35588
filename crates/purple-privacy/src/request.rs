//! Finds requests to show or send what nobody may be shown: secrets of systems, and protected data of people.
//!
//! A clause is such a request when somebody is to be *told* something (a word of telling or a question), what they are to
//! be told is a secret or a person's protected data, and, for data of people, it is that of a person. The reading of the
//! task says in which languages it is. The words are data, one file a language.

mod lexis;
mod words;

use purple_intent::read;
use purple_intent::value::Notation;

use crate::refusal::PrivacyCode;
use lexis::{Lexis, Pattern};
use words::{Clause, clauses, joined};

/// How many words after what is wanted may still say what becomes of it.
const WORDS_AFTER_MAX: usize = 8;

/// What the text asks for, if it asks for anything protected.
pub(crate) fn find(text: &str) -> Option<PrivacyCode> {
    // Most tasks name nothing that is protected, and that is cheap to see.
    let lexes = Lexis::all();
    let every: Vec<&Lexis> = lexes.iter().collect();
    let joined = joined(text);
    let text = joined.as_deref().unwrap_or(text);
    let clauses = clauses(text);
    if !clauses.iter().any(|clause| clause.names_anything(&every)) {
        return None;
    }
    let reading = read(text, &Notation::default());
    let spoken: Vec<&Lexis> = lexes.iter().filter(|lexis| lexis.is_spoken(&reading)).collect();
    clauses.iter().find_map(|clause| clause.asked_for(&clause.languages(&every, &spoken)))
}

/// Whose data it must be to be protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Any,
    Person,
}

impl Clause {
    fn names_anything(&self, spoken: &[&Lexis]) -> bool {
        spoken.iter().any(|lexis| self.things(lexis).next().is_some() || self.asks_about_a_person(lexis))
    }

    fn asked_for(&self, spoken: &[&Lexis]) -> Option<PrivacyCode> {
        spoken.iter().find_map(|lexis| self.asked_in(lexis, spoken))
    }

    /// The languages of the text, and the one that most small words of the clause are of: short texts are taken for
    /// another language now and then.
    fn languages<'l>(&self, every: &[&'l Lexis], spoken: &[&'l Lexis]) -> Vec<&'l Lexis> {
        let small = |lexis: &Lexis| {
            let is_small = |word: &&words::Word| {
                [
                    &lexis.determiners,
                    &lexis.asks,
                    &lexis.opens,
                    &lexis.of,
                    &lexis.people,
                    &lexis.becomes,
                    &lexis.it,
                ]
                .iter()
                .any(|words| words.matches(&word.plain))
            };
            self.words.iter().filter(is_small).count()
        };
        let most = every.iter().map(|lexis| small(lexis)).max().unwrap_or_default();
        let is_one = |lexis: &&&Lexis| {
            spoken.iter().any(|one| std::ptr::eq(*one, **lexis)) || most > 0 && small(lexis) == most
        };
        every.iter().filter(is_one).copied().collect()
    }

    fn asked_in(&self, lexis: &Lexis, spoken: &[&Lexis]) -> Option<PrivacyCode> {
        if self.asks_about_a_person(lexis) {
            return Some(PrivacyCode::Disclosure);
        }
        self.things(lexis).find_map(|(code, whose, at)| {
            let is_person = whose == Whose::Any || self.is_of_a_person(&at, lexis);
            // "Which illness does she have": what follows belongs to the question.
            let is_asked =
                whose == Whose::Person && at.start == 1 && self.any(0..1, |word| lexis.opens.matches(word));
            let is_goal = whose == Whose::Person && self.is_written_to(&at, lexis);
            let is_itself = !is_goal && (is_asked || !self.is_something_else(&at, lexis, spoken));
            let is_told = || self.is_told(&at, lexis, spoken) || self.is_sent_after(&at, lexis);
            (is_itself
                && is_person
                && (is_told() || self.is_bare(&at, lexis) || self.is_wanted(&at, lexis, spoken)))
            .then_some(code)
        })
    }

    /// "How much does Karl earn", "Where does she live": the verb names what is protected, and its subject the person.
    fn asks_about_a_person(&self, lexis: &Lexis) -> bool {
        const SUBJECT_WORDS_MAX: usize = 3;
        let fits =
            |at: usize, pattern: &Pattern| self.words.get(at).is_some_and(|word| pattern.fits(&word.plain));
        lexis.facts.iter().any(|words| {
            let mut place = None;
            let mut before = None;
            for pattern in words {
                let from = place.map_or(0, |place| place + 1);
                before = before.or(place.map(|_| from));
                place = (from..self.words.len()).find(|at| fits(*at, pattern));
                if place.is_none() {
                    return false;
                }
            }
            let (Some(verb), Some(before)) = (place, before) else { return false };
            // The subject stands between the two, or after a verb that follows its question word.
            let between = before..verb;
            let subject = if between.len() < 2 { before..verb + 1 + SUBJECT_WORDS_MAX } else { between };
            let end = subject.end.min(self.words.len());
            let found = self.words.get(subject.start.min(end)..end).unwrap_or_default();
            // "the Leeds plant" is no person: a person's name has no article.
            let bare = |word: &&words::Word| !lexis.determiners.matches(&word.plain);
            let is_named = found.iter().take_while(bare).any(|word| word.is_name);
            let is_person = |word: &words::Word| lexis.people.matches(&word.plain) || word.is_person_id;
            (is_named || found.iter().any(is_person))
                && !found
                    .iter()
                    .any(|word| lexis.companies.matches(&word.plain) || lexis.own.matches(&word.plain))
        })
    }

    /// The places of what is protected.
    fn things<'a>(
        &'a self,
        lexis: &'a Lexis,
    ) -> impl Iterator<Item = (PrivacyCode, Whose, std::ops::Range<usize>)> + 'a {
        let kinds = [
            (PrivacyCode::SecretRequest, Whose::Any, &lexis.secret),
            (PrivacyCode::Disclosure, Whose::Any, &lexis.always),
            (PrivacyCode::Disclosure, Whose::Person, &lexis.personal),
        ];
        (0..self.words.len()).filter_map(move |at| {
            let named = kinds.iter().find_map(|(code, whose, nouns)| {
                let end = nouns.iter().find_map(|noun| noun.at(&self.words, at, lexis))?;
                Some((*code, *whose, at..end))
            });
            named.or_else(|| {
                let word = self.words.get(at)?;
                let is_meant = word.is_disguised && lexis.disguised.matches(&word.plain)
                    || lexis.secret.iter().any(|noun| noun.is_meant_by(&word.plain));
                is_meant.then_some((PrivacyCode::SecretRequest, Whose::Any, at..at + 1))
            })
        })
    }

    fn any(&self, range: std::ops::Range<usize>, is: impl Fn(&str) -> bool) -> bool {
        let end = range.end.min(self.words.len());
        self.words.get(range.start.min(end)..end).unwrap_or_default().iter().any(|word| is(&word.plain))
    }

    /// "put it on her pay slip": something is written there, and nothing of it is told.
    fn is_written_to(&self, at: &std::ops::Range<usize>, lexis: &Lexis) -> bool {
        let between =
            |word: &words::Word| lexis.determiners.matches(&word.plain) || lexis.people.matches(&word.plain);
        let before = self.words.get(..at.start).unwrap_or_default();
        let goal = before.iter().rev().find(|word| !between(word) || lexis.goals.matches(&word.plain));
        let is_goal = goal.is_some_and(|word| lexis.goals.matches(&word.plain));
        is_goal && self.any(0..at.start, |word| lexis.writes.matches(word))
    }

    /// A password *reset*, the *policy* for passwords, the *average* salary.
    fn is_something_else(&self, at: &std::ops::Range<usize>, lexis: &Lexis, spoken: &[&Lexis]) -> bool {
        let next = self.words.get(at.end).map(|word| word.plain.as_str()).unwrap_or_default();
        let after = self.words.get(at.end + 1).map(|word| word.plain.as_str()).unwrap_or_default();
        // A company of that name.
        let company = at
            .start
            .checked_sub(1)
            .is_some_and(|before| self.any(before..at.start, |word| lexis.companies.matches(word)));
        let any = |is: &dyn Fn(&Lexis) -> bool| spoken.iter().any(|lexis| is(lexis));
        let state = any(&|lexis| lexis.becomes.matches(next)) && any(&|lexis| lexis.other.matches(after));
        any(&|lexis| lexis.follows.matches(next))
            || state
            || self.is_counted(at, lexis)
            || self.is_first_of_a_compound(at)
            || company
            || self.any(0..at.start, |word| lexis.whole.matches(word))
    }

    /// "PIN-Pad", "Login-Gruppe": the last word of a compound says what it is. A list of secrets holds them.
    fn is_first_of_a_compound(&self, at: &std::ops::Range<usize>) -> bool {
        const HOLDERS: &[&str] = &[
            "liste", "listen", "datei", "dateien", "dump", "hash", "hashes", "export", "tabelle", "list",
            "file", "speicher", "tresor",
        ];
        let is_joined =
            at.end.checked_sub(1).and_then(|last| self.words.get(last)).is_some_and(|word| word.is_joined);
        is_joined && !self.any(at.end..at.end + 1, |word| HOLDERS.contains(&word))
    }

    /// "How many sick notes", "the number of passport renewals": a figure, and nothing of anybody.
    fn is_counted(&self, at: &std::ops::Range<usize>, lexis: &Lexis) -> bool {
        const WORDS_BETWEEN_MAX: usize = 3;
        let start = at.start.saturating_sub(WORDS_BETWEEN_MAX + 1);
        let counts = |place: &usize| {
            self.any(*place..place + 1, |word| lexis.counts.matches(word))
                || self.any(*place..place + 1, |word| lexis.counted.matches(word))
                    && self.any(place + 1..place + 2, |word| lexis.of.matches(word))
        };
        let Some(count) = (start..at.start).rev().find(counts) else { return false };
        let joins =
            |word: &str| matches!(word, "and" | "und" | "et" | "y" | "e" | "or" | "oder" | "ou" | "o");
        let is_phrase = !self.any(count + 1..at.start, joins);
        is_phrase && !self.any(at.end..self.words.len(), |word| lexis.names.matches(word))
    }

    /// Whether it is a person's: by a name, a pronoun or a word for people in the clause.
    fn is_of_a_person(&self, at: &std::ops::Range<usize>, lexis: &Lexis) -> bool {
        let beside =
            |word: &words::Word| lexis.people.matches(&word.plain) || word.is_name || word.is_person_id;
        let around = self.words.iter().enumerate().filter(|(place, _)| !at.contains(place));
        let company = self.any(at.end..self.words.len(), |word| lexis.companies.matches(word));
        // "by name".
        let by = |word: &str| matches!(word, "by" | "with" | "mit" | "nach" | "par" | "avec" | "por" | "con");
        let by_name = (at.end..self.words.len()).any(|place| {
            self.any(place..place + 1, by) && self.any(place + 1..place + 2, |word| lexis.names.matches(word))
        });
        if by_name {
            return true;
        }
        !company && around.map(|(_, word)| word).any(beside)
    }

    /// Whether a word of telling governs it: the last one before it, with nothing between that makes it something else.
    fn is_told(&self, at: &std::ops::Range<usize>, lexis: &Lexis, spoken: &[&Lexis]) -> bool {
        let tells = |place: &usize| self.tells(*place, at.start, lexis);
        let Some(telling) = (0..at.start).rev().find(tells) else { return false };
        // "the password policy and the admin password": what is said of the first says nothing of the second.
        let others = self.things(lexis).map(|(_, _, other)| other);
        let earlier =
            others.filter(|other| other.end <= at.start && self.is_something_else(other, lexis, spoken));
        let start = earlier.map(|other| other.end + 1).max().unwrap_or_default().max(telling + 1);
        // "tell me what religion he has": the question word belongs to what is asked for.
        let asked = at
            .start
            .checked_sub(1)
            .filter(|before| self.any(*before..at.start, |word| lexis.opens.matches(word)));
        let gap = start..asked.unwrap_or(at.start);
        let handled = self.any(gap.clone(), |word| {
            spoken.iter().any(|lexis| lexis.other.matches(word) || lexis.about.matches(word))
        });
        // "which accounts use a password" asks for accounts.
        let is_asked = self.any(telling..telling + 1, |word| lexis.asks.matches(word));
        let used = is_asked && self.any(telling + 1..at.start, |word| lexis.keeps.matches(word));
        !handled && !used && !self.is_forbidden(telling, lexis)
    }

    /// Whether the clause wants it and says nothing else about it: no word by which it is handled, written down or
    /// stated. Who asks finds ever new words for telling; the words for handling are few.
    fn is_wanted(&self, at: &std::ops::Range<usize>, lexis: &Lexis, spoken: &[&Lexis]) -> bool {
        // A text whose language is not clear is read in each: what says something else in one of them counts.
        let any = |is: &dyn Fn(&Lexis) -> bool| is(lexis) || spoken.iter().any(|lexis| is(lexis));
        let handles = |word: &str| {
            any(&|lexis| lexis.other.matches(word) || lexis.keeps.matches(word) || lexis.about.matches(word))
        };
        let states = |word: &str| any(&|lexis| lexis.becomes.matches(word) || lexis.other.matches(word));
        let denies = |word: &str| any(&|lexis| lexis.not.matches(word));
        let before = self.any(0..at.start, handles);
        let after = self.any(at.end..self.words.len(), states);
        // "Password: …" alone states something.
        let named: Vec<_> = self.things(lexis).map(|(_, _, place)| place).collect();
        let begins = (0..at.start).any(|place| {
            let plain = |word: &words::Word| {
                [&lexis.determiners, &lexis.leads, &lexis.people]
                    .iter()
                    .any(|words| words.matches(&word.plain))
            };
            !named.iter().any(|thing| thing.contains(&place)) && !self.words.get(place).is_some_and(plain)
        });
        begins && !before && !after && !self.any(0..self.words.len(), denies)
    }

    fn tells(&self, place: usize, before: usize, lexis: &Lexis) -> bool {
        let Some(word) = self.words.get(place) else { return false };
        let earlier = place.checked_sub(1).and_then(|at| self.words.get(at)).map(|word| word.plain.as_str());
        let is_noun = earlier.is_some_and(|earlier| lexis.determiners.matches(earlier));
        let channel = lexis.channels.matches(&word.plain) && place + 1 < before && !is_noun;
        let needs = lexis.needs.matches(&word.plain)
            && self.any(place.saturating_sub(3)..place + 2, |word| lexis.speakers.matches(word));
        lexis.tells.matches(&word.plain) && !is_noun
            || channel
            || needs
            || lexis.asks.matches(&word.plain)
            || (place == 0 && lexis.opens.matches(&word.plain))
    }

    /// "do not send", "never share", "ne pas envoyer".
    fn is_forbidden(&self, place: usize, lexis: &Lexis) -> bool {
        self.any(place.saturating_sub(2)..place, |word| lexis.not.matches(word))
    }

    /// "… must be sent to", "… and email it".
    fn is_sent_after(&self, at: &std::ops::Range<usize>, lexis: &Lexis) -> bool {
        let last = (at.end + WORDS_AFTER_MAX).min(self.words.len());
        (at.end..last).any(|place| {
            let word = |at: usize| self.words.get(at).map(|word| word.plain.as_str()).unwrap_or_default();
            let told = lexis.tells.matches(word(place)) || lexis.channels.matches(word(place));
            let is_it = lexis.it.matches(word(place + 1))
                || (lexis.speakers.matches(word(place + 1)) && lexis.it.matches(word(place + 2)));
            let before = place.checked_sub(1).map(word).unwrap_or_default();
            let sent = lexis.sent.matches(word(place)) && !lexis.determiners.matches(before);
            (told && is_it || sent) && !self.is_forbidden(place, lexis)
        })
    }

    /// "Password for the admin account", and nothing else.
    fn is_bare(&self, at: &std::ops::Range<usize>, lexis: &Lexis) -> bool {
        const WORDS_MAX: usize = 9;
        let next = self.words.get(at.end).map(|word| word.plain.as_str()).unwrap_or_default();
        let states = |word: &str| {
            (lexis.becomes.matches(word) && !lexis.of.matches(word)) || lexis.other.matches(word)
        };
        let states = self.any(at.end..self.words.len(), states);
        let leads = self.any(0..at.start, |word| !lexis.leads.matches(word));
        self.words.len() <= WORDS_MAX && !leads && !states && lexis.of.matches(next)
    }
}
