//! Algorithms by name.

use std::{collections::BTreeMap, sync::Arc};

use saltus::component::ComponentError;

use crate::parameters::{Parameters, plugin_type};

/// What a plugin is made from.
#[derive(Debug)]
pub struct Making<'a> {
    /// The parameters of the plugin.
    pub parameters: Parameters,
    /// Its name, such as `FollowPath`.
    pub name: &'a str,
}

type Maker<T> = Arc<dyn Fn(&Making<'_>) -> Result<T, ComponentError> + Send + Sync>;

/// The types of plugins that a node knows, by their names.
///
/// A node has its own ones. A user adds others, and registers a component that uses them:
///
/// ```
/// use saltus_server::{Making, Parameters, Plugins};
/// # let folder = tempfile::tempdir()?;
/// # let context = saltus::context::ContextOptions::default().folder(folder.path()).create()?;
/// let node = context.node("server").create()?;
/// let mut plugins = Plugins::<f64>::default();
/// plugins.add("my_package::Constant", |making| Ok(making.parameters.get("value", 1.5)?));
/// assert_eq!(plugins.make("my_package::Constant", &node, "Half")?, 1.5);
/// assert!(plugins.make("other::Type", &node, "Half").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Plugins<T>(BTreeMap<String, Maker<T>>);

/// A plugin with its name and its type.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// Its name, such as `FollowPath`.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// The plugin.
    pub plugin: T,
}

/// Why there is no plugin.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// The type is unknown.
    #[error(
        "According to the loaded plugin descriptions the class {kind} does not exist. Declared types are {known}"
    )]
    Unknown {
        /// The type.
        kind: String,
        /// The types that there are.
        known: String,
    },
    /// It can't be made with these parameters.
    #[error("Failed to create {name}: {source}")]
    Making {
        /// The name of the plugin.
        name: String,
        /// What it says.
        source: ComponentError,
    },
}

impl<T> std::fmt::Debug for Plugins<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<T> Clone for Plugins<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Plugins<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Plugins<T> {
    /// Adds a type. One with the same name is replaced.
    pub fn add(
        &mut self,
        kind: &str,
        make: impl Fn(&Making<'_>) -> Result<T, ComponentError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.0.insert(kind.to_owned(), Arc::new(make));
        self
    }

    /// Whether there is a type.
    pub fn has(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// Makes a plugin of a type, with the parameters of a node whose names begin with that of the plugin.
    ///
    /// # Errors
    ///
    /// Returns an error if the type is unknown, or if the parameters are wrong.
    pub fn make(&self, kind: &str, node: &saltus::Node, name: &str) -> Result<T, PluginError> {
        // Older files say `package/Type`.
        let make = self.0.get(kind).or_else(|| self.0.get(&kind.replace('/', "::")));
        let make = make.ok_or_else(|| PluginError::Unknown {
            kind: kind.to_owned(),
            known: self.0.keys().map(String::as_str).collect::<Vec<_>>().join(" "),
        })?;
        let making = Making { parameters: Parameters::of(node, name), name };
        make(&making).map_err(|source| PluginError::Making { name: name.to_owned(), source })
    }

    /// Makes the plugins that the parameter `list` names. `defaults` are the names and the types if the user says nothing else.
    /// `made` is told the name and the type of each.
    ///
    /// # Errors
    ///
    /// Returns an error if a plugin has no type, or if it can't be made.
    pub fn make_all(
        &self,
        parameters: &Parameters,
        list: &str,
        defaults: &[(&str, &str)],
        made: impl Fn(&str, &str),
    ) -> Result<Vec<Named<T>>, ComponentError> {
        let names: Vec<&str> = defaults.iter().map(|(name, _)| *name).collect();
        let make = |name: String| {
            let kind = plugin_type(parameters, &name, defaults)?;
            let plugin = self.make(&kind, parameters.node(), &name)?;
            made(&name, &kind);
            Ok(Named { name, kind, plugin })
        };
        parameters.texts(list, &names)?.into_iter().map(make).collect()
    }
}
