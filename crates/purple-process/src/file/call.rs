//! Cuts `tool(param=expression, …)` into its parts, keeping the offset of each.
//!
//! Expressions inside stay text here; they are compiled against their scope later.

use std::ops::Range;

/// A call as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallText<'t> {
    pub(crate) tool: &'t str,
    pub(crate) arguments: Vec<ArgumentText<'t>>,
    /// What follows the closing bracket.
    pub(crate) rest: &'t str,
    /// Where the rest begins.
    pub(crate) rest_offset: usize,
}

/// One `param=expression`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentText<'t> {
    pub(crate) parameter: &'t str,
    pub(crate) parameter_offset: usize,
    pub(crate) expression: &'t str,
    pub(crate) expression_offset: usize,
}

/// Why a text is not a call, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotACall {
    pub(crate) offset: usize,
    pub(crate) why: &'static str,
}

impl NotACall {
    const UNCLOSED: &'static str = "the `(` is never closed";

    pub(crate) fn help(&self) -> &'static str {
        if self.why == Self::UNCLOSED {
            "close it; inside `{…}` a comma ends the value, so put the call in quotes there"
        } else {
            "write `tool(param=expression, other=expression)`"
        }
    }
}

/// Reads a call at the beginning of `text`.
pub(crate) fn read(text: &str) -> Result<CallText<'_>, NotACall> {
    let start = text.len() - text.trim_start().len();
    let open = text.find('(').ok_or(NotACall { offset: start, why: "there is no `(`" })?;
    let tool = text[start..open].trim_end();
    let close = closing(text, open).ok_or(NotACall { offset: open, why: NotACall::UNCLOSED })?;
    let mut arguments = Vec::new();
    for piece in pieces(text, open + 1..close, ',') {
        if text[piece.clone()].trim().is_empty() {
            if arguments.is_empty() && piece == (open + 1..close) {
                break;
            }
            return Err(NotACall { offset: piece.start, why: "a parameter is missing here" });
        }
        arguments.push(argument(text, piece)?);
    }
    Ok(CallText { tool, arguments, rest: &text[close + 1..], rest_offset: close + 1 })
}

fn argument(text: &str, piece: Range<usize>) -> Result<ArgumentText<'_>, NotACall> {
    let source = &text[piece.clone()];
    let parameter_offset = piece.start + (source.len() - source.trim_start().len());
    let missing = NotACall { offset: parameter_offset, why: "parameters are written `name=expression`" };
    let equals = source.find('=').ok_or(missing)?;
    let parameter = source[..equals].trim();
    let word = parameter.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // `a == b` is a comparison without a parameter name in front of it.
    let comparison = source[equals + 1..].starts_with('=');
    if parameter.is_empty() || !word || comparison {
        return Err(missing);
    }
    let after = &source[equals + 1..];
    let expression = after.trim();
    let expression_offset = piece.start + equals + 1 + (after.len() - after.trim_start().len());
    if expression.is_empty() {
        return Err(NotACall { offset: expression_offset, why: "the parameter has no value" });
    }
    Ok(ArgumentText { parameter, parameter_offset, expression, expression_offset })
}

/// The offset of the bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in outside_quotes(text, open..text.len()) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return (byte == b')').then_some(offset);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts of `range` between separators that stand outside brackets and quotes.
fn pieces(text: &str, range: Range<usize>, separator: char) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, range.start);
    for (offset, byte) in outside_quotes(text, range.clone()) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && char::from(byte) == separator => {
                found.push(start..offset);
                start = offset + 1;
            }
            _ => {}
        }
    }
    found.push(start..range.end);
    found
}

/// The bytes of `range` that are not inside a quoted text, with their offsets.
fn outside_quotes(text: &str, range: Range<usize>) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut quote: Option<u8> = None;
    let mut escaped = false;
    let bytes = text.as_bytes();
    range.filter_map(move |offset| {
        let byte = bytes[offset];
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if byte == b'\\' => escaped = true,
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'"' || byte == b'\'' => quote = Some(byte),
            None => return Some((offset, byte)),
        }
        None
    })
}

/// The parts of a condition that are joined by `||` outside brackets and quotes.
pub(crate) fn alternatives(condition: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start, mut previous) = (0_usize, 0, None);
    for (offset, byte) in outside_quotes(condition, 0..condition.len()) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 && previous == Some(offset.wrapping_sub(1)) && start < offset => {
                found.push(&condition[start..offset - 1]);
                start = offset + 1;
            }
            _ => {}
        }
        previous = (byte == b'|').then_some(offset);
    }
    found.push(&condition[start..]);
    found
}

/// Splits `rows as item` into the rows and the name of one; the name is `row` when it is left out.
pub(crate) fn rows_as(text: &str) -> (&str, &str) {
    let Some((rows, name)) = text.rsplit_once(" as ") else { return (text.trim(), "row") };
    let name = name.trim();
    let word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !name.is_empty();
    if word { (rows.trim(), name) } else { (text.trim(), "row") }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
