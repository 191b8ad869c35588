//! Reads the small part of YAML that process files use, with the place of every key and value.
//!
//! Scalars stay text: `1.10`, `010`, `on` and `no` are what the author wrote, never a float or a boolean.

use std::collections::BTreeMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle};

use super::problem::{Mark, ProblemCode, Problems};

/// The largest process file, in bytes.
pub(crate) const FILE_BYTES_MAX: usize = 256 * 1024;
/// The deepest nesting of lists and mappings. Real files need six.
pub(crate) const DEPTH_MAX: usize = 16;

/// A scalar as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) value: String,
    pub(crate) at: Mark,
    pub(crate) quoted: bool,
    /// Where the first character of `value` stands, when each character of the value is one in the file.
    inner: Option<Mark>,
}

impl Text {
    pub(crate) fn as_str(&self) -> &str {
        &self.value
    }

    /// The text on one line, however it was folded in the file.
    pub(crate) fn one_line(&self) -> String {
        self.value.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Whether no value was written.
    pub(crate) fn is_nothing(&self) -> bool {
        self.value.trim().is_empty()
            || (!self.quoted && matches!(self.as_str(), "~" | "null" | "Null" | "NULL"))
    }

    /// The place in the file of the byte `offset` of this text.
    pub(crate) fn mark_at(&self, offset: usize) -> Mark {
        let before = self.value.get(..offset).map_or(0, |text| text.chars().count());
        match self.inner {
            Some(start) => Mark {
                line: start.line,
                column: start.column.saturating_add(u32::try_from(before).unwrap_or(u32::MAX)),
            },
            None => self.at,
        }
    }
}

/// A value in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Scalar(Text),
    List { at: Mark, items: Vec<Node> },
    Map { at: Mark, entries: Vec<(Text, Node)> },
}

impl Node {
    pub(crate) fn at(&self) -> Mark {
        match self {
            Self::Scalar(text) => text.at,
            Self::List { at, .. } | Self::Map { at, .. } => *at,
        }
    }

    /// "a word", "a list" or "a mapping", for messages.
    pub(crate) fn shape(&self) -> &'static str {
        match self {
            Self::Scalar(_) => "a single value",
            Self::List { .. } => "a list",
            Self::Map { .. } => "a mapping",
        }
    }
}

/// Reads one document. `None` when the text could not be read as far as its end.
pub(crate) fn read(text: &str, problems: &mut Problems) -> Option<Node> {
    if text.len() > FILE_BYTES_MAX {
        problems.add(
            Mark { line: 1, column: 1 },
            ProblemCode::TooLarge,
            format!("the file has {} bytes, and a process file has at most {FILE_BYTES_MAX}", text.len()),
            "split it into several processes",
        );
        return None;
    }
    let mut builder = Builder { problems, open: Vec::new(), roots: Vec::new(), stopped: false };
    for step in Parser::new_from_str_with_options(text, options()) {
        match step {
            Ok((event, span)) => builder.take(event, &span),
            Err(error) => {
                let at = mark(error.marker());
                if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
                    builder.too_deep(at);
                } else {
                    builder.problems.add(
                        at,
                        ProblemCode::Syntax,
                        format!("this is not YAML: {}", error.info()),
                        "check indentation, quotes and brackets; put text that holds `: ` or ` #` in quotes",
                    );
                }
                return None;
            }
        }
        if builder.stopped {
            return None;
        }
    }
    builder.finish()
}

fn options() -> granit_parser::Options {
    granit_parser::options! {
        emit_comments: false,
        disallow_directives: true,
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        // Beyond the depth that is refused by the builder, so that the message is ours.
        flow_nesting_limit: DEPTH_MAX + 8,
        block_nesting_limit: DEPTH_MAX + 8,
    }
}

fn mark(marker: &granit_parser::Marker) -> Mark {
    let bounded = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Mark { line: bounded(marker.line()).max(1), column: bounded(marker.col()).saturating_add(1) }
}

/// A collection that is not closed yet.
enum Open {
    List { at: Mark, items: Vec<Node> },
    Map { at: Mark, entries: Vec<(Text, Node)>, seen: BTreeMap<String, Mark>, key: Key },
}

enum Key {
    /// The next node is a key.
    Expected,
    /// The next node is the value of this key.
    Given(Text),
    /// The next node is the value of a key that was refused.
    Refused,
}

