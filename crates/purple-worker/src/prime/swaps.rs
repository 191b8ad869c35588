//! The lines that go out of an order and those that come in: "3x A at 29.99 USD go out and 2x B at 32.00 USD come in".

use std::collections::BTreeMap;
use std::ops::Range;

use purple_finance::{Exact, Figure as Value, Money};
use purple_intent::value::Unit;

use super::figures::Reading;
use super::qualifiers::QUALIFIERS;
use super::reader::{Arguments, Reader};
use super::wording::{phrase_places, says_phrase};

/// The most words between a number of pieces and the price of one.
const NAME_WORDS_MAX: usize = 5;

/// Words between the name of an item and the price of one piece. "For" is none: that can be the price of all.
const AT: &[&str] = &["at", "@", "à", "zu", "je", "a"];
const OUT: &[&str] = &[
    "go out",
    "goes out",
    "drop",
    "drops",
    "dropped",
    "remove",
    "removed",
    "removing",
    "take out",
    "taken out",
    "delete",
    "deleted",
    "cancel",
    "cancelled",
    "entfallen",
    "entfällt",
    "wegfallen",
    "wegfällt",
    "entfernt",
    "gestrichen",
    "retire",
    "retirer",
    "retirons",
    "supprime",
    "supprimer",
    "supprimons",
    "quitar",
    "quitamos",
    "quito",
    "eliminar",
    "eliminamos",
];
const IN: &[&str] = &[
    "come in",
    "comes in",
    "add",
    "adds",
    "added",
    "adding",
    "dazukommt",
    "dazukommen",
    "hinzukommt",
    "hinzukommen",
    "dazu",
    "hinzu",
    "hinzugefügt",
    "ajoute",
    "ajouter",
    "ajoutons",
    "añadir",
    "añadimos",
    "añado",
    "agregar",
];
/// Words between what goes out and what comes in.
const REPLACED: &[&str] = &[
    "replaced by",
    "replaced with",
    "is replaced by",
    "are replaced by",
    "durch",
    "remplacé par",
    "remplacés par",
    "sustituido por",
    "sustituidos por",
    "reemplazado por",
];
/// Words between what comes in and what goes out.
const INSTEAD: &[&str] = &["instead of", "statt", "anstelle von", "au lieu de", "en lugar de"];
/// Words before an exchange, and those between its sides.
const EXCHANGE: &[&str] = &[
    "replace",
    "replacing",
    "swap",
    "swapping",
    "exchange",
    "exchanging",
    "ersetze",
    "ersetzen",
    "tausche",
    "tauschen",
    "remplacer",
    "remplaçons",
    "reemplazar",
    "sustituir",
    "cambiar",
];
const FOR: &[&str] = &["with", "by", "for", "gegen", "durch", "par", "por"];
/// Further words of an exchange that decide nothing.
const LIGHT: &[&str] = &["ersetzt", "ersetzt werden", "werden", "wird", "getauscht", "each", "out", "in"];

/// Some pieces of one item.
struct Line {
    place: Range<usize>,
    quantity: Exact,
    price: Money,
}

/// Where the line goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Out,
    In,
}

impl Reader {
    /// The arguments of a price difference, if every figure of the task belongs to a line that goes out or comes in.
    pub(super) fn swapped(&self) -> Option<Arguments> {
        let lines = self.lines()?;
        let ways = self.ways(&lines)?;
        let mut original = Vec::new();
        let mut modified = Vec::new();
        let mut cancelled = Vec::new();
        for (number, (line, way)) in lines.into_iter().zip(ways).enumerate() {
            let id = Value::Text(format!("{}", number.saturating_add(1)));
            let record = Value::Record(BTreeMap::from([
                ("id".to_owned(), id.clone()),
                ("quantity".to_owned(), Value::Number(line.quantity)),
                ("unit_price".to_owned(), Value::Money(line.price)),
            ]));
            if way == Way::Out {
                original.push(record);
                cancelled.push(id);
            } else {
                modified.push(record);
            }
        }
        let lists = [("original", original), ("modified", modified), ("cancelled_ids", cancelled)];
        let values = lists.map(|(name, list)| (name.to_owned(), Value::List(list)));
        Some(Arguments { values: BTreeMap::from(values), unnamed: Vec::new() })
    }

