//! The planner NavFn with its parameters.

use saltus::{component::ComponentError, param::ParameterError};
use saltus_costmap::{Costmap, LETHAL};
use saltus_motion::Pose;
use saltus_navfn::{NavFn, NavFnSettings};
use saltus_server::{Parameters, PluginConfig, range};

use crate::planner::{PlanError, Planner};

/// The planner NavFn. It reads its parameters before each path, so they may change while the node runs.
pub(crate) struct NavFnPlanner(Parameters);

struct Settings {
    navfn: NavFnSettings,
    /// Whether the heading at the end is that of the approach, and not that of the goal.
    keeps_approach: bool,
}

/// The distance between the end of a path and the goal below which both count as one pose, in metres.
const SAME: f64 = 1e-3;

impl NavFnPlanner {
    /// Returns a planner.
    pub(crate) fn create(config: &PluginConfig<'_>) -> Result<Box<dyn Planner>, ComponentError> {
        let planner = Self(config.parameters.clone());
        planner.settings()?;
        Ok(Box::new(planner))
    }

    fn settings(&self) -> Result<Settings, ParameterError> {
        Ok(Settings {
            navfn: NavFnSettings {
                use_astar: self.0.get("use_astar", false)?,
                allow_unknown: self.0.get("allow_unknown", true)?,
                tolerance: self.0.number("tolerance", 0.5, range::NOT_NEGATIVE)?,
            },
            keeps_approach: self.0.get("use_final_approach_orientation", false)?,
        })
    }
}

impl Planner for NavFnPlanner {
    fn plan(&mut self, map: &Costmap, start: &Pose, goal: &Pose) -> Result<Vec<Pose>, PlanError> {
        let settings = self.settings().map_err(|error| PlanError::Other(error.to_string()))?;
        let point = |pose: &Pose| [pose.x, pose.y];
        if map.cell_at(point(start)).is_none() {
            return Err(PlanError::StartOutside(*start));
        }
        let Some(cell) = map.cell_at(point(goal)) else { return Err(PlanError::GoalOutside(*goal)) };
        let tolerance = settings.navfn.tolerance;
        if tolerance == 0.0 && map.cost(cell) == LETHAL {
            return Err(PlanError::GoalOccupied(*goal));
        }
        if point(start) == point(goal) {
            let yaw = if settings.keeps_approach { start.yaw } else { goal.yaw };
            return Ok(vec![Pose { yaw, ..*start }]);
        }
        let points = NavFn(settings.navfn).plan(map, point(start), point(goal)).unwrap_or_default();
        if points.is_empty() {
            return Err(PlanError::NoPath(format!(
                "Failed to create plan with tolerance of: {tolerance:.6}"
            )));
        }
        let is_at_goal =
            points.last().is_some_and(|[x, y]| (x - goal.x).hypot(y - goal.y) <= 2.0 * map.resolution());
        let path = points.iter().map(|[x, y]| Pose::new(*x, *y, 0.0)).collect();
        Ok(finish(path, goal, is_at_goal, settings.keeps_approach))
    }
}

/// Gives the poses of a path their headings, and ends it at the goal, if it leads there.
fn finish(mut path: Vec<Pose>, goal: &Pose, is_at_goal: bool, keeps_approach: bool) -> Vec<Pose> {
    if is_at_goal {
        let last = path.last().copied().unwrap_or(*goal);
        let is_beyond = match path.as_slice() {
            [.., before, last] => before.distance(last) > before.distance(goal),
            _ => false,
        };
        if is_beyond || last.distance(goal) < SAME {
            path.pop();
        }
        path.push(*goal);
    }
    for index in 1..path.len() {
        let (from, to) = (path[index - 1], path[index]);
        path[index - 1].yaw = (to.y - from.y).atan2(to.x - from.x);
    }
    let before = path.iter().rev().nth(1).map(|pose| pose.yaw);
    if let Some(last) = path.last_mut() {
        last.yaw = before.filter(|_| keeps_approach).unwrap_or(goal.yaw);
    }
    path
}
