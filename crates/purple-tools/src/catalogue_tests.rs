use serde_json::json;

use super::*;

fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("does {name}"), "inputSchema": {"type": "object"}})
}

fn offer(server: usize, tools: Vec<Value>) -> Offer {
    Offer { server, name: ["books", "post", "shop"][server].to_owned(), version: None, tools: Ok(tools) }
}

fn down(server: usize) -> Offer {
    Offer { tools: Err("it is down".to_owned()), ..offer(server, vec![]) }
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[track_caller]
fn routed(catalogue: &Catalogue, name: &str) -> (usize, String) {
    let route = catalogue.route(&ToolName::parse(name).unwrap()).unwrap();
    (route.server, route.tool.clone())
}

#[test]
fn a_definition_is_read_in_both_spellings() {
    let mcp = json!({"name": "a", "description": "x", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": true, "destructiveHint": "yes"}});
    let read_one = read("books", &mcp).unwrap();
    assert_eq!(read_one.annotations, Annotations { read_only: Some(true), destructive: None });
    assert!(read_one.output_schema.is_some());
    let bridge = json!({"name": "a", "input_schema": {"type": "object", "required": ["b"]}});
    let read_one = read("books", &bridge).unwrap();
    assert_eq!((read_one.server.as_str(), read_one.description.for_work().as_str()), ("books", ""));
    assert_eq!(read_one.input_schema, bridge["input_schema"]);
}

#[test]
fn a_bad_definition_is_left_out_and_the_others_stay() {
    let long = json!({"name": "long", "inputSchema": {"x": "y".repeat(DEFINITION_BYTES_MAX)}});
    let tools = vec![
        tool("b"),
        json!({"name": "no_schema"}),
        json!({"name": "odd_schema", "inputSchema": "object"}),
        json!({"name": "two words", "inputSchema": {}}),
        json!({"inputSchema": {}}),
        json!(7),
        json!({"name": "b", "inputSchema": {"other": 1}}),
        long,
        tool("a"),
    ];
    let listing = Catalogue::default().update(vec![offer(0, tools)]);
    assert_eq!(names(&listing), ["a", "b"]);
    assert_eq!(listing.tools[1].input_schema, json!({"type": "object"}), "the first one of a name stays");
    let reasons = listing.left_out.join("\n");
    assert_eq!(listing.left_out.len(), 7, "{reasons}");
    for part in [
        "`no_schema`: it has no schema",
        "tool 4 `two words`: ",
        "tool 6 ``: it has no name",
        "`b`: the name comes twice",
    ] {
        assert!(reasons.contains(part), "{part}: {reasons}");
    }
}

#[test]
fn names_that_collide_carry_their_server_and_no_others_do() {
    let mut catalogue = Catalogue::default();
    let listing = catalogue.update(vec![
        offer(0, vec![tool("send"), tool("get_invoice")]),
        offer(1, vec![tool("send"), tool("stamp")]),
    ]);
    assert_eq!(names(&listing), ["books__send", "get_invoice", "post__send", "stamp"]);
    assert_eq!(routed(&catalogue, "post__send"), (1, "send".to_owned()));
    assert_eq!(routed(&catalogue, "stamp"), (1, "stamp".to_owned()));
    assert!(catalogue.route(&ToolName::parse("send").unwrap()).is_none());
}

#[test]
fn a_server_that_is_down_keeps_its_names() {
    let mut catalogue = Catalogue::default();
    catalogue.update(vec![offer(0, vec![tool("send")]), offer(1, vec![tool("stamp")])]);
    let listing = catalogue.update(vec![down(0), offer(1, vec![tool("send"), tool("stamp")])]);
    assert_eq!(
        names(&listing),
        ["post__send", "stamp"],
        "`send` was never the name of another server's tool"
    );
    assert_eq!(listing.left_out, ["`books`: it is down"]);
    assert_eq!(routed(&catalogue, "books__send"), (0, "send".to_owned()));
}

#[test]
fn a_made_name_takes_no_other_tools_name() {
    let listing = Catalogue::default()
        .update(vec![offer(0, vec![tool("send")]), offer(1, vec![tool("send"), tool("books__send")])]);
    assert_eq!(names(&listing), ["books__send", "post__send"]);
    assert_eq!(listing.left_out, ["`post`: `books__send` is the name of another tool"]);
}

#[test]
fn a_name_with_its_server_leads_there_even_while_the_other_server_is_unknown() {
    let mut catalogue = Catalogue::default();
    let listing = catalogue.update(vec![offer(0, vec![tool("send")])]);
    assert_eq!(routed(&catalogue, "books__send"), (0, "send".to_owned()));
    let pinned = Definition { name: ToolName::parse("books__send").unwrap(), ..listing.tools[0].clone() };
    assert_eq!(catalogue.difference(0, &pinned), None);
    catalogue.update(vec![offer(1, vec![tool("send")])]);
    assert_eq!(catalogue.difference(0, &pinned), None);
    let shadowed = catalogue.difference(0, &listing.tools[0]).unwrap();
    assert_eq!(shadowed, "another server offers a tool of its name now");
}

#[test]
fn a_name_that_begins_like_another_server_is_not_offered_whichever_is_up_first() {
    let names_of = |listing: &Listing| names(listing).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let literal = || offer(0, vec![tool("post__send"), tool("get_invoice")]);
    let servers = || Catalogue::of(["books", "post"].map(str::to_owned).into_iter());
    let mut down_first = servers();
    assert_eq!(names_of(&down_first.update(vec![literal(), down(1)])), ["get_invoice"]);
    let mut up_first = servers();
    let listing = up_first.update(vec![literal(), offer(1, vec![tool("send")])]);
    assert_eq!(names_of(&listing), ["get_invoice", "send"]);
    assert_eq!(routed(&up_first, "post__send"), (1, "send".to_owned()));
    // One that begins like its own server is told apart from the tool of the rest of its name.
    let mut own = servers();
    let listing = own.update(vec![offer(0, vec![tool("books__send"), tool("send")])]);
    assert_eq!(names_of(&listing), ["books__books__send", "send"]);
    assert_eq!(listing.tools[0].own_name(), "books__send");
    assert_eq!(routed(&own, "books__books__send"), (0, "books__send".to_owned()));
}
