//! Checks that each process of a plan can be started: the processes that it waits for exist, and do not wait for it.

use crate::{
    origin::{LaunchError, Origin},
    plan::{Deferred, Process, Step, StepKind},
};

/// Checks the names in `after`. If functions of a launch file in Python may add processes later, unknown names are not
/// errors.
///
/// # Errors
///
/// Returns an error if a process waits for something that does not exist, or if processes wait for each other.
pub(crate) fn check(steps: &[Step]) -> Result<(), LaunchError> {
    let mut all = Processes::default();
    all.collect(steps);
    let mut started: Vec<usize> = Vec::new();
    loop {
        let can_start = |id: &usize| {
            let waits_for = &all.known[*id].0.after;
            waits_for
                .iter()
                .all(|name| all.provides(name, *id, &started) || (all.may_come(name) && !all.exists(name)))
        };
        let new: Vec<usize> =
            (0..all.known.len()).filter(|id| !started.contains(id)).filter(|id| can_start(id)).collect();
        if new.is_empty() {
            break;
        }
        started.extend(new);
    }
    let Some(left) = (0..all.known.len()).find(|id| !started.contains(id)) else { return Ok(()) };
    let (process, origin) = all.known[left];
    let unknown = process.after.iter().find(|name| !all.exists(name));
    Err(LaunchError::new(
        origin,
        match unknown {
            Some(name) => format!("`after`: there is no process or node `{name}`"),
            None => format!("`{}` and the processes in its `after` wait for each other", process.label),
        },
    ))
}

#[derive(Default)]
struct Processes<'a> {
    known: Vec<(&'a Process, &'a Origin)>,
    /// The full names of components that are loaded into containers that run.
    loaded: Vec<String>,
    /// Whether functions of a launch file in Python may add other processes.
    may_grow: bool,
}

impl<'a> Processes<'a> {
    fn collect(&mut self, steps: &'a [Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Process(process) => self.known.push((process, &step.origin)),
                StepKind::Load(load) => {
                    self.loaded
                        .extend(load.components.iter().filter_map(|component| component.names.full_name()));
                }
                StepKind::Group(steps) | StepKind::Include { steps, .. } => self.collect(steps),
                StepKind::Timer { actions, .. } => self.collect_deferred(actions),
                StepKind::Handler(handler) => self.collect_deferred(&handler.actions),
                _ => {}
            }
        }
    }

    fn collect_deferred(&mut self, actions: &'a Deferred) {
        match actions {
            Deferred::Steps(steps) => self.collect(steps),
            Deferred::Reaction { .. } => self.may_grow = true,
        }
    }

    fn exists(&self, name: &String) -> bool {
        self.known.iter().any(|(process, _)| process.names().contains(name))
    }

    /// Whether a component, or a process that is not in the plan, may have a name.
    fn may_come(&self, name: &String) -> bool {
        self.may_grow || self.loaded.contains(name)
    }

    /// Whether one of these processes, but not the process itself, has a name.
    fn provides(&self, name: &String, own: usize, started: &[usize]) -> bool {
        started.iter().any(|id| *id != own && self.known[*id].0.names().contains(name))
    }
}
