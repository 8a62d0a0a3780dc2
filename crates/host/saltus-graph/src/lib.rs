//! The graph of a host: its nodes, endpoints and offers, which endpoints are matched, and when deadlines and leases
//! are due.
//!
//! The inputs are the entries of processes and the time. The outputs are commands, events and the time of the next
//! check. The crate uses no shared memory, no file, no thread and no clock, so tests simulate all of them.
//!
//! | module | content |
//! |---|---|
//! | `channel` | messages of topics, requests, responses |
//! | `entity` | nodes, endpoints, connections, types |
//! | `times` | deadlines and leases |
//! | `entry`, `key` | the entries that a process announces, as bytes, and the keys by which entries are found |
//! | `event` | events of the graph that are reported to the user |
//! | `compatibility` | whether two endpoints can exchange messages |
//! | `endpoint_event` | events of one endpoint |
//! | `matcher` | decides which endpoints are matched |
//! | `listing` | lists of the entities |
//! | `watch` | differences since they were last taken |

mod channel;
mod compatibility;
mod endpoint_event;
mod entity;
mod entry;
mod event;
mod key;
mod listing;
mod matcher;
mod times;
mod watch;

pub use channel::Channel;
pub use compatibility::{Mismatch, may_meet};
pub use endpoint_event::{EndpointEvent, EndpointEvents, Happened};
pub use entity::{
    ConnectionInfo, DeviceInfo, EndpointId, EndpointInfo, EndpointKind, NodeInfo, OfferInfo, OfferedService,
    Origin, TypeInfo,
};
pub use entry::Entry;
pub use event::GraphEvent;
pub use key::{Key, fnv1a};
pub use listing::Graph;
pub use matcher::{Command, Matcher, OfferId, Present};
pub use times::{Activity, DeadlineWatch, Due, PublisherTimes, PublisherWatch, check_lease, nanos};
pub use watch::{Entity, GraphChange, Watch};
