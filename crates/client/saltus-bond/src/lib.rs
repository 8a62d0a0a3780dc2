//! Bonds: two nodes that learn when the other one is gone, as with ROS 2's package `bond`.
//!
//! Both nodes publish heartbeats on one topic, with the same id. A node that ends its bond publishes that. The bond also breaks if
//! the heartbeats of one node stop.
//!
//! | module | content |
//! |---|---|
//! | `machine` | the states of a bond; without I/O |
//! | `bonds` | the bonds of a node |
//! | `managed` | the bond of a managed node with its lifecycle manager |
//!
//! ```
//! use std::time::Duration;
//! use saltus::{Context, Executor, SingleThreadedExecutor, context::ContextOptions};
//! use saltus_bond::{BondSettings, Bonds};
//! # let folder = tempfile::tempdir()?;
//! # let context = ContextOptions::default().folder(folder.path()).create()?;
//! let (one, other) = (context.node("one").create()?, context.node("other").create()?);
//! let (bonds, others) = (Bonds::new(&one, "bond")?, Bonds::new(&other, "bond")?);
//! let bond = bonds.start("other", BondSettings::default())?;
//! let _other_side = others.start("other", BondSettings::default())?;
//! let mut executor = SingleThreadedExecutor::new(&context)?;
//! executor.add_node(&one);
//! executor.add_node(&other);
//! while !bond.is_formed() {
//!     executor.spin_once(Some(Duration::from_secs(1)))?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bonds;
mod machine;
mod managed;
#[cfg(test)]
mod tests;

pub use bonds::{Bond, Bonds};
pub use machine::BondSettings;
pub use managed::ManagedBond;
