//! The tools of a set-up as people see them: what each does, why we think so, and how a write of it is read back.

use purple_journal::Redacted;
use purple_process::{Annotations, Class, DecidedBy, Digest, Language, ToolName};
use serde::Serialize;

use crate::execute::catalogue::{Catalogue, Manifest};
use crate::port::{KeyPlace, Listing};

/// One tool with its effect and the reason for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolRow {
    /// Its name here.
    pub name: ToolName,
    /// The server that offers it.
    pub server: String,
    /// The name that its server gives it.
    pub tool: ToolName,
    /// What it does to the world, as far as that is known.
    pub effect: Class,
    /// What decided that.
    pub decided_by: DecidedBy,
    /// Why, in a sentence.
    pub reason: String,
    /// The arguments whose statements decide each call.
    pub statements: Vec<Statement>,
    /// The server's own hints.
    pub annotations: Annotations,
    /// What the server says that it does.
    pub description: Redacted,
    /// The digest of the schema of its arguments.
    pub schema: Digest,
    /// Everything that its server says about it in one digest; what `tools.SERVER.NAME.pin` holds.
    pub pin: Digest,
    /// The same without the name of the server; what a shipped manifest covers.
    pub definition: Digest,
    /// Why it is not called, if it is not as the operator pinned it.
    pub quarantined: Option<String>,
    /// Where it takes the key of an operation.
    pub key: Option<KeyPlace>,
    /// The tool that would read back a write of it, where no process file names one.
    pub read_back: Option<ToolName>,
}

/// An argument that takes a statement, of which only what provably reads is a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// The argument.
    pub argument: String,
    /// Its language.
    pub language: Language,
}

/// Everything that is offered, with effects decided by the operator's manifest; and what was left out.
pub fn toolbox(listing: Listing, manifest: &Manifest) -> (Vec<ToolRow>, Vec<String>) {
    let catalogue = Catalogue::new(listing, manifest);
    let rows = catalogue
        .iter()
        .map(|known| ToolRow {
            name: known.tool.name().clone(),
            server: known.definition.server.clone(),
            tool: ToolName::parse(known.definition.own_name()).unwrap_or_else(|_| known.name().clone()),
            effect: known.tool.class(),
            decided_by: known.tool.decided_by(),
            reason: known.tool.reason().to_owned(),
            statements: known
                .tool
                .statements()
                .map(|(argument, language)| Statement { argument: argument.to_owned(), language })
                .collect(),
            annotations: known.definition.annotations,
            description: known.definition.description.redacted(),
            schema: Digest::of(known.definition.input_schema.to_string().as_bytes()),
            pin: known.definition.digest(),
            definition: known.definition.offer_digest(),
            quarantined: known.quarantined.clone(),
            key: known.key.clone(),
            read_back: catalogue.read_back_for(known).map(|back| back.tool.tool.name().clone()),
        })
        .collect();
    (rows, catalogue.left_out().to_vec())
}
