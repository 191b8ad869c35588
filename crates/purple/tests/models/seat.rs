//! A scripted model behind a provider on the loopback, and a house that is driven by it.

use std::sync::Arc;
use std::time::Duration;

use purple_model::{Api, Client, Delivery, Dice, Endpoint, Patience, Secret};
use purple_testkit::Clerk;
use purple_testkit::provider::{Provider, Speech};
use purple_worker::port::{BoxFuture, Models, Pause};
use purple_worker::{Process, RunView, Settings};
use serde_json::{Value, json};

use crate::house::{Door, House};

/// Waits in real time, since limits are not to end at once.
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

/// Every language, whole and streamed.
pub(crate) const WAYS: [(Speech, Api, Delivery); 6] = [
    (Speech::Anthropic, Api::Anthropic, Delivery::Whole),
    (Speech::Anthropic, Api::Anthropic, Delivery::Streamed),
    (Speech::OpenAi, Api::OpenAi, Delivery::Whole),
    (Speech::OpenAi, Api::OpenAi, Delivery::Streamed),
    (Speech::Ollama, Api::Ollama, Delivery::Whole),
    (Speech::Ollama, Api::Ollama, Delivery::Streamed),
];

/// A house with a model in its seat.
pub(crate) struct Driven {
    pub(crate) house: House,
    pub(crate) provider: Provider,
}

impl Driven {
    pub(crate) async fn open(
        (speech, api, delivery): (Speech, Api, Delivery),
        clerk: Clerk,
        settings: Settings,
    ) -> Self {
        let provider = Provider::open(speech, Arc::new(clerk)).await.unwrap();
        let client = |model: &str| {
            let key = Some(Secret::new("sk-test"));
            let endpoint = Endpoint { api, base_url: provider.url(), key, model: model.to_owned() };
            Arc::new(
                Client::new(endpoint, delivery, Patience::default(), Arc::new(Waits), Arc::new(NoJitter))
                    .unwrap(),
            )
        };
        let models = Models {
            fast: client("quick-1"),
            fast_name: "quick-1".to_owned(),
            strong: client("careful-1"),
            strong_name: "careful-1".to_owned(),
        };
        let house = House::with_models(Door::Streams, settings, &[], Some(models)).await;
        Self { house, provider }
    }

    /// Every effect, in order: the tool and its arguments.
    pub(crate) fn effects(&self) -> Vec<(String, Value)> {
        let effects = self.house.ledger().effects;
        effects.into_iter().map(|effect| (effect.tool, effect.arguments)).collect()
    }

    /// Every request was one that the provider takes.
    pub(crate) fn were_all_requests_valid(&self) {
        let exchanges = self.provider.exchanges();
        assert!(!exchanges.is_empty(), "no model was asked");
        for exchange in exchanges {
            assert!(exchange.request.is_ok(), "{:?}", exchange.request);
        }
    }
}

/// The files of the five cases, and the one for everything else.
pub(crate) fn files_with_gaps() -> Settings {
    let texts = [
        include_str!("files/invoice_reconciliation.yaml"),
        include_str!("files/order_management.yaml"),
        include_str!("files/payroll_overtime.yaml"),
        include_str!("files/sla_breach.yaml"),
        include_str!("files/hr_offboarding.yaml"),
    ];
    let mut processes: Vec<Process> = texts.iter().map(|text| Process::parse(text).unwrap()).collect();
    processes.extend(only_the_rest());
    crate::house::careful(processes)
}

/// No file but the one that takes what no other takes, which has no rules.
pub(crate) fn only_the_rest() -> Vec<Process> {
    Process::shipped().unwrap().into_iter().filter(|process| process.file.name() == "general").collect()
}

pub(crate) fn operation(tool: &str, arguments: Value) -> Value {
    json!({"tool": tool, "arguments": arguments})
}

pub(crate) fn words(view: &RunView) -> &str {
    view.answer.as_ref().map_or("", |answer| &answer.text)
}
