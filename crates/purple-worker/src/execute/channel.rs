//! Approval tools as a channel: the card is put to every one that the operator declared, and what it answers counts for
//! exactly that plan.

use purple_journal::Redacted;
use purple_journal::record::approval;
use purple_process::{ApprovalChannel, PersonId, Plan};
use serde_json::Value;

use crate::card::Card;
use crate::event::{Channel, Event, Verdict};
use crate::execute::call::call_result;
use crate::execute::catalogue::Catalogue;
use crate::execute::quarantine::Cleared;
use crate::port::{CallOptions, Called};
use crate::run::{Phase, Run};

impl Run<'_> {
    /// Puts the card to every approval tool that the operator declared as a channel.
    pub(crate) async fn ask_channels(
        &mut self,
        plan: &Plan,
        card: &Card,
        catalogue: &Catalogue,
    ) -> Phase<()> {
        for name in &self.settings.channels {
            let Some(known) = catalogue.get(name) else { continue };
            let Some(channel) = ApprovalChannel::declare(known.tool.clone()) else {
                continue;
            };
            let confirms = name.as_str().starts_with(CONFIRMS);
            let user = confirms.then_some(&self.session.requester);
            let Some(arguments) = question(&known.definition.input_schema, card, user) else { continue };
            let Ok(pass) = purple_process::ask(self.session.walk.position(), &channel, arguments) else {
                continue;
            };
            if self.reads().cleared(known).await != Cleared::Yes {
                continue;
            }
            let called = match self.reads().halted(known, &pass).await {
                Some(stopped) => stopped,
                None => {
                    let options = CallOptions { key: None, ..self.settings.options(known) };
                    self.ports.tools.call(&self.session.tools_at, pass, options).await
                }
            };
            let answer = match &called {
                Called::Answered(value) => said_by_tool(value.for_work()),
                Called::Refused { .. } | Called::Asked(_) | Called::NotSent { .. } | Called::Lost { .. } => {
                    None
                }
            };
            self.scribe.note(approval::ChannelAsked {
                tool: Redacted::of(&name),
                answer: answer.as_ref().map(|(yes, _)| *yes),
                result: call_result(&self.scribe, &called),
            })?;
            let Some((yes, by)) = answer else { continue };
            // Such a tool asks the requester, whatever name it answers with. It can never speak for a role.
            let by = match confirms {
                true => Ok(self.session.requester.clone()),
                false => PersonId::parse(&by).or_else(|_| PersonId::parse(name.as_str())),
            };
            let Ok(by) = by else { continue };
            let steps = if yes { card.steps() } else { Vec::new() };
            let reason = (!yes).then(|| format!("{name} answered no"));
            let verdict = Verdict {
                plan: plan.hash(),
                steps,
                reason,
                by,
                channel: Channel::Tool,
                account: None,
                shown: card.digest(),
                message: None,
            };
            // It is taken in a turn of its own, like every other decision.
            self.scribe.turn.later(std::time::Duration::ZERO, Event::Decision(verdict))?;
        }
        Ok(())
    }
}

/// Approval tools of this name ask the requester.
const CONFIRMS: &str = "confirm_with_";

/// The card as the one text that an approval tool asks for, and whom it is to ask where that can be said.
fn question(schema: &Value, card: &Card, user: Option<&PersonId>) -> Option<purple_process::Values> {
    const NAMES: [&str; 6] = ["question", "message", "prompt", "text", "summary", "details"];
    const CARD_COLUMNS: usize = 100;
    let properties = schema.get("properties")?.as_object()?;
    let name = NAMES.into_iter().find(|name| properties.contains_key(*name))?;
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if required.iter().any(|field| field.as_str() != Some(name)) {
        return None;
    }
    let text = purple_process::Json::from(card.to_text(CARD_COLUMNS).as_str());
    let user = user.filter(|_| properties.contains_key("user"));
    let user = user.map(|user| ("user".to_owned(), purple_process::Json::from(user.as_str())));
    Some([(name.to_owned(), text)].into_iter().chain(user).collect())
}

