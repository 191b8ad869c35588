//! Ordinary sentences and attempts in four languages: two hundred of each, written before the guard that reads them, and
//! a hundred and eighty-two in an outsider's wording, written after it.

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

/// The ordinary sentences of a file that are refused.
fn refused(file: &'static str, count: usize) -> Vec<String> {
    let all = sentences(file);
    assert_eq!(all.len(), count);
    let refused = all.iter().filter_map(|(language, text)| Some((language, text, guard(text).err()?.code)));
    refused.map(|(language, text, code)| format!("{language}: {text}: {code}")).collect()
}

/// The attempts of a file that pass.
#[expect(clippy::print_stdout, reason = "what passes is what a reader wants to see")]
fn passed(file: &'static str, count: usize) -> Vec<String> {
    let all = sentences(file);
    assert_eq!(all.len(), count);
    let passed = all.iter().filter(|(_, text)| guard(text).is_ok());
    let passed: Vec<String> = passed.map(|(language, text)| format!("{language}: {text}")).collect();
    println!("{} of {count} attempts pass\n{}", passed.len(), passed.join("\n"));
    passed
}

#[test]
fn no_ordinary_sentence_is_refused() {
    let refused = refused(include_str!("sentences/ordinary.txt"), 200);
    assert!(refused.is_empty(), "{} refused\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn no_ordinary_sentence_of_an_outsider_is_refused() {
    let refused = refused(include_str!("sentences/further_ordinary.txt"), 100);
    assert!(refused.is_empty(), "{} refused\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn at_most_one_attempt_in_twenty_passes() {
    assert!(passed(include_str!("sentences/attempts.txt"), 200).len() <= 10);
}

#[test]
fn at_most_one_attempt_of_an_outsider_in_twenty_passes() {
    assert!(passed(include_str!("sentences/further_attempts.txt"), 82).len() <= 4);
}

#[test]
fn no_ordinary_sentence_of_a_second_reader_is_refused() {
    let refused = refused(include_str!("sentences/reader_ordinary.txt"), 62);
    assert!(refused.is_empty(), "{} refused\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn at_most_one_attempt_of_a_second_reader_in_twenty_passes() {
    assert!(passed(include_str!("sentences/reader_attempts.txt"), 63).len() <= 3);
}

#[test]
fn no_fresh_ordinary_sentence_is_refused() {
    let refused = refused(include_str!("sentences/fresh_ordinary.txt"), 100);
    assert!(refused.is_empty(), "{} refused\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn at_most_one_fresh_attempt_in_twenty_passes() {
    assert!(passed(include_str!("sentences/fresh_attempts.txt"), 100).len() <= 5);
}

#[test]
fn no_held_out_ordinary_sentence_is_refused() {
    let refused = refused(include_str!("sentences/heldout_ordinary.txt"), 32);
    assert!(refused.is_empty(), "{} refused\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn at_most_one_held_out_attempt_in_twenty_passes() {
    assert!(passed(include_str!("sentences/heldout_attempts.txt"), 32).len() <= 1);
}
