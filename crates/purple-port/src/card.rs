//! The approval card: what an approver sees of a plan, as data and as plain text.
//!
//! The worker builds it from the plan and from nothing that a model wrote. Its parts are in reading order: what is
//! unusual, the effect, the reason, the evidence, the people. Every value from outside is a [`Shown`], in which no
//! character is hidden.

mod parts;
mod text;

use jiff::Timestamp;
use purple_process::{Digest, Mode, PlanHash, StepId};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

pub use parts::{
    Arithmetic, Buttons, Change, EditedField, Effect, Evidence, Headline, History, NOT_IN_THE_REQUEST, Named,
    OrderedBy, Provenance, Source, Who, Why, Yes,
};
pub use text::{TITLES, VALUE_COLUMN};

use crate::shown::Shown;

/// The version of the stored form. A card of another version is rejected.
const SCHEMA: u32 = 1;
/// Digits of the plan's hash in the id of an approval.
const APPROVAL_ID_DIGITS: usize = 20;

/// What is shown for a plan. Every decision about the plan names the digest of its card.
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

/// Everything that a card shows, by which it is built.
#[derive(Clone, Debug)]
pub struct CardParts {
    /// What the plan does, and what is unusual about it.
    pub headline: Headline,
    /// One entry per operation.
    pub effects: Vec<Effect>,
    /// The rule that decided, and the other reasons.
    pub why: Why,
    /// The figures.
    pub arithmetic: Arithmetic,
    /// What was read.
    pub evidence: Evidence,
    /// Earlier cases with the same vendor or person.
    pub history: History,
    /// Who asked, who must approve and who may not.
    pub who: Who,
    /// When approval was requested.
    pub asked_at: Timestamp,
    /// When the plan is rejected automatically.
    pub expires_at: Timestamp,
    /// The labels of the two buttons.
    pub buttons: Buttons,
    /// The plan.
    pub plan: PlanHash,
    /// The mode under which it was judged.
    pub mode: Mode,
    /// The fields that an approver changed.
    pub edited: Vec<EditedField>,
    /// The fields that an approver may change.
    pub editable: Vec<Named>,
}

fn known_schema<'de, D: Deserializer<'de>>(input: D) -> Result<u32, D::Error> {
    match u32::deserialize(input)? {
        SCHEMA => Ok(SCHEMA),
        other => Err(D::Error::custom(format_args!("a card of form {other}, and {SCHEMA} is known"))),
    }
}

impl Card {
    /// Builds a card in the current version of the stored form.
    pub fn new(parts: CardParts) -> Self {
        let CardParts {
            headline,
            effects,
            why,
            arithmetic,
            evidence,
            history,
            who,
            asked_at,
            expires_at,
            buttons,
            plan,
            mode,
            edited,
            editable,
        } = parts;
        Self {
            schema: SCHEMA,
            headline,
            effects,
            why,
            arithmetic,
            evidence,
            history,
            who,
            asked_at,
            expires_at,
            buttons,
            plan,
            mode,
            edited,
            editable,
        }
    }

    /// Adds a line to the other reasons.
    pub fn add_reason(&mut self, reason: Shown) {
        self.why.also.push(reason);
    }

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

    /// The operations that nothing in the request asks for.
    pub fn not_in_the_request(&self) -> impl Iterator<Item = &Effect> {
        self.effects.iter().filter(|effect| effect.ordered == Some(OrderedBy::Missing))
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
        let unasked = self.not_in_the_request().map(|effect| json!(effect.step.as_str())).collect();
        let edits: [(&str, Vec<Value>); 3] = [
            ("notInTheRequest", unasked),
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

/// The name of the approval of a plan: `apr_` and the first digits of its hash.
pub fn approval_id(plan: PlanHash) -> String {
    let hash = plan.to_string();
    let digits = hash.strip_prefix("sha256:").unwrap_or(&hash);
    format!("apr_{}", digits.chars().take(APPROVAL_ID_DIGITS).collect::<String>())
}
