//! The trees.

/// The trees that navigation uses, and their names. The first one is the default for a pose, and the second one for several.
pub const TREES: [(&str, &str); 13] = [
    (
        "navigate_to_pose_w_replanning_and_recovery",
        include_str!("../trees/navigate_to_pose_w_replanning_and_recovery.xml"),
    ),
    (
        "navigate_through_poses_w_replanning_and_recovery",
        include_str!("../trees/navigate_through_poses_w_replanning_and_recovery.xml"),
    ),
    (
        "navigate_to_pose_w_replanning_goal_patience_and_recovery",
        include_str!("../trees/navigate_to_pose_w_replanning_goal_patience_and_recovery.xml"),
    ),
    (
        "nav_to_pose_with_consistent_replanning_and_if_path_becomes_invalid",
        include_str!("../trees/nav_to_pose_with_consistent_replanning_and_if_path_becomes_invalid.xml"),
    ),
    (
        "navigate_w_recovery_and_replanning_only_if_path_becomes_invalid",
        include_str!("../trees/navigate_w_recovery_and_replanning_only_if_path_becomes_invalid.xml"),
    ),
    (
        "navigate_w_replanning_only_if_path_becomes_invalid",
        include_str!("../trees/navigate_w_replanning_only_if_path_becomes_invalid.xml"),
    ),
    ("navigate_w_replanning_time", include_str!("../trees/navigate_w_replanning_time.xml")),
    ("navigate_w_replanning_distance", include_str!("../trees/navigate_w_replanning_distance.xml")),
    ("navigate_w_replanning_speed", include_str!("../trees/navigate_w_replanning_speed.xml")),
    (
        "navigate_w_replanning_only_if_goal_is_updated",
        include_str!("../trees/navigate_w_replanning_only_if_goal_is_updated.xml"),
    ),
    ("follow_point", include_str!("../trees/follow_point.xml")),
    ("odometry_calibration", include_str!("../trees/odometry_calibration.xml")),
    (
        "navigate_w_replanning_and_recovery_2022",
        include_str!("../trees/navigate_w_replanning_and_recovery_2022.xml"),
    ),
];
