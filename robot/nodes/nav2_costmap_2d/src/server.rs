//! Servers that have a costmap of their own.

use saltus::{
    component::ComponentError,
    lifecycle::{CallbackReturn, LifecycleNode},
};
use saltus_server::Managed;

use crate::node::CostmapNode;

/// The owner of a server that has a costmap.
pub trait CostmapOwner: Send + 'static {
    /// Returns the costmap.
    fn costmap(&self) -> &CostmapNode;
}

/// A server and its costmap. The costmap is configured and activated before the server, and deactivated and cleaned up after it.
#[derive(Debug)]
pub struct WithCostmap<T>(T);

impl<T> Managed for WithCostmap<T>
where
    T: Managed,
    T::Owner: CostmapOwner,
{
    type Owner = T::Owner;

    fn configure(node: &LifecycleNode, owner: &Self::Owner) -> Result<Self, ComponentError> {
        owner.costmap().configured(node, || T::configure(node, owner)).map(Self)
    }

    fn activate(&mut self, node: &LifecycleNode, owner: &Self::Owner) -> Result<bool, ComponentError> {
        let is_active = owner.costmap().lifecycle().activate()? == CallbackReturn::Success;
        Ok(is_active && self.0.activate(node, owner)?)
    }

    fn deactivate(&mut self, node: &LifecycleNode, owner: &Self::Owner) {
        self.0.deactivate(node, owner);
        // It may be inactive already.
        let _ = owner.costmap().lifecycle().deactivate();
    }

    fn cleanup(self, owner: &Self::Owner) {
        self.0.cleanup(owner);
        let _ = owner.costmap().lifecycle().cleanup();
    }
}
