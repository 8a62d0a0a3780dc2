//! A process's part in a domain of this host. This crate connects the graph to the memory.
//!
//! The graph ([`saltus_graph`]) decides which endpoints are connected. The memory ([`saltus_memory`]) moves messages.
//! This crate reads the records of other processes and passes them to the graph. It carries out the commands that the
//! graph returns. Each context has a housekeeping thread, which does the work that must be done while no other thread
//! calls this crate.
//!
//! | module | content |
//! |---|---|
//! | `registry` | the entries of processes, in records |
//! | `watch` | differences of the graph, and the wakers that are rung for them |
//! | `events`, `ends` | the endpoints of this process: senders and receivers, their deadlines, leases and events |
//! | `host` | the state that all threads share; commands of the graph; other members |
//! | `presence`, `housekeeping` | staying in the domain, leaving it, and the housekeeping thread |
//! | `endpoint`, `publisher`, `subscription`, `batch`, `participant`, `device` | the interface for the crates above |
//! | `folder_report` | problems of the folder of shared memory |
//! | `observe`, `report` | the graph of a domain and the counts of its endpoints, read from outside |

mod batch;
mod device;
mod endpoint;
mod ends;
mod events;
mod folder_report;
mod host;
mod housekeeping;
mod join_error;
#[cfg(test)]
mod layout;
mod observe;
mod participant;
mod presence;
mod publisher;
mod registry;
mod report;
mod subscription;
mod watch;

pub use batch::{Batch, NodeEntry, OwnRecord, Shown};
pub use device::Device;
pub use endpoint::{EndpointSpec, Foreign, NodeSpec, OpenError, TypeText};
pub use folder_report::FolderReport;
pub use host::EventHandler;
pub use join_error::JoinError;
pub use observe::{OtherGraph, observe, observe_description, other_graphs};
pub use participant::{Offer, Participant, Past, WeakParticipant};
pub use publisher::{Loan, Publisher, PublisherStatus};
pub use report::{
    ConnectionReport, DeviceReport, EndpointReport, Mismatch, ProcessReport, Report, UnreachableMember,
};
pub use rustix::event::{PollFd, PollFlags};
pub use saltus_graph::{
    Channel, EndpointEvent, EndpointId, EndpointInfo, EndpointKind, Entity, Graph, GraphChange, GraphEvent,
    NodeInfo, OfferInfo, OfferedService, Origin, may_meet,
};
pub use saltus_memory::{
    arena::MemoryError,
    latency::Latency,
    membership::DomainId,
    os::{
        clock::{monotonic_now, system_now},
        folder::GraphOwner,
        group::{group_id, may_use_group},
        sched::{Placement, PlacementError, SchedulingPolicy},
        signal::{Signals, on_termination, restore_termination},
        socket::dropped_packets,
    },
    protocol::holders::MAX_SUBSCRIPTIONS,
    sample::{CallbackTimer, Sample},
    sender::{PublishError, RequestId, Stamp},
    usability::Unusable,
    waiter::{CpuCounts, WaitStrategy, Waiter, Waker},
};
pub use subscription::{Subscription, SubscriptionStatus};
pub use watch::GraphWatch;
