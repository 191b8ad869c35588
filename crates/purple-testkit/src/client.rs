//! A client with one method for each thing that people do.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use purple_worker::Client;
use purple_worker::port::command::Reviewed;
use purple_worker::port::command::{Action, Cancelled, Choice, Words};
use purple_worker::port::event::{Called, Channel, Edit, Event, Message, Settlement, Start, Verdict};
use purple_worker::port::view::RunView;
use purple_worker::port::{
    BlobHash, ClientError, Command, DedupKey, EngineError, Inbox, PersonId, Post, Posted, Receipt, SessionId,
    StepId, WorkerHandle,
};

/// The worker as tests use it.
#[derive(Clone)]
pub struct TestClient {
    handle: WorkerHandle,
    inbox: Arc<dyn Inbox>,
    posted: Arc<AtomicU32>,
}

impl Deref for TestClient {
    type Target = WorkerHandle;

    fn deref(&self) -> &WorkerHandle {
        &self.handle
    }
}

impl TestClient {
    /// Over the client of the product.
    pub fn new(client: Client) -> Self {
        let inbox = client.inbox.clone();
        Self { handle: client.handle(), inbox, posted: Arc::default() }
    }

    /// The handle that channels are given.
    pub fn handle(&self) -> WorkerHandle {
        self.handle.clone()
    }

    /// Submits a task under a name.
    pub async fn start(&self, run: SessionId, id: DedupKey, start: Start) -> Result<Receipt, ClientError> {
        let Start { text, by, channel, policy, tools_endpoint, .. } = start;
        let action = Action::Say(Words { text, policy, tools_endpoint });
        self.submit(Command { run, by, channel, id: Some(id.0), action }).await
    }

    /// Submits further words under a name.
    pub async fn say(&self, run: SessionId, id: DedupKey, message: Message) -> Result<Receipt, ClientError> {
        let Message { text, by, channel, account: _ } = message;
        self.submit(Command::say(run, by, channel, text).named(id.0)).await
    }

    /// Decides about the plan that waits.
    pub async fn decide(
        &self,
        run: &SessionId,
        by: PersonId,
        channel: Channel,
        choice: Choice,
    ) -> Result<Receipt, ClientError> {
        let read = self.pending(run).await?;
        self.submit(Command::decide(run.clone(), by, channel, read, choice)).await
    }

    /// Posts a decision past the client: what the worker does with one that no channel would submit.
    pub async fn post_decision(&self, run: SessionId, verdict: Verdict) -> Result<Posted, EngineError> {
        self.post(run, Event::Decision(verdict)).await
    }

    /// Posts an event past the client, as a client with other settings in another process could.
    pub async fn post(&self, run: SessionId, event: Event) -> Result<Posted, EngineError> {
        let dedup = DedupKey(format!("posted:{}", self.posted.fetch_add(1, Ordering::Relaxed)));
        self.inbox.post(Post { session: run, dedup, due: None, event }).await
    }

    /// Puts other values into the plan that waits.
    pub async fn edit(
        &self,
        run: &SessionId,
        by: PersonId,
        channel: Channel,
        fields: BTreeMap<String, String>,
    ) -> Result<Receipt, ClientError> {
        let read = self.pending(run).await?;
        self.edited(
            run.clone(),
            Edit { plan: read.plan, fields, by, channel, account: None, shown: read.card.0 },
        )
        .await
    }

    /// Puts other values into a plan.
    pub async fn edited(&self, run: SessionId, edit: Edit) -> Result<Receipt, ClientError> {
        let Edit { plan, fields, by, channel, account: _, shown } = edit;
        let action = Action::Edit { read: Reviewed { plan, card: BlobHash(shown) }, fields };
        self.submit(Command { run, by, channel, id: None, action }).await
    }

    /// Asks for the undo of an operation of one round, or of the latest.
    pub async fn undo(
        &self,
        run: &SessionId,
        step: StepId,
        round: Option<u32>,
        by: PersonId,
    ) -> Result<Receipt, ClientError> {
        self.act(run, by, Action::Undo { step, round }).await
    }

    /// Says how an operation came out.
    pub async fn settle(
        &self,
        run: &SessionId,
        step: StepId,
        found: Settlement,
        by: PersonId,
    ) -> Result<Receipt, ClientError> {
        self.act(run, by, Action::Settle { step, found }).await
    }

    /// Cancels whichever round is open.
    pub async fn cancel(
        &self,
        run: &SessionId,
        by: PersonId,
        reason: String,
    ) -> Result<Receipt, ClientError> {
        self.act(run, by, Action::Cancel { what: Cancelled::Run, reason }).await
    }

    /// Cancels one round.
    pub async fn cancel_round(
        &self,
        run: &SessionId,
        round: u32,
        by: PersonId,
    ) -> Result<Receipt, ClientError> {
        let what = Cancelled::Round(round);
        self.act(run, by, Action::Cancel { what, reason: String::new() }).await
    }

    /// Cancels the task of a message.
    pub async fn cancel_message(
        &self,
        run: &SessionId,
        message: Called,
        by: PersonId,
    ) -> Result<Receipt, ClientError> {
        let what = Cancelled::Message(message);
        self.act(run, by, Action::Cancel { what, reason: String::new() }).await
    }

    /// Waits until the run is idle after a command.
    pub async fn done(&self, receipt: &Receipt) -> Result<RunView, ClientError> {
        self.idle(&receipt.run, &receipt.awaited).await
    }

    async fn act(&self, run: &SessionId, by: PersonId, action: Action) -> Result<Receipt, ClientError> {
        self.submit(Command { run: run.clone(), by, channel: Channel::Cli, id: None, action }).await
    }
}
