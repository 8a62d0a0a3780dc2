//! The bond of a managed node with its lifecycle manager.

use std::{sync::Mutex, time::Duration};

use saltus::{Node, component::ComponentError, param::ParameterError, types::lock};

use crate::{
    bonds::{Bond, Bonds},
    machine::BondSettings,
};

const PERIOD: &str = "bond_heartbeat_period";

/// The bond of a managed node with its lifecycle manager: there is one while the node is active.
#[derive(Debug, Default)]
pub struct ManagedBond(
    /// The bond, and the topic that it needs. The bond is dropped first.
    Mutex<Option<(Bond, Bonds)>>,
);

impl ManagedBond {
    /// Declares the parameter `bond_heartbeat_period`, in seconds. There is no bond if it is 0.
    ///
    /// # Errors
    ///
    /// Returns an error if it was declared before.
    pub fn declare(node: &Node) -> Result<(), ParameterError> {
        node.declare_parameter(PERIOD, 0.1)?;
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
        let bonds = Bonds::new(node, "bond")?;
        let settings = BondSettings {
            heartbeat_timeout: None,
            heartbeat_period: Duration::from_secs_f64(period.min(60.0)),
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
