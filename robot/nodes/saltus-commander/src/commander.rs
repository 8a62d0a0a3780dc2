//! The commander.

use std::{sync::Mutex, time::Duration};

use saltus::{
    ActionClient, Client, Node, Publisher, QoS,
    cdr::{Action, Service},
    msgs::{
        geometry_msgs::msg::{PoseStamped, PoseWithCovariance, PoseWithCovarianceStamped},
        lifecycle_msgs::srv::{GetState, GetState_Request},
        nav_msgs::msg::Path,
        nav2_msgs::action::*,
        std_msgs::msg::Header,
    },
    topic::PollSubscription,
    types::lock,
};
use saltus_motion::Pose;
use saltus_nav_server::{to_pose, to_stamped};

use crate::{
    deadline::Deadline,
    error::CommandError,
    task::{Outcome, Task},
};

/// Sends a robot to poses. It needs an executor for feedback only.
pub struct Commander {
    node: Node,
    initial: Publisher<PoseWithCovarianceStamped>,
    /// Receives the pose of the localization, until it has come after the last initial pose.
    found: Mutex<Option<PollSubscription<PoseWithCovarianceStamped>>>,
    to_pose: ActionClient<NavigateToPose>,
    through_poses: ActionClient<NavigateThroughPoses>,
    waypoints: ActionClient<FollowWaypoints>,
    spin: ActionClient<Spin>,
    backup: ActionClient<BackUp>,
}

/// The longest time for a server to accept a goal.
const ANSWER: Duration = Duration::from_secs(5);
/// The period in which a wait checks again.
const AGAIN: Duration = Duration::from_millis(100);

impl std::fmt::Debug for Commander {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Commander").field("node", &self.node.name().fully_qualified()).finish_non_exhaustive()
    }
}

/// Returns a subscription to the poses of the localization.
fn poses(node: &Node, qos: QoS) -> Result<PollSubscription<PoseWithCovarianceStamped>, CommandError> {
    Ok(node.subscription("amcl_pose").qos(qos).create()?)
}

impl Commander {
    /// Returns a commander. The names of topics, services and actions are those of the namespace of the node.
    ///
    /// # Errors
    ///
    /// Returns an error if an endpoint can't be opened.
    pub fn new(node: &Node) -> Result<Self, CommandError> {
        Ok(Self {
            node: node.clone(),
            initial: node.publisher("initialpose").create()?,
            found: Mutex::new(Some(poses(node, QoS::keep_last(1).transient_local())?)),
            to_pose: ActionClient::on(node, "navigate_to_pose").create()?,
            through_poses: ActionClient::on(node, "navigate_through_poses").create()?,
            waypoints: ActionClient::on(node, "follow_waypoints").create()?,
            spin: ActionClient::on(node, "spin").create()?,
            backup: ActionClient::on(node, "backup").create()?,
        })
    }

    fn header(&self) -> Header {
        Header { stamp: self.node.clock().now().into(), frame_id: "map".into() }
    }

    /// Returns a pose in the frame `map`, now.
    pub fn stamped(&self, pose: &Pose) -> PoseStamped {
        to_stamped(&self.header(), pose)
    }

    pub(crate) fn all_stamped(&self, poses: &[Pose]) -> Vec<PoseStamped> {
        poses.iter().map(|pose| self.stamped(pose)).collect()
    }

    /// Publishes the initial pose of the robot in the map.
    ///
    /// # Errors
    ///
    /// Returns an error if the message can't be sent.
    pub fn set_initial_pose(&self, pose: &Pose) -> Result<(), CommandError> {
        let pose = PoseWithCovariance { pose: to_pose(pose), ..PoseWithCovariance::default() };
        let mut found = lock(&self.found);
        if found.is_none() {
            // A pose from before does not count.
            *found = Some(poses(&self.node, QoS::keep_last(1))?);
        }
        drop(found);
        // An empty stamp stands for the current time.
        let header = Header { frame_id: "map".into(), ..Header::default() };
        Ok(self.initial.publish(&PoseWithCovarianceStamped { header, pose })?)
    }