struct Builder<'p> {
    problems: &'p mut Problems,
    open: Vec<Open>,
    roots: Vec<Node>,
    stopped: bool,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: &granit_parser::Span) {
        let at = mark(&span.start);
        self.refuse_properties(&event, at, span.tag_start.as_ref().map_or(at, mark));
        match event {
            Event::Scalar(value, style, ..) => {
                let text = scalar(value.into_owned(), style, span);
                self.put(Node::Scalar(text));
            }
            Event::SequenceStart(..) => self.push(Open::List { at, items: Vec::new() }),
            Event::MappingStart(..) => {
                let (entries, seen) = (Vec::new(), BTreeMap::new());
                self.push(Open::Map { at, entries, seen, key: Key::Expected });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::DocumentStart(..) if !self.roots.is_empty() => {
                self.problems.add(
                    at,
                    ProblemCode::Documents,
                    "a second document begins here",
                    "keep one process per file",
                );
                self.stopped = true;
            }
            // Stream and document marks carry nothing; aliases were refused above; the library may add events.
            _ => {}
        }
    }

    /// Anchors, aliases and tags make a file mean something else than it says.
    fn refuse_properties(&mut self, event: &Event<'_>, at: Mark, tag_at: Mark) {
        let alias = matches!(event, Event::Alias(_) | Event::UnresolvedAlias(_));
        if alias || matches!(event, Event::Anchor(..)) {
            self.problems.add(
                at,
                ProblemCode::Anchor,
                "anchors (`&name`) and aliases (`*name`) are not allowed",
                "write the value out where it is used; quote text that begins with `&` or `*`",
            );
        }
        if event.tag().is_some() {
            self.problems.add(
                tag_at,
                ProblemCode::Tag,
                "tags (`!name`) are not allowed",
                "leave the tag out; quote text that begins with `!`",
            );
        }
        if alias {
            self.stopped = true;
        }
    }

    fn push(&mut self, open: Open) {
        let at = match &open {
            Open::List { at, .. } | Open::Map { at, .. } => *at,
        };
        if self.open.len() >= DEPTH_MAX {
            self.too_deep(at);
            return;
        }
        if let Some(Open::Map { key: key @ Key::Expected, .. }) = self.open.last_mut() {
            *key = Key::Refused;
            self.bad_key(at);
            self.stopped = true;
            return;
        }
        self.open.push(open);
    }

    fn too_deep(&mut self, at: Mark) {
        self.problems.add(
            at,
            ProblemCode::TooDeep,
            format!("lists and mappings are nested more than {DEPTH_MAX} deep"),
            "a process file needs about six levels; close the brackets that are open",
        );
        self.stopped = true;
    }

    fn close(&mut self) {
        let node = match self.open.pop() {
            Some(Open::List { at, items }) => Node::List { at, items },
            Some(Open::Map { at, entries, .. }) => Node::Map { at, entries },
            None => return,
        };
        self.put(node);
    }

    fn put(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.roots.push(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => match std::mem::replace(key, Key::Expected) {
                Key::Given(name) => entries.push((name, node)),
                Key::Refused => {}
                Key::Expected => self.put_key(node),
            },
        }
    }

    fn put_key(&mut self, node: Node) {
        let at = node.at();
        let name = match node {
            Node::Scalar(name) if !name.value.is_empty() => name,
            Node::Scalar(_) | Node::List { .. } | Node::Map { .. } => {
                self.bad_key(at);
                self.set_key(Key::Refused);
                return;
            }
        };
        if name.value == "<<" {
            self.problems.add(
                at,
                ProblemCode::MergeKey,
                "merge keys (`<<`) are not allowed",
                "write the entries out",
            );
            self.set_key(Key::Refused);
            return;
        }
        let Some(Open::Map { seen, key, .. }) = self.open.last_mut() else { return };
        match seen.get(&name.value) {
            Some(first) => {
                let message =
                    format!("`{}` is given twice; the first is on line {}", shown(&name), first.line);
                *key = Key::Refused;
                self.problems.add(at, ProblemCode::DuplicateKey, message, "keep one of the two");
            }
            None => {
                seen.insert(name.value.clone(), at);
                *key = Key::Given(name);
            }
        }
    }

    fn set_key(&mut self, to: Key) {
        if let Some(Open::Map { key, .. }) = self.open.last_mut() {
            *key = to;
        }
    }

    fn bad_key(&mut self, at: Mark) {
        let help = "write `key: value` with a word as the key";
        self.problems.add(at, ProblemCode::BadKey, "a key must be a plain word", help);
    }

    fn finish(self) -> Option<Node> {
        let root = self.roots.into_iter().next();
        let empty = match &root {
            None => true,
            Some(Node::Scalar(text)) => text.value.is_empty(),
            Some(Node::List { .. } | Node::Map { .. }) => false,
        };
        if empty {
            self.problems.add(
                Mark { line: 1, column: 1 },
                ProblemCode::Documents,
                "the file is empty",
                "begin with `process: name_of_the_process`",
            );
            return None;
        }
        root
    }
}

/// A user's word for a message: cut, and without characters that would hide or reorder what is around them.
pub(crate) fn shown(text: &Text) -> String {
    const CHARS_MAX: usize = 60;
    let visible = |c: char| {
        let hidden = matches!(c, '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
        if c.is_control() || hidden { '\u{FFFD}' } else { c }
    };
    let mut short: String = text.value.chars().take(CHARS_MAX).map(visible).collect();
    if text.value.chars().nth(CHARS_MAX).is_some() {
        short.push('…');
    }
    short
}

fn scalar(value: String, style: ScalarStyle, span: &granit_parser::Span) -> Text {
    let at = mark(&span.start);
    let length = span.end.index().saturating_sub(span.start.index());
    // The parser writes `~` where nothing stands.
    let value = if style == ScalarStyle::Plain && length == 0 { String::new() } else { value };
    let chars = value.chars().count();
    let one_line = span.start.line() == span.end.line();
    let (quoted, marks) = match style {
        ScalarStyle::Plain => (false, 0),
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => (true, 2),
        ScalarStyle::Literal | ScalarStyle::Folded => (true, 0),
    };
    // Escapes make the text shorter than its source; then only the start of the scalar is known.
    let plain_copy = one_line && length == chars + marks;
    let inner =
        plain_copy.then_some(Mark { line: at.line, column: at.column.saturating_add(u32::from(marks > 0)) });
    Text { value, at, quoted, inner }
}

#[cfg(test)]
#[path = "yaml_tests.rs"]
mod tests;
