//! The settings of the controller.

/// The indices of the axes of a velocity: forward, sideways, and turning.
pub(crate) const X: usize = 0;
pub(crate) const Y: usize = 1;
pub(crate) const THETA: usize = 2;

/// The motion model of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MotionModel {
    /// A drive that moves forward and turns on the spot.
    #[default]
    Differential,
    /// A drive that also moves sideways.
    Omni,
    /// A drive that steers like a car.
    Ackermann {
        /// The radius of the narrowest arc, in metres.
        min_turning_radius: f64,
    },
}

impl MotionModel {
    /// Whether the robot can drive sideways.
    pub(crate) fn is_holonomic(self) -> bool {
        self == Self::Omni
    }

    /// Returns the axes of the velocities of the robot: forward, sideways if it can, and turning.
    pub(crate) fn axes(self) -> &'static [usize] {
        if self.is_holonomic() { &[X, Y, THETA] } else { &[X, THETA] }
    }
}

/// The tolerance of a reversal of the path, which the robot must reach before it follows the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inversion {
    /// The distance, in metres.
    pub xy: f64,
    /// The difference of the headings, in radians.
    pub yaw: f64,
}

/// The settings of the controller. The names are those of the parameters of `nav2_mppi_controller`.
#[derive(Clone, Debug, PartialEq)]
pub struct MppiSettings {
    /// The motion model of the robot.
    pub model: MotionModel,
    /// The time of a step, in seconds.
    pub model_dt: f64,
    /// The number of steps of each motion.
    pub time_steps: usize,
    /// The number of motions that are sampled.
    pub batch_size: usize,
    /// The number of times that a cycle samples motions.
    pub iteration_count: u32,
    /// The temperature of the weights. Near 0, only the best motion counts; at infinity, all motions count equally.
    pub temperature: f64,
    /// The weight of the difference between a motion and the control sequence of the last cycle.
    pub gamma: f64,
    /// The highest velocity forward, in m/s.
    pub vx_max: f64,
    /// The lowest velocity forward in m/s, which is negative if the robot may drive backward.
    pub vx_min: f64,
    /// The highest velocity sideways, in m/s.
    pub vy_max: f64,
    /// The highest angular velocity, in rad/s.
    pub wz_max: f64,
    /// The highest acceleration forward, in m/s².
    pub ax_max: f64,
    /// The highest deceleration forward in m/s², which is negative.
    pub ax_min: f64,
    /// The highest acceleration sideways, in m/s².
    pub ay_max: f64,
    /// The highest deceleration sideways in m/s², which is negative.
    pub ay_min: f64,
    /// The highest angular acceleration, in rad/s².
    pub az_max: f64,
    /// The standard deviations of the samples: forward and sideways in m/s, and turning in rad/s.
    pub std: [f64; 3],
    /// The number of retries of a cycle without a valid motion.
    pub retry_attempt_limit: u32,
    /// Whether the robot is assumed to have its last commanded velocity. Otherwise the measured velocity counts.
    pub open_loop: bool,
    /// Whether each cycle draws new noise.
    pub regenerate_noises: bool,
    /// The length of the part of the path that counts, in metres.
    pub prune_distance: f64,
    /// The length of the part of the path in which the robot is searched, in metres; half of the size of the costmap if `None`.
    pub max_robot_pose_search_dist: Option<f64>,
    /// The tolerance of reversals; `None` if the robot need not reach them.
    pub inversion: Option<Inversion>,
    /// The time between two cycles, in seconds. If it is equal to `model_dt`, a cycle starts with the control sequence of the last one.
    pub period: f64,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Default for MppiSettings {
    fn default() -> Self {
        Self {
            model: MotionModel::Differential,
            model_dt: 0.05,
            time_steps: 56,
            batch_size: 1000,
            iteration_count: 1,
            temperature: 0.3,
            gamma: 0.015,
            vx_max: 0.5,
            vx_min: -0.35,
            vy_max: 0.5,
            wz_max: 1.9,
            ax_max: 3.0,
            ax_min: -3.0,
            ay_max: 3.0,
            ay_min: -3.0,
            az_max: 3.5,
            std: [0.2, 0.2, 0.4],
            retry_attempt_limit: 1,
            open_loop: false,
            regenerate_noises: false,
            prune_distance: 1.5,
            max_robot_pose_search_dist: None,
            inversion: None,
            period: 0.05,
            seed: 1,
        }
    }
}

/// The maximum number of steps of all motions together. More would need too much memory.
const MAX_STEPS: usize = 10_000_000;
/// The largest absolute value of a setting.
const MAX_VALUE: f64 = 1e6;
/// The largest difference between the time of a cycle and that of a step at which they count as equal, in seconds.
const TIME_TOLERANCE: f64 = 1e-6;

impl MppiSettings {
    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// Returns a text that names a setting that is not valid.
    pub fn check(&self) -> Result<(), String> {
        let Self { model_dt, temperature, gamma, vx_max, vx_min, vy_max, wz_max, .. } = *self;
        let limits =
            [vx_max, vx_min, vy_max, wz_max, self.ax_max, self.ax_min, self.ay_max, self.ay_min, self.az_max];
        let all =
            limits.iter().chain(&self.std).chain([&model_dt, &temperature, &gamma, &self.prune_distance]);
        if !all.clone().all(|number| number.abs() <= MAX_VALUE) {
            return Err(format!("all numbers must be at most {MAX_VALUE}"));
        }
        // The deviation sideways counts only for a robot that can drive sideways.
        let [forward, sideways, turning] = self.std;
        let stds = forward > 0.0 && turning > 0.0 && (sideways > 0.0 || !self.model.is_holonomic());
        if !(model_dt > 0.0 && temperature > 0.0 && gamma >= 0.0 && stds) {
            return Err(
                "model_dt, temperature and the deviations must be positive, and gamma not negative".into()
            );
        }
        if !(vx_min <= vx_max && vy_max >= 0.0 && wz_max >= 0.0) {
            return Err("vx_min must be below vx_max, and vy_max and wz_max not negative".into());
        }
        let decelerations = [self.ax_min, self.ay_min].iter().all(|rate| *rate <= 0.0);
        if !(decelerations && [self.ax_max, self.ay_max, self.az_max].iter().all(|rate| *rate >= 0.0)) {
            return Err(
                "ax_max, ay_max and az_max must not be negative, and ax_min and ay_min not positive".into()
            );
        }
        if let MotionModel::Ackermann { min_turning_radius } = self.model
            && !(min_turning_radius.is_finite() && min_turning_radius > 0.0)
        {
            return Err("min_turning_r must be positive".into());
        }
        let steps = self.batch_size.checked_mul(self.time_steps);
        if self.batch_size == 0 || self.time_steps < 2 || steps.is_none_or(|steps| steps > MAX_STEPS) {
            return Err(format!(
                "batch_size x time_steps must be at most {MAX_STEPS}, with at least two steps"
            ));
        }
        if self.period > model_dt + TIME_TOLERANCE {
            // The text is Nav2's.
            return Err("Controller period more then model dt, set it equal to model dt".into());
        }
        Ok(())
    }

    /// Whether a cycle starts with the control sequence of the last one, advanced by a step.
    pub(crate) fn shifts(&self) -> bool {
        (self.period - self.model_dt).abs() < TIME_TOLERANCE
    }
}
