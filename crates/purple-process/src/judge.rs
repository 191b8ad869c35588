//! Combines what the sources of rules say about each operation into one ruling on the plan.
//!
//! Strictest wins. A source in which no rule fired takes no part; where none fired, the mode decides.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use purple_policy::{Authority, Judgement, Level, TriggeredRule, Verdict, combine};
use serde::{Deserialize, Serialize};

use crate::id::{Role, SessionId, StepId};
use crate::operation::Operation;
use crate::people::{OwnRequests, Requirement};
use crate::plan::{Plan, PlanHash, Round};

/// When an operation runs without a person. Later is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Unless a rule demands a person. For closed set-ups.
    Permissive,
    /// Only where a rule of the operator's policy or of a process file allows it. The default.
    Careful,
    /// Never.
    Always,
}

impl Mode {
    /// Every mode, from mildest to strictest.
    pub const ALL: [Self; 3] = [Self::Permissive, Self::Careful, Self::Always];

    /// The name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Permissive => "permissive",
            Self::Careful => "careful",
            Self::Always => "always",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Whether anybody is there to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    /// A plan can wait for a person.
    Attended,
    /// Nothing waits: what needs a person is escalated.
    Unattended,
}

/// The operator's settings for approvals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approvals {
    /// When an operation runs without a person.
    pub mode: Mode,
    /// Whether anybody is there.
    pub attendance: Attendance,
    /// Whether a requester may approve their own request in a role that they hold.
    pub own_requests: OwnRequests,
    /// Roles whose holders never decide, whatever else they hold.
    pub excluded: BTreeSet<Role>,
    /// The role that is asked where no rule names one: the owner of the process.
    pub fallback: Role,
}

impl Approvals {
    /// The same, made stricter by what a request asks for. A request cannot loosen the mode.
    pub fn tightened(mut self, requested: Mode) -> Self {
        self.mode = self.mode.max(requested);
        self
    }
}

/// What one source of rules says about one operation, where at least one of its rules fired.
///
/// An `allow` comes only from a judged document or a decided case: it cannot be written down. Anybody may demand more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub(crate) authority: Authority,
    pub(crate) verdict: Verdict,
    pub(crate) asks: Vec<Requirement>,
    /// Whether it also asks without naming anybody. That is the owner's to answer.
    pub(crate) unnamed: bool,
    pub(crate) because: String,
    /// Each rule that fired, with the numbers put in.
    pub(crate) rules: Vec<String>,
}

/// What one source of rules said about an operation, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Voice {
    /// Who stands behind it.
    pub source: Authority,
    /// What it says.
    pub verdict: Verdict,
    /// Whether that counts: an `allow` of a request grants nothing.
    pub counts: bool,
    /// Each rule that fired, with the numbers put in.
    pub rules: Vec<String>,
    /// Whom it asks.
    pub asks: Vec<Requirement>,
}

impl Ruling {
    /// What a policy document says about an operation; `None` if none of its rules fired.
    ///
    /// Whom it asks is the role of the highest level among the rules that ask, and the requester too where a rule wants
    /// `confirm_with_…` first. A rule that asks without naming anybody asks the owner.
    pub fn of(judgement: &Judgement, levels: &Levels) -> Option<Self> {
        let verdict = judgement.verdict()?;
        let asking = || judgement.triggered_rules().filter(|rule| rule.action() == Verdict::RequireApproval);
        let confirms =
            |rule: &TriggeredRule<'_>| rule.unmet().is_some_and(|tool| tool.starts_with("confirm_with_"));
        // What could not be checked asks whom the rule would ask, or the owner.
        let named: Vec<Option<Level>> = asking()
            .filter(|rule| !confirms(rule))
            .map(|rule| rule.level())
            .chain(judgement.unchecked_rules().map(|rule| rule.level()))
            .collect();
        let highest = asking().filter_map(|rule| rule.level()).chain(named.iter().copied().flatten()).max();
        let level = highest.and_then(|level| levels.role(level)).map(Requirement::role);
        let requester = asking().any(|rule| confirms(&rule)).then(Requirement::requester);
        let unnamed = named.iter().any(Option::is_none) || (highest.is_some() && level.is_none());
        let asks = level.into_iter().chain(requester).collect();
        let fired = judgement.triggered_rules().map(|rule| format!("{}: {}", rule.id(), rule.explanation()));
        let unchecked = || judgement.unchecked_rules().map(|rule| rule.to_string());
        let because = fired.chain(unchecked()).collect::<Vec<_>>().join("; ");
        let rules = judgement.triggered_rules().map(|rule| rule.to_string()).chain(unchecked()).collect();
        let authority = judgement.authority();
        Some(Self { authority, verdict, asks, unnamed, because, rules })
    }

