//! Jobs that call a service several times: they load components in order, or change states in order.

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

/// The results that callbacks have left since the last spin.
#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) changes: Vec<GraphChange>,
    pub(crate) loaded: Vec<(usize, Result<String, String>)>,
    pub(crate) changed: Vec<(usize, Result<bool, String>)>,
    pub(crate) states: Vec<(Id, String)>,
    pub(crate) transitions: Vec<(Id, TransitionEvent)>,
    pub(crate) timers: Vec<usize>,
}

/// A job that calls a service several times, one call after the other.
pub(crate) struct Job {
    pub(crate) owner: JobOwner,
    pub(crate) service: String,
    pub(crate) state: JobState,
    pub(crate) kind: JobKind,
}

/// The process for which a job is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobOwner {
    /// The job is part of the start of this process, which is ready when the job has ended.
    Start(Id),
    /// The job is for the node or the container of this process, and ends when the process has ended.
    Process(Id),
    /// The job is for a node or a container that does not belong to the launch.
    Foreign,
}

impl JobOwner {
    /// Returns the owner of a job that is not part of a start.
    pub(crate) fn of(process: Option<Id>) -> Self {
        process.map_or(Self::Foreign, Self::Process)
    }

    pub(crate) fn process(self) -> Option<Id> {
        match self {
            Self::Start(id) | Self::Process(id) => Some(id),
            Self::Foreign => None,
        }
    }
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobState {
    /// It waits for its service, which has been missing since the time. `None` if the service was there, or if the user was
    /// told.
    Waiting { missing_since: Option<Instant> },
    /// As `Waiting`, but its process has ended, and the job waits for the next start of that process. A request for an equal
    /// job is this job.
    Kept { missing_since: Option<Instant> },
    /// A call has no answer yet.
    Calling,
}

/// Returns the full name of a component, or the name of its class if the launch file does not name the component.
pub(crate) fn component_name(component: &Component) -> String {
    component.names.full_name().unwrap_or_else(|| component.plugin.clone())
}

/// The calls of a job.
pub(crate) enum JobKind {
    Load { container: String, left: VecDeque<Component>, client: Client<LoadNode> },
    Change { node: String, left: VecDeque<u8>, client: Client<ChangeState> },
}

impl Job {
    /// Returns a job that waits for its service.
    pub(crate) fn new(owner: JobOwner, service: String, kind: JobKind) -> Self {
        let state = JobState::Waiting { missing_since: Some(Instant::now()) };
        Self { owner, service, state, kind }
    }

    /// Returns the time since which its service is missing; `None` if the service was there, or if the user was told.
    pub(crate) fn missing_since(&self) -> Option<Instant> {
        match self.state {
            JobState::Waiting { missing_since } | JobState::Kept { missing_since } => missing_since,
            JobState::Calling => None,
        }
    }

    /// Notes that the user was told that the service is missing.
    pub(crate) fn set_missing_reported(&mut self) {
        if let JobState::Waiting { missing_since } | JobState::Kept { missing_since } = &mut self.state {
            *missing_since = None;
        }
    }

    /// Notes that a call was answered.
    pub(crate) fn set_answered(&mut self) {
        self.state = JobState::Waiting { missing_since: None };
    }

    /// Keeps the job until the next start of its process. Returns false if the job does not load components, or if a call has
    /// no answer.
    pub(crate) fn keep(&mut self) -> bool {
        let (JobState::Waiting { missing_since } | JobState::Kept { missing_since }) = self.state else {
            return false;
        };
        let is_load = matches!(self.kind, JobKind::Load { .. });
        if is_load {
            self.state = JobState::Kept { missing_since };
        }
        is_load
    }

    /// Resumes a kept job if a request for these components asks for the same. Returns whether it is the same.
    pub(crate) fn resume_load(&mut self, owner: JobOwner, into: &str, components: &[Component]) -> bool {
        let JobState::Kept { missing_since } = self.state else { return false };
        let JobKind::Load { container, left, .. } = &self.kind else { return false };
        let is_same = self.owner.process() == owner.process() && container == into && *left == components;
        if is_same {
            self.state = JobState::Waiting { missing_since };
        }
        is_same
    }

    /// Returns the names of the components that are not loaded yet.
    pub(crate) fn components_left(&self) -> Vec<String> {
        match &self.kind {
            JobKind::Load { left, .. } => left.iter().map(component_name).collect(),
            JobKind::Change { .. } => Vec::new(),
        }
    }

    /// Returns the event of its end for its process. A component that could not be loaded is only reported.
    pub(crate) fn end_event(&self, has_failed: bool) -> Option<GraphEvent> {
        let JobOwner::Start(id) = self.owner else { return None };
        let is_change = matches!(self.kind, JobKind::Change { .. });
        Some(if has_failed && is_change { GraphEvent::Failed(id) } else { GraphEvent::Done(id) })
    }

    pub(crate) fn is_connected(&self) -> bool {
        match &self.kind {
            JobKind::Load { client, .. } => client.service_is_ready(),
            JobKind::Change { client, .. } => client.service_is_ready(),
        }
    }

    /// Makes the next call. Returns whether there was one.
    pub(crate) fn call(&self, number: usize, inbox: &Arc<Mutex<Inbox>>) -> Result<bool, String> {
        let callback_inbox = inbox.clone();
        match &self.kind {
            JobKind::Load { left, client, .. } => {
                let Some(component) = left.front() else { return Ok(false) };
                let request = match load_request(component) {
                    Ok(request) => request,
                    Err(error) => {
                        lock(inbox).loaded.push((number, Err(error)));
                        return Ok(true);
                    }
                };
                let sent = client.call_then(&request, move |answer| {
                    let result = match answer {
                        Ok(answer) if answer.success => Ok(answer.full_node_name),
                        Ok(answer) => Err(answer.error_message),
                        Err(error) => Err(error.to_string()),
                    };
                    lock(&callback_inbox).loaded.push((number, result));
                });
                sent.map(|()| true).map_err(|error| error.to_string())
            }
            JobKind::Change { left, client, .. } => {
                let Some(id) = left.front() else { return Ok(false) };
                let transition = Transition { id: *id, label: String::new() };
                let sent = client.call_then(&ChangeState_Request { transition }, move |answer| {
                    let result = answer.map(|answer| answer.success).map_err(|error| error.to_string());
                    lock(&callback_inbox).changed.push((number, result));
                });
                sent.map(|()| true).map_err(|error| error.to_string())
            }
        }
    }
}
