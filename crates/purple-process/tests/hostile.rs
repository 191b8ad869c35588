//! Hostile process files: nothing panics, and what is refused is refused quickly.

use proptest::prelude::*;
use purple_process::file::{BUILTIN, Problem, ProblemCode, load, load_bytes};
use purple_process::{describe, page};

fn problems(text: &str) -> Vec<Problem> {
    match load(text) {
        Ok(_) => Vec::new(),
        Err(refused) => refused.problems().to_vec(),
    }
}

#[test]
fn a_file_of_nothing_but_problems_is_answered_with_a_bounded_list() {
    let mut text = "process: x\ntitle: x\nowner: x\ncompute:\n".to_owned();
    for number in 0..200 {
        text.push_str(&format!("  n{number}: 1e5\n"));
    }
    assert_eq!(problems(&text).len(), 100);
}

#[test]
fn a_long_chain_of_needs_is_ordered() {
    let mut text = "process: x\ntitle: x\nowner: x\ncompute:\n".to_owned();
    for number in (1..256).rev() {
        text.push_str(&format!("  n{number}: n{} + 1\n", number - 1));
    }
    text.push_str("  n0: 1\n");
    assert_eq!(problems(&text), []);
}

#[test]
fn thousands_of_entries_are_refused_at_once() {
    for key in ["compute", "read", "inputs", "outcomes", "tasks"] {
        let mut text = format!("process: x\ntitle: x\nowner: x\n{key}:\n");
        for number in 0..10_000 {
            text.push_str(&format!("  n{number}: {{}}\n"));
        }
        let codes: Vec<ProblemCode> = problems(&text).iter().map(|problem| problem.code).collect();
        assert_eq!(codes, [ProblemCode::TooMany], "{key}");
    }
}

#[test]
fn tests_that_would_take_ages_are_not_run() {
    let rows = "1, ".repeat(300);
    let text = format!(
        "process: x\ntitle: x\nowner: x\nread: {{a: get_a()}}\n\
         compute: {{n: 'sum(a.r, sum(a.r, sum(a.r, row)))'}}\n\
         decide: [{{rule: R-1, if: 'n > 1', outcome: stop}}]\n\
         tests: [{{a: {{r: [{rows} 1]}}, expect: stop}}]\n"
    );
    let codes: Vec<ProblemCode> = problems(&text).iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [ProblemCode::CostlyTests]);
}

#[test]
fn a_huge_expression_is_refused_without_being_shown_whole() {
    let text = format!(
        "process: x\ntitle: x\nowner: x\ncompute: {{a: '{}1{}'}}\n",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let found = problems(&text);
    assert!(!found.is_empty());
    assert!(found.iter().all(|problem| problem.to_string().len() < 1_000));
}

#[test]
fn a_huge_key_is_not_shown_whole() {
    let found = problems(&format!("process: x\ntitle: x\nowner: x\n? {}\n: 1\n", "k".repeat(200_000)));
    assert!(!found.is_empty());
    assert!(found.iter().all(|problem| problem.to_string().len() < 2_000), "{found:?}");
}

#[test]
fn invisible_and_foreign_characters_are_no_names() {
    for name in ["in\u{202e}voice", "invоice", "in\u{200b}voice", "İnvoice"] {
        let found = problems(&format!("process: {name}\ntitle: x\nowner: x\n"));
        assert!(!found.is_empty(), "{name}");
        assert!(found.iter().all(|problem| !problem.to_string().contains(['\u{202e}', '\u{200b}'])));
    }
}

fn files() -> impl Strategy<Value = &'static str> {
    prop::sample::select(BUILTIN.iter().map(|(_, text)| *text).collect::<Vec<_>>())
}

/// Pieces that files are made of, to be put where they do not belong.
fn pieces() -> impl Strategy<Value = String> {
    let known = [
        "\n",
        "  ",
        ": ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        "'",
        "\"",
        "#",
        "&a ",
        "*a",
        "!!str ",
        "|\n",
        ">-\n",
        "---\n",
        "? ",
        "1e9",
        "99999999999999999999",
        "nobody",
        "requester",
        "for_each: ",
        "check: none",
        "when: ",
        "as: x",
        "row",
        "today",
        "(",
        ")",
        "=",
        "||",
        "&&",
        "!=",
        ".",
        ",",
        "0 USD",
        "5%",
        "\u{0}",
        "\u{feff}",
        "é",
        "𝄞",
        "\t",
        "\r",
    ];
    prop_oneof![prop::sample::select(known.to_vec()).prop_map(str::to_owned), "\\PC{0,8}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_mutated_file_makes_the_loader_panic(
        text in files(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, pieces()), 1..6),
    ) {
        let mut chars: Vec<char> = text.chars().collect();
        for (place, cut, piece) in edits {
            let from = place.index(chars.len() + 1).min(chars.len());
            let to = (from + cut).min(chars.len());
            chars.splice(from..to, piece.chars());
        }
        let text: String = chars.into_iter().collect();
        if let Ok(file) = load(&text) {
            prop_assert!(!page(&file).is_empty() && !describe(&file).is_empty());
        } else {
            prop_assert!(!problems(&text).is_empty());
        }
    }

    #[test]
    fn every_problem_points_into_the_file(text in files(), place in any::<prop::sample::Index>(), piece in pieces()) {
        let mut chars: Vec<char> = text.chars().collect();
        let from = place.index(chars.len() + 1);
        chars.splice(from..from, piece.chars());
        let text: String = chars.into_iter().collect();
        let lines = u32::try_from(text.lines().count()).unwrap();
        for problem in problems(&text) {
            prop_assert!((1..=lines + 1).contains(&problem.at.line), "{problem}");
            prop_assert!(problem.at.column >= 1 && !problem.help.is_empty() && !problem.message.is_empty());
        }
    }

    #[test]
    fn no_bytes_make_the_loader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = load_bytes(&bytes);
    }
}
