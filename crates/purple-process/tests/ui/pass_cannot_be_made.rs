//! Not for another call, not by default, not by copying, not from data.

use purple_process::Pass;

fn for_another_call(mut pass: Pass, call: purple_process::Call) -> Pass {
    pass.call = call;
    pass
}

fn by_default() -> Pass {
    Pass::default()
}

fn by_copying(value: &Pass) -> Pass {
    value.clone()
}

fn from_data(text: &str) -> Option<Pass> {
    serde_json::from_str(text).ok()
}

fn main() {}
