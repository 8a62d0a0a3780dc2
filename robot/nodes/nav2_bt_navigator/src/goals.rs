//! The goals of the two actions.

use std::{sync::Arc, time::Duration};

use saltus::{
    cdr::Action,
    msgs::{
        geometry_msgs::msg::PoseStamped,
        nav2_msgs::action::{
            NavigateThroughPoses, NavigateThroughPoses_Feedback, NavigateThroughPoses_Goal,
            NavigateThroughPoses_Result, NavigateToPose, NavigateToPose_Feedback, NavigateToPose_Goal,
            NavigateToPose_Result,
        },
        std_msgs::msg::Header,
    },
};
use saltus_behavior_tree::{Boards, FromValue, Value};
use saltus_motion::Pose;
use saltus_nav_server::{to_duration, to_stamped};

use crate::world::World;

/// The blackboard of the root.
pub(crate) const ROOT: usize = 0;

/// The progress of a robot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Travel {
    pub(crate) pose: PoseStamped,
    pub(crate) elapsed: Duration,
    pub(crate) remaining: Duration,
    pub(crate) recoveries: i16,
    pub(crate) distance: f64,
}

/// The goals of an action.
pub(crate) trait Goal: Send + 'static {
    /// The action.
    type Action: Action;
    /// The name of the action.
    const NAME: &'static str;
    /// The parameter with its tree, and the tree.
    const TREE: (&'static str, &'static str);
    /// The parameter with the name of the goal on the blackboard, and the name.
    const KEY: (&'static str, &'static str);

    /// Returns the file with the tree of a goal; empty for the default.
    fn tree(goal: &<Self::Action as Action>::Goal) -> &str;

    /// Puts a goal on the blackboard. Returns whether its pose in the global frame is known.
    fn start(goal: &<Self::Action as Action>::Goal, world: &World, key: &str, boards: &mut Boards) -> bool;

    /// Returns the feedback.
    fn feedback(travel: Travel, key: &str, boards: &Boards) -> <Self::Action as Action>::Feedback;

    /// Returns a result with the code of an error.
    fn result(code: u16, text: String) -> <Self::Action as Action>::Result;
}

/// Navigates to a pose.
pub(crate) struct ToPose;

/// Navigates through poses.
pub(crate) struct ThroughPoses;

/// Returns a goal in the global frame.
fn in_global(world: &World, goal: &PoseStamped) -> Option<(PoseStamped, Pose)> {
    let frame = &world.settings.global_frame;
    let Some(pose) = world.transform(frame, goal) else {
        saltus::error!(
            world.logger(),
            "Failed to transform a goal pose provided with frame_id '{}' to the global frame '{frame}'.",
            goal.header.frame_id
        );
        return None;
    };
    let header = Header { stamp: goal.header.stamp, frame_id: frame.clone() };
    Some((to_stamped(&header, &pose), pose))
}

impl Goal for ToPose {
    type Action = NavigateToPose;
    const NAME: &'static str = "navigate_to_pose";
    const TREE: (&'static str, &'static str) =
        ("default_nav_to_pose_bt_xml", "navigate_to_pose_w_replanning_and_recovery.xml");
    const KEY: (&'static str, &'static str) = ("goal_blackboard_id", "goal");

    fn tree(goal: &NavigateToPose_Goal) -> &str {
        &goal.behavior_tree
    }

    fn start(goal: &NavigateToPose_Goal, world: &World, key: &str, boards: &mut Boards) -> bool {
        let settings = &world.settings;
        let Some((robot, _)) = world.robot(&settings.global_frame, &settings.base_frame) else {
            saltus::error!(world.logger(), "Initial robot pose is not available.");
            return false;
        };
        let Some((stamped, pose)) = in_global(world, &goal.pose) else { return false };
        saltus::info!(
            world.logger(),
            "Begin navigating from current location ({:.2}, {:.2}) to ({:.2}, {:.2})",
            robot.x,
            robot.y,
            pose.x,
            pose.y
        );
        boards.set(ROOT, key, Value::object(stamped));
        true
    }

    fn feedback(travel: Travel, _key: &str, _boards: &Boards) -> NavigateToPose_Feedback {
        NavigateToPose_Feedback {
            current_pose: travel.pose,
            navigation_time: to_duration(travel.elapsed),
            estimated_time_remaining: to_duration(travel.remaining),
            number_of_recoveries: travel.recoveries,
            distance_remaining: travel.distance as f32,
        }
    }

    fn result(error_code: u16, error_msg: String) -> NavigateToPose_Result {
        NavigateToPose_Result { error_code, error_msg }
    }
}

impl Goal for ThroughPoses {
    type Action = NavigateThroughPoses;
    const NAME: &'static str = "navigate_through_poses";
    const TREE: (&'static str, &'static str) =
        ("default_nav_through_poses_bt_xml", "navigate_through_poses_w_replanning_and_recovery.xml");
    const KEY: (&'static str, &'static str) = ("goals_blackboard_id", "goals");

    fn tree(goal: &NavigateThroughPoses_Goal) -> &str {
        &goal.behavior_tree
    }

    fn start(goal: &NavigateThroughPoses_Goal, world: &World, key: &str, boards: &mut Boards) -> bool {
        let all: Option<Vec<(PoseStamped, Pose)>> =
            goal.poses.iter().map(|pose| in_global(world, pose)).collect();
        let Some(all) = all else { return false };
        if let Some((_, last)) = all.last() {
            saltus::info!(
                world.logger(),
                "Begin navigating from current location through {} poses to ({:.2}, {:.2})",
                all.len(),
                last.x,
                last.y
            );
        }
        let goals: Vec<PoseStamped> = all.into_iter().map(|(stamped, _)| stamped).collect();
        boards.set(ROOT, key, Value::object(goals));
        true
    }

    fn feedback(travel: Travel, key: &str, boards: &Boards) -> NavigateThroughPoses_Feedback {
        let goals = boards.get(ROOT, key).and_then(|goals| Arc::<Vec<PoseStamped>>::from_value(goals).ok());
        NavigateThroughPoses_Feedback {
            current_pose: travel.pose,
            navigation_time: to_duration(travel.elapsed),
            estimated_time_remaining: to_duration(travel.remaining),
            number_of_recoveries: travel.recoveries,
            distance_remaining: travel.distance as f32,
            number_of_poses_remaining: goals
                .map_or(0, |goals| i16::try_from(goals.len()).unwrap_or(i16::MAX)),
        }
    }

    fn result(error_code: u16, error_msg: String) -> NavigateThroughPoses_Result {
        NavigateThroughPoses_Result { error_code, error_msg }
    }
}
