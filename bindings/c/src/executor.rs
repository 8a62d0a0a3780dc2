//! Executors, which wait and run callbacks.

use std::{
    sync::{Mutex, MutexGuard, TryLockError},
    time::Duration,
};

use saltus::{
    Executor as _, MultiThreadedExecutor, SingleThreadedExecutor,
    executor::{ExecutorHandle, WaitStrategy},
};

use crate::{
    context::Context,
    group::Group,
    node::Node,
    pointers::{self, Options},
    status::{Failure, SALTUS_BUSY, Status, create, destroy, given, place, run},
    wait,
};

/// Waits without using the processor.
pub const SALTUS_WAIT_BLOCK: u8 = 0;
/// Looks for a short time before it sleeps, if that is likely to pay.
pub const SALTUS_WAIT_ADAPTIVE: u8 = 1;
/// Never sleeps. It uses a whole processor.
pub const SALTUS_WAIT_SPIN: u8 = 2;

/// The options of an executor.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ExecutorOptions {
    /// The size of this struct. saltus_executor_options_init() sets it.
    pub struct_size: usize,
    /// How many threads run callbacks, the one that calls saltus_executor_spin() included. 0 is one for each processor.
    pub threads: usize,
    /// How the executor waits: one of SALTUS_WAIT_….
    pub strategy: u8,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers.
unsafe impl Options for ExecutorOptions {
    const NAME: &str = "saltus_executor_options_t";

    fn defaults() -> Self {
        Self { struct_size: size_of::<Self>(), threads: 1, strategy: SALTUS_WAIT_ADAPTIVE }
    }
}

/// Sets options to their defaults. Pass sizeof(saltus_executor_options_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_options_init(options: *mut ExecutorOptions, struct_size: usize) {
    pointers::write_defaults(options, struct_size);
}

/// An executor: it waits for nodes and callback groups, and runs their callbacks.
#[derive(Debug)]
pub struct Executor {
    spinning: Mutex<Kind>,
    handle: ExecutorHandle,
}

#[derive(Debug)]
enum Kind {
    /// It runs callbacks on the thread that spins.
    Single(Box<SingleThreadedExecutor>),
    /// It runs callbacks on several threads.
    Multi(Box<MultiThreadedExecutor>),
}

impl Executor {
    fn new(context: &saltus::Context, options: &ExecutorOptions) -> Result<Self, Failure> {
        let strategy = match options.strategy {
            SALTUS_WAIT_BLOCK => WaitStrategy::Block,
            SALTUS_WAIT_ADAPTIVE => WaitStrategy::Adaptive,
            SALTUS_WAIT_SPIN => WaitStrategy::Spin,
            other => return Err(Failure::argument(format!("no executor waits with the strategy {other}"))),
        };
        let kind = match options.threads {
            1 => Kind::Single(Box::new(SingleThreadedExecutor::new(context)?.strategy(strategy))),
            0 => Kind::Multi(Box::new(MultiThreadedExecutor::new(context)?.strategy(strategy))),
            more => {
                Kind::Multi(Box::new(MultiThreadedExecutor::new(context)?.strategy(strategy).threads(more)))
            }
        };
        let handle = match &kind {
            Kind::Single(executor) => executor.handle(),
            Kind::Multi(executor) => executor.handle(),
        };
        Ok(Self { spinning: Mutex::new(kind), handle })
    }

    /// Returns the handle for a node.
    ///
    /// # Errors
    /// Returns an error if the node belongs to another context.
    pub(crate) fn handle_for(&self, node: &saltus::Node) -> Result<&ExecutorHandle, Failure> {
        match self.handle.is_of(node.context()) {
            true => Ok(&self.handle),
            false => Err(Failure::argument("the node and the executor belong to different contexts")),
        }
    }

    /// Returns the executor for the thread that spins.
    fn begin(&self) -> Result<MutexGuard<'_, Kind>, Failure> {
        match self.spinning.try_lock() {
            Ok(kind) => Ok(kind),
            // A callback has ended the pass. The executor can go on.
            Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::new(SALTUS_BUSY, "the executor is spinning already"))
            }
        }
    }

    /// Runs a part of what a single-threaded executor has to do.
    fn step(
        &self,
        step: impl FnOnce(&mut SingleThreadedExecutor) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        match &mut *self.begin()? {
            Kind::Single(executor) => step(executor),
            Kind::Multi(_) => {
                Err(Failure::argument("an executor with several threads can only spin as a whole"))
            }
        }
    }
}

