use purple_journal::word::CallResult;
use purple_journal::{Clean, Redacted, RedactedJson};
use purple_port::shown::Shown;
use purple_port::untrusted::Untrusted;

fn main() {
    let said: Untrusted<String> = "the token is hunter2".into();
    let _ = Shown::new(&said);
    let _ = Redacted::of(&said);
    let _ = RedactedJson::of(&said);
    let _ = Clean::of(&said);
    let _ = CallResult::Lost(said);
}
