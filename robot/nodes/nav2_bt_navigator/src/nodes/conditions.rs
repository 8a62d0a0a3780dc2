//! The nodes that check a condition.

use std::{sync::Arc, time::Duration};

use nav2_behavior_tree::ports;
use saltus::{
    Time,
    msgs::{geometry_msgs::msg::PoseStamped, nav_msgs::msg::Path},
};
use saltus_behavior_tree::{Built, Status, TickError, leaf};
use saltus_motion::Pose;

use super::inputs::{Constructor, Goals, NodeTick, frame, input_or_board};
use crate::world::World;

pub(super) const CONSTRUCTORS: &[(&str, Constructor)] = &[
    ("GoalUpdated", |_, _| {
        let mut known = Goals::default();
        Ok(leaf(move |tick: &mut NodeTick<'_>| {
            let is_first = !tick.status().is_active();
            let before = std::mem::replace(&mut known, Goals::read(tick)?);
            Ok(status(!is_first && known != before))
        }))
    }),
    ("GlobalUpdatedGoal", |_, _| {
        let mut known = None;
        Ok(leaf(move |tick: &mut NodeTick<'_>| {
            let goals = Some(Goals::read(tick)?);
            let is_new = known != goals;
            known = goals;
            Ok(status(is_new))
        }))
    }),
    ("GoalReached", |world, _| with_world(world, goal_reached)),
    ("ArePosesNear", |world, _| with_world(world, poses_near)),
    ("DistanceTraveled", |world, _| {
        let (world, mut start) = (world.clone(), None::<Pose>);
        Ok(leaf(move |tick: &mut NodeTick<'_>| {
            let Some(robot) = robot(tick, &world)? else { return Ok(Status::Failure) };
            let distance: f64 = tick.input(ports::DISTANCE)?;
            let is_far =
                tick.status().is_active() && start.is_some_and(|start| start.distance(&robot) >= distance);
            if is_far || !tick.status().is_active() {
                start = Some(robot);
            }
            Ok(status(is_far))
        }))
    }),
    ("TimeExpired", |_, _| {
        let mut start = Duration::ZERO;
        Ok(leaf(move |tick: &mut NodeTick<'_>| {
            let is_first = !tick.status().is_active();
            let is_over = !is_first && expired(tick, start)?;
            if is_first || is_over {
                start = tick.now();
            }
            Ok(status(is_over))
        }))
    }),
    ("PathExpiringTimer", |_, _| {
        let (mut start, mut known) = (None::<Duration>, None::<Arc<Path>>);
        Ok(leaf(move |tick: &mut NodeTick<'_>| {
            let path = tick.input_if_set::<Arc<Path>>(ports::PATH)?;
            let is_new = path != known;
            known = path;
            let is_over = match start.filter(|_| !is_new) {
                Some(start) => expired(tick, start)?,
                None => false,
            };
            if is_over || is_new || start.is_none() {
                start = Some(tick.now());
            }
            Ok(status(is_over))
        }))
    }),
    ("TransformAvailable", |world, config| {
        let names = (config.port(ports::CHILD), config.port(ports::PARENT));
        let (Some(child), Some(parent)) = names else {
            return Err("Child frame and parent frame must be given".into());
        };
        let (world, child, parent, mut was_there) = (world.clone(), child, parent, false);
        Ok(leaf(move |_: &mut NodeTick<'_>| {
            let buffer = world.frames.buffer();
            was_there |= buffer.can_transform(&child, &parent, Time::from_nanos(0)).is_ok();
            Ok(status(was_there))
        }))
    }),
    ("InitialPoseReceived", |_, _| {
        Ok(leaf(|tick: &mut NodeTick<'_>| {
            Ok(status(input_or_board::<bool>(tick, ports::INITIAL_POSE_RECEIVED)?.unwrap_or(false)))
        }))
    }),
    ("AreErrorCodesPresent", |_, _| {
        Ok(leaf(|tick: &mut NodeTick<'_>| {
            let codes: Arc<Vec<i64>> = tick.input(ports::ERROR_CODES_TO_CHECK)?;
            Ok(status(codes.contains(&code(tick)?)))
        }))
    }),
    ("WouldAControllerRecoveryHelp", |_, _| one_of(&[100, 104, 105, 106])),
    ("WouldAPlannerRecoveryHelp", |_, _| one_of(&[200, 207, 208, 300, 307, 308])),
    ("WouldASmootherRecoveryHelp", |_, _| one_of(&[500, 502, 503, 504])),
];

type Outcome = Result<Status, TickError>;

fn with_world(world: &Arc<World>, run: fn(&mut NodeTick<'_>, &World) -> Outcome) -> Built<()> {
    let world = world.clone();
    Ok(leaf(move |tick: &mut NodeTick<'_>| run(tick, &world)))
}

fn status(is_true: bool) -> Status {
    if is_true { Status::Success } else { Status::Failure }
}

/// Returns the code of an error; 0 if there is none.
fn code(tick: &NodeTick<'_>) -> Result<i64, TickError> {
    Ok(tick.input_if_set(ports::ERROR_CODE)?.unwrap_or(0))
}

/// Whether the code of an error is one of some.
fn one_of(codes: &'static [i64]) -> Built<()> {
    Ok(leaf(move |tick: &mut NodeTick<'_>| Ok(status(codes.contains(&code(tick)?)))))
}

/// Whether the time of the port `seconds` is over. If the clock was set back, the time is over.
fn expired(tick: &NodeTick<'_>, start: Duration) -> Result<bool, TickError> {
    let seconds: f64 = tick.input(ports::SECONDS)?;
    Ok(tick.now().checked_sub(start).is_none_or(|passed| passed.as_secs_f64() >= seconds))
}

/// Returns the pose of the robot in the frame of the ports.
pub(super) fn robot(tick: &NodeTick<'_>, world: &World) -> Result<Option<Pose>, TickError> {
    let global = frame(tick, ports::GLOBAL_FRAME, &world.settings.global_frame)?;
    let base = frame(tick, ports::ROBOT_BASE_FRAME, &world.settings.base_frame)?;
    Ok(world.robot(&global, &base).map(|(pose, _)| pose))
}

fn goal_reached(tick: &mut NodeTick<'_>, world: &World) -> Outcome {
    let goal: Arc<PoseStamped> = tick.input(ports::GOAL)?;
    let base = frame(tick, ports::ROBOT_BASE_FRAME, &world.settings.base_frame)?;
    let Some((robot, _)) = world.robot(&goal.header.frame_id, &base) else { return Ok(Status::Failure) };
    let position = &goal.pose.position;
    let distance = (position.x - robot.x).hypot(position.y - robot.y);
    Ok(status(distance <= world.settings.goal_reached))
}

fn poses_near(tick: &mut NodeTick<'_>, world: &World) -> Outcome {
    let one: Arc<PoseStamped> = tick.input(ports::REF_POSE)?;
    let other: Arc<PoseStamped> = tick.input(ports::TARGET_POSE)?;
    let tolerance: f64 = tick.input(ports::TOLERANCE)?;
    let global = match one.header.frame_id == other.header.frame_id {
        true => one.header.frame_id.clone(),
        false => frame(tick, ports::GLOBAL_FRAME, &world.settings.global_frame)?,
    };
    let poses = world.transform(&global, &one).zip(world.transform(&global, &other));
    Ok(status(poses.is_some_and(|(one, other)| one.distance(&other) <= tolerance)))
}
