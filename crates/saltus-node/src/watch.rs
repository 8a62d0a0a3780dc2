//! Callbacks for changes of the graph.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use saltus_host::{Difference, GraphWatch, Waker};
use saltus_types::lock;

use crate::{CallbackGroup, Executed, Node, NodeError, Waitable};

impl Node {
    /// Adds a callback for changes of the graph. An executor calls it with each entity that is added to the graph,
    /// changed or removed, until the returned handle is dropped. The first calls are for the entities that exist
    /// already.
    ///
    /// ```no_run
    /// use saltus::graph::{Difference, Entity};
    /// let context = saltus::Context::new()?;
    /// let node = context.node("watcher").create()?;
    /// let _watch = node.watch_graph(|difference| {
    ///     if let Difference::Came(Entity::Node(node)) = difference {
    ///         println!("{} is here", node.name);
    ///     }
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the context may not be used.
    pub fn watch_graph(
        &self,
        callback: impl FnMut(Difference) + Send + 'static,
    ) -> Result<GraphCallback, NodeError> {
        let watch = self.context().participant.watch()?;
        let group = self.default_callback_group().clone();
        let core = Arc::new(Core { watch, callback: Mutex::new(Box::new(callback)), _group: group.clone() });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        group.add(Arc::downgrade(&as_waitable));
        Ok(GraphCallback { _core: core })
    }
}

/// Keeps a callback for changes of the graph. Dropping it ends the calls.
#[must_use = "dropping it ends the calls"]
pub struct GraphCallback {
    /// Held, not used: the group runs it for as long as it is held.
    _core: Arc<Core>,
}

impl fmt::Debug for GraphCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GraphCallback")
    }
}

struct Core {
    watch: GraphWatch,
    callback: Mutex<Box<dyn FnMut(Difference) + Send>>,
    /// Held, not used: it keeps the callback group alive.
    _group: CallbackGroup,
}

impl Waitable for Core {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.watch.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        // Taken under the callback's lock, so that two threads report differences in order.
        let mut callback = lock(&self.callback);
        let Some(difference) = self.watch.take() else { return Executed::Nothing };
        callback(difference);
        Executed::Ran(None)
    }
}
