//! What a run is started with: goal, conversation so far, plan, tools, limits.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::{BadSchema, DEPTH_MAX, Schema, check_depth, is_too_deep};
use crate::limits::Limits;
use crate::model::{Message, Sampling, ToolDefinition};
use crate::planner::{Deciding, Outline, Planning};
use crate::tools::{BadTool, check_definition};

/// What a run is started with. Plain data; the same for the whole run.
///
/// [`Setup::new`] is the run without ceremony: the plan is the goal, the policy decides, the answer is the
/// model's last text. Change what should be otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// What the run is for. INTAKE trims it and makes its line ends plain.
    pub goal: String,
    /// Standing instructions; sent first with every request.
    pub system: Option<String>,
    /// What was said before this run. Every call in it has its result.
    pub transcript: Vec<Message>,
    /// How the conversation goes on from there.
    pub opening: Opening,
    /// Where the plan comes from.
    pub planning: Planning,
    /// Who decides after the plan.
    pub deciding: Deciding,
    /// Where the answer comes from.
    pub finishing: Finishing,
    /// What the model may call in EXECUTE.
    pub tools: Vec<ToolDefinition>,
    /// How the model chooses its words.
    pub sampling: Sampling,
    /// What the run may use.
    pub limits: Limits,
    /// Whatever the caller wants to find in the state.
    pub data: BTreeMap<String, Value>,
}

/// How the conversation goes on after the earlier messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Opening {
    /// With the goal, as the user's words.
    Goal,
    /// As it stands: the transcript holds everything, for example the results of what was done meanwhile.
    Transcript,
}

/// Where the answer comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finishing {
    /// From the model's last text; no further call.
    LastText,
    /// From one more model call without tools.
    Summary {
        /// What the model is told.
        prompt: String,
    },
}

impl Setup {
    /// The largest goal, in bytes.
    pub const GOAL_BYTES_MAX: usize = 256 * 1024;

    /// A run without ceremony towards `goal`.
    pub fn new(goal: impl Into<String>) -> Self {
        let goal = normalised(&goal.into());
        Self {
            system: None,
            transcript: Vec::new(),
            opening: Opening::Goal,
            planning: Planning::Given(Outline::of_goal(goal.clone())),
            deciding: Deciding::Rule,
            finishing: Finishing::LastText,
            tools: Vec::new(),
            sampling: Sampling::default(),
            limits: Limits::DEFAULT,
            data: BTreeMap::new(),
            goal,
        }
    }

    /// INTAKE: normalises the goal and refuses what could not be run or stored.
    pub(crate) fn intake(mut self) -> Result<Self, BadSetup> {
        self.goal = normalised(&self.goal);
        self.check()?;
        self.check_plan_schema()?;
        self.check_transcript()?;
        Ok(self)
    }

    /// Compiles the schema of the plan. A run that has its plan already does not pay for this when it is loaded.
    pub(crate) fn check_plan_schema(&self) -> Result<(), BadSetup> {
        match &self.planning {
            Planning::Model { schema, .. } => {
                Schema::compile(schema)?;
                Ok(())
            }
            Planning::Given(_) => Ok(()),
        }
    }

    /// Everything but the plan's schema and the transcript, which a started run has moved into its conversation.
    pub(crate) fn check(&self) -> Result<(), BadSetup> {
        if self.goal.is_empty() || self.goal != normalised(&self.goal) {
            return Err(BadSetup::EmptyGoal);
        }
        if self.goal.len() > Self::GOAL_BYTES_MAX {
            return Err(BadSetup::GoalTooLarge { bytes: self.goal.len(), bytes_max: Self::GOAL_BYTES_MAX });
        }
        if let Some(limit) = self.limits.zero() {
            return Err(BadSetup::ZeroLimit { limit });
        }
        self.check_tools()?;
        match &self.planning {
            Planning::Model { schema, .. } => check_depth(schema)?,
            Planning::Given(outline) if is_too_deep(&outline.raw) => return Err(too_deep("the plan")),
            Planning::Given(_) => {}
        }
        check_data(&self.data)
    }

    fn check_tools(&self) -> Result<(), BadSetup> {
        for (nth, tool) in self.tools.iter().enumerate() {
            check_definition(tool)?;
            if self.tools.iter().take(nth).any(|earlier| earlier.name == tool.name) {
                return Err(BadTool::Twice { name: tool.name.clone() }.into());
            }
        }
        Ok(())
    }

