//! Nodes that read values and topics.
//!
//! Source: the documentation of Nav2, <https://docs.nav2.org/configuration/packages/configuring-bt-xml.html>.

use saltus_behavior_tree::NodeKind;

use crate::{
    node::Node,
    ports::{self, SelectorPorts},
};

/// Nodes that compute values.
pub(crate) fn values() -> Vec<Node> {
    vec![
        Node::new(
            "GetCurrentPose",
            NodeKind::Action,
            "Returns where the robot is",
            vec![ports::GLOBAL_FRAME, ports::ROBOT_BASE_FRAME, ports::CURRENT_POSE],
        ),
        Node::new(
            "GetPoseFromPath",
            NodeKind::Action,
            "Returns a pose of a path",
            vec![ports::PATH, ports::INDEX, ports::POSE_OF_PATH],
        ),
        Node::new(
            "ConcatenatePaths",
            NodeKind::Action,
            "Joins two paths",
            vec![ports::INPUT_PATH1, ports::INPUT_PATH2, ports::OUTPUT_PATH],
        ),
        Node::new(
            "RemovePassedGoals",
            NodeKind::Action,
            "Removes goals that the robot has passed",
            vec![
                ports::INPUT_GOALS,
                ports::RADIUS,
                ports::GLOBAL_FRAME,
                ports::ROBOT_BASE_FRAME,
                ports::OUTPUT_GOALS,
            ],
        ),
        Node::new(
            "TruncatePath",
            NodeKind::Action,
            "Leaves out the end of a path",
            vec![ports::INPUT_PATH, ports::DISTANCE, ports::OUTPUT_PATH],
        ),
        Node::new(
            "TruncatePathLocal",
            NodeKind::Action,
            "Returns the part of a path near the robot",
            vec![
                ports::INPUT_PATH,
                ports::DISTANCE_FORWARD,
                ports::DISTANCE_BACKWARD,
                ports::ROBOT_FRAME,
                ports::TRANSFORM_TOLERANCE,
                ports::POSE,
                ports::ANGULAR_DISTANCE_WEIGHT,
                ports::MAX_ROBOT_POSE_SEARCH_DIST,
                ports::OUTPUT_PATH,
            ],
        ),
    ]
}

/// Nodes that choose by a topic.
pub(crate) fn selectors() -> Vec<Node> {
    let selector = |id, about, ports: SelectorPorts| {
        Node::new(id, NodeKind::Action, about, vec![ports.default, ports.topic, ports.selected])
    };
    vec![
        selector("PlannerSelector", "Returns the planner that a topic names", ports::PLANNER_SELECTOR),
        selector(
            "ControllerSelector",
            "Returns the controller that a topic names",
            ports::CONTROLLER_SELECTOR,
        ),
        selector("SmootherSelector", "Returns the smoother that a topic names", ports::SMOOTHER_SELECTOR),
        selector(
            "GoalCheckerSelector",
            "Returns the goal checker that a topic names",
            ports::GOAL_CHECKER_SELECTOR,
        ),
        selector(
            "ProgressCheckerSelector",
            "Returns the progress checker that a topic names",
            ports::PROGRESS_CHECKER_SELECTOR,
        ),
    ]
}

/// Nodes that check a condition.
pub(crate) fn conditions() -> Vec<Node> {
    vec![
        Node::new(
            "GoalUpdated",
            NodeKind::Condition,
            "Whether there is another goal",
            vec![ports::GOALS, ports::GOAL],
        ),
        Node::new(
            "GlobalUpdatedGoal",
            NodeKind::Condition,
            "Whether there is another goal, or there was none",
            vec![ports::GOALS, ports::GOAL],
        ),
        Node::new(
            "GoalReached",
            NodeKind::Condition,
            "Whether the robot is at the goal",
            vec![ports::GOAL, ports::GLOBAL_FRAME, ports::ROBOT_BASE_FRAME],
        ),
        Node::new(
            "ArePosesNear",
            NodeKind::Condition,
            "Whether two poses are near each other",
            vec![ports::REF_POSE, ports::TARGET_POSE, ports::GLOBAL_FRAME, ports::TOLERANCE],
        ),
        Node::new(
            "DistanceTraveled",
            NodeKind::Condition,
            "Whether the robot has moved so far",
            vec![ports::DISTANCE, ports::GLOBAL_FRAME, ports::ROBOT_BASE_FRAME],
        ),
        Node::new("TimeExpired", NodeKind::Condition, "Whether a time is over", vec![ports::SECONDS]),
        Node::new(
            "PathExpiringTimer",
            NodeKind::Condition,
            "Whether a path is so old",
            vec![ports::SECONDS, ports::PATH],
        ),
        Node::new("IsStuck", NodeKind::Condition, "Whether the robot has stopped suddenly", vec![]),
        Node::new(
            "IsPathValid",
            NodeKind::Condition,
            "Whether a path is free",
            vec![ports::PATH, ports::SERVER_TIMEOUT],
        ),
        Node::new(
            "TransformAvailable",
            NodeKind::Condition,
            "Whether there is a transform",
            vec![ports::CHILD, ports::PARENT],
        ),
        Node::new(
            "InitialPoseReceived",
            NodeKind::Condition,
            "Whether it is known where the robot was at first",
            vec![ports::INITIAL_POSE_RECEIVED],
        ),
        Node::new(
            "IsBatteryLow",
            NodeKind::Condition,
            "Whether the battery is low",
            vec![ports::MIN_BATTERY, ports::BATTERY_TOPIC, ports::IS_VOLTAGE],
        ),
        Node::new(
            "IsBatteryCharging",
            NodeKind::Condition,
            "Whether the battery is being charged",
            vec![ports::BATTERY_TOPIC],
        ),
        Node::new(
            "AreErrorCodesPresent",
            NodeKind::Condition,
            "Whether an error is one of some",
            vec![ports::ERROR_CODE, ports::ERROR_CODES_TO_CHECK],
        ),
        Node::new(
            "WouldAControllerRecoveryHelp",
            NodeKind::Condition,
            "Whether clearing may help a controller",
            vec![ports::ERROR_CODE],
        ),
        Node::new(
            "WouldAPlannerRecoveryHelp",
            NodeKind::Condition,
            "Whether clearing may help a planner",
            vec![ports::ERROR_CODE],
        ),
        Node::new(
            "WouldASmootherRecoveryHelp",
            NodeKind::Condition,
            "Whether clearing may help a smoother",
            vec![ports::ERROR_CODE],
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
            vec![ports::DISTANCE, ports::GLOBAL_FRAME, ports::ROBOT_BASE_FRAME],
        ),
        Node::new(
            "SpeedController",
            NodeKind::Decorator,
            "Ticks its child more often if the robot is faster",
            vec![
                ports::MIN_RATE,
                ports::MAX_RATE,
                ports::MIN_SPEED,
                ports::MAX_SPEED,
                ports::GOALS,
                ports::GOAL,
            ],
        ),
        Node::new(
            "GoalUpdatedController",
            NodeKind::Decorator,
            "Ticks its child when there is another goal",
            vec![ports::GOALS, ports::GOAL],
        ),
        Node::new(
            "GoalUpdater",
            NodeKind::Decorator,
            "Takes a goal from a topic",
            vec![ports::INPUT_GOAL, ports::OUTPUT_GOAL],
        ),
        Node::new(
            "PathLongerOnApproach",
            NodeKind::Decorator,
            "Ticks its child if the path has become longer near the goal",
            vec![ports::PATH, ports::PROX_LEN, ports::LENGTH_FACTOR],
        ),
    ]
}
