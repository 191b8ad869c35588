//! Journal entries as lines.

use purple_worker::port::Recorded;
use serde_json::Value;

use crate::show::style::{Paint, Tone};
use crate::show::text::{one_line, shortened};

/// The longest rendering of an entry's facts, in characters.
const DETAIL_CHARS_MAX: usize = 240;

/// One entry as one line: place, time, kind, facts.
pub(crate) fn trace_line(entry: &Recorded, paint: Paint) -> String {
    // Thousandths of a second, always written out, so that columns line up.
    let at = format!("{:.3}", entry.entry.at);
    let kind = format!("{:<18}", one_line(&entry.entry.kind));
    let (number, at) = (format!("{:>4}", entry.seq), paint.text(Tone::Faint, &at));
    format!("{number}  {at}  {}  {}", paint.text(tone(entry), &kind), facts(entry)).trim_end().to_owned()
}

/// What an entry adds to the line of its state; `None` if it adds nothing.
pub(crate) fn detail(entry: &Recorded) -> Option<String> {
    match entry.entry.kind.as_str() {
        "state.entered"
        | "task.received"
        | "turn.began"
        | "catalogue.pinned"
        | "run.ended"
        | "run.answered"
        | "approval.granted"
        | "write.intent"
        | "write.outcome"
        | "brief.made"
        | "definitions.known"
        | "model.found"
        | "turn.ended"
        | "business_key.claimed"
        | "business_key.released"
        | "history.seen" => None,
        "figures" if entry.entry.data.get("figures").and_then(Value::as_array).is_some_and(Vec::is_empty) => {
            None
        }
        _ => Some(facts(entry)).filter(|text| !text.is_empty()),
    }
}

fn tone(entry: &Recorded) -> Tone {
    match entry.entry.kind.as_str() {
        "state.entered" => Tone::Strong,
        "approval.asked" | "policy.verdict" => Tone::Warning,
        "write.verified" | "approval.decided" => Tone::Good,
        "run.ended" => Tone::Strong,
        _ => Tone::Faint,
    }
}

/// The facts of an entry in a few words; what is not known by name is shown as it is.
fn facts(entry: &Recorded) -> String {
    let data = &entry.entry.data;
    let word = |name: &str| data.get(name).map(shown);
    let text = match entry.entry.kind.as_str() {
        "state.entered" => match (word("from"), word("to"), word("event")) {
            (Some(from), Some(to), Some(event)) => Some(format!("{from} → {to} ({event})")),
            (_, Some(to), _) => Some(to),
            _ => None,
        },
        "task.received" => word("text").or_else(|| word("title")),
        "process.chosen" => word("process").map(|process| {
            let by = data.pointer("/defined/by").map(shown);
            let signed = by.map_or_else(String::new, |by| format!(", signed by {by}"));
            let instead = data.pointer("/defined/instead_of");
            let instead = instead.map_or("", |_| " in the place of the built-in one");
            format!("{process}{signed}{instead}")
        }),
        "tool.read" => word("tool")
            .map(|tool| format!("{tool}({})", data.get("arguments").map(pairs).unwrap_or_default())),
        "figures" => figures(data),
        "policy.verdict" => verdict(data),
        "plan.made" | "write.intent" | "notice.sent" => word("headline"),
        "approval.asked" => word("asks").map(|asks| format!("asks {asks}")),
        "approval.decided" => word("by").map(|by| {
            let said = word("answer").or_else(|| word("decision")).unwrap_or_else(|| "decided".to_owned());
            format!("{by}: {said}")
        }),
        "write.outcome" => word("reply").map(|reply| match word("why").filter(|why| !why.is_empty()) {
            Some(why) => format!("{reply}: {why}"),
            None => reply,
        }),
        "write.verified" => word("outcome").map(|outcome| match word("headline") {
            Some(headline) => format!("{headline}: {outcome}"),
            None => outcome,
        }),
        "run.ended" => word("ending"),
        "model.asked" => word("model").map(|model| format!("asks {model}")),
        "model.replied" => match data.get("calls").and_then(Value::as_u64) {
            Some(calls) if calls > 0 => Some(format!("it wants {calls} calls")),
            Some(_) | None => Some("it answers".to_owned()),
        },
        "model.failed" => {
            let error = data.get("error").and_then(Value::as_object).and_then(|error| error.values().next());
            let why = error.and_then(|error| error.get("problem").or_else(|| error.get("limit_ms")));
            why.map(|why| match why.as_u64() {
                Some(limit_ms) => format!("no answer within {limit_ms} ms"),
                None => format!("no answer: {}", shown(why)),
            })
        }
        "model.other" => word("answered").map(|model| format!("{model} answers instead")),
        "model.refused" => word("tool").map(|tool| format!("{tool} is refused")),
        "model.wants" => word("headline").zip(word("becomes")).map(|(what, fate)| format!("{what}: {fate}")),
        "model.proposed" => {
            Some(format!("it proposes {}", data.get("operations").map(shown).unwrap_or_default()))
        }
        "audit.failed" => data.get("faults").map(shown),
        "strategy.chosen" => word("arm"),
        "process.pointed" => word("process").map(|process| format!("the words point to {process}")),
        "model.computed" => word("name").zip(word("value")).map(|(name, value)| format!("{name} = {value}")),
        "process.synthesized" => {
            word("process").zip(word("model")).map(|(name, by)| format!("{name}, written by {by}"))
        }
        "function.synthesized" => {
            word("function").zip(word("model")).map(|(name, by)| format!("{name}, written by {by}"))
        }
        "function.called" => {
            word("function").zip(word("value")).map(|(name, value)| format!("{name} → {value}"))
        }
        // What went wrong says itself why.
        _ => word("why").map(|why| match word("code") {
            Some(code) => format!("{code}: {why}"),
            None => why,
        }),
    };
    shortened(&text.unwrap_or_else(|| compact(data)), DETAIL_CHARS_MAX)
}

