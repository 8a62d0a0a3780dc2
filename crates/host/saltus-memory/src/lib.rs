//! Memory shared by the processes of one host, and the protocols by which they exchange messages in it.
//!
//! There is no daemon. Each context owns one file in `/dev/shm`, its segment. The segment contains records, which
//! describe its endpoints to other processes, and the memory of its messages. Each process maps the segments of all
//! others. A sender writes a message once, into its own segment, and queues the *offset* of the message for each
//! receiver. The receiver reads the message there. A thread that waits sleeps on a futex in the segment of its own
//! context. A system call is needed to wake a thread that sleeps, but not to notify a thread that is awake.
//!
//! This crate does not know topics, types or quality of service. The crates that use it decide which senders and
//! receivers are connected, and what the bytes of records and messages mean. In those crates, a sender is called a
//! publisher, and a receiver is called a subscription.
//!
//! | module | content |
//! |---|---|
//! | `protocol` | the protocols between processes, model-checked: doorbell, queue, record, member table |
//! | `os` | Linux: files, mappings, futexes, locks, pipes, fork |
//! | `header`, `membership` | the members of a domain, and how to find out that a member is dead |
//! | `usability` | whether the handles of a context may be used, for example after `fork` |
//! | `arena`, `slab`, `chunk` | the memory of a segment, and how it is allocated |
//! | `counters`, `latency` | counts that every process can read |
//! | `records` | the records by which a process describes itself to others |
//! | `link` | links to other members: their segments, and how to wake their threads |
//! | `memory` | the memory of this process |
//! | `queue`, `retired`, `sender`, `loan` | sending |
//! | `sample`, `receiver` | receiving |
//! | `arrivals`, `waiter` | when the next message is expected, and waiting for it |
//!
//! **Invariant:** any process may be killed at any instant. Then the other processes lose only what it had not sent.
//! They never wait for it, and they free what it held. The first process that notices the death removes its files.

#![cfg_attr(
    any(test, not(loom)),
    expect(unsafe_code, reason = "memory shared with other processes can only be reached through pointers")
)]

#[cfg_attr(loom, expect(dead_code, reason = "the model checker runs only the protocols"))]
pub mod protocol;

#[cfg(not(loom))]
pub mod arena;
#[cfg(not(loom))]
mod arrivals;
#[cfg(not(loom))]
mod chunk;
#[cfg(not(loom))]
pub mod counters;
#[cfg(not(loom))]
pub mod header;
#[cfg(not(loom))]
pub mod latency;
#[cfg(not(loom))]
pub mod link;
#[cfg(not(loom))]
pub mod loan;
#[cfg(not(loom))]
pub mod membership;
#[cfg(not(loom))]
pub mod memory;
#[cfg(not(loom))]
pub mod os;
#[cfg(not(loom))]
pub mod queue;
#[cfg(not(loom))]
pub mod receiver;
#[cfg(not(loom))]
pub mod records;
#[cfg(not(loom))]
pub mod retired;
#[cfg(not(loom))]
mod rotation;
#[cfg(not(loom))]
pub mod sample;
#[cfg(not(loom))]
pub mod sender;
#[cfg(not(loom))]
mod slab;
#[cfg(not(loom))]
pub mod usability;
#[cfg(not(loom))]
pub mod waiter;

#[cfg(not(loom))]
#[cfg(test)]
mod tests;
