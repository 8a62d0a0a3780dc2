//! What happens to an endpoint besides messages, and who is woken for it.

use std::fmt;

use saltus_graph::{EndpointEvent, EndpointEvents, Happened};
use saltus_memory::{os::mutex::Mutex, waiter::Waker};

/// The events of an endpoint that were not told yet, and whoever is to be told.
#[derive(Default)]
pub(crate) struct Events(Mutex<State>);

#[derive(Default)]
struct State {
    events: EndpointEvents,
    waker: Option<Waker>,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}

impl Events {
    /// From now on an event rings there, or nowhere; what was not told yet rings at once.
    pub(crate) fn set_waker(&self, waker: Option<&Waker>) {
        self.0.lock().waker = waker.cloned();
        waker.inspect(|waker| waker.ring());
    }

    /// Has whoever is told of events look, though there may be none.
    pub(crate) fn ring(&self) {
        if let Some(waker) = &self.0.lock().waker {
            waker.ring();
        }
    }

    /// Notes something, and rings if it is to be told.
    pub(crate) fn note(&self, note: impl FnOnce(&mut EndpointEvents) -> Happened) {
        let mut state = self.0.lock();
        if note(&mut state.events).0
            && let Some(waker) = &state.waker
        {
            waker.ring();
        }
    }

    /// How many endpoints did not suit so far.
    pub(crate) fn incompatible(&self) -> u64 {
        self.0.lock().events.incompatible()
    }

    /// The next event that was not told yet.
    pub(crate) fn take(&self) -> Option<EndpointEvent> {
        self.0.lock().events.take()
    }
}
