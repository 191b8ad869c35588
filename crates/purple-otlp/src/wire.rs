//! Spans as OTLP writes them in JSON. Pure.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::span::{Kind, Span};

/// One request with these spans.
pub(crate) fn request(spans: &[Span]) -> Value {
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes(&[("service.name", "purple".to_owned())])},
        "scopeSpans": [{
            "scope": {"name": "purple", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans.iter().map(span).collect::<Vec<_>>(),
        }],
    }]})
}

fn span(span: &Span) -> Value {
    let mut all = span.attributes.clone();
    if let Some(kind) = &span.error {
        all.push(("error.type", kind.clone()));
    }
    let status = if span.error.is_some() { json!({"code": 2}) } else { json!({}) };
    let mut out = json!({
        "traceId": span.trace.0,
        "spanId": span.id.0,
        "name": span.name,
        "kind": match span.kind {
            Kind::Internal => 1,
            Kind::Server => 2,
        },
        "startTimeUnixNano": nanoseconds(span.began),
        "endTimeUnixNano": nanoseconds(span.ended),
        "attributes": attributes(&all),
        "status": status,
    });
    if let Some(parent) = &span.parent {
        out["parentSpanId"] = json!(parent.0);
    }
    if let Some((trace, id)) = &span.link {
        out["links"] = json!([{"traceId": trace.0, "spanId": id.0}]);
    }
    out
}

/// Whole numbers of 64 bits are texts in this JSON.
fn nanoseconds(at: Timestamp) -> String {
    at.as_nanosecond().max(0).to_string()
}

fn attributes(all: &[(&'static str, String)]) -> Vec<Value> {
    all.iter().map(|(key, value)| json!({"key": key, "value": {"stringValue": value}})).collect()
}
