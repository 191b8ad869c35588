//! Everything that a decision was made on, kept so that it can be made anew: inputs, reads, files, policies.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use purple_policy::{Authority, PolicyDocument, Unread, Value as PolicyValue};
use purple_process::fact::{Known, Reading, Told};
use purple_process::file::{ProcessFile, Task, load};
use purple_process::playbook::{Case, Findings};
use purple_process::system::Binding;
use purple_process::{Digest, Json, PersonId, Version};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::card::EditedField;
use crate::drive::Driven;
use crate::outside::Shown;
use crate::port::{BlobHash, TurnFailed};
use crate::run::Run;
use crate::session::{Also, Chosen};
use crate::settings::Policy;

/// A case as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dossier {
    pub chosen: Chosen,
    /// The words of the task, for rules on words.
    pub text: String,
    pub today: Date,
    pub inputs: BTreeMap<String, Value>,
    /// What was read, in the order in which it was read.
    pub reads: Vec<Gathered>,
    /// The operator's policy at that time.
    pub operator: Option<Kept>,
    /// The rules that came with the request.
    pub request: Option<Kept>,
    /// What a model found out, where one drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driven: Option<Driven>,
    /// What an approver put in the place of computed values, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub edits: BTreeMap<String, Edited>,
    /// How often it was edited.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub edit_count: u32,
}

/// A value that an approver changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edited {
    /// The new value, as inputs are stored.
    pub value: Value,
    /// What was computed, and what stands there now, in words.
    pub before: String,
    pub after: String,
    pub by: PersonId,
    pub at: jiff::Timestamp,
}

impl Edited {
    /// The same for the card.
    pub(crate) fn shown(&self, name: &str) -> EditedField {
        EditedField {
            name: Shown::new(name),
            before: Shown::new(&self.before),
            after: Shown::new(&self.after),
            by: self.by.clone(),
            at: self.at,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how serde asks")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A policy document that is kept with a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    pub name: String,
    pub digest: Digest,
    pub text: BlobHash,
}

/// One read of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Gathered {
    pub name: String,
    pub tool: String,
    pub at: jiff::Timestamp,
    /// The arguments of each call.
    pub calls: Vec<purple_process::Values>,
    /// The answers, one for each call; or why there are none.
    pub answers: Result<Vec<Value>, String>,
    /// What it means that there are none. Of earlier builds nobody knows, and what nobody knows failed.
    #[serde(default, skip_serializing_if = "NoAnswer::is_failed")]
    pub no_answer: NoAnswer,
}

/// How a read ended that has no answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NoAnswer {
    /// There is no such thing: that is known.
    Absent,
    /// Somebody said no.
    Refused,
    /// Anything else: nobody knows whether there is such a thing.
    #[default]
    Failed,
}

impl NoAnswer {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how serde asks")]
    fn is_failed(&self) -> bool {
        *self == Self::Failed
    }
}

impl Gathered {
    /// Tells a case what became of the read.
    pub(crate) fn tell(&self, case: &mut Case<'_>) {
        let answers = match (&self.answers, self.no_answer) {
            (Ok(answers), _) => answers,
            (Err(why), NoAnswer::Absent) => return case.absent(&self.name, why.as_str()),
            (Err(why), NoAnswer::Refused) => {
                return case.give_up(&self.name, Unread::Refused, why.as_str());
            }
            (Err(why), NoAnswer::Failed) => return case.give_up(&self.name, Unread::Failed, why.as_str()),
        };
        let values: Result<Vec<PolicyValue>, _> = answers.iter().map(PolicyValue::from_json).collect();
        let answered = values
            .map_err(|error| error.to_string())
            .and_then(|values| case.answer(&self.name, values).map_err(|error| error.to_string()));
        if let Err(why) = answered {
            case.give_up(&self.name, Unread::Failed, why);
        }
    }
}

/// A dossier with its files loaded: what rules are judged on.
#[derive(Clone)]
pub(crate) struct Opened {
    pub dossier: Dossier,
    pub file: Arc<ProcessFile>,
    pub policies: Vec<Arc<Policy>>,
    /// The file that the words point to, where a model chose another one.
    pub also: Option<Arc<ProcessFile>>,
    /// Those that earlier rounds pointed to, in the order of the dossier.
    pub earlier: Vec<Arc<ProcessFile>>,
    /// What the case comes to; made when it is asked for first.
    found: OnceLock<Arc<Findings>>,
}

