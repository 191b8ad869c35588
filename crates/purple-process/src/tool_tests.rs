use super::*;

fn schema() -> Json {
    Json::parse(r#"{"type":"object","properties":{"id":{"type":"string","maxLength":64}}}"#).unwrap()
}

fn tool(name: &str, declared: Declared) -> Tool {
    Tool::new(ToolName::parse(name).unwrap(), &schema(), declared)
}

fn hints(read_only: Option<bool>, destructive: Option<bool>, server: Trust) -> Declared {
    Declared { manifest: None, annotations: Annotations { read_only, destructive }, server }
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
    ("calculate_tax", Effect::Compute),
    ("confirm_with_user", Effect::Approval),
    ("notify_team", Effect::Notify),
    ("delete_invoice", Effect::Write),
];
const HINTS: [Option<bool>; 3] = [None, Some(false), Some(true)];

#[test]
fn the_manifest_decides_over_everything() {
    for effect in Effect::ALL {
        for (name, _) in NAMES {
            for server in [Trust::Trusted, Trust::Untrusted] {
                let mut declared = hints(Some(true), Some(true), server);
                declared.manifest = Some(effect);
                let tool = tool(name, declared);
                assert_eq!((tool.effect(), tool.decided_by()), (effect, DecidedBy::Manifest));
                assert_eq!(tool.reason(), "declared by the operator");
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
fn every_combination_of_hints_has_its_effect() {
    use Effect::{Approval, Compute, Notify, Read, Write};
    let effects = |read_only, destructive, server| {
        NAMES.map(|(name, _)| tool(name, hints(read_only, destructive, server)).effect())
    };
    let named = [Read, Compute, Approval, Notify, Write];
    for server in [Trust::Untrusted, Trust::Trusted] {
        assert_eq!(effects(None, None, server), named);
        assert_eq!(effects(None, Some(false), server), named);
        assert_eq!(effects(Some(false), None, server), [Write, Write, Approval, Notify, Write]);
        assert_eq!(effects(Some(false), Some(false), server), [Write, Write, Approval, Notify, Write]);
        for read_only in HINTS {
            assert_eq!(effects(read_only, Some(true), server), [Write; 5]);
        }
    }
    for destructive in [None, Some(false)] {
        assert_eq!(effects(Some(true), destructive, Trust::Untrusted), named);
        assert_eq!(effects(Some(true), destructive, Trust::Trusted), [Read, Compute, Approval, Notify, Read]);
    }
}

#[test]
fn the_catalogue_shows_what_decided() {
    let by = |name, declared| {
        let tool = tool(name, declared);
        (tool.decided_by(), tool.reason().to_owned())
    };
    let nothing = Declared::NOTHING;
    assert_eq!(by("get_x", nothing), (DecidedBy::Name, "the name begins with `get`, which reads".to_owned()));
    assert_eq!(
        by("get_x", hints(Some(false), None, Trust::Untrusted)),
        (DecidedBy::Annotations, "the server itself says that it does not only read".to_owned())
    );
    assert_eq!(
        by("frobnicate", hints(Some(true), None, Trust::Trusted)),
        (DecidedBy::Annotations, "the trusted server says that it only reads".to_owned())
    );
    assert_eq!(
        by("notify_team", hints(None, Some(true), Trust::Trusted)),
        (DecidedBy::Annotations, "the server itself says that it destroys".to_owned())
    );
}

#[test]
fn a_pin_changes_with_name_schema_and_effect() {
    let pin = |name: &str, schema: &str, effect| {
        let declared = Declared { manifest: Some(effect), ..Declared::NOTHING };
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
        let tool = Tool::of_server(name.clone(), own, &schema(), Declared::NOTHING);
        assert_eq!((tool.effect(), tool.name()), (effect, &name));
    }
}

fn sql(text: &str) -> Values {
    Values::from([("sql".to_owned(), Json::from(text))])
}

#[test]
fn sql_that_does_not_plainly_read_makes_the_call_of_a_read_a_write() {
    let query = tool("query", Declared::NOTHING).with_sql(&schema(), BySql::Raises, vec!["sql".to_owned()]);
    assert_eq!(query.effect(), Effect::Read);
    assert_eq!(query.pin(), tool("query", Declared::NOTHING).pin());
    for (text, effect) in [("SELECT 1", Effect::Read), ("DELETE FROM t", Effect::Write), ("", Effect::Write)]
    {
        assert_eq!(Call::new(&query, sql(text)).effect(), effect, "{text}");
    }
    assert_eq!(query.effect_of(&Values::new()), Effect::Write);
    let odd = Values::from([("sql".to_owned(), Json::Bool(true))]);
    assert_eq!(query.effect_of(&odd), Effect::Write);
    assert!(query.may(Effect::Read) && query.may(Effect::Write) && !query.may(Effect::Notify));
}

#[test]
fn a_write_stays_one_whatever_its_sql_says_unless_the_operator_lets_the_text_decide() {
    let by = |by| tool("execute_sql", Declared::NOTHING).with_sql(&schema(), by, vec!["sql".to_owned()]);
    assert_eq!(by(BySql::Raises).effect_of(&sql("SELECT 1")), Effect::Write);
    let decided = by(BySql::Decides);
    assert_eq!(decided.effect_of(&sql("SELECT 1")), Effect::Read);
    assert_eq!(decided.effect_of(&sql("SELECT 1; DROP TABLE t")), Effect::Write);
    assert_eq!((decided.effect(), decided.decided_by()), (Effect::Write, DecidedBy::Manifest));
    assert_ne!(decided.pin(), by(BySql::Raises).pin());
    let reader =
        tool("get_rows", Declared::NOTHING).with_sql(&schema(), BySql::Decides, vec!["sql".to_owned()]);
    assert_eq!(reader.effect(), Effect::Write, "where the text decides, doubt is a write");
}
