//! The identity of an endpoint.

use saltus::types::Gid as OwnGid;

/// The identity of an endpoint in its domain. All zero is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gid {
    /// The bytes of the gid.
    pub bytes: [u8; 16],
}

impl From<OwnGid> for Gid {
    fn from(gid: OwnGid) -> Self {
        Self { bytes: *gid.as_bytes() }
    }
}

impl Gid {
    /// Returns the gid, or `None` if all of its bytes are zero.
    pub(crate) fn given(self) -> Option<OwnGid> {
        (self != Self::default()).then(|| OwnGid::from_bytes(self.bytes))
    }
}
