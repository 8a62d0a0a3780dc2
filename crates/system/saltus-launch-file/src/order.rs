//! Checks that each process of a plan can be started: that what it waits for exists, and does not wait for it.

use crate::{
    origin::{LaunchError, Origin},
    plan::{Later, Process, Step, StepKind},
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
    /// Whether there may be others.
    are_others: bool,
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
                StepKind::Timer { later, .. } => self.collect_later(later),
                StepKind::Handler(handler) => self.collect_later(&handler.later),
                _ => {}
            }
        }
    }

    fn collect_later(&mut self, later: &'a Later) {
        match later {
            Later::Steps(steps) => self.collect(steps),
            Later::Reaction { .. } => self.are_others = true,
        }
    }

    fn exists(&self, name: &String) -> bool {
        self.known.iter().any(|(process, _)| process.names().contains(name))
    }

    /// Whether something else than a process of the plan may have a name.
    fn may_come(&self, name: &String) -> bool {
        self.are_others || self.loaded.contains(name)
    }

    /// Whether one of these processes, but not the process itself, has a name.
    fn provides(&self, name: &String, own: usize, started: &[usize]) -> bool {
        started.iter().any(|id| *id != own && self.known[*id].0.names().contains(name))
    }
}
