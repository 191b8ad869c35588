//! Manifests that ship with the program: the effects of tools of known servers, reviewed at a version.
//!
//! A server cannot claim one: the operator names it in `servers.NAME.manifest`. An entry holds for exactly the
//! definition that was reviewed: neither another version of the server is covered, as far as it tells its version, nor
//! a tool that it describes otherwise.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use purple_process::{Digest, Effect};
use serde::Deserialize;

use crate::port::Definition;

/// The reviewed tools of one server.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shipped {
    /// The name that the operator gives: `mcp-server-git`.
    pub name: String,
    /// Where the server comes from: `pypi:mcp-server-git`.
    pub package: String,
    /// The version at which it was run and reviewed.
    pub version: String,
    /// The version that the server gave itself then, if it gives one. Another one is not covered.
    pub reports: Option<String>,
    /// By the name that the server gives each tool.
    pub tools: BTreeMap<String, ShippedTool>,
}

/// One reviewed tool.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedTool {
    /// Its effect.
    pub effect: Effect,
    /// The argument whose SQL decides the effect of each call.
    pub sql: Option<String>,
    /// The digest of the definition that was reviewed.
    pub definition: Digest,
}

impl Shipped {
    /// Every shipped manifest, by name.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Shipped>> = LazyLock::new(|| {
            // A test reads every file; one that cannot be read covers nothing.
            FILES.iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
        });
        &ALL
    }

    /// The manifest of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|shipped| shipped.name == name)
    }

    /// What was reviewed of a tool, if it is described as it was then.
    pub(crate) fn about(&self, definition: &Definition) -> Option<&ShippedTool> {
        let reviewed = self.tools.get(definition.own_name())?;
        let version = self.reports.is_none() || self.reports == definition.version;
        (version && reviewed.definition == definition.offer_digest()).then_some(reviewed)
    }
}

/// The files, sorted by name.
const FILES: &[&str] = &[
    include_str!("../manifests/dbhub.json"),
    include_str!("../manifests/demo-company.json"),
    include_str!("../manifests/excel-mcp-server.json"),
    include_str!("../manifests/mcp-server-fetch.json"),
    include_str!("../manifests/mcp-server-git.json"),
    include_str!("../manifests/mcp-server-sqlite.json"),
    include_str!("../manifests/mcp-server-time.json"),
    include_str!("../manifests/server-everything.json"),
    include_str!("../manifests/server-filesystem.json"),
    include_str!("../manifests/server-memory.json"),
];

#[cfg(test)]
#[path = "shipped_tests.rs"]
mod tests;
