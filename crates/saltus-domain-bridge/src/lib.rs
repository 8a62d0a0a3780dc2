//! Passes topics, services and actions on from one domain of a host to another.
//!
//! A [`DomainBridge`] takes part in each of its domains, and watches who is there. For each entity of one that a rule names
//! it shows one in the other, with the same gid, below a node of the same name, marked with its origin. Messages, requests
//! and responses are copied once, from the memory of whoever sent them into the memory that the bridge has in the other
//! domain, with the time and number that they have.
//!
//! It passes on only what the domain itself has, never what this or another bridge shows there: no message passes two
//! bridges, so there is no loop, however many domains are joined.
//!
//! | module | what it knows |
//! |---|---|
//! | `name` | patterns of names, and what a name is remapped to |
//! | `rule` | what is passed on |
//! | `config` | the YAML form of ROS 2's `domain_bridge` |
//! | `model` | what a domain itself has |
//! | `side` | the bridge's part in one domain |
//! | `pump`, `topic` | publishers of one domain in another |
//! | `service` | clients and servers of one domain in another |
//! | `bridge` | all domains and the flows between them |

mod bridge;
mod config;
mod model;
mod name;
mod pump;
mod rule;
mod service;
mod side;
mod topic;

pub use bridge::{BridgeError, BridgeOptions, DomainBridge, Stopper};
pub use config::{Config, LinkConfig};
pub use name::{Pattern, PatternError};
pub use rule::{Kind, Place, PlaceError, QosChange, Rule};
pub use saltus_yaml::FileError;
