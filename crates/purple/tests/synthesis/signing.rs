//! A signed file in the place of the one that ships: it decides from the next task on, until it is changed or forgotten.
//! What nobody signed takes no place, and nothing takes the place of a file of the operator.

use purple_journal::Redacted;
use purple_journal::record::process::Chosen;
use purple_journal::word::{DefinitionNote, Place};
use purple_process::{Ending, Mode, State};
use purple_testkit::records;
use purple_worker::port::*;
use purple_worker::{Channel, Choice, PermittedBy, Process, Settings, Unfit};

use crate::again::{INVOICE, REVOKE, SLA, START, Step, drafted, play, unfit, with};
use crate::house::{Door, House, person, session, settings};
use crate::scribbler::performed_again;

/// A house in which something can be signed, and what its runs say.
struct Signing {
    house: House,
}

impl Signing {
    async fn open(settings: Settings) -> Self {
        Self { house: House::with_workshop(Door::Streams, settings, &[], None, true).await }
    }

    async fn change(&self, change: Redefinition) {
        let store = self.house.engine.as_ref().unwrap().store().clone();
        assert!(store.redefine(change).await.unwrap());
    }

    fn definition(&self, text: &str) -> Defined {
        let name = purple_process::file::load(text).unwrap().name().to_owned();
        let (kind, origin) = (DefinitionKind::Process, Origin::Person { by: person("bea") });
        let at = self.house.clock.now();
        Defined { kind, name, text: text.to_owned(), origin, at, signed: None, quarantined: None }
    }

    async fn sign(&self, text: &str) {
        let new = self.definition(text);
        let signed = Signed { by: person("bea"), at: new.at, digest: new.digest() };
        self.change(Redefinition::Replace(Defined { signed: Some(signed), ..new })).await;
    }

    async fn forget(&self, name: &str) {
        self.change(Redefinition::Forget { kind: DefinitionKind::Process, name: name.to_owned() }).await;
    }

    /// Which files a run was given to, in order: whether each was defined here, and its text.
    async fn chosen(&self, run: &str) -> Vec<(Option<DefinitionNote>, String)> {
        let entries = self.house.worker.trace(&session(run), 0, 10_000).await.unwrap();
        let mut chosen = Vec::new();
        for one in records::all::<Chosen>(&entries) {
            let text = self.house.worker.blobs.get(one.file).await.unwrap().unwrap();
            chosen.push((one.defined, String::from_utf8(text).unwrap()));
        }
        chosen
    }

    /// That the file that ships is given this task.
    async fn is_decided_by_the_shipped_one(&self, run: &str) {
        self.house.task(run, SLA).await;
        assert_eq!(self.chosen(run).await, [(None, shipped("sla_breach"))], "{run}");
        let view = self.house.worker.view(&session(run)).await.unwrap();
        assert_eq!(view.summary.signed_by, None);
    }
}

fn shipped(name: &str) -> String {
    let all = settings();
    all.processes.iter().find(|one| one.file.name() == name).unwrap().text.to_string()
}

/// The file that ships, with a person where it asks nobody.
fn stricter() -> String {
    shipped("sla_breach").replace("ask: nobody", "ask: controller")
}

fn instead() -> Option<DefinitionNote> {
    Some(DefinitionNote { signed: true, by: Some(Redacted::of("bea")), instead_of: Some(Place::Shipped) })
}

#[tokio::test]
async fn the_draft_of_a_run_that_ships_decides_once_it_is_signed_and_no_longer_once_it_is_changed_or_forgotten()
 {
    let first = House::open(Door::Streams, settings(), &[]).await;
    play(&first, SLA, &[]).await;
    let draft = drafted(&first, None).await.unwrap();
    assert_eq!((draft.name.as_str(), draft.is_its_own), ("sla_breach", true));

    let signing = Signing::open(settings()).await;
    signing.change(Redefinition::Define(signing.definition(&draft.text))).await;
    signing.is_decided_by_the_shipped_one("unsigned").await;

    signing.sign(&draft.text).await;
    let view = signing.house.task("signed", SLA).await;
    assert_eq!(signing.chosen("signed").await, [(instead(), draft.text.clone())]);
    assert_eq!(view.summary.signed_by, Some(person("bea")));

    let signed = Signed {
        by: person("bea"),
        at: signing.house.clock.now(),
        digest: signing.definition(&draft.text).digest(),
    };
    let changed = signing.definition(&format!("{}# one more line\n", draft.text));
    signing.change(Redefinition::Replace(Defined { signed: Some(signed), ..changed })).await;
    signing.is_decided_by_the_shipped_one("changed").await;

    signing.sign(&draft.text).await;
    signing.house.task("signed_again", SLA).await;
    assert_eq!(signing.chosen("signed_again").await, [(instead(), draft.text)]);
    signing.forget("sla_breach").await;
    signing.is_decided_by_the_shipped_one("forgotten").await;
    for run in ["unsigned", "signed", "changed", "signed_again", "forgotten"] {
        performed_again(&signing.house, run).await;
    }
}

