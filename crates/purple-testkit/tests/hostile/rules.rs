//! A second reading of rules, for the judge alone: the few forms that the generated policies and files use.
//!
//! Written from the pages on the policy language and on process files. It shares no code with the product.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What a rule or a set of rules says about one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    Allow,
    Ask,
    Escalate,
    Block,
}

/// What a source says, and which role it wants to be asked; `None` is the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Says {
    pub(crate) word: Word,
    pub(crate) role: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Yes,
    No,
    Unknown,
    /// The operation does not say it, and something that was read may: the judge did not follow which record is meant.
    Open,
}

impl Truth {
    fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
            Self::Open => Self::Open,
        }
    }
}

/// A decimal number without floats: digits, and how many of them stand behind the point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal(i128, u32);

impl Decimal {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let has_point = digits.contains('.');
        if whole.is_empty() || !plain(whole) || !plain(part) || (has_point && part.is_empty()) {
            return None;
        }
        let all = format!("{whole}{part}");
        let number: i128 = (all.len() < 30).then(|| all.parse().ok())??;
        Some(Self(sign * number, u32::try_from(part.len()).ok()?))
    }

    fn scaled(self, to: u32) -> i128 {
        self.0 * 10_i128.pow(to - self.1)
    }

    pub(crate) fn compare(self, other: Self) -> std::cmp::Ordering {
        let scale = self.1.max(other.1);
        self.scaled(scale).cmp(&other.scaled(scale))
    }

    pub(crate) fn doubled(self) -> Self {
        Self(self.0 * 2, self.1)
    }
}

/// A value as conditions see it.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    Money(Decimal, String),
    Number(Decimal),
    Text(String),
    Null,
    /// Known, and nothing that these conditions can compare.
    Other,
}

pub(crate) fn seen(value: &Value) -> Seen {
    match value {
        Value::Null => Seen::Null,
        Value::Bool(_) | Value::Array(_) => Seen::Other,
        Value::Number(number) => Decimal::read(&number.to_string()).map_or(Seen::Other, Seen::Number),
        Value::String(text) => {
            money(text).map_or_else(|| Seen::Text(text.clone()), |(it, of)| Seen::Money(it, of))
        }
        Value::Object(fields) => {
            let amount = fields.get("amount").map(|amount| match amount {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            match (amount.as_deref().and_then(Decimal::read), fields.get("currency").and_then(Value::as_str))
            {
                (Some(amount), Some(currency)) if fields.len() == 2 => {
                    Seen::Money(amount, currency.to_owned())
                }
                _ => Seen::Other,
            }
        }
    }
}

/// `12.50 USD`.
pub(crate) fn money(text: &str) -> Option<(Decimal, String)> {
    let (number, currency) = text.split_once(' ')?;
    let code = currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase());
    Some((Decimal::read(number).filter(|_| code)?, currency.to_owned()))
}

type Names<'a> = BTreeMap<&'a str, &'a Value>;

/// Reads one condition and says whether it holds.
struct Reader<'a> {
    words: Vec<&'a str>,
    at: usize,
    names: &'a Names<'a>,
    /// The names of everything that was read.
    read: &'a BTreeSet<String>,
}

fn holds(condition: &str, names: &Names<'_>, read: &BTreeSet<String>) -> Truth {
    let words = words(condition);
    let mut reader = Reader { words, at: 0, names, read };
    let truth = reader.either();
    assert_eq!(reader.at, reader.words.len(), "the judge cannot read `{condition}`");
    truth
}

