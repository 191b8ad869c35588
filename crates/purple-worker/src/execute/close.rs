//! Ends a round: what was done is read from the journal, and what is to be said is put together.

use jiff::{SignedDuration, Timestamp};
use purple_finance::Calendar;
use purple_journal::RedactedJson;
use purple_journal::record::{approval, plan};
use purple_privacy::redact;
use purple_process::file::{Span, TimeUnit};
use purple_process::playbook::{self, Case};
use purple_process::{
    Directory, Ending, Fact, Operation, Order, Ordered, Outcome, Plan, PlanRuling, SessionId, State,
    ToolName, Values,
};
use serde_json::{Value, json};

use crate::card::{Card, CardFacts, EditedField, EvidenceLine, Exclusions, Provenance, build_card};
use crate::dossier::{NoAnswer, Opened};
use crate::execute::call::cut;
use crate::execute::catalogue::Catalogue;
use crate::execute::masked::{Expected, unmask};
use crate::execute::prepare::figures;
use crate::execute::reader::ReadOnce;
use crate::execute::rule::{Reached, approval_tools};
use crate::learn::glean::{self, Gleaned, Round};
use crate::outside::Shown;
use crate::port::{BlobHash, Called, Digest, Entity, Whose};
use crate::prime::precompute::precompute;
use crate::reflect::entities::entities;
use crate::reflect::score::Fields;
use crate::run::{Phase, Run};
use crate::session::{Running, Stage, Trail};
use crate::settings::Settings;
use crate::view::{FurtherRun, Mutation, NotStarted, PolicyResult, Status, Summary};

pub(crate) use crate::execute::witnessed::Seen;

/// What is to be said at the end of a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    pub left: Left,
    pub mutations: Vec<Mutation>,
    /// What was granted and never started.
    pub not_started: Vec<NotStarted>,
    /// What the journal says about calls and people in this round.
    pub seen: Seen,
    pub ending: Option<Ending>,
    /// The card of the plan that waits.
    pub card: Option<Card>,
    /// The answer of the round that is over, beside which something is remarked.
    pub over: Option<crate::view::Answer>,
    /// What a round that ends leaves for others.
    pub gleaned: Gleaned,
    /// Whether what was done was ordered.
    pub effects: Effects,
}

/// Whether what a round did was ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Effects {
    /// It was, or nothing was done, or the round is older than orders.
    #[default]
    AsOrdered,
    /// Operations ran that nothing in the request asks for.
    NotOrdered,
}

/// What a round leaves behind, besides its journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Left {
    pub case: Option<BlobHash>,
    pub trail: Trail,
    pub sentences: Vec<String>,
    pub figures: Vec<(String, String)>,
    pub shows: Vec<(String, Value)>,
    pub policy: Option<PolicyResult>,
    pub code: Option<String>,
    /// Runs that this one began or asked something of.
    pub runs: Vec<FurtherRun>,
    /// What was asked for by name; `None` where the figures are all that was.
    pub fields: Option<Fields>,
    /// Why it ended before everything was started.
    pub stopped: Option<String>,
    /// What a model wanted and nobody was asked about.
    pub unasked: Vec<Operation>,
}

/// The most earlier cases that a card looks at.
const HISTORY_MAX: usize = 50;
const CARD_COLUMNS: usize = 100;

