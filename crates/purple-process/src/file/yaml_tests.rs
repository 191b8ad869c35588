use super::*;

fn refused(text: &str) -> Vec<(u32, u32, ProblemCode)> {
    let mut problems = Problems::default();
    let node = read(text, &mut problems);
    match problems.into_result(node) {
        Ok(node) => panic!("it was read: {node:?}"),
        Err(refused) => refused.problems().iter().map(|p| (p.at.line, p.at.column, p.code)).collect(),
    }
}

fn accepted(text: &str) -> Node {
    let mut problems = Problems::default();
    let node = read(text, &mut problems);
    problems.into_result(node).unwrap()
}

fn entry<'n>(node: &'n Node, key: &str) -> &'n Node {
    let Node::Map { entries, .. } = node else { panic!("not a mapping: {node:?}") };
    &entries.iter().find(|(name, _)| name.as_str() == key).unwrap().1
}

#[test]
fn scalars_stay_as_written() {
    let node = accepted("a: 1.10\nb: 010\nc: on\nd: no\ne: 1e5\nf: \"1.10\"\ng: ~\n");
    for (key, value, quoted) in [
        ("a", "1.10", false),
        ("b", "010", false),
        ("c", "on", false),
        ("d", "no", false),
        ("e", "1e5", false),
        ("f", "1.10", true),
        ("g", "~", false),
    ] {
        let Node::Scalar(text) = entry(&node, key) else { panic!("{key} is not a scalar") };
        assert_eq!((text.value.as_str(), text.quoted), (value, quoted), "{key}");
    }
}

#[test]
fn every_value_knows_its_line_and_column() {
    let node = accepted("one: a\ntwo:\n  - {three: 'b c'}\n");
    assert_eq!(entry(&node, "one").at(), Mark { line: 1, column: 6 });
    let Node::List { items, .. } = entry(&node, "two") else { panic!("not a list") };
    let Node::Scalar(text) = entry(&items[0], "three") else { panic!("not a scalar") };
    assert_eq!(text.at, Mark { line: 3, column: 13 });
    assert_eq!(text.mark_at(2), Mark { line: 3, column: 16 });
}

#[test]
fn an_escaped_text_points_to_its_start() {
    let node = accepted("a: 'it''s > 1'\n");
    let Node::Scalar(text) = entry(&node, "a") else { panic!("not a scalar") };
    assert_eq!(text.mark_at(5), text.at);
}

#[test]
fn a_key_given_twice_is_refused_at_the_second() {
    assert_eq!(refused("a: 1\nb: 2\na: 3\n"), [(3, 1, ProblemCode::DuplicateKey)]);
    assert_eq!(refused("a: {x: 1, x: 2}\n"), [(1, 11, ProblemCode::DuplicateKey)]);
    assert_eq!(refused("a: 1\n\"a\": 2\n"), [(2, 1, ProblemCode::DuplicateKey)]);
}

#[test]
fn anchors_aliases_tags_and_merge_keys_are_refused() {
    assert_eq!(refused("a: &x 1\n"), [(1, 4, ProblemCode::Anchor)]);
    assert_eq!(refused("a: &x 1\nb: *x\n").last().unwrap().2, ProblemCode::Anchor);
    assert_eq!(refused("b: *unknown\n"), [(1, 4, ProblemCode::Anchor)]);
    assert_eq!(refused("a: !!str 1\n"), [(1, 4, ProblemCode::Tag)]);
    assert_eq!(refused("<<: {a: 1}\n"), [(1, 1, ProblemCode::MergeKey)]);
}

#[test]
fn an_alias_bomb_is_refused_at_its_first_alias() {
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")] {
        bomb.push_str(&format!(
            "{to}: &{to} [*{from}, *{from}, *{from}, *{from}, *{from}, *{from}, *{from}, *{from}]\n"
        ));
    }
    assert!(refused(&bomb).iter().all(|(_, _, code)| *code == ProblemCode::Anchor));
}

#[test]
fn a_second_document_and_an_empty_file_are_refused() {
    assert_eq!(refused("a: 1\n---\nb: 2\n"), [(2, 1, ProblemCode::Documents)]);
    assert_eq!(refused(""), [(1, 1, ProblemCode::Documents)]);
    assert_eq!(refused("# only a comment\n"), [(1, 1, ProblemCode::Documents)]);
    assert_eq!(refused("%YAML 1.1\n---\na: 1\n")[0].2, ProblemCode::Syntax);
}

#[test]
fn deep_nesting_is_refused_in_both_styles() {
    assert_eq!(refused(&"[".repeat(100_000))[0].2, ProblemCode::TooDeep);
    assert_eq!(refused(&"- ".repeat(50_000))[0].2, ProblemCode::TooDeep);
    assert_eq!(refused(&format!("a: {}{}\n", "[".repeat(17), "]".repeat(17)))[0].2, ProblemCode::TooDeep);
    accepted(&format!("a: {}{}\n", "[".repeat(15), "]".repeat(15)));
}

#[test]
fn a_file_of_one_byte_too_many_is_refused() {
    let fits = format!("a: {}", "x".repeat(FILE_BYTES_MAX - 3));
    assert_eq!(fits.len(), FILE_BYTES_MAX);
    accepted(&fits);
    assert_eq!(refused(&format!("{fits}x")), [(1, 1, ProblemCode::TooLarge)]);
}

#[test]
fn keys_that_are_no_words_are_refused() {
    assert_eq!(refused("{[a]: 1}\n")[0].2, ProblemCode::BadKey);
    assert_eq!(refused("? {a: 1}\n: 2\n")[0].2, ProblemCode::BadKey);
    assert_eq!(refused("\"\": 1\n")[0].2, ProblemCode::BadKey);
}

#[test]
fn broken_yaml_is_refused_where_it_breaks() {
    let found = refused("a: 1\nb: [1, 2\n");
    assert_eq!(found[0].2, ProblemCode::Syntax);
    assert!(found[0].0 >= 2, "{found:?}");
}
