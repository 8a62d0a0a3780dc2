//! The goal that is followed, cycle by cycle.

use std::time::{Duration, Instant};

use saltus::{
    Time,
    component::ComponentError,
    lifecycle::LifecycleNode,
    msgs::{
        nav2_msgs::action::{FollowPath, FollowPath_Feedback, FollowPath_Goal, FollowPath_Result},
        std_msgs::msg::Header,
    },
    param::{Parameter, ParameterError},
};
use saltus_motion::{
    ControlError, GoalChecker, Pose, ProgressChecker, Situation, SpeedLimit, Velocity, path,
};
use saltus_nav_server::{VelocityPublisher, from_path, time_since_start};
use saltus_server::{
    Cycle, CyclicWork, GoalOutcome, Goals, Named, Parameters, PluginError, Plugins, find_plugin,
};

use crate::{failure::Failure, plugin::ControllerPlugin};
use nav2_costmap_2d::Costmap;

/// The settings of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlSettings {
    pub(crate) period: Duration,
    /// The velocities below which the robot counts as standing: forward and to the left in m/s, and the turn in rad/s.
    pub(crate) thresholds: [f64; 3],
    /// The longest time that a controller may have no velocity; `None` if it is unlimited.
    pub(crate) failure_tolerance: Option<Duration>,
    /// Whether the robot is stopped at the end.
    pub(crate) stops: bool,
    /// The longest time that a cycle waits for the costmap.
    pub(crate) timeout: Duration,
}

/// The goal that is followed.
struct Following {
    controller: usize,
    goal_checker: usize,
    progress_checker: Option<usize>,
    /// The path, in its own frame.
    path: Vec<Pose>,
    frame: String,
    /// The largest age of the pose of the frame, relative to the pose of the robot.
    transform_tolerance: Duration,
    /// The last time that the controller had a velocity.
    last_valid: Duration,
}

/// The controllers, their checkers, and the goal that is followed.
pub(crate) struct Control {
    pub(crate) settings: ControlSettings,
    pub(crate) costmap: Costmap,
    pub(crate) controllers: Vec<Named<Box<dyn ControllerPlugin>>>,
    pub(crate) goal_checkers: Vec<Named<GoalChecker>>,
    pub(crate) progress_checkers: Vec<Named<ProgressChecker>>,
    pub(crate) output: VelocityPublisher,
    pub(crate) velocity: Velocity,
    following: Option<Following>,
    /// The last time that a warning was logged.
    warned: Option<Instant>,
}

/// Whether one of the parameters belongs to a plugin.
fn is_own(changed: &[Parameter], plugin: &str) -> bool {
    let is_own =
        |parameter: &Parameter| parameter.name.strip_prefix(plugin).is_some_and(|rest| rest.starts_with('.'));
    changed.iter().any(is_own)
}

/// The time in which a warning is not repeated.
const WARN_PERIOD: Duration = Duration::from_secs(1);

/// The result of a step on the path.
enum Step {
    Moves,
    Reached,
}

impl Control {
    pub(crate) fn new(
        settings: ControlSettings,
        costmap: Costmap,
        (controllers, goal_checkers, progress_checkers): Plugged,
        output: VelocityPublisher,
    ) -> Self {
        Self {
            settings,
            costmap,
            controllers,
            goal_checkers,
            progress_checkers,
            output,
            velocity: Velocity::default(),
            following: None,
            warned: None,
        }
    }

    /// Whether a goal is followed.
    pub(crate) fn is_running(&self) -> bool {
        self.following.is_some()
    }

    /// Limits the speed of all controllers.
    pub(crate) fn limit_speed(&mut self, limit: SpeedLimit) {
        self.controllers.iter_mut().for_each(|named| named.plugin.controller().limit_speed(limit));
    }

    /// Lets controllers read their parameters again: those with changed parameters, or all if parameters of the server have changed.
    pub(crate) fn read_controllers(&mut self, changed: &[Parameter]) -> Result<(), ComponentError> {
        let is_of_server = changed.iter().any(|parameter| !parameter.name.contains('.'));
        let read = |named: &mut Named<Box<dyn ControllerPlugin>>| match is_of_server
            || is_own(changed, &named.name)
        {
            true => named.plugin.read_parameters(),
            false => Ok(()),
        };
        // The others read theirs, too, if one can't use its parameters.
        let done: Vec<_> = self.controllers.iter_mut().map(read).collect();
        done.into_iter().collect()
    }

    /// Checks values that parameters are about to get.
    pub(crate) fn check_controllers(&self, proposed: &[Parameter]) -> Result<(), ComponentError> {
        self.controllers.iter().try_for_each(|named| named.plugin.check_parameters(proposed))
    }

