//! Incidents, the alerts that announced them, and what was deployed before.

use serde_json::{Value, json};

use crate::desk::words;
use crate::paging::{Filter, LIMIT, OFFSET, Style, page};
use crate::parameter::{Form, Parameter, may, needs};
use crate::record::{Record, flag, text};
use crate::tool::{Hints, Tool};
use crate::tools::post::{TO, send};

static INCIDENT: Record = Record::new(
    "incident",
    ["incidents", "incident_id"],
    &[
        text("incident_id"),
        text("title"),
        text("severity"),
        text("status"),
        text("service"),
        flag("card_data_involved"),
        text("owner"),
        text("started_on"),
    ],
);

static ALERT: Record = Record::new(
    "alert",
    ["alerts", "alert_id"],
    &[text("alert_id"), text("incident_id"), text("message"), text("fired_on")],
);

static DEPLOYMENT: Record = Record::new(
    "deployment",
    ["deployments", "deployment_id"],
    &[text("deployment_id"), text("service"), text("version"), text("status"), text("deployed_on")],
);

const ID: Parameter = needs("incident_id", Form::Text, "id of the incident, such as INC-901");
const STATUSES: &[&str] = &["open", "mitigated", "resolved"];

pub(super) const TOOLS: &[Tool] = &[
    Tool::read("incident", ["get_incident", "Gets one incident."], &[ID], |desk, arguments| {
        Ok(Value::Object(desk.one(&INCIDENT, arguments.text("incident_id")?)?))
    })
    .hints(Hints::ReadOnly)
    .answers(&INCIDENT),
    Tool::read(
        "incident",
        ["list_incidents", "Lists incidents (`offset`, `limit`)."],
        &[may("status", Form::OneOf(STATUSES), "only these"), OFFSET, LIMIT],
        |desk, arguments| {
            let filter = Filter::default().by("status", arguments.maybe_text("status"));
            page(desk, (&INCIDENT, "incidents"), filter, arguments, Style::Offset)
        },
    ),
    Tool::read("incident", ["get_alerts", "Gets the alerts of an incident."], &[ID], |desk, arguments| {
        let id = arguments.text("incident_id")?;
        desk.one(&INCIDENT, id)?;
        Ok(json!({"alerts": desk.rows(&ALERT, "WHERE incident_id = ?1 ORDER BY alert_id", &[&id])?}))
    }),
    Tool::read(
        "deployment",
        ["list_deployments", "Lists what was deployed to a service."],
        &[needs("service", Form::Text, "name of the service")],
        |desk, arguments| {
            let service = arguments.text("service")?;
            let condition = "WHERE service = ?1 ORDER BY deployed_on DESC, deployment_id DESC LIMIT 20";
            Ok(json!({"deployments": desk.rows(&DEPLOYMENT, condition, &[&service])?}))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "deployment",
        ["get_deployment", "Gets one deployment."],
        &[needs("deployment_id", Form::Text, "id of the deployment")],
        |desk, arguments| Ok(Value::Object(desk.one(&DEPLOYMENT, arguments.text("deployment_id")?)?)),
    )
    .answers(&DEPLOYMENT),
    Tool::effect(
        "incident",
        ["update_incident_status", "Moves an incident on."],
        &[ID, needs("status", Form::OneOf(STATUSES), "the new status")],
        |desk, arguments| {
            let status = words(arguments.text("status")?);
            desk.change(
                &INCIDENT,
                arguments.text("incident_id")?,
                &["open", "mitigated"],
                ("status", status),
                &[],
            )
        },
    )
    .hints(Hints::Repeatable),
    Tool::effect(
        "incident",
        ["assign_incident", "Makes somebody responsible for an incident."],
        &[ID, needs("owner", Form::Text, "id of the employee")],
        |desk, arguments| {
            let (id, owner) = (arguments.text("incident_id")?, arguments.text("owner")?);
            desk.one(&crate::tools::people::EMPLOYEE, owner)?;
            desk.change(&INCIDENT, id, &["open", "mitigated"], ("owner", words(owner)), &[])
        },
    ),
    Tool::effect(
        "deployment",
        ["rollback_deployment", "Takes a deployment back; the version before it runs again."],
        &[needs("deployment_id", Form::Text, "id of the deployment")],
        |desk, arguments| {
            let id = arguments.text("deployment_id")?;
            desk.change(&DEPLOYMENT, id, &["live"], ("status", words("rolled_back")), &[])
        },
    )
    .hints(Hints::Destructive),
    Tool::effect(
        "message",
        ["send_status_update", "Tells the people who follow an incident how it stands."],
        &[ID, needs("text", Form::Text, "what to tell"), TO],
        |desk, arguments| {
            let id = arguments.text("incident_id")?;
            desk.one(&INCIDENT, id)?;
            send(desk, arguments, ("status_update", id), None, vec!["incident_followers".to_owned()])
        },
    ),
];
