//! Writes a generated tree as source text, with random spaces and needless parentheses.

use std::ops::Range;

use super::random::Random;
use super::tree::E;

/// The text, and where each part of the tree stands in it, parents after children.
pub(crate) struct Printed<'e> {
    pub(crate) text: String,
    pub(crate) parts: Vec<(Range<usize>, &'e E)>,
}

pub(crate) fn print<'e>(expr: &'e E, random: &mut Random) -> Printed<'e> {
    let mut printer = Printer { printed: Printed { text: String::new(), parts: Vec::new() }, random };
    printer.write(expr, 0);
    printer.printed
}

struct Printer<'e, 'r> {
    printed: Printed<'e>,
    random: &'r mut Random,
}

impl<'e> Printer<'e, '_> {
    fn push(&mut self, text: &str) {
        self.printed.text.push_str(text);
    }

    fn space(&mut self) {
        let spaces = self.random.pick(&[" ", " ", " ", "  ", "\n", "\t"]);
        self.push(spaces);
    }

    fn sign(&mut self, sign: &str) {
        self.space();
        self.push(sign);
        self.space();
    }

    /// Writes `expr` where an operand of at least this tightness is needed.
    fn write(&mut self, expr: &'e E, needed: u8) {
        let start = self.printed.text.len();
        let parentheses = usize::from(tightness(expr) < needed) + usize::from(self.random.percent(7));
        for _ in 0..parentheses {
            self.push("(");
        }
        self.bare(expr);
        for _ in 0..parentheses {
            self.push(")");
        }
        let end = self.printed.text.len();
        self.printed.parts.push((start..end, expr));
    }

    fn bare(&mut self, expr: &'e E) {
        match expr {
            E::Literal(_, text) | E::Name(text) => self.push(text),
            E::List(items) => {
                self.push("[");
                self.items(items);
                self.push("]");
            }
            E::Not(inner) => {
                self.push("!");
                self.write(inner, 6);
            }
            E::Negate(inner) => {
                self.push("-");
                self.write(inner, 6);
            }
            E::All(items) => self.chain(items, "&&", 3),
            E::Any(items) => self.chain(items, "||", 2),
            E::Compare(sign, left, right) => {
                self.write(left, 4);
                self.sign(sign);
                self.write(right, 4);
            }
            E::In(needle, list) => {
                self.write(needle, 4);
                self.sign("in");
                self.write(list, 4);
            }
            E::Within(needle, low, high, low_in, high_in) => {
                self.write(needle, 4);
                self.sign("in");
                let bare = *low_in && *high_in && self.random.percent(50);
                self.push(if bare {
                    ""
                } else if *low_in {
                    "["
                } else {
                    "("
                });
                self.write(low, 4);
                self.push("..");
                self.write(high, 4);
                self.push(if bare {
                    ""
                } else if *high_in {
                    "]"
                } else {
                    ")"
                });
            }
            E::Arithmetic(sign, left, right) => {
                let tight = tightness(expr);
                self.write(left, tight);
                self.sign(&sign.to_string());
                self.write(right, tight + 1);
            }
            E::Call(function, arguments) => {
                self.push(function);
                self.push("(");
                self.items(arguments);
                self.push(")");
            }
            E::Rows(function, list, alias, body) => {
                self.push(function);
                self.push("(");
                self.write(list, 0);
                if let Some(alias) = alias {
                    self.push(&format!(" as {alias}"));
                }
                self.push(", ");
                self.write(body, 0);
                self.push(")");
            }
            E::Round(value, places, mode) => {
                self.push("round(");
                self.write(value, 0);
                let places = places.map_or("cents".to_owned(), |places| places.to_string());
                self.push(&format!(", {places}, {mode})"));
            }
        }
    }

    fn items(&mut self, items: &'e [E]) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(",");
                self.space();
            }
            self.write(item, 0);
        }
    }

    fn chain(&mut self, items: &'e [E], sign: &str, needed: u8) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.sign(sign);
            }
            self.write(item, needed);
        }
    }
}

fn tightness(expr: &E) -> u8 {
    match expr {
        E::Any(_) => 1,
        E::All(_) => 2,
        E::Compare(..) | E::In(..) | E::Within(..) => 3,
        E::Arithmetic('+' | '-', ..) => 4,
        E::Arithmetic(..) => 5,
        E::Not(_) | E::Negate(_) => 6,
        E::Literal(..) | E::Name(_) | E::List(_) | E::Call(..) | E::Rows(..) | E::Round(..) => 7,
    }
}
