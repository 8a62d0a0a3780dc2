//! The events of a graph that are reported to the user.

use saltus_types::QosMismatch;

use crate::entity::EndpointInfo;

/// An event of the graph that is reported to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphEvent {
    /// Two endpoints of one topic can't exchange messages, because their QoS is incompatible.
    IncompatibleQos {
        /// The endpoint of this process.
        local: EndpointInfo,
        /// The other endpoint.
        remote: EndpointInfo,
        /// The policy in which the offer is weaker than the request.
        policy: QosMismatch,
    },
    /// Two endpoints of one topic can't exchange messages, because their types differ.
    IncompatibleType {
        /// The endpoint of this process.
        local: EndpointInfo,
        /// The other endpoint.
        remote: EndpointInfo,
    },
    /// The memory of a member can't be opened. This is tried again every 50 ms.
    Unreachable {
        /// The member's id in the domain.
        process: u64,
        /// The PID of its process, in the PID namespace of that process.
        pid: u32,
        /// Why it can't be opened.
        reason: String,
    },
    /// The registry of another process has entries that this version can't read.
    Unreadable {
        /// The process's id in the domain.
        process: u64,
        /// The number of these entries.
        entries: usize,
    },
    /// This context was expelled from its domain. From now on its handles return errors.
    Expelled {
        /// Why it was expelled.
        reason: String,
    },
    /// Processes that join the domain can't find this process. It tries to list itself again once a second.
    Unlisted {
        /// Why they can't find it.
        reason: String,
    },
    /// A subscription can't be connected with a publisher. If the publisher belongs to this process, connecting is
    /// tried again once a second.
    NotConnected {
        /// The subscription.
        subscription: EndpointInfo,
        /// Why it can't be connected.
        reason: String,
    },
}
