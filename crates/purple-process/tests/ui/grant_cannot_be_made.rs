//! Not by hand, not by default, not by copying, not from data.

use purple_process::Grant;

fn by_hand() -> Grant {
    Grant { scope: None }
}

fn by_default() -> Grant {
    Grant::default()
}

fn by_copying(value: &Grant) -> Grant {
    value.clone()
}

fn from_data(text: &str) -> Option<Grant> {
    serde_json::from_str(text).ok()
}

fn main() {}
