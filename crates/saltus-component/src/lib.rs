//! Components: nodes that a program creates by name, and that a container loads and unloads while it runs.
//!
//! | module | content |
//! |---|---|
//! | `options` | the settings that a component gets for its node |
//! | `component` | the trait of components, and their factories |
//! | `registry` | the components that are part of a program, by package and plugin name |
//! | `running` | a loaded component, on the executor of the container or on its own |
//! | `manager` | a node with the services of a container: load, unload, list |

mod component;
mod manager;
mod options;
mod registry;
mod running;

pub use component::{Component, ComponentError, Factory};
pub use manager::ComponentManager;
pub use options::NodeOptions;
pub use registry::{LoadError, Loader, Registry};
pub use running::Isolation;
