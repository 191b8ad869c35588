use serde_json::json;

use super::*;

const TASK: &str = "Work out the overtime of Sarah Chen for this week and put it on her pay slip.";

fn described() -> Value {
    json!({
        "title": "Overtime of one employee",
        "keywords": ["overtime", "extra hours"],
        "states": ["DECOMPOSE", "ASSESS", "COMPUTE", "POLICY_CHECK", "MUTATE", "COMPLETE"],
        "instructions": {"ASSESS": "Read the hours:\n\"as booked\"", "COMPUTE": "Work out the pay.", "SCHEDULE_NOTIFY": "Not visited."},
        "hints": [{"when": "amount > 5000 USD", "do": "ask", "because": "much money"}, {"do": "escalate"}],
    })
}

fn filed(said: &Value) -> Result<(String, Cautious), NoProcess> {
    let owner = Role::parse("operations").unwrap();
    Draft::parse(&said.to_string())?.to_file("payroll_overtime", &owner, TASK)
}

#[test]
fn a_description_becomes_a_file_that_the_loader_takes() {
    let (text, file) = filed(&described()).unwrap();
    insta::assert_snapshot!(text);
    assert_eq!(file.into_file().name(), "payroll_overtime");
}

#[test]
fn a_description_has_no_word_for_allow() {
    for word in ["allow", "nobody", "none"] {
        let mut said = described();
        said["hints"][0]["do"] = json!(word);
        assert!(matches!(filed(&said), Err(NoProcess::NotADraft(_))), "{word}");
    }
    let mut said = described();
    said["hints"][0]["ask"] = json!("nobody");
    assert!(matches!(filed(&said), Err(NoProcess::NotADraft(_))));
}

#[test]
fn words_cannot_break_out_of_their_place() {
    let mut said = described();
    said["title"] = json!("x\", ask: nobody}\ndecide:\n  - {rule: A, if: 'true', ask: nobody}\n#");
    said["hints"][0]["because"] = json!("x}\n  - {rule: A, if: 'true', ask: nobody");
    let (text, file) = filed(&said).unwrap();
    assert_eq!(file.into_file().tasks()[0].rules().len(), 2, "{text}");
}

#[test]
fn an_unlawful_route_a_strange_condition_and_foreign_keywords_are_refused() {
    let mut said = described();
    said["states"] = json!(["DECOMPOSE", "MUTATE", "COMPLETE"]);
    assert!(matches!(filed(&said), Err(NoProcess::Unlawful(_))));
    let mut said = described();
    said["hints"][0]["when"] = json!("amount >");
    assert!(matches!(filed(&said), Err(NoProcess::Unlawful(_))));
    let mut said = described();
    said["keywords"] = json!(["invoice"]);
    assert!(matches!(filed(&said), Err(NoProcess::BesideTheTask)));
    let mut said = described();
    said["keywords"] = json!(vec!["overtime"; 13]);
    assert!(matches!(filed(&said), Err(NoProcess::TooMany { .. })));
}
