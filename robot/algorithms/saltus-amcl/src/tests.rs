//! Tests of the parts of the localization against formulas, and of the noise of many particles against its model.

use std::f64::consts::PI;

use proptest::prelude::*;
use saltus_motion::Pose;

use super::*;
use crate::{bins::Bins, filter::Filter, motion::OdometryMotion, random::Random};

/// Returns a room of 4 m x 3 m with walls and a box on its right side, in cells of 0.1 m.
fn room() -> Field {
    let (width, height) = (40, 30);
    let value = |index: usize| {
        let (column, row) = (index % width, index / width);
        let is_wall = column == 0 || row == 0 || column == width - 1 || row == height - 1;
        let is_box = (25..30).contains(&column) && (15..20).contains(&row);
        if is_wall || is_box { 100 } else { 0 }
    };
    let values: Vec<i8> = (0..width * height).map(value).collect();
    Field::new((40, 30), 0.1, [-2.0, -1.5], &values, 2.0)
}

/// Returns the distances that a lidar with 90 rays measures at a pose.
fn ranges(field: &Field, pose: &Pose) -> Vec<f32> {
    let range = |ray: u32| field.range([pose.x, pose.y], pose.yaw + f64::from(ray) * PI / 45.0, 3.5) as f32;
    (0..90).map(range).collect()
}

fn scan(ranges: &[f32]) -> Scan<'_> {
    Scan {
        sensor: Pose::default(),
        angle_min: 0.0,
        angle_increment: PI / 45.0,
        range_min: 0.1,
        range_max: 3.5,
        ranges,
    }
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

#[test]
fn distances_outside_of_the_map_are_the_largest_one() {
    let field = Field::new((5, 1), 1.0, [0.0, 0.0], &[0, 0, 0, 100, -1], 2.0);
    assert_eq!([0.5, 1.5, 2.5, 3.5, 9.0].map(|x| field.distance([x, 0.5])), [2.0, 2.0, 1.0, 0.0, 2.0]);
}

proptest! {
    #[test]
    fn distances_are_those_to_the_nearest_obstacle(
        (width, height) in (1_u32..25, 1_u32..25),
        numbers in prop::collection::vec(0_u8..100, 30..700),
    ) {
        let value = |index: u32| match numbers[index as usize % numbers.len()] {
            0..4 => 100,
            4..20 => -1,
            _ => 0,
        };
        let values: Vec<i8> = (0..width * height).map(value).collect();
        let field = Field::new((width, height), 0.5, [1.0, 2.0], &values, 4.0);
        for index in 0..width * height {
            let center = |index: u32| {
                [1.0 + 0.5 * (f64::from(index % width) + 0.5), 2.0 + 0.5 * (f64::from(index / width) + 0.5)]
            };
            let [x, y] = center(index);
            let occupied = (0..width * height).filter(|other| values[*other as usize] == 100);
            let distance = |other: u32| (center(other)[0] - x).hypot(center(other)[1] - y);
            let nearest = occupied.map(distance).fold(4.0, f64::min);
            prop_assert!((f64::from(field.distance([x, y])) - nearest).abs() < 1e-5);
        }
    }
}

/// Moves many particles, and returns the means and the standard deviations of x, y and the heading.
fn moved(model: MotionModel, noise: &MotionNoise, to: Pose) -> ([f64; 3], [f64; 3]) {
    let mut random = Random::new(5);
    let from = Pose::new(1.0, 1.0, PI / 2.0);
    let motion = OdometryMotion::between(&from, &to);
    let poses: Vec<[f64; 3]> = (0..20_000)
        .map(|_| {
            let mut pose = Pose::new(0.0, 0.0, 0.0);
            motion.apply(model, noise, &mut pose, &mut random);
            pose.to_array()
        })
        .collect();
    let means = [0, 1, 2].map(|axis| mean(poses.iter().map(|pose| pose[axis])));
    let deviations =
        [0, 1, 2].map(|axis| mean(poses.iter().map(|pose| (pose[axis] - means[axis]).powi(2))).sqrt());
    (means, deviations)
}

fn assert_near(found: [f64; 3], expected: [f64; 3], bound: f64) {
    let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < bound);
    assert!(is_near, "{found:?} {expected:?}");
}

