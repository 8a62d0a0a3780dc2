//! The ports of the nodes. Each is declared here once: a node lists it, and its behavior reads or writes it.
//!
//! Source: the documentation of Nav2, <https://docs.nav2.org/configuration/packages/configuring-bt-xml.html>.

use saltus_behavior_tree::{Kind, Port};

use crate::kinds;

/// The ports of a node that selects a plugin by a topic.
#[derive(Clone, Copy, Debug)]
pub struct SelectorPorts {
    /// The plugin until the topic names one.
    pub default: Port,
    /// The topic.
    pub topic: Port,
    /// The selected plugin.
    pub selected: Port,
}

/// Returns the ports of a selector.
const fn selector(default: &'static str, topic: &'static str, selected: &'static str) -> SelectorPorts {
    SelectorPorts {
        default: Port::input(default).of(Kind::Text),
        topic: Port::input("topic_name").of(Kind::Text).or(topic),
        selected: Port::output(selected).of(Kind::Text),
    }
}

/// The ports of the selector of the planner.
pub const PLANNER_SELECTOR: SelectorPorts =
    selector("default_planner", "planner_selector", "selected_planner");
/// The ports of the selector of the controller.
pub const CONTROLLER_SELECTOR: SelectorPorts =
    selector("default_controller", "controller_selector", "selected_controller");
/// The ports of the selector of the smoother.
pub const SMOOTHER_SELECTOR: SelectorPorts =
    selector("default_smoother", "smoother_selector", "selected_smoother");
/// The ports of the selector of the goal checker.
pub const GOAL_CHECKER_SELECTOR: SelectorPorts =
    selector("default_goal_checker", "goal_checker_selector", "selected_goal_checker");
/// The ports of the selector of the progress checker.
pub const PROGRESS_CHECKER_SELECTOR: SelectorPorts =
    selector("default_progress_checker", "progress_checker_selector", "selected_progress_checker");

