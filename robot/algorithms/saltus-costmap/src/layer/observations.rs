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
    /// How low and how high points may be. Others are left out.
    pub heights: [f64; 2],
    /// How low and how high points may be that mark obstacles. The others only clear.
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
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    observations: Vec<Arc<Observation>>,
    /// When the newest one came.
    received: Option<Duration>,
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

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an observation that comes at the time `now`. Points that are too low or too high, or not finite, are left out.
    pub fn add(&self, mut observation: Observation, now: Duration) {
        let [low, high] = self.reach.heights;
        observation.points.retain(|[x, y, z]| x.is_finite() && y.is_finite() && *z >= low && *z <= high);
        let mut known = self.known();
        let (stamp, keep) = (observation.stamp, self.keep);
        // Also while nobody looks at them.
        known.observations.retain(|other| !keep.is_zero() && stamp.saturating_sub(other.stamp) <= keep);
        if known.observations.len() == MOST {
            known.observations.remove(0);
        }
        known.observations.push(Arc::new(observation));
        known.received = Some(now);
    }

    /// Forgets all observations. The costmap stays current, because the sensor is not silent.
    pub fn clear(&self) {
        self.known().observations.clear();
    }

    /// Returns the observations that are used at a time, the newest last.
    pub fn at(&self, now: Duration) -> Vec<Arc<Observation>> {
        let mut known = self.known();
        let known = &mut known.observations;
        let newest = known.iter().map(|observation| observation.stamp).max().unwrap_or_default();
        known.retain(|observation| {
            observation.stamp == newest || now.saturating_sub(observation.stamp) <= self.keep
        });
        known.clone()
    }

    /// Whether an observation has come as recently as expected. Its own time does not count: it may be late.
    pub fn is_current(&self, now: Duration) -> bool {
        let Some(expected) = self.expected else { return true };
        self.known().received.is_some_and(|received| now.saturating_sub(received) <= expected)
    }
}
