//! Who must say yes, who said what, and who they are.
//!
//! Who holds which role is a fact from outside; here it is only looked up.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU8;

use jiff::Timestamp;
use purple_policy::Money;
use serde::{Deserialize, Serialize};

use crate::canonical::Digest;
use crate::id::{PersonId, Role, StepId, ToolName};
use crate::judge::Mode;
use crate::plan::PlanHash;

/// Somebody who can meet a requirement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// Anybody who holds this role.
    Role(Role),
    /// The person who asked for the work. Only where a rule names them; never by a role.
    Requester,
}

impl fmt::Display for Who {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role(role) => role.fmt(out),
            Self::Requester => out.write_str("the requester"),
        }
    }
}

/// So many different people, each one of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Any of these will do.
    pub anyone_of: BTreeSet<Who>,
    /// How many different people.
    pub people: NonZeroU8,
}

impl Requirement {
    /// One person who holds this role.
    pub fn role(role: Role) -> Self {
        Self { anyone_of: BTreeSet::from([Who::Role(role)]), people: NonZeroU8::MIN }
    }

    /// The requester's confirmation. A holder of this role may give it instead.
    pub fn confirmation(or: Role) -> Self {
        Self { anyone_of: BTreeSet::from([Who::Requester, Who::Role(or)]), people: NonZeroU8::MIN }
    }

    /// The requester's own confirmation.
    pub fn requester() -> Self {
        Self { anyone_of: BTreeSet::from([Who::Requester]), people: NonZeroU8::MIN }
    }

    /// The same, but a holder of this role will do as well.
    pub fn or(mut self, role: Option<&Role>) -> Self {
        self.anyone_of.extend(role.cloned().map(Who::Role));
        self
    }

    /// The same, but this many different people.
    pub fn by(self, people: NonZeroU8) -> Self {
        Self { people, ..self }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.anyone_of.iter().map(ToString::to_string).collect();
        write!(out, "{} × {}", self.people, names.join(" or "))
    }
}

/// A way by which a decision came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// The web console.
    Console,
    /// The command line.
    Cli,
    /// A later message of an A2A session.
    FollowUp,
    /// A tool that the operator declared as a channel.
    Tool(ToolName),
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Yes to exactly these operations.
    Approve {
        /// The steps. Fewer than all of them is a yes to another, smaller plan.
        operations: BTreeSet<StepId>,
    },
    /// No.
    Reject {
        /// Why.
        reason: String,
    },
}

/// One decision, as it is recorded. A record is data: it permits nothing until it is checked against its plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Who decided.
    pub person: PersonId,
    /// For whom they stood in, if for somebody.
    pub on_behalf_of: Option<PersonId>,
    /// By which way.
    pub channel: Channel,
    /// The account of the operating system that it was given from, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// About which plan.
    pub plan: PlanHash,
    /// What was shown to them.
    pub card: Digest,
    /// What they said.
    pub answer: Answer,
    /// The mode at that time.
    pub mode: Mode,
    /// When.
    pub decided_at: Timestamp,
    /// Until when it counts.
    pub expires_at: Timestamp,
}

/// Somebody, and the account of the operating system that they were at, where one is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At<'a> {
    /// Who.
    pub person: &'a PersonId,
    /// From which account.
    pub account: Option<&'a str>,
}

impl At<'_> {
    /// Whether the two count as one person where duties are to be separated: one name, or one account.
    pub fn is(self, other: At<'_>) -> bool {
        self.person == other.person || (self.account.is_some() && self.account == other.account)
    }
}

impl Decision {
    /// Who decided, and from where.
    pub fn at(&self) -> At<'_> {
        At { person: &self.person, account: self.account.as_deref() }
    }
}

/// What the directory says about a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// Their roles today.
    pub roles: BTreeSet<Role>,
    /// The most they may approve in one plan. Nobody set one: no limit.
    pub limit: Option<Money>,
    /// For whom they may stand in today.
    pub stands_in_for: BTreeSet<PersonId>,
}

/// The people of this set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directory {
    /// One person at one keyboard, who holds every role. Exclusions are recorded, not enforced.
    Keyboard,
    /// Known people. Whoever is not among them holds no role.
    People(BTreeMap<PersonId, Person>),
}

impl Directory {
    /// The roles in which somebody can decide today: their own, and those of whom they stand in for.
    pub fn roles_of(&self, person: &PersonId) -> BTreeSet<Role> {
        let Self::People(people) = self else { return BTreeSet::new() };
        let Some(own) = people.get(person) else { return BTreeSet::new() };
        let principals = own.stands_in_for.iter().filter_map(|principal| people.get(principal));
        std::iter::once(own).chain(principals).flat_map(|one| one.roles.iter().cloned()).collect()
    }
}

