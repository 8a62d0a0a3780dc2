//! Callbacks for changes of the graph.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use saltus_host::{GraphChange, GraphWatch, Waker};
use saltus_types::lock;

use crate::{CallbackGroup, Executed, Node, NodeError, Waitable};

impl Node {
    /// Registers a callback for changes of the graph. An executor calls it for each entity that is added to the graph,
    /// changed or removed, until the returned handle is dropped. The first calls are for the entities that exist
    /// already.
    ///
    /// ```no_run
    /// use saltus::graph::{GraphChange, Entity};
    /// let context = saltus::Context::new()?;
    /// let node = context.node("watcher").create()?;
    /// let _watch = node.watch_graph(|change| {
    ///     if let GraphChange::Added(Entity::Node(node)) = change {
    ///         println!("{} is here", node.name);
    ///     }
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the context was inherited over `fork`, or expelled from its domain.
    pub fn watch_graph(
        &self,
        callback: impl FnMut(GraphChange) + Send + 'static,
    ) -> Result<GraphCallback, NodeError> {
        let watch = self.context().participant.watch()?;
        let group = self.default_callback_group().clone();
        let core = Arc::new(GraphCallbackCore {
            watch,
            callback: Mutex::new(Box::new(callback)),
            _group: group.clone(),
        });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        group.add(Arc::downgrade(&as_waitable));
        Ok(GraphCallback { _core: core })
    }
}

/// A registered callback for changes of the graph. Dropping the handle ends the calls.
#[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
pub struct GraphCallback {
    /// Keeps the callback alive. The callback group has only a weak reference to it.
    _core: Arc<GraphCallbackCore>,
}

impl fmt::Debug for GraphCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GraphCallback")
    }
}

struct GraphCallbackCore {
    watch: GraphWatch,
    callback: Mutex<Box<dyn FnMut(GraphChange) + Send>>,
    /// Keeps the callback group alive.
    _group: CallbackGroup,
}

impl Waitable for GraphCallbackCore {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.watch.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        // A change is taken under the callback's lock, so that two threads can't report two changes out of
        // order.
        let mut callback = lock(&self.callback);
        let Some(change) = self.watch.take() else { return Executed::Nothing };
        callback(change);
        Executed::Ran(None)
    }
}
