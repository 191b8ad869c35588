use proptest::prelude::*;
use serde_json::json;

use super::*;

/// How a server shows a record.
#[derive(Clone, Debug)]
struct Server {
    envelope: u8,
    case: u8,
    /// How each value is given back.
    forms: u8,
    /// Whether its envelope has a field that is different every time.
    ticks: bool,
    /// Whether part of the record stands in a record inside it.
    nests: bool,
}

fn server() -> impl Strategy<Value = Server> {
    (0_u8..9, 0_u8..4, any::<u8>(), any::<bool>(), any::<bool>())
        .prop_map(|(envelope, case, forms, ticks, nests)| Server { envelope, case, forms, ticks, nests })
}

/// A record as it is kept: names and values in the form in which they are written.
type Kept = Vec<(&'static str, Value)>;

const NAMES: [&str; 8] =
    ["status", "reason", "amount", "due_date", "closed_at", "is_open", "assignee", "unit_count"];

/// A value of the kind that a name holds; two different choices are two different values.
fn value(name: &str, choice: u8) -> Value {
    let choice = choice % 5;
    match name {
        "status" => json!(["open", "on hold", "rejected", "closed", "under review"][choice as usize]),
        "reason" => json!(format!("as asked, part {choice}")),
        "amount" => json!(format!("{}.50 USD", 1000 + u32::from(choice))),
        "due_date" => json!(format!("2026-03-{:02}", 2 + u32::from(choice) * 5)),
        "closed_at" => json!(format!("2026-03-01T1{choice}:00:00+02:00")),
        "is_open" => json!(choice.is_multiple_of(2)),
        "assignee" => json!(format!("person.{choice}@acme.example")),
        _ => json!(10 + choice),
    }
}

impl Server {
    fn name(&self, name: &str) -> String {
        let humps = |first_is_large: bool| {
            name.split('_')
                .enumerate()
                .map(|(at, word)| {
                    let (head, tail) = word.split_at(1);
                    if at > 0 || first_is_large {
                        format!("{}{tail}", head.to_uppercase())
                    } else {
                        word.to_owned()
                    }
                })
                .collect::<String>()
        };
        match self.case {
            0 => name.to_owned(),
            1 => humps(false),
            2 => humps(true),
            _ => name.replace('_', "-"),
        }
    }

    fn form(&self, name: &str, value: &Value) -> Value {
        let is_changed = |bit: u8| self.forms & (1 << bit) != 0;
        match (name, value) {
            ("status" | "reason", Value::String(text)) if is_changed(0) => json!(text.to_uppercase()),
            ("amount", Value::String(text)) => {
                let (amount, currency) = text.split_once(' ').unwrap();
                match (is_changed(1), is_changed(2)) {
                    (true, true) => json!({"amount": amount, "currency": currency}),
                    (true, false) => {
                        json!({"value": amount.parse::<f64>().unwrap(), "currencyCode": currency})
                    }
                    (false, true) => json!(format!("{amount}0 {currency}")),
                    (false, false) => json!(amount),
                }
            }
            ("due_date", Value::String(day)) if is_changed(3) => json!(format!("{day}T00:00:00.000Z")),
            ("closed_at", Value::String(time)) if is_changed(4) => {
                json!(time.parse::<Timestamp>().unwrap().to_string())
            }
            ("is_open", Value::Bool(truth)) if is_changed(5) => json!(truth.to_string()),
            ("unit_count", Value::Number(number)) if is_changed(6) => json!(number.to_string()),
            (_, other) => other.clone(),
        }
    }

    fn answer(&self, id: &str, kept: &Kept, tick: u32) -> Value {
        let mut record = Map::from_iter([(self.name("id"), json!(id))]);
        let mut inner = Map::new();
        for (name, value) in kept {
            let place = if self.nests && name.len() % 2 == 0 { &mut inner } else { &mut record };
            place.insert(self.name(name), self.form(name, value));
        }
        record.insert(self.name("line_items"), json!([{"sku": "A", "status": "shipped"}]));
        if !inner.is_empty() {
            record.insert(self.name("details"), Value::Object(inner));
        }
        let record = Value::Object(record);
        let other = json!({"id": "other", "status": "rejected", "reason": "as asked, part 1", "amount": "1001.50 USD"});
        let mut answer = match self.envelope {
            0 => return record,
            1 => json!({"status": "ok", "data": record}),
            2 => json!({"success": true, "result": {"thing": record}, "reason": "fetched"}),
            3 => return json!([record]),
            4 => json!({"items": [record], "total": 1}),
            5 if tick.is_multiple_of(2) => json!({"rows": [other, record]}),
            5 => json!({"rows": [record, other]}),
            6 => json!({"code": 200, "message": "OK", "thing": record}),
            7 => json!({"response": {"status": "success", "payload": [record]}}),
            _ => json!({"status": "ok", "request": {"id": id}, "data": record}),
        };
        if self.ticks {
            answer["request_id"] = json!(format!("req-{tick}"));
            answer["served_at"] = json!(format!("2026-03-01T10:00:{:02}Z", tick % 60));
        }
        answer
    }

    fn record(&self, kept: &Kept, tick: u32) -> Fields {
        record(&self.answer("C-7", kept, tick), &["C-7".to_owned()]).1
    }
}

fn kept(choices: &[u8]) -> Kept {
    NAMES.iter().zip(choices).map(|(name, choice)| (*name, value(name, *choice))).collect()
}

fn written(choices: &[u8], which: u8) -> (Fields, Kept) {
    let new: Vec<(usize, Value)> = (0..NAMES.len())
        .filter(|at| which & (1 << at) != 0)
        .map(|at| (at, value(NAMES[at], choices[at])))
        .collect();
    let fields = new.iter().map(|(at, value)| (NAMES[*at].to_owned(), value.clone())).collect();
    (fields, new.into_iter().map(|(at, value)| (NAMES[at], value)).collect())
}

fn apply(record: &Kept, new: &Kept) -> Kept {
    let one = |(name, old): &(&'static str, Value)| {
        let found = new.iter().find(|(known, _)| known == name);
        (*name, found.map_or_else(|| old.clone(), |(_, value)| value.clone()))
    };
    record.iter().map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_server_that_writes_never_looks_as_if_it_had_not(
        server in server(), old in prop::collection::vec(0_u8..5, 8), new in prop::collection::vec(0_u8..5, 8), which in 1_u8..,
    ) {
        let (fields, kept_new) = written(&new, which);
        let before = server.record(&kept(&old), 1);
        let after = server.record(&apply(&kept(&old), &kept_new), 2);
        let seen = observed("update", &fields, &before, &after);
        prop_assert!(matches!(seen, Observed::Written | Observed::AsBefore), "{seen:?} {fields:?}\n{before:?}\n{after:?}");
    }

    #[test]
    fn a_server_that_does_not_write_never_looks_as_if_it_had(
        server in server(), old in prop::collection::vec(0_u8..5, 8), new in prop::collection::vec(0_u8..5, 8), which in 1_u8..,
        verb in prop::sample::select(vec!["update", "reject", "close", "approve", "hold"]),
    ) {
        let (fields, _) = written(&new, which);
        let (before, after) = (server.record(&kept(&old), 1), server.record(&kept(&old), 2));
        let seen = observed(verb, &fields, &before, &after);
        prop_assert!(seen != Observed::Written, "{seen:?} {fields:?}\n{before:?}\n{after:?}");
        prop_assert!(seen != Observed::Different, "what did not change is unchanged: {fields:?}\n{before:?}\n{after:?}");
        prop_assert!(!server.ticks || seen != Observed::Changed || before != after);
    }

    #[test]
    fn a_write_that_names_only_the_record_is_seen_by_what_changes(
        server in server(), old in prop::collection::vec(0_u8..5, 8), becomes in 0_u8..5,
    ) {
        let new: Kept = vec![("status", value("status", becomes))];
        let (before, after) = (server.record(&kept(&old), 1), server.record(&apply(&kept(&old), &new), 2));
        let seen = observed("reject", &Fields::new(), &before, &after);
        let (was, is) = (value("status", old[0]), value("status", becomes));
        let expected = match (was == json!("rejected"), is == json!("rejected")) {
            (true, true) => Observed::AsBefore,
            (false, true) => Observed::Written,
            (_, false) if was == is => Observed::Unchanged,
            (_, false) => Observed::Changed,
        };
        prop_assert_eq!(seen, expected, "{:?}\n{:?}", before, after);
    }

    #[test]
    fn another_value_than_was_written_is_never_taken_for_it(
        server in server(), old in prop::collection::vec(0_u8..5, 8), at in 0_usize..8, wanted in 0_u8..5, instead in 0_u8..5,
    ) {
        let name = NAMES[at];
        let (wanted, instead) = (value(name, wanted), value(name, instead));
        prop_assume!(wanted != instead);
        let fields = Fields::from([(name.to_owned(), wanted)]);
        let before = server.record(&kept(&old), 1);
        let after = server.record(&apply(&kept(&old), &vec![(name, instead)]), 2);
        prop_assert!(!matches!(observed("update", &fields, &before, &after), Observed::Written | Observed::AsBefore));
    }
}

fn seen(verb: &str, written: Value, before: Value, after: Value) -> Observed {
    let ids = ["C-7".to_owned()];
    let written = spread(written.as_object().unwrap());
    observed(verb, &written, &record(&before, &ids).1, &record(&after, &ids).1)
}

#[test]
fn a_part_of_what_was_written_is_not_all_of_it() {
    let before = json!({"id": "C-7", "status": "open", "amount": 5});
    let after = json!({"id": "C-7", "status": "closed", "amount": 5});
    assert_eq!(seen("update", json!({"status": "closed", "amount": 7}), before, after), Observed::Different);
}

#[test]
fn lists_and_records_that_were_written_are_compared_only_with_what_they_describe() {
    let before = json!({"id": "C-7", "labels": "three", "owner": {"id": 4, "name": "kim"}, "address": {"city": "Bonn"}});
    let after = json!({"id": "C-7", "labels": "three", "owner": {"id": 5, "name": "lee"}, "address": {"city": "Trier"}});
    let labels = json!({"labels": ["a", "b"], "owner": "lee@acme.example"});
    assert_eq!(seen("update", labels, before.clone(), after.clone()), Observed::Changed);
    assert_eq!(
        seen("update", json!({"address": {"city": "Trier"}}), before.clone(), after.clone()),
        Observed::Written
    );
    assert_eq!(seen("update", json!({"address": {"city": "Mainz"}}), before, after), Observed::Different);
}

#[test]
fn fields_that_are_written_inside_a_wrapper_are_fields_of_the_record() {
    let (before, after) = (json!({"id": "C-7", "State": "open"}), json!({"id": "C-7", "State": "Closed"}));
    assert_eq!(
        seen("update", json!({"fields": {"state": "closed"}}), before.clone(), after.clone()),
        Observed::Written
    );
    assert_eq!(seen("set", json!({"new_state": "closed"}), before, after), Observed::Written);
}

#[test]
fn a_new_record_is_seen_by_what_it_holds() {
    let made = json!({"data": {"id": "C-7", "title": "Look at it", "body": "please"}});
    let nothing = Fields::new();
    let written = spread(json!({"title": "Look at it", "body": "please"}).as_object().unwrap());
    let after = record(&made, &["C-7".to_owned()]).1;
    assert_eq!(observed("create", &written, &nothing, &after), Observed::Written);
    assert_eq!(observed("create", &Fields::new(), &nothing, &after), Observed::Changed);
    assert_eq!(observed("create", &written, &nothing, &nothing), Observed::Unchanged);
}

#[test]
fn a_new_item_of_a_list_is_seen_however_the_list_is_ordered() {
    let one = json!({"id": 1, "invoice": "C-7", "amount": 50});
    let two = json!({"id": 2, "invoice": "C-7", "amount": 70});
    let written = json!({"amount": 70});
    let (before, after) = (json!([one.clone()]), json!({"items": [two.clone(), one.clone()]}));
    assert_eq!(seen("create", written.clone(), before, after), Observed::Written);
    let (before, after) = (json!([one.clone(), two.clone()]), json!([two, one]));
    assert_eq!(seen("create", written, before, after), Observed::AsBefore);
}

#[test]
fn what_an_approved_record_says_of_itself_counts_and_what_it_denies_does_not() {
    let now = |status: &str| json!({"claim": {"claim_id": "C-7", "status": status}});
    for (after, expected) in [
        ("approved", Observed::Written),
        ("APPROVED", Observed::Written),
        ("not_approved", Observed::Changed),
        ("pending_approval", Observed::Changed),
        ("submitted", Observed::Unchanged),
    ] {
        assert_eq!(seen("approve", json!({}), now("submitted"), now(after)), expected, "{after}");
    }
    let flag = |on: bool| json!({"claim_id": "C-7", "is_approved": on});
    assert_eq!(seen("approve", json!({}), flag(false), flag(true)), Observed::Written);
    let cancelled = |status: &str| json!({"id": "C-7", "state": status});
    assert_eq!(seen("cancel", json!({}), cancelled("open"), cancelled("Cancelled")), Observed::Written);
}

#[test]
fn only_what_changes_is_shown() {
    let fields =
        |status: &str| Fields::from([("status".to_owned(), json!(status)), ("id".to_owned(), json!(7))]);
    let (was, is) = changed(&fields("open"), &fields("closed"));
    assert_eq!(was, Fields::from([("status".to_owned(), json!("open"))]));
    assert_eq!(is, Fields::from([("status".to_owned(), json!("closed"))]));
}
