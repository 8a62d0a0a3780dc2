//! Lifecycle nodes that own something while they are configured, and have a bond while they are active.

use std::ops::Deref;

use saltus::{
    Node,
    component::ComponentError,
    lifecycle::{CallbackResult, CallbackReturn, Lifecycle, LifecycleNode, State, WeakLifecycleNode},
};
use saltus_bond::ManagedBond;

use crate::unused;

/// The things that a node owns while it is configured.
pub trait Managed: Send + Sized + 'static {
    /// The things that the node owns in all states.
    type Owner: Send + 'static;

    /// Whether the node has a bond with its lifecycle manager while it is active. A node that another node manages has none.
    fn has_bond(_owner: &Self::Owner) -> bool {
        true
    }

    /// Reads parameters, and opens what the node needs.
    ///
    /// # Errors
    ///
    /// Returns an error if the node can't work with these parameters.
    fn configure(node: &LifecycleNode, owner: &Self::Owner) -> Result<Self, ComponentError>;

    /// Starts the work. Returns whether that is possible.
    ///
    /// # Errors
    ///
    /// Returns an error if something can't be opened.
    fn activate(&mut self, _node: &LifecycleNode, _owner: &Self::Owner) -> Result<bool, ComponentError> {
        Ok(true)
    }

    /// Stops the work.
    fn deactivate(&mut self, _node: &LifecycleNode, _owner: &Self::Owner) {}

    /// Releases what the node owns. The node is not active.
    fn cleanup(self, _owner: &Self::Owner) {}
}

/// A lifecycle node that is deactivated and cleaned up when this is dropped: when its component is unloaded, and when its program ends.
/// So a robot that it drives stops.
///
/// Source: `nav2_util::LifecycleNode`, which does so before the shutdown of its context.
#[derive(Debug)]
pub struct ManagedNode(LifecycleNode);

impl Deref for ManagedNode {
    type Target = LifecycleNode;

    fn deref(&self) -> &LifecycleNode {
        &self.0
    }
}

impl Drop for ManagedNode {
    fn drop(&mut self) {
        shut_down(&self.0);
    }
}

/// Deactivates and cleans up a node, as far as it is active and configured. Returns whether it was configured.
fn shut_down(node: &LifecycleNode) -> bool {
    // Each is an error in the other states.
    let _ = node.deactivate();
    node.cleanup().is_ok()
}

/// Returns a function for the case that a thread of a node has panicked. It deactivates and cleans up the node: a robot that the node
/// drives stops, and the bond with the lifecycle manager ends. The node can be configured again. The function returns `false` if it must
/// be called again, because the node is in a transition.
pub fn on_panic(node: &LifecycleNode) -> impl Fn() -> bool + Send + Sync + 'static {
    let node: WeakLifecycleNode = node.downgrade();
    move || {
        let Some(node) = node.upgrade() else { return true };
        // A node in a transition may be active right after it.
        shut_down(&node) || matches!(node.state(), State::Unconfigured | State::Finalized)
    }
}

/// Gives a node the lifecycle of a managed node.
///
/// # Errors
///
/// Returns an error if a parameter or the services of the lifecycle can't be opened.
pub fn manage<T: Managed>(node: &Node, owner: T::Owner) -> Result<ManagedNode, ComponentError> {
    let bond = match T::has_bond(&owner) {
        true => {
            ManagedBond::declare(node)?;
            Some(ManagedBond::default())
        }
        false => None,
    };
    let callbacks = Callbacks::<T> { owner, configured: None, bond };
    Ok(ManagedNode(LifecycleNode::new(node, callbacks)?))
}

struct Callbacks<T: Managed> {
    owner: T::Owner,
    configured: Option<T>,
    bond: Option<ManagedBond>,
}

impl<T: Managed> Lifecycle for Callbacks<T> {
    fn on_configure(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
        self.configured = Some(T::configure(node, &self.owner)?);
        if let Some(text) = unused::text(node) {
            saltus::warn!(node.logger(), "{text}");
        }
        Ok(CallbackReturn::Success)
    }

    fn on_activate(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
        let Some(configured) = &mut self.configured else { return Ok(CallbackReturn::Failure) };
        if !configured.activate(node, &self.owner)? {
            configured.deactivate(node, &self.owner);
            return Ok(CallbackReturn::Failure);
        }
        if let Some(bond) = &mut self.bond {
            bond.start(node)?;
        }
        Ok(CallbackReturn::Success)
    }

    fn on_deactivate(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
        self.stop(node);
        Ok(CallbackReturn::Success)
    }

    fn on_cleanup(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        self.clean();
        Ok(CallbackReturn::Success)
    }

    fn on_shutdown(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
        self.stop(node);
        self.clean();
        Ok(CallbackReturn::Success)
    }

    fn on_error(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
        self.stop(node);
        self.clean();
        Ok(CallbackReturn::Success)
    }
}

impl<T: Managed> Callbacks<T> {
    fn stop(&mut self, node: &LifecycleNode) {
        if let Some(bond) = &mut self.bond {
            bond.end();
        }
        if let Some(configured) = &mut self.configured {
            configured.deactivate(node, &self.owner);
        }
    }

    fn clean(&mut self) {
        if let Some(configured) = self.configured.take() {
            configured.cleanup(&self.owner);
        }
    }
}
