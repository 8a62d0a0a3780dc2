//! Lengths and parts of paths.

use crate::pose::Pose;

/// Returns the length of a path, in metres.
///
/// ```
/// use saltus_motion::{Pose, path};
/// let corner = [Pose::default(), Pose::new(3.0, 0.0, 0.0), Pose::new(3.0, 4.0, 0.0)];
/// assert_eq!(path::length(&corner), 7.0);
/// ```
pub fn length(path: &[Pose]) -> f64 {
    path.array_windows().map(|[from, to]| from.distance(to)).sum()
}

/// Returns the index of the nearest pose to a pose, the first one of several; `None` if the path is empty.
pub fn nearest(path: &[Pose], pose: &Pose) -> Option<usize> {
    let distance = |index: &usize| path[*index].distance(pose);
    (0..path.len()).min_by(|left, right| distance(left).total_cmp(&distance(right)))
}

/// Returns the length of a path from the nearest pose to the robot to the end, in metres.
pub fn remaining(path: &[Pose], robot: &Pose) -> f64 {
    nearest(path, robot).map_or(0.0, |index| length(&path[index..]))
}

/// Returns the index of the first pose that is farther than `length` metres along the path; the number of poses if there is none.
pub fn index_after(path: &[Pose], length: f64) -> usize {
    let mut passed = 0.0;
    for (index, [from, to]) in path.array_windows().enumerate() {
        passed += from.distance(to);
        if passed > length {
            return index + 1;
        }
    }
    path.len()
}
