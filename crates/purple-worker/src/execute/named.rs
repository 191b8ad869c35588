//! Whether the records of a case hold the names that an order uses: "Approve invoice 7 from Acme", "Ask Tom to approve it".

use std::collections::BTreeSet;

use purple_intent::Cover;
use purple_process::is_free_text;
use serde_json::Value;

use crate::dossier::Opened;
use crate::execute::close::Left;
use crate::execute::prepare::figures;
use crate::port::BlobHash;
use crate::prime::choose::Fit;
use crate::run::{Phase, Run};

impl Run<'_> {
    /// What is left where an order names somebody or something that no record of the case holds. Such a name can be of
    /// another record or of whoever is to do it. What the requester confirmed is not compared.
    pub(crate) fn misnamed(
        &self,
        text: &str,
        fit: &Fit<'_>,
        opened: &Opened,
        case_hash: BlobHash,
    ) -> Phase<Option<Left>> {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let Cover::Covered { names, .. } = fit.cover(text, &setting) else { return Ok(None) };
        if names.is_empty() || self.session.confirmed.is_some() {
            return Ok(None);
        }
        let mut held = BTreeSet::new();
        let answers = opened.dossier.reads.iter().filter_map(|read| read.answers.as_ref().ok());
        answers.flatten().for_each(|answer| collect(answer, &mut held));
        let unknown: Vec<String> = names.into_iter().filter(|name| !held.contains(name)).collect();
        if unknown.is_empty() {
            return Ok(None);
        }
        let sentence = format!(
            "Nothing was changed. The words name `{}`, and no record of this case holds that. Say it again without the \
             name, or with the right one.",
            unknown.join("`, `")
        );
        Ok(Some(Left {
            case: Some(case_hash),
            sentences: vec![sentence],
            code: Some("order.differs".to_owned()),
            figures: figures(opened)?,
            ..Left::default()
        }))
    }
}

/// The words of single values, in lower case. What anybody may write, and what is one of a list, names nothing.
fn collect(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
            into.extend(words.map(str::to_lowercase));
        }
        Value::Object(fields) => {
            let structured = fields.iter().filter(|(name, _)| !is_free_text(name));
            structured.for_each(|(_, field)| collect(field, into));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
    }
}
