//! The planning of a path for a goal.

use std::time::{Duration, Instant};

use saltus::{
    log::Logger,
    msgs::{
        builtin_interfaces::msg::Duration as DurationMessage, geometry_msgs::msg::PoseStamped,
        nav_msgs::msg::Path,
    },
};
use saltus_costmap::{INSCRIBED, LETHAL, UNKNOWN};
use saltus_motion::{Pose, footprint_cost, path};
use saltus_nav_server::{from_pose, to_duration, to_path};
use saltus_server::{Named, find_plugin};

use crate::planner::{PlanError, Planner};
use nav2_costmap_2d::Costmap;

/// The planners and the costmap of the server.
pub(crate) struct Planning {
    pub(crate) planners: Vec<Named<Box<dyn Planner>>>,
    pub(crate) costmap: Costmap,
    pub(crate) logger: Logger,
    /// The longest time that planning waits for the costmap.
    pub(crate) timeout: Duration,
    /// The time that planning should take. A longer time is logged.
    pub(crate) expected: Option<Duration>,
}

/// A path that a client wants.
pub(crate) struct PlanRequest<'a> {
    pub(crate) start: Option<&'a PoseStamped>,
    pub(crate) goals: &'a [PoseStamped],
    pub(crate) planner: &'a str,
    /// Returns whether the client still wants the path. It is called before the way to each pose is planned.
    pub(crate) is_wanted: &'a dyn Fn() -> bool,
}

/// The largest age of a transform that is used if there is none for the time of a pose.
const TOLERANCE: Duration = Duration::from_millis(300);

impl Planning {
    /// Returns a path, and the time that its planning took. A failure is logged.
    pub(crate) fn plan(&mut self, request: &PlanRequest<'_>) -> Result<(Path, DurationMessage), PlanError> {
        let planned = self.try_plan(request);
        if let Err(error) = &planned
            && *error != PlanError::NotWanted
        {
            let goal = request.goals.last().map(|goal| goal.pose.position).unwrap_or_default();
            saltus::warn!(
                self.logger,
                "{} plugin failed to plan to ({:.2}, {:.2}): \"{error}\"",
                request.planner,
                goal.x,
                goal.y
            );
        }
        planned
    }

    fn try_plan(&mut self, request: &PlanRequest<'_>) -> Result<(Path, DurationMessage), PlanError> {
        let begin = Instant::now();
        if request.goals.is_empty() {
            return Err(PlanError::NoGoals);
        }
        if !self.costmap.wait_until_current(self.timeout) {
            return Err(PlanError::Timeout);
        }
        let mut start = self.start(request.start)?;
        let mut poses = Vec::new();
        for goal in request.goals {
            if !(request.is_wanted)() {
                return Err(PlanError::NotWanted);
            }
            let goal = self.transformed(goal)?;
            let leg = self.leg(request.planner, &start, &goal)?;
            start = leg.last().copied().unwrap_or(goal);
            // The first pose of a leg is the last one of the leg before.
            poses.extend_from_slice(&leg[usize::from(!poses.is_empty()).min(leg.len())..]);
        }
        let took = begin.elapsed();
        self.check_time(took);
        Ok((to_path(&self.costmap.header(), &poses), to_duration(took)))
    }

    fn start(&self, given: Option<&PoseStamped>) -> Result<Pose, PlanError> {
        match given {
            Some(start) => self.transformed(start),
            None => self.costmap.robot().map_err(|error| {
                saltus::error!(self.logger, "{error}");
                PlanError::Transform("Unable to get start pose".into())
            }),
        }
    }

    fn transformed(&self, pose: &PoseStamped) -> Result<Pose, PlanError> {
        let found = self.costmap.frames().transform(self.costmap.global_frame(), pose, TOLERANCE);
        found.map_err(|error| {
            saltus::error!(self.logger, "{error}");
            PlanError::Transform("Unable to transform poses to global frame".into())
        })
    }

    fn leg(&mut self, name: &str, start: &Pose, goal: &Pose) -> Result<Vec<Pose>, PlanError> {
        let Some(index) = find_plugin(&self.planners, name) else {
            let names: Vec<&str> = self.planners.iter().map(|named| named.name.as_str()).collect();
            let names = names.join(" ");
            saltus::error!(self.logger, "planner {name} is not a valid planner. Planner names are: {names}");
            return Err(PlanError::InvalidPlanner(name.to_owned()));
        };
        let costmap = self.costmap.lock();
        let Named { name, plugin, .. } = &mut self.planners[index];
        let path = plugin.plan(costmap.map(), start, goal)?;
        match path.is_empty() {
            true => Err(PlanError::NoPath(format!("{name} generated a empty path"))),
            false => Ok(path),
        }
    }

    fn check_time(&self, took: Duration) {
        if let Some(expected) = self.expected.filter(|expected| took > *expected) {
            saltus::warn!(
                self.logger,
                "Planner loop missed its desired rate of {:.4} Hz. Current loop rate is {:.4} Hz",
                1.0 / expected.as_secs_f64(),
                1.0 / took.as_secs_f64()
            );
        }
    }

    /// Whether the rest of a path is free. If the pose of the robot is unknown, a path that is not empty counts as free.
    pub(crate) fn is_valid(&self, message: &Path) -> bool {
        let Ok(robot) = self.costmap.robot() else { return !message.poses.is_empty() };
        let poses: Option<Vec<Pose>> = message.poses.iter().map(|pose| from_pose(&pose.pose)).collect();
        let Some(poses) = poses else { return false };
        let Some(nearest) = path::nearest(&poses, &robot) else { return false };
        let costmap = self.costmap.lock();
        let (map, footprint) = (costmap.map(), costmap.footprint());
        poses[nearest..].iter().all(|pose| match footprint.is_round() {
            true => map.cell_at([pose.x, pose.y]).is_some_and(|cell| {
                let cost = map.cost(cell);
                cost < INSCRIBED || cost == UNKNOWN
            }),
            // Outside of the map is not free.
            false => footprint_cost(map, footprint, pose).is_some_and(|cost| cost != LETHAL),
        })
    }
}