#[tokio::test]
async fn the_rules_of_a_signed_file_count_in_the_place_of_those_that_ship() {
    let signing = Signing::open(settings()).await;
    signing.sign(&stricter()).await;
    let view = signing.house.task("run", SLA).await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    assert_eq!(view.summary.approval.unwrap().asks, ["1 × controller"]);
    assert!(signing.house.effects().is_empty());
    // What waits keeps its file, whatever becomes of the name.
    signing.forget("sla_breach").await;
    signing
        .house
        .worker
        .decide(&session("run"), person("cleo"), Channel::Cli, Choice::Approve)
        .await
        .unwrap();
    let view = signing.house.still(&session("run")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", view.answer);
    assert_eq!(signing.chosen("run").await, [(instead(), stricter())]);
    performed_again(&signing.house, "run").await;
}

#[tokio::test]
async fn a_run_that_has_begun_keeps_the_file_that_ships() {
    let signing = Signing::open(settings()).await;
    let view = signing.house.task("run", INVOICE).await;
    assert_eq!(view.summary.approval.as_ref().unwrap().asks, ["1 × ap_lead"]);
    let other = shipped("invoice_reconciliation").replace("ask: ap_lead", "ask: controller");
    signing.sign(&other).await;
    signing.house.worker.decide(&session("run"), person("bea"), Channel::Cli, Choice::Approve).await.unwrap();
    let view = signing.house.still(&session("run")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", view.answer);
    assert_eq!(signing.chosen("run").await, [(None, shipped("invoice_reconciliation"))]);
    let later = signing.house.task("later", INVOICE).await;
    assert_eq!(later.summary.signed_by, Some(person("bea")));
}

#[tokio::test]
async fn a_later_task_of_the_same_run_is_given_to_whatever_counts_by_then() {
    let signing = Signing::open(settings()).await;
    play(&signing.house, START, &[]).await;
    let signed = format!("# looked through\n{}", shipped("hr_offboarding"));
    signing.sign(&signed).await;
    signing.house.say("run", "alex", REVOKE).await;
    signing.house.still(&session("run")).await;
    let texts = [(None, shipped("hr_offboarding")), (instead(), signed)];
    assert_eq!(signing.chosen("run").await, texts);
    signing.forget("hr_offboarding").await;
    performed_again(&signing.house, "run").await;
    // What had been signed in an earlier round is no part of a later one.
    signing.house.say("run", "alex", START).await;
    signing.house.still(&session("run")).await;
    assert_eq!(signing.chosen("run").await[2], (None, shipped("hr_offboarding")));
    performed_again(&signing.house, "run").await;
}

#[tokio::test]
async fn nothing_that_is_signed_takes_the_place_of_a_file_of_the_operator() {
    let own = format!("# ours\n{}", shipped("sla_breach"));
    let signing = Signing::open(with(&own)).await;
    signing.sign(&stricter()).await;
    signing.house.task("run", SLA).await;
    assert_eq!(signing.chosen("run").await, [(None, own)]);
    performed_again(&signing.house, "run").await;
}

#[tokio::test]
async fn what_nobody_signed_takes_no_place_even_where_it_could_only_ask() {
    let cautious = "process: sla_breach\ntitle: Another\nowner: operations\nkeywords: [uptime, credit, SLA, contract]\n\
        route: [DECOMPOSE, ASSESS, POLICY_CHECK, MUTATE, COMPLETE]\ndecide:\n  - {rule: H-1, outcome: escalate, because: \"no\"}\n";
    for text in [cautious.to_owned(), stricter()] {
        let signing = Signing::open(settings()).await;
        signing.change(Redefinition::Define(signing.definition(&text))).await;
        signing.is_decided_by_the_shipped_one("run").await;
        assert_eq!(signing.house.effects()[0], "apply_account_credit");
    }
}

#[tokio::test]
async fn a_signed_file_with_a_name_of_another_process_does_not_count() {
    let greedy = stricter().replace("process: sla_breach\n", "process: sla_breach\nalso: [payroll]\n");
    let signing = Signing::open(settings()).await;
    signing.sign(&greedy).await;
    signing.is_decided_by_the_shipped_one("run").await;
}

#[tokio::test]
async fn a_draft_says_which_rule_permitted_its_run_and_what_nothing_can_read_back() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    play(&house, SLA, &[]).await;
    let draft = drafted(&house, None).await.unwrap();
    assert_eq!(draft.caveats.permitted_by, [PermittedBy::Rule("SLA-4".to_owned())]);
    assert_eq!(
        draft.caveats.not_read_back.iter().map(|one| one.as_str()).collect::<Vec<_>>(),
        ["send_sla_breach_notification"]
    );
    for said in [
        "# No person looked at what rule SLA-4 permitted in that run.\n",
        "# Nothing can read back what send_sla_breach_notification did: that it was done is the tool's own word.\n",
    ] {
        assert!(draft.text.contains(said), "{}", draft.text);
    }

    let house = House::open(Door::Streams, settings(), &[]).await;
    play(&house, INVOICE, &[Step::Approve]).await;
    let draft = drafted(&house, None).await.unwrap();
    assert_eq!(draft.caveats.permitted_by, []);
    assert!(!draft.text.contains("No person looked"), "{}", draft.text);
}

/// A file that says what is done; whether it can be read back, and whom it asks, are put in.
fn suspends(check: &str, ask: &str) -> String {
    format!(
        "process: suspends\ntitle: Suspend a vendor\nowner: purchasing\nkeywords: [suspend vendor]\nformat: 2\nsay: {{en: [\"suspend vendor {{vendor_id}}\"]}}\n\
         inputs:\n  vendor_id: {{type: id, pattern: 'V-[0-9]+'}}\nread:\n  vendor: get_vendor(vendor_id=vendor_id)\n\
         decide:\n  - {{rule: SUS-1, if: 'exists(vendor.vendor_id)', outcome: suspend{ask}, because: \"asked for\"}}\n\
         outcomes:\n  suspend:\n    do:\n      - call: update_vendor_status(vendor_id=vendor_id, status=\"suspended\")\n        check: {check}\n"
    )
}

const SUSPEND: &str = "Please suspend vendor V-1001.";
const READ_BACK: &str = "get_vendor(vendor_id=vendor_id).status == \"suspended\"";

#[tokio::test]
async fn a_run_of_which_nothing_was_read_back_is_not_drafted_from() {
    let house = House::open(Door::Streams, with(&suspends("none", ", ask: purchasing")), &[]).await;
    play(&house, SUSPEND, &[Step::Approve]).await;
    let what = unfit(&house).await;
    assert_eq!(what, Unfit::NothingReadBack { tools: vec!["update_vendor_status".to_owned()] });
    assert!(what.help().contains("check:"), "{}", what.help());
    let house = House::open(Door::Streams, with(&suspends(READ_BACK, ", ask: purchasing")), &[]).await;
    play(&house, SUSPEND, &[Step::Approve]).await;
    let draft = drafted(&house, None).await.unwrap();
    assert_eq!((draft.caveats.not_read_back, draft.caveats.permitted_by), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn where_no_rule_permits_and_the_mode_does_the_draft_says_so() {
    let permissive = Settings { mode: Mode::Permissive, ..with(&suspends(READ_BACK, "")) };
    let house = House::open(Door::Streams, permissive, &[]).await;
    play(&house, SUSPEND, &[]).await;
    let draft = drafted(&house, None).await.unwrap();
    assert_eq!(draft.caveats.permitted_by, [PermittedBy::Mode(Mode::Permissive)]);
    assert!(
        draft.text.contains(
            "# No person looked at what mode `permissive` permitted in that run: no rule said anything about it.\n"
        ),
        "{}",
        draft.text
    );
    assert!(Process::parse(&draft.text).is_ok());
}
