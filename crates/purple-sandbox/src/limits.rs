//! Every bound of the sandbox, its unit in its name. The sizes of values are those of the port.

use std::collections::BTreeMap;

use purple_port::{
    CASES_MAX, CODE_BYTES_MAX, LIST_ITEMS_MAX, RECORD_FIELDS_MAX, TEXT_BYTES_MAX, VALUE_LEVELS_MAX,
};

/// How many steps a call may take. A step is a statement, an operator or a call of a function.
pub const STEPS_MAX: u64 = 200_000;
/// How long a call may take, in milliseconds of the clock.
pub const CALL_MILLIS_MAX: u64 = 250;
/// After so many steps the clock is looked at again.
pub const STEPS_BETWEEN_LOOKS: u64 = 16;
/// How many calls of functions may be inside each other.
pub const CALL_LEVELS_MAX: usize = 12;
/// How many expressions and blocks may be inside each other.
pub const EXPRESSION_LEVELS_MAX: usize = 32;
/// How many variables one function may have at a time.
pub const VARIABLES_MAX: usize = 32;
/// How many functions a text may define.
pub const FUNCTIONS_PER_CODE_MAX: usize = 16;
/// How many digits a number may be written with in a text.
pub const LITERAL_DIGITS_MAX: usize = 28;
/// The largest exponent of `**`.
pub const EXPONENT_MAX: i64 = 256;
/// The stack of the thread that a call runs on, in bytes. It is reserved, and used only as deep as a call goes.
pub const STACK_BYTES: usize = 16 * 1024 * 1024;
/// How much of what the language says about a fault is kept, in characters.
pub const FAULT_CHARS_MAX: usize = 200;
/// How many cases there must be, shown ones and held-back ones each.
pub const CASES_MIN: usize = 1;
/// On how many inputs of its domain a function is tried.
pub const SAMPLES: usize = 64;
/// How many items a sampled list has, where its declaration lets it; one sample is as long as declared.
pub const SAMPLED_ITEMS_MAX: usize = 8;
/// How long a function may be judged, in milliseconds of the clock.
pub const ADMISSION_MILLIS_MAX: u64 = 5_000;
/// How many functions may be admitted at a time.
pub const FUNCTIONS_MAX: usize = 256;

const _: () = assert!(STEPS_BETWEEN_LOOKS < STEPS_MAX);
const _: () = assert!(CALL_MILLIS_MAX < ADMISSION_MILLIS_MAX);
const _: () = assert!(SAMPLED_ITEMS_MAX < LIST_ITEMS_MAX);

/// All of them by name.
pub(crate) fn by_name() -> BTreeMap<&'static str, u64> {
    let counted = [
        ("call_levels_max", CALL_LEVELS_MAX),
        ("cases_max", CASES_MAX),
        ("code_bytes_max", CODE_BYTES_MAX),
        ("expression_levels_max", EXPRESSION_LEVELS_MAX),
        ("functions_max", FUNCTIONS_MAX),
        ("functions_per_code_max", FUNCTIONS_PER_CODE_MAX),
        ("list_items_max", LIST_ITEMS_MAX),
        ("record_fields_max", RECORD_FIELDS_MAX),
        ("samples", SAMPLES),
        ("stack_bytes", STACK_BYTES),
        ("text_bytes_max", TEXT_BYTES_MAX),
        ("value_levels_max", VALUE_LEVELS_MAX),
        ("variables_max", VARIABLES_MAX),
    ];
    let mut bounds: BTreeMap<_, _> =
        counted.into_iter().map(|(name, bound)| (name, u64::try_from(bound).unwrap_or(u64::MAX))).collect();
    bounds.insert("admission_millis_max", ADMISSION_MILLIS_MAX);
    bounds.insert("call_millis_max", CALL_MILLIS_MAX);
    bounds.insert("steps_max", STEPS_MAX);
    bounds
}
