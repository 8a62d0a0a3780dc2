//! Paths with fewer bends.

use std::{error::Error, fmt, time::Duration};

use saltus_costmap::{Costmap, INSCRIBED, UNKNOWN};

use crate::pose::{Pose, wrapped};

/// Why a path was not smoothed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothError {
    /// It took longer than allowed.
    Timeout,
}

impl fmt::Display for SmoothError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("smoothing took longer than allowed")
    }
}

impl Error for SmoothError {}

/// Moves the poses of a path nearer to the middle of their neighbours, but not far from where they were.
///
/// Source: `nav2_smoother::SimpleSmoother`, whose rule and settings these are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimpleSmoother {
    /// It ends when all poses together move less than this, in metres.
    pub tolerance: f64,
    /// It ends after so many rounds.
    pub max_rounds: u32,
    /// How strongly a pose is held where it was.
    pub hold: f64,
    /// How strongly a pose is drawn to its neighbours.
    pub draw: f64,
    /// How often the result is smoothed again.
    pub refinements: u32,
}

impl Default for SimpleSmoother {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_rounds: 1000, hold: 0.2, draw: 0.3, refinements: 2 }
    }
}

/// A part with fewer poses stays as it is.
const FEWEST: usize = 5;

impl SimpleSmoother {
    /// Smooths a path. Its ends stay, and so do poses at which the robot changes its direction or turns on the spot. Where a pose
    /// would touch an obstacle, the part keeps its last form without one. `elapsed` returns how long it has taken.
    ///
    /// # Errors
    ///
    /// If it takes longer than `allowed`.
    pub fn smooth(
        &self,
        map: &Costmap,
        path: &mut [Pose],
        allowed: Duration,
        mut elapsed: impl FnMut() -> Duration,
    ) -> Result<(), SmoothError> {
        let mut start = 0;
        for end in ends(path) {
            let part = &mut path[start..=end];
            if part.len() >= FEWEST {
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

    /// Smooths a part. Returns whether it came to its end, and not to an obstacle.
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
            for place in 1..path.len() - 1 {
                let moved = |part: fn(&Pose) -> f64| {
                    let (own, was) = (part(&path[place]), part(&original[place]));
                    let (left, right) = (part(&path[place - 1]), part(&path[place + 1]));
                    own + self.hold * (was - own) + self.draw * (left + right - 2.0 * own)
                };
                let (x, y) = (moved(|pose| pose.x), moved(|pose| pose.y));
                change += (x - path[place].x).abs() + (y - path[place].y).abs();
                (path[place].x, path[place].y) = (x, y);
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

/// Returns the places of poses at which the robot changes its direction or turns on the spot, and of the last one.
fn ends(path: &[Pose]) -> Vec<usize> {
    let is_end = |place: &usize| {
        let [before, own, after] = [path[place - 1], path[*place], path[place + 1]];
        let turns_back =
            (own.x - before.x) * (after.x - own.x) + (own.y - before.y) * (after.y - own.y) < 0.0;
        let stays = own.distance(&after) < 1e-4 && wrapped(own.yaw - after.yaw).abs() > 1e-4;
        turns_back || stays
    };
    let mut ends: Vec<usize> = (1..path.len().saturating_sub(1)).filter(is_end).collect();
    ends.extend(path.len().checked_sub(1));
    ends
}

/// Makes each pose but the last look at the next one. If the robot drives backward, it looks the other way.
fn set_headings(path: &mut [Pose]) {
    let direction = |from: &Pose, to: &Pose| (to.y - from.y).atan2(to.x - from.x);
    let is_backward =
        wrapped(path[1].yaw - direction(&path[1], &path[2])).abs() > std::f64::consts::FRAC_PI_2;
    for place in 0..path.len() - 1 {
        let (own, next) = (path[place], path[place + 1]);
        if own.distance(&next) > 1e-4 {
            let turn = if is_backward { std::f64::consts::PI } else { 0.0 };
            path[place].yaw = wrapped(direction(&own, &next) + turn);
        }
    }
}
