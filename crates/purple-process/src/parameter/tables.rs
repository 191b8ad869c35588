//! The words of parameters that may carry more than a value: tables, no logic.

/// Verbs of tools whose parameters say which of many are meant.
pub(super) const LISTS: &[&str] = &["count", "find", "list", "search"];
/// What says what else a record may hold, or may not.
pub(super) const OPEN: &[&str] = &["additionalProperties", "patternProperties", "unevaluatedProperties"];
/// References that only a validator can follow.
pub(super) const DYNAMIC: &[&str] = &["$dynamicRef", "$recursiveRef"];
/// What makes a schema one of records.
pub(super) const RECORDS: &[&str] = &[
    "properties",
    "additionalProperties",
    "patternProperties",
    "unevaluatedProperties",
    "dependentSchemas",
    "if",
];
/// Last words of parameters that name a thing instead of holding one.
pub(super) const IDENTIFIERS: &[&str] = &[
    "id", "ids", "iid", "iids", "uuid", "guid", "number", "count", "limit", "type", "types", "status",
    "state", "language", "date", "slug", "size", "cursor", "token", "version",
];
pub(super) const ADDRESSES: &[&str] = &[
    "url",
    "uri",
    "iri",
    "href",
    "webhook",
    "endpoint",
    "host",
    "hostname",
    "callback",
    "dsn",
    "connection",
    "proxy",
];
pub(super) const BODIES: &[&str] = &["body", "payload", "raw", "headers"];
pub(super) const PROGRAMS: &[&str] = &[
    "script",
    "expression",
    "command",
    "cmd",
    "statement",
    "program",
    "pipeline",
    "aggregation",
    "macro",
    "lambda",
    "mutation",
    "eval",
    "instruction",
    "template",
    "manifest",
];
pub(super) const QUERIES: &[&str] = &["query", "queries", "prompt", "formula", "action", "operation"];
/// What a description calls a text in a language.
pub(super) const STATEMENTS: &[&str] =
    &["query", "statement", "expression", "script", "code", "filter", "syntax", "clause"];
/// Languages whose texts can change something.
pub(super) const PROGRAM_LANGUAGES: &[&str] = &[
    "cypher",
    "gremlin",
    "sparql",
    "cql",
    "flux",
    "spl",
    "aql",
    "hql",
    "python",
    "javascript",
    "typescript",
    "powershell",
    "bash",
    "shell",
    "jsonata",
    "groovy",
    "lua",
    "apex",
    "xquery",
    "pipeline",
    "aggregation",
    "abap",
];
/// Languages whose texts only select.
pub(super) const SELECTION_LANGUAGES: &[&str] = &[
    "soql", "sosl", "jql", "kql", "lucene", "xpath", "jsonpath", "jmespath", "odata", "promql", "logql",
    "dsl",
];
/// Parameters that choose what a tool does.
pub(super) const ACTIONS: &[&str] =
    &["action", "operation", "mode", "command", "subcommand", "sub", "method", "verb", "op"];
pub(super) const OUTPUTS: &[&str] =
    &["output", "out", "save", "dest", "destination", "export", "download", "dump", "target"];
pub(super) const PLACES: &[&str] =
    &["dir", "directory", "directories", "file", "filename", "path", "folder", "location", "disk"];
pub(super) const SAVES: &[&str] =
    &["save", "saves", "saved", "write", "writes", "written", "store", "stored", "exported"];