    /// Reads the parameters of those checkers again that have changed parameters.
    pub(crate) fn recreate_checkers(
        &mut self,
        node: &LifecycleNode,
        changed: &[Parameter],
        goal: &Plugins<GoalChecker>,
        progress: &Plugins<ProgressChecker>,
    ) -> Result<(), PluginError> {
        let is_changed = |name: &str| is_own(changed, name);
        for named in self.goal_checkers.iter_mut().filter(|named| is_changed(&named.name)) {
            let tolerance = *goal.create(&named.kind, node, &named.name)?.tolerance();
            named.plugin.set_tolerance(tolerance);
        }
        for named in self.progress_checkers.iter_mut().filter(|named| is_changed(&named.name)) {
            named.plugin = progress.create(&named.kind, node, &named.name)?;
        }
        Ok(())
    }

    fn run_cycle(&mut self, node: &LifecycleNode, goals: &Goals<FollowPath>) -> bool {
        let begin = Instant::now();
        if self.following.is_none() && !self.start(node, goals) {
            return false;
        }
        if goals.is_canceled() {
            return self.cancel(node, goals);
        }
        let done = self.take_newer(node, goals).and_then(|()| self.control(node, goals));
        match done {
            Ok(Step::Moves) => {
                self.check_time(node, begin.elapsed());
                return true;
            }
            Ok(Step::Reached) => {
                saltus::info!(node.logger(), "Reached the goal!");
                self.finish(node);
                goals.end(GoalOutcome::Succeeded, FollowPath_Result::default());
            }
            Err(failure) => {
                saltus::error!(node.logger(), "{failure}");
                self.finish(node);
                let (error_code, error_msg) = (failure.code(), failure.to_string());
                goals.end(
                    GoalOutcome::Aborted,
                    FollowPath_Result { error_code, error_msg, ..Default::default() },
                );
            }
        }
        // A goal may have come in the meantime.
        goals.has_pending()
    }

    /// Takes the first goal.
    fn start(&mut self, node: &LifecycleNode, goals: &Goals<FollowPath>) -> bool {
        let Some(handle) = goals.take() else { return false };
        saltus::info!(node.logger(), "Received a goal, begin computing control effort.");
        let goal = handle.goal_value().map_err(|error| Failure::Unknown(error.to_string()));
        match goal.and_then(|goal| self.follow(node, &goal)) {
            Ok(()) => true,
            Err(failure) => {
                saltus::error!(node.logger(), "{failure}");
                self.finish(node);
                let (error_code, error_msg) = (failure.code(), failure.to_string());
                goals.end(
                    GoalOutcome::Aborted,
                    FollowPath_Result { error_code, error_msg, ..Default::default() },
                );
                false
            }
        }
    }

    /// Follows the path of a goal from now on.
    fn follow(&mut self, node: &LifecycleNode, goal: &FollowPath_Goal) -> Result<(), Failure> {
        let (controller, goal_checker, progress_checker) = self.plugins_of(node, goal)?;
        let Some(path) = from_path(&goal.path) else {
            return Err(Failure::InvalidPath(
                "The path has a pose that is not finite, or not a rotation.".into(),
            ));
        };
        if path.is_empty() {
            return Err(Failure::InvalidPath("Path is empty.".into()));
        }
        let is_same = |following: &Following| following.progress_checker == progress_checker;
        if !self.following.as_ref().is_some_and(is_same)
            && let Some(checker) = progress_checker
        {
            self.progress_checkers[checker].plugin.reset();
        }
        self.controllers[controller].plugin.controller().start_path();
        self.goal_checkers[goal_checker].plugin.reset();
        let frame = goal.path.header.frame_id.trim_start_matches('/').to_owned();
        let last_valid = self.now(node);
        let transform_tolerance = transform_tolerance(node, &self.controllers[controller].name)
            .map_err(|error| Failure::Unknown(error.to_string()))?;
        self.following = Some(Following {
            controller,
            goal_checker,
            progress_checker,
            path,
            frame,
            transform_tolerance,
            last_valid,
        });
        Ok(())
    }

