use purple_journal::{Record, Unknown};

fn main() {
    let _ = Record::Unknown(Unknown { kind: "note".to_owned(), data: serde_json::Value::Null });
}
