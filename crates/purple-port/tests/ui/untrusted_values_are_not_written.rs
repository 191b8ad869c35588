use purple_port::Called;
use purple_port::untrusted::Untrusted;

fn main() {
    let answer: Untrusted<serde_json::Value> = serde_json::json!({"key": "hunter2"}).into();
    let _ = serde_json::to_string(&answer);
    let _ = answer["key"].clone();
    if let Called::Lost { reason } = (Called::Lost { reason: "hunter2".into() }) {
        let _ = serde_json::to_string(&reason);
    }
}
