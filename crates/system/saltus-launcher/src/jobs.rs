//! Calls of services that need several steps: components are loaded in order, and states are changed in order.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Instant,
};

use saltus_launch_file::plan::Component;
use saltus_msgs::{
    composition_interfaces::srv::LoadNode,
    lifecycle_msgs::{
        msg::{Transition, TransitionEvent},
        srv::{ChangeState, ChangeState_Request},
    },
};
use saltus_node::{Client, GraphChange};
use saltus_types::lock;

use crate::{graph_event::GraphEvent, requests::load_request, supervisor::Id};

/// What callbacks have noted since the last spin.
#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) changes: Vec<GraphChange>,
    pub(crate) loaded: Vec<(usize, Result<String, String>)>,
    pub(crate) changed: Vec<(usize, Result<bool, String>)>,
    pub(crate) states: Vec<(Id, String)>,
    pub(crate) transitions: Vec<(Id, TransitionEvent)>,
    pub(crate) timers: Vec<usize>,
}

/// Something that needs several calls, one after the other.
pub(crate) struct Job {
    /// The process that is ready when the job has ended.
    pub(crate) id: Option<Id>,
    /// The process whose end ends the job.
    pub(crate) owner: Option<Id>,
    pub(crate) service: String,
    pub(crate) is_calling: bool,
    pub(crate) has_failed: bool,
    /// Since when its service is missing; `None` if the service is there, or if the user was told.
    pub(crate) waits_since: Option<Instant>,
    /// Whether its process has ended, and the job waits for the next start of that process.
    pub(crate) is_kept: bool,
    pub(crate) kind: JobKind,
}

/// Returns the full name of a component; that of its class if the launch file does not name it.
pub(crate) fn component_name(component: &Component) -> String {
    component.names.full_name().unwrap_or_else(|| component.plugin.clone())
}

pub(crate) enum JobKind {
    Load { container: String, left: VecDeque<Component>, client: Client<LoadNode> },
    Change { node: String, left: VecDeque<u8>, client: Client<ChangeState> },
}

impl Job {
    /// Returns the names of the components that are not loaded yet.
    pub(crate) fn components_left(&self) -> Vec<String> {
        match &self.kind {
            JobKind::Load { left, .. } => left.iter().map(component_name).collect(),
            JobKind::Change { .. } => Vec::new(),
        }
    }

    /// Whether it is to load components, and has not begun.
    pub(crate) fn waits_to_load(&self) -> bool {
        matches!(self.kind, JobKind::Load { .. }) && !self.is_calling
    }

    /// Whether it is to load these components into a container.
    pub(crate) fn is_load_of(&self, owner: Option<Id>, into: &str, components: &[Component]) -> bool {
        let JobKind::Load { container, left, .. } = &self.kind else { return false };
        self.owner == owner && container == into && *left == components
    }

    /// Returns what its end means for its process.
    pub(crate) fn end(&self) -> Option<GraphEvent> {
        let is_change = matches!(self.kind, JobKind::Change { .. });
        self.id.map(if self.has_failed && is_change { GraphEvent::Failed } else { GraphEvent::Done })
    }

    pub(crate) fn is_connected(&self) -> bool {
        match &self.kind {
            JobKind::Load { client, .. } => client.service_is_ready(),
            JobKind::Change { client, .. } => client.service_is_ready(),
        }
    }

    /// Makes the next call. Returns whether there was one.
    pub(crate) fn call(&self, number: usize, noted: &Arc<Mutex<Inbox>>) -> Result<bool, String> {
        let inbox = noted.clone();
        match &self.kind {
            JobKind::Load { left, client, .. } => {
                let Some(component) = left.front() else { return Ok(false) };
                let request = match load_request(component) {
                    Ok(request) => request,
                    Err(error) => {
                        lock(noted).loaded.push((number, Err(error)));
                        return Ok(true);
                    }
                };
                let sent = client.call_then(&request, move |answer| {
                    let result = match answer {
                        Ok(answer) if answer.success => Ok(answer.full_node_name),
                        Ok(answer) => Err(answer.error_message),
                        Err(error) => Err(error.to_string()),
                    };
                    lock(&inbox).loaded.push((number, result));
                });
                sent.map(|()| true).map_err(|error| error.to_string())
            }
            JobKind::Change { left, client, .. } => {
                let Some(id) = left.front() else { return Ok(false) };
                let transition = Transition { id: *id, label: String::new() };
                let sent = client.call_then(&ChangeState_Request { transition }, move |answer| {
                    let result = answer.map(|answer| answer.success).map_err(|error| error.to_string());
                    lock(&inbox).changed.push((number, result));
                });
                sent.map(|()| true).map_err(|error| error.to_string())
            }
        }
    }
}
