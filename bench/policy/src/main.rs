//! Ten typical rules on one ready context, compiled before: ours beside five other engines.
//!
//! `cargo run --release` prints the table of `README.md`. Nothing here is a test; machines differ.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_policy::{CONTEXT, FIRED, RULES};

/// Short batches, many of them: most fit between two interruptions of a busy machine, and the median ignores the rest.
const BATCHES: usize = 3_000;
const BATCH: u32 = 100;

/// One engine: what it is called, whether its numbers are exact, and one judgement of all ten rules.
struct Engine {
    name: &'static str,
    numbers: &'static str,
    judge: Box<dyn FnMut() -> usize>,
    times: Vec<Duration>,
}

impl Engine {
    fn new(name: &'static str, numbers: &'static str, judge: impl FnMut() -> usize + 'static) -> Self {
        Self { name, numbers, judge: Box::new(judge), times: Vec::new() }
    }

    fn batch(&mut self) {
        let started = Instant::now();
        for _ in 0..BATCH {
            black_box((self.judge)());
        }
        self.times.push(started.elapsed() / BATCH);
    }

    /// Best and median.
    fn summary(&self) -> (Duration, Duration) {
        let mut times = self.times.clone();
        times.sort();
        (times[0], times[times.len() / 2])
    }
}

fn main() {
    let mut engines =
        vec![ours_verdict(), ours_result(), ours_rendered(), zen(), evalexpr(), cel(), regorus(), cedar()];
    for engine in &mut engines {
        let fired = (engine.judge)();
        assert!(fired == FIRED || fired == usize::MAX, "{}: {fired} rules fired, not {FIRED}", engine.name);
    }
    // In turns, so that a busy moment of the machine falls on all of them; the first batches only warm up.
    for turn in 0..BATCHES / 10 {
        for engine in &mut engines {
            (0..10).for_each(|_| engine.batch());
            if turn == 0 {
                engine.times.clear();
            }
        }
    }
    let others = engines.iter().skip(3).map(|engine| engine.summary().1).min().unwrap_or_default();
    println!(
        "ten rules, one ready context, compiled before; {BATCHES} batches of {BATCH} judgements; {FIRED} rules fire\n"
    );
    println!("| engine | numbers | µs, median | µs, best | fastest other ÷ this |");
    println!("|---|---|---:|---:|---:|");
    for engine in &engines {
        let (best, median) = engine.summary();
        let ratio = others.as_secs_f64() / median.as_secs_f64();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "| {} | {} | {:.3} | {:.3} | {ratio:.2} |",
            engine.name,
            engine.numbers,
            micros(median),
            micros(best)
        );
    }
}

fn context() -> serde_json::Value {
    serde_json::from_str(CONTEXT).unwrap()
}

fn ours() -> purple_policy::Bound {
    let actions = ["require_approval", "escalate", "block"];
    let rules: Vec<serde_json::Value> = RULES
        .iter()
        .enumerate()
        .map(|(index, rule)| serde_json::json!({"condition": rule.ours, "action": actions[index % 3], "level": "finance"}))
        .collect();
    let json = serde_json::json!({"rules": rules, "context": context()}).to_string();
    let document = purple_policy::PolicyDocument::parse(&json, purple_policy::Authority::Operator).unwrap();
    document.bind(&purple_policy::Facts::new())
}

fn ours_verdict() -> Engine {
    let bound = ours();
    Engine::new("**purple-policy, verdict alone**", "exact", move || {
        let verdict = black_box(&bound).verdict(&purple_policy::Subject::default());
        assert!(black_box(verdict).is_some());
        usize::MAX
    })
}

fn ours_result() -> Engine {
    let bound = ours();
    Engine::new("**purple-policy, full result**", "exact", move || {
        let judgement = black_box(&bound).judge(&purple_policy::Subject::default());
        black_box(&judgement).triggered_rules().count()
    })
}

fn ours_rendered() -> Engine {
    let bound = ours();
    Engine::new("purple-policy, result written as JSON", "exact", move || {
        let judgement = black_box(&bound).judge(&purple_policy::Subject::default());
        black_box(serde_json::to_string(&judgement).unwrap());
        judgement.triggered_rules().count()
    })
}

fn zen() -> Engine {
    use zen_expression::variable::Variable;
    let rules: Vec<_> =
        RULES.iter().map(|rule| zen_expression::compile_expression(rule.zen).unwrap()).collect();
    let scope = zen_expression::scope::Scope::new(Variable::from(context()));
    let mut vm = zen_expression::vm::VM::new();
    Engine::new("zen-expression 2.1", "exact, 28 digits", move || {
        rules
            .iter()
            .filter(|rule| rule.evaluate_with_scope(black_box(&scope), &mut vm).unwrap().as_bool().unwrap())
            .count()
    })
}

