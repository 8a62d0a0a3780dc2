//! Nodes that look at values and topics.
//!
//! Source: the documentation of Nav2, <https://docs.nav2.org/configuration/packages/configuring-bt-xml.html>.

use saltus_behavior_tree::{Kind, NodeKind, Port};

use crate::{
    kinds::{CODE, CODES, MILLISECONDS, PATH, POSE, POSES},
    node::Node,
};

/// Nodes that make values of others.
pub(crate) fn values() -> Vec<Node> {
    vec![
        Node::new(
            "GetCurrentPose",
            NodeKind::Action,
            "Returns where the robot is",
            vec![
                Port::input("global_frame").of(Kind::Text),
                Port::input("robot_base_frame").of(Kind::Text),
                Port::output("current_pose").of(POSE),
            ],
        ),
        Node::new(
            "GetPoseFromPath",
            NodeKind::Action,
            "Returns a pose of a path",
            vec![
                Port::input("path").of(PATH),
                Port::input("index").of(Kind::Integer).or("0"),
                Port::output("pose").of(POSE),
            ],
        ),
        Node::new(
            "ConcatenatePaths",
            NodeKind::Action,
            "Joins two paths",
            vec![
                Port::input("input_path1").of(PATH),
                Port::input("input_path2").of(PATH),
                Port::output("output_path").of(PATH),
            ],
        ),
        Node::new(
            "RemovePassedGoals",
            NodeKind::Action,
            "Removes goals that the robot has passed",
            vec![
                Port::input("input_goals").of(POSES),
                Port::input("radius").of(Kind::Double).or("0.5"),
                Port::input("global_frame").of(Kind::Text),
                Port::input("robot_base_frame").of(Kind::Text),
                Port::output("output_goals").of(POSES),
            ],
        ),
        Node::new(
            "TruncatePath",
            NodeKind::Action,
            "Leaves out the end of a path",
            vec![
                Port::input("input_path").of(PATH),
                Port::input("distance").of(Kind::Double).or("1.0"),
                Port::output("output_path").of(PATH),
            ],
        ),
        Node::new(
            "TruncatePathLocal",
            NodeKind::Action,
            "Returns the part of a path near the robot",
            vec![
                Port::input("input_path").of(PATH),
                Port::input("distance_forward").of(Kind::Double).or("8.0"),
                Port::input("distance_backward").of(Kind::Double).or("4.0"),
                Port::input("robot_frame").of(Kind::Text).or("base_link"),
                Port::input("transform_tolerance").of(Kind::Double).or("0.2"),
                Port::input("pose").of(POSE),
                Port::input("angular_distance_weight").of(Kind::Double).or("0.0"),
                Port::input("max_robot_pose_search_dist").of(Kind::Double).or("inf"),
                Port::output("output_path").of(PATH),
            ],
        ),
    ]
}

/// Nodes that choose by a topic.
pub(crate) fn selectors() -> Vec<Node> {
    vec![
        Node::new(
            "PlannerSelector",
            NodeKind::Action,
            "Returns the planner that a topic names",
            vec![
                Port::input("default_planner").of(Kind::Text),
                Port::input("topic_name").of(Kind::Text).or("planner_selector"),
                Port::output("selected_planner").of(Kind::Text),
            ],
        ),
        Node::new(
            "ControllerSelector",
            NodeKind::Action,
            "Returns the controller that a topic names",
            vec![
                Port::input("default_controller").of(Kind::Text),
                Port::input("topic_name").of(Kind::Text).or("controller_selector"),
                Port::output("selected_controller").of(Kind::Text),
            ],
        ),
        Node::new(
            "SmootherSelector",
            NodeKind::Action,
            "Returns the smoother that a topic names",
            vec![
                Port::input("default_smoother").of(Kind::Text),
                Port::input("topic_name").of(Kind::Text).or("smoother_selector"),
                Port::output("selected_smoother").of(Kind::Text),
            ],
        ),
        Node::new(
            "GoalCheckerSelector",
            NodeKind::Action,
            "Returns the goal checker that a topic names",
            vec![
                Port::input("default_goal_checker").of(Kind::Text),
                Port::input("topic_name").of(Kind::Text).or("goal_checker_selector"),
                Port::output("selected_goal_checker").of(Kind::Text),
            ],
        ),
        Node::new(
            "ProgressCheckerSelector",
            NodeKind::Action,
            "Returns the progress checker that a topic names",
            vec![
                Port::input("default_progress_checker").of(Kind::Text),
                Port::input("topic_name").of(Kind::Text).or("progress_checker_selector"),
                Port::output("selected_progress_checker").of(Kind::Text),
            ],
        ),
    ]
}

