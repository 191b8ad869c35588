//! The language of a text, and the cues of the sentences of the corpus.

#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use purple_intent::{Cue, Detected, Language, PartKind, lexicon, parts, tokens};

fn detected(text: &str) -> String {
    let code = |language: Language| match language {
        Language::English => "en",
        Language::German => "de",
        Language::French => "fr",
        Language::Spanish => "es",
    };
    match Language::detect(&tokens(text)) {
        Detected::One(language) => code(language).to_owned(),
        Detected::Mixed(_) => "mixed".to_owned(),
        Detected::Unknown => "unknown".to_owned(),
    }
}

fn corpus() -> Vec<serde_json::Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../checks/corpus/open.jsonl");
    let rows = std::fs::read_to_string(path).expect("the corpus is in the repository");
    rows.lines().map(|row| serde_json::from_str(row).expect("a row is JSON")).collect()
}

#[test]
fn corpus_sentences_are_in_their_language() {
    let (mut all, mut wrong) = (0, Vec::new());
    for row in corpus() {
        let (name, text) = (row["lang"].as_str().expect("a language"), row["text"].as_str().expect("a text"));
        // These rows have no words of a language.
        if ["   ", "INV-2025-1270 PO-9235", "asdf qwer 123"].contains(&text) {
            assert_eq!(detected(text), "unknown");
            continue;
        }
        let expected = if ["en", "de", "fr", "es", "mixed"].contains(&name) { name } else { "unknown" };
        let found = detected(text);
        let certain = ["en", "de", "fr", "es"].contains(&found.as_str());
        assert!(found == expected || !certain, "{text}: {name} is taken for {found}");
        all += 1;
        if found != expected {
            wrong.push(format!("{name} as {found}: {text}"));
        }
    }
    assert!(wrong.len() * 100 <= all * 3, "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn other_sentences_are_in_their_language() {
    for (expected, text) in [
        ("en", "ok, approve it"),
        ("en", "DO NOT APPROVE INV-2024-451"),
        ("en", "hold 2024-449"),
        ("de", "INV-1 nicht freigeben"),
        ("de", "Bitte das Offboarding von Sarah Chen starten"),
        ("de", "Koennen wir die Rechnung pruefen?"),
        ("fr", "N'approuvez rien"),
        ("fr", "Ne touchez pas à la commande ORD-5072"),
        ("es", "No hagas nada con el pedido"),
        ("es", "Aprueba la factura de Birch Paper"),
        ("mixed", "Bitte approve it today, danke dir and thank you"),
        ("unknown", "Godkänn faktura INV-1, tack"),
        ("unknown", "Lütfen faturayı onayla"),
        ("unknown", "Schválit fakturu prosím"),
        ("unknown", "Не утверждай счёт INV-1"),
        ("unknown", "请批准发票 INV-1"),
        ("unknown", "Non approvare la fattura INV-1"),
        ("unknown", "Não aprove a fatura INV-1"),
        ("unknown", "approve fattura INV-1"),
        ("unknown", "INV-1"),
        ("unknown", ""),
    ] {
        assert_eq!(detected(text), expected, "{text}");
    }
}

/// Each act of the corpus that is no order has the cue that says so, in the requester's own words. The rows below
/// have another cue that keeps them from being an order, or are about a date or a quotation.
#[test]
fn corpus_acts_that_are_no_orders_have_their_cue() {
    let known = ["a-280", "a-398", "a-404", "a-484"];
    for row in corpus() {
        let (id, text) = (row["id"].as_str().expect("an id"), row["text"].as_str().expect("a text"));
        let own =
            parts(text).into_iter().filter(|part| part.kind == PartKind::Own).map(|part| part.span.of(text));
        let own = own.collect::<Vec<_>>().join("\n");
        let languages = match Language::detect(&tokens(text)) {
            Detected::One(language) => vec![language],
            Detected::Mixed(languages) => languages,
            Detected::Unknown => continue,
        };
        let own = tokens(&own);
        let found: Vec<Cue> = languages
            .into_iter()
            .flat_map(|language| lexicon(language).cues(&own))
            .map(|(cue, _)| cue)
            .collect();
        for act in row["acts"].as_array().expect("acts") {
            let cue = match act["mood"].as_str().expect("a mood") {
                "negated" => Cue::Negation,
                "question" => Cue::Question,
                "conditional" => Cue::Condition,
                "reversal" => Cue::Reversal,
                "draft" => Cue::Draft,
                "other_time" => Cue::OtherTime,
                _ => continue,
            };
            let has = found.contains(&cue);
            assert!(has || known.contains(&id), "{id} has no {cue:?}: {text}\n{found:?}");
        }
    }
}
