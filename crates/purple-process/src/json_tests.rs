use super::*;

#[track_caller]
fn number(text: &str, plain: &str) {
    assert_eq!(Number::parse(text).map(|number| number.to_string()), Ok(plain.to_owned()), "{text}");
}

#[test]
fn equal_numbers_have_one_notation() {
    for (text, plain) in [
        ("0", "0"),
        ("-0", "0"),
        ("0.000", "0"),
        ("-0.0e5", "0"),
        ("0e99999999999999999999", "0"),
        ("100", "100"),
        ("1e2", "100"),
        ("1E+2", "100"),
        ("100.0", "100"),
        ("10.00e1", "100"),
        ("1000e-1", "100"),
        ("0.1", "0.1"),
        ("1e-1", "0.1"),
        ("12.50", "12.5"),
        ("-12.50", "-12.5"),
        ("0.00125e1", "0.0125"),
        ("123.456e2", "12345.6"),
        ("123.456e3", "123456"),
        ("123.456e4", "1234560"),
        ("12345678901234567890123", "12345678901234567890123"),
        ("12345678901234567890124", "12345678901234567890124"),
        ("0.10000000000000000001", "0.10000000000000000001"),
        ("1e00000000000000000000002", "100"),
    ] {
        number(text, plain);
    }
}

#[test]
fn the_longest_number_has_sixty_digits() {
    number(&"9".repeat(60), &"9".repeat(60));
    number("1e59", &format!("1{}", "0".repeat(59)));
    number("1e-59", &format!("0.{}1", "0".repeat(58)));
    for text in ["1e60", "1e-60", "1e400", "1e401", "1e-400", "9e99999999999", &"9".repeat(61)] {
        assert!(Number::parse(text).is_err(), "{text}");
    }
}

#[test]
fn what_json_does_not_call_a_number_is_none() {
    for text in [
        "", "-", "+1", "01", "-01", ".5", "5.", "1e", "1e+", "1e1.5", "0x10", "1_000", "1,000", "NaN",
        "Infinity", "−1", "１", " 1", "1 ", "1e2e3", "1.2.3", "--1", "#1",
    ] {
        assert!(Number::parse(text).is_err(), "{text:?}");
    }
}

#[track_caller]
fn refused(text: &str, expected: BadJson) {
    assert_eq!(Json::parse(text), Err(expected), "{text}");
}

