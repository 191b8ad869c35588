//! Nothing but numbers and texts is in reach: each attempt is refused before it runs, by a word or by a place.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

mod support;

use purple_port::{Datum, NotAdmitted, Sandbox, Shape};
use support::*;

fn unknown(name: &str, body: &str) {
    assert_eq!(refused(body), NotAdmitted::UnknownFunction { name: name.to_owned(), line: 3 }, "{body}");
}

fn disallowed(symbol: &str, body: &str) {
    match refused(body) {
        NotAdmitted::Disallowed { symbol: found, line: 3, .. } => assert_eq!(found, symbol, "{body}"),
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn files_network_processes_environment_and_clock_are_not_there() {
    for name in [
        "open_file",
        "open",
        "read_file",
        "write_file",
        "read",
        "write",
        "remove_file",
        "path",
        "file_exists",
        "http_get",
        "fetch",
        "connect",
        "tcp_connect",
        "dns_lookup",
        "listen",
        "env",
        "getenv",
        "var",
        "vars",
        "args",
        "cwd",
        "hostname",
        "username",
        "system",
        "shell",
        "process_exit",
        "exit",
        "abort",
        "run_command",
        "timestamp",
        "now",
        "elapsed",
        "random",
        "rand",
        "uuid",
        "parse_json",
        "to_json",
        "blob",
        "to_debug",
        "dump",
    ] {
        unknown(name, &format!(r#"let s = {name}("/etc/passwd");"#));
        unknown(name, &format!(r#"let s = "x".{name}();"#));
    }
}

#[test]
fn modules_evaluation_output_and_function_pointers_are_not_words_here() {
    disallowed("import", r#"import "std" as s;"#);
    disallowed("export", "export x;");
    disallowed("eval", r#"let y = eval("1 + 1");"#);
    disallowed("print", r#"print("hello");"#);
    disallowed("debug", "debug(x);");
    disallowed("Fn", r#"let g = Fn("f");"#);
    disallowed("call", "x.call(1);");
    disallowed("curry", "x.curry(1);");
    disallowed("this", "let y = this;");
    disallowed("global", "let y = global;");
    disallowed("type_of", "let y = type_of(x);");
    disallowed("try", "try { let y = 1; } catch { }");
    disallowed("switch", "switch x { _ => 1 }");
    disallowed("async", "let async = 1;");
    disallowed(":", "let y = std::io;");
    disallowed("|", "let g = |y| y + 1;");
    disallowed("`", "let s = `${x}`;");
    disallowed("'", "let c = 'c';");
    disallowed("#", r##"let s = #"raw"#;"##);
    disallowed("?", "let y = x?.z;");
    disallowed("$", "let y = $x;");
    disallowed("<", "let y = 1 << 70;");
    disallowed("^", "let y = 1 ^ 2;");
    disallowed("fn", "fn g() { }");
    disallowed("\"", "let s = \"\\x41\";");
    disallowed("е", "let е = 1;");
}

#[test]
fn words_that_the_first_reader_lets_through_are_refused_by_the_language_too() {
    // Split so that no single piece is on the list of refused words.
    for body in
        ["let y = nothing;", "y = 1;", "let x.y = 1;", "break;", "x();", "1();", "let let = 1;", "return fn;"]
    {
        let refused = refused(body);
        assert!(
            matches!(
                refused,
                NotAdmitted::Unparsable { .. }
                    | NotAdmitted::UnknownFunction { .. }
                    | NotAdmitted::Disallowed { .. }
            ),
            "{body}: {refused:?}"
        );
    }
}

#[test]
fn nothing_runs_outside_of_functions() {
    for code in [
        "let y = 1; fn f(x) { x }",
        "fn f(x) { x } f(1)",
        "1 + 1",
        "fn f(x) { x } ;",
        "const C = 1; fn f(x) { x }",
    ] {
        assert!(
            matches!(sandbox().admit(&program(code)), Err(NotAdmitted::Disallowed { line: 1, .. })),
            "{code}"
        );
    }
}

#[test]
fn methods_of_the_language_that_nobody_registered_are_not_there() {
    for body in [
        "let a = [3, 1]; a.sort();",
        "let a = [1]; a.pad(1000000, 0);",
        "let m = #{}; m.mixin(#{});",
        r#"let s = "x"; s.pad(1000000, "y");"#,
        "let r = range(0, 10, 0);",
        "let b = blob(100000000);",
        "let s = x.to_string();",
        "let s = x.sqrt();",
        "let s = x.to_float();",
        "let d = parse_decimal(x);",
    ] {
        assert!(matches!(refused(body), NotAdmitted::UnknownFunction { .. }), "{body}");
    }
}

#[test]
fn a_call_leaves_nothing_for_the_next_one() {
    let sandbox = sandbox();
    let mut program = program("fn f(x) { let seen = []; seen += [x]; seen.len() * x }");
    program.signature.answers = Shape::Number { places: 2 };
    let function = sandbox.admit(&program).unwrap().function;
    for _ in 0..100 {
        assert_eq!(call(&sandbox, function, "3"), Ok(value("3")));
    }
}

#[test]
fn arguments_are_copies() {
    let sandbox = sandbox();
    let mut program = program("fn f(x) { x += [1]; len(x) }");
    let list = |items: usize| Datum::List(vec![number("1"); items]);
    program.signature.parameters[0].takes =
        purple_port::Domain::List { of: Box::new(numbers("0", "1", 0)), items_min: 0, items_max: 5 };
    program.shown[0].given = given([("x", list(0))]);
    program.shown[0].expected = value("1");
    program.held_back[0].given = given([("x", list(1))]);
    program.held_back[0].expected = value("2");
    let function = sandbox.admit(&program).unwrap().function;
    let arguments = given([("x", list(2))]);
    for _ in 0..3 {
        assert_eq!(sandbox.call(function, &arguments), Ok(value("3")));
    }
    assert_eq!(arguments, given([("x", list(2))]));
}

#[test]
fn objects_of_the_host_have_no_name_here() {
    // Whatever these words may be elsewhere, nothing stands behind them: each is refused by the reader, by the list of
    // functions, or by the first case.
    for word in [
        "this",
        "self",
        "global",
        "globalThis",
        "window",
        "engine",
        "sandbox",
        "context",
        "runner",
        "clock",
        "store",
        "session",
        "turn",
        "definitions",
        "arguments",
        "parent",
        "super",
        "crate",
        "std",
        "host",
        "purple",
        "__proto__",
    ] {
        for body in [
            format!("let y = {word};"),
            format!("let y = {word}.x;"),
            format!("let y = {word}[0];"),
            format!("let y = {word}::x;"),
            format!("{word}.call(x);"),
        ] {
            // It answers only if the function was not admitted.
            refused(&body);
        }
    }
}
