//! What does not compile: text from outside that was not redacted, and records that only another version can make.

#[test]
fn redaction_cannot_be_bypassed() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
