//! Records of the operator journal in plain words.

use purple_journal::record::operator::{Operator, TokenCreated, ToolPinned};
use purple_journal::word::{DefinitionKind, SettingChange};
use purple_journal::{Record, Redacted};

/// How many changed settings one line names.
const SETTINGS_SHOWN_MAX: usize = 6;

/// Who made the change, where the record states it.
pub(crate) fn operator_by(record: &Record) -> Option<&Redacted> {
    let Record::Operator(operator) = record else { return None };
    match operator {
        Operator::TokenCreated(created) => created.by.as_ref(),
        Operator::TokenRevoked(revoked) => revoked.by.as_ref(),
        Operator::HaltSet(set) => Some(&set.by),
        Operator::HaltLifted(lifted) => lifted.by.as_ref(),
        Operator::DefinitionSigned(signed) => Some(&signed.by),
        Operator::ConfigurationChanged(changed) => changed.by.as_ref(),
        Operator::ToolPinned(pinned) => Some(&pinned.by),
        Operator::DefinitionStored(_)
        | Operator::DefinitionQuarantined(_)
        | Operator::DefinitionRemoved(_)
        | Operator::Began(_)
        | Operator::RowAdopted(_) => None,
    }
}

/// What was changed.
pub(crate) fn operator_text(record: &Record) -> String {
    let Record::Operator(operator) = record else {
        return format!("record of the kind `{}`, which this version cannot read", record.kind());
    };
    match operator {
        Operator::TokenCreated(created) => token(created),
        Operator::TokenRevoked(revoked) => format!("token `{}` revoked", revoked.id),
        Operator::HaltSet(set) => format!("{} halted: {}", scope(set.process.as_ref()), set.reason),
        Operator::HaltLifted(lifted) => format!("halt of {} lifted", scope(lifted.process.as_ref())),
        Operator::DefinitionStored(new) => definition(new.definition, &new.name, "stored"),
        Operator::DefinitionSigned(new) => definition(new.definition, &new.name, "signed"),
        Operator::DefinitionQuarantined(new) => {
            format!("{}: {}", definition(new.definition, &new.name, "quarantined"), new.why)
        }
        Operator::DefinitionRemoved(gone) => definition(gone.definition, &gone.name, "removed"),
        Operator::ConfigurationChanged(changed) => settings(&changed.changed),
        Operator::ToolPinned(pinned) => pin(pinned),
        Operator::Began(_) => "operator journal began".to_owned(),
        Operator::RowAdopted(row) => format!("existing row `{}` of `{}` taken over", row.name, row.table),
    }
}

fn token(created: &TokenCreated) -> String {
    let TokenCreated { id, person, roles, groups, until, .. } = created;
    let mut text = format!("token `{id}` created for {person}: {}", listed(roles));
    if !groups.is_empty() {
        text.push_str(&format!("; decides as {}", listed(groups)));
    }
    if let Some(until) = until {
        text.push_str(&format!("; until {until:.0}"));
    }
    text
}

fn listed(texts: &[Redacted]) -> String {
    texts.iter().map(Redacted::as_str).collect::<Vec<_>>().join(", ")
}

fn scope(process: Option<&Redacted>) -> String {
    process.map_or_else(|| "all operations".to_owned(), |name| format!("operations of `{name}`"))
}

fn definition(kind: DefinitionKind, name: &Redacted, change: &str) -> String {
    format!("{} `{name}` {change}", kind.word())
}

fn pin(pinned: &ToolPinned) -> String {
    let ToolPinned { server, tool, digest, effect, .. } = pinned;
    let effect = effect.map_or_else(String::new, |effect| format!(", effect {effect}"));
    format!("tool `{tool}` of server `{server}` pinned: {digest}{effect}")
}

fn settings(changed: &[SettingChange]) -> String {
    let one = |SettingChange { key, value }: &SettingChange| match value {
        Some(value) => format!("{key} = {value}"),
        None => format!("{key} not set"),
    };
    let shown: Vec<String> = changed.iter().take(SETTINGS_SHOWN_MAX).map(one).collect();
    let more = match changed.len().saturating_sub(SETTINGS_SHOWN_MAX) {
        0 => String::new(),
        more => format!("; {more} more with `--json`"),
    };
    format!("settings changed: {}{more}", shown.join("; "))
}
