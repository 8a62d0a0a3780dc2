//! The components that are part of a program.

use std::collections::BTreeMap;

use crate::{Component, Factory, Plugin};

/// Why a component can't be found. The texts are those of ROS 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// There is no such package, or it has no components.
    #[error("Could not find requested resource in ament index")]
    UnknownPackage,
    /// The index of packages has an entry of the package that can't be read.
    #[error("Invalid resource entry")]
    InvalidEntry,
    /// The package has no component with this plugin name.
    #[error("Failed to find class with the requested plugin name.")]
    UnknownPlugin,
    /// The library of the component can't be loaded.
    #[error("Failed to load library: {0}")]
    Library(String),
}

/// Finds components by name.
pub trait Loader: Send {
    /// Returns the factory of a component, such as `demo::Talker` of the package `demo`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such component.
    fn factory(&mut self, package: &str, plugin: &str) -> Result<Factory, LoadError>;
}

/// Components that are compiled into the program.
///
/// ```
/// use saltus::component::{LoadError, Loader, Registry};
/// let mut registry = Registry::default();
/// assert_eq!(registry.factory("demo", "demo::Talker").unwrap_err(), LoadError::UnknownPackage);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    packages: BTreeMap<String, BTreeMap<String, Factory>>,
}

impl Registry {
    /// Returns the components of this process that are registered with the macro [`component!`](crate::component!).
    pub fn linked() -> Self {
        let mut registry = Self::default();
        for plugin in Plugin::all() {
            let plugins = registry.packages.entry(plugin.package().into()).or_default();
            plugins.insert(plugin.name().into(), plugin.factory());
        }
        registry
    }

    /// Adds a component. A component of the same name is replaced.
    #[must_use]
    pub fn with<T: Component>(mut self, package: &str, plugin: &str) -> Self {
        let plugins = self.packages.entry(package.into()).or_default();
        plugins.insert(plugin.into(), Factory::of::<T>());
        self
    }
}

impl Loader for Registry {
    fn factory(&mut self, package: &str, plugin: &str) -> Result<Factory, LoadError> {
        let plugins = self.packages.get(package).ok_or(LoadError::UnknownPackage)?;
        plugins.get(plugin).cloned().ok_or(LoadError::UnknownPlugin)
    }
}
