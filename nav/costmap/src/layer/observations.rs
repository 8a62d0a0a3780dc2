//! What sensors saw.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// How far a sensor is used, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// How near and how far obstacles are marked.
    pub obstacles: [f64; 2],
    /// From where to where a ray clears what is before its end.
    pub clearing: [f64; 2],
    /// How low and how high obstacles may be.
    pub heights: [f64; 2],
}

impl Default for Reach {
    fn default() -> Self {
        Self { obstacles: [0.0, 2.5], clearing: [0.0, 3.0], heights: [0.0, 2.0] }
    }
}

/// The points that a sensor saw at one time, in the frame of the costmap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// Where the sensor was, in metres.
    pub origin: [f64; 3],
    /// Where its rays ended, in metres.
    pub points: Vec<[f64; 3]>,
    /// When, since the same start as the times of updates.
    pub stamp: Duration,
}

/// The observations of a sensor that are still used.
#[derive(Debug)]
pub struct Observations {
    /// How far the sensor is used.
    pub reach: Reach,
    /// Whether its points are obstacles.
    pub is_marking: bool,
    /// Whether its rays clear.
    pub is_clearing: bool,
    keep: Duration,
    expected: Option<Duration>,
    known: Mutex<Vec<Arc<Observation>>>,
}

/// How many observations are kept at most. The oldest ones are dropped.
const MOST: usize = 1000;

impl Observations {
    /// Returns an empty list. An observation is used for the time `keep`, and the newest one until there is another. If there is an
    /// `expected` time between two of them, the costmap is not current without a new one for so long.
    pub fn new(reach: Reach, keep: Duration, expected: Option<Duration>) -> Self {
        let known = Mutex::default();
        Self { reach, is_marking: true, is_clearing: true, keep, expected, known }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Observation>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an observation. Points that are too low or too high, or not finite, are left out.
    pub fn add(&self, mut observation: Observation) {
        let [low, high] = self.reach.heights;
        observation.points.retain(|[x, y, z]| x.is_finite() && y.is_finite() && *z >= low && *z <= high);
        let mut known = self.known();
        let (stamp, keep) = (observation.stamp, self.keep);
        // Also while nobody looks at them.
        known.retain(|other| !keep.is_zero() && stamp.saturating_sub(other.stamp) <= keep);
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(Arc::new(observation));
    }

    /// Forgets all observations.
    pub fn clear(&self) {
        self.known().clear();
    }

    /// Returns the observations that are used at a time, the newest last.
    pub fn at(&self, now: Duration) -> Vec<Arc<Observation>> {
        let mut known = self.known();
        let newest = known.iter().map(|observation| observation.stamp).max().unwrap_or_default();
        known.retain(|observation| {
            observation.stamp == newest || now.saturating_sub(observation.stamp) <= self.keep
        });
        known.clone()
    }

    /// Whether there is an observation that is as new as expected.
    pub fn is_current(&self, now: Duration) -> bool {
        let Some(expected) = self.expected else { return true };
        self.known().iter().any(|observation| now.saturating_sub(observation.stamp) <= expected)
    }
}
