//! Five worked cases through the pure core, without a model, a network or a key.
//!
//! `cargo run --quiet --example cases`. The company at the bottom is a handful of records in memory; everything that
//! decides is the real thing: classification, process files, exact figures, rules, plans, grants, the gate.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example talks, and stops where it is wrong"
)]

mod company;

use std::collections::BTreeMap;

use company::Company;
use jiff::Timestamp;
use jiff::civil::{Date, date};
use purple_finance::catalogue;
use purple_policy::{Currency, Value, Verdict};
use purple_process::file::{End, ProcessFile, Setting, Task, builtin, extract};
use purple_process::playbook::Case;
use purple_process::{
    Answer, Approvals, ApprovedPlan, Attendance, Call, Candidate, Channel, Check, ClockReading, Decision,
    Digest, Directory, Evidence, Fact, Grant, Mode, Next, Outcome, OwnRequests, PersonId, Plan, PlanDraft,
    PlanRuling, Round, Said, SessionId, Standing, State, Values, Version, Walk, classify, gate, judge,
    read_message, restore,
};

/// A Wednesday morning.
const TODAY: Date = date(2026, 3, 4);
const NOW: &str = "2026-03-04T09:00:00Z";
const GOOD_UNTIL: &str = "2026-03-06T09:00:00Z";

fn main() {
    print!("{}", tell());
}

/// Runs all cases and tells what happened.
pub(crate) fn tell() -> String {
    let files = builtin().unwrap();
    let mut company = Company::new();
    let mut story = String::new();
    let cases: [(&str, Option<&str>); 5] = [
        (
            "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.",
            None,
        ),
        (
            "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.",
            Some("Confirmed, proceed"),
        ),
        (
            "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.",
            None,
        ),
        ("Start offboarding for employee E-2291 (last day Friday)", None),
        ("Now revoke system access and send exit survey", None),
    ];
    let mut earlier = BTreeMap::new();
    for (text, reply) in cases {
        let mut session = Session::open(&files, text, &earlier);
        session.run(&mut company, reply);
        story += &session.story;
        earlier = session.inputs;
    }
    story += &overtime();
    story += "\nEffects on the company, each exactly once:\n";
    company.effects().iter().for_each(|effect| story += &format!("  {effect}\n"));
    story
}

/// The case that no file is needed for: a shipped function does it.
fn overtime() -> String {
    let mut story =
        title("Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr, CA state rules apply.");
    let function = catalogue::find("overtime").unwrap();
    let given = [("hours", "52"), ("hourly_rate", "28.00 USD"), ("rule", "california")];
    let arguments = given.map(|(name, text)| {
        let parameter = function.parameters.iter().find(|parameter| parameter.name == name).unwrap();
        (name.to_owned(), parameter.kind.read(text).unwrap())
    });
    let answer = catalogue::call("overtime", &arguments.into()).unwrap();
    answer.lines.iter().for_each(|line| story += &format!("  {line}\n"));
    answer.notes.iter().for_each(|note| story += &format!("  note: {note}\n"));
    story
}

fn title(text: &str) -> String {
    format!("\n▌ {text}\n")
}

/// One task on its way.
struct Session<'f> {
    file: &'f ProcessFile,
    task: &'f Task,
    walk: Walk,
    inputs: BTreeMap<String, Value>,
    story: String,
}

impl<'f> Session<'f> {
    fn open(files: &'f [ProcessFile], text: &str, earlier: &BTreeMap<String, Value>) -> Self {
        let (file, task, inputs) = choose(files, text, earlier);
        let story = format!("{}  process          {} · {}\n", title(text), file.name(), task.route());
        let walk = Walk::new(SessionId::parse("example").unwrap(), task.route().clone());
        Self { file, task, walk, inputs, story }
    }

    fn step(&mut self, fact: Fact<'_>) {
        self.walk = self.walk.after(fact).unwrap();
    }

    fn say(&mut self, words: &str) {
        self.story += &format!("  {:<16} {words}\n", self.walk.state().to_string());
    }

