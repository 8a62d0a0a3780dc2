//! The bond of a managed node with its lifecycle manager.

use std::{sync::Mutex, time::Duration};

use saltus::{Node, component::ComponentError, param::ParameterError, types::lock};

use crate::{
    bonds::{Bond, Bonds},
    machine::BondSettings,
};

const PERIOD: &str = "bond_heartbeat_period";
/// The longest time between two heartbeats, in seconds.
const LONGEST: f64 = 3600.0;
/// The shortest time between two heartbeats, in seconds.
const SHORTEST: f64 = 0.001;

/// The bond of a managed node with its lifecycle manager: there is one while the node is active.
#[derive(Debug, Default)]
pub struct ManagedBond(
    /// The bond, and the topic that it needs. The bond is dropped first.
    Mutex<Option<(Bond, Bonds)>>,
);

impl ManagedBond {
    /// Declares the parameter `bond_heartbeat_period`, in seconds, at most an hour. There is no bond if it is 0 or negative.
    ///
    /// # Errors
    ///
    /// Returns an error if it was declared before.
    pub fn declare(node: &Node) -> Result<(), ParameterError> {
        node.parameter(PERIOD).floating_point_range(-LONGEST, LONGEST, 0.0).declare(0.1)?;
        Ok(())
    }

    /// Starts the bond. Its id is the name of the node. There is no timeout for heartbeats of the manager, because only the manager
    /// watches the node.
    ///
    /// # Errors
    ///
    /// Returns an error if the topic `bond` can't be opened.
    pub fn start(&self, node: &Node) -> Result<(), ComponentError> {
        let period: f64 = node.get_parameter(PERIOD)?;
        if period <= 0.0 {
            return Ok(());
        }
        if period < SHORTEST {
            return Err(format!("`{PERIOD}` must be 0, or at least {SHORTEST} s").into());
        }
        let bonds = Bonds::new(node, "bond")?;
        let settings = BondSettings {
            heartbeat_timeout: None,
            heartbeat_period: Duration::from_secs_f64(period),
            ..BondSettings::default()
        };
        let bond = bonds.start(node.name().base(), settings)?;
        *lock(&self.0) = Some((bond, bonds));
        Ok(())
    }

    /// Ends the bond.
    pub fn end(&self) {
        *lock(&self.0) = None;
    }
}
