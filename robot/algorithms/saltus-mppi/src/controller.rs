//! The controller MPPI.

use saltus_motion::{ControlError, Controller, Pose, Situation, SpeedLimit, Velocity};

use crate::{
    batch::Batch,
    critic::Critic,
    route::Route,
    scene::Scene,
    sequence::{ControlSequence, MotionLimits},
    settings::MppiSettings,
};

/// The controller MPPI.
///
/// ```
/// use std::time::Duration;
/// use saltus_costmap::{Costmap, FREE, Footprint};
/// use saltus_motion::{Controller, GoalTolerance, Pose, Situation, Velocity};
/// use saltus_mppi::{Mppi, MppiSettings, PathAlignCritic, PathFollowCritic};
/// let critics: Vec<Box<dyn saltus_mppi::Critic>> =
///     vec![Box::new(PathAlignCritic::default()), Box::new(PathFollowCritic::default())];
/// let mut mppi = Mppi::new(MppiSettings::default(), critics)?;
/// let path: Vec<Pose> = (0..80).map(|step| Pose::new(f64::from(step) * 0.05, 0.0, 0.0)).collect();
/// let situation = Situation {
///     map: &Costmap::new((60, 60), 0.05, [-1.5, -1.5], FREE),
///     footprint: &Footprint::circle(0.2),
///     robot: Pose::default(),
///     velocity: Velocity::default(),
///     path: &path,
///     tolerance: GoalTolerance::default(),
///     inflation: None,
///     now: Duration::ZERO,
/// };
/// let velocity = mppi.command(&situation)?;
/// assert!(velocity.x > 0.0 && velocity.theta.abs() < 0.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Mppi {
    settings: MppiSettings,
    pub(crate) critics: Vec<Box<dyn Critic>>,
    limit: SpeedLimit,
    batch: Batch,
    /// The best control sequence, which starts with the current step.
    sequence: ControlSequence,
    /// The velocities of the last four cycles, the oldest first.
    history: [[f32; 3]; 4],
    /// The last commanded velocity.
    last_command: [f32; 3],
    route: Route,
    /// The pose of the robot in the last cycle.
    robot: Pose,
    /// The part of the path that counted in the last cycle.
    local_path: Vec<Pose>,
    costs: Vec<f32>,
}

impl std::fmt::Debug for Mppi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mppi")
            .field("settings", &self.settings)
            .field("critics", &self.critics.len())
            .finish()
    }
}

impl Mppi {
    /// Creates a controller that rates motions with some critics.
    ///
    /// # Errors
    ///
    /// Fails with a text that names a setting that is not valid.
    pub fn new(settings: MppiSettings, critics: Vec<Box<dyn Critic>>) -> Result<Self, String> {
        settings.check()?;
        Ok(Self {
            batch: Batch::new(&settings),
            sequence: ControlSequence::new(settings.time_steps),
            costs: vec![0.0; settings.batch_size],
            settings,
            critics,
            limit: SpeedLimit::None,
            history: [[0.0; 3]; 4],
            last_command: [0.0; 3],
            route: Route::default(),
            robot: Pose::default(),
            local_path: Vec::new(),
        })
    }

    /// Returns the settings.
    pub fn settings(&self) -> &MppiSettings {
        &self.settings
    }

    /// Replaces the settings and the critics. The robot is assumed to stand.
    ///
    /// # Errors
    ///
    /// Fails, and changes nothing, with a text that names a setting that is not valid.
    pub fn configure(&mut self, settings: MppiSettings, critics: Vec<Box<dyn Critic>>) -> Result<(), String> {
        let (limit, route) = (self.limit, self.route.clone());
        *self = Self { limit, route, ..Self::new(settings, critics)? };
        Ok(())
    }

    /// Returns the part of the path that counted in the last cycle.
    pub fn local_path(&self) -> &[Pose] {
        &self.local_path
    }

    /// Returns positions of sampled motions of the last cycle in the frame of the costmap: every `step`-th pose of every `every`-th motion.
    /// The headings are 0.
    pub fn sampled(&self, every: usize, step: usize) -> Vec<Vec<Pose>> {
        let poses = |index: usize| {
            let motion = self.batch.trajectory(index);
            (0..motion.x.len())
                .step_by(step.max(1))
                .map(|step| self.position(motion.x[step], motion.y[step]))
                .collect()
        };
        (0..self.batch.count()).step_by(every.max(1)).map(poses).collect()
    }

    /// Returns the positions of the motion that was chosen in the last cycle, in the frame of the costmap. The headings are 0.
    pub fn chosen(&self) -> Vec<Pose> {
        let (mut x, mut y, mut yaw) = (0.0, 0.0, self.robot.yaw as f32);
        let time = self.settings.model_dt as f32;
        let step = |step: usize| {
            let ([forward, sideways, turning], (sin, cos)) = (self.sequence.velocity(step), yaw.sin_cos());
            x += (forward * cos - sideways * sin) * time;
            y += (forward * sin + sideways * cos) * time;
            yaw += turning * time;
            self.position(x, y)
        };
        (0..self.settings.time_steps).map(step).collect()
    }

