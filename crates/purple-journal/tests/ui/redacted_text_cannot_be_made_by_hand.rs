use purple_journal::{Clean, Redacted, RedactedJson};

fn main() {
    let _ = Redacted("hunter2".to_owned());
    let _ = RedactedJson(serde_json::json!({"password": "hunter2"}));
    let _ = Clean(serde_json::json!("the password is hunter2!"));
}
