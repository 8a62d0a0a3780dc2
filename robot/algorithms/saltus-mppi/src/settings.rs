//! What the controller depends on.

/// The places of the parts of a velocity: forward, sideways, and turning.
pub(crate) const X: usize = 0;
pub(crate) const Y: usize = 1;
pub(crate) const THETA: usize = 2;

/// How a robot can move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MotionModel {
    /// It drives, and turns on the spot.
    #[default]
    Differential,
    /// It also drives sideways.
    Omni,
    /// It steers like a car.
    Ackermann {
        /// The radius of its narrowest arc, in metres.
        min_turning_radius: f64,
    },
}

impl MotionModel {
    /// Whether the robot can drive sideways.
    pub fn is_holonomic(self) -> bool {
        self == Self::Omni
    }

    /// Returns the parts of velocities that the robot can have: forward, perhaps sideways, and turning.
    pub(crate) fn parts(self) -> &'static [usize] {
        if self.is_holonomic() { &[X, Y, THETA] } else { &[X, THETA] }
    }
}

/// How near a robot must be to a point where its path changes direction before it follows the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inversion {
    /// In metres.
    pub xy: f64,
    /// In radians.
    pub yaw: f64,
}

/// What the controller depends on. The names are those of the parameters of `nav2_mppi_controller`.
#[derive(Clone, Debug, PartialEq)]
pub struct MppiSettings {
    /// How the robot can move.
    pub model: MotionModel,
    /// The time of a step, in seconds.
    pub model_dt: f64,
    /// The number of steps of each motion.
    pub time_steps: usize,
    /// The number of motions that are sampled.
    pub batch_size: usize,
    /// How often a cycle samples them.
    pub iteration_count: u32,
    /// How much worse motions count: only the best one at 0, and all alike at infinity.
    pub temperature: f64,
    /// How much velocities cost that differ from those of the last cycle.
    pub gamma: f64,
    /// The highest velocity forward, in m/s.
    pub vx_max: f64,
    /// The lowest velocity forward, which is negative if the robot may drive backward.
    pub vx_min: f64,
    /// The highest velocity sideways.
    pub vy_max: f64,
    /// The highest turning velocity, in rad/s.
    pub wz_max: f64,
    /// The highest acceleration forward, in m/s².
    pub ax_max: f64,
    /// The highest deceleration, which is negative.
    pub ax_min: f64,
    /// The highest acceleration sideways.
    pub ay_max: f64,
    /// The highest deceleration sideways, which is negative.
    pub ay_min: f64,
    /// The highest turning acceleration, in rad/s².
    pub az_max: f64,
    /// The standard deviations of the samples: forward, sideways, and turning.
    pub std: [f64; 3],
    /// How often a cycle that finds nothing begins anew.
    pub retry_attempt_limit: u32,
    /// Whether the robot is assumed to have the velocity that it was told, and not the one that it measures.
    pub open_loop: bool,
    /// Whether each cycle has other random numbers.
    pub regenerate_noises: bool,
    /// How far the path counts, in metres from the robot.
    pub prune_distance: f64,
    /// How far along the path the robot is looked for; half of the costmap if it is `None`.
    pub max_robot_pose_search_dist: Option<f64>,
    /// Whether the robot goes to each point where its path changes direction, and how near.
    pub inversion: Option<Inversion>,
    /// The time between two cycles, in seconds. If it is `model_dt`, a cycle begins with the motion of the last one.
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

/// The most steps of all motions together. More would need too much memory.
const MOST: usize = 10_000_000;
/// The largest number that a setting may have.
const LARGEST: f64 = 1e6;
/// By how much the time of a cycle and that of a step may differ if they count as the same, in seconds.
const SAME: f64 = 1e-6;

impl MppiSettings {
    /// Checks that the controller can work with these settings.
    ///
    /// # Errors
    ///
    /// Says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let Self { model_dt, temperature, gamma, vx_max, vx_min, vy_max, wz_max, .. } = *self;
        let limits =
            [vx_max, vx_min, vy_max, wz_max, self.ax_max, self.ax_min, self.ay_max, self.ay_min, self.az_max];
        let all =
            limits.iter().chain(&self.std).chain([&model_dt, &temperature, &gamma, &self.prune_distance]);
        if !all.clone().all(|number| number.abs() <= LARGEST) {
            return Err(format!("all numbers must be at most {LARGEST}"));
        }
        // The deviation sideways counts only for a robot that can drive so.
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
        if self.batch_size == 0 || self.time_steps < 2 || steps.is_none_or(|steps| steps > MOST) {
            return Err(format!("batch_size x time_steps must be at most {MOST}, with at least two steps"));
        }
        if self.period > model_dt + SAME {
            return Err("Controller period more then model dt, set it equal to model dt".into());
        }
        Ok(())
    }

    /// Whether a cycle begins with the motion of the last one.
    pub(crate) fn shifts(&self) -> bool {
        (self.period - self.model_dt).abs() < SAME
    }
}
