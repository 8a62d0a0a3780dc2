//! The two actions that plan paths.

use std::sync::Mutex;

use saltus::{
    cdr::Action,
    lifecycle::LifecyclePublisher,
    msgs::{
        builtin_interfaces::msg::Duration,
        nav_msgs::msg::Path,
        nav2_msgs::action::{
            ComputePathThroughPoses, ComputePathThroughPoses_Goal, ComputePathThroughPoses_Result,
            ComputePathToPose, ComputePathToPose_Goal, ComputePathToPose_Result,
        },
    },
    types::lock,
};
use saltus_server::{GoalOutcome, Goals};

use crate::planning::{PlanRequest, Planning};

/// The planning, and the publisher of the paths.
pub(crate) struct Plans {
    pub(crate) planning: Mutex<Planning>,
    pub(crate) output: LifecyclePublisher<Path>,
}

/// An action that plans a path.
pub(crate) trait PlanAction: Action {
    /// The code of an unknown error in results.
    const UNKNOWN: u16;

    /// Returns the request of a goal. `is_wanted` is whether the client still wants the path.
    fn request<'a>(goal: &'a Self::Goal, is_wanted: &'a dyn Fn() -> bool) -> PlanRequest<'a>;

    /// Returns the result with a path and the time of its planning.
    fn planned(path: Path, planning_time: Duration) -> Self::Result;

    /// Returns the result with the code and the text of an error.
    fn failed(code: u16, text: String) -> Self::Result;
}

impl Plans {
    /// Plans paths for all pending goals of an action.
    pub(crate) fn serve<A: PlanAction>(&self, goals: &Goals<A>) {
        goals.serve(|handle| {
            let Ok(goal) = handle.goal_value() else {
                return (GoalOutcome::Aborted, A::Result::default());
            };
            let is_wanted = || goals.is_wanted();
            let planned = lock(&self.planning).plan(&A::request(&goal, &is_wanted));
            match planned {
                _ if goals.is_canceled() => (GoalOutcome::Canceled, A::Result::default()),
                Ok((path, planning_time)) => {
                    // There may be no subscriber.
                    let _ = self.output.publish(&path);
                    (GoalOutcome::Succeeded, A::planned(path, planning_time))
                }
                Err(error) => (GoalOutcome::Aborted, A::failed(error.code(A::UNKNOWN), error.to_string())),
            }
        });
    }
}

impl PlanAction for ComputePathToPose {
    const UNKNOWN: u16 = 200;

    fn request<'a>(goal: &'a ComputePathToPose_Goal, is_wanted: &'a dyn Fn() -> bool) -> PlanRequest<'a> {
        PlanRequest {
            start: goal.use_start.then_some(&goal.start),
            goals: std::slice::from_ref(&goal.goal),
            planner: &goal.planner_id,
            is_wanted,
        }
    }

    fn planned(path: Path, planning_time: Duration) -> ComputePathToPose_Result {
        ComputePathToPose_Result { path, planning_time, ..Default::default() }
    }

    fn failed(error_code: u16, error_msg: String) -> ComputePathToPose_Result {
        ComputePathToPose_Result { error_code, error_msg, ..Default::default() }
    }
}

impl PlanAction for ComputePathThroughPoses {
    const UNKNOWN: u16 = 300;

    fn request<'a>(
        goal: &'a ComputePathThroughPoses_Goal,
        is_wanted: &'a dyn Fn() -> bool,
    ) -> PlanRequest<'a> {
        PlanRequest {
            start: goal.use_start.then_some(&goal.start),
            goals: &goal.goals,
            planner: &goal.planner_id,
            is_wanted,
        }
    }

    fn planned(path: Path, planning_time: Duration) -> ComputePathThroughPoses_Result {
        ComputePathThroughPoses_Result { path, planning_time, ..Default::default() }
    }

    fn failed(error_code: u16, error_msg: String) -> ComputePathThroughPoses_Result {
        ComputePathThroughPoses_Result { error_code, error_msg, ..Default::default() }
    }
}
