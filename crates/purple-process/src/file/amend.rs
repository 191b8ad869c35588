//! A file as it was written, with one more test or another name: every other byte of it stays.
//!
//! Nothing here judges the result. Whoever asks for it loads it like any other file.

use serde_json::Value;

use super::problem::{Mark, Problems};
use super::yaml::{self, Node};

/// One test, key by key, in the order in which it is written.
pub type WrittenTest = [(String, Value)];

/// The text of a file with one more test of a task, before its others.
///
/// `None` where the text is no such file, or has no place that a line can be put into.
pub fn with_test(text: &str, task: &str, test: &WrittenTest) -> Option<String> {
    let root = yaml::read(text, &mut Problems::default())?;
    entry(&root, "process")?;
    let tasks = entry(&root, "tasks");
    let own = match tasks {
        Some(tasks) => entry(tasks, task)?,
        None => &root,
    };
    match entry(own, "tests") {
        Some(Node::List { at, items }) => beside(text, *at, items.first()?.at(), test),
        Some(Node::Scalar(_) | Node::Map { .. }) => None,
        None if tasks.is_none() => {
            let ended = if text.ends_with('\n') { "" } else { "\n" };
            Some(format!("{text}{ended}tests:\n{}", block("  ", test)))
        }
        None => {
            let Node::Map { entries, .. } = own else { return None };
            let (key, _) = entries.first()?;
            let (start, line) = line_of(text, key.at)?;
            let indent = indent_of(line);
            let written = format!("{indent}tests:\n{}", block(&format!("{indent}  "), test));
            line.trim_start().starts_with(key.as_str()).then(|| inserted(text, start, &written))?
        }
    }
}

/// The text of a file under another name.
///
/// `None` where the text is no such file.
pub fn renamed(text: &str, name: &str) -> Option<String> {
    let root = yaml::read(text, &mut Problems::default())?;
    let Node::Scalar(old) = entry(&root, "process")? else { return None };
    let quotes = usize::from(old.quoted);
    let start = offset_of(text, old.at)?.checked_add(quotes)?;
    let rest = text.get(start..)?.strip_prefix(old.as_str())?;
    Some(format!("{}{name}{rest}", text.get(..start)?))
}

fn entry<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let Node::Map { entries, .. } = node else { return None };
    entries.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| value)
}

/// Before the first test: a line of its own, or inside the brackets.
fn beside(text: &str, list: Mark, first: Mark, test: &WrittenTest) -> Option<String> {
    let (start, line) = line_of(text, first)?;
    if line.trim_start().starts_with("- ") {
        return inserted(text, start, &block(indent_of(line), test));
    }
    let inside = offset_of(text, list)?.checked_add(1)?;
    let entries: Vec<String> = test.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    let written = format!("{{{}}}, ", entries.join(", "));
    text.get(..inside)?.ends_with('[').then(|| inserted(text, inside, &written))?
}

fn block(indent: &str, test: &WrittenTest) -> String {
    let line = |(place, (key, value)): (usize, &(String, Value))| {
        let dash = if place == 0 { "- " } else { "  " };
        format!("{indent}{dash}{key}: {value}\n")
    };
    test.iter().enumerate().map(line).collect()
}

fn inserted(text: &str, at: usize, more: &str) -> Option<String> {
    let (before, after) = (text.get(..at)?, text.get(at..)?);
    Some(format!("{before}{more}{after}"))
}

/// The line of a place, and where it begins.
fn line_of(text: &str, at: Mark) -> Option<(usize, &str)> {
    let above = usize::try_from(at.line).ok()?.checked_sub(1)?;
    let start = text.split_inclusive('\n').take(above).map(str::len).sum();
    Some((start, text.get(start..)?.lines().next()?))
}

/// Where a place is, in bytes. Columns count characters.
fn offset_of(text: &str, at: Mark) -> Option<usize> {
    let (start, line) = line_of(text, at)?;
    let before = usize::try_from(at.column).ok()?.checked_sub(1)?;
    Some(start + line.chars().take(before).map(char::len_utf8).sum::<usize>())
}

fn indent_of(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::file::{BUILTIN, load};

    const HEAD: &str = "process: close_case   # the name\ntitle: Close a case\nowner: finance\n";
    const SLOTS: &str =
        "read: {bill: get_bill()}\ndecide: [{rule: C-1, if: 'bill.open == 0 USD', outcome: none}]\n";

    fn test() -> Vec<(String, Value)> {
        let fact = ("bill".to_owned(), json!({"open": "0.00 USD", "note": "a \"b\": {c}\n# ä"}));
        vec![fact, ("expect".to_owned(), json!("none")), ("rule".to_owned(), json!("C-1"))]
    }

    fn taken(text: &str, task: &str, tests: usize) -> String {
        let before = load(text).unwrap();
        let amended = with_test(text, task, &test()).unwrap();
        let after = load(&amended).unwrap_or_else(|refused| panic!("{refused}\n{amended}"));
        let count = |file: &crate::file::ProcessFile| file.task(task).unwrap().test_count();
        assert_eq!((count(&before), count(&after)), (tests, tests + 1), "{amended}");
        amended
    }

    #[test]
    fn a_test_is_put_before_the_others_however_they_are_written() {
        let block =
            format!("{HEAD}{SLOTS}tests:   # all\n  # ours\n  - {{bill.open: 1 USD, expect: mode}}\n");
        let amended = taken(&block, "close_case", 1);
        assert!(amended.contains("  # ours\n  - bill: {"), "{amended}");
        assert!(amended.ends_with("  - {bill.open: 1 USD, expect: mode}\n"), "{amended}");
        let flow = format!("{HEAD}{SLOTS}tests: [{{bill.open: 1 USD, expect: mode}}]\n");
        taken(&flow, "close_case", 1);
        let one_line = format!("{HEAD}{SLOTS}tests:\n- bill.open: 1 USD\n  expect: mode\n");
        taken(&one_line, "close_case", 1);
        taken(format!("{HEAD}{SLOTS}").trim_end(), "close_case", 0);
    }

    #[test]
    fn a_test_is_put_into_its_own_task() {
        let slots: String = SLOTS.lines().map(|line| format!("    {line}\n")).collect();
        let text = format!(
            "{HEAD}tasks:\n  begin:\n    keywords: [begin]\n{slots}  finish:\n    keywords: [finish]\n{slots}    tests:\n      - {{bill.open: 1 USD, expect: mode}}\n"
        );
        taken(&text, "finish", 1);
        taken(&text, "begin", 0);
        assert_eq!(with_test(&text, "rest", &test()), None);
    }

    #[test]
    fn a_file_gets_another_name_and_nothing_else() {
        for (name, text) in BUILTIN {
            let other = renamed(text, "another_one").unwrap();
            assert_eq!(load(&other).unwrap().name(), "another_one", "{name}");
            assert_eq!(renamed(&other, name).unwrap(), *text, "{name}");
        }
        let quoted = renamed("title: ä\nprocess: \"x_y\"   # why\n", "z").unwrap();
        assert_eq!(quoted, "title: ä\nprocess: \"z\"   # why\n");
    }

    #[test]
    fn what_is_no_file_is_not_amended() {
        for text in ["", "a: [", "- x", "process: [a]\ntests: x"] {
            assert_eq!((with_test(text, "x", &test()), renamed(text, "y")), (None, None), "{text}");
        }
    }
}
