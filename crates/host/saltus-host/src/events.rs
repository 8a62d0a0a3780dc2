//! The events of an endpoint, and the waker that is rung for them.

use std::fmt;

use saltus_graph::{EndpointEvent, EndpointEvents, Happened};
use saltus_memory::{os::mutex::Mutex, waiter::Waker};

/// The events of an endpoint that were not taken yet, and the waker that each event rings.
#[derive(Default)]
pub(crate) struct Events(Mutex<PendingEvents>);

#[derive(Default)]
struct PendingEvents {
    events: EndpointEvents,
    waker: Option<Waker>,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}

impl Events {
    /// Sets the waker that each event rings, or removes it if `None`. Rings the new waker at once, so that events that
    /// were not taken yet are not missed.
    pub(crate) fn set_waker(&self, waker: Option<&Waker>) {
        self.0.lock().waker = waker.cloned();
        waker.inspect(|waker| waker.ring());
    }

    /// Rings the waker, even if there is no event.
    pub(crate) fn ring(&self) {
        if let Some(waker) = &self.0.lock().waker {
            waker.ring();
        }
    }

    /// Calls `note`, and rings the waker if that has added an event.
    pub(crate) fn note(&self, note: impl FnOnce(&mut EndpointEvents) -> Happened) {
        let mut state = self.0.lock();
        if note(&mut state.events).0
            && let Some(waker) = &state.waker
        {
            waker.ring();
        }
    }

    /// Returns how many incompatible endpoints were found so far.
    pub(crate) fn incompatible(&self) -> u64 {
        self.0.lock().events.incompatible()
    }

    /// Takes the next event.
    pub(crate) fn take(&self) -> Option<EndpointEvent> {
        self.0.lock().events.take()
    }
}
