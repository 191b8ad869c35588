//! Tools inside this process: what is left to be measured is the worker and its store.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use purple_worker::port::{
    Annotations, BadArguments, BoxFuture, CallOptions, Called, Definition, Json, Listing, Pass, Still,
    ToolName, Tools, ToolsAt, ToolsDown, Values,
};
use serde_json::{Value, json};

/// Claims by id, approved or not.
#[derive(Default)]
pub struct Office {
    approved: Mutex<BTreeMap<String, String>>,
    calls: Mutex<u64>,
}

impl Office {
    /// How many calls arrived.
    pub fn calls(&self) -> u64 {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn one(&self, tool: &str, claim: String) -> Value {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        let mut approved = self.approved.lock().unwrap_or_else(PoisonError::into_inner);
        match tool {
            "approve_claim" => drop(approved.insert(claim.clone(), "approved".to_owned())),
            "get_budget" => return json!({"left": "5000.00 USD"}),
            "send_claim_notice" => return json!({"sent": true}),
            _ => {}
        }
        let status = approved.get(&claim).map_or("submitted", String::as_str);
        json!({"claim_id": claim, "amount": "900.00 USD", "status": status, "owner": "jo@example.com"})
    }
}

fn definition(name: &str, needs: &[&str]) -> Option<Definition> {
    let properties: BTreeMap<&str, Value> =
        needs.iter().map(|name| (*name, json!({"type": "string"}))).collect();
    Some(Definition {
        server: "office".to_owned(),
        name: ToolName::parse(name).ok()?,
        description: name.replace('_', " "),
        input_schema: json!({"type": "object", "properties": properties, "required": needs}),
        output_schema: None,
        annotations: Annotations { read_only: None, destructive: None },
    })
}

impl Tools for Office {
    fn list<'a>(&'a self, _: &'a ToolsAt) -> BoxFuture<'a, Result<Listing, ToolsDown>> {
        let tools = [
            definition("approve_claim", &["claim_id"]),
            definition("get_budget", &["claim_id"]),
            definition("get_claim", &["claim_id"]),
            definition("send_claim_notice", &["claim_id", "to"]),
        ];
        let listing = Listing { tools: tools.into_iter().flatten().collect(), left_out: Vec::new() };
        Box::pin(std::future::ready(Ok(listing)))
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
        let claim = match pass.call().arguments().get("claim_id") {
            Some(Json::Text(claim)) => claim.to_string(),
            _ => String::new(),
        };
        let answer = self.one(&pass.call().tool().to_string(), claim);
        Box::pin(std::future::ready(Called::Answered(answer)))
    }
}
