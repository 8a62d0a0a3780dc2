//! The nodes that send goals to action servers.

use std::{sync::Arc, time::Duration};

use nav2_behavior_tree::ports;
use saltus::msgs::{
    geometry_msgs::msg::{Point, PoseStamped},
    nav_msgs::msg::Path,
    nav2_msgs::action::*,
};
use saltus_behavior_tree::{FromValue, Port, Status, TickError, Value};
use saltus_nav_server::{from_duration, to_duration};

use super::{
    action::{ActionRequest, GoalEnd, create},
    inputs::{Constructor, NodeTick, count_recovery},
};

pub(super) const CONSTRUCTORS: &[(&str, Constructor)] = &[
    ("ComputePathToPose", create::<PathToPose>),
    ("ComputePathThroughPoses", create::<PathThroughPoses>),
    ("FollowPath", create::<Follow>),
    ("SmoothPath", create::<Smooth>),
    ("Spin", create::<Turn>),
    ("BackUp", create::<Back>),
    ("DriveOnHeading", create::<Drive>),
    ("Wait", create::<Pause>),
    ("AssistedTeleop", create::<Teleop>),
    ("NavigateToPose", create::<ToPose>),
    ("NavigateThroughPoses", create::<ThroughPoses>),
    ("ComputeRoute", create::<Route>),
    ("ComputeAndTrackRoute", create::<TrackedRoute>),
];

/// Sets the code of an error: 0 if there is none.
fn set_code(tick: &mut NodeTick<'_>, end: GoalEnd, code: u16) {
    let code = if end == GoalEnd::Aborted { code } else { 0 };
    tick.output(ports::ERROR_CODE_ID, i64::from(code));
}

/// Returns a pose of a port; an empty one if it has no value.
fn pose(tick: &NodeTick<'_>, port: Port) -> Result<Option<PoseStamped>, TickError> {
    Ok(tick.input_if_set::<Arc<PoseStamped>>(port)?.map(|pose| (*pose).clone()))
}

fn poses(tick: &NodeTick<'_>, port: Port) -> Result<Vec<PoseStamped>, TickError> {
    Ok(tick.input::<Arc<Vec<PoseStamped>>>(port)?.to_vec())
}

/// Returns a text of a port; an empty one if it has no value.
fn text(tick: &NodeTick<'_>, port: Port) -> Result<String, TickError> {
    Ok(tick.input_if_set(port)?.unwrap_or_default())
}

fn value<T: FromValue>(tick: &NodeTick<'_>, port: Port) -> Result<T, TickError> {
    tick.input(port)
}

/// Returns a number of seconds of a port as a duration.
fn seconds(tick: &NodeTick<'_>, port: Port) -> Result<Duration, TickError> {
    let seconds: f64 = tick.input(port)?;
    Duration::try_from_secs_f64(seconds).map_err(|error| TickError::from(format!("[{}]: {error}", port.name)))
}

#[derive(Default)]
struct PathToPose;

impl ActionRequest for PathToPose {
    type Action = ComputePathToPose;
    const SERVER: &'static str = "compute_path_to_pose";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<ComputePathToPose_Goal, TickError> {
        let start = pose(tick, ports::START)?;
        // Without a value, the start is used if it is there.
        let use_start = tick.input_if_set::<bool>(ports::USE_START)?.unwrap_or(true) && start.is_some();
        Ok(ComputePathToPose_Goal {
            goal: (*value::<Arc<PoseStamped>>(tick, ports::GOAL)?).clone(),
            start: start.unwrap_or_default(),
            planner_id: text(tick, ports::PLANNER_ID)?,
            use_start,
        })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: ComputePathToPose_Result) {
        let path = if end == GoalEnd::Succeeded { result.path } else { Path::default() };
        tick.output(ports::NEW_PATH, Value::object(path));
        if end != GoalEnd::Halted {
            set_code(tick, end, result.error_code);
        }
    }
}

#[derive(Default)]
struct PathThroughPoses;

impl ActionRequest for PathThroughPoses {
    type Action = ComputePathThroughPoses;
    const SERVER: &'static str = "compute_path_through_poses";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<ComputePathThroughPoses_Goal, TickError> {
        let start = pose(tick, ports::START)?;
        Ok(ComputePathThroughPoses_Goal {
            goals: poses(tick, ports::GOALS)?,
            use_start: start.is_some(),
            start: start.unwrap_or_default(),
            planner_id: text(tick, ports::PLANNER_ID)?,
        })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: ComputePathThroughPoses_Result) {
        let path = if end == GoalEnd::Succeeded { result.path } else { Path::default() };
        tick.output(ports::NEW_PATH, Value::object(path));
        if end != GoalEnd::Halted {
            set_code(tick, end, result.error_code);
        }
    }
}

