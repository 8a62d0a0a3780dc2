//! Servers: lifecycle nodes with a bond, a thread of their own, actions with one goal at a time, and plugins.
//!
//! | module | content |
//! |---|---|
//! | `managed` | lifecycle nodes that own something while they are configured, and have a bond while they are active |
//! | `worker` | a thread for some callbacks of a node |
//! | `tasks` | an action server that does one goal at a time |
//! | `calls` | goals that a node sends to other nodes, without waiting on its thread |
//! | `parameters` | parameters that are declared where they are read |
//! | `plugins` | algorithms by name |

mod calls;
mod managed;
#[cfg(test)]
mod managed_tests;
mod parameters;
mod plugins;
mod tasks;
#[cfg(test)]
mod tests;
mod worker;

pub use calls::{GoalCall, Progress};
pub use managed::{Managed, ManagedNode, manage, on_panic};
pub use parameters::{Parameters, plugin_type};
pub use plugins::{Making, Named, PluginError, Plugins};
pub use tasks::{Ended, Tasks};
pub use worker::{Worker, WorkerError};
