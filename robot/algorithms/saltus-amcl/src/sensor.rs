//! The sensor models: the likelihood of a scan.
//!
//! Source: S. Thrun, W. Burgard, D. Fox, "Probabilistic Robotics", 2005, and `nav2_amcl`.

use saltus_motion::Pose;

use crate::{field::Field, filter::Particle};

/// The model for the likelihood of a measured distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SensorModel {
    /// The difference to the distance of a ray that is cast in the map.
    Beam,
    /// The distance from the end of the ray to the nearest obstacle. The likelihoods of the rays are cubed and added.
    #[default]
    LikelihoodField,
    /// The distance from the end of the ray to the nearest obstacle. The likelihoods of the rays are multiplied, and rays may be
    /// skipped.
    LikelihoodFieldProb,
}

/// The settings for skipping rays that match the map at few particles, such as rays that hit people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSkip {
    /// The distance from the end of a ray to an obstacle below which the ray matches the map, in metres.
    pub distance: f64,
    /// The share of the particles at which a ray must match the map to be used, from 0 to 1.
    pub threshold: f64,
    /// The share of skipped rays from which on no ray is skipped, from 0 to 1.
    pub error_threshold: f64,
}

/// The model of a lidar. The names are those of the parameters of `nav2_amcl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorSettings {
    /// The model for the likelihood of a measured distance.
    pub model: SensorModel,
    /// The number of rays of a scan that are used.
    pub max_beams: u32,
    /// The weight of rays that end at an obstacle of the map.
    pub z_hit: f64,
    /// The weight of rays that end before the obstacle of the map.
    pub z_short: f64,
    /// The weight of rays that hit nothing within the range.
    pub z_max: f64,
    /// The weight of rays that end at random.
    pub z_rand: f64,
    /// The standard deviation of a distance, in metres.
    pub sigma_hit: f64,
    /// The decay rate of the likelihood of distances that are too short, in 1/m.
    pub lambda_short: f64,
    /// The settings for skipping rays; `None` if no ray is skipped.
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

/// A scan of a lidar.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// The pose of the lidar in the frame of the robot.
    pub sensor: Pose,
    /// The angle of the first ray in the frame of the lidar, in radians.
    pub angle_min: f64,
    /// The angle between two rays, in radians.
    pub angle_increment: f64,
    /// The smallest valid distance, in metres. Smaller distances count as no hit.
    pub range_min: f64,
    /// The largest valid distance, in metres. Distances from here on count as no hit.
    pub range_max: f64,
    /// The measured distances, in metres.
    pub ranges: &'a [f32],
}

/// A ray in the frame of the robot.
struct Ray {
    angle: f64,
    range: f64,
    end: [f64; 2],
}

impl Scan<'_> {
    /// Returns every `step`-th ray. Distances that are NaN are left out.
    fn rays(&self, step: usize) -> Vec<Ray> {
        let ray = |(index, range): (usize, &f32)| {
            let range = f64::from(*range);
            let range = if range <= self.range_min { self.range_max } else { range.min(self.range_max) };
            let angle = self.sensor.yaw + self.angle_min + index as f64 * self.angle_increment;
            let end = [self.sensor.x + range * angle.cos(), self.sensor.y + range * angle.sin()];
            Ray { angle, range, end }
        };
        let valid = self.ranges.iter().enumerate().step_by(step.max(1)).filter(|(_, range)| !range.is_nan());
        valid.map(ray).collect()
    }
}

impl SensorSettings {
    /// Multiplies the weight of each particle by the likelihood of the scan. `may_skip` allows the model to skip rays. Returns whether
    /// there were rays.
    pub(crate) fn weigh(
        &self,
        field: &Field,
        scan: &Scan<'_>,
        particles: &mut [Particle],
        may_skip: bool,
    ) -> bool {
        if self.max_beams < 2 || scan.ranges.is_empty() || scan.range_max <= 0.0 {
            return false;
        }
        let step = (scan.ranges.len() - 1) / (self.max_beams as usize - 1);
        match self.model {
            SensorModel::Beam => self.weigh_by_rays(field, scan, &scan.rays(step), particles),
            SensorModel::LikelihoodField => self.weigh_by_ends(field, scan, &scan.rays(step), particles),
            SensorModel::LikelihoodFieldProb => {
                let step = scan.ranges.len().div_ceil(self.max_beams as usize);
                self.weigh_by_probabilities(field, scan, &scan.rays(step), particles, may_skip);
            }
        }
        true
    }

