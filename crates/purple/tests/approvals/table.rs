//! Mode, source, channel and person decide alike, whatever the door.

use purple_backoffice::Approver;
use purple_journal::record::approval;
use purple_process::{Attendance, Ending, Mode, ToolName};
use purple_worker::port::DedupKey;
use purple_worker::{Channel, Choice, Message, RunView, Start};
use serde_json::{Value, json};

use crate::house::{House, person, session, settings};
use crate::scene::*;

/// Who says something about the operation.
#[derive(Clone, Copy, Debug)]
enum Says {
    FileAllows,
    FileAsks,
    FileIsSilent,
    OperatorAllows,
    OperatorAsks,
    OperatorEscalates,
    OperatorBlocks,
    RequestAllows,
    RequestAsks,
    RequestEscalates,
    RequestBlocks,
}

const SAYS: [Says; 11] = [
    Says::FileAllows,
    Says::FileAsks,
    Says::FileIsSilent,
    Says::OperatorAllows,
    Says::OperatorAsks,
    Says::OperatorEscalates,
    Says::OperatorBlocks,
    Says::RequestAllows,
    Says::RequestAsks,
    Says::RequestEscalates,
    Says::RequestBlocks,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Then {
    Runs,
    Asks,
    Escalates,
    Blocks,
}

/// The table in its own words: what the design says, and not what the code does.
fn expected(mode: Mode, attendance: Attendance, says: Says) -> Then {
    let by_mode = if mode == Mode::Permissive { Then::Runs } else { Then::Asks };
    let ruled = match says {
        Says::FileAllows | Says::OperatorAllows => Then::Runs,
        // Rules of a request only restrict: an allow among them is no rule that fired.
        Says::FileIsSilent | Says::RequestAllows => by_mode,
        Says::FileAsks | Says::OperatorAsks | Says::RequestAsks => Then::Asks,
        Says::OperatorEscalates | Says::RequestEscalates => Then::Escalates,
        Says::OperatorBlocks | Says::RequestBlocks => Then::Blocks,
    };
    let ruled = if mode == Mode::Always { ruled.max(Then::Asks) } else { ruled };
    match (ruled, attendance) {
        (Then::Asks, Attendance::Unattended) => Then::Escalates,
        (ruled, Attendance::Attended | Attendance::Unattended) => ruled,
    }
}

fn rule(action: &str) -> Value {
    json!({"rules": [{"id": "R-1", "condition": "employee_id == \"E-2291\"", "action": action}]})
}

async fn run(mode: Mode, attendance: Attendance, says: Says) -> (House, RunView) {
    let ask = match says {
        Says::FileAllows
        | Says::OperatorAsks
        | Says::OperatorEscalates
        | Says::OperatorBlocks
        | Says::RequestAsks
        | Says::RequestEscalates
        | Says::RequestBlocks => "nobody",
        Says::FileAsks => "security_lead",
        Says::FileIsSilent | Says::OperatorAllows | Says::RequestAllows => "",
    };
    let (operator, request) = match says {
        Says::FileAllows | Says::FileAsks | Says::FileIsSilent => (None, None),
        Says::OperatorAllows => (Some("allow"), None),
        Says::OperatorAsks => (Some("require_approval"), None),
        Says::OperatorEscalates => (Some("escalate"), None),
        Says::OperatorBlocks => (Some("block"), None),
        Says::RequestAllows => (None, Some("allow")),
        Says::RequestAsks => (None, Some("require_approval")),
        Says::RequestEscalates => (None, Some("escalate")),
        Says::RequestBlocks => (None, Some("block")),
    };
    let mut settings = in_mode(with(lockout(Systems::One, ask, "within: 1 day")), mode);
    settings.attendance = attendance;
    if let Some(action) = operator {
        settings = under(settings, rule(action));
    }
    let house = open(settings).await;
    let start = Start {
        text: LOCKOUT.to_owned(),
        by: person("alex"),
        channel: Channel::A2a,
        account: None,
        policy: request.map(rule),
        tools_endpoint: None,
        message_id: None,
    };
    let view = house.start("run", start).await;
    (house, view)
}

#[tokio::test]
async fn mode_attendance_and_the_strictest_source_decide_whether_a_person_is_asked() {
    for mode in Mode::ALL {
        for attendance in [Attendance::Attended, Attendance::Unattended] {
            for says in SAYS {
                let (house, view) = run(mode, attendance, says).await;
                let row = format!("{mode} {attendance:?} {says:?}");
                let then = expected(mode, attendance, says);
                match then {
                    Then::Runs => ended(&view, Ending::Done),
                    Then::Asks => waits(&view),
                    Then::Escalates => ended(&view, Ending::Escalated),
                    Then::Blocks => ended(&view, Ending::Blocked),
                }
                let effects = if then == Then::Runs { vec!["revoke_access".to_owned()] } else { nothing() };
                assert_eq!(house.effects(), effects, "{row}");
                assert_eq!(view.summary.mode, mode);
            }
        }
    }
}

/// The doors through which a person decides.
#[derive(Clone, Copy, Debug)]
enum By {
    Cli,
    Console,
    Words,
}

const DOORS: [By; 3] = [By::Cli, By::Console, By::Words];

async fn says_yes(house: &House, who: &str, by: By) -> RunView {
    let run = session("run");
    let decides = |channel| house.worker.decide(&run, person(who), channel, Choice::Approve);
    match by {
        By::Cli => drop(decides(Channel::Cli).await.unwrap()),
        By::Console => drop(decides(Channel::Console).await.unwrap()),
        By::Words => {
            let message =
                Message { text: REJECTS.to_owned(), by: person(who), channel: Channel::A2a, account: None };
            drop(house.worker.say(run.clone(), DedupKey(format!("say:{who}")), message).await.unwrap());
        }
    }
    house.still(&run).await
}

#[tokio::test]
async fn a_person_counts_or_not_alike_on_every_channel() {
    let counts = [
        ("lead", true),
        ("clerk", false),
        ("alex", false),
        ("stranger", false),
        ("small", false),
        ("large", true),
        ("deputy", true),
        ("raised", true),
        ("alexs_deputy", false),
        ("near_miss", false),
    ];
    for by in DOORS {
        for (who, yes) in counts {
            let house = open(settings()).await;
            staff(
                &house,
                &[
                    ("lead", one(&["ap_lead"])),
                    ("clerk", one(&["ap_clerk"])),
                    // The requester holds the role that is asked for.
                    ("alex", one(&["ap_lead"])),
                    ("small", limited(&["ap_lead"], "52339.99 USD")),
                    ("large", limited(&["ap_lead"], "52340.00 USD")),
                    ("deputy", standing_in(&[], &["lead"])),
                    // Too small in their own name, but they stand in for somebody who is not.
                    (
                        "raised",
                        purple_process::Person {
                            stands_in_for: [person("lead")].into(),
                            ..limited(&["ap_lead"], "1.00 USD")
                        },
                    ),
                    ("alexs_deputy", standing_in(&[], &["alex"])),
                    // A role whose name is a part of the one that is asked for.
                    ("near_miss", one(&["lead"])),
                ],
            );
            waits(&house.task("run", INVOICE).await);
            let view = says_yes(&house, who, by).await;
            if yes {
                ended(&view, Ending::Done);
                assert_eq!(house.effects(), ["reject_invoice"], "{who} {by:?}");
                let decided = told::<approval::Decided>(&house, "run").await;
                assert_eq!((decided.len(), decided[0].by.as_str()), (1, who));
            } else {
                waits(&view);
                assert_eq!(house.effects(), nothing(), "{who} {by:?}");
                assert_eq!(not_taken(&house, "run").await.len(), 1, "{who} {by:?}");
                // The right person still can.
                ended(&says_yes(&house, "lead", by).await, Ending::Done);
                assert_eq!(house.effects(), ["reject_invoice"]);
            }
        }
    }
}

#[tokio::test]
async fn at_a_keyboard_the_requester_decides_on_every_channel_and_it_is_on_record() {
    for by in DOORS {
        let house = open(settings()).await;
        waits(&house.task("run", INVOICE).await);
        ended(&says_yes(&house, "alex", by).await, Ending::Done);
        assert_eq!(house.effects(), ["reject_invoice"]);
        let decided = told::<approval::Decided>(&house, "run").await;
        assert!(decided[0].sod.same_person);
    }
}

#[tokio::test]
async fn a_declared_approval_tool_speaks_for_the_requester_and_for_nobody_else() {
    let confirm = || ToolName::parse("confirm_with_user").unwrap();
    for (approver, ending) in [
        (Approver::Approves, Some(Ending::Done)),
        (Approver::Rejects, Some(Ending::Declined)),
        (Approver::Silent, None),
    ] {
        let mut settings = settings();
        settings.channels = vec![confirm()];
        let house = open(settings).await;
        staff(&house, &[("lead", one(&["ap_lead"]))]);
        house.office.set_approver(approver).unwrap();
        // The order asks the requester: the tool's answer is theirs.
        let view = house.task("order", ORDER).await;
        match ending {
            Some(ending) => ended(&view, ending),
            None => waits(&view),
        }
        let changed = house.effects().iter().any(|effect| effect == "modify_order_items");
        assert_eq!(changed, ending == Some(Ending::Done));
        let before = house.effects().len();
        // The invoice asks a lead: the same answer is worth nothing, neither as a yes nor as a no.
        waits(&house.task("invoice", INVOICE).await);
        assert_eq!(house.effects()[before..], ["confirm_with_user"]);
        ended(&approve(&house, "invoice", "lead").await, Ending::Done);
    }
}

#[tokio::test]
async fn a_tool_that_nobody_declared_is_never_asked_at_the_gate() {
    let house = open(settings()).await;
    house.office.set_approver(Approver::Approves).unwrap();
    waits(&house.task("order", ORDER).await);
    assert_eq!(house.effects(), nothing());
}
