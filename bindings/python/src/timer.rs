//! Clocks, timers and guard conditions.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use pyo3::{exceptions::PyValueError, prelude::*};
use saltus::{
    time::{ClockChange, ClockKind, JumpHandle, JumpThreshold},
    types::lock,
};

use crate::{
    errors,
    ready::{Inbox, call_python, register},
};

/// A source of time.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Clock(pub(crate) saltus::time::Clock);

#[pymethods]
impl Clock {
    /// `kind` is `"system"` or `"steady"`. A clock of ROS time is created by a node.
    #[new]
    fn new(kind: &str) -> PyResult<Self> {
        match kind {
            "system" => Ok(Self(saltus::time::Clock::system())),
            "steady" => Ok(Self(saltus::time::Clock::steady())),
            _ => Err(PyValueError::new_err("expected 'system' or 'steady'")),
        }
    }

    /// Returns the time in nanoseconds.
    fn now(&self) -> i64 {
        self.0.now().as_nanos()
    }

    #[getter]
    fn is_simulated(&self) -> bool {
        self.0.is_simulated()
    }

    #[getter]
    fn is_steady(&self) -> bool {
        self.0.kind() == ClockKind::Steady
    }

    /// Calls `callback` after each time jump, for as long as the handle exists. Its arguments are what has changed, and
    /// the size of the jump in nanoseconds.
    fn on_jump(
        &self,
        forward: Option<u64>,
        backward: Option<u64>,
        on_clock_change: bool,
        callback: Py<PyAny>,
    ) -> Jumps {
        let threshold = JumpThreshold {
            min_forward: forward.map(Duration::from_nanos),
            min_backward: backward.map(Duration::from_nanos),
            on_clock_change,
        };
        let handle = self.0.on_jump(threshold, move |jump| {
            let change = match jump.change {
                ClockChange::SameSource => 1,
                ClockChange::SimTimeActivated => 2,
                ClockChange::SimTimeDeactivated => 3,
            };
            // `call_python` has reported the exception already.
            let _ = call_python(&callback, |callback| callback.call1((change, jump.delta)).map(drop));
        });
        Jumps(Mutex::new(Some(handle)))
    }
}

/// Keeps a callback for time jumps registered.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Jumps(Mutex<Option<JumpHandle>>);

#[pymethods]
impl Jumps {
    /// Removes the callback.
    fn close(&self, py: Python<'_>) {
        let handle = lock(&self.0).take();
        py.detach(|| drop(handle));
    }
}

/// Marks its object once per period.
#[pyclass(frozen, subclass, weakref, module = "saltus._native")]
pub(crate) struct Timer {
    inner: Mutex<Option<Arc<saltus::Timer>>>,
    due: Arc<Inbox<()>>,
}

impl Timer {
    pub(crate) fn open(node: &saltus::Node, period: Duration, clock: &saltus::time::Clock) -> PyResult<Self> {
        let due = Arc::<Inbox<()>>::default();
        let pushed = due.clone();
        let timer = node.timer(period).clock(clock).callback(move || pushed.push_if_empty(()));
        let timer = timer.map_err(|error| errors::node("InvalidPeriodError", error))?;
        register(node, &due);
        Ok(Self { inner: Mutex::new(Some(Arc::new(timer))), due })
    }

    fn timer(&self) -> PyResult<Arc<saltus::Timer>> {
        lock(&self.inner).clone().ok_or_else(|| errors::name("InvalidHandle", "the timer was destroyed"))
    }
}

#[pymethods]
impl Timer {
    /// Sets the object that is marked when the timer is due.
    fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.due.set_target(object)
    }

    /// Returns whether the timer was due, and is not cancelled. Each time that the timer is due, returns true once.
    fn take(&self) -> bool {
        let is_due = self.due.take().is_some();
        is_due && lock(&self.inner).as_ref().is_some_and(|timer| !timer.is_cancelled())
    }

    /// Returns whether the timer is due.
    fn is_ready(&self) -> PyResult<bool> {
        Ok(self.timer()?.time_until_next_call().is_some_and(|left| left.is_zero()))
    }

    fn cancel(&self) -> PyResult<()> {
        self.timer()?.cancel();
        // A call that was due is dropped.
        while self.due.take().is_some() {}
        Ok(())
    }

    /// Restarts the timer. The next call is due one period from now.
    fn reset(&self) -> PyResult<()> {
        while self.due.take().is_some() {}
        self.timer()?.reset();
        Ok(())
    }

    /// Restarts the timer. The next call is due at `next`, a time of its clock in nanoseconds, and then once per
    /// period.
    fn reset_at(&self, next: i64) -> PyResult<()> {
        while self.due.take().is_some() {}
        self.timer()?.reset_at(saltus::Time::from_nanos(next));
        Ok(())
    }

    /// Returns when the last call was due, or the call that runs now, as a time of its clock in nanoseconds. Returns
    /// `None` before the first call.
    fn last_due(&self) -> PyResult<Option<i64>> {
        Ok(self.timer()?.last_due().map(saltus::Time::as_nanos))
    }

    fn is_canceled(&self) -> PyResult<bool> {
        Ok(self.timer()?.is_cancelled())
    }

    /// Returns the nanoseconds since the last call.
    fn time_since_last_call(&self) -> PyResult<u64> {
        Ok(nanos(self.timer()?.time_since_last_call()))
    }

    /// Returns the nanoseconds until the next call, or `None` if the timer is cancelled.
    fn time_until_next_call(&self) -> PyResult<Option<u64>> {
        Ok(self.timer()?.time_until_next_call().map(nanos))
    }

    /// The period in nanoseconds.
    #[getter]
    fn timer_period_ns(&self) -> PyResult<u64> {
        Ok(nanos(self.timer()?.period()))
    }

    #[setter]
    fn set_timer_period_ns(&self, period: u64) -> PyResult<()> {
        self.timer()?.set_period(Duration::from_nanos(period));
        Ok(())
    }

    /// Stops the timer permanently.
    fn close(&self, py: Python<'_>) {
        let inner = lock(&self.inner).take();
        py.detach(|| drop(inner));
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Marks its object when it is triggered.
#[pyclass(frozen, subclass, weakref, module = "saltus._native")]
pub(crate) struct Guard(Arc<Inbox<()>>);

impl Guard {
    pub(crate) fn open(node: &saltus::Node) -> Self {
        let triggered = Arc::<Inbox<()>>::default();
        register(node, &triggered);
        Self(triggered)
    }
}

#[pymethods]
impl Guard {
    /// Sets the object that is marked when the guard condition is triggered.
    fn set_target(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.set_target(object)
    }

    /// Returns whether the guard condition was triggered since the last call. Several triggers count as one.
    fn take(&self) -> bool {
        self.0.take().is_some()
    }

    /// Triggers the guard condition: its object is marked soon. May be called on any thread.
    fn trigger(&self) {
        self.0.push_if_empty(());
    }
}
