//! The observations of sensors that measure points.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// The ranges of distances and heights in which a sensor is used, each from a minimum to a maximum in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The distances at which points mark obstacles.
    pub obstacles: [f64; 2],
    /// The distances over which a ray clears cells before its end.
    pub clearing: [f64; 2],
    /// The heights of points that are used at all.
    pub heights: [f64; 2],
    /// The heights of points that mark obstacles. Points at other heights only clear.
    pub marks: [f64; 2],
}

impl Reach {
    /// Whether a point of this height marks an obstacle.
    pub(super) fn marks_at(&self, height: f64) -> bool {
        height >= self.marks[0] && height <= self.marks[1]
    }
}

impl Default for Reach {
    fn default() -> Self {
        Self { obstacles: [0.0, 2.5], clearing: [0.0, 3.0], heights: [0.0, 2.0], marks: [0.0, 2.0] }
    }
}

/// The points that a sensor measured at one time, in the frame of the costmap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// The position of the sensor, in metres.
    pub origin: [f64; 3],
    /// The ends of the rays, in metres.
    pub points: Vec<[f64; 3]>,
    /// The time of the measurement, since the same start as the times of updates.
    pub stamp: Duration,
}

/// The recent observations of a sensor.
#[derive(Debug)]
pub struct Observations {
    /// The ranges in which the sensor is used.
    pub reach: Reach,
    /// Whether points mark obstacles.
    pub is_marking: bool,
    /// Whether rays clear cells.
    pub is_clearing: bool,
    keep: Duration,
    expected: Option<Duration>,
    buffer: Mutex<ObservationBuffer>,
}

#[derive(Debug, Default)]
struct ObservationBuffer {
    observations: Vec<Arc<Observation>>,
    /// The time at which the newest observation was added.
    received: Option<Duration>,
}

/// The maximum number of observations. The oldest ones are dropped.
const CAPACITY: usize = 1000;

impl Observations {
    /// Creates an empty list. An observation is used for the time `keep`, and the newest one until it is replaced. `expected` is the
    /// longest time between two observations with which the costmap is current; `None` if it is always current.
    pub fn new(reach: Reach, keep: Duration, expected: Option<Duration>) -> Self {
        let buffer = Mutex::default();
        Self { reach, is_marking: true, is_clearing: true, keep, expected, buffer }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ObservationBuffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an observation at the time `now`. Points that are too low, too high or not finite are left out.
    pub fn add(&self, mut observation: Observation, now: Duration) {
        let [low, high] = self.reach.heights;
        observation.points.retain(|[x, y, z]| x.is_finite() && y.is_finite() && *z >= low && *z <= high);
        let mut buffer = self.lock();
        let (stamp, keep) = (observation.stamp, self.keep);
        // Also here, so that the list stays short while nothing reads it.
        buffer.observations.retain(|other| !keep.is_zero() && stamp.saturating_sub(other.stamp) <= keep);
        if buffer.observations.len() == CAPACITY {
            buffer.observations.remove(0);
        }
        buffer.observations.push(Arc::new(observation));
        buffer.received = Some(now);
    }

    /// Removes all observations. The costmap stays current, because the sensor still sends.
    pub fn clear(&self) {
        self.lock().observations.clear();
    }

    /// Returns the observations that are used at a time, the newest last.
    pub(crate) fn recent(&self, now: Duration) -> Vec<Arc<Observation>> {
        let mut buffer = self.lock();
        let observations = &mut buffer.observations;
        let newest = observations.iter().map(|observation| observation.stamp).max().unwrap_or_default();
        observations.retain(|observation| {
            observation.stamp == newest || now.saturating_sub(observation.stamp) <= self.keep
        });
        observations.clone()
    }

    /// Whether an observation was added as recently as expected. The stamp of an observation does not count: it may be late.
    pub fn is_current(&self, now: Duration) -> bool {
        let Some(expected) = self.expected else { return true };
        self.lock().received.is_some_and(|received| now.saturating_sub(received) <= expected)
    }
}
