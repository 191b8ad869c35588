//! Who is let in with what, and what they may decide.

use std::sync::Mutex;

use jiff::Timestamp;
use purple_process::{PersonId, Role};
use purple_worker::port::{Directory as _, EngineError};

use super::*;

#[derive(Default)]
struct Kept(Mutex<Vec<Token>>);

impl Tokens for Kept {
    fn token(&self, id: &str) -> Result<Option<Token>, EngineError> {
        Ok(self.0.lock().unwrap().iter().find(|token| token.id == id).cloned())
    }

    fn tokens(&self) -> Result<Vec<Token>, EngineError> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn keep_token<'a>(&'a self, token: Token, _: &'a PersonId) -> BoxFuture<'a, Result<bool, EngineError>> {
        self.0.lock().unwrap().push(token);
        Box::pin(std::future::ready(Ok(true)))
    }

    fn revoke_token<'a>(
        &'a self,
        id: &'a str,
        _: &'a PersonId,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        let mut kept = self.0.lock().unwrap();
        kept.iter_mut().filter(|token| token.id == id).for_each(|token| token.revoked = Some(at));
        Box::pin(std::future::ready(Ok(true)))
    }
}

struct At(Timestamp);

impl Clock for At {
    fn now(&self) -> Timestamp {
        self.0
    }
}

fn noon() -> Timestamp {
    "2026-03-04T12:00:00Z".parse().unwrap()
}

fn token(name: &str, role: DoorRole, group: &str) -> (Token, String) {
    let (id, hash, shown) = made().unwrap();
    let (person, groups) = (PersonId::parse(name).unwrap(), [Role::parse(group).unwrap()].into());
    (
        Token { id, hash, person, roles: [role].into(), groups, made: noon(), until: None, revoked: None },
        shown,
    )
}

/// The door of a set-up without configured people.
fn door(kept: &Arc<Kept>) -> TokenDoor {
    let people = People::default();
    TokenDoor { tokens: kept.clone(), clock: Arc::new(At(noon())), people, zone: TimeZone::UTC }
}

#[test]
fn only_a_whole_token_that_counts_opens_the_door() {
    let kept = Arc::new(Kept::default());
    let (ada, shown) = token("ada", DoorRole::Requester, "ap_lead");
    let (mut old, expired) = token("bob", DoorRole::Requester, "ap_lead");
    old.until = Some(noon());
    let (mut gone, revoked) = token("eve", DoorRole::Requester, "ap_lead");
    gone.revoked = Some(noon());
    kept.0.lock().unwrap().extend([ada.clone(), old, gone]);
    let door = door(&kept);
    let caller = door.look(Some(&shown)).unwrap();
    assert_eq!((caller.person.as_str(), &caller.roles), ("ada", &[DoorRole::Requester].into()));
    assert_eq!(door.look(None), Err(TurnedAway::NoToken));
    let cut = &shown[..shown.len() - 1];
    let other = format!("{}{}", cut, if shown.ends_with('0') { '1' } else { '0' });
    let hash = format!("purple_{}_{}", ada.id, ada.hash);
    for bad in [cut, &other, &expired, &revoked, "purple_", "purple_x_y", "", &shown[7..], &hash] {
        assert_eq!(door.look(Some(bad)), Err(TurnedAway::BadToken), "{bad}");
    }
    assert!(!format!("{:?}", kept.0.lock().unwrap()).contains(shown.rsplit('_').next().unwrap()));
}

#[test]
fn groups_count_for_approvers_only_and_as_long_as_the_token_does() {
    let kept = Arc::new(Kept::default());
    let (lead, _) = token("lea", DoorRole::Approver, "ap_lead");
    let (asks, _) = token("ada", DoorRole::Requester, "ap_lead");
    kept.0.lock().unwrap().extend([lead.clone(), asks]);
    let staff = Staff { people: People::default(), tokens: kept.clone(), clock: Arc::new(At(noon())) };
    let roles = |name: &str| match staff.on(jiff::civil::date(2026, 3, 4)) {
        Directory::Keyboard => panic!("with tokens nobody holds every role"),
        Directory::People(people) => people.get(&PersonId::parse(name).unwrap()).map(|one| one.roles.len()),
    };
    assert_eq!((roles("lea"), roles("ada"), roles("eve")), (Some(1), Some(0), None));
    kept.0.lock().unwrap()[0].revoked = Some(noon());
    assert_eq!(roles("lea"), None);
}

#[test]
fn a_caller_decides_in_the_roles_of_today_and_in_those_of_whom_they_stand_in_for() {
    let kept = Arc::new(Kept::default());
    let (lead, _) = token("lea", DoorRole::Approver, "ap_lead");
    kept.0.lock().unwrap().push(lead);
    let mut people = People::default();
    let entry = |role: &str| crate::config::Entry {
        roles: [Role::parse(role).unwrap()].into(),
        ..Default::default()
    };
    people.entries.insert(PersonId::parse("carl").unwrap(), entry("cfo"));
    let door = TokenDoor { people, ..door(&kept) };
    let decides = |name: &str| door.decides(&PersonId::parse(name).unwrap());
    let role = |name: &str| Decides::As([Role::parse(name).unwrap()].into());
    assert_eq!(
        (decides("lea"), decides("carl"), decides("eve")),
        (role("ap_lead"), role("cfo"), Decides::As([].into()))
    );
}

#[test]
fn only_this_machine_is_loopback() {
    assert!(
        is_loopback("127.0.0.1")
            && is_loopback("localhost")
            && is_loopback("::1")
            && is_loopback("127.1.2.3")
    );
    assert!(!is_loopback("0.0.0.0") && !is_loopback("10.0.0.1") && !is_loopback("localhost.evil.example"));
}

#[test]
fn a_server_without_tokens_asks_for_one_as_soon_as_one_was_created_and_ever_after() {
    let kept = Arc::new(Kept::default());
    let tokens = door(&kept);
    let door = UntilFirstToken::new(OpenDoor::on_loopback(PersonId::parse("alex").unwrap()), tokens);
    assert_eq!(door.lock(), Lock::OpenOnLoopback);
    let (ada, _) = token("ada", DoorRole::Requester, "ap_lead");
    kept.0.lock().unwrap().push(ada);
    assert_eq!(door.lock(), Lock::Tokens);
    kept.0.lock().unwrap()[0].revoked = Some(noon());
    assert_eq!(door.lock(), Lock::Tokens);
    kept.0.lock().unwrap().clear();
    assert_eq!(door.lock(), Lock::Tokens, "one that has existed is enough");
}

#[test]
fn without_people_and_tokens_one_person_holds_every_role_and_never_after_a_token() {
    let kept = Arc::new(Kept::default());
    let staff = Staff { people: People::default(), tokens: kept.clone(), clock: Arc::new(At(noon())) };
    let today = jiff::civil::date(2026, 3, 4);
    assert!(matches!(staff.on(today), Directory::Keyboard));
    let (mut ada, _) = token("ada", DoorRole::Requester, "ap_lead");
    ada.revoked = Some(noon());
    kept.0.lock().unwrap().push(ada);
    assert!(matches!(staff.on(today), Directory::People(people) if people.is_empty()));
}