/// What an approval tool said, and in whose name. Every field that can say yes or no must say the same; one that says
/// something else, "yes, but only half", makes it no clear answer.
pub(crate) fn said_by_tool(value: &Value) -> Option<(bool, String)> {
    const TRUTHS: [&str; 7] =
        ["approved", "confirmed", "accepted", "granted", "agreed", "consent", "approval"];
    const DENIALS: [&str; 5] = ["rejected", "declined", "denied", "refused", "cancelled"];
    const WORDS: [&str; 8] =
        ["answer", "decision", "response", "verdict", "outcome", "result", "status", "choice"];
    let by = ["by", "person", "user", "asked"]
        .iter()
        .find_map(|name| value.get(*name)?.as_str())
        .unwrap_or_default();
    let mut said: Vec<Option<bool>> = Vec::new();
    for (name, field) in value.as_object()? {
        let name = name.to_ascii_lowercase();
        let is = |of: &[&str]| of.contains(&name.as_str());
        match field {
            Value::Null => {}
            Value::Bool(truth) if is(&TRUTHS) || is(&WORDS) => said.push(Some(*truth)),
            Value::Bool(truth) if is(&DENIALS) => said.push(Some(!*truth)),
            Value::String(word) if is(&TRUTHS) || is(&WORDS) => match verdict(word) {
                Word::Says(truth) => said.push(Some(truth)),
                // How the call went, or where the question stands, is no answer.
                Word::OfCall if is(&["status", "result", "outcome", "response"]) => {}
                Word::OfCall | Word::Other => said.push(None),
            },
            Value::Number(_) | Value::Array(_) | Value::Object(_) if is(&TRUTHS) || is(&DENIALS) => {
                said.push(None);
            }
            _ => {}
        }
    }
    let first = said.first().copied().flatten()?;
    said.iter().all(|one| *one == Some(first)).then(|| (first, by.to_owned()))
}

/// What one word of an answer says.
enum Word {
    Says(bool),
    /// That the call went well, and nothing of what was answered.
    OfCall,
    Other,
}

fn verdict(word: &str) -> Word {
    match word.trim().trim_end_matches(['.', '!']).to_ascii_lowercase().as_str() {
        "approved" | "approve" | "confirmed" | "confirm" | "yes" | "accepted" | "agreed" | "true" => {
            Word::Says(true)
        }
        "rejected" | "reject" | "declined" | "denied" | "no" | "refused" | "not approved"
        | "not confirmed" | "false" => Word::Says(false),
        "ok" | "success" | "done" | "completed" | "answered" | "received" | "closed" => Word::OfCall,
        _ => Word::Other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_says_yes_everywhere_is_a_yes() {
        let said = |value: Value| said_by_tool(&value).map(|(yes, _)| yes);
        for yes in [
            json!({"approved": true}),
            json!({"confirmed": true, "answer": "yes"}),
            json!({"answer": "Yes.", "status": "completed"}),
            json!({"decision": "approved", "rejected": false, "reason": null}),
            json!({"status": "ok", "answer": "approved", "by": "bea"}),
        ] {
            assert_eq!(said(yes.clone()), Some(true), "{yes}");
        }
        for no in [
            json!({"approved": false}),
            json!({"confirmed": false, "answer": "no", "status": "completed"}),
            json!({"answer": "declined", "rejected": true}),
        ] {
            assert_eq!(said(no.clone()), Some(false), "{no}");
        }
        for unclear in [
            json!({}),
            json!("yes"),
            json!({"confirmed": true, "answer": "no"}),
            json!({"approved": true, "decision": "rejected"}),
            json!({"approved": true, "confirmed": false}),
            json!({"answer": "yes", "declined": true}),
            json!({"status": "approved", "answer": "no"}),
            json!({"answer": "no", "status": "pending"}),
            json!({"status": "ok"}),
            json!({"status": "pending"}),
            json!({"confirmed": true, "answer": "yes, but only half"}),
            json!({"approved": "maybe"}),
            json!({"approved": true, "status": "pending"}),
            json!({"approved": ["bea"]}),
        ] {
            assert_eq!(said(unclear.clone()), None, "{unclear}");
        }
    }
}
