//! The particles.

use saltus_motion::{Pose, wrapped};

use crate::{bins::Bins, field::Field, random::Random};

/// Where the robot may be, and how likely that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Where the robot may be.
    pub pose: Pose,
    /// How likely it is. All weights together are 1.
    pub weight: f64,
}

/// How many particles there are, and what they depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterSettings {
    /// The least number of particles.
    pub min_particles: usize,
    /// The largest number of particles, which there are at the beginning.
    pub max_particles: usize,
    /// How much the distribution of the particles may differ from the true one.
    pub pf_err: f64,
    /// The quantile of the normal distribution with which this must be so.
    pub pf_z: f64,
    /// How slowly a long average of the weights changes; 0 if no particles are to be added anywhere.
    pub recovery_alpha_slow: f64,
    /// How slowly a short average of the weights changes. If it is below the long one, particles are added anywhere.
    pub recovery_alpha_fast: f64,
}

impl Default for FilterSettings {
    fn default() -> Self {
        Self {
            min_particles: 500,
            max_particles: 2000,
            pf_err: 0.05,
            pf_z: 0.99,
            recovery_alpha_slow: 0.0,
            recovery_alpha_fast: 0.0,
        }
    }
}

impl FilterSettings {
    /// Returns how many particles are enough for a number of bins that have some.
    ///
    /// Source: D. Fox, "KLD-sampling: adaptive particle filters", 2001, with the approximation by Wilson and Hilferty.
    pub(crate) fn enough(&self, bins: usize) -> usize {
        if bins <= 1 {
            return self.max_particles;
        }
        let degrees = (bins - 1) as f64;
        let part = 2.0 / (9.0 * degrees);
        let root = 1.0 - part + part.sqrt() * self.pf_z;
        let count = (degrees / (2.0 * self.pf_err) * root.powi(3)).ceil() as usize;
        count.max(self.min_particles).min(self.max_particles)
    }
}

/// Where a robot is, as its particles say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The middle of the most likely cluster.
    pub pose: Pose,
    /// The covariance of x, y and the heading of all particles.
    pub covariance: [[f64; 3]; 3],
}

/// The particles.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) settings: FilterSettings,
    pub(crate) particles: Vec<Particle>,
    slow: f64,
    fast: f64,
}

impl Filter {
    /// Returns particles that are all at one place.
    pub(crate) fn new(settings: FilterSettings) -> Self {
        let mut filter = Self { settings, particles: Vec::new(), slow: 0.0, fast: 0.0 };
        filter.fill(Pose::default);
        filter
    }

    /// Takes new particles, all with the same weight.
    pub(crate) fn fill(&mut self, mut pose: impl FnMut() -> Pose) {
        let count = self.settings.max_particles.max(1);
        let weight = 1.0 / count as f64;
        self.particles = (0..count).map(|_| Particle { pose: pose(), weight }).collect();
        (self.slow, self.fast) = (0.0, 0.0);
    }

    /// Makes the sum of all weights 1, as it was before the last scan.
    pub(crate) fn normalize(&mut self) {
        let total: f64 = self.particles.iter().map(|particle| particle.weight).sum();
        let count = self.particles.len() as f64;
        if !(total > 0.0 && total.is_finite()) {
            self.particles.iter_mut().for_each(|particle| particle.weight = 1.0 / count);
            return;
        }
        self.particles.iter_mut().for_each(|particle| particle.weight /= total);
        // The weights were 1 together, so this is the average of what the scan multiplied them by.
        let average = total;
        let follow = |known: &mut f64, alpha: f64| {
            *known = if *known == 0.0 { average } else { *known + alpha * (average - *known) };
        };
        follow(&mut self.slow, self.settings.recovery_alpha_slow);
        follow(&mut self.fast, self.settings.recovery_alpha_fast);
    }

