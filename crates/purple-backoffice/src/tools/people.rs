//! Employees: their records, their pay dates, and how they leave.

use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::desk::{Change, Desk, Told, word_of, words};
use crate::paging::{Filter, LIMIT, PAGE, Style, page};
use crate::parameter::{Arguments, Form, Parameter, may, needs};
use crate::record::{Record, decimal, document, money, text, text_as};
use crate::refusal::Refusal;
use crate::tool::{Hints, Keys, Tool};
use crate::tools::post::{TO, send};

pub(super) static EMPLOYEE: Record = Record::new(
    "employee",
    ["employees", "employee_id"],
    &[
        text("employee_id"),
        text_as("name", "full_name"),
        text("email"),
        text("department"),
        text("title"),
        text("manager_id"),
        text("status"),
        text("country"),
        text("state"),
        text("hired_on"),
        text("last_day"),
    ],
);

// The payroll system's view of the same people: other names for the same columns.
static PAYROLL_RECORD: Record = Record::new(
    "employee",
    ["employees", "full_name"],
    &[
        text_as("id", "employee_id"),
        text("full_name"),
        text("department"),
        text("state"),
        text("country"),
        text_as("current_status", "status"),
        money("hourly_rate", "hourly_rate_minor"),
    ],
);

static CHECKLIST: Record = Record::new(
    "checklist",
    ["checklists", "checklist_id"],
    &[text("checklist_id"), text("employee_id"), text("last_day"), text("status"), document("systems")],
);

static PAY_DAY: Record = Record::new(
    "pay date",
    ["pay_calendar", "pay_date"],
    &[text("pay_date"), text("period_start"), text("period_end")],
);

static TIMESHEET: Record = Record::new(
    "timesheet",
    ["timesheets", "employee_id"],
    &[text("employee_id"), text("week"), decimal("hours")],
);

