//! Critics for the distance of a trajectory from the path and from its end.

use saltus_motion::Pose;

use super::{Critic, Illegal, Score};
use crate::{context::Context, distances::CellDistances, trajectory::Trajectory};

const OFF_GRID: Illegal = Illegal("Trajectory Goes Off Grid.");
const NO_PATH: Illegal = Illegal("No part of the path is in the costmap.");

/// The combination of the values of the poses of a trajectory into one score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aggregation {
    /// The value of the last pose.
    #[default]
    Last,
    /// The sum of all values.
    Sum,
    /// The product of all values that are not 0.
    Product,
}

impl Aggregation {
    /// Combines the distances of the poses. A pose outside of the costmap rejects the trajectory.
    fn combine(self, distances: impl DoubleEndedIterator<Item = Option<f64>>) -> Score {
        let mut value = if self == Self::Product { 1.0 } else { 0.0 };
        for distance in distances {
            let distance = distance.ok_or(OFF_GRID)?;
            match self {
                Self::Last => value = distance,
                Self::Sum => value += distance,
                Self::Product if distance > 0.0 => value *= distance,
                Self::Product => {}
            }
        }
        Ok(value)
    }
}

/// Returns the scale for distances in cells: each cell counts half of its edge length.
fn cell_scale(scale: f64, context: &Context<'_>) -> f64 {
    scale * context.map.resolution() * 0.5
}

/// Returns the score of the distances at the poses. All poses must be in the costmap.
fn pose_score(aggregation: Aggregation, trajectory: &Trajectory, distances: &CellDistances) -> Score {
    aggregation.combine(trajectory.cell_indices().map(|index| index.map(|index| distances.get(index))))
}

/// Returns the score of the distances at points `ahead` metres before the poses. If only the last pose counts, the others may be outside
/// of the costmap.
fn forward_point_score(
    aggregation: Aggregation,
    trajectory: &Trajectory,
    distances: &CellDistances,
    context: &Context<'_>,
    ahead: f64,
) -> Score {
    let distance = |pose: &Pose| {
        let point = pose.then(&Pose::new(ahead, 0.0, 0.0));
        let cell = context.map.cell_at([point.x, point.y])?;
        Some(distances.get(context.map.index(cell)))
    };
    let skipped = if aggregation == Aggregation::Last { trajectory.poses.len().saturating_sub(1) } else { 0 };
    aggregation.combine(trajectory.poses[skipped..].iter().map(distance))
}

/// The critic that prefers trajectories which end on the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathDist {
    /// The combination of the distances of the poses.
    pub aggregation: Aggregation,
}

impl Critic for PathDist {
    fn scale(&self, scale: f64, context: &Context<'_>) -> f64 {
        cell_scale(scale, context)
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        pose_score(self.aggregation, trajectory, context.path_distances().ok_or(NO_PATH)?)
    }
}

/// The critic that prefers trajectories which end near the end of the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoalDist {
    /// The combination of the distances of the poses.
    pub aggregation: Aggregation,
}

impl Critic for GoalDist {
    fn scale(&self, scale: f64, context: &Context<'_>) -> f64 {
        cell_scale(scale, context)
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        pose_score(self.aggregation, trajectory, context.end_distances().ok_or(NO_PATH)?)
    }
}

/// The critic that prefers trajectories which align the robot with the path: a point before the robot is on the path.
#[derive(Clone, Copy, Debug)]
pub struct PathAlign {
    /// The combination of the distances of the poses.
    pub aggregation: Aggregation,
    /// The distance of the point before the robot, in metres.
    pub forward_point_distance: f64,
}

impl Default for PathAlign {
    fn default() -> Self {
        Self { aggregation: Aggregation::Last, forward_point_distance: 0.325 }
    }
}

impl Critic for PathAlign {
    /// Returns 0 near the goal, where the point would be beyond the end of the path.
    fn scale(&self, scale: f64, context: &Context<'_>) -> f64 {
        let is_near = context.robot.distance(&context.goal) <= self.forward_point_distance;
        if is_near { 0.0 } else { cell_scale(scale, context) }
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let distances = context.path_distances().ok_or(NO_PATH)?;
        forward_point_score(self.aggregation, trajectory, distances, context, self.forward_point_distance)
    }
}

/// The critic that prefers trajectories after which the robot looks toward the end of the path.
#[derive(Clone, Debug, Default)]
pub struct GoalAlign {
    aggregation: Aggregation,
    forward_point_distance: f64,
    distances: Option<CellDistances>,
}

impl GoalAlign {
    /// Creates a critic for a point `forward_point_distance` metres before the robot.
    pub fn new(aggregation: Aggregation, forward_point_distance: f64) -> Self {
        Self { aggregation, forward_point_distance, distances: None }
    }
}

impl Critic for GoalAlign {
    fn prepare(&mut self, context: &Context<'_>) {
        let mut path = context.path.to_vec();
        if let Some(last) = path.last_mut() {
            let goal = context.goal;
            let direction = (goal.y - context.robot.y).atan2(goal.x - context.robot.x);
            last.x += self.forward_point_distance * direction.cos();
            last.y += self.forward_point_distance * direction.sin();
        }
        self.distances = context.distances_to_last(&path);
    }

    fn scale(&self, scale: f64, context: &Context<'_>) -> f64 {
        cell_scale(scale, context)
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let distances = self.distances.as_ref().ok_or(NO_PATH)?;
        forward_point_score(self.aggregation, trajectory, distances, context, self.forward_point_distance)
    }
}
