//! The values of the parameters.

use std::time::Duration;

use saltus::{Node, param::ParameterError};
use saltus_server::Parameters;

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

impl Settings {
    /// Declares the parameters, and returns their values.
    pub(crate) fn declare(node: &Node) -> Result<Self, ParameterError> {
        let parameters = Parameters::new(node);
        Ok(Self {
            names: parameters.texts("node_names", &[])?,
            autostart: parameters.get("autostart", false)?,
            // As in Nav2, there are no bonds if it is 0 or negative.
            bond_timeout: parameters
                .unless_negative("bond_timeout", 4.0)?
                .map_or(Duration::ZERO, Duration::from_secs_f64),
            reconnects: parameters.get("attempt_respawn_reconnection", true)?,
            respawn_duration: parameters.seconds("bond_respawn_max_duration", 10.0)?,
        })
    }
}
