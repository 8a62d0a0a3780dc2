//! The particle filter.

use saltus_motion::{Pose, wrapped};

use crate::{bins::Bins, field::Field, random::Random};

/// A possible pose of the robot with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// The pose in the frame of the map.
    pub pose: Pose,
    /// The probability of the pose. The weights of all particles add up to 1.
    pub weight: f64,
}

/// The settings of the particle filter. The names are those of the parameters of `nav2_amcl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterSettings {
    /// The minimum number of particles.
    pub min_particles: usize,
    /// The maximum number of particles. The filter starts with this number.
    pub max_particles: usize,
    /// The largest error between the distribution of the particles and the true one (KLD-sampling).
    pub pf_err: f64,
    /// The quantile of the standard normal distribution for the probability that the error is at most `pf_err`.
    pub pf_z: f64,
    /// The decay rate of the slow average of the weights, from 0 to 1. With 0, no random particles are added.
    pub recovery_alpha_slow: f64,
    /// The decay rate of the fast average of the weights, from 0 to 1. While the fast average is below the slow one, random particles
    /// are added.
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
    /// Returns the number of particles that is needed for a number of bins that contain particles.
    ///
    /// Source: D. Fox, "KLD-sampling: adaptive particle filters", 2001, with the approximation by Wilson and Hilferty.
    pub(crate) fn required_particles(&self, bins: usize) -> usize {
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

/// The estimate of the pose of the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the cluster with the largest weight, in the frame of the map.
    pub pose: Pose,
    /// The covariance of x, y and the heading over all particles, in m² and rad².
    pub covariance: [[f64; 3]; 3],
}

/// The particles, and the averages that decide about recovery.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) settings: FilterSettings,
    pub(crate) particles: Vec<Particle>,
    /// The slow and the fast average of the weights; 0 before the first scan.
    slow_average: f64,
    fast_average: f64,
}

impl Filter {
    /// Creates a filter whose particles are all at the origin.
    pub(crate) fn new(settings: FilterSettings) -> Self {
        let mut filter = Self { settings, particles: Vec::new(), slow_average: 0.0, fast_average: 0.0 };
        filter.fill(Pose::default);
        filter
    }

    /// Replaces all particles. The new ones have equal weights, and `pose` draws their poses.
    pub(crate) fn fill(&mut self, mut pose: impl FnMut() -> Pose) {
        let count = self.settings.max_particles.max(1);
        let weight = 1.0 / count as f64;
        self.particles = (0..count).map(|_| Particle { pose: pose(), weight }).collect();
        (self.slow_average, self.fast_average) = (0.0, 0.0);
    }

    /// Scales the weights so that they add up to 1, and updates the averages.
    pub(crate) fn normalize(&mut self) {
        let total: f64 = self.particles.iter().map(|particle| particle.weight).sum();
        let count = self.particles.len() as f64;
        if !(total > 0.0 && total.is_finite()) {
            self.particles.iter_mut().for_each(|particle| particle.weight = 1.0 / count);
            return;
        }
        self.particles.iter_mut().for_each(|particle| particle.weight /= total);
        // The weights added up to 1 before the scan, so the total is the average of the likelihoods of the scan.
        let likelihood = total;
        let update = |average: &mut f64, alpha: f64| {
            *average = if *average == 0.0 { likelihood } else { *average + alpha * (likelihood - *average) };
        };
        update(&mut self.slow_average, self.settings.recovery_alpha_slow);
        update(&mut self.fast_average, self.settings.recovery_alpha_fast);
    }

    /// Draws new particles in proportion to the weights of the old ones, until there are enough. If the scans have become less likely,
    /// some of the new particles are drawn at random over the whole map.
    pub(crate) fn resample(&mut self, field: &Field, random: &mut Random) {
        let random_share = if self.slow_average > 0.0 {
            (1.0 - self.fast_average / self.slow_average).max(0.0)
        } else {
            0.0
        };
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
            let random_pose = if random_share > 0.0 && random.uniform() < random_share {
                field.free_pose(random)
            } else {
                None
            };
            let pose = random_pose.unwrap_or_else(|| {
                let threshold = random.uniform() * sum;
                let index = sums.partition_point(|sum| *sum <= threshold).min(self.particles.len() - 1);
                self.particles[index].pose
            });
            bins.add(&pose, 1.0);
            drawn.push(pose);
            if drawn.len() >= self.settings.required_particles(bins.count()) {
                break;
            }
        }
        if random_share > 0.0 {
            (self.slow_average, self.fast_average) = (0.0, 0.0);
        }
        let weight = 1.0 / drawn.len() as f64;
        self.particles = drawn.into_iter().map(|pose| Particle { pose, weight }).collect();
    }

    /// Whether all particles are within 0.5 m of their mean in x and y.
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

    /// Returns the estimate of the pose of the robot.
    pub(crate) fn estimate(&self) -> Estimate {
        let mut bins = Bins::default();
        self.particles.iter().for_each(|particle| bins.add(&particle.pose, particle.weight));
        let clusters = bins.clusters();
        let mut sums = std::collections::BTreeMap::<usize, WeightedSums>::new();
        let mut all = WeightedSums::default();
        for particle in &self.particles {
            all.add(particle);
            if let Some(cluster) = clusters.cluster(&particle.pose) {
                sums.entry(cluster).or_default().add(particle);
            }
        }
        let heaviest = sums.values().max_by(|left, right| left.weight.total_cmp(&right.weight));
        Estimate { pose: heaviest.unwrap_or(&all).mean(), covariance: all.covariance() }
    }
}

/// Weighted sums over particles.
#[derive(Clone, Copy, Debug, Default)]
struct WeightedSums {
    weight: f64,
    x: f64,
    y: f64,
    cosine: f64,
    sine: f64,
    /// The sums of x², x y and y².
    squares: [f64; 3],
}

impl WeightedSums {
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
        // Above 1 only by rounding.
        let length = (self.cosine.hypot(self.sine) / self.weight).min(1.0);
        let yaw = -2.0 * length.max(f64::MIN_POSITIVE).ln();
        [[xx - x * x, xy - x * y, 0.0], [xy - x * y, yy - y * y, 0.0], [0.0, 0.0, yaw]]
    }
}
