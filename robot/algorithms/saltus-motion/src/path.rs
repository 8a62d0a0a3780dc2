//! Lengths and parts of paths.

use crate::pose::Pose;

/// Returns the length of a path.
///
/// ```
/// use saltus_motion::{Pose, path};
/// let corner = [Pose::default(), Pose::new(3.0, 0.0, 0.0), Pose::new(3.0, 4.0, 0.0)];
/// assert_eq!(path::length(&corner), 7.0);
/// ```
pub fn length(path: &[Pose]) -> f64 {
    path.array_windows().map(|[from, to]| from.distance(to)).sum()
}

/// Returns the place of the pose that is the nearest to another one, the first if there are several. `None` if the path is empty.
pub fn nearest(path: &[Pose], pose: &Pose) -> Option<usize> {
    let distance = |place: &usize| path[*place].distance(pose);
    (0..path.len()).min_by(|left, right| distance(left).total_cmp(&distance(right)))
}

/// Returns the length of what is left of a path from the pose on that is the nearest to the robot.
pub fn remaining(path: &[Pose], robot: &Pose) -> f64 {
    nearest(path, robot).map_or(0.0, |place| length(&path[place..]))
}

/// Returns the place of the first pose that is farther than `length` along the path; the length of the path if there is none.
pub fn place_after(path: &[Pose], length: f64) -> usize {
    let mut passed = 0.0;
    for (place, [from, to]) in path.array_windows().enumerate() {
        passed += from.distance(to);
        if passed > length {
            return place + 1;
        }
    }
    path.len()
}
