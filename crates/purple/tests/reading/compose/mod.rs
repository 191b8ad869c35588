//! Composes sentences from parts, each with what it permits. It shares no code and no word list with the grammar.

mod lexicon;
mod mail;
mod notation;
mod random;
mod records;
mod task;

use crate::row::{Act, Expect, Mood, Row};
use lexicon::{Kind, Language, Lexicon, Role};
use random::Random;
use records::Records;
use task::Task;

/// So many sentences; the same seed composes the same ones.
pub(crate) fn compose(seed: u64, count: usize) -> Vec<Row> {
    let (lexicon, records) = (Lexicon::read(), Records::read());
    let rows = (0..count).map(|place| {
        let place_seed = u64::try_from(place).unwrap().wrapping_add(seed.wrapping_mul(1_000_003));
        let mut composer = Composer { random: Random::new(place_seed), lexicon: &lexicon, records: &records };
        Row { id: format!("g-{seed}-{place}"), ..composer.sentence() }
    });
    rows.collect()
}

/// A plain order, and the same order with courtesies and in mails.
pub(crate) struct Family {
    pub(crate) plain: Row,
    pub(crate) variants: Vec<Row>,
}

/// So many orders with so many variants each.
pub(crate) fn families(seed: u64, count: usize, variants: usize) -> Vec<Family> {
    let (lexicon, records) = (Lexicon::read(), Records::read());
    let mut composer = Composer { random: Random::new(seed), lexicon: &lexicon, records: &records };
    let families = (0..count).map(|place| {
        let task = composer.task();
        let (text, writes) = (task.put_into("{Imp}.", ""), task.writes.clone());
        let plain = Row { id: format!("f-{place}"), writes, ..row(&task, Mood::Order, text) };
        let variant = |number| Row { id: format!("f-{place}-{number}"), ..composer.courteous(&task) };
        Family { plain, variants: (0..variants).map(variant).collect() }
    });
    families.collect()
}

struct Composer<'a> {
    random: Random,
    lexicon: &'a Lexicon,
    records: &'a Records,
}

impl<'a> Composer<'a> {
    fn sentence(&mut self) -> Row {
        let row = match self.random.below(100) {
            0..28 => self.order(),
            28..62 => self.spoiled(),
            62..72 => self.retracted(),
            72..82 => self.mixture(),
            82..88 => self.carried(),
            88..92 => self.calculation(),
            92..95 => self.corrected(),
            95..98 => self.doubtful(),
            _ => self.statement(),
        };
        // Somebody else's order below the text changes nothing.
        if self.random.chance(12) { self.with_foreign_order(row) } else { row }
    }

    fn language(&mut self) -> Language {
        match self.random.below(100) {
            0..50 => Language::English,
            50..80 => Language::German,
            80..90 => Language::French,
            _ => Language::Spanish,
        }
    }

