//! Makes expressions and contexts: mostly sensible, often at boundaries, sometimes plainly wrong.

use std::collections::BTreeMap;

use super::evaluate::plain_decimal;
use super::random::Random;
use super::tree::{Context, E, V};

const SIGNS: &[&str] = &["<", "<=", ">", ">=", "==", "!=", "===", "!=="];
const MODES: &[&str] = &["half_even", "half_up", "half_down", "up", "down", "ceiling", "floor"];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "2.0",
    "3",
    "7",
    "100",
    "5000",
    "0.1",
    "0.2",
    "0.3",
    "2.5",
    "3.5",
    "0.005",
    "2.2265625",
    "2.00000000000000000000000001",
    "1.99999999999999999999999999",
    "4999.99",
    "5000.01",
    "79228162514264337593543950335",
    "79228162514264337593543950336",
    "0.0000000000000000000000000001",
    "123456789012345678901234567890123456789012345678901234567890",
];
const AMOUNTS: &[&str] =
    &["0", "0.01", "1", "19.99", "4999.99", "5000", "5000.00", "5000.01", "51200", "52340", "85000"];
const TEXTS: &[&str] = &[
    "active",
    "Active",
    "received",
    "",
    "5000",
    "2.0",
    "-1",
    "1e3",
    "2026-01-31",
    "2026-02-30",
    "DE",
    "Ärger",
];
const DATES: &[&str] = &["2024-02-29", "2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01"];

/// The kinds that a generated expression is meant to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Bool,
    Number,
    Percent,
    Money,
    Text,
    Date,
    Rows,
}

const WANTS: &[Want] =
    &[Want::Bool, Want::Number, Want::Percent, Want::Money, Want::Text, Want::Date, Want::Rows];

/// The names of facts and what they usually hold.
const NAMES: &[(&str, Want)] = &[
    ("flag", Want::Bool),
    ("urgent", Want::Bool),
    ("amount", Want::Number),
    ("limit", Want::Number),
    ("order.count", Want::Number),
    ("rate", Want::Percent),
    ("total", Want::Money),
    ("order.total", Want::Money),
    ("status", Want::Text),
    ("order.status", Want::Text),
    ("due", Want::Date),
    ("rows", Want::Rows),
    ("order.rows", Want::Rows),
];

/// The fields of a row.
const FIELDS: &[(&str, Want)] = &[
    ("ok", Want::Bool),
    ("quantity", Want::Number),
    ("share", Want::Percent),
    ("price", Want::Money),
    ("label", Want::Text),
    ("day", Want::Date),
];

pub(crate) struct Generator {
    pub(crate) random: Random,
    rows: Vec<String>,
}

