//! Tools whose arguments decide what each call does.

use std::collections::BTreeSet;

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
    /// What the schema names. Any other argument may say something else to the server.
    declared: BTreeSet<String>,
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
    /// Judged by these arguments, of those that the schema names.
    pub(crate) fn new(arguments: Vec<(String, ByArgument)>, schema: &Json) -> Self {
        let named = match schema {
            Json::Record(fields) => match fields.get("properties") {
                Some(Json::Record(properties)) => properties.keys().cloned().collect(),
                Some(_) | None => BTreeSet::new(),
            },
            Json::List(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => BTreeSet::new(),
        };
        let own = arguments.iter().map(|(name, _)| name.clone());
        let declared = own.chain(named).collect();
        Self { arguments, declared }
    }

    /// The arguments that are texts of a language.
    pub(crate) fn statements(&self) -> impl Iterator<Item = (&str, Language)> {
        self.arguments.iter().filter_map(|(argument, by)| match by {
            ByArgument::Text(language) => Some((argument.as_str(), *language)),
            ByArgument::Hosts(_) => None,
        })
    }

    /// Whether a call with these arguments provably reads. One that is left out says nothing, as long as another
    /// one says something. One that the schema does not name proves nothing.
    pub(crate) fn reads(&self, arguments: &Values) -> bool {
        if arguments.keys().any(|name| !self.declared.contains(name)) {
            return false;
        }
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