    fn plugins_of(
        &self,
        node: &LifecycleNode,
        goal: &FollowPath_Goal,
    ) -> Result<(usize, usize, Option<usize>), Failure> {
        let controller = find_plugin(&self.controllers, &goal.controller_id).ok_or_else(|| {
            let names: Vec<&str> = self.controllers.iter().map(|named| named.name.as_str()).collect();
            saltus::error!(
                node.logger(),
                "FollowPath called with controller name {}, which does not exist. Available controllers are: {}.",
                goal.controller_id,
                names.join(" ")
            );
            Failure::InvalidController(goal.controller_id.clone())
        })?;
        let goal_checker = find_plugin(&self.goal_checkers, &goal.goal_checker_id).ok_or_else(|| {
            Failure::Unknown(format!("Failed to find goal checker name: {}", goal.goal_checker_id))
        })?;
        let progress_checker = find_plugin(&self.progress_checkers, &goal.progress_checker_id);
        let is_wanted = !self.progress_checkers.is_empty() || !goal.progress_checker_id.is_empty();
        if progress_checker.is_none() && is_wanted {
            let text = format!("Failed to find progress checker name: {}", goal.progress_checker_id);
            return Err(Failure::Unknown(text));
        }
        Ok((controller, goal_checker, progress_checker))
    }

    /// Follows a newer path, if there is one.
    fn take_newer(&mut self, node: &LifecycleNode, goals: &Goals<FollowPath>) -> Result<(), Failure> {
        if !goals.has_pending() {
            return Ok(());
        }
        saltus::info!(node.logger(), "Passing new path to controller.");
        let Some(handle) = goals.take() else { return Ok(()) };
        let goal = handle.goal_value().map_err(|error| Failure::Unknown(error.to_string()))?;
        self.follow(node, &goal)
    }

    /// Stops, if the controller agrees. Returns whether the work goes on.
    fn cancel(&mut self, node: &LifecycleNode, goals: &Goals<FollowPath>) -> bool {
        let may_stop = self
            .following
            .as_ref()
            .is_none_or(|following| self.controllers[following.controller].plugin.controller().cancel());
        if may_stop {
            saltus::info!(node.logger(), "Cancellation was successful. Stopping the robot.");
            self.finish(node);
            goals.end(GoalOutcome::Canceled, FollowPath_Result::default());
            return false;
        }
        match self.control(node, goals) {
            Ok(Step::Moves) => return true,
            Ok(Step::Reached) => {}
            Err(failure) => saltus::error!(node.logger(), "{failure}"),
        }
        self.finish(node);
        goals.end(GoalOutcome::Canceled, FollowPath_Result::default());
        false
    }

    /// Publishes the next velocity of the robot.
    fn control(&mut self, node: &LifecycleNode, goals: &Goals<FollowPath>) -> Result<Step, Failure> {
        if !self.costmap.wait_until_current(self.settings.timeout) {
            return Err(Failure::Timeout);
        }
        let costmap = &self.costmap;
        let found = costmap.frames().pose(costmap.global_frame(), costmap.base_frame());
        let (robot, stamp) = found.map_err(|error| {
            saltus::error!(node.logger(), "{error}");
            Failure::Transform("Failed to obtain robot pose".into())
        })?;
        let now = self.now(node);
        let velocity = self.standing();
        let Some(following) = &mut self.following else { return Ok(Step::Moves) };
        let path = in_frame(&self.costmap, following, stamp)?;
        let goal_checker = &mut self.goal_checkers[following.goal_checker].plugin;
        let end = path.last().copied().unwrap_or(robot);
        if goal_checker.is_reached(&robot, &end, &velocity) {
            return Ok(Step::Reached);
        }
        let tolerance = *goal_checker.tolerance();
        let progress = following.progress_checker.map(|index| &mut self.progress_checkers[index].plugin);
        if progress.is_some_and(|checker| !checker.moves(&robot, now)) {
            return Err(Failure::NoProgress);
        }
        let plugin = &mut self.controllers[following.controller].plugin;
        plugin.prepare();
        let commanded = {
            let costmap = self.costmap.lock();
            let (map, footprint, inflation) = (costmap.map(), costmap.footprint(), costmap.inflation());
            let situation =
                Situation { map, footprint, robot, velocity, path: &path, tolerance, inflation, now };
            plugin.controller().command(&situation)
        };
        plugin.publish(&self.costmap.header(), &path);
        let commanded = match commanded {
            Ok(commanded) => {
                following.last_valid = now;
                commanded
            }
            Err(ControlError::Path(text)) => return Err(Failure::InvalidPath(text)),
            Err(ControlError::NoValidControl(text)) => self.wait(node, now, &text)?,
        };
        publish_feedback(goals, &path, &robot, &commanded);
        self.publish(node, &commanded);
        Ok(Step::Moves)
    }

