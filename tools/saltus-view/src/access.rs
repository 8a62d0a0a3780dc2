//! Who may see the page: hosts, origins, tokens.
//!
//! A page of another origin in the browser of the user could connect to a server on this machine. So the header `Origin` must
//! name this server. With a name that an attacker has made to point to this machine (DNS rebinding), the header `Host` is not
//! one of those that this server has.

use std::net::{IpAddr, SocketAddr};

use crate::request::Request;

/// Who may see the page.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// Where the server listens.
    pub(crate) address: SocketAddr,
    /// What a request must know; `None` if the server is only for this machine.
    pub(crate) token: Option<String>,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Host,
    Origin,
    Token,
}

impl Refusal {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Host => "this server is not known under this name; use its address",
            Self::Origin => "only the page of this server may connect to it",
            Self::Token => "the address of the page must end with the token that the server has printed",
        }
    }
}

impl Access {
    pub(crate) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let host = request.host.as_deref().ok_or(Refusal::Host)?;
        if !self.is_own(host) {
            return Err(Refusal::Host);
        }
        // A browser always tells the origin of a WebSocket. Other programs need not.
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

    /// Whether a host is this server: a number, or `localhost`.
    fn is_own(&self, host: &str) -> bool {
        let port = self.address.port();
        // Browsers leave out the usual port.
        let host = &if port == 80 && !host.ends_with(":80") { format!("{host}:80") } else { host.into() };
        if *host == format!("localhost:{port}") {
            return true;
        }
        let named: Option<SocketAddr> = host.parse().ok();
        named.is_some_and(|named| named.port() == port && self.may_be(named.ip()))
    }

    fn may_be(&self, ip: IpAddr) -> bool {
        // A server on all addresses does not know which of them the user has typed, but it is no name.
        ip == self.address.ip() || self.address.ip().is_unspecified() || ip.is_loopback()
    }
}

/// Compares texts in a time that does not tell where they differ.
fn is_equal(left: &str, right: &str) -> bool {
    let different =
        left.bytes().zip(right.bytes()).fold(0, |different, (left, right)| different | (left ^ right));
    left.len() == right.len() && different == 0
}