fn evalexpr() -> Engine {
    use evalexpr::{ContextWithMutableVariables, DefaultNumericTypes, HashMapContext, Node, Value};
    let rules: Vec<Node<DefaultNumericTypes>> =
        RULES.iter().map(|rule| evalexpr::build_operator_tree(rule.evalexpr).unwrap()).collect();
    let mut names: HashMapContext<DefaultNumericTypes> = HashMapContext::new();
    let mut set = |name: &str, json: &serde_json::Value| {
        let value = match json {
            serde_json::Value::Bool(truth) => Value::Boolean(*truth),
            serde_json::Value::String(text) => Value::String(text.clone()),
            other => Value::Float(other.to_string().parse().unwrap()),
        };
        names.set_value(name.to_owned(), value).unwrap();
    };
    for (name, json) in context().as_object().unwrap() {
        match json {
            serde_json::Value::Object(fields) => set("vendor_approved", &fields["approved"]),
            other => set(name, other),
        }
    }
    Engine::new("evalexpr 13.1", "64-bit floats", move || {
        rules.iter().filter(|rule| rule.eval_boolean_with_context(black_box(&names)).unwrap()).count()
    })
}

fn cel() -> Engine {
    let rules: Vec<_> = RULES.iter().map(|rule| cel::Program::compile(rule.cel).unwrap()).collect();
    let mut names = cel::Context::default();
    for (name, json) in context().as_object().unwrap() {
        match json {
            serde_json::Value::Number(number) => {
                names.add_variable_from_value(name.as_str(), number.to_string().parse::<f64>().unwrap());
            }
            serde_json::Value::Bool(truth) => names.add_variable_from_value(name.as_str(), *truth),
            serde_json::Value::String(text) => names.add_variable_from_value(name.as_str(), text.clone()),
            _ => names.add_variable_from_value(
                name.as_str(),
                std::collections::HashMap::from([("approved", true)]),
            ),
        }
    }
    Engine::new("cel 0.15", "64-bit floats", move || {
        rules.iter().filter(|rule| rule.execute(black_box(&names)).unwrap() == cel::Value::Bool(true)).count()
    })
}

fn regorus() -> Engine {
    use regorus::languages::rego::compiler::Compiler;
    let mut rego = String::from("package policy\nimport rego.v1\n");
    for (index, rule) in RULES.iter().enumerate() {
        rego.push_str(&format!("fired contains {index} if {{ {} }}\n", rule.rego));
    }
    let mut engine = regorus::Engine::new();
    engine.add_policy("policy.rego".to_owned(), rego).unwrap();
    let entry = "data.policy.fired";
    let compiled = engine.compile_with_entrypoint(&entry.into()).unwrap();
    let program = Compiler::compile_from_policy(&compiled, &[entry]).unwrap();
    let mut vm = regorus::rvm::RegoVM::new();
    vm.load_program(program);
    let input = regorus::Value::from_json_str(CONTEXT).unwrap();
    Engine::new("regorus 0.14", "64-bit floats", move || {
        vm.set_input(black_box(input.clone()));
        vm.execute().unwrap().as_set().unwrap().len()
    })
}

fn cedar() -> Engine {
    use cedar_policy::{Authorizer, Context, Entities, PolicySet, Request};
    let mut text = String::new();
    for rule in &RULES {
        text.push_str(&format!("forbid(principal, action, resource) when {{ {} }};\n", rule.cedar));
    }
    let policies: PolicySet = text.parse().unwrap();
    let decimals = ["amount", "variance_percent", "balance"];
    let mut json = context();
    for (name, value) in json.as_object_mut().unwrap() {
        if decimals.contains(&name.as_str()) {
            // Cedar's decimals have four digits after the point at most.
            let text = value.to_string();
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
            let fraction = &fraction[..fraction.len().min(4)];
            *value = serde_json::json!({"__extn": {"fn": "decimal", "arg": format!("{whole}.{fraction}")}});
        }
    }
    let context = Context::from_json_value(json, None).unwrap();
    let one = |name: &str| name.parse::<cedar_policy::EntityUid>().unwrap();
    let request =
        Request::new(one("User::\"a\""), one("Action::\"pay\""), one("Invoice::\"i\""), context, None)
            .unwrap();
    let (authorizer, entities) = (Authorizer::new(), Entities::empty());
    Engine::new("cedar-policy 4.14", "exact, four decimals", move || {
        let answer = authorizer.is_authorized(black_box(&request), &policies, &entities);
        answer.diagnostics().reason().count()
    })
}