    /// Draws new particles where likely ones are, until there are enough. Some are anywhere, if the scans have become less likely.
    pub(crate) fn resample(&mut self, field: &Field, random: &mut Random) {
        let anywhere = if self.slow > 0.0 { (1.0 - self.fast / self.slow).max(0.0) } else { 0.0 };
        let mut sum = 0.0;
        let sums: Vec<f64> = self
            .particles
            .iter()
            .map(|particle| {
                sum += particle.weight;
                sum
            })
            .collect();
        let (mut drawn, mut bins) = (Vec::new(), Bins::default());
        loop {
            let lost =
                if anywhere > 0.0 && random.share() < anywhere { field.free_pose(random) } else { None };
            let pose = lost.unwrap_or_else(|| {
                let share = random.share() * sum;
                let place = sums.partition_point(|sum| *sum <= share).min(self.particles.len() - 1);
                self.particles[place].pose
            });
            bins.add(&pose, 1.0);
            drawn.push(pose);
            if drawn.len() >= self.settings.enough(bins.count()) {
                break;
            }
        }
        if anywhere > 0.0 {
            (self.slow, self.fast) = (0.0, 0.0);
        }
        let weight = 1.0 / drawn.len() as f64;
        self.particles = drawn.into_iter().map(|pose| Particle { pose, weight }).collect();
    }

    /// Whether all particles are near each other: within 0.5 m of the middle in x and y.
    pub(crate) fn has_converged(&self) -> bool {
        let count = self.particles.len() as f64;
        let mean = |part: fn(&Pose) -> f64| {
            self.particles.iter().map(|particle| part(&particle.pose)).sum::<f64>() / count
        };
        let (x, y) = (mean(|pose| pose.x), mean(|pose| pose.y));
        let is_near =
            |particle: &Particle| (particle.pose.x - x).abs() <= 0.5 && (particle.pose.y - y).abs() <= 0.5;
        self.particles.iter().all(is_near)
    }

    /// Returns where the robot is.
    pub(crate) fn estimate(&self) -> Estimate {
        let mut bins = Bins::default();
        self.particles.iter().for_each(|particle| bins.add(&particle.pose, particle.weight));
        let clusters = bins.clusters();
        let mut sums = std::collections::BTreeMap::<usize, Sums>::new();
        let mut all = Sums::default();
        for particle in &self.particles {
            all.add(particle);
            if let Some(cluster) = clusters.of(&particle.pose) {
                sums.entry(cluster).or_default().add(particle);
            }
        }
        let heaviest = sums.values().max_by(|left, right| left.weight.total_cmp(&right.weight));
        Estimate { pose: heaviest.unwrap_or(&all).mean(), covariance: all.covariance() }
    }
}

/// Sums over particles.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    weight: f64,
    x: f64,
    y: f64,
    cosine: f64,
    sine: f64,
    squares: [f64; 3],
}

impl Sums {
    fn add(&mut self, particle: &Particle) {
        let (Pose { x, y, yaw }, weight) = (particle.pose, particle.weight);
        self.weight += weight;
        self.x += weight * x;
        self.y += weight * y;
        self.cosine += weight * yaw.cos();
        self.sine += weight * yaw.sin();
        for (sum, square) in self.squares.iter_mut().zip([x * x, x * y, y * y]) {
            *sum += weight * square;
        }
    }

    fn mean(&self) -> Pose {
        Pose::new(self.x / self.weight, self.y / self.weight, wrapped(self.sine.atan2(self.cosine)))
    }

    fn covariance(&self) -> [[f64; 3]; 3] {
        let Pose { x, y, .. } = self.mean();
        let [xx, xy, yy] = self.squares.map(|sum| sum / self.weight);
        // Never above 1, but for rounding.
        let length = (self.cosine.hypot(self.sine) / self.weight).min(1.0);
        let yaw = -2.0 * length.max(f64::MIN_POSITIVE).ln();
        [[xx - x * x, xy - x * y, 0.0], [xy - x * y, yy - y * y, 0.0], [0.0, 0.0, yaw]]
    }
}
