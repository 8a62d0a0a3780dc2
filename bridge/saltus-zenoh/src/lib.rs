//! A bridge between a domain of this host and a network over Zenoh, with the conventions of `rmw_zenoh`.
//!
//! A [`Bridge`] is a relay with two sides: the domain, and the network. ROS 2 nodes on `rmw_zenoh` and nodes of other hosts see
//! the nodes of the domain, and the domain sees them. What a node on Zenoh writes and reads is in [`saltus_rmw`].
//!
//! | module | what it contains |
//! |---|---|
//! | `access` | which host may pass what |
//! | `keys` | keys and certificates of hosts |
//! | `rules` | what passes, in YAML |
//! | `lock` | the lock of the one bridge between a domain and a network |
//! | `session` | the options of a bridge, and the configuration of its Zenoh session |
//! | `heap` | the memory that nobody uses |
//! | `sockets` | what waits in the sockets of zenoh |
//! | `table` | what others announce, as changes for the relay |
//! | `types` | descriptions of types that only the network knows |
//! | `hosts` | the hosts of other bridges: which are there, and which were lost |
//! | `connections` | the connections to other sessions, and why there is none |
//! | `clocks` | how far the clocks of other hosts are ahead |
//! | `peers` | what each session has announced and sent |
//! | `report` | what a bridge tells about itself |
//! | `link` | the session with what all its entities share: their tokens and keys |
//! | `by_hash` | what is declared once more for each other hash of a type |
//! | `worker` | threads that do what may wait for others |
//! | `sending` | what is published for local publishers |
//! | `buffers` | the keys on which nodes of Lyrical and later send bytes |
//! | `route`, `early`, `receiving` | what is received for local subscriptions |
//! | `anonymous` | programs that call a service and announce no client |
//! | `call` | requests and responses: queryables for local servers, and queries for local clients |
//! | `network` | the network as a side of a relay |
//! | `bridge` | a bridge and its threads |

#![allow(unsafe_code, reason = "only `heap` and `sockets` use it; each block has its reason")]

mod access;
mod anonymous;
mod bridge;
mod buffers;
mod by_hash;
mod call;
mod clocks;
mod connections;
mod early;
mod heap;
mod hosts;
mod keys;
mod link;
mod lock;
mod network;
mod peers;
mod receiving;
mod report;
mod route;
mod rules;
mod sending;
mod session;
mod sockets;
mod table;
mod types;
mod worker;

pub use bridge::{Bridge, BridgeError};
pub use keys::{HostKeys, KeysError, make_keys};
pub use lock::Holder;
pub use rules::Passing;
pub use session::{DEFAULT_NETWORK, Mode, Options, SessionError, is_of_this_machine};
