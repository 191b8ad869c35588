//! The card: what an approver sees, made by our code from the plan and from nothing that a model wrote.
//!
//! Its parts stand in the order in which they are read: what is unusual, the effect, the reason, the proof, the people.
//! Every value from outside is a [`Shown`](crate::Shown): no renderer can show one in which something hides.

mod build;
mod parts;
mod text;

use jiff::Timestamp;
use purple_process::{Digest, Mode, PlanHash, StepId};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

pub use build::{CardFacts, EvidenceLine, Exclusions};
pub use parts::{
    Arithmetic, Buttons, Change, EditedField, Effect, Evidence, Headline, History, Named, Provenance, Source,
    Who, Why, Yes,
};
pub(crate) use text::TITLES;

/// The form of a stored card. A card of another form is refused, not guessed.
const SCHEMA: u32 = 1;
/// Digits of the plan's hash in the id of an approval.
const APPROVAL_ID_DIGITS: usize = 20;

/// What is shown for a plan. Its digest is in every decision about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    #[serde(deserialize_with = "known_schema")]
    schema: u32,
    headline: Headline,
    effects: Vec<Effect>,
    why: Why,
    arithmetic: Arithmetic,
    evidence: Evidence,
    history: History,
    who: Who,
    asked_at: Timestamp,
    expires_at: Timestamp,
    buttons: Buttons,
    plan: PlanHash,
    mode: Mode,
    /// What an approver changed. Earlier cards have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    edited: Vec<EditedField>,
    /// What an approver may change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    editable: Vec<Named>,
}

fn known_schema<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    match u32::deserialize(input)? {
        SCHEMA => Ok(SCHEMA),
        other => Err(D::Error::custom(format_args!("a card of form {other}, and {SCHEMA} is known"))),
    }
}

impl Card {
    /// The steps of the plan, in order.
    pub fn steps(&self) -> Vec<StepId> {
        self.effects.iter().map(|effect| effect.step.clone()).collect()
    }

    /// What it does, and what is unusual about it.
    pub fn headline(&self) -> &Headline {
        &self.headline
    }

    /// One row for each operation.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// The rule that decided, and what else was said.
    pub fn why(&self) -> &Why {
        &self.why
    }

    /// The figures.
    pub fn arithmetic(&self) -> &Arithmetic {
        &self.arithmetic
    }

    /// What was read.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What was done before with the same vendor or person.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Who asked, who must say yes and who may not.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// Since when it waits.
    pub fn asked_at(&self) -> Timestamp {
        self.asked_at
    }

    /// When waiting ends with a no.
    pub fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    /// The words of the two buttons.
    pub fn buttons(&self) -> &Buttons {
        &self.buttons
    }

    /// The plan that is approved.
    pub fn plan(&self) -> PlanHash {
        self.plan
    }

    /// The mode under which it was judged.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The fields that an approver changed, with what was computed.
    pub fn edited(&self) -> &[EditedField] {
        &self.edited
    }

    /// The fields that an approver may change, with their values now.
    pub fn editable(&self) -> &[Named] {
        &self.editable
    }

    /// The name of this approval: `apr_` and the first digits of the plan's hash.
    pub fn approval_id(&self) -> String {
        approval_id(self.plan)
    }

    /// The one form in which it is stored and hashed.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Fields are written in the order of their declaration, and a card holds nothing that JSON cannot.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The digest of what was shown.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_bytes())
    }

    /// The card for terminals and plain text: aligned, without colour, every value from outside right of one column.
    pub fn to_text(&self, width: usize) -> String {
        text::render(self, width)
    }

    /// The card as the data part of a message: what a program needs to show it and to answer it.
    pub fn operations_data(&self) -> Value {
        let operations: Vec<Value> = self.effects.iter().map(Effect::to_data).collect();
        let mut data = json!({
            "approvalId": self.approval_id(),
            "planHash": self.plan.to_string(),
            "operations": operations,
            "expiresAt": self.expires_at.to_string(),
            "options": [
                {"id": "approve", "label": self.buttons.approve.as_str()},
                {"id": "reject", "label": self.buttons.decline.as_str()},
            ],
        });
        let edits: [(&str, Vec<Value>); 2] = [
            ("edited", self.edited.iter().map(EditedField::to_data).collect()),
            ("editable", self.editable.iter().map(Named::to_data).collect()),
        ];
        if let Some(fields) = data.as_object_mut() {
            let some = edits.into_iter().filter(|(_, list)| !list.is_empty());
            fields.extend(some.map(|(name, list)| (name.to_owned(), list.into())));
        }
        data
    }
}

/// The name of the approval of a plan.
pub(crate) fn approval_id(plan: PlanHash) -> String {
    let hash = plan.to_string();
    let digits = hash.strip_prefix("sha256:").unwrap_or(&hash);
    format!("apr_{}", digits.chars().take(APPROVAL_ID_DIGITS).collect::<String>())
}

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;
