//! Calls the handlers of events, and performs the actions of handlers and timers.

use saltus_launch_file::plan::Deferred;
use serde_json::Value as Json;

use super::{Launcher, cause::EndCause, event::LaunchEvent};
use crate::screen::Level;

impl Launcher<'_> {
    /// Performs the actions of a handler or a timer. An error ends the launch, as in ROS 2.
    pub(super) fn perform_actions(&mut self, actions: &Deferred, event: Option<Json>) {
        match self.evaluator.steps_now(actions, event) {
            Ok(steps) => self.perform_steps(steps),
            Err(error) => {
                self.lifetime.has_failed = true;
                self.display.message(Level::Error, "launch", &error.to_string());
                // A signal may have ended the action. Then it ends everything. An error is found again by the next read.
                let _ = self.read_signals();
                self.end(EndCause::FailedAction);
            }
        }
    }

    /// Calls the handlers of all events, one after the other. They come after all steps that were there before, so a handler
    /// may be registered after its process. Returns whether there were events.
    pub(super) fn handle_events(&mut self) -> bool {
        let mut had_events = false;
        while let Some(event) = self.handlers.next_event() {
            had_events = true;
            self.handle(&event);
        }
        had_events
    }

    /// Calls the handlers of an event, the newest first.
    fn handle(&mut self, event: &LaunchEvent) {
        for handler in self.handlers.all() {
            let is_target = match (&handler.target, event.process()) {
                (None, _) => true,
                (Some(target), Some(id)) => self.targets(target).contains(&id),
                (Some(_), None) => false,
            };
            if !is_target || !event.fits(&handler.trigger) {
                continue;
            }
            if handler.once {
                self.handlers.remove(handler.id);
            }
            self.perform_actions(&handler.actions, Some(event.to_json()));
        }
    }
}
