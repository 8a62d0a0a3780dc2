//! The vocabulary of a Saltus graph: names, QoS, time, gids and type hashes.
//!
//! Values only. Nothing here reads a clock, the environment or a file, so that every other
//! room can share these words without sharing their costs.

mod gid;
mod hash;
mod name;
mod qos;
mod time;

pub use gid::Gid;
pub use hash::{ParseTypeHashError, TypeHash};
pub use name::{NameError, NameErrorReason, NodeName, TopicName, validate_namespace, validate_node_name};
pub use qos::{Durability, History, QoS, QosMismatch, Reliability};
pub use time::Time;
