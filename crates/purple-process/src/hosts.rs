//! Hosts that the operator allows a tool to reach: `docs.example.com`, or `*.example.com` for everything below it.

use serde::Serialize;

/// The host of a URL, or every host below one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HostPattern(String);

/// A text that is no pattern of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a host as `docs.example.com`, or `*.example.com` for all below it")]
pub struct BadHostPattern;

/// The longest URL that is read, in bytes.
const URL_BYTES_MAX: usize = 8 * 1024;

impl HostPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, BadHostPattern> {
        let lower = text.to_ascii_lowercase();
        let host = lower.strip_prefix("*.").unwrap_or(&lower);
        // A pattern over a whole top-level domain allows strangers.
        let wide = lower.starts_with("*.") && !host.contains('.');
        if is_host(host) && !wide { Ok(Self(lower)) } else { Err(BadHostPattern) }
    }

    /// The pattern as it was written, in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a URL leads to such a host. What is not plainly an `http` URL does not.
    pub(crate) fn covers(&self, url: &str) -> bool {
        let Some(host) = host_of(url) else { return false };
        match self.0.strip_prefix("*.") {
            Some(above) => host.strip_suffix(above).is_some_and(|below| below.ends_with('.')),
            None => host == self.0,
        }
    }
}

/// The host of a URL that every reader of URLs reads alike.
fn host_of(url: &str) -> Option<String> {
    let plain =
        url.len() <= URL_BYTES_MAX && url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let (scheme, rest) = url.split_once("://").filter(|_| plain)?;
    let http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let authority = rest.split(['/', '?', '#']).next().filter(|_| http)?;
    // What stands before an `@` is a name and a password, which look like a host.
    let (host, port) = authority.split_once(':').unwrap_or((authority, "443"));
    let host = host.to_ascii_lowercase();
    let fits = is_host(&host) && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    fits.then_some(host)
}

fn is_host(text: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_covers_its_host_and_nothing_that_only_looks_like_it() {
        let exact = HostPattern::parse("docs.example.com").unwrap();
        let below = HostPattern::parse("*.Example.com").unwrap();
        for url in
            ["https://docs.example.com/a?b#c", "HTTP://DOCS.example.com:8080", "https://docs.example.com"]
        {
            assert!(exact.covers(url) && below.covers(url), "{url}");
        }
        for url in [
            "https://docs.example.com.evil.net/",
            "https://docs.example.com@evil.net/",
            "https://evil.net/docs.example.com",
            "https://evil.net\\@docs.example.com",
            "https://evilexample.com",
            "https://evil.net#.docs.example.com",
            "ftp://docs.example.com",
            "file:///docs.example.com",
            "docs.example.com",
            "https://docs.example.com:x/",
            "https://[::1]/",
            "https://docs.example.com\n.evil.net",
            "",
        ] {
            assert!(!exact.covers(url) && !below.covers(url), "{url}");
        }
        assert!(!below.covers("https://example.com/"), "the pattern is for what is below it");
        for bad in
            ["", "*", "*.com", "a b", "https://x.example", "x.example/", "*.*.example.com", "-a.example"]
        {
            assert_eq!(HostPattern::parse(bad), Err(BadHostPattern), "{bad}");
        }
    }
}
