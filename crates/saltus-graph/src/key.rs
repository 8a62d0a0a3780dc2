//! What entries are found by, without reading them.

use crate::{
    entity::{EndpointId, EndpointKind},
    entry::Entry,
};

/// What entries are found by: their kind, and ten bits of a hash of their topic or subscription. Others may have the
/// same key, so names and gids are compared, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u16);

/// The hash FNV-1a (<http://www.isthe.com/chongo/tech/comp/fnv/>).
pub fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    let add = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, add)
}

impl Key {
    /// In tests few, so that entries often have the key of others.
    const HASH_BITS: u32 = if cfg!(test) { 2 } else { 10 };
    /// Of what nothing is matched with: a node, an offer, a type, or what can't be read.
    pub const NOTHING: Self = Self(0);
    const PUBLISHER: u16 = 1;
    const SUBSCRIPTION: u16 = 2;
    const CONNECTION: u16 = 3;

    fn new(kind: u16, name: &[u8]) -> Self {
        // It decides how often records are read in vain, and nothing else.
        let hash = fnv1a(name.iter().copied());
        let hash = (hash ^ hash >> 32) as u16 & ((1 << Self::HASH_BITS) - 1);
        Self(kind << Self::HASH_BITS | hash)
    }

    /// Of the endpoints of a kind on a topic.
    pub fn endpoint(kind: EndpointKind, topic: &str) -> Self {
        let kind = match kind {
            EndpointKind::Publisher => Self::PUBLISHER,
            EndpointKind::Subscription => Self::SUBSCRIPTION,
        };
        Self::new(kind, topic.as_bytes())
    }

    /// Of the connections of a subscription.
    pub fn connection(subscription: EndpointId) -> Self {
        let EndpointId { process, serial } = subscription;
        Self::new(Self::CONNECTION, &[process.to_le_bytes(), serial.to_le_bytes()].concat())
    }

    /// Of an entry.
    pub fn of(entry: &Entry) -> Self {
        match entry {
            Entry::Node(_) | Entry::Offer(_) | Entry::Type(_) => Self::NOTHING,
            Entry::Endpoint(endpoint) => Self::endpoint(endpoint.kind, &endpoint.topic),
            Entry::Connection(connection) => Self::connection(connection.subscription),
        }
    }

    /// As a number below 2 to the power of [`Key::BITS`].
    pub fn number(self) -> u16 {
        self.0
    }

    /// The key of a number.
    pub fn of_number(number: u16) -> Self {
        Self(number)
    }

    /// How many bits a key has.
    pub const BITS: u32 = Self::HASH_BITS + 2;

    /// Whether it is that of connections.
    pub fn is_connection(self) -> bool {
        self.0 >> Self::HASH_BITS == Self::CONNECTION
    }
}
