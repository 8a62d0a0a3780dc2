//! The wait set of an executor that is written in Python.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyList};
use saltus::{
    Executor, SingleThreadedExecutor,
    executor::{ExecutorHandle, Placement, Placements, SchedulingPolicy, SpinError, WaitStrategy},
    time::monotonic_now,
};

use crate::{
    context::{Context, check_signals},
    errors,
    node::Node,
    ready::{Target, collecting, work_natively},
};

/// The longest time that a wait spins without sleeping, in nanoseconds. After that, Python's signal handlers run.
const LONGEST_SPIN: u64 = 50_000_000;

/// Waits until objects of the added nodes are ready; see [`crate::ready`].
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct WaitSet {
    executor: Mutex<SingleThreadedExecutor>,
    handle: ExecutorHandle,
    is_woken: AtomicBool,
    spins: bool,
    is_interruptible: bool,
    context: saltus::Context,
}

impl WaitSet {
    /// Returns the executor, unless another thread uses it.
    fn try_lock(&self) -> Option<MutexGuard<'_, SingleThreadedExecutor>> {
        match self.executor.try_lock() {
            Ok(executor) => Some(executor),
            // The executor stays usable even if a callback panicked.
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits once and runs one pass, without the interpreter's lock. Returns `None` if another thread waits already.
    fn wait_once(&self, deadline: Option<u64>) -> Option<Result<Vec<Arc<Target>>, SpinError>> {
        let mut executor = self.try_lock()?;
        let until = if self.spins {
            Some(deadline.unwrap_or(u64::MAX).min(monotonic_now() + LONGEST_SPIN))
        } else {
            deadline
        };
        let (outcome, marked) = collecting(|| executor.spin_once_or_interrupted(until));
        Some(outcome.map(|_| marked))
    }
}

#[pymethods]
impl WaitSet {
    /// `strategy` is `"block"`, `"adaptive"` or `"spin"`. `spin_tail` is in seconds.
    #[new]
    fn new(context: &Context, strategy: &str, spin_tail: f64) -> PyResult<Self> {
        let (strategy, spins) = match strategy {
            "block" => (WaitStrategy::Block, false),
            "adaptive" => (WaitStrategy::Adaptive, false),
            "spin" => (WaitStrategy::Spin, true),
            other => {
                let what = format!("expected 'block', 'adaptive' or 'spin', found '{other}'");
                return Err(pyo3::exceptions::PyValueError::new_err(what));
            }
        };
        let tail = Duration::try_from_secs_f64(spin_tail)
            .map_err(|error| pyo3::exceptions::PyValueError::new_err(format!("spin_tail: {error}")))?;
        let is_interruptible = context.is_interruptible;
        let context = context.open()?;
        let executor = SingleThreadedExecutor::new(&context).map_err(errors::open)?;
        let executor = executor.strategy(strategy).spin_tail(tail);
        Ok(Self {
            handle: executor.handle(),
            executor: Mutex::new(executor),
            is_woken: AtomicBool::new(false),
            spins,
            is_interruptible,
            context,
        })
    }

    /// Adds a node. One wait set at a time has a node: the one that it was added to last.
    fn add_node(&self, node: &Node) -> PyResult<()> {
        let node = node.open()?;
        if *node.context() != self.context {
            return Err(PyRuntimeError::new_err("the node belongs to another context"));
        }
        self.handle.add_node(&node);
        Ok(())
    }

    /// Removes a node.
    fn remove_node(&self, node: &Node) {
        if let Ok(node) = node.open() {
            self.handle.remove_node(&node);
        }
    }

