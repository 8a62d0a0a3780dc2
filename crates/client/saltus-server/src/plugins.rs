//! Algorithms by name.

use std::{collections::BTreeMap, sync::Arc};

use saltus::component::ComponentError;

use crate::parameters::{Parameters, plugin_type};

/// The name and the parameters of a plugin that is being created.
#[derive(Debug)]
pub struct PluginConfig<'a> {
    /// The parameters of the plugin.
    pub parameters: Parameters,
    /// The name of the plugin, such as `FollowPath`.
    pub name: &'a str,
}

type Constructor<T> = Arc<dyn Fn(&PluginConfig<'_>) -> Result<T, ComponentError> + Send + Sync>;

/// The types of plugins that a node knows, by their names.
///
/// A node has its own types. A user adds other types, and registers a component that uses them:
///
/// ```
/// use saltus_server::{PluginConfig, Parameters, Plugins};
/// # let folder = tempfile::tempdir()?;
/// # let context = saltus::context::ContextOptions::default().folder(folder.path()).create()?;
/// let node = context.node("server").create()?;
/// let mut plugins = Plugins::<f64>::default();
/// plugins.add("my_package::Constant", |config| Ok(config.parameters.get("value", 1.5)?));
/// assert_eq!(plugins.create("my_package::Constant", &node, "Half")?, 1.5);
/// assert!(plugins.create("other::Type", &node, "Half").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Plugins<T>(BTreeMap<String, Constructor<T>>);

/// A plugin with its name and its type.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// The name, such as `FollowPath`.
    pub name: String,
    /// The name of the type.
    pub kind: String,
    /// The plugin.
    pub plugin: T,
}

/// The reason why there is no plugin.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// The type is unknown.
    #[error(
        "According to the loaded plugin descriptions the class {kind} does not exist. Declared types are {known}"
    )]
    Unknown {
        /// The type.
        kind: String,
        /// The known types, with spaces between them.
        known: String,
    },
    /// The plugin can't be created with these parameters.
    #[error("Failed to create {name}: {source}")]
    Create {
        /// The name of the plugin.
        name: String,
        /// The reason.
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
    /// Adds a type. A type with the same name is replaced.
    pub fn add(
        &mut self,
        kind: &str,
        create: impl Fn(&PluginConfig<'_>) -> Result<T, ComponentError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.0.insert(kind.to_owned(), Arc::new(create));
        self
    }

    /// Whether there is a type.
    pub fn has(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// Creates a plugin of a type. Its parameters are those of the node whose names begin with the name of the plugin.
    ///
    /// # Errors
    ///
    /// Returns an error if the type is unknown, or if the parameters are wrong.
    pub fn create(&self, kind: &str, node: &saltus::Node, name: &str) -> Result<T, PluginError> {
        // Older files say `package/Type`.
        let create = self.0.get(kind).or_else(|| self.0.get(&kind.replace('/', "::")));
        let create = create.ok_or_else(|| PluginError::Unknown {
            kind: kind.to_owned(),
            known: self.0.keys().map(String::as_str).collect::<Vec<_>>().join(" "),
        })?;
        let config = PluginConfig { parameters: Parameters::for_plugin(node, name), name };
        create(&config).map_err(|source| PluginError::Create { name: name.to_owned(), source })
    }

    /// Creates the plugins that the parameter `list` names. `defaults` are the names and the types of the default plugins. `created` is
    /// called with the name and the type of each plugin.
    ///
    /// # Errors
    ///
    /// Returns an error if a plugin has no type, or if it can't be created.
    pub fn create_all(
        &self,
        parameters: &Parameters,
        list: &str,
        defaults: &[(&str, &str)],
        created: impl Fn(&str, &str),
    ) -> Result<Vec<Named<T>>, ComponentError> {
        let names: Vec<&str> = defaults.iter().map(|(name, _)| *name).collect();
        let create = |name: String| {
            let kind = plugin_type(parameters, &name, defaults)?;
            let plugin = self.create(&kind, parameters.node(), &name)?;
            created(&name, &kind);
            Ok(Named { name, kind, plugin })
        };
        parameters.texts(list, &names)?.into_iter().map(create).collect()
    }
}

/// Returns the index of the plugin with a name. An empty name stands for the only plugin, if there is only one.
pub fn find_plugin<T>(plugins: &[Named<T>], name: &str) -> Option<usize> {
    match plugins {
        [_] if name.is_empty() => Some(0),
        _ => plugins.iter().position(|plugin| plugin.name == name),
    }
}
