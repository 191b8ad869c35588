//! Tools whose arguments decide what each call does.

use serde::Serialize;

use crate::graphql;
use crate::hosts::HostPattern;
use crate::json::{Json, Values};
use crate::parameter::Language;
use crate::sql;

/// The arguments that decide, and what makes a call a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PerCall {
    arguments: Vec<(String, ByArgument)>,
}

/// What an argument must be, so that its call only reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ByArgument {
    /// A text of this language that provably reads.
    Text(Language),
    /// One or several URLs whose hosts the operator allows.
    Hosts(Vec<HostPattern>),
}

impl PerCall {
    pub(crate) fn new(arguments: Vec<(String, ByArgument)>) -> Self {
        Self { arguments }
    }

    /// The arguments that are texts of a language.
    pub(crate) fn statements(&self) -> impl Iterator<Item = (&str, Language)> {
        self.arguments.iter().filter_map(|(argument, by)| match by {
            ByArgument::Text(language) => Some((argument.as_str(), *language)),
            ByArgument::Hosts(_) => None,
        })
    }

    /// Whether a call with these arguments provably reads. One that is left out says nothing, as long as another
    /// one says something.
    pub(crate) fn reads(&self, arguments: &Values) -> bool {
        let given: Vec<bool> = self
            .arguments
            .iter()
            .filter_map(|(name, by)| arguments.get(name).map(|value| by.reads(value)))
            .collect();
        !given.is_empty() && given.into_iter().all(|reads| reads)
    }
}

impl ByArgument {
    fn reads(&self, value: &Json) -> bool {
        match (self, value) {
            (Self::Text(Language::Sql), Json::Text(text)) => sql::plainly_reads(text),
            (Self::Text(Language::Graphql), Json::Text(text)) => graphql::plainly_reads(text),
            (Self::Hosts(allowed), Json::Text(url)) => allowed.iter().any(|host| host.covers(url)),
            (Self::Text(_) | Self::Hosts(_), Json::List(several)) => {
                !several.is_empty()
                    && several.iter().all(|one| matches!(one, Json::Text(_)) && self.reads(one))
            }
            (
                Self::Text(_) | Self::Hosts(_),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::Record(_),
            ) => false,
        }
    }

    /// What a pin covers of it.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let (kind, hosts): (&str, &[HostPattern]) = match self {
            Self::Text(Language::Sql) => ("sql", &[]),
            Self::Text(Language::Graphql) => ("graphql", &[]),
            Self::Hosts(hosts) => ("hosts", hosts),
        };
        std::iter::once(kind).chain(hosts.iter().map(HostPattern::as_str))
    }
}
