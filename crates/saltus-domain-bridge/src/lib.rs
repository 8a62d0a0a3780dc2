//! Passes topics, services and actions on from one domain of a host to another.
//!
//! A [`DomainBridge`] joins each of its domains and watches their graphs. If a rule names an entity of one domain, the
//! bridge shows a replica of it in the other domain. The replica has the same gid, belongs to a node of the same name, and
//! is marked with its origin. Messages, requests and responses are copied once, from the sender's memory into the bridge's
//! memory in the other domain. They keep their time and number.
//!
//! The bridge passes on only a domain's own entities, never replicas that it or another bridge shows there. So no message
//! passes two bridges, and there are no loops, however many domains are joined.
//!
//! | module | what it contains |
//! |---|---|
//! | `name` | patterns of names, and what a name is remapped to |
//! | `rule` | what is passed on |
//! | `config` | the YAML form of ROS 2's `domain_bridge` |
//! | `model` | the nodes and endpoints of a domain itself |
//! | `side` | the bridge's part in one domain |
//! | `pump`, `topic` | replicas of publishers and subscriptions, and their messages |
//! | `service` | replicas of clients and servers, and their requests and responses |
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