/// Creates an executor without nodes. `options` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_create(
    context: Option<&Context>,
    options: *const ExecutorOptions,
    executor: Option<&mut *mut Executor>,
) -> Status {
    create(executor, || Executor::new(&given(context, "context")?.inner, &pointers::options(options)?))
}

/// Destroys an executor. Its nodes belong to no executor then.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_destroy(executor: Option<Box<Executor>>) {
    destroy(executor);
}

/// Adds a node: the callbacks in its callback groups run here. A node that is added to several executors belongs to the one that
/// it was added to last.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_add_node(executor: Option<&Executor>, node: Option<&Node>) -> Status {
    run(|| {
        let (executor, node) = (given(executor, "executor")?, &given(node, "node")?.inner);
        executor.handle_for(node)?.add_node(node);
        Ok(())
    })
}

/// Removes a node. A callback of it that runs already goes on.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_remove_node(executor: Option<&Executor>, node: Option<&Node>) -> Status {
    run(|| {
        given(executor, "executor")?.handle.remove_node(&given(node, "node")?.inner);
        Ok(())
    })
}

/// Adds a callback group that does not follow its node.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_add_group(executor: Option<&Executor>, group: Option<&Group>) -> Status {
    run(|| {
        given(executor, "executor")?.handle.add_callback_group(&given(group, "callback group")?.0);
        Ok(())
    })
}

/// Removes a callback group.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_remove_group(executor: Option<&Executor>, group: Option<&Group>) -> Status {
    run(|| {
        given(executor, "executor")?.handle.remove_callback_group(&given(group, "callback group")?.0);
        Ok(())
    })
}

/// Runs callbacks until the context is shut down or saltus_executor_cancel() is called.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_spin(executor: Option<&Executor>) -> Status {
    run(|| match &mut *given(executor, "executor")?.begin()? {
        Kind::Single(executor) => Ok(executor.spin()?),
        Kind::Multi(executor) => Ok(executor.spin()?),
    })
}

/// Waits until callbacks can run, and runs each of them once. A negative timeout is none. Writes to `has_run` whether one has
/// run. It needs an executor with one thread.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_spin_once(
    executor: Option<&Executor>,
    timeout: i64,
    has_run: Option<&mut bool>,
) -> Status {
    step(executor, has_run, |executor| Ok(executor.spin_once(wait::timeout(timeout))?))
}

/// Waits until a callback can run, and runs one. A negative timeout is none. Writes to `has_run` whether one has run. Callbacks
/// that are ready at the same time run in turn, in several calls. It needs an executor with one thread.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_spin_one(
    executor: Option<&Executor>,
    timeout: i64,
    has_run: Option<&mut bool>,
) -> Status {
    step(executor, has_run, |executor| Ok(executor.spin_one(wait::timeout(timeout))?))
}

/// Runs each callback that can run now once, without waiting. It begins none after `limit` nanoseconds; a negative limit is
/// none. Writes to `has_run` whether one has run. It needs an executor with one thread.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_spin_some(
    executor: Option<&Executor>,
    limit: i64,
    has_run: Option<&mut bool>,
) -> Status {
    let limit = wait::timeout(limit).unwrap_or(Duration::MAX);
    step(executor, has_run, |executor| Ok(executor.spin_some_for(limit)?))
}

/// Runs a step of an executor with one thread, and writes its answer.
fn step(
    executor: Option<&Executor>,
    has_run: Option<&mut bool>,
    step: impl FnOnce(&mut SingleThreadedExecutor) -> Result<bool, Failure>,
) -> Status {
    run(|| {
        let ran = given(executor, "executor")?.step(step)?;
        *place(has_run, "answer")? = ran;
        Ok(())
    })
}

/// Makes a spinning executor return soon. May be used on any thread, and in a callback. Without a spinning thread, the next
/// spin returns at once.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_cancel(executor: Option<&Executor>) -> Status {
    run(|| {
        given(executor, "executor")?.handle.cancel();
        Ok(())
    })
}

/// Ends a wait of saltus_executor_spin_one(), which returns without having run a callback. Without a waiting thread, the next
/// wait ends at once.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_executor_wake(executor: Option<&Executor>) -> Status {
    run(|| {
        given(executor, "executor")?.handle.wake();
        Ok(())
    })
}
