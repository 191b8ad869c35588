//! What was made so far, as a turn sees it: signed processes, and those that can only ask for more care.

use std::sync::{Arc, Mutex, PoisonError};

use purple_process::file::ProcessFile;

use crate::learn::Switch;
use crate::port::{Defined, DefinitionKind, Definitions, EngineError, Redefinition, Sandbox};
use crate::settings::{Ports, Process, Settings, Standing};
use crate::synthesis::caution::Cautious;
use crate::synthesis::made::Made;

/// Reads definitions when they have changed, and judges each again: nothing is trusted because it was stored.
#[derive(Default)]
pub(crate) struct Library {
    read: Mutex<Option<(u64, Arc<Holdings>)>>,
}

/// Everything that holds during one turn.
pub(crate) struct Holdings {
    /// The operator's settings, with the processes that were made.
    pub settings: Arc<Settings>,
    /// The functions that were made, each admitted again.
    pub functions: Vec<Arc<Made>>,
    /// The definitions as they were read.
    pub definitions: Vec<Defined>,
}

impl Library {
    /// What holds now.
    pub(crate) async fn holdings(
        &self,
        ports: &Ports,
        settings: &Arc<Settings>,
    ) -> Result<Arc<Holdings>, EngineError> {
        // Without a place for definitions there are none, now and later.
        let revision = ports.workshop.as_ref().map_or(0, |workshop| workshop.definitions.revision());
        let before = self.read.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((read, holdings)) = &before
            && *read == revision
        {
            return Ok(Arc::clone(holdings));
        }
        let mut definitions = match &ports.workshop {
            Some(workshop) => workshop.definitions.definitions().await?,
            None => Vec::new(),
        };
        definitions.retain(|one| counts(one, settings.synthesis));
        let mut functions: Vec<Arc<Made>> = Vec::new();
        for defined in definitions.iter().filter(|one| one.kind == DefinitionKind::Tool) {
            let admitted = before.as_ref().and_then(|(_, holdings)| holdings.function(defined));
            match (admitted, &ports.workshop) {
                (Some(made), _) => functions.push(made),
                (None, Some(workshop)) => match function_of(defined, &*workshop.sandbox) {
                    Some(made) => functions.push(Arc::new(made)),
                    None => retire(&*workshop.definitions, defined).await?,
                },
                (None, None) => {}
            }
        }
        let settings = extended(settings, &definitions);
        let holdings = Arc::new(Holdings { settings, functions, definitions });
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some((revision, Arc::clone(&holdings)));
        Ok(holdings)
    }
}

impl Holdings {
    /// The function of a definition that was admitted before and has not changed since.
    fn function(&self, defined: &Defined) -> Option<Arc<Made>> {
        let same = self.definitions.iter().any(|one| one == defined) && defined.quarantined.is_none();
        self.functions.iter().find(|made| same && made.name() == defined.name).map(Arc::clone)
    }
}

/// A definition as a function, if it is admitted again.
pub(super) fn function_of(defined: &Defined, sandbox: &dyn Sandbox) -> Option<Made> {
    if defined.quarantined.is_some() {
        return None;
    }
    let made: Made = serde_json::from_str(&defined.text).ok()?;
    (made.name() == defined.name && sandbox.admit(&made.program).is_ok()).then_some(made)
}

/// What was admitted once and is not any more stays to be looked at, and is not used.
async fn retire(definitions: &dyn Definitions, defined: &Defined) -> Result<(), EngineError> {
    if defined.quarantined.is_some() {
        return Ok(());
    }
    let (kind, name, digest) = (defined.kind, defined.name.clone(), defined.digest());
    let why = "it was not admitted again when it was loaded".to_owned();
    definitions.redefine(Redefinition::Quarantine { kind, name, digest, why }).await.map(drop)
}

/// The settings with the processes that were made.
fn extended(settings: &Arc<Settings>, definitions: &[Defined]) -> Arc<Settings> {
    if !definitions.iter().any(|one| one.kind == DefinitionKind::Process) {
        return Arc::clone(settings);
    }
    let processes = in_effect(&settings.processes, definitions, settings.synthesis).into();
    Arc::new(Settings { processes, ..Settings::clone(settings) })
}

/// The processes that count, of those that ship or that the operator loads, and those that were made or signed here.
///
/// What a person signed under the own name of a process that ships takes its place. Nothing takes the place of what the
/// operator loads, and what nobody signed takes no place at all: it is added where its name is free.
pub fn in_effect(processes: &[Process], definitions: &[Defined], synthesis: Switch) -> Vec<Process> {
    let mut all = processes.to_vec();
    let is_made = |one: &&Defined| one.kind == DefinitionKind::Process && counts(one, synthesis);
    let made: Vec<Process> = definitions.iter().filter(is_made).filter_map(process_of).collect();
    for process in made.iter().filter(|one| one.standing == Standing::Signed) {
        let is_shipped = |one: &Process| one.standing == Standing::Shipped;
        let place = all.iter().position(|one| is_shipped(one) && one.file.name() == process.file.name());
        let is_free = || taken_name(&process.file, &all).is_none();
        if let Some(place) = place.filter(|_| is_free())
            && let Some(shipped) = all.get_mut(place)
        {
            *shipped = Process { standing: Standing::SignedInstead, ..process.clone() };
        }
    }
    for process in made {
        if !all.iter().any(|one| one.file.answers_to(process.file.name())) {
            all.push(process);
        }
    }
    all
}

/// A name of a file, its own or another, to which a process of another name answers, and that process.
pub fn taken_name<'p>(file: &ProcessFile, all: &'p [Process]) -> Option<(String, &'p Process)> {
    let names = std::iter::once(file.name()).chain(file.also().iter().map(String::as_str));
    let other =
        |name: &str| all.iter().find(|one| one.file.name() != file.name() && one.file.answers_to(name));
    names.into_iter().find_map(|name| Some((name.to_owned(), other(name)?)))
}

/// Without synthesis only what a person answers for counts.
fn counts(defined: &Defined, synthesis: Switch) -> bool {
    match synthesis {
        Switch::On => true,
        Switch::Off => defined.kind == DefinitionKind::Process && defined.is_signed(),
    }
}

/// A definition as a process: signed, or able only to ask for more care. Anything else has no effect.
pub(super) fn process_of(defined: &Defined) -> Option<Process> {
    if defined.quarantined.is_some() {
        return None;
    }
    let process = Process::parse(&defined.text).ok()?;
    if process.file.name() != defined.name {
        return None;
    }
    if defined.is_signed() {
        return Some(Process { standing: Standing::Signed, ..process });
    }
    Cautious::of(ProcessFile::clone(&process.file)).ok()?;
    Some(Process { standing: Standing::Unsigned, ..process })
}

#[cfg(test)]
#[path = "library_tests.rs"]
mod tests;