#[test]
fn particles_move_with_the_noise_of_their_model() {
    let none = MotionNoise { alpha1: 0.0, alpha2: 0.0, alpha3: 0.0, alpha4: 0.0, alpha5: 0.0 };
    // 0.5 m ahead along y, 0.2 m to the left, which is -x, and a turn.
    let to = Pose::new(0.8, 1.5, PI / 2.0 + 0.4);
    for model in [MotionModel::Differential, MotionModel::Omni] {
        let (means, deviations) = moved(model, &none, to);
        assert_near(means, [0.5, 0.2, 0.4], 1e-9);
        assert_near(deviations, [0.0; 3], 1e-9);
    }
    // 1 m straight ahead: the deviation of the translation is the root of alpha3, and that of the first turn the root of alpha2.
    let ahead = Pose::new(1.0, 2.0, PI / 2.0);
    let noise = MotionNoise { alpha3: 0.01, ..none };
    let (means, deviations) = moved(MotionModel::Differential, &noise, ahead);
    assert_near(means, [1.0, 0.0, 0.0], 0.003);
    assert_near(deviations, [0.1, 0.0, 0.0], 0.003);
    let noise = MotionNoise { alpha2: 0.01, ..none };
    let (_, deviations) = moved(MotionModel::Differential, &noise, ahead);
    // Two turns of 0.1 rad each.
    assert_near(deviations, [0.007, 0.1, 0.1414], 0.003);
    // A turn of 0.5 rad on the spot: the root of alpha1 times 0.5.
    let turn = Pose::new(1.0, 1.0, PI / 2.0 + 0.5);
    let noise = MotionNoise { alpha1: 0.04, ..none };
    let (means, deviations) = moved(MotionModel::Differential, &noise, turn);
    assert_near(means, [0.0, 0.0, 0.5], 0.003);
    assert_near(deviations, [0.0, 0.0, 0.1], 0.003);
    // Backward motion is no turn by 180 degrees.
    let back = Pose::new(1.0, 0.5, PI / 2.0);
    let (means, deviations) = moved(MotionModel::Differential, &noise, back);
    assert_near(means, [-0.5, 0.0, 0.0], 1e-9);
    assert_near(deviations, [0.0; 3], 1e-9);
    // Only the omnidirectional model adds sideways noise.
    let noise = MotionNoise { alpha5: 0.01, ..none };
    let (_, deviations) = moved(MotionModel::Omni, &noise, ahead);
    assert_near(deviations, [0.0, 0.1, 0.0], 0.003);
}

/// Returns the weights of particles for the scan at a pose.
fn weights(
    settings: &SensorSettings,
    poses: &[Pose],
    truth: &Pose,
    change: impl Fn(&mut Vec<f32>),
) -> Vec<f64> {
    let field = room();
    let mut ranges = ranges(&field, truth);
    change(&mut ranges);
    let mut particles: Vec<Particle> =
        poses.iter().map(|pose| Particle { pose: *pose, weight: 1.0 }).collect();
    assert!(settings.weigh(&field, &scan(&ranges), &mut particles, true));
    particles.iter().map(|particle| particle.weight).collect()
}

#[test]
fn the_true_pose_is_the_most_likely() {
    let truth = Pose::new(-0.6, 0.2, 0.4);
    let others: Vec<Pose> = [(0.4, 0.0, 0.0), (0.0, -0.4, 0.0), (0.0, 0.0, 0.5), (0.3, 0.3, -0.4)]
        .iter()
        .map(|(x, y, yaw)| Pose::new(truth.x + x, truth.y + y, truth.yaw + yaw))
        .collect();
    let poses: Vec<Pose> = [truth].into_iter().chain(others).collect();
    for model in [SensorModel::Beam, SensorModel::LikelihoodField, SensorModel::LikelihoodFieldProb] {
        let settings = SensorSettings { model, ..SensorSettings::default() };
        let weights = weights(&settings, &poses, &truth, |_| ());
        assert!(weights[1..].iter().all(|other| *other < weights[0]), "{model:?} {weights:?}");
    }
}

