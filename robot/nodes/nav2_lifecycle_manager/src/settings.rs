//! The values of the parameters.

use std::time::Duration;

use saltus::{Node, param::ParameterError};

/// The values of the parameters.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The managed nodes, in the order in which they are brought up.
    pub(crate) names: Vec<String>,
    /// Whether the nodes are brought up as soon as they are there.
    pub(crate) autostart: bool,
    /// The longest time for which a node may be silent. If it is 0, there are no bonds.
    pub(crate) bond_timeout: Duration,
    /// Whether the nodes are brought up again after one was restarted.
    pub(crate) reconnects: bool,
    /// The longest time for which lost nodes are waited for.
    pub(crate) respawn_duration: Duration,
}

/// The longest time of a parameter, in seconds.
const LONGEST: f64 = 86_400.0;

impl Settings {
    /// Declares the parameters, and returns their values.
    pub(crate) fn declare(node: &Node) -> Result<Self, ParameterError> {
        let duration = |name: &str, default: f64| -> Result<Duration, ParameterError> {
            node.declare_parameter(name, default)?;
            let seconds: f64 = node.get_parameter(name)?;
            let seconds = if seconds.is_nan() { 0.0 } else { seconds.clamp(0.0, LONGEST) };
            Ok(Duration::from_secs_f64(seconds))
        };
        node.declare_parameter("node_names", Vec::<String>::new())?;
        node.declare_parameter("autostart", false)?;
        node.declare_parameter("attempt_respawn_reconnection", true)?;
        Ok(Self {
            names: node.get_parameter("node_names")?,
            autostart: node.get_parameter("autostart")?,
            bond_timeout: duration("bond_timeout", 4.0)?,
            reconnects: node.get_parameter("attempt_respawn_reconnection")?,
            respawn_duration: duration("bond_respawn_max_duration", 10.0)?,
        })
    }
}
