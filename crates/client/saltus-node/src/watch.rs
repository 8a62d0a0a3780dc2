//! Callbacks for changes of the graph.

use std::{
    fmt, iter,
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
        mut callback: impl FnMut(GraphChange) + Send + 'static,
    ) -> Result<GraphCallback, NodeError> {
        self.open_watch(self.default_callback_group(), Box::new(move |change, _| callback(change)))
    }

    /// Registers a callback for changes of the graph, in a callback group of the node. It is called as [`Node::watch_graph`] says,
    /// but once for all changes since the last call, oldest first.
    ///
    /// ```no_run
    /// let context = saltus::Context::new()?;
    /// let node = context.node("watcher").create()?;
    /// let _watch = node.watch_graph_in(node.default_callback_group(), |changes| {
    ///     println!("{} changes", changes.len());
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the context was inherited over `fork`, or expelled from its domain.
    pub fn watch_graph_in(
        &self,
        group: &CallbackGroup,
        mut callback: impl FnMut(Vec<GraphChange>) + Send + 'static,
    ) -> Result<GraphCallback, NodeError> {
        let receive = move |first, watch: &GraphWatch| {
            callback(iter::once(first).chain(iter::from_fn(|| watch.take())).collect());
        };
        self.open_watch(group, Box::new(receive))
    }

    fn open_watch(&self, group: &CallbackGroup, callback: OnChange) -> Result<GraphCallback, NodeError> {
        let watch = self.context().participant.watch()?;
        let core =
            Arc::new(GraphCallbackCore { watch, callback: Mutex::new(callback), _group: group.clone() });
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

/// Called with the oldest change, and with the watch, which may have more.
type OnChange = Box<dyn FnMut(GraphChange, &GraphWatch) + Send>;

struct GraphCallbackCore {
    watch: GraphWatch,
    callback: Mutex<OnChange>,
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
        callback(change, &self.watch);
        Executed::Ran(None)
    }
}