/// The goal that was sent last.
#[derive(Default)]
struct Follow(FollowPath_Goal);

impl ActionRequest for Follow {
    type Action = FollowPath;
    const SERVER: &'static str = "follow_path";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<FollowPath_Goal, TickError> {
        self.0 = FollowPath_Goal {
            path: (*value::<Arc<Path>>(tick, ports::PATH)?).clone(),
            controller_id: text(tick, ports::CONTROLLER_ID)?,
            goal_checker_id: text(tick, ports::GOAL_CHECKER_ID)?,
            progress_checker_id: text(tick, ports::PROGRESS_CHECKER_ID)?,
        };
        Ok(self.0.clone())
    }

    fn newer(&mut self, tick: &mut NodeTick<'_>) -> Result<Option<FollowPath_Goal>, TickError> {
        let before = std::mem::take(&mut self.0);
        let mut goal = self.goal(tick)?;
        if goal.path == Path::default() {
            // There is no newer path, so the previous one is followed.
            goal.path = before.path.clone();
            self.0 = goal.clone();
        }
        Ok((goal != before).then_some(goal))
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: FollowPath_Result) {
        set_code(tick, end, result.error_code);
    }
}

#[derive(Default)]
struct Smooth;

impl ActionRequest for Smooth {
    type Action = SmoothPath;
    const SERVER: &'static str = "smooth_path";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<SmoothPath_Goal, TickError> {
        Ok(SmoothPath_Goal {
            path: (*value::<Arc<Path>>(tick, ports::UNSMOOTHED_PATH)?).clone(),
            smoother_id: text(tick, ports::SMOOTHER_ID)?,
            max_smoothing_duration: to_duration(seconds(tick, ports::MAX_SMOOTHING_DURATION)?),
            check_for_collisions: value(tick, ports::CHECK_FOR_COLLISIONS)?,
        })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: SmoothPath_Result) {
        if end == GoalEnd::Succeeded {
            tick.output(ports::SMOOTHED_PATH, Value::object(result.path));
            tick.output(ports::SMOOTHING_DURATION, from_duration(&result.smoothing_duration).as_secs_f64());
            tick.output(ports::WAS_COMPLETED, result.was_completed);
        }
        set_code(tick, end, result.error_code);
    }
}

#[derive(Default)]
struct Turn;

impl ActionRequest for Turn {
    type Action = Spin;
    const SERVER: &'static str = "spin";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<Spin_Goal, TickError> {
        if value(tick, ports::SPIN_IS_RECOVERY)? {
            count_recovery(tick);
        }
        Ok(Spin_Goal {
            target_yaw: value::<f64>(tick, ports::SPIN_DIST)? as f32,
            time_allowance: to_duration(seconds(tick, ports::TIME_ALLOWANCE)?),
        })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: Spin_Result) {
        set_code(tick, end, result.error_code);
    }
}

#[derive(Default)]
struct Back;

impl ActionRequest for Back {
    type Action = BackUp;
    const SERVER: &'static str = "backup";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<BackUp_Goal, TickError> {
        count_recovery(tick);
        Ok(BackUp_Goal {
            target: Point { x: value(tick, ports::BACKUP_DIST)?, ..Point::default() },
            speed: value::<f64>(tick, ports::BACKUP_SPEED)? as f32,
            time_allowance: to_duration(seconds(tick, ports::TIME_ALLOWANCE)?),
        })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: BackUp_Result) {
        set_code(tick, end, result.error_code);
    }
}

#[derive(Default)]
struct Drive;

impl ActionRequest for Drive {
    type Action = DriveOnHeading;
    const SERVER: &'static str = "drive_on_heading";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<DriveOnHeading_Goal, TickError> {
        Ok(DriveOnHeading_Goal {
            target: Point { x: value(tick, ports::DIST_TO_TRAVEL)?, ..Point::default() },
            speed: value::<f64>(tick, ports::SPEED)? as f32,
            time_allowance: to_duration(seconds(tick, ports::TIME_ALLOWANCE)?),
        })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: DriveOnHeading_Result) {
        set_code(tick, end, result.error_code);
    }
}

#[derive(Default)]
struct Pause;

impl ActionRequest for Pause {
    type Action = Wait;
    const SERVER: &'static str = "wait";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<Wait_Goal, TickError> {
        count_recovery(tick);
        let seconds: f64 = tick.input(ports::WAIT_DURATION)?;
        let time =
            Duration::try_from_secs_f64(seconds.abs()).map_err(|error| TickError::from(error.to_string()))?;
        Ok(Wait_Goal { time: to_duration(time) })
    }

    fn end(&mut self, _tick: &mut NodeTick<'_>, _end: GoalEnd, _result: Wait_Result) {}
}

