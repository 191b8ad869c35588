use super::*;

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

fn winner(text: &str, candidates: &[(&'static str, &[&str], bool)]) -> Option<&'static str> {
    let owned: Vec<_> =
        candidates.iter().map(|(name, keywords, found)| (*name, words(keywords), *found)).collect();
    let candidates: Vec<_> = owned
        .iter()
        .map(|(name, keywords, inputs_found)| Candidate { name, keywords, inputs_found: *inputs_found })
        .collect();
    let name = classify(text, &candidates).map(|classified| classified.name.to_owned())?;
    owned.iter().map(|(known, ..)| *known).find(|known| *known == name)
}

#[test]
fn the_highest_score_wins() {
    let candidates: &[(&str, &[&str], bool)] =
        &[("procurement", &["vendor", "contract"], true), ("sla", &["sla", "uptime", "credit"], false)];
    let text = "Vendor X had 99.1% uptime against 99.9% SLA. Calculate credit per contract.";
    assert_eq!(winner(text, candidates), Some("sla"));
}

#[test]
fn a_tie_goes_to_the_one_that_finds_all_its_inputs() {
    let candidates: &[(&str, &[&str], bool)] =
        &[("short", &["order"], false), ("long", &["order", "cart", "item"], true)];
    assert_eq!(winner("change my order", candidates), Some("long"));
}

#[test]
fn the_next_tie_goes_to_the_shorter_keyword_list() {
    let candidates: &[(&str, &[&str], bool)] =
        &[("long", &["order", "cart", "item"], true), ("short", &["order"], true)];
    assert_eq!(winner("change my order", candidates), Some("short"));
}

#[test]
fn no_hit_is_nobody() {
    assert_eq!(winner("water the plants", &[("orders", &["order"], true)]), None);
    assert_eq!(winner("", &[("orders", &["order"], true)]), None);
    assert_eq!(winner("order", &[("none", &[], true)]), None);
}

#[test]
fn keywords_are_whole_words_and_may_be_plural() {
    let orders: &[(&str, &[&str], bool)] = &[("orders", &["order"], true)];
    assert_eq!(winner("two Orders, please", orders), Some("orders"));
    assert_eq!(winner("put them in ascending ordering", orders), None);
    assert_eq!(winner("a reorder", orders), None);
    let expenses: &[(&str, &[&str], bool)] = &[("expenses", &["last day", "p&l", "month-end"], true)];
    assert_eq!(winner("(last day Friday)", expenses), Some("expenses"));
    assert_eq!(winner("day last", expenses), None);
    assert_eq!(winner("the P&L.", expenses), Some("expenses"));
    assert_eq!(winner("month-end", expenses), Some("expenses"));
    assert_eq!(winner("two batches", &[("b", &["batch"], true)]), Some("b"));
}

#[test]
fn the_words_that_hit_are_named() {
    let keywords = words(&["sla", "uptime", "credit"]);
    let candidate = Candidate { name: "sla", keywords: &keywords, inputs_found: false };
    assert_eq!(classify("uptime and SLA", &[candidate]).unwrap().hits, ["sla", "uptime"]);
}

#[test]
fn pure_questions_are_recognised() {
    for text in [
        "What is the status of INV-1?",
        "Show me invoice INV-1",
        "find the owner of CTR-4",
        "List open tickets",
        "Please show me PO-7",
    ] {
        assert_eq!(is_question(text), Some(Arithmetic::None), "{text}");
    }
    for text in [
        "What is the total of open invoices?",
        "list the average days overdue",
        "How many tickets are open?",
        "what is 3% of that",
    ] {
        assert_eq!(is_question(text), Some(Arithmetic::Needed), "{text}");
    }
}

#[test]
fn an_action_verb_makes_it_a_task() {
    for text in [
        "Find invoice INV-1 and approve it",
        "show me the order and cancel it",
        "List the claims, then pay them",
        "Approve INV-1",
        "Start offboarding for E-1",
    ] {
        assert_eq!(is_question(text), None, "{text}");
    }
}

#[test]
fn a_noun_is_no_action() {
    assert_eq!(is_question("What is the credit of V-1?"), Some(Arithmetic::None));
    assert_eq!(is_question("Show me our refund policy"), Some(Arithmetic::None));
    assert_eq!(is_question("Find the charge and refund it"), None);
}

#[test]
fn a_huge_text_is_classified_quickly() {
    let text = "order ".repeat(1_000_000);
    assert_eq!(winner(&text, &[("orders", &["order"], true)]), Some("orders"));
}
