//! Which addresses are called: what the operator wrote, and never the inside of a machine or a network by surprise.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use purple_port::BoxFuture;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// How names become addresses. The system's way, unless a test has another.
pub(crate) type Lookup =
    Arc<dyn Fn(String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> + Send + Sync>;

/// Where a client may go.
#[derive(Clone)]
pub(crate) struct Guard {
    lookup: Lookup,
    reach: Reach,
}

/// How far a name may lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Into private networks as well: the operator configured each server.
    Configured,
    /// A request named the server: into private networks only by these names, and by names that are never public.
    Visited { private: BTreeSet<String> },
}

impl fmt::Debug for Guard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Guard").field("reach", &self.reach).finish()
    }
}

/// An address that is not called.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Forbidden {
    /// Nobody has a tool server there: the machine's own metadata, no address at all, many at once.
    #[error("`{host}` is at {address}, where no tool server may be")]
    Never { host: String, address: IpAddr },
    /// A public name that leads inside.
    #[error("`{host}` leads to {address} in a private network, and the operator did not say that it may")]
    Private { host: String, address: IpAddr },
}

impl Guard {
    pub(crate) fn new(reach: Reach) -> Self {
        Self::with_lookup(reach, Arc::new(|host| Box::pin(look_up(host))))
    }

    pub(crate) fn with_lookup(reach: Reach, lookup: Lookup) -> Self {
        Self { lookup, reach }
    }

    /// The same, and these names may lead into private networks.
    pub(crate) fn also(&self, hosts: &[String]) -> Self {
        let reach = match &self.reach {
            Reach::Configured => Reach::Configured,
            Reach::Visited { private } => {
                let more = hosts.iter().map(|host| host.to_ascii_lowercase());
                Reach::Visited { private: private.iter().cloned().chain(more).collect() }
            }
        };
        Self { lookup: Arc::clone(&self.lookup), reach }
    }

    /// Judges an address that is written out. A name is judged each time it is looked up, so that it cannot change.
    pub(crate) fn admit(&self, url: &Url) -> Result<(), String> {
        let Some(host) = url.host_str() else { return Err(format!("`{url}` has no host")) };
        match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            // A private address that is written out was allowed as such; nobody is surprised.
            Ok(address) if is_never(address) => {
                Err(Forbidden::Never { host: host.to_owned(), address }.to_string())
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Judges what a name leads to. One bad address spoils all: the next look might take it.
    fn judge(&self, host: &str, addresses: &[IpAddr]) -> Result<(), Forbidden> {
        let host = host.to_ascii_lowercase();
        if let Some(address) = addresses.iter().find(|address| is_never(**address)) {
            return Err(Forbidden::Never { host, address: *address });
        }
        let may_be_private = match &self.reach {
            Reach::Configured => true,
            Reach::Visited { private } => is_never_public(&host) || private.contains(&host),
        };
        match addresses.iter().find(|address| is_private(**address)) {
            Some(address) if !may_be_private => Err(Forbidden::Private { host, address: *address }),
            Some(_) | None => Ok(()),
        }
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let addresses = (guard.lookup)(host.clone()).await?;
            guard.judge(&host, &addresses)?;
            let sockets = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as Addrs)
        })
    }
}

async fn look_up(host: String) -> std::io::Result<Vec<IpAddr>> {
    Ok(tokio::net::lookup_host((host, 0)).await?.map(|socket| socket.ip()).collect())
}

/// Names of no public host: without a dot, or of a zone that is kept for the inside.
fn is_never_public(host: &str) -> bool {
    const INSIDE: [&str; 5] = [".internal", ".local", ".localhost", ".lan", ".home.arpa"];
    let host = host.trim_end_matches('.');
    !host.contains('.') || INSIDE.iter().any(|zone| host.ends_with(zone))
}

/// The IPv4 address inside, where an IPv6 address carries one.
fn plain(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let [a, b, c, .., g, h] = v6.segments();
    let of = |high: u16, low: u16| {
        let ([one, two], [three, four]) = (high.to_be_bytes(), low.to_be_bytes());
        IpAddr::V4(Ipv4Addr::new(one, two, three, four))
    };
    match (v6.to_ipv4_mapped(), (a, b)) {
        (Some(v4), _) => IpAddr::V4(v4),
        // NAT64 and 6to4.
        (None, (0x64, 0xff9b)) => of(g, h),
        (None, (0x2002, _)) => of(b, c),
        (None, _) => address,
    }
}

/// Where no tool server is, whatever anybody writes: link-local (which is where clouds keep their secrets), nowhere,
/// and many at once.
fn is_never(address: IpAddr) -> bool {
    const CLOUD_METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match plain(address) {
        IpAddr::V4(v4) => v4.is_link_local() || v4.is_unspecified() || v4.is_broadcast() || v4.is_multicast(),
        IpAddr::V6(v6) => {
            v6.is_unicast_link_local() || v6.is_unspecified() || v6.is_multicast() || v6 == CLOUD_METADATA
        }
    }
}

fn is_private(address: IpAddr) -> bool {
    match plain(address) {
        IpAddr::V4(v4) => {
            let shared = matches!(v4.octets(), [100, second, ..] if (64..128).contains(&second));
            let this_network = matches!(v4.octets(), [0, ..]);
            v4.is_private() || v4.is_loopback() || shared || this_network
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local(),
    }
}

#[cfg(test)]
#[path = "addresses_tests.rs"]
mod tests;
