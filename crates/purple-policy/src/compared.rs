//! Which written values a name is compared with: the status words that rules tell apart, and the kind that they expect.

use crate::ast::{Expr, ExprKind};
use crate::value::Value;

/// Every name that is compared with a written value, with that value.
pub(crate) fn compared(expr: &Expr) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        open.extend(expr.children());
        match &expr.kind {
            ExprKind::Compare(left, _, right) => {
                pair(left, right, &mut found);
                pair(right, left, &mut found);
            }
            ExprKind::In(needle, list) => {
                if let ExprKind::List(items) = &list.kind {
                    items.iter().for_each(|item| pair(needle, item, &mut found));
                }
            }
            ExprKind::Within(needle, range) => {
                pair(needle, &range.low, &mut found);
                pair(needle, &range.high, &mut found);
            }
            ExprKind::Literal(_)
            | ExprKind::List(_)
            | ExprKind::Name(_)
            | ExprKind::Field(..)
            | ExprKind::Not(_)
            | ExprKind::Negate(_)
            | ExprKind::All(_)
            | ExprKind::Any(_)
            | ExprKind::Arithmetic(..)
            | ExprKind::Call(_) => {}
        }
    }
    found
}

fn pair(name: &Expr, written: &Expr, found: &mut Vec<(String, Value)>) {
    let (ExprKind::Name(path), ExprKind::Literal(value)) = (&name.kind, &written.kind) else { return };
    let one = (path.join("."), value.clone());
    if !found.contains(&one) {
        found.push(one);
    }
}
