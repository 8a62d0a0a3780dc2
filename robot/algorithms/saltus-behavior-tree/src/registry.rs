//! The registered nodes.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    board::Boards,
    error::TickError,
    port::{Port, pointer},
    status::{NodeKind, Status},
    tree::{Behavior, NodeInfo, Tick},
    value::FromValue,
};

/// The description of a node that is being created, and its blackboards.
#[derive(Debug)]
pub struct NodeConfig<'a> {
    /// The description of the node.
    pub info: &'a NodeInfo,
    /// The blackboards of the tree, and that of the node.
    pub boards: &'a Boards,
}

impl NodeConfig<'_> {
    /// Returns the text of a port; `None` if it has none. If the port points to the blackboard, the text is the value there, such as the
    /// value of a port of the subtree.
    pub fn port(&self, port: impl AsRef<str>) -> Option<String> {
        let name = port.as_ref();
        let (_, text) = self.info.ports.iter().find(|(port, _)| port == name)?;
        let text = match pointer(name, text) {
            Some(key) => String::from_value(self.boards.get(self.info.board, key)?).ok()?,
            None => text.clone(),
        };
        (!text.is_empty()).then_some(text)
    }
}

/// A new behavior, or the reason why it can't be created.
pub type Built<C> = Result<Box<dyn Behavior<C>>, String>;

type Constructor<C> = Box<dyn Fn(&NodeConfig<'_>) -> Built<C> + Send + Sync>;

pub(crate) struct Registered<C> {
    pub(crate) kind: NodeKind,
    pub(crate) ports: Arc<[Port]>,
    pub(crate) create: Constructor<C>,
}

/// The registered nodes, by their names.
pub(crate) struct Registry<C> {
    pub(crate) nodes: BTreeMap<String, Registered<C>>,
}

impl<C> Default for Registry<C> {
    fn default() -> Self {
        Self { nodes: BTreeMap::new() }
    }
}

impl<C> Registry<C> {
    /// Adds a node. A node with the same name is replaced.
    pub(crate) fn register(
        &mut self,
        id: &str,
        kind: NodeKind,
        ports: impl IntoIterator<Item = Port>,
        create: impl Fn(&NodeConfig<'_>) -> Built<C> + Send + Sync + 'static,
    ) {
        let ports = ports.into_iter().collect();
        self.nodes.insert(id.into(), Registered { kind, ports, create: Box::new(create) });
    }
}

/// Returns a leaf that does the same at each tick.
pub fn leaf<C, F>(tick: F) -> Box<dyn Behavior<C>>
where
    F: FnMut(&mut Tick<'_, C>) -> Result<Status, TickError> + Send + 'static,
{
    Box::new(Leaf(tick))
}

struct Leaf<F>(F);

impl<C, F> Behavior<C> for Leaf<F>
where
    F: FnMut(&mut Tick<'_, C>) -> Result<Status, TickError> + Send,
{
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Result<Status, TickError> {
        (self.0)(tick)
    }
}