    /// Waits until the robot is localized and can navigate. The initial pose is published again until the robot is localized.
    ///
    /// # Errors
    ///
    /// Returns an error if that takes longer than `timeout`.
    pub fn wait_until_found(&self, pose: &Pose, timeout: Duration) -> Result<(), CommandError> {
        let deadline = Deadline::after(timeout);
        self.wait_for_state("amcl", &deadline)?;
        while !self.is_found(AGAIN)? {
            self.check("the pose of the robot", &deadline)?;
            self.set_initial_pose(pose)?;
            self.is_found(10 * AGAIN)?;
        }
        self.wait_for_state("bt_navigator", &deadline)
    }

    /// Waits until all nodes that are needed to navigate are active.
    ///
    /// # Errors
    ///
    /// Returns an error if that takes longer than `timeout`.
    pub fn wait_until_active(&self, timeout: Duration) -> Result<(), CommandError> {
        let deadline = Deadline::after(timeout);
        self.wait_for_state("amcl", &deadline)?;
        self.wait_for_state("bt_navigator", &deadline)
    }

    /// Whether the localization has published the pose of the robot.
    fn is_found(&self, timeout: Duration) -> Result<bool, CommandError> {
        let come = || {
            let mut found = lock(&self.found);
            let has_come = found.as_ref().is_none_or(|poses| poses.take().is_some_and(|taken| taken.is_ok()));
            if has_come {
                // Nobody takes the poses that come from now on.
                *found = None;
            }
            has_come
        };
        if self.node.context().wait_until(timeout, come) {
            return Ok(true);
        }
        if self.node.context().is_shut_down() { Err(CommandError::Interrupted) } else { Ok(false) }
    }

    /// Returns an error if a deadline is over, or if the program is to end.
    fn check(&self, what: &str, deadline: &Deadline) -> Result<(), CommandError> {
        if self.node.context().is_shut_down() {
            return Err(CommandError::Interrupted);
        }
        if deadline.left().is_zero() { Err(deadline.missed(what)) } else { Ok(()) }
    }

    /// Waits until a lifecycle node is active.
    fn wait_for_state(&self, name: &str, deadline: &Deadline) -> Result<(), CommandError> {
        let client: Client<GetState> = self.node.client(&format!("{name}/get_state")).create()?;
        loop {
            self.check(&format!("the active node {name}"), deadline)?;
            if client.wait_for_service(AGAIN) {
                // The node may have just died. It is called again.
                let state = client.call(&GetState_Request::default(), ANSWER);
                if state.is_ok_and(|state| state.current_state.label == "active") {
                    return Ok(());
                }
                std::thread::park_timeout(AGAIN);
            }
        }
    }

    /// Starts to navigate to a pose in the map.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no server, or if it rejects the goal.
    pub fn go_to(&self, pose: &Pose) -> Result<Task<NavigateToPose>, CommandError> {
        self.go_to_with(pose, "")
    }

