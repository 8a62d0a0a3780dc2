//! What a user should know of a graph.

use saltus_types::QosMismatch;

use crate::entity::EndpointInfo;

/// Something about the graph that a user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphEvent {
    /// Two endpoints of one topic can't exchange messages, for their QoS.
    IncompatibleQos {
        /// The one of this process.
        local: EndpointInfo,
        /// The other.
        remote: EndpointInfo,
        /// The policy that falls short.
        policy: QosMismatch,
    },
    /// Two endpoints of one topic can't exchange messages, for their types.
    IncompatibleType {
        /// The one of this process.
        local: EndpointInfo,
        /// The other.
        remote: EndpointInfo,
    },
    /// A member's memory can't be used; it is tried again every 50 ms.
    Unreachable {
        /// The member's id in the domain.
        process: u64,
        /// Its process, in that process's PID namespace.
        pid: u32,
        /// Why not.
        reason: String,
    },
    /// Another process says something in its registry that this version can't read.
    Unreadable {
        /// The process's id in the domain.
        process: u64,
        /// How many entries.
        entries: usize,
    },
    /// This context can't take part any more. Its handles answer with errors from now on.
    Expelled {
        /// Why not.
        reason: String,
    },
    /// Processes that join can't find this one; it tries once a second to list itself again.
    Unlisted {
        /// Why not.
        reason: String,
    },
    /// A subscription can't be connected. If the publisher is of this process, that is tried again once a second.
    NotConnected {
        /// The subscription.
        subscription: EndpointInfo,
        /// Why not.
        reason: String,
    },
}
