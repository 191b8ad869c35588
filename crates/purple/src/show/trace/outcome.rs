//! Lines of the records from a plan on: verdicts, approvals, operations, endings, and what is around them.

use purple_journal::record::approval::Approval;
use purple_journal::record::incident::Incident;
use purple_journal::record::learning::Learning;
use purple_journal::record::operator::Operator;
use purple_journal::record::plan::{Figures, Plan, PolicyVerdict};
use purple_journal::record::run::Run;
use purple_journal::record::turn::Turn;
use purple_journal::record::write::{CallEnded, Write};

use super::line::{Line, listed, shown};
use crate::show::style::Tone;

pub(super) fn plan(plan: &Plan) -> Line {
    match plan {
        Plan::Figures(figures) => self::figures(figures),
        Plan::Calculation(calculation) => Line::quoting(&calculation.result),
        Plan::PolicyVerdict(verdict) => Line::of(self::verdict(verdict)).tone(Tone::Warning),
        Plan::Made(made) => Line::quoting(&made.headline),
        Plan::Expired(expired) => Line::quoting(&expired.why),
        Plan::Stale(stale) => Line::quoting(&stale.why),
        Plan::KeyClaimed(_) | Plan::KeyReleased(_) => Line::data().trace_only(),
        Plan::KeyTaken(_) => Line::data(),
    }
}

fn figures(figures: &Figures) -> Line {
    if figures.figures.is_empty() {
        return Line::data().trace_only();
    }
    let all = figures.figures.iter().map(|one| format!("{} = {}", shown(&one.name), shown(&one.value)));
    Line::of(all.collect::<Vec<_>>().join("; "))
}

fn verdict(verdict: &PolicyVerdict) -> String {
    let rule = verdict.rule.as_ref().map(shown).unwrap_or_default();
    let why = shown(&verdict.explanation);
    if why.is_empty() { rule } else { format!("{rule}: {why}") }
}

pub(super) fn approval(approval: &Approval) -> Line {
    match approval {
        Approval::Asked(asked) => Line::of(format!("asks {}", listed(&asked.asks))).tone(Tone::Warning),
        Approval::Decided(decided) => {
            Line::of(format!("{}: {}", shown(&decided.by), decided.decision)).tone(Tone::Good)
        }
        Approval::Refused(refused) => Line::quoting(&refused.why),
        Approval::NotTaken(not_taken) => Line::quoting(&not_taken.why),
        Approval::EditNotTaken(not_taken) => Line::quoting(&not_taken.why),
        Approval::HistorySeen(_) | Approval::Granted(_) => Line::data().trace_only(),
        Approval::Expired(_) | Approval::Superseded(_) | Approval::Edited(_) | Approval::ChannelAsked(_) => {
            Line::data()
        }
    }
}

pub(super) fn write(write: &Write) -> Line {
    match write {
        Write::Intent(intent) => Line::quoting(&intent.headline).trace_only(),
        Write::CallEnded(ended) => Line::of(reply(ended)).trace_only(),
        Write::Verified(verified) => {
            Line::of(format!("{}: {}", shown(&verified.headline), verified.outcome)).tone(Tone::Good)
        }
        Write::Withheld(withheld) => Line::quoting(&withheld.why),
        Write::PutOff(put_off) => Line::quoting(&put_off.why),
        Write::InDoubt(in_doubt) => Line::quoting(&in_doubt.why),
        Write::SettleNotTaken(not_taken) => Line::quoting(&not_taken.why),
        Write::UndoNotTaken(not_taken) => Line::quoting(&not_taken.why),
        Write::Settled(_) | Write::NoticeHeld(_) | Write::UndoAsked(_) | Write::HaltSeen(_) => Line::data(),
    }
}

fn reply(ended: &CallEnded) -> String {
    let reply = ended.reply.map(|reply| reply.to_string()).unwrap_or_default();
    let why = shown(&ended.why);
    if why.is_empty() { reply } else { format!("{reply}: {why}") }
}

pub(super) fn run(run: &Run) -> Line {
    match run {
        Run::StateEntered(entered) => {
            let text = format!("{} → {} ({})", entered.from, entered.to, entered.event);
            Line::of(text).tone(Tone::Strong).trace_only()
        }
        Run::Answered(_) => Line::data().trace_only(),
        Run::Ended(ended) => {
            let ending = ended.ending.map(|ending| ending.to_string()).unwrap_or_default();
            Line::of(ending).tone(Tone::Strong).trace_only()
        }
        Run::Failed(failed) => Line::coded(&failed.code, &failed.why),
        Run::Stopped(stopped) => Line::quoting(&stopped.why),
        Run::CancelNotTaken(not_taken) => Line::quoting(&not_taken.why),
        Run::Cancelled(_) | Run::Rescored(_) => Line::data(),
    }
}

pub(super) fn turn(turn: &Turn) -> Line {
    match turn {
        Turn::Began(_) | Turn::Version(_) | Turn::Ended(_) => Line::data().trace_only(),
        Turn::EventIgnored(ignored) => Line::quoting(&ignored.why),
        Turn::Stuck(_) | Turn::Retried(_) | Turn::Skipped(_) => Line::data(),
    }
}

pub(super) fn learning(learning: &Learning) -> Line {
    match learning {
        Learning::StrategyChosen(chosen) => Line::of(chosen.arm.as_str()),
        Learning::FactsFound(_) => Line::data(),
    }
}

pub(super) fn incident(incident: &Incident) -> Line {
    match incident {
        Incident::Reported(_) => Line::data(),
    }
}

pub(super) fn operator(operator: &Operator) -> Line {
    match operator {
        Operator::DefinitionQuarantined(quarantined) => Line::quoting(&quarantined.why),
        Operator::TokenCreated(_)
        | Operator::TokenRevoked(_)
        | Operator::HaltSet(_)
        | Operator::HaltLifted(_)
        | Operator::DefinitionStored(_)
        | Operator::DefinitionSigned(_)
        | Operator::DefinitionRemoved(_)
        | Operator::ConfigurationChanged(_)
        | Operator::ToolPinned(_)
        | Operator::Began(_)
        | Operator::RowAdopted(_) => Line::data(),
    }
}
