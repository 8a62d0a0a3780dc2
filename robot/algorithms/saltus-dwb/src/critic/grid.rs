//! How far a trajectory is from the path, and from its end.

use saltus_motion::Pose;

use super::{Critic, Illegal, Score};
use crate::{context::Context, distances::Distances, trajectory::Trajectory};

const OFF_GRID: Illegal = Illegal("Trajectory Goes Off Grid.");
const NO_PATH: Illegal = Illegal("No part of the path is in the costmap.");

/// How the distances of the poses of a trajectory become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aggregation {
    /// That of the last pose.
    #[default]
    Last,
    /// The sum of all.
    Sum,
    /// The product of all that are not 0.
    Product,
}

impl Aggregation {
    fn of(self, distances: impl DoubleEndedIterator<Item = Option<f64>>) -> Score {
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

/// Distances in cells count by the half of a cell.
fn scaled(scale: f64, context: &Context<'_>) -> f64 {
    scale * context.map.resolution() * 0.5
}

/// How far the poses are from cells. All poses must be in the costmap.
fn at_poses(aggregation: Aggregation, trajectory: &Trajectory, distances: &Distances) -> Score {
    aggregation.of(trajectory.places().map(|place| place.map(|place| distances.at(place))))
}

/// How far points before the poses are from cells. If only the last pose counts, the others may be anywhere.
fn ahead_of_poses(
    aggregation: Aggregation,
    trajectory: &Trajectory,
    distances: &Distances,
    context: &Context<'_>,
    ahead: f64,
) -> Score {
    let distance = |pose: &Pose| {
        let point = pose.then(&Pose::new(ahead, 0.0, 0.0));
        let cell = context.map.cell_at([point.x, point.y])?;
        Some(distances.at(context.map.place(cell)))
    };
    let skipped = if aggregation == Aggregation::Last { trajectory.poses.len().saturating_sub(1) } else { 0 };
    aggregation.of(trajectory.poses[skipped..].iter().map(distance))
}

/// Prefers trajectories that end on the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathDist {
    /// Which poses count.
    pub aggregation: Aggregation,
}

impl Critic for PathDist {
    fn scale(&self, scale: f64, context: &Context<'_>) -> f64 {
        scaled(scale, context)
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        at_poses(self.aggregation, trajectory, context.to_path().ok_or(NO_PATH)?)
    }
}

/// Prefers trajectories that end near the end of the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoalDist {
    /// Which poses count.
    pub aggregation: Aggregation,
}

impl Critic for GoalDist {
    fn scale(&self, scale: f64, context: &Context<'_>) -> f64 {
        scaled(scale, context)
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        at_poses(self.aggregation, trajectory, context.to_end().ok_or(NO_PATH)?)
    }
}

/// Prefers trajectories after which the robot looks along the path: a point before it is on the path.
#[derive(Clone, Copy, Debug)]
pub struct PathAlign {
    /// Which poses count.
    pub aggregation: Aggregation,
    /// How far before the robot the point is, in metres.
    pub forward_point_distance: f64,
}

impl Default for PathAlign {
    fn default() -> Self {
        Self { aggregation: Aggregation::Last, forward_point_distance: 0.325 }
    }
}

impl Critic for PathAlign {
    /// Near the goal, the point would be behind the end of the path.
    fn scale(&self, scale: f64, context: &Context<'_>) -> f64 {
        let is_near = context.robot.distance(&context.goal) <= self.forward_point_distance;
        if is_near { 0.0 } else { scaled(scale, context) }
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let distances = context.to_path().ok_or(NO_PATH)?;
        ahead_of_poses(self.aggregation, trajectory, distances, context, self.forward_point_distance)
    }
}

/// Prefers trajectories after which the robot looks toward the end of the path.
#[derive(Clone, Debug, Default)]
pub struct GoalAlign {
    aggregation: Aggregation,
    forward_point_distance: f64,
    distances: Option<Distances>,
}

impl GoalAlign {
    /// Returns a critic that looks at a point `forward_point_distance` before the robot, in metres.
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
        self.distances = context.to_last(&path);
    }

    fn scale(&self, scale: f64, context: &Context<'_>) -> f64 {
        scaled(scale, context)
    }

    fn score(&self, trajectory: &Trajectory, context: &Context<'_>) -> Score {
        let distances = self.distances.as_ref().ok_or(NO_PATH)?;
        ahead_of_poses(self.aggregation, trajectory, distances, context, self.forward_point_distance)
    }
}