    /// Starts to navigate to a pose in the map with the behavior tree of a file; with that of the navigator if the path is empty.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn go_to_with(&self, pose: &Pose, tree: &str) -> Result<Task<NavigateToPose>, CommandError> {
        let goal = NavigateToPose_Goal { pose: self.stamped(pose), behavior_tree: tree.to_owned() };
        Task::start(self.node.context(), &self.to_pose, &goal, ANSWER)
    }

    /// Starts to navigate through poses in the map.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn go_through(&self, poses: &[Pose]) -> Result<Task<NavigateThroughPoses>, CommandError> {
        self.go_through_with(poses, "")
    }

    /// Starts to navigate through poses in the map with the behavior tree of a file; with that of the navigator if the path is empty.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn go_through_with(
        &self,
        poses: &[Pose],
        tree: &str,
    ) -> Result<Task<NavigateThroughPoses>, CommandError> {
        let goal =
            NavigateThroughPoses_Goal { poses: self.all_stamped(poses), behavior_tree: tree.to_owned() };
        Task::start(self.node.context(), &self.through_poses, &goal, ANSWER)
    }

    /// Starts to follow waypoints in the map.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn follow_waypoints(&self, poses: &[Pose]) -> Result<Task<FollowWaypoints>, CommandError> {
        let goal = FollowWaypoints_Goal { poses: self.all_stamped(poses), ..FollowWaypoints_Goal::default() };
        Task::start(self.node.context(), &self.waypoints, &goal, ANSWER)
    }

    /// Starts to turn by an angle, in radians.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn spin(&self, angle: f64, allowance: Duration) -> Result<Task<Spin>, CommandError> {
        let time_allowance = saltus_nav_server::to_duration(allowance);
        let goal = Spin_Goal { target_yaw: angle as f32, time_allowance };
        Task::start(self.node.context(), &self.spin, &goal, ANSWER)
    }

    /// Starts to drive back by a distance in metres, with a speed in m/s.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn back_up(
        &self,
        distance: f64,
        speed: f64,
        allowance: Duration,
    ) -> Result<Task<BackUp>, CommandError> {
        let mut goal = BackUp_Goal {
            speed: speed as f32,
            time_allowance: saltus_nav_server::to_duration(allowance),
            ..BackUp_Goal::default()
        };
        goal.target.x = distance;
        Task::start(self.node.context(), &self.backup, &goal, ANSWER)
    }

    /// Starts to drive straight on by a distance in metres, with a speed in m/s.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn drive_on_heading(
        &self,
        distance: f64,
        speed: f64,
        allowance: Duration,
    ) -> Result<Task<DriveOnHeading>, CommandError> {
        let mut goal = DriveOnHeading_Goal {
            speed: speed as f32,
            time_allowance: saltus_nav_server::to_duration(allowance),
            ..DriveOnHeading_Goal::default()
        };
        goal.target.x = distance;
        self.start("drive_on_heading", &goal)
    }

    /// Lets a person drive, and stops the robot before obstacles.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn assisted_teleop(&self, allowance: Duration) -> Result<Task<AssistedTeleop>, CommandError> {
        let time_allowance = saltus_nav_server::to_duration(allowance);
        self.start("assisted_teleop", &AssistedTeleop_Goal { time_allowance })
    }

    /// Starts to follow a path, with the controller and the goal checker of these names; with the only ones if the names are empty.
    ///
    /// # Errors
    ///
    /// See [`go_to`](Self::go_to).
    pub fn follow_path(
        &self,
        path: &Path,
        controller: &str,
        goal_checker: &str,
    ) -> Result<Task<FollowPath>, CommandError> {
        let goal = FollowPath_Goal {
            path: path.clone(),
            controller_id: controller.to_owned(),
            goal_checker_id: goal_checker.to_owned(),
            ..FollowPath_Goal::default()
        };
        self.start("follow_path", &goal)
    }

    /// Sends a goal to an action that is seldom used.
    fn start<A: Action>(&self, action: &str, goal: &A::Goal) -> Result<Task<A>, CommandError>
    where
        A::Feedback: Send + 'static,
    {
        let client = ActionClient::<A>::on(&self.node, action).create()?;
        Task::start(self.node.context(), &client, goal, ANSWER)
    }

    /// Sends a goal that a server reaches within `most` and a moment. Returns its result; `None` if it could not be reached.
    pub(crate) fn request<A: Action>(
        &self,
        action: &str,
        goal: &A::Goal,
        most: Duration,
    ) -> Result<Option<A::Result>, CommandError>
    where
        A::Feedback: Send + 'static,
        A::Result: Clone,
    {
        let mut task = self.start::<A>(action, goal)?;
        let outcome = task.wait(ANSWER.saturating_add(most)).inspect_err(|_| {
            // The goal is not needed. The first error is returned.
            let _ = task.cancel(Duration::ZERO);
        })?;
        Ok(task.result().filter(|_| outcome == Outcome::Succeeded).cloned())
    }

    /// Calls a service.
    pub(crate) fn call<S: Service>(
        &self,
        service: &str,
        request: &S::Request,
    ) -> Result<S::Response, CommandError> {
        self.call_within::<S>(service, request, ANSWER)
    }

    /// Calls a service that may need a longer time.
    pub(crate) fn call_within<S: Service>(
        &self,
        service: &str,
        request: &S::Request,
        timeout: Duration,
    ) -> Result<S::Response, CommandError> {
        let client: Client<S> = self.node.client(service).create()?;
        let deadline = Deadline::after(timeout);
        if !client.wait_for_service(timeout) {
            return Err(deadline.missed(&format!("the service {service}")));
        }
        Ok(client.call(request, deadline.left())?)
    }
}
