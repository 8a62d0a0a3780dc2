//! Lifecycle nodes, which ROS 2 also calls managed nodes.
//!
//! | module | content |
//! |---|---|
//! | `gate` | whether the publishers of a node may publish |
//! | `publisher` | publishers that publish only while their node is active |
//! | `services` | the five services of a lifecycle node |
//! | `node` | a node with a state machine: its callbacks, its transitions and its topic `transition_event` |

mod gate;
mod node;
mod publisher;
mod services;

pub use node::{CallbackResult, Lifecycle, LifecycleNode, WeakLifecycleNode};
pub use publisher::LifecyclePublisher;
