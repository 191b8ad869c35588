//! Two opinions: a slow evaluator, written from the specification on its own tree and big rationals, must agree with
//! the compiled one on generated expressions, rules and contexts.
//!
//! The generator makes a tree and prints it, so that tokens, parser, checker, compiler and evaluator are all under test.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

#[path = "reference/evaluate.rs"]
mod evaluate;
#[path = "reference/generate.rs"]
mod generate;
#[path = "reference/print.rs"]
mod print;
#[path = "reference/random.rs"]
mod random;
#[path = "reference/tree.rs"]
mod tree;

use evaluate::{No, Reference};
use generate::{Generator, Want};
use num_bigint::BigInt;
use num_rational::BigRational;
use print::{Printed, print};
use purple_policy::{
    Authority, Code, Condition, Currency, Diagnostic, Exact, Expression, Facts, Judged, PolicyDocument,
    Scope, Source, Subject, Unevaluable, Unread, Value, Verdict,
};
use tree::{Context, E, V};

const SEED: u64 = 20_260_131;
const EXPRESSIONS: usize = 10_500;
const CONTEXTS_EACH: usize = 12;
const CONTEXTS: usize = 400;
const DOCUMENTS: usize = 1_500;

#[derive(Default, Debug)]
struct Counts {
    walked: usize,
    fired: usize,
    silent: usize,
    valued: usize,
    unevaluable: usize,
    refused: usize,
}

#[test]
fn the_reference_agrees_on_a_hundred_thousand_expressions_and_contexts() {
    let mut generator = Generator::seeded(SEED);
    let contexts = contexts(&mut generator);
    let mut counts = Counts::default();
    for number in 0..EXPRESSIONS {
        let is_condition = number % 4 != 0;
        let wants = [Want::Number, Want::Money, Want::Percent, Want::Text];
        let want = if is_condition { Want::Bool } else { generator.random.pick(&wants) };
        let expr = generator.expression(want, 1 + number % 4);
        let printed = print(&expr, &mut generator.random);
        if is_condition {
            match Condition::compile(&printed.text, &Scope::open()) {
                Ok(condition) => {
                    for _ in 0..CONTEXTS_EACH {
                        let (context, facts) = &contexts[generator.random.below(CONTEXTS)];
                        compare_condition(&condition, &expr, context, facts, &mut counts);
                    }
                }
                Err(wrong) => check_refusal(&printed, &wrong[0], &contexts, &mut counts),
            }
        } else {
            match Expression::compile(&printed.text, &Scope::open()) {
                Ok(expression) => {
                    for _ in 0..CONTEXTS_EACH {
                        let (context, facts) = &contexts[generator.random.below(CONTEXTS)];
                        compare_value(&expression, &expr, context, facts, &mut counts);
                    }
                }
                Err(wrong) => check_refusal(&printed, &wrong[0], &contexts, &mut counts),
            }
        }
    }
    println!("seed {SEED}: {counts:?}");
    assert!(counts.walked >= 100_000, "only {} were walked", counts.walked);
    for (what, count) in [
        ("fired", counts.fired),
        ("silent", counts.silent),
        ("had a value", counts.valued),
        ("were unevaluable", counts.unevaluable),
    ] {
        assert!(count > counts.walked / 20, "only {count} {what}: the generator is lopsided");
    }
    assert!(counts.refused < EXPRESSIONS / 4, "{} refused: the generator is too wild", counts.refused);
}

