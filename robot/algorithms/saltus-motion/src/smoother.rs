//! A smoother for paths.

use std::{error::Error, fmt, time::Duration};

use saltus_costmap::{Costmap, INSCRIBED, UNKNOWN};

use crate::pose::{Pose, wrapped};

/// The reason why a path was not smoothed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothError {
    /// The smoothing took longer than allowed.
    Timeout,
}

impl fmt::Display for SmoothError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("smoothing took longer than allowed")
    }
}

impl Error for SmoothError {}

/// A smoother that moves each pose of a path toward the middle of its neighbours, and back toward its original position.
///
/// Source: `nav2_smoother::SimpleSmoother`, whose rule and settings it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimpleSmoother {
    /// The sum of the motions of all poses in a round below which the smoothing ends, in metres.
    pub tolerance: f64,
    /// The maximum number of rounds.
    pub max_rounds: u32,
    /// The weight of the original position of a pose (`w_data` in Nav2).
    pub hold: f64,
    /// The weight of the middle of the neighbours of a pose (`w_smooth` in Nav2).
    pub draw: f64,
    /// The number of times that the result is smoothed again.
    pub refinements: u32,
}

impl Default for SimpleSmoother {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_rounds: 1000, hold: 0.2, draw: 0.3, refinements: 2 }
    }
}

/// The minimum number of poses of a part that is smoothed.
const MIN_POSES: usize = 5;

impl SimpleSmoother {
    /// Smooths a path in the frame of the costmap. The ends of the path stay, and so do poses at which the robot reverses or turns on the
    /// spot. When a pose of a part would touch an obstacle, the part keeps its form from the round before. `elapsed` returns the time
    /// since the start of the smoothing.
    ///
    /// # Errors
    ///
    /// Fails if the smoothing takes longer than `allowed`.
    pub fn smooth(
        &self,
        map: &Costmap,
        path: &mut [Pose],
        allowed: Duration,
        mut elapsed: impl FnMut() -> Duration,
    ) -> Result<(), SmoothError> {
        let mut start = 0;
        for end in part_ends(path) {
            let part = &mut path[start..=end];
            if part.len() >= MIN_POSES {
                for _ in 0..=self.refinements {
                    if !self.smooth_part(map, part, allowed, &mut elapsed)? {
                        break;
                    }
                }
                set_headings(part);
            }
            start = end;
        }
        Ok(())
    }

    /// Smooths a part of a path. Returns `false` if an obstacle ended the smoothing.
    fn smooth_part(
        &self,
        map: &Costmap,
        path: &mut [Pose],
        allowed: Duration,
        elapsed: &mut impl FnMut() -> Duration,
    ) -> Result<bool, SmoothError> {
        let original = path.to_vec();
        for _ in 0..self.max_rounds {
            if elapsed() > allowed {
                return Err(SmoothError::Timeout);
            }
            let before = path.to_vec();
            let mut change = 0.0;
            for index in 1..path.len() - 1 {
                let moved = |part: fn(&Pose) -> f64| {
                    let (current, first) = (part(&path[index]), part(&original[index]));
                    let (left, right) = (part(&path[index - 1]), part(&path[index + 1]));
                    current + self.hold * (first - current) + self.draw * (left + right - 2.0 * current)
                };
                let (x, y) = (moved(|pose| pose.x), moved(|pose| pose.y));
                change += (x - path[index].x).abs() + (y - path[index].y).abs();
                (path[index].x, path[index].y) = (x, y);
                let cost = map.cell_at([x, y]).map(|cell| map.cost(cell));
                if cost.is_some_and(|cost| cost >= INSCRIBED && cost != UNKNOWN) {
                    path.copy_from_slice(&before);
                    return Ok(false);
                }
            }
            if change < self.tolerance {
                return Ok(true);
            }
        }
        Ok(true)
    }
}

/// Returns the indices of the poses at which the robot reverses or turns on the spot, and of the last pose.
fn part_ends(path: &[Pose]) -> Vec<usize> {
    let is_end = |index: &usize| {
        let [before, current, after] = [path[index - 1], path[*index], path[index + 1]];
        let reverses = (current.x - before.x) * (after.x - current.x)
            + (current.y - before.y) * (after.y - current.y)
            < 0.0;
        let stays = current.distance(&after) < 1e-4 && wrapped(current.yaw - after.yaw).abs() > 1e-4;
        reverses || stays
    };
    let mut ends: Vec<usize> = (1..path.len().saturating_sub(1)).filter(is_end).collect();
    ends.extend(path.len().checked_sub(1));
    ends
}

/// Sets the heading of each pose except the last to the direction of the next pose, or to the opposite direction if the robot drives
/// backward.
fn set_headings(path: &mut [Pose]) {
    let direction = |from: &Pose, to: &Pose| (to.y - from.y).atan2(to.x - from.x);
    let is_backward =
        wrapped(path[1].yaw - direction(&path[1], &path[2])).abs() > std::f64::consts::FRAC_PI_2;
    for index in 0..path.len() - 1 {
        let (current, next) = (path[index], path[index + 1]);
        if current.distance(&next) > 1e-4 {
            let turn = if is_backward { std::f64::consts::PI } else { 0.0 };
            path[index].yaw = wrapped(direction(&current, &next) + turn);
        }
    }
}
