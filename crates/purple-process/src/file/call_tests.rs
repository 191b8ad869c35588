use super::*;

fn parameters<'t>(call: &CallText<'t>) -> Vec<(&'t str, &'t str)> {
    call.arguments.iter().map(|argument| (argument.parameter, argument.expression)).collect()
}

#[test]
fn a_call_is_cut_into_tool_and_parameters() {
    let call = read("get_uptime(vendor_id=vendor_id, month = month)").unwrap();
    assert_eq!(call.tool, "get_uptime");
    assert_eq!(parameters(&call), [("vendor_id", "vendor_id"), ("month", "month")]);
    assert_eq!(call.rest, "");
}

#[test]
fn commas_in_quotes_and_brackets_do_not_cut() {
    let call = read(r#"f(a="x, y)", b=join("S", c, d), e=[1, 2])"#).unwrap();
    assert_eq!(parameters(&call), [("a", r#""x, y)""#), ("b", r#"join("S", c, d)"#), ("e", "[1, 2]")]);
}

#[test]
fn what_follows_the_call_is_kept() {
    let text = r#"get_invoice(invoice_id=invoice_id).status == "rejected""#;
    let call = read(text).unwrap();
    assert_eq!(call.rest, r#".status == "rejected""#);
    assert_eq!(&text[call.rest_offset..], call.rest);
}

#[test]
fn offsets_point_into_the_text() {
    let text = "  f( alpha =  one , beta=two)";
    let call = read(text).unwrap();
    for argument in &call.arguments {
        assert!(text[argument.parameter_offset..].starts_with(argument.parameter));
        assert!(text[argument.expression_offset..].starts_with(argument.expression));
    }
}

#[test]
fn a_call_without_parameters_is_a_call() {
    assert_eq!(read("list_open_items()").unwrap().arguments, []);
}

#[test]
fn texts_that_are_no_calls_are_refused() {
    for text in [
        "",
        "tool",
        "tool(",
        "tool(a)",
        "tool(a==b)",
        "tool(a=)",
        "tool(a=1,)",
        "tool(a=1]",
        "tool(=1)",
        "f(a=1}(",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn alternatives_are_cut_at_or_outside_brackets() {
    assert_eq!(alternatives("a != b || c != d"), ["a != b ", " c != d"]);
    assert_eq!(alternatives("(a || b) && c"), ["(a || b) && c"]);
    assert_eq!(alternatives(r#"a == "x || y" || b"#), [r#"a == "x || y" "#, " b"]);
    assert_eq!(alternatives("||"), ["", ""]);
}

#[test]
fn a_row_may_be_named() {
    assert_eq!(rows_as("additions as wanted"), ("additions", "wanted"));
    assert_eq!(rows_as("employee.systems"), ("employee.systems", "row"));
    assert_eq!(rows_as("filter(rows as r, r.x > 1)"), ("filter(rows as r, r.x > 1)", "row"));
    assert_eq!(rows_as("filter(rows as r, r.x > 1) as big"), ("filter(rows as r, r.x > 1)", "big"));
}
