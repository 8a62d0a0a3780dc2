//! The controller.

use saltus_motion::{ControlError, Controller, Pose, Situation, SpeedLimit, Velocity};

use crate::{
    batch::Batch,
    critic::Critic,
    route::Route,
    scene::Scene,
    sequence::{Limits, Sequence},
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
    sequence: Sequence,
    /// The velocities of the last four cycles, the oldest first.
    history: [[f32; 3]; 4],
    /// The velocity that the robot was told last.
    last: [f32; 3],
    route: Route,
    /// Where the robot was in the last cycle, and the part of the path that counted.
    seen: (Pose, Vec<Pose>),
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
    /// Returns a controller that rates motions with some critics.
    ///
    /// # Errors
    ///
    /// Says which setting is not possible.
    pub fn new(settings: MppiSettings, critics: Vec<Box<dyn Critic>>) -> Result<Self, String> {
        settings.check()?;
        Ok(Self {
            batch: Batch::new(&settings),
            sequence: Sequence::new(settings.time_steps),
            costs: vec![0.0; settings.batch_size],
            settings,
            critics,
            limit: SpeedLimit::None,
            history: [[0.0; 3]; 4],
            last: [0.0; 3],
            route: Route::default(),
            seen: (Pose::default(), Vec::new()),
        })
    }

    /// Returns the settings.
    pub fn settings(&self) -> &MppiSettings {
        &self.settings
    }

    /// Takes other settings and critics. The robot is assumed to stand.
    ///
    /// # Errors
    ///
    /// Says which setting is not possible. Then nothing changes.
    pub fn configure(&mut self, settings: MppiSettings, critics: Vec<Box<dyn Critic>>) -> Result<(), String> {
        let (limit, route) = (self.limit, self.route.clone());
        *self = Self { limit, route, ..Self::new(settings, critics)? };
        Ok(())
    }

    /// Returns the part of the path that counted in the last cycle.
    pub fn local_path(&self) -> &[Pose] {
        &self.seen.1
    }

    /// Returns the places of sampled motions in the last cycle: of `every` motions one, and of `step` steps one.
    pub fn sampled(&self, every: usize, step: usize) -> Vec<Vec<Pose>> {
        let places = |number: usize| {
            let motion = self.batch.trajectory(number);
            (0..motion.x.len())
                .step_by(step.max(1))
                .map(|step| self.place(motion.x[step], motion.y[step]))
                .collect()
        };
        (0..self.batch.count()).step_by(every.max(1)).map(places).collect()
    }

    /// Returns the places of the motion that was chosen in the last cycle.
    pub fn chosen(&self) -> Vec<Pose> {
        let (mut x, mut y, mut yaw) = (0.0, 0.0, self.seen.0.yaw as f32);
        let time = self.settings.model_dt as f32;
        let step = |step: usize| {
            let ([forward, sideways, turning], (sin, cos)) = (self.sequence.at(step), yaw.sin_cos());
            x += (forward * cos - sideways * sin) * time;
            y += (forward * sin + sideways * cos) * time;
            yaw += turning * time;
            self.place(x, y)
        };
        (0..self.settings.time_steps).map(step).collect()
    }

    fn place(&self, x: f32, y: f32) -> Pose {
        Pose::new(self.seen.0.x + f64::from(x), self.seen.0.y + f64::from(y), 0.0)
    }

    /// Returns the limits of velocities, which depend on the limit of the speed.
    fn limits(&self) -> Limits {
        let share = match self.limit {
            SpeedLimit::None => 1.0,
            SpeedLimit::Percent(percent) => (percent / 100.0).min(1.0),
            SpeedLimit::Absolute(speed) if self.settings.vx_max > 0.0 => {
                (speed / self.settings.vx_max).min(1.0)
            }
            SpeedLimit::Absolute(_) => 1.0,
        };
        Limits::of(&self.settings, share)
    }

    /// Begins anew, as if the robot stood.
    fn begin(&mut self) {
        self.sequence = Sequence::new(self.settings.time_steps);
        self.history = [[0.0; 3]; 4];
        self.last = [0.0; 3];
        self.batch.draw(&self.settings);
    }

    /// Changes the sequence to a better one. Returns whether there is a motion that the robot can follow.
    fn optimize(&mut self, situation: &Situation<'_>, limits: &Limits) -> bool {
        let Velocity { x, y, theta } = situation.velocity;
        let sideways = if self.settings.model.is_holonomic() { y } else { 0.0 };
        let measured = [x, sideways, theta].map(|part| part as f32);
        let velocity = if self.settings.open_loop { self.last } else { measured };
        let time = self.settings.model_dt;
        for _ in 0..self.settings.iteration_count.max(1) {
            if self.settings.regenerate_noises {
                self.batch.draw(&self.settings);
            }
            self.batch.sample(&self.sequence, limits, velocity, situation.robot.yaw as f32, time as f32);
            self.costs.fill(0.0);
            let scene = Scene::new(situation, &self.seen.1, &self.batch, (self.settings.model, time));
            let costs = &mut self.costs;
            if !self.critics.iter_mut().all(|critic| critic.score(&scene, costs)) {
                return false;
            }
            self.batch.add_differences(&self.sequence, &self.settings, &mut self.costs);
            if !weigh(&mut self.costs, self.settings.temperature as f32) {
                return false;
            }
            self.batch.average(&self.costs, self.settings.model, &mut self.sequence);
            self.sequence.limit(limits);
        }
        true
    }

    /// Returns the velocity of the step that the robot does next, and goes on by a step.
    fn take(&mut self, limits: &Limits) -> Velocity {
        self.sequence.smooth(&self.history);
        // The filter may overshoot.
        self.sequence.bound(limits);
        // The first step is the one that the robot does now.
        let now = self.sequence.at(usize::from(self.settings.shifts()));
        self.history.rotate_left(1);
        self.history[3] = now;
        self.last = now;
        if self.settings.shifts() {
            self.sequence.shift();
        }
        let [x, y, theta] = now.map(f64::from);
        Velocity::new(x, y, theta)
    }
}

/// Turns costs into weights, whose sum is 1: the lower the cost, the higher the weight. Returns whether the costs are finite.
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
        self.seen = (situation.robot, ahead.to_vec());
        let limits = self.limits();
        let mut tries = 0;
        while !self.optimize(situation, &limits) {
            self.begin();
            tries += 1;
            if tries > self.settings.retry_attempt_limit {
                return Err(ControlError::NoValidControl("Optimizer fail to compute path".into()));
            }
        }
        Ok(self.take(&limits))
    }

    fn limit_speed(&mut self, limit: SpeedLimit) {
        if limit.is_possible() {
            self.limit = limit;
        }
    }

    fn reset(&mut self) {
        self.begin();
    }
}
