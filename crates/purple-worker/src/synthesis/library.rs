//! What was made so far, as a turn sees it: signed processes, and those that can only ask for more care.

use std::sync::{Arc, Mutex, PoisonError};

use crate::port::{Defined, DefinitionKind, EngineError};
use crate::settings::{Ports, Process, Settings, Standing};
use crate::synthesis::caution::Cautious;

/// Reads definitions when they have changed, and judges each again: nothing is trusted because it was stored.
#[derive(Default)]
pub(crate) struct Library {
    read: Mutex<Option<(u64, Arc<Holdings>)>>,
}

/// Everything that holds during one turn.
pub(crate) struct Holdings {
    /// The operator's settings, with the processes that were made.
    pub settings: Arc<Settings>,
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
        let definitions = match &ports.workshop {
            Some(workshop) => workshop.definitions.definitions().await?,
            None => Vec::new(),
        };
        let holdings = Arc::new(Holdings { settings: extended(settings, &definitions), definitions });
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some((revision, Arc::clone(&holdings)));
        Ok(holdings)
    }
}

/// The settings with the processes that were made. What the operator has keeps its name.
fn extended(settings: &Arc<Settings>, definitions: &[Defined]) -> Arc<Settings> {
    let mut processes = settings.processes.to_vec();
    let made = definitions.iter().filter(|one| one.kind == DefinitionKind::Process);
    for process in made.filter_map(process_of) {
        if !processes.iter().any(|one| one.file.answers_to(process.file.name())) {
            processes.push(process);
        }
    }
    if processes.len() == settings.processes.len() {
        return Arc::clone(settings);
    }
    Arc::new(Settings { processes: processes.into(), ..Settings::clone(settings) })
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
        return Some(process);
    }
    Cautious::of(purple_process::file::ProcessFile::clone(&process.file)).ok()?;
    Some(Process { standing: Standing::Unsigned, ..process })
}
