//! The chain of a session: each entry names the hash of the one before it.
//!
//! `hash = SHA-256({"entry":…,"prev":"sha256:…","seq":n,"session":"…"})`, all of it canonical JSON. The stored text
//! of an entry goes into the hash as it is, so that no byte of it can change unseen.

use purple_worker::port::{Digest, Entry, Recorded, SessionId};

use crate::canonical;

/// The end of a session's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// How many entries there are.
    pub(crate) seq: u64,
    /// The hash of the last one.
    pub(crate) hash: Digest,
}

impl Head {
    /// The chain before its first entry.
    pub(crate) fn empty(session: &SessionId) -> Self {
        Self { seq: 0, hash: Digest::of(session.as_str().as_bytes()) }
    }

    /// The head after an entry with this canonical text.
    pub(crate) fn after(&self, session: &SessionId, text: &str) -> Self {
        let seq = self.seq.saturating_add(1);
        Self { seq, hash: link(session, seq, &self.hash, text) }
    }
}

/// The canonical text of an entry.
pub(crate) fn entry_text(entry: &Entry) -> String {
    let mut out = String::from("{\"at\":");
    canonical::write_string(&entry.at.to_string(), &mut out);
    out.push_str(",\"data\":");
    canonical::write(&entry.data, &mut out);
    out.push_str(",\"kind\":");
    canonical::write_string(&entry.kind, &mut out);
    out.push('}');
    out
}

/// The hash of the entry with this text in its place.
pub(crate) fn link(session: &SessionId, seq: u64, prev: &Digest, text: &str) -> Digest {
    let mut out = String::with_capacity(text.len() + 256);
    out.push_str("{\"entry\":");
    out.push_str(text);
    out.push_str(",\"prev\":\"");
    out.push_str(&prev.to_string());
    out.push_str("\",\"seq\":");
    out.push_str(&seq.to_string());
    out.push_str(",\"session\":");
    canonical::write_string(session.as_str(), &mut out);
    out.push('}');
    Digest::of(out.as_bytes())
}

/// The line of an export: the same object with its hash in place.
pub(crate) fn line(session: &SessionId, seq: u64, prev: &Digest, hash: &Digest, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    out.push_str("{\"entry\":");
    out.push_str(text);
    out.push_str(",\"hash\":\"");
    out.push_str(&hash.to_string());
    out.push_str("\",\"prev\":\"");
    out.push_str(&prev.to_string());
    out.push_str("\",\"seq\":");
    out.push_str(&seq.to_string());
    out.push_str(",\"session\":");
    canonical::write_string(session.as_str(), &mut out);
    out.push('}');
    out
}

/// An entry that was sealed but perhaps not committed yet.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Its place, and its hash.
    pub(crate) head: Head,
    /// The hash before it.
    pub(crate) prev: Digest,
    /// Its canonical text.
    pub(crate) text: String,
}

impl Link {
    /// Seals the entry behind `head`.
    pub(crate) fn behind(head: &Head, session: &SessionId, text: String) -> Self {
        Self { head: head.after(session, &text), prev: head.hash, text }
    }

    /// What readers see. `None` if the text is no entry.
    pub(crate) fn recorded(&self, session: &SessionId) -> Option<Recorded> {
        let entry = serde_json::from_str(&self.text).ok()?;
        Some(Recorded {
            session: session.clone(),
            seq: self.head.seq,
            prev: self.prev,
            hash: self.head.hash,
            entry,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hand from docs/spec/audit-journal.md. If these change, no journal that exists verifies any more.
    #[test]
    fn the_hashes_of_journals_that_exist_stay_what_they_are() {
        let session = SessionId::parse("invoice-447").unwrap();
        let entry = |at: &str, kind: &str, data: &str| {
            let (at, data) = (at.parse().unwrap(), serde_json::from_str(data).unwrap());
            entry_text(&Entry { at, kind: kind.to_owned(), data })
        };
        let data = r#"{"ü": "\u0001\n", "exp": 1e2, "amount": 0.10000000000000000001}"#;
        let first = entry("2026-03-02T12:00:00Z", "write.intent", data);
        let second = entry("2026-03-02T12:00:01.5Z", "write.outcome", "null");
        let empty = Head::empty(&session);
        let one = empty.after(&session, &first);
        let two = one.after(&session, &second);
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
