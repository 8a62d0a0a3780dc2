//! Timers.

use std::{ffi::c_void, sync::Arc, time::Duration};

use saltus::{Time, executor::CallbackGroupKind};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated, Next, obey},
    clock::Clock,
    gate::Gate,
    group::Group,
    node::Node,
    status::{Failure, SALTUS_INVALID_ARGUMENT, Status, create, destroy, given, node_failure, run, value},
};

/// Called once per period.
pub type TimerFunction = Option<extern "C" fn(context: *mut c_void) -> Next>;

/// A timer.
#[derive(Debug)]
pub struct Timer(Gated<saltus::Timer>);

/// Starts a timer. An executor calls `call` once per period of `period` nanoseconds of `clock`; the first time after one period.
/// Periods that were missed are left out. `clock` and `group` may be NULL: the steady clock, and the default group of the node.
/// `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_create(
    node: Option<&Node>,
    period: i64,
    clock: Option<&Clock>,
    group: Option<&Group>,
    call: TimerFunction,
    context: *mut c_void,
    drop: DropFunction,
    timer: Option<&mut *mut Timer>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(timer, || {
        let callback = Closure::given(call, context, "the timer")?;
        let node = given(node, "node")?;
        let period = u64::try_from(period).map_err(|_| {
            Failure::argument(format!("expected a period that is not negative, found {period} ns"))
        })?;
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let fire = move || {
            obey(entered.run(|| (callback.call)(callback.context.pointer())).unwrap_or_default());
        };
        let group = node.group(group);
        // A timer without a period is always due. One nanosecond is as good.
        let builder = node.inner.wall_timer(Duration::from_nanos(period.max(1))).callback_group(&group);
        let builder = clock.into_iter().fold(builder, |builder, clock| builder.clock(&clock.0));
        let started = match group.kind() {
            CallbackGroupKind::Reentrant => builder.reentrant_callback(fire),
            CallbackGroupKind::MutuallyExclusive => builder.callback(fire),
        };
        Ok(Timer(Gated::new(gate, started.map_err(node_failure(SALTUS_INVALID_ARGUMENT))?)))
    })
}

/// Ends a timer. A callback that runs on another thread has returned when this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_destroy(timer: Option<Box<Timer>>) {
    destroy(timer);
}

/// Stops a timer until saltus_timer_reset().
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_cancel(timer: Option<&Timer>) -> Status {
    run(|| {
        given(timer, "timer")?.0.cancel();
        Ok(())
    })
}

/// Returns whether a timer is stopped.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_is_canceled(timer: Option<&Timer>) -> bool {
    timer.is_some_and(|timer| timer.0.is_cancelled())
}

/// Starts a timer again: the next call is one period from now.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_reset(timer: Option<&Timer>) -> Status {
    run(|| {
        given(timer, "timer")?.0.reset();
        Ok(())
    })
}

/// Starts a timer again: the next call is at `next`, in nanoseconds of its clock.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_reset_at(timer: Option<&Timer>, next: i64) -> Status {
    run(|| {
        given(timer, "timer")?.0.reset_at(Time::from_nanos(next));
        Ok(())
    })
}

/// Returns the nanoseconds until the next call: 0 if it is due, -1 if the timer is stopped.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_time_until_call(timer: Option<&Timer>) -> i64 {
    let left = timer.and_then(|timer| timer.0.time_until_next_call());
    left.map_or(-1, |left| i64::try_from(left.as_nanos()).unwrap_or(i64::MAX))
}

/// Returns the nanoseconds since the last call, or since the start before the first one.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_time_since_call(timer: Option<&Timer>) -> i64 {
    let since = timer.map_or(Duration::ZERO, |timer| timer.0.time_since_last_call());
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns when the last call was due, or the one that runs now, in nanoseconds of its clock. Returns -1 before the first call.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_last_due(timer: Option<&Timer>) -> i64 {
    timer.and_then(|timer| timer.0.last_due()).map_or(-1, Time::as_nanos)
}

/// Returns the period of a timer in nanoseconds.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_period(timer: Option<&Timer>) -> i64 {
    let period = timer.map_or(Duration::ZERO, |timer| timer.0.period());
    i64::try_from(period.as_nanos()).unwrap_or(i64::MAX)
}

/// Changes the period of a timer. It counts from the next call on.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_set_period(timer: Option<&Timer>, period: i64) -> Status {
    run(|| {
        let period = u64::try_from(period).ok().filter(|period| *period > 0);
        let period = period.ok_or_else(|| Failure::argument("expected a period of at least 1 ns"))?;
        given(timer, "timer")?.0.set_period(Duration::from_nanos(period));
        Ok(())
    })
}

/// Returns whether a call is due.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_timer_is_ready(timer: Option<&Timer>) -> bool {
    value(false, || saltus_timer_time_until_call(timer) == 0)
}