    /// Demands these people, whatever the rules say.
    pub fn asking(authority: Authority, asks: Vec<Requirement>, because: impl Into<String>) -> Self {
        let (unnamed, because) = (asks.is_empty(), because.into());
        let rules = vec![because.clone()];
        Self { authority, verdict: Verdict::RequireApproval, asks, unnamed, because, rules }
    }

    /// The same, with where it comes from said first.
    #[must_use]
    pub fn told_first(mut self, whence: &str) -> Self {
        self.because = format!("{whence}: {}", self.because);
        self.rules = self.rules.into_iter().map(|rule| format!("{whence}: {rule}")).collect();
        self
    }

    /// Who stands behind it.
    pub fn authority(&self) -> Authority {
        self.authority
    }

    /// What it says.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whom it asks. Empty: the role that is asked by default.
    pub fn asks(&self) -> &[Requirement] {
        &self.asks
    }

    fn counts(&self) -> bool {
        self.verdict > Verdict::Allow || self.authority.may_allow()
    }

    /// The same as it is recorded.
    pub fn voice(&self) -> Voice {
        let (source, verdict, counts) = (self.authority, self.verdict, self.counts());
        Voice { source, verdict, counts, rules: self.rules.clone(), asks: self.asks.clone() }
    }

    /// The rules that fired, and why, for the card.
    pub fn because(&self) -> &str {
        &self.because
    }
}

/// Which role a level of the policy language means here. A level that nobody set is the role of the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(BTreeMap<Level, Role>);

impl Levels {
    /// The operator's table.
    pub fn new(roles: impl IntoIterator<Item = (Level, Role)>) -> Self {
        Self(roles.into_iter().collect())
    }

    /// The role of a level.
    pub fn role(&self, level: Level) -> Option<Role> {
        // Every level is a lawful role name; a test walks them.
        self.0.get(&level).cloned().or_else(|| Role::parse(level.as_str()).ok())
    }
}

/// The ruling on one operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperationRuling {
    /// The operation.
    pub step: StepId,
    /// The strictest of what was said.
    pub verdict: Verdict,
    /// Who must say yes, if somebody must.
    pub requirements: Vec<Requirement>,
    /// What was said, strictest first.
    pub reasons: Vec<String>,
    /// The same by its sources, in the order in which they were heard.
    pub said: Vec<Voice>,
}

/// The ruling on a plan, for exactly that plan. Made only by [`judge`].
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct PlanRuling {
    plan: PlanHash,
    session: SessionId,
    round: Round,
    shape: Shape,
    verdict: Verdict,
    mode: Mode,
    attendance: Attendance,
    own_requests: OwnRequests,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    excluded: BTreeSet<Role>,
    operations: Vec<OperationRuling>,
    requirements: Vec<Requirement>,
    /// Who answers for it where no rule names anybody.
    #[serde(skip)]
    fallback: Role,
}

/// What kinds of operation a plan holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shape {
    Empty,
    Tells,
    Writes,
}

impl Shape {
    pub(crate) fn of(plan: &Plan) -> Self {
        if plan.writes() {
            Self::Writes
        } else if plan.notifies() {
            Self::Tells
        } else {
            Self::Empty
        }
    }
}

impl PlanRuling {
    /// The plan that was judged.
    pub fn plan(&self) -> PlanHash {
        self.plan
    }

