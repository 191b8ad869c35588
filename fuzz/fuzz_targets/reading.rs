//! Any text, read as a task: nothing panics, every place is inside the text and between characters, and the parts cover
//! it.
#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::date;
use libfuzzer_sys::fuzz_target;
use purple_intent::value::Notation;
use purple_intent::{Cover, Reading, Span, items, parts, read};
use purple_policy::Currency;
use purple_process::file::{BUILTIN, ProcessFile, Setting, Task, extract, load};

/// The longest text of a task.
const BYTES_MAX: usize = 64 * 1024;

static FILES: LazyLock<Vec<ProcessFile>> =
    LazyLock::new(|| BUILTIN.iter().map(|(_, text)| load(text).expect("a shipped file loads")).collect());

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(&bytes[..bytes.len().min(BYTES_MAX)]) else { return };
    let reading = read(text, &Notation::default());
    check(text, &reading);
    if let Some(items) = items(text, &reading) {
        assert!(items.len() > 1);
    }
    let mut end = 0;
    for part in parts(text) {
        is_inside(text, part.span);
        assert_eq!(part.span.start, end);
        end = part.span.end;
    }
    assert_eq!(end, text.len());
    let tasks = FILES.iter().flat_map(|file| file.tasks());
    tasks.filter(|task| !task.say().is_empty()).for_each(|task| covered(text, task));
});

/// What a text says about a task: the acts that order it are acts of its reading.
fn covered(text: &str, task: &Task) {
    let setting = Setting { today: date(2026, 3, 4), dollar: Currency::parse("USD").expect("it exists") };
    let found = extract(text, task.inputs(), &BTreeMap::new(), &setting);
    for place in &found.places {
        is_inside(text, Span::new(place.start, place.end));
    }
    let reading = task.read(text, &setting);
    check(text, &reading);
    match task.cover(text, &reading, &found.found, &found.places) {
        Cover::Covered { acts } => assert!(acts.iter().all(|act| *act < reading.acts.len())),
        Cover::Doubtful(_) | Cover::ReadOnly(_) => {}
    }
}

fn check(text: &str, reading: &Reading) {
    let words = reading.acts.iter().flat_map(|act| &act.words).map(|word| word.span);
    let acts = reading.acts.iter().map(|act| act.span);
    let values = reading.values.iter().map(|value| value.span);
    for span in words.chain(acts).chain(values).chain(reading.own.iter().copied()) {
        is_inside(text, span);
    }
    assert!(reading.values.windows(2).all(|two| two[0].span.end <= two[1].span.start));
    assert!(reading.values.iter().all(|value| !value.meanings.is_empty()));
}

fn is_inside(text: &str, span: Span) {
    assert!(span.start <= span.end && text.get(span.start..span.end).is_some(), "{span:?} of {}", text.len());
}