/// Splits a condition: texts in quotes, names and numbers, signs.
fn words(condition: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = condition.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if first == '"' {
            rest[1..].find('"').map(|at| at + 2).unwrap()
        } else if first.is_ascii_alphanumeric() || first == '_' {
            rest.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_' && sign != '.')
                .unwrap_or(rest.len())
        } else if ["&&", "||", ">=", "<=", "==", "!="].iter().any(|sign| rest.starts_with(sign)) {
            2
        } else {
            1
        };
        let (word, more) = rest.split_at(end);
        words.push(word);
        rest = more.trim_start();
    }
    words
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> &'a str {
        self.at += 1;
        self.words[self.at - 1]
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_next = self.words.get(self.at) == Some(&word);
        self.at += usize::from(is_next);
        is_next
    }

    fn either(&mut self) -> Truth {
        let mut all = vec![self.both()];
        while self.takes("||") {
            all.push(self.both());
        }
        any_of(&all)
    }

    fn both(&mut self) -> Truth {
        let mut all = vec![self.one()];
        while self.takes("&&") {
            all.push(self.one());
        }
        if all.contains(&Truth::No) {
            Truth::No
        } else if all.contains(&Truth::Open) {
            Truth::Open
        } else if all.contains(&Truth::Unknown) {
            Truth::Unknown
        } else {
            Truth::Yes
        }
    }

    fn one(&mut self) -> Truth {
        if self.takes("!") {
            return self.one().not();
        }
        if self.takes("(") {
            let inside = self.either();
            assert!(self.takes(")"));
            return inside;
        }
        if self.takes("exists") {
            assert!(self.takes("("));
            let name = self.next();
            assert!(self.takes(")"));
            return match self.names.get(name) {
                None if self.read.contains(name) => Truth::Open,
                value => Truth::of(value.is_some_and(|value| !value.is_null())),
            };
        }
        let (name, sign) = (self.next(), self.next());
        let left = self.names.get(name).map(|value| seen(value));
        let is_open = left.is_none() && self.read.contains(name);
        if sign == "in" {
            assert!(self.takes("["));
            let mut any = Vec::new();
            while !self.takes("]") {
                let right = self.literal();
                any.push(compared(left.as_ref(), "==", &right));
                self.takes(",");
            }
            return if is_open { Truth::Open } else { any_of(&any) };
        }
        let right = self.literal();
        if is_open { Truth::Open } else { compared(left.as_ref(), sign, &right) }
    }

    fn literal(&mut self) -> Seen {
        let word = self.next();
        if let Some(text) = word.strip_prefix('"') {
            return Seen::Text(text.trim_end_matches('"').to_owned());
        }
        let number = Decimal::read(word).unwrap();
        match self.words.get(self.at) {
            Some(code) if code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                self.at += 1;
                Seen::Money(number, (*code).to_owned())
            }
            _ => Seen::Number(number),
        }
    }
}

fn any_of(all: &[Truth]) -> Truth {
    let order = [Truth::Yes, Truth::Open, Truth::Unknown];
    order.into_iter().find(|truth| all.contains(truth)).unwrap_or(Truth::No)
}

fn compared(left: Option<&Seen>, sign: &str, right: &Seen) -> Truth {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ordered = |order: std::cmp::Ordering| {
        Truth::of(match sign {
            ">" => order == Greater,
            ">=" => order != Less,
            "<" => order == Less,
            "<=" => order != Greater,
            "==" => order == Equal,
            "!=" => order != Equal,
            other => unreachable!("the judge does not know `{other}`"),
        })
    };
    match (left, right) {
        (Some(Seen::Money(one, of)), Seen::Money(two, other)) if of == other => ordered(one.compare(*two)),
        (Some(Seen::Number(one)), Seen::Number(two)) => ordered(one.compare(*two)),
        (Some(Seen::Text(one)), Seen::Text(two)) if sign == "==" => Truth::of(one == two),
        (Some(Seen::Text(one)), Seen::Text(two)) if sign == "!=" => Truth::of(one != two),
        // Missing, null, of another kind or another currency.
        _ => Truth::Unknown,
    }
}

/// One operation as rules see it.
pub(crate) struct Deed<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Value,
    pub(crate) task: &'a str,
    /// The names of everything that the business told before.
    pub(crate) read: &'a BTreeSet<String>,
}

impl Deed<'_> {
    fn names(&self) -> Names<'_> {
        self.arguments.as_object().unwrap().iter().map(|(name, value)| (name.as_str(), value)).collect()
    }
}

