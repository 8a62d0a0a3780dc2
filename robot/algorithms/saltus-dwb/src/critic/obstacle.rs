//! What a trajectory touches.

use saltus_costmap::INSCRIBED;
use saltus_motion::{Collision, is_free};

use super::{Critic, Illegal, Score};
use crate::{context::Context, trajectory::Trajectory};

const HITS: Illegal = Illegal("Trajectory Hits Obstacle.");
const OFF_GRID: Illegal = Illegal("Trajectory Goes Off Grid.");

/// Forbids trajectories on which the centre of a round robot comes too near to an obstacle, and prefers low costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct BaseObstacle {
    /// Whether the costs of all poses count, and not only that of the last one.
    pub sums: bool,
}

impl Critic for BaseObstacle {
    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let (mut sum, mut last) = (0.0, 0.0);
        for place in trajectory.places() {
            let cost = context.map.costs()[place.ok_or(OFF_GRID)?];
            // 255 is unknown.
            if cost >= INSCRIBED {
                return Err(HITS);
            }
            last = f64::from(cost);
            sum += last;
        }
        Ok(if self.sums { sum } else { last })
    }
}

/// Forbids trajectories on which the footprint of the robot touches an obstacle, and prefers low costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObstacleFootprint {
    /// Whether the costs of all poses count, and not only that of the last one.
    pub sums: bool,
}

impl Critic for ObstacleFootprint {
    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let (mut sum, mut last) = (0.0, 0.0);
        for (pose, place) in trajectory.poses.iter().zip(trajectory.places()) {
            place.ok_or(OFF_GRID)?;
            last = is_free(context.map, context.footprint, pose).map(f64::from).map_err(reason)?;
            sum += last;
        }
        Ok(if self.sums { sum } else { last })
    }
}

fn reason(collision: Collision) -> Illegal {
    match collision {
        Collision::OffGrid => Illegal("Footprint Goes Off Grid."),
        Collision::Obstacle => HITS,
        Collision::Unknown => Illegal("Trajectory Hits Unknown Region."),
    }
}
