//! Texts about figures, right or with one error planted. One number makes one text.

#![allow(unreachable_pub, reason = "a part of several tests")]

mod prose;
mod signed;
mod words;

use purple_finance::{Exact, Rounding};

/// Lines that have figures and signs and claim nothing.
const NOISE: &[&str] = &[
    "Invoice INV-2024-447 of 2026-01-15 is open since 3 days.",
    "Call 555-123-4567 before 10:30, or +1 (555) 010-9999.",
    "See version 2.10.1 - 4 of the contract, pages 3-5.",
    "Tier 3 - 5 = 2%",
    "The ratio is 3:1, and the score 4/5 = good.",
    "The period 2024 - 2026 = 24 months.",
    "const total = rate * 3; if (n == 5 - 3) { n += 1; }",
    "https://example.com/?a=1-2=3&b=4",
    "Net 30 terms, 2/10 discount, due on 5/12/2026.",
    "Order #4471 has 12 lines; PO 4500-12 = 3 units.",
    "The limit is $10,000 per month, about 5% above last year.",
    "x + 5 - 3 = 10",
    "Opening hours from 9 to 5 are kept.",
    "- see the policy, section 4.2",
    "IP 10.0.0.1, port 8080, retry 3 x daily",
    "Between 3 and 5 people approve amounts over 50,000 EUR.",
    "Net 30 is 2.5%, and 85,000 at 12% is the rate.",
    "VAT on $5,000 is 20% of the net; order 4471 is 5 of 12.",
    "Revenue of 2024 increased by 10% is expected; Q3 2024 is 5% of it.",
    "Invoices: 447, 448, 449. Total: 700 pages.",
    "The average of 2023 and 2024 is 500 orders, less 3 than planned.",
    "Room 12 = 3 × 5 beds, and 2 weeks = 7 + 7 days.",
];

/// A small source of choices, so that one number makes one text.
struct Choices(u64);

impl Choices {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[usize::try_from(self.below(words.len() as u64)).unwrap()]
    }

    /// A positive number with up to so many decimals.
    fn number(&mut self, places: u8) -> Exact {
        let most = [90, 9_000, 2_000_000][usize::try_from(self.below(3)).unwrap()];
        let minor = i128::from(self.below(most) + 10);
        Exact::ratio(minor, 10i128.pow(places.into())).unwrap()
    }
}

/// How the figures of one statement are written.
#[derive(Clone)]
struct Style {
    before: &'static str,
    after: &'static str,
    grouped: bool,
    places: u8,
}

impl Style {
    fn choose(choices: &mut Choices) -> Self {
        let (before, after) = [("$", ""), ("", ""), ("€", ""), ("", " EUR"), ("USD ", ""), ("", " USD")]
            [usize::try_from(choices.below(6)).unwrap()];
        Self {
            before,
            after,
            grouped: choices.below(2) == 0,
            places: u8::try_from(choices.below(3)).unwrap(),
        }
    }

    fn money(&self, number: &Exact) -> String {
        let digits = plain(&number.magnitude(), self.places, self.grouped);
        let sign = if number.is_negative() { "-" } else { "" };
        format!("{sign}{}{digits}{}", self.before, self.after)
    }
}

