//! The sampled motions.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{
    sequence::{Limits, PARTS, Sequence},
    settings::{MotionModel, MppiSettings, THETA, X, Y},
};

/// The sampled motions: what the robot is told in each step, how fast it is then, and where.
#[derive(Clone, Debug)]
pub struct Batch {
    count: usize,
    steps: usize,
    /// The differences from the sequence.
    noise: [Vec<f32>; 3],
    controls: [Vec<f32>; 3],
    velocities: [Vec<f32>; 3],
    places: [Vec<f32>; 3],
    random: ChaCha8Rng,
}

/// A sampled motion, with a value for each step. The places are those after the step, in metres and radians; the robot stands at the
/// origin, and its heading is that in the frame of the costmap.
#[derive(Clone, Copy, Debug)]
pub struct Trajectory<'a> {
    /// How fast it drives forward.
    pub vx: &'a [f32],
    /// How fast it drives sideways.
    pub vy: &'a [f32],
    /// How fast it turns.
    pub wz: &'a [f32],
    /// Where it is.
    pub x: &'a [f32],
    /// Where it is.
    pub y: &'a [f32],
    /// Where it looks.
    pub yaw: &'a [f32],
}

impl Batch {
    pub(crate) fn new(settings: &MppiSettings) -> Self {
        let (count, steps) = (settings.batch_size, settings.time_steps);
        let empty = || PARTS.map(|_| vec![0.0; count * steps]);
        let random = ChaCha8Rng::seed_from_u64(settings.seed);
        let mut batch = Self {
            count,
            steps,
            noise: empty(),
            controls: empty(),
            velocities: empty(),
            places: empty(),
            random,
        };
        batch.draw(settings);
        batch
    }

    /// Returns motions that are all as the sequence says.
    #[cfg(test)]
    pub(crate) fn without_noise(mut self) -> Self {
        self.noise.iter_mut().for_each(|noise| noise.fill(0.0));
        self
    }

    /// Returns the number of motions.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns a motion.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub fn trajectory(&self, number: usize) -> Trajectory<'_> {
        let range = number * self.steps..(number + 1) * self.steps;
        let [vx, vy, wz] = PARTS.map(|part| &self.velocities[part][range.clone()]);
        let [x, y, yaw] = PARTS.map(|part| &self.places[part][range.clone()]);
        Trajectory { vx, vy, wz, x, y, yaw }
    }

    /// Returns all motions.
    pub fn trajectories(&self) -> impl Iterator<Item = Trajectory<'_>> {
        (0..self.count).map(|number| self.trajectory(number))
    }

    /// Draws other random numbers.
    pub(crate) fn draw(&mut self, settings: &MppiSettings) {
        let random = &mut self.random;
        for &part in settings.model.parts() {
            let deviation = settings.std[part] as f32;
            for noise in &mut self.noise[part] {
                let standard: f32 = StandardNormal.sample(random);
                *noise = standard * deviation;
            }
        }
    }

    /// Samples motions around a sequence, for a robot with a velocity and a heading.
    pub(crate) fn sample(
        &mut self,
        sequence: &Sequence,
        limits: &Limits,
        velocity: [f32; 3],
        yaw: f32,
        time: f32,
    ) {
        for number in 0..self.count {
            let begin = number * self.steps;
            for &part in limits.model.parts() {
                let (noise, told) = (&self.noise[part], &mut self.controls[part]);
                let velocities = &mut self.velocities[part];
                let mut last = velocity[part];
                velocities[begin] = last;
                for step in 0..self.steps {
                    told[begin + step] = sequence.0[part][step] + noise[begin + step];
                    if step + 1 < self.steps {
                        last = limits.reachable(part, last, told[begin + step]);
                        told[begin + step] = last;
                        velocities[begin + step + 1] = last;
                    }
                }
            }
            self.roll(begin, yaw, time);
        }
    }

    /// Says where the robot is after each step of a motion.
    fn roll(&mut self, begin: usize, mut yaw: f32, time: f32) {
        let (mut x, mut y) = (0.0, 0.0);
        for step in begin..begin + self.steps {
            let (sin, cos) = yaw.sin_cos();
            let (forward, sideways) = (self.velocities[X][step], self.velocities[Y][step]);
            x += (forward * cos - sideways * sin) * time;
            y += (forward * sin + sideways * cos) * time;
            yaw += self.velocities[THETA][step] * time;
            self.places[X][step] = x;
            self.places[Y][step] = y;
            self.places[THETA][step] = yaw;
        }
    }

    /// Adds to the cost of each motion what its difference from the sequence costs.
    pub(crate) fn add_differences(&self, sequence: &Sequence, settings: &MppiSettings, costs: &mut [f32]) {
        for &part in settings.model.parts() {
            let scale = (settings.gamma / settings.std[part].powi(2)) as f32;
            for (cost, told) in costs.iter_mut().zip(self.controls[part].chunks_exact(self.steps)) {
                let differences = told.iter().zip(&sequence.0[part]).map(|(told, mean)| mean * (told - mean));
                *cost += scale * differences.sum::<f32>();
            }
        }
    }

    /// Sets a sequence to the mean of all motions, each with a weight.
    pub(crate) fn average(&self, weights: &[f32], model: MotionModel, sequence: &mut Sequence) {
        for &part in model.parts() {
            let mean = &mut sequence.0[part];
            mean.fill(0.0);
            for (weight, told) in weights.iter().zip(self.controls[part].chunks_exact(self.steps)) {
                mean.iter_mut().zip(told).for_each(|(mean, told)| *mean += weight * told);
            }
        }
    }
}
