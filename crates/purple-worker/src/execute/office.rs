//! The demo business as the other side of reads, in process. For tests only.

use std::sync::Mutex;
use std::time::Duration;

use jiff::civil::date;
use purple_backoffice::{Answer, Call, Definition as Offered, Delivery, Office, Setup};
use purple_process::{Annotations, Json, ToolName, Values};
use serde_json::{Value, json};

use crate::port::{BoxFuture, Called, Definition, Listing};

use super::catalogue::{Catalogue, Known, Manifest};
use super::drift::SchemaFixes;
use super::read::{ReadStory, read};
use super::reader::{Patience, ReadOnce, ReadPorts, Wait};

/// Everything that the office offers.
pub(crate) fn listing(office: &Office) -> Listing {
    let tools = office.definitions().into_iter().map(definition).collect();
    Listing { tools, left_out: Vec::new() }
}

fn definition(offered: Offered) -> Definition {
    let schema = |schema: Option<std::sync::Arc<serde_json::Map<String, Value>>>| {
        schema.map(|schema| Value::Object((*schema).clone()))
    };
    Definition {
        version: None,
        server: "office".to_owned(),
        name: ToolName::parse(offered.name).unwrap(),
        description: offered.description.into(),
        input_schema: schema(offered.input_schema).unwrap_or_else(|| json!({})),
        output_schema: schema(offered.output_schema),
        annotations: Annotations {
            read_only: offered.annotations.map(|hints| hints.read_only),
            destructive: offered.annotations.map(|hints| hints.destructive),
        },
    }
}

/// What its operator says: the shipped manifest of the demo company holds.
pub(crate) fn manifest() -> Manifest {
    Manifest::default().with_shipped("office", crate::Shipped::find("demo-company").unwrap())
}

/// The office behind the seam of reads, with the waits that were asked for and every tool that was called.
pub(crate) struct Desk {
    pub(crate) office: Office,
    pub(crate) catalogue: Catalogue,
    waits: Mutex<Vec<Duration>>,
}

impl Desk {
    pub(crate) fn with_faults(specs: &[&str]) -> Self {
        let office = Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap();
        let catalogue = Catalogue::new(listing(&office), &manifest());
        office.set_faults(specs.iter().map(|spec| spec.parse().unwrap()).collect());
        Self { office, catalogue, waits: Mutex::default() }
    }

    pub(crate) fn read(&self, tool: &str, arguments: Value) -> ReadStory {
        self.read_with(tool, arguments, &mut SchemaFixes::default())
    }

    pub(crate) fn read_with(&self, tool: &str, arguments: Value, fixes: &mut SchemaFixes) -> ReadStory {
        let tool = self.catalogue.get(&ToolName::parse(tool).unwrap()).unwrap();
        let ports = ReadPorts { reader: self, catalogue: &self.catalogue, wait: self, advice: None };
        pollster::block_on(read(ports, tool, values(arguments), fixes))
    }

    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }
}

impl ReadOnce for Desk {
    fn read<'a>(&'a self, tool: &'a Known, arguments: Values) -> BoxFuture<'a, Called> {
        let wire: Value = serde_json::from_str(&Json::Record(arguments).to_wire()).unwrap();
        let served = self.office.call(&Call::new(tool.name().as_str(), wire.as_object().unwrap().clone()));
        let called = match (served.delivery, served.answer) {
            (Delivery::Plain | Delivery::Huge(_), Answer::Done(value)) => Called::Answered(value.into()),
            (Delivery::Plain | Delivery::Huge(_), Answer::Refused { code, message }) => {
                Called::Refused { code: Some(code.into()), message: message.into() }
            }
            (Delivery::Plain | Delivery::Huge(_), Answer::InputRequired { message, .. }) => {
                Called::Refused { code: None, message: message.into() }
            }
            (Delivery::Unavailable, _) => {
                Called::Refused { code: Some("UNAVAILABLE".into()), message: "503".into() }
            }
            (Delivery::Never | Delivery::Cut | Delivery::Garbage, _) => {
                Called::Lost { reason: "no answer".into() }
            }
        };
        Box::pin(async move { called })
    }
}

impl Wait for Desk {
    fn wait(&self, how_long: Duration) -> BoxFuture<'_, Patience> {
        self.waits.lock().unwrap().push(how_long);
        Box::pin(async { Patience::Waited })
    }
}

/// Arguments from JSON.
pub(crate) fn values(json: Value) -> Values {
    match Json::from_serde(&json).unwrap() {
        Json::Record(fields) => fields,
        other => panic!("no record: {other:?}"),
    }
}
