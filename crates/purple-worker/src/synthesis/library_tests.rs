use jiff::Timestamp;
use purple_process::file::BUILTIN;
use purple_process::{PersonId, SessionId};

use super::*;
use crate::port::{Origin, Signed};

const SLA: &str = "sla_breach";
const CAUTIOUS: &str = "process: sla_breach\ntitle: Another\nowner: operations\nkeywords: [uptime]\n\
    route: [DECOMPOSE, ASSESS, POLICY_CHECK, MUTATE, COMPLETE]\n\
    decide:\n  - {rule: H-1, outcome: escalate, because: \"no\"}\n";

fn shipped(name: &str) -> &'static str {
    BUILTIN.iter().find(|(known, _)| *known == name).unwrap().1
}

/// What a model made of this text.
fn unsigned(text: &str) -> Defined {
    let name = purple_process::file::load(text).unwrap().name().to_owned();
    let origin = Origin::Model { run: SessionId::parse("run_1").unwrap(), model: "m".to_owned() };
    let (kind, at) = (DefinitionKind::Process, Timestamp::UNIX_EPOCH);
    Defined { kind, name, text: text.to_owned(), origin, at, signed: None, quarantined: None }
}

fn signed(text: &str) -> Defined {
    let defined = unsigned(text);
    let by = PersonId::parse("bea").unwrap();
    let signed = Some(Signed { by, at: defined.at, digest: defined.digest() });
    Defined { signed, ..defined }
}

/// Where the process of this name stands, how, and its text.
fn found(all: &[Process], name: &str) -> (usize, Standing, String) {
    let mut named = all.iter().enumerate().filter(|(_, one)| one.file.name() == name);
    let (place, one) = named.next().unwrap();
    assert!(named.next().is_none(), "there is one of a name");
    (place, one.standing, one.text.to_string())
}

#[test]
fn a_signed_file_takes_the_very_place_of_the_one_that_ships() {
    let all = Process::shipped().unwrap();
    let (place, standing, text) = found(&all, SLA);
    assert_eq!(standing, Standing::Shipped);
    let other = format!("# other\n{text}");
    for synthesis in [Switch::On, Switch::Off] {
        let now = in_effect(&all, &[signed(&other)], synthesis);
        assert_eq!(found(&now, SLA), (place, Standing::SignedInstead, other.clone()));
        assert_eq!(now.len(), all.len());
    }
}

#[test]
fn what_is_unsigned_changed_or_quarantined_takes_no_place() {
    let all = Process::shipped().unwrap();
    let before = found(&all, SLA);
    let other = format!("# other\n{}", shipped(SLA));
    let changed = Defined { text: format!("{other}# changed\n"), ..signed(&other) };
    let quarantined = Defined { quarantined: Some("why".to_owned()), ..signed(&other) };
    let renamed = Defined { name: "payroll".to_owned(), ..signed(&other) };
    // What could count under a name of its own, because it only asks, takes no place either.
    for one in [unsigned(&other), unsigned(CAUTIOUS), changed, quarantined, renamed] {
        assert_eq!(found(&in_effect(&all, &[one], Switch::On), SLA), before);
    }
}

#[test]
fn nothing_takes_the_place_of_what_the_operator_loads() {
    let own = Process::parse(&format!("# ours\n{}", shipped(SLA))).unwrap();
    let before = (0, Standing::Operator, own.text.to_string());
    let now = in_effect(&[own], &[signed(shipped(SLA))], Switch::On);
    assert_eq!(found(&now, SLA), before);

    // Nor of a name that an operator's file goes by.
    let text = shipped(SLA).replace("process: sla_breach\n", "process: ours\nalso: [payroll]\n");
    let mut all = Process::shipped().unwrap();
    all.push(Process::parse(&text).unwrap());
    let now = in_effect(&all, &[signed(shipped("payroll"))], Switch::On);
    assert_eq!(found(&now, "payroll").1, Standing::Shipped);
}

#[test]
fn another_name_of_a_process_takes_nobodys_place_in_whatever_order_definitions_come() {
    let all = Process::shipped().unwrap();
    let alias = shipped(SLA).replace("process: sla_breach\n", "process: order_modification\n");
    assert_eq!(in_effect(&all, &[signed(&alias)], Switch::On).len(), all.len());
    let greedy = shipped(SLA).replace("process: sla_breach\n", "process: sla_breach\nalso: [payroll]\n");
    let now = in_effect(&all, &[signed(&greedy)], Switch::On);
    assert_eq!(found(&now, SLA).1, Standing::Shipped);
    let (name, other) = taken_name(&purple_process::file::load(&greedy).unwrap(), &all).unwrap();
    assert_eq!((name.as_str(), other.file.name()), ("payroll", "payroll"));
    assert!(taken_name(&purple_process::file::load(shipped(SLA)).unwrap(), &all).is_none());

    // A file that goes by a new name keeps it from one that is defined under it.
    let wide = shipped(SLA).replace("process: sla_breach\n", "process: sla_breach\nalso: [a_credit]\n");
    let narrow = shipped(SLA).replace("process: sla_breach\n", "process: a_credit\n");
    let (one, other) = (signed(&wide), signed(&narrow));
    for order in [[one.clone(), other.clone()], [other, one]] {
        let now = in_effect(&all, &order, Switch::On);
        assert_eq!((found(&now, SLA).1, now.len()), (Standing::SignedInstead, all.len()));
    }
}

#[test]
fn an_own_name_comes_before_a_name_that_another_process_goes_by() {
    let text = shipped(SLA).replace("process: sla_breach\n", "process: a_first\nalso: [payroll]\n");
    let mut all = vec![Process::parse(&text).unwrap()];
    all.extend(Process::shipped().unwrap());
    let settings = Settings::careful(all);
    assert_eq!(settings.process("payroll").unwrap().file.name(), "payroll");
    assert_eq!(settings.process("order_modification").unwrap().file.name(), "order_management");
}
