//! What an executor in Python waits with.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyList};
use saltus::{
    Executor, ExecutorHandle, Placement, SchedulingPolicy, SingleThreadedExecutor, SpinError, WaitStrategy,
    monotonic_now,
};

use crate::{
    context::{Context, check_signals},
    errors,
    node::Node,
    ready::{Target, collecting, work_natively},
};

/// A wait that never sleeps ends after so long, for Python's signal handlers to run, in nanoseconds.
const LONGEST_SPIN: u64 = 50_000_000;

/// Waits for nodes; see [`crate::ready`].
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
    /// The executor, unless another thread has it.
    fn try_lock(&self) -> Option<MutexGuard<'_, SingleThreadedExecutor>> {
        match self.executor.try_lock() {
            Ok(executor) => Some(executor),
            // It is whole even if a callback panicked.
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// One wait and one pass, without the interpreter's lock; `None` if another thread waits.
    fn turn(&self, deadline: Option<u64>) -> Option<Result<Vec<Arc<Target>>, SpinError>> {
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
    /// `strategy` is `"block"`, `"adaptive"` or `"spin"`; `spin_tail` is in seconds.
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

    /// Takes a node in. It belongs to one wait set at a time: the last that took it.
    fn add_node(&self, node: &Node) -> PyResult<()> {
        let node = node.open()?;
        if *node.context() != self.context {
            return Err(PyRuntimeError::new_err("the node is of another context"));
        }
        self.handle.add_node(&node);
        Ok(())
    }

    /// Gives a node back.
    fn remove_node(&self, node: &Node) {
        if let Ok(node) = node.open() {
            self.handle.remove_node(&node);
        }
    }

    /// Waits until something is ready, or the monotonic `deadline` in nanoseconds has come, or it is woken, or
    /// the context was shut down; returns the objects that are ready. Signal handlers run meanwhile.
    #[pyo3(signature = (deadline=None))]
    fn wait<'py>(&self, py: Python<'py>, deadline: Option<u64>) -> PyResult<Bound<'py, PyList>> {
        loop {
            // Else a flood of messages would keep it going.
            if self.context.is_shut_down() {
                return Ok(PyList::empty(py));
            }
            let turn = work_natively(py, || self.turn(deadline))?;
            let turn = turn.ok_or_else(|| PyRuntimeError::new_err("Executor is already spinning"))?;
            let marked = turn.map_err(errors::spin)?;
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

    /// Ends the wait that runs, or the next one.
    fn wake(&self) {
        self.is_woken.store(true, Ordering::Release);
        self.handle.cancel();
    }

    /// A file descriptor that a foreign loop can wait for, after [`WaitSet::arm`].
    fn fileno(&self) -> PyResult<i32> {
        use std::os::fd::AsRawFd;
        let mut executor = self.try_lock().ok_or_else(|| PyRuntimeError::new_err("it is being spun"))?;
        Ok(executor.fd()?.as_raw_fd())
    }

    /// Gets the descriptor ready to be waited for; returns for how many seconds at most, or `None`.
    fn arm(&self) -> PyResult<Option<f64>> {
        let mut executor = self.try_lock().ok_or_else(|| PyRuntimeError::new_err("it is being spun"))?;
        Ok(executor.arm()?.map(|longest| longest.as_secs_f64()))
    }
}

/// Has this thread run on these CPUs (none for those it has), under a policy: `"other"`, `"fifo"` or `"rr"`, the last
/// two with a priority from 1 to 99.
#[pyfunction]
pub(crate) fn place_thread(cpus: Vec<usize>, policy: &str, priority: u8) -> PyResult<()> {
    let policy = match policy {
        "other" => SchedulingPolicy::Other,
        "fifo" => SchedulingPolicy::Fifo,
        "rr" => SchedulingPolicy::RoundRobin,
        other => {
            let what = format!("expected 'other', 'fifo' or 'rr', found '{other}'");
            return Err(pyo3::exceptions::PyValueError::new_err(what));
        }
    };
    Placement { cpus, policy, priority }.apply().map_err(|error| errors::spin(error.into()))
}

/// The monotonic clock's time in nanoseconds, by which deadlines are given.
#[pyfunction]
#[pyo3(name = "monotonic_now")]
pub(crate) fn monotonic() -> u64 {
    monotonic_now()
}
