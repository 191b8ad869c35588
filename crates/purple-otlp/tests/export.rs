//! The exporter over a real socket: what happens is sent once, and a collector that is out of order holds nobody up.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use purple_journal::Record;
use purple_journal::word::{Ending, EventName};
use purple_otlp::{Exporter, NoExporter};
use purple_port::{BoxFuture, EngineError, Entry, Figures, Learned, Placed, SessionId};
use purple_testkit::records::{began, chosen, ended};
use purple_testkit::{becomes, within};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// The entries, and how often somebody found that there are no more.
#[derive(Default)]
struct Journal(Mutex<Vec<Placed>>, AtomicU32);

impl Journal {
    fn tell(&self, record: impl Into<Record>) {
        let mut all = self.0.lock().unwrap();
        let place = i64::try_from(all.len()).unwrap() + 1;
        let entry = Entry { at: "2026-03-04T12:00:00Z".parse().unwrap(), record: record.into() };
        all.push(Placed { place, session: SessionId::parse("run_1").unwrap(), entry });
    }
}

impl Figures for Journal {
    fn entries(&self, after: i64, limit: usize) -> BoxFuture<'_, Result<Vec<Placed>, EngineError>> {
        let all = self.0.lock().unwrap();
        let found: Vec<Placed> = all.iter().filter(|one| one.place > after).take(limit).cloned().collect();
        self.1.fetch_add(u32::from(found.is_empty()), Ordering::Release);
        Box::pin(std::future::ready(Ok(found)))
    }

    fn learned(&self) -> BoxFuture<'_, Result<Learned, EngineError>> {
        Box::pin(std::future::ready(Ok(Learned::default())))
    }
}

/// Answers each request with the next status, and tells what was sent.
async fn collector(
    statuses: &'static [u16],
) -> (String, tokio::sync::mpsc::UnboundedReceiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tell, told) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        for status in statuses {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            let (head, body) = loop {
                let mut piece = [0; 4_096];
                let count = stream.read(&mut piece).await.unwrap();
                bytes.extend_from_slice(&piece[..count]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                if let Some((head, body)) = text.split_once("\r\n\r\n")
                    && let Ok(body) = serde_json::from_str::<Value>(body)
                {
                    break (head.lines().next().unwrap().to_owned(), body);
                }
            };
            let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            tell.send((head, body)).unwrap();
        }
    });
    (url, told)
}

#[tokio::test]
async fn what_happens_is_sent_as_otlp_and_again_when_the_collector_is_busy() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let journal = Arc::new(Journal::default());
    // Before the start of the exporter.
    journal.tell(began(EventName::Start));
    journal.tell(ended(Some(Ending::Done)));
    let (url, mut told) = collector(&[503, 200, 200]).await;
    let exporter = Exporter::new(journal.clone(), &url).unwrap().every(Duration::from_millis(5));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(exporter.run(async move {
        let _ = stopped.await;
    }));
    // The exporter has its place when it has seen the end once.
    becomes("the exporter to read the journal", || journal.1.load(Ordering::Acquire) > 0).await;
    journal.tell(began(EventName::Start));
    journal.tell(chosen("procurement"));
    journal.tell(ended(Some(Ending::Done)));
    let (head, first) = within("a request to the collector", told.recv()).await.unwrap();
    assert!(head.starts_with("POST /v1/traces"), "{head}");
    let (_, again) = within("a request to the collector", told.recv()).await.unwrap();
    assert_eq!(first, again);
    let spans = &first["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(spans.as_array().unwrap().len(), 1, "{first}");
    assert_eq!(spans[0]["name"], "invoke_workflow procurement");
    assert_eq!(spans[0]["startTimeUnixNano"], "1772625600000000000");
    // What happens at the very end is sent too.
    journal.tell(began(EventName::Start));
    journal.tell(ended(Some(Ending::Failed)));
    stop.send(()).unwrap();
    within("the exporter to end", running).await.unwrap();
    let (_, last) = within("a request to the collector", told.recv()).await.unwrap();
    assert_eq!(last["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["status"]["code"], 2, "{last}");
}

#[tokio::test]
async fn what_is_no_address_is_refused() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    for bad in ["", "nonsense", "ftp://x"] {
        let made = Exporter::new(Arc::new(Journal::default()), bad);
        assert!(matches!(made, Err(NoExporter::BadEndpoint { .. })), "{bad}");
    }
}
