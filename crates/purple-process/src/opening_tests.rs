use super::*;

#[track_caller]
fn main_of_text(text: &str) -> Main {
    Opening::of(text).main
}

#[test]
fn the_verb_of_the_first_sentence_is_found() {
    for (text, verb) in [
        ("Gets the account.", "get"),
        ("This tool allows you to search for users", "search"),
        ("🎯 Purpose:\n 1. Retrieves a record by ID.", "retrieve"),
        ("Recursively list files", "list"),
        ("Performs a web search", "search"),
        ("Use this tool to get the weather", "get"),
        ("Whether the vendor is active", "whether"),
        ("Looks up a vendor.", "look"),
    ] {
        assert_eq!(main_of_text(text), Main::Reads(verb), "{text}");
    }
    for text in
        ["Payment terms of a vendor", "tax rates", "The open orders of a customer", "Order history", "Terms"]
    {
        assert_eq!(main_of_text(text), Main::Phrase, "{text}");
    }
    assert_eq!(main_of_text(""), Main::Nothing);
    for text in [
        "Files the report.",
        "Expunges.",
        "Credits the account.",
        "Books hours.",
        "Gets rid of a customer.",
        "Checks in the guest.",
        "Bill the customer.",
        "Performs the transfer.",
        "Zaps it",
    ] {
        assert!(matches!(main_of_text(text), Main::Other(_)), "{text}: {:?}", main_of_text(text));
    }
}

#[test]
fn another_verb_leaves_a_doubt_wherever_it_stands() {
    for text in [
        "Finds and fixes.",
        "Finds the customer and credits the account.",
        "Find the customer and credit the account.",
        "Lists open orders and fulfills them.",
        "Fetches mail; the server then forgets it.",
        "Gets the order. Also elevates the customer.",
        "Gets the invoice paid.",
    ] {
        assert!(Opening::of(text).doubt.is_some(), "{text}");
    }
    for text in [
        "Lists customers and orders.",
        "Returns the rows and the columns of a table.",
        "Get all customers and their orders. Supports paging.",
        "Shows changes that are staged for commit",
        "Search and filter events. Returns the newest first.",
    ] {
        assert_eq!(Opening::of(text).doubt, None, "{text}");
    }
}

#[test]
fn one_thing_that_is_listed_may_be_put_up() {
    assert!(Opening::of("Lists an item on the marketplace for sale.").lists_one);
    assert!(!Opening::of("Lists the items of an order.").lists_one);
    assert!(!Opening::of("List a user's orders").lists_one);
}

#[test]
fn what_a_sentence_reads_is_named_in_either_number() {
    let opening = Opening::of("Lists the frobs of a gizmo to rebalance and fulfill");
    assert!(opening.names("frob") && opening.names("gizmos") && !opening.names("rebalance"));
    assert!(!opening.names("fulfill"));
    assert!(!Opening::of("Zaps the frobs").names("frob"));
    assert!(Opening::of("Returns all environment variables").tells_secrets());
    assert!(!Opening::of("Searches documents about API keys").tells_secrets());
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_answered(text in "\\PC{0,200}") {
            let _ = Opening::of(&text);
        }
    }
}
