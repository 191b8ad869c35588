//! Any bytes, read as an answer: nothing panics, every statement stands where it says and says what it is judged by.
#![no_main]

use libfuzzer_sys::fuzz_target;
use purple_worker::audit::{Known, audit, statements};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Ok(found) = statements(&text) else { return };
    for statement in &found {
        let written = text.get(statement.span.clone()).expect("a statement stands in its text");
        assert_eq!(written.trim_end(), statement.text.trim_end());
        assert!(!statement.ok || statement.exact.is_some(), "{statement:?}");
        assert!(!statement.to_string().is_empty());
    }
    // What holds may be proposed.
    let proposed: Vec<Known> = found
        .iter()
        .filter(|statement| statement.ok)
        .map(|statement| Known { name: "figure".to_owned(), value: statement.stated.clone() })
        .collect();
    let audited = audit(&text, &proposed, &[]).expect("it was read before");
    assert!(audited.underived.is_empty());
    assert_eq!(audited.passes(), found.iter().all(|statement| statement.ok));
});