    /// The strictest verdict of its operations. An empty plan is allowed, and grants nothing.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The mode it was judged under.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What was said about each operation.
    pub fn operations(&self) -> &[OperationRuling] {
        &self.operations
    }

    /// Who must say yes; all of these.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    pub(crate) fn fallback(&self) -> &Role {
        &self.fallback
    }

    pub(crate) fn session(&self) -> &SessionId {
        &self.session
    }

    pub(crate) fn round(&self) -> Round {
        self.round
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn own_requests(&self) -> OwnRequests {
        self.own_requests
    }

    pub(crate) fn excluded(&self) -> &BTreeSet<Role> {
        &self.excluded
    }

    /// What happens to a single write that a model calls in MUTATE without a grant for it.
    pub fn at_once(&self, before: EarlierInTurn) -> AtOnce {
        match (self.verdict, before) {
            (Verdict::Block, _) => AtOnce::Refuse,
            (Verdict::Escalate, _) => AtOnce::End,
            (Verdict::Allow, EarlierInTurn::NothingCaptured) => AtOnce::Run,
            (Verdict::Allow, EarlierInTurn::Captured) | (Verdict::RequireApproval, _) => AtOnce::Capture,
        }
    }
}

/// Whether a write of the same model turn was captured already. If so, the later ones are captured too: the order of
/// what a model does is never changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierInTurn {
    /// No.
    NothingCaptured,
    /// Yes.
    Captured,
}

/// What happens to a write that a model calls in MUTATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtOnce {
    /// It runs now, as a plan of one operation granted by policy.
    Run,
    /// It waits on a plan for the end of the turn.
    Capture,
    /// It is refused; the model is told.
    Refuse,
    /// The run ends: a person takes over.
    End,
}

/// A plan that cannot be judged on what was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unjudged {
    /// Nobody asked the sources about this operation. That no rule fired must be said: an empty list.
    #[error("`{step}` was put to no source of rules")]
    NotAsked {
        /// The operation.
        step: StepId,
    },
    /// Rulings on something that is not on the plan.
    #[error("there are rulings on `{step}`, which is not on the plan")]
    NotOnPlan {
        /// The name.
        step: StepId,
    },
}

/// Judges a plan from what each source said about each of its operations.
pub fn judge(
    plan: &Plan,
    rulings: &BTreeMap<StepId, Vec<Ruling>>,
    approvals: &Approvals,
) -> Result<PlanRuling, Unjudged> {
    if let Some(step) = rulings.keys().find(|step| plan.operation(step).is_none()) {
        return Err(Unjudged::NotOnPlan { step: step.clone() });
    }
    let mut operations = Vec::with_capacity(plan.operations().len());
    for operation in plan.operations() {
        let step = &operation.step;
        let said = rulings.get(step).ok_or_else(|| Unjudged::NotAsked { step: step.clone() })?;
        operations.push(judge_one(operation, said, approvals));
    }
    let verdict = operations.iter().map(|ruling| ruling.verdict).max().unwrap_or(Verdict::Allow);
    let requirements = merge(operations.iter().flat_map(|ruling| &ruling.requirements));
    Ok(PlanRuling {
        plan: plan.hash(),
        session: plan.draft().session.clone(),
        round: plan.draft().round,
        shape: Shape::of(plan),
        verdict,
        mode: approvals.mode,
        attendance: approvals.attendance,
        own_requests: approvals.own_requests,
        excluded: approvals.excluded.clone(),
        operations,
        requirements,
        fallback: approvals.fallback.clone(),
    })
}

