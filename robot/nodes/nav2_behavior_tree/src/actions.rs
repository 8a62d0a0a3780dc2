//! Nodes that call servers.
//!
//! Source: the documentation of Nav2, <https://docs.nav2.org/configuration/packages/configuring-bt-xml.html>.

use saltus_behavior_tree::{NodeKind, Port};

use crate::{node::Node, ports};

/// Returns the description of a node that sends a goal to an action server.
fn action<const N: usize>(id: &'static str, about: &'static str, ports: [Port; N]) -> Node {
    let server = [ports::SERVER_NAME, ports::SERVER_TIMEOUT];
    Node::new(id, NodeKind::Action, about, server.into_iter().chain(ports).collect())
}

/// Returns the description of a node that calls a service.
fn service<const N: usize>(id: &'static str, about: &'static str, ports: [Port; N]) -> Node {
    let server = [ports::SERVICE_NAME, ports::SERVER_TIMEOUT];
    Node::new(id, NodeKind::Action, about, server.into_iter().chain(ports).collect())
}

/// Nodes that send goals.
pub(crate) fn servers() -> Vec<Node> {
    vec![
        action(
            "ComputePathToPose",
            "Plans a path to a pose",
            [
                ports::GOAL,
                ports::START,
                ports::USE_START,
                ports::PLANNER_ID,
                ports::NEW_PATH,
                ports::ERROR_CODE_ID,
            ],
        ),
        action(
            "ComputePathThroughPoses",
            "Plans a path through poses",
            [ports::GOALS, ports::START, ports::PLANNER_ID, ports::NEW_PATH, ports::ERROR_CODE_ID],
        ),
        action(
            "FollowPath",
            "Follows a path",
            [
                ports::PATH,
                ports::CONTROLLER_ID,
                ports::GOAL_CHECKER_ID,
                ports::PROGRESS_CHECKER_ID,
                ports::ERROR_CODE_ID,
            ],
        ),
        action(
            "SmoothPath",
            "Makes a path smooth",
            [
                ports::UNSMOOTHED_PATH,
                ports::MAX_SMOOTHING_DURATION,
                ports::CHECK_FOR_COLLISIONS,
                ports::SMOOTHER_ID,
                ports::SMOOTHED_PATH,
                ports::SMOOTHING_DURATION,
                ports::WAS_COMPLETED,
                ports::ERROR_CODE_ID,
            ],
        ),
        action(
            "Spin",
            "Turns on the spot",
            [ports::SPIN_DIST, ports::TIME_ALLOWANCE, ports::SPIN_IS_RECOVERY, ports::ERROR_CODE_ID],
        ),
        action(
            "BackUp",
            "Drives back",
            [ports::BACKUP_DIST, ports::BACKUP_SPEED, ports::TIME_ALLOWANCE, ports::ERROR_CODE_ID],
        ),
        action(
            "DriveOnHeading",
            "Drives straight on",
            [ports::DIST_TO_TRAVEL, ports::SPEED, ports::TIME_ALLOWANCE, ports::ERROR_CODE_ID],
        ),
        action("Wait", "Waits", [ports::WAIT_DURATION]),
        action(
            "AssistedTeleop",
            "Lets a person drive, but not into obstacles",
            [ports::TIME_ALLOWANCE, ports::TELEOP_IS_RECOVERY, ports::ERROR_CODE_ID],
        ),
        action(
            "NavigateToPose",
            "Navigates to a pose",
            [ports::GOAL, ports::BEHAVIOR_TREE, ports::ERROR_CODE_ID],
        ),
        action(
            "NavigateThroughPoses",
            "Navigates through poses",
            [ports::GOALS, ports::BEHAVIOR_TREE, ports::ERROR_CODE_ID],
        ),
        action(
            "ComputeRoute",
            "Plans a route in a graph",
            [
                ports::START_ID,
                ports::GOAL_ID,
                ports::START,
                ports::GOAL,
                ports::USE_ROUTE_START,
                ports::USE_POSES,
                ports::ROUTE,
                ports::PLANNING_TIME,
                ports::NEW_PATH,
                ports::ERROR_CODE_ID,
            ],
        ),
        action(
            "ComputeAndTrackRoute",
            "Plans a route in a graph, and tracks it",
            [
                ports::START_ID,
                ports::GOAL_ID,
                ports::START,
                ports::GOAL,
                ports::USE_ROUTE_START,
                ports::USE_POSES,
                ports::EXECUTION_DURATION,
                ports::LAST_NODE_ID,
                ports::NEXT_NODE_ID,
                ports::CURRENT_EDGE_ID,
                ports::ROUTE,
                ports::NEW_PATH,
                ports::REROUTED,
                ports::ERROR_CODE_ID,
            ],
        ),
    ]
}

/// Nodes that cancel goals.
pub(crate) fn stops() -> Vec<Node> {
    vec![
        action("CancelControl", "Stops the controller", []),
        action("CancelSpin", "Stops to turn", []),
        action("CancelWait", "Stops to wait", []),
        action("CancelBackUp", "Stops to drive back", []),
        action("CancelDriveOnHeading", "Stops to drive straight on", []),
        action("CancelAssistedTeleop", "Stops teleoperation", []),
        action("CancelComputeAndTrackRoute", "Stops to track a route", []),
    ]
}

/// Nodes that call services.
pub(crate) fn services() -> Vec<Node> {
    vec![
        service("ClearEntireCostmap", "Clears a costmap", []),
        service(
            "ClearCostmapExceptRegion",
            "Clears a costmap but for a square around the robot",
            [ports::RESET_DISTANCE],
        ),
        service(
            "ClearCostmapAroundRobot",
            "Clears a square around the robot in a costmap",
            [ports::RESET_DISTANCE],
        ),
        service(
            "ClearCostmapAroundPose",
            "Clears a square around a pose in a costmap",
            [ports::POSE, ports::RESET_DISTANCE],
        ),
        service("ReinitializeGlobalLocalization", "Lets the robot be anywhere", []),
    ]
}
