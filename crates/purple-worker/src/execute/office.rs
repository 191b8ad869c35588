//! The demo business as the other side of reads, in process. For tests only.

use purple_backoffice::{Definition as Offered, Office};
use purple_process::{Annotations, ToolName};
use serde_json::{Value, json};

use crate::port::{Definition, Listing};

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
        server: "office".to_owned(),
        name: ToolName::parse(offered.name).unwrap(),
        description: offered.description,
        input_schema: schema(offered.input_schema).unwrap_or_else(|| json!({})),
        output_schema: schema(offered.output_schema),
        annotations: Annotations {
            read_only: offered.annotations.map(|hints| hints.read_only),
            destructive: offered.annotations.map(|hints| hints.destructive),
        },
    }
}