impl Dossier {
    /// Loads the very files and policies that it names, whatever the operator has now.
    pub(crate) async fn open(mut self, run: &Run<'_>) -> Result<Opened, TurnFailed> {
        if let Some(driven) = &mut self.driven {
            run.take_up(&mut driven.reads).await?;
        }
        let file = file_of(&self.chosen, run).await?;
        let mut policies = Vec::new();
        for (kept, authority) in [(&self.operator, Authority::Operator), (&self.request, Authority::Request)]
        {
            let Some(kept) = kept else { continue };
            let current = run.settings.policy.as_ref().filter(|policy| policy.digest() == kept.digest);
            policies.push(match (authority, current) {
                (Authority::Operator, Some(policy)) => Arc::clone(policy),
                (Authority::Operator | Authority::Process | Authority::Request, _) => {
                    Arc::new(policy_of(kept, authority, run).await?)
                }
            });
        }
        let also = match self.driven.as_ref().and_then(|driven| driven.also.as_ref()) {
            Some(also) => Some(file_of(&also.chosen, run).await?),
            None => None,
        };
        let mut earlier = Vec::new();
        for also in self.driven.iter().flat_map(|driven| &driven.earlier) {
            earlier.push(file_of(&also.chosen, run).await?);
        }
        Ok(Opened { dossier: self, file, policies, also, earlier, found: OnceLock::new() })
    }
}

/// The process file of a session, as it was when it was chosen.
pub(crate) async fn file_of(chosen: &Chosen, run: &Run<'_>) -> Result<Arc<ProcessFile>, TurnFailed> {
    let file = unbound_file_of(chosen, run).await?;
    let Some(binding) = chosen.binding else { return Ok(file) };
    let binding: Binding = run.fetch("binding", binding).await?;
    Ok(Arc::new(file.bound(&Arc::new(binding))))
}

async fn unbound_file_of(chosen: &Chosen, run: &Run<'_>) -> Result<Arc<ProcessFile>, TurnFailed> {
    if let Some(process) = run.settings.process(&chosen.process)
        && process.file.digest() == chosen.digest
    {
        return Ok(Arc::clone(&process.file));
    }
    let bytes = run.bytes("process file", chosen.file).await?;
    let text = String::from_utf8(bytes)
        .map_err(|error| TurnFailed::Unreadable { what: "process file", why: error.to_string() })?;
    let file = load(&text)
        .map_err(|error| TurnFailed::Unreadable { what: "process file", why: error.to_string() })?;
    Ok(Arc::new(file))
}

async fn policy_of(kept: &Kept, authority: Authority, run: &Run<'_>) -> Result<Policy, TurnFailed> {
    let unreadable = |why: String| TurnFailed::Unreadable { what: "policy", why };
    let bytes = run.bytes("policy", kept.text).await?;
    let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
    let document = PolicyDocument::parse(&text, authority)
        .map_err(|wrong| unreadable(wrong.first().map(ToString::to_string).unwrap_or_default()))?;
    Ok(Policy { name: kept.name.clone(), document, text })
}

impl Opened {
    /// The same files with another dossier of theirs.
    pub(crate) fn with(&self, dossier: Dossier) -> Self {
        let (file, policies) = (Arc::clone(&self.file), self.policies.clone());
        let (also, earlier) = (self.also.clone(), self.earlier.clone());
        Self { dossier, file, policies, also, earlier, found: OnceLock::new() }
    }

    /// What a model found out, to be added to. What was decided on less is forgotten.
    pub(crate) fn driven_mut(&mut self) -> &mut Driven {
        self.found = OnceLock::new();
        self.dossier.driven.get_or_insert_default()
    }

    /// The files beside its own whose rules count: the one that the words point to, and those of earlier rounds.
    pub(crate) fn beside(&self) -> impl Iterator<Item = (&Also, &Arc<ProcessFile>)> {
        let driven = self.dossier.driven.as_ref();
        let also = driven.and_then(|driven| driven.also.as_ref()).zip(self.also.as_ref());
        also.into_iter().chain(driven.into_iter().flat_map(|driven| &driven.earlier).zip(&self.earlier))
    }

    /// The task of the file. A file whose bytes are the same has it.
    pub(crate) fn task(&self) -> Result<&Task, TurnFailed> {
        self.file.task(&self.dossier.chosen.task).ok_or_else(|| TurnFailed::Unreadable {
            what: "process file",
            why: format!("it has no task `{}`", self.dossier.chosen.task),
        })
    }

    /// The case, from what was found and read.
    pub(crate) fn case(&self) -> Result<Case<'_>, TurnFailed> {
        let task = self.task()?;
        if let Some(found) = self.found.get() {
            return Ok(Case::again(task, Arc::clone(found)));
        }
        let case = case_of(task, &self.dossier)?;
        // Whoever was first made the same.
        let _ = self.found.set(case.found());
        Ok(case)
    }

    /// How much it holds that is stored apart, in bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        let reads = self.dossier.driven.iter().flat_map(|driven| &driven.reads);
        reads.filter_map(|found| found.handle.as_ref()).map(|handle| handle.bytes).sum()
    }

    /// The policies, as a plan names them.
    pub(crate) fn versions(&self) -> Vec<Version> {
        self.policies
            .iter()
            .map(|policy| Version { name: policy.name.clone(), digest: policy.digest() })
            .collect()
    }

    /// The process file, as a plan names it.
    pub(crate) fn process(&self) -> Version {
        Version { name: self.file.name().to_owned(), digest: self.file.digest() }
    }
}

