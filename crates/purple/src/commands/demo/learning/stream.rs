//! The tasks of the stream, and what the business wants of each. The model never sees any of this but the words.

use jiff::civil::date;
use purple_backoffice::{Answer, Call, Office, Setup};
use purple_finance::{Exact, Money, Rounding};
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// The kinds of tasks, in the order of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A credit to a vendor: 2 percent of the monthly fee.
    Gratitude,
    /// A subscription rests.
    Break,
    /// A subscription goes on.
    Return,
    /// A ticket is closed.
    Archive,
    /// Something is asked, and nothing is to be done.
    Question,
}

/// One task.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) kind: Kind,
    /// The words of the requester.
    pub(super) words: String,
    /// What people say where it was not understood.
    pub(super) rule: String,
    /// The operation that the business wants; `None`: none at all.
    pub(super) wants: Option<Wanted>,
    /// What the answer must hold.
    pub(super) answer: String,
}

/// An operation that the business wants.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) tool: &'static str,
    /// Arguments that must be exactly these.
    pub(super) exact: Map<String, Value>,
    /// Arguments that must hold this.
    pub(super) holding: Vec<(&'static str, String)>,
}

impl Wanted {
    /// Whether an operation is this one.
    pub(super) fn is(&self, tool: &str, arguments: &Value) -> bool {
        let has = |(name, text): &(&str, String)| {
            arguments.get(name).and_then(Value::as_str).is_some_and(|said| said.contains(text.as_str()))
        };
        tool == self.tool
            && self.exact.iter().all(|(name, value)| arguments.get(name) == Some(value))
            && self.holding.iter().all(has)
            && arguments.as_object().is_some_and(|all| all.len() == self.exact.len() + self.holding.len())
    }
}

impl Kind {
    const ALL: [Self; 5] = [Self::Gratitude, Self::Break, Self::Return, Self::Archive, Self::Question];

    /// The name of the file that people sign for it.
    pub(super) const fn file(self) -> &'static str {
        match self {
            Self::Gratitude => "vendor_gratitude",
            Self::Break => "seasonal_break",
            Self::Return => "return_after_break",
            Self::Archive => "archived_ticket",
            Self::Question => "question",
        }
    }

    /// Up to which amount nobody needs to be asked once a file is signed; `None`: people want to be asked every time.
    pub(super) const fn unasked(self) -> Option<Unasked> {
        match self {
            Self::Gratitude => Some(Unasked::UpTo { limit: "1000 USD", check: CREDIT_CHECK }),
            Self::Break | Self::Archive => Some(Unasked::Always),
            Self::Return | Self::Question => None,
        }
    }
}

/// What people let pass without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unasked {
    /// All of it.
    Always,
    /// Amounts up to this one, if they are read back.
    UpTo {
        /// The amount.
        limit: &'static str,
        /// How it is read back.
        check: &'static str,
    },
}

/// Nobody is asked about what is not read back, so a person writes down how a credit is.
const CREDIT_CHECK: &str =
    r#"{read: "get_credit(reference=join(\"REF\", contract_id))", expect: {"amount": "figure_1"}}"#;

/// How many more contracts the company gets, so that each task has one of its own.
pub(super) const MORE: u32 = 4;
/// The tasks, mixed: each block holds one of every kind, in an order of its own.
pub(super) fn tasks(count: usize) -> Result<Vec<Task>, Failure> {
    let rows = Rows::of_the_company()?;
    let mut order = Order(0x9e37_79b9);
    let mut tasks = Vec::new();
    let mut used = [0_usize; Kind::ALL.len()];
    while tasks.len() < count {
        let (mut block, before) = (Kind::ALL, tasks.len());
        for last in (1..block.len()).rev() {
            block.swap(last, order.below(last + 1));
        }
        for kind in block {
            let place = used.get_mut(Kind::ALL.iter().position(|one| *one == kind).unwrap_or(0));
            let Some(place) = place else { continue };
            let number = *place;
            *place += 1;
            tasks.extend(rows.task(kind, number));
        }
        if tasks.len() == before {
            break;
        }
    }
    tasks.truncate(count);
    Ok(tasks)
}

/// The rows of the demo company that tasks are about.
struct Rows {
    contracts: Vec<Map<String, Value>>,
    active: Vec<Map<String, Value>>,
    paused: Vec<Map<String, Value>>,
    tickets: Vec<Map<String, Value>>,
}