    fn check_transcript(&self) -> Result<(), BadSetup> {
        let messages = self.transcript.len();
        if messages == 0 && self.opening == Opening::Transcript {
            return Err(BadSetup::NothingSaid);
        }
        if u32::try_from(messages).map_or(true, |messages| messages >= self.limits.messages_max) {
            return Err(BadSetup::TranscriptTooLong { messages, messages_max: self.limits.messages_max });
        }
        match unanswered(&self.transcript) {
            Ok(open) if open.is_empty() => {}
            Ok(open) => return Err(BadSetup::OpenCall { call_id: open.join("`, `") }),
            Err(call_id) => return Err(BadSetup::StrayResult { call_id }),
        }
        if self.transcript.iter().any(is_message_too_deep) {
            return Err(too_deep("the transcript"));
        }
        Ok(())
    }
}

/// Refuses the caller's data where it could not be stored.
pub(crate) fn check_data(data: &BTreeMap<String, Value>) -> Result<(), BadSetup> {
    match data.iter().find(|(_, value)| is_too_deep(value)) {
        Some((name, _)) => Err(too_deep(name)),
        None => Ok(()),
    }
}

fn is_message_too_deep(message: &Message) -> bool {
    match message {
        Message::Assistant { calls, keepsake, .. } => {
            calls.iter().map(|call| &call.arguments).chain(keepsake).any(is_too_deep)
        }
        Message::System { .. } | Message::User { .. } | Message::Tool { .. } => false,
    }
}

/// The calls at the end of a conversation that have no result yet, in order.
///
/// Results must follow their calls at once and in order: providers refuse anything else.
/// The error names a message's call that breaks this.
pub(crate) fn unanswered(messages: &[Message]) -> Result<Vec<&str>, String> {
    let mut open: VecDeque<&str> = VecDeque::new();
    for message in messages {
        match message {
            Message::Tool { call_id, .. } => {
                if open.pop_front() != Some(call_id) {
                    return Err(call_id.clone());
                }
            }
            Message::System { .. } | Message::User { .. } | Message::Assistant { .. } => {
                if let Some(left) = open.front() {
                    return Err((*left).to_owned());
                }
                if let Message::Assistant { calls, .. } = message {
                    open.extend(calls.iter().map(|call| call.id.as_str()));
                }
            }
        }
    }
    Ok(open.into())
}

fn normalised(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

fn too_deep(what: &str) -> BadSetup {
    BadSetup::TooDeep { what: what.to_owned(), depth_max: DEPTH_MAX }
}

/// A run that cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetup {
    /// There is no goal.
    #[error("the goal is empty")]
    EmptyGoal,
    /// The goal is too large.
    #[error("the goal has {bytes} bytes, and {bytes_max} are allowed")]
    GoalTooLarge {
        /// What it has.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// A limit is zero, so that nothing could happen.
    #[error("the limit `{limit}` is zero")]
    ZeroLimit {
        /// Which.
        limit: &'static str,
    },
    /// The conversation is to go on as it stands, but there is none.
    #[error("the transcript is empty, and the opening adds nothing to it")]
    NothingSaid,
    /// The earlier messages leave no room.
    #[error("the transcript has {messages} messages, and fewer than {messages_max} are allowed")]
    TranscriptTooLong {
        /// What it has.
        messages: usize,
        /// The limit.
        messages_max: u32,
    },
    /// Earlier calls have no result.
    #[error("the transcript ends before the calls `{call_id}` have their results")]
    OpenCall {
        /// Which.
        call_id: String,
    },
    /// A result does not follow its call, or a call's result does not follow it.
    #[error("calls and results are out of order in the transcript at `{call_id}`")]
    StrayResult {
        /// Which.
        call_id: String,
    },
    /// A tool cannot be offered.
    #[error(transparent)]
    Tool(#[from] BadTool),
    /// The schema of the plan cannot be used.
    #[error("the schema of the plan: {0}")]
    PlanSchema(#[from] BadSchema),
    /// A value is nested too deep to be stored.
    #[error("{what} is nested deeper than {depth_max} levels")]
    TooDeep {
        /// Which.
        what: String,
        /// The limit.
        depth_max: usize,
    },
}
