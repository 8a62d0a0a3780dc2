//! One host: this process's part in a domain, which joins the graph to the memory.
//!
//! The graph ([`saltus_graph`]) says who is to be connected with whom; the memory ([`saltus_memory`]) moves messages.
//! What is here reads what other processes say of themselves, tells the graph, carries out what it answers, and keeps
//! one thread for what must happen while nobody calls.
//!
//! | module | what it knows |
//! |---|---|
//! | `registry` | what processes say of themselves, in records |
//! | `watch` | differences of the graph, and who is woken for them |
//! | `events`, `ends` | the endpoints of this process: what moves messages, and what is watched and told of them |
//! | `host` | what all threads share; commands of the graph; other members |
//! | `presence`, `housekeeping` | staying in the domain, leaving it, and the thread that looks after it |
//! | `endpoint`, `publisher`, `subscription`, `participant` | what the rooms above use |
//! | `observe`, `report` | what is known of all, and what all have counted, as a look from outside finds it |

mod endpoint;
mod ends;
mod events;
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

pub use endpoint::{EndpointSpec, Foreign, NodeSpec, OpenError, TypeText};
pub use host::EventHandler;
pub use join_error::JoinError;
pub use observe::{observe, observe_description};
pub use participant::{NodeEntry, Offer, Participant, Past, Shown, WeakParticipant};
pub use publisher::{Loan, Publisher, PublisherStatus};
pub use report::{ConnectionReport, EndpointReport, Mismatch, ProcessReport, Report, UnreachableMember};
pub use rustix::event::{PollFd, PollFlags};
pub use saltus_graph::{
    Channel, Difference, EndpointEvent, EndpointId, EndpointInfo, EndpointKind, Entity, Graph, GraphEvent,
    NodeInfo, OfferInfo, OfferedService, Origin, may_meet,
};
pub use saltus_memory::{
    arena::MemoryError,
    latency::Latency,
    membership::DomainId,
    os::{
        clock::{monotonic_now, system_now},
        folder::GraphOwner,
        group::group_id,
        sched::{Placement, PlacementError, SchedulingPolicy},
        signal::{Signals, on_termination, restore_termination},
    },
    protocol::holders::MAX_SUBSCRIPTIONS,
    sample::Sample,
    sender::{PublishError, RequestId, Stamp},
    usability::Unusable,
    waiter::{CpuCounts, WaitStrategy, Waiter, Waker},
};
pub use subscription::{Subscription, SubscriptionStatus};
pub use watch::GraphWatch;
