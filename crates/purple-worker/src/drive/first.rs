//! Reads of code: what rules want to know of an operation and nobody has read, where it is known how to ask.

use purple_process::fact::{Ids, Readable};
use purple_process::file::{Field, Task};
use purple_process::{Effect, Operation, State, ToolName, Values};

use crate::drive::carry::AtWork;
use crate::port::TurnFailed;
use crate::run::{Phase, Run};

/// How often what was read leads to further reads: from a receivable to its customer, and on.
const ROUNDS_MAX: usize = 3;
/// The most reads that code makes of itself for one proposal.
const READS_MAX: usize = 40;

impl Run<'_> {
    /// Reads what the rules want to know of these operations, or of the task before there are any. What cannot be read
    /// stays unknown, and the rules ask a person.
    pub(crate) async fn read_first(&mut self, work: &mut AtWork, operations: &[Operation]) -> Phase<()> {
        let powers = self.session.walk.state().row().allows;
        let decides = self.session.walk.route().visits(State::PolicyCheck);
        if !decides || !powers.iter().any(|(effect, _)| *effect == Effect::Read) {
            return Ok(());
        }
        let mut made = 0_usize;
        for _ in 0..ROUNDS_MAX {
            let calls = work.would_tell(operations)?;
            if calls.is_empty() {
                break;
            }
            for (tool, arguments) in calls {
                let Some(known) = work.catalogue.get(&tool).cloned() else { continue };
                if made >= READS_MAX {
                    return Ok(());
                }
                made += 1;
                self.code_read(work, &known, arguments).await?;
            }
        }
        Ok(())
    }
}

impl AtWork {
    /// The calls that would tell what is missing, without those that were made already.
    fn would_tell(&self, operations: &[Operation]) -> Result<Vec<(ToolName, Values)>, TurnFailed> {
        let case = self.opened.case()?;
        let fields = self.wanted_fields()?;
        let reads: Vec<_> =
            self.catalogue.tools_of(Effect::Read).filter(|one| one.quarantined.is_none()).collect();
        let required: Vec<Vec<String>> =
            reads.iter().map(|one| one.required().map(str::to_owned).collect()).collect();
        let readable: Vec<Readable<'_>> = reads
            .iter()
            .zip(&required)
            .map(|(one, required)| Readable { tool: one.definition.own_name(), required })
            .collect();
        let ids = Ids::of_words(&self.opened.dossier.text);
        let subjects: Vec<Option<&Operation>> =
            if operations.is_empty() { vec![None] } else { operations.iter().map(Some).collect() };
        let mut calls: Vec<(ToolName, Values)> = Vec::new();
        for subject in subjects {
            for (place, arguments) in case.known().would_tell(&fields, subject, &ids, &readable) {
                let Some(read) = reads.get(place) else { continue };
                let call = (read.name().clone(), arguments);
                if !calls.contains(&call) && !self.was_read(&call) {
                    calls.push(call);
                }
            }
        }
        Ok(calls)
    }

    /// The declared fields of the file, and of the one that the words point to beside it.
    fn wanted_fields(&self) -> Result<Vec<Field>, TurnFailed> {
        let mut fields = self.opened.task()?.records().to_vec();
        let beside = self.opened.beside().filter_map(|(also, file)| file.task(&also.chosen.task));
        fields.extend(beside.flat_map(Task::records).cloned());
        Ok(fields)
    }

    fn was_read(&self, (tool, arguments): &(ToolName, Values)) -> bool {
        self.opened.dossier.driven.iter().any(|driven| {
            driven.reads.iter().any(|one| one.tool == *tool && one.arguments == *arguments)
                || driven.unread.iter().any(|one| one.is_of(tool, arguments))
        })
    }
}
