//! A kind of task that nobody defined: one call of a model describes it, and the file is kept for ever.

use std::sync::Arc;

use purple_journal::Redacted;
use purple_journal::record::process;
use purple_journal::word::{ChosenBy, DefinitionNote, Place};
use purple_process::{PersonId, Role, is_question};

use crate::dossier::known;
use crate::drive::{
    Classified, Drive, Heard, SYNTHESIZE, SecondOpinion, Stakes, Tier, fenced_task, purse, single,
};
use crate::execute::call::cut;
use crate::learn::Switch;
use crate::port::{Defined, DefinitionKind, Definitions, Origin, Redefinition};
use crate::prime::choose::{choose, fit_of};
use crate::run::{Phase, Run};
use crate::settings::{Process, Standing};
use crate::synthesis::Workshop;
use crate::synthesis::draft::{Draft, NoProcess, schema};
use crate::synthesis::purse::with_purse;

/// The longest description of a process, in tokens.
const PROCESS_TOKENS_MAX: u32 = 1_500;
/// The shortest and the longest name of a kind, in bytes.
const KIND_BYTES_MIN: usize = 4;
const KIND_BYTES_MAX: usize = 48;

/// Whether a word can name a kind of task.
pub(crate) fn is_kind(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (KIND_BYTES_MIN..=KIND_BYTES_MAX).contains(&word.len())
        && word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.bytes().all(plain)
}

