//! Follows what happens in the graph.

use serde_json::json;

use super::Launcher;
use crate::{graph_event::Event, screen::Level, supervisor::Id};

/// The state of a lifecycle node while it handles an error.
const ERROR_STATE: &str = "errorprocessing";
/// Its state while it works.
const ACTIVE_STATE: &str = "active";

impl Launcher<'_> {
    pub(super) fn read_events(&mut self) {
        for event in self.graph.spin() {
            match event {
                Event::Ready(id) => self.is_ready(id),
                Event::Line { is_error, text } => {
                    let level = if is_error { Level::Error } else { Level::Info };
                    self.message(level, "launch", &text);
                }
                Event::Done(id) if self.processes[id].process.ready.is_none() => self.is_ready(id),
                Event::Done(_) => {}
                Event::Failed(id) => self.is_unhealthy(id),
                Event::Loaded { owner, name, is_there } => {
                    self.has_failed |= !is_there;
                    let instructions = match (is_there, owner) {
                        (true, _) => self.supervisor.component_loaded(&name, self.now()),
                        (false, Some(id)) => self.supervisor.component_lost(id, &name),
                        (false, None) => Vec::new(),
                    };
                    self.instructions.extend(instructions);
                }
                Event::Node { id, is_there } => self.supervisor.node_changed(id, is_there, self.now()),
                Event::Timer(number) => {
                    if let Some((_, later)) = self.ros_timers.remove(&number) {
                        self.perform_later(&later, None);
                    }
                }
                Event::Transition { id, transition, start, goal } => {
                    match (&*start, &*goal) {
                        (ERROR_STATE, _) => self.has_error(id, &goal),
                        (_, ACTIVE_STATE) => self.supervisor.healthy(id),
                        _ => {}
                    }
                    let event = json!({
                        "kind": "state_changed", "action": self.processes[id].process.id, "transition": transition,
                        "start_state": start, "goal_state": goal,
                    });
                    self.events.push_back(("state_changed", Some(id), event));
                }
            }
        }
    }

    /// The callback for errors of a lifecycle node has returned, and the node is in another state now.
    pub(super) fn has_error(&mut self, id: Id, state: &str) {
        let node = self.node_name(id).unwrap_or_default();
        let name = self.processes[id].name.clone();
        self.message(
            Level::Error,
            &name,
            &format!("the lifecycle node {node} had an error, and is {state} now"),
        );
        self.is_unhealthy(id);
    }

    pub(super) fn is_unhealthy(&mut self, id: Id) {
        let instructions = self.supervisor.unhealthy(id, self.now());
        self.instructions.extend(instructions);
    }

    pub(super) fn is_ready(&mut self, id: Id) {
        let instructions = self.supervisor.ready(id, self.now());
        self.instructions.extend(instructions);
    }
}
