//! Inputs that the words of a task do not state: what the system of record knows is not asked.

use purple_process::file::{Extracted, Records};
use purple_process::playbook::Case;

use crate::dossier::known;
use crate::execute::look_up::asks;
use crate::prime::choose::Fit;
use crate::prime::way::Way;
use crate::run::{Phase, Run};

impl<'a> Run<'a> {
    /// How a text is worked on, with what the system of record knows about its missing inputs.
    pub(crate) async fn way_known(&mut self, text: &str) -> Phase<Way<'a>> {
        let way = self.way(text)?;
        let fit = match &way {
            Way::Playbook(fit) => fit,
            Way::LookUp(fit, _, mood) if asks(*mood) => fit,
            Way::LookUp(..)
            | Way::Calculate(_)
            | Way::Open(_)
            | Way::Advise(..)
            | Way::Unclear(..)
            | Way::Reverse
            | Way::Several(_)
            | Way::NeedsModel(_) => return Ok(way),
        };
        if fit.missing.is_empty() || !fit.task.is_complete() {
            return Ok(way);
        }
        let (process, task, hits) = (fit.process, fit.task, fit.hits.clone());
        let records = self.list_records(fit).await?;
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let earlier = known(&self.session.inputs)?;
        let Extracted { found, missing, places } = task.extract_with(text, &earlier, &records, &setting);
        if missing == fit.missing {
            return Ok(way);
        }
        Ok(self.reading_context()?.way_with(text, Fit { process, task, found, missing, places, hits }))
    }

    /// The records that the file lists for the missing inputs. A list that cannot be read, or not as a whole, decides
    /// nothing: the input is asked for.
    async fn list_records(&mut self, fit: &Fit<'_>) -> Phase<Records> {
        let mut records = Records::default();
        let today = self.settings.day(self.scribe.began());
        let look_ups = Case::start(fit.task, &fit.found, today).look_ups(&fit.missing);
        if look_ups.is_empty() {
            return Ok(records);
        }
        let Ok(catalogue) = self.toolbox().await? else { return Ok(records) };
        for look_up in look_ups {
            for arguments in look_up.calls {
                if let Some(answer) = self.list_whole(look_up.tool, arguments, &catalogue).await {
                    records.add(fit.task, look_up.name, &answer);
                }
            }
        }
        Ok(records)
    }
}
