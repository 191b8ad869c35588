//! Which order of the task an operation serves that a model proposes. Pure.
//!
//! The model may name the words; this checks that verb and target can belong to them. What a tool answered or somebody
//! else wrote is never an order, and a target that only such text names does not belong to one.

mod figure;
mod target;
mod verb;

use purple_intent::value::Notation;
use purple_intent::{Act, Mood, Reading, Role, Span};
use purple_process::{Confirmation, Effect, Json, Order, Values};

use target::Targets;

/// An operation that a model wants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// What its server says about it.
    pub description: &'a str,
    /// The parameters with a closed list of values: these identify nothing.
    pub closed: &'a [&'a str],
    pub effect: Effect,
    pub values: &'a Values,
    /// The words that the model names, or the number of the order among those of the task.
    pub cited: Option<&'a str>,
    /// Whether the process that the words point to does this among its outcomes.
    pub of_process: bool,
    /// Whether another operation of the round serves an order.
    pub follows: bool,
}

/// What is known beside the words of the task.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context<'a> {
    /// What the requester said before in this session. It orders nothing now, and can name what is meant.
    pub earlier: &'a [&'a str],
    /// What was read in this round: the arguments and the answer of each call.
    pub reads: &'a [(&'a Values, Json)],
    /// The requester's confirmation of the task, whose words order it for another time or under a condition.
    pub confirmed: Option<&'a Confirmation>,
}

impl Context<'_> {
    /// Whether an act is an order.
    fn orders(&self, act: &Act) -> bool {
        act.orders()
            || match act.mood {
                Mood::OtherTime | Mood::Conditional | Mood::Reported => self.confirmed.is_some(),
                Mood::Order
                | Mood::Question
                | Mood::Negated
                | Mood::Reversal
                | Mood::Draft
                | Mood::Calculation
                | Mood::Statement => false,
            }
    }
}

/// The order that an operation serves, or a missing one.
pub(crate) fn order_for(text: &str, wanted: &Wanted<'_>, context: &Context<'_>) -> Order {
    let reading = purple_intent::read(text, &Notation::default());
    let Some(span) = span(text, &reading, wanted, context) else { return Order::missing() };
    match context.confirmed {
        Some(confirmation) => Order::confirmed(text, confirmation.clone()),
        None => Order::words(text, span).unwrap_or_else(|_| Order::missing()),
    }
}

/// The words of the act that is served.
fn span(text: &str, reading: &Reading, wanted: &Wanted<'_>, context: &Context<'_>) -> Option<Span> {
    let targets = Targets::of(text, reading, context);
    if !targets.hold(wanted.values, wanted.closed) {
        return None;
    }
    // A question to somebody belongs to whatever is ordered; its answer grants nothing.
    if wanted.effect == Effect::Approval {
        return whole(reading);
    }
    // Operations are proposed for a calculation only where a form of the file declares that it is an order.
    let by_form = !reading.acts.iter().any(Act::orders);
    let calculates = |act: &Act| by_form && act.mood == Mood::Calculation && !act.limited;
    let is_order = |act: &&Act| context.orders(act) || calculates(act) || begins_with(act, wanted);
    let orders: Vec<&Act> = reading.acts.iter().filter(is_order).collect();
    let cited: Vec<&Act> = match wanted.cited.map(str::trim).filter(|cited| !cited.is_empty()) {
        Some(cited) => by_citation(text, &orders, cited),
        None => orders.clone(),
    };
    let named = targets.named(wanted.values, wanted.closed);
    let fits = |act: &&&Act| {
        verb::fits(text, act, wanted)
            && targets.has_object(text, reading, act, wanted)
            && figure::agree(reading, act, wanted.values)
    };
    // Of several acts that fit, the one that names the target.
    let names = |act: &&&Act| named.iter().any(|span| act.span.contains(*span));
    let served = cited.iter().filter(fits).find(names).or_else(|| cited.iter().find(fits));
    if let Some(act) = served {
        return Some(act.span);
    }
    let follows = wanted.effect == Effect::Notify && wanted.follows;
    (wanted.cited.is_none() && (wanted.of_process || follows)).then(|| whole(reading)).flatten()
}

/// The acts that a model means by a number or by quoted words.
fn by_citation<'a>(text: &str, orders: &[&'a Act], cited: &str) -> Vec<&'a Act> {
    if let Ok(number) = cited.parse::<usize>() {
        return number.checked_sub(1).and_then(|at| orders.get(at)).copied().into_iter().collect();
    }
    let cited = cited.trim_matches(['"', '“', '”', '\'', '.']);
    let places = text.match_indices(cited).map(|(at, words)| Span::new(at, at + words.len()));
    let places: Vec<Span> = places.filter(|place| place.start < place.end).collect();
    orders.iter().copied().filter(|act| places.iter().any(|place| place.overlaps(act.span))).collect()
}

/// Whether a clause begins with the verb of the tool. The grammar does not know every verb: "Merge ticket T-7 into T-9".
fn begins_with(act: &Act, wanted: &Wanted<'_>) -> bool {
    let name = words(wanted.tool);
    let verbs = name.first().into_iter().chain(name.last());
    let first = act.words.first().filter(|word| matches!(word.role, Role::Other | Role::Name));
    act.mood == Mood::Statement
        && first.is_some_and(|word| verbs.clone().any(|verb| is_same(&word.lower, verb)))
}

/// The requester's own words, from the first to the last that order something; without such words, all of them.
fn whole(reading: &Reading) -> Option<Span> {
    let hull = |spans: &mut dyn Iterator<Item = Span>| {
        spans.reduce(|one, other| Span::new(one.start.min(other.start), one.end.max(other.end)))
    };
    let orders = reading.acts.iter().filter(|act| act.orders());
    hull(&mut orders.map(|act| act.span)).or_else(|| hull(&mut reading.own.iter().copied()))
}

/// The words of a name or a description, in lower case.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut lower_before = false;
    for letter in text.chars() {
        if letter.is_uppercase() && lower_before {
            spaced.push(' ');
        }
        lower_before = letter.is_lowercase();
        spaced.push(if letter.is_alphanumeric() { letter } else { ' ' });
    }
    spaced.split_whitespace().map(str::to_lowercase).collect()
}

/// Whether two words are forms of one: `approve`, `approves`, `approved`, `approval`.
fn is_same(one: &str, other: &str) -> bool {
    const ENDINGS: [&str; 16] = [
        "", "e", "s", "es", "d", "ed", "er", "ing", "al", "ment", "ion", "ation", "ption", "ions", "ments",
        "als",
    ];
    const LETTERS_MIN: usize = 3;
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let stem = short.strip_suffix('e').unwrap_or(short);
    let ends = |stem: &str| long.strip_prefix(stem).is_some_and(|rest| ENDINGS.contains(&rest));
    // `cancel`, `cancelled`: the last letter may be doubled.
    let doubled = || stem.chars().next_back().is_some_and(|last| ends(&format!("{stem}{last}")));
    short.chars().count() >= LETTERS_MIN && (ends(short) || ends(stem) || doubled()) || one == other
}

#[cfg(test)]
#[path = "serves_tests.rs"]
mod tests;