/// Nodes that ask something.
pub(crate) fn conditions() -> Vec<Node> {
    vec![
        Node::new(
            "GoalUpdated",
            NodeKind::Condition,
            "Whether there is another goal",
            vec![Port::input("goals").of(POSES), Port::input("goal").of(POSE)],
        ),
        Node::new(
            "GlobalUpdatedGoal",
            NodeKind::Condition,
            "Whether there is another goal, or there was none",
            vec![Port::input("goals").of(POSES), Port::input("goal").of(POSE)],
        ),
        Node::new(
            "GoalReached",
            NodeKind::Condition,
            "Whether the robot is at the goal",
            vec![
                Port::input("goal").of(POSE),
                Port::input("global_frame").of(Kind::Text),
                Port::input("robot_base_frame").of(Kind::Text),
            ],
        ),
        Node::new(
            "ArePosesNear",
            NodeKind::Condition,
            "Whether two poses are near each other",
            vec![
                Port::input("ref_pose").of(POSE),
                Port::input("target_pose").of(POSE),
                Port::input("global_frame").of(Kind::Text),
                Port::input("tolerance").of(Kind::Double).or("0.5"),
            ],
        ),
        Node::new(
            "DistanceTraveled",
            NodeKind::Condition,
            "Whether the robot has moved so far",
            vec![
                Port::input("distance").of(Kind::Double).or("1.0"),
                Port::input("global_frame").of(Kind::Text),
                Port::input("robot_base_frame").of(Kind::Text),
            ],
        ),
        Node::new(
            "TimeExpired",
            NodeKind::Condition,
            "Whether a time is over",
            vec![Port::input("seconds").of(Kind::Double).or("1.0")],
        ),
        Node::new(
            "PathExpiringTimer",
            NodeKind::Condition,
            "Whether a path is so old",
            vec![Port::input("seconds").of(Kind::Double).or("1.0"), Port::input("path").of(PATH)],
        ),
        Node::new("IsStuck", NodeKind::Condition, "Whether the robot has stopped suddenly", vec![]),
        Node::new(
            "IsPathValid",
            NodeKind::Condition,
            "Whether a path is free",
            vec![Port::input("path").of(PATH), Port::input("server_timeout").of(MILLISECONDS)],
        ),
        Node::new(
            "TransformAvailable",
            NodeKind::Condition,
            "Whether there is a transform",
            vec![Port::input("child").of(Kind::Text), Port::input("parent").of(Kind::Text)],
        ),
        Node::new(
            "InitialPoseReceived",
            NodeKind::Condition,
            "Whether it is known where the robot was at first",
            vec![Port::input("initial_pose_received").of(Kind::Bool)],
        ),
        Node::new(
            "IsBatteryLow",
            NodeKind::Condition,
            "Whether the battery is low",
            vec![
                Port::input("min_battery").of(Kind::Double),
                Port::input("battery_topic").of(Kind::Text).or("/battery_status"),
                Port::input("is_voltage").of(Kind::Bool).or("false"),
            ],
        ),
        Node::new(
            "IsBatteryCharging",
            NodeKind::Condition,
            "Whether the battery is being charged",
            vec![Port::input("battery_topic").of(Kind::Text).or("/battery_status")],
        ),
        Node::new(
            "AreErrorCodesPresent",
            NodeKind::Condition,
            "Whether an error is one of some",
            vec![Port::input("error_code").of(CODE), Port::input("error_codes_to_check").of(CODES)],
        ),
        Node::new(
            "WouldAControllerRecoveryHelp",
            NodeKind::Condition,
            "Whether clearing may help a controller",
            vec![Port::input("error_code").of(CODE)],
        ),
        Node::new(
            "WouldAPlannerRecoveryHelp",
            NodeKind::Condition,
            "Whether clearing may help a planner",
            vec![Port::input("error_code").of(CODE)],
        ),
        Node::new(
            "WouldASmootherRecoveryHelp",
            NodeKind::Condition,
            "Whether clearing may help a smoother",
            vec![Port::input("error_code").of(CODE)],
        ),
    ]
}

/// Nodes with one child.
pub(crate) fn decorators() -> Vec<Node> {
    vec![
        Node::new(
            "DistanceController",
            NodeKind::Decorator,
            "Ticks its child each time the robot has moved so far",
            vec![
                Port::input("distance").of(Kind::Double).or("1.0"),
                Port::input("global_frame").of(Kind::Text),
                Port::input("robot_base_frame").of(Kind::Text),
            ],
        ),
        Node::new(
            "SpeedController",
            NodeKind::Decorator,
            "Ticks its child more often if the robot is faster",
            vec![
                Port::input("min_rate").of(Kind::Double).or("0.1"),
                Port::input("max_rate").of(Kind::Double).or("1.0"),
                Port::input("min_speed").of(Kind::Double).or("0.0"),
                Port::input("max_speed").of(Kind::Double).or("0.5"),
                Port::input("goals").of(POSES),
                Port::input("goal").of(POSE),
            ],
        ),
        Node::new(
            "GoalUpdatedController",
            NodeKind::Decorator,
            "Ticks its child when there is another goal",
            vec![Port::input("goals").of(POSES), Port::input("goal").of(POSE)],
        ),
        Node::new(
            "GoalUpdater",
            NodeKind::Decorator,
            "Takes a goal from a topic",
            vec![Port::input("input_goal").of(POSE), Port::output("output_goal").of(POSE)],
        ),
        Node::new(
            "PathLongerOnApproach",
            NodeKind::Decorator,
            "Ticks its child if the path has become longer near the goal",
            vec![
                Port::input("path").of(PATH),
                Port::input("prox_len").of(Kind::Double).or("3.0"),
                Port::input("length_factor").of(Kind::Double).or("2.0"),
            ],
        ),
    ]
}
