//! The one admission: size, privacy, tool endpoint. What it refuses is stored nowhere.

use purple_port::card::Card;
use purple_port::client::ClientError;
use purple_port::command::{Action, Cancelled, Choice, Command, Decide, Reviewed, Words};
use purple_process::{SessionId, StepId};
use serde_json::Value;

use super::Client;
use crate::event::{Edit, Event, Refused, Sent, Start, Verdict};
use crate::limits::{COMMAND_ID_BYTES_MAX, EVENT_BYTES_MAX, TASK_BYTES_MAX};
use crate::port::EngineError;
use crate::prime::privacy::{PrivacyCode, Refusal, guard, redact, redact_json};
use crate::settings::endpoint_allowed;
use purple_journal::word::Channel;

/// Whether a command may be the first one of a run.
pub(super) const fn begins_a_run(command: &Command) -> bool {
    matches!(command.action, Action::Say(_))
}

impl Client {
    /// Refuses what is empty or too long, an id or an address with a secret, and tools that the operator does not allow.
    pub(super) fn check(&self, command: &Command) -> Result<(), ClientError> {
        if let Some(id) = &command.id {
            check_length("id", id.len(), COMMAND_ID_BYTES_MAX)?;
            check_secret("id", id)?;
        }
        let bytes = match &command.action {
            Action::Say(words) => {
                self.check_endpoint(words)?;
                if words.text.trim().is_empty() {
                    return Err(ClientError::Empty);
                }
                words.text.len()
            }
            Action::Edit { fields, .. } => fields.iter().map(|(name, text)| name.len() + text.len()).sum(),
            Action::Decide(Decide { choice: Choice::Reject { reason }, .. })
            | Action::Cancel { reason, .. } => reason.len(),
            Action::Decide(_) | Action::Undo { .. } | Action::Settle { .. } => 0,
        };
        check_length("text", bytes, TASK_BYTES_MAX)
    }

    fn check_endpoint(&self, words: &Words) -> Result<(), ClientError> {
        let Some(url) = &words.tools_endpoint else { return Ok(()) };
        if !endpoint_allowed(&self.endpoints_allowed, url) {
            return Err(ClientError::EndpointNotAllowed { origin: redact(origin(url)) });
        }
        check_secret("address of the tools", url)
    }

    /// The event that a command becomes. Outside text goes in redacted, except the words of a task, which the guard
    /// has passed.
    pub(super) async fn event(&self, command: Command, id: &str) -> Result<Event, ClientError> {
        let Command { run, by, channel, action, .. } = command;
        let account = self.account.clone().filter(|_| channel == Channel::Cli);
        Ok(match action {
            Action::Say(words) => {
                let Words { text, policy, tools_endpoint } = words;
                let message_id = Some(id.to_owned());
                match refusal(&text, policy.as_ref()) {
                    Some(Refusal { code, .. }) => {
                        Event::Refused(Refused { code, text: redact(&text), by, channel, message_id })
                    }
                    None => {
                        Event::Start(Start { text, by, channel, account, policy, tools_endpoint, message_id })
                    }
                }
            }
            Action::Decide(Decide { read, choice, body }) => {
                let (steps, reason) = self.decided(&run, read, choice).await?;
                let message = body.map(|body| Sent { id: id.to_owned(), body: redact_json(body) });
                let Reviewed { plan, card } = read;
                Event::Decision(Verdict { plan, steps, reason, by, channel, account, shown: card.0, message })
            }
            Action::Edit { read: Reviewed { plan, card }, fields } => {
                let fields = fields.into_iter().map(|(name, text)| (name, redact(&text))).collect();
                Event::Edit(Edit { plan, fields, by, channel, account, shown: card.0 })
            }
            Action::Undo { step, round } => {
                Event::Undo { step: Some(step), round, by, channel, account, words: None }
            }
            Action::Settle { step, found } => Event::Settled { step, done: found, by, account },
            Action::Cancel { what, reason } => {
                let (round, message) = match what {
                    Cancelled::Run => (None, None),
                    Cancelled::Round(round) => (Some(round), None),
                    Cancelled::Message(message) => (None, Some(message)),
                };
                Event::Cancel { by, reason: redact(&reason), round, message }
            }
        })
    }

    /// The steps that a decision approves, in the order of the plan, and why it rejects.
    async fn decided(
        &self,
        run: &SessionId,
        read: Reviewed,
        choice: Choice,
    ) -> Result<(Vec<StepId>, Option<String>), ClientError> {
        let named = match choice {
            Choice::Reject { reason } => return Ok((Vec::new(), Some(redact(&reason)))),
            Choice::Approve => None,
            Choice::ApproveSome(named) => Some(named),
        };
        let unreadable = || ClientError::Unreadable { what: "card", run: run.clone() };
        let bytes = self.blobs.get(read.card).await?.ok_or_else(unreadable)?;
        let card: Card = serde_json::from_slice(&bytes).map_err(|_| unreadable())?;
        let steps = card.steps();
        let Some(named) = named else { return Ok((steps, None)) };
        let unknown = named.iter().find(|name| !steps.iter().any(|step| step.as_str() == name.as_str()));
        if let Some(step) = unknown {
            let steps = steps.iter().map(ToString::to_string).collect();
            return Err(ClientError::NoSuchStep { run: run.clone(), step: step.clone(), steps });
        }
        let chosen = steps.into_iter().filter(|step| named.iter().any(|name| name == step.as_str()));
        Ok((chosen.collect(), None))
    }
}

/// Refuses a task that is too large together with what came with it.
pub(super) fn check_size(event: &Event) -> Result<(), ClientError> {
    let Event::Start(Start { policy: Some(_), .. }) = event else { return Ok(()) };
    let bytes = event.to_bytes().map_err(|error| EngineError::Storage(error.into()))?.len();
    check_length("task with its policy", bytes, EVENT_BYTES_MAX)
}

const fn check_length(what: &'static str, bytes: usize, bytes_max: usize) -> Result<(), ClientError> {
    if bytes > bytes_max { Err(ClientError::TooLong { what, bytes, bytes_max }) } else { Ok(()) }
}

/// Refuses a secret in what is stored as it is. The digits of an id may look like the number of a card; that is not a secret.
fn check_secret(what: &'static str, text: &str) -> Result<(), ClientError> {
    match guard(text) {
        Err(Refusal { code: code @ (PrivacyCode::Credential | PrivacyCode::ApiKey), .. }) => {
            Err(ClientError::Secret { what, code })
        }
        Err(_) | Ok(()) => Ok(()),
    }
}

/// Why the guard refuses words, or rules that hold a secret: what comes with a task is stored like the task.
fn refusal(text: &str, policy: Option<&Value>) -> Option<Refusal> {
    let rules = policy.map(|policy| policy.as_str().map_or_else(|| policy.to_string(), str::to_owned));
    let of_rules = || guard(&rules?).err().filter(|refusal| refusal.code.is_literal());
    guard(text).err().or_else(of_rules)
}

/// Scheme, host and port of a URL, without what may hold a secret.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let rest = url.get(host..).unwrap_or_default();
    let end = rest.find(['/', '?', '#']).map_or(url.len(), |end| host + end);
    let origin = url.get(..end).unwrap_or_default();
    // A user and password before the host are not part of it.
    if rest.get(..end - host).is_some_and(|host| host.contains('@')) { "" } else { origin }
}
