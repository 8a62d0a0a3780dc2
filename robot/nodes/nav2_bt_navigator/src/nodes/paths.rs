//! The nodes that compute values.

use std::sync::Arc;

use nav2_behavior_tree::ports;
use saltus::msgs::{geometry_msgs::msg::PoseStamped, nav_msgs::msg::Path, std_msgs::msg::Header};
use saltus_behavior_tree::{Built, Status, TickError, Value, leaf};
use saltus_motion::{Pose, wrapped};
use saltus_nav_server::{from_pose, to_pose};

use super::inputs::{Constructor, NodeTick, frame};
use crate::world::World;

pub(super) const CONSTRUCTORS: &[(&str, Constructor)] = &[
    ("GetCurrentPose", |world, _| with_world(world, current_pose)),
    ("GetPoseFromPath", |world, _| with_world(world, pose_from_path)),
    ("ConcatenatePaths", |world, _| with_world(world, concatenate)),
    ("RemovePassedGoals", |world, _| with_world(world, remove_passed)),
    ("TruncatePath", |world, _| with_world(world, truncate)),
    ("TruncatePathLocal", |world, _| {
        let (world, mut state) = (world.clone(), Local::default());
        Ok(leaf(move |tick: &mut NodeTick<'_>| state.truncate(tick, &world)))
    }),
];

type Outcome = Result<Status, TickError>;

fn with_world(world: &Arc<World>, run: fn(&mut NodeTick<'_>, &World) -> Outcome) -> Built<()> {
    let world = world.clone();
    Ok(leaf(move |tick: &mut NodeTick<'_>| run(tick, &world)))
}

fn frames(tick: &NodeTick<'_>, world: &World) -> Result<(String, String), TickError> {
    let settings = &world.settings;
    Ok((
        frame(tick, ports::GLOBAL_FRAME, &settings.global_frame)?,
        frame(tick, ports::ROBOT_BASE_FRAME, &settings.base_frame)?,
    ))
}

fn current_pose(tick: &mut NodeTick<'_>, world: &World) -> Outcome {
    let (global, base) = frames(tick, world)?;
    let Some(pose) = world.robot_message(&global, &base) else {
        saltus::warn!(world.logger(), "Current robot pose is not available.");
        return Ok(Status::Failure);
    };
    tick.output(ports::CURRENT_POSE, Value::object(pose));
    Ok(Status::Success)
}

fn pose_from_path(tick: &mut NodeTick<'_>, _world: &World) -> Outcome {
    let path: Arc<Path> = tick.input(ports::PATH)?;
    let index: i64 = tick.input(ports::INDEX)?;
    let count = i64::try_from(path.poses.len()).unwrap_or(i64::MAX);
    let index = if index < 0 { count.checked_add(index) } else { Some(index) };
    let pose = index.and_then(|index| path.poses.get(usize::try_from(index).ok()?));
    let Some(pose) = pose else { return Ok(Status::Failure) };
    let mut pose = pose.clone();
    if pose.header.frame_id.is_empty() {
        pose.header.frame_id.clone_from(&path.header.frame_id);
    }
    tick.output(ports::POSE_OF_PATH, Value::object(pose));
    Ok(Status::Success)
}

fn concatenate(tick: &mut NodeTick<'_>, world: &World) -> Outcome {
    let one: Arc<Path> = tick.input(ports::INPUT_PATH1)?;
    let other: Arc<Path> = tick.input(ports::INPUT_PATH2)?;
    if one.poses.is_empty() && other.poses.is_empty() {
        saltus::error!(world.logger(), "No input paths provided to concatenate. Both paths are empty.");
        return Ok(Status::Failure);
    }
    let header = if one.header == Header::default() { &other.header } else { &one.header };
    let poses = one.poses.iter().chain(&other.poses).cloned().collect();
    tick.output(ports::OUTPUT_PATH, Value::object(Path { header: header.clone(), poses }));
    Ok(Status::Success)
}

fn remove_passed(tick: &mut NodeTick<'_>, world: &World) -> Outcome {
    let goals: Arc<Vec<PoseStamped>> = tick.input(ports::INPUT_GOALS)?;
    let radius: f64 = tick.input(ports::RADIUS)?;
    let Some(first) = goals.first() else {
        tick.output(ports::OUTPUT_GOALS, Value::Object(goals));
        return Ok(Status::Success);
    };
    let (_, base) = frames(tick, world)?;
    let Some((robot, _)) = world.robot(&first.header.frame_id, &base) else { return Ok(Status::Failure) };
    let distance = |goal: &PoseStamped| {
        let position = &goal.pose.position;
        (position.x - robot.x).hypot(position.y - robot.y)
    };
    // The last goal stays.
    let passed = goals[..goals.len() - 1].iter().take_while(|goal| distance(goal) <= radius).count();
    tick.output(ports::OUTPUT_GOALS, Value::object(goals[passed..].to_vec()));
    Ok(Status::Success)
}

fn truncate(tick: &mut NodeTick<'_>, _world: &World) -> Outcome {
    let path: Arc<Path> = tick.input(ports::INPUT_PATH)?;
    let distance: f64 = tick.input(ports::DISTANCE)?;
    let mut poses = path.poses.clone();
    let Some(end) = poses.last().and_then(|stamped| from_pose(&stamped.pose)) else {
        tick.output(ports::OUTPUT_PATH, Value::Object(path));
        return Ok(Status::Success);
    };
    let is_near = |stamped: &PoseStamped| {
        let position = &stamped.pose.position;
        (position.x - end.x).hypot(position.y - end.y) < distance
    };
    while poses.len() > 2 && poses.last().is_some_and(is_near) {
        poses.pop();
    }
    if let Some(last) = poses.last_mut()
        && let Some(pose) = from_pose(&last.pose)
        && pose.distance(&end) > 1e-9
    {
        let yaw = (end.y - pose.y).atan2(end.x - pose.x);
        last.pose = to_pose(&Pose { yaw, ..pose });
    }
    tick.output(ports::OUTPUT_PATH, Value::object(Path { header: path.header.clone(), poses }));
    Ok(Status::Success)
}

/// The last position of the robot on a path.
#[derive(Default)]
struct Local {
    path: Option<Arc<Path>>,
    index: usize,
}

impl Local {
    fn truncate(&mut self, tick: &mut NodeTick<'_>, world: &World) -> Outcome {
        let path: Arc<Path> = tick.input(ports::INPUT_PATH)?;
        if path.poses.is_empty() {
            tick.output(ports::OUTPUT_PATH, Value::Object(path));
            return Ok(Status::Success);
        }
        let (ahead, behind): (f64, f64) =
            (tick.input(ports::DISTANCE_FORWARD)?, tick.input(ports::DISTANCE_BACKWARD)?);
        let (weight, search): (f64, f64) =
            (tick.input(ports::ANGULAR_DISTANCE_WEIGHT)?, tick.input(ports::MAX_ROBOT_POSE_SEARCH_DIST)?);
        let base: String = tick.input(ports::ROBOT_FRAME)?;
        let robot = match tick.input_if_set::<Arc<PoseStamped>>(ports::POSE)? {
            Some(pose) => world.transform(&path.header.frame_id, &pose),
            None => world.robot(&path.header.frame_id, &base).map(|(pose, _)| pose),
        };
        let Some(robot) = robot else { return Ok(Status::Failure) };
        let poses: Option<Vec<Pose>> = path.poses.iter().map(|stamped| from_pose(&stamped.pose)).collect();
        let Some(poses) = poses else { return Ok(Status::Failure) };
        if self.path.as_ref() != Some(&path) {
            (self.path, self.index) = (Some(path.clone()), 0);
        }
        self.index = nearest(&poses, &robot, self.index, (weight, search));
        let first = self.index - along(poses[..=self.index].iter().rev(), behind);
        let last = self.index + along(poses[self.index..].iter(), ahead);
        let part = path.poses[first..=last].to_vec();
        tick.output(ports::OUTPUT_PATH, Value::object(Path { header: path.header.clone(), poses: part }));
        Ok(Status::Success)
    }
}

/// Returns the index of the pose that is nearest to the robot, from `start` on, and at most `search` metres along the path.
fn nearest(poses: &[Pose], robot: &Pose, start: usize, (weight, search): (f64, f64)) -> usize {
    let (start, count) = match search.is_finite() {
        true => (start, along(poses[start..].iter(), search) + 1),
        false => (0, poses.len()),
    };
    let distance = |index: &usize| {
        let turn = wrapped(poses[*index].yaw - robot.yaw) * weight;
        poses[*index].distance(robot).hypot(turn)
    };
    (start..start + count).min_by(|one, other| distance(one).total_cmp(&distance(other))).unwrap_or(start)
}

/// Returns the number of steps along poses that are together not longer than `length`.
fn along<'a>(poses: impl Iterator<Item = &'a Pose>, length: f64) -> usize {
    let mut passed = 0.0;
    let mut before = None::<&Pose>;
    let mut steps = 0;
    for pose in poses {
        if let Some(before) = before {
            passed += before.distance(pose);
            if passed > length {
                break;
            }
            steps += 1;
        }
        before = Some(pose);
    }
    steps
}
