//! The localization, which updates the particles from odometry and scans.

use saltus_motion::{Pose, wrapped};

use crate::{
    field::Field,
    filter::{Estimate, Filter, FilterSettings, Particle},
    motion::{MotionModel, MotionNoise, OdometryMotion},
    random::Random,
    sensor::{Scan, SensorSettings},
};

/// The settings of the localization. The names are those of the parameters of `nav2_amcl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AmclSettings {
    /// The motion model of the robot.
    pub model: MotionModel,
    /// The noise of the odometry.
    pub noise: MotionNoise,
    /// The model of the lidar.
    pub sensor: SensorSettings,
    /// The settings of the particle filter.
    pub filter: FilterSettings,
    /// The motion along x or y after which the next scan is used, in metres.
    pub update_min_d: f64,
    /// The turn after which the next scan is used, in radians.
    pub update_min_a: f64,
    /// The number of used scans after which new particles are drawn.
    pub resample_interval: u32,
}

impl Default for AmclSettings {
    fn default() -> Self {
        Self {
            model: MotionModel::Differential,
            noise: MotionNoise::default(),
            sensor: SensorSettings::default(),
            filter: FilterSettings::default(),
            update_min_d: 0.25,
            update_min_a: 0.2,
            resample_interval: 1,
        }
    }
}

/// The effect of a scan on the particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Whether the weights of the particles have changed.
    pub is_weighed: bool,
    /// Whether new particles have been drawn.
    pub is_resampled: bool,
}

/// A localization: it estimates the pose of a robot in a map.
#[derive(Clone, Debug)]
pub struct Amcl {
    settings: AmclSettings,
    field: Field,
    filter: Filter,
    random: Random,
    /// The odometry pose at the last scan that was used.
    last_odometry: Option<Pose>,
    /// Whether the next scan is used even if the robot has not moved.
    is_forced: bool,
    /// The number of scans that were used since the last start.
    scan_count: u32,
    has_converged: bool,
}

impl Amcl {
    /// Creates a localization whose particles are all at the origin of the map. The same seed and the same input give the same result.
    pub fn new(settings: AmclSettings, field: Field, seed: u64) -> Self {
        Self {
            settings,
            field,
            filter: Filter::new(settings.filter),
            random: Random::new(seed),
            last_odometry: None,
            is_forced: false,
            scan_count: 0,
            has_converged: false,
        }
    }

    /// Returns the settings for changes.
    pub fn settings_mut(&mut self) -> &mut AmclSettings {
        &mut self.settings
    }

    /// Replaces the map. The particles stay.
    pub fn set_field(&mut self, field: Field) {
        self.field = field;
    }

    /// Draws all particles around a pose in the frame of the map. `covariance` is that of x, y and the heading, in m² and rad². Returns
    /// `false`, and changes nothing, if a number is not finite.
    pub fn set_pose(&mut self, mean: Pose, covariance: [[f64; 3]; 3]) -> bool {
        if !(mean.is_finite() && covariance.iter().flatten().all(|part| part.is_finite())) {
            return false;
        }
        let (direction, deviations) = principal_axes(covariance);
        let yaw_deviation = covariance[2][2].max(0.0).sqrt();
        let random = &mut self.random;
        self.filter.settings = self.settings.filter;
        self.filter.fill(|| {
            let [long, short] = deviations.map(|deviation| random.normal(deviation));
            Pose {
                x: mean.x + direction.cos() * long - direction.sin() * short,
                y: mean.y + direction.sin() * long + direction.cos() * short,
                yaw: wrapped(mean.yaw + random.normal(yaw_deviation)),
            }
        });
        self.restart();
        true
    }

    /// Distributes all particles uniformly over the free cells of the map.
    pub fn set_anywhere(&mut self) {
        let (field, random) = (&self.field, &mut self.random);
        self.filter.settings = self.settings.filter;
        self.filter.fill(|| field.free_pose(random).unwrap_or_default());
        self.restart();
    }

    fn restart(&mut self) {
        (self.last_odometry, self.scan_count, self.has_converged) = (None, 0, false);
    }

    /// Makes the next scan count even if the robot has not moved.
    pub fn force_update(&mut self) {
        self.is_forced = true;
    }

    /// Updates the particles with a scan. `odometry` is the pose of the robot in the frame of its odometry at the time of the scan.
    ///
    /// A pose that is not finite changes nothing.
    pub fn update(&mut self, odometry: Pose, scan: &Scan<'_>) -> Update {
        if !odometry.is_finite() {
            return Update::default();
        }
        let Some(last) = self.last_odometry else {
            self.last_odometry = Some(odometry);
            return self.weigh(scan);
        };
        let has_moved = (odometry.x - last.x).abs() > self.settings.update_min_d
            || (odometry.y - last.y).abs() > self.settings.update_min_d
            || wrapped(odometry.yaw - last.yaw).abs() > self.settings.update_min_a;
        if !has_moved && !std::mem::take(&mut self.is_forced) {
            return Update::default();
        }
        let motion = OdometryMotion::between(&last, &odometry);
        for particle in &mut self.filter.particles {
            motion.apply(self.settings.model, &self.settings.noise, &mut particle.pose, &mut self.random);
        }
        self.last_odometry = Some(odometry);
        self.weigh(scan)
    }

    /// Changes the weights of the particles by the likelihoods of a scan, and draws new particles when that is due.
    fn weigh(&mut self, scan: &Scan<'_>) -> Update {
        self.is_forced = false;
        self.filter.settings = self.settings.filter;
        let particles = &mut self.filter.particles;
        if !self.settings.sensor.weigh(&self.field, scan, particles, self.has_converged) {
            return Update::default();
        }
        self.filter.normalize();
        self.scan_count += 1;
        let is_resampled = self.scan_count.is_multiple_of(self.settings.resample_interval.max(1));
        if is_resampled {
            self.filter.resample(&self.field, &mut self.random);
            self.has_converged = self.filter.has_converged();
        }
        Update { is_weighed: true, is_resampled }
    }

    /// Returns the particles.
    pub fn particles(&self) -> &[Particle] {
        &self.filter.particles
    }

    /// Returns the estimate of the pose at the last scan that was used.
    pub fn estimate(&self) -> Estimate {
        self.filter.estimate()
    }

    /// Returns the odometry pose at the last scan that was used; `None` before the first one.
    pub fn odometry(&self) -> Option<Pose> {
        self.last_odometry
    }
}

/// Returns the direction of the long axis of the covariance ellipse of x and y, in radians, and the standard deviations along its axes,
/// in metres.
fn principal_axes(covariance: [[f64; 3]; 3]) -> (f64, [f64; 2]) {
    let (xx, xy, yy) = (covariance[0][0], covariance[0][1], covariance[1][1]);
    let (center, half) = ((xx + yy) / 2.0, ((xx - yy) / 2.0).hypot(xy));
    let direction = 0.5 * (2.0 * xy).atan2(xx - yy);
    (direction, [center + half, center - half].map(|variance| variance.max(0.0).sqrt()))
}
