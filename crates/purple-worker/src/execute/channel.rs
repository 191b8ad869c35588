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

/// What an approval tool said, and in whose name.
pub(crate) fn said_by_tool(value: &Value) -> Option<(bool, String)> {
    let by = ["by", "person", "user", "asked"]
        .iter()
        .find_map(|name| value.get(*name)?.as_str())
        .unwrap_or_default();
    for name in ["approved", "confirmed"] {
        if let Some(yes) = value.get(name).and_then(Value::as_bool) {
            return Some((yes, by.to_owned()));
        }
    }
    let word = ["answer", "decision", "status"].iter().find_map(|name| value.get(*name)?.as_str())?;
    match word.to_ascii_lowercase().as_str() {
        "approved" | "approve" | "confirmed" | "yes" => Some((true, by.to_owned())),
        "rejected" | "reject" | "declined" | "denied" | "no" => Some((false, by.to_owned())),
        _ => None,
    }
}
