//! What a requester is told of the cases of others.

use purple_process::{Directory, PersonId};
use serde_json::Value;

use crate::port::PastCase;

/// The field of a case's body that says who asked.
pub(crate) const REQUESTER: &str = "requester";

/// Whose cases a task is told about, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Everybody's as structure: process, tools, outcome, expressions. The words only to whoever said them.
    #[default]
    Structure,
    /// Only one's own.
    Requester,
    /// One's own and those of people who hold a role in common, with their words.
    Group,
    /// Everybody's, with their words.
    All,
}

/// How much of a case is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disclosed {
    Words,
    Structure,
    Nothing,
}

/// For whom cases are told.
#[derive(Clone, Debug)]
pub(crate) struct Audience<'a> {
    pub sharing: Sharing,
    pub directory: Directory,
    pub requester: &'a PersonId,
}

impl Audience<'_> {
    /// How much of a case of this author is told; one of nobody known is nobody's own.
    pub(crate) fn of(&self, author: Option<&PersonId>) -> Disclosed {
        let people = match &self.directory {
            // There is one person, whatever they call themselves.
            Directory::Keyboard => return Disclosed::Words,
            Directory::People(people) => people,
        };
        let is_own = author == Some(self.requester);
        let roles = |person| people.get(person).map(|one| &one.roles);
        let in_common = || {
            let both = author.and_then(roles).zip(roles(self.requester));
            both.is_some_and(|(theirs, own)| !theirs.is_disjoint(own))
        };
        match self.sharing {
            _ if is_own => Disclosed::Words,
            Sharing::All => Disclosed::Words,
            Sharing::Group if in_common() => Disclosed::Words,
            Sharing::Structure => Disclosed::Structure,
            Sharing::Group | Sharing::Requester => Disclosed::Nothing,
        }
    }

    /// A case as it is told; `None` where it is not.
    pub(crate) fn told(&self, case: &PastCase) -> Option<PastCase> {
        match self.of(author_of(case).as_ref()) {
            Disclosed::Words => Some(case.clone()),
            Disclosed::Structure => Some(structure(case)),
            Disclosed::Nothing => None,
        }
    }
}

/// Who asked for what a case tells of, as far as it says so.
pub(crate) fn author_of(case: &PastCase) -> Option<PersonId> {
    case.body.get(REQUESTER).and_then(Value::as_str).and_then(|name| PersonId::parse(name).ok())
}

/// A case without the words of its task, and without the figures in it: those stand for what they are.
fn structure(case: &PastCase) -> PastCase {
    let mut told = PastCase { text: String::new(), entities: Vec::new(), ..case.clone() };
    if let Some(Value::Array(computed)) = told.body.get_mut("computed") {
        let words: Vec<String> = numbers(&case.text);
        for expression in computed {
            if let Value::String(text) = expression {
                *text = without(text, &words);
            }
        }
    }
    told
}

/// The numbers of a text, without their grouping.
fn numbers(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || ".,'".contains(c)));
    let plain = |part: &str| part.trim_matches(['.', ',', '\'']).replace([',', '\''], "");
    parts.map(plain).filter(|number| !number.is_empty()).collect()
}

/// An expression in which the numbers of a task, and every quoted text, are replaced by their role.
fn without(expression: &str, words: &[String]) -> String {
    let (mut told, mut rest) = (String::new(), expression);
    while let Some(first) = rest.chars().next() {
        let quote = matches!(first, '"' | '\'');
        let end = if quote {
            rest[1..].find(first).map_or(rest.len(), |at| at + 2)
        } else if first.is_ascii_digit() {
            rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len())
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c))).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (part, after) = rest.split_at(end);
        let is_figure = first.is_ascii_digit() && words.iter().any(|word| word == part);
        told.push_str(match (quote, is_figure) {
            (true, _) => "(text of the task)",
            (_, true) => "(figure of the task)",
            _ => part,
        });
        rest = after;
    }
    told
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use purple_process::{Person, Role};
    use serde_json::json;

    use super::*;
    use crate::fixture::past;

    fn person(name: &str) -> PersonId {
        PersonId::parse(name).unwrap()
    }

    /// Ada and Bob are in accounting, Eve is not.
    fn audience(sharing: Sharing, requester: &PersonId) -> Audience<'_> {
        let with = |role: &str| Person { roles: [Role::parse(role).unwrap()].into(), ..Person::default() };
        let people: BTreeMap<PersonId, Person> =
            [("ada", "accounting"), ("bob", "accounting"), ("eve", "sales")]
                .map(|(name, role)| (person(name), with(role)))
                .into();
        Audience { sharing, directory: Directory::People(people), requester }
    }

    #[test]
    fn words_are_told_to_whoever_said_them_and_to_others_as_the_operator_says() {
        use Disclosed::{Nothing, Structure, Words};
        for (sharing, own, colleague, other, unknown) in [
            (Sharing::Structure, Words, Structure, Structure, Structure),
            (Sharing::Requester, Words, Nothing, Nothing, Nothing),
            (Sharing::Group, Words, Words, Nothing, Nothing),
            (Sharing::All, Words, Words, Words, Words),
        ] {
            let ada = person("ada");
            let audience = audience(sharing, &ada);
            let told = ["ada", "bob", "eve"].map(|name| audience.of(Some(&person(name))));
            assert_eq!(told, [own, colleague, other], "{sharing:?}");
            assert_eq!(audience.of(None), unknown, "{sharing:?}");
            let alone = Audience { directory: Directory::Keyboard, ..audience };
            assert_eq!(alone.of(None), Words, "one person is told all of it");
        }
    }

    #[test]
    fn structure_has_no_word_and_no_figure_of_the_task() {
        let eve = person("eve");
        let mut case = past("Pay Zimmerli AG 52,340.50 for the secret project", &[]);
        case.body["requester"] = json!("ada");
        case.body["reads"] = json!(["get_invoice"]);
        case.body["computed"] = json!([
            "52340.50 - get_order.total",
            "round(get_contract.monthly_fee * 2 / 100, cents)",
            "lookup(\"Zimmerli AG\")"
        ]);
        let told = audience(Sharing::Structure, &eve).told(&case).unwrap();
        assert_eq!((told.text.as_str(), told.entities.len()), ("", 0));
        assert_eq!(
            told.body["computed"],
            json!([
                "(figure of the task) - get_order.total",
                "round(get_contract.monthly_fee * 2 / 100, cents)",
                "lookup((text of the task))"
            ])
        );
        assert_eq!(told.body["reads"], json!(["get_invoice"]));
    }
}