/// The case of a dossier, from what was found and read.
pub(crate) fn case_of<'t>(task: &'t Task, dossier: &Dossier) -> Result<Case<'t>, TurnFailed> {
    let inputs = known(&dossier.inputs)?;
    let mut case = Case::start(task, &inputs, dossier.today);
    for read in &dossier.reads {
        read.tell(&mut case);
    }
    let mut case = case.knowing(Arc::new(everything(dossier, task.binding().map(Arc::as_ref))));
    let edits = dossier.edits.iter().map(|(name, edited)| (name.clone(), edited.value.clone()));
    for (name, value) in known(&edits.collect())? {
        case.edit(&name, value);
    }
    Ok(case)
}

/// Everything that a run has read, whoever asked for it. Rules see all of it, also what a model was shown in part.
fn everything(dossier: &Dossier, binding: Option<&Binding>) -> Known {
    let mut answers: Vec<(&str, &purple_process::Values, Option<Json>, NoAnswer, jiff::Timestamp)> =
        Vec::new();
    for read in &dossier.reads {
        for (place, arguments) in read.calls.iter().enumerate() {
            let answer = read.answers.as_ref().ok().and_then(|answers| answers.get(place));
            let answer = answer.and_then(|answer| Json::from_serde(answer).ok());
            answers.push((&read.tool, arguments, answer, read.no_answer, read.at));
        }
    }
    if let Some(driven) = &dossier.driven {
        for found in &driven.reads {
            let answer = Json::from_serde(found.answer.for_work()).ok();
            answers.push((found.tool.as_str(), &found.arguments, answer, NoAnswer::Failed, found.at));
        }
        for unread in &driven.unread {
            answers.push((unread.tool.as_str(), &unread.arguments, None, unread.no_answer, unread.at));
        }
    }
    let computed = dossier.driven.iter().flat_map(|driven| &driven.computed);
    let computed: Vec<(&str, Json)> = computed
        .filter_map(|one| Some((one.function.as_deref()?, Json::from_serde(&one.value).ok()?)))
        .collect();
    // What is mapped is known by the names of the mapping.
    let mapped: Vec<Option<(&str, purple_process::Values, Option<Json>)>> = (answers.iter())
        .map(|(tool, arguments, answer, ..)| {
            let (record, call) = binding?.reading(tool, arguments)?;
            let answer = answer.as_ref().map(|answer| call.answer(answer));
            Some((record, call.arguments(arguments), answer))
        })
        .collect();
    let both =
        answers.iter().zip(&mapped).map(|((tool, arguments, answer, no_answer, at), mapped)| match mapped {
            Some((record, arguments, answer)) => {
                (*tool, Some(*record), arguments, answer.as_ref(), no_answer, at)
            }
            None => (*tool, None, *arguments, answer.as_ref(), no_answer, at),
        });
    let known = Known::of(both.map(|(tool, record, arguments, answer, no_answer, at)| Reading {
        tool,
        record,
        arguments,
        told: match (answer, no_answer) {
            (Some(answer), _) => Told::Answer(answer),
            (None, NoAnswer::Absent) => Told::Absent,
            (None, NoAnswer::Refused) => Told::Unread(Unread::Refused),
            (None, NoAnswer::Failed) => Told::Unread(Unread::Failed),
        },
        at: *at,
    }));
    known.with_computed(computed.iter().map(|(function, result)| (*function, result)))
}

/// Inputs as values of the policy language.
pub(crate) fn known(inputs: &BTreeMap<String, Value>) -> Result<BTreeMap<String, PolicyValue>, TurnFailed> {
    let unreadable = |why: String| TurnFailed::Unreadable { what: "inputs", why };
    inputs
        .iter()
        .map(|(name, value)| {
            let value: StoredInput =
                serde_json::from_value(value.clone()).map_err(|error| unreadable(error.to_string()))?;
            Ok((name.clone(), value.into_known().map_err(unreadable)?))
        })
        .collect()
}

/// An input as it is stored: its JSON alone would lose that it is a date or a percentage.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoredInput {
    Date(Date),
    Percent(String),
    Plain(Value),
}

impl StoredInput {
    pub(crate) fn of(value: &PolicyValue) -> Self {
        match value {
            PolicyValue::Date(date) => Self::Date(*date),
            PolicyValue::Percent(number) => Self::Percent(number.to_string()),
            PolicyValue::Null
            | PolicyValue::Bool(_)
            | PolicyValue::Number(_)
            | PolicyValue::Money { .. }
            | PolicyValue::Text(_)
            | PolicyValue::List(_)
            | PolicyValue::Record(_) => Self::Plain(value.to_json()),
        }
    }

    fn into_known(self) -> Result<PolicyValue, String> {
        match self {
            Self::Date(date) => Ok(PolicyValue::Date(date)),
            Self::Percent(text) => purple_policy::Exact::parse(&text)
                .map(PolicyValue::Percent)
                .map_err(|error| error.to_string()),
            Self::Plain(value) => PolicyValue::from_json(&value).map_err(|error| error.to_string()),
        }
    }
}
