//! A histogram of particles over position and heading.

use std::collections::BTreeMap;

use saltus_motion::Pose;

/// The size of a bin along x, y and the heading: 0.5 m, 0.5 m and 10 degrees.
const SIZE: [f64; 3] = [0.5, 0.5, std::f64::consts::TAU / TURN as f64];
/// The number of bins around a full turn.
const TURN: i32 = 36;

/// The indices of a bin along x, y and the heading.
type Key = [i32; 3];

/// The bins that contain particles, with the sums of their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bins(BTreeMap<Key, f64>);

/// Returns the bin of a pose.
fn key(pose: &Pose) -> Key {
    let parts = pose.to_array();
    let [x, y, yaw] = [0, 1, 2].map(|axis| (parts[axis] / SIZE[axis]).floor() as i32);
    [x, y, yaw.rem_euclid(TURN)]
}

impl Bins {
    /// Adds a particle.
    pub(crate) fn add(&mut self, pose: &Pose, weight: f64) {
        *self.0.entry(key(pose)).or_default() += weight;
    }

    /// Returns the number of bins that contain particles.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Groups the bins that contain particles into clusters. Bins that touch each other belong to the same cluster.
    pub(crate) fn clusters(&self) -> Clusters {
        let mut numbers = BTreeMap::new();
        for start in self.0.keys() {
            let number = numbers.len();
            let mut open = vec![*start];
            while let Some(key) = open.pop() {
                if !self.0.contains_key(&key) || numbers.contains_key(&key) {
                    continue;
                }
                numbers.insert(key, number);
                open.extend(neighborhood(key));
            }
        }
        Clusters(numbers)
    }
}

/// The cluster number of each bin that contains particles.
pub(crate) struct Clusters(BTreeMap<Key, usize>);

impl Clusters {
    /// Returns the cluster number of a pose; `None` if its bin contains no particle.
    pub(crate) fn cluster(&self, pose: &Pose) -> Option<usize> {
        self.0.get(&key(pose)).copied()
    }
}

/// Returns a bin and the bins that touch it. Headings wrap around: the last bin touches the first one.
fn neighborhood([x, y, yaw]: Key) -> impl Iterator<Item = Key> {
    let steps = || -1..=1;
    steps().flat_map(move |dx| {
        steps().flat_map(move |dy| {
            steps()
                .map(move |turn| [x.saturating_add(dx), y.saturating_add(dy), (yaw + turn).rem_euclid(TURN)])
        })
    })
}
