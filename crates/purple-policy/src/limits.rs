//! Every bound of the language, with its unit in its name.
//!
//! Input beyond a bound is refused before it costs anything; nothing is cut off silently.

/// Bytes of one expression.
pub(crate) const EXPRESSION_BYTES_MAX: usize = 4 * 1024;
/// Tokens of one expression.
pub(crate) const EXPRESSION_TOKENS_MAX: usize = 1024;
/// Levels of nesting of one expression: parentheses, operators, calls.
pub(crate) const NESTING_LEVELS_MAX: usize = 48;
/// Items of one list or arguments of one call, as written.
pub(crate) const WRITTEN_ITEMS_MAX: usize = 256;
/// Digits of one number.
pub(crate) const NUMBER_DIGITS_MAX: usize = 60;

/// Bytes of one policy document.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 256 * 1024;
/// Rules of one policy document.
pub(crate) const RULES_MAX: usize = 256;
/// Bytes of one rule's id, and of a tool's name.
pub(crate) const ID_BYTES_MAX: usize = 64;
/// Bytes of a rule's description or source.
pub(crate) const DESCRIPTION_BYTES_MAX: usize = 1024;
/// Keywords of one `deny` rule.
pub(crate) const KEYWORDS_MAX: usize = 256;
/// Bytes of one keyword.
pub(crate) const KEYWORD_BYTES_MAX: usize = 128;
/// Bytes of one regular expression, as written.
pub(crate) const PATTERN_BYTES_MAX: usize = 512;
/// Bytes of one regular expression, compiled: large classes of characters end here.
pub(crate) const PATTERN_COMPILED_BYTES_MAX: usize = 512 * 1024;
/// Characters and classes of one regular expression, with counted repeats written out.
///
/// This bounds the time a search takes: each character of the text meets at most so many of them.
pub(crate) const PATTERN_POSITIONS_MAX: usize = 256;
/// The same, of all regular expressions of one document together.
pub(crate) const DOCUMENT_POSITIONS_MAX: usize = 1024;
/// Levels of nesting of one regular expression.
pub(crate) const PATTERN_NESTING_LEVELS_MAX: u32 = 16;
/// Bytes of text that `deny` rules look through; a longer text is a doubt, and doubt fires.
pub(crate) const SUBJECT_TEXT_BYTES_MAX: usize = 64 * 1024;
/// Diagnostics reported for one document.
pub(crate) const DIAGNOSTICS_MAX: usize = 32;

/// Steps of row functions in one evaluation of one rule: for each row, the names and signs computed for it.
pub(crate) const EVALUATION_STEPS_MAX: u32 = 500_000;
/// Calls of row functions in one document.
pub(crate) const ROW_CALLS_MAX: usize = 32;
/// Bytes of one text made by `join`, `concat`, `lower` or `upper`.
pub(crate) const MADE_TEXT_BYTES_MAX: usize = 64 * 1024;
/// Rows of one list that comes from outside.
pub(crate) const LIST_ROWS_MAX: usize = 100_000;
/// Levels of lists and records in a value that comes from outside.
pub(crate) const VALUE_LEVELS_MAX: usize = 32;
/// Decimal places that `round` can be asked for.
pub(crate) const ROUND_PLACES_MAX: u8 = 12;
/// Days that `add_days` moves at most: two centuries.
pub(crate) const MOVED_DAYS_MAX: i64 = 73_050;
/// Business days that `add_business_days` moves at most: it looks at every day between.
pub(crate) const MOVED_BUSINESS_DAYS_MAX: i64 = 1_000;

const _: () = assert!(EXPRESSION_TOKENS_MAX <= EXPRESSION_BYTES_MAX);
const _: () = assert!(EXPRESSION_BYTES_MAX < DOCUMENT_BYTES_MAX);
const _: () = assert!(NUMBER_DIGITS_MAX < EXPRESSION_BYTES_MAX);
const _: () = assert!(PATTERN_BYTES_MAX < PATTERN_COMPILED_BYTES_MAX);
const _: () = assert!(PATTERN_POSITIONS_MAX <= DOCUMENT_POSITIONS_MAX);
const _: () = assert!(LIST_ROWS_MAX < EVALUATION_STEPS_MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specification_lists_every_limit_with_its_value_and_unit() {
        let page = include_str!("../../../docs/spec/policy-language.md");
        let limits = [
            (EXPRESSION_BYTES_MAX, "bytes"),
            (EXPRESSION_TOKENS_MAX, "tokens"),
            (NESTING_LEVELS_MAX, "levels"),
            (WRITTEN_ITEMS_MAX, "items"),
            (NUMBER_DIGITS_MAX, "digits"),
            (DOCUMENT_BYTES_MAX, "bytes"),
            (RULES_MAX, "rules"),
            (ID_BYTES_MAX, "bytes"),
            (DESCRIPTION_BYTES_MAX, "bytes"),
            (KEYWORDS_MAX, "keywords"),
            (KEYWORD_BYTES_MAX, "bytes"),
            (PATTERN_BYTES_MAX, "bytes"),
            (PATTERN_COMPILED_BYTES_MAX, "bytes"),
            (PATTERN_POSITIONS_MAX, "positions"),
            (DOCUMENT_POSITIONS_MAX, "positions"),
            (PATTERN_NESTING_LEVELS_MAX as usize, "levels"),
            (SUBJECT_TEXT_BYTES_MAX, "bytes"),
            (DIAGNOSTICS_MAX, "diagnostics"),
            (EVALUATION_STEPS_MAX as usize, "steps"),
            (ROW_CALLS_MAX, "calls"),
            (MADE_TEXT_BYTES_MAX, "bytes"),
            (LIST_ROWS_MAX, "rows"),
            (VALUE_LEVELS_MAX, "levels"),
            (usize::from(ROUND_PLACES_MAX), "decimals"),
            (usize::try_from(MOVED_DAYS_MAX).unwrap(), "days"),
            (usize::try_from(MOVED_BUSINESS_DAYS_MAX).unwrap(), "business days"),
        ];
        let table: Vec<&str> =
            page.lines().skip_while(|line| *line != "| limit | value | unit |").skip(2).collect();
        for ((value, unit), line) in limits.iter().zip(&table) {
            assert!(line.ends_with(&format!(" | {value} | {unit} |")), "{value} {unit}: {line}");
        }
        assert_eq!(table.iter().take_while(|line| line.starts_with('|')).count(), limits.len());
    }
}