/// Whether it is a recovery.
#[derive(Default)]
struct Teleop(bool);

impl ActionRequest for Teleop {
    type Action = AssistedTeleop;
    const SERVER: &'static str = "assisted_teleop";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<AssistedTeleop_Goal, TickError> {
        self.0 = value(tick, ports::TELEOP_IS_RECOVERY)?;
        if self.0 {
            count_recovery(tick);
        }
        Ok(AssistedTeleop_Goal { time_allowance: to_duration(seconds(tick, ports::TIME_ALLOWANCE)?) })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: AssistedTeleop_Result) {
        set_code(tick, end, result.error_code);
    }

    fn status(&self, end: GoalEnd) -> Status {
        if end == GoalEnd::Aborted && self.0 { Status::Failure } else { Status::Success }
    }
}

#[derive(Default)]
struct ToPose;

impl ActionRequest for ToPose {
    type Action = NavigateToPose;
    const SERVER: &'static str = "navigate_to_pose";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<NavigateToPose_Goal, TickError> {
        let pose = (*value::<Arc<PoseStamped>>(tick, ports::GOAL)?).clone();
        Ok(NavigateToPose_Goal { pose, behavior_tree: text(tick, ports::BEHAVIOR_TREE)? })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: NavigateToPose_Result) {
        set_code(tick, end, result.error_code);
    }
}

#[derive(Default)]
struct ThroughPoses;

impl ActionRequest for ThroughPoses {
    type Action = NavigateThroughPoses;
    const SERVER: &'static str = "navigate_through_poses";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<NavigateThroughPoses_Goal, TickError> {
        let poses = poses(tick, ports::GOALS)?;
        Ok(NavigateThroughPoses_Goal { poses, behavior_tree: text(tick, ports::BEHAVIOR_TREE)? })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: NavigateThroughPoses_Result) {
        set_code(tick, end, result.error_code);
    }
}

/// Returns the number of a node in a graph of a port; 0 if it has no value.
fn node_id(tick: &NodeTick<'_>, port: Port) -> Result<u16, TickError> {
    let number: i64 = tick.input_if_set(port)?.unwrap_or(0);
    u16::try_from(number)
        .map_err(|_| TickError::from(format!("[{}] must be between 0 and 65535, found {number}", port.name)))
}

#[derive(Default)]
struct Route;

impl ActionRequest for Route {
    type Action = ComputeRoute;
    const SERVER: &'static str = "compute_route";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<ComputeRoute_Goal, TickError> {
        Ok(ComputeRoute_Goal {
            start_id: node_id(tick, ports::START_ID)?,
            start: pose(tick, ports::START)?.unwrap_or_default(),
            goal_id: node_id(tick, ports::GOAL_ID)?,
            goal: pose(tick, ports::GOAL)?.unwrap_or_default(),
            use_start: value(tick, ports::USE_ROUTE_START)?,
            use_poses: value(tick, ports::USE_POSES)?,
        })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: ComputeRoute_Result) {
        let result = if end == GoalEnd::Succeeded {
            result
        } else {
            ComputeRoute_Result { error_code: result.error_code, ..Default::default() }
        };
        tick.output(ports::ROUTE, Value::object(result.route));
        tick.output(ports::PLANNING_TIME, Value::object(result.planning_time));
        tick.output(ports::NEW_PATH, Value::object(result.path));
        set_code(tick, end, result.error_code);
    }
}

#[derive(Default)]
struct TrackedRoute;

impl ActionRequest for TrackedRoute {
    type Action = ComputeAndTrackRoute;
    const SERVER: &'static str = "compute_and_track_route";

    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<ComputeAndTrackRoute_Goal, TickError> {
        Ok(ComputeAndTrackRoute_Goal {
            start_id: node_id(tick, ports::START_ID)?,
            start: pose(tick, ports::START)?.unwrap_or_default(),
            goal_id: node_id(tick, ports::GOAL_ID)?,
            goal: pose(tick, ports::GOAL)?.unwrap_or_default(),
            use_start: value(tick, ports::USE_ROUTE_START)?,
            use_poses: value(tick, ports::USE_POSES)?,
        })
    }

    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: ComputeAndTrackRoute_Result) {
        tick.output(ports::EXECUTION_DURATION, Value::object(result.execution_duration));
        set_code(tick, end, result.error_code);
    }
}
