//! The trait of components, and their factories.

use std::{
    error::Error,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use saltus_node::Node;
use saltus_types::panic_text;

use crate::NodeOptions;

/// Why a component could not be created.
pub type ComponentError = Box<dyn Error + Send + Sync>;

/// A node that is created by name, with settings that the user has chosen. It is the same whether it runs in a process of
/// its own or in a container.
///
/// ```no_run
/// use saltus::{Node, Publisher, Timer, component::{Component, ComponentError, NodeOptions}};
/// use saltus::msgs::std_msgs::msg::UInt64;
/// use std::time::Duration;
/// struct Counter {
///     node: Node,
///     _timer: Timer,
/// }
/// impl Component for Counter {
///     fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
///         let node = options.node("counter").create()?;
///         let numbers = node.publisher::<UInt64>("numbers").create()?;
///         let mut data = 0;
///         let timer = node.wall_timer(Duration::from_millis(100)).callback(move || {
///             data += 1;
///             let _ = numbers.publish(&UInt64 { data });
///         })?;
///         Ok(Self { node, _timer: timer })
///     }
///
///     fn node(&self) -> &Node {
///         &self.node
///     }
/// }
/// ```
pub trait Component: Send + Sized + 'static {
    /// Creates the component and its node. The node must be created with `options.node(name)`.
    ///
    /// # Errors
    ///
    /// Returns an error if the component can't work with these settings.
    fn new(options: &NodeOptions) -> Result<Self, ComponentError>;

    /// Returns the node, whose callbacks the executor runs.
    fn node(&self) -> &Node;
}

/// A component of any type.
pub(crate) trait Instance: Send {
    fn node(&self) -> &Node;
}

impl<T: Component> Instance for T {
    fn node(&self) -> &Node {
        Component::node(self)
    }
}

/// A component of [`Factory::from_fn`].
struct Foreign<T> {
    _object: T,
    node: Node,
}

impl<T: Send> Instance for Foreign<T> {
    fn node(&self) -> &Node {
        &self.node
    }
}

type Create = dyn Fn(&NodeOptions) -> Result<Box<dyn Instance>, ComponentError> + Send + Sync;

/// Creates components of one type.
#[derive(Clone)]
pub struct Factory(Arc<Create>);

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factory").finish_non_exhaustive()
    }
}

impl Factory {
    /// Returns the factory of a type.
    pub fn of<T: Component>() -> Self {
        Self(Arc::new(|options| Ok(Box::new(T::new(options)?))))
    }

    /// Returns the factory of components that are not of a type in Rust. `create` creates a component: its node, and an object
    /// that is dropped with the component.
    pub fn from_fn<T: Send + 'static>(
        create: impl Fn(&NodeOptions) -> Result<(Node, T), ComponentError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |options| {
            let (node, object) = create(options)?;
            Ok(Box::new(Foreign { _object: object, node }))
        }))
    }

    /// Creates a component. A panic of its constructor is an error.
    pub(crate) fn create(&self, options: &NodeOptions) -> Result<Box<dyn Instance>, ComponentError> {
        // What a constructor that panics has created is dropped while the panic unwinds.
        match catch_unwind(AssertUnwindSafe(|| self.0(options))) {
            Ok(created) => created,
            Err(panic) => Err(panic_text(&*panic).into()),
        }
    }
}
