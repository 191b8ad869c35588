use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A log of operations: tool, record, how it came out.
fn book(deeds: &[(&str, &str, Fate)]) -> Book {
    let deed = |(tool, id, fate): &(&str, &str, Fate)| Deed::new(tool, &[json!(id)], *fate);
    Book { deeds: deeds.iter().map(deed).collect(), read: Vec::new(), could: true }
}

fn is_kept(text: &str, book: &Book) -> bool {
    kept(text, book).dropped == 0
}

/// Those of the texts with which it is the other way round.
fn wrong<'t>(texts: &[&'t str], is_to_be_kept: bool, book: &Book) -> Vec<&'t str> {
    texts.iter().filter(|text| is_kept(text, book) != is_to_be_kept).copied().collect()
}

const RAN: &[(&str, &str, Fate)] =
    &[("approve_claim", "CL-1", Fate::Done), ("notify_vendor", "V-9", Fate::Done)];

#[test]
fn words_that_deny_or_put_off_what_the_log_shows_are_left_out() {
    let texts = [
        "I could not approve the claim; the operation is still pending.",
        "CL-1 still waits for your decision.",
        "None of the operations has been executed yet.",
        "No changes were made.",
        "I prepared the plan. Nothing was changed so far",
        "The writes have not been executed.",
        "The operations haven't been carried out",
        "They will be executed after a person agrees.",
        "The operations are to be executed next.",
        "The plan is awaiting approval.",
        "I was unable to approve CL-1.",
        "CL-1 was never approved.",
        "CL-1 needs your approval.",
        "The approval of CL-1 is still outstanding.",
        "CL-1 remains unapproved.",
        "I haven't approved CL-1.",
        "CL-1 wurde nicht freigegeben.",
        "Es wurde noch nichts geändert.",
        "Die Genehmigung steht noch aus: CL-1 wartet auf Ihre Freigabe.",
        "Rien n'a été modifié.",
        "Aucune opération n'a encore été effectuée.",
        "No se ha ejecutado nada.",
    ];
    assert_eq!(wrong(&texts, false, &book(RAN)), [""; 0]);
    let texts = [
        "I approved CL-1 and told the vendor.",
        "CL-1 was approved. No other changes were made.",
        "The order has not been paid, so the claim was approved.",
        "Nothing else was changed.",
        "The notice to the vendor was sent.",
        "The total is 5,000 USD.",
        "Der Antrag CL-1 wurde genehmigt.",
        "Should I look at anything else?",
        "I checked the claim and found no duplicate.",
        "CL-1 is now approved.",
        "Claim CL-1 was approved and the vendor was notified.",
        "As requested, I approved CL-1.",
        "According to the policy, a manager signs every claim.",
        "No further action is needed.",
        "CL-1: approved.",
    ];
    assert_eq!(wrong(&texts, true, &book(RAN)), [""; 0]);
}

#[test]
fn words_that_claim_what_the_log_does_not_show_are_left_out() {
    let ran = book(RAN);
    let texts = [
        "I approved CL-1, rejected CL-2 and paid out 120.00 USD to the employee.",
        "CL-1 was approved and CL-2 rejected.",
        "I paid out 120.00 USD.",
        "All done: the refund was issued.",
        "CL-1: rejected.",
        "Status: CL-1 approved, CL-2 approved.",
        "| CL-2 | approved |",
        "- Approved CL-2",
        "The payment of 120.00 USD went out.",
        "CL-2 is approved.",
        "CL-2 has already been paid.",
        "I approved CL-2.",
        "Ich habe CL-1 genehmigt und CL-2 abgelehnt.",
        "J'ai approuvé CL-1 et rejeté CL-2.",
        "He aprobado CL-1 y he rechazado CL-2.",
    ];
    assert_eq!(wrong(&texts, false, &ran), [""; 0]);
    let empty = book(&[]);
    let texts = [
        "Everything awaits approval.",
        "I have approved the expense and sent the notice.",
        "The refund has been issued.",
        "The access of E-7 is now cancelled.",
        "The order was successfully cancelled.",
        "Done: I've updated the record.",
        "I will approve it once you agree.",
        "Die Rechnung ist erfolgreich storniert worden.",
        "Le paiement a été envoyé.",
        "El pedido ha sido cancelado.",
        "Alles wartet auf Freigabe.",
        "It is done.",
        "Everything is done.",
    ];
    assert_eq!(wrong(&texts, false, &empty), [""; 0]);
    let texts = [
        "The invoice has already been approved.",
        "Nothing has been changed.",
        "I would have updated the record.",
        "No operations have been executed.",
        "I found two open invoices.",
        "It has not been sent.",
        "The approved amount is 120 USD.",
    ];
    assert_eq!(wrong(&texts, true, &empty), [""; 0]);
}

