//! Judges a function: static checks, then its cases, then samples of its domain. Only what passes all of it runs.

use std::collections::BTreeSet;

use purple_port::{
    Admission, Arguments, CASES_MAX, CODE_BYTES_MAX, Case, FunctionHash, NotAdmitted, Outcome, Program, Seen,
    Signature, Trial,
};

use crate::limits::{ADMISSION_MILLIS_MAX, CASES_MIN, SAMPLES};
use crate::run::{Compiled, Runner};
use crate::sample::Sampler;
use crate::source;

/// A function that passed. There is no other way to get one.
pub(crate) struct Admitted {
    compiled: Compiled,
    signature: Signature,
}

impl Admitted {
    pub(crate) fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The first argument that is missing, unknown or outside of its domain.
    pub(crate) fn unfit(&self, arguments: &Arguments) -> Option<String> {
        unfit(&self.signature, arguments)
    }
}

/// Judges the program. Call it on a stack that is large enough.
pub(crate) fn judge(runner: &Runner, program: &Program) -> Result<(Admitted, Admission), NotAdmitted> {
    let hash = program.hash();
    check_declared(program)?;
    source::check(&program.code, &runner.vocabulary().names)?;
    let compiled = runner.compile(&program.code, &program.signature)?;
    let mut bench = Bench { runner, compiled: &compiled, began: runner.now_millis(), steps_most: 0 };
    bench.cases(Trial::Shown, &program.shown)?;
    bench.cases(Trial::HeldBack, &program.held_back)?;
    bench.samples(&program.signature, seed(hash))?;
    let admission = Admission {
        function: hash,
        shown: program.shown.len(),
        held_back: program.held_back.len(),
        sampled: SAMPLES,
        steps_most: bench.steps_most,
    };
    Ok((Admitted { compiled, signature: program.signature.clone() }, admission))
}

/// What can be said before the code is looked at.
fn check_declared(program: &Program) -> Result<(), NotAdmitted> {
    program.signature.check()?;
    let bytes = program.code.len();
    if bytes > CODE_BYTES_MAX {
        return Err(NotAdmitted::TooLong { bytes, bytes_max: CODE_BYTES_MAX });
    }
    for (trial, cases) in [(Trial::Shown, &program.shown), (Trial::HeldBack, &program.held_back)] {
        if !(CASES_MIN..=CASES_MAX).contains(&cases.len()) {
            let (cases_min, cases_max) = (CASES_MIN, CASES_MAX);
            return Err(NotAdmitted::Cases { trial, cases: cases.len(), cases_min, cases_max });
        }
        if let Some(index) = cases.iter().position(|case| !fits(&program.signature, case)) {
            return Err(NotAdmitted::CaseUnfit { trial, index });
        }
    }
    let is_shown = |case: &Case| program.shown.iter().any(|shown| shown.given == case.given);
    match program.held_back.iter().position(is_shown) {
        Some(index) => Err(NotAdmitted::CaseShown { index }),
        None => Ok(()),
    }
}

fn fits(signature: &Signature, case: &Case) -> bool {
    let expectable = match &case.expected {
        Outcome::Value(datum) => datum.is_within_bounds() && signature.answers.fits(datum),
        Outcome::Refused(word) => signature.refuses.contains(word),
    };
    expectable && unfit(signature, &case.given).is_none()
}

fn unfit(signature: &Signature, arguments: &Arguments) -> Option<String> {
    let declared: BTreeSet<&String> = signature.parameters.iter().map(|parameter| &parameter.name).collect();
    if let Some(unknown) = arguments.keys().find(|name| !declared.contains(name)) {
        return Some(crate::fault::cut(unknown));
    }
    let unfit = signature.parameters.iter().find(|parameter| {
        let given = arguments.get(&parameter.name);
        !given.is_some_and(|datum| datum.is_within_bounds() && parameter.takes.holds(datum))
    });
    unfit.map(|parameter| parameter.name.clone())
}

/// The samples depend on all that was admitted, so that they come again and cannot be written against.
fn seed(hash: FunctionHash) -> u64 {
    hash.0.as_bytes().iter().fold(0, |seed, byte| seed.rotate_left(8) ^ u64::from(*byte))
}

/// One function on trial.
struct Bench<'a> {
    runner: &'a Runner,
    compiled: &'a Compiled,
    began: i64,
    steps_most: u64,
}

impl Bench<'_> {
    fn cases(&mut self, trial: Trial, cases: &[Case]) -> Result<(), NotAdmitted> {
        for (index, case) in cases.iter().enumerate() {
            let seen = match self.run(&case.given)? {
                Ok(outcome) if outcome == case.expected => continue,
                Ok(outcome) => Seen::Outcome(outcome),
                Err(fault) => Seen::Fault(fault),
            };
            let (given, expected) = (case.given.clone(), case.expected.clone());
            return Err(NotAdmitted::CaseFailed { trial, index, given, expected, seen: Box::new(seen) });
        }
        Ok(())
    }

    fn samples(&mut self, signature: &Signature, seed: u64) -> Result<(), NotAdmitted> {
        let mut sampler = Sampler::new(signature, seed);
        for index in 0..SAMPLES {
            let given = sampler.sample(index);
            let first = self.run(&given)?;
            if first != self.run(&given)? {
                return Err(NotAdmitted::NotDeterministic { given });
            }
            if let Err(fault) = first {
                return Err(NotAdmitted::NotTotal { given, fault: Box::new(fault) });
            }
        }
        Ok(())
    }

    fn run(&mut self, given: &Arguments) -> Result<Result<Outcome, purple_port::CallFault>, NotAdmitted> {
        let taken = u64::try_from(self.runner.now_millis() - self.began).unwrap_or(0);
        if taken > ADMISSION_MILLIS_MAX {
            return Err(NotAdmitted::TooSlow { millis_max: ADMISSION_MILLIS_MAX });
        }
        let ran = self.runner.run(self.compiled, given);
        self.steps_most = self.steps_most.max(ran.steps);
        Ok(ran.ended)
    }
}
