//! Who can use which system.

use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::desk::{Change, Desk, words};
use crate::parameter::{Arguments, Form, Parameter, needs};
use crate::record::{Record, flag, text};
use crate::refusal::Refusal;
use crate::tool::{Hints, Tool};
use crate::tools::people::{EMPLOYEE, ID};

static ACCESS: Record = Record::new(
    "access",
    ["system_access", "system"],
    &[text("employee_id"), text("system"), flag("active"), text("granted_on")],
);

const SYSTEM: Parameter = needs("system", Form::Text, "name of the system, such as GitHub");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "access",
        ["get_system_access", "Says whether an employee can use a system."],
        &[ID, SYSTEM],
        |desk, arguments| one(desk, arguments.text("employee_id")?, arguments.text("system")?),
    )
    .hints(Hints::ReadOnly)
    .answers(&ACCESS),
    Tool::read(
        "access",
        ["list_system_access", "Lists all systems an employee can or could use."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("employee_id")?;
            desk.one(&EMPLOYEE, id)?;
            Ok(json!({"access": desk.rows(&ACCESS, "WHERE employee_id = ?1 ORDER BY rank", &[&id])?}))
        },
    ),
    // No key and no annotations: twice is refused, because the second finds nothing to revoke.
    Tool::effect(
        "access",
        ["revoke_access", "Ends an employee's access to a system at once."],
        &[ID, SYSTEM],
        |desk, arguments| switch(desk, arguments, 0),
    ),
    Tool::effect(
        "access",
        ["grant_access", "Gives an employee access to a system."],
        &[ID, SYSTEM],
        |desk, arguments| {
            let (id, system) = (arguments.text("employee_id")?, arguments.text("system")?);
            let sql = "SELECT count(*) FROM system_access WHERE employee_id = ?1 AND system = ?2";
            if desk.number(sql, &[&id, &system])? > 0 {
                return switch(desk, arguments, 1);
            }
            desk.one(&EMPLOYEE, id)?;
            let known = desk.number("SELECT count(*) FROM system_access WHERE system = ?1", &[&system])?;
            desk.require(known > 0, || Refusal::NotFound { noun: "system", id: system.to_owned() })?;
            let sql = "SELECT count(*) FROM system_access WHERE employee_id = ?1";
            let rank = desk.number(sql, &[&id])?;
            desk.add(
                "system_access",
                ("active", Cell::Integer(1)),
                &[
                    ("employee_id", words(id)),
                    ("system", words(system)),
                    ("rank", Cell::Integer(rank)),
                    ("granted_on", words(&desk.today.to_string())),
                ],
            )?;
            changed(desk, [id, system], Value::Null)
        },
    ),
];

fn one(desk: &Desk<'_>, id: &str, system: &str) -> Result<Value, Refusal> {
    desk.one(&EMPLOYEE, id)?;
    let rows = desk.rows(&ACCESS, "WHERE employee_id = ?1 AND system = ?2", &[&id, &system])?;
    rows.into_iter().next().ok_or_else(|| Refusal::NotFound { noun: "access", id: format!("{id} {system}") })
}

fn switch(desk: &Desk<'_>, arguments: &Arguments<'_>, active: i64) -> Result<Change, Refusal> {
    let (id, system) = (arguments.text("employee_id")?, arguments.text("system")?);
    let before = one(desk, id, system)?;
    let differs = before.get("active").and_then(Value::as_bool) != Some(active == 1);
    desk.require(differs, || Refusal::Rule {
        noun: "access",
        id: format!("{id} {system}"),
        because: if active == 1 { "it is granted already" } else { "it was revoked already" }.to_owned(),
    })?;
    let active = match desk.fidelity {
        // One flag cannot be half set.
        crate::desk::Fidelity::Partial => 1 - active,
        _ => match desk.amended("active", Cell::Integer(active)) {
            Cell::Integer(active) => active,
            _ => active,
        },
    };
    desk.run(
        "UPDATE system_access SET active = ?3, updated_at = ?4 WHERE employee_id = ?1 AND system = ?2",
        &[&id, &system, &active, &desk.now],
    )?;
    changed(desk, [id, system], before)
}

fn changed(desk: &Desk<'_>, [id, system]: [&str; 2], before: Value) -> Result<Change, Refusal> {
    let after = one(desk, id, system)?;
    Ok(Change { target: format!("access {id} {system}"), before, answer: after.clone(), after })
}
