use serde_json::json;

use super::*;

#[test]
fn each_databases_words_for_a_missing_column_name_it() {
    for (message, column) in [
        ("no such column: email", "email"),
        ("Error: no such column: c.email", "email"),
        ("table accounts has no column named email", "email"),
        ("ERROR: column \"email\" does not exist\nLINE 1: SELECT email", "email"),
        ("column a.email does not exist", "email"),
        ("column \"email\" of relation \"accounts\" does not exist", "email"),
        ("Unknown column 'a.email' in 'field list'", "email"),
        ("Invalid column name 'email'.", "email"),
        ("ORA-00904: \"A\".\"EMAIL\": invalid identifier", "EMAIL"),
        ("ORA-00904: \"EMAIL\": invalid identifier", "EMAIL"),
        ("SQL compilation error: error line 1 at position 7 invalid identifier 'EMAIL'", "EMAIL"),
        ("SQL0206N \"EMAIL\" is not valid in the context where it is used.", "EMAIL"),
        ("Unrecognized name: email at [1:8]", "email"),
        ("Binder Error: Referenced column \"email\" not found in FROM clause!", "email"),
        ("DB::Exception: Missing columns: 'email' while processing query", "email"),
        ("A column or function parameter with name `email` cannot be resolved.", "email"),
        ("line 1:8: Column 'email' cannot be resolved", "email"),
        ("Cannot query field \"email\" on type \"Account\".", "email"),
        ("Could not find a property named 'email' on type 'Account'.", "email"),
        ("No such column 'Email__c' on entity 'Account'.", "Email__c"),
        ("KeyError: 'email'", "email"),
        ("field `email` not found", "email"),
        ("column email unknown", "email"),
    ] {
        assert_eq!(missing_column(message).as_deref(), Some(column), "{message}");
    }
}

#[test]
fn other_failures_name_no_column() {
    for message in [
        "invoice `INV-1` does not exist",
        "no such table: accounts",
        "the record was not found",
        "column not found",
        "unavailable",
        "the field of play is wide and the answer was not here or there or anywhere that anybody looked; not found",
        "",
        "column",
        "column \"",
    ] {
        assert_eq!(missing_column(message), None, "{message}");
    }
}

fn refused(code: &str, message: &str) -> Called {
    let code = (!code.is_empty()).then(|| code.into());
    Called::Refused { code, message: message.into() }
}

#[test]
fn a_failure_says_what_can_be_done_about_it() {
    let passing = |seconds: Option<u64>| Trouble::Passing { retry_after: seconds.map(Duration::from_secs) };
    for (called, expected) in [
        (refused("RATE_LIMITED", "rate limit exceeded: try again in 3 s"), passing(Some(3))),
        (refused("", "Too Many Requests. Retry-After: 7"), passing(Some(7))),
        (refused("", "busy, retry in 2 minutes; temporarily"), passing(Some(120))),
        (refused("unavailable", "down"), passing(None)),
        (Called::Lost { reason: "cut".into() }, passing(None)),
        (refused("NO_SUCH_COLUMN", "no such column: a"), Trouble::Drift { column: "a".to_owned() }),
        (refused("NOT_FOUND", "order `1` does not exist"), Trouble::Absent),
        (refused("", "permission denied for table pay; try again"), Trouble::Denied),
        (refused("INTERNAL", "oh"), Trouble::Other),
    ] {
        assert_eq!(trouble(&called), Some(expected), "{called:?}");
    }
    assert_eq!(trouble(&Called::Answered(json!({}).into())), None);
    let soon = refused("", "try again in 1500ms");
    assert_eq!(trouble(&soon), Some(Trouble::Passing { retry_after: Some(Duration::from_millis(1500)) }));
    let never = refused("429", "try again in 99999999999999999999 s");
    assert_eq!(trouble(&never), Some(passing(None)));
}
