//! Two hundred ordinary sentences and two hundred attempts, in four languages, written before the guard that reads them.

#![allow(clippy::unwrap_used, reason = "tests may unwrap")]

use purple_privacy::guard;

/// The sentences of a file, each with its language.
fn sentences(file: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut language = "";
    let mut found = Vec::new();
    for line in file.lines() {
        match line.strip_prefix("## ") {
            Some(code) => language = code,
            None if line.starts_with('#') || line.is_empty() => {}
            None => found.push((language, line)),
        }
    }
    found
}

#[test]
fn no_ordinary_sentence_is_refused() {
    let all = sentences(include_str!("sentences/ordinary.txt"));
    assert_eq!(all.len(), 200);
    let refused = all.iter().filter_map(|(language, text)| Some((language, text, guard(text).err()?.code)));
    let refused: Vec<String> =
        refused.map(|(language, text, code)| format!("{language}: {text}: {code}")).collect();
    assert!(refused.is_empty(), "{} refused\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn at_most_one_attempt_in_twenty_passes() {
    let all = sentences(include_str!("sentences/attempts.txt"));
    assert_eq!(all.len(), 200);
    let passed: Vec<String> = all
        .iter()
        .filter(|(_, text)| guard(text).is_ok())
        .map(|(language, text)| format!("{language}: {text}"))
        .collect();
    println!("{} of {} attempts pass\n{}", passed.len(), all.len(), passed.join("\n"));
    assert!(passed.len() * 20 <= all.len(), "{} pass\n{}", passed.len(), passed.join("\n"));
}
