//! Which role may do what. What is not listed is refused, and a task that a caller may not see is not there.

use purple_port::{DoorRole, PersonId};

use crate::a2a::fault::Fault;
use crate::auth::Caller;

/// What a request does, as far as permission goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Power {
    /// Begins a task or goes on in one's own.
    Ask,
    /// Says yes or no to a plan.
    Decide,
    /// Looks at a task, lists tasks, follows one.
    Look,
    /// Calls a task off.
    Cancel,
    /// Has a program told about a task.
    Notify,
    /// Reads the extended card.
    ReadCard,
    /// Reads the figures of the whole server.
    ReadFigures,
}

impl Power {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 7] =
        [Self::Ask, Self::Decide, Self::Look, Self::Cancel, Self::Notify, Self::ReadCard, Self::ReadFigures];

    fn name(self) -> &'static str {
        match self {
            Self::Ask => "send tasks",
            Self::Decide => "decide",
            Self::Look => "look at tasks",
            Self::Cancel => "call tasks off",
            Self::Notify => "set up notifications",
            Self::ReadCard => "read the extended card",
            Self::ReadFigures => "read the figures of the server",
        }
    }
}

/// Every permission that there is.
pub(crate) const PERMITTED: &[(DoorRole, Power)] = &[
    (DoorRole::Requester, Power::Ask),
    // Some plans ask the requester. Whether this one does, the worker says.
    (DoorRole::Requester, Power::Decide),
    (DoorRole::Requester, Power::Look),
    (DoorRole::Requester, Power::Cancel),
    (DoorRole::Requester, Power::Notify),
    (DoorRole::Requester, Power::ReadCard),
    (DoorRole::Approver, Power::Decide),
    (DoorRole::Approver, Power::Look),
    (DoorRole::Approver, Power::ReadCard),
    (DoorRole::Operator, Power::Look),
    (DoorRole::Operator, Power::Cancel),
    (DoorRole::Operator, Power::ReadCard),
    (DoorRole::Operator, Power::ReadFigures),
    (DoorRole::Auditor, Power::Look),
    (DoorRole::Auditor, Power::ReadCard),
    (DoorRole::Auditor, Power::ReadFigures),
];

/// Whose tasks a role with a power over tasks reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Own,
    Undecided,
    All,
}

fn reach(role: DoorRole, power: Power) -> Option<Reach> {
    let permitted = PERMITTED.contains(&(role, power));
    permitted.then_some(match role {
        DoorRole::Requester => Reach::Own,
        DoorRole::Approver => Reach::Undecided,
        DoorRole::Operator | DoorRole::Auditor => Reach::All,
    })
}

/// What a task is to a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// They asked for it.
    pub own: bool,
    /// A plan of it waits for people of whom they are one, or they decided about one.
    pub to_decide: bool,
}

impl Caller {
    /// Whether they may do this at all.
    pub(crate) fn may(&self, power: Power) -> Result<(), Fault> {
        let permitted = PERMITTED.iter().any(|(role, one)| *one == power && self.is(*role));
        if permitted { Ok(()) } else { Err(Fault::Forbidden { what: power.name() }) }
    }

    /// Whether they may do this to a task.
    pub(crate) fn may_to(&self, power: Power, standing: Standing) -> bool {
        self.roles.iter().filter_map(|role| reach(*role, power)).any(|reach| match reach {
            Reach::Own => standing.own,
            Reach::Undecided => standing.to_decide,
            Reach::All => true,
        })
    }

    /// Whether they asked.
    pub(crate) fn asked(&self, requester: &PersonId) -> bool {
        self.person == *requester
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(role: DoorRole) -> Caller {
        Caller { roles: [role].into(), ..Caller::unbounded(PersonId::parse("ada").unwrap()) }
    }

    #[test]
    fn every_role_has_exactly_the_powers_of_the_table() {
        let all: Vec<(DoorRole, Power)> =
            DoorRole::ALL.into_iter().flat_map(|role| Power::ALL.map(|power| (role, power))).collect();
        println!("{} combinations", all.len());
        for (role, power) in all {
            let permitted = PERMITTED.contains(&(role, power));
            assert_eq!(caller(role).may(power).is_ok(), permitted, "{role:?} {power:?}");
            let anywhere = Standing { own: true, to_decide: true };
            assert_eq!(caller(role).may_to(power, anywhere), permitted, "{role:?} {power:?}");
        }
        let nobody = Caller { roles: [].into(), ..caller(DoorRole::Requester) };
        assert!(Power::ALL.into_iter().all(|power| nobody.may(power).is_err()));
    }

    #[test]
    fn a_role_reaches_its_own_tasks_those_that_wait_or_all() {
        let (own, open, foreign) = (
            Standing { own: true, to_decide: false },
            Standing { own: false, to_decide: true },
            Standing { own: false, to_decide: false },
        );
        let sees =
            |role: DoorRole| [own, open, foreign].map(|standing| caller(role).may_to(Power::Look, standing));
        assert_eq!(sees(DoorRole::Requester), [true, false, false]);
        assert_eq!(sees(DoorRole::Approver), [false, true, false]);
        assert_eq!(sees(DoorRole::Operator), [true, true, true]);
        assert_eq!(sees(DoorRole::Auditor), [true, true, true]);
        assert!(!caller(DoorRole::Requester).may_to(Power::Cancel, foreign));
        assert!(!caller(DoorRole::Approver).may_to(Power::Cancel, open));
    }
}
