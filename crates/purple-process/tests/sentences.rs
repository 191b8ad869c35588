//! Sentences in process files: those that order a task, those that do not, and those that fit two files.
#![expect(clippy::panic, reason = "tests may panic, in their helpers too")]

use purple_process::file::{ProblemCode, ProcessFile, builtin, load, overlaps};

const OPEN: &str = "process: PROCESS
format: 2
title: Open a gate
owner: facilities
say: {en: 'open|unlock gate {gate}'}
inputs: {gate: {type: id, pattern: 'G-[0-9]+', label: gate number}}
read: {state: get_gate(gate=gate)}
decide:
  - {rule: G-1, if: 'state.closed == true', outcome: open, ask: nobody}
outcomes:
  open: {do: open_gate(gate=gate), check: get_gate(gate=gate).closed == false}
tests:
  - {state.closed: true, expect: open}
";

fn file(process: &str, more: &str) -> String {
    format!("{}{more}", OPEN.replace("PROCESS", process))
}

fn loaded(text: &str) -> ProcessFile {
    load(text).unwrap_or_else(|refused| panic!("{refused}"))
}

#[test]
fn a_sentence_that_is_read_otherwise_refuses_the_file_and_says_how_it_was_read() {
    loaded(&file("gates", "  - {sentence: 'Open gate G-7.', orders: true}\n"));
    for (test, read) in [
        ("{sentence: 'Should we open gate G-7?', orders: true}", "a question"),
        ("{sentence: 'Do not open gate G-7.', orders: true}", "a negation"),
        ("{sentence: 'Open gate G-7 sideways.', orders: true}", "nothing explains: sideways"),
        ("{sentence: 'Open the gate.', orders: true}", "no form fits, without gate number (`gate`)"),
        ("{sentence: 'Open gate G-7.', orders: false}", "an order of this task"),
    ] {
        let refused = load(&file("gates", &format!("  - {test}\n"))).unwrap_err();
        let [problem] = refused.problems() else { panic!("{refused}") };
        assert_eq!(problem.code, ProblemCode::FailingTest, "{test}");
        assert!(problem.message.contains("test 2 expects"), "{}", problem.message);
        assert!(problem.message.contains(read), "{}", problem.message);
    }
}

#[test]
fn a_sentence_without_orders_or_with_facts_is_a_bad_test() {
    for test in [
        "{sentence: 'Open gate G-7.'}",
        "{sentence: 'Open gate G-7.', orders: perhaps}",
        "{sentence: 'Open gate G-7.', orders: true, state.closed: true}",
        "{sentence: ['Open gate G-7.'], orders: true}",
    ] {
        let refused = load(&file("gates", &format!("  - {test}\n"))).unwrap_err();
        assert!(refused.problems().iter().all(|one| one.code == ProblemCode::BadTest), "{test}: {refused}");
    }
}

#[test]
fn the_complete_files_have_three_sentences_of_each_kind_and_examples_that_order_them() {
    for file in builtin().unwrap() {
        for task in file.tasks().iter().filter(|task| task.is_complete()) {
            let (ordering, others) = task.sentence_counts();
            assert!(ordering >= 3 && others >= 3, "{}: {ordering} and {others}", task.name());
            let examples = task.examples();
            let languages: std::collections::BTreeSet<_> =
                task.say().iter().map(|form| form.language()).collect();
            let shown: std::collections::BTreeSet<_> = examples.iter().map(|one| one.language).collect();
            assert_eq!(shown, languages, "{}: {examples:#?}", task.name());
            assert!(examples.iter().all(|one| !one.text.contains('<')), "{examples:#?}");
        }
    }
}

#[test]
fn an_example_takes_the_values_of_another_text_and_names_what_is_missing() {
    let files = builtin().unwrap();
    let task = files.iter().find_map(|file| file.task("start")).unwrap();
    let setting = purple_process::file::Setting {
        today: jiff::civil::date(2026, 3, 4),
        dollar: purple_policy::Currency::USD,
    };
    let english = purple_intent::Language::English;
    let example = |text| task.example_for(text, english, &setting).unwrap();
    assert_eq!(
        example("E-1005 goes home on 2026-03-20"),
        "Offboard employee E-1005 last working day 2026-03-20"
    );
    assert_eq!(example("E-1005 goes home"), "Offboard employee E-1005 last working day <last day>");
}

#[test]
fn forms_of_two_files_that_the_same_words_satisfy_are_reported() {
    let first = loaded(&file("gates", ""));
    let second = loaded(&file("doors", "").replace("open|unlock gate {gate}", "unlock [the] {gate}"));
    let found = overlaps(&[&first, &second]);
    let [overlap] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((overlap.first.process.as_str(), overlap.second.process.as_str()), ("gates", "doors"));
    assert_eq!(overlap.first.form, "open|unlock gate {gate}");
    assert_eq!(overlap.second.form, "unlock [the] {gate}");
}

#[test]
fn forms_with_other_words_or_other_ids_do_not_overlap() {
    let first = loaded(&file("gates", ""));
    let words = loaded(&file("doors", "").replace("open|unlock gate", "paint|varnish gate"));
    let ids = loaded(&file("shops", "").replace("G-[0-9]+", "S-[0-9]+"));
    assert_eq!(overlaps(&[&first, &words, &ids]), []);
    let files = builtin().unwrap();
    assert_eq!(overlaps(&files.iter().collect::<Vec<_>>()), []);
}
