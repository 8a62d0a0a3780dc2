//! The batch of sampled motions.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{
    sequence::{AXES, ControlSequence, MotionLimits},
    settings::{MotionModel, MppiSettings, THETA, X, Y},
};

/// A batch of sampled motions: the commanded velocity, the velocity and the pose of the robot in each step.
#[derive(Clone, Debug)]
pub struct Batch {
    count: usize,
    steps: usize,
    /// The differences from the control sequence.
    noise: [Vec<f32>; 3],
    /// The commanded velocities.
    controls: [Vec<f32>; 3],
    velocities: [Vec<f32>; 3],
    /// The poses after each step.
    poses: [Vec<f32>; 3],
    random: ChaCha8Rng,
}

/// A sampled motion, with one value per step. The poses are those after each step. Positions are relative to the robot, with the axes of
/// the frame of the costmap.
#[derive(Clone, Copy, Debug)]
pub struct Trajectory<'a> {
    /// The velocities forward, in m/s.
    pub vx: &'a [f32],
    /// The velocities sideways, in m/s.
    pub vy: &'a [f32],
    /// The angular velocities, in rad/s.
    pub wz: &'a [f32],
    /// The positions along x, in metres.
    pub x: &'a [f32],
    /// The positions along y, in metres.
    pub y: &'a [f32],
    /// The headings in the frame of the costmap, in radians.
    pub yaw: &'a [f32],
}

impl Batch {
    pub(crate) fn new(settings: &MppiSettings) -> Self {
        let (count, steps) = (settings.batch_size, settings.time_steps);
        let empty = || AXES.map(|_| vec![0.0; count * steps]);
        let random = ChaCha8Rng::seed_from_u64(settings.seed);
        let mut batch = Self {
            count,
            steps,
            noise: empty(),
            controls: empty(),
            velocities: empty(),
            poses: empty(),
            random,
        };
        batch.draw(settings);
        batch
    }

    /// Returns a batch whose motions all follow the control sequence.
    #[cfg(test)]
    pub(crate) fn without_noise(mut self) -> Self {
        self.noise.iter_mut().for_each(|noise| noise.fill(0.0));
        self
    }

    /// Returns the number of motions.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns a motion by its index.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`count`](Self::count).
    pub fn trajectory(&self, index: usize) -> Trajectory<'_> {
        let range = index * self.steps..(index + 1) * self.steps;
        let [vx, vy, wz] = AXES.map(|axis| &self.velocities[axis][range.clone()]);
        let [x, y, yaw] = AXES.map(|axis| &self.poses[axis][range.clone()]);
        Trajectory { vx, vy, wz, x, y, yaw }
    }

    /// Returns all motions.
    pub fn trajectories(&self) -> impl Iterator<Item = Trajectory<'_>> {
        (0..self.count).map(|index| self.trajectory(index))
    }

    /// Draws new noise.
    pub(crate) fn draw(&mut self, settings: &MppiSettings) {
        let random = &mut self.random;
        for &axis in settings.model.axes() {
            let deviation = settings.std[axis] as f32;
            for noise in &mut self.noise[axis] {
                let standard: f32 = StandardNormal.sample(random);
                *noise = standard * deviation;
            }
        }
    }

    /// Samples motions around a control sequence for a robot with a velocity and a heading. `time` is the time of a step, in seconds.
    pub(crate) fn sample(
        &mut self,
        sequence: &ControlSequence,
        limits: &MotionLimits,
        velocity: [f32; 3],
        yaw: f32,
        time: f32,
    ) {
        for index in 0..self.count {
            let begin = index * self.steps;
            for &axis in limits.model.axes() {
                let (noise, control) = (&self.noise[axis], &mut self.controls[axis]);
                let velocities = &mut self.velocities[axis];
                let mut last = velocity[axis];
                velocities[begin] = last;
                for step in 0..self.steps {
                    control[begin + step] = sequence.0[axis][step] + noise[begin + step];
                    if step + 1 < self.steps {
                        last = limits.reachable(axis, last, control[begin + step]);
                        control[begin + step] = last;
                        velocities[begin + step + 1] = last;
                    }
                }
            }
            self.integrate(begin, yaw, time);
        }
    }

    /// Computes the poses of the motion that starts at the index `begin` from its velocities.
    fn integrate(&mut self, begin: usize, mut yaw: f32, time: f32) {
        let (mut x, mut y) = (0.0, 0.0);
        for step in begin..begin + self.steps {
            let (sin, cos) = yaw.sin_cos();
            let (forward, sideways) = (self.velocities[X][step], self.velocities[Y][step]);
            x += (forward * cos - sideways * sin) * time;
            y += (forward * sin + sideways * cos) * time;
            yaw += self.velocities[THETA][step] * time;
            self.poses[X][step] = x;
            self.poses[Y][step] = y;
            self.poses[THETA][step] = yaw;
        }
    }

    /// Adds to the cost of each motion the cost of its difference from the control sequence.
    pub(crate) fn add_control_cost(
        &self,
        sequence: &ControlSequence,
        settings: &MppiSettings,
        costs: &mut [f32],
    ) {
        for &axis in settings.model.axes() {
            let scale = (settings.gamma / settings.std[axis].powi(2)) as f32;
            for (cost, control) in costs.iter_mut().zip(self.controls[axis].chunks_exact(self.steps)) {
                let differences =
                    control.iter().zip(&sequence.0[axis]).map(|(control, mean)| mean * (control - mean));
                *cost += scale * differences.sum::<f32>();
            }
        }
    }

    /// Sets a control sequence to the weighted mean of the commanded velocities of all motions.
    pub(crate) fn average(&self, weights: &[f32], model: MotionModel, sequence: &mut ControlSequence) {
        for &axis in model.axes() {
            let mean = &mut sequence.0[axis];
            mean.fill(0.0);
            for (weight, control) in weights.iter().zip(self.controls[axis].chunks_exact(self.steps)) {
                mean.iter_mut().zip(control).for_each(|(mean, control)| *mean += weight * control);
            }
        }
    }
}
