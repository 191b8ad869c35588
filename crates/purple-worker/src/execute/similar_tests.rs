use super::*;

/// Made by `tests/data/alike.py`, which lies beside it.
const TABLE: &str = include_str!("../../tests/data/alike.csv");

#[test]
fn ratios_are_those_of_difflib_and_of_levenshtein() {
    let mut compared = 0;
    for line in TABLE.lines() {
        let [left, right, block, distance] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let [block, distance] = [block, distance].map(|count: &str| count.parse::<usize>().unwrap());
        let [left_chars, right_chars] = [left, right].map(|name| name.chars().count());
        assert_eq!(
            sequence_ratio(left, right),
            Ratio::of(2 * block, left_chars + right_chars),
            "`{left}` `{right}`"
        );
        let longest = left_chars.max(right_chars);
        assert_eq!(edit_ratio(left, right), Ratio::of(longest - distance, longest), "`{left}` `{right}`");
        compared += 1;
    }
    assert!(compared > 5_000, "{compared} lines");
}

#[test]
fn the_order_of_words_does_not_matter_when_they_are_sorted() {
    assert_eq!(sorted_edit_ratio("name_client", "client_name"), Ratio::ONE);
    assert!(edit_ratio("name_client", "client_name") < Ratio::new(7, 10));
}

#[test]
fn a_name_beyond_the_limit_is_like_nothing_but_itself() {
    let long = "a".repeat(NAME_CHARS_MAX + 1);
    for ratio in [sequence_ratio, edit_ratio, sorted_edit_ratio] {
        assert_eq!(ratio(&long, &long), Ratio::ONE);
        assert_eq!(ratio(&long, &long[1..]), Ratio::ZERO);
        assert_eq!(ratio("", ""), Ratio::ONE);
    }
}

#[test]
fn fractions_compare_by_value() {
    assert_eq!(Ratio::new(6, 10), Ratio::new(3, 5));
    assert!(Ratio::new(599, 1000) < Ratio::new(3, 5));
    assert!(Ratio::ZERO < Ratio::ONE);
}