#[test]
fn the_reference_agrees_on_the_verdict_of_documents() {
    let mut generator = Generator::seeded(SEED + 1);
    let contexts = contexts(&mut generator);
    let mut judged = [0; 5];
    for number in 0..DOCUMENTS {
        let mut rules = Vec::new();
        let mut json = Vec::new();
        for _ in 0..1 + number % 5 {
            let expr = generator.expression(Want::Bool, 1 + number % 3);
            let source = print(&expr, &mut generator.random).text;
            if Condition::compile(&source, &Scope::open()).is_ok() {
                let action = generator.random.pick(&Verdict::ALL);
                json.push(serde_json::json!({"condition": source, "action": action.as_str()}));
                rules.push((expr, action));
            }
        }
        let authority = generator.random.pick(&[Authority::Operator, Authority::Process, Authority::Request]);
        let text = serde_json::json!({"rules": json}).to_string();
        let document = PolicyDocument::parse(&text, authority).unwrap();
        for _ in 0..4 {
            let (context, facts) = &contexts[generator.random.below(CONTEXTS)];
            let reference = Reference { context };
            let expected = rules
                .iter()
                .filter_map(|(expr, action)| match (reference.truth(expr), *action) {
                    (Ok(truth), action) => truth.then_some(action),
                    (Err(_), Verdict::Allow) => None,
                    (Err(_), Verdict::RequireApproval | Verdict::Escalate | Verdict::Block) => {
                        Some(Verdict::RequireApproval)
                    }
                })
                .filter(|action| *action != Verdict::Allow || authority != Authority::Request)
                .max();
            let bound = document.bind(facts);
            assert_eq!(bound.verdict(&Subject::default()), expected, "{text}\n{context:?}");
            assert_eq!(bound.judge(&Subject::default()).verdict(), expected, "{text}\n{context:?}");
            judged[expected.map_or(0, |verdict| verdict as usize + 1)] += 1;
        }
    }
    println!("seed {}: none, allow, require_approval, escalate, block: {judged:?}", SEED + 1);
    assert!(judged.iter().all(|count| *count > 100), "{judged:?}");
}

fn contexts(generator: &mut Generator) -> Vec<(Context, Facts)> {
    (0..CONTEXTS)
        .map(|_| {
            let context = generator.context();
            let facts = to_facts(&context);
            (context, facts)
        })
        .collect()
}

fn compare_condition(condition: &Condition, expr: &E, context: &Context, facts: &Facts, counts: &mut Counts) {
    let expected = Reference { context }.truth(expr);
    let judged = condition.judge(facts);
    let agree = match (&expected, &judged) {
        (Ok(true), Judged::Fires) | (Ok(false), Judged::Silent) => true,
        (Err(no), Judged::Unevaluable(reason)) => is_absence(reason) == (*no == No::Absent),
        _ => false,
    };
    assert!(
        agree,
        "{}\nreference {expected:?}, ours {judged:?}\n{context:?}",
        condition.expression().source()
    );
    counts.walked += 1;
    match judged {
        Judged::Fires => counts.fired += 1,
        Judged::Silent => counts.silent += 1,
        Judged::Unevaluable(_) => counts.unevaluable += 1,
    }
}

fn compare_value(expression: &Expression, expr: &E, context: &Context, facts: &Facts, counts: &mut Counts) {
    let expected = Reference { context }.evaluate(expr);
    let value = expression.evaluate(facts);
    let agree = match (&expected, &value) {
        (Ok(expected), Ok(value)) => to_value(expected) == *value,
        (Err(no), Err(reason)) => is_absence(reason) == (*no == No::Absent),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    };
    assert!(agree, "{}\nreference {expected:?}, ours {value:?}\n{context:?}", expression.source());
    counts.walked += 1;
    match value {
        Ok(_) => counts.valued += 1,
        Err(_) => counts.unevaluable += 1,
    }
}

fn is_absence(reason: &purple_policy::Unevaluable) -> bool {
    use purple_policy::Unevaluable::{Empty, Missing, Null};
    matches!(reason, Missing { .. } | Null { .. } | Empty { .. })
}

