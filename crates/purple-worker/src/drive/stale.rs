//! A record that a model's plan rests on has changed: what it read is read again, and the plan is judged and asked anew.

use purple_process::{Fact, Operation, Seen};

use crate::dossier::Dossier;
use crate::drive::held::Found;
use crate::execute::operate::Underway;
use crate::execute::verify::at;
use crate::run::{Phase, Run};
use crate::session::Trail;

impl Run<'_> {
    /// The same operations once more, on what stands there now. Whoever said yes to them said it to something else.
    pub(crate) async fn put_anew(&mut self, underway: Underway<'_>, trail: Trail) -> Phase<()> {
        let Underway { running, plan, opened, catalogue } = underway;
        let mut dossier: Dossier = opened.dossier.clone();
        let mut operations: Vec<Operation> = plan.operations().to_vec();
        let changed: Vec<(purple_process::ToolName, purple_process::Values)> = operations
            .iter()
            .flat_map(|one| &one.before)
            .map(|seen| (seen.tool.clone(), seen.arguments.clone()))
            .collect();
        for found in dossier.driven.iter_mut().flat_map(|driven| &mut driven.reads) {
            let is_seen =
                changed.iter().any(|(tool, arguments)| *tool == found.tool && *arguments == found.arguments);
            let Some(known) = catalogue.get(&found.tool).filter(|_| is_seen) else { continue };
            let read = self.read_again(known, found.arguments.clone(), catalogue).await;
            let told = (found.tool.clone(), found.arguments.clone());
            let held = match read {
                // It takes the place of what it was.
                Ok(answer) => self.hold(told, answer, &[])?.ok_or("an answer is too large by now".to_owned()),
                Err(why) => Err(why),
            };
            match held {
                Ok(now) => *found = Found { at: found.at, ..now },
                Err(why) => {
                    let underway = Underway { running, plan, opened, catalogue };
                    return self.stop(underway, &why).await;
                }
            }
        }
        for operation in &mut operations {
            let seen = seen_anew(operation, &dossier);
            if seen.len() != operation.before.len() {
                let underway = Underway { running, plan, opened, catalogue };
                return self.stop(underway, "a record that the plan rests on has changed").await;
            }
            operation.before = seen;
        }
        let case = self.keep("case", &dossier)?;
        let opened = dossier.open(self).await?;
        self.step(Fact::Captured)?;
        self.propose(&opened, case, catalogue, operations, trail).await
    }
}

fn seen_anew(operation: &Operation, dossier: &Dossier) -> Vec<Seen> {
    let one = |seen: &Seen| {
        let reads = dossier.driven.iter().flat_map(|driven| &driven.reads);
        let mut same = reads.filter(|found| found.tool == seen.tool && found.arguments == seen.arguments);
        let answer = same.next_back()?.answer.for_work();
        let value = purple_process::Json::from_serde(at(answer, &seen.field)?).ok()?;
        Some(Seen { value, ..seen.clone() })
    };
    operation.before.iter().filter_map(one).collect()
}
