//! Texts with several tasks: each becomes a run of its own, and none is dropped.

use purple_intent::{Item, Mood};
use purple_journal::Redacted;
use purple_journal::record::task;
use purple_process::{Arithmetic, Fact, Route, SessionId};

use crate::event::{Event, Start};
use crate::execute::close::Left;
use crate::port::{DedupKey, Post, ToolsAt, TurnFailed};
use crate::run::{Phase, Run};
use crate::view::FurtherRun;

impl Run<'_> {
    /// Begins a run for each of the tasks, and lists them.
    pub(crate) async fn several(&mut self, items: Vec<Item>) -> Phase<()> {
        self.route(Route::question(Arithmetic::None))?;
        for fact in [Fact::Decomposed, Fact::Assessed] {
            self.step(fact)?;
        }
        let mut sentences = vec![format!(
            "The text holds {} parts. Each task has a run and a result of its own:",
            items.len()
        )];
        let mut runs = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let (number, text) = (place + 1, &item.text);
            if item.mood == Mood::Negated {
                sentences.push(format!("{number}. {text} - nothing is done"));
                continue;
            }
            let run = self.begin_run(number, text).await?;
            sentences.push(format!("{number}. {text} - run {run}"));
            runs.push(FurtherRun { run, after: 0 });
        }
        let texts: Vec<&String> = items.iter().map(|item| &item.text).collect();
        self.scribe.note(task::Divided {
            tasks: Redacted::all(texts),
            runs: Redacted::all(runs.iter().map(|one| one.run.as_str())),
        })?;
        self.close(Left { sentences, runs, ..Left::default() }).await
    }

    /// Begins a run with the requester, channel, policy and tools of this one.
    async fn begin_run(&self, number: usize, text: &str) -> Phase<SessionId> {
        let unreadable = |why: String| TurnFailed::Unreadable { what: "task", why };
        let round = self.session.round();
        let run = SessionId::parse(&format!("{}-{round}-{number}", self.id()))
            .map_err(|error| unreadable(error.to_string()))?;
        let policy = match self.session.request_policy {
            Some(hash) => {
                let bytes = self.bytes("policy", hash).await?;
                Some(serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?)
            }
            None => None,
        };
        let tools_endpoint = match &self.session.tools_at {
            ToolsAt::Configured => None,
            ToolsAt::Url(url) => Some(url.clone()),
        };
        let event = Event::Start(Start {
            text: text.to_owned(),
            by: self.session.requester.clone(),
            channel: self.session.channel,
            account: self.session.requester_account.clone(),
            policy,
            tools_endpoint,
            message_id: None,
        });
        let dedup = DedupKey(format!("part:{run}"));
        self.scribe.turn.post(Post { session: run.clone(), dedup, due: None, event })?;
        Ok(run)
    }
}