impl Run<'_> {
    /// Where what is missing is made; `None` where nothing is.
    pub(crate) fn workshop(&self) -> Option<&Workshop> {
        match self.settings.synthesis {
            Switch::On => self.ports.workshop.as_ref(),
            Switch::Off => None,
        }
    }

    /// The process for a kind that has none yet. `None`: it could not be made, and everything goes on without it.
    pub(crate) async fn synthesized(
        &self,
        drive: &mut Drive,
        text: &str,
        kind: &str,
    ) -> Phase<Option<Process>> {
        let Some(workshop) = self.workshop() else { return Ok(None) };
        let prompt = SYNTHESIZE.fill(&[("kind", kind), ("task", &fenced_task(text))]);
        let request = single(None, prompt, schema(), PROCESS_TOKENS_MAX);
        let asked = with_purse(drive, async |drive| {
            self.ask_model(drive, request, (Tier::Strong, Stakes::Ordinary)).await
        });
        let reply = match asked.await? {
            Heard::Reply(reply, _) if reply.finish.is_complete() => reply,
            Heard::Reply(..) => return self.not_synthesized(kind, "the reply was cut"),
            Heard::Spent(why) => return self.not_synthesized(kind, &why),
            Heard::Garbage(error) | Heard::Down(error) | Heard::Never(error) => {
                return self.not_synthesized(kind, &error.to_string());
            }
        };
        let (file_text, file) = match self.filed(&reply.text, kind, text) {
            Ok(filed) => filed,
            Err(why) => return self.not_synthesized(kind, &why.to_string()),
        };
        let model = self.ports.models.as_ref().map_or("", |models| &models.strong_name);
        let new = Defined {
            kind: DefinitionKind::Process,
            name: kind.to_owned(),
            text: file_text,
            origin: Origin::Model { run: self.id().clone(), model: model.to_owned() },
            at: self.scribe.began(),
            signed: None,
            quarantined: None,
        };
        let (stands, first) = self.define(&*workshop.definitions, new).await?;
        let kept = self.scribe.keep("definition", &stands)?;
        self.scribe.note(process::Synthesized {
            process: Redacted::of(kind),
            digest: stands.digest(),
            model: Redacted::of(model),
            first,
            definition: kept,
        })?;
        if first {
            let text = Arc::from(stands.text.as_str());
            return Ok(Some(Process { file: Arc::new(file), text, standing: Standing::Unsigned }));
        }
        Ok(super::library::process_of(&stands))
    }

    /// Keeps a definition, unless somebody was first; the one that stands, and whether it is this one.
    pub(super) async fn define(&self, definitions: &dyn Definitions, new: Defined) -> Phase<(Defined, bool)> {
        if definitions.redefine(Redefinition::Define(new.clone())).await? {
            return Ok((new, true));
        }
        let all = definitions.definitions().await?;
        let theirs = all.into_iter().find(|one| one.kind == new.kind && one.name == new.name);
        // Whoever was first may have been forgotten meanwhile; then this task uses its own, and nobody else does.
        Ok(theirs.map_or((new, true), |theirs| (theirs, false)))
    }

    /// Tells the journal what was defined when a task was taken up.
    pub(crate) fn tell_definitions(&self) -> Phase<()> {
        let known = &self.holdings.definitions;
        if known.is_empty() {
            return Ok(());
        }
        let kept = self.scribe.keep("definitions", known)?;
        self.scribe.note(process::DefinitionsKnown { definition: kept, count: known.len() })
    }

    /// A calculation is answered by a shipped function, whatever a model says; but its kind is learned by the first of
    /// them, and every later one belongs to it without a model.
    pub(crate) async fn kind_of_calculation(&mut self, text: &str) -> Phase<()> {
        if self.workshop().is_none() || self.session.chosen.is_some() || is_question(text).is_some() {
            return Ok(());
        }
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let earlier = known(&self.session.inputs)?;
        if let Some(fit) = choose(text, &self.settings.processes, &earlier, &setting) {
            if fit.process.standing.is_defined() {
                self.take_by(&fit, ChosenBy::Keywords).await?;
            }
            return Ok(());
        }
        if self.ports.models.is_none() {
            return Ok(());
        }
        let mut drive = purse();
        let said = self.classified(&mut drive, text, SecondOpinion::NotWanted).await?;
        let (Classified::Unknown(kind), _) = said else { return Ok(()) };
        let Some(made) = self.synthesized(&mut drive, text, &kind).await? else { return Ok(()) };
        if let Some(fit) = fit_of(text, &made, &earlier, &setting) {
            self.take_by(&fit, ChosenBy::Model).await?;
        }
        Ok(())
    }

    /// Who signed a process here, and whether it has taken the place of the one that ships; `None` for one that ships
    /// or lies in a folder of the operator.
    pub(crate) fn definition_note(&self, process: &Process) -> Option<DefinitionNote> {
        let instead_of = match process.standing {
            Standing::Shipped | Standing::Operator => return None,
            Standing::Signed | Standing::Unsigned => None,
            Standing::SignedInstead => Some(Place::Shipped),
        };
        let signed = process.standing.is_answered_for();
        Some(DefinitionNote { signed, instead_of, by: self.signer(process).as_ref().map(Redacted::of) })
    }

    /// Who signed a process here.
    pub(crate) fn signer(&self, process: &Process) -> Option<PersonId> {
        match process.standing {
            Standing::Shipped | Standing::Operator | Standing::Unsigned => None,
            Standing::Signed | Standing::SignedInstead => {
                let is_it =
                    |one: &&Defined| one.kind == DefinitionKind::Process && one.name == process.file.name();
                let defined = self.holdings.definitions.iter().find(is_it)?;
                Some(defined.signed.as_ref()?.by.clone())
            }
        }
    }

    fn filed(
        &self,
        reply: &str,
        kind: &str,
        text: &str,
    ) -> Result<(String, purple_process::file::ProcessFile), NoProcess> {
        let owner = self.settings.process(crate::drive::GENERAL).map(|general| general.file.owner().clone());
        let owner = owner.map_or_else(|| Role::parse("operations"), Ok)?;
        let (file_text, file) = Draft::parse(reply)?.to_file(kind, &owner, text)?;
        Ok((file_text, file.into_file()))
    }

    /// It could not be made: the journal says why.
    fn not_synthesized(&self, kind: &str, why: &str) -> Phase<Option<Process>> {
        let (name, why) = (Some(Redacted::of(kind)), Redacted::of(&cut(why)));
        self.scribe.note(process::SynthesisFailed { function: None, process: name, why })?;
        Ok(None)
    }
}
