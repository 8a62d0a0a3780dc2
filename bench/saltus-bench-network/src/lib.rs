//! Networks for tests and benchmarks, on one machine: hosts that have only their network for themselves, and links with
//! losses, a delay and a rate.
//!
//! A host is a network namespace. All are in one user namespace, so nothing of the system changes, and no other process sees
//! them. They end with their [`Network`]. A link is a pair of virtual interfaces. One with a delay is a pair of TUN devices instead, between
//! which the program `saltus-delay` carries packets. `nft` drops packets at random, and `tc` limits the rate.
//!
//! | module | content |
//! |---|---|
//! | `error` | why a network can't be made |
//! | `host` | a namespace, and commands in it |
//! | `link` | a link between two |
//! | `network` | hosts with their links |

mod error;
mod host;
mod link;
mod network;

pub use error::NetworkError;
pub use link::{LinkOptions, has_congestion_control};
pub use network::Network;
