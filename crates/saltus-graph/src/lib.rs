//! The graph of a host: nodes, endpoints and offers; who is matched with whom, why not, and what is due when.
//!
//! All of it is told, nothing is looked up: entries of processes and the time go in; commands, events and the next time
//! to look come out. There is no memory, no file, no thread and no clock in here, so tests simulate all of them.
//!
//! | module | what it knows |
//! |---|---|
//! | `channel` | messages of topics, requests, responses |
//! | `entity` | nodes, endpoints, connections, types |
//! | `times` | deadlines and leases |
//! | `entry`, `key` | what a process says of itself, as bytes, and what that is found by |
//! | `event` | what a user should know of the graph |
//! | `compatibility` | whether two endpoints suit each other |
//! | `endpoint_event` | what happens to one endpoint |
//! | `matcher` | who is matched with whom |
//! | `listing` | lists of what there is |
//! | `watch` | what has changed since somebody last looked |

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
    ConnectionInfo, EndpointId, EndpointInfo, EndpointKind, NodeInfo, OfferInfo, OfferedService, Origin,
    TypeInfo,
};
pub use entry::Entry;
pub use event::GraphEvent;
pub use key::{Key, fnv1a};
pub use listing::Graph;
pub use matcher::{Command, Matcher, OfferId, Present};
pub use times::{Activity, DeadlineWatch, Due, PublisherTimes, PublisherWatch, check_lease, nanos};
pub use watch::{Difference, Entity, Watch};
