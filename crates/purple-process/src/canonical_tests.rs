use super::*;
use crate::Json;

#[test]
fn strings_are_written_as_in_rfc_8785() {
    // RFC 8785, section 3.2.2: the string of its example.
    let input = r#""\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/""#;
    let text = Json::parse(input).unwrap();
    assert_eq!(of(&text).unwrap(), r#""€$\u000f\nA'B\"\\\\\"/""#);
}

#[test]
fn keys_are_ordered_as_in_rfc_8785() {
    // RFC 8785, section 3.2.3.
    let input = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
        "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",
        "\u00f6":"Latin Small Letter O With Diaeresis"}"#;
    let expected = concat!(
        r#"{"\r":"Carriage Return","1":"One","#,
        "\"\u{80}\":\"Control\",",
        r#""ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","#,
        "\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
    );
    let record = Json::parse(input).unwrap();
    assert_eq!(of(&record).unwrap(), expected);
    assert_eq!(record.to_wire(), expected);
}

#[test]
fn literals_and_nesting_have_no_space() {
    let json = Json::parse("{ \"b\" : [ true , false , null ] , \"a\" : { } , \"\" : [ ] }").unwrap();
    assert_eq!(of(&json).unwrap(), r#"{"":[],"a":{},"b":[true,false,null]}"#);
}

#[test]
fn control_characters_are_escaped_in_the_shortest_way() {
    let text = Json::Text("\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}".to_owned());
    assert_eq!(of(&text).unwrap(), "\"\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\"");
}

#[test]
fn numbers_that_a_double_would_merge_stay_apart() {
    let left = Json::parse("12345678901234567890123").unwrap();
    let right = Json::parse("12345678901234567890124").unwrap();
    assert_eq!(of(&left).unwrap(), "\"#12345678901234567890123\"");
    assert_ne!(of(&left).unwrap(), of(&right).unwrap());
}

#[test]
fn a_number_and_its_text_stay_apart() {
    let forms =
        ["100", "\"100\"", "\"#100\"", "\"##100\""].map(|text| of(&Json::parse(text).unwrap()).unwrap());
    assert_eq!(forms, ["\"#100\"", "\"100\"", "\"##100\"", "\"###100\""]);
}

#[test]
fn a_bare_number_has_no_canonical_form_at_any_depth() {
    let number = |number: &str| Err(NotCanonical::Number { number: number.to_owned() });
    assert_eq!(of(&5_u8), number("5"));
    assert_eq!(of(&serde_json::json!({"a": ["x", {"b": 7}], "c": "y"})), number("7"));
}

#[test]
fn a_digest_is_shown_and_read_in_one_form() {
    let digest = Digest::of(b"abc");
    let shown = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest.to_string(), shown);
    assert_eq!(format!("{digest:?}"), shown);
    assert_eq!(Digest::parse(shown), Ok(digest));
    let short = &shown[..shown.len() - 1];
    let long = format!("{shown}0");
    let upper = shown.replace('b', "B");
    let bare = &shown["sha256:".len()..];
    let odd = shown.replace("ad", "ag");
    for text in [short, &long, &upper, bare, &odd, ""] {
        assert_eq!(Digest::parse(text), Err(BadDigest), "{text}");
    }
}

#[test]
fn a_digest_comes_back_from_its_bytes() {
    let digest = Digest::of(b"purple");
    assert_eq!(Digest::from_bytes(*digest.as_bytes()), digest);
    assert_eq!(Digest::parse(&digest.to_string()), Ok(digest));
}
