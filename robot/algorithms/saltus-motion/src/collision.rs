//! What a robot touches at a pose.

use saltus_costmap::{Costmap, Footprint, LETHAL, UNKNOWN, outline_cost};

use crate::pose::Pose;

/// Why a robot may not be at a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collision {
    /// Its outline is partly outside of the costmap.
    OffGrid,
    /// Its outline touches an obstacle.
    Obstacle,
    /// Its outline is partly where nothing is known.
    Unknown,
}

/// Returns the highest cost under the outline of a robot at a pose; `None` if it is partly outside of the costmap.
pub fn footprint_cost(map: &Costmap, footprint: &Footprint, pose: &Pose) -> Option<u8> {
    outline_cost(map, &footprint.at(pose.to_array()))
}

/// Checks that the outline of a robot is free at a pose.
///
/// # Errors
///
/// Returns what is in its way. Cells of which nothing is known are in its way if it also touches no obstacle.
pub fn is_free(map: &Costmap, footprint: &Footprint, pose: &Pose) -> Result<u8, Collision> {
    match footprint_cost(map, footprint, pose) {
        None => Err(Collision::OffGrid),
        Some(LETHAL) => Err(Collision::Obstacle),
        Some(UNKNOWN) => Err(Collision::Unknown),
        Some(cost) => Ok(cost),
    }
}