    fn task(&mut self) -> Task<'a> {
        let language = self.language();
        Task::pick(&mut self.random, (self.lexicon, self.records), language)
    }

    fn phrase(&mut self, task: &Task<'_>, sentences: &[&str]) -> String {
        let sentence = *self.random.pick(sentences);
        task.put_into(sentence, "")
    }

    /// The text as it is, or as a mail.
    fn wrapped(&mut self, task: &Task<'_>, text: String) -> String {
        if self.random.chance(35) {
            mail::around(&mut self.random, task.language, &text, &task.target)
        } else {
            text
        }
    }

    fn sentence_for(&mut self, task: &Task<'_>, wanted: impl Fn(Role) -> bool) -> (Role, String) {
        let (role, sentence) = *self.random.pick(&self.lexicon.sentences(task.language, wanted));
        (role, task.put_into(sentence, ""))
    }

    fn order(&mut self) -> Row {
        let task = self.task();
        self.courteous(&task)
    }

    fn courteous(&mut self, task: &Task<'_>) -> Row {
        let (_, text) = self.sentence_for(task, |role| role == Role::Is(Mood::Order));
        let text = self.wrapped(task, text);
        Row { writes: task.writes.clone(), ..row(task, Mood::Order, text) }
    }

    /// One sentence that makes something else of an order.
    fn spoiled(&mut self) -> Row {
        let task = self.task();
        let spoils = |role| matches!(role, Role::Is(mood) if mood != Mood::Order);
        let (Role::Is(mood), text) = self.sentence_for(&task, spoils) else { unreachable!("filtered") };
        let text = self.wrapped(&task, text);
        row(&task, mood, text)
    }

    /// An order, and a sentence before or after it that takes it back.
    fn retracted(&mut self) -> Row {
        let task = self.task();
        let (_, order) = self.sentence_for(&task, |role| role == Role::Is(Mood::Order));
        let text = match self.sentence_for(&task, |role| matches!(role, Role::Before | Role::After)) {
            (Role::Before, spoiler) => format!("{spoiler} {order}"),
            (Role::After | Role::Is(_) | Role::And(_), spoiler) => format!("{order} {spoiler}"),
        };
        let text = self.wrapped(&task, text);
        row(&task, Mood::Negated, text)
    }

    fn mixture(&mut self) -> Row {
        let task = self.task();
        let other = self.other_than(&task);
        let both = |role| matches!(role, Role::And(_));
        let (Role::And(mood), text) = self.sentence_for(&task, both) else { unreachable!("filtered") };
        let text = other.put_into(&text, "2");
        let text = self.wrapped(&task, text);
        let mut writes = task.writes.clone();
        if mood == Mood::Order {
            writes.extend(other.writes.iter().cloned());
        }
        let expect = if mood == Mood::Reported { Expect::Does } else { Expect::Lists };
        let acts = vec![task.act(Mood::Order), other.act(mood)];
        Row { writes, acts, expect, ..row(&task, Mood::Order, text) }
    }

    fn other_than(&mut self, task: &Task<'_>) -> Task<'a> {
        loop {
            let other = Task::pick(&mut self.random, (self.lexicon, self.records), task.language);
            if other.target != task.target {
                return other;
            }
        }
    }

    /// An order inside a name, a code or a quotation, and none besides.
    fn carried(&mut self) -> Row {
        let task = Task::pick(&mut self.random, (self.lexicon, self.records), Language::English);
        let text = mail::carrier(&mut self.random, &task.put_into("{Imp}", ""));
        row(&task, Mood::Reported, text)
    }

    fn with_foreign_order(&mut self, row: Row) -> Row {
        let (language, targets) = (self.language(), row.acts.iter().flat_map(|act| act.targets.clone()));
        let targets: Vec<String> = targets.collect();
        let foreign = Task::pick(&mut self.random, (self.lexicon, self.records), language);
        if targets.contains(&foreign.target) {
            return row;
        }
        let order = foreign.put_into("{Imp}.", "");
        let text = mail::with_quoted(&mut self.random, &row.text, &order);
        let mut acts = row.acts;
        acts.push(foreign.act(Mood::Reported));
        Row { text, acts, ..row }
    }

    /// Only the amount of an SLA credit is wanted.
    fn calculation(&mut self) -> Row {
        let language = *self.random.pick(&[Language::English, Language::German]);
        let task = Task::of_kind(&mut self.random, (self.lexicon, self.records), language, Kind::Credit);
        let sentences: &[&str] = match language {
            Language::German => &[
                "Nur berechnen, nicht buchen: SLA-Gutschrift für {o}.",
                "Berechnen Sie die SLA-Gutschrift für {o}, aber buchen Sie nichts.",
            ],
            Language::English | Language::French | Language::Spanish => &[
                "Only calculate the SLA credit for {o}; do not apply it.",
                "Don't apply anything, just calculate the SLA credit for {o}.",
                "Just the figure, please: the SLA credit for {o}. Don't book it.",
                "Estimate the SLA credit for {o}. Estimate only.",
            ],
        };
        let text = self.phrase(&task, sentences);
        let text = self.wrapped(&task, text);
        let figure = task.credit.map(|cents| format!("{}.{:02} USD", cents / 100, cents % 100));
        Row { figure, expect: Expect::Calculates, ..row(&task, Mood::Calculation, text) }
    }

    /// Another record takes the place of the first one.
    fn corrected(&mut self) -> Row {
        let within: Vec<_> = self.records.invoices.iter().filter(|invoice| invoice.within).collect();
        let place = self.random.below(within.len() - 1);
        let (first, second) = (within[place], within[place + 1]);
        let sentences = [
            "Approve {1}, sorry, I meant {2}.",
            "Approve invoice {1}. No, wait: {2}.",
            "Approve not {1} but {2}.",
            "Bitte {1} freigeben, nein, ich meine {2}.",
            "Nicht {1}, sondern {2} bitte freigeben.",
        ];
        let text = self.random.pick(&sentences).replace("{1}", &first.id).replace("{2}", &second.id);
        let task =
            Task::of_kind(&mut self.random, (self.lexicon, self.records), Language::English, Kind::Invoice);
        let act =
            Act { verb: "approve".to_owned(), targets: vec![second.id.clone()], ..task.act(Mood::Order) };
        Row {
            writes: vec![format!("approve_invoice {}", second.id)],
            acts: vec![act],
            ..row(&task, Mood::Order, text)
        }
    }

    /// A value with two meanings, or one that the records contradict: nothing may be written.
    fn doubtful(&mut self) -> Row {
        let whole: Vec<_> =
            self.records.invoices.iter().filter(|one| one.within && one.cents % 100 == 0).collect();
        let (invoice, employee) = (*self.random.pick(&whole), self.random.pick(&self.records.active));
        let (expect, text, target) = match self.random.below(3) {
            0 => {
                let amount =
                    notation::ambiguous_amount(invoice.cents).unwrap_or_else(|| "1.250 USD".to_owned());
                (Expect::Asks, format!("Approve invoice {} over {amount}.", invoice.id), &invoice.id)
            }
            1 => (
                Expect::Asks,
                format!("Offboard {}, last day 0{}/04/2026.", employee.id, 5 + self.random.below(4)),
                &employee.id,
            ),
            _ => {
                let amount = notation::amount(&mut self.random, Language::English, invoice.cents + 90_000);
                (Expect::Does, format!("Approve invoice {} over {amount}.", invoice.id), &invoice.id)
            }
        };
        let task =
            Task::of_kind(&mut self.random, (self.lexicon, self.records), Language::English, Kind::Invoice);
        let act = Act { verb: "process".to_owned(), targets: vec![target.clone()], ..task.act(Mood::Order) };
        Row { expect, acts: vec![act], ..row(&task, Mood::Order, text) }
    }

    fn statement(&mut self) -> Row {
        let task = Task::pick(&mut self.random, (self.lexicon, self.records), Language::English);
        let sentences = [
            "{Noun} took three days.",
            "{Noun} has been taken care of.",
            "Thanks for {noun}, that was quick.",
        ];
        let text = self.phrase(&task, &sentences);
        Row { expect: Expect::Chats, ..row(&task, Mood::None, text) }
    }
}

/// A sentence with one act, handled as the corpus expects of its mood, that permits nothing.
fn row(task: &Task<'_>, mood: Mood, text: String) -> Row {
    let expect = match mood {
        Mood::Order => Expect::Does,
        Mood::Reversal => Expect::Undoes,
        Mood::OtherTime => Expect::Asks,
        Mood::Calculation => Expect::Calculates,
        Mood::None => Expect::Chats,
        Mood::Question | Mood::Negated | Mood::Conditional | Mood::Draft | Mood::Reported => Expect::Advises,
    };
    let (process, acts) = (Some(task.process().to_owned()), vec![task.act(mood)]);
    Row { id: String::new(), text, acts, expect, process, writes: Vec::new(), figure: None }
}

#[test]
fn the_same_seed_composes_the_same_sentences_and_another_one_others() {
    let texts = |seed| compose(seed, 200).into_iter().map(|row| row.text).collect::<Vec<_>>();
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
}

#[test]
fn no_place_holder_is_left_in_a_sentence() {
    for row in compose(1, 3_000) {
        assert!(!row.text.contains(['{', '}']), "{}", row.text);
    }
}
