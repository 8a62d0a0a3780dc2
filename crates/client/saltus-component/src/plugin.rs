//! The components of this process that are registered with the macro `component!`.

use crate::{Component, Factory};

#[doc(hidden)]
pub use inventory;

/// A component that the macro [`component!`](crate::component!) has registered. Loading a library registers its
/// components.
#[derive(Debug)]
pub struct Plugin {
    package: &'static str,
    name: &'static str,
    factory: fn() -> Factory,
}

inventory::collect!(Plugin);

impl Plugin {
    #[doc(hidden)]
    pub const fn new<T: Component>(package: &'static str, name: &'static str) -> Self {
        Self { package, name, factory: Factory::of::<T> }
    }

    /// Returns all components that are registered in this process, in no order.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        inventory::iter::<Self>.into_iter()
    }

    /// Returns the component with this name, if it is registered in this process.
    pub fn find(package: &str, name: &str) -> Option<&'static Self> {
        Self::all().find(|plugin| plugin.package == package && plugin.name == name)
    }

    /// Returns the name of the package of the component. It is the name of the crate, unless the macro was given another.
    pub fn package(&self) -> &'static str {
        self.package
    }

    /// Returns the plugin name, such as `demo::Talker`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the factory of the component.
    pub fn factory(&self) -> Factory {
        (self.factory)()
    }
}

/// Registers a component under a plugin name, so that containers find it by the name of the package and by this name.
///
/// It works in a library, in a program, and in a library that a container loads. The package is the crate, unless another
/// one is given: `component!("demo::Idle", Idle, package = "demo_2022")` keeps a name that the package had before.
///
/// ```
/// use saltus::{Node, component::{Component, ComponentError, NodeOptions, Plugin}};
/// struct Idle(Node);
/// impl Component for Idle {
///     fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
///         Ok(Self(options.node("idle").create()?))
///     }
///     fn node(&self) -> &Node {
///         &self.0
///     }
/// }
/// saltus::component!("demo::Idle", Idle);
/// # fn main() {
/// assert!(Plugin::find(env!("CARGO_PKG_NAME"), "demo::Idle").is_some());
/// # }
/// ```
#[macro_export]
macro_rules! component {
    ($name:literal, $component:ty) => {
        $crate::component!($name, $component, package = ::core::env!("CARGO_PKG_NAME"));
    };
    ($name:literal, $component:ty, package = $package:expr) => {
        $crate::plugin::inventory::submit! {
            $crate::Plugin::new::<$component>($package, $name)
        }
    };
}
