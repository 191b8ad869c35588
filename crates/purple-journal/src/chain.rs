//! The hash chain: each entry names the hash of the one before it.
//!
//! `hash = SHA-256({"entry":…,"prev":"sha256:…","seq":n,"session":"…"})`, all of it canonical JSON. The stored text
//! of an entry goes into the hash as it is, so that no byte of it can change unseen.

use purple_process::{Digest, SessionId};

use crate::canonical::write_text;
use crate::{Entry, Recorded};

/// Whose journal a chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain<'a> {
    /// The journal of a run.
    Run(&'a SessionId),
    /// The journal of the operators. Its name has a space, which no run's id can have.
    Operators,
}

impl Chain<'_> {
    /// The name in the `session` member of its entries.
    pub fn name(&self) -> &str {
        match self {
            Self::Run(run) => run.as_str(),
            Self::Operators => "operator journal",
        }
    }
}

/// The end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of entries.
    pub seq: u64,
    /// The hash of the last one.
    pub hash: Digest,
}

impl Head {
    /// The chain before its first entry.
    pub fn empty(chain: Chain<'_>) -> Self {
        Self { seq: 0, hash: Digest::of(chain.name().as_bytes()) }
    }

    /// The head after an entry with this canonical text.
    #[must_use]
    pub fn after(&self, chain: Chain<'_>, text: &str) -> Self {
        let seq = self.seq.saturating_add(1);
        let object = object(chain, seq, &self.hash, None, text);
        Self { seq, hash: Digest::of(object.as_bytes()) }
    }
}

/// The line of an export: the object that is hashed, with its hash.
pub fn line(chain: Chain<'_>, seq: u64, prev: &Digest, hash: &Digest, text: &str) -> String {
    object(chain, seq, prev, Some(hash), text)
}

fn object(chain: Chain<'_>, seq: u64, prev: &Digest, hash: Option<&Digest>, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    out.push_str("{\"entry\":");
    out.push_str(text);
    if let Some(hash) = hash {
        out.push_str(",\"hash\":\"");
        out.push_str(&hash.to_string());
        out.push('"');
    }
    out.push_str(",\"prev\":\"");
    out.push_str(&prev.to_string());
    out.push_str("\",\"seq\":");
    out.push_str(&seq.to_string());
    out.push_str(",\"session\":");
    write_text(chain.name(), &mut out);
    out.push('}');
    out
}

/// An entry that was sealed but perhaps not committed yet.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its place and hash.
    pub head: Head,
    /// The hash before it.
    pub prev: Digest,
    /// Its canonical text.
    pub text: String,
}

impl Link {
    /// Seals an entry behind `head`.
    pub fn behind(head: &Head, chain: Chain<'_>, text: String) -> Self {
        Self { head: head.after(chain, &text), prev: head.hash, text }
    }

    /// The entry for readers. `None` if the text is no entry.
    pub fn recorded(&self, session: &SessionId) -> Option<Recorded> {
        let entry = Entry::parse(&self.text).ok()?;
        let Head { seq, hash } = self.head;
        Some(Recorded { session: session.clone(), seq, prev: self.prev, hash, entry })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hand from docs/spec/audit-journal.md. If these change, no existing journal verifies any more.
    #[test]
    fn the_hashes_of_existing_journals_stay_what_they_are() {
        let session = SessionId::parse("invoice-447").unwrap();
        let entry = |at: &str, kind: &str, data: &str| {
            let text = format!(r#"{{"at":"{at}","kind":"{kind}","data":{data}}}"#);
            Entry::parse(&text).unwrap().text()
        };
        let data = r#"{"ü": "\u0001\n", "exp": 1e2, "amount": 0.10000000000000000001}"#;
        let first = entry("2026-03-02T12:00:00Z", "write.intent", data);
        let second = entry("2026-03-02T12:00:01.5Z", "write.outcome", "null");
        let chain = Chain::Run(&session);
        let empty = Head::empty(chain);
        let one = empty.after(chain, &first);
        let two = one.after(chain, &second);
        let hashes = [empty, one, two].map(|head| head.hash.to_string());
        assert_eq!(
            hashes,
            [
                "sha256:d1f8fcaf988f89e112664cfa0b8db9a82863064b576e34bba660354cb4c3c8ab",
                "sha256:175bf01aa0c9a02b5a2bebc2c9b6378947dd9a0a57c057b45ebd8db775eb7180",
                "sha256:74dba35cad5aaea781054c384bbc4f6a4d429768be3a115b2219cd303712031f",
            ]
        );
    }
}
