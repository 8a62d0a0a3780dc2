//! Decorators that change a status, or tick again.

use super::common::{Outcome, decorated};
use crate::{
    port::{Kind, Port},
    registry::{Registry, leaf},
    status::{NodeKind, Status},
    tree::{Behavior, Tick},
};

/// Ticks the child again, as long as it has the status that repeats.
struct Again {
    port: &'static str,
    /// The status after which the child is ticked again.
    repeats: Status,
    count: i64,
}

impl Again {
    /// The status that ends the repetition at once.
    fn other(&self) -> Status {
        if self.repeats == Status::Success { Status::Failure } else { Status::Success }
    }
}

impl<C> Behavior<C> for Again {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let missing = |_| crate::TickError::from(format!("Missing parameter [{}]", self.port));
        let most: i64 = tick.input(self.port).map_err(missing)?;
        while most == -1 || self.count < most {
            let was_idle = tick.child_status(0) == Status::Idle;
            let status = decorated(tick)?;
            match status {
                Status::Running => return Ok(Status::Running),
                Status::Skipped => {
                    tick.halt_child(0);
                    return Ok(Status::Skipped);
                }
                status if status == self.repeats => {
                    self.count += 1;
                    if was_idle && (most == -1 || self.count < most) {
                        tick.wake();
                        return Ok(Status::Running);
                    }
                }
                _ => {
                    self.count = 0;
                    return Ok(self.other());
                }
            }
        }
        self.count = 0;
        Ok(self.repeats)
    }

    fn halt(&mut self, _tick: &mut Tick<'_, C>) {
        self.count = 0;
    }
}

/// Ticks the child until it is done, and never again.
#[derive(Default)]
struct RunOnce {
    result: Option<Status>,
}

impl<C> Behavior<C> for RunOnce {
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome {
        let skips: bool = tick.input("then_skip")?;
        if let Some(result) = self.result {
            return Ok(if skips { Status::Skipped } else { result });
        }
        let status = decorated(tick)?;
        self.result = Some(status).filter(|status| status.is_completed());
        Ok(status)
    }
}

/// Changes the status of the child when it is done.
fn changed<C>(tick: &mut Tick<'_, C>, change: fn(Status) -> Status) -> Outcome {
    let status = decorated(tick)?;
    Ok(if status.is_completed() { change(status) } else { status })
}

fn inverted(status: Status) -> Status {
    if status == Status::Success { Status::Failure } else { Status::Success }
}

fn keep_running<C>(tick: &mut Tick<'_, C>) -> Outcome {
    Ok(match decorated(tick)? {
        Status::Failure => Status::Failure,
        _ => Status::Running,
    })
}

pub(super) fn register<C: 'static>(registry: &mut Registry<C>) {
    type Change = fn(Status) -> Status;
    let changes: [(&str, Change); 3] = [
        ("Inverter", inverted),
        ("ForceSuccess", |_| Status::Success),
        ("ForceFailure", |_| Status::Failure),
    ];
    for (id, change) in changes {
        registry.register(id, NodeKind::Decorator, [], move |_| Ok(leaf(move |tick| changed(tick, change))));
    }
    let kinds = [
        ("RetryUntilSuccessful", "num_attempts", Status::Failure),
        ("Repeat", "num_cycles", Status::Success),
    ];
    for (id, port, repeats) in kinds {
        let most = Port::input(port).of(Kind::Integer).about("how often at most; -1 for no limit");
        let make = move |_: &crate::NodeConfig<'_>| {
            Ok(Box::new(Again { port, repeats, count: 0 }) as Box<dyn Behavior<C>>)
        };
        registry.register(id, NodeKind::Decorator, [most], make);
    }
    registry.register("KeepRunningUntilFailure", NodeKind::Decorator, [], |_| Ok(leaf(keep_running)));
    let skips = Port::input("then_skip").of(Kind::Bool).or("true");
    let skips = skips
        .about("If true, skip after the first execution, otherwise return the same NodeStatus returned once");
    registry.register("RunOnce", NodeKind::Decorator, [skips], |_| Ok(Box::new(RunOnce::default())));
    for (id, status) in [("AlwaysSuccess", Status::Success), ("AlwaysFailure", Status::Failure)] {
        registry.register(id, NodeKind::Action, [], move |_| Ok(leaf(move |_| Ok(status))));
    }
}
