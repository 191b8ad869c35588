use purple_journal::{Redacted, RedactedJson};

fn main() {
    let _ = Redacted("hunter2".to_owned());
    let _ = RedactedJson(serde_json::json!({"password": "hunter2"}));
}
