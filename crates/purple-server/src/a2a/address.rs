//! Where a notification may go: never to an address that only this machine or its network can reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::fault::Fault;

/// What the operator allows beyond public addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushRules {
    /// Origins that may be told wherever they are.
    pub allowed_origins: Vec<String>,
    /// Whether programs on this machine may be told: where every caller is on it as well.
    pub loopback: Loopback,
}

/// Whether programs on this machine may be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loopback {
    /// They may.
    Allowed,
    /// They may not.
    #[default]
    Refused,
}

/// How far the address of a receiver was trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The operator named it, or it is this machine's own: it is not looked at again.
    Named,
    /// Every address that it resolves to must be public.
    Guarded,
}

impl PushRules {
    /// Reads the address of a receiver, or says why nobody is told there.
    pub(super) fn check(&self, text: &str) -> Result<(Url, Trust), Fault> {
        let refuse = |why: &str| Fault::BadPushUrl { why: why.to_owned() };
        let url = Url::parse(text).map_err(|_| refuse("an http address with a host"))?;
        let web = matches!(url.scheme(), "http" | "https");
        let Some(host) = url.host_str().filter(|host| web && !host.is_empty()) else {
            return Err(refuse("an http address with a host"));
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("an address without a name and a password in it"));
        }
        let origin = url.origin().ascii_serialization();
        if self.allowed_origins.iter().any(|allowed| allowed.trim_end_matches('/') == origin) {
            return Ok((url, Trust::Named));
        }
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
        let here = host.eq_ignore_ascii_case("localhost") || literal.is_some_and(|ip| ip.is_loopback());
        if here && self.loopback == Loopback::Allowed {
            return Ok((url, Trust::Named));
        }
        if here || literal.is_some_and(|ip| !is_public(ip)) {
            return Err(refuse("public addresses, or to those that the operator allows (`push.allow`)"));
        }
        if url.scheme() != "https" {
            return Err(refuse("https addresses, or to those that the operator allows (`push.allow`)"));
        }
        Ok((url, Trust::Guarded))
    }
}

/// Resolves names to public addresses only, at the moment of connecting: a name that is bound anew gains nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // One address that is not public, and the name is not trusted at all.
            if found.is_empty() || found.iter().any(|address| !is_public(address.ip())) {
                return Err(std::io::Error::from(std::io::ErrorKind::PermissionDenied).into());
            }
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether everybody can reach an address. What is not known to be public is not.
pub(super) fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || ip.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b));
    !special
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let part = ip.segments();
    let inside = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match part {
        // Addresses of the older kind in the dress of the newer.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => inside(high, low),
        [0x2002, high, low, ..] => inside(high, low),
        // Teredo, documentation and benchmarks.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // Only this eighth is given to anybody.
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allowed: &[&str], loopback: Loopback) -> PushRules {
        PushRules { allowed_origins: allowed.iter().map(|one| (*one).to_owned()).collect(), loopback }
    }

    #[test]
    fn addresses_that_only_this_network_reaches_are_not_public() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "198.18.0.1",
            "192.0.0.8",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "::127.0.0.1",
            "100::1",
            "fec0::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in
            ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "2001:4860::8888", "::ffff:8.8.8.8", "2002:808:808::"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn a_receiver_is_public_and_encrypted_or_named_by_the_operator() {
        let strict = rules(&["http://127.0.0.1:8080", "https://hooks.internal"], Loopback::Refused);
        for refused in [
            "ftp://hooks.example",
            "https://",
            "nonsense",
            "http://hooks.example/x",
            "https://ada:pw@hooks.example",
            "http://127.0.0.1:8081/",
            "http://127.0.0.1:80801",
            "https://localhost/",
            "https://[::1]/",
            "https://169.254.169.254/latest",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://017700000001/",
            "https://127.0.0.1.",
            "http://127.0.0.1:8080@hooks.example/",
            "https://[::ffff:10.0.0.1]/",
        ] {
            assert!(strict.check(refused).is_err(), "{refused}");
        }
        assert_eq!(strict.check("https://hooks.example/a?b").unwrap().1, Trust::Guarded);
        assert_eq!(strict.check("http://127.0.0.1:8080/a").unwrap().1, Trust::Named);
        assert_eq!(strict.check("https://hooks.internal:443/a").unwrap().1, Trust::Named);
        let local = rules(&[], Loopback::Allowed);
        assert_eq!(local.check("http://localhost:1/").unwrap().1, Trust::Named);
        assert!(local.check("http://10.0.0.1/").is_err());
    }

    #[tokio::test]
    async fn a_name_that_leads_here_does_not_resolve() {
        assert!(PublicOnly.resolve("localhost".parse().unwrap()).await.is_err());
    }
}
