//! A localization in a known world.

use saltus_amcl::{
    Amcl, AmclSettings, Field, FilterSettings, MotionNoise, Scan, SensorModel, SensorSettings,
};

use saltus_motion::Pose;

use crate::world::World;

/// Returns a scan of the robot of these tests from 360 distances from 0 to 6.2 rad. The lidar is above its middle.
pub fn scan(ranges: &[f32]) -> Scan<'_> {
    Scan {
        sensor: Pose::default(),
        angle_min: 0.0,
        angle_increment: 6.2 / 359.0,
        range_min: 0.12,
        range_max: 3.5,
        ranges,
    }
}

/// Creates a localization in a known world. Its parameters are the defaults of Nav2, with two exceptions. The likelihoods of rays are
/// multiplied: with the sum of their cubes, only 68 of the 100 robots find their poses. And the noise of the odometry is lower, because
/// the defaults stand for an error of 45 %.
pub fn amcl(world: &World, max_particles: usize, max_beams: u32, seed: u64) -> Amcl {
    let settings = AmclSettings {
        noise: MotionNoise { alpha1: 0.05, alpha2: 0.05, alpha3: 0.05, alpha4: 0.05, alpha5: 0.05 },
        sensor: SensorSettings {
            model: SensorModel::LikelihoodFieldProb,
            max_beams,
            ..SensorSettings::default()
        },
        filter: FilterSettings { max_particles, ..FilterSettings::default() },
        ..AmclSettings::default()
    };
    let (size, resolution, origin) = (world.map.size(), world.map.resolution(), world.map.origin());
    Amcl::new(settings, Field::new(size, resolution, origin, &world.values(), 2.0), seed)
}
