//! Text from outside, made safe for a terminal.

/// The same text without power over the terminal: control characters and those that hide or reorder become `�`.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|c| if c == '\n' || !is_invisible(c) { c } else { '\u{FFFD}' }).collect()
}

/// The same, on one line.
pub(crate) fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The same, on one line, cut to so many characters.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= chars_max {
        return line;
    }
    let mut cut: String = line.chars().take(chars_max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}')
}
