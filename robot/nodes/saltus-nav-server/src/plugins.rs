//! The plugins of a server, which a parameter names.

use saltus::component::ComponentError;
use saltus_server::{Named, Parameters, Plugins};

/// A list of plugins of a server.
#[derive(Clone, Copy, Debug)]
pub struct PluginList<'a> {
    /// The parameter with the names of the plugins.
    pub parameter: &'a str,
    /// The names and the types of the default plugins.
    pub defaults: &'a [(&'a str, &'a str)],
    /// The kind of plugin, as the log of ROS 2 names it before the name of a plugin, such as `controller :`.
    pub kind: &'a str,
    /// The server and the plugins, as the log of ROS 2 names them, such as `Controller Server` and `controllers`.
    pub owner: (&'a str, &'a str),
}

impl PluginList<'_> {
    /// Creates the plugins, and logs their names.
    ///
    /// # Errors
    ///
    /// Returns an error if a plugin has no type, or if it can't be created.
    pub fn create<T>(
        &self,
        parameters: &Parameters,
        plugins: &Plugins<T>,
    ) -> Result<Vec<Named<T>>, ComponentError> {
        let Self { parameter, defaults, kind, owner: (server, plural) } = *self;
        let logger = parameters.node().logger();
        let log = |name: &str, class: &str| saltus::info!(logger, "Created {kind} {name} of type {class}");
        let created = plugins.create_all(parameters, parameter, defaults, log)?;
        let names: Vec<&str> = created.iter().map(|named| named.name.as_str()).collect();
        saltus::info!(logger, "{server} has {} {plural} available.", names.join(" "));
        Ok(created)
    }
}
