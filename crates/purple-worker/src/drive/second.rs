//! A second look at figures by models: a fast one says which look wrong, and what only a model derived is worked out
//! twice more (`numeric_moa`).
//!
//! Their word can make a person be asked, and nothing else: no word, or no model, leaves everything as the code said.

use std::collections::BTreeMap;

use purple_finance::Exact;
use purple_journal::RedactedJson;
use purple_journal::record::model;
use purple_process::{Argument, Operation, StepId};
use serde_json::{Map, Value, json};

use crate::audit::{Known, audit_after, figures_in};
use crate::dossier::Opened;
use crate::drive::ask::{Heard, single};
use crate::drive::audited::known_figures;
use crate::drive::budget::{Stakes, Thrift, Tier};
use crate::drive::carry::AtWork;
use crate::drive::memo::{Doubted, Drive};
use crate::drive::moa::{TOP_P_THOUSANDTHS, sampled};
use crate::drive::prompt::{AUDIT, NUMBERS, fenced, fenced_beginning};
use crate::execute::call::cut;
use crate::execute::prepare::figures;
use crate::execute::rule::to_serde;
use crate::port::ModelRequest;
use crate::run::{Phase, Run};
use crate::strategy::consensus::agreed;

/// The longest second opinion, in tokens.
const OPINION_TOKENS_MAX: u32 = 400;
/// The most figures that are looked at a second time.
const FIGURES_MAX: usize = 12;
/// Calls that must be left for the task itself.
const CALLS_KEPT: u16 = 6;

/// A figure of an operation.
struct Proposed {
    step: StepId,
    argument: String,
    value: Exact,
}

impl Proposed {
    /// Its name for a model: `op1.amount`.
    fn name(&self) -> String {
        format!("{}.{}", self.step, self.argument)
    }

    fn doubted(&self, gives: Option<&Exact>) -> Doubted {
        let (step, argument) = (self.step.clone(), cut(&self.argument));
        let plain = |number: &Exact| number.to_plain().unwrap_or_else(|| number.to_string());
        Doubted { step, argument, gives: gives.map(plain) }
    }
}

impl Run<'_> {
    /// Has models look at the figures of operations that the code found nothing wrong with.
    pub(crate) async fn second_look(&mut self, work: &mut AtWork, operations: &[Operation]) -> Phase<()> {
        let all = all_figures(operations);
        let enough = work.drive.calls_left > CALLS_KEPT && work.drive.spent.is_none();
        if all.is_empty() || !enough || work.drive.budget.thrift() == Thrift::Emergency {
            return Ok(());
        }
        let (own, derived) = split(all, &work.opened)?;
        let known = known_lines(&work.opened)?;
        let mut doubts = Vec::new();
        if !own.is_empty() {
            doubts.extend(self.audited_by_model(work, &own, &known).await?);
        }
        if !derived.is_empty() && work.drive.budget.thrift() == Thrift::Mild {
            doubts.extend(self.numeric_moa(work, &derived, &known).await?);
        }
        if !doubts.is_empty() {
            let noted = doubts.iter().map(Doubted::noted).collect();
            self.scribe.note(model::AuditDoubted { state: self.session.walk.state(), doubts: noted })?;
            let driven = work.opened.driven_mut();
            driven.doubted.extend(doubts);
            work.changed = true;
        }
        Ok(())
    }

    /// The fast model names the figures that it takes for wrong.
    async fn audited_by_model(
        &self,
        work: &mut AtWork,
        figures: &[Proposed],
        known: &str,
    ) -> Phase<Vec<Doubted>> {
        let names: Vec<String> = figures.iter().map(Proposed::name).collect();
        let lines: Vec<String> = figures
            .iter()
            .map(|one| format!("{} = {}", one.name(), one.value.to_plain().unwrap_or_default()))
            .collect();
        let prompt = AUDIT.fill(&[
            ("task", &fenced_beginning(&work.opened.dossier.text)),
            ("known", known),
            ("figures", &fenced(&lines.join("\n"))),
        ]);
        let schema = json!({
            "type": "object",
            "properties": {"wrong": {"type": "array", "items": {"enum": names}}},
            "required": ["wrong"],
        });
        let request = single(None, prompt, schema, OPINION_TOKENS_MAX);
        let said = self.opinion(&mut work.drive, request, Tier::Fast).await?;
        let wrong = said.as_ref().and_then(|said| said.get("wrong")).and_then(Value::as_array);
        let named: Vec<&str> = wrong.into_iter().flatten().filter_map(Value::as_str).collect();
        let doubted = figures.iter().filter(|one| named.contains(&one.name().as_str()));
        Ok(doubted.map(|one| one.doubted(None)).collect())
    }

    /// Works figures out twice, with another nucleus each, and a third time by the strong model where the two differ.
    async fn numeric_moa(&self, work: &mut AtWork, figures: &[Proposed], known: &str) -> Phase<Vec<Doubted>> {
        let task = fenced_beginning(&work.opened.dossier.text);
        let request = |before: &str| {
            let names: Vec<String> = figures.iter().map(Proposed::name).collect();
            let properties: Map<String, Value> =
                names.iter().map(|name| (name.clone(), json!({"type": "string"}))).collect();
            let prompt = NUMBERS.fill(&[
                ("task", &task),
                ("known", known),
                ("figures", &fenced(&names.join("\n"))),
                ("before", before),
            ]);
            let schema = json!({"type": "object", "properties": {
                "figures": {"type": "object", "properties": properties},
            }, "required": ["figures"]});
            single(None, prompt, schema, OPINION_TOKENS_MAX)
        };
        let mut worked = Vec::new();
        for top_p in TOP_P_THOUSANDTHS {
            let said = self.opinion(&mut work.drive, sampled(&request(""), top_p), Tier::Fast).await?;
            worked.push(numbers(said.as_ref(), figures));
        }
        let [one, other] = worked.as_slice() else { return Ok(Vec::new()) };
        let agree = |name: &str| agreed(one.get(name), other.get(name));
        let is_open = |figure: &&Proposed| {
            let name = figure.name();
            agree(&name).is_none() && (one.contains_key(&name) || other.contains_key(&name))
        };
        let open: Vec<String> = figures.iter().filter(is_open).map(Proposed::name).collect();
        let mut third = BTreeMap::new();
        if !open.is_empty() {
            let said = |of: &BTreeMap<String, Exact>, name: &str| {
                of.get(name).and_then(Exact::to_plain).unwrap_or_else(|| "none".to_owned())
            };
            let lines: Vec<String> = open
                .iter()
                .map(|name| format!("{name}: {} or {}", said(one, name), said(other, name)))
                .collect();
            let before = format!("Two earlier results differ:\n{}", fenced(&lines.join("\n")));
            let said = self.opinion(&mut work.drive, request(&before), Tier::Strong).await?;
            third = numbers(said.as_ref(), figures);
        }
        let mut doubts = Vec::new();
        let mut agreeing = 0_usize;
        for figure in figures {
            let name = figure.name();
            match agree(&name).or_else(|| third.get(&name).cloned()) {
                Some(found) if found == figure.value => agreeing += 1,
                Some(found) => doubts.push(figure.doubted(Some(&found))),
                // Nobody could work it out: provenance asks about it anyway.
                None => {}
            }
        }
        self.scribe.note(model::FiguresCompared {
            figures: figures.len(),
            agree: agreeing,
            differ: doubts.len(),
            settled: open.len(),
        })?;
        Ok(doubts)
    }

    /// One opinion that fits a schema; nothing where none came.
    async fn opinion(&self, drive: &mut Drive, request: ModelRequest, tier: Tier) -> Phase<Option<Value>> {
        Ok(match self.ask_model(drive, request, (tier, Stakes::Ordinary)).await? {
            Heard::Reply(reply, _) if reply.finish.is_complete() => {
                serde_json::from_str(reply.text.trim()).ok()
            }
            Heard::Reply(..) | Heard::Spent(_) | Heard::Garbage(_) | Heard::Down(_) | Heard::Never(_) => None,
        })
    }
}

