//! The settings of the controller.

/// The settings of the controller: lengths in metres, angles in radians, and times in seconds. The names are those of the parameters of
/// `nav2_regulated_pure_pursuit_controller`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PursuitSettings {
    /// The speed of the robot if nothing slows it down, in m/s.
    pub desired_linear_vel: f64,
    /// The distance of the lookahead point.
    pub lookahead_dist: f64,
    /// The smallest distance of the lookahead point, if it depends on the velocity.
    pub min_lookahead_dist: f64,
    /// The largest distance of the lookahead point, if it depends on the velocity.
    pub max_lookahead_dist: f64,
    /// The time that the robot needs to the lookahead point, if its distance depends on the velocity.
    pub lookahead_time: f64,
    /// The velocity of turns on the spot, in rad/s.
    pub rotate_to_heading_angular_vel: f64,
    /// Whether the distance of the lookahead point depends on the velocity.
    pub use_velocity_scaled_lookahead_dist: bool,
    /// The lowest speed near the goal, in m/s.
    pub min_approach_linear_velocity: f64,
    /// The distance to the goal below which the robot slows down.
    pub approach_velocity_scaling_dist: f64,
    /// The time for which the way ahead must be free of obstacles.
    pub max_allowed_time_to_collision_up_to_carrot: f64,
    /// Whether the robot slows down in curves.
    pub use_regulated_linear_velocity_scaling: bool,
    /// Whether the robot slows down near obstacles.
    pub use_cost_regulated_linear_velocity_scaling: bool,
    /// The distance to an obstacle below which the robot slows down.
    pub cost_scaling_dist: f64,
    /// The factor of the speed near obstacles. A lower one is slower.
    pub cost_scaling_gain: f64,
    /// The decay rate of the costs in the costmap, in 1/m.
    pub inflation_cost_scaling_factor: f64,
    /// The radius of a curve below which the robot slows down.
    pub regulated_linear_scaling_min_radius: f64,
    /// The lowest speed in curves and near obstacles, in m/s.
    pub regulated_linear_scaling_min_speed: f64,
    /// Whether the curvature is that of the arc to a second point at the distance `curvature_lookahead_dist`.
    pub use_fixed_curvature_lookahead: bool,
    /// The distance of the second point.
    pub curvature_lookahead_dist: f64,
    /// Whether the robot turns on the spot toward the path, and to the heading of the goal.
    pub use_rotate_to_heading: bool,
    /// The angle to the path above which the robot turns on the spot.
    pub rotate_to_heading_min_angle: f64,
    /// The highest angular acceleration, in rad/s².
    pub max_angular_accel: f64,
    /// Whether the robot slows down when its goal is canceled. Otherwise it stops at once.
    pub use_cancel_deceleration: bool,
    /// The deceleration after a goal was canceled, in m/s².
    pub cancel_deceleration: f64,
    /// Whether the robot may drive backward where the path leads backward.
    pub allow_reversing: bool,
    /// The length of the part of the path in which the nearest pose to the robot is searched; the whole path if it is negative or
    /// infinite.
    pub max_robot_pose_search_dist: f64,
    /// Whether obstacles on the way ahead stop the robot.
    pub use_collision_detection: bool,
    /// Whether the robot only turns once it has been near enough to the goal.
    pub stateful: bool,
    /// The frequency of the control cycles, in Hz.
    pub controller_frequency: f64,
}

impl Default for PursuitSettings {
    fn default() -> Self {
        Self {
            desired_linear_vel: 0.5,
            lookahead_dist: 0.6,
            min_lookahead_dist: 0.3,
            max_lookahead_dist: 0.9,
            lookahead_time: 1.5,
            rotate_to_heading_angular_vel: 1.8,
            use_velocity_scaled_lookahead_dist: false,
            min_approach_linear_velocity: 0.05,
            approach_velocity_scaling_dist: 0.6,
            max_allowed_time_to_collision_up_to_carrot: 1.0,
            use_regulated_linear_velocity_scaling: true,
            use_cost_regulated_linear_velocity_scaling: true,
            cost_scaling_dist: 0.6,
            cost_scaling_gain: 1.0,
            inflation_cost_scaling_factor: 3.0,
            regulated_linear_scaling_min_radius: 0.9,
            regulated_linear_scaling_min_speed: 0.25,
            use_fixed_curvature_lookahead: false,
            curvature_lookahead_dist: 0.6,
            use_rotate_to_heading: true,
            rotate_to_heading_min_angle: 0.785,
            max_angular_accel: 3.2,
            use_cancel_deceleration: false,
            cancel_deceleration: 3.2,
            allow_reversing: false,
            max_robot_pose_search_dist: f64::INFINITY,
            use_collision_detection: true,
            stateful: true,
            controller_frequency: 20.0,
        }
    }
}