/// The name of the action, if it is not the default one.
pub const SERVER_NAME: Port = Port::input("server_name").of(Kind::Text);
/// The longest time to wait for the answer of a server, in ms.
pub const SERVER_TIMEOUT: Port = Port::input("server_timeout").of(kinds::MILLISECONDS);
/// The name of the service.
pub const SERVICE_NAME: Port = Port::input("service_name").of(Kind::Text);
/// The goal.
pub const GOAL: Port = Port::input("goal").of(kinds::POSE);
/// The goals, in order.
pub const GOALS: Port = Port::input("goals").of(kinds::POSES);
/// The start of a path or a route. Without it, the start is the pose of the robot.
pub const START: Port = Port::input("start").of(kinds::POSE);
/// Whether the start is used. Without a value, it is used if it is there.
pub const USE_START: Port = Port::input("use_start").of(Kind::Bool);
/// Whether the start of a route is used.
pub const USE_ROUTE_START: Port = Port::input("use_start").of(Kind::Bool).or("false");
/// The name of the planner. An empty name is the only planner.
pub const PLANNER_ID: Port = Port::input("planner_id").of(Kind::Text).or("");
/// The path.
pub const PATH: Port = Port::input("path").of(kinds::PATH);
/// The path that was planned.
pub const NEW_PATH: Port = Port::output("path").of(kinds::PATH);
/// The code of the error of an action; 0 without an error.
pub const ERROR_CODE_ID: Port = Port::output("error_code_id").of(kinds::CODE);
/// The name of the controller. An empty name is the only controller.
pub const CONTROLLER_ID: Port = Port::input("controller_id").of(Kind::Text).or("");
/// The name of the goal checker. An empty name is the only goal checker.
pub const GOAL_CHECKER_ID: Port = Port::input("goal_checker_id").of(Kind::Text).or("");
/// The name of the progress checker. An empty name is the only progress checker.
pub const PROGRESS_CHECKER_ID: Port = Port::input("progress_checker_id").of(Kind::Text).or("");
/// The path to make smooth.
pub const UNSMOOTHED_PATH: Port = Port::input("unsmoothed_path").of(kinds::PATH);
/// The longest time for making the path smooth, in seconds.
pub const MAX_SMOOTHING_DURATION: Port = Port::input("max_smoothing_duration").of(Kind::Double).or("3.0");
/// Whether the smooth path is checked for collisions.
pub const CHECK_FOR_COLLISIONS: Port = Port::input("check_for_collisions").of(Kind::Bool).or("false");
/// The name of the smoother. An empty name is the only smoother.
pub const SMOOTHER_ID: Port = Port::input("smoother_id").of(Kind::Text).or("");
/// The smooth path.
pub const SMOOTHED_PATH: Port = Port::output("smoothed_path").of(kinds::PATH);
/// The time that making the path smooth took, in seconds.
pub const SMOOTHING_DURATION: Port = Port::output("smoothing_duration").of(Kind::Double);
/// Whether the smoothing was completed.
pub const WAS_COMPLETED: Port = Port::output("was_completed").of(Kind::Bool);
/// The angle of the turn, in rad.
pub const SPIN_DIST: Port = Port::input("spin_dist").of(Kind::Double).or("1.57");
/// The longest time for a behavior, in seconds.
pub const TIME_ALLOWANCE: Port = Port::input("time_allowance").of(Kind::Double).or("10.0");
/// Whether a turn counts as a recovery.
pub const SPIN_IS_RECOVERY: Port = Port::input("is_recovery").of(Kind::Bool).or("true");
/// Whether teleoperation counts as a recovery.
pub const TELEOP_IS_RECOVERY: Port = Port::input("is_recovery").of(Kind::Bool).or("false");
/// The distance to drive back, in metres.
pub const BACKUP_DIST: Port = Port::input("backup_dist").of(Kind::Double).or("0.15");
/// The speed of driving back, in m/s.
pub const BACKUP_SPEED: Port = Port::input("backup_speed").of(Kind::Double).or("0.025");
/// The distance to drive straight on, in metres.
pub const DIST_TO_TRAVEL: Port = Port::input("dist_to_travel").of(Kind::Double).or("0.15");
/// The speed of driving straight on, in m/s.
pub const SPEED: Port = Port::input("speed").of(Kind::Double).or("0.025");
/// The time to wait, in seconds.
pub const WAIT_DURATION: Port = Port::input("wait_duration").of(Kind::Double).or("1.0");
/// The file with the tree of a goal. Without it, the navigator uses its default tree.
pub const BEHAVIOR_TREE: Port = Port::input("behavior_tree").of(Kind::Text);
/// The number of the graph's node at the start of a route.
pub const START_ID: Port = Port::input("start_id").of(Kind::Integer);
/// The number of the graph's node at the end of a route.
pub const GOAL_ID: Port = Port::input("goal_id").of(Kind::Integer);
/// Whether the start and the goal of a route are poses.
pub const USE_POSES: Port = Port::input("use_poses").of(Kind::Bool).or("false");
/// The route that was planned.
pub const ROUTE: Port = Port::output("route").of(kinds::ROUTE);
/// The time that the planning took.
pub const PLANNING_TIME: Port = Port::output("planning_time").of(kinds::DURATION);
/// The time that tracking a route took.
pub const EXECUTION_DURATION: Port = Port::output("execution_duration").of(kinds::DURATION);
/// The number of the graph's node that the robot passed last.
pub const LAST_NODE_ID: Port = Port::output("last_node_id").of(Kind::Integer);
/// The number of the graph's node that the robot drives to.
pub const NEXT_NODE_ID: Port = Port::output("next_node_id").of(Kind::Integer);
/// The number of the graph's edge on which the robot is.
pub const CURRENT_EDGE_ID: Port = Port::output("current_edge_id").of(Kind::Integer);
/// Whether the route was planned anew.
pub const REROUTED: Port = Port::output("rerouted").of(Kind::Bool);
/// The side of a square to clear, in metres.
pub const RESET_DISTANCE: Port = Port::input("reset_distance").of(Kind::Double).or("1.0");
/// A pose.
pub const POSE: Port = Port::input("pose").of(kinds::POSE);
/// The pose that was taken from a path.
pub const POSE_OF_PATH: Port = Port::output("pose").of(kinds::POSE);
/// The frame of poses. Without it, it is that of the navigator.
pub const GLOBAL_FRAME: Port = Port::input("global_frame").of(Kind::Text);
/// The frame of the robot. Without it, it is that of the navigator.
pub const ROBOT_BASE_FRAME: Port = Port::input("robot_base_frame").of(Kind::Text);
/// The pose of the robot.
pub const CURRENT_POSE: Port = Port::output("current_pose").of(kinds::POSE);
/// The index of a pose in a path. A negative index counts from the end.
pub const INDEX: Port = Port::input("index").of(Kind::Integer).or("0");
/// The first of two paths.
pub const INPUT_PATH1: Port = Port::input("input_path1").of(kinds::PATH);
/// The second of two paths.
pub const INPUT_PATH2: Port = Port::input("input_path2").of(kinds::PATH);
/// The path that was computed from other paths.
pub const OUTPUT_PATH: Port = Port::output("output_path").of(kinds::PATH);
/// The goals, of which the passed ones are removed.
pub const INPUT_GOALS: Port = Port::input("input_goals").of(kinds::POSES);
/// The distance to a goal at which it is passed, in metres.
pub const RADIUS: Port = Port::input("radius").of(Kind::Double).or("0.5");
/// The goals that are left.
pub const OUTPUT_GOALS: Port = Port::output("output_goals").of(kinds::POSES);
/// The path to shorten.
pub const INPUT_PATH: Port = Port::input("input_path").of(kinds::PATH);
/// A distance, in metres.
pub const DISTANCE: Port = Port::input("distance").of(Kind::Double).or("1.0");
/// The length of the path ahead of the robot, in metres.
pub const DISTANCE_FORWARD: Port = Port::input("distance_forward").of(Kind::Double).or("8.0");
/// The length of the path behind the robot, in metres.
pub const DISTANCE_BACKWARD: Port = Port::input("distance_backward").of(Kind::Double).or("4.0");
/// The frame of the robot.
pub const ROBOT_FRAME: Port = Port::input("robot_frame").of(Kind::Text).or("base_link");
/// The largest age of a transform, in seconds.
pub const TRANSFORM_TOLERANCE: Port = Port::input("transform_tolerance").of(Kind::Double).or("0.2");
/// The weight of an angle in rad against a distance in metres.
pub const ANGULAR_DISTANCE_WEIGHT: Port = Port::input("angular_distance_weight").of(Kind::Double).or("0.0");
/// The longest way along a path on which the robot is searched, in metres.
pub const MAX_ROBOT_POSE_SEARCH_DIST: Port =
    Port::input("max_robot_pose_search_dist").of(Kind::Double).or("inf");
