//! Why a run was allowed, asked about or refused: every source of rules that took part, as the journal has it.

use purple_journal::record::plan::{Made, PolicyVerdict};
use purple_journal::word::PlannedOperation;
use purple_journal::{BlobHash, Recorded, Redacted};
use purple_process::{Plan, SessionId};
use purple_worker::{RunView, WorkerHandle};
use serde_json::{Value, json};

use crate::commands::look::PAGE;
use crate::commands::{Scene, in_house};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Screen, Tone, one_line};
use crate::wire_up::Purpose;

/// `purple policy explain RUN`
pub(super) fn run(scene: &Scene<'_>, what: &str) -> Result<Exit, Failure> {
    if what.contains(['/', '.']) {
        return Err(Failure::NothingToExplain { what: what.to_owned() });
    }
    let config = scene.config(Vec::new())?;
    in_house(scene, &config, Purpose::Look, |worker| async move {
        let view = worker.view(&worker.find(what).await?).await?;
        let told = Told::of(&worker, &view).await?;
        if scene.screen.is_json() {
            scene.screen.document(&told.data(&view))?;
        } else {
            told.show(scene.screen, &view)?;
        }
        Ok(Exit::Done)
    })
}

/// What the journal says about the last verdict of a run.
struct Told {
    /// What the file decided, and what the documents say about the task.
    verdict: PolicyVerdict,
    /// The plan that was judged after that, if there was one.
    plan: Option<Made>,
    /// The documents that were asked: name and version.
    policies: Vec<(String, String)>,
}

impl Told {
    async fn of(worker: &WorkerHandle, view: &RunView) -> Result<Self, Failure> {
        let (verdict, plan) = last_judged(worker, &view.run).await?;
        let verdict = verdict.ok_or_else(|| Failure::NotJudged { run: view.run.to_string() })?;
        let mut policies = Vec::new();
        if let Some(plan) = &plan {
            policies = documents(worker, plan.kept).await?;
        }
        Ok(Self { verdict, plan, policies })
    }

    /// The strictest of all: the plan's, or that of the task where no plan was made.
    fn combined(&self, view: &RunView) -> String {
        let planned = self.plan.as_ref().map(|plan| plan.verdict.to_string());
        let policy = view.answer.as_ref().and_then(|answer| answer.data.policy.as_ref());
        planned.unwrap_or_else(|| {
            let word = match policy {
                Some(said) if said.escalation_required => "escalate",
                Some(said) if said.requires_approval => "require_approval",
                Some(said) if said.passed => "allow",
                Some(_) => "block",
                None => "none",
            };
            word.to_owned()
        })
    }

    fn asks(&self) -> Vec<String> {
        let required =
            self.plan.as_ref().and_then(|plan| plan.ruling.value().get("requirements")?.as_array());
        required.into_iter().flatten().filter_map(requirement).collect()
    }

    /// The operations of the plan, each with its ruling.
    fn operations(&self) -> Vec<(&PlannedOperation, &Value)> {
        let Some(plan) = &self.plan else { return Vec::new() };
        let ruled = plan.ruling.value().get("operations").and_then(Value::as_array);
        plan.operations.iter().zip(ruled.into_iter().flatten()).collect()
    }

    fn data(&self, view: &RunView) -> Value {
        let operations: Vec<Value> = self
            .operations()
            .into_iter()
            .map(|(operation, ruling)| {
                json!({
                    "step": operation.step, "headline": operation.headline,
                    "tool": operation.tool, "verdict": ruling.get("verdict"),
                    "sources": ruling.get("said"), "reasons": ruling.get("reasons"), "asks": asks_of(ruling),
                })
            })
            .collect();
        let policies: Vec<Value> =
            self.policies.iter().map(|(name, version)| json!({"name": name, "version": version})).collect();
        json!({
            "run": view.run, "verdict": self.combined(view), "mode": view.summary.mode, "asks": self.asks(),
            "process": self.verdict, "signed_by": view.summary.signed_by, "policies": policies, "operations": operations,
        })
    }

    fn show(&self, screen: Screen, view: &RunView) -> Result<(), Failure> {
        let combined = self.combined(view);
        let tone = match combined.as_str() {
            "allow" => Tone::Good,
            "block" => Tone::Bad,
            _ => Tone::Warning,
        };
        let mode = view.summary.mode;
        screen.line(&format!("{}   in mode `{mode}`", screen.out.text(tone, &combined)))?;
        let signed = view.summary.signed_by.as_ref();
        let signed = signed.map_or_else(String::new, |by| format!(", signed by {by},"));
        self.show_verdict(screen, &signed)?;
        if self.plan.is_none() {
            screen.line("\nabout the task")?;
            voices(screen, Some(self.verdict.sources.value()))?;
        }
        for (operation, ruling) in self.operations() {
            self.show_operation(screen, operation, ruling)?;
        }
        let asks = self.asks();
        if !asks.is_empty() {
            screen.line(&format!("\nasked: {}", asks.join(", ")))?;
        }
        Ok(())
    }

