//! A key that cannot be printed.

use std::fmt;

use zeroize::Zeroizing;

/// A provider's key. It has no `Display` and no `Serialize`, its `Debug` says nothing, and its memory is wiped.
///
/// ```
/// let key = purple_model::Secret::new("sk-very-secret");
/// assert_eq!(format!("{key:?}"), "Secret");
/// ```
///
/// ```compile_fail
/// let key = purple_model::Secret::new("sk-very-secret");
/// println!("{key}");
/// ```
///
/// ```compile_fail
/// let key = purple_model::Secret::new("sk-very-secret");
/// let _ = serde_json::to_string(&key);
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a key over. White space around it, which files and shells leave, is not part of it.
    pub fn new(key: impl Into<String>) -> Self {
        let key = Zeroizing::new(key.into());
        Self(Zeroizing::new(key.trim().to_owned()))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key itself, for the header that carries it and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The same text without the key, for what a provider said about it.
    pub(crate) fn scrub(&self, text: &str) -> String {
        if self.is_empty() { text.to_owned() } else { text.replace(self.reveal(), "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_not_show_in_what_is_said_about_it() {
        let key = Secret::new(" sk-1234\n");
        assert_eq!(
            key.scrub("no such key: sk-1234, look again at sk-1234"),
            "no such key: [key], look again at [key]"
        );
        assert_eq!(Secret::new("").scrub("abc"), "abc");
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "Secret Some(Secret)");
    }
}
