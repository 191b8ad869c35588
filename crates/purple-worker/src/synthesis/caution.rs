//! A process file that nobody signed: what it must not hold to be used at all, and what is asked about its operations.

use purple_policy::Authority;
use purple_process::Ruling;
use purple_process::file::{Approval, Ask, End, Limits, ProcessFile, Rule};

use crate::synthesis::draft::WRITES_MAX;

/// A process file without any rule that allows, and without anything that it would do by itself.
#[derive(Clone, Debug)]
pub(crate) struct Cautious(ProcessFile);

/// Why a file that nobody signed is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotCautious {
    #[error("rule {rule} allows something")]
    Allows { rule: String },
    #[error("task `{task}` says itself what is done")]
    Acts { task: String },
    #[error(
        "task `{task}` says how long somebody is asked, who is asked instead, what they may change or what a run may spend"
    )]
    Chooses { task: String },
}

impl Cautious {
    /// The file, if it can only ask for more care.
    pub(crate) fn of(file: ProcessFile) -> Result<Self, NotCautious> {
        for task in file.tasks() {
            if let Some(rule) = task.rules().iter().find(|rule| allows(rule)) {
                return Err(NotCautious::Allows { rule: rule.id().to_owned() });
            }
            if task.is_complete() || !task.outcomes().is_empty() {
                return Err(NotCautious::Acts { task: task.name().to_owned() });
            }
            if !asks_plainly(task.approval()) || !spends_little(file.limits()) {
                return Err(NotCautious::Chooses { task: task.name().to_owned() });
            }
        }
        Ok(Self(file))
    }

    pub(crate) fn into_file(self) -> ProcessFile {
        self.0
    }
}

/// Whether it only says who must not decide and how many must: everything else is the operator's to say.
fn asks_plainly(approval: &Approval) -> bool {
    approval.within.is_none()
        && approval.then.is_none()
        && approval.confirmations.get() == 1
        && approval.editable().next().is_none()
}

/// Whether it leaves to the operator what a run may spend, but for a small number of writes.
fn spends_little(limits: Limits) -> bool {
    let writes = limits.writes.filter(|writes| *writes <= WRITES_MAX);
    limits == Limits { writes, ..Limits::default() }
}

/// Whether a rule, where it matches, lets something run that would have waited otherwise.
fn allows(rule: &Rule) -> bool {
    match (rule.end(), rule.ask()) {
        // Whoever asked for something must not be the one who lets it through.
        (_, Some(Ask::Nobody | Ask::Requester)) | (Some(End::Nothing), _) => true,
        // A rule without `ask` leaves it to the mode, and stops the rules behind it.
        (Some(End::Outcome(_)) | None, None) => true,
        (Some(End::Stop | End::Escalate), _) => false,
        (Some(End::Outcome(_)) | None, Some(Ask::Role(_))) => false,
    }
}

/// What is asked about every operation of a process that nobody signed.
pub(crate) fn unsigned(process: &str) -> Ruling {
    let why = format!(
        "nobody has signed the process `{process}`: its operations are asked of a person (`purple process sign {process}`)"
    );
    Ruling::asking(Authority::Process, Vec::new(), why)
}

#[cfg(test)]
mod tests {
    use purple_process::file::load;

    use super::*;

    const HEAD: &str = "process: x_kind\ntitle: X\nowner: operations\nkeywords: [xword]\nroute: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, COMPLETE]\n";

    fn judged(rules: &str) -> Result<(), NotCautious> {
        let file = load(&format!("{HEAD}decide:\n{rules}")).unwrap();
        Cautious::of(file).map(drop)
    }

    #[test]
    fn a_rule_that_asks_or_stops_is_cautious() {
        let rules = "  - {rule: A, if: 'amount > 5', ask: cfo}\n  - {rule: B, if: 'amount > 4', outcome: stop}\n  - {rule: C, if: 'amount > 3', outcome: escalate}\n";
        assert_eq!(judged(rules), Ok(()));
    }

    #[test]
    fn a_rule_that_allows_is_not() {
        for rule in ["ask: nobody", "ask: requester", "outcome: none"] {
            let judged = judged(&format!("  - {{rule: A, if: 'amount < 5', {rule}}}\n"));
            assert_eq!(judged, Err(NotCautious::Allows { rule: "A".to_owned() }), "{rule}");
        }
    }

    #[test]
    fn a_file_that_says_how_it_is_asked_about_is_not_either() {
        let rules = "  - {rule: A, if: 'amount > 5', ask: cfo}\n";
        let chooses = Err(NotCautious::Chooses { task: "x_kind".to_owned() });
        for line in
            ["approval: {within: 30 days}", "approval: {within: 4 hours, then: cfo}", "limits: {writes: 500}"]
        {
            assert_eq!(judged(&format!("{rules}{line}\n")), chooses, "{line}");
        }
        assert_eq!(
            judged(&format!(
                "{rules}approval: {{never: [requester, interns], people: 2}}\nlimits: {{writes: 5}}\n"
            )),
            Ok(())
        );
    }

    #[test]
    fn no_shipped_file_with_outcomes_would_be_used_unsigned() {
        for file in purple_process::file::builtin().unwrap() {
            let acts = file.tasks().iter().any(|task| !task.outcomes().is_empty());
            assert!(Cautious::of(file.clone()).is_err() || !acts, "{}", file.name());
        }
    }
}