    /// Returns the likelihood of a ray that ends at this distance from the nearest obstacle, in metres.
    fn likelihood(&self, distance: f64, range_max: f64) -> f64 {
        self.z_hit * (-distance * distance / (2.0 * self.sigma_hit * self.sigma_hit)).exp()
            + self.z_rand / range_max
    }

    /// Applies [`SensorModel::LikelihoodField`].
    fn weigh_by_ends(&self, field: &Field, scan: &Scan<'_>, rays: &[Ray], particles: &mut [Particle]) {
        let hits: Vec<[f64; 2]> =
            rays.iter().filter(|ray| ray.range < scan.range_max).map(|ray| ray.end).collect();
        // The cubed likelihood of each distance, in steps of a millimetre.
        let steps = (field.max_distance() * 1000.0) as usize + 1;
        let table: Vec<f64> =
            (0..=steps).map(|step| self.likelihood(step as f64 / 1000.0, scan.range_max).powi(3)).collect();
        for particle in particles {
            let (sine, cosine) = particle.pose.yaw.sin_cos();
            let Pose { x, y, .. } = particle.pose;
            let fit = |[end_x, end_y]: &[f64; 2]| {
                let point = [x + cosine * end_x - sine * end_y, y + sine * end_x + cosine * end_y];
                table[((field.distance(point) * 1000.0) as usize).min(steps)]
            };
            // As in Nav2, a sum of cubes: it is less certain than a product, and tolerates rays that do not match the map.
            particle.weight *= 1.0 + hits.iter().map(fit).sum::<f64>();
        }
    }

    /// Applies [`SensorModel::Beam`].
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

    /// Applies [`SensorModel::LikelihoodFieldProb`].
    fn weigh_by_probabilities(
        &self,
        field: &Field,
        scan: &Scan<'_>,
        rays: &[Ray],
        particles: &mut [Particle],
        may_skip: bool,
    ) {
        let hits: Vec<&Ray> = rays.iter().filter(|ray| ray.range < scan.range_max).collect();
        let distance = |particle: &Particle, ray: &Ray| {
            let end = particle.pose.then(&Pose::new(ray.end[0], ray.end[1], 0.0));
            f64::from(field.distance([end.x, end.y]))
        };
        let used = match self.skip.filter(|_| may_skip) {
            Some(skip) => used_rays(&skip, &hits, particles, distance),
            None => vec![true; hits.len()],
        };
        for particle in particles {
            let rays = hits.iter().zip(&used).filter(|(_, is_used)| **is_used);
            let sum: f64 =
                rays.map(|(ray, _)| self.likelihood(distance(particle, ray), scan.range_max).ln()).sum();
            particle.weight *= sum.exp();
        }
    }
}

/// Returns for each ray whether it is used: the rays that match the map at enough particles, or all if too few match.
fn used_rays(
    skip: &BeamSkip,
    rays: &[&Ray],
    particles: &[Particle],
    distance: impl Fn(&Particle, &Ray) -> f64,
) -> Vec<bool> {
    let is_used = |ray: &&Ray| {
        let count = particles.iter().filter(|particle| distance(particle, ray) < skip.distance).count();
        count as f64 > skip.threshold * particles.len() as f64
    };
    let used: Vec<bool> = rays.iter().map(is_used).collect();
    let skipped = used.iter().filter(|is_used| !**is_used).count();
    let too_many = skipped as f64 >= skip.error_threshold * rays.len() as f64;
    if too_many { vec![true; rays.len()] } else { used }
}