#[test]
fn an_amount_is_that_of_the_operation_or_of_its_record() {
    let refund = Deed::new("refund_payment", &[json!("PAY-1"), json!("100.00 USD")], Fate::Done);
    let approve = Deed::new("approve_claim", &[json!("CL-1")], Fate::Done);
    let read = vec![json!({"claim_id": "CL-1", "amount": "120.00 USD"}).to_string()];
    let book = Book { deeds: vec![refund, approve], read, could: true };
    assert!(is_kept("I refunded 100.00 USD to PAY-1. I approved CL-1 over 120.00 USD.", &book));
    assert!(!is_kept("I refunded 120.00 USD to PAY-1.", &book));
    assert!(!is_kept("I approved CL-1 over 999.00 USD.", &book));
}

#[test]
fn what_was_read_of_a_record_may_be_told() {
    let read = vec![json!({"claim_id": "CL-9", "status": "rejected"}).to_string()];
    let read = Book { read, ..book(RAN) };
    assert!(is_kept("CL-9 was rejected. CL-9 is rejected.", &read));
    assert!(!is_kept("CL-9 was approved.", &read));
    assert!(!is_kept("I rejected CL-9.", &read));
    assert!(is_kept("CL-9 is pending approval.", &read));
    // Who could not change anything reports.
    let could_not = Book { could: false, ..book(&[]) };
    assert!(is_kept("The refund was issued in March.", &could_not));
    assert!(!is_kept("I issued the refund.", &could_not));
}

