//! Keys, by which entries are found without reading them.

use crate::{
    entity::{EndpointId, EndpointKind},
    entry::Entry,
};

/// The key by which an entry is found: its kind, and ten bits of a hash of its topic or subscription. Different
/// entries may have the same key, so names and ids are compared, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u16);

/// Returns the FNV-1a hash of bytes (<http://www.isthe.com/chongo/tech/comp/fnv/>).
pub fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    let add = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, add)
}

impl Key {
    /// Few in tests, so that different entries often have the same key.
    const HASH_BITS: u32 = if cfg!(test) { 2 } else { 10 };
    /// The key of entries that are never matched: nodes, offers, types, and entries that can't be read.
    pub const NOTHING: Self = Self(0);
    const PUBLISHER: u16 = 1;
    const SUBSCRIPTION: u16 = 2;
    const CONNECTION: u16 = 3;

    fn new(kind: u16, name: &[u8]) -> Self {
        // If two names have the same hash, some records are read unnecessarily. Nothing else depends on it.
        let hash = fnv1a(name.iter().copied());
        let hash = (hash ^ hash >> 32) as u16 & ((1 << Self::HASH_BITS) - 1);
        Self(kind << Self::HASH_BITS | hash)
    }

    /// Returns the key of the endpoints of a kind on a topic.
    pub fn endpoint(kind: EndpointKind, topic: &str) -> Self {
        let kind = match kind {
            EndpointKind::Publisher => Self::PUBLISHER,
            EndpointKind::Subscription => Self::SUBSCRIPTION,
        };
        Self::new(kind, topic.as_bytes())
    }

    /// Returns the key of the connections of a subscription.
    pub(crate) fn connection(subscription: EndpointId) -> Self {
        let EndpointId { process, serial } = subscription;
        Self::new(Self::CONNECTION, &[process.to_le_bytes(), serial.to_le_bytes()].concat())
    }

    /// Returns the key of an entry.
    pub fn of(entry: &Entry) -> Self {
        match entry {
            Entry::Node(_) | Entry::Offer(_) | Entry::Type(_) | Entry::Device(_) => Self::NOTHING,
            Entry::Endpoint(endpoint) => Self::endpoint(endpoint.kind, &endpoint.topic),
            Entry::Connection(connection) => Self::connection(connection.subscription),
        }
    }

    /// Returns the key as a number below 2 to the power of [`Key::BITS`].
    pub fn number(self) -> u16 {
        self.0
    }

    /// Returns the key with a number.
    pub fn of_number(number: u16) -> Self {
        Self(number)
    }

    /// The number of bits in a key.
    pub const BITS: u32 = Self::HASH_BITS + 2;

    /// Whether this is a key of connections.
    pub fn is_connection(self) -> bool {
        self.0 >> Self::HASH_BITS == Self::CONNECTION
    }
}
