//! Reacts to events in the graph.

use super::{Launcher, event::LaunchEvent};
use crate::{
    graph_event::{GraphEvent, Health},
    screen::Level,
    supervisor::Id,
};

impl Launcher<'_> {
    pub(super) fn read_graph_events(&mut self) {
        for event in self.graph.spin() {
            match event {
                GraphEvent::Ready(id) => self.process_ready(id),
                GraphEvent::Line { is_error, text } => {
                    let level = if is_error { Level::Error } else { Level::Info };
                    self.display.message(level, "launch", &text);
                }
                GraphEvent::Done(id) if self.processes[id].process.ready.is_none() => self.process_ready(id),
                GraphEvent::Done(_) => {}
                GraphEvent::Failed(id) => self.process_unhealthy(id),
                GraphEvent::Loaded { owner, name, is_there } => self.component_loaded(owner, &name, is_there),
                GraphEvent::Node { id, is_there } => {
                    let now = self.lifetime.now();
                    self.processes.supervisor.node_changed(id, is_there, now);
                }
                GraphEvent::Timer(number) => {
                    if let Some(actions) = self.timers.take_ros(number) {
                        self.perform_actions(&actions, None);
                    }
                }
                GraphEvent::Transition { id, health, transition, start, goal } => {
                    match health {
                        Health::Error => self.report_node_error(id, &goal),
                        Health::Active => self.processes.supervisor.healthy(id),
                        Health::Unchanged => {}
                    }
                    let action = self.processes[id].process.id;
                    self.handlers.add_event(LaunchEvent::StateChanged {
                        id,
                        action,
                        transition,
                        start,
                        goal,
                    });
                }
            }
        }
    }

    /// A component was loaded into the container of a process of the launch, or into another one, or could not be loaded.
    fn component_loaded(&mut self, owner: Option<Id>, name: &str, is_loaded: bool) {
        self.lifetime.has_failed |= !is_loaded;
        match (is_loaded, owner) {
            (true, _) => self.supervise(|supervisor, now| supervisor.component_loaded(name, now)),
            (false, Some(id)) => self.supervise(|supervisor, _| supervisor.component_lost(id, name)),
            (false, None) => {}
        }
    }

    /// The callback for errors of a lifecycle node has returned, and the node is in another state now.
    fn report_node_error(&mut self, id: Id, state: &str) {
        let node = self.processes[id].node_name().unwrap_or_default();
        let text = format!("the lifecycle node {node} had an error, and is {state} now");
        self.process_message(Level::Error, id, &text);
        self.process_unhealthy(id);
    }

    fn process_unhealthy(&mut self, id: Id) {
        self.supervise(|supervisor, now| supervisor.unhealthy(id, now));
    }

    pub(super) fn process_ready(&mut self, id: Id) {
        self.supervise(|supervisor, now| supervisor.ready(id, now));
    }
}
