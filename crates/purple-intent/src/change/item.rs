//! The names of the items that exist, recognised in any case and in the plural.

use std::collections::{HashMap, HashSet};

use crate::token::{Token, tokens};

/// The names of items.
pub(super) struct ItemNames<'n> {
    exact: HashSet<&'n str>,
    /// By the stem of the first word: the stems of all words, and the name.
    by_first: HashMap<String, Vec<(Vec<String>, &'n str)>>,
}

impl<'n> ItemNames<'n> {
    pub(super) fn new(names: &[&'n str]) -> Self {
        let mut by_first: HashMap<String, Vec<(Vec<String>, &'n str)>> = HashMap::new();
        for name in names {
            let words: Vec<String> = tokens(name).iter().map(|token| stem(&token.lower)).collect();
            let Some(first) = words.first().cloned() else { continue };
            by_first.entry(first).or_default().push((words, name));
        }
        Self { exact: names.iter().copied().collect(), by_first }
    }

    /// Whether this is the name of an item.
    pub(super) fn has(&self, name: &str) -> bool {
        self.exact.contains(name)
    }

    /// The item whose name begins at this token, and the place after it. Of several the one with the most words; `None`
    /// where two of these are meant alike.
    pub(super) fn at(&self, tokens: &[Token], begin: usize) -> Option<(&'n str, usize)> {
        let named = self.by_first.get(&stem(&tokens.get(begin)?.lower))?;
        let fits = |words: &Vec<String>| {
            let said = tokens.get(begin..begin + words.len()).unwrap_or_default();
            said.len() == words.len()
                && said.iter().zip(words).all(|(token, word)| stem(&token.lower) == *word)
        };
        let fitting: Vec<&(Vec<String>, &str)> = named.iter().filter(|(words, _)| fits(words)).collect();
        let longest = fitting.iter().map(|(words, _)| words.len()).max()?;
        let mut names = fitting.iter().filter(|(words, _)| words.len() == longest).map(|(_, name)| *name);
        let name = names.next()?;
        names.all(|other| other == name).then_some((name, begin + longest))
    }
}

/// A word without the ending of a plural: `batteries` and `battery` have one stem, and so have `cases` and `case`.
fn stem(word: &str) -> String {
    let stem = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let ending = ["es", "s", "en", "n", "e"].iter().find_map(|ending| word.strip_suffix(ending));
    let cut = stem.or_else(|| ending.map(str::to_owned)).filter(|cut| cut.chars().count() > 2);
    let cut = cut.unwrap_or_else(|| word.to_owned());
    cut.strip_suffix('e').map_or_else(|| cut.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_any_case_and_in_the_plural_and_two_are_not() {
        let names =
            ItemNames::new(&["Battery", "Case", "Hub", "Hub Pro", "Cable 2 m", "Cable 5 m", "Lamp", "Lamps"]);
        let at = |text: &str| names.at(&tokens(text), 0).map(|(name, _)| name);
        for (said, name) in [
            ("batteries", "Battery"),
            ("cases", "Case"),
            ("HUBS", "Hub"),
            ("hub pros", "Hub Pro"),
            ("cables 5 m", "Cable 5 m"),
        ] {
            assert_eq!(at(said), Some(name), "{said}");
        }
        for said in ["cable", "hubble", "lamps", "lamp", "pro"] {
            assert_eq!(at(said), None, "{said}");
        }
    }
}
