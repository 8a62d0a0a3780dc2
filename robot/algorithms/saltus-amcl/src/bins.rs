//! Particles by place and heading.

use std::collections::BTreeMap;

use saltus_motion::Pose;

/// The size of a bin: 0.5 m, 0.5 m and 10 degrees.
const SIZE: [f64; 3] = [0.5, 0.5, std::f64::consts::TAU / TURN as f64];
/// How many headings there are.
const TURN: i32 = 36;

type Key = [i32; 3];

/// The bins that have particles, with the sums of their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bins(BTreeMap<Key, f64>);

fn key(pose: &Pose) -> Key {
    let parts = pose.to_array();
    let [x, y, yaw] = [0, 1, 2].map(|axis| (parts[axis] / SIZE[axis]).floor() as i32);
    [x, y, yaw.rem_euclid(TURN)]
}

impl Bins {
    pub(crate) fn add(&mut self, pose: &Pose, weight: f64) {
        *self.0.entry(key(pose)).or_default() += weight;
    }

    /// Returns how many bins have particles.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns a number for each bin that has particles. Bins that touch each other have the same number, one for each cluster.
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
                open.extend(around(key));
            }
        }
        Clusters(numbers)
    }
}

/// The numbers of the clusters.
pub(crate) struct Clusters(BTreeMap<Key, usize>);

impl Clusters {
    /// Returns the number of the cluster of a pose, if it was added.
    pub(crate) fn of(&self, pose: &Pose) -> Option<usize> {
        self.0.get(&key(pose)).copied()
    }
}

/// Returns the bins that touch one, and itself. Headings go around: the last bin touches the first one.
fn around([x, y, yaw]: Key) -> impl Iterator<Item = Key> {
    let steps = || -1..=1;
    steps().flat_map(move |dx| {
        steps().flat_map(move |dy| {
            steps()
                .map(move |turn| [x.saturating_add(dx), y.saturating_add(dy), (yaw + turn).rem_euclid(TURN)])
        })
    })
}
