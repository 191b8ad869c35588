//! The gate: a plan waits for people, and what they say is held against exactly that plan.

mod edit;

use std::collections::BTreeSet;

use jiff::Timestamp;
use purple_journal::record::approval;
use purple_journal::word::{self, DecisionKind, SeparationOfDuties};
use purple_journal::{Redacted, RedactedJson};
use purple_policy::Verdict as Ruled;
use purple_process::{
    Answer, At, ClockReading, Decision, Directory, Evidence, Fact, GrantRefused, NotCounted, Operation,
    Person, PersonId, Plan, PlanRuling, Request, Role, Standing, StepId, Who, may_decide, restore,
};
use serde_json::json;

use crate::card::Card;
use crate::dossier::Opened;
use crate::event::{Channel, Verdict};
use crate::execute::call::cut;
use crate::execute::catalogue::Catalogue;
use crate::port::BlobHash;
use crate::run::{Phase, Run};
use crate::session::{Running, Stage, Trail, Waiting};
use crate::settings::Notices;

/// Somebody, and where they were.
pub(crate) fn at<'a>(person: &'a PersonId, account: Option<&'a str>) -> At<'a> {
    At { person, account }
}

/// The timer that ends an approval.
pub(crate) fn expiry_timer(plan: purple_process::PlanHash) -> String {
    format!("approval:{plan}")
}

