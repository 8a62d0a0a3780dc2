//! The clients by address.

use std::{collections::HashMap, hash::Hash};

use super::{
    host::AgentHost,
    session::{SHARED_FOR, Session},
};
use crate::ids::ClientKey;

/// The clients by their present address, and by the one before.
///
/// **Invariant:** a client has at most one entry in each.
#[derive(Debug)]
pub(super) struct Addresses<A> {
    present: HashMap<A, ClientKey>,
    earlier: HashMap<A, ClientKey>,
}

impl<A: Clone + Eq + Hash> Addresses<A> {
    pub(super) fn new() -> Self {
        Self { present: HashMap::new(), earlier: HashMap::new() }
    }

    /// Returns the client at an address.
    pub(super) fn client_at(&self, address: &A) -> Option<ClientKey> {
        self.present.get(address).copied()
    }

    /// Returns the client that was at an address before it came to its present one.
    pub(super) fn client_before_at(&self, address: &A) -> Option<ClientKey> {
        self.earlier.get(address).copied()
    }

    /// Notes the address of a client.
    pub(super) fn insert(&mut self, address: A, client: ClientKey) {
        self.present.insert(address, client);
    }

    /// Notes that the connection to an address was closed. Returns its client.
    pub(super) fn remove(&mut self, address: &A) -> Option<ClientKey> {
        self.present.remove(address)
    }

    /// Notes that a client has come from another address. Returns the address before, and whether the client was at the new
    /// one before that.
    pub(super) fn change(&mut self, session: &mut Session<A>, to: &A) -> (A, bool) {
        let before = std::mem::replace(&mut session.address, to.clone());
        remove_of(&mut self.present, &before, session.key);
        self.present.insert(to.clone(), session.key);
        let oldest = session.earlier_address.replace(before.clone());
        if let Some(oldest) = &oldest {
            remove_of(&mut self.earlier, oldest, session.key);
        }
        self.earlier.insert(before.clone(), session.key);
        (before, oldest.as_ref() == Some(to))
    }

    /// Forgets the addresses of a client.
    pub(super) fn forget(&mut self, session: &Session<A>) {
        remove_of(&mut self.present, &session.address, session.key);
        if let Some(earlier) = &session.earlier_address {
            remove_of(&mut self.earlier, earlier, session.key);
        }
    }
}

/// Removes an address if it is that of a client.
fn remove_of<A: Eq + Hash>(addresses: &mut HashMap<A, ClientKey>, address: &A, client: ClientKey) {
    if addresses.get(address) == Some(&client) {
        addresses.remove(address);
    }
}

/// A device is at an address for at least this time, in nanoseconds.
const SHORTEST_STAY: u64 = 50_000_000;

/// The host is not told the addresses of devices that share a key more often than this, in nanoseconds.
const SHORTEST_SHOWN_STAY: u64 = 1_000_000_000;

/// Notes that a client has come from another address, and tells the host.
pub(super) fn change_address<H: AgentHost>(
    addresses: &mut Addresses<H::Address>,
    session: &mut Session<H::Address>,
    now: u64,
    to: &H::Address,
    host: &mut H,
) {
    let since_change = now.saturating_sub(session.changed_at);
    let (before, is_back) = addresses.change(session, to);
    // A client that was away, or was at its other address for long, has come back to its earlier address. One that changes its
    // address all the time is several devices.
    let is_shared = (is_back && since_change < SHARED_FOR) || since_change < SHORTEST_STAY;
    if session.is_present && is_shared {
        session.note_shared_key(now, &before, host);
    }
    if session.is_present && !(is_shared && since_change < SHORTEST_SHOWN_STAY) {
        host.connected(session.key, to);
    }
    session.changed_at = now;
}
