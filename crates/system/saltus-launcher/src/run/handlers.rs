//! The handlers of a launch, and the events that they have not handled yet.

use std::{collections::VecDeque, rc::Rc};

use saltus_launch_file::{Object, Trigger, plan::Handler};

use super::event::LaunchEvent;

/// The handlers that are registered, and the events that were not handled yet.
#[derive(Default)]
pub(super) struct Handlers {
    /// The handlers, the newest first.
    registered: Vec<Rc<Handler>>,
    events: VecDeque<LaunchEvent>,
}

impl Handlers {
    pub(super) fn register(&mut self, handler: Handler) {
        self.registered.insert(0, Rc::new(handler));
    }

    pub(super) fn remove(&mut self, id: Object) {
        self.registered.retain(|handler| handler.id != id);
    }

    /// Returns all handlers, the newest first.
    pub(super) fn all(&self) -> Vec<Rc<Handler>> {
        self.registered.clone()
    }

    /// Whether a handler waits for the output of processes.
    pub(super) fn want_output(&self) -> bool {
        self.registered.iter().any(|handler| matches!(handler.trigger, Trigger::ProcessOutput | Trigger::Any))
    }

    pub(super) fn add_event(&mut self, event: LaunchEvent) {
        self.events.push_back(event);
    }

    /// Whether there are events that were not handled yet.
    pub(super) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Removes the oldest event and returns it.
    pub(super) fn next_event(&mut self) -> Option<LaunchEvent> {
        self.events.pop_front()
    }
}