#[test]
fn weights_follow_the_formulas() {
    // One obstacle, and two rays to the right: one ends in it, and one 0.2 m before it.
    let field = Field::new((30, 1), 0.1, [0.0, 0.0], &[&[0; 20][..], &[100], &[0; 9]].concat(), 2.0);
    let pose = Pose::new(0.05, 0.05, 0.0);
    let weigh = |settings: &SensorSettings, ranges: &[f32]| {
        let mut particles = [Particle { pose, weight: 2.0 }];
        let scan = Scan { angle_increment: 0.0, ..scan(ranges) };
        settings.weigh(&field, &scan, &mut particles, true);
        particles[0].weight
    };
    let ends = SensorSettings { max_beams: 2, ..SensorSettings::default() };
    let random = 0.5 / 3.5;
    let (hit, short) = (0.5 + random, 0.5 * (-0.04_f64 / 0.08).exp() + random);
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6 * expected, "{found} {expected}");
    near(weigh(&ends, &[2.0, 1.8]), 2.0 * (1.0 + hit.powi(3) + short.powi(3)));
    // A ray that hit nothing and a ray that is NaN have no effect.
    near(weigh(&ends, &[f32::INFINITY, 1.8]), 2.0 * (1.0 + short.powi(3)));
    near(weigh(&ends, &[f32::NAN, 1.8]), 2.0 * (1.0 + short.powi(3)));
    let prob = SensorSettings { model: SensorModel::LikelihoodFieldProb, ..ends };
    near(weigh(&prob, &[2.0, 1.8]), 2.0 * hit * short);
    // The obstacle begins at 1.95 m from the sensor. A ray that is shorter may have hit something else.
    let beam = SensorSettings { model: SensorModel::Beam, ..ends };
    let fit = |difference: f64| 0.5 * (-difference * difference / 0.08).exp();
    let shorter = fit(0.15) + 0.05 * 0.1 * (-0.1_f64 * 1.8).exp() + random;
    let nothing = fit(3.5 - 1.95) + 0.05;
    near(weigh(&beam, &[1.8, f32::INFINITY]), 2.0 * (1.0 + shorter.powi(3) + nothing.powi(3)));
    let no_rays = SensorSettings { max_beams: 1, ..ends };
    assert_eq!(weigh(&no_rays, &[2.0, 1.8]), 2.0);
}

#[test]
fn rays_that_do_not_match_the_map_are_skipped() {
    let truth = Pose::new(-0.6, 0.2, 0.4);
    let skip = BeamSkip { distance: 0.3, threshold: 0.3, error_threshold: 0.9 };
    let model = SensorModel::LikelihoodFieldProb;
    let all = SensorSettings { model, max_beams: 90, ..SensorSettings::default() };
    let some = SensorSettings { skip: Some(skip), ..all };
    // Ten rays end at people in the middle of the room.
    let people = |ranges: &mut Vec<f32>| ranges[10..20].fill(0.5);
    let weight = |settings: &SensorSettings| weights(settings, &[truth], &truth, people)[0];
    assert!(weight(&some) > weight(&all) * 1e4);
    // If nearly all rays would be skipped, none is.
    let mismatched = |ranges: &mut Vec<f32>| ranges.fill(0.5);
    let weight = |settings: &SensorSettings| weights(settings, &[truth], &truth, mismatched)[0];
    assert_eq!(weight(&some), weight(&all));
}

#[test]
fn the_number_of_particles_follows_the_formula() {
    let settings = FilterSettings { min_particles: 1, max_particles: 100_000, ..FilterSettings::default() };
    // 19 / 0.1 (1 - 2/171 + sqrt(2/171) 0.99)³ = 249.7.
    assert_eq!(settings.required_particles(20), 250);
    assert_eq!(settings.required_particles(1), 100_000);
    let default = FilterSettings::default();
    assert_eq!([20, 100, 10_000].map(|bins| default.required_particles(bins)), [500, 1129, 2000]);
}

#[test]
fn clusters_are_bins_that_touch() {
    let mut bins = Bins::default();
    let poses = [
        Pose::new(0.1, 0.1, 3.1),
        Pose::new(0.6, 0.1, -3.1),
        Pose::new(0.1, 0.1, 1.0),
        Pose::new(9.0, 9.0, 1.0),
    ];
    poses.iter().for_each(|pose| bins.add(pose, 1.0));
    let clusters = bins.clusters();
    let [one, beside, turned, far] = poses.map(|pose| clusters.cluster(&pose).unwrap());
    assert_eq!(one, beside);
    assert!(one != turned && one != far && turned != far);
    assert_eq!((bins.count(), clusters.cluster(&Pose::new(5.0, 5.0, 0.0))), (4, None));
}

