//! A bridge that forwards topics, services and actions between domains of a host.
//!
//! A [`DomainBridge`] joins each of its domains and watches their graphs. What it shows and forwards is described in
//! [`saltus_relay`]: each domain is a side of a relay.
//!
//! | module | what it contains |
//! |---|---|
//! | `graph_id` | the identity of a graph: a domain of a user or of a group |
//! | `config` | the configuration, in the YAML format of ROS 2's `domain_bridge` |
//! | `bridge` | all domains of a bridge, each with a thread |

mod bridge;
mod config;
mod graph_id;

pub use bridge::{BridgeError, BridgeOptions, DomainBridge, Stopper};
pub use config::{Config, LinkConfig};
pub use graph_id::{GraphId, GraphIdError};
pub use saltus_relay::{Kind, Pattern, PatternError, QosChange, Rule};
pub use saltus_yaml::FileError;
