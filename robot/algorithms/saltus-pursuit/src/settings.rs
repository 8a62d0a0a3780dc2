//! What the controller depends on.

/// What the controller depends on: lengths in metres, angles in radians, times in seconds. Its fields have the names of the
/// parameters of Nav2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PursuitSettings {
    /// How fast the robot drives if nothing slows it down.
    pub desired_linear_vel: f64,
    /// How far ahead the point is.
    pub lookahead_dist: f64,
    /// The least distance of the point, if it depends on the velocity.
    pub min_lookahead_dist: f64,
    /// The largest distance of the point, if it depends on the velocity.
    pub max_lookahead_dist: f64,
    /// How long the robot needs to the point, if its distance depends on the velocity.
    pub lookahead_time: f64,
    /// How fast the robot turns on the spot.
    pub rotate_to_heading_angular_vel: f64,
    /// Whether the distance of the point depends on the velocity.
    pub use_velocity_scaled_lookahead_dist: bool,
    /// The least speed near the goal.
    pub min_approach_linear_velocity: f64,
    /// From this distance to the goal on, the robot slows down.
    pub approach_velocity_scaling_dist: f64,
    /// How long the way ahead must be free.
    pub max_allowed_time_to_collision_up_to_carrot: f64,
    /// Whether the robot is slower in curves.
    pub use_regulated_linear_velocity_scaling: bool,
    /// Whether the robot is slower near obstacles.
    pub use_cost_regulated_linear_velocity_scaling: bool,
    /// From this distance to an obstacle on, the robot is slower.
    pub cost_scaling_dist: f64,
    /// By how much it is slower: less is slower.
    pub cost_scaling_gain: f64,
    /// How fast costs fall in the costmap, in 1/m.
    pub inflation_cost_scaling_factor: f64,
    /// In curves with a smaller radius, the robot is slower.
    pub regulated_linear_scaling_min_radius: f64,
    /// The least speed in curves and near obstacles.
    pub regulated_linear_scaling_min_speed: f64,
    /// Whether the curve is that to a point with a distance of its own.
    pub use_fixed_curvature_lookahead: bool,
    /// The distance of that point.
    pub curvature_lookahead_dist: f64,
    /// Whether the robot turns on the spot to the path and to the heading of the goal.
    pub use_rotate_to_heading: bool,
    /// From this angle on, it turns to the path on the spot.
    pub rotate_to_heading_min_angle: f64,
    /// How fast the turning changes, in rad/s².
    pub max_angular_accel: f64,
    /// Whether the robot slows down when its goal is canceled, and does not stop at once.
    pub use_cancel_deceleration: bool,
    /// How fast it slows down then, in m/s².
    pub cancel_deceleration: f64,
    /// Whether the robot may drive backward where the path does.
    pub allow_reversing: bool,
    /// How far along the path the robot is looked for; everywhere if it is negative or infinite.
    pub max_robot_pose_search_dist: f64,
    /// Whether obstacles on the way ahead stop the robot.
    pub use_collision_detection: bool,
    /// Whether the robot stays at the goal, once it was near enough, and only turns.
    pub stateful: bool,
    /// How often the controller is asked, in Hz.
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
