//! A case through the pure core, for the tests of what is shown about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::civil::date;
use purple_policy::Value;
use purple_process::file::{End, ProcessFile, builtin};
use purple_process::playbook::{self, Case};
use purple_process::{
    Approvals, Attendance, Declared, Digest, Json, Mode, Order, OwnRequests, PersonId, Plan, PlanDraft,
    PlanRuling, Round, SessionId, Tool, ToolName, Values, Version, judge,
};
use serde_json::json;

use crate::card::{Card, CardFacts, EvidenceLine, Exclusions, Provenance, build_card};
use crate::port::PastCase;

/// Everything that a card is made from, owned.
pub(crate) struct Story {
    pub(crate) plan: Plan,
    pub(crate) ruling: PlanRuling,
    pub(crate) figures: Vec<(String, String)>,
    pub(crate) evidence: Vec<EvidenceLine>,
    pub(crate) history: Vec<PastCase>,
    pub(crate) party: Option<String>,
    pub(crate) decision: playbook::Decision,
    pub(crate) requester: PersonId,
    pub(crate) excluded: Vec<String>,
    pub(crate) otherwise: Option<String>,
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// An earlier case, about these amounts.
pub(crate) fn past(text: &str, amounts: &[&str]) -> PastCase {
    PastCase {
        session: SessionId::parse("run_0").unwrap(),
        round: 1,
        at: time("2026-01-05T10:00:00Z"),
        process: "invoice_reconciliation".to_owned(),
        text: text.to_owned(),
        entities: Vec::new(),
        body: json!({"ending": "done", "outcome": "approve", "amounts": amounts}),
    }
}

impl Story {
    pub(crate) fn facts(&self) -> CardFacts<'_> {
        CardFacts {
            bound: &[],
            plan: &self.plan,
            ruling: &self.ruling,
            figures: &self.figures,
            evidence: &self.evidence,
            party: self.party.as_deref(),
            amount: None,
            history: &self.history,
            decision: Some(&self.decision),
            otherwise: self.otherwise.as_deref(),
            requester: &self.requester,
            excluded: &self.excluded,
            exclusions: Exclusions::Recorded,
            given: &[],
            edited: &[],
            editable: &[],
            asked_at: time("2026-03-04T09:00:00Z"),
            expires_at: time("2026-03-06T09:00:00Z"),
        }
    }

    pub(crate) fn card(&self) -> Card {
        build_card(self.facts())
    }

    /// The same story with another draft of its plan, judged anew.
    pub(crate) fn with_draft(&mut self, change: impl FnOnce(&mut PlanDraft)) {
        let mut draft = self.plan.draft().clone();
        change(&mut draft);
        self.plan = Plan::new(draft).unwrap();
        self.ruling = ruled(&self.plan, &self.decision, file());
    }
}

fn file() -> &'static ProcessFile {
    static FILE: OnceLock<ProcessFile> = OnceLock::new();
    FILE.get_or_init(|| {
        builtin().unwrap().into_iter().find(|file| file.name() == "invoice_reconciliation").unwrap()
    })
}

fn ruled(plan: &Plan, decision: &playbook::Decision, file: &ProcessFile) -> PlanRuling {
    let said: Vec<_> = decision.ruling(file.owner(), None).into_iter().collect();
    let rulings = plan.operations().iter().map(|operation| (operation.step.clone(), said.clone())).collect();
    let approvals = Approvals {
        mode: Mode::Careful,
        attendance: Attendance::Attended,
        own_requests: OwnRequests::Never,
        excluded: BTreeSet::new(),
        fallback: file.owner().clone(),
    };
    judge(plan, &rulings, &approvals).unwrap()
}

/// An invoice above its order, read, computed, decided and judged.
pub(crate) fn invoice() -> Story {
    let file = file();
    let inputs = BTreeMap::from([
        ("invoice_id".to_owned(), Value::text("INV-2024-447")),
        ("stated_po".to_owned(), Value::text("PO-8821")),
        ("stated_total".to_owned(), Value::from_literal("52340.00 USD")),
    ]);
    let mut case = Case::start(&file.tasks()[0], &inputs, date(2026, 3, 4));
    let mut evidence = Vec::new();
    let mut pins = BTreeMap::new();
    let mut pin = |name: &str| {
        let name = ToolName::parse(name).unwrap();
        pins.insert(name.clone(), Tool::new(name, &Json::Null, Declared::NOTHING).pin());
    };
    loop {
        let due = case.due();
        if due.is_empty() {
            break;
        }
        for read in due {
            let found = match read.tool.as_str() {
                "get_invoice" => json!({"status": "received", "po_id": "PO-8821", "total": "52340.00 USD",
                    "vendor_id": "V-77", "number": "INV-2024-447"}),
                _ => json!({"total": "51200.00 USD"}),
            };
            pin(read.tool.as_str());
            evidence.push(EvidenceLine {
                tool: read.tool.clone(),
                arguments: read.calls.first().cloned().unwrap_or_else(Values::new),
                read_at: time("2026-03-04T08:59:58Z"),
                digest: Digest::of(found.to_string().as_bytes()),
                found: purple_journal::RedactedJson::of(&found),
                trust: Provenance::SystemOfRecord,
            });
            case.answer(read.name, vec![Value::from_json(&found).unwrap()]).unwrap();
        }
    }
    let figures =
        case.figures().into_iter().map(|(name, value)| (name.to_owned(), value.unwrap().to_string()));
    let figures = figures.collect();
    let decision = case.decide();
    assert!(matches!(decision.end(), Some(End::Outcome(_))), "{decision:?}");
    let operations = case.operations(&decision, &order()).unwrap();
    operations.iter().for_each(|operation| pin(operation.tool.as_str()));
    let plan = Plan::new(PlanDraft {
        session: SessionId::parse("run_1").unwrap(),
        round: Round::FIRST,
        process: Version { name: file.name().to_owned(), digest: Digest::of(b"file") },
        policies: vec![Version { name: "operator".to_owned(), digest: Digest::of(b"policy") }],
        pins,
        good_until: time("2026-03-06T09:00:00Z"),
        operations,
    })
    .unwrap();
    let ruling = ruled(&plan, &decision, file);
    Story {
        plan,
        ruling,
        figures,
        evidence,
        history: Vec::new(),
        party: Some("V-77".to_owned()),
        decision,
        requester: PersonId::parse("you").unwrap(),
        excluded: vec!["you: asked for this work".to_owned()],
        otherwise: None,
    }
}

/// The words that ask for the operations of these tests.
pub(crate) fn order() -> Order {
    Order::task("Please approve INV-2024-447 against PO-8821").unwrap()
}