impl Rows {
    /// The same rows as those of every company that a demo founds.
    fn of_the_company() -> Result<Self, Failure> {
        let office = Office::open(Setup::in_memory(date(2026, 3, 4)));
        let unusable = |error: purple_backoffice::OpenError| Failure::Company { cause: error.to_string() };
        let office = office.map_err(unusable)?;
        office.enlarge(MORE).map_err(unusable)?;
        let all = |tool: &str, parameter: &str, letters: &str, numbers: std::ops::Range<u32>| {
            let one = |number: u32| {
                let mut arguments = Map::new();
                arguments.insert(parameter.to_owned(), json!(format!("{letters}{number}")));
                match office.call(&Call::new(tool, arguments)).answer {
                    Answer::Done(Value::Object(row)) => Some(row),
                    Answer::Done(_) | Answer::Refused { .. } | Answer::InputRequired { .. } => None,
                }
            };
            numbers.filter_map(one).collect::<Vec<_>>()
        };
        let is = |field: &'static str, value: &'static str| {
            move |row: &Map<String, Value>| row.get(field).and_then(Value::as_str) == Some(value)
        };
        let subscriptions = all("get_subscription", "subscription_id", "SUB-", 701..765);
        let (active, rest): (Vec<_>, Vec<_>) = subscriptions.into_iter().partition(is("status", "active"));
        let tickets = all("get_ticket", "ticket_id", "T-", 2001..2131);
        Ok(Self {
            contracts: [433..442, 20_000..20_000 + MORE]
                .into_iter()
                .flat_map(|numbers| all("get_contract", "contract_id", "CTR-", numbers))
                .collect(),
            active,
            paused: rest.into_iter().filter(is("status", "paused")).collect(),
            tickets: tickets.into_iter().filter(is("state", "in_progress")).collect(),
        })
    }

    fn task(&self, kind: Kind, number: usize) -> Option<Task> {
        match kind {
            Kind::Gratitude => gratitude(self.contracts.get(number)?, number),
            Kind::Break => {
                let id = word(self.active.get(number)?, "subscription_id");
                let words = match number % 2 {
                    0 => format!("For the seasonal break, pause {id}."),
                    _ => format!("Pause {id} for the seasonal break."),
                };
                Some(simple(
                    kind,
                    ("pause_subscription", ". It has the paused status"),
                    ("subscription_id", id),
                    words,
                ))
            }
            Kind::Return => {
                let id = word(self.paused.get(number)?, "subscription_id");
                let words = match number % 2 {
                    0 => format!("Resume {id} for its return."),
                    _ => format!("For its return, resume {id}."),
                };
                Some(simple(kind, ("resume_subscription", ": active status"), ("subscription_id", id), words))
            }
            Kind::Archive => {
                let id = word(self.tickets.get(number)?, "ticket_id");
                let words = match number % 2 {
                    0 => format!("Close {id} for the archive."),
                    _ => format!("For the archive, close {id}."),
                };
                Some(simple(kind, ("close_ticket", ": closed state"), ("ticket_id", id), words))
            }
            Kind::Question => {
                // From the other end, so that nobody has paused it.
                let row = self.active.iter().rev().nth(number)?;
                let id = word(row, "subscription_id");
                Some(Task {
                    kind,
                    words: format!("Which plan does {id} have at present?"),
                    rule: String::new(),
                    wants: None,
                    answer: word(row, "plan_id"),
                })
            }
        }
    }
}

fn gratitude(row: &Map<String, Value>, number: usize) -> Option<Task> {
    let (contract, vendor) = (word(row, "contract_id"), word(row, "vendor_id"));
    let fee = Money::parse(&word(row, "monthly_fee")).ok()?;
    let amount = fee.times(&Exact::ratio(2, 100).ok()?, Rounding::HalfEven).ok()?.to_string();
    let words = match number % 2 {
        0 => format!("Apply our customary gratitude to {vendor} under {contract}."),
        _ => format!("Under {contract}, apply the customary gratitude to {vendor}."),
    };
    let mut exact = Map::new();
    exact.insert("vendor_id".to_owned(), json!(vendor));
    exact.insert("amount".to_owned(), json!(amount));
    Some(Task {
        kind: Kind::Gratitude,
        words,
        rule: format!("Apply gratitude to the account of {vendor}: 2 percent of the monthly_fee."),
        wants: Some(Wanted { tool: "apply_account_credit", exact, holding: vec![("reference", contract)] }),
        answer: String::new(),
    })
}

fn simple(kind: Kind, (tool, then): (&'static str, &str), (name, id): (&str, String), words: String) -> Task {
    let mut exact = Map::new();
    exact.insert(name.to_owned(), json!(id));
    let rule = format!("Please {} {id}{then}.", tool.replace('_', " "));
    let wants = Some(Wanted { tool, exact, holding: Vec::new() });
    Task { kind, words, rule, wants, answer: String::new() }
}

fn word(row: &Map<String, Value>, name: &str) -> String {
    row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Numbers that are the same every time (xorshift32).
struct Order(u32);

impl Order {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        usize::try_from(self.0).unwrap_or(0) % bound.max(1)
    }
}
