//! What does not compile: text of a tool where something is shown, written or sent.

#[test]
fn what_a_tool_said_is_told_only_redacted() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