#[test]
fn the_estimate_is_the_mean_of_the_heaviest_cluster() {
    let mut filter = Filter::new(FilterSettings::default());
    let particle = |x: f64, yaw: f64, weight: f64| Particle { pose: Pose::new(x, 0.0, yaw), weight };
    filter.particles =
        vec![particle(0.1, PI - 0.05, 0.3), particle(0.3, 0.15 - PI, 0.3), particle(5.0, 0.0, 0.4)];
    let Estimate { pose, covariance } = filter.estimate();
    assert!((pose.x - 0.2).abs() < 1e-12 && (pose.yaw - (0.05 - PI)).abs() < 1e-12, "{pose:?}");
    let mean = 0.3 * 0.4 + 0.4 * 5.0;
    let variance = 0.3 * (0.01 + 0.09) + 0.4 * 25.0 - mean * mean;
    assert!((covariance[0][0] - variance).abs() < 1e-9);
    assert!(covariance[2][2] > 1.0);
}

fn amcl(settings: AmclSettings) -> Amcl {
    Amcl::new(settings, room(), 1)
}

#[test]
fn particles_have_the_covariance_of_the_initial_pose() {
    let mut amcl = amcl(AmclSettings::default());
    amcl.set_pose(Pose::new(1.0, 2.0, 3.1), [[0.09, 0.03, 0.0], [0.03, 0.04, 0.0], [0.0, 0.0, 0.01]]);
    let Estimate { pose, covariance } = amcl.estimate();
    assert!(pose.distance(&Pose::new(1.0, 2.0, 0.0)) < 0.05);
    let [[xx, xy, _], [_, yy, _], [_, _, yaw]] = covariance;
    assert_near([xx, xy, yy], [0.09, 0.03, 0.04], 0.01);
    assert!((yaw - 0.01).abs() < 0.002);
    amcl.set_pose(Pose::default(), [[0.0; 3]; 3]);
    assert!(amcl.particles().iter().all(|particle| particle.pose == Pose::default()));
    assert_eq!(amcl.particles().len(), 2000);
    amcl.set_anywhere();
    let field = room();
    assert!(amcl.particles().iter().all(|particle| field.distance([particle.pose.x, particle.pose.y]) > 0.0));
}

#[test]
fn a_scan_counts_after_the_robot_has_moved() {
    let mut amcl = amcl(AmclSettings { resample_interval: 2, ..AmclSettings::default() });
    let ranges = ranges(&room(), &Pose::default());
    let mut update = |x: f64, yaw: f64, forces: bool| {
        if forces {
            amcl.force_update();
        }
        let Update { is_weighed, is_resampled } = amcl.update(Pose::new(x, 0.0, yaw), &scan(&ranges));
        (is_weighed, is_resampled)
    };
    assert_eq!(update(5.0, 0.0, false), (true, false));
    assert_eq!(update(5.2, 0.1, false), (false, false));
    assert_eq!(update(5.26, 0.0, false), (true, true));
    assert_eq!(update(5.26, 0.21, false), (true, false));
    assert_eq!(update(5.26, 0.21, true), (true, true));
    assert_eq!(update(5.26, 0.21, false), (false, false));
    assert_eq!(amcl.odometry(), Some(Pose::new(5.26, 0.0, 0.21)));
    assert_eq!(amcl.update(Pose::new(9.0, 0.0, 0.0), &scan(&[])), Update::default());
}

#[test]
fn random_particles_are_added_when_scans_become_less_likely() {
    let far = |alphas: [f64; 2]| {
        let [recovery_alpha_slow, recovery_alpha_fast] = alphas;
        let filter = FilterSettings { recovery_alpha_slow, recovery_alpha_fast, ..FilterSettings::default() };
        let mut amcl = amcl(AmclSettings { filter, ..AmclSettings::default() });
        let (field, here, there) = (room(), Pose::default(), Pose::new(1.3, -0.6, -2.0));
        amcl.set_pose(here, [[0.001, 0.0, 0.0], [0.0, 0.001, 0.0], [0.0, 0.0, 0.001]]);
        for pose in [here, here, here, there] {
            let ranges = ranges(&field, &pose);
            amcl.force_update();
            amcl.update(Pose::default(), &scan(&ranges));
        }
        amcl.particles().iter().filter(|particle| particle.pose.distance(&here) > 0.5).count()
    };
    assert_eq!(far([0.0, 0.0]), 0);
    assert!(far([0.001, 0.1]) > 5, "{}", far([0.001, 0.1]));
}
