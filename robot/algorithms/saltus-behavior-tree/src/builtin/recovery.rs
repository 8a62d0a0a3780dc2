//! Nodes of Nav2: pipelines, recoveries, rates.
//!
//! Source: the documentation of Nav2, <https://docs.nav2.org/behavior_trees/overview/nav2_specific_nodes.html>.

use std::time::Duration;

use super::common::Outcome;
use crate::{
    port::{Kind, Port},
    registry::Registry,
    status::{NodeKind, Status},
    tree::{Behavior, Tick},
};

/// Ticks its children in order. Ticks those before the running child again at each tick.
#[derive(Default)]
struct Pipeline {
    last: usize,
}

impl<C> Behavior<C> for Pipeline {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let mut skipped = 0;
        for child in 0..tick.children() {
            match tick.tick_child(child)? {
                Status::Failure => {
                    tick.halt_children(0);
                    self.last = 0;
                    return Ok(Status::Failure);
                }
                Status::Running if child >= self.last => {
                    self.last = child;
                    return Ok(Status::Running);
                }
                Status::Skipped => skipped += 1,
                _ => {}
            }
        }
        let all_skipped = skipped == tick.children();
        tick.halt_children(0);
        self.last = 0;
        Ok(if all_skipped { Status::Skipped } else { Status::Success })
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.last = 0;
    }
}

/// Ticks its first child. When that fails, ticks its second child, and then the first one again, up to a number of times.
#[derive(Default)]
struct Recovery {
    retries: u64,
    recovers: bool,
}

/// The largest number of children that a recovery node ticks in a tick of its own.
const MOST: u32 = 1000;

impl Recovery {
    fn end<C>(&mut self, tick: &mut Tick<'_, C>, status: Status) -> Outcome {
        tick.halt_children(0);
        *self = Self::default();
        Ok(status)
    }
}

impl<C> Behavior<C> for Recovery {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        if tick.children() != 2 {
            return Err(format!("Recovery Node '{}' must only have 2 children.", tick.info().name).into());
        }
        let most: u64 = tick.input("number_of_retries")?;
        for _ in 0..MOST {
            let status = tick.tick_child(usize::from(self.recovers))?;
            match (self.recovers, status) {
                (_, Status::Running) => return Ok(Status::Running),
                (false, Status::Failure) if self.retries < most => {
                    tick.halt_child(0);
                    self.recovers = true;
                }
                (true, Status::Success) => {
                    tick.halt_child(1);
                    self.retries += 1;
                    self.recovers = false;
                }
                (true, Status::Skipped) => {
                    tick.halt_child(1);
                    self.recovers = false;
                    return Ok(Status::Failure);
                }
                (_, status) => return self.end(tick, status),
            }
        }
        Ok(Status::Running)
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        *self = Self::default();
    }
}

/// Ticks one child at each activation, the next one each time.
#[derive(Default)]
struct RoundRobin {
    current: usize,
    failed: usize,
}

impl<C> Behavior<C> for RoundRobin {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let children = tick.children();
        let mut skipped = 0;
        while self.failed + skipped < children {
            let status = tick.tick_child(self.current)?;
            if status == Status::Running {
                return Ok(Status::Running);
            }
            self.current = (self.current + 1) % children;
            match status {
                Status::Success => {
                    self.failed = 0;
                    tick.halt_children(0);
                    return Ok(Status::Success);
                }
                Status::Failure => self.failed += 1,
                _ => skipped += 1,
            }
        }
        tick.halt_children(0);
        *self = Self::default();
        Ok(if skipped == children { Status::Skipped } else { Status::Failure })
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        *self = Self::default();
    }
}

/// Ticks its child at most at a rate, and while the child runs.
#[derive(Default)]
struct Rate {
    period: Duration,
    start: Duration,
}

impl<C> Behavior<C> for Rate {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let is_first = !tick.status().is_active();
        if is_first {
            let hz: f64 = tick.input("hz")?;
            let period = Duration::try_from_secs_f64(1.0 / hz);
            self.period = period.map_err(|_| format!("`hz` must be positive, found {hz}"))?;
            self.start = tick.now();
        }
        let is_running = tick.child_status(0) == Status::Running;
        if !is_first && !is_running && tick.passed(&mut self.start) < self.period {
            return Ok(Status::Running);
        }
        let status = tick.tick_child(0)?;
        if status == Status::Success {
            self.start = tick.now();
        }
        if status.is_completed() {
            tick.halt_child(0);
        }
        Ok(status)
    }
}

/// Ticks its child until it is done, and fails after that until it is reset.
#[derive(Default)]
struct Single {
    is_done: bool,
}

impl<C> Behavior<C> for Single {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        if !tick.status().is_active() {
            self.is_done = false;
        }
        if self.is_done {
            return Ok(Status::Failure);
        }
        let status = super::common::decorated(tick)?;
        self.is_done = status.is_completed();
        Ok(status)
    }
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    registry.register("PipelineSequence", NodeKind::Control, [], |_| Ok(Box::new(Pipeline::default())));
    let retries = Port::input("number_of_retries").of(Kind::Integer).or("1").about("Number of retries");
    registry.register("RecoveryNode", NodeKind::Control, [retries], |_| Ok(Box::new(Recovery::default())));
    registry.register("RoundRobin", NodeKind::Control, [], |_| Ok(Box::new(RoundRobin::default())));
    let hz = Port::input("hz").of(Kind::Double).or("10.0").about("Rate");
    registry.register("RateController", NodeKind::Decorator, [hz], |_| Ok(Box::new(Rate::default())));
    registry.register("SingleTrigger", NodeKind::Decorator, [], |_| Ok(Box::new(Single::default())));
}
