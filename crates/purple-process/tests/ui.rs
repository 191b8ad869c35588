//! What does not compile: permission cannot be made up, copied, read from data or used twice.

#[test]
fn permission_cannot_be_forged() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