fn figures(data: &Value) -> Option<String> {
    if let Some(result) = data.get("result") {
        return Some(shown(result));
    }
    let list = data.get("figures").unwrap_or(data);
    match list {
        Value::Object(all) if !all.is_empty() => Some(
            all.iter()
                .map(|(name, value)| format!("{name} = {}", shown(value)))
                .collect::<Vec<_>>()
                .join("; "),
        ),
        Value::Array(all) => {
            let one = |pair: &Value| {
                let (name, value) = (pair.get(0).or(pair.get("name"))?, pair.get(1).or(pair.get("value"))?);
                Some(format!("{} = {}", shown(name), shown(value)))
            };
            let lines: Vec<String> = all.iter().filter_map(one).collect();
            (!lines.is_empty()).then(|| lines.join("; "))
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn verdict(data: &Value) -> Option<String> {
    if let Some(rule) = data.get("rule").map(shown) {
        let why = data.get("explanation").map(shown).unwrap_or_default();
        return Some(if why.is_empty() { rule } else { format!("{rule}: {why}") });
    }
    let rules = data.get("triggeredRules").or_else(|| data.get("rules"))?.as_array()?;
    let one = |rule: &Value| {
        let id = rule.get("id").map(shown)?;
        let why = rule.get("explanation").map(shown).unwrap_or_default();
        Some(if why.is_empty() { id } else { format!("{id}: {why}") })
    };
    let lines: Vec<String> = rules.iter().filter_map(one).collect();
    let verdict = data.get("verdict").map(shown).filter(|word| word != "null");
    match (verdict, lines.is_empty()) {
        (Some(verdict), true) => Some(verdict),
        (Some(verdict), false) => Some(format!("{verdict} · {}", lines.join("; "))),
        (None, false) => Some(lines.join("; ")),
        (None, true) => None,
    }
}

fn pairs(value: &Value) -> String {
    match value {
        Value::Object(all) => all
            .iter()
            .map(|(name, value)| format!("{name}={}", compact(value)))
            .collect::<Vec<_>>()
            .join(", "),
        other => compact(other),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => compact(other),
    }
}

fn compact(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        other => one_line(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use purple_worker::port::{Digest, Entry, SessionId};
    use serde_json::json;

    use super::*;

    fn entry(kind: &str, data: Value) -> Recorded {
        let (session, hash) = (SessionId::parse("run_1").unwrap(), Digest::of(b""));
        let at = "2026-03-02T12:00:00Z".parse().unwrap();
        Recorded { session, seq: 7, prev: hash, hash, entry: Entry { at, kind: kind.to_owned(), data } }
    }

    #[test]
    fn entries_are_told_in_a_few_words() {
        for (kind, data, told) in [
            (
                "state.entered",
                json!({"from": "ASSESS", "to": "COMPUTE", "event": "assessed"}),
                "ASSESS → COMPUTE (assessed)",
            ),
            (
                "tool.read",
                json!({"tool": "get_invoice", "arguments": {"id": "INV-1"}}),
                "get_invoice(id=\"INV-1\")",
            ),
            ("figures", json!([["variance", "1140.00 USD"]]), "variance = 1140.00 USD"),
            ("figures", json!({"figures": {"net": "-25.97 USD"}}), "net = -25.97 USD"),
            (
                "policy.verdict",
                json!({"verdict": "block", "triggeredRules": [{"id": "AP-3", "explanation": "x (3) > 2"}]}),
                "block · AP-3: x (3) > 2",
            ),
            (
                "policy.verdict",
                json!({"rule": "SLA-4", "explanation": "credit (1) <= 5"}),
                "SLA-4: credit (1) <= 5",
            ),
            ("write.outcome", json!({"reply": "lost", "why": "a timeout"}), "lost: a timeout"),
            ("figures", json!({"function": "overtime", "result": "1,624.00 USD"}), "1,624.00 USD"),
            ("approval.asked", json!({"asks": ["1 × ap_lead"]}), "asks 1 × ap_lead"),
            (
                "model.failed",
                json!({"call": 0, "error": {"NoModel": {"problem": "later"}}}),
                "no answer: later",
            ),
            ("model.other", json!({"asked": "large", "answered": "small"}), "small answers instead"),
            (
                "write.verified",
                json!({"headline": "Pay INV-1", "outcome": "verified"}),
                "Pay INV-1: verified",
            ),
            ("something.new", json!({"a": 1}), "{\"a\":1}"),
        ] {
            assert_eq!(facts(&entry(kind, data)), told, "{kind}");
        }
    }

    #[test]
    fn text_from_outside_has_no_power_over_the_terminal() {
        let hostile = entry("tool.read", json!({"tool": "x\u{1b}[2J\u{202e}y", "arguments": {}}));
        let line = trace_line(&hostile, Paint::Plain);
        assert!(!line.contains('\u{1b}') && !line.contains('\u{202e}'), "{line}");
        assert!(line.starts_with("   7  2026-03-02T12:00:00.000Z  tool.read"), "{line}");
    }
}