pub(super) const ID: Parameter = needs("employee_id", Form::Text, "id of the employee, such as E-2291");
const STATUSES: &[&str] = &["active", "on_leave", "offboarding", "terminated"];

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "employee",
        ["get_employee", "Gets an employee's record and the systems they have access to."],
        &[ID],
        |desk, arguments| Ok(Value::Object(employee(desk, arguments.text("employee_id")?)?)),
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "employee",
        ["get_employee_record", "Gets the payroll system's record of a person, by full name."],
        &[needs("name", Form::Text, "full name, such as Sarah Chen")],
        |desk, arguments| Ok(Value::Object(desk.one(&PAYROLL_RECORD, arguments.text("name")?)?)),
    ),
    Tool::read(
        "employee",
        ["list_employees", "Lists employees in pages (`page`, `limit`)."],
        &[
            may("department", Form::Text, "only of this department"),
            may("status", Form::OneOf(STATUSES), "only these"),
            PAGE,
            LIMIT,
        ],
        |desk, arguments| {
            let filter = Filter::default()
                .by("department", arguments.maybe_text("department"))
                .by("status", arguments.maybe_text("status"));
            page(desk, (&EMPLOYEE, "employees"), filter, arguments, Style::Page)
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "pay_calendar",
        ["get_pay_calendar", "Gets an employee's next pay dates."],
        &[ID, may("after", Form::Day, "only dates after this day; today if left out")],
        pay_calendar,
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "timesheet",
        ["get_timesheet", "Gets the hours an employee worked, by week."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("employee_id")?;
            desk.one(&EMPLOYEE, id)?;
            let weeks = desk.rows(&TIMESHEET, "WHERE employee_id = ?1 ORDER BY week", &[&id])?;
            Ok(json!({"employee_id": id, "weeks": weeks}))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::effect(
        "employee",
        ["update_employee_status", "Sets an employee's status."],
        &[ID, needs("status", Form::OneOf(STATUSES), "the new status")],
        |desk, arguments| {
            let id = arguments.text("employee_id")?;
            let before = employee(desk, id)?;
            desk.require_status(&EMPLOYEE, &before, &["active", "on_leave", "offboarding"])?;
            desk.set(&EMPLOYEE, id, ("status", words(arguments.text("status")?)), &[])?;
            let after = Value::Object(employee(desk, id)?);
            let target = format!("employee {id}");
            Ok(Change { target, before: Value::Object(before), answer: after.clone(), after })
        },
    )
    .hints(Hints::Repeatable)
    .keys(Keys::Either),
    Tool::effect(
        "checklist",
        [
            "create_offboarding_checklist",
            "Creates the checklist of an employee who leaves. One open checklist per person.",
        ],
        &[
            ID,
            needs("last_day", Form::Day, "last day at work"),
            needs("systems", Form::Texts, "systems whose access ends"),
        ],
        create_checklist,
    )
    .hints(Hints::Additive)
    .answers(&CHECKLIST),
    Tool::read(
        "checklist",
        ["get_offboarding_checklist", "Gets an employee's latest offboarding checklist."],
        &[ID],
        |desk, arguments| {
            let id = arguments.text("employee_id")?;
            let sql =
                "SELECT checklist_id FROM checklists WHERE employee_id = ?1 ORDER BY rowid DESC LIMIT 1";
            match desk.word(sql, &[&id])? {
                Some(checklist) => Ok(Value::Object(desk.one(&CHECKLIST, &checklist)?)),
                None => Err(Refusal::NotFound { noun: "checklist of", id: id.to_owned() }),
            }
        },
    )
    .hints(Hints::ReadOnly)
    .answers(&CHECKLIST),
    Tool::effect(
        "checklist",
        ["cancel_offboarding_checklist", "Cancels an open checklist."],
        &[needs("checklist_id", Form::Text, "id of the checklist")],
        |desk, arguments| {
            let id = arguments.text("checklist_id")?;
            desk.change(&CHECKLIST, id, &["open"], ("status", words("cancelled")), &[])
        },
    ),
    Tool::effect(
        "message",
        ["schedule_equipment_return", "Schedules the return of an employee's equipment and tells them."],
        &[ID, needs("date", Form::Day, "day by which it is returned"), TO],
        |desk, arguments| to_employee(desk, arguments, "equipment_return", Some(arguments.text("date")?)),
    ),
    Tool::effect(
        "message",
        ["schedule_exit_survey", "Schedules the exit survey of an employee."],
        &[ID, may("date", Form::Day, "day it is sent; today if left out"), TO],
        |desk, arguments| {
            let today = desk.today.to_string();
            to_employee(desk, arguments, "exit_survey", Some(arguments.maybe_text("date").unwrap_or(&today)))
        },
    ),
    Tool::effect(
        "message",
        ["send_exit_survey", "Sends the exit survey to an employee now."],
        &[ID, TO],
        |desk, arguments| to_employee(desk, arguments, "exit_survey", None),
    )
    .hints(Hints::Outward),
    Tool::effect(
        "message",
        ["notify_it_team", "Tells the IT team which systems an employee leaves, and when."],
        &[
            ID,
            needs("systems", Form::Texts, "the systems"),
            may("last_day", Form::Day, "last day at work"),
            TO,
        ],
        |desk, arguments| {
            let id = arguments.text("employee_id")?;
            desk.one(&EMPLOYEE, id)?;
            send(desk, arguments, ("it_notice", id), None, vec!["it_team".to_owned()])
        },
    ),
];

/// An employee with the systems they can use.
fn employee(desk: &Desk<'_>, id: &str) -> Result<Told, Refusal> {
    let mut employee = desk.one(&EMPLOYEE, id)?;
    let mut statement = desk.db.prepare_cached(
        "SELECT system FROM system_access WHERE employee_id = ?1 AND active = 1 ORDER BY rank",
    )?;
    let systems: Vec<String> = statement.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    employee.insert("systems".to_owned(), json!(systems));
    Ok(employee)
}

fn pay_calendar(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Value, Refusal> {
    let id = arguments.text("employee_id")?;
    let employee = desk.one(&EMPLOYEE, id)?;
    let country = word_of(&employee, "country").unwrap_or_default();
    let today = desk.today.to_string();
    let after = arguments.maybe_text("after").unwrap_or(&today);
    let condition = "WHERE country = ?1 AND pay_date > ?2 ORDER BY pay_date LIMIT 3";
    let dates = desk.rows(&PAY_DAY, condition, &[&country, &after])?;
    let next = dates.first().and_then(|date| date.get("pay_date")).cloned().unwrap_or(Value::Null);
    Ok(json!({"employee_id": id, "country": country, "next_pay_date": next, "pay_dates": dates}))
}

fn create_checklist(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Change, Refusal> {
    let id = arguments.text("employee_id")?;
    desk.one(&EMPLOYEE, id)?;
    let open =
        desk.word("SELECT checklist_id FROM checklists WHERE employee_id = ?1 AND status = 'open'", &[&id])?;
    desk.require(open.is_none(), || Refusal::Rule {
        noun: "employee",
        id: id.to_owned(),
        because: format!("checklist `{}` is open already", open.clone().unwrap_or_default()),
    })?;
    let systems = json!(arguments.texts("systems")).to_string();
    desk.create(
        &CHECKLIST,
        &desk.next_id("CHK")?,
        ("systems", Cell::Text(systems)),
        &[
            ("employee_id", words(id)),
            ("last_day", words(&arguments.day("last_day")?.to_string())),
            ("status", words("open")),
        ],
    )
}

fn to_employee(
    desk: &Desk<'_>,
    arguments: &Arguments<'_>,
    kind: &str,
    send_on: Option<&str>,
) -> Result<Change, Refusal> {
    let id = arguments.text("employee_id")?;
    let employee = desk.one(&EMPLOYEE, id)?;
    let usual = word_of(&employee, "email").map(str::to_owned).into_iter().collect();
    send(desk, arguments, (kind, id), send_on, usual)
}
