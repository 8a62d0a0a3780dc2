//! Collisions of a robot at a pose.

use saltus_costmap::{Costmap, Footprint, LETHAL, UNKNOWN, outline_cost};

use crate::pose::Pose;

/// A reason why the pose of a robot is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collision {
    /// The outline of the robot is partly outside of the costmap.
    OffGrid,
    /// The outline touches an obstacle.
    Obstacle,
    /// The outline touches an unknown cell, and no obstacle.
    Unknown,
}

/// Returns the highest cost under the outline of a robot at a pose in the frame of the costmap; `None` if the outline is partly outside.
pub fn footprint_cost(map: &Costmap, footprint: &Footprint, pose: &Pose) -> Option<u8> {
    outline_cost(map, &footprint.at(pose.to_array()))
}

/// Checks that the outline of a robot is free at a pose. Returns the highest cost under it.
///
/// # Errors
///
/// Returns the collision if the outline touches an obstacle or an unknown cell, or leaves the costmap.
pub fn is_free(map: &Costmap, footprint: &Footprint, pose: &Pose) -> Result<u8, Collision> {
    match footprint_cost(map, footprint, pose) {
        None => Err(Collision::OffGrid),
        Some(LETHAL) => Err(Collision::Obstacle),
        Some(UNKNOWN) => Err(Collision::Unknown),
        Some(cost) => Ok(cost),
    }
}