impl Run<'_> {
    /// What is known about a case when it ends or waits.
    pub(crate) fn left(
        &self,
        opened: &Opened,
        case_hash: Option<BlobHash>,
        trail: Trail,
        catalogue: &Catalogue,
        plan: Option<(&Plan, &PlanRuling)>,
    ) -> Phase<Left> {
        let case = opened.case()?;
        let tools = approval_tools(catalogue);
        let reached = if plan.is_some() || self.session.walk.visited(State::PolicyCheck) {
            Reached::Yes
        } else {
            Reached::No
        };
        // Before POLICY_CHECK the file has decided nothing; what documents say about the words holds at once.
        let policy = (reached == Reached::Yes || !opened.policies.is_empty())
            .then(|| self.bench(opened, &case, &tools, None).result(plan, reached));
        let figures = figures(opened)?;
        Ok(Left { case: case_hash, trail, figures, shows: self.shows.clone(), policy, ..Left::default() })
    }

    /// A plan that ran ends its round.
    pub(crate) async fn close_running(&mut self, running: Running) -> Phase<()> {
        self.end_running(running, None).await
    }

    /// The same, with a reason to be told.
    pub(crate) async fn end_running(&mut self, running: Running, why: Option<String>) -> Phase<()> {
        let opened = self.opened(running.case).await?;
        let catalogue = self.catalogue().await?;
        let mut left = self.left(&opened, Some(running.case), running.trail, &catalogue, None)?;
        left.stopped = why.map(|why| cut(&why));
        left.sentences.extend(left.stopped.as_ref().map(|why| format!("Stopped: {why}.")));
        self.close(left).await
    }

    /// Ends the round: everything that is to be said is known.
    pub(crate) async fn close(&mut self, left: Left) -> Phase<()> {
        let (mutations, seen) = self.round_log().await?;
        self.question_functions(&mutations, left.case).await?;
        self.settle_claims().await?;
        let Trail { permitted, started, .. } = left.trail.clone();
        self.session.stage = Stage::Closed { case: left.case, plans: permitted, started };
        let ending = self.session.walk.ending();
        let gleaned = self.glean(&left, &mutations).await?;
        let effects = self.effects(&left.trail).await?;
        let not_started = self.never_started(&left, &mutations).await?;
        self.told = Some(Told {
            left,
            mutations,
            not_started,
            seen,
            ending,
            card: None,
            over: None,
            gleaned,
            effects,
        });
        Ok(())
    }

    /// Whether every operation of the round that had or may have had an effect was ordered, and by words that can be an
    /// order. A person may have approved it all the same: it is no example for others.
    async fn effects(&self, trail: &Trail) -> Phase<Effects> {
        let text = self.loaded_words().await?;
        let orders_nothing = text.request().text.is_some_and(|text| Order::task(text).is_err());
        for hash in &trail.permitted {
            let plan = self.plan(*hash).await?;
            for (operation, key) in plan.keyed() {
                let ran = trail.started.iter().any(|one| one.key == key && one.outcome != Outcome::Absent);
                let is_ordered = match operation.order().ordered() {
                    Ordered::Words(_) => !orders_nothing,
                    Ordered::Confirmed(_) | Ordered::Command { .. } | Ordered::Unrecorded => true,
                    Ordered::Missing => false,
                };
                if ran && !is_ordered {
                    return Ok(Effects::NotOrdered);
                }
            }
        }
        Ok(Effects::AsOrdered)
    }

    /// What the round leaves for others: nothing where learning is off.
    async fn glean(&self, left: &Left, mutations: &[Mutation]) -> Phase<Gleaned> {
        let Some(case) = left.case.filter(|_| self.learns()) else { return Ok(Gleaned::default()) };
        let opened = self.opened(case).await?;
        let of = Round { session: self.id(), round: self.session.round(), at: self.scribe.began() };
        let facts = glean::facts(&opened, &of);
        let given = precompute(&opened.dossier.text, &self.settings.setting(opened.dossier.today));
        let came =
            if given.is_empty() { Vec::new() } else { self.came_out(left, mutations, &opened).await? };
        let checks = glean::checks(&given, &came, &opened.dossier.chosen.process, &of);
        Ok(Gleaned { facts, checks })
    }

    /// Gives back the business keys of a round without effects; those of any other are kept for ever.
    pub(crate) async fn settle_claims(&mut self) -> Phase<()> {
        let keys = std::mem::take(&mut self.session.claims);
        if keys.is_empty() || self.had_effect(self.session.round()).await? {
            return Ok(());
        }
        for key in keys {
            self.scribe.turn.release(&key)?;
            let (digest, round) = (Digest::of(key.as_bytes()), self.session.round());
            self.scribe.note(plan::KeyReleased { key: digest, round })?;
        }
        Ok(())
    }

    /// Whether an operation of a round had an effect, or may have had one.
    pub(crate) async fn had_effect(&self, round: u32) -> Phase<bool> {
        let effect = |outcome: Outcome| match outcome {
            Outcome::Verified | Outcome::Unverifiable | Outcome::Mismatch | Outcome::InDoubt => true,
            Outcome::Absent => false,
        };
        let mutations = self.mutations().await?;
        Ok(mutations.iter().any(|mutation| mutation.round == round && effect(mutation.outcome)))
    }

    /// Something to say while the run stays as it is.
    pub(crate) fn remark(&mut self, text: &str) -> Phase<()> {
        self.remark_with(text, None)
    }

    pub(crate) fn remark_with(&mut self, text: &str, code: Option<String>) -> Phase<()> {
        let left = Left { sentences: vec![text.to_owned()], code, ..Left::default() };
        self.told = Some(Told { left, ..Told::default() });
        Ok(())
    }

    /// What is said when a plan begins to wait.
    pub(crate) async fn pause_answer(
        &mut self,
        opened: &Opened,
        catalogue: &Catalogue,
        plan: (&Plan, &PlanRuling),
        card: &Card,
    ) -> Phase<()> {
        let left = self.left(opened, None, Trail::default(), catalogue, Some(plan))?;
        let (mutations, seen) = self.round_log().await?;
        self.told = Some(Told { left, mutations, seen, card: Some(card.clone()), ..Told::default() });
        Ok(())
    }

    /// A remark shows what was done so far, and at the gate the card again.
    pub(crate) async fn complete_remark(&mut self) -> Phase<()> {
        if self.told.as_ref().is_some_and(|told| told.ending.is_none() && told.mutations.is_empty()) {
            let mutations = self.mutations().await?;
            if let Some(told) = &mut self.told {
                told.mutations = mutations;
            }
        }
        let Stage::Waiting(waiting) = &self.session.stage else { return Ok(()) };
        if self.told.as_ref().is_none_or(|told| told.card.is_some()) {
            return Ok(());
        }
        let card: Card = self.fetch("card", waiting.card).await?;
        if let Some(told) = &mut self.told {
            told.card = Some(card);
        }
        Ok(())
    }

    /// A remark about a round that is over comes before its answer, and does not replace it.
    pub(crate) async fn attach_answer(&mut self) -> Phase<()> {
        let remark = self.told.as_ref().is_some_and(|told| told.ending.is_none());
        let (Stage::Closed { .. }, Some(hash), true) =
            (&self.session.stage, self.session.final_answer, remark)
        else {
            return Ok(());
        };
        let over = self.fetch("answer", hash).await?;
        if let Some(told) = &mut self.told {
            told.over = Some(over);
        }
        Ok(())
    }

    /// Makes the reads that an outcome shows at the end.
    pub(crate) async fn look_at_results(&mut self, opened: &Opened, catalogue: &Catalogue) -> Phase<()> {
        let case = opened.case()?;
        let Ok(shows) = case.shows(&case.decide()) else { return Ok(()) };
        let mut found = Vec::new();
        for (tool, arguments) in shows {
            let Some(known) = catalogue.get(&tool) else { continue };
            let called = unmask(self.reads().read(known, arguments).await, Expected::default());
            if let Called::Answered(value) = called {
                found.push((tool.to_string(), value.into_work()));
            }
        }
        self.shows = found;
        Ok(())
    }

    /// Describes the run that has the same business key. A caller who may not see that run is told only that the work
    /// was accepted, and until when it can be pending.
    pub(crate) async fn told_of(&self, first: &SessionId) -> String {
        const TAKEN_UP: &str = "This work was taken up already";
        let row = self.ports.events.session(first).await.ok().flatten();
        let summary = row.and_then(|row| serde_json::from_value::<Summary>(row.summary).ok());
        let Some(summary) = summary else { return format!("{TAKEN_UP}.") };
        if !self.may_see(&summary) {
            return match summary.approval {
                Some(open) if summary.status == Status::Waiting && open.expires_at <= self.scribe.now() => {
                    format!(
                        "{TAKEN_UP}, and nobody decided about it in time. Nothing was done in this run. Send the task again in a moment."
                    )
                }
                Some(open) if summary.status == Status::Waiting => format!(
                    "{TAKEN_UP} and waits for a decision. Nothing was done in this run. If nobody decides by {}, send the task again.",
                    open.expires_at
                ),
                _ => format!("{TAKEN_UP}. Nothing was done in this run."),
            };
        }
        let told = format!("This was taken up before, by run {first}");
        let answer: Option<crate::view::Answer> = match summary.answer {
            Some(hash) => self.scribe.fetch("answer", hash).await.ok(),
            None => None,
        };
        let status = match summary.ending {
            Some(ending) => format!("{ending:?}").to_lowercase(),
            None => format!("{:?}", summary.status).to_lowercase(),
        };
        match answer {
            Some(answer) => format!("{told}, which is {status}. Its answer: {}", answer.data.answer),
            None => format!("{told}, which is {status}."),
        }
    }

    /// Whether the requester may see another run: it is theirs, they decided in it, or there is nobody else.
    fn may_see(&self, other: &Summary) -> bool {
        let requester = &self.session.requester;
        match self.ports.directory.on(self.settings.day(self.scribe.began())) {
            Directory::Keyboard => true,
            Directory::People(_) => other.requester == *requester || other.decided_by.contains(requester),
        }
    }

    /// The card of a plan.
    pub(crate) async fn card(
        &self,
        opened: &Opened,
        plan: &Plan,
        ruling: &PlanRuling,
        given: &[purple_process::Decision],
        (asked_at, expires_at): (Timestamp, Timestamp),
    ) -> Phase<Card> {
        let case = opened.case()?;
        let decision = case.decide();
        let own = {
            let planned = case.operations(&decision, &Order::missing()).unwrap_or_default();
            let same = |one: &Operation| {
                planned.iter().any(|own| own.tool == one.tool && own.arguments == one.arguments)
            };
            plan.operations().iter().all(same)
        };
        let driven = opened.dossier.driven.is_some();
        let figures = if own || driven { figures(opened)? } else { Vec::new() };
        let evidence = if own || driven { evidence(opened) } else { Vec::new() };
        let party = self.party(opened);
        let history = match &party {
            Some(entity) if self.learns() => {
                let all = self.ports.memory.history(entity, Whose::Ours, HISTORY_MAX).await?;
                let audience = self.audience();
                all.iter().filter_map(|case| audience.told(case)).collect()
            }
            Some(_) | None => Vec::new(),
        };
        if !history.is_empty() {
            let kept = self.scribe.keep("history", &history)?;
            self.scribe.note(approval::HistorySeen { cases: history.len(), history: kept })?;
        }
        let approval = opened.task()?.approval();
        let mut excluded: Vec<String> =
            approval.never.iter().map(|role| format!("holders of {role}")).collect();
        if approval.never_requester || opened.dossier.chosen.unsigned {
            excluded.push(format!("{}, who asked for it", self.session.requester));
        }
        let directory = self.ports.directory.on(self.settings.day(asked_at));
        let (edited, editable) = if own { edits(opened, &case) } else { Default::default() };
        // Where a model proposes, the rules judge each operation; the strictest of them is why people are asked.
        let gaps = driven && !case.task().is_complete();
        let judged = if gaps { case.judge_all(plan.operations()) } else { Vec::new() };
        let judged = judged.into_iter().max_by_key(playbook::Decision::verdict);
        let mut card = build_card(CardFacts {
            plan,
            ruling,
            figures: &figures,
            evidence: &evidence,
            party: party.as_ref().map(|entity| entity.name.as_str()),
            amount: None,
            history: &history,
            // The reason of a decision is no reason to undo it.
            decision: own.then_some(&decision).or(judged.as_ref()),
            bound: &bound(&case, plan),
            otherwise: None,
            requester: &self.session.requester,
            excluded: &excluded,
            exclusions: match directory {
                Directory::Keyboard => Exclusions::Recorded,
                Directory::People(_) => Exclusions::Enforced,
            },
            given,
            edited: &edited,
            editable: &editable,
            asked_at,
            expires_at,
        });
        if self.settings.access == crate::settings::Access::Open {
            card.add_reason(Shown::new("the server is open: nobody is asked who they are"));
        }
        Ok(card)
    }

    /// The vendor or person that the case is about.
    fn party(&self, opened: &Opened) -> Option<Entity> {
        let found = entities(&opened.dossier.text);
        found.into_iter().find(|entity| matches!(entity.kind.as_str(), "vendor" | "person"))
    }

    /// Until when a plan made now is good.
    pub(crate) fn good_until(&self, opened: &Opened) -> Phase<Timestamp> {
        let now = self.scribe.began();
        let within = opened.task()?.approval().within.unwrap_or(self.settings.approval_within);
        Ok(after(now, within, self.settings).unwrap_or(now))
    }

    /// The round is called off before its next operation.
    pub(crate) async fn called_off(&mut self, running: Running, why: String) -> Phase<()> {
        self.step(Fact::Cancelled)?;
        self.end_running(running, Some(why)).await
    }
}