impl Generator {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self { random: Random::seeded(seed), rows: Vec::new() }
    }

    pub(crate) fn expression(&mut self, want: Want, depth: usize) -> E {
        let want = if self.random.percent(4) { self.random.pick(WANTS) } else { want };
        if depth == 0 || self.random.percent(15) {
            return self.leaf(want);
        }
        match want {
            Want::Bool => self.boolean(depth - 1),
            Want::Number => self.number(depth - 1),
            Want::Percent => self.percentage(depth - 1),
            Want::Money => self.money(depth - 1),
            Want::Text => self.text(depth - 1),
            Want::Date => self.leaf(Want::Date),
            Want::Rows => self.rows(depth - 1),
        }
    }

    fn boxed(&mut self, want: Want, depth: usize) -> Box<E> {
        Box::new(self.expression(want, depth))
    }

    fn leaf(&mut self, want: Want) -> E {
        if want == Want::Rows || self.random.percent(60) { self.name(want) } else { self.literal(want) }
    }

    fn name(&mut self, want: Want) -> E {
        if !self.rows.is_empty() && want != Want::Rows && self.random.percent(70) {
            let fitting: Vec<&str> =
                FIELDS.iter().filter(|(_, kind)| *kind == want).map(|(name, _)| *name).collect();
            let row = self.rows[self.random.below(self.rows.len())].clone();
            return E::Name(format!("{row}.{}", self.random.pick(&fitting)));
        }
        if self.random.percent(3) {
            return E::Name(
                self.random.pick(&["nothing", "order.nothing", "total.amount", "order"]).to_string(),
            );
        }
        let fitting: Vec<&str> =
            NAMES.iter().filter(|(_, kind)| *kind == want).map(|(name, _)| *name).collect();
        E::Name(self.random.pick(&fitting).to_owned())
    }

    fn literal(&mut self, want: Want) -> E {
        match want {
            Want::Bool => {
                let truth = self.random.percent(50);
                E::Literal(V::Bool(truth), truth.to_string())
            }
            Want::Number => {
                let text = self.random.pick(NUMBERS);
                E::Literal(V::Number(plain_decimal(text).unwrap()), text.to_owned())
            }
            Want::Percent => {
                let text = self.random.pick(&NUMBERS[..16]);
                E::Literal(V::Percent(plain_decimal(text).unwrap()), format!("{text}%"))
            }
            Want::Money => {
                let text = self.random.pick(AMOUNTS);
                let code = if self.random.percent(92) { "USD" } else { "EUR" };
                E::Literal(V::Money(plain_decimal(text).unwrap(), code), format!("{text} {code}"))
            }
            Want::Text | Want::Rows => {
                let text = self.random.pick(TEXTS);
                let quote = self.random.pick(&['"', '\'']);
                E::Literal(V::Text(text.to_owned()), format!("{quote}{text}{quote}"))
            }
            Want::Date => {
                let text = self.random.pick(DATES);
                E::Literal(date(text), format!("date(\"{text}\")"))
            }
        }
    }

    fn boolean(&mut self, depth: usize) -> E {
        match self.random.below(14) {
            0 => E::Not(self.boxed(Want::Bool, depth)),
            1 | 2 => E::All(self.several(Want::Bool, depth)),
            3 | 4 => E::Any(self.several(Want::Bool, depth)),
            5..=8 => self.comparison(depth),
            9 => {
                let want = self.scalar();
                let items = (0..self.random.below(4)).map(|_| self.expression(want, depth.min(1))).collect();
                E::In(self.boxed(want, depth), Box::new(E::List(items)))
            }
            10 => self.range(depth),
            11 => {
                let want = self.scalar();
                E::Call("exists", vec![self.name(want)])
            }
            12 => {
                let function = self.random.pick(&["any", "all"]);
                self.over_rows(function, Want::Bool, depth)
            }
            _ => E::Call(
                "contains",
                vec![self.expression(Want::Text, depth), self.expression(Want::Text, depth)],
            ),
        }
    }

    fn several(&mut self, want: Want, depth: usize) -> Vec<E> {
        (0..2 + self.random.below(3)).map(|_| self.expression(want, depth)).collect()
    }

    fn scalar(&mut self) -> Want {
        self.random.pick(&[Want::Number, Want::Number, Want::Money, Want::Percent, Want::Text, Want::Date])
    }

    fn comparison(&mut self, depth: usize) -> E {
        let sign = self.random.pick(SIGNS);
        let left = self.scalar();
        if self.random.percent(8) {
            let null = E::Literal(V::Null, "null".to_owned());
            return E::Compare(self.random.pick(&SIGNS[4..]), self.boxed(left, depth), Box::new(null));
        }
        // Pairs of kinds that say the same in two ways, among many of one kind.
        let right = match left {
            Want::Number if self.random.percent(20) => self.random.pick(&[Want::Percent, Want::Text]),
            Want::Date if self.random.percent(20) => Want::Text,
            other => other,
        };
        E::Compare(sign, self.boxed(left, depth), self.boxed(right, depth))
    }

    fn range(&mut self, depth: usize) -> E {
        let want = self.random.pick(&[Want::Number, Want::Money, Want::Percent, Want::Date]);
        let (needle, low, high) = (self.boxed(want, depth), self.boxed(want, depth), self.boxed(want, depth));
        E::Within(needle, low, high, self.random.percent(60), self.random.percent(60))
    }

    fn over_rows(&mut self, function: &'static str, body: Want, depth: usize) -> E {
        let list = self.boxed(Want::Rows, depth.min(1));
        // `max(rows, row.x)` means rows only where `row` means nothing else.
        let plain = !self.rows.iter().any(|row| row == "row") && self.random.percent(60);
        let alias = (!plain).then(|| format!("r{}", self.rows.len()));
        self.rows.push(alias.clone().unwrap_or_else(|| "row".to_owned()));
        let mut made = self.boxed(body, depth);
        let name = self.rows.last().unwrap().clone();
        if ["max", "min"].contains(&function) && alias.is_none() && !mentions(&made, &name) {
            let field = FIELDS.iter().find(|(_, kind)| *kind == body).unwrap().0;
            made = Box::new(E::Name(format!("{name}.{field}")));
        }
        self.rows.pop();
        E::Rows(function, list, alias, made)
    }

    fn number(&mut self, depth: usize) -> E {
        match self.random.below(14) {
            0..=4 => {
                let sign = self.random.pick(&['+', '-', '*', '/']);
                E::Arithmetic(sign, self.boxed(Want::Number, depth), self.boxed(Want::Number, depth))
            }
            5 => E::Arithmetic('/', self.boxed(Want::Money, depth), self.boxed(Want::Money, depth)),
            6 => E::Arithmetic('/', self.boxed(Want::Percent, depth), self.boxed(Want::Number, depth)),
            7 => E::Negate(self.boxed(Want::Number, depth)),
            8 => self.over_rows("count", Want::Bool, depth),
            9 => E::Call("len", vec![self.expression(Want::Text, depth)]),
            10 => E::Call("amount", vec![self.expression(Want::Money, depth)]),
            11 => {
                let places = u8::try_from(self.random.below(13)).unwrap();
                E::Round(self.boxed(Want::Number, depth), Some(places), self.random.pick(MODES))
            }
            12 => E::Call("count", vec![self.expression(Want::Rows, depth)]),
            _ => self.shared(Want::Number, depth),
        }
    }

    /// What works alike for numbers, percentages and money.
    fn shared(&mut self, want: Want, depth: usize) -> E {
        match self.random.below(6) {
            0 => E::Call("abs", vec![self.expression(want, depth)]),
            1 => {
                let function = self.random.pick(&["max", "min"]);
                // The rows form needs an alias inside rows; two plain values never mention a free `row`.
                E::Call(function, self.several(want, depth.min(1)))
            }
            2 => {
                let function = self.random.pick(&["sum", "max", "min"]);
                self.over_rows(function, want, depth)
            }
            3 => E::Call("default", vec![self.expression(want, depth), self.expression(want, depth)]),
            4 => {
                let condition = self.expression(Want::Bool, depth);
                E::Call("if", vec![condition, self.expression(want, depth), self.expression(want, depth)])
            }
            _ => {
                let items = E::List(self.several(want, depth.min(1)));
                E::Call(self.random.pick(&["sum", "max", "min"]), vec![items])
            }
        }
    }

    fn percentage(&mut self, depth: usize) -> E {
        match self.random.below(6) {
            0 => E::Arithmetic('+', self.boxed(Want::Percent, depth), self.boxed(Want::Percent, depth)),
            1 => E::Arithmetic('-', self.boxed(Want::Percent, depth), self.boxed(Want::Number, depth)),
            2 => E::Arithmetic('-', self.boxed(Want::Number, depth), self.boxed(Want::Percent, depth)),
            3 => E::Arithmetic('*', self.boxed(Want::Percent, depth), self.boxed(Want::Number, depth)),
            4 => E::Call("percent", vec![self.expression(Want::Number, depth)]),
            _ => self.shared(Want::Percent, depth),
        }
    }

    fn money(&mut self, depth: usize) -> E {
        match self.random.below(8) {
            0 => E::Arithmetic('+', self.boxed(Want::Money, depth), self.boxed(Want::Money, depth)),
            1 => E::Arithmetic('-', self.boxed(Want::Money, depth), self.boxed(Want::Money, depth)),
            2 => E::Arithmetic('*', self.boxed(Want::Money, depth), self.boxed(Want::Number, depth)),
            3 => E::Arithmetic('*', self.boxed(Want::Number, depth), self.boxed(Want::Money, depth)),
            4 => E::Arithmetic('/', self.boxed(Want::Money, depth), self.boxed(Want::Number, depth)),
            5 => E::Call(
                "percent_of",
                vec![self.expression(Want::Percent, depth), self.expression(Want::Money, depth)],
            ),
            6 => E::Round(self.boxed(Want::Money, depth), None, self.random.pick(MODES)),
            _ => self.shared(Want::Money, depth),
        }
    }

    fn text(&mut self, depth: usize) -> E {
        match self.random.below(3) {
            0 => E::Call("lower", vec![self.expression(Want::Text, depth)]),
            1 => E::Call("concat", self.several(Want::Text, depth)),
            _ => E::Call(
                "default",
                vec![self.expression(Want::Text, depth), self.expression(Want::Text, depth)],
            ),
        }
    }

    fn rows(&mut self, depth: usize) -> E {
        if self.random.percent(50) {
            self.over_rows("filter", Want::Bool, depth)
        } else {
            self.leaf(Want::Rows)
        }
    }

    /// Facts: some missing, some unread, some null, some of the wrong kind, some known to two sources that may disagree.
    pub(crate) fn context(&mut self) -> Context {
        let mut context = Context::new();
        for (name, want) in NAMES {
            let count = match self.random.below(100) {
                0..12 => continue,
                12..17 => 0,
                17..85 => 1,
                _ => 2,
            };
            let first = self.fact(*want);
            let told: Vec<V> = (0..count)
                .map(|_| if self.random.percent(50) { first.clone() } else { self.fact(*want) })
                .collect();
            context.insert((*name).to_owned(), told);
        }
        if self.random.percent(10) {
            let fields = BTreeMap::from([("total".to_owned(), self.fact(Want::Money))]);
            context.insert("order".to_owned(), vec![V::Record(fields)]);
        } else if self.random.percent(3) {
            context.insert("order".to_owned(), Vec::new());
        }
        context
    }

    fn fact(&mut self, want: Want) -> V {
        let want = if self.random.percent(5) { self.random.pick(WANTS) } else { want };
        if self.random.percent(4) {
            return V::Null;
        }
        let signed = |random: &mut Random, number: num_rational::BigRational| {
            if random.percent(20) { -number } else { number }
        };
        match want {
            Want::Bool => V::Bool(self.random.percent(50)),
            Want::Number => {
                let number = plain_decimal(self.random.pick(NUMBERS)).unwrap();
                V::Number(signed(&mut self.random, number))
            }
            Want::Percent => V::Percent(plain_decimal(self.random.pick(NUMBERS)).unwrap()),
            Want::Money => {
                let amount = plain_decimal(self.random.pick(AMOUNTS)).unwrap();
                V::Money(
                    signed(&mut self.random, amount),
                    if self.random.percent(90) { "USD" } else { "JPY" },
                )
            }
            Want::Text => V::Text(self.random.pick(TEXTS).to_owned()),
            Want::Date => date(self.random.pick(DATES)),
            Want::Rows => V::List((0..self.random.below(4)).map(|_| self.row()).collect()),
        }
    }

    fn row(&mut self) -> V {
        let mut fields = BTreeMap::new();
        for (name, want) in FIELDS {
            if !self.random.percent(4) {
                fields.insert((*name).to_owned(), self.fact(*want));
            }
        }
        V::Record(fields)
    }
}

fn mentions(expr: &E, row: &str) -> bool {
    match expr {
        E::Name(name) => name.split('.').next() == Some(row),
        other => other.children().into_iter().any(|child| mentions(child, row)),
    }
}

fn date(text: &str) -> V {
    let parts: Vec<i64> = text.split('-').map(|part| part.parse().unwrap()).collect();
    V::Date(parts[0], parts[1], parts[2])
}
