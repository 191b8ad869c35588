//! A model that writes what a test wrote down for it, over HTTP, and counts what it was asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use purple_journal::RecordType;
use purple_model::{Api, Client, Delivery, Dice, Endpoint, Patience, Secret};
use purple_testkit::provider::{Provider, Speech};
use purple_testkit::records;
use purple_testkit::{Brain, Clerk, Job};
use purple_worker::port::*;
use purple_worker::{Archive, Settings, replay};
use serde_json::{Value, json};

use crate::house::{Door, House, session};

/// What is asked, told apart by the first words of the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    Classify,
    Process,
    Gap,
    Cases,
    Code,
    Work,
}

fn question(request: &ModelRequest) -> Question {
    let begins = |words: &str| {
        request
            .messages
            .iter()
            .any(|message| matches!(message, Message::User { text } if text.starts_with(words)))
    };
    match () {
        () if begins("Which of these processes") => Question::Classify,
        () if begins("Define how tasks") => Question::Process,
        () if begins("Does the task need a computation") => Question::Gap,
        () if begins("A function will be written") => Question::Cases,
        () if begins("Write the function") => Question::Code,
        () => Question::Work,
    }
}

/// Replies by question; work is done by a clerk.
#[derive(Default)]
pub(crate) struct Scribbler {
    pub(crate) replies: BTreeMap<Question, Vec<Value>>,
    pub(crate) clerk: Clerk,
    asked: Mutex<Vec<(Question, ModelRequest)>>,
}

impl Scribbler {
    pub(crate) fn new(jobs: Vec<Job>) -> Self {
        Self { clerk: Clerk(jobs), ..Self::default() }
    }

    pub(crate) fn says(mut self, question: Question, replies: &[Value]) -> Self {
        self.replies.insert(question, replies.to_vec());
        self
    }

    /// How often it was asked this.
    pub(crate) fn count(&self, question: Question) -> usize {
        self.asked.lock().unwrap().iter().filter(|(asked, _)| *asked == question).count()
    }

    /// How often it was asked anything.
    pub(crate) fn total(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Everything that it was told when it was asked this.
    pub(crate) fn told(&self, question: Question) -> String {
        let asked = self.asked.lock().unwrap();
        let of = asked.iter().filter(|(one, _)| *one == question);
        of.map(|(_, request)| json!(request.messages).to_string()).collect()
    }
}

/// The brain of a provider, which the test keeps too.
pub(crate) struct Shared(pub(crate) Arc<Scribbler>);

impl Brain for Shared {
    fn reply(&self, request: &ModelRequest) -> ModelReply {
        let question = question(request);
        let mut asked = self.0.asked.lock().unwrap();
        let before = asked.iter().filter(|(one, _)| *one == question).count();
        asked.push((question, request.clone()));
        drop(asked);
        match self.0.replies.get(&question) {
            // The last one is said again and again.
            Some(replies) => ModelReply::text(replies[before.min(replies.len() - 1)].to_string()),
            None if question == Question::Gap => ModelReply::text(json!({"missing": false}).to_string()),
            None => self.0.clerk.reply(request),
        }
    }
}

struct Waits;

impl Pause for Waits {
    fn pause(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

struct NoJitter;

impl Dice for NoJitter {
    fn below(&self, _: u64) -> u64 {
        0
    }
}

/// A house with a scribbler in its seat, and a workshop.
pub(crate) struct Scene {
    pub(crate) house: House,
    pub(crate) scribbler: Arc<Scribbler>,
    _provider: Provider,
}

impl Scene {
    pub(crate) async fn open(scribbler: Scribbler, settings: Settings) -> Self {
        let scribbler = Arc::new(scribbler);
        let brain = Arc::new(Shared(scribbler.clone()));
        let provider = Provider::open(Speech::Anthropic, brain).await.unwrap();
        let client = |model: &str| {
            let key = Some(Secret::new("sk-test"));
            let endpoint =
                Endpoint { api: Api::Anthropic, base_url: provider.url(), key, model: model.to_owned() };
            let (waits, dice) = (Arc::new(Waits), Arc::new(NoJitter));
            Arc::new(Client::new(endpoint, Delivery::Whole, Patience::default(), waits, dice).unwrap())
        };
        let models = Models {
            fast: client("quick-1"),
            fast_name: "quick-1".to_owned(),
            strong: client("careful-1"),
            strong_name: "careful-1".to_owned(),
        };
        let house = House::with_workshop(Door::Streams, settings, &[], Some(models), true).await;
        Self { house, scribbler, _provider: provider }
    }

    /// Everything that is defined.
    pub(crate) async fn defined(&self) -> Vec<Defined> {
        self.house.engine.as_ref().unwrap().store().definitions().await.unwrap()
    }

    pub(crate) async fn redefine(&self, change: Redefinition) -> bool {
        self.house.engine.as_ref().unwrap().store().redefine(change).await.unwrap()
    }

    /// The records of one type in the journal of a run, in order.
    pub(crate) async fn noted<T: RecordType + Clone>(&self, run: &str) -> Vec<T> {
        records::all(&self.house.worker.trace(&session(run), 0, 10_000).await.unwrap())
    }

    /// Performs a run again without model and tools, and finds no difference.
    pub(crate) async fn performed_again(&self, run: &str) {
        performed_again(&self.house, run).await;
    }
}

/// Performs a run of a house again without model and tools, and finds no difference.
pub(crate) async fn performed_again(house: &House, run: &str) {
    let archive = Archive {
        events: house.worker.events.clone(),
        blobs: house.worker.blobs.clone(),
        directory: house.staff.clone(),
        sandbox: Some(Arc::new(purple_sandbox::RhaiSandbox::new(house.clock.clone()))),
    };
    let replayed = replay(&archive, &house.settings, &session(run)).await.unwrap();
    assert_eq!(replayed.difference, None, "{run}");
}