    /// Converts a position from relative to the robot to the frame of the costmap.
    fn position(&self, x: f32, y: f32) -> Pose {
        Pose::new(self.robot.x + f64::from(x), self.robot.y + f64::from(y), 0.0)
    }

    /// Returns the limits of velocities and accelerations under the current speed limit.
    fn limits(&self) -> MotionLimits {
        let share = match self.limit {
            SpeedLimit::None => 1.0,
            SpeedLimit::Percent(percent) => (percent / 100.0).min(1.0),
            SpeedLimit::Absolute(speed) if self.settings.vx_max > 0.0 => {
                (speed / self.settings.vx_max).min(1.0)
            }
            SpeedLimit::Absolute(_) => 1.0,
        };
        MotionLimits::new(&self.settings, share)
    }

    /// Discards the control sequence, as if the robot stood.
    fn restart(&mut self) {
        self.sequence = ControlSequence::new(self.settings.time_steps);
        self.history = [[0.0; 3]; 4];
        self.last_command = [0.0; 3];
        self.batch.draw(&self.settings);
    }

    /// Improves the control sequence. Returns whether there is a motion that the robot can follow.
    fn optimize(&mut self, situation: &Situation<'_>, limits: &MotionLimits) -> bool {
        let Velocity { x, y, theta } = situation.velocity;
        let sideways = if self.settings.model.is_holonomic() { y } else { 0.0 };
        let measured = [x, sideways, theta].map(|part| part as f32);
        let velocity = if self.settings.open_loop { self.last_command } else { measured };
        let time = self.settings.model_dt;
        for _ in 0..self.settings.iteration_count.max(1) {
            if self.settings.regenerate_noises {
                self.batch.draw(&self.settings);
            }
            self.batch.sample(&self.sequence, limits, velocity, situation.robot.yaw as f32, time as f32);
            self.costs.fill(0.0);
            let scene = Scene::new(situation, &self.local_path, &self.batch, (self.settings.model, time));
            let costs = &mut self.costs;
            if !self.critics.iter_mut().all(|critic| critic.score(&scene, costs)) {
                return false;
            }
            self.batch.add_control_cost(&self.sequence, &self.settings, &mut self.costs);
            if !weigh(&mut self.costs, self.settings.temperature as f32) {
                return false;
            }
            self.batch.average(&self.costs, self.settings.model, &mut self.sequence);
            self.sequence.limit(limits);
        }
        true
    }

    /// Returns the velocity of the next step, and advances the control sequence.
    fn advance(&mut self, limits: &MotionLimits) -> Velocity {
        self.sequence.smooth(&self.history);
        // The filter may overshoot.
        self.sequence.bound(limits);
        // The first step is the current one.
        let command = self.sequence.velocity(usize::from(self.settings.shifts()));
        self.history.rotate_left(1);
        self.history[3] = command;
        self.last_command = command;
        if self.settings.shifts() {
            self.sequence.shift();
        }
        let [x, y, theta] = command.map(f64::from);
        Velocity::new(x, y, theta)
    }
}

/// Converts costs to weights that add up to 1. A lower cost gives a higher weight. Returns whether the weights are finite.
fn weigh(costs: &mut [f32], temperature: f32) -> bool {
    let least = costs.iter().copied().fold(f32::INFINITY, f32::min);
    let mut sum = 0.0;
    for cost in costs.iter_mut() {
        *cost = (-(*cost - least) / temperature).exp();
        sum += *cost;
    }
    costs.iter_mut().for_each(|weight| *weight /= sum);
    sum.is_finite()
}

impl Controller for Mppi {
    fn start_path(&mut self) {
        self.route = Route::default();
    }

    fn command(&mut self, situation: &Situation<'_>) -> Result<Velocity, ControlError> {
        situation.check()?;
        let ahead = self.route.ahead(situation.path, &situation.robot, situation.map, &self.settings);
        if ahead.is_empty() {
            return Err(ControlError::Path("Resulting plan has 0 poses in it.".into()));
        }
        (self.robot, self.local_path) = (situation.robot, ahead.to_vec());
        let limits = self.limits();
        let mut attempts = 0;
        while !self.optimize(situation, &limits) {
            self.restart();
            attempts += 1;
            if attempts > self.settings.retry_attempt_limit {
                // The text is Nav2's.
                return Err(ControlError::NoValidControl("Optimizer fail to compute path".into()));
            }
        }
        Ok(self.advance(&limits))
    }

    fn limit_speed(&mut self, limit: SpeedLimit) {
        if limit.is_possible() {
            self.limit = limit;
        }
    }

    fn reset(&mut self) {
        self.restart();
    }
}