    /// The places of the items and of the words that say where they go.
    pub(super) fn swap_places(&self) -> Vec<Range<usize>> {
        let words = [OUT, IN, REPLACED, INSTEAD, EXCHANGE, FOR, LIGHT].into_iter().flatten();
        let words = words.flat_map(|word| phrase_places(&self.lower, word));
        self.lines().into_iter().flatten().map(|line| line.place).chain(words).collect()
    }

    /// Every figure of the text as lines of a number of pieces and the price of one.
    fn lines(&self) -> Option<Vec<Line>> {
        let pairs = self.figures.chunks(2).map(|pair| {
            let [count, price] = pair else { return None };
            let Reading::Count(quantity, None | Some(Unit::Piece)) = &count.reading else { return None };
            let Reading::Money(money) = &price.reading else { return None };
            let name = self.lower.get(count.range.end..price.range.start)?;
            let place = count.range.start..price.range.end;
            is_item(name).then(|| Line { place, quantity: quantity.clone(), price: *money })
        });
        pairs.collect::<Option<Vec<Line>>>().filter(|lines| !lines.is_empty())
    }

    /// Where each line goes, by the words before the lines, between them or after them.
    fn ways(&self, lines: &[Line]) -> Option<Vec<Way>> {
        let starts = std::iter::once(0).chain(lines.iter().map(|line| line.place.end));
        let ends = lines.iter().map(|line| line.place.start).chain([self.lower.len()]);
        let gaps: Vec<&str> =
            starts.zip(ends).filter_map(|(start, end)| self.lower.get(start..end)).collect();
        let (before, after) = (gaps.first()?, gaps.last()?);
        let says = |gap: &str, words: &[&str]| words.iter().any(|word| says_phrase(gap, word));
        let moves = |gap: &str| says(gap, OUT) || says(gap, IN);
        if let [first, between, last] = gaps.as_slice()
            && ![first, between, last].into_iter().any(|gap| moves(gap))
        {
            return match (says(first, EXCHANGE), says(between, INSTEAD)) {
                (true, false) if says(between, FOR) => Some(vec![Way::Out, Way::In]),
                (false, true) => Some(vec![Way::In, Way::Out]),
                (false, false) if says(between, REPLACED) => Some(vec![Way::Out, Way::In]),
                (true | false, true | false) => None,
            };
        }
        let way = |gap: &&str| match (says(gap, OUT), says(gap, IN)) {
            (true, false) => Some(Some(Way::Out)),
            (false, true) => Some(Some(Way::In)),
            (false, false) => Some(None),
            (true, true) => None,
        };
        let ways: Vec<Option<Way>> = gaps.iter().map(way).collect::<Option<_>>()?;
        // "Drop A and B and add C" says it before, "A and B go out and C comes in" after.
        match (moves(before), moves(after)) {
            (true, false) => filled(ways.iter().take(lines.len()).copied()),
            (false, true) => {
                let mut ways = filled(ways.iter().skip(1).rev().copied())?;
                ways.reverse();
                Some(ways)
            }
            (true, true) | (false, false) => None,
        }
    }
}

/// The ways of lines, where one that says nothing goes where the one before it goes.
fn filled(ways: impl Iterator<Item = Option<Way>>) -> Option<Vec<Way>> {
    let mut last = None;
    ways.map(|way| {
        last = way.or(last);
        last
    })
    .collect()
}

/// Whether the words between a number of pieces and a price only name an item: "Widget A at".
fn is_item(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let Some((link, item)) = words.split_last() else { return false };
    let item = item.join(" ");
    AT.contains(link)
        && words.len() <= NAME_WORDS_MAX
        && !item.contains(|c: char| ",;:.?!".contains(c))
        && !QUALIFIERS.iter().filter(|word| !AT.contains(word)).any(|word| says_phrase(&item, word))
}