    fn run(&mut self, company: &mut Company, reply: Option<&str>) {
        self.step(Fact::Decomposed);
        let case = self.gather(company);
        self.step(Fact::Assessed);
        for (name, value) in case.figures() {
            self.story += &format!("  {:<16} {name} = {}\n", "", value.unwrap());
        }
        if self.walk.state() == State::Compute {
            self.step(Fact::Computed);
        }
        let (plan, ruling) = self.judge(&case, company);
        self.step(Fact::Judged(&ruling));
        let you = self_id();
        let evidence = |decisions| Evidence {
            ruling: &ruling,
            decisions,
            requester: &you,
            directory: &Directory::Keyboard,
            standing: Standing::Open,
            started: &[],
            clock: ClockReading { now: now(), high_water: now() },
        };
        let approved = match ruling.verdict() {
            Verdict::Allow => restore(plan, &evidence(&[])).unwrap(),
            Verdict::RequireApproval => {
                self.say(&format!("card: {} · {}", plan.headline(), plan.hash()));
                self.say(&format!("asks {}", ruling.requirements()[0]));
                let Some(words) = reply else {
                    self.say("waiting; nothing was written, and nothing could be:");
                    self.refused(company, &plan);
                    return;
                };
                self.say(&format!("a person says: {words}"));
                assert_eq!(read_message(words, &plan), Said::Approve);
                let approved = restore(plan.clone(), &evidence(&[decision(&plan)])).unwrap();
                self.step(Fact::Granted(&approved));
                approved
            }
            Verdict::Escalate | Verdict::Block => return self.say("ended without effects"),
        };
        self.carry_out(approved, company);
    }

    /// Makes the reads that the file declares, each through the gate.
    fn gather(&mut self, company: &Company) -> Case<'f> {
        let mut case = Case::start(self.task, &self.inputs, TODAY);
        loop {
            let due = case.due();
            if due.is_empty() {
                return case;
            }
            for read in due {
                let tool = company.tool(read.tool);
                let answers = read.calls.into_iter().map(|arguments| {
                    self.say(&format!("{}({})", read.tool, shown(&arguments)));
                    let pass =
                        gate(self.walk.position(), Call::new(&tool, arguments), Grant::nothing(), now());
                    let (call, _) = pass.unwrap().into_call();
                    Value::from_json(&company.read(call.tool(), call.arguments())).unwrap()
                });
                let answers = answers.collect();
                case.answer(read.name, answers).unwrap();
            }
        }
    }

    /// The file's decision, the plan that follows, and the ruling on it.
    fn judge(&mut self, case: &Case<'_>, company: &Company) -> (Plan, PlanRuling) {
        let decision = case.decide();
        self.say(&format!("{}: {}", decision.rule().unwrap_or("no rule"), decision.explanation()));
        let operations = match decision.end() {
            Some(End::Outcome(_)) => case.operations(&decision).unwrap(),
            Some(End::Stop | End::Escalate | End::Nothing) | None => Vec::new(),
        };
        let plan = Plan::new(PlanDraft {
            session: SessionId::parse("example").unwrap(),
            round: Round::FIRST,
            process: Version { name: self.file.name().to_owned(), digest: self.file.digest() },
            policies: Vec::new(),
            pins: company.pins(),
            good_until: GOOD_UNTIL.parse().unwrap(),
            operations,
        })
        .unwrap();
        let said: Vec<_> = decision.ruling(self.file.owner(), None).into_iter().collect();
        let rulings =
            plan.operations().iter().map(|operation| (operation.step.clone(), said.clone())).collect();
        let approvals = Approvals {
            mode: Mode::Careful,
            attendance: Attendance::Attended,
            own_requests: OwnRequests::Never,
            fallback: self.file.owner().clone(),
        };
        let ruling = judge(&plan, &rulings, &approvals).unwrap();
        (plan, ruling)
    }

    /// What a hostile model would try at the gate.
    fn refused(&mut self, company: &Company, plan: &Plan) {
        for operation in plan.operations() {
            let arguments = operation.arguments.iter();
            let arguments =
                arguments.map(|(name, value)| (name.clone(), value.value().unwrap().clone())).collect();
            let call = Call::new(&company.tool(&operation.tool), arguments);
            self.say(&gate(self.walk.position(), call, Grant::nothing(), now()).unwrap_err().to_string());
        }
    }

    /// Runs an approved plan, operation by operation, and reads each write back.
    fn carry_out(&mut self, mut approved: ApprovedPlan, company: &mut Company) {
        loop {
            let (step, arguments) = match approved.next() {
                Next::Run { step, arguments } => (step.clone(), arguments),
                Next::Finished => break,
                Next::Stopped { .. } | Next::MissingResult { .. } => return self.say("stopped"),
            };
            let operation = approved.plan().operation(&step).unwrap().clone();
            if approved.held_back().is_none() && self.walk.state() == State::Mutate {
                self.step(Fact::Applied(&[approved.ran()]));
            }
            let tool = company.tool(&operation.tool);
            let again = Call::new(&tool, arguments.clone());
            let pass =
                gate(self.walk.position(), Call::new(&tool, arguments), approved.grant(), now()).unwrap();
            let (call, _) = pass.into_call();
            let result = company.write(call.tool(), call.arguments());
            let twice = gate(self.walk.position(), again, approved.grant(), now()).unwrap_err();
            let outcome = match &operation.check {
                Check::Unverifiable => Outcome::Unverifiable,
                Check::ReadBack { tool, arguments, expect } => company.read_back(tool, arguments, expect),
            };
            self.say(&format!("{} · {outcome:?} · again: {}", operation.headline(), twice.why));
            approved.settle(&step, outcome, Some(result)).unwrap();
        }
        if self.walk.state() == State::Mutate {
            self.step(Fact::Applied(&[approved.ran()]));
        }
        if self.walk.state() == State::ScheduleNotify {
            self.step(Fact::Notified);
        }
        self.say(&format!("{:?}", self.walk.ending().unwrap()));
    }
}