impl Run<'_> {
    /// Opens the gate for a plan: the card is made, and the run waits.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a different thing, and all of them are needed once"
    )]
    pub(crate) async fn ask(
        &mut self,
        opened: &Opened,
        case: BlobHash,
        catalogue: &Catalogue,
        (plan, kept): (Plan, BlobHash),
        ruling: &PlanRuling,
        trail: Trail,
        next_asked: bool,
    ) -> Phase<()> {
        let asked_at = self.scribe.began();
        let drive = trail.drive;
        let expires_at = plan.draft().good_until;
        let card = self.card(opened, &plan, ruling, &[], (asked_at, expires_at)).await?;
        let card_hash = self.keep_bytes(card.to_bytes())?;
        let asks: Vec<String> = ruling.requirements().iter().map(ToString::to_string).collect();
        let waiting = Waiting {
            plan: kept,
            hash: plan.hash(),
            case,
            card: card_hash,
            headline: plan.headline(),
            asks: asks.clone(),
            asked_at,
            expires_at,
            decisions: Vec::new(),
            next_asked,
            trail,
        };
        self.session.gates = self.session.gates.saturating_add(1);
        self.scribe.note(approval::Asked {
            approval: Redacted::of(&card.approval_id()),
            plan: plan.hash(),
            card: card_hash,
            headline: Redacted::of(&plan.headline()),
            asks: Redacted::all(&asks),
            expires_at,
            mode: self.session.mode,
        })?;
        self.tell_approvers(&waiting, &card)?;
        let after = expires_at.duration_since(asked_at).try_into().unwrap_or_default();
        self.wake(&expiry_timer(plan.hash()), after)?;
        self.session.stage = Stage::Waiting(waiting);
        self.pause_answer(opened, catalogue, (&plan, ruling), &card).await?;
        self.plan_note(plan.hash(), drive).await?;
        self.ask_channels(&plan, &card, catalogue).await
    }

    /// The next of several plans that are confirmed one after the other.
    pub(crate) async fn reopen(
        &mut self,
        running: Running,
        opened: &Opened,
        catalogue: &Catalogue,
        next: BlobHash,
    ) -> Phase<()> {
        // It is made anew, because it was drafted when the first one was, and time has passed.
        let drafted = self.plan(next).await?;
        self.keep_words(&opened.dossier.text)?;
        let (plan, ruling) = self.planned(opened, catalogue, drafted.operations().to_vec(), None).await?;
        let kept = self.tell_plan(&plan, &ruling)?;
        if ruling.verdict() != Ruled::RequireApproval {
            self.step(Fact::Captured)?;
            return self
                .propose(opened, running.case, catalogue, plan.operations().to_vec(), running.trail)
                .await;
        }
        self.step(Fact::Reopened(&ruling))?;
        self.ask(opened, running.case, catalogue, (plan, kept), &ruling, running.trail, false).await
    }

    /// Takes a decision about the plan that waits.
    pub(crate) async fn decided(&mut self, verdict: Verdict) -> Phase<()> {
        let Stage::Waiting(mut waiting) = self.session.stage.clone() else {
            return self.not_taken(&verdict, "no plan waits");
        };
        if verdict.plan != waiting.hash {
            return self.not_taken(&verdict, "it is about another plan");
        }
        if verdict.shown != waiting.card.0 {
            return self.not_taken(&verdict, "it was made on another card");
        }
        let now = self.scribe.now();
        if now >= waiting.expires_at {
            return self.not_taken(&verdict, "the approval has expired");
        }
        let plan = self.plan(waiting.plan).await?;
        let opened = self.opened(waiting.case).await?;
        let catalogue = self.catalogue().await?;
        let all: BTreeSet<StepId> = plan.operations().iter().map(|one| one.step.clone()).collect();
        let chosen: BTreeSet<StepId> = verdict.steps.iter().cloned().collect();
        if let Some(step) = chosen.difference(&all).next() {
            let why = format!("the plan has no step `{step}`");
            return self.not_taken(&verdict, &why);
        }
        if !chosen.is_empty() && self.said_yes(&waiting, &verdict, now) {
            let next = if waiting.next_asked { opened.task()?.approval().then.clone() } else { None };
            let ruling = self.judged_again(&opened, &catalogue, &plan, next.as_ref())?;
            let words = self.loaded_words().await?;
            let directory = self.ports.directory.on(self.settings.day(now));
            let evidence = self.evidence(&waiting, (&ruling, words.request()), &directory, now);
            let missing =
                restore(Plan::clone(&plan), &evidence).err().and_then(|why| self.still_needed(&why));
            let is_same = waiting.decisions.iter().any(|given| given.person == verdict.by);
            let who = if is_same { "this person" } else { "somebody at the same account" };
            self.not_taken(&verdict, &format!("{who} has said yes already"))?;
            if let Some(told) = &mut self.told {
                told.left.sentences.extend(missing);
            }
            return Ok(());
        }
        let next = if waiting.next_asked { opened.task()?.approval().then.clone() } else { None };
        let ruling = self.judged_again(&opened, &catalogue, &plan, next.as_ref())?;
        let plain = self.decision(&verdict, &waiting, all.clone(), now);
        let decision = match self.may_decide(plain, &plan, &ruling) {
            Ok(decision) => decision,
            Err(why) => return self.not_taken(&verdict, &why),
        };
        if chosen.is_empty() {
            let reason = verdict.reason.clone().unwrap_or_default();
            self.tell_decided(&verdict, DecisionKind::Reject, &waiting)?;
            self.step(Fact::Declined)?;
            let mut left =
                self.left(&opened, Some(waiting.case), waiting.trail, &catalogue, Some((&plan, &ruling)))?;
            let reason = if reason.is_empty() { String::new() } else { format!(": {}", cut(&reason)) };
            left.sentences = vec![format!("{} said no to: {}{reason}.", verdict.by, waiting.headline)];
            return self.close(left).await;
        }
        if chosen != all {
            self.tell_decided(&verdict, DecisionKind::ApproveSome, &waiting)?;
            return self.approve_some(waiting, &opened, &catalogue, (&plan, chosen), &verdict).await;
        }
        self.tell_decided(&verdict, DecisionKind::Approve, &waiting)?;
        waiting.decisions.push(decision);
        self.grant(waiting, &opened, &catalogue, &plan, &ruling).await
    }

    /// Whether this person has said yes to the plan that waits. One account is one person, unless there is one anyway.
    fn said_yes(&self, waiting: &Waiting, verdict: &Verdict, now: Timestamp) -> bool {
        let directory = self.ports.directory.on(self.settings.day(now));
        let speaker = at(&verdict.by, verdict.account.as_deref());
        waiting.decisions.iter().any(|given| match directory {
            Directory::Keyboard => given.person == verdict.by,
            Directory::People(_) => given.at().is(speaker),
        })
    }

    /// Begins the plan if everybody who is needed has said yes; else it goes on waiting.
    async fn grant(
        &mut self,
        waiting: Waiting,
        opened: &Opened,
        catalogue: &Catalogue,
        plan: &Plan,
        ruling: &PlanRuling,
    ) -> Phase<()> {
        let now = self.scribe.now();
        let directory = self.ports.directory.on(self.settings.day(now));
        let words = self.loaded_words().await?;
        let evidence = self.evidence(&waiting, (ruling, words.request()), &directory, now);
        let granted = restore(plan.clone(), &evidence);
        match granted {
            Ok(approved) => {
                self.step(Fact::Granted(&approved))?;
                let basis = noted_basis(approved.basis());
                self.scribe.note(approval::Granted { plan: plan.hash(), basis })?;
                let Waiting { plan, case, decisions, next_asked, asks, mut trail, .. } = waiting;
                trail.permitted.push(plan);
                let running = Running {
                    plan,
                    asks,
                    case,
                    decisions,
                    next_asked,
                    open: None,
                    inquiry: None,
                    halted: None,
                    put_off: 0,
                    cancelled: None,
                    trail,
                };
                self.session.stage = Stage::Running(running);
                self.go_on()
            }
            Err(refused @ GrantRefused::TooFew { .. }) => {
                // The card now shows who has said yes.
                let times = (waiting.asked_at, waiting.expires_at);
                let card = self.card(opened, plan, ruling, &waiting.decisions, times).await?;
                let card_hash = self.keep_bytes(card.to_bytes())?;
                self.session.stage = Stage::Waiting(Waiting { card: card_hash, ..waiting });
                self.pause_answer(opened, catalogue, (plan, ruling), &card).await?;
                let missing = self.still_needed(&refused);
                if let Some(told) = &mut self.told {
                    told.left.sentences.extend(missing);
                }
                Ok(())
            }
            Err(refused) => {
                self.scribe.note(approval::Refused { plan: plan.hash(), why: Redacted::of(&refused) })?;
                self.step(Fact::Declined)?;
                let trail = waiting.trail.clone();
                let mut left =
                    self.left(opened, Some(waiting.case), trail, catalogue, Some((plan, ruling)))?;
                left.sentences = vec![format!("The permission was refused: {refused}.")];
                self.close(left).await
            }
        }
    }

    /// Whose yes is still missing, who they are, and how they can give it.
    fn still_needed(&self, refused: &GrantRefused) -> Option<String> {
        let GrantRefused::TooFew { requirement, counted, .. } = refused else { return None };
        let holds = |person: &Person| {
            person.roles.iter().any(|role| requirement.anyone_of.contains(&Who::Role(role.clone())))
        };
        let directory = self.ports.directory.on(self.settings.day(self.scribe.began()));
        let is_alone = matches!(directory, Directory::Keyboard);
        let others = match directory {
            Directory::Keyboard => Vec::new(),
            Directory::People(people) => {
                let able = people.iter().filter(|(name, person)| {
                    holds(person) && !counted.contains(*name) && **name != self.session.requester
                });
                able.map(|(name, _)| name.to_string()).collect()
            }
        };
        let who = match others.as_slice() {
            // One person is one person, whatever they are called.
            [] if is_alone => "a second person, and this set-up knows only one: name people in its configuration (`people.NAME`)".to_owned(),
            [] => "another person who may decide here, and nobody else in the configuration can".to_owned(),
            names => names.join(" or "),
        };
        let given = counted.len();
        Some(format!(
            "Still needed: {requirement}, of which {given} said yes. Missing: {who}. They approve with `purple approve {run}`, or by a message to {run}.",
            run = self.id()
        ))
    }

    /// A yes to some operations makes a new plan of exactly these, which is judged again. The same yes is held
    /// against it.
    async fn approve_some(
        &mut self,
        waiting: Waiting,
        opened: &Opened,
        catalogue: &Catalogue,
        (plan, chosen): (&Plan, BTreeSet<StepId>),
        verdict: &Verdict,
    ) -> Phase<()> {
        let part = match plan.only(&chosen) {
            Ok(part) => part.operations().to_vec(),
            Err(bad) => return self.not_taken(verdict, &bad.to_string()),
        };
        self.step(Fact::Revised)?;
        let next = if waiting.next_asked { opened.task()?.approval().then.clone() } else { None };
        match next {
            Some(next) => self.ask_next(waiting, opened, catalogue, part, &next).await?,
            None => self.propose(opened, waiting.case, catalogue, part, waiting.trail).await?,
        }
        let Stage::Waiting(revised) = self.session.stage.clone() else { return Ok(()) };
        let steps = chosen.into_iter().collect();
        let again = Verdict { plan: revised.hash, shown: revised.card.0, steps, ..verdict.clone() };
        Box::pin(self.decided(again)).await
    }

    /// Nobody answered in time: those who come next are asked, or it is a no.
    pub(crate) async fn expired(&mut self, timer: &str) -> Phase<()> {
        let Stage::Waiting(waiting) = self.session.stage.clone() else { return Ok(()) };
        if timer != expiry_timer(waiting.hash) {
            return Ok(());
        }
        let now = self.scribe.now();
        if now < waiting.expires_at {
            let after = waiting.expires_at.duration_since(now).try_into().unwrap_or_default();
            return self.wake(timer, after);
        }
        let plan = self.plan(waiting.plan).await?;
        let opened = self.opened(waiting.case).await?;
        let catalogue = self.catalogue().await?;
        let (plan_hash, next_asked) = (waiting.hash, waiting.next_asked);
        self.scribe.note(approval::Expired { plan: plan_hash, next_asked })?;
        let next = opened.task()?.approval().then.clone();
        if let (Some(next), false) = (next, waiting.next_asked) {
            self.step(Fact::Revised)?;
            let operations = plan.operations().to_vec();
            return self.ask_next(waiting, &opened, &catalogue, operations, &next).await;
        }
        self.step(Fact::Expired)?;
        let mut left = self.left(&opened, Some(waiting.case), waiting.trail, &catalogue, None)?;
        left.sentences = vec![format!(
            "Nobody answered until {}, and that is a no: {}.",
            waiting.expires_at, waiting.headline
        )];
        self.close(left).await
    }

    /// Asks for these operations once more; now those who come next may decide too.
    async fn ask_next(
        &mut self,
        waiting: Waiting,
        opened: &Opened,
        catalogue: &Catalogue,
        operations: Vec<Operation>,
        next: &Role,
    ) -> Phase<()> {
        self.keep_words(&opened.dossier.text)?;
        let (plan, ruling) = self.planned(opened, catalogue, operations, Some(next)).await?;
        let kept = self.tell_plan(&plan, &ruling)?;
        self.step(Fact::Judged(&ruling))?;
        let Waiting { case, trail, .. } = waiting;
        if ruling.verdict() == Ruled::RequireApproval {
            return self.ask(opened, case, catalogue, (plan, kept), &ruling, trail, true).await;
        }
        let left = self.left(opened, Some(case), trail, catalogue, Some((&plan, &ruling)))?;
        self.close(left).await
    }

    pub(crate) fn judged_again(
        &self,
        opened: &Opened,
        catalogue: &Catalogue,
        plan: &Plan,
        next: Option<&Role>,
    ) -> Phase<PlanRuling> {
        let case = opened.case()?;
        let tools = crate::execute::rule::approval_tools(catalogue);
        self.bench(opened, &case, &tools, next)
            .rule(plan)
            .map_err(|error| crate::port::TurnFailed::Unreadable { what: "plan", why: error.to_string() })
    }

    /// The decision as it counts: in the person's own name, or for somebody they stand in for; or why it does not. A
    /// no needs that as well as a yes does.
    fn may_decide(&self, decision: Decision, plan: &Plan, ruling: &PlanRuling) -> Result<Decision, String> {
        let on_behalf_of = self.speaks_for(decision.at(), plan, ruling)?;
        Ok(Decision { on_behalf_of, ..decision })
    }

    /// In whose name somebody's word about a plan counts: `None` is their own. Or why it does not.
    pub(crate) fn speaks_for(
        &self,
        speaker: At<'_>,
        plan: &Plan,
        ruling: &PlanRuling,
    ) -> Result<Option<PersonId>, String> {
        let directory = self.ports.directory.on(self.settings.day(self.scribe.began()));
        let mut why = None;
        for principal in stands_for(&directory, speaker.person) {
            let speaker = (speaker, principal.as_ref());
            match may_decide(plan, ruling, speaker, self.asker(), &directory) {
                Ok(()) => return Ok(principal),
                Err(not_counted) => why.get_or_insert(said(&not_counted)),
            };
        }
        Err(why.unwrap_or_else(|| said(&[])))
    }

    fn evidence<'e>(
        &'e self,
        waiting: &'e Waiting,
        (ruling, request): (&'e PlanRuling, Request<'e>),
        directory: &'e Directory,
        now: Timestamp,
    ) -> Evidence<'e> {
        Evidence {
            ruling,
            decisions: &waiting.decisions,
            requester: self.asker(),
            request,
            directory,
            standing: Standing::Open,
            started: &waiting.trail.started,
            clock: ClockReading { now, high_water: self.session.high_water },
        }
    }

    fn decision(
        &self,
        verdict: &Verdict,
        waiting: &Waiting,
        all: BTreeSet<StepId>,
        now: Timestamp,
    ) -> Decision {
        Decision {
            person: verdict.by.clone(),
            on_behalf_of: None,
            channel: channel(verdict.channel, &self.settings.channels),
            account: verdict.account.clone(),
            plan: waiting.hash,
            card: verdict.shown,
            answer: Answer::Approve { operations: all },
            mode: self.session.mode,
            decided_at: now,
            expires_at: waiting.expires_at,
        }
    }

    fn not_taken(&mut self, verdict: &Verdict, why: &str) -> Phase<()> {
        self.scribe.note(approval::NotTaken {
            plan: verdict.plan,
            by: Redacted::of(&verdict.by),
            channel: verdict.channel,
            why: Redacted::of(&cut(why)),
        })?;
        if !matches!(self.session.stage, Stage::Waiting(_)) {
            // What the run said last stands: a late decision is no reason to say something else.
            return Ok(());
        }
        self.remark(&format!("The decision of {} was not taken: {}.", verdict.by, cut(why)))
    }

    fn tell_decided(&mut self, verdict: &Verdict, decision: DecisionKind, waiting: &Waiting) -> Phase<()> {
        self.session.decided_by.insert(verdict.by.clone());
        self.scribe.note(approval::Decided {
            approval: Redacted::of(&crate::card::approval_id(waiting.hash)),
            plan: waiting.hash,
            decision,
            operations: verdict.steps.clone(),
            by: Redacted::of(&verdict.by),
            channel: verdict.channel,
            reason: verdict.reason.as_ref().map(Redacted::of),
            shown: verdict.shown,
            mode: self.session.mode,
            sod: self.duties_of(at(&verdict.by, verdict.account.as_deref())),
            access: self.settings.access.noted(),
            account: verdict.account.as_ref().map(Redacted::of),
        })
    }

    /// The requester and the person who decides or edits, compared.
    pub(super) fn duties_of(&self, person: At<'_>) -> SeparationOfDuties {
        let requester = self.asker();
        SeparationOfDuties { requester: Redacted::of(requester.person), same_person: person.is(requester) }
    }

    /// Who asked for the work, and from where.
    pub(crate) fn asker(&self) -> At<'_> {
        at(&self.session.requester, self.session.requester_account.as_deref())
    }

    fn tell_approvers(&self, waiting: &Waiting, card: &Card) -> Phase<()> {
        match self.settings.notices {
            Notices::None => return Ok(()),
            Notices::Approvers => {}
        }
        let body = json!({
            "what": "approval.asked", "run": self.id(), "headline": waiting.headline, "asks": waiting.asks,
            "approval": card.approval_id(), "expires_at": waiting.expires_at,
        });
        let notice = crate::port::Notice {
            id: format!("{}:{}", self.id(), card.approval_id()),
            session: self.id().clone(),
            kind: "approval".to_owned(),
            body: RedactedJson::from_value(body),
        };
        Ok(self.scribe.turn.notify(notice)?)
    }
}

