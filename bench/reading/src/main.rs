//! How long the longest texts take to be read: `cargo run --release [-- PATTERN...]`. The goal is 50 ms for each.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use purple_intent::value::Notation;
use purple_intent::{items, read};
use purple_policy::Currency;
use purple_process::file::{BUILTIN, Setting, Task, extract, load};

const BYTES: usize = 64 * 1024;
const RUNS: u32 = 15;
const LIMIT: Duration = Duration::from_secs(5);
const GOAL: Duration = Duration::from_millis(50);

/// Texts of one pattern, repeated to the longest length.
const PATTERNS: [(&str, &str); 28] = [
    ("order", "Please approve invoice INV-2024-448 for $25,500.00 against PO-8822. "),
    ("long sentence", "approve invoice INV-2024-448 and reject invoice INV-2024-449, then "),
    ("one word", "a"),
    ("digits", "1234567890"),
    ("numbers", "1.234.567,89 "),
    ("ids", "INV-2024-448 "),
    ("negations", "do not never without unless if "),
    ("gaps of patterns", "leave keep put take "),
    ("marks", "?!.,;:-()[]{}<>\"' "),
    ("quotes", "> > > approve it\n"),
    ("mail", "From: a@example.com\nSubject: INV-1\n\nHello,\n\napprove it.\n\nRegards\nJo\n\n"),
    ("line breaks", "\n"),
    ("letters of other scripts", "請批准発票をお願いします одобрите счёт "),
    ("combining", "e\u{301}\u{200d}\u{fe0f}"),
    ("changes of items", "add 2 Hub Pro, 3x Lamp and one Widget B less, "),
    ("names", "Ann Bo Cy "),
    ("corrections", "INV-1, sorry, I meant INV-2. Actually, wait, don't. "),
    ("reports", "Acme said: approve it. "),
    ("commas", ", "),
    ("open brackets", "("),
    ("open braces", "{\n"),
    ("open quotations", "\"a "),
    ("apostrophes", "'a "),
    ("thanks", "Thank you for your help. "),
    ("German", "Bitte lassen Sie die Rechnung RE-7 über 1.190,00 EUR nicht liegen und geben Sie sie frei. "),
    ("labels", "check it: approve INV-7: "),
    ("items by number", "Remove 2 Hub from ORD-7 and check it - "),
    ("languages", "lass es, n'approuvez pas la facture, no apruebe, hold off; "),
];

fn long(pattern: &str) -> String {
    let mut text = pattern.repeat(BYTES / pattern.len() + 1);
    let end = (0..=BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text
}

/// The best of several runs, as far as they fit into the time limit.
fn best(mut work: impl FnMut()) -> Duration {
    let begin = Instant::now();
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let run = Instant::now();
        work();
        best = best.min(run.elapsed());
        if begin.elapsed() > LIMIT {
            break;
        }
    }
    best
}

fn main() {
    let files: Vec<_> = BUILTIN.iter().map(|(_, text)| load(text).expect("a shipped file loads")).collect();
    let tasks: Vec<&Task> =
        files.iter().flat_map(|file| file.tasks()).filter(|task| !task.say().is_empty()).collect();
    let dollar = Currency::parse("USD").expect("a currency");
    let setting = Setting { today: jiff::civil::date(2026, 3, 4), dollar };
    println!("{:26} {:>12} {:>22}", "64 KiB of", "read, ms", "all tasks covered, ms");
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    let patterns: Vec<_> = PATTERNS.into_iter().filter(|(name, _)| is_wanted(name)).collect();
    let mut over = 0;
    for (name, pattern) in &patterns {
        let text = long(pattern);
        let reading = best(|| {
            let reading = read(&text, &Notation::default());
            std::hint::black_box(items(&text, &reading));
        });
        let covered = best(|| {
            for task in &tasks {
                let found = extract(&text, task.inputs(), &BTreeMap::new(), &setting);
                std::hint::black_box(task.cover(&text, &task.read(&text, &setting), &found.found, &found.places));
            }
        });
        over += u32::from(reading > GOAL);
        let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
        println!("{name:26} {:>12} {:>22}", ms(reading), ms(covered));
    }
    println!("{over} of {} take longer than {} ms to be read", patterns.len(), GOAL.as_millis());
}
