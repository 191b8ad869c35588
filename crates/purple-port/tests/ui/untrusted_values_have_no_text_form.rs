use purple_port::untrusted::Untrusted;

fn main() {
    let answer: Untrusted<serde_json::Value> = serde_json::json!({"key": "hunter2"}).into();
    let _ = format!("{answer}");
}
