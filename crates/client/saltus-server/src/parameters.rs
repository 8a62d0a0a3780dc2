//! Parameters that are declared where they are read.

use std::time::Duration;

use saltus::{
    Node,
    param::{ParameterError, ParameterVariant},
};

/// The longest time of a parameter, in seconds.
const LONGEST: f64 = 86_400.0;

/// The parameters of a node or of a plugin. The names of a plugin's parameters begin with the name of the plugin.
///
/// ```
/// use saltus_server::Parameters;
/// # let folder = tempfile::tempdir()?;
/// # let context = saltus::context::ContextOptions::default().folder(folder.path()).create()?;
/// let node = context.node("controller_server").create()?;
/// let plugin = Parameters::for_plugin(&node, "FollowPath");
/// assert_eq!(plugin.get("max_vel_x", 0.26)?, 0.26);
/// node.set_parameter("FollowPath.max_vel_x", 0.3)?;
/// assert_eq!(plugin.get("max_vel_x", 0.26)?, 0.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parameters {
    node: Node,
    prefix: String,
}

impl Parameters {
    /// Returns the parameters of a node.
    pub fn new(node: &Node) -> Self {
        Self { node: node.clone(), prefix: String::new() }
    }

    /// Returns the parameters of a plugin.
    pub fn for_plugin(node: &Node, plugin: &str) -> Self {
        Self { node: node.clone(), prefix: format!("{plugin}.") }
    }

    /// Returns the parameters of a part of this plugin.
    #[must_use]
    pub fn part(&self, name: &str) -> Self {
        Self { node: self.node.clone(), prefix: format!("{}{name}.", self.prefix) }
    }

    /// Returns the node.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Returns the value of a parameter. Declares the parameter if that was not done before.
    ///
    /// # Errors
    ///
    /// Returns an error if the value has another type.
    pub fn get<T: ParameterVariant>(&self, name: &str, default: T) -> Result<T, ParameterError> {
        let name = format!("{}{name}", self.prefix);
        match self.node.has_parameter(&name) {
            true => self.node.get_parameter(&name),
            false => self.node.declare_parameter(&name, default),
        }
    }

    /// Returns the value of a text.
    ///
    /// # Errors
    ///
    /// See [`get`](Self::get).
    pub fn text(&self, name: &str, default: &str) -> Result<String, ParameterError> {
        self.get(name, default.to_owned())
    }

    /// Returns the value of a list of texts.
    ///
    /// # Errors
    ///
    /// See [`get`](Self::get).
    pub fn texts(&self, name: &str, default: &[&str]) -> Result<Vec<String>, ParameterError> {
        self.get(name, default.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    /// Returns a number of seconds as a duration: 0 if it is negative, and at most a day.
    ///
    /// # Errors
    ///
    /// See [`get`](Self::get).
    pub fn seconds(&self, name: &str, default: f64) -> Result<Duration, ParameterError> {
        let seconds: f64 = self.get(name, default)?;
        Ok(Duration::from_secs_f64(bounded(seconds, 0.0, LONGEST)))
    }

    /// Returns the time between two cycles. The parameter is a frequency in Hz. It is limited to the range from 0.01 to 1000.
    ///
    /// # Errors
    ///
    /// See [`get`](Self::get).
    pub fn period(&self, name: &str, default: f64) -> Result<Duration, ParameterError> {
        let frequency: f64 = self.get(name, default)?;
        Ok(Duration::from_secs_f64(1.0 / bounded(frequency, 0.01, 1000.0)))
    }

    /// Returns a whole number that is not negative; 0 if the parameter is negative.
    ///
    /// # Errors
    ///
    /// See [`get`](Self::get).
    pub fn count(&self, name: &str, default: u32) -> Result<u32, ParameterError> {
        let number: i64 = self.get(name, i64::from(default))?;
        Ok(u32::try_from(number.max(0)).unwrap_or(u32::MAX))
    }
}

/// Returns the nearest number in a range; `low` if the value is NaN.
fn bounded(value: f64, low: f64, high: f64) -> f64 {
    if value.is_nan() { low } else { value.clamp(low, high) }
}

/// Returns the type of a plugin: its parameter `plugin`. `defaults` are the names and the types of the default plugins. Another plugin
/// must have the parameter.
///
/// # Errors
///
/// Returns the text of ROS 2 if there is no type.
pub fn plugin_type(
    parameters: &Parameters,
    plugin: &str,
    defaults: &[(&str, &str)],
) -> Result<String, String> {
    let default = defaults.iter().find(|(name, _)| *name == plugin).map_or("", |(_, kind)| kind);
    let kind = parameters.part(plugin).text("plugin", default).map_err(|error| error.to_string())?;
    match kind.is_empty() {
        true => Err(format!("Can not get 'plugin' param value for {plugin}")),
        false => Ok(kind),
    }
}
