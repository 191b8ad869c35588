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
    // What holds exactly may be proposed by whoever knows what goes in, and by nobody else.
    let proposed: Vec<Known> = found
        .iter()
        .filter(|statement| statement.ok && statement.exact.as_ref() == Some(&statement.stated))
        .map(|statement| Known { name: "figure".to_owned(), value: statement.stated.clone() })
        .collect();
    let inputs = found.iter().flat_map(|statement| &statement.inputs);
    let inputs: Vec<Known> =
        inputs.map(|value| Known { name: "input".to_owned(), value: value.clone() }).collect();
    if let Ok(audited) = audit(&text, &proposed, &inputs) {
        assert!(audited.underived.is_empty());
        assert_eq!(audited.passes(), found.iter().all(|statement| statement.ok));
    }
    let audited = audit(&text, &proposed, &[]).expect("it was read before");
    assert_eq!(audited.underived.len(), proposed.len());
});
