//! One host: channels between processes, doorbells and the graph registry, in shared memory.
//!
//! There is no daemon. Each process owns one file in `/dev/shm`: a registry that says what it has
//! (nodes, endpoints, queues), and the memory of its messages. Everybody maps everybody's file.
//! A publisher writes a message once into its own file and queues its *offset* for each
//! subscription; the subscription reads it there. Whoever sleeps is woken by a futex in their own
//! file; whoever is awake costs no system call.
//!
//! | module | what it knows |
//! |---|---|
//! | `protocol` | the three protocols between processes, model-checked: doorbell, queue, record |
//! | `os` | Linux: files, mappings, futexes, locks, pipes, fork |
//! | `membership`, `header` | who is there, and the proof that somebody is not |
//! | `registry` | what each process says of itself |
//! | `arena`, `slab`, `chunk`, `resources` | the memory of a segment, and whose it is at the moment |
//! | `publisher`, `loan`, `connection`, `subscription`, `sample`, `waiter` | what the rooms above use |
//! | `counters`, `latency`, `events`, `monitor` | what is counted, told and watched of them |
//! | `participant`, `presence`, `shared`, `housekeeping` | this process among the others: joining, leaving, matching |
//! | `link`, `usability` | the way to others, and whether handles may be used |
//! | `graph`, `report` | what is known of all, and what all have counted |
//!
//! **Invariant of the whole:** any process may be killed at any instant. Others lose what it had
//! not sent, wait for nothing of it, and get back what it held; its files are removed by whoever
//! notices first.

#![cfg_attr(
    any(test, not(loom)),
    expect(unsafe_code, reason = "memory shared with other processes can only be reached through pointers")
)]

#[cfg_attr(loom, expect(dead_code, reason = "the model checker runs the protocols alone"))]
mod protocol;

#[cfg(not(loom))]
mod arena;
#[cfg(not(loom))]
mod chunk;
#[cfg(not(loom))]
mod connection;
#[cfg(not(loom))]
mod counters;
#[cfg(not(loom))]
mod events;
#[cfg(not(loom))]
mod graph;
#[cfg(not(loom))]
mod header;
#[cfg(not(loom))]
mod housekeeping;
#[cfg(not(loom))]
mod latency;
#[cfg(all(test, not(loom)))]
mod layout;
#[cfg(not(loom))]
mod link;
#[cfg(not(loom))]
mod loan;
#[cfg(not(loom))]
mod membership;
#[cfg(not(loom))]
mod monitor;
#[cfg(not(loom))]
mod os;
#[cfg(not(loom))]
mod participant;
#[cfg(not(loom))]
mod presence;
#[cfg(not(loom))]
mod publisher;
#[cfg(not(loom))]
mod registry;
#[cfg(not(loom))]
mod report;
#[cfg(not(loom))]
mod resources;
#[cfg(not(loom))]
mod sample;
#[cfg(not(loom))]
mod shared;
#[cfg(not(loom))]
mod slab;
#[cfg(not(loom))]
mod subscription;
#[cfg(not(loom))]
mod usability;
#[cfg(not(loom))]
mod waiter;

#[cfg(not(loom))]
mod exports {
    pub use crate::{
        arena::MemoryError,
        events::EndpointEvent,
        graph::{EventHandler, Graph, GraphEvent},
        latency::Latency,
        loan::Loan,
        membership::DomainId,
        os::{
            clock::{monotonic_now, system_now},
            folder::GraphOwner,
            group::group_id,
            sched::{Placement, PlacementError, SchedulingPolicy},
            signal::{Signals, on_termination, restore_termination},
        },
        participant::{
            Channel, EndpointSpec, JoinError, NodeEntry, Offer, OpenError, Participant, TypeText,
            WeakParticipant,
        },
        protocol::holders::MAX_SUBSCRIPTIONS,
        publisher::{PublishError, Publisher, PublisherStatus, RequestId},
        registry::{EndpointInfo, EndpointKind, NodeInfo},
        report::{ConnectionReport, EndpointReport, Mismatch, ProcessReport, Report, UnreachableMember},
        sample::Sample,
        subscription::{Subscription, SubscriptionStatus},
        waiter::{Meetings, WaitStrategy, Waiter, Waker},
    };
    pub use rustix::event::{PollFd, PollFlags};
}

#[cfg(not(loom))]
pub use exports::*;

/// A door for the fuzz targets, so that what they reach need not be public.
#[cfg(not(loom))]
#[doc(hidden)]
pub mod fuzzing {
    /// Reads bytes as a registry entry.
    pub fn registry_entry(bytes: &[u8]) {
        // An error is a fine answer.
        let _ = crate::registry::Entry::from_bytes(bytes);
    }
}
