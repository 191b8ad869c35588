//! The company that the sessions work for. It lives in the parent, behind HTTP, and survives every kill.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use jiff::civil::date;
use purple_backoffice::{Clock, HttpDoor, Office, Setup};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// The first number of the records that are worked on.
const FIRST: u32 = 20_000;
/// How many records of each kind there are.
pub(crate) const RECORDS: u32 = 320;

/// What a session is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Approved by a rule.
    Invoice,
    /// A credit, and who is told about it.
    Credit,
    /// Two rounds, eight operations.
    Offboarding,
    /// Waits until the requester confirms.
    Order,
    /// Above its order: waits until somebody else says yes to its rejection.
    Rejection,
    /// The same, and nobody ever says anything.
    Unanswered,
}

pub(crate) const KINDS: [Kind; 6] =
    [Kind::Offboarding, Kind::Invoice, Kind::Credit, Kind::Order, Kind::Rejection, Kind::Unanswered];

pub(crate) fn kind(number: u32) -> Kind {
    KINDS[(number % 6) as usize]
}

pub(crate) fn name(number: u32) -> String {
    format!("s{number}")
}

/// The task of a session. Each works on a record of its own.
pub(crate) fn task(number: u32) -> String {
    let invoice = |number: u32, total: &str| {
        format!(
            "Acme Corp submitted invoice INV-2026-{number} for ${total}. PO-{number} was $1,000. Approve or reject per policy."
        )
    };
    let record = FIRST + number;
    match kind(number) {
        // Even ones are 2 % above their orders, odd ones 3 %. No two sessions have the same.
        Kind::Invoice => invoice(even(record), "1,020.00"),
        Kind::Rejection => invoice(even(record) - 1, "1,030.00"),
        Kind::Unanswered => invoice(even(record) + 1, "1,030.00"),
        Kind::Credit => format!(
            "Vendor INFRA-{record} had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-{record}."
        ),
        Kind::Offboarding => format!("Start offboarding for employee E-{record} (last day Friday)"),
        Kind::Order => format!("Customer C-8821 wants to change order #ORD-{record}: remove 3x Widget A."),
    }
}

fn even(number: u32) -> u32 {
    number / 2 * 2
}

/// The tools with effects that a session calls when all of it is done.
pub(crate) fn effects(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Invoice => &["approve_invoice"],
        Kind::Credit => &["apply_account_credit", "send_sla_breach_notification"],
        Kind::Offboarding => &[
            "create_offboarding_checklist",
            "notify_it_team",
            "revoke_access",
            "revoke_access",
            "schedule_equipment_return",
            "schedule_exit_survey",
            "send_exit_survey",
            "update_employee_status",
        ],
        Kind::Order => &["modify_order_items", "send_order_confirmation"],
        Kind::Rejection => &["reject_invoice"],
        Kind::Unanswered => &[],
    }
}

/// Those of them that do an operation once per key.
pub(crate) const KEYED: [&str; 5] = [
    "approve_invoice",
    "reject_invoice",
    "apply_account_credit",
    "send_sla_breach_notification",
    "update_employee_status",
];

/// An open company.
pub(crate) struct Business {
    pub(crate) url: String,
    pub(crate) ledger: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
    _folder: TempDir,
}

impl Business {
    pub(crate) fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("company.db");
        let today = date(2026, 3, 4);
        let setup =
            Setup { data: Some(ledger.clone()), clock: Clock::still(today), seed: 1, faults: Vec::new() };
        let office = Office::open(setup).unwrap();
        office.enlarge(RECORDS + 2).unwrap();
        let (tell, told) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        // A thread and a runtime of its own: the parent waits for its children and serves nobody meanwhile.
        let serving = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let door = HttpDoor::open(Arc::new(office), "127.0.0.1:0".parse().unwrap()).await.unwrap();
                tell.send(door.address()).unwrap();
                let _ = stopped.await;
            });
        });
        let url = format!("http://{}/rpc", told.recv_timeout(purple_testkit::WAIT_MAX).unwrap());
        Self { url, ledger, stop: Some(stop), serving: Some(serving), _folder: folder }
    }
}

impl Drop for Business {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}
