//! Whether the words of a model contradict the log: they say that nothing was carried out above operations that were, or
//! the reverse. Pure. Only the log decides what was done; words that say otherwise are not shown.

/// What happened in a round, by its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Log {
    /// At least one operation had an effect, or may have had one.
    Ran,
    /// None was started, or none had an effect.
    Empty,
}

/// Stems of verbs for carrying out, in the languages that tasks are read in.
const CARRIED_OUT: &[&str] = &[
    "execut",
    "carried",
    "perform",
    "ausgeführt",
    "durchgeführt",
    "exécut",
    "effectu",
    "ejecut",
    "realizad",
];
/// Stems of verbs that change something, as they stand in a report.
const CHANGED: &[&str] = &[
    "updated",
    "changed",
    "modified",
    "created",
    "sent",
    "submitted",
    "posted",
    "applied",
    "approved",
    "rejected",
    "paid",
    "refunded",
    "credited",
    "cancelled",
    "canceled",
    "deleted",
    "closed",
    "transferred",
    "issued",
    "notified",
    "written",
    "saved",
    "made",
    "done",
    "geändert",
    "angelegt",
    "gesendet",
    "verschickt",
    "gebucht",
    "genehmigt",
    "abgelehnt",
    "bezahlt",
    "storniert",
    "gelöscht",
    "modifié",
    "créé",
    "envoyé",
    "approuvé",
    "rejeté",
    "payé",
    "annulé",
    "supprimé",
    "actualizad",
    "modificad",
    "cread",
    "enviad",
    "aprobad",
    "rechazad",
    "pagad",
    "cancelad",
    "borrad",
    "eliminad",
];
/// Words for nothing at all.
const NOTHING: &[&str] = &[
    "nothing", "none", "nichts", "keine", "keiner", "keines", "rien", "aucun", "aucune", "nada", "ninguna",
    "ninguno", "ningún",
];
/// What an operation is called. "No" before one of these is a word for nothing.
const OPERATIONS: &[&str] =
    &["operation", "change", "write", "action", "update", "modification", "operación", "cambio", "opération"];
/// Words that leave room for others: "no other change was made".
const OTHERS: &[&str] = &[
    "other",
    "others",
    "else",
    "further",
    "additional",
    "more",
    "remaining",
    "weitere",
    "weiteren",
    "sonst",
    "andere",
    "anderen",
    "autre",
    "autres",
    "otra",
    "otras",
    "otro",
    "otros",
    "más",
];
const NOT: &[&str] = &["not", "n't", "never", "nicht", "pas", "no"];
/// What has been done before this task is no claim about it.
const EARLIER: &[&str] = &[
    "already",
    "previously",
    "earlier",
    "before",
    "bereits",
    "schon",
    "zuvor",
    "déjà",
    "ya",
    "anteriormente",
];
/// What is still to come.
const TO_COME: &[&str] = &["will", "would", "shall", "wird", "werden", "würde", "sera", "será", "serán"];
/// How a report of one's own deeds begins.
const OWN: &[&str] = &[
    "i",
    "we",
    "i've",
    "we've",
    "successfully",
    "now",
    "ich",
    "wir",
    "erfolgreich",
    "jetzt",
    "nun",
    "succès",
    "maintenant",
    "éxito",
    "ahora",
];
const BEEN: &[&str] = &["been", "worden", "été", "sido"];
/// Waiting for an approval: the words that stand together.
const WAITS: &[(&str, &str)] = &[
    ("await", "approval"),
    ("pending", "approval"),
    ("waiting", "approval"),
    ("wartet", "freigabe"),
    ("wartet", "genehmigung"),
    ("attente", "approbation"),
    ("pendiente", "aprobación"),
];

/// Whether a text says what the log does not.
pub(crate) fn contradicts(text: &str, log: Log) -> bool {
    let lower = text.to_lowercase();
    let sentences = lower.split(['.', '!', '?', ';', '\n', ':']);
    let mut read = sentences.map(words);
    match log {
        Log::Ran => read.any(|words| denies(&words)),
        Log::Empty => read.any(|words| claims(&words)),
    }
}

fn words(sentence: &str) -> Vec<String> {
    let sentence = sentence.replace('’', "'").replace("n't", " n't");
    let split = sentence.split(|sign: char| !sign.is_alphanumeric() && sign != '\'');
    split
        .map(|word| word.trim_matches('\'').to_owned())
        .map(restored)
        .filter(|word| !word.is_empty())
        .collect()
}