fn plain(number: &Exact, places: u8, grouped: bool) -> String {
    let fixed = number.to_fixed(places, Rounding::Down);
    let (whole, fraction) = fixed.split_once('.').map_or((fixed.as_str(), None), |(w, f)| (w, Some(f)));
    let mut out = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if grouped && at > 0 && (whole.len() - at) % 3 == 0 && digit.is_ascii_digit() && !out.ends_with('-') {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// What a text claims: the true value as it would be shown, or one that no rounding gives.
fn claimed(choices: &mut Choices, exact: &Exact, places: u8, is_planted: bool) -> Exact {
    let rounding = [Rounding::HalfEven, Rounding::HalfUp][usize::try_from(choices.below(2)).unwrap()];
    let right = exact.rounded(places, rounding);
    if !is_planted {
        return right;
    }
    let unit = Exact::ratio(1, 10i128.pow(places.into())).unwrap();
    // A slip of the last digits, a lost or a doubled zero, two digits exchanged: two units apart at least.
    let slip = Exact::from(i64::try_from(choices.below(900) + 2).unwrap()).times(&unit).unwrap();
    let wrong = match choices.below(4) {
        0 if right.magnitude() > Exact::ONE => right.times(&Exact::from(10)).unwrap(),
        1 => right.minus(&slip).unwrap(),
        _ => right.plus(&slip).unwrap(),
    };
    // What would be below zero would be written, and read, in another way.
    if wrong.is_negative() == right.is_negative() { wrong } else { right.plus(&slip).unwrap() }
}

/// A statement in one of many forms, right or wrong.
fn statement(choices: &mut Choices, is_planted: bool) -> String {
    let style = Style::choose(choices);
    let (a, b, c) =
        (choices.number(style.places), choices.number(style.places), choices.number(style.places));
    let (high, low) = if a < b { (b.clone(), a.clone()) } else { (a.clone(), b.clone()) };
    let count = Exact::from(i64::try_from(choices.below(40) + 2).unwrap());
    let whole = count.to_string();
    let rate = Exact::ratio(i128::from(choices.below(400) + 1), 10).unwrap();
    let share = rate.over(&Exact::from(100)).unwrap();
    let equals = choices.pick(&["=", "=", "=", "equals", "is", "≈"]);
    let times = choices.pick(&["×", "x", "*"]);
    let minus = choices.pick(&["-", "−", "–"]);
    let places = if equals == "≈" { style.places.max(1) } else { style.places };
    let style_claim = Style { places, ..style.clone() };
    let claim = |exact: Exact, choices: &mut Choices| {
        style_claim.money(&claimed(choices, &exact, places, is_planted))
    };
    let m = |number: &Exact| style.money(number);
    match choices.below(13 + words::FORMS + signed::FORMS + prose::FORMS) {
        13.. => in_words(choices, is_planted),
        0 => format!("{} + {} {equals} {}", m(&a), m(&b), claim(a.plus(&b).unwrap(), choices)),
        1 => format!("{} {minus} {} = {}", m(&high), m(&low), claim(high.minus(&low).unwrap(), choices)),
        2 => format!("{whole} {times} {} {equals} {}", m(&a), claim(count.times(&a).unwrap(), choices)),
        3 => format!(
            "{} {} {whole} {equals} {}",
            m(&a),
            choices.pick(&["÷", "/"]),
            claim(a.over(&count).unwrap(), choices)
        ),
        4 => {
            let exact = high.plus(&c).unwrap().minus(&low).unwrap();
            format!("{} + {} {minus} {} = {}", m(&high), m(&c), m(&low), claim(exact, choices))
        }
        5 => {
            let exact = count.times(&count).unwrap().times(&a).unwrap();
            format!("{whole} {times} {whole} {times} {} = {}", m(&a), claim(exact, choices))
        }
        6 => {
            let sign = choices.pick(&["%", " %", " percent"]);
            let exact = share.times(&a).unwrap();
            format!("{}{sign} of {} {equals} {}", plain(&rate, 1, false), m(&a), claim(exact, choices))
        }
        7 => {
            let exact = a.plus(&b).unwrap().times(&count).unwrap();
            format!("({} + {}) {times} {whole} = {}", m(&a), m(&b), claim(exact, choices))
        }
        8 => {
            let mark = choices.pick(&["- ", "* ", "1. ", "• "]);
            let exact = a.plus(&b).unwrap().plus(&c).unwrap();
            let lines = [("Hosting", &a), ("Support INV-7", &b), ("Licences", &c)]
                .map(|(name, n)| format!("{mark}{name}: {}", m(n)));
            format!(
                "{}\n{}: {}",
                lines.join("\n"),
                choices.pick(&["Total", "**Total**", "Grand total"]),
                claim(exact, choices)
            )
        }
        9 => {
            let exact = a.plus(&b).unwrap().plus(&c).unwrap();
            let rows = [("a-1", &a), ("b 2026-01-02", &b), ("c", &c)]
                .map(|(name, n)| format!("| {name} | {} |", m(n)));
            format!(
                "| item | amount |\n|---|---:|\n{}\n| Total | {} |",
                rows.join("\n"),
                claim(exact, choices)
            )
        }
        10 => {
            let words = choices.pick(&["is an increase of", "means a rise of", "is a change of"]);
            format!("from {} to {} {words} {}", m(&low), m(&high), claim(high.minus(&low).unwrap(), choices))
        }
        11 => {
            let sign = choices.pick(&["+", "-"]);
            let part = a.times(&share).unwrap();
            let exact = if sign == "+" { a.plus(&part) } else { a.minus(&part) }.unwrap();
            format!("{} {sign} {}% = {}", m(&a), plain(&rate, 1, false), claim(exact, choices))
        }
        _ => {
            let exact = count.times(&a).unwrap();
            format!("{whole} hours {times} {}/hr = {}", m(&a), claim(exact, choices))
        }
    }
}

fn in_words(choices: &mut Choices, is_planted: bool) -> String {
    match choices.below(words::FORMS + signed::FORMS + prose::FORMS) {
        form if form < words::FORMS => words::statement(choices, is_planted),
        form if form < words::FORMS + signed::FORMS => signed::statement(choices, is_planted),
        _ => prose::statement(choices, is_planted),
    }
}

/// A text around one statement, with others that are right.
pub fn text(seed: u64, is_planted: bool) -> String {
    let mut choices = Choices(seed);
    let mut parts = Vec::new();
    let planted_at = choices.below(3);
    for at in 0..3 {
        for _ in 0..choices.below(3) {
            parts.push(choices.pick(NOISE).to_owned());
        }
        let stated = statement(&mut choices, is_planted && at == planted_at);
        let is_alone = stated.contains('\n');
        let lead = if is_alone {
            "\n"
        } else {
            choices.pick(&["", "So ", "We compute: ", "Credit: ", "(", "Therefore, "])
        };
        let tail = match lead {
            "(" => ")",
            _ if is_alone => "\n",
            _ => choices.pick(&["", ".", ", as agreed.", " (checked)", "; see above"]),
        };
        parts.push(format!("{lead}{stated}{tail}"));
    }
    parts.join("\n")
}
