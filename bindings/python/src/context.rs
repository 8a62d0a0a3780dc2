//! Contexts.

use std::{sync::Mutex, time::Duration};

use pyo3::{exceptions::PyKeyboardInterrupt, prelude::*};
use saltus::{
    context::{ContextOptions, RosArgs, Signals, restore_termination},
    types::lock,
};

use crate::{errors, graph::Graph};

/// The longest time that a native wait lasts before signal handlers may run.
pub(crate) const SLICE: Duration = Duration::from_millis(100);

/// A context: this process as a participant of the graph.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Context {
    /// `None` after it was closed.
    inner: Mutex<Option<saltus::Context>>,
    rest: Vec<String>,
    /// Whether Ctrl-C shuts this context down.
    pub(crate) is_interruptible: bool,
    #[pyo3(get)]
    domain_id: u32,
}

impl Context {
    pub(crate) fn open(&self) -> PyResult<saltus::Context> {
        lock(&self.inner).clone().ok_or_else(|| errors::name("NotInitializedException", ""))
    }
}

/// Runs signal handlers. If one raises `KeyboardInterrupt` and `ends` is true, shuts the context down before it returns
/// the exception: the native thread that shuts the context down on the signal may not have done so yet.
pub(crate) fn check_signals(py: Python<'_>, context: &saltus::Context, ends: bool) -> PyResult<()> {
    py.check_signals().inspect_err(|error| {
        if ends && error.is_instance_of::<PyKeyboardInterrupt>(py) {
            context.shut_down();
        }
    })
}

/// Waits until `holds` returns true, `timeout` seconds have passed or the context is shut down. Meanwhile, runs signal
/// handlers. Returns whether `holds` returned true.
pub(crate) fn wait_for(
    py: Python<'_>,
    context: &saltus::Context,
    timeout: Option<f64>,
    mut holds: impl FnMut() -> bool + Send,
) -> PyResult<bool> {
    let deadline = timeout.map(|seconds| {
        let wait = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        saltus::time::monotonic_now().saturating_add(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX))
    });
    loop {
        let left =
            deadline.map_or(u64::MAX, |deadline| deadline.saturating_sub(saltus::time::monotonic_now()));
        let slice = SLICE.min(Duration::from_nanos(left));
        if py.detach(|| context.wait_until(slice, &mut holds)) {
            return Ok(true);
        }
        py.check_signals()?;
        if context.is_shut_down()
            || deadline.is_some_and(|deadline| saltus::time::monotonic_now() >= deadline)
        {
            return Ok(false);
        }
    }
}

#[pymethods]
impl Context {
    /// Joins the graph. `arguments` is a command line. `signals` selects the signals that shut the context down: bit 0
    /// is SIGINT, bit 1 is SIGTERM.
    #[new]
    #[pyo3(signature = (arguments, domain=None, signals=0))]
    fn new(py: Python<'_>, arguments: Vec<String>, domain: Option<u32>, signals: u8) -> PyResult<Self> {
        let args = RosArgs::parse(arguments).map_err(|error| errors::context(error.into()))?;
        let rest = args.rest.clone();
        let signals = Signals {
            interrupt: signals & 1 != 0,
            terminate: signals & 2 != 0,
            hang_up: false,
            chained: true,
        };
        let is_interruptible = signals.interrupt;
        let signals = if signals.interrupt || signals.terminate { signals } else { Signals::NONE };
        let mut options = ContextOptions::default().args(args).signals(signals);
        if let Some(domain) = domain {
            options = options.domain(domain);
        }
        let domain_id = options.domain_id().map_err(errors::context)?.number;
        let inner = py.detach(|| options.create()).map_err(errors::context)?;
        Ok(Self { inner: Mutex::new(Some(inner)), rest, is_interruptible, domain_id })
    }

    /// The arguments of the command line that are not for ROS.
    #[getter]
    fn non_ros_args(&self) -> Vec<String> {
        self.rest.clone()
    }

    /// Makes every executor of this context end soon.
    fn shut_down(&self) {
        lock(&self.inner).iter().for_each(saltus::Context::shut_down);
    }

    /// The id of this process in the graph.
    #[getter]
    fn process(&self) -> PyResult<u64> {
        Ok(self.open()?.participant().new_gid().process())
    }

    /// Gives messages of an earlier process to the publishers that will be opened: the topic, the type, the source time in
    /// nanoseconds and the serialized message of each.
    fn keep_messages(&self, messages: Vec<(String, String, i64, Vec<u8>)>) -> PyResult<()> {
        let kept = messages.into_iter().map(|(topic, type_name, source_time, bytes)| {
            let source_time = saltus::Time::from_nanos(source_time);
            saltus::context::KeptMessage { topic, type_name, source_time, bytes }
        });
        self.open()?.keep_messages(kept.collect());
        Ok(())
    }

    /// Leaves the graph as soon as everything that was created from the context is dropped too.
    fn close(&self, py: Python<'_>) {
        let inner = lock(&self.inner).take();
        py.detach(|| drop(inner));
    }

    /// Returns whether the context is open and was not shut down, by a signal or otherwise.
    fn is_ok(&self) -> bool {
        lock(&self.inner).as_ref().is_some_and(|context| !context.is_shut_down())
    }

    /// Returns the present state of the graph, as far as this process knows it.
    fn graph(&self, py: Python<'_>) -> PyResult<Graph> {
        let context = self.open()?;
        Ok(Graph(py.detach(|| context.graph())))
    }

    /// Waits until `holds` returns true, for at most `timeout` seconds. Calls `holds` whenever the graph changes.
    /// Returns whether `holds` returned true.
    #[pyo3(signature = (holds, timeout=None))]
    fn wait_for(&self, py: Python<'_>, holds: &Bound<'_, PyAny>, timeout: Option<f64>) -> PyResult<bool> {
        let context = self.open()?;
        let holds = holds.clone().unbind();
        let mut failure = None;
        let outcome = wait_for(py, &context, timeout, || {
            Python::attach(|py| match holds.bind(py).call0().and_then(|value| value.is_truthy()) {
                Ok(value) => value,
                Err(error) => {
                    failure = Some(error);
                    true
                }
            })
        });
        failure.map_or(outcome, Err)
    }
}

/// Restores the signal actions from before the first context.
#[pyfunction]
pub(crate) fn restore_signals() -> PyResult<()> {
    Ok(restore_termination()?)
}

/// Returns the arguments of a command line that are not for ROS.
#[pyfunction]
pub(crate) fn remove_ros_args(arguments: Vec<String>) -> PyResult<Vec<String>> {
    Ok(RosArgs::parse(arguments).map_err(|error| errors::context(error.into()))?.rest)
}