#[test]
fn a_repeated_key_is_refused_however_it_is_written() {
    refused(r#"{"a":1,"a":1}"#, BadJson::DuplicateKey { key: "a".to_owned(), at: 7 });
    refused(r#"{"a":1,"\u0061":2}"#, BadJson::DuplicateKey { key: "a".to_owned(), at: 7 });
    refused(r#"[{"b":{"x":1,"y":2,"x":3}}]"#, BadJson::DuplicateKey { key: "x".to_owned(), at: 19 });
    assert!(Json::parse(r#"{"a":{"a":1},"b":{"a":1}}"#).is_ok());
}

#[test]
fn half_a_surrogate_pair_is_refused_and_a_whole_one_is_a_character() {
    refused(r#""\ud83d""#, BadJson::LoneSurrogate { at: 3 });
    refused(r#""\ude00""#, BadJson::LoneSurrogate { at: 3 });
    refused(r#""\ud83dx""#, BadJson::LoneSurrogate { at: 3 });
    refused(r#""\ud83d\ud83d""#, BadJson::LoneSurrogate { at: 3 });
    refused(r#""\ud83d\u0041""#, BadJson::LoneSurrogate { at: 3 });
    assert_eq!(Json::parse(r#""\ud83d\ude00\uD7FF\uE000""#), Ok(Json::from("\u{1F600}\u{D7FF}\u{E000}")));
    assert_eq!(Json::parse(r#""\udbff\udfff\ud800\udc00""#), Ok(Json::from("\u{10FFFF}\u{10000}")));
}

#[test]
fn nul_and_reserved_keys_are_refused() {
    refused(r#""a\u0000b""#, BadJson::Nul);
    refused(r#"{"\u0000":1}"#, BadJson::Nul);
    let key = "$serde_json::private::Number".to_owned();
    refused(r#"{"$serde_json::private::Number":"1"}"#, BadJson::ReservedKey { key });
}

#[test]
fn every_escape_is_read_and_no_other() {
    assert_eq!(Json::parse(r#""\"\\\/\b\f\n\r\t\u00e9""#), Ok(Json::from("\"\\/\u{8}\u{c}\n\r\té")));
    for text in [r#""\x41""#, r#""\'""#, r#""\U0041""#, r#""\u00g0""#, r#""\u+041""#, r#""\u004""#, r#""\"#] {
        assert!(matches!(Json::parse(text), Err(BadJson::Syntax { .. })), "{text}");
    }
    assert!(Json::parse("\"a\nb\"").is_err());
    assert!(Json::parse("\"a\u{1f}b\"").is_err());
    assert!(Json::parse("\"a\u{7f}b\"").is_ok());
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    for (text, at) in [
        ("", 0),
        ("  ", 2),
        ("nul", 0),
        ("True", 0),
        ("[1,]", 3),
        ("[1 2]", 3),
        ("{\"a\"}", 4),
        ("{a:1}", 1),
        ("{\"a\":1,}", 7),
        ("{\"a\":1 \"b\":2}", 7),
        ("1 2", 2),
        ("\"abc", 4),
        ("[", 1),
        ("{", 1),
        ("'a'", 0),
        ("{\"a\":", 5),
        ("// x\n1", 0),
        ("[1]]", 3),
        ("\u{feff}1", 0),
    ] {
        assert!(
            matches!(Json::parse(text), Err(BadJson::Syntax { at: found, .. }) if found == at),
            "{text:?} {:?}",
            Json::parse(text)
        );
    }
}

#[test]
fn nesting_and_length_have_limits() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Json::parse(&nested(NESTING_MAX + 1)).is_ok());
    assert_eq!(Json::parse(&nested(NESTING_MAX + 2)), Err(BadJson::TooDeep));
    assert_eq!(Json::parse(&nested(100_000)), Err(BadJson::TooDeep));
    let records = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    assert!(Json::parse(&records(NESTING_MAX)).is_ok());
    assert_eq!(Json::parse(&records(NESTING_MAX + 1)), Err(BadJson::TooDeep));
    let text = |bytes: usize| format!("\"{}\"", "a".repeat(bytes - 2));
    assert!(Json::parse(&text(JSON_BYTES_MAX)).is_ok());
    assert_eq!(Json::parse(&text(JSON_BYTES_MAX + 1)), Err(BadJson::TooLong));
}

#[test]
fn a_value_parsed_elsewhere_passes_the_same_checks() {
    let value: serde_json::Value = serde_json::from_str(r#"{"n":1e2,"t":"x","l":[null,true]}"#).unwrap();
    assert_eq!(Json::from_serde(&value), Json::parse(r#"{"n":100,"t":"x","l":[null,true]}"#));
    let value: serde_json::Value = serde_json::from_str(r#""a\u0000""#).unwrap();
    assert_eq!(Json::from_serde(&value), Err(BadJson::Nul));
    let mut deep = serde_json::Value::Null;
    for _ in 0..=NESTING_MAX {
        deep = serde_json::Value::Array(vec![deep]);
    }
    assert_eq!(Json::from_serde(&deep), Err(BadJson::TooDeep));
}

#[test]
fn the_wire_carries_plain_numbers_and_the_coded_form_none() {
    let json = Json::parse(r####"{"b":1e2,"a":["#1",null,false,{"x":"##"}],"c":"-0"}"####).unwrap();
    assert_eq!(json.to_wire(), r####"{"a":["#1",null,false,{"x":"##"}],"b":100,"c":"-0"}"####);
    let coded = crate::canonical::of(&json).unwrap();
    assert_eq!(coded, r####"{"a":["##1",null,false,{"x":"###"}],"b":"#100","c":"-0"}"####);
    assert_eq!(serde_json::from_str::<Json>(&coded).unwrap(), json);
}

#[test]
fn a_coded_text_that_is_no_code_is_refused() {
    for coded in
        ["1", "\"#\"", "\"#abc\"", "\"#1e2\"", "\"#1.0\"", "\"#-0\"", "\"#@a.b\"", "[\"#x\"]", "{\"a\":1}"]
    {
        assert!(serde_json::from_str::<Json>(coded).is_err(), "{coded}");
    }
    assert!(serde_json::from_str::<Json>(r#"{"a":"1","a":"2"}"#).is_err());
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    fn any_json() -> impl Strategy<Value = Json> {
        let number = "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,10})?(e-?[0-9])?";
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            number.prop_map(|text| Json::Number(Number::parse(&text).unwrap())),
            "[#@\\PC]{0,6}".prop_map(Json::Text),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
                prop::collection::btree_map("\\PC{0,4}", inner, 0..4).prop_map(Json::Record),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(json in any_json()) {
            prop_assert_eq!(Json::parse(&json.to_wire()).unwrap(), json.clone());
            let coded = crate::canonical::of(&json).unwrap();
            prop_assert_eq!(serde_json::from_str::<Json>(&coded).unwrap(), json.clone());
            // The strict reader and the library agree on what was said.
            let value: serde_json::Value = serde_json::from_str(&json.to_wire()).unwrap();
            prop_assert_eq!(Json::from_serde(&value).unwrap(), json);
        }

        #[test]
        fn different_values_have_different_forms(left in any_json(), right in any_json()) {
            let same = crate::canonical::of(&left).unwrap() == crate::canonical::of(&right).unwrap();
            prop_assert_eq!(same, left == right);
        }

        #[test]
        fn no_text_makes_the_reader_panic_and_it_accepts_no_more_than_the_library(text in "[\\[\\]{}\",:0-9eE.+\\-\\\\u\\PC ]{0,40}") {
            if Json::parse(&text).is_ok() {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
            }
        }
    }
}
