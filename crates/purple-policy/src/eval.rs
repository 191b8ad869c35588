//! Evaluates a program against bound slots: three-valued, exact, without side effects.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use purple_finance::{Exact, Rounding};

use crate::ast::Comparison;
use crate::compile::{Node, Places, Slot, Within};
use crate::functions::{Function, apply};
use crate::limits::EVALUATION_STEPS_MAX;
use crate::operate::{arithmetic, changed, compare, negated};
use crate::unevaluable::{Doubt, Unevaluable};
use crate::value::{Kind, Value};

/// One evaluation: the bound names, and how many steps it may still take for rows.
pub(crate) struct Evaluation<'s> {
    slots: &'s [Slot],
    steps_left: Cell<u32>,
}

/// A row in sight, and the rows around it.
#[derive(Clone, Copy)]
struct Frame<'r> {
    row: &'r Value,
    outer: Option<&'r Frame<'r>>,
}

type Rows<'r> = Option<&'r Frame<'r>>;

impl<'s> Evaluation<'s> {
    pub(crate) fn of(slots: &'s [Slot]) -> Self {
        Self { slots, steps_left: Cell::new(EVALUATION_STEPS_MAX) }
    }

    /// The value of a program.
    pub(crate) fn value(&self, node: &Node) -> Result<Value, Doubt> {
        self.eval(node, None).map(Cow::into_owned)
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&self, node: &Node) -> Result<bool, Doubt> {
        self.truth(node, None)
    }

