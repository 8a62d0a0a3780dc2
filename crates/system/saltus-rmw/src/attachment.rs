//! What is sent beside each message, request and response.

use saltus_types::{Gid, Time};

/// The length of an attachment in bytes.
const LEN: usize = 33;
/// The byte before the gid: its length.
const GID_LEN: u8 = 16;

/// The number and the time of a message, and the gid of its publisher. For a request and its response, these are the number of
/// the request and the gid of the client.
///
/// ```
/// use saltus_rmw::Attachment;
/// use saltus_types::{Gid, Time};
/// let sent = Attachment { sequence: 1, source_time: Time::from_nanos(5), gid: Gid::from_parts(2, 3) };
/// assert_eq!(Attachment::from_bytes(&sent.to_bytes()), Ok(sent));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The number of the message among those of its publisher; the first is 1.
    pub sequence: i64,
    /// When it was sent, by the system clock.
    pub source_time: Time,
    /// The gid of the publisher or client.
    pub gid: Gid,
}

/// Why bytes are no attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentError {
    /// It has another length. Nodes before rmw_zenoh 0.2.4 (Humble: 0.1.2) send another form.
    #[error("expected an attachment of {LEN} bytes, found {0}")]
    Length(usize),
    /// The byte before the gid is not its length.
    #[error("expected a gid of {GID_LEN} bytes in the attachment, found {0}")]
    GidLength(u8),
    /// The number or the time is negative.
    #[error("the number {sequence} or the time {time} of the attachment is negative")]
    Negative {
        /// The number.
        sequence: i64,
        /// The time in nanoseconds.
        time: i64,
    },
}

impl Attachment {
    /// Returns the bytes that are sent.
    pub fn to_bytes(&self) -> [u8; LEN] {
        let mut bytes = [GID_LEN; LEN];
        bytes[..8].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.source_time.as_nanos().to_le_bytes());
        bytes[17..].copy_from_slice(self.gid.as_bytes());
        bytes
    }

    /// Reads an attachment.
    ///
    /// # Errors
    /// Returns an error if the bytes are no attachment.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, AttachmentError> {
        let bytes: &[u8; LEN] = bytes.try_into().map_err(|_| AttachmentError::Length(bytes.len()))?;
        let number = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            i64::from_le_bytes(eight)
        };
        let (sequence, time) = (number(0), number(8));
        if bytes[16] != GID_LEN {
            return Err(AttachmentError::GidLength(bytes[16]));
        }
        if sequence < 0 || time < 0 {
            return Err(AttachmentError::Negative { sequence, time });
        }
        let mut gid = [0; 16];
        gid.copy_from_slice(&bytes[17..]);
        Ok(Self { sequence, source_time: Time::from_nanos(time), gid: Gid::from_bytes(gid) })
    }
}