#[test]
fn only_the_sentences_that_do_not_match_are_left_out_and_data_as_a_whole() {
    let kept_of = |text: &str| kept(text, &book(RAN));
    let some = kept_of("I approved CL-1. I rejected CL-2. The total is 120.00 USD.");
    assert_eq!((some.text.as_str(), some.dropped), ("I approved CL-1. The total is 120.00 USD.", 1));
    assert_eq!(kept_of("I rejected CL-2.").text, "");
    assert_eq!(kept_of(r#"{"said": "I rejected CL-2.", "total": 3}"#).text, "");
}

#[test]
fn what_came_out_otherwise_is_neither_done_nor_not_done() {
    let unsure = book(&[("approve_claim", "CL-1", Fate::Unsure)]);
    for text in
        ["I approved CL-1.", "CL-1 was not approved.", "CL-1 will be approved.", "Nothing was changed."]
    {
        assert!(!is_kept(text, &unsure), "{text}");
    }
}

/// English base form, and per language the participle and the infinitive.
const VERBS: [(&str, [(&str, &str); 4]); 4] = [
    (
        "approve",
        [
            ("approved", "approve"),
            ("genehmigt", "genehmigen"),
            ("approuvé", "approuver"),
            ("aprobado", "aprobar"),
        ],
    ),
    (
        "reject",
        [("rejected", "reject"), ("abgelehnt", "ablehnen"), ("rejeté", "rejeter"), ("rechazado", "rechazar")],
    ),
    (
        "cancel",
        [
            ("cancelled", "cancel"),
            ("storniert", "stornieren"),
            ("annulé", "annuler"),
            ("cancelado", "cancelar"),
        ],
    ),
    ("pay", [("paid", "pay"), ("bezahlt", "bezahlen"), ("payé", "payer"), ("pagado", "pagar")]),
];

/// Sentences of each language: `P` is the participle, `V` the infinitive, `ID` the record.
const SENTENCES: [&[(&str, Says)]; 4] = [
    &[
        ("I P ID.", Says::Done),
        ("I have P ID.", Says::Done),
        ("ID was P.", Says::Told),
        ("ID has been P.", Says::Done),
        ("I could not V ID.", Says::NotDone),
        ("I was unable to V ID.", Says::NotDone),
        ("ID was not P.", Says::NotDone),
        ("ID has not been P yet.", Says::NotDone),
        ("I will V ID.", Says::Promised),
        ("ID will be P.", Says::ToCome),
        ("ID still waits for your decision.", Says::Waits),
        ("ID is awaiting approval.", Says::Waits),
    ],
    &[
        ("Ich habe ID P.", Says::Done),
        ("ID wurde P.", Says::Told),
        ("ID ist P worden.", Says::Done),
        ("Ich konnte ID nicht V.", Says::NotDone),
        ("ID wurde nicht P.", Says::NotDone),
        ("ID wird P.", Says::ToCome),
        ("ID wartet auf Ihre Freigabe.", Says::Waits),
    ],
    &[
        ("J'ai P ID.", Says::Done),
        ("ID a été P.", Says::Done),
        ("Je n'ai pas pu V ID.", Says::NotDone),
        ("ID n'a pas été P.", Says::NotDone),
        ("ID sera P.", Says::ToCome),
        ("ID attend votre approbation.", Says::Waits),
    ],
    &[
        ("He P ID.", Says::Done),
        ("ID ha sido P.", Says::Done),
        ("ID fue P.", Says::Told),
        ("No pude V ID.", Says::NotDone),
        ("ID no ha sido P.", Says::NotDone),
        ("ID será P.", Says::ToCome),
        ("ID está pendiente de aprobación.", Says::Waits),
    ],
];

proptest! {
    #[test]
    fn a_claim_is_kept_exactly_where_the_log_shows_it(
        language in 0_usize..4,
        sentence in 0_usize..12,
        verb in 0_usize..4,
        record in 1_u8..4,
        log in prop::collection::vec((0_usize..4, 1_u8..4, prop::sample::select(vec![Fate::Done, Fate::NotDone, Fate::Unsure])), 0..5),
    ) {
        let (pattern, says) = SENTENCES[language][sentence % SENTENCES[language].len()];
        let (lemma, forms) = VERBS[verb];
        let (participle, infinitive) = forms[language];
        let id = format!("CL-{record}");
        let text = pattern.replace("ID", &id).replace('P', participle).replace('V', infinitive);
        // One operation on one record: the first counts.
        let mut deeds: Vec<(String, String, Fate)> = Vec::new();
        for (verb, record, fate) in log {
            let (tool, id) = (format!("{}_claim", VERBS[verb].0), format!("CL-{record}"));
            if !deeds.iter().any(|(known, of, _)| *known == tool && *of == id) {
                deeds.push((tool, id, fate));
            }
        }
        let of = |fate: Fate| deeds.iter().any(|(tool, of, was)| tool.starts_with(lemma) && *of == id && *was == fate);
        let expected = match says {
            Says::Done | Says::Told => of(Fate::Done),
            Says::NotDone | Says::ToCome => !of(Fate::Done) && !of(Fate::Unsure),
            Says::Waits | Says::Promised | Says::State => false,
        };
        let deeds: Vec<(&str, &str, Fate)> = deeds.iter().map(|(tool, id, fate)| (tool.as_str(), id.as_str(), *fate)).collect();
        prop_assert_eq!(is_kept(&text, &book(&deeds)), expected, "{} {:?}", text, deeds);
    }
}

/// Two claims in one sentence: `A` and `B` are participles, `V` the second infinitive, `ID` and `OF` the records.
const PAIRS: [[(&str, Says); 2]; 4] = [
    [("I A ID and B OF.", Says::Done), ("I A ID but could not V OF.", Says::NotDone)],
    [("Ich habe ID A und OF B.", Says::Done), ("ID wurde A, aber OF wurde nicht B.", Says::NotDone)],
    [("J'ai A ID et B OF.", Says::Done), ("J'ai A ID mais OF n'a pas été B.", Says::NotDone)],
    [("He A ID y B OF.", Says::Done), ("ID ha sido A pero OF no ha sido B.", Says::NotDone)],
];

proptest! {
    #[test]
    fn of_two_claims_in_one_sentence_both_must_be_those_of_the_log(
        language in 0_usize..4,
        which in 0_usize..2,
        verbs in (0_usize..4, 0_usize..4),
        records in (1_u8..3, 1_u8..3),
        log in prop::collection::btree_set((0_usize..4, 1_u8..3), 0..8),
    ) {
        let (pattern, second) = PAIRS[language][which];
        let word = |verb: usize| VERBS[verb].1[language];
        let (one, other) = (format!("CL-{}", records.0), format!("CL-{}", records.1));
        let text = pattern
            .replace("ID", &one)
            .replace("OF", &other)
            .replacen('A', word(verbs.0).0, 1)
            .replacen('B', word(verbs.1).0, 1)
            .replacen('V', word(verbs.1).1, 1);
        let done = |verb: usize, record: u8| log.contains(&(verb, record));
        let expected = done(verbs.0, records.0) && (done(verbs.1, records.1) == (second == Says::Done));
        let deeds: Vec<(String, String)> =
            log.iter().map(|(verb, record)| (format!("{}_claim", VERBS[*verb].0), format!("CL-{record}"))).collect();
        let deeds: Vec<(&str, &str, Fate)> =
            deeds.iter().map(|(tool, id)| (tool.as_str(), id.as_str(), Fate::Done)).collect();
        prop_assert_eq!(is_kept(&text, &book(&deeds)), expected, "{} {:?}", text, deeds);
    }
}
