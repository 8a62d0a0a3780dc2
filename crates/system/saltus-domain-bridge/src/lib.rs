//! A bridge that forwards topics, services and actions between domains of a host.
//!
//! A [`DomainBridge`] joins each of its domains and watches their graphs. If a rule matches an entity of one domain,
//! the bridge shows a replica of the entity in the other domain. The replica has the same gid, belongs to a node with
//! the same name, and is marked with its origin. Messages, requests and responses are copied once, from the memory of
//! the sender into the memory of the bridge in the other domain. They keep their source time and sequence number.
//!
//! The bridge forwards only the entities of a domain itself, not the replicas that this or another bridge shows there.
//! So no message passes two bridges, and there are no loops, for any number of domains.
//!
//! | module | what it contains |
//! |---|---|
//! | `name` | patterns for names, and the remapping of names |
//! | `rule` | the rules that select what is forwarded |
//! | `config` | the configuration, in the YAML format of ROS 2's `domain_bridge` |
//! | `model` | the nodes and endpoints of a domain, without replicas |
//! | `side` | the context and the node of the bridge in one domain, and replicas there |
//! | `forwarder`, `topic` | replicas of publishers and subscriptions, and the forwarding of messages |
//! | `service` | replicas of clients and servers, and the forwarding of requests and responses |
//! | `bridge` | all domains of a bridge, and the flows between them |

mod bridge;
mod config;
mod forwarder;
mod model;
mod name;
mod rule;
mod service;
mod side;
mod topic;

pub use bridge::{BridgeError, BridgeOptions, DomainBridge, Stopper};
pub use config::{Config, LinkConfig};
pub use name::{Pattern, PatternError};
pub use rule::{GraphId, GraphIdError, Kind, QosChange, Rule};
pub use saltus_yaml::FileError;
