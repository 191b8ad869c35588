//! Inputs that the words of a task do not state: what the system of record knows is not asked.

use std::sync::Arc;

use purple_process::file::{Extracted, ProcessFile, Records, Task};
use purple_process::playbook::Case;

use crate::dossier::known;
use crate::execute::look_up::asks;
use crate::prime::choose::Fit;
use crate::prime::way::Way;
use crate::run::{Phase, Run};
use crate::settings::Process;

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
        let bound = self.listed_by(process).await?;
        let listing = bound.task(task.name()).unwrap_or(task);
        let mut records = Records::default();
        let mut listed: Vec<String> = Vec::new();
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let earlier = known(&self.session.inputs)?;
        let mut extracted =
            Extracted { found: fit.found.clone(), missing: fit.missing.clone(), places: fit.places.clone() };
        // A vendor that was found by its name may be what its contract is found by.
        while self.list_records(listing, &extracted, &mut listed, &mut records).await? {
            extracted = task.extract_with(text, &earlier, &records, &setting);
        }
        let Extracted { found, missing, places } = extracted;
        if missing == fit.missing {
            return Ok(way);
        }
        Ok(self.reading_context()?.way_with(text, Fit { process, task, found, missing, places, hits }))
    }

    /// The file whose look-ups are made: on the tools at hand, where the operator mapped anything.
    async fn listed_by(&mut self, process: &Process) -> Phase<Arc<ProcessFile>> {
        if self.settings.manifest.systems.is_empty() {
            return Ok(Arc::clone(&process.file));
        }
        let catalogue = self.toolbox().await?;
        Ok(catalogue.map_or_else(|_| Arc::clone(&process.file), |tools| self.on_catalogue(process, &tools).0))
    }

    /// The records that the file lists for the missing inputs. A list that cannot be read, or not as a whole, decides
    /// nothing: the input is asked for. Returns whether something was listed that was not before.
    async fn list_records(
        &mut self,
        task: &Task,
        known: &Extracted,
        listed: &mut Vec<String>,
        records: &mut Records,
    ) -> Phase<bool> {
        let today = self.settings.day(self.scribe.began());
        let mut look_ups = Case::start(task, &known.found, today).look_ups(&known.missing);
        look_ups.retain(|look_up| !listed.iter().any(|name| name == look_up.name));
        if look_ups.is_empty() {
            return Ok(false);
        }
        let Ok(catalogue) = self.toolbox().await? else { return Ok(false) };
        for look_up in look_ups {
            listed.push(look_up.name.to_owned());
            for arguments in look_up.calls {
                if let Some(answer) = self.list_whole(look_up.tool, arguments, &catalogue).await {
                    records.add(task, look_up.name, &answer);
                }
            }
        }
        Ok(true)
    }
}
