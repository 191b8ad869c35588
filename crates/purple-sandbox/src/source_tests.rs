use super::*;

fn read(code: &str) -> Result<(), NotAdmitted> {
    check(code, &BTreeSet::from(["len", "round"]))
}

#[test]
fn plain_functions_are_read() {
    for code in [
        "",
        "fn f() { }",
        "fn f(a, b) { let c = a; c += 1; c **= 2; if a == b && !(a != b) || a <= 1 { len(a) } else { g(b) } }\nfn g(x) { x }",
        "fn f(a) { for i in 0..=5 { a += #{ b: [1, 2.5] }.b[1]; } return a; }",
        "fn f(a) { \"loop { import } \\\" ` ' # \\\\ \" } // eval ` ' \u{1F600}",
        "fn f(a) {\r\n\ta // x\r\n}",
    ] {
        assert_eq!(read(code), Ok(()), "{code}");
    }
}

#[test]
fn the_line_of_what_is_refused_is_told() {
    let refused = read("fn f(a) {\n  // one\n  \"two\";\n  eval(a)\n}");
    assert!(matches!(refused, Err(NotAdmitted::Disallowed { line: 4, .. })), "{refused:?}");
    let unknown = read("fn f(a) {\r\n  g(a)\r\n}");
    assert_eq!(unknown, Err(NotAdmitted::UnknownFunction { name: "g".to_owned(), line: 2 }));
}

#[test]
fn what_the_language_could_read_otherwise_is_refused() {
    for code in [
        "fn f(a) { a /* } */ }",
        "fn f(a) { a \r }",
        "fn f(a) { a // x \r b \n}",
        "fn f(a) { a \u{b} }",
        "fn f(a) { a \u{a0} }",
        "fn f(a) { a \u{2028} }",
        "fn f(a) { \"a\nb\" }",
        "fn f(a) { \"a\\\n b\" }",
        "fn f(a) { \"a",
        "fn f(a) { \"\\u0041\" }",
        "fn f(a) { `a` }",
        "#!/bin/sh\nfn f(a) { }",
    ] {
        assert!(matches!(read(code), Err(NotAdmitted::Disallowed { .. })), "{code:?}");
    }
}

#[test]
fn only_variables_are_assigned_to() {
    for code in [
        "a[0] = 1",
        "a.b = 1",
        "a.b += 1",
        "a[0].b -= 1",
        "len(a) = 1",
        "a[0]=1",
        "a[0]*=1",
        "a[0]**=1",
        "a[0]= =1",
        "\"a\" = 1",
    ] {
        assert!(
            matches!(read(&format!("fn f(a) {{ {code}; }}")), Err(NotAdmitted::Disallowed { .. })),
            "{code}"
        );
    }
    for code in [
        "a = 1",
        "a=1",
        "a **= 2",
        "a == 1",
        "a[0] == 1",
        "a.b <= 1",
        "a.b >= 1",
        "a[0] != 1",
        "let b = a[0]",
        "a = a.b",
    ] {
        assert_eq!(read(&format!("fn f(a) {{ {code}; }}")), Ok(()), "{code}");
    }
}