fn all_figures(operations: &[Operation]) -> Vec<Proposed> {
    let mut all = Vec::new();
    for operation in operations {
        for (name, argument) in &operation.arguments {
            let Argument::Value(value) = argument else { continue };
            let found = figures_in(name, &to_serde(value)).unwrap_or_default();
            all.extend(found.into_iter().map(|Known { name, value }| Proposed {
                step: operation.step.clone(),
                argument: name,
                value,
            }));
        }
    }
    all.truncate(FIGURES_MAX);
    all
}

/// Those that were read or computed, and those that only a model derived.
fn split(all: Vec<Proposed>, opened: &Opened) -> Phase<(Vec<Proposed>, Vec<Proposed>)> {
    let named: Vec<Known> =
        all.iter().map(|one| Known { name: one.name(), value: one.value.clone() }).collect();
    let known = known_figures(opened)?;
    let underived: Vec<String> = match audit_after(&[], &[], &named, &known) {
        Ok(audit) => audit.underived.into_iter().map(|one| one.name).collect(),
        Err(_) => Vec::new(),
    };
    Ok(all.into_iter().partition(|one| !underived.contains(&one.name())))
}

/// The numbers of an opinion by the names of figures.
fn numbers(said: Option<&Value>, figures: &[Proposed]) -> BTreeMap<String, Exact> {
    let given = said.and_then(|said| said.get("figures")).and_then(Value::as_object);
    let one = |figure: &Proposed| {
        let name = figure.name();
        let value = given?.get(&name)?;
        let [number] = <[Known; 1]>::try_from(figures_in(&name, value).ok()?).ok()?;
        Some((name, number.value))
    };
    figures.iter().filter_map(one).collect()
}

/// What is known, in lines, for somebody who was not there.
fn known_lines(opened: &Opened) -> Phase<String> {
    let mut lines: Vec<String> =
        figures(opened)?.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let dossier = &opened.dossier;
    for one in dossier.driven.iter().flat_map(|driven| &driven.computed) {
        lines.push(format!("{} = {}", one.name, RedactedJson::of(&one.value)));
    }
    for read in &dossier.reads {
        lines.extend(
            read.answers
                .iter()
                .flatten()
                .map(|answer| format!("{}: {}", read.name, RedactedJson::of(answer))),
        );
    }
    for (found, number) in dossier.driven.iter().flat_map(|driven| &driven.reads).zip(1_usize..) {
        lines.push(format!("r{number}, {}: {}", found.tool, found.evidence()));
    }
    Ok(fenced(&lines.join("\n")))
}
