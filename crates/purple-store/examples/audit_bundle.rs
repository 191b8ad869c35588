//! Writes a small journal, its export and its anchor into FOLDER, for `checks/audit`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "an example tells what it did")]

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use purple_journal::record::write::Intent;
use purple_journal::word::Attempt;
use purple_journal::{Redacted, RedactedJson};
use purple_port::{
    BlobHash, BoxFuture, Clock, DedupKey, Delivery, Digest, Effect, Entry, Event, Handler, Inbox as _,
    Notice, OperationKey, Outbox, PlanHash, Post, SessionId, StepId, Turn, TurnFailed,
};
use purple_store::audit::{AuditKey, Scope};
use purple_store::{Engine, Settings, Store};
use serde_json::Value;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        "2026-03-02T12:00:00Z".parse().unwrap()
    }
}

struct Silent;

impl Outbox for Silent {
    fn deliver<'a>(&'a self, _notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(std::future::ready(Delivery::Delivered))
    }
}

struct Scribe;

impl Handler for Scribe {
    fn handle<'a>(&'a self, turn: &'a dyn Turn, _event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        // Numbers, escapes and keys that tempt a second reader to differ.
        let arguments = r#"{"amount": 0.10000000000000000001, "big": 12345678901234567890123, "exp": [1e2, 2.50E-3, -0],
            "text": "\"\\\u0001\b\f\n\r\t/ \u00fc \ud83d\ude00 \u2028", "\uff5e": null, "\ud83d\ude00": true, "": {}}"#;
        Box::pin(async move {
            let arguments: Value = serde_json::from_str(arguments).unwrap();
            let sent = turn.keep(format!("the arguments of {}", turn.session()).into_bytes())?;
            let record = intent(RedactedJson::from_value(arguments), sent).into();
            turn.record(Entry { at: turn.began(), record })?;
            Ok(())
        })
    }
}

fn intent(arguments: RedactedJson, sent: BlobHash) -> Intent {
    let digest = Digest::of(b"pay INV-447");
    Intent {
        step: StepId::parse("do_1").unwrap(),
        key: OperationKey(digest),
        plan: PlanHash(digest),
        attempt: Attempt::First,
        headline: Redacted::of("Pay INV-447"),
        tool: Redacted::of("pay"),
        effect: Effect::Write,
        arguments,
        sent,
        before: sent,
    }
}

#[tokio::main]
async fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap());
    let clock = Arc::new(Noon);
    let store = Store::open(&folder, Settings::default(), clock.clone()).unwrap();
    let engine = Engine::start(store, Arc::new(Scribe), Arc::new(Silent));
    for number in 0..3 {
        for name in ["invoice-447", "quo\"te\\"] {
            let dedup = DedupKey(format!("{name}/{number}"));
            let session = SessionId::parse(name).unwrap();
            engine.store().post(Post { session, dedup, due: None, event: Event::Continue }).await.unwrap();
        }
    }
    engine.idle().await.unwrap();
    let (key, reader) = (AuditKey::of_folder(&folder).unwrap(), engine.store().reader());
    reader.export_to(&Scope::All, &key, clock.now(), &folder.join("audit.jsonl")).unwrap();
    let anchor = reader.anchor(&key, clock.now()).unwrap();
    std::fs::write(folder.join("anchor.json"), anchor.text()).unwrap();
    engine.stop().await.unwrap();
    println!("{}", key.public());
}
