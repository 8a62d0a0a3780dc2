//! Watching the graph: differences, and the wakers that are rung for them.

use std::{fmt, sync::Arc};

use saltus_graph::{GraphChange, Watch};
use saltus_memory::{os::mutex::Mutex, waiter::Waker};

/// Returns the differences of the graph, beginning with all entities that exist when the watch is created. Dropping it
/// ends the watch.
///
/// ```no_run
/// # fn watch(participant: &saltus_host::Participant) -> Result<(), saltus_host::OpenError> {
/// let watch = participant.watch()?;
/// while let Some(difference) = watch.take() {
///     println!("{difference:?}");
/// }
/// # Ok(())
/// # }
/// ```
pub struct GraphWatch(pub(crate) Arc<Watcher>);

impl fmt::Debug for GraphWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GraphWatch")
    }
}

impl GraphWatch {
    /// Takes the next difference. The first differences are that each existing entity came.
    pub fn take(&self) -> Option<GraphChange> {
        self.0.watch.lock().take()
    }

    /// Sets the waker that each new difference rings, or removes it if `None`. Rings the new waker at once, so that
    /// differences that were not taken yet are not missed.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        *self.0.waker.lock() = waker.cloned();
        waker.inspect(|waker| waker.ring());
    }
}

/// Which entities a watch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    /// Those of all processes.
    All,
    /// Those of other processes.
    Others,
}

/// See [`GraphWatch`].
pub(crate) struct Watcher {
    pub(crate) watched: Watched,
    watch: Mutex<Watch>,
    waker: Mutex<Option<Waker>>,
}

impl Watcher {
    pub(crate) fn new(watched: Watched) -> Self {
        Self { watched, watch: Mutex::default(), waker: Mutex::default() }
    }

    /// Applies a change to the watch, and rings the waker if there is a new difference.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Watch) -> bool) {
        // Not in one expression: the lock must be free when the woken thread takes the differences.
        let is_new = change(&mut self.watch.lock());
        if is_new && let Some(waker) = &*self.waker.lock() {
            waker.ring();
        }
    }
}