    fn eval<'r>(&'r self, node: &'r Node, rows: Rows<'r>) -> Result<Cow<'r, Value>, Doubt> {
        match node {
            Node::Constant(value) => Ok(Cow::Borrowed(value)),
            Node::Slot(slot) => self.slot(*slot).map(Cow::Borrowed),
            Node::Row { up, name, path } => row_value(*up, name, path, rows),
            Node::Field { base, path } => field(self.eval(base, rows)?, path),
            Node::List(items) => {
                let items: Result<Arc<[Value]>, Doubt> =
                    items.iter().map(|item| self.eval(item, rows).map(Cow::into_owned)).collect();
                items.map(|items| Cow::Owned(Value::List(items)))
            }
            Node::Negate(inner) => negated(&*self.eval(inner, rows)?).map(Cow::Owned),
            Node::Arithmetic { operator, sides } => {
                let (left, right) = (self.eval(&sides.0, rows)?, self.eval(&sides.1, rows)?);
                arithmetic(*operator, &left, &right).map(Cow::Owned)
            }
            Node::Default(sides) => match self.eval(&sides.0, rows) {
                Ok(value) if *value != Value::Null => Ok(value),
                Ok(_) => self.eval(&sides.1, rows),
                Err(doubt) if doubt.is_absence() => self.eval(&sides.1, rows),
                Err(doubt) => Err(doubt),
            },
            Node::If(parts) => {
                let chosen = if self.truth(&parts.0, rows)? { &parts.1 } else { &parts.2 };
                self.eval(chosen, rows)
            }
            Node::Round { value, places, rounding } => {
                rounded(&*self.eval(value, rows)?, *places, *rounding).map(Cow::Owned)
            }
            Node::Rows { function, list, body, steps_each } => {
                self.over_rows(*function, list, body.as_deref(), *steps_each, rows)
            }
            Node::Call { function, arguments } => {
                let arguments: Result<Vec<Value>, Doubt> =
                    arguments.iter().map(|argument| self.eval(argument, rows).map(Cow::into_owned)).collect();
                apply(*function, &arguments?).map(Cow::Owned)
            }
            Node::Not(_)
            | Node::All(_)
            | Node::Any(_)
            | Node::SlotAgainst { .. }
            | Node::Compare { .. }
            | Node::IsNull { .. }
            | Node::In(_)
            | Node::Within(_)
            | Node::Exists(_) => self.truth(node, rows).map(|truth| Cow::Owned(Value::Bool(truth))),
        }
    }

    fn truth(&self, node: &Node, rows: Rows<'_>) -> Result<bool, Doubt> {
        match node {
            Node::SlotAgainst { slot, comparison, constant } => {
                compare(*comparison, self.slot(*slot)?, constant)
            }
            Node::Slot(slot) => as_truth(self.slot(*slot)?),
            Node::Not(inner) => self.truth(inner, rows).map(|truth| !truth),
            Node::All(items) => decided(items.iter().map(|item| self.truth(item, rows)), false),
            Node::Any(items) => decided(items.iter().map(|item| self.truth(item, rows)), true),
            Node::Compare { comparison, sides } => self.with(&sides.0, rows, |left| {
                self.with(&sides.1, rows, |right| compare(*comparison, left, right))
            }),
            Node::IsNull { inner, wanted } => Ok(matches!(*self.eval(inner, rows)?, Value::Null) == *wanted),
            Node::In(sides) => self.is_in(&sides.0, &sides.1, rows),
            Node::Within(within) => self.is_within(within, rows),
            Node::Exists(name) => match self.eval(name, rows) {
                Ok(value) => Ok(*value != Value::Null),
                Err(doubt) if doubt.is_absence() => Ok(false),
                Err(doubt) => Err(doubt),
            },
            Node::Constant(_)
            | Node::Row { .. }
            | Node::Field { .. }
            | Node::List(_)
            | Node::Negate(_)
            | Node::Arithmetic { .. }
            | Node::Default(_)
            | Node::If(_)
            | Node::Round { .. }
            | Node::Rows { .. }
            | Node::Call { .. } => as_truth(&*self.eval(node, rows)?),
        }
    }

    fn slot(&self, slot: usize) -> Result<&Value, Doubt> {
        // INVARIANT: slots were bound from the table that the program was compiled with.
        self.slots[slot].as_ref().map_err(Arc::clone)
    }

    /// Uses a value where it stands; names and constants, the commonest, are not even wrapped.
    #[inline]
    fn with(
        &self,
        node: &Node,
        rows: Rows<'_>,
        use_it: impl FnOnce(&Value) -> Result<bool, Doubt>,
    ) -> Result<bool, Doubt> {
        match node {
            Node::Slot(slot) => use_it(self.slot(*slot)?),
            Node::Constant(value) => use_it(value),
            other => use_it(&*self.eval(other, rows)?),
        }
    }

    /// `x in [a, b]` says `x == a || x == b`: a match decides, whatever the other items are.
    fn is_in(&self, needle: &Node, list: &Node, rows: Rows<'_>) -> Result<bool, Doubt> {
        self.with(needle, rows, |needle| {
            let equal = |item: &Value| compare(Comparison::Equal, needle, item);
            if let Node::List(items) = list {
                return decided(items.iter().map(|item| self.with(item, rows, equal)), true);
            }
            self.with(list, rows, |list| {
                let Value::List(items) = list else { return Err(wrong_kind("`in`", list)) };
                self.spend(items.len())?;
                decided(items.iter().map(equal), true)
            })
        })
    }

    fn is_within(&self, within: &Within, rows: Rows<'_>) -> Result<bool, Doubt> {
        self.with(&within.value, rows, |value| {
            let ends = [(&within.low, within.above), (&within.high, within.below)];
            let inside =
                ends.into_iter().map(|(end, side)| self.with(end, rows, |end| compare(side, value, end)));
            decided(inside, false)
        })
    }

    fn over_rows<'r>(
        &'r self,
        function: Function,
        list: &'r Node,
        body: Option<&'r Node>,
        steps_each: usize,
        rows: Rows<'r>,
    ) -> Result<Cow<'r, Value>, Doubt> {
        let list = self.eval(list, rows)?;
        let Value::List(items) = &*list else { return Err(wrong_kind(function.operation(), &list)) };
        self.spend(items.len().saturating_mul(steps_each))?;
        let Some(body) = body else {
            return Ok(Cow::Owned(count(items.len())));
        };
        let holds = |row: &Value| self.truth(body, Some(&Frame { row, outer: rows }));
        let made = |row: &Value| self.eval(body, Some(&Frame { row, outer: rows })).map(Cow::into_owned);
        Ok(Cow::Owned(match function {
            Function::Any => Value::Bool(decided(items.iter().map(holds), true)?),
            Function::All => Value::Bool(decided(items.iter().map(holds), false)?),
            Function::Filter | Function::Count => {
                let mut kept = Vec::new();
                for row in items.iter() {
                    if holds(row)? {
                        kept.push(row);
                    }
                }
                if function == Function::Count {
                    count(kept.len())
                } else {
                    Value::list(kept.into_iter().cloned())
                }
            }
            Function::GroupBy => grouped(items, made)?,
            _ => {
                let made: Result<Arc<[Value]>, Doubt> = items.iter().map(made).collect();
                let made = Value::List(made?);
                if function == Function::Map { made } else { apply(function, &[made])? }
            }
        }))
    }

    /// Counts steps taken for rows, so that rows inside rows inside rows end.
    fn spend(&self, steps: usize) -> Result<(), Doubt> {
        let left = u32::try_from(steps).ok().and_then(|steps| self.steps_left.get().checked_sub(steps));
        let left = left.ok_or_else(|| Arc::new(Unevaluable::TooManyRows))?;
        self.steps_left.set(left);
        Ok(())
    }
}