/// Why a yes does not count for a requirement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCounted {
    /// The requester does not approve their own request, whoever they stand in for.
    #[error("`{0}` asked for this work, is at the same account as whoever did, or stands in for them")]
    OwnRequest(PersonId),
    /// No role that the requirement names.
    #[error("`{0}` does not hold a role that is asked for")]
    WrongRole(PersonId),
    /// The plan moves more money than they may approve, or money that their limit does not speak of.
    #[error("the plan exceeds the money limit of `{0}`")]
    AboveLimit(PersonId),
    /// They hold a role that the process excludes, or stand in for somebody who does.
    #[error(
        "`{0}` holds the role `{1}`, or stands in for somebody who does, and that role may not decide here"
    )]
    Excluded(PersonId, Role),
    /// They may not stand in for that person.
    #[error("`{0}` may not stand in for `{1}`")]
    NoSubstitute(PersonId, PersonId),
}

/// Everything that decides whether one person's yes counts.
pub(crate) struct Electorate<'a> {
    pub(crate) directory: &'a Directory,
    pub(crate) requester: At<'a>,
    pub(crate) own_requests: OwnRequests,
    /// Roles whose holders never decide.
    pub(crate) excluded: &'a BTreeSet<Role>,
    /// The money that the plan moves; `None` where the plan does not tell.
    pub(crate) amounts: Option<&'a [Money]>,
}

/// Whether a requester may approve their own request in a role that they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnRequests {
    /// Never: the default.
    Never,
    /// The operator's policy says so.
    Allowed,
}

impl Electorate<'_> {
    /// Whether the word of a person counts for this requirement, in their own name or in somebody's place.
    pub(crate) fn counts(
        &self,
        (speaker, on_behalf_of): (At<'_>, Option<&PersonId>),
        requirement: &Requirement,
    ) -> Result<(), NotCounted> {
        let Directory::People(people) = self.directory else { return Ok(()) };
        let person = speaker.person;
        if let Some(role) = self.excluded_role(people, person, on_behalf_of) {
            return Err(NotCounted::Excluded(person.clone(), role));
        }
        let own = speaker.is(self.requester) || on_behalf_of == Some(self.requester.person);
        if person == self.requester.person && requirement.anyone_of.contains(&Who::Requester) {
            return Ok(());
        }
        if own && self.own_requests == OwnRequests::Never {
            return Err(NotCounted::OwnRequest(person.clone()));
        }
        let nobody = Person::default();
        let own_facts = people.get(person).unwrap_or(&nobody);
        let facts = match on_behalf_of {
            None => own_facts,
            Some(principal) if own_facts.stands_in_for.contains(principal) => {
                people.get(principal).unwrap_or(&nobody)
            }
            Some(principal) => return Err(NotCounted::NoSubstitute(person.clone(), principal.clone())),
        };
        if !facts.roles.iter().any(|role| requirement.anyone_of.contains(&Who::Role(role.clone()))) {
            return Err(NotCounted::WrongRole(person.clone()));
        }
        if within(self.amounts, facts.limit.as_ref()) {
            Ok(())
        } else {
            Err(NotCounted::AboveLimit(person.clone()))
        }
    }

    /// An excluded role of whoever decides, or of whom they stand in for: standing in moves a task, never an exclusion.
    fn excluded_role(
        &self,
        people: &BTreeMap<PersonId, Person>,
        person: &PersonId,
        on_behalf_of: Option<&PersonId>,
    ) -> Option<Role> {
        let involved = std::iter::once(person).chain(on_behalf_of);
        let mut roles = involved.filter_map(|person| people.get(person)).flat_map(|person| &person.roles);
        roles.find(|role| self.excluded.contains(*role)).cloned()
    }
}

/// Whether amounts together stay within a limit. Another currency than the limit's is beyond it.
fn within(amounts: Option<&[Money]>, limit: Option<&Money>) -> bool {
    let Some(limit) = limit else { return true };
    // What cannot be known is beyond every limit.
    let Some(amounts) = amounts else { return false };
    let mut total = Money::zero(limit.currency());
    for amount in amounts {
        // What leaves the account and what enters it both count.
        let size = if amount.is_negative() { amount.negated() } else { Ok(*amount) };
        match size.and_then(|size| total.plus(&size)) {
            Ok(sum) => total = sum,
            Err(_) => return false,
        }
    }
    total.minor() <= limit.minor() // one currency: `plus` saw to it
}
