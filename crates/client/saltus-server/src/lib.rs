//! Servers: lifecycle nodes with a bond, a thread of their own, actions with one goal at a time, and plugins.
//!
//! | module | content |
//! |---|---|
//! | `managed` | lifecycle nodes that own something while they are configured, and have a bond while they are active |
//! | `worker` | a thread for some callbacks of a node |
//! | `goals` | an action server that does one goal at a time |
//! | `cycles` | an action server whose goals are done in cycles |
//! | `calls` | goals that a node sends to other nodes, without waiting on its thread |
//! | `parameters` | parameters that are declared where they are read |
//! | `plugins` | algorithms by name |

mod calls;
#[cfg(test)]
mod cycle_tests;
mod cycles;
mod goals;
mod managed;
#[cfg(test)]
mod managed_tests;
mod parameters;
mod plugins;
#[cfg(test)]
mod tests;
mod unused;
mod worker;

pub use calls::{GoalCall, Progress};
pub use cycles::{Cycle, CycleServer, CyclicWork, WorkHandle};
pub use goals::{GoalOutcome, GoalServer, Goals};
pub use managed::{Managed, ManagedNode, manage, on_panic};
pub use parameters::{Parameters, plugin_type, range};
pub use plugins::{Named, PluginConfig, PluginError, Plugins, find_plugin};
pub use worker::{Worker, WorkerError};
