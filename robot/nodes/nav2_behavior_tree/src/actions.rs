//! Nodes that call servers.
//!
//! Source: the documentation of Nav2, <https://docs.nav2.org/configuration/packages/configuring-bt-xml.html>.

use saltus_behavior_tree::{Kind, NodeKind, Port};

use crate::{
    kinds::{CODE, DURATION, MILLISECONDS, PATH, POSE, POSES, ROUTE},
    node::Node,
};

/// Returns a node that sends a goal to an action server.
fn action<const N: usize>(id: &'static str, about: &'static str, ports: [Port; N]) -> Node {
    let server = [Port::input("server_name").of(Kind::Text), Port::input("server_timeout").of(MILLISECONDS)];
    Node::new(id, NodeKind::Action, about, server.into_iter().chain(ports).collect())
}

/// Returns a node that calls a service.
fn service<const N: usize>(id: &'static str, about: &'static str, ports: [Port; N]) -> Node {
    let server = [Port::input("service_name").of(Kind::Text), Port::input("server_timeout").of(MILLISECONDS)];
    Node::new(id, NodeKind::Action, about, server.into_iter().chain(ports).collect())
}

/// Nodes that send goals.
pub(crate) fn servers() -> Vec<Node> {
    vec![
        action(
            "ComputePathToPose",
            "Plans a path to a pose",
            [
                Port::input("goal").of(POSE),
                Port::input("start").of(POSE),
                Port::input("use_start").of(Kind::Bool),
                Port::input("planner_id").of(Kind::Text).or(""),
                Port::output("path").of(PATH),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "ComputePathThroughPoses",
            "Plans a path through poses",
            [
                Port::input("goals").of(POSES),
                Port::input("start").of(POSE),
                Port::input("planner_id").of(Kind::Text).or(""),
                Port::output("path").of(PATH),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "FollowPath",
            "Follows a path",
            [
                Port::input("path").of(PATH),
                Port::input("controller_id").of(Kind::Text).or(""),
                Port::input("goal_checker_id").of(Kind::Text).or(""),
                Port::input("progress_checker_id").of(Kind::Text).or(""),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "SmoothPath",
            "Makes a path smooth",
            [
                Port::input("unsmoothed_path").of(PATH),
                Port::input("max_smoothing_duration").of(Kind::Double).or("3.0"),
                Port::input("check_for_collisions").of(Kind::Bool).or("false"),
                Port::input("smoother_id").of(Kind::Text).or(""),
                Port::output("smoothed_path").of(PATH),
                Port::output("smoothing_duration").of(Kind::Double),
                Port::output("was_completed").of(Kind::Bool),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "Spin",
            "Turns on the spot",
            [
                Port::input("spin_dist").of(Kind::Double).or("1.57"),
                Port::input("time_allowance").of(Kind::Double).or("10.0"),
                Port::input("is_recovery").of(Kind::Bool).or("true"),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "BackUp",
            "Drives back",
            [
                Port::input("backup_dist").of(Kind::Double).or("0.15"),
                Port::input("backup_speed").of(Kind::Double).or("0.025"),
                Port::input("time_allowance").of(Kind::Double).or("10.0"),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "DriveOnHeading",
            "Drives straight on",
            [
                Port::input("dist_to_travel").of(Kind::Double).or("0.15"),
                Port::input("speed").of(Kind::Double).or("0.025"),
                Port::input("time_allowance").of(Kind::Double).or("10.0"),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action("Wait", "Waits", [Port::input("wait_duration").of(Kind::Double).or("1.0")]),
        action(
            "AssistedTeleop",
            "Lets a person drive, but not into obstacles",
            [
                Port::input("time_allowance").of(Kind::Double).or("10.0"),
                Port::input("is_recovery").of(Kind::Bool).or("false"),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "NavigateToPose",
            "Navigates to a pose",
            [
                Port::input("goal").of(POSE),
                Port::input("behavior_tree").of(Kind::Text),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "NavigateThroughPoses",
            "Navigates through poses",
            [
                Port::input("goals").of(POSES),
                Port::input("behavior_tree").of(Kind::Text),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "ComputeRoute",
            "Plans a route in a graph",
            [
                Port::input("start_id").of(Kind::Integer),
                Port::input("goal_id").of(Kind::Integer),
                Port::input("start").of(POSE),
                Port::input("goal").of(POSE),
                Port::input("use_start").of(Kind::Bool).or("false"),
                Port::input("use_poses").of(Kind::Bool).or("false"),
                Port::output("route").of(ROUTE),
                Port::output("planning_time").of(DURATION),
                Port::output("path").of(PATH),
                Port::output("error_code_id").of(CODE),
            ],
        ),
        action(
            "ComputeAndTrackRoute",
            "Plans a route in a graph, and tracks it",
            [
                Port::input("start_id").of(Kind::Integer),
                Port::input("goal_id").of(Kind::Integer),
                Port::input("start").of(POSE),
                Port::input("goal").of(POSE),
                Port::input("use_start").of(Kind::Bool).or("false"),
                Port::input("use_poses").of(Kind::Bool).or("false"),
                Port::output("execution_duration").of(DURATION),
                Port::output("last_node_id").of(Kind::Integer),
                Port::output("next_node_id").of(Kind::Integer),
                Port::output("current_edge_id").of(Kind::Integer),
                Port::output("route").of(ROUTE),
                Port::output("path").of(PATH),
                Port::output("rerouted").of(Kind::Bool),
                Port::output("error_code_id").of(CODE),
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
            [Port::input("reset_distance").of(Kind::Double).or("1.0")],
        ),
        service(
            "ClearCostmapAroundRobot",
            "Clears a square around the robot in a costmap",
            [Port::input("reset_distance").of(Kind::Double).or("1.0")],
        ),
        service(
            "ClearCostmapAroundPose",
            "Clears a square around a pose in a costmap",
            [Port::input("pose").of(POSE), Port::input("reset_distance").of(Kind::Double).or("1.0")],
        ),
        service("ReinitializeGlobalLocalization", "Lets the robot be anywhere", []),
    ]
}
