//! Guard conditions: callbacks that the program triggers itself.

use std::{ffi::c_void, sync::Arc};

use saltus::executor::GuardCondition;

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated, obey},
    gate::Gate,
    group::Group,
    node::Node,
    status::{Failure, Status, create, destroy, given, run},
    timer::TimerFunction,
};

/// A condition that any thread can trigger. An executor then calls its callback.
#[derive(Debug)]
pub struct Guard(Gated<GuardCondition>);

/// Creates a guard condition. `group` may be NULL: the default group of the node. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_guard_create(
    node: Option<&Node>,
    group: Option<&Group>,
    call: TimerFunction,
    context: *mut c_void,
    drop: DropFunction,
    guard: Option<&mut *mut Guard>,
) -> Status {
    open((call, context, drop), guard, |callback| {
        let node = given(node, "node")?;
        Ok(node.inner.guard_condition_in(&node.group(group), callback))
    })
}

/// Creates a guard condition like saltus_guard_create(). In a reentrant group, several threads may call `call` at the same time.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_guard_create_reentrant(
    node: Option<&Node>,
    group: Option<&Group>,
    call: TimerFunction,
    context: *mut c_void,
    drop: DropFunction,
    guard: Option<&mut *mut Guard>,
) -> Status {
    open((call, context, drop), guard, |callback| {
        let node = given(node, "node")?;
        Ok(node.inner.reentrant_guard_condition(&node.group(group), callback))
    })
}

/// Creates a guard condition whose callback is a function of C.
fn open(
    (call, context, drop): (TimerFunction, *mut c_void, DropFunction),
    guard: Option<&mut *mut Guard>,
    make: impl FnOnce(Box<dyn Fn() + Send + Sync>) -> Result<GuardCondition, Failure>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(guard, || {
        let callback = Closure::given(call, context, "the guard condition")?;
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let condition = make(Box::new(move || {
            obey(entered.run(|| (callback.call)(callback.context.pointer())).unwrap_or_default());
        }))?;
        Ok(Guard(Gated::new(gate, condition)))
    })
}

/// Makes an executor call the callback soon. Several triggers before that make one call. May be used on any thread.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_guard_trigger(guard: Option<&Guard>) -> Status {
    run(|| {
        given(guard, "guard condition")?.0.trigger();
        Ok(())
    })
}

/// Destroys a guard condition. A callback that runs on another thread has returned when this function returns.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_guard_destroy(guard: Option<Box<Guard>>) {
    destroy(guard);
}
