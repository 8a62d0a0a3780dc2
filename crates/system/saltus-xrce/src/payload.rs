//! The contents of the submessages.

mod data;
mod info;
mod object;
mod session;
mod stream;

pub use data::{DataLimits, ReadRequest, SampleIdentity};
pub use info::{AgentVersion, Locator};
pub(crate) use info::{Info, InfoRequest};
pub use object::Status;
pub(crate) use object::{Create, StatusReply};
pub use session::{ClientProperties, CreateClient};
pub(crate) use session::{Timestamp, TimestampReply};
pub(crate) use stream::{AckNack, Heartbeat};

/// The bytes that begin the protocol's own messages: "XRCE".
pub(crate) const COOKIE: [u8; 4] = *b"XRCE";
/// The version of the protocol: 1.0.
pub(crate) const VERSION: [u8; 2] = [1, 0];
/// The vendor number that the widespread agent has, and that its clients expect.
pub(crate) const VENDOR: [u8; 2] = [0x01, 0x0F];
