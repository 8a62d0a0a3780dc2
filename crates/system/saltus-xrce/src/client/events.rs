//! The events of a client.

use crate::{
    ids::Request,
    payload::{Status, StatusReply},
};

/// Something that happened to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientEvent<'a> {
    /// A session with the agent has begun. The objects of the client are created again.
    Connected,
    /// The agent does not answer, or does not know the client any more. The client connects again by itself.
    Disconnected {
        /// The number of messages of the reliable stream that the agent has not acknowledged. They may be lost.
        unacknowledged: usize,
    },
    /// The agent refuses the client.
    Refused(Status),
    /// The agent has answered a request.
    Status(StatusReply),
    /// Data for an object have arrived.
    Data {
        /// The request for data that they answer, and the object.
        request: Request,
        /// The data. For service clients and servers, the identity of the request comes first.
        data: &'a [u8],
    },
    /// The agent has answered a ping.
    Pong {
        /// Whether the agent has a session with the client.
        has_session: bool,
    },
    /// The clocks were compared.
    Time {
        /// The time by which the client's clock is ahead of the agent's, in nanoseconds.
        offset: i64,
        /// The time that the question and the answer took, in nanoseconds.
        round_trip: u64,
    },
    /// The agent sent a submessage that can't be read.
    Malformed,
}
