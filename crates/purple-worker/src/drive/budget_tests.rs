use crate::port::{Purpose, Sampling, ToolCall, ToolDefinition, Usage};
use serde_json::json;

use super::*;

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Execute,
        messages,
        tools: Vec::new(),
        output_schema: None,
        sampling: Sampling::default(),
        output_tokens_max: 100,
    }
}

fn spent(tokens_spent: u64) -> Budget {
    Budget { tokens_max: 100, tokens_spent, sent: BTreeSet::new() }
}

#[test]
fn every_percent_has_its_thrift_and_its_tiers() {
    for percent in 0..=150 {
        let budget = spent(percent);
        let thrift = match percent {
            0..=29 => Thrift::Mild,
            30..=80 => Thrift::Strict,
            _ => Thrift::Emergency,
        };
        assert_eq!(budget.thrift(), thrift, "{percent} %");
        for wanted in [Tier::Fast, Tier::Strong] {
            let (ordinary, writes) = match percent {
                0..=80 => (Some(wanted), Some(wanted)),
                81..=99 => (Some(Tier::Fast), Some(wanted)),
                _ => (None, None),
            };
            assert_eq!(budget.tier(wanted, Stakes::Ordinary), ordinary, "{percent} %");
            assert_eq!(budget.tier(wanted, Stakes::Writes), writes, "{percent} %");
        }
        let output = (percent < 100).then(|| u32::try_from(100 - percent).unwrap().min(50));
        assert_eq!(budget.output_tokens(50), output, "{percent} %");
    }
}

#[test]
fn the_borders_hold_for_budgets_that_percent_do_not_divide() {
    let at = |tokens_spent| Budget { tokens_max: 7, tokens_spent, sent: BTreeSet::new() }.thrift();
    assert_eq!(
        [at(2), at(3), at(5), at(6)],
        [Thrift::Mild, Thrift::Strict, Thrift::Strict, Thrift::Emergency]
    );
    let huge = Budget { tokens_max: u64::MAX, tokens_spent: u64::MAX - 1, sent: BTreeSet::new() };
    assert_eq!((huge.thrift(), huge.output_tokens(9)), (Thrift::Emergency, Some(1)));
    assert_eq!(Budget::new(u64::MAX).output_tokens(u32::MAX), Some(u32::MAX));
}

#[test]
fn a_budget_of_nothing_allows_nothing() {
    let budget = Budget::new(0);
    assert_eq!((budget.thrift(), budget.tier(Tier::Fast, Stakes::Writes)), (Thrift::Emergency, None));
    assert_eq!(budget.output_tokens(1), None);
}

#[test]
fn without_usage_four_characters_are_a_token_and_nothing_is_counted_twice() {
    let mut budget = Budget::new(1_000);
    let first = vec![Message::System { text: "ä".repeat(40) }, Message::user("u".repeat(7))];
    let reply = ModelReply::text("r".repeat(9));
    // 47 characters of input are 12 tokens, 9 of output are 3.
    assert_eq!(budget.count(&request(first.clone()), &reply), 15);
    let second = [first, vec![Message::assistant("r".repeat(9)), Message::user("next")]].concat();
    assert_eq!(budget.count(&request(second), &ModelReply::text("done")), 2);
    assert_eq!((budget.spent(), budget.left()), (17, 983));
}

#[test]
fn tool_schemas_do_not_count() {
    let tool = ToolDefinition::new("find", "d".repeat(4_000));
    let with_tools = ModelRequest { tools: vec![tool], ..request(vec![Message::user("abcd")]) };
    assert_eq!(Budget::new(100).count(&with_tools, &ModelReply::text("")), 1);
    // Of 1,000 reported tokens the message has 4 characters of 4,025.
    let usage = Usage { input_tokens: 1_000, output_tokens: 5, cached_tokens: None };
    assert_eq!(Budget::new(100).count(&with_tools, &ModelReply::text("").costing(usage)), 1 + 5);
}

#[test]
fn reported_usage_counts_for_its_new_share() {
    let mut budget = Budget::new(1_000);
    let usage = |input_tokens| Usage { input_tokens, output_tokens: 10, cached_tokens: Some(3) };
    let first = vec![Message::user("x".repeat(100))];
    assert_eq!(budget.count(&request(first.clone()), &ModelReply::text("").costing(usage(30))), 40);
    let second = [first, vec![Message::user("y".repeat(100))]].concat();
    assert_eq!(budget.count(&request(second), &ModelReply::text("").costing(usage(60))), 40);
}

#[test]
fn a_reply_with_calls_is_not_new_when_it_comes_back_under_other_ids() {
    let mut budget = Budget::new(1_000);
    let call = |id: &str| ToolCall { id: id.to_owned(), name: "find".to_owned(), arguments: json!({"a": 1}) };
    let first = vec![Message::user("abcd")];
    assert_eq!(budget.count(&request(first.clone()), &ModelReply::calls(vec![call("")])), 1 + 3);
    let back = Message::Assistant { text: String::new(), calls: vec![call("call-1")], keepsake: None };
    let second = [first, vec![back]].concat();
    assert_eq!(budget.count(&request(second), &ModelReply::text("")), 0);
}

#[test]
fn a_budget_survives_being_stored() {
    let mut budget = Budget::new(1_000);
    let asked = request(vec![Message::user("abcdefgh")]);
    assert_eq!(budget.count(&asked, &ModelReply::text("")), 2);
    let stored = serde_json::to_string(&budget).unwrap();
    let mut restored: Budget = serde_json::from_str(&stored).unwrap();
    assert_eq!(restored, budget);
    assert_eq!(restored.count(&asked, &ModelReply::text("")), 0);
}
