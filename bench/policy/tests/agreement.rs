//! Where the two languages overlap, `zen-expression` must agree: decimals, texts, logic, `in`, ranges.
//!
//! Left out is what differs on purpose: missing names, null, kinds that do not match, and quotients without a finite
//! decimal form, which are exact here and rounded there.

use purple_policy::{Condition, Facts, Judged, Scope, Source, Value};
use zen_expression::variable::Variable;

const CASES: usize = 100_000;
const SEED: u64 = 447;

#[test]
fn zen_expression_agrees_where_the_languages_overlap() {
    let mut random = Random(SEED);
    let (mut fired, mut silent) = (0_usize, 0_usize);
    for case in 0..CASES {
        let names = random.context();
        let (ours, zen) = random.condition(1 + case % 3);
        let condition =
            Condition::compile(&ours, &Scope::open()).unwrap_or_else(|wrong| panic!("{}", wrong[0]));
        let mut facts = Facts::new();
        for (name, json) in names.as_object().unwrap() {
            facts.set(Source::Read, name.as_str(), Value::from_json(json).unwrap());
        }
        let told = zen_expression::evaluate_expression(&zen, Variable::from(names.clone()))
            .unwrap_or_else(|error| panic!("{zen}: {error:?}"));
        let told = told.as_bool().unwrap_or_else(|| panic!("{zen} is {told:?}"));
        match condition.judge(&facts) {
            Judged::Fires => fired += 1,
            Judged::Silent => silent += 1,
            Judged::Unevaluable(reason) => panic!("{ours}: {reason}\n{names}"),
        }
        assert_eq!(condition.judge(&facts) == Judged::Fires, told, "\nours {ours}\nzen {zen}\n{names}");
    }
    println!("seed {SEED}: {CASES} conditions agreed, {fired} fired, {silent} silent");
    assert!(fired > CASES / 10 && silent > CASES / 10);
}

/// SplitMix64, and the two sources of one condition.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    fn context(&mut self) -> serde_json::Value {
        let number =
            |random: &mut Self| serde_json::from_str::<serde_json::Value>(random.pick(NUMBERS)).unwrap();
        serde_json::json!({
            "amount": number(self), "limit": number(self), "order": {"total": number(self)},
            "status": self.pick(TEXTS), "urgent": self.below(2) == 0,
        })
    }

    /// The same condition in both languages.
    fn condition(&mut self, depth: usize) -> (String, String) {
        if depth == 0 {
            return self.comparison(0);
        }
        match self.below(6) {
            0 => {
                let (ours, zen) = self.condition(depth - 1);
                (format!("!({ours})"), format!("not ({zen})"))
            }
            1 => self.joined("&&", "and", depth),
            2 => self.joined("||", "or", depth),
            _ => self.comparison(depth),
        }
    }

    fn joined(&mut self, ours: &str, zen: &str, depth: usize) -> (String, String) {
        let parts: Vec<(String, String)> =
            (0..2 + self.below(2)).map(|_| self.condition(depth - 1)).collect();
        let join = |sign: &str, parts: Vec<String>| {
            parts.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(sign)
        };
        (
            join(&format!(" {ours} "), parts.iter().map(|part| part.0.clone()).collect()),
            join(&format!(" {zen} "), parts.iter().map(|part| part.1.clone()).collect()),
        )
    }

    fn comparison(&mut self, depth: usize) -> (String, String) {
        let same = |text: String| (text.clone(), text);
        match self.below(5) {
            0 => same("urgent".to_owned()),
            1 => {
                let sign = self.pick(&["==", "!="]);
                same(format!("status {sign} \"{}\"", self.pick(TEXTS)))
            }
            2 => same(format!("status in [\"{}\", \"{}\"]", self.pick(TEXTS), self.pick(TEXTS))),
            3 => {
                // The lower end first: an empty range is refused here.
                let (a, b) = (self.below(5_000), self.below(5_000) + 5_001);
                let (open, close) = (self.pick(&["[", "("]), self.pick(&["]", ")"]));
                same(format!("{} in {open}{a}..{b}{close}", self.number(depth)))
            }
            _ => {
                let sign = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                same(format!("{} {sign} {}", self.number(depth), self.number(depth)))
            }
        }
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(3) == 0 {
            return self
                .pick(&["amount", "limit", "order.total", "5000", "2.0", "0.1", "0.2", "7200.25"])
                .to_owned();
        }
        match self.below(5) {
            0 => format!("-({})", self.number(depth - 1)),
            1 => format!("({}) / {}", self.number(depth - 1), self.pick(&["2", "4", "5", "0.5"])),
            _ => {
                let sign = self.pick(&["+", "-", "*"]);
                format!("({}) {sign} ({})", self.number(depth - 1), self.number(depth - 1))
            }
        }
    }
}

const NUMBERS: &[&str] =
    &["0", "0.1", "0.2", "0.3", "2", "2.2265625", "4999.99", "5000", "5000.00", "5000.01", "-7.5", "7200"];
const TEXTS: &[&str] = &["active", "closed", "Active", "5000"];
