//! The localization.

use saltus_motion::{Pose, wrapped};

use crate::{
    field::Field,
    filter::{Estimate, Filter, FilterSettings, Particle},
    motion::{Motion, MotionModel, MotionNoise},
    random::Random,
    sensor::{Scan, SensorSettings},
};

/// What a localization depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AmclSettings {
    /// How the robot drives.
    pub model: MotionModel,
    /// How wrong its odometry is.
    pub noise: MotionNoise,
    /// What its lidar is like.
    pub sensor: SensorSettings,
    /// The particles.
    pub filter: FilterSettings,
    /// How far the robot must move along x or y before a scan counts, in metres.
    pub update_min_d: f64,
    /// Or how far it must turn, in radians.
    pub update_min_a: f64,
    /// After how many scans new particles are drawn.
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

/// What a scan changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Whether the particles have other weights.
    pub is_weighed: bool,
    /// Whether there are new particles.
    pub is_resampled: bool,
}

/// Where a robot is in a map.
#[derive(Clone, Debug)]
pub struct Amcl {
    settings: AmclSettings,
    field: Field,
    filter: Filter,
    random: Random,
    /// The pose of the odometry at the last scan that counted.
    last: Option<Pose>,
    is_forced: bool,
    scans: u32,
    has_converged: bool,
}

impl Amcl {
    /// Returns a localization of which all particles are at the origin of the map. The same seed and input give the same result.
    pub fn new(settings: AmclSettings, field: Field, seed: u64) -> Self {
        Self {
            settings,
            field,
            filter: Filter::new(settings.filter),
            random: Random::new(seed),
            last: None,
            is_forced: false,
            scans: 0,
            has_converged: false,
        }
    }

    /// Returns the settings, to change them.
    pub fn settings_mut(&mut self) -> &mut AmclSettings {
        &mut self.settings
    }

    /// Takes another map. The particles stay.
    pub fn set_field(&mut self, field: Field) {
        self.field = field;
    }

    /// Says that the robot is about at a pose, with a covariance of x, y and the heading. Returns whether these are finite; otherwise
    /// nothing changes.
    pub fn set_pose(&mut self, mean: Pose, covariance: [[f64; 3]; 3]) -> bool {
        if !(mean.is_finite() && covariance.iter().flatten().all(|part| part.is_finite())) {
            return false;
        }
        let (axes, deviations) = axes(covariance);
        let turn = covariance[2][2].max(0.0).sqrt();
        let random = &mut self.random;
        self.filter.settings = self.settings.filter;
        self.filter.fill(|| {
            let [long, short] = deviations.map(|deviation| random.normal(deviation));
            Pose {
                x: mean.x + axes.cos() * long - axes.sin() * short,
                y: mean.y + axes.sin() * long + axes.cos() * short,
                yaw: wrapped(mean.yaw + random.normal(turn)),
            }
        });
        self.start();
        true
    }

    /// Says that the robot may be anywhere where the map is free.
    pub fn set_anywhere(&mut self) {
        let (field, random) = (&self.field, &mut self.random);
        self.filter.settings = self.settings.filter;
        self.filter.fill(|| field.free_pose(random).unwrap_or_default());
        self.start();
    }

    fn start(&mut self) {
        (self.last, self.scans, self.has_converged) = (None, 0, false);
    }

    /// Lets the next scan count, even if the robot has not moved.
    pub fn force_update(&mut self) {
        self.is_forced = true;
    }

    /// Takes a scan, and where the robot was then, as its odometry says.
    ///
    /// A pose that is not finite changes nothing.
    pub fn update(&mut self, odometry: Pose, scan: &Scan<'_>) -> Update {
        if !odometry.is_finite() {
            return Update::default();
        }
        let Some(last) = self.last else {
            self.last = Some(odometry);
            return self.weigh(scan);
        };
        let has_moved = (odometry.x - last.x).abs() > self.settings.update_min_d
            || (odometry.y - last.y).abs() > self.settings.update_min_d
            || wrapped(odometry.yaw - last.yaw).abs() > self.settings.update_min_a;
        if !has_moved && !std::mem::take(&mut self.is_forced) {
            return Update::default();
        }
        let motion = Motion::between(&last, &odometry);
        for particle in &mut self.filter.particles {
            motion.apply(self.settings.model, &self.settings.noise, &mut particle.pose, &mut self.random);
        }
        self.last = Some(odometry);
        self.weigh(scan)
    }

    fn weigh(&mut self, scan: &Scan<'_>) -> Update {
        self.is_forced = false;
        self.filter.settings = self.settings.filter;
        let particles = &mut self.filter.particles;
        if !self.settings.sensor.weigh(&self.field, scan, particles, self.has_converged) {
            return Update::default();
        }
        self.filter.normalize();
        self.scans += 1;
        let is_resampled = self.scans.is_multiple_of(self.settings.resample_interval.max(1));
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

    /// Returns where the robot was at the last scan that counted.
    pub fn estimate(&self) -> Estimate {
        self.filter.estimate()
    }

    /// Returns the pose of the odometry at the last scan that counted.
    pub fn odometry(&self) -> Option<Pose> {
        self.last
    }
}

/// Returns the direction of the long axis of the ellipse of a covariance, and the standard deviations along its axes.
fn axes(covariance: [[f64; 3]; 3]) -> (f64, [f64; 2]) {
    let (xx, xy, yy) = (covariance[0][0], covariance[0][1], covariance[1][1]);
    let (middle, half) = ((xx + yy) / 2.0, ((xx - yy) / 2.0).hypot(xy));
    let direction = 0.5 * (2.0 * xy).atan2(xx - yy);
    (direction, [middle + half, middle - half].map(|variance| variance.max(0.0).sqrt()))
}
