//! All children at once.

use super::common::Outcome;
use crate::{
    port::{Kind, Port},
    registry::Registry,
    status::{NodeKind, Status},
    tree::{Behavior, Tick},
};

/// Ticks all children, until enough of them have succeeded or failed.
#[derive(Default)]
struct Parallel(Done);

/// The children that are done, and their statuses.
#[derive(Default)]
struct Done(Vec<Option<Status>>);

impl Done {
    /// Ticks a child, if it is not done. Returns whether it was skipped.
    fn tick<C>(&mut self, tick: &mut Tick<'_, C>, child: usize) -> Result<bool, crate::TickError> {
        self.0.resize(tick.children(), None);
        if self.0[child].is_some() {
            return Ok(false);
        }
        let status = tick.tick_child(child)?;
        self.0[child] = Some(status).filter(|status| status.is_completed());
        Ok(status == Status::Skipped)
    }

    fn count(&self, wanted: Status) -> usize {
        self.0.iter().filter(|status| **status == Some(wanted)).count()
    }

    /// Ends with a status.
    fn end<C>(&mut self, tick: &mut Tick<'_, C>, status: Status) -> Outcome {
        self.0.clear();
        tick.halt_children(0);
        Ok(status)
    }
}

/// Returns a number of children, and whether it is relative. A negative number counts from all children: -1 is all.
fn threshold<C>(tick: &Tick<'_, C>, port: &str) -> Result<(usize, bool), crate::TickError> {
    let count: i64 = tick.input(port)?;
    let children = tick.children() as i64;
    let number = if count < 0 { (children + count + 1).max(0) } else { count };
    Ok((number as usize, count < 0))
}

impl<C> Behavior<C> for Parallel {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let ((successes, is_relative), (failures, _)) =
            (threshold(tick, "success_count")?, threshold(tick, "failure_count")?);
        let children = tick.children();
        if children < successes {
            return Err("Number of children is less than threshold. Can never succeed.".into());
        }
        if children < failures {
            return Err("Number of children is less than threshold. Can never fail.".into());
        }
        let mut skipped = 0;
        for child in 0..children {
            skipped += usize::from(self.0.tick(tick, child)?);
            let (good, bad) = (self.0.count(Status::Success), self.0.count(Status::Failure));
            if good >= successes || (is_relative && good + skipped >= successes && good > 0) {
                return self.0.end(tick, Status::Success);
            }
            if children - bad < successes || (bad == failures && failures > 0) {
                return self.0.end(tick, Status::Failure);
            }
        }
        Ok(if skipped == children { Status::Skipped } else { Status::Running })
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.0.0.clear();
    }
}

/// Ticks all children until all are done.
#[derive(Default)]
struct ParallelAll(Done);

impl<C> Behavior<C> for ParallelAll {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let (most, _) = threshold(tick, "max_failures")?;
        let children = tick.children();
        let mut skipped = 0;
        for child in 0..children {
            skipped += usize::from(self.0.tick(tick, child)?);
        }
        if skipped == children {
            return Ok(Status::Skipped);
        }
        let (good, bad) = (self.0.count(Status::Success), self.0.count(Status::Failure));
        if good + bad + skipped < children {
            return Ok(Status::Running);
        }
        self.0.end(tick, if bad >= most { Status::Failure } else { Status::Success })
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.0.0.clear();
    }
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    let success = Port::input("success_count").of(Kind::Integer).or("-1");
    let success = success.about("number of children that need to succeed to trigger a SUCCESS");
    let failure = Port::input("failure_count").of(Kind::Integer).or("1");
    let failure = failure.about("number of children that need to fail to trigger a FAILURE");
    registry
        .register("Parallel", NodeKind::Control, [success, failure], |_| Ok(Box::new(Parallel::default())));
    let most = Port::input("max_failures").of(Kind::Integer).or("1");
    let most = most
        .about("If the number of children returning FAILURE exceeds this value, ParallelAll returns FAILURE");
    registry.register("ParallelAll", NodeKind::Control, [most], |_| Ok(Box::new(ParallelAll::default())));
}
