//! Sessions that a model drives: three writes each, called one after the other in MUTATE.

use std::sync::Arc;

use purple_testkit::{Brain as _, Clerk, Job};
use purple_worker::Process;
use purple_worker::port::{BoxFuture, Model, ModelError, ModelReply, ModelRequest, Models};
use serde_json::{Value, json};

use crate::business::RECORDS;
use crate::points::Points;

/// Where a child may be told to die, by the line of the table in `docs/heavy-checks.md`.
pub(crate) const POINTS: [(&str, &str); 4] = [
    ("A4", "model asked"),
    ("A5", "model answered"),
    ("A13", "after the answer"),
    ("A15", "between two operations"),
];

fn employee(number: u32) -> String {
    format!("E-{}", 20_000 + number)
}

pub(crate) fn task(number: u32) -> String {
    format!("Please see to it that {} is out of everything.", employee(number))
}

/// What is to be done about a session's employee.
pub(crate) fn writes(number: u32) -> Vec<(String, Value)> {
    let id = employee(number);
    vec![
        ("update_employee_status".to_owned(), json!({"employee_id": id, "status": "offboarding"})),
        ("revoke_access".to_owned(), json!({"employee_id": id, "system": "Okta"})),
        ("revoke_access".to_owned(), json!({"employee_id": id, "system": "Slack"})),
    ]
}

/// No file but the one without rules: the mode decides.
pub(crate) fn files() -> Vec<Process> {
    Process::shipped().unwrap().into_iter().filter(|process| process.file.name() == "general").collect()
}

/// A model whose calls are points at which the process may die.
struct Mortal {
    clerk: Clerk,
    points: Arc<Points>,
}

impl Model for Mortal {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            self.points.pass("model asked");
            // Other sessions go on meanwhile.
            tokio::task::yield_now().await;
            let reply = self.clerk.reply(request);
            self.points.pass("model answered");
            Ok(reply)
        })
    }
}

pub(crate) fn models(points: &Arc<Points>) -> Models {
    let job = |number: u32| Job {
        about: task(number),
        looks: vec![
            ("get_employee".to_owned(), json!({"employee_id": employee(number)})),
            ("get_system_access".to_owned(), json!({"employee_id": employee(number), "system": "Okta"})),
        ],
        acts: writes(number),
        answer: "They are out of everything.".to_owned(),
        ..Job::default()
    };
    let clerk = Clerk((0..RECORDS).map(job).collect());
    let model: Arc<dyn Model> = Arc::new(Mortal { clerk, points: Arc::clone(points) });
    Models {
        fast: model.clone(),
        fast_name: "quick".to_owned(),
        strong: model,
        strong_name: "careful".to_owned(),
    }
}
