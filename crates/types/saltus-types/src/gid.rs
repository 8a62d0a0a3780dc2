//! The globally unique id of an entity.

use std::fmt;

/// The globally unique id of a publisher, subscription or other entity: 16 opaque bytes.
///
/// **Invariant:** two entities that exist at the same time never have the same gid. A gid has the size of
/// `rmw_gid_t` on Iron and later, so it is passed to ROS 2 unchanged.
///
/// ```
/// use saltus::advanced::Gid;
/// let gid = Gid::from_parts(0x1122, 7);
/// assert_eq!(gid.to_string(), "22110000000000000700000000000000");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Gid([u8; 16]);

impl Gid {
    /// Creates a gid from the random id of a process and the number of an entity in that process.
    pub const fn from_parts(process: u64, entity: u64) -> Self {
        let (p, e) = (process.to_le_bytes(), entity.to_le_bytes());
        Self([p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7]])
    }

    /// Creates a gid from bytes that were received.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the random id of the process.
    pub const fn process(&self) -> u64 {
        (u128::from_le_bytes(self.0) & u64::MAX as u128) as u64
    }

    /// Returns the number of the entity in its process.
    pub const fn entity(&self) -> u64 {
        (u128::from_le_bytes(self.0) >> 64) as u64
    }

    /// Returns the bytes in the order in which they are sent.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for Gid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Gid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gid({self})")
    }
}
