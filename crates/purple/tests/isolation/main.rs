//! Two callers over every operation and every id: what is one's own is not there for the other.
//!
//! The operations are read from the source of the server and from the help of the program, so that a new one without a
//! row here fails.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

#[path = "../running/mod.rs"]
mod running;

mod command_line;
mod duties;
mod operations;
mod same_work;
mod server;

use running::{Running, message};

/// The words of Ada's task. Only her runs have this number and these amounts.
const TASK: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";
/// What Ada's runs are called.
const WAITS: &str = "quokka-waits";
const OVER: &str = "quokka-over";
/// A name that no run has.
const NOBODY: &str = "nobody-here";
/// What is only in Ada's runs.
const HERS: [&str; 6] = ["INV-2024-447", "52340", "52,340", "Acme", "C-8821", "quokka"];

/// A server with a run of Ada that waits and one that is over, and Eve, who asked for nothing yet.
struct Scene {
    running: Running,
    ada: String,
    eve: String,
    /// What only Ada may know: ids that the program made, beside [`HERS`].
    made: Vec<String>,
    approval: String,
}

impl Scene {
    async fn open() -> Self {
        let mut running = Running::stopped("[push]\nallow = [\"http://127.0.0.1:7\"]").await;
        let ada = running.token("ada", &["requester"], &[]);
        let eve = running.token("eve", &["requester"], &[]);
        running.token("ops", &["operator"], &[]);
        running.begin(&[]);
        let over =
            running.call_as(&ada, "SendMessage", message("m-quokka-1", Some(OVER), running::ORDER)).await;
        assert_eq!(over["result"]["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{over}");
        running.call_as(&ada, "SendMessage", message("m-quokka-2", Some(OVER), running::YES)).await;
        let waits = running.call_as(&ada, "SendMessage", message("m-quokka-3", Some(WAITS), TASK)).await;
        let data = &waits["result"]["task"]["status"]["message"]["parts"][1]["data"];
        let approval = data["approvalId"].as_str().unwrap_or_else(|| panic!("{waits}")).to_owned();
        let plan = data["planHash"].as_str().unwrap_or_else(|| panic!("{waits}")).to_owned();
        let push = serde_json::json!({"taskId": format!("{WAITS}~1"), "id": "p-quokka", "url": "http://127.0.0.1:7/quokka"});
        let set = running.call_as(&ada, "CreateTaskPushNotificationConfig", push).await;
        assert!(set.get("result").is_some(), "{set}");
        Self { running, ada, eve, made: vec![approval.clone(), plan], approval }
    }

    /// Nothing of Ada's is in what Eve was told, beside what Eve said herself.
    fn hides(&self, what: &str, said: &str, told: &str) {
        let told = told.replace('\u{a0}', " ");
        for hers in HERS.into_iter().chain(self.made.iter().map(String::as_str)) {
            assert!(said.contains(hers) || !told.contains(hers), "{what}: `{hers}` is in\n{told}");
        }
        let named = told.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "ada");
        assert!(!named, "{what}: `ada` is in\n{told}");
    }
}

/// The same with every name of a run of Ada's in place of one of nobody's.
fn like_nobody(text: &str) -> String {
    [WAITS, OVER].iter().fold(text.to_owned(), |text, name| text.replace(name, NOBODY))
}
