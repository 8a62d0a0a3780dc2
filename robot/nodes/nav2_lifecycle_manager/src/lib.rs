//! Brings up lifecycle nodes in order, and watches them, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `settings` | the values of the parameters |
//! | `remote` | a managed node: its state, its transitions, its bond |
//! | `manager` | all managed nodes |
//! | `worker` | the thread that manages them |
//! | `component` | the component |

mod component;
mod manager;
mod remote;
mod settings;
#[cfg(test)]
mod tests;
mod worker;

pub use component::LifecycleManager;

saltus::component!("nav2_lifecycle_manager::LifecycleManager", LifecycleManager);
