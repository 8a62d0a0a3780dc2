//! Filters for messages. Python code connects them.
//!
//! The classes have no lock. A dropped message may run Python code that uses the filter again, which would wait for a lock
//! for ever; here it gets an exception.

use std::time::Duration;

use pyo3::{exceptions::PyValueError, prelude::*};
use saltus::{
    Time,
    filters::{self, RateConfig},
};

type Object = Py<PyAny>;

fn check(is_right: bool, what: &str) -> PyResult<()> {
    if is_right { Ok(()) } else { Err(PyValueError::new_err(format!("expected {what}"))) }
}

fn check_input(input: usize, inputs: usize) -> PyResult<()> {
    check(input < inputs, &format!("an input below {inputs}, found {input}"))
}

/// The adaptive algorithm for sets of messages with similar stamps.
#[pyclass(module = "saltus._native")]
pub(crate) struct ApproximateTime {
    filter: filters::ApproximateTime<Object>,
    inputs: usize,
}

#[pymethods]
impl ApproximateTime {
    #[new]
    fn new(
        inputs: usize,
        queue_size: usize,
        age_penalty: f64,
        max_interval: Option<u64>,
        lower_bounds: Vec<u64>,
    ) -> PyResult<Self> {
        check(inputs > 0 && queue_size > 0, "at least one input and a queue for one message")?;
        check(age_penalty >= 0.0, "an age penalty of at least 0")?;
        check(lower_bounds.len() <= inputs, "at most one lower bound for each input")?;
        let mut filter = filters::ApproximateTime::new(inputs, queue_size).age_penalty(age_penalty);
        if let Some(nanos) = max_interval {
            filter = filter.max_interval(Duration::from_nanos(nanos));
        }
        for (input, nanos) in lower_bounds.into_iter().enumerate() {
            filter = filter.lower_bound(input, Duration::from_nanos(nanos));
        }
        Ok(Self { filter, inputs })
    }

    /// Adds a message. Returns the sets that are now known.
    fn add(&mut self, input: usize, stamp: i64, message: Object) -> PyResult<Vec<Vec<Object>>> {
        check_input(input, self.inputs)?;
        let mut sets = Vec::new();
        self.filter.add(input, Time::from_nanos(stamp), message, |set| sets.push(set));
        Ok(sets)
    }

    #[getter]
    fn dropped(&self) -> u64 {
        self.filter.dropped()
    }
}

/// The latest message of each input, at the rate of the fastest one.
#[pyclass(module = "saltus._native")]
pub(crate) struct LatestTime {
    filter: filters::LatestTime<Object>,
    inputs: usize,
}

#[pymethods]
impl LatestTime {
    #[new]
    fn new(configs: Vec<(f64, f64, f64)>) -> PyResult<Self> {
        let inputs = configs.len();
        check(inputs > 0, "at least one input")?;
        let config = |(rate_weight, error_weight, margin)| RateConfig { rate_weight, error_weight, margin };
        let configs: Vec<RateConfig> = configs.into_iter().map(config).collect();
        check(configs.iter().all(RateConfig::is_valid), "weights from 0 to 1 and a margin of at least 0")?;
        Ok(Self { filter: filters::LatestTime::new(configs), inputs })
    }

    /// Adds a message that came at the time `now`. Returns the latest messages if this input is the fastest one.
    fn add(
        &mut self,
        py: Python<'_>,
        input: usize,
        now: i64,
        message: Object,
    ) -> PyResult<Option<Vec<Object>>> {
        check_input(input, self.inputs)?;
        let set = self.filter.add(input, Time::from_nanos(now), message);
        Ok(set.map(|messages| messages.map(|message| message.clone_ref(py)).collect()))
    }
}

/// Messages in the order of their stamps.
#[pyclass(module = "saltus._native")]
pub(crate) struct TimeSequencer(filters::TimeSequencer<Object>);

#[pymethods]
impl TimeSequencer {
    #[new]
    fn new(delay: u64, queue_size: usize) -> PyResult<Self> {
        check(queue_size > 0, "a queue for at least one message")?;
        Ok(Self(filters::TimeSequencer::new(Duration::from_nanos(delay), queue_size)))
    }

    fn add(&mut self, stamp: i64, message: Object) {
        self.0.add(Time::from_nanos(stamp), message);
    }

    /// Returns the next message if it is due, as a tuple.
    fn next(&mut self, now: i64) -> Option<(Object,)> {
        self.0.next(Time::from_nanos(now)).map(|message| (message,))
    }

    #[getter]
    fn dropped(&self) -> u64 {
        self.0.dropped()
    }
}
