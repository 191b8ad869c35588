//! Changes of the items of an order: what is said exactly is read, everything else is unclear.

use purple_intent::item_changes;
use purple_intent::value::Notation;

/// The changes of a text as `+2 Widget B, -1 Hub`; `unclear: …` with the words that are not exact.
fn changes(text: &str) -> String {
    let prefixes = ["ORD", "C"].map(str::to_owned).to_vec();
    match item_changes(text, &Notation { prefixes, ..Notation::default() }, &[]) {
        Ok(changes) => {
            let sign = |name: &str| if name == "add" { '+' } else { '-' };
            let one = changes
                .iter()
                .map(|change| format!("{}{} {}", sign(change.action.name()), change.quantity, change.item));
            one.collect::<Vec<_>>().join(", ")
        }
        Err(span) => format!("unclear: {}", span.of(text)),
    }
}

#[track_caller]
fn are(rows: &[(&str, &str)]) {
    let read = rows.iter().map(|(text, expected)| (changes(text), expected, text));
    let wrong: Vec<_> = read.filter(|(found, expected, _)| found != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn verbs_say_what_is_added_and_removed() {
    are(&[
        ("Remove 3x Widget A, add 2x Widget B.", "-3 Widget A, +2 Widget B"),
        ("Take 3 Widget A off ORD-5592 and put 2 Widget B on it.", "-3 Widget A, +2 Widget B"),
        ("Drop one Hub Pro and 2 Case from ORD-7, then add a Charger.", "-1 Hub Pro, -2 Case, +1 Charger"),
        ("Please throw in another Lamp.", "+1 Lamp"),
        ("Make sure that 2x Widget B gets added to order ORD-7.", "+2 Widget B"),
        ("Add to order ORD-7:\n- 2 Desk\n- 1 Chair", "unclear: 2 Desk"),
    ]);
}

#[test]
fn verbs_at_the_end_and_other_languages_are_read() {
    are(&[
        ("Bitte drei Lampe und zwei Hub Pro aus ORD-7 entfernen.", "-3 Lampe, -2 Hub Pro"),
        ("1x Widget A entfernen, 2x Widget B hinzufügen.", "-1 Widget A, +2 Widget B"),
        ("Nimm bei ORD-7 drei Bracket raus.", "-3 Bracket"),
        ("Fügen Sie der Bestellung ORD-7 bitte zwei Stück Widget B hinzu.", "+2 Widget B"),
        ("Ajoutez trois Widget B à la commande ORD-7 et retirez un Hub.", "+3 Widget B, -1 Hub"),
        ("Quite dos unidades de Mesa del pedido ORD-7 y añada una de Hub Pro.", "-2 Mesa, +1 Hub Pro"),
    ]);
}

#[test]
fn signs_in_words_and_what_goes_in_or_out_are_read() {
    are(&[
        ("Please amend order ORD-7: minus 1 Widget A, plus 1 Widget B.", "-1 Widget A, +1 Widget B"),
        ("Change ORD-7: six Case out, six Charger in.", "-6 Case, +6 Charger"),
        ("Amend ORD-7, two Widget C out and one Hub Pro in", "-2 Widget C, +1 Hub Pro"),
        ("ORD-7 ändern: zwei Widget C raus, ein Hub Pro rein.", "-2 Widget C, +1 Hub Pro"),
        // "plus" is also "and", and "in" leads to a place.
        ("Remove 1 Widget A, plus 1 Widget B.", "unclear: 1 Widget B"),
        ("Remove 1 Widget A plus 1 Widget B.", "unclear: 1 Widget B"),
        ("Add 1 Widget A, minus 1 Widget B.", "+1 Widget A, -1 Widget B"),
        ("Change ORD-7: 2 Hub in the box.", "unclear: 2 Hub"),
        ("Remove 2 Hub in, 3 Lamp out.", "unclear: 2 Hub in"),
    ]);
}

#[test]
fn what_somebody_is_said_to_want_is_part_of_the_order() {
    are(&[
        ("They need three more Hub Pro on ORD 5072, put them on please.", "+3 Hub Pro"),
        ("I'd like ORD-7 to have one Lamp less and one Hub more, please arrange that.", "-1 Lamp, +1 Hub"),
        ("Er braucht zwei Widget C mehr und ein Hub Pro weniger. Bitte anpassen.", "+2 Widget C, -1 Hub Pro"),
        ("They added 5 more Hub. Remove 3 Lamp.", "unclear: 5 more Hub"),
        ("They do not need 5 more Hub. Remove 3 Lamp.", "unclear: 5 more Hub"),
    ]);
}

#[test]
fn numbers_have_many_notations() {
    are(&[
        ("Add a dozen Widget B to ORD-7.", "+12 Widget B"),
        ("Add two dozen Widget B to ORD-7.", "+24 Widget B"),
        ("Add one (1) Hub.", "+1 Hub"),
        ("Add Widget B x2 and Lamp x 3.", "+2 Widget B, +3 Lamp"),
        ("Change ORD-7: +10 Cable 2 m, -10 Cable 5 m", "+10 Cable 2 m, -10 Cable 5 m"),
        ("Increase the quantity of Widget A on ORD-7 by 2.", "+2 Widget A"),
        ("Reduziere die Menge von Lampe in ORD-7 um drei.", "-3 Lampe"),
    ]);
}

#[test]
fn comparisons_and_replacements_have_a_direction() {
    are(&[
        ("Put two more Hub Pro on ORD-7.", "+2 Hub Pro"),
        ("Modify ORD-7, one Widget B fewer.", "-1 Widget B"),
        ("Replace 2 Widget A with 1 Widget B on ORD-7.", "-2 Widget A, +1 Widget B"),
        ("Replace 2 Widget A with Widget B.", "-2 Widget A, +2 Widget B"),
        ("Add 3 Hub to ORD-7, no, make that 2 Hub.", "+2 Hub"),
        ("Swap 1 Hub for 1 Lamp and 2 Case for 3 Mount.", "-1 Hub, +1 Lamp, -2 Case, +3 Mount"),
        ("Bitte 4 Hub durch 4 Hub Pro ersetzen.", "-4 Hub, +4 Hub Pro"),
        ("Remplacez 2 Case par 3 Hub dans la commande ORD-7.", "-2 Case, +3 Hub"),
    ]);
}

#[test]
fn what_is_not_said_exactly_is_unclear() {
    are(&[
        ("Substitute 2 Widget A for 1 Widget B.", "unclear: 2 Widget A"),
        ("Last week they added 5 Widget B. Please remove 3 Widget A.", "unclear: 5 Widget B"),
        ("The order has 5 Widget A. Remove 2 Widget A.", "unclear: 5 Widget A"),
        ("Add 2 Hub and check 3 Mount.", "unclear: 3 Mount"),
        ("Remove 2 more Hub, one Lamp more.", "unclear: 2 more Hub"),
        ("Add 3 Hub to ORD-7, and 2 Hub.", "unclear: 2 Hub"),
        ("Remove up to 3 Lamp from ORD-7.", "unclear: 3 Lamp"),
        ("Add about 20 Lamp to ORD-7.", "unclear: 20 Lamp"),
        ("Remove half a dozen Lamp from ORD-7.", "unclear: a dozen Lamp"),
        ("Add 2 Lamp or 3 Hub to ORD-7.", "unclear: 2 Lamp"),
        ("Add 2 Lamp per week to ORD-7.", "unclear: 2 Lamp"),
        ("Remove 2 of the 5 Lamp from ORD-7.", "unclear: 5 Lamp"),
        ("Bitte höchstens 3 Lampe aus ORD-7 entfernen.", "unclear: 3 Lampe"),
        ("Remove 2 Widgets from ORD-7.", "unclear: 2 Widgets"),
        ("Remove the batteries from ORD-7.", ""),
        ("Add 2 lamps.", ""),
    ]);
}

#[test]
fn known_items_are_found_in_lower_case_and_in_the_plural() {
    let items = ["Bracket", "Hub", "Hub Pro", "Cable 2 m", "Charger"];
    let notation = || Notation { prefixes: vec!["ORD".to_owned()], ..Notation::default() };
    let changes = |text: &str| {
        let changes = item_changes(text, &notation(), &items).unwrap_or_default();
        changes
            .iter()
            .map(|one| format!("{} {} {}", one.action.name(), one.quantity, one.item))
            .collect::<Vec<_>>()
    };
    for (text, expected) in [
        ("please take two brackets off ord-7", &["remove 2 Bracket"][..]),
        ("Put two more chargers on order ORD-7.", &["add 2 Charger"]),
        ("Exchange one hub for one Hub Pro on ORD-7.", &["remove 1 Hub", "add 1 Hub Pro"]),
        ("Add four extra cables 2 m to ORD-7.", &["add 4 Cable 2 m"]),
        ("Add 2 gadgets to ORD-7.", &[]),
        ("Add 2 Hub Max to ORD-7.", &["add 2 Hub Max"]),
    ] {
        assert_eq!(changes(text), expected, "{text}");
    }
}
