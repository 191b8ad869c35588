use super::*;
use crate::evidence::{Annotations, Trust};

fn schema() -> Json {
    Json::parse(r#"{"type":"object","properties":{"id":{"type":"string","maxLength":64}}}"#).unwrap()
}

fn tool(name: &str, declared: Declared) -> Tool {
    Tool::new(ToolName::parse(name).unwrap(), &schema(), declared)
}

fn hints(read_only: Option<bool>, destructive: Option<bool>, server: Trust) -> Declared {
    Declared { annotations: Annotations { read_only, destructive }, server, ..Declared::NOTHING }
}

/// How far an effect reaches; a hint that is not trusted never makes it less.
fn reach(effect: Effect) -> u8 {
    match effect {
        Effect::Read | Effect::Compute => 0,
        Effect::Approval => 1,
        Effect::Notify => 2,
        Effect::Write => 3,
    }
}

const NAMES: [(&str, Effect); 5] = [
    ("get_invoice", Effect::Read),
    ("calculate_tax", Effect::Write),
    ("confirm_with_user", Effect::Write),
    ("notify_team", Effect::Notify),
    ("delete_invoice", Effect::Write),
];
const HINTS: [Option<bool>; 3] = [None, Some(false), Some(true)];

#[test]
fn the_review_decides_over_everything_and_a_shipped_manifest_over_the_server() {
    for effect in Effect::ALL {
        for (name, _) in NAMES {
            for server in [Trust::Trusted, Trust::Untrusted] {
                let mut declared = hints(Some(true), Some(true), server);
                declared.shipped = Some(effect);
                let shipped = tool(name, declared);
                assert_eq!((shipped.effect(), shipped.decided_by()), (effect, DecidedBy::Shipped));
                declared.review = Some(effect);
                declared.shipped = Some(Effect::Read);
                let tool = tool(name, declared);
                assert_eq!((tool.effect(), tool.decided_by()), (effect, DecidedBy::Review));
                assert_eq!(tool.reason(), "reviewed by the operator");
                assert!(tool.is_reviewed() && shipped.is_reviewed());
            }
        }
    }
}

#[test]
fn an_untrusted_hint_only_makes_it_stricter() {
    for (name, named) in NAMES {
        for read_only in HINTS {
            for destructive in HINTS {
                let effect = tool(name, hints(read_only, destructive, Trust::Untrusted)).effect();
                assert!(reach(effect) >= reach(named), "{name} {read_only:?} {destructive:?} {effect}");
                if destructive == Some(true) {
                    assert_eq!(effect, Effect::Write, "{name}");
                }
            }
        }
    }
}

#[test]
fn every_combination_of_hints_has_its_class() {
    use Class::{Notify, Read, Unclear, Write};
    let classes = |read_only, destructive, server| {
        NAMES.map(|(name, _)| tool(name, hints(read_only, destructive, server)).class())
    };
    let named = [Read, Unclear, Unclear, Notify, Write];
    for server in [Trust::Untrusted, Trust::Trusted] {
        assert_eq!(classes(None, None, server), named);
        assert_eq!(classes(None, Some(false), server), named);
        assert_eq!(classes(Some(false), None, server), [Write, Write, Write, Notify, Write]);
        assert_eq!(classes(Some(false), Some(false), server), [Write, Write, Write, Notify, Write]);
        for read_only in HINTS {
            assert_eq!(classes(read_only, Some(true), server), [Write; 5]);
        }
    }
    for destructive in [None, Some(false)] {
        assert_eq!(classes(Some(true), destructive, Trust::Untrusted), named);
        assert_eq!(classes(Some(true), destructive, Trust::Trusted), [Read, Read, Read, Notify, Read]);
    }
}

#[test]
fn compute_and_approval_are_only_declared() {
    for (name, _) in NAMES {
        for read_only in HINTS {
            for server in [Trust::Untrusted, Trust::Trusted] {
                let class = tool(name, hints(read_only, None, server)).class();
                assert!(!matches!(class, Class::Compute | Class::Approval), "{name}: {class}");
            }
        }
    }
}

#[test]
fn the_catalogue_shows_what_decided() {
    let by = |name, declared| {
        let tool = tool(name, declared);
        assert!(!tool.is_reviewed());
        (tool.decided_by(), tool.reason().to_owned())
    };
    let nothing = Declared::NOTHING;
    assert_eq!(by("get_x", nothing), (DecidedBy::Definition, "`get` in the name reads".to_owned()));
    assert_eq!(
        by("get_x", hints(Some(false), None, Trust::Untrusted)),
        (DecidedBy::Annotations, "the server itself says that it does not only read".to_owned())
    );
    assert_eq!(
        by("frobnicate", hints(Some(true), None, Trust::Trusted)),
        (DecidedBy::Annotations, "the trusted server says that it only reads".to_owned())
    );
}

fn offered(name: &str, description: &str, schema: &str, declared: Declared) -> Tool {
    let schema = Json::parse(schema).unwrap();
    let offered = Offered { name, description, schema: &schema, vendor: &[] };
    Tool::of_server(ToolName::parse("tool").unwrap(), offered, declared)
}

const URL: &str = r#"{"properties":{"url":{"type":"string"}}}"#;
const SQL: &str = r#"{"properties":{"sql":{"type":"string"}}}"#;

#[test]
fn a_description_only_makes_it_stricter() {
    let plain = |text| offered("get_job", text, "{}", Declared::NOTHING).class();
    assert_eq!(plain("Gets the next job"), Class::Read);
    assert_eq!(plain("Gets the next job and removes it"), Class::Write);
    assert_eq!(offered("delete_job", "Gets a job", "{}", Declared::NOTHING).class(), Class::Write);
    assert_eq!(
        offered("job_status", "Shows the status of a job", "{}", Declared::NOTHING).class(),
        Class::Read
    );
    assert_eq!(offered("job_pop", "Gets the next job", "{}", Declared::NOTHING).class(), Class::Unclear);
}

#[test]
fn no_hint_makes_an_address_or_a_program_harmless() {
    for schema in [URL, SQL, r#"{"properties":{"script":{"type":"string"}}}"#] {
        for server in [Trust::Untrusted, Trust::Trusted] {
            let tool = offered("get_page", "", schema, hints(Some(true), Some(false), server));
            assert_eq!(tool.class(), Class::Unclear, "{schema}");
        }
    }
}

#[test]
fn a_pin_changes_with_name_schema_and_effect() {
    let pin = |name: &str, schema: &str, effect| {
        let declared = Declared { review: Some(effect), ..Declared::NOTHING };
        Tool::new(ToolName::parse(name).unwrap(), &Json::parse(schema).unwrap(), declared).pin()
    };
    let first = pin("a", r#"{"x":1,"y":2}"#, Effect::Read);
    assert_eq!(pin("a", r#"{ "y": 2.0, "x": 1e0 }"#, Effect::Read), first);
    assert_ne!(pin("b", r#"{"x":1,"y":2}"#, Effect::Read), first);
    assert_ne!(pin("a", r#"{"x":1,"y":3}"#, Effect::Read), first);
    assert_ne!(pin("a", r#"{"x":"1","y":2}"#, Effect::Read), first);
    assert_ne!(pin("a", r#"{"x":1,"y":2}"#, Effect::Write), first);
}

#[test]
fn a_call_takes_effect_and_pin_from_the_catalogue() {
    let tool = tool("delete_invoice", Declared::NOTHING);
    let arguments = Values::from([("id".to_owned(), Json::from("INV-1"))]);
    let call = Call::new(&tool, arguments.clone());
    assert_eq!(
        (call.tool(), call.effect(), call.pin(), call.arguments()),
        (tool.name(), Effect::Write, tool.pin(), &arguments)
    );
}

#[test]
fn a_tool_with_its_server_in_its_name_is_judged_by_its_own() {
    for (own, effect) in NAMES {
        let name = ToolName::parse(&format!("books__{own}")).unwrap();
        let schema = schema();
        let offered = Offered { name: own, description: "", schema: &schema, vendor: &[] };
        let tool = Tool::of_server(name.clone(), offered, Declared::NOTHING);
        assert_eq!((tool.effect(), tool.name()), (effect, &name));
    }
}

fn sql(text: &str) -> Values {
    Values::from([("sql".to_owned(), Json::from(text))])
}

#[test]
fn a_statement_decides_each_call_of_a_tool_that_reads() {
    let query = offered("query_rows", "Run a SQL query", SQL, Declared::NOTHING);
    assert_eq!((query.class(), query.effect()), (Class::Unclear, Effect::Write));
    for (text, effect) in [("SELECT 1", Effect::Read), ("DELETE FROM t", Effect::Write), ("", Effect::Write)]
    {
        assert_eq!(Call::new(&query, sql(text)).effect(), effect, "{text}");
    }
    assert_eq!(query.effect_of(&Values::new()), Effect::Write);
    let odd = Values::from([("sql".to_owned(), Json::Bool(true))]);
    assert_eq!(query.effect_of(&odd), Effect::Write);
    assert!(query.may(Effect::Read) && query.may(Effect::Write) && !query.may(Effect::Notify));
    // What the schema does not name may be what the server runs.
    for undeclared in ["query", "SQL", "x"] {
        let mut arguments = sql("SELECT 1");
        arguments.insert(undeclared.to_owned(), Json::from("DELETE FROM t"));
        assert_eq!(query.effect_of(&arguments), Effect::Write, "{undeclared}");
        let decided = query.clone().decided_per_call(
            &Json::parse(SQL).unwrap(),
            vec![("sql".to_owned(), ByArgument::Text(crate::parameter::Language::Sql))],
        );
        assert_eq!(decided.effect_of(&arguments), Effect::Write, "{undeclared}");
    }
    let limited = offered(
        "query_rows",
        "",
        r#"{"properties":{"sql":{"type":"string"},"limit":{"type":"integer"}}}"#,
        Declared::NOTHING,
    );
    let mut arguments = sql("SELECT 1");
    arguments.insert("limit".to_owned(), Json::from("5"));
    assert_eq!(limited.effect_of(&arguments), Effect::Read);
    let both = r#"{"properties":{"sql":{"type":"string"},"callback_url":{"type":"string"}}}"#;
    let other = offered("query_rows", "", both, Declared::NOTHING);
    assert_eq!(other.effect_of(&sql("SELECT 1")), Effect::Write, "the other argument is not judged");
}

#[test]
fn the_name_of_an_operation_is_no_text_of_a_language() {
    let schema = r#"{"properties":{"query":{"type":"string"},"operationName":{"type":"string"}}}"#;
    let tool = offered("query_graphql", "Runs a GraphQL query.", schema, Declared::NOTHING);
    let call = |query: &str| {
        let named = [("query", query), ("operationName", "B")];
        Values::from(named.map(|(name, text)| (name.to_owned(), Json::from(text))))
    };
    assert_eq!(tool.effect_of(&call("query A { a } query B { b }")), Effect::Read);
    assert_eq!(tool.effect_of(&call("query A { a } mutation B { b }")), Effect::Write);
    let alone = Values::from([("operationName".to_owned(), Json::from("{ a }"))]);
    assert_eq!(tool.effect_of(&alone), Effect::Write);
}

#[test]
fn a_write_stays_one_whatever_its_sql_says_unless_the_operator_lets_the_text_decide() {
    let write = offered("execute_sql", "", SQL, Declared::NOTHING);
    assert_eq!(write.effect_of(&sql("SELECT 1")), Effect::Write);
    let schema = Json::parse(SQL).unwrap();
    let by = vec![("sql".to_owned(), ByArgument::Text(crate::parameter::Language::Sql))];
    let decided = write.clone().decided_per_call(&schema, by);
    assert_eq!(decided.effect_of(&sql("SELECT 1")), Effect::Read);
    assert_eq!(decided.effect_of(&sql("SELECT 1; DROP TABLE t")), Effect::Write);
    assert_eq!((decided.effect(), decided.decided_by()), (Effect::Write, DecidedBy::Review));
    assert_ne!(decided.pin(), write.pin());
}

#[test]
fn a_tool_that_fetches_reads_only_from_the_hosts_that_the_operator_allows() {
    let schema = Json::parse(URL).unwrap();
    let offer = Offered { name: "fetch", description: "", schema: &schema, vendor: &[] };
    let hosts = |host| vec![crate::HostPattern::parse(host).unwrap()];
    let fetch = offered("fetch", "", URL, Declared::NOTHING);
    let url = |url: &str| Values::from([("url".to_owned(), Json::from(url))]);
    assert_eq!(
        (fetch.class(), fetch.effect_of(&url("https://docs.example.com/"))),
        (Class::Unclear, Effect::Write)
    );
    let allowed = fetch.clone().reaching(offer, &hosts("*.example.com"));
    assert_eq!(allowed.effect_of(&url("https://docs.example.com/")), Effect::Read);
    assert_eq!(allowed.effect_of(&url("https://example.org/")), Effect::Write);
    let two = Json::List(vec![Json::from("https://a.example.com"), Json::from("https://b.org")]);
    let two = Values::from([("url".to_owned(), two)]);
    assert_eq!(allowed.effect_of(&two), Effect::Write, "every one of them counts");
    assert_ne!(allowed.pin(), fetch.clone().reaching(offer, &hosts("*.example.org")).pin());
    let also = Json::parse(r#"{"properties":{"url":{"type":"string"},"body":{"type":"string"}}}"#).unwrap();
    let other = fetch.reaching(Offered { schema: &also, ..offer }, &hosts("*.example.com"));
    assert_eq!(other.class(), Class::Unclear, "a body can change something at an allowed host");
}

#[test]
fn a_process_file_settles_what_nothing_else_does() {
    let class = |name: &str, description: &str, declared: Declared| {
        let offered = Offered { name, description, schema: &schema(), vendor: &[] };
        let tool = Tool::of_server(ToolName::parse(name).unwrap(), offered, declared);
        (tool.class(), tool.decided_by())
    };
    let told = |hints: Declared| Declared { file: Some(Effect::Notify), ..hints };
    let plain = Declared::NOTHING;
    let honest = hints(Some(false), Some(false), Trust::Untrusted);
    assert_eq!(class("schedule_pick_up", "", plain).0, Class::Unclear);
    for open in [told(plain), told(honest)] {
        assert_eq!(class("schedule_pick_up", "", open), (Class::Notify, DecidedBy::File));
    }
    let does = Declared { file: Some(Effect::Write), ..plain };
    assert_eq!(class("schedule_pick_up", "", does), (Class::Write, DecidedBy::File));
    // It loosens nothing that speaks for more, and proves no read.
    for (name, description, declared) in [
        ("delete_pick_up", "", told(plain)),
        ("schedule_payment", "", told(plain)),
        ("schedule_pick_up", "Deletes the account.", told(plain)),
        ("schedule_pick_up", "Deletes the account.", told(honest)),
        ("schedule_pick_up", "", told(hints(None, Some(true), Trust::Untrusted))),
        ("schedule_pick_up", "", Declared { review: Some(Effect::Write), ..told(plain) }),
    ] {
        assert_eq!(class(name, description, declared).0, Class::Write, "{name}: {description}");
    }
    for effect in [Effect::Read, Effect::Compute, Effect::Approval] {
        let read = Declared { file: Some(effect), ..plain };
        assert_eq!(class("schedule_pick_up", "", read), (Class::Unclear, DecidedBy::Definition));
    }
}
