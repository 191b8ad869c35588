//! Writes a small journal, its export and its anchor into FOLDER, for `checks/audit`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "an example tells what it did")]

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use purple_store::audit::{AuditKey, Scope};
use purple_store::{Engine, Settings, Store};
use purple_worker::Event;
use purple_worker::port::{
    BoxFuture, Clock, DedupKey, Delivery, Entry, Handler, Inbox as _, Notice, Outbox, Post, SessionId, Turn,
    TurnFailed,
};
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
        let data = r#"{"amount": 0.10000000000000000001, "big": 12345678901234567890123, "exp": [1e2, 2.50E-3, -0],
            "text": "\"\\\u0001\b\f\n\r\t/ \u00fc \ud83d\ude00 \u2028", "\uff5e": null, "\ud83d\ude00": true, "": {}}"#;
        Box::pin(async move {
            let mut data: Value = serde_json::from_str(data).unwrap();
            let kept = turn.keep(format!("the arguments of {}", turn.session()).into_bytes())?;
            data["sent"] = serde_json::to_value(kept).unwrap();
            turn.record(Entry { at: turn.began(), kind: "write.intent".to_owned(), data })?;
            Ok(())
        })
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
