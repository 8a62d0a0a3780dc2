//! The trait of backends, which create and run the components of a container.

use std::fmt;

use saltus_msgs::composition_interfaces::srv::LoadNode_Request;

/// Creates a component, with the id that it gets. The request is that of [`Backend::find`]. Returns the text of an error.
pub type Create<'a> = Box<dyn FnOnce(u64, LoadNode_Request) -> Result<Loaded, String> + 'a>;

/// A backend of a container: creates and runs its components, in the process of the container or in processes of their own.
pub trait Backend: Send + Sync {
    /// Finds a component, and checks the extra arguments of the request. The returned closure creates the component.
    ///
    /// # Errors
    ///
    /// Returns ROS 2's text if there is no such component, or if an argument is wrong.
    fn find(&self, request: &LoadNode_Request) -> Result<Create<'_>, String>;
}

/// A component that was created.
pub struct Loaded {
    /// The full name of its node.
    pub name: String,
    /// The component itself.
    pub component: Box<dyn LoadedComponent>,
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A component that a container has loaded. Dropping it stops its callbacks, and removes its node from the graph.
pub trait LoadedComponent: Send {
    /// Stops its callbacks if they run on threads or in a process of its own. A container stops all its components before
    /// it drops the first.
    fn stop(&mut self);
}
