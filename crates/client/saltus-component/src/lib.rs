//! Components: nodes that a program creates by name, and that a container loads and unloads while it runs.
//!
//! | module | content |
//! |---|---|
//! | `options` | the settings that a component gets for its node |
//! | `component` | the trait of components, and their factories |
//! | `plugin` | the components that are registered with the macro `component!` |
//! | `registry` | the components that are part of a program, by package and plugin name |
//! | `running` | a loaded component, on the executor of the container or on its own |
//! | `compose` | programs of components that are compiled in |
//! | `backend` | the trait of backends, which create the components of a container |
//! | `in_process` | the backend for components in the process of their container |
//! | `work` | the loads and unloads of a container that run, for which its end waits |
//! | `manager` | a node with the services of a container: load, unload, list |

mod backend;
mod component;
mod compose;
mod in_process;
mod manager;
mod options;
#[doc(hidden)]
pub mod plugin;
mod registry;
mod running;
mod work;

pub use backend::{Backend, Create, Loaded, LoadedComponent};
pub use component::{Component, ComponentError, Factory};
pub use compose::{ManualComposition, run, run_factory};
pub use in_process::InProcess;
pub use manager::ComponentManager;
pub use options::NodeOptions;
pub use plugin::Plugin;
pub use registry::{LoadError, Loader, Registry};
pub use running::Isolation;
