//! Event handlers of publishers and subscriptions.

use std::sync::{Arc, Mutex, Weak};

use saltus_host::{EndpointEvent, Waker};
use saltus_types::lock;

use crate::{CallbackGroup, Executed, Waitable};

/// A callback for the events of an endpoint.
pub(crate) type OnEvent = Box<dyn FnMut(EndpointEvent) + Send>;

/// An endpoint that has events.
pub(crate) trait EventSource: Send + Sync {
    fn take_event(&self) -> Option<EndpointEvent>;
    fn set_event_waker(&self, waker: Option<&Waker>);
}

impl EventSource for saltus_host::Publisher {
    fn take_event(&self) -> Option<EndpointEvent> {
        self.take_event()
    }

    fn set_event_waker(&self, waker: Option<&Waker>) {
        self.set_event_waker(waker);
    }
}

impl EventSource for saltus_host::Subscription {
    fn take_event(&self) -> Option<EndpointEvent> {
        self.take_event()
    }

    fn set_event_waker(&self, waker: Option<&Waker>) {
        self.set_event_waker(waker);
    }
}

/// A callback for the events of an endpoint. It does not keep the endpoint alive. Dropping the handler ends the calls.
pub struct EventHandler {
    source: Weak<dyn EventSource>,
    callback: Mutex<OnEvent>,
    /// Keeps the callback group alive.
    _group: CallbackGroup,
}

impl std::fmt::Debug for EventHandler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EventHandler")
    }
}

impl EventHandler {
    pub(crate) fn new(source: Weak<dyn EventSource>, group: &CallbackGroup, callback: OnEvent) -> Arc<Self> {
        let handler = Arc::new(Self { source, callback: Mutex::new(callback), _group: group.clone() });
        let as_waitable: Arc<dyn Waitable> = handler.clone();
        group.add(Arc::downgrade(&as_waitable));
        handler
    }
}

impl Waitable for EventHandler {
    fn set_waker(&self, waker: Option<&Waker>) {
        if let Some(source) = self.source.upgrade() {
            source.set_event_waker(waker);
        }
    }

    fn execute(&self) -> Executed {
        let mut callback = lock(&self.callback);
        let Some(event) = self.source.upgrade().and_then(|source| source.take_event()) else {
            return Executed::Nothing;
        };
        callback(event);
        Executed::Ran(None)
    }
}
