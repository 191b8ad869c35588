//! Where in a JSON text a path such as `rules[2].condition` is, so that a person can go there.

use purple_policy::Diagnostic;

use crate::config::Mark;

/// The place that a diagnostic is about; the beginning where it is about the whole document.
pub(crate) fn of(diagnostic: &Diagnostic, text: &str) -> Mark {
    let path = diagnostic.path().unwrap_or_default();
    if let Some(mark) = stated(path) {
        return mark;
    }
    let Some(value) = find(text.as_bytes(), path) else { return Mark::of(text, 0) };
    let inside = diagnostic.span().start;
    let in_text = text.as_bytes().get(value) == Some(&b'"') && inside > 0;
    Mark::of(text, if in_text { raw_offset(text, value + 1, inside) } else { value })
}

/// `line 3, column 14`.
fn stated(path: &str) -> Option<Mark> {
    let (line, column) = path.strip_prefix("line ")?.split_once(", column ")?;
    Some(Mark { line: line.parse().ok()?, column: column.parse().ok()? })
}

/// Goes so many bytes of the decoded text forward in the written one.
fn raw_offset(text: &str, from: usize, decoded: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut seen) = (from, 0);
    while seen < decoded && bytes.get(at).is_some_and(|byte| *byte != b'"') {
        let escape = bytes.get(at) == Some(&b'\\');
        at += match (escape, bytes.get(at + 1)) {
            (true, Some(b'u')) => 6,
            (true, _) => 2,
            (false, _) => 1,
        };
        seen += 1;
    }
    at
}

/// The byte where the value of a path begins. The text is JSON: it was parsed before.
fn find(text: &[u8], path: &str) -> Option<usize> {
    let mut at = skip_space(text, 0);
    for step in steps(path) {
        at = match step {
            Step::Key(name) => member(text, at, name)?,
            Step::Index(index) => element(text, at, index)?,
        };
    }
    Some(at)
}

enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

fn steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty() && *part != "document") {
        let (name, indexes) = part.split_at(part.find('[').unwrap_or(part.len()));
        if !name.is_empty() {
            steps.push(Step::Key(name));
        }
        let numbers = indexes.split(['[', ']']).filter_map(|number| number.parse().ok());
        steps.extend(numbers.map(Step::Index));
    }
    steps
}

fn member(text: &[u8], at: usize, name: &str) -> Option<usize> {
    let mut at = skip_space(text, enter(text, at, b'{')?);
    while text.get(at) == Some(&b'"') {
        let end = skip_value(text, at);
        let key: Option<String> = serde_json::from_slice(text.get(at..end)?).ok();
        let value = skip_space(text, skip_space(text, end) + 1);
        if key.as_deref() == Some(name) {
            return Some(value);
        }
        at = after_comma(text, skip_value(text, value))?;
    }
    None
}

fn element(text: &[u8], at: usize, index: usize) -> Option<usize> {
    let mut at = skip_space(text, enter(text, at, b'[')?);
    for _ in 0..index {
        at = after_comma(text, skip_value(text, at))?;
    }
    Some(at)
}

fn enter(text: &[u8], at: usize, open: u8) -> Option<usize> {
    (text.get(at) == Some(&open)).then_some(at + 1)
}

fn after_comma(text: &[u8], at: usize) -> Option<usize> {
    let at = skip_space(text, at);
    (text.get(at) == Some(&b',')).then(|| skip_space(text, at + 1))
}

fn skip_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The byte after the value that begins here: brackets are counted, texts are passed over.
fn skip_value(text: &[u8], mut at: usize) -> usize {
    let (mut depth, mut quoted) = (0_usize, false);
    while let Some(byte) = text.get(at) {
        match (quoted, byte) {
            (true, b'\\') => at += 1,
            (true, b'"') => quoted = false,
            (true, _) => {}
            (false, b'"') => quoted = true,
            (false, b'{' | b'[') => depth += 1,
            (false, b'}' | b']') if depth == 0 => return at,
            (false, b'}' | b']') => depth -= 1,
            (false, b',' | b':') if depth == 0 => return at,
            (false, _) => {}
        }
        at += 1;
        let ended = depth == 0 && !quoted && matches!(byte, b'"' | b'}' | b']');
        if ended {
            return at;
        }
    }
    at
}
