//! A shop with one order, and a model that tells something about figures.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use purple_journal::record::run::StateEntered;
use purple_journal::{RecordType, Recorded};
use purple_process::{Annotations, Directory as People, PersonId, SessionId, State, ToolName, Values};
use purple_testkit::TestClient;
use purple_testkit::{Asked as _, Brain, HandClock, MemoryEngine, Recollection, Seat, call, records};
use purple_worker::learn::Sharing;
use purple_worker::port::{
    BadArguments, BoxFuture, CallOptions, Called, DedupKey, Definition, Directory, Effect, Listing, Model,
    ModelReply, ModelRequest, Models, Pass, Pause, Still, Tools, ToolsAt, ToolsDown,
};
use purple_worker::{Channel, Client, Notices, Ports, Process, RunView, Settings, Start, Worker};
use serde_json::{Value, json};

pub(crate) const PROPOSE: &str = "propose_operations";
pub(crate) const DESK: &str = r#"
process: credit_desk
title: Credit what an order says
owner: accounts_payable
keywords: [creditwork]
route: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, COMPLETE]
decide:
  - {rule: D-1, if: 'exists(amount)', ask: nobody, because: "routine"}
"#;

pub(crate) const TASK: &str = "Creditwork: apply the credit to order O-1.";
pub(crate) const QUESTION: &str = "What is the total of order O-1? Look into the creditwork.";

/// What a run is set up with.
pub(crate) struct Setting {
    pub(crate) task: &'static str,
    pub(crate) files: Vec<&'static str>,
    pub(crate) memory: Recollection,
    pub(crate) planted: Planted,
    pub(crate) people: People,
    pub(crate) sharing: Sharing,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            task: TASK,
            files: vec![DESK],
            memory: Recollection::default(),
            planted: Planted::default(),
            people: People::Keyboard,
            sharing: Sharing::default(),
        }
    }
}

/// What the tools say beside what the order is.
#[derive(Clone, Default)]
pub(crate) struct Planted {
    /// Further fields of the order.
    pub(crate) fields: serde_json::Map<String, Value>,
    /// What a read is refused with, the first time.
    pub(crate) refusal: Option<String>,
    /// What a tool says about itself.
    pub(crate) about: String,
    /// What a tool, a parameter and a field of the order are called.
    pub(crate) name: Option<String>,
    /// What becomes of the first read and of every write, in place of an answer.
    pub(crate) instead: Option<Called>,
}

/// One order, and what was credited.
#[derive(Default)]
struct Shop {
    credits: Mutex<Vec<String>>,
    planted: Planted,
    reads: Mutex<usize>,
}

fn definition(name: &str, about: &str, schema: Value) -> Definition {
    Definition {
        version: None,
        server: "shop".to_owned(),
        name: ToolName::parse(name).unwrap(),
        description: about.into(),
        input_schema: schema,
        output_schema: None,
        annotations: Annotations { read_only: None, destructive: None },
    }
}

impl Tools for Shop {
    fn list<'a>(&'a self, _: &'a ToolsAt) -> BoxFuture<'a, Result<Listing, ToolsDown>> {
        let text = json!({"type": "string"});
        let tools = vec![
            definition(
                "get_order",
                &self.planted.about,
                json!({"type": "object", "properties": {"order_id": text}}),
            ),
            definition(
                "apply_credit",
                &self.planted.about,
                json!({"type": "object", "properties": {"order_id": text, "amount": text, "note": text}}),
            ),
        ];
        let named = self.planted.name.iter().map(|name| {
            let schema = json!({"type": "object", "properties": {name: {"type": "string", "enum": [name]}}});
            definition(name, &self.planted.about, schema)
        });
        let tools = tools.into_iter().chain(named).collect();
        Box::pin(std::future::ready(Ok(Listing { tools, left_out: Vec::new() })))
    }

    fn check(&self, _: &Definition, _: &Values) -> Result<(), BadArguments> {
        Ok(())
    }

    fn misfits(&self, _: &Value, _: &Value) -> Vec<String> {
        Vec::new()
    }

    fn still<'a>(&'a self, _: &'a ToolsAt, _: &'a Definition) -> BoxFuture<'a, Still> {
        Box::pin(std::future::ready(Still::Same))
    }

    fn call<'a>(&'a self, _: &'a ToolsAt, pass: Pass, _: CallOptions) -> BoxFuture<'a, Called> {
        let call = pass.call();
        let is_first = call.effect() == Effect::Write || *self.reads.lock().unwrap() == 0;
        if let (true, Some(instead)) = (is_first, &self.planted.instead) {
            *self.reads.lock().unwrap() += 1;
            return Box::pin(std::future::ready(instead.clone()));
        }
        let called = match call.effect() {
            Effect::Write => {
                self.credits.lock().unwrap().push(format!("{:?}", call.arguments().get("amount")));
                json!({"status": "applied"})
            }
            _ => {
                let mut reads = self.reads.lock().unwrap();
                *reads += 1;
                if let (1, Some(message)) = (*reads, &self.planted.refusal) {
                    let refused = Called::Refused { code: None, message: message.clone().into() };
                    return Box::pin(std::future::ready(refused));
                }
                let mut order = json!({"order_id": "O-1", "total": "85.00 USD", "fee": "3.40 USD"});
                order.as_object_mut().unwrap().extend(self.planted.fields.clone());
                if let Some(name) = &self.planted.name {
                    order[name] = json!(name);
                }
                order
            }
        };
        Box::pin(std::future::ready(Called::Answered(called.into())))
    }
}

/// Where a model puts its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Beside,
    Why,
    Argument,
    InMutate,
}