/// What the checker refuses must be something that has a value in no context, in the reference's opinion.
fn check_refusal(
    printed: &Printed<'_>,
    wrong: &Diagnostic,
    contexts: &[(Context, Facts)],
    counts: &mut Counts,
) {
    counts.refused += 1;
    // Refused although it has a value: branches of two kinds, and ranges that hold nothing.
    if wrong.message().contains("where the other value is") || wrong.code() == Code::BadArgument {
        return;
    }
    let allowed = [Code::Kinds, Code::Currencies, Code::NeverEvaluable, Code::NotBoolean];
    assert!(allowed.contains(&wrong.code()), "{}\n{wrong}", printed.text);
    if wrong.code() == Code::NotBoolean {
        return;
    }
    // The part that is underlined, or those just around it.
    let around: Vec<&E> = printed
        .parts
        .iter()
        .filter(|(place, _)| place.start <= wrong.span().start && wrong.span().end <= place.end)
        .map(|(_, part)| *part)
        .take(3)
        .collect();
    let rows_in_sight = around.iter().any(|part| names_a_row(part));
    let wants_truth = wrong.message().contains("needs true or false");
    let never = |part: &E| {
        contexts.iter().all(|(context, _)| {
            let reference = Reference { context };
            reference.evaluate(part).is_err() || wants_truth && reference.truth(part).is_err()
        })
    };
    // In a list or a range it is enough that one pair can never be compared.
    let never_paired = |part: &E| pairs(part).iter().any(never);
    let justified = around.iter().any(|part| never(part) || never_paired(part));
    assert!(rows_in_sight || justified, "refused without need: {}\n{wrong}", printed.text);
}

/// The comparisons that a membership stands for.
fn pairs(expr: &E) -> Vec<E> {
    match expr {
        E::In(needle, list) => {
            let items = if let E::List(items) = &**list { items.clone() } else { vec![(**list).clone()] };
            items.into_iter().map(|item| E::Compare("==", needle.clone(), Box::new(item))).collect()
        }
        E::Within(needle, low, high, ..) => [(needle, low), (needle, high), (low, high)]
            .into_iter()
            .map(|(a, b)| E::Compare("<=", a.clone(), b.clone()))
            .collect(),
        _ => Vec::new(),
    }
}

/// A part that stands inside a row function cannot be evaluated on its own.
fn names_a_row(expr: &E) -> bool {
    match expr {
        E::Name(name) => {
            name.starts_with("row.") || name.starts_with('r') && name[1..].starts_with(char::is_numeric)
        }
        other => other.children().into_iter().any(names_a_row),
    }
}

fn to_facts(context: &Context) -> Facts {
    let mut facts = Facts::new();
    for (name, told) in context {
        if told.is_empty() {
            let how = Unread::Failed;
            facts.doubt(Source::Read, name.as_str(), Unevaluable::Unread { name: name.clone(), how });
        }
        for (value, source) in told.iter().zip([Source::Read, Source::Input]) {
            facts.set(source, name.as_str(), to_value(value));
        }
    }
    facts
}

fn to_value(value: &V) -> Value {
    match value {
        V::Null => Value::Null,
        V::Bool(truth) => Value::Bool(*truth),
        V::Number(number) => Value::Number(to_exact(number)),
        V::Percent(number) => Value::Percent(to_exact(number)),
        V::Money(amount, code) => {
            Value::Money { amount: to_exact(amount), currency: Currency::parse(code).unwrap() }
        }
        V::Text(text) => Value::text(text.as_str()),
        V::Date(year, month, day) => {
            let part = |number: &i64| i8::try_from(*number).unwrap();
            Value::Date(jiff::civil::date(i16::try_from(*year).unwrap(), part(month), part(day)))
        }
        V::List(items) => Value::list(items.iter().map(to_value)),
        V::Record(fields) => {
            Value::record(fields.iter().map(|(name, field)| (name.as_str(), to_value(field))))
        }
    }
}

fn to_exact(number: &BigRational) -> Exact {
    whole(number.numer()).over(&whole(number.denom())).unwrap()
}

/// Put together from parts, because no more than sixty digits are read at once.
fn whole(number: &BigInt) -> Exact {
    let scale = BigInt::from(10).pow(50);
    if number.bits() < 190 {
        return Exact::parse(&number.to_string()).unwrap();
    }
    let (high, low) = (number / &scale, number % &scale);
    whole(&high).times(&Exact::parse(&scale.to_string()).unwrap()).unwrap().plus(&whole(&low)).unwrap()
}
