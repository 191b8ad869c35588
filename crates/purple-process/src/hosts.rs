//! Hosts that the operator allows a tool to reach: `docs.example.com`, or `*.example.com` for everything below it.

use std::net::Ipv4Addr;

use serde::Serialize;

/// The host of a URL, or every host below one; with a port where it is not that of its scheme.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HostPattern(String);

/// A text that is no pattern of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a host as `docs.example.com` or `docs.example.com:8080`, or `*.example.com` for all below it")]
pub struct BadHostPattern;

/// The longest URL that is read, in bytes.
const URL_BYTES_MAX: usize = 8 * 1024;
/// The longest name of a host, in bytes.
const HOST_BYTES_MAX: usize = 253;

impl HostPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, BadHostPattern> {
        let lower = text.to_ascii_lowercase();
        let (pattern, port) = parts(&lower).ok_or(BadHostPattern)?;
        let fits = match pattern.strip_prefix("*.") {
            // A pattern over a whole top-level domain, or over addresses in numbers, allows strangers.
            Some(above) => is_name(above) && above.contains('.'),
            None => is_host(pattern),
        };
        // A port is written in one way.
        let canonical = port.is_none_or(|port| lower.ends_with(&format!(":{port}")));
        if fits && canonical { Ok(Self(lower)) } else { Err(BadHostPattern) }
    }

    /// The pattern as it was written, in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a URL leads to such a host. What is not plainly an `http` URL does not.
    pub(crate) fn covers(&self, url: &str) -> bool {
        let Some(Place { host, port, usual }) = place_of(url) else { return false };
        let Some((pattern, wanted)) = parts(&self.0) else { return false };
        let named = match pattern.strip_prefix("*.") {
            Some(above) => {
                is_name(&host) && host.strip_suffix(above).is_some_and(|below| below.ends_with('.'))
            }
            None => host == pattern,
        };
        named && port == wanted.unwrap_or(usual)
    }
}

/// Where a URL leads to.
struct Place {
    host: String,
    port: u16,
    /// The port of its scheme.
    usual: u16,
}

/// Where a URL leads to, if every reader of URLs reads it alike.
fn place_of(url: &str) -> Option<Place> {
    let plain =
        url.len() <= URL_BYTES_MAX && url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let (scheme, rest) = url.split_once("://").filter(|_| plain)?;
    let usual = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    // What stands before an `@` is a name and a password, which look like a host. No host holds an `@`.
    let authority = rest.split(['/', '?', '#']).next()?.to_ascii_lowercase();
    let (host, port) = parts(&authority)?;
    is_host(host).then(|| Place { host: host.to_owned(), port: port.unwrap_or(usual), usual })
}

/// A host and its port, if it has one.
fn parts(authority: &str) -> Option<(&str, Option<u16>)> {
    match authority.split_once(':') {
        None => Some((authority, None)),
        Some((host, port)) => {
            let digits = port.bytes().all(|byte| byte.is_ascii_digit());
            Some((host, Some(port.parse().ok().filter(|_| digits)?)))
        }
    }
}

/// Whether this names a host, or is an address in the one form that nobody reads otherwise.
fn is_host(text: &str) -> bool {
    is_name(text) || text.parse::<Ipv4Addr>().is_ok()
}

/// Whether this is a name. A last label that begins with a digit makes it a number in some form: `127.1`, `0x7f`.
fn is_name(text: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let numeric = text.rsplit('.').next().is_none_or(|last| last.starts_with(|c: char| c.is_ascii_digit()));
    text.len() <= HOST_BYTES_MAX && !numeric && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> HostPattern {
        HostPattern::parse(text).unwrap()
    }

    #[test]
    fn a_pattern_covers_its_host_and_nothing_that_only_looks_like_it() {
        let exact = pattern("docs.example.com");
        let below = pattern("*.Example.com");
        for url in
            ["https://docs.example.com/a?b#c", "HTTP://DOCS.example.com:80", "https://docs.example.com:443"]
        {
            assert!(exact.covers(url) && below.covers(url), "{url}");
        }
        for url in [
            "https://docs.example.com.evil.net/",
            "https://docs.example.com@evil.net/",
            "https://docs.example.com:443@evil.net/",
            "https://evil.net/docs.example.com",
            "https://evil.net\\@docs.example.com",
            "https://evilexample.com",
            "https://evil.net#.docs.example.com",
            "https://evil.net?.docs.example.com",
            "https:///docs.example.com",
            "https:docs.example.com",
            "ftp://docs.example.com",
            "file:///docs.example.com",
            "docs.example.com",
            "https://docs.example.com:x/",
            "https://docs.example.com:/",
            "https://docs.example.com:22/",
            "https://docs.example.com:80/",
            "https://docs.example.com:65979/",
            "https://docs.example.com./",
            "https://docs%2eexample.com/",
            "https://dócs.example.com/",
            "https://docs\u{3002}example.com/",
            "https://[::1]/",
            "https://docs.example.com\n.evil.net",
            " https://docs.example.com",
            "",
        ] {
            assert!(!exact.covers(url) && !below.covers(url), "{url}");
        }
        assert!(!below.covers("https://example.com/"), "the pattern is for what is below it");
    }

    #[test]
    fn a_port_or_an_address_is_reached_only_where_it_is_written() {
        let port = pattern("docs.example.com:8080");
        assert!(port.covers("https://docs.example.com:8080/") && !port.covers("https://docs.example.com/"));
        let address = pattern("10.0.0.7");
        assert!(address.covers("http://10.0.0.7/"));
        for url in ["http://10.7/", "http://0xa000007/", "http://167772167/", "http://10.0.0.07/"] {
            assert!(!address.covers(url), "{url}");
        }
        for bad in [
            "",
            "*",
            "*.com",
            "a b",
            "https://x.example",
            "x.example/",
            "*.*.example.com",
            "-a.example",
            "*.0.0.7",
            "10.7",
            "a.example.",
            "a.example:",
            "a.example:0x1",
            "a.example:080",
            "a@b.example",
        ] {
            assert_eq!(HostPattern::parse(bad), Err(BadHostPattern), "{bad}");
        }
    }

    proptest! {
        /// Whatever stands around the allowed host, a URL is covered only if its host is that one.
        #[test]
        fn nothing_before_or_after_the_host_leads_elsewhere(before in "[ -~]{0,12}", after in "[ -~]{0,12}") {
            let url = format!("https://{before}docs.example.com{after}");
            if pattern("docs.example.com").covers(&url) {
                prop_assert_eq!(before, "");
                prop_assert!(after.is_empty() || after.starts_with(['/', '?', '#']) || after.starts_with(":443"));
            }
        }
    }
}