fn judge_one(operation: &Operation, said: &[Ruling], approvals: &Approvals) -> OperationRuling {
    // A request's `allow` grants nothing, so it takes no part.
    let mut heard: Vec<&Ruling> = said.iter().filter(|ruling| ruling.counts()).collect();
    heard.sort_by_key(|ruling| std::cmp::Reverse(ruling.verdict));
    let mut reasons: Vec<String> = heard.iter().map(|ruling| ruling.because.clone()).collect();
    let ruled = combine(heard.iter().map(|ruling| Some(ruling.verdict)));
    let (verdict, word) = by_mode(ruled, approvals.mode);
    reasons.extend(word.map(ToOwned::to_owned));
    let unasked = operation.order().is_missing().then(|| NOT_IN_THE_REQUEST.to_owned());
    let repeated = operation.done_before.as_ref().map(ToString::to_string);
    let always: Vec<String> = unasked.into_iter().chain(repeated).collect();
    let is_asked = !always.is_empty();
    let verdict = if is_asked { verdict.max(Verdict::RequireApproval) } else { verdict };
    reasons.splice(0..0, always);
    let verdict = match (verdict, approvals.attendance) {
        (Verdict::RequireApproval, Attendance::Unattended) => {
            reasons.push("nobody is there to be asked".to_owned());
            Verdict::Escalate
        }
        (verdict, Attendance::Attended | Attendance::Unattended) => verdict,
    };
    let requirements = match verdict {
        Verdict::Allow | Verdict::Escalate | Verdict::Block => Vec::new(),
        Verdict::RequireApproval => requirements(&heard, approvals, is_asked),
    };
    let said = said.iter().map(Ruling::voice).collect();
    OperationRuling { step: operation.step.clone(), verdict, requirements, reasons, said }
}

/// Why an operation with a missing order is asked.
const NOT_IN_THE_REQUEST: &str = "not in the request: nothing in the task asks for it";

/// Everybody whom somebody asks, and the owner where a rule, the mode, a missing order or a repetition asks without naming
/// anybody.
fn requirements(heard: &[&Ruling], approvals: &Approvals, is_asked: bool) -> Vec<Requirement> {
    let asking = || heard.iter().filter(|ruling| ruling.verdict == Verdict::RequireApproval);
    // A request adds people and never replaces them: who is asked without it is asked with it too.
    let own = heard.iter().filter(|ruling| ruling.authority.may_allow());
    let (verdict, by_mode) = by_mode(combine(own.map(|ruling| Some(ruling.verdict))), approvals.mode);
    let mode_asks = verdict == Verdict::RequireApproval && by_mode.is_some();
    let owner = Requirement::role(approvals.fallback.clone());
    let nobody_else = is_asked && own_asks(heard).next().is_none();
    let unnamed = (mode_asks || nobody_else || asking().any(|ruling| ruling.unnamed)).then_some(&owner);
    merge(asking().flat_map(|ruling| &ruling.asks).chain(unnamed))
}

/// The rulings that ask somebody, apart from those of the request.
fn own_asks<'a>(heard: &'a [&'a Ruling]) -> impl Iterator<Item = &'a Requirement> {
    let own = heard
        .iter()
        .filter(|ruling| ruling.authority.may_allow() && ruling.verdict == Verdict::RequireApproval);
    own.flat_map(|ruling| &ruling.asks)
}

/// The verdict under a mode, and what to say where the mode decided.
fn by_mode(ruled: Option<Verdict>, mode: Mode) -> (Verdict, Option<&'static str>) {
    match (mode, ruled) {
        (Mode::Always, None | Some(Verdict::Allow)) => {
            (Verdict::RequireApproval, Some("in mode `always` every operation waits for a person"))
        }
        (Mode::Careful, None) => {
            (Verdict::RequireApproval, Some("in mode `careful` what no rule allows is asked"))
        }
        (Mode::Permissive, None) => (Verdict::Allow, Some("in mode `permissive` what no rule forbids runs")),
        (Mode::Always | Mode::Careful | Mode::Permissive, Some(verdict)) => (verdict, None),
    }
}

/// Equal groups of people are asked once, for the greater number.
fn merge<'a>(requirements: impl IntoIterator<Item = &'a Requirement>) -> Vec<Requirement> {
    let mut merged: BTreeMap<_, _> = BTreeMap::new();
    for Requirement { anyone_of, people } in requirements {
        let most = merged.entry(anyone_of.clone()).or_insert(*people);
        *most = (*most).max(*people);
    }
    merged.into_iter().map(|(anyone_of, people)| Requirement { anyone_of, people }).collect()
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