/// `n't` without its sign is no word.
fn restored(word: String) -> String {
    if word == "n't" || word == "nt" { "n't".to_owned() } else { word }
}

fn any_of(words: &[String], of: &[&str]) -> bool {
    words.iter().any(|word| of.contains(&word.as_str()))
}

fn place_of(words: &[String], stems: &[&str]) -> Option<usize> {
    words.iter().position(|word| stems.iter().any(|stem| word.starts_with(stem)))
}

/// That nothing was carried out, or that it is still to come.
fn denies(words: &[String]) -> bool {
    if any_of(words, OTHERS) {
        return false;
    }
    let waits = |(first, second): &(&str, &str)| {
        place_of(words, &[first]).is_some() && place_of(words, &[second]).is_some()
    };
    let deed = place_of(words, CARRIED_OUT);
    let has_deed = deed.is_some() || place_of(words, CHANGED).is_some();
    let no_operation = words
        .windows(2)
        .any(|pair| pair[0] == "no" && OPERATIONS.iter().any(|name| pair[1].starts_with(name)));
    let before = |of: &[&str]| deed.is_some_and(|at| any_of(&words[..at], of));
    let after = |of: &[&str]| deed.is_some_and(|at| any_of(&words[at..], of));
    WAITS.iter().any(waits)
        || (has_deed && (any_of(words, NOTHING) || no_operation))
        || before(NOT)
        || before(TO_COME)
        || is_yet_to_be(words)
        || after(&["werden", "wird"])
}

/// That something was carried out for this task.
fn claims(words: &[String]) -> bool {
    let reports = any_of(words, OWN) || any_of(words, BEEN);
    let has_deed = place_of(words, CARRIED_OUT).is_some() || place_of(words, CHANGED).is_some();
    reports
        && has_deed
        && !any_of(words, NOTHING)
        && !any_of(words, NOT)
        && !any_of(words, EARLIER)
        && !any_of(words, TO_COME)
        && !is_yet_to_be(words)
}

/// `to be executed`, `to execute`; not `sent to the vendor`.
fn is_yet_to_be(words: &[String]) -> bool {
    let verb = |word: &str| word == "be" || CARRIED_OUT.iter().any(|stem| word.starts_with(stem));
    words.windows(2).any(|pair| pair[0] == "to" && verb(&pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_deny_what_the_log_shows_contradict_it() {
        for text in [
            "None of the operations has been executed yet.",
            "No changes were made.",
            "I prepared the plan. Nothing was changed so far",
            "The three writes have not been executed.",
            "The operations haven't been carried out",
            "They will be executed after a person agrees.",
            "The operations are to be executed next.",
            "The plan is awaiting approval.",
            "Es wurde noch nichts geändert.",
            "Die Buchungen wurden noch nicht ausgeführt.",
            "Rien n'a été modifié.",
            "Aucune opération n'a encore été effectuée.",
            "No se ha ejecutado nada.",
        ] {
            assert!(contradicts(text, Log::Ran), "{text}");
        }
        for text in [
            "Both invoices were rejected and the vendor was told.",
            "INV-7 was rejected. No other changes were made.",
            "The order has not been paid, so the claim was declined.",
            "Nothing else was changed.",
            "The notice to the vendor was carried out.",
            "The total is 5,000 USD.",
            "The expense was carried out in March and is now approved.",
            "Die Rechnung wurde abgelehnt; weitere Änderungen wurden nicht ausgeführt.",
        ] {
            assert!(!contradicts(text, Log::Ran), "{text}");
        }
    }

    #[test]
    fn words_that_claim_what_the_log_does_not_show_contradict_it() {
        for text in [
            "I have approved the expense and sent the notice.",
            "I have rejected the invoice and sent a notice to the vendor.",
            "The refund has been issued.",
            "The access of E-7 is now cancelled.",
            "The order was successfully cancelled.",
            "Done: I've updated the record.",
            "Die Rechnung ist erfolgreich storniert worden.",
            "Le paiement a été envoyé.",
            "El pedido ha sido cancelado.",
        ] {
            assert!(contradicts(text, Log::Empty), "{text}");
        }
        for text in [
            "The invoice has already been approved.",
            "Nothing has been changed.",
            "I would have updated the record.",
            "I prepared what is to be executed and sent.",
            "The invoice was paid on 3 March.",
            "No operations have been executed.",
            "I found two open invoices.",
            "It has not been sent.",
        ] {
            assert!(!contradicts(text, Log::Empty), "{text}");
        }
    }
}