impl Told {
    /// The card as text.
    pub(crate) fn card_text(&self) -> Option<String> {
        self.card.as_ref().map(|card| card.to_text(CARD_COLUMNS))
    }
}

/// What the declared fields mean for the operations of a plan, and where each was read.
fn bound(case: &Case<'_>, plan: &Plan) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for binding in plan.operations().iter().flat_map(|one| case.bindings(Some(one))) {
        lines.extend(binding.told().filter(|line| !lines.contains(line)));
    }
    lines
}

/// What was edited, and what may be: name and value now.
fn edits(opened: &Opened, case: &Case<'_>) -> (Vec<EditedField>, Vec<(String, String)>) {
    let edited = opened.dossier.edits.iter().map(|(name, edit)| edit.shown(name));
    let editable = case.editable().into_iter().map(|(name, now)| (name.to_owned(), now.to_string()));
    (edited.collect(), editable.collect())
}

fn evidence(opened: &Opened) -> Vec<EvidenceLine> {
    let mut lines = Vec::new();
    let unread = |(tool, arguments): (&ToolName, &Values), (how, why): (NoAnswer, &str), read_at| {
        let why = redact(&cut(why));
        let (found, trust) = match how {
            NoAnswer::Absent => (json!({"absent": why}), Provenance::SystemOfRecord),
            NoAnswer::Refused => (json!(format!("refused: {why}")), Provenance::NotRead),
            NoAnswer::Failed => (json!(format!("failed: {why}")), Provenance::NotRead),
        };
        let digest = Digest::of(why.as_bytes());
        let found = RedactedJson::of(&found);
        EvidenceLine { tool: tool.clone(), arguments: arguments.clone(), read_at, found, digest, trust }
    };
    for read in &opened.dossier.reads {
        let Ok(tool) = ToolName::parse(&read.tool) else { continue };
        let answers = match &read.answers {
            Ok(answers) => answers,
            Err(why) => {
                let none = Values::new();
                let arguments = read.calls.first().unwrap_or(&none);
                lines.push(unread((&tool, arguments), (read.no_answer, why), read.at));
                continue;
            }
        };
        for (arguments, found) in read.calls.iter().zip(answers) {
            lines.push(EvidenceLine {
                tool: tool.clone(),
                arguments: arguments.clone(),
                read_at: read.at,
                found: RedactedJson::of(found),
                digest: Digest::of(found.to_string().as_bytes()),
                trust: Provenance::SystemOfRecord,
            });
        }
    }
    for found in opened.dossier.driven.iter().flat_map(|driven| &driven.reads) {
        lines.push(EvidenceLine {
            tool: found.tool.clone(),
            arguments: found.arguments.clone(),
            read_at: found.at,
            found: found.evidence(),
            digest: Digest::of(found.answer.for_work().to_string().as_bytes()),
            trust: Provenance::SystemOfRecord,
        });
    }
    for one in opened.dossier.driven.iter().flat_map(|driven| &driven.unread) {
        lines.push(unread((&one.tool, &one.arguments), (one.no_answer, &one.why), one.at));
    }
    // What is missing is looked at first, and is never among those that are left out.
    lines.sort_by_key(|line| line.trust != Provenance::NotRead);
    lines
}

/// The end of a span in words. Business days are those of the operator's calendar, and end at the same time of day.
fn after(from: Timestamp, span: Span, settings: &Settings) -> Option<Timestamp> {
    let count = i64::from(span.count());
    match span.unit() {
        TimeUnit::Minutes => from.checked_add(SignedDuration::from_mins(count)).ok(),
        TimeUnit::Hours => from.checked_add(SignedDuration::from_hours(count)).ok(),
        TimeUnit::Days => from.checked_add(SignedDuration::from_hours(count * 24)).ok(),
        TimeUnit::Weeks => from.checked_add(SignedDuration::from_hours(count * 24 * 7)).ok(),
        TimeUnit::BusinessDays => {
            let start = from.to_zoned(settings.zone.clone());
            let on = |calendar: &Calendar| calendar.add_business_days(start.date(), count).ok();
            // A year that the holidays do not cover is counted without holidays: the approval ends early, never late.
            let day = on(&settings.calendar).or_else(|| on(&Calendar::weekends()))?;
            Some(start.with().date(day).build().ok()?.timestamp())
        }
    }
}

#[cfg(test)]
#[path = "close_tests.rs"]
mod tests;
