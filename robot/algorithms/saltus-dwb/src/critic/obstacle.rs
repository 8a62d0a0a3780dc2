//! Critics for obstacles.

use saltus_costmap::INSCRIBED;
use saltus_motion::{Collision, is_free};

use super::{Critic, Illegal, Score};
use crate::{context::Context, trajectory::Trajectory};

const HITS: Illegal = Illegal("Trajectory Hits Obstacle.");
const OFF_GRID: Illegal = Illegal("Trajectory Goes Off Grid.");

/// The critic that rejects trajectories on which the centre of a round robot comes too near to an obstacle, and prefers low costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct BaseObstacle {
    /// Whether the score is the sum of the costs of all poses. Otherwise it is the cost of the last pose.
    pub sums: bool,
}

impl Critic for BaseObstacle {
    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let (mut sum, mut last) = (0.0, 0.0);
        for index in trajectory.cell_indices() {
            let cost = context.map.costs()[index.ok_or(OFF_GRID)?];
            // This includes unknown cells, whose cost is 255.
            if cost >= INSCRIBED {
                return Err(HITS);
            }
            last = f64::from(cost);
            sum += last;
        }
        Ok(if self.sums { sum } else { last })
    }
}

/// The critic that rejects trajectories on which the footprint of the robot touches an obstacle, and prefers low costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObstacleFootprint {
    /// Whether the score is the sum of the costs of all poses. Otherwise it is the cost of the last pose.
    pub sums: bool,
}

impl Critic for ObstacleFootprint {
    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let (mut sum, mut last) = (0.0, 0.0);
        for (pose, index) in trajectory.poses.iter().zip(trajectory.cell_indices()) {
            index.ok_or(OFF_GRID)?;
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
