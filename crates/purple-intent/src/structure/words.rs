//! What the words of a passage could mean in any language.

use crate::language::{Cue, Form, Language, lexicon};
use crate::token::{Token, TokenKind};

/// Whether there is a verb that is not a noun at the same time.
pub(super) fn has_verb(tokens: &[Token]) -> bool {
    Language::ALL.into_iter().any(|language| {
        let verbs = lexicon(language).verbs(tokens);
        verbs.iter().any(|verb| verb.forms.iter().any(|form| form.form != Form::Noun))
    })
}

/// Whether there is one of these cues.
pub(super) fn has_cue(tokens: &[Token], cues: &[Cue]) -> bool {
    Language::ALL
        .into_iter()
        .any(|language| lexicon(language).phrases(tokens).iter().any(|phrase| cues.contains(&phrase.cue)))
}

/// Whether this word is a verb, a function word or a cue in any language, and therefore not a name.
pub(super) fn has_meaning(word: &str) -> bool {
    Language::ALL.into_iter().any(|language| lexicon(language).has_meaning(word))
}

/// Whether this word is a function word in any language.
pub(super) fn is_function_word(word: &str) -> bool {
    Language::ALL.into_iter().any(|language| lexicon(language).is_function_word(word))
}

/// The words and numbers of these tokens.
pub(super) fn words(tokens: &[Token]) -> impl DoubleEndedIterator<Item = &Token> {
    tokens.iter().filter(|token| token.kind != TokenKind::Mark)
}
