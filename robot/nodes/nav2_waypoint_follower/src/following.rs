//! The waypoints that are followed.

use std::{task::Waker, time::Duration};

use saltus::{
    ActionClient,
    action::GoalStatus,
    lifecycle::LifecycleNode,
    msgs::{
        geometry_msgs::msg::PoseStamped,
        nav2_msgs::{
            action::{
                FollowWaypoints, FollowWaypoints_Feedback, FollowWaypoints_Goal, FollowWaypoints_Result,
                NavigateToPose, NavigateToPose_Goal,
            },
            msg::MissedWaypoint,
        },
    },
};
use saltus_nav_server::time_since_start;
use saltus_server::{Cycle, CyclicWork, GoalCall, GoalOutcome, Goals, Progress};

use crate::task::WaypointTask;

/// The navigator, the task at each waypoint, and the waypoints that are followed.
pub(crate) struct Follower {
    pub(crate) client: ActionClient<NavigateToPose>,
    pub(crate) task: Box<dyn WaypointTask>,
    pub(crate) stops_on_failure: bool,
    route: Option<Route>,
    /// The call of the previous goal, until the newer goal has reached a waypoint. The navigator may refuse the newer call, and go on with
    /// this one.
    previous: Option<GoalCall<NavigateToPose>>,
}

/// The waypoints of a goal.
struct Route {
    poses: Vec<PoseStamped>,
    index: usize,
    loops_left: u32,
    missed: Vec<MissedWaypoint>,
    step: Step,
}

/// The state of the robot on a route.
enum Step {
    /// It is about to drive to the next waypoint.
    Next,
    Driving(GoalCall<NavigateToPose>),
    /// It does the task of the waypoint since this time.
    Working(Duration),
}

/// The longest time to wait for the navigator to cancel a goal.
const TIMEOUT: Duration = Duration::from_secs(1);

impl Follower {
    pub(crate) fn new(
        client: ActionClient<NavigateToPose>,
        task: Box<dyn WaypointTask>,
        stops_on_failure: bool,
    ) -> Self {
        Self { client, task, stops_on_failure, route: None, previous: None }
    }

    /// Does a cycle. Returns whether the work goes on.
    fn run_cycle(&mut self, node: &LifecycleNode, goals: &Goals<FollowWaypoints>, waker: &Waker) -> bool {
        if goals.has_pending() {
            let newer = goals.take().and_then(|handle| handle.goal_value().ok()).map(Route::new);
            if newer.as_ref().is_none_or(|route| route.poses.is_empty()) {
                // It can't be read, leads nowhere, or was canceled meanwhile.
                self.cancel();
            }
            // Otherwise the robot does not stop: its navigator replaces the waypoint with the next one.
            if let Some(Route { step: Step::Driving(call), .. }) = self.route.take() {
                forget(self.previous.replace(call));
            }
            self.route = newer;
            if self.route.is_none() {
                goals.end(GoalOutcome::Aborted, FollowWaypoints_Result::default());
                return goals.has_pending();
            }
            let count = self.route.as_ref().map_or(0, |route| route.poses.len());
            saltus::info!(node.logger(), "Received follow waypoint request with {count} waypoints.");
        }
        let Some(route) = &self.route else { return false };
        if goals.is_canceled() {
            let missed_waypoints = route.missed.clone();
            self.cancel();
            goals.end(
                GoalOutcome::Canceled,
                FollowWaypoints_Result { missed_waypoints, ..Default::default() },
            );
            return goals.has_pending();
        }
        if route.poses.is_empty() {
            saltus::error!(node.logger(), "Empty vector of waypoints passed to waypoint following action.");
            return self.end(goals, GoalOutcome::Aborted);
        }
        match self.step(node, waker) {
            None => {
                if let (Some(handle), Some(route)) = (goals.current(), &self.route) {
                    let current_waypoint = u32::try_from(route.index).unwrap_or(u32::MAX);
                    // The client may have closed.
                    let _ = handle.publish_feedback(&FollowWaypoints_Feedback { current_waypoint });
                }
                true
            }
            Some(outcome) => self.end(goals, outcome),
        }
    }

    /// Ends the goal. Returns whether there is another goal.
    fn end(&mut self, goals: &Goals<FollowWaypoints>, outcome: GoalOutcome) -> bool {
        let missed_waypoints = self.route.take().map(|route| route.missed).unwrap_or_default();
        goals.end(outcome, FollowWaypoints_Result { missed_waypoints, ..Default::default() });
        goals.has_pending()
    }

    /// Cancels the goals of the navigator, so that the robot stops.
    fn cancel(&mut self) {
        let driving = match self.route.take() {
            Some(Route { step: Step::Driving(call), .. }) => Some(call),
            _ => None,
        };
        forget(self.previous.take());
        // A server that does not answer does not hold up this one for long.
        if let Some(mut call) = driving {
            let _ = call.cancel(TIMEOUT, TIMEOUT);
        }
    }

