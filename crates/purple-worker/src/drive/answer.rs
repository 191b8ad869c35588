//! The final answer: the model's words, with what they lack marked, or what is known without a model.

use purple_process::{Ending, State};
use serde_json::json;

use crate::drive::carry::AtWork;
use crate::drive::prompt::GAPS;
use crate::execute::call::cut;
use crate::execute::close::Left;
use crate::execute::finish::{is_exact_match, missing_fields};
use crate::execute::prepare::found;
use crate::run::{Phase, Run};
use crate::session::Driving;

/// The longest answer of a model, in bytes. A longer one is cut, and says so.
const ANSWER_BYTES_MAX: usize = 32 * 1024;

impl Run<'_> {
    /// The loop of COMPLETE is over: its answer is checked for gaps, asked for once more, and then given.
    pub(crate) async fn answered(
        &mut self,
        mut work: AtWork,
        answer: Option<String>,
    ) -> Phase<Option<AtWork>> {
        let answer = answer.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let gaps = match &answer {
            Some(text) if !is_exact_match(text) => missing_fields(&work.drive.answer_fields, text),
            Some(_) | None => Vec::new(),
        };
        if !gaps.is_empty() && !work.drive.asked_again && work.drive.spent.is_none() {
            work.drive.asked_again = true;
            self.scribe.note("answer.gaps", json!({"missing": gaps}))?;
            work.drive.says = Some(GAPS.fill(&[("missing", &gaps.join(", "))]));
            return Ok(Some(work));
        }
        let left = self.last_words(work, answer, &gaps).await?;
        self.close(left).await?;
        Ok(None)
    }

    async fn last_words(&mut self, mut work: AtWork, answer: Option<String>, gaps: &[String]) -> Phase<Left> {
        self.keep_case(&mut work)?;
        let (spent, lack) = (work.drive.spent.clone(), work.drive.lack);
        let AtWork { driving: Driving { case, trail, .. }, opened, catalogue, .. } = work;
        let plan = match trail.permitted.last() {
            Some(hash) => {
                let plan = self.plan(*hash).await?;
                let ruling = self.judged_again(&opened, &catalogue, &plan, None)?;
                Some((plan, ruling))
            }
            None => None,
        };
        let ruled = plan.as_ref().map(|(plan, ruling)| (&**plan, ruling));
        let is_untouched = trail.started.is_empty();
        let mut left = self.left(&opened, Some(case), trail, &catalogue, ruled)?;
        left.sentences.clear();
        match answer {
            Some(text) => {
                // A model may claim what it likes: where it could have changed something and did not, that comes first.
                let could = self.session.walk.route().visits(State::Mutate);
                if could && is_untouched && !is_exact_match(&text) {
                    left.sentences.push("Nothing was changed. In the words of the model:".to_owned());
                }
                left.sentences.push(short(text));
            }
            None if self.session.walk.ending() == Some(Ending::Done) => {
                left.sentences.push("This answer was put together without a language model.".to_owned());
                left.shows.extend(found(&opened));
            }
            None => {}
        }
        if !gaps.is_empty() {
            left.sentences.push(format!("Not found: {}.", gaps.join(", ")));
        }
        if let Some(why) = spent {
            let told = format!("The language model was not asked any more: {}.{}", cut(&why), lack.help());
            left.sentences.push(told);
            left.code = Some(lack.code().to_owned());
        }
        Ok(left)
    }
}

fn short(text: String) -> String {
    if text.len() <= ANSWER_BYTES_MAX {
        return text;
    }
    let end = text.floor_char_boundary(ANSWER_BYTES_MAX);
    format!("{}… [cut: {} bytes in all]", text.get(..end).unwrap_or_default(), text.len())
}