fn said(not_counted: &[NotCounted]) -> String {
    let why: Vec<String> = not_counted.iter().map(ToString::to_string).collect();
    if why.is_empty() { "it does not count here".to_owned() } else { why.join("; ") }
}

/// In whose name somebody may speak: their own, and that of those they stand in for today.
fn stands_for(directory: &Directory, person: &PersonId) -> Vec<Option<PersonId>> {
    let principals = match directory {
        Directory::Keyboard => None,
        Directory::People(people) => people.get(person).map(|own| &own.stands_in_for),
    };
    std::iter::once(None).chain(principals.into_iter().flatten().cloned().map(Some)).collect()
}

fn channel(channel: Channel, tools: &[purple_process::ToolName]) -> purple_process::Channel {
    match (channel, tools.first()) {
        (Channel::Cli, _) => purple_process::Channel::Cli,
        (Channel::Console, _) => purple_process::Channel::Console,
        (Channel::A2a, _) | (Channel::Tool, None) => purple_process::Channel::FollowUp,
        (Channel::Tool, Some(tool)) => purple_process::Channel::Tool(tool.clone()),
    }
}

/// As the journal records it.
fn noted_basis(basis: &purple_process::Basis) -> word::Basis {
    match basis {
        purple_process::Basis::Policy => word::Basis::Policy,
        purple_process::Basis::People(people) => word::Basis::People(Redacted::all(people)),
    }
}
