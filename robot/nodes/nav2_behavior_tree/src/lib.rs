//! The nodes of Nav2's behavior trees, and the trees that navigation uses.
//!
//! | module | content |
//! |---|---|
//! | `kinds` | the kinds of values of ports |
//! | `ports` | the ports of the nodes |
//! | `node` | a node: its name, its kind and its ports |
//! | `actions` | nodes that call servers |
//! | `values` | nodes that read values and topics |
//! | `manifest` | all nodes |
//! | `trees` | the trees |
//! | `files` | trees in files |
//!
//! ```
//! use nav2_behavior_tree::{TREES, declare};
//! use saltus_behavior_tree::Factory;
//! let mut factory = Factory::<()>::new();
//! declare(&mut factory);
//! factory.load(TREES[0].1)?;
//! let tree = factory.check("MainTree")?;
//! assert_eq!(tree.nodes().next().unwrap().id, "RecoveryNode");
//! # Ok::<(), saltus_behavior_tree::LoadError>(())
//! ```

mod actions;
mod files;
mod kinds;
mod manifest;
mod node;
pub mod ports;
#[cfg(test)]
mod tests;
mod trees;
mod values;

pub use files::{FileError, load};
pub use manifest::{declare, nodes};
pub use node::Node;
pub use trees::TREES;
