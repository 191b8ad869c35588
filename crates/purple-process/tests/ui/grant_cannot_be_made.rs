//! Not by hand, not by default, not by copying, not from data.

use purple_process::Grant;

fn by_hand() -> Grant<'static> {
    Grant(None)
}

fn by_default() -> Grant<'static> {
    Grant::default()
}

fn by_copying<'a>(value: &Grant<'a>) -> Grant<'a> {
    value.clone()
}

fn from_data(text: &str) -> Option<Grant<'static>> {
    serde_json::from_str(text).ok()
}

fn main() {}
