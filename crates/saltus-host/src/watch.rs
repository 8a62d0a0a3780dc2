//! Watching the graph: differences, and who is woken for them.

use std::{fmt, sync::Arc};

use saltus_graph::{Difference, Watch};
use saltus_memory::{os::mutex::Mutex, waiter::Waker};

/// Tells what changes in the graph, from what is there when it is made. It ends when dropped.
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
    /// The next difference. At first each entity that is there has come.
    pub fn take(&self) -> Option<Difference> {
        self.0.watch.lock().take()
    }

    /// From now on a difference rings there, or nowhere; what was not taken yet rings at once.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        *self.0.waker.lock() = waker.cloned();
        waker.inspect(|waker| waker.ring());
    }
}

/// See [`GraphWatch`].
#[derive(Default)]
pub(crate) struct Watcher {
    watch: Mutex<Watch>,
    waker: Mutex<Option<Waker>>,
}

impl Watcher {
    /// Tells what changed, and rings if there is something to tell.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Watch) -> bool) {
        // Not in one expression: whoever is rung takes what there is.
        let is_told = change(&mut self.watch.lock());
        if is_told && let Some(waker) = &*self.waker.lock() {
            waker.ring();
        }
    }
}
