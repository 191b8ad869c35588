//! One thing that can be ordered: a verb, a record of the company, and what may follow.

use super::lexicon::{Kind, Language, Lexicon, Verb, objects};
use super::notation::{self, Day};
use super::random::Random;
use super::records::Records;
use crate::row::{Act, Mood};

pub(super) struct Task<'a> {
    pub(super) kind: Kind,
    pub(super) language: Language,
    verb: &'a Verb,
    object: String,
    item: String,
    /// The record that would be changed.
    pub(super) target: String,
    /// The effects that the order permits.
    pub(super) writes: Vec<String>,
    /// What the SLA credit amounts to.
    pub(super) credit: Option<i64>,
}

impl<'a> Task<'a> {
    pub(super) fn pick(
        random: &mut Random,
        (lexicon, records): (&'a Lexicon, &Records),
        language: Language,
    ) -> Self {
        let kind = *random.pick(&Kind::ALL);
        Self::of_kind(random, (lexicon, records), language, kind)
    }

    pub(super) fn of_kind(
        random: &mut Random,
        (lexicon, records): (&'a Lexicon, &Records),
        language: Language,
        kind: Kind,
    ) -> Self {
        let verb = *random.pick(&lexicon.verbs(language, kind));
        let (nouns, details) = objects(language, kind);
        let form = format!("{}{}", random.pick(nouns), random.pick(details));
        let mut task = Self {
            kind,
            language,
            verb,
            object: form,
            item: String::new(),
            target: String::new(),
            writes: Vec::new(),
            credit: None,
        };
        match kind {
            Kind::Invoice => task.about_invoice(random, records),
            Kind::Offboarding => task.about_offboarding(random, records),
            Kind::Access => task.about_access(random, records),
            Kind::Credit => task.about_credit(random, records),
            Kind::Change => task.about_change(random, records),
        }
        task
    }

    fn set(&mut self, name: &str, value: &str) {
        self.object = self.object.replace(name, value);
    }

    fn name_target(&mut self, random: &mut Random, id: &str) {
        self.target = id.to_owned();
        let written = notation::id(random, id);
        self.set("{i}", &written);
    }

    fn about_invoice(&mut self, random: &mut Random, records: &Records) {
        // Most of them within the limit: there a misread sentence does harm at once.
        let within = random.chance(85);
        let invoices: Vec<_> = records.invoices.iter().filter(|one| one.within == within).collect();
        let invoice = *random.pick(&invoices);
        self.name_target(random, &invoice.id);
        self.set("{vendor}", &invoice.vendor);
        self.set("{po}", &invoice.order);
        let amount = notation::amount(random, self.language, invoice.cents);
        self.set("{amount}", &amount);
        if invoice.within && self.verb.name != "reject" {
            self.writes = vec![format!("approve_invoice {}", invoice.id)];
        }
    }

    fn about_offboarding(&mut self, random: &mut Random, records: &Records) {
        let (employee, day) = (random.pick(&records.active), Day::pick(random));
        self.name_target(random, &employee.id);
        self.set("{name}", &employee.name);
        let written = day.text(random, self.language);
        self.set("{day}", &written);
        let (id, iso) = (&employee.id, day.iso());
        self.writes = vec![
            format!("update_employee_status {id} status=offboarding"),
            format!("create_offboarding_checklist {id} last_day={iso}"),
            format!("schedule_equipment_return {id} date={iso}"),
            format!("notify_it_team {id} last_day={iso}"),
            format!("schedule_exit_survey {id} date={iso}"),
        ];
    }

    fn about_access(&mut self, random: &mut Random, records: &Records) {
        let employee = random.pick(&records.leaving);
        self.name_target(random, &employee.id);
        self.set("{name}", &employee.name);
        self.writes =
            ["revoke_access", "send_exit_survey"].map(|tool| format!("{tool} {}", employee.id)).to_vec();
    }

    fn about_credit(&mut self, random: &mut Random, records: &Records) {
        let contract = random.pick(&records.contracts);
        self.name_target(random, &contract.vendor);
        self.set("{contract}", &contract.id);
        self.set("{uptime}", &contract.uptime);
        self.credit = Some(contract.credit);
        let tools = ["apply_account_credit", "send_sla_breach_notification"];
        self.writes = tools.map(|tool| format!("{tool} {}", contract.vendor)).to_vec();
    }

    fn about_change(&mut self, random: &mut Random, records: &Records) {
        let order = random.pick(&records.orders);
        self.name_target(random, &order.id);
        self.set("{customer}", &order.customer);
        order.item.clone_into(&mut self.item);
    }

    pub(super) fn process(&self) -> &'static str {
        match self.kind {
            Kind::Invoice => "invoice_reconciliation",
            Kind::Offboarding | Kind::Access => "hr_offboarding",
            Kind::Credit => "sla_breach",
            Kind::Change => "order_management",
        }
    }

    pub(super) fn act(&self, mood: Mood) -> Act {
        Act { mood, verb: self.verb.name.to_owned(), targets: vec![self.target.clone()] }
    }

    fn form(&self, form: &str) -> String {
        form.replace("{o}", &self.object).replace("{t}", &self.target).replace("{x}", &self.item)
    }

    /// Puts the forms of the verb into a sentence; `mark` is `2` for the second task of a mixture.
    pub(super) fn put_into(&self, sentence: &str, mark: &str) -> String {
        let names = ["imp", "neg", "inf", "ger", "noun", "subj", "part"];
        let mut sentence = sentence.replace("{o}", &self.object).replace("{t}", &self.target);
        for (name, form) in names.into_iter().zip(self.verb.forms) {
            let (text, capital) = (self.form(form), capitalized(name));
            sentence = sentence.replace(&format!("{{{name}{mark}}}"), &text);
            sentence = sentence.replace(&format!("{{{capital}{mark}}}"), &capitalized(&text));
        }
        sentence
    }
}

pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