/// The first of two poses.
pub const REF_POSE: Port = Port::input("ref_pose").of(kinds::POSE);
/// The second of two poses.
pub const TARGET_POSE: Port = Port::input("target_pose").of(kinds::POSE);
/// The distance at which two poses are near each other, in metres.
pub const TOLERANCE: Port = Port::input("tolerance").of(Kind::Double).or("0.5");
/// A time, in seconds.
pub const SECONDS: Port = Port::input("seconds").of(Kind::Double).or("1.0");
/// The child frame of a transform.
pub const CHILD: Port = Port::input("child").of(Kind::Text);
/// The parent frame of a transform.
pub const PARENT: Port = Port::input("parent").of(Kind::Text);
/// Whether the initial pose of the robot is known.
pub const INITIAL_POSE_RECEIVED: Port = Port::input("initial_pose_received").of(Kind::Bool);
/// The charge, or the voltage in V, at or below which the battery is low.
pub const MIN_BATTERY: Port = Port::input("min_battery").of(Kind::Double);
/// The topic with the state of the battery.
pub const BATTERY_TOPIC: Port = Port::input("battery_topic").of(Kind::Text).or("/battery_status");
/// Whether the limit of the battery is a voltage.
pub const IS_VOLTAGE: Port = Port::input("is_voltage").of(Kind::Bool).or("false");
/// The code of an error.
pub const ERROR_CODE: Port = Port::input("error_code").of(kinds::CODE);
/// The codes of errors to look for.
pub const ERROR_CODES_TO_CHECK: Port = Port::input("error_codes_to_check").of(kinds::CODES);
/// The rate of ticks at the lowest speed, in Hz.
pub const MIN_RATE: Port = Port::input("min_rate").of(Kind::Double).or("0.1");
/// The rate of ticks at the highest speed, in Hz.
pub const MAX_RATE: Port = Port::input("max_rate").of(Kind::Double).or("1.0");
/// The lowest speed, in m/s.
pub const MIN_SPEED: Port = Port::input("min_speed").of(Kind::Double).or("0.0");
/// The highest speed, in m/s.
pub const MAX_SPEED: Port = Port::input("max_speed").of(Kind::Double).or("0.5");
/// The goal that a newer one of a topic replaces.
pub const INPUT_GOAL: Port = Port::input("input_goal").of(kinds::POSE);
/// The goal, or the newer one of the topic.
pub const OUTPUT_GOAL: Port = Port::output("output_goal").of(kinds::POSE);
/// The length of the old path below which the robot is near the goal, in metres.
pub const PROX_LEN: Port = Port::input("prox_len").of(Kind::Double).or("3.0");
/// The factor by which the new path must be longer than the old one.
pub const LENGTH_FACTOR: Port = Port::input("length_factor").of(Kind::Double).or("2.0");
