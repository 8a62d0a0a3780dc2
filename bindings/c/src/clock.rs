//! Clocks.

use std::{ffi::c_void, sync::Arc, time::Duration};

use saltus::time::{ClockChange, ClockKind, JumpHandle, JumpThreshold, TimeJump, monotonic_now};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated},
    gate::Gate,
    node::Node,
    status::{Failure, Status, create, destroy, given, value},
};

/// A source of time.
#[derive(Debug)]
pub struct Clock(pub(crate) saltus::time::Clock);

/// The time since 1970.
pub const SALTUS_CLOCK_SYSTEM: u8 = 0;
/// A time that never jumps.
pub const SALTUS_CLOCK_STEADY: u8 = 1;
/// The time of a node: that of /clock if the node uses simulated time, otherwise the time since 1970.
pub const SALTUS_CLOCK_ROS: u8 = 2;

/// Creates a clock. `kind` is SALTUS_CLOCK_SYSTEM or SALTUS_CLOCK_STEADY.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_clock_create(kind: u8, clock: Option<&mut *mut Clock>) -> Status {
    create(clock, || match kind {
        SALTUS_CLOCK_SYSTEM => Ok(Clock(saltus::time::Clock::system())),
        SALTUS_CLOCK_STEADY => Ok(Clock(saltus::time::Clock::steady())),
        SALTUS_CLOCK_ROS => {
            Err(Failure::argument("the clock of ROS time is that of a node: saltus_node_clock()"))
        }
        other => Err(Failure::argument(format!("no clock has the kind {other}"))),
    })
}

/// Returns a handle of the clock of a node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_clock(node: Option<&Node>, clock: Option<&mut *mut Clock>) -> Status {
    create(clock, || Ok(Clock(given(node, "node")?.inner.clock().clone())))
}

/// Destroys the handle of a clock.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_clock_destroy(clock: Option<Box<Clock>>) {
    destroy(clock);
}

/// Returns the time of a clock in nanoseconds. With simulated time it is 0 before the first message.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_clock_now(clock: Option<&Clock>) -> i64 {
    clock.map_or(0, |clock| clock.0.now().as_nanos())
}

/// Returns the kind of a clock: one of SALTUS_CLOCK_….
#[unsafe(no_mangle)]
pub extern "C" fn saltus_clock_kind(clock: Option<&Clock>) -> u8 {
    clock.map_or(SALTUS_CLOCK_SYSTEM, |clock| match clock.0.kind() {
        ClockKind::System => SALTUS_CLOCK_SYSTEM,
        ClockKind::Steady => SALTUS_CLOCK_STEADY,
        ClockKind::Ros => SALTUS_CLOCK_ROS,
    })
}

/// Returns whether a clock has simulated time.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_clock_is_simulated(clock: Option<&Clock>) -> bool {
    clock.is_some_and(|clock| clock.0.is_simulated())
}

/// Returns the time of the monotonic clock in nanoseconds.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_monotonic_now() -> u64 {
    value(0, monotonic_now)
}

/// The time has jumped, and the source of time is the same.
pub const SALTUS_JUMP_SAME_SOURCE: u8 = 1;
/// Simulated time was switched on.
pub const SALTUS_JUMP_SIMULATED: u8 = 2;
/// Simulated time was switched off.
pub const SALTUS_JUMP_NOT_SIMULATED: u8 = 3;

/// Called after a jump: what has changed, one of SALTUS_JUMP_…, and by how many nanoseconds.
pub type JumpFunction = Option<extern "C" fn(context: *mut c_void, change: u8, delta: i64)>;

/// A callback for the jumps of a clock.
#[derive(Debug)]
pub struct JumpCallback(#[expect(dead_code, reason = "it keeps the callback")] Gated<JumpHandle>);

/// Calls `call` after each jump of a clock: forward by at least `min_forward`, backward by at least `min_backward` nanoseconds (0:
/// never for such jumps), or to another source of time if `on_change` is true. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_clock_on_jump(
    clock: Option<&Clock>,
    min_forward: u64,
    min_backward: u64,
    on_change: bool,
    call: JumpFunction,
    context: *mut c_void,
    drop: DropFunction,
    callback: Option<&mut *mut JumpCallback>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(callback, || {
        let closure = Closure::given(call, context, "jumps")?;
        let limit = |nanos: u64| (nanos != 0).then(|| Duration::from_nanos(nanos));
        let threshold = JumpThreshold {
            min_forward: limit(min_forward),
            min_backward: limit(min_backward),
            on_clock_change: on_change,
        };
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let handle = given(clock, "clock")?.0.on_jump(threshold, move |jump| {
            let change = change_number(jump);
            entered.run(|| (closure.call)(closure.context.pointer(), change, jump.delta));
        });
        Ok(JumpCallback(Gated::new(gate, handle)))
    })
}

fn change_number(jump: TimeJump) -> u8 {
    match jump.change {
        ClockChange::SameSource => SALTUS_JUMP_SAME_SOURCE,
        ClockChange::SimTimeActivated => SALTUS_JUMP_SIMULATED,
        ClockChange::SimTimeDeactivated => SALTUS_JUMP_NOT_SIMULATED,
    }
}

/// Removes the callback for jumps.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_jump_callback_destroy(callback: Option<Box<JumpCallback>>) {
    destroy(callback);
}
