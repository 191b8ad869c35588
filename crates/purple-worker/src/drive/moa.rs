//! The answer of a task that only reads, made twice: two fast replies, and a strong one where they differ.

use std::time::Duration;

use purple_journal::record::model;

use crate::drive::ask::Heard;
use crate::drive::budget::{Stakes, Tier};
use crate::drive::memo::Drive;
use crate::drive::prompt::{SYNTHESIS, fenced};
use crate::port::{Message, ModelReply, ModelRequest};
use crate::run::{Phase, Run};
use crate::strategy::ReadsOnly;
use crate::strategy::consensus::agree;

/// How widely each of the two chooses its words: the nucleus in thousandths.
pub(crate) const TOP_P_THOUSANDTHS: [u16; 2] = [500, 950];

/// The same request with another nucleus.
pub(crate) fn sampled(request: &ModelRequest, top_p_thousandths: u16) -> ModelRequest {
    let mut request = request.clone();
    request.sampling.top_p_thousandths = Some(top_p_thousandths);
    request
}

impl Run<'_> {
    /// Asks twice, and a third time where the two differ. Whoever asks holds that nothing can be written.
    pub(crate) async fn ask_both(
        &self,
        drive: &mut Drive,
        request: ModelRequest,
        _: ReadsOnly,
    ) -> Phase<Heard> {
        let fast = (Tier::Fast, Stakes::Ordinary);
        let [narrow, wide] = TOP_P_THOUSANDTHS.map(|top_p| sampled(&request, top_p));
        let (first, took) = match self.ask_model(drive, narrow, fast).await? {
            Heard::Reply(reply, took) => (reply, took),
            other @ (Heard::Spent(_) | Heard::Garbage(_) | Heard::Down(_) | Heard::Never(_)) => {
                return Ok(other);
            }
        };
        let (second, took) = match self.ask_model(drive, wide, fast).await? {
            Heard::Reply(reply, more) => (reply, took.saturating_add(more)),
            // One answer is an answer.
            Heard::Spent(_) | Heard::Garbage(_) | Heard::Down(_) | Heard::Never(_) => {
                return Ok(Heard::Reply(first, took));
            }
        };
        let is_same = agree(&first.text, &second.text);
        self.scribe.note(model::AnswersCompared { agree: is_same })?;
        if is_same {
            return Ok(Heard::Reply(first, took));
        }
        self.synthesis(drive, request, (first, second), took).await
    }

    async fn synthesis(
        &self,
        drive: &mut Drive,
        mut request: ModelRequest,
        (first, second): (ModelReply, ModelReply),
        took: Duration,
    ) -> Phase<Heard> {
        let answers = format!("One:\n{}\nOther:\n{}", fenced(&first.text), fenced(&second.text));
        request.messages.push(Message::user(SYNTHESIS.fill(&[("answers", &answers)])));
        Ok(match self.ask_model(drive, request, (Tier::Strong, Stakes::Ordinary)).await? {
            Heard::Reply(reply, more) => Heard::Reply(reply, took.saturating_add(more)),
            Heard::Spent(_) | Heard::Garbage(_) | Heard::Down(_) | Heard::Never(_) => {
                Heard::Reply(first, took)
            }
        })
    }
}
