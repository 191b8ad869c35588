//! A thousand models with one planted arithmetic error each: none gets to write. A thousand right ones: all do.

use std::sync::Arc;

use purple_journal::record::model;
use purple_process::{Ending, State};
use purple_testkit::{Asked as _, Brain as _, call};
use purple_worker::port::{ModelReply, ModelRequest};
use serde_json::json;

use crate::planted;
use crate::shop::{Ended, PLACES, PROPOSE, Place, Setting, alone, run, teller};

const TEXTS: u64 = 1_000;

/// Runs every text at one of the places, on as many threads as there are.
fn each(is_planted: bool, judge: fn(u64, Place, &str, &Ended)) {
    std::thread::scope(|scope| {
        for part in 0..2 {
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                for number in (part..TEXTS).step_by(2) {
                    let text = planted::text(number.wrapping_mul(0x9E37_79B9_7F4A_7C15), is_planted);
                    let place = PLACES[usize::try_from(number % 4).unwrap()];
                    let ended = runtime.block_on(run(teller(place, &text, "85.00 USD"), Setting::default()));
                    judge(number, place, &text, &ended);
                }
            });
        }
    });
}

#[test]
fn a_thousand_planted_errors_are_each_caught_before_anything_is_written() {
    each(true, |number, place, text, ended| {
        let told = || format!("{number} {place:?}\n{text}\n{:#?}", ended.view.answer);
        // What was decided before the model said anything wrong stands.
        let before = usize::from(place == Place::InMutate);
        assert_eq!(ended.credits.len(), before, "{}", told());
        assert_eq!(ended.states().contains(&State::Mutate), before == 1, "{}", told());
        assert_eq!(ended.view.summary.ending, Some(Ending::Escalated), "{}", told());
        assert_eq!(ended.code().as_deref(), Some("audit.failed"), "{}", told());
        let fault = ended.noted::<model::AuditFailed>()[0].faults[0].to_string();
        assert!(fault.contains("give"), "{fault}");
        assert!(ended.view.answer.as_ref().unwrap().text.contains(&fault), "{fault}\n{}", told());
    });
}

#[test]
fn a_thousand_right_texts_hold_nothing_up() {
    each(false, |number, place, text, ended| {
        let told = || format!("{number} {place:?}\n{text}\n{:#?}", ended.view.answer);
        let all = 1 + usize::from(place == Place::InMutate);
        assert_eq!(ended.credits.len(), all, "{}", told());
        assert_eq!(ended.view.summary.ending, Some(Ending::Done), "{}", told());
        assert_eq!(ended.noted::<model::AuditFailed>().len(), 0, "{}", told());
    });
}

#[test]
fn a_model_is_told_the_figure_its_inputs_and_the_exact_value_and_may_correct_itself() {
    let brain = Arc::new(|request: &ModelRequest| {
        let first = teller(Place::Beside, "The credit is 85.00 USD - 3.40 USD = 81.50 USD.", "81.60 USD");
        let proposed = request.calls_of(PROPOSE).len();
        if request.offers(PROPOSE) && proposed == 1 {
            let (told, is_error) = request.last_result(PROPOSE).unwrap();
            assert!(
                is_error && told.contains("81.5") && told.contains("85") && told.contains("3.4"),
                "{told}"
            );
            assert!(told.contains("81.6"), "{told}");
            let credit = json!({"order_id": "O-1", "amount": "85.00 USD"});
            let operation = json!({"tool": "apply_credit", "arguments": credit});
            return ModelReply::calls(vec![call(PROPOSE, json!({"operations": [operation]}))]);
        }
        first.reply(request)
    });
    let ended = alone(brain);
    assert_eq!(ended.view.summary.ending, Some(Ending::Done), "{:#?}", ended.view.answer);
    assert_eq!(ended.credits.len(), 1);
    assert_eq!(
        (ended.noted::<model::AuditFailed>().len(), ended.noted::<model::AuditPassed>().len()),
        (1, 1)
    );
}

#[test]
fn a_refuted_figure_stays_refuted_without_the_words_that_led_to_it() {
    let brain = Arc::new(|request: &ModelRequest| {
        let credit = json!({"order_id": "O-1", "amount": "81.50 USD"});
        let operation = json!({"tool": "apply_credit", "arguments": credit});
        let again = request.calls_of(PROPOSE).len();
        if request.offers(PROPOSE) && again > 0 {
            // Each time in other words, so that it is not ended for repeating itself.
            let operation = json!({"operations": [operation], "try": again});
            return ModelReply::calls(vec![call(PROPOSE, operation)]);
        }
        teller(Place::Beside, "So 85.00 USD - 3.40 USD = 81.50 USD.", "81.50 USD").reply(request)
    });
    let ended = alone(brain);
    assert_eq!(ended.code().as_deref(), Some("audit.failed"), "{:#?}", ended.view.answer);
    assert_eq!((ended.noted::<model::AuditFailed>().len(), ended.credits.len()), (3, 0));
    let last = ended.noted::<model::AuditFailed>()[2].faults[0].to_string();
    assert!(last.contains("`apply_credit.amount` is 81.5, but 85 and 3.4 give 81.6"), "{last}");
}

#[test]
fn a_figure_of_unknown_origin_is_not_wrong_and_a_person_is_asked() {
    let ended = alone(teller(Place::Beside, "I think so.", "40.00 USD"));
    assert_eq!(ended.view.summary.ending, None, "{:#?}", ended.view.answer);
    assert_eq!(ended.credits.len(), 0);
    assert_eq!(ended.noted::<model::AuditPassed>()[0].unknown_origin, ["apply_credit.amount"]);
    let card = ended.view.card.unwrap().to_text(200);
    assert!(card.contains("neither read nor computed"), "{card}");
}

#[test]
fn the_second_call_of_a_reply_stands_by_the_same_wrong_words() {
    let brain = Arc::new(|request: &ModelRequest| {
        if request.offers("apply_credit") && request.calls_of("apply_credit").is_empty() {
            let credit = |amount: &str| call("apply_credit", json!({"order_id": "O-1", "amount": amount}));
            let reply = ModelReply::calls(vec![credit("85.00 USD"), credit("3.40 USD")]);
            return ModelReply { text: "2 + 2 = 5, so both.".to_owned(), ..reply };
        }
        teller(Place::Beside, "", "85.00 USD").reply(request)
    });
    let ended = alone(brain);
    assert_eq!(ended.credits.len(), 1, "only what was proposed before: {:#?}", ended.view.answer);
    assert_eq!(
        (ended.noted::<model::AuditFailed>().len(), ended.code().as_deref()),
        (2, Some("audit.failed"))
    );
}
