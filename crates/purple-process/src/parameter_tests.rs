use super::*;

fn found(name: &str, description: &str, schema: &str) -> Vec<(String, Hazard)> {
    let schema = Json::parse(schema).unwrap();
    let words = split(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let opening = crate::opening::Opening::of(description);
    let risks = risks(&schema, Context { name: &words, description, opening: &opening });
    risks.into_iter().map(|risk| (risk.path.join("."), risk.hazard)).collect()
}

fn one(name: &str, parameter: &str) -> Option<Hazard> {
    let schema = format!(r#"{{"type":"object","properties":{{{parameter}}}}}"#);
    found(name, "", &schema).first().map(|(_, hazard)| *hazard)
}

#[test]
fn plain_values_carry_nothing() {
    for parameter in [
        r#""invoice_id":{"type":"string"}"#,
        r#""country_code":{"type":"string","description":"ISO country code"}"#,
        r#""limit":{"type":"integer"}"#,
        r#""include_archived":{"type":"boolean"}"#,
        r#""status":{"type":"string","enum":["open","closed"]}"#,
        r#""pipeline_id":{"type":"string"}"#,
        r#""query_type":{"type":"string"}"#,
        r#""path":{"type":"string","description":"The file to read"}"#,
        r#""names":{"type":"array","items":{"type":"string"}}"#,
        r#""format":{"enum":["json","xml"]}"#,
    ] {
        assert_eq!(one("get_gizmo", parameter), None, "{parameter}");
    }
}

#[test]
fn what_can_carry_more_is_found_wherever_it_stands() {
    for (parameter, hazard) in [
        (r#""sql":{"type":"string"}"#, Hazard::Text(Language::Sql)),
        (r#""query":{"type":"string","description":"A PostgreSQL statement"}"#, Hazard::Text(Language::Sql)),
        (r#""graphql":{"type":"string"}"#, Hazard::Text(Language::Graphql)),
        (r#""query":{"type":"string","description":"SQL or GraphQL"}"#, Hazard::Program),
        (r#""statement":{"type":"string","description":"A Cypher statement"}"#, Hazard::Program),
        (r#""script":{"type":["string","null"]}"#, Hazard::Program),
        (r#""code":{"type":"string"}"#, Hazard::Program),
        (r#""query":{"type":"string"}"#, Hazard::Selection),
        (r#""where":{"type":"string","description":"an OData filter"}"#, Hazard::Selection),
        (r#""target_url":{"type":"string"}"#, Hazard::Address),
        (r#""page":{"type":"string","format":"uri"}"#, Hazard::Address),
        (r#""link":{"type":"string","description":"The URL to load"}"#, Hazard::Address),
        (r#""urls":{"type":"array","items":{"type":"string"}}"#, Hazard::Address),
        (r#""payload":{"type":"string"}"#, Hazard::Body),
        (r#""filter":{"type":"object"}"#, Hazard::Body),
        (r#""anything":true"#, Hazard::Body),
        (r#""output_dir":{"type":"string"}"#, Hazard::Output),
        (r#""filename":{"type":"string","description":"File to save the rows to"}"#, Hazard::Output),
        (r#""mode":{"enum":["list","delete"]}"#, Hazard::Switch),
        (r#""delete":{"type":"boolean"}"#, Hazard::Switch),
        (r##""x":{"$ref":"#/$defs/absent"}"##, Hazard::Unknown),
    ] {
        assert_eq!(one("get_gizmo", parameter), Some(hazard), "{parameter}");
        let inner = format!(r#""params":{{"type":"object","properties":{{{parameter}}}}}"#);
        assert_eq!(one("get_gizmo", &inner), Some(hazard), "inside: {parameter}");
        let option = format!(
            r#""some":{{"anyOf":[{{"type":"null"}},{{"type":"object","properties":{{{parameter}}}}}]}}"#
        );
        assert_eq!(one("get_gizmo", &option), Some(hazard), "as an option: {parameter}");
    }
}

#[test]
fn the_query_of_a_search_is_free_text_unless_a_language_is_named() {
    let query = r#""query":{"type":"string","description":"What to look for"}"#;
    assert_eq!(one("search_gizmos", query), None);
    assert_eq!(one("search_gizmos", &query.replace("What", "SQL: what")), Some(Hazard::Text(Language::Sql)));
    assert_eq!(one("search_sql", query), Some(Hazard::Text(Language::Sql)));
    assert_eq!(one("list_gizmos", query), Some(Hazard::Selection));
    let schema = r#"{"properties":{"query":{"type":"string"}}}"#;
    assert_eq!(found("read_rows", "Runs a Cypher query.", schema), [("query".to_owned(), Hazard::Program)]);
}

#[test]
fn references_are_followed_and_those_without_end_are_not_known() {
    let schema = r##"{"properties":{"of":{"$ref":"#/$defs/order"}},
        "$defs":{"order":{"type":"object","properties":{"sql":{"type":"string"}}}}}"##;
    assert_eq!(found("get", "", schema), [("of.sql".to_owned(), Hazard::Text(Language::Sql))]);
    let endless = r##"{"properties":{"of":{"$ref":"#/$defs/order"}},
        "$defs":{"order":{"type":"object","properties":{"part":{"$ref":"#/$defs/order"}}}}}"##;
    assert!(found("get", "", endless).iter().all(|(_, hazard)| *hazard == Hazard::Unknown));
    assert!(!found("get", "", endless).is_empty());
}
