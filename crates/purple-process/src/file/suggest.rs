//! "Did you mean": the nearest of the known words.

/// The known word nearest to `word`, if one is near enough to be a slip of the pen.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Long words are not slips of short ones, and the table is quadratic.
    const CHARS_MAX: usize = 64;
    if word.chars().count() > CHARS_MAX {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(steps, candidate)| *steps <= candidate.chars().count().max(2).div_ceil(3))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words, ignoring case.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().flat_map(char::to_lowercase).collect();
    let right: Vec<char> = right.chars().flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let replaced = above[column] + usize::from(a != b);
            let mut best = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b;
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
}

/// Help for an unknown word: the nearest known one, or all of them.
pub(crate) fn help(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", listed(known)),
    }
}

/// "`a`, `b`, `c`".
pub(crate) fn listed<S: AsRef<str>>(words: &[S]) -> String {
    let ticked: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    ticked.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_recognised() {
        let known = ["keywords", "outcomes", "inputs", "read"];
        assert_eq!(nearest("keyword", known), Some("keywords"));
        assert_eq!(nearest("outcmoes", known), Some("outcomes"));
        assert_eq!(nearest("Read", known), Some("read"));
    }

    #[test]
    fn another_word_is_not_a_slip() {
        assert_eq!(nearest("banana", ["keywords", "read"]), None);
        assert_eq!(nearest(&"k".repeat(5000), ["keywords"]), None);
    }

    #[test]
    fn distance_counts_steps() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("same", "same"), 0);
    }
}