/// Lower-case words of a text, letters and digits only.
fn plain_words(text: &str) -> Vec<String> {
    let split = text.split(|sign: char| !sign.is_alphanumeric());
    split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a text has these words, one after the other.
pub(crate) fn mentions(text: &str, keyword: &str) -> bool {
    let (text, keyword) = (plain_words(text), plain_words(keyword));
    text.windows(keyword.len().max(1)).any(|window| window == keyword)
}

/// Instead of a role: the judge does not follow which record a rule means, so it knows neither what the rules say nor whom
/// they ask.
pub(crate) const OPEN: &str = "@open";

/// Instead of a role: who asked for the work confirms it.
pub(crate) const REQUESTER: &str = "@requester";

/// What a policy document says about an operation. Only the operator's can allow.
pub(crate) fn policy_says(
    document: &str,
    deed: &Deed<'_>,
    levels: &BTreeMap<String, String>,
    may_allow: bool,
) -> Option<Says> {
    const LEVELS: [&str; 7] = ["manager", "hr", "finance", "committee", "legal", "cfo", "ciso"];
    let document: Value = serde_json::from_str(document).unwrap();
    let names = deed.names();
    let mut said: Option<Word> = None;
    let mut level: Option<usize> = None;
    let (mut allowed, mut confirmed, mut asked) = (false, false, false);
    for rule in document["rules"].as_array().unwrap() {
        let word = if let Some(condition) = rule["condition"].as_str() {
            let word = match rule["action"].as_str().unwrap() {
                "allow" => Word::Allow,
                "require_approval" => Word::Ask,
                "escalate" => Word::Escalate,
                "block" => Word::Block,
                other => unreachable!("{other}"),
            };
            match holds(condition, &names, deed.read) {
                Truth::Yes => word,
                // What cannot be evaluated demands a person, whatever it would say.
                Truth::Unknown if word > Word::Allow => Word::Ask,
                Truth::Unknown | Truth::No => continue,
                Truth::Open => return Some(Says { word: Word::Allow, role: Some(OPEN.to_owned()) }),
            }
        } else if let Some(keywords) = rule["keywords"].as_array() {
            let texts = [deed.task, deed.tool, &deed.arguments.to_string()];
            let found =
                keywords.iter().any(|word| texts.iter().any(|text| mentions(text, word.as_str().unwrap())));
            if !found {
                continue;
            }
            Word::Block
        } else if rule["tool"] == deed.tool {
            // Only `confirm_with_user` is named in these documents, and what it answers grants nothing.
            confirmed = true;
            Word::Ask
        } else {
            continue;
        };
        allowed |= word == Word::Allow;
        asked |= word == Word::Ask && rule.get("require_before").is_none();
        if word > Word::Allow
            && let Some(of) = rule["level"].as_str()
        {
            level = level.max(LEVELS.iter().position(|level| *level == of));
        }
        if word > Word::Allow || may_allow {
            said = said.max(Some(word));
        }
    }
    match document["default_action"].as_str() {
        Some("deny") if !allowed => said = Some(Word::Block),
        Some("allow") if said.is_none() && may_allow => said = Some(Word::Allow),
        Some(_) | None => {}
    }
    let role = match level {
        Some(at) => levels.get(LEVELS[at]).cloned(),
        None => (confirmed && !asked).then(|| REQUESTER.to_owned()),
    };
    said.map(|word| Says { word, role })
}

/// The words that point to a process file.
pub(crate) fn keywords(file: &str) -> impl Iterator<Item = &str> {
    let list = file.lines().find_map(|line| line.strip_prefix("keywords: [")).unwrap_or_default();
    list.trim_end_matches(']').split(", ").filter(|word| !word.is_empty())
}

/// What the rules of a process file say about an operation that a model proposes: the first that holds, and whomever
/// those demand that could not be evaluated before it.
pub(crate) fn file_says(file: &str, deed: &Deed<'_>) -> Vec<Says> {
    let names = deed.names();
    let mut said = Vec::new();
    for line in file.lines().filter_map(|line| line.trim().strip_prefix("- {rule: ")) {
        let condition = line.split_once("if: '").map(|(_, rest)| rest.split_once('\'').unwrap().0);
        let truth = condition.map_or(Truth::Yes, |condition| holds(condition, &names, deed.read));
        let behind = condition.map_or(line, |_| line.rsplit_once('\'').unwrap().1);
        let role = behind.split_once("ask: ").map(|(_, rest)| rest.trim_end_matches('}').trim().to_owned());
        let word = match role.as_deref() {
            _ if behind.contains("outcome: stop") => Word::Block,
            _ if behind.contains("outcome: escalate") => Word::Escalate,
            Some("nobody") => Word::Allow,
            Some(_) => Word::Ask,
            None => unreachable!("the judge cannot read `{line}`"),
        };
        match (truth, word) {
            (Truth::No, _) => {}
            (Truth::Open, _) => return vec![Says { word: Word::Allow, role: Some(OPEN.to_owned()) }],
            (Truth::Unknown, Word::Allow) => {}
            (Truth::Unknown, Word::Ask) => said.push(Says { word, role }),
            // Whether it forbids or hands over could not be checked: the owner is asked.
            (Truth::Unknown, Word::Escalate | Word::Block) => said.push(Says { word: Word::Ask, role: None }),
            (Truth::Yes, _) => {
                said.push(Says { word, role: role.filter(|_| word == Word::Ask) });
                return said;
            }
        }
    }
    said
}

#[test]
fn the_judge_reads_rules_as_the_pages_say() {
    let args: Value = serde_json::from_str(
        r#"{"amount": "12.50 USD", "system": "Slack", "n": 1e2, "other": 100, "record": {"amount": 5, "currency": "EUR"}}"#,
    )
    .unwrap();
    let (nothing, read) = (BTreeSet::new(), BTreeSet::from(["status".to_owned()]));
    let pay = Deed { tool: "pay", arguments: &args, task: "", read: &read };
    let names = pay.names();
    let truth = |condition: &str| holds(condition, &names, &read);
    assert_eq!(truth("amount > 12 USD && system == \"Slack\""), Truth::Yes);
    assert_eq!(truth("amount > 12 EUR"), Truth::Unknown);
    assert_eq!(truth("amount > 12"), Truth::Unknown);
    assert_eq!(truth("missing > 1 || amount <= 12.5 USD"), Truth::Yes);
    assert_eq!(truth("missing > 1 && amount < 12.5 USD"), Truth::No);
    assert_eq!(truth("!exists(missing) && exists(record)"), Truth::Yes);
    assert_eq!(truth("record <= 5.0 EUR"), Truth::Yes);
    assert_eq!(truth("other == 100"), Truth::Yes);
    assert_eq!(truth("system in [\"AWS\", \"Slack\"]"), Truth::Yes);
    assert_eq!(truth("missing in [\"AWS\"]"), Truth::Unknown);
    assert_eq!(truth("status == \"open\" || missing > 1"), Truth::Open);
    assert_eq!(truth("exists(status) && amount > 20 USD"), Truth::No);
    let deed = Deed { tool: "issue_refund", arguments: &args, task: "pay it", read: &nothing };
    let file = "decide:\n  - {rule: A, if: 'missing > 1', ask: nobody}\n  - {rule: B, if: 'amount < 20 USD', ask: nobody}\n";
    assert_eq!(file_says(file, &deed), [Says { word: Word::Allow, role: None }]);
    let file = "decide:\n  - {rule: A, if: 'missing > 1', outcome: stop}\n  - {rule: B, if: 'missing > 1', ask: cfo}\n  - {rule: C, if: 'amount < 20 USD', ask: nobody}\n";
    let said: Vec<Option<String>> = file_says(file, &deed).into_iter().map(|says| says.role).collect();
    assert_eq!(said, [None, Some("cfo".to_owned()), None]);
    let policy = r#"{"rules": [{"condition": "amount < 20 USD", "action": "allow"}, {"condition": "missing > 1", "action": "require_approval", "level": "cfo"}]}"#;
    let levels = BTreeMap::from([("cfo".to_owned(), "cfo".to_owned())]);
    let asks = Says { word: Word::Ask, role: Some("cfo".to_owned()) };
    assert_eq!(policy_says(policy, &deed, &levels, true), Some(asks));
    let deny = r#"{"rules": [{"type": "deny", "keywords": ["refund"]}]}"#;
    assert_eq!(policy_says(deny, &deed, &levels, false).map(|says| says.word), Some(Word::Block));
}
