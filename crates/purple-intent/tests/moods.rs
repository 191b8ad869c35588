//! What is put around an order: courtesy leaves it one, everything that speaks against it does not.

use purple_intent::value::Notation;
use purple_intent::{Mood, read};

/// Orders in the form of an English imperative.
const ORDERS: [&str; 10] = [
    "approve invoice INV-2024-448 against PO-8822",
    "reject invoice INV-2024-447",
    "process the invoice INV-7 of Acme Corp per policy",
    "start offboarding for employee E-1005 with last day 2026-03-20",
    "revoke the access of E-2291 and send the exit survey",
    "apply the credit for INFRA-9 under contract CTR-441",
    "add 2x Widget B to order ORD-5592",
    "remove 3x Widget A from ORD-5592",
    "pay invoice 4711 to vendor V-1001",
    "reconcile INV-2025-1106 with its purchase order",
];

/// What leaves an order an order.
const COURTESY: [&str; 20] = [
    "Don't wait any longer, {}.",
    "As agreed, please {}.",
    "Don't hesitate: {}.",
    "Hi,\n\nthank you for your help yesterday. Please {}.\n\nBest\nEli",
    "What we need is this: {}.",
    "{}.",
    "Please {}.",
    "Could you please {}?",
    "Would you mind: please {}.",
    "Hi team,\n\nplease {}.\n\nThanks\nMona",
    "Dear colleagues,\n\n{}.\n\nKind regards,\nT. Okafor\nAccounts Payable",
    "Subject: one more\n\nHello,\nplease {}.\n\nBest\nEli",
    "I'd like you to {}.",
    "Go ahead and {}.",
    "Please {}.\n\n> On 3 March Lotte wrote:\n> Do not approve anything yet.",
    "We need you to {}.",
    "{}, thanks!",
    "INFRA-9 did not reach its uptime. Please {}.",
    "The reminder hasn't arrived. So please {}.",
    "It has not been done yet. Please {}.",
];

/// What leaves no order.
const AGAINST: [&str; 49] = [
    "Thank you for your help. Please do not {}.",
    "As agreed, do not {}.",
    "Do not {}.",
    "Don't {}.",
    "Do NOT {}!",
    "Please do not {}.",
    "Never {}.",
    "Under no circumstances {}.",
    "There is no need to {}.",
    "You must not {}.",
    "Refrain from it: nobody should {}.",
    "Hold off, do not {} yet.",
    "I am not asking you to {}.",
    "Should we {}?",
    "Can we {}?",
    "Do we have to {}?",
    "Who may {}?",
    "When did we {}?",
    "Why would anybody {}?",
    "What happens when we {}?",
    "If the goods have arrived, {}.",
    "Unless Maria objects, {}.",
    "Once the audit is over, {}.",
    "In case the vendor calls, {}.",
    "Suppose we {}.",
    "Draft an e-mail in which we ask IT to {}.",
    "The vendor wrote that we should {}.",
    "Maria said: \"{}.\"",
    "My boss told me that somebody would {}.",
    "Next Monday {}.",
    "Tomorrow, {}.",
    "Every month {}.",
    "FYI:\n\n-----Original Message-----\nFrom: billing@acme.example\n\nPlease {}.",
    "> Please {}.",
    "For information only: they want to {}.",
    "{}. Actually, wait, don't.",
    "{}? Not yet.",
    "I wonder whether to {}.",
    "{} was not what I said.",
    "We were not to {}.",
    "I did not ask you to {}.",
    "I did not want you to {}.",
    "You have not to {}.",
    "We have not agreed to {}.",
    "{}. The controller has not agreed yet.",
    "{}. I have not decided yet.",
    "{}? We haven't said so.",
    "{}. That was never my wish.",
    "Nobody has told you to {}, and you didn't ask.",
];

/// Orders that say what must happen.
const WISHES: [&str; 7] = [
    "invoice INV-2024-448 must be approved",
    "the access of E-2291 should be revoked",
    "employee E-1005 has to be offboarded",
    "INV-7 of Acme Corp needs to be paid",
    "die Rechnung INV-7 muss genehmigt werden",
    "der Zugriff von E-2291 soll entzogen werden",
    "la facture INV-7 doit être approuvée",
];

/// What leaves no order of them, after the language.
const AGAINST_WISHES: [(&str, &str); 17] = [
    ("en", "{} next week."),
    ("en", "{} at the end of the year."),
    ("en", "{} on Monday."),
    ("en", "Next month {}."),
    ("en", "They think that {}."),
    ("en", "They think {}."),
    ("en", "The vendor hopes that {}."),
    ("en", "Maria's view is that {}."),
    ("en", "It is not certain that {}."),
    ("en", "There is a rumour that {}."),
    ("de", "Nächste Woche {}."),
    ("de", "Sie finden, dass {}."),
    ("de", "Der Lieferant denkt, {}."),
    ("de", "{}, aber erst am Monatsende."),
    ("fr", "{} la semaine prochaine."),
    ("fr", "Ils pensent que {}."),
    ("fr", "Le fournisseur croit que {}."),
];

fn language_of(wish: &str) -> &'static str {
    let begins = |words: &[&str]| words.iter().any(|word| wish.starts_with(word));
    if begins(&["die ", "der "]) {
        "de"
    } else if begins(&["la "]) {
        "fr"
    } else {
        "en"
    }
}

#[test]
fn what_must_happen_at_another_time_or_in_the_view_of_others_is_no_order() {
    let lost: Vec<&str> = WISHES.into_iter().filter(|wish| !orders(&format!("{wish}."))).collect();
    assert!(lost.is_empty(), "{lost:#?}");
    let frames = AGAINST_WISHES.into_iter();
    let texts = frames.flat_map(|(language, frame)| {
        let wishes = WISHES.into_iter().filter(move |wish| language_of(wish) == language);
        wishes.map(move |wish| frame.replace("{}", wish))
    });
    let wrong: Vec<String> = texts.filter(|text| orders(text)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn orders(text: &str) -> bool {
    let notation = Notation::default();
    let reading = read(text, &notation);
    let only = |mood: &Mood| matches!(mood, Mood::Order | Mood::Statement);
    let moods: Vec<Mood> = reading.acts.iter().map(|act| act.mood).collect();
    moods.contains(&Mood::Order) && moods.iter().all(only)
}

#[test]
fn courtesy_and_the_parts_of_a_mail_leave_an_order_one() {
    let lost: Vec<String> = every(&COURTESY).filter(|text| !orders(text)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn what_speaks_against_an_order_leaves_none() {
    let wrong: Vec<String> = every(&AGAINST).filter(|text| orders(text)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn every(frames: &'static [&'static str]) -> impl Iterator<Item = String> {
    frames.iter().flat_map(|frame| ORDERS.iter().map(|order| frame.replace("{}", order)))
}
