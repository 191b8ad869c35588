use std::collections::BTreeMap;

use jiff::civil::date;
use purple_process::{Argument, Json, StepId, Values};
use serde_json::json;

use super::*;
use crate::settings::Process;
use crate::synthesis::record::{Look, Sum};

fn arguments(given: Value) -> purple_process::Arguments {
    let Json::Record(fields) = Json::from_serde(&given).unwrap() else { panic!("{given}") };
    fields.into_iter().map(|(name, value)| (name, Argument::Value(value))).collect()
}

fn credit(amount: &str) -> Operation {
    let check = Check::ReadBack {
        tool: ToolName::parse("get_credit").unwrap(),
        arguments: arguments(json!({"reference": "GW-CTR-441"})),
        expect: arguments(json!({"amount": amount})),
    };
    let given = json!({"vendor_id": "INFRA-9", "amount": amount, "reference": "GW-CTR-441"});
    Operation::new(
        StepId::parse("a1").unwrap(),
        ToolName::parse("apply_account_credit").unwrap(),
        Effect::Write,
        arguments(given),
        check,
    )
}

fn record(amount: &str) -> Record {
    let _: Values = Values::new();
    Record {
        text: "Credit 2 percent of the monthly fee to vendor INFRA-9 as goodwill under contract CTR-441."
            .to_owned(),
        today: date(2026, 3, 4),
        looks: vec![Look {
            name: "r1".to_owned(),
            tool: "get_contract".to_owned(),
            arguments: BTreeMap::from([("contract_id".to_owned(), json!("CTR-441"))]),
            answer: json!({"contract_id": "CTR-441", "vendor_id": "INFRA-9", "monthly_fee": "85000.00 USD", "ends": null}),
        }],
        sums: vec![Sum {
            name: "c1".to_owned(),
            by: "calculate".to_owned(),
            arguments: json!({"expression": "round(r1.monthly_fee * 2 / 100, cents, half_even)"}),
            value: json!("1700.00 USD"),
        }],
        operations: vec![credit(amount)],
    }
}

fn drafted(record: &Record) -> Result<String, NoDraft> {
    let settings = Settings::careful(Process::shipped().unwrap());
    let origins = Origins::of(record)?;
    let run = SessionId::parse("run_1").unwrap();
    let writer = Writer { record, origins: &origins, run: &run, name: "goodwill", owner: "operations" };
    let text = writer.to_text()?;
    let file = load(&text)?;
    reproduces(&file, record, &origins, &settings)?;
    Ok(text)
}

#[test]
fn a_run_becomes_a_file_that_does_the_same() {
    insta::assert_snapshot!(drafted(&record("1700.00 USD")).unwrap());
}

#[test]
fn an_amount_that_came_from_nowhere_becomes_no_file() {
    let refused = drafted(&record("1700.01 USD"));
    assert!(
        matches!(&refused, Err(NoDraft::NoOrigin { argument, .. }) if argument == "amount"),
        "{refused:?}"
    );
}

#[test]
fn a_figure_of_a_function_becomes_no_file() {
    let mut record = record("1700.00 USD");
    record.sums[0].by = "storage_charge".to_owned();
    assert!(drafted(&record).is_err());
}

#[test]
fn a_file_that_would_do_something_else_is_not_given_out() {
    let mut record = record("1700.00 USD");
    record.sums[0].arguments = json!({"expression": "round(r1.monthly_fee * 3 / 100, cents, half_even)"});
    let refused = drafted(&record);
    assert!(matches!(&refused, Err(NoDraft::Differs { .. })), "{refused:?}");
}
