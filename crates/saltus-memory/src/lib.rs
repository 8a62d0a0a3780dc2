//! Memory shared by the processes of one host, and the protocols by which they exchange messages in it.
//!
//! There is no daemon. Each process owns one file in `/dev/shm`: records that say what it has, and the memory of its
//! messages. Everybody maps everybody's file. A sender writes a message once into its own file and queues its *offset*
//! for each receiver; the receiver reads it there. Whoever sleeps is woken by a futex in their own file; whoever is
//! awake costs no system call.
//!
//! This room knows no topic, no type and no quality of service. A sender and a receiver are connected because somebody
//! says so; what the bytes of records and messages mean is the business of the rooms above.
//!
//! | module | what it knows |
//! |---|---|
//! | `protocol` | the protocols between processes, model-checked: doorbell, queue, record, member table |
//! | `os` | Linux: files, mappings, futexes, locks, pipes, fork |
//! | `header`, `membership` | who is there, and the proof that somebody is not |
//! | `usability` | whether handles may be used |
//! | `arena`, `slab`, `chunk` | the memory of a segment, and whose it is at the moment |
//! | `counters`, `latency` | what is counted where every tool can read it |
//! | `records` | what each process tells the others |
//! | `link` | the way to another process, and how its threads are woken |
//! | `memory` | the memory of this process |
//! | `queue`, `retired`, `sender`, `loan` | the sending end |
//! | `sample`, `receiver` | the receiving end |
//! | `arrivals`, `waiter` | when a message is expected, and where a thread waits |
//!
//! **Invariant of the whole:** any process may be killed at any instant. Others lose what it had
//! not sent, wait for nothing of it, and get back what it held; its files are removed by whoever
//! notices first.

#![cfg_attr(
    any(test, not(loom)),
    expect(unsafe_code, reason = "memory shared with other processes can only be reached through pointers")
)]

#[cfg_attr(loom, expect(dead_code, reason = "the model checker runs the protocols alone"))]
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
