//! How likely a scan is.

use saltus_motion::Pose;

use crate::{field::Field, filter::Particle};

/// How likely a distance is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SensorModel {
    /// By the distance that a ray would have in the map.
    Beam,
    /// By how far the end of the ray is from an obstacle.
    #[default]
    LikelihoodField,
    /// As before, with probabilities that are multiplied, and rays that may be skipped.
    LikelihoodFieldProb,
}

/// When rays are skipped that fit nowhere, such as those to people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSkip {
    /// A ray fits a particle if it ends nearer to an obstacle, in metres.
    pub distance: f64,
    /// A ray is used if it fits more than this share of the particles.
    pub threshold: f64,
    /// If more than this share of the rays would be skipped, none is.
    pub error_threshold: f64,
}

/// What a sensor is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorSettings {
    /// How likely a distance is.
    pub model: SensorModel,
    /// How many rays are used.
    pub max_beams: u32,
    /// The weight of a ray that hits what the map shows.
    pub z_hit: f64,
    /// The weight of a ray that hits something before that.
    pub z_short: f64,
    /// The weight of a ray that hits nothing.
    pub z_max: f64,
    /// The weight of a ray that hits anything.
    pub z_rand: f64,
    /// The standard deviation of a distance, in metres.
    pub sigma_hit: f64,
    /// How fast distances become less likely that are too short, in 1/m.
    pub lambda_short: f64,
    /// When rays are skipped; never if `None`.
    pub skip: Option<BeamSkip>,
}

impl Default for SensorSettings {
    fn default() -> Self {
        Self {
            model: SensorModel::LikelihoodField,
            max_beams: 60,
            z_hit: 0.5,
            z_short: 0.05,
            z_max: 0.05,
            z_rand: 0.5,
            sigma_hit: 0.2,
            lambda_short: 0.1,
            skip: None,
        }
    }
}

/// The distances that a lidar measured.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// Where the lidar is on the robot.
    pub sensor: Pose,
    /// The angle of the first ray in the frame of the lidar.
    pub angle_min: f64,
    /// The angle between two rays.
    pub angle_increment: f64,
    /// The least distance that counts; a shorter one is as if nothing was hit.
    pub range_min: f64,
    /// The distance from which on nothing was hit.
    pub range_max: f64,
    /// The distances, in metres.
    pub ranges: &'a [f32],
}

/// A ray in the frame of the robot.
struct Ray {
    angle: f64,
    range: f64,
    end: [f64; 2],
}

impl Scan<'_> {
    /// Returns some of the rays, `step` apart. Those that are not numbers are left out.
    fn rays(&self, step: usize) -> Vec<Ray> {
        let ray = |(place, range): (usize, &f32)| {
            let range = f64::from(*range);
            let range = if range <= self.range_min { self.range_max } else { range.min(self.range_max) };
            let angle = self.sensor.yaw + self.angle_min + place as f64 * self.angle_increment;
            let end = [self.sensor.x + range * angle.cos(), self.sensor.y + range * angle.sin()];
            Ray { angle, range, end }
        };
        let numbers =
            self.ranges.iter().enumerate().step_by(step.max(1)).filter(|(_, range)| !range.is_nan());
        numbers.map(ray).collect()
    }
}

impl SensorSettings {
    /// Makes particles more likely from which the map looks like the scan. Returns whether there were rays.
    pub(crate) fn weigh(
        &self,
        field: &Field,
        scan: &Scan<'_>,
        particles: &mut [Particle],
        skips: bool,
    ) -> bool {
        if self.max_beams < 2 || scan.ranges.is_empty() || scan.range_max <= 0.0 {
            return false;
        }
        let spread = (scan.ranges.len() - 1) / (self.max_beams as usize - 1);
        match self.model {
            SensorModel::Beam => self.weigh_by_rays(field, scan, &scan.rays(spread), particles),
            SensorModel::LikelihoodField => self.weigh_by_ends(field, scan, &scan.rays(spread), particles),
            SensorModel::LikelihoodFieldProb => {
                let step = scan.ranges.len().div_ceil(self.max_beams as usize);
                self.weigh_by_probabilities(field, scan, &scan.rays(step), particles, skips);
            }
        }
        true
    }

