//! Whether two answers say the same: by their words, and where there are figures by the figures.

use std::collections::BTreeSet;

use purple_finance::Exact;

/// Words that two answers must share, in percent of all their words.
const SHARED_PERCENT: usize = 60;

/// Whether two answers say the same: most words are shared, and every figure is.
pub(crate) fn agree(one: &str, other: &str) -> bool {
    let (one_words, one_figures) = parts(one);
    let (other_words, other_figures) = parts(other);
    let shared = one_words.intersection(&other_words).count();
    let all = one_words.union(&other_words).count();
    one_figures == other_figures && shared * 100 >= all * SHARED_PERCENT
}

/// Whether every figure of a text is still in another.
pub(crate) fn keeps_figures(before: &str, after: &str) -> bool {
    parts(before).1.is_subset(&parts(after).1)
}

/// The figure that two calculations agree on; exactly, since money has no nearly.
pub(crate) fn agreed(one: Option<&Exact>, other: Option<&Exact>) -> Option<Exact> {
    match (one, other) {
        (Some(one), Some(other)) if one == other => Some(one.clone()),
        (Some(_) | None, Some(_) | None) => None,
    }
}

/// The words and the figures of a text. `1,020.00` and `1020` are one figure.
fn parts(text: &str) -> (BTreeSet<String>, BTreeSet<Exact>) {
    let (mut words, mut figures) = (BTreeSet::new(), BTreeSet::new());
    let mut text = text.replace('\u{2212}', "-");
    for sign in ["-$", "-€", "-£", "-¥"] {
        text = text.replace(sign, "-");
    }
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '.' || sign == ',' || sign == '-';
    for piece in text.split(|sign: char| !is_part(sign)) {
        let piece = piece.trim_start_matches(['.', ',']).trim_end_matches(['.', ',', '-']);
        let plain: String = piece.chars().filter(|sign| *sign != ',').collect();
        match Exact::parse(&plain) {
            Ok(figure) => {
                figures.insert(figure);
            }
            Err(_) => {
                let word = piece.trim_start_matches('-').to_lowercase();
                if !word.is_empty() {
                    words.insert(word);
                }
            }
        }
    }
    (words, figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_agree_by_words_and_by_every_figure() {
        assert!(agree("The balance is $1,020.00 today.", "Today the balance is 1020 USD"));
        assert!(!agree("The balance is $1,020.00 today.", "The balance is $1,120.00 today."));
        assert!(!agree("The vendor is active.", "Nothing was found under this number."));
        for negative in ["It is -25.97 USD.", "It is \u{2212}25.97 USD.", "It is -$25.97 USD."] {
            assert!(!agree(negative, "It is 25.97 USD."), "{negative}");
            assert!(agree(negative, "It is -25.97 USD."), "{negative}");
            assert!(!keeps_figures(negative, "It is 25.97 USD."), "{negative}");
        }
        assert!(agree("- 5 open, 3-5 days", "5 open - 3-5 days"));
        assert!(agree("", ""));
        assert!(agree("[\"INV-1\", \"INV-2\"]", "[\"INV-1\",\"INV-2\"]"));
        assert!(!agree("[\"INV-1\", \"INV-2\"]", "[\"INV-1\", \"INV-3\"]"));
    }

    #[test]
    fn figures_agree_exactly_or_not_at_all() {
        let number = |text: &str| Exact::parse(text).unwrap();
        assert_eq!(agreed(Some(&number("81.6")), Some(&number("81.60"))), Some(number("81.6")));
        assert_eq!(agreed(Some(&number("81.6")), Some(&number("81.61"))), None);
        assert_eq!(agreed(Some(&number("81.6")), None), None);
        assert_eq!(agreed(None, None), None);
    }
}