    /// Waits until an object is ready, the monotonic time `deadline` in nanoseconds has passed, `wake` is called or the
    /// context is shut down. Returns the objects that are ready. Meanwhile, runs signal handlers.
    #[pyo3(signature = (deadline=None))]
    fn wait<'py>(&self, py: Python<'py>, deadline: Option<u64>) -> PyResult<Bound<'py, PyList>> {
        loop {
            // Without this check the executor would not stop after a shutdown, as long as messages arrive.
            if self.context.is_shut_down() {
                return Ok(PyList::empty(py));
            }
            let outcome = work_natively(py, || self.wait_once(deadline))?;
            let outcome = outcome.ok_or_else(|| PyRuntimeError::new_err("Executor is already spinning"))?;
            let marked = outcome.map_err(errors::spin)?;
            if !marked.is_empty() {
                let objects = PyList::empty(py);
                for target in marked {
                    if let Some(object) = target.object(py) {
                        objects.append(object)?;
                    }
                }
                if !objects.is_empty() {
                    return Ok(objects);
                }
            }
            check_signals(py, &self.context, self.is_interruptible)?;
            let is_late = deadline.is_some_and(|deadline| monotonic_now() >= deadline);
            if is_late || self.is_woken.swap(false, Ordering::AcqRel) || self.context.is_shut_down() {
                return Ok(PyList::empty(py));
            }
        }
    }

    /// Ends the current wait, or the next one if no thread waits now.
    fn wake(&self) {
        self.is_woken.store(true, Ordering::Release);
        self.handle.cancel();
    }

    /// Returns a file descriptor that another event loop can wait for after each call of [`WaitSet::arm`].
    fn fileno(&self) -> PyResult<i32> {
        use std::os::fd::AsRawFd;
        let executor = self.try_lock();
        let mut executor = executor.ok_or_else(|| PyRuntimeError::new_err("Executor is already spinning"))?;
        Ok(executor.fd()?.as_raw_fd())
    }

    /// Prepares the file descriptor for a wait. Returns the longest time to wait in seconds, or `None` for no limit.
    fn arm(&self) -> PyResult<Option<f64>> {
        let executor = self.try_lock();
        let mut executor = executor.ok_or_else(|| PyRuntimeError::new_err("Executor is already spinning"))?;
        Ok(executor.arm()?.map(|longest| longest.as_secs_f64()))
    }
}

/// The scheduling policies by their names.
const POLICIES: [(&str, SchedulingPolicy); 3] = [
    ("other", SchedulingPolicy::Other),
    ("fifo", SchedulingPolicy::Fifo),
    ("rr", SchedulingPolicy::RoundRobin),
];

/// Makes this thread run on these CPUs, with a scheduling policy. If `cpus` is empty, the CPUs are not changed.
/// `policy` is `"other"`, `"fifo"` or `"rr"`. The priority of the last two is from 1 to 99. `memory_lock` keeps the
/// memory of the process in RAM.
#[pyfunction]
pub(crate) fn place_thread(cpus: Vec<usize>, policy: &str, priority: u8, memory_lock: bool) -> PyResult<()> {
    let Some((_, policy)) = POLICIES.into_iter().find(|(name, _)| *name == policy) else {
        let what = format!("expected 'other', 'fifo' or 'rr', found '{policy}'");
        return Err(pyo3::exceptions::PyValueError::new_err(what));
    };
    let placement = Placement { cpus, policy, priority, memory_lock };
    placement.apply().map_err(|error| errors::spin(error.into()))
}

/// Returns the arguments of `place_thread` for the executor with this name, from the file of placements.
#[pyfunction]
pub(crate) fn placement(executor: &str) -> PyResult<(Vec<usize>, &'static str, u8, bool)> {
    let placements =
        Placements::from_environment().map_err(|error| errors::exception("PlacementError", error))?;
    let Placement { cpus, policy, priority, memory_lock } = placements.of(executor);
    let name = POLICIES.into_iter().find(|(_, of_name)| *of_name == policy).map_or("other", |(name, _)| name);
    Ok((cpus, name, priority, memory_lock))
}

/// Returns the time of the monotonic clock in nanoseconds. Deadlines are times of this clock.
#[pyfunction]
#[pyo3(name = "monotonic_now")]
pub(crate) fn monotonic() -> u64 {
    monotonic_now()
}
