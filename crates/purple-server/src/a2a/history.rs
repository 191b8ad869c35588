//! What was said in a task, as messages.

use purple_port::SessionId;
use purple_port::WorkerHandle;

use super::fault::Fault;
use super::model::{HistoryLength, Message, Part, Role};
use super::story::{Heard, Place, Said, Story};

/// What people said in a task. Two people may call their messages alike; each id is there once.
pub(super) async fn messages(
    worker: &WorkerHandle,
    story: &Story,
    (run, place): (&SessionId, &Place),
    length: HistoryLength,
) -> Result<Vec<Message>, Fault> {
    let is_here = |heard: &&Heard| match place {
        Place::Round(round) => heard.round == *round && heard.aside.is_none(),
        Place::Aside(seq) => heard.seq == *seq,
        Place::Queued(_) => false,
    };
    let here: Vec<&Heard> = story.heard.iter().filter(is_here).collect();
    let keep = match length {
        HistoryLength::All => here.len(),
        HistoryLength::Last(count) => usize::try_from(count).unwrap_or(usize::MAX),
    };
    let mut messages: Vec<Message> = Vec::new();
    for heard in here.iter().skip(here.len().saturating_sub(keep)) {
        let part = match &heard.said {
            Said::Words(text) => Part::Text(text.clone()),
            Said::Decision(data) => Part::Data(data.clone()),
            Said::Long(whole) => {
                let bytes = worker.blobs.get(*whole).await?.unwrap_or_default();
                Part::Text(String::from_utf8_lossy(&bytes).into_owned())
            }
        };
        let id = heard.id.clone().filter(|id| messages.iter().all(|other| other.id != *id));
        let id = id.unwrap_or_else(|| format!("{run}-{}", heard.seq));
        messages.push(Message { id, role: Role::User, parts: vec![part] });
    }
    Ok(messages)
}
