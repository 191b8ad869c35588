//! Whether values that were computed beforehand came out, and what is told where they did not.

use crate::audit::agree;
use crate::learn::outcomes::CameOut;
use crate::port::Check;
use crate::prime::precompute::Precomputed;

/// So many similar tasks are looked at.
pub(crate) const LAST_TASKS: usize = 5;
/// Fewer hits than this among them, and the value is not told: 40 % of five are two.
const HITS_MIN: usize = 2;
const _: () = assert!(HITS_MIN * 100 == LAST_TASKS * 40);
/// How many checks are asked for, so that each figure of a process has its last five among them.
pub(crate) const CHECKS_MAX: usize = 100;

/// A line of the brief about a value that was computed: the value, or a warning in its place.
pub(crate) fn told(figure: &Precomputed, checks: &[Check]) -> String {
    let last: Vec<bool> = checks
        .iter()
        .filter(|check| check.figure == figure.name)
        .map(|check| check.hit)
        .take(LAST_TASKS)
        .collect();
    let hits = last.iter().filter(|hit| **hit).count();
    if last.len() == LAST_TASKS && hits < HITS_MIN {
        return format!(
            "{}: drift warning: computed from the words of a task, it came out in {hits} of the last {LAST_TASKS} \
             similar tasks, so it is not told; derive it from what is read",
            figure.name
        );
    }
    format!("{} = {} ({})", figure.name, figure.value, figure.because)
}

/// What came of a value, and whether it is the same; `None` where the outcome says nothing about it.
///
/// What was read back counts before what was only computed. Where several are called alike, one that agrees is enough.
pub(crate) fn outcome(figure: &Precomputed, came: &[CameOut]) -> Option<(String, bool)> {
    let called = came.iter().filter(|one| one.is_called(figure.name));
    let judged: Vec<(&CameOut, bool)> =
        called.filter_map(|one| Some((one, agree(&figure.value, &one.value)?))).collect();
    let means = judged.iter().map(|(one, _)| one.means).min()?;
    let mut counted = judged.into_iter().filter(|(one, _)| one.means == means).peekable();
    let first = counted.peek().map(|(one, hit)| (one.value.clone(), *hit));
    counted.find(|(_, hit)| *hit).map(|(one, hit)| (one.value.clone(), hit)).or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::outcomes::Means;

    fn figure() -> Precomputed {
        Precomputed { name: "variance_percent", value: "2.23".to_owned(), because: "by rule".to_owned() }
    }

    fn checks(hits: &[bool]) -> Vec<Check> {
        let one = |hit: &bool| Check {
            session: crate::port::SessionId::parse("a").unwrap(),
            round: 1,
            process: "invoice_reconciliation".to_owned(),
            figure: "variance_percent".to_owned(),
            given: String::new(),
            found: String::new(),
            hit: *hit,
            at: jiff::Timestamp::UNIX_EPOCH,
        };
        hits.iter().map(one).collect()
    }

    #[test]
    fn below_forty_percent_of_the_last_five_a_warning_stands_in_place_of_the_value() {
        let cases: &[(&[bool], bool)] = &[
            (&[], false),
            (&[false, false, false, false], false),
            (&[true, false, true, false, false], false),
            (&[true, false, false, false, false], true),
            (&[false; 5], true),
            (&[false, false, false, false, true, true, true, true], true),
            (&[true, true, false, false, false, false, false, false], false),
        ];
        for (hits, warned) in cases {
            let told = told(&figure(), &checks(hits));
            assert_eq!(told.contains("drift warning"), *warned, "{hits:?}: {told}");
            assert_eq!(told.contains("2.23"), !warned, "{hits:?}: {told}");
        }
    }

    #[test]
    fn checks_of_another_figure_say_nothing() {
        let mut other = checks(&[false; 5]);
        other.iter_mut().for_each(|check| check.figure = "variance".to_owned());
        assert!(told(&figure(), &other).contains("2.23"));
    }

    fn came(name: &str, value: &str, means: Means) -> CameOut {
        CameOut { name: name.to_owned(), tool: None, value: value.to_owned(), means }
    }

    #[test]
    fn a_value_is_compared_as_a_number_and_not_as_a_text() {
        let found = |text: &str| [came("variance_percent", text, Means::File)];
        assert_eq!(outcome(&figure(), &found("2.230 %")), Some(("2.230 %".to_owned(), true)));
        assert_eq!(outcome(&figure(), &found("2.2265625")), Some(("2.2265625".to_owned(), true)));
        assert_eq!(outcome(&figure(), &found("2.24")), Some(("2.24".to_owned(), false)));
        assert_eq!(outcome(&figure(), &found("no value: unknown")), None, "that says nothing");
        assert_eq!(outcome(&figure(), &[]), None);
    }

    #[test]
    fn what_was_read_back_counts_before_what_was_computed() {
        let figures = [
            came("variance_pct", "2.23", Means::Computed),
            came("variance_percent", "3.00", Means::ReadBack),
            came("variance", "2.23", Means::ReadBack),
        ];
        assert_eq!(outcome(&figure(), &figures), Some(("3.00".to_owned(), false)));
        let figures = [
            came("variance_percent", "3.00", Means::Computed),
            came("variance_percent", "2.23", Means::Computed),
        ];
        assert_eq!(outcome(&figure(), &figures), Some(("2.23".to_owned(), true)));
    }
}
