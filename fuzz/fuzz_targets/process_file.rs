//! Any bytes, read as a process file: nothing panics, refusals say where and how, and what is accepted can be used.
#![no_main]

use std::collections::BTreeMap;

use jiff::civil::date;
use libfuzzer_sys::fuzz_target;
use purple_policy::Currency;
use purple_process::file::{ProcessFile, Setting, extract, load_bytes};
use purple_process::playbook::Case;
use purple_process::{describe, is_question, page};

fuzz_target!(|bytes: &[u8]| {
    match load_bytes(bytes) {
        Ok(file) => used(&file, bytes),
        Err(refused) => {
            assert!(!refused.problems().is_empty());
            for problem in refused.problems() {
                assert!(problem.at.line >= 1 && problem.at.column >= 1, "{problem}");
                assert!(!problem.message.is_empty() && !problem.help.is_empty(), "{problem}");
            }
        }
    }
});

/// Describes the file, and runs each of its tasks on the file's own text as a task.
fn used(file: &ProcessFile, bytes: &[u8]) {
    assert!(page(file).starts_with(&describe(file)));
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let _ = is_question(&text);
    let setting = Setting { today: date(2026, 3, 4), dollar: Currency::parse("USD").expect("it exists") };
    for task in file.tasks() {
        let extracted = extract(&text, task.inputs(), &BTreeMap::new(), &setting);
        assert_eq!(extracted.found.len() + extracted.missing.len(), task.inputs().len());
        let case = Case::start(task, &extracted.found, setting.today);
        let decision = case.decide();
        let _ = (case.due(), case.figures(), case.business_key());
        let _ = (case.operations(&decision), case.shows(&decision), decision.ruling(file.owner()));
    }
}