pub(crate) const PLACES: [Place; 4] = [Place::Beside, Place::Why, Place::Argument, Place::InMutate];

/// Reads, proposes what it read, and says something about figures at one place. It never corrects itself.
pub(crate) struct Teller {
    place: Place,
    text: String,
    amount: &'static str,
}

impl Brain for Teller {
    fn reply(&self, request: &ModelRequest) -> ModelReply {
        if let Some(schema) = &request.output_schema {
            let process = schema.pointer("/properties/process").is_some();
            let said = if process {
                json!({"process": "credit_desk"})
            } else {
                json!({"goal": "credit it", "data_needs": []})
            };
            return ModelReply::text(said.to_string());
        }
        let at = |place: Place| if self.place == place { self.text.as_str() } else { "" };
        if request.offers("get_order") && request.calls_of("get_order").is_empty() {
            return ModelReply::calls(vec![call("get_order", json!({"order_id": "O-1"}))]);
        }
        let credit = |amount: &str, note: &str| json!({"order_id": "O-1", "amount": amount, "note": note});
        if request.offers(PROPOSE) && request.calls_of(PROPOSE).is_empty() {
            let amount = if self.place == Place::InMutate { "85.00 USD" } else { self.amount };
            let operation = json!({
                "tool": "apply_credit", "arguments": credit(amount, at(Place::Argument)), "why": at(Place::Why),
            });
            let reply = ModelReply::calls(vec![call(PROPOSE, json!({"operations": [operation]}))]);
            return ModelReply { text: at(Place::Beside).to_owned(), ..reply };
        }
        if self.place == Place::InMutate
            && request.offers("apply_credit")
            && request.calls_of("apply_credit").is_empty()
        {
            let reply = ModelReply::calls(vec![call("apply_credit", credit("3.40 USD", ""))]);
            return ModelReply { text: self.text.clone(), ..reply };
        }
        ModelReply::text("done")
    }
}

struct Staff(People);

impl Directory for Staff {
    fn on(&self, _: jiff::civil::Date) -> People {
        self.0.clone()
    }
}

struct NoPause;

impl Pause for NoPause {
    fn pause(&self, time: Duration) -> BoxFuture<'_, ()> {
        if time < Duration::from_secs(5) {
            Box::pin(std::future::ready(()))
        } else {
            Box::pin(std::future::pending())
        }
    }
}

pub(crate) struct Ended {
    pub(crate) view: RunView,
    pub(crate) credits: Vec<String>,
    pub(crate) journal: Vec<Recorded>,
    /// What left the house.
    pub(crate) notices: Vec<Value>,
}

impl Ended {
    pub(crate) fn states(&self) -> Vec<State> {
        self.noted::<StateEntered>().iter().map(|entered| entered.to).collect()
    }

    pub(crate) fn code(&self) -> Option<String> {
        self.view.answer.as_ref().and_then(|answer| answer.data.code.clone())
    }

    /// The records of one type.
    pub(crate) fn noted<T: RecordType + Clone>(&self) -> Vec<T> {
        records::all(&self.journal)
    }
}

pub(crate) async fn run(brain: Arc<dyn Brain>, setting: Setting) -> Ended {
    let shop = Arc::new(Shop { planted: setting.planted, ..Shop::default() });
    let clock = Arc::new(HandClock::at("2026-03-04T09:00:00Z".parse().unwrap()));
    let engine = Arc::new(MemoryEngine::new(clock.clone()));
    let model: Arc<dyn Model> = Arc::new(Seat(brain));
    let models = Models {
        fast: model.clone(),
        fast_name: "fast".to_owned(),
        strong: model,
        strong_name: "strong".to_owned(),
    };
    let ports = Ports {
        tools: shop.clone(),
        blobs: engine.clone(),
        events: engine.clone(),
        memory: Arc::new(setting.memory),
        directory: Arc::new(Staff(setting.people)),
        clock: clock.clone(),
        pause: Arc::new(NoPause),
        models: Some(models),
        workshop: None,
    };
    let files = setting.files.iter().map(|file| Process::parse(file).unwrap()).collect();
    let mut settings = Settings::careful(files);
    settings.learning.sharing = setting.sharing;
    settings.notices = Notices::Approvers;
    let worker = Worker::new(ports, settings);
    let (inbox, events, blobs, brake) = (engine.clone(), engine.clone(), engine.clone(), engine.clone());
    let door = TestClient::new(Client {
        inbox,
        events,
        blobs,
        brake,
        clock,
        endpoints_allowed: Vec::new(),
        account: None,
    });
    let run = SessionId::parse("run").unwrap();
    let start = Start {
        text: setting.task.to_owned(),
        by: PersonId::parse("alex").unwrap(),
        channel: Channel::A2a,
        account: None,
        policy: None,
        tools_endpoint: None,
        message_id: None,
    };
    door.start(run.clone(), DedupKey("start".to_owned()), start).await.unwrap();
    engine.run(&worker).await;
    let view = door.view(&run).await.unwrap();
    let journal = door.trace(&run, 0, 10_000).await.unwrap();
    let credits = shop.credits.lock().unwrap().clone();
    let notices = engine.notices().iter().map(|one| one.body.value().clone()).collect();
    Ended { view, credits, journal, notices }
}

pub(crate) fn teller(place: Place, text: &str, amount: &'static str) -> Arc<Teller> {
    Arc::new(Teller { place, text: text.to_owned(), amount })
}

pub(crate) fn alone(brain: Arc<dyn Brain>) -> Ended {
    alone_with(brain, Setting::default())
}

pub(crate) fn alone_with(brain: Arc<dyn Brain>, setting: Setting) -> Ended {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(run(brain, setting))
}
