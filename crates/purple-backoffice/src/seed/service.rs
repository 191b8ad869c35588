//! Made-up incidents, deployments, tickets and gaps.

use super::Ground;
use super::random::Random;
use crate::office::OpenError;

const SERVICES: &[&str] = &["checkout", "billing", "search", "login", "warehouse"];

pub(super) fn put(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    incidents(ground, random)?;
    deployments(ground, random)?;
    tickets(ground, random)?;
    gaps(ground, random)
}

fn incidents(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let incident = "INSERT INTO incidents (incident_id, title, severity, status, service, card_data_involved, owner, \
                    started_on) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let alert = "INSERT INTO alerts (alert_id, incident_id, message, fired_on) VALUES (?1, ?2, ?3, ?4)";
    for number in 0..30 {
        let id = format!("INC-{}", 901 + number);
        let service = random.pick(SERVICES);
        let status = if number < 4 { "open" } else { random.pick(&["resolved", "resolved", "mitigated"]) };
        let severity = random.pick(&["p1", "p2", "p3", "p3"]);
        let card = i64::from(service == "checkout" && random.chance(50));
        let started = ground.days_ago(number)?;
        let owner = (number > 1).then(|| format!("E-{}", random.between(1002, 1010)));
        let title = format!("{service} answers slowly");
        ground.put(incident, &[&id, &title, &severity, &status, &service, &card, &owner, &started])?;
        for part in 0..random.between(1, 3) {
            let message = random.pick(&["error rate above 5 %", "latency above 2 s", "disk almost full"]);
            ground.put(alert, &[&format!("AL-{}", 4000 + number * 3 + part), &id, &message, &started])?;
        }
    }
    Ok(())
}

fn deployments(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let sql = "INSERT INTO deployments (deployment_id, service, version, status, deployed_on) VALUES (?1, ?2, ?3, ?4, ?5)";
    for (place, service) in (0_i64..).zip(SERVICES) {
        for number in 0..9 {
            let id = format!("DEP-{}", 100 + place * 10 + number);
            let status =
                if number == 0 { "live" } else { random.pick(&["superseded", "superseded", "rolled_back"]) };
            let version = format!("2.{}.{}", 40 - number, random.between(0, 9));
            ground.put(sql, &[&id, service, &version, &status, &ground.days_ago(number * 6 + 1)?])?;
        }
    }
    Ok(())
}

fn tickets(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let sql = "INSERT INTO tickets (ticket_id, title, state, assignee_id, kind, body, created) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    for number in 0..130 {
        let state = random.pick(&["new", "in_progress", "closed"]);
        let who = (state != "new").then(|| format!("E-{}", random.between(1002, 1080)));
        let title = random.pick(&["Cannot log in", "Invoice unclear", "Feature request", "Delivery late"]);
        let kind = random.pick(&["question", "problem", "request"]);
        let body = format!("{title}, says C-{}", random.between(8001, 8064));
        ground.put(
            sql,
            &[
                &format!("T-{}", 2001 + number),
                &title,
                &state,
                &who,
                &kind,
                &body,
                &ground.days_ago(random.between(0, 60))?,
            ],
        )?;
    }
    Ok(())
}

fn gaps(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let sql = "INSERT INTO compliance_gaps (gap_id, control, subject, owner, due_on, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for number in 0..18 {
        let control = random.pick(&["KYC-4", "PCI-12.10", "SOX-404", "GDPR-30"]);
        ground.put(
            sql,
            &[
                &format!("GAP-{}", 100 + number),
                &control,
                &format!("C-{}", random.between(8001, 8064)),
                &format!("E-{}", random.between(1002, 1080)),
                &ground.days_ago(-random.between(5, 90))?,
                &random.pick(&["open", "mended"]),
            ],
        )?;
    }
    Ok(())
}