    /// What the process file decided.
    fn show_verdict(&self, screen: Screen, signed: &str) -> Result<(), Failure> {
        let verdict = &self.verdict;
        let (process, leads_to) = (shown(&verdict.process), shown(&verdict.leads_to));
        screen.line(&format!("\nprocess file `{process}`{signed} leads to `{leads_to}`"))?;
        let rule = verdict.rule.as_ref().map_or_else(|| "no rule matched".to_owned(), shown);
        screen.line(format!("  {rule}: {}", shown(&verdict.explanation)).trim_end_matches(": "))?;
        for more in [&verdict.because, &verdict.source].into_iter().flatten() {
            screen.line(&format!("    {}", shown(more)))?;
        }
        for doubt in &verdict.doubts {
            let (rule, why) = (shown(&doubt.rule), shown(&doubt.why));
            screen.line(&format!("  {rule} could not be checked: {why}"))?;
        }
        Ok(())
    }

    fn show_operation(
        &self,
        screen: Screen,
        operation: &PlannedOperation,
        ruling: &Value,
    ) -> Result<(), Failure> {
        let (step, headline) = (&operation.step, shown(&operation.headline));
        let verdict = ruling.get("verdict").and_then(Value::as_str).map(one_line).unwrap_or_default();
        screen.line(&format!("\n{step}   {headline}: {verdict}"))?;
        voices(screen, ruling.get("said"))?;
        let said: Vec<&Value> = ruling.get("said").and_then(Value::as_array).into_iter().flatten().collect();
        let spoke =
            |source: &str| said.iter().any(|one| one.get("source").and_then(Value::as_str) == Some(source));
        for (name, version) in &self.policies {
            let source = if name == REQUEST { "request" } else { "operator" };
            if !spoke(source) {
                screen.line(&format!("  {} `{name}` ({version}): no rule fired", whose(source)))?;
            }
        }
        // What the mode or an empty chair added stands after what the rules said.
        let own: usize = said.iter().filter(|one| one.get("counts") != Some(&Value::Bool(false))).count();
        let reasons = ruling.get("reasons").and_then(Value::as_array).into_iter().flatten();
        for reason in reasons.skip(own).filter_map(Value::as_str) {
            screen.line(&format!("  {}", one_line(reason)))?;
        }
        let asks = asks_of(ruling);
        if !asks.is_empty() {
            screen.line(&format!("  asks {}", asks.join(", ")))?;
        }
        Ok(())
    }
}

/// The name under which the rules of a request are kept.
const REQUEST: &str = "request";

/// The last verdict of a run, and the plan that was made after it.
async fn last_judged(
    worker: &WorkerHandle,
    run: &SessionId,
) -> Result<(Option<PolicyVerdict>, Option<Made>), Failure> {
    let (mut verdict, mut plan, mut seq) = (None, None, 0);
    loop {
        let entries = worker.trace(run, seq, PAGE).await?;
        let Some(end) = entries.last() else { return Ok((verdict, plan)) };
        seq = end.seq;
        for record in entries.iter().map(Recorded::record) {
            if let Some(found) = record.get::<PolicyVerdict>() {
                (verdict, plan) = (Some(found.clone()), None);
            }
            plan = record.get::<Made>().cloned().or(plan);
        }
    }
}

/// The documents that a plan names.
async fn documents(worker: &WorkerHandle, kept: BlobHash) -> Result<Vec<(String, String)>, Failure> {
    let bytes = worker.blobs.get(kept).await.map_err(purple_worker::ClientError::from)?;
    let plan: Option<Plan> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let policies = plan.map(|plan| plan.draft().policies.clone()).unwrap_or_default();
    let short = |digest: String| digest.chars().take("sha256:".len() + 12).collect::<String>();
    Ok(policies.into_iter().map(|one| (one.name, short(one.digest.to_string()))).collect())
}

fn voices(screen: Screen, said: Option<&Value>) -> Result<(), Failure> {
    for one in said.and_then(Value::as_array).into_iter().flatten() {
        let text = |name: &str| one.get(name).and_then(Value::as_str).map(one_line).unwrap_or_default();
        let counts =
            if one.get("counts") == Some(&Value::Bool(false)) { ", which grants nothing" } else { "" };
        screen.line(&format!("  {}: {}{counts}", whose(&text("source")), text("verdict")))?;
        for rule in one.get("rules").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            screen.line(&format!("    {}", one_line(rule)))?;
        }
    }
    Ok(())
}

fn shown(text: &Redacted) -> String {
    one_line(text.as_str())
}

fn whose(source: &str) -> &'static str {
    match source {
        "operator" => "operator's policy",
        "request" => "request's rules",
        _ => "process file",
    }
}

fn asks_of(ruling: &Value) -> Vec<String> {
    let required = ruling.get("requirements").and_then(Value::as_array);
    required.into_iter().flatten().filter_map(requirement).collect()
}

/// A requirement in words: `1 × ap_lead`.
fn requirement(value: &Value) -> Option<String> {
    let requirement: purple_process::Requirement = serde_json::from_value(value.clone()).ok()?;
    Some(requirement.to_string())
}
