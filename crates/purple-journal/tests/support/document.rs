//! The page `docs/spec/journal-records.md`, made from the declarations of the records.

use std::fmt::Write as _;

use purple_journal::{Kind, Record};

pub(crate) fn page() -> String {
    let mut out = String::from(
        "# Journal records\n\n\
         Every kind of record, with the members of `data`. The envelope, the chain and the canonical form are in \
         [audit-journal.md](audit-journal.md).\n\
         A kind that exists is frozen: its members keep their names, types and spelling, and new information gets a new kind or \
         an optional member.\n\
         A record of a kind or form that a version does not know is displayed and carried as it is.\n\
         `Redacted` and `RedactedJson` hold text from outside with secrets masked. `BlobHash` is the SHA-256 of a blob's bytes.\n\n\
         This page is generated: `cargo run -p purple-journal --example records_page -- --write`.\n",
    );
    for (family, kinds) in Record::FAMILIES {
        let _ = write!(out, "\n## {family}\n");
        for kind in kinds {
            out.push_str(&section(kind));
        }
    }
    out
}

fn section(kind: &Kind) -> String {
    let mut out = format!("\n### `{}`\n\n{}\n", kind.name, kind.meaning.trim());
    if kind.fields.is_empty() {
        out.push_str("\nIt has no members.\n");
        return out;
    }
    out.push_str("\n| member | type | meaning |\n|---|---|---|\n");
    for field in kind.fields {
        let name = field.name.trim_start_matches("r#");
        let inner = field.rust_type.strip_prefix("Option<").and_then(|rest| rest.strip_suffix('>'));
        let rust_type = match (inner, field.is_optional) {
            (Some(inner), true) => format!("`{inner}`, optional"),
            (Some(inner), false) => format!("`{inner}` or null"),
            (None, _) => format!("`{}`", field.rust_type),
        };
        let _ = writeln!(out, "| `{name}` | {rust_type} | {} |", field.meaning.trim());
    }
    out
}
