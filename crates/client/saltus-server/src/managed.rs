//! Lifecycle nodes that have something while they are configured, and a bond while they are active.

use std::ops::Deref;

use saltus::{
    Node,
    component::ComponentError,
    lifecycle::{CallbackResult, CallbackReturn, Lifecycle, LifecycleNode, State, WeakLifecycleNode},
};
use saltus_bond::ManagedBond;

/// What a node has while it is configured.
pub trait Managed: Send + Sized + 'static {
    /// What the node has always.
    type Owner: Send + 'static;

    /// Reads parameters, and opens what the node needs.
    ///
    /// # Errors
    ///
    /// If the node can't work with these parameters.
    fn configure(node: &LifecycleNode, owner: &Self::Owner) -> Result<Self, ComponentError>;

    /// Starts to work. Returns whether it can.
    ///
    /// # Errors
    ///
    /// If something can't be opened.
    fn activate(&mut self, _node: &LifecycleNode, _owner: &Self::Owner) -> Result<bool, ComponentError> {
        Ok(true)
    }

    /// Stops to work.
    fn deactivate(&mut self, _node: &LifecycleNode, _owner: &Self::Owner) {}

    /// Gives back what the node has. It is not active.
    fn cleanup(self, _owner: &Self::Owner) {}
}

/// A lifecycle node that is deactivated and cleaned up when this is dropped: when its component is unloaded, and when its program ends.
/// So a robot that it drives is told to stop.
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
        give_up(&self.0);
    }
}

/// Deactivates and cleans up a node, as far as it is active and configured. Returns whether it was.
fn give_up(node: &LifecycleNode) -> bool {
    // Each is an error in the other states.
    let _ = node.deactivate();
    node.cleanup().is_ok()
}

/// Returns what a node does if a thread of it has panicked: it gives up its work, so that a robot that it drives stops, and its bond
/// ends, so that its lifecycle manager knows. It can be configured again. This is not possible during a transition; then it returns
/// `false`.
pub fn on_panic(node: &LifecycleNode) -> impl Fn() -> bool + Send + Sync + 'static {
    let node: WeakLifecycleNode = node.downgrade();
    move || {
        let Some(node) = node.upgrade() else { return true };
        // A node in a transition is perhaps active at once.
        give_up(&node) || matches!(node.state(), State::Unconfigured | State::Finalized)
    }
}

/// Gives a node the lifecycle of a managed node. It has a bond with its lifecycle manager while it is active.
///
/// # Errors
///
/// Returns an error if a parameter or the services of the lifecycle can't be opened.
pub fn manage<T: Managed>(node: &Node, owner: T::Owner) -> Result<ManagedNode, ComponentError> {
    ManagedBond::declare(node)?;
    let callbacks = Callbacks::<T> { owner, configured: None, bond: ManagedBond::default() };
    Ok(ManagedNode(LifecycleNode::new(node, callbacks)?))
}

struct Callbacks<T: Managed> {
    owner: T::Owner,
    configured: Option<T>,
    bond: ManagedBond,
}

impl<T: Managed> Lifecycle for Callbacks<T> {
    fn on_configure(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
        self.configured = Some(T::configure(node, &self.owner)?);
        Ok(CallbackReturn::Success)
    }

    fn on_activate(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
        let Some(configured) = &mut self.configured else { return Ok(CallbackReturn::Failure) };
        if !configured.activate(node, &self.owner)? {
            configured.deactivate(node, &self.owner);
            return Ok(CallbackReturn::Failure);
        }
        self.bond.start(node)?;
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
        self.bond.end();
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
