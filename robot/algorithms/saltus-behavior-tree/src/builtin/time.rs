//! Delays and timeouts.

use std::time::Duration;

use super::common::{Outcome, decorated};
use crate::{
    port::{Kind, Port},
    registry::Registry,
    status::{NodeKind, Status},
    tree::{Behavior, Tick},
};

fn duration<C>(tick: &Tick<'_, C>, port: &str) -> Result<Duration, crate::TickError> {
    Ok(Duration::from_millis(tick.input(port)?))
}

/// Ends a child that runs for too long.
#[derive(Default)]
struct Timeout {
    /// The time since which the child runs, and its time limit.
    runs: Option<(Duration, Duration)>,
}

impl<C> Behavior<C> for Timeout {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let (mut since, limit) = match self.runs {
            Some(runs) => runs,
            None => (tick.now(), duration(tick, "msec")?),
        };
        let is_over = tick.passed(&mut since) >= limit;
        self.runs = Some((since, limit));
        if is_over && !limit.is_zero() && tick.child_status(0) == Status::Running {
            self.runs = None;
            tick.halt_child(0);
            return Ok(Status::Failure);
        }
        let status = decorated(tick)?;
        if status != Status::Running {
            self.runs = None;
        }
        Ok(status)
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.runs = None;
    }
}

/// Waits before it ticks its child, or, without a child, before it succeeds.
struct Wait {
    port: &'static str,
    /// The time since which it waits, and the time to wait.
    waits: Option<(Duration, Duration)>,
}

impl<C> Behavior<C> for Wait {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let (mut since, time) = match self.waits {
            Some(waits) => waits,
            None => (tick.now(), duration(tick, self.port)?),
        };
        let passed = tick.passed(&mut since);
        self.waits = Some((since, time));
        if passed < time {
            return Ok(Status::Running);
        }
        let status = if tick.children() > 0 { decorated(tick)? } else { Status::Success };
        if status != Status::Running {
            self.waits = None;
        }
        Ok(status)
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.waits = None;
    }
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    let time = |name| Port::input(name).of(Kind::Unsigned).about("in milliseconds");
    let timeout =
        time("msec").about("After a certain amount of time, halt() the child if it is still running.");
    registry.register("Timeout", NodeKind::Decorator, [timeout], |_| Ok(Box::new(Timeout::default())));
    for (id, kind, port) in
        [("Delay", NodeKind::Decorator, "delay_msec"), ("Sleep", NodeKind::Action, "msec")]
    {
        registry.register(id, kind, [time(port)], move |_| Ok(Box::new(Wait { port, waits: None })));
    }
}
