//! A place in a text.

use serde::{Deserialize, Serialize};

/// A part of a text, in bytes. Both ends are between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins.
    pub start: usize,
    /// Where it ends; this byte is not part of it.
    pub end: usize,
}

impl Span {
    /// From here to there.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The words at this place; empty where the place is not in the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether the other place is inside this one.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether both have a byte in common.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// The one that holds this place. All are in the order of the text and do not overlap.
pub(crate) fn holding<T>(all: &[T], span: Span, place: impl Fn(&T) -> Span) -> Option<&T> {
    let at = all.partition_point(|one| place(one).end < span.end);
    all.get(at).filter(|one| place(one).contains(span))
}

/// Those inside this place. All are in the order of the text and do not overlap.
pub(crate) fn inside<T>(all: &[T], span: Span, place: impl Fn(&T) -> Span) -> &[T] {
    let from = all.partition_point(|one| place(one).start < span.start);
    let to = all.partition_point(|one| place(one).end <= span.end);
    all.get(from..to).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookups_find_what_a_search_of_all_places_finds() {
        let all = [(0, 2), (2, 5), (7, 8), (9, 12)].map(|(start, end)| Span::new(start, end));
        for (start, end) in (0..14).flat_map(|start| (start + 1..14).map(move |end| (start, end))) {
            let span = Span::new(start, end);
            let searched: Vec<&Span> = all.iter().filter(|one| one.contains(span)).collect();
            assert_eq!(holding(&all, span, |one| *one).into_iter().collect::<Vec<_>>(), searched, "{span:?}");
            let searched: Vec<Span> = all.into_iter().filter(|one| span.contains(*one)).collect();
            assert_eq!(inside(&all, span, |one| *one), searched, "{span:?}");
        }
    }
}
