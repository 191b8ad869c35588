//! A ruling that allows comes from judged rules or a decided case, never from a struct literal.

use purple_policy::{Authority, Verdict};
use purple_process::Ruling;

fn main() {
    let _ = Ruling {
        authority: Authority::Operator,
        verdict: Verdict::Allow,
        asks: Vec::new(),
        unnamed: false,
        because: String::new(),
        rules: Vec::new(),
    };
}