    /// Returns how likely it is that a ray ends so far from an obstacle.
    fn fits(&self, distance: f64, range_max: f64) -> f64 {
        self.z_hit * (-distance * distance / (2.0 * self.sigma_hit * self.sigma_hit)).exp()
            + self.z_rand / range_max
    }

    fn weigh_by_ends(&self, field: &Field, scan: &Scan<'_>, rays: &[Ray], particles: &mut [Particle]) {
        let hits: Vec<[f64; 2]> =
            rays.iter().filter(|ray| ray.range < scan.range_max).map(|ray| ray.end).collect();
        // The probability of each distance, in steps of a millimetre.
        let steps = (field.farthest() * 1000.0) as usize + 1;
        let table: Vec<f64> =
            (0..=steps).map(|step| self.fits(step as f64 / 1000.0, scan.range_max).powi(3)).collect();
        for particle in particles {
            let (sine, cosine) = particle.pose.yaw.sin_cos();
            let Pose { x, y, .. } = particle.pose;
            let fit = |[end_x, end_y]: &[f64; 2]| {
                let point = [x + cosine * end_x - sine * end_y, y + sine * end_x + cosine * end_y];
                table[((field.distance(point) * 1000.0) as usize).min(steps)]
            };
            // As in Nav2, a sum of cubes: it is less sure than a product, and forgives rays that fit nowhere.
            particle.weight *= 1.0 + hits.iter().map(fit).sum::<f64>();
        }
    }

    fn weigh_by_rays(&self, field: &Field, scan: &Scan<'_>, rays: &[Ray], particles: &mut [Particle]) {
        for particle in particles {
            let sensor = particle.pose.then(&scan.sensor);
            let fit = |ray: &Ray| {
                let angle = ray.angle - scan.sensor.yaw + sensor.yaw;
                let expected = field.range([sensor.x, sensor.y], angle, scan.range_max);
                let difference = ray.range - expected;
                let mut fit =
                    self.z_hit * (-difference * difference / (2.0 * self.sigma_hit * self.sigma_hit)).exp();
                if difference < 0.0 {
                    fit += self.z_short * self.lambda_short * (-self.lambda_short * ray.range).exp();
                }
                fit += match ray.range >= scan.range_max {
                    true => self.z_max,
                    false => self.z_rand / scan.range_max,
                };
                fit.powi(3)
            };
            particle.weight *= 1.0 + rays.iter().map(fit).sum::<f64>();
        }
    }

    fn weigh_by_probabilities(
        &self,
        field: &Field,
        scan: &Scan<'_>,
        rays: &[Ray],
        particles: &mut [Particle],
        skips: bool,
    ) {
        let hits: Vec<&Ray> = rays.iter().filter(|ray| ray.range < scan.range_max).collect();
        let distance = |particle: &Particle, ray: &Ray| {
            let end = particle.pose.then(&Pose::new(ray.end[0], ray.end[1], 0.0));
            f64::from(field.distance([end.x, end.y]))
        };
        let used = match self.skip.filter(|_| skips) {
            Some(skip) => used(&skip, &hits, particles, distance),
            None => vec![true; hits.len()],
        };
        for particle in particles {
            let rays = hits.iter().zip(&used).filter(|(_, is_used)| **is_used);
            let sum: f64 = rays.map(|(ray, _)| self.fits(distance(particle, ray), scan.range_max).ln()).sum();
            particle.weight *= sum.exp();
        }
    }
}

/// Returns which rays are used: those that fit enough particles, or all if too few do.
fn used(
    skip: &BeamSkip,
    rays: &[&Ray],
    particles: &[Particle],
    distance: impl Fn(&Particle, &Ray) -> f64,
) -> Vec<bool> {
    let fits = |ray: &&Ray| {
        let count = particles.iter().filter(|particle| distance(particle, ray) < skip.distance).count();
        count as f64 > skip.threshold * particles.len() as f64
    };
    let used: Vec<bool> = rays.iter().map(fits).collect();
    let skipped = used.iter().filter(|is_used| !**is_used).count();
    let is_too_much = skipped as f64 >= skip.error_threshold * rays.len() as f64;
    if is_too_much { vec![true; rays.len()] } else { used }
}