    /// Returns the velocity of a cycle in which the controller has none: 0, or an error after the failure tolerance.
    fn wait(&mut self, node: &LifecycleNode, now: Duration, reason: &str) -> Result<Velocity, Failure> {
        let last_valid = self.following.as_ref().map_or(now, |following| following.last_valid);
        match self.settings.failure_tolerance {
            Some(Duration::ZERO) => return Err(Failure::NoValidControl(reason.to_owned())),
            Some(tolerance) if now.saturating_sub(last_valid) > tolerance => {
                return Err(Failure::PatienceExceeded);
            }
            _ => {}
        }
        if self.warned.is_none_or(|warned| warned.elapsed() > WARN_PERIOD) {
            saltus::warn!(node.logger(), "{reason}");
            self.warned = Some(Instant::now());
        }
        Ok(Velocity::default())
    }

    fn now(&self, node: &LifecycleNode) -> Duration {
        time_since_start(node.clock().now())
    }

    /// Returns the velocity of the robot. Parts below their thresholds are 0.
    fn standing(&self) -> Velocity {
        let [x, y, theta] = self.settings.thresholds;
        let part = |value: f64, least: f64| if value.abs() > least { value } else { 0.0 };
        let velocity = self.velocity;
        Velocity::new(part(velocity.x, x), part(velocity.y, y), part(velocity.theta, theta))
    }

    fn publish(&self, node: &LifecycleNode, velocity: &Velocity) {
        let frame_id = self.costmap.base_frame().to_owned();
        self.output.publish(velocity, &Header { stamp: node.clock().now().into(), frame_id });
    }

    /// Ends the goal. Stops the robot, unless a parameter says that it coasts.
    fn finish(&mut self, node: &LifecycleNode) {
        if self.settings.stops {
            self.publish(node, &Velocity::default());
        }
        self.reset();
    }

    fn reset(&mut self) {
        self.following = None;
        self.controllers.iter_mut().for_each(|named| named.plugin.controller().reset());
    }

    fn check_time(&mut self, node: &LifecycleNode, took: Duration) {
        let was_warned = self.warned.is_some_and(|warned| warned.elapsed() <= WARN_PERIOD);
        if took > self.settings.period && !was_warned {
            saltus::warn!(
                node.logger(),
                "Control loop missed its desired rate of {:.4} Hz. Current loop rate is {:.4} Hz.",
                1.0 / self.settings.period.as_secs_f64(),
                1.0 / took.as_secs_f64()
            );
            self.warned = Some(Instant::now());
        }
    }
}

impl CyclicWork for Control {
    type Action = FollowPath;

    fn cycle(&mut self, cycle: &Cycle<'_, FollowPath>) -> bool {
        self.run_cycle(cycle.node, cycle.goals)
    }

    /// Stops the robot, also without a goal, as in Nav2.
    fn stop(&mut self, node: &LifecycleNode) {
        self.publish(node, &Velocity::default());
        self.reset();
    }
}

/// The controllers, the goal checkers and the progress checkers.
pub(crate) type Plugged =
    (Vec<Named<Box<dyn ControllerPlugin>>>, Vec<Named<GoalChecker>>, Vec<Named<ProgressChecker>>);

/// Returns the largest age of the pose of the path's frame for a controller, relative to the pose of the robot.
///
/// # Errors
///
/// Returns an error if the parameter is not a number.
pub(crate) fn transform_tolerance(
    node: &LifecycleNode,
    controller: &str,
) -> Result<Duration, ParameterError> {
    Parameters::for_plugin(node, controller).seconds("transform_tolerance", 0.1)
}

/// Returns the path in the frame of the costmap. `stamp` is the time of the pose of the robot.
fn in_frame(costmap: &Costmap, following: &Following, stamp: Time) -> Result<Vec<Pose>, Failure> {
    if following.frame == costmap.global_frame() {
        return Ok(following.path.clone());
    }
    let (target, tolerance) = (costmap.global_frame(), following.transform_tolerance);
    let found = costmap.frames().recent_pose(target, &following.frame, stamp, tolerance);
    let frame = found.map_err(|error| {
        Failure::Transform(format!("Unable to transform robot pose into global plan's frame: {error}"))
    })?;
    Ok(following.path.iter().map(|pose| frame.then(pose)).collect())
}

/// Publishes the feedback: the distance to the goal, and the speed of the command.
fn publish_feedback(goals: &Goals<FollowPath>, path: &[Pose], robot: &Pose, commanded: &Velocity) {
    if let Some(handle) = goals.current() {
        let distance_to_goal = path::remaining(path, robot) as f32;
        // The client may have closed.
        let _ = handle
            .publish_feedback(&FollowPath_Feedback { distance_to_goal, speed: commanded.speed() as f32 });
    }
}
