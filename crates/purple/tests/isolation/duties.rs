//! Who asked does not decide: not by a token that they made, not by a configuration of their own, not under another name
//! at the same account. And what is for operators is done by nobody else.

use serde_json::Value;

use crate::running::{Running, account, message};
use crate::{NOBODY, TASK};

const ASKED: i32 = 3;
const REFUSED: i32 = 4;

/// The data folder and the tools of a set-up, without its people.
fn without_people(running: &Running) -> String {
    let text = std::fs::read_to_string(running.folder.path().join("purple.toml")).unwrap();
    text[text.find("[clock]").unwrap()..].to_owned()
}

fn write(running: &Running, name: &str, text: &str) {
    std::fs::write(running.folder.path().join(name), text).unwrap();
}

fn state(answer: &Value) -> &str {
    answer["result"]["task"]["status"]["state"].as_str().unwrap_or("none")
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asked_does_not_decide_by_a_token_or_a_configuration_that_they_made() {
    let account = account();
    let people = |roles: &str| {
        format!(
            "[people.lea]\naccount = \"{account}\"\nroles = [{roles}]\n[people.max]\nroles = [\"ap_lead\"]\n"
        )
    };
    let running = Running::stopped(&people("\"ap_lead\"")).await;
    let (code, out, talk) = running.purple(&["run", TASK, "--session", "inv", "-q"]);
    assert_eq!(code, ASKED, "{out}{talk}");
    let refused = |arguments: &[&str], says: &str| {
        let (code, out, talk) = running.purple(arguments);
        assert_eq!(code, REFUSED, "{arguments:?}: {out}{talk}");
        assert!(talk.contains(says), "{arguments:?}: {talk}");
    };
    refused(&["approve", "inv", "--yes"], "asked for this work");
    // A token for somebody else, or for themselves with more.
    for name in ["max", "lea", "new"] {
        let token = ["token", "create", "--name", name, "--role", "approver", "--group", "ap_lead"];
        refused(&token, "only an operator");
        refused(&["token", "create", "--name", name, "--role", "operator"], "only an operator");
    }
    // Configurations of their own for the same data folder: without people, with other ones, none at all.
    let rest = without_people(&running);
    let own = [
        rest.clone(),
        format!("[people.max]\naccount = \"{account}\"\nroles = [\"ap_lead\", \"operator\"]\n{rest}"),
        format!("{}{rest}", people("\"operator\"")),
    ];
    for text in own {
        write(&running, "mine.toml", &text);
        for command in [
            &["approve", "inv", "--yes"][..],
            &["approve", "inv", "--yes", "--as", "max"],
            &["token", "create", "--name", "max", "--role", "operator"],
            &["cancel", "inv", "--as", "max"],
            &["halt"],
            &["show", "inv"],
            &["serve", "--port", "0"],
            &["config", "accept"],
        ] {
            let arguments = [&["--config", "mine.toml"], command].concat();
            let (code, out, talk) = running.purple(&arguments);
            assert_eq!(code, REFUSED, "{arguments:?}: {out}{talk}");
        }
    }
    refused(&["--no-config", "--data-dir", "data", "--as", "max", "approve", "inv", "--yes"], "other people");
    assert_eq!(running.effects(), Vec::<String>::new());
    // The file that named them may change, and what an operator by it accepts is accepted.
    write(&running, "mine.toml", &rest);
    write(&running, "purple.toml", &format!("{}{rest}", people("\"ap_lead\", \"operator\"")));
    let (code, _, talk) = running.purple(&["halt"]);
    assert_eq!(code, 0, "{talk}");
    assert_eq!(running.purple(&["resume"]).0, 0);
    let (code, out, talk) = running.purple(&["--config", "mine.toml", "config", "accept"]);
    assert_eq!(code, 0, "{out}{talk}");
    let (_, journal, _) = running.purple(&["--config", "mine.toml", "audit", "operators"]);
    assert!(journal.contains("people sha256 not set"), "{journal}");
    assert_eq!(running.purple(&["--config", "mine.toml", "--as", "kim", "whoami"]).0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn people_cannot_be_slipped_under_a_set_up_of_tokens() {
    let running = Running::stopped("").await;
    let ada = running.token("ada", &["requester"], &[]);
    let (code, out, talk) = running.purple_as(&ada, &["run", TASK, "--session", "inv", "-q"]);
    assert_eq!(code, ASKED, "{out}{talk}");
    let max = format!("[people.max]\naccount = \"{}\"\nroles = [\"ap_lead\"]\n", account());
    write(&running, "mine.toml", &format!("{max}{}", without_people(&running)));
    let (code, out, talk) = running.purple(&["--config", "mine.toml", "approve", "inv", "--yes"]);
    assert_eq!((code, running.effects()), (REFUSED, Vec::new()), "{out}{talk}");
    assert!(talk.contains("purple config accept"), "{talk}");
    let ops = running.token("ops", &["operator"], &[]);
    let (code, _, talk) = running.purple_as(&ops, &["--config", "mine.toml", "config", "accept"]);
    assert_eq!(code, 0, "{talk}");
    // Accepted or not: the account is the one that asked.
    let (code, out, talk) = running.purple(&["--config", "mine.toml", "approve", "inv", "--yes"]);
    assert_eq!((code, running.effects()), (REFUSED, Vec::new()), "{out}{talk}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_names_at_one_account_are_one_person_and_elsewhere_they_are_two() {
    let mut running = Running::stopped("").await;
    let ada = running.token("ada", &["requester"], &[]);
    let lea = running.token("lea", &["approver"], &["ap_lead", "controller"]);
    let (code, out, talk) = running.purple_as(&ada, &["run", TASK, "--session", "inv", "-q"]);
    assert_eq!(code, ASKED, "{out}{talk}");
    let (code, out, talk) = running.purple_as(&lea, &["approve", "inv", "--yes"]);
    assert_eq!(code, REFUSED, "{out}{talk}");
    assert!(talk.contains("is at the same account"), "{talk}");
    assert_eq!(running.effects(), Vec::<String>::new());
    // What she was refused here she may do from where she is somebody else.
    running.begin(&[]);
    let listed = running.call_as(&lea, "GetTask", serde_json::json!({"id": "inv~1"})).await;
    let data = listed["result"]["status"]["message"]["parts"][1]["data"].clone();
    let decision = serde_json::json!({"message": {"messageId": "m-2", "role": "ROLE_USER", "contextId": "inv",
        "parts": [{"data": {"approvalId": data["approvalId"], "decision": "approve"}}]}});
    let decided = running.call_as(&lea, "SendMessage", decision).await;
    assert_eq!(state(&decided), "TASK_STATE_COMPLETED", "{decided}");
    assert_eq!(running.effects(), ["reject_invoice"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_operators_is_refused_to_everybody_else_who_is_signed_in() {
    let running = Running::stopped("").await;
    let ada = running.token("ada", &["requester"], &[]);
    let lea = running.token("lea", &["approver"], &["ap_lead", "controller"]);
    let max = running.token("max", &["approver"], &["hr"]);
    let aud = running.token("aud", &["auditor"], &[]);
    let ops = running.token("ops", &["operator"], &[]);
    let before = std::fs::read_to_string(running.folder.path().join("purple.toml")).unwrap();
    for token in [&lea, &aud] {
        for command in [
            &["halt"][..],
            &["resume"],
            &["tools", "review", "office", "--accept"],
            &["tools", "pin", "--write"],
            &["process", "sign", "x.yaml"],
            &["process", "forget", "x"],
            &["tools", "sign", "x"],
            &["tools", "forget", "x"],
            &["learn", "forget", "--all", "--yes"],
            &["learn", "import", "seeds"],
            &["token", "create", "--name", "new", "--role", "operator"],
            &["config", "accept"],
        ] {
            let (code, out, talk) = running.purple_as(token, command);
            assert_eq!(code, REFUSED, "{command:?}: {out}{talk}");
        }
    }
    assert_eq!(std::fs::read_to_string(running.folder.path().join("purple.toml")).unwrap(), before);
    // A run is called off by whoever asked for it, could decide about it, or operates.
    for (token, run, ends) in [
        (&max, "one", false),
        (&aud, "one", false),
        (&lea, "one", true),
        (&ada, "two", true),
        (&ops, "three", true),
    ] {
        let session = running.purple_as(&ada, &["show", run]);
        if session.0 != 0 {
            let (code, out, talk) = running.purple_as(&ada, &["run", TASK, "--session", run, "-q"]);
            assert_eq!(code, ASKED, "{out}{talk}");
        }
        let (code, out, talk) = running.purple_as(token, &["cancel", run]);
        assert_eq!(code == 0, ends, "{run}: {out}{talk}");
        let (_, shown, _) = running.purple_as(&ada, &["show", run, "--json"]);
        assert_eq!(shown.contains("\"cancelled\""), ends, "{run}: {shown}");
    }
    for command in [&["halt"][..], &["resume"], &["tools", "review", "office", "--accept"]] {
        let (code, out, talk) = running.purple_as(&ops, command);
        assert_eq!(code, 0, "{command:?}: {out}{talk}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_sees_what_waits_for_it_and_nothing_that_waits_for_others() {
    let mut running = Running::stopped("").await;
    let ada = running.token("ada", &["requester"], &[]);
    let lea = running.token("lea", &["approver"], &["ap_lead", "controller"]);
    let max = running.token("max", &["approver"], &["hr"]);
    running.begin(&[]);
    let asked = running.call_as(&ada, "SendMessage", message("m-1", Some("inv"), TASK)).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    for (token, sees) in [(&lea, true), (&max, false)] {
        let (_, out, _) = running.purple_as(token, &["inbox"]);
        assert_eq!(out.contains("inv"), sees, "{out}");
        assert_eq!(running.purple_as(token, &["show", "inv"]).0 == 0, sees);
        let listed = running.call_as(token, "ListTasks", serde_json::json!({})).await;
        assert_eq!(listed["result"]["tasks"].as_array().unwrap().len(), usize::from(sees), "{listed}");
        let got = running.call_as(token, "GetTask", serde_json::json!({"id": "inv~1"})).await;
        assert_eq!(got.get("result").is_some(), sees, "{got}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_of_somebody_else_is_answered_like_a_task_that_does_not_exist() {
    let mut running = Running::stopped("").await;
    let ada = running.token("ada", &["requester"], &[]);
    let eve = running.token("eve", &["requester"], &[]);
    running.begin(&[]);
    running.call_as(&ada, "SendMessage", message("m-1", Some("inv"), TASK)).await;
    let into = running.call_as(&eve, "SendMessage", message("m-1", Some("inv"), "What is the status?")).await;
    let mut nobody = message("m-1", None, "What is the status?");
    nobody["message"]["taskId"] = NOBODY.into();
    let nobody = running.call_as(&eve, "SendMessage", nobody).await;
    assert_eq!(
        into.to_string().replace("\"inv\"", "ID").replace("`inv`", "`ID`"),
        nobody.to_string().replace(&format!("\"{NOBODY}\""), "ID").replace(&format!("`{NOBODY}`"), "`ID`")
    );
    assert!(into.to_string().contains("TASK_NOT_FOUND"), "{into}");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_differ_in_separators_are_one_name() {
    let running = Running::stopped("").await;
    running.token("lea", &["requester"], &[]);
    for alike in ["lea.", "lea_", "l.ea", "le-a", "lea-", "lea@", "1ea.", "LEA+"] {
        let (code, _, talk) = running.purple(&["token", "create", "--name", alike, "--role", "requester"]);
        assert!(code == 1 && talk.contains("cannot be told apart"), "{alike}: {code} {talk}");
    }
    let people = format!(
        "[people.lea]\nroles = [\"cfo\"]\n[people.\"le.a\"]\nroles = [\"cfo\"]\n{}",
        without_people(&running)
    );
    write(&running, "purple.toml", &people);
    let (code, _, talk) = running.purple(&["config", "show"]);
    assert!(code != 0 && talk.contains("lea"), "{talk}");
}