/// Kleene's logic: one part that `decides` settles it, whatever could not be evaluated beside it.
fn decided(parts: impl Iterator<Item = Result<bool, Doubt>>, decides: bool) -> Result<bool, Doubt> {
    let mut first_doubt = None;
    for part in parts {
        match part {
            Ok(truth) if truth == decides => return Ok(decides),
            Ok(_) => {}
            Err(doubt) => {
                first_doubt.get_or_insert(doubt);
            }
        }
    }
    first_doubt.map_or(Ok(!decides), Err)
}

fn row_value<'r>(up: usize, name: &str, path: &[String], rows: Rows<'r>) -> Result<Cow<'r, Value>, Doubt> {
    let mut frame = rows;
    for _ in 0..up {
        frame = frame.and_then(|frame| frame.outer);
    }
    frame
        .and_then(|frame| frame.row.walk(path))
        .ok_or_else(|| Arc::new(Unevaluable::Missing { name: name.to_owned() }))
}

fn field<'r>(base: Cow<'r, Value>, path: &[String]) -> Result<Cow<'r, Value>, Doubt> {
    let found = match base {
        Cow::Borrowed(value) => value.walk(path),
        Cow::Owned(value) => value.walk(path).map(|found| Cow::Owned(found.into_owned())),
    };
    found.ok_or_else(|| Arc::new(Unevaluable::Missing { name: path.join(".") }))
}

fn as_truth(value: &Value) -> Result<bool, Doubt> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        other => Err(wrong_kind("a condition", other)),
    }
}

fn wrong_kind(operation: &'static str, value: &Value) -> Doubt {
    Arc::new(match value.kind() {
        Kind::Null => Unevaluable::Null { operation },
        kind => Unevaluable::Kind { operation, kind },
    })
}

fn count(rows: usize) -> Value {
    Value::from(i64::try_from(rows).unwrap_or(i64::MAX))
}

fn rounded(value: &Value, places: Places, rounding: Rounding) -> Result<Value, Doubt> {
    let places = match (places, value) {
        (Places::Written(places), _) => places,
        (Places::Cents, Value::Money { currency, .. }) => currency.digits(),
        (Places::Cents, other) => return Err(wrong_kind("`round` to cents", other)),
    };
    changed("`round`", value, |number: &Exact| number.rounded(places, rounding))
}

/// Groups in the order in which their keys first appear, each `{key, rows}`.
fn grouped(items: &[Value], key_of: impl Fn(&Value) -> Result<Value, Doubt>) -> Result<Value, Doubt> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for row in items {
        let key = key_of(row)?;
        if matches!(key, Value::Null | Value::List(_) | Value::Record(_)) {
            return Err(wrong_kind(Function::GroupBy.operation(), &key));
        }
        // Equal keys have equal texts, because numbers are held in lowest terms.
        let place = *places.entry(format!("{:?} {key}", key.kind())).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, rows)) => rows.push(row.clone()),
            None => groups.push((key, vec![row.clone()])),
        }
    }
    let record =
        |(key, rows): (Value, Vec<Value>)| Value::record([("key", key), ("rows", Value::list(rows))]);
    Ok(Value::list(groups.into_iter().map(record)))
}
