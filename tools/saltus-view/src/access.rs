//! Checks whether a request may see the page: host, origin, token.
//!
//! A page of another origin in the user's browser could connect to a server on this machine. So the header `Origin` must
//! name this server. An attacker can make a name of their own point to this machine (DNS rebinding). Then the header `Host`
//! contains that name, and the request is refused.

use std::net::{IpAddr, SocketAddr};

use crate::request::Request;

/// The rules for requests: a request that breaks one of them may not see the page.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The address on which the server listens.
    pub(crate) address: SocketAddr,
    /// The token that a request must contain; `None` if no token is needed.
    pub(crate) token: Option<String>,
}

/// The part of a request because of which it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Host,
    Origin,
    Token,
}

impl Refusal {
    /// Returns the error text for the user.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Host => "this server is not known under this name; use its address",
            Self::Origin => "only the page of this server may connect to it",
            Self::Token => "the address of the page must end with the token that the server has printed",
        }
    }
}

impl Access {
    /// Checks the host, the origin and the token of a request.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let host = request.host.as_deref().ok_or(Refusal::Host)?;
        if !self.is_own(host) {
            return Err(Refusal::Host);
        }
        // A browser always sends the origin when it opens a WebSocket. Other programs may leave it out.
        if let Some(origin) = &request.origin
            && origin.strip_prefix("http://") != Some(host)
        {
            return Err(Refusal::Origin);
        }
        match &self.token {
            Some(token) if !request.token.as_deref().is_some_and(|given| is_equal(given, token)) => {
                Err(Refusal::Token)
            }
            _ => Ok(()),
        }
    }

    /// Returns whether a host is this server: one of its IP addresses, or `localhost`.
    fn is_own(&self, host: &str) -> bool {
        let port = self.address.port();
        // Browsers leave out the default port 80.
        let host = &if port == 80 && !host.ends_with(":80") { format!("{host}:80") } else { host.into() };
        if *host == format!("localhost:{port}") {
            return true;
        }
        let named: Option<SocketAddr> = host.parse().ok();
        named.is_some_and(|named| named.port() == port && self.has_address(named.ip()))
    }

    /// Returns whether this server can be reached at an IP address.
    fn has_address(&self, ip: IpAddr) -> bool {
        // A server that listens on all addresses accepts each IP address: an attacker can only choose a name.
        ip == self.address.ip() || self.address.ip().is_unspecified() || ip.is_loopback()
    }
}

/// Compares texts in constant time, so that the time does not show where they differ.
fn is_equal(left: &str, right: &str) -> bool {
    let different =
        left.bytes().zip(right.bytes()).fold(0, |different, (left, right)| different | (left ^ right));
    left.len() == right.len() && different == 0
}
