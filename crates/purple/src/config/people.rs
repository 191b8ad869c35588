//! The people of this set-up, as the configuration names them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use purple_policy::Money;
use purple_process::{Directory, Person, PersonId, Role};

use crate::config::value::Substitute;

/// What the configuration says about one person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) roles: BTreeSet<Role>,
    pub(crate) limit: Option<Money>,
    pub(crate) substitutes: Vec<Substitute>,
    /// The account of the operating system that this person uses.
    pub(crate) account: Option<String>,
}

/// Everybody whom the configuration names. Without anybody, one person at the keyboard holds every role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct People {
    pub(crate) entries: BTreeMap<PersonId, Entry>,
}

impl People {
    /// Somebody who has this name or one that looks like it.
    pub(crate) fn like(&self, id: &PersonId) -> Option<&PersonId> {
        self.entries.keys().find(|other| other.looks() == id.looks())
    }

    /// Who uses this account of the operating system.
    pub(crate) fn of_account(&self, account: &str) -> Option<(&PersonId, &Entry)> {
        self.entries.iter().find(|(_, entry)| entry.account.as_deref() == Some(account))
    }

    /// How many people hold this role.
    pub(crate) fn holders(&self, role: &Role) -> usize {
        self.entries.values().filter(|entry| entry.roles.contains(role)).count()
    }
}

impl purple_worker::port::Directory for People {
    fn on(&self, day: Date) -> Directory {
        if self.entries.is_empty() {
            return Directory::Keyboard;
        }
        let mut people: BTreeMap<PersonId, Person> = BTreeMap::new();
        for (id, entry) in &self.entries {
            let person = people.entry(id.clone()).or_default();
            person.roles.clone_from(&entry.roles);
            person.limit.clone_from(&entry.limit);
            let today = |one: &&Substitute| (one.from..=one.until).contains(&day);
            for one in entry.substitutes.iter().filter(today) {
                people.entry(one.person.clone()).or_default().stands_in_for.insert(id.clone());
            }
        }
        Directory::People(people)
    }
}