    /// Does the next step. Returns the outcome of the goal, if it ends.
    fn step(&mut self, node: &LifecycleNode, waker: &Waker) -> Option<GoalOutcome> {
        let now = time_since_start(node.clock().now());
        let route = self.route.as_mut()?;
        match &mut route.step {
            Step::Next => {
                let mut pose = route.poses.get(route.index)?.clone();
                pose.header.stamp = node.clock().now().into();
                let goal = NavigateToPose_Goal { pose, behavior_tree: String::new() };
                match GoalCall::send(&self.client, &goal) {
                    Ok(call) => {
                        route.step = Step::Driving(call);
                        None
                    }
                    Err(error) => {
                        saltus::error!(node.logger(), "{error}");
                        self.missed(node, 0)
                    }
                }
            }
            Step::Driving(call) => match call.poll(waker) {
                Progress::Sent | Progress::Accepted => None,
                Progress::Ended(GoalStatus::Succeeded, _) => {
                    self.previous = None;
                    saltus::info!(
                        node.logger(),
                        "Succeeded processing waypoint {}, processing waypoint task execution",
                        route.index
                    );
                    let index = u32::try_from(route.index).unwrap_or(u32::MAX);
                    self.task.begin(index, &route.poses[route.index]);
                    route.step = Step::Working(now);
                    None
                }
                Progress::Ended(_, result) => self.missed(node, result.error_code),
                Progress::Failed(error) => {
                    saltus::error!(node.logger(), "{error}");
                    self.missed(node, 0)
                }
            },
            Step::Working(since) => match self.task.poll(now.saturating_sub(*since)) {
                None => None,
                Some(true) => {
                    saltus::info!(node.logger(), "Task execution at waypoint {} succeeded", route.index);
                    self.advance(node)
                }
                Some(false) => {
                    saltus::warn!(node.logger(), "Task execution at waypoint {} failed!", route.index);
                    self.missed(node, FollowWaypoints_Result::TASK_EXECUTOR_FAILED)
                }
            },
        }
    }

    /// Records a waypoint that the robot has missed. Returns the outcome of the goal, if it ends.
    fn missed(&mut self, node: &LifecycleNode, error_code: u16) -> Option<GoalOutcome> {
        // The navigator may have refused it, and gone on with the previous goal.
        forget(self.previous.take());
        let route = self.route.as_mut()?;
        let goal = route.poses[route.index].clone();
        let index = u32::try_from(route.index).unwrap_or(u32::MAX);
        route.missed.push(MissedWaypoint { index, goal, error_code });
        if self.stops_on_failure {
            saltus::warn!(
                node.logger(),
                "Failed to process waypoint {index} in waypoint list and stop on failure is enabled. Terminating action."
            );
            return Some(GoalOutcome::Aborted);
        }
        saltus::info!(node.logger(), "Failed to process waypoint {index}, moving to next.");
        self.advance(node)
    }

    /// Goes on with the next waypoint. Returns the outcome of the goal, if there is none.
    fn advance(&mut self, node: &LifecycleNode) -> Option<GoalOutcome> {
        let route = self.route.as_mut()?;
        route.index += 1;
        route.step = Step::Next;
        if route.index < route.poses.len() {
            return None;
        }
        if route.loops_left > 0 {
            route.loops_left -= 1;
            route.index = 0;
            return None;
        }
        saltus::info!(node.logger(), "Completed all {} waypoints requested.", route.poses.len());
        Some(GoalOutcome::Succeeded)
    }
}

impl CyclicWork for Follower {
    type Action = FollowWaypoints;

    fn cycle(&mut self, cycle: &Cycle<'_, FollowWaypoints>) -> bool {
        self.run_cycle(cycle.node, cycle.goals, cycle.waker)
    }

    fn reacts(&self, _goals: &Goals<FollowWaypoints>) -> bool {
        true
    }

    fn stop(&mut self, _node: &LifecycleNode) {
        self.cancel();
    }
}

/// Cancels a goal of the navigator without waiting for its answer.
fn forget(call: Option<GoalCall<NavigateToPose>>) {
    if let Some(mut call) = call {
        let _ = call.cancel(Duration::ZERO, Duration::ZERO);
    }
}

impl Route {
    fn new(goal: FollowWaypoints_Goal) -> Self {
        let index =
            usize::try_from(goal.goal_index).unwrap_or(usize::MAX).min(goal.poses.len().saturating_sub(1));
        Self {
            poses: goal.poses,
            index,
            loops_left: goal.number_of_loops,
            missed: Vec::new(),
            step: Step::Next,
        }
    }
}