/// The process, the task and the inputs that a text leads to.
fn choose<'f>(
    files: &'f [ProcessFile],
    text: &str,
    earlier: &BTreeMap<String, Value>,
) -> (&'f ProcessFile, &'f Task, BTreeMap<String, Value>) {
    let setting = Setting { today: TODAY, dollar: Currency::parse("USD").unwrap() };
    let found = |task: &Task| extract(text, task.inputs(), earlier, &setting);
    let complete = |task: &Task| !task.inputs().is_empty() && found(task).missing.is_empty();
    let candidates: Vec<_> = files
        .iter()
        .map(|file| Candidate {
            name: file.name(),
            keywords: file.keywords(),
            inputs_found: file.tasks().iter().any(complete),
        })
        .collect();
    let name = classify(text, &candidates).unwrap().name;
    let file = files.iter().find(|file| file.name() == name).unwrap();
    let tasks: Vec<_> = file
        .tasks()
        .iter()
        .map(|task| Candidate { name: task.name(), keywords: task.keywords(), inputs_found: complete(task) })
        .collect();
    let task = file.task(classify(text, &tasks).map_or(tasks[0].name, |chosen| chosen.name)).unwrap();
    (file, task, found(task).found)
}

fn decision(plan: &Plan) -> Decision {
    Decision {
        person: self_id(),
        on_behalf_of: None,
        channel: Channel::Cli,
        plan: plan.hash(),
        card: Digest::of(plan.headline().as_bytes()),
        answer: Answer::Approve {
            operations: plan.operations().iter().map(|one| one.step.clone()).collect(),
        },
        mode: Mode::Careful,
        decided_at: now(),
        expires_at: GOOD_UNTIL.parse().unwrap(),
    }
}

fn self_id() -> PersonId {
    PersonId::parse("you").unwrap()
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn shown(arguments: &Values) -> String {
    arguments.iter().map(|(name, value)| format!("{name}={}", value.to_wire())).collect::<Vec<_>>().join(", ")
}
