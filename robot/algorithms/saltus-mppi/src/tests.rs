//! Tests of each critic against a case that was computed by hand, and of the controller on maps.

use std::{f64::consts::FRAC_PI_2, time::Duration};

use saltus_costmap::{Costmap, FREE, Footprint, INSCRIBED, InflationSettings, LETHAL, UNKNOWN};
use saltus_motion::{ControlError, Controller, GoalTolerance, Pose, Situation, SpeedLimit, Velocity};

use super::*;
use crate::{
    route::Route,
    sequence::{ControlSequence, MotionLimits},
};

const INFLATION: InflationSettings = InflationSettings { radius: 0.55, scaling: 3.0, inscribed: 0.2 };
const STEPS: usize = 20;

/// A case with a single motion without noise: a constant velocity for a second.
struct Case {
    map: Costmap,
    footprint: Footprint,
    robot: Pose,
    path: Vec<Pose>,
    velocity: [f32; 3],
    model: MotionModel,
}

/// Returns a path along the axis x with a length in metres and a point every 5 cm.
fn straight(length: f64) -> Vec<Pose> {
    (0..=(length / 0.05).round() as u32).map(|step| Pose::new(f64::from(step) * 0.05, 0.0, 0.0)).collect()
}

impl Case {
    fn new(velocity: [f32; 3], length: f64) -> Self {
        Self {
            // The points of the path are in the middle of cells.
            map: Costmap::new((201, 201), 0.05, [-5.025, -5.025], FREE),
            footprint: Footprint::circle(0.2),
            robot: Pose::default(),
            path: straight(length),
            velocity,
            model: MotionModel::Differential,
        }
    }

    /// Fills the map with a cost.
    fn with_cost(mut self, cost: u8) -> Self {
        let area = self.map.area();
        let count = self.map.costs().len();
        assert!(self.map.fill(area, &vec![cost; count]));
        self
    }

    fn situation(&self) -> Situation<'_> {
        Situation {
            map: &self.map,
            footprint: &self.footprint,
            robot: self.robot,
            velocity: Velocity::default(),
            path: &self.path,
            tolerance: GoalTolerance::default(),
            inflation: Some(INFLATION),
            now: Duration::ZERO,
        }
    }

    /// Returns the cost of the motion, and whether the robot can follow it.
    fn score(&self, mut critic: impl Critic) -> (f32, bool) {
        let settings =
            MppiSettings { batch_size: 1, time_steps: STEPS, model: self.model, ..MppiSettings::default() };
        let mut batch = Batch::new(&settings).without_noise();
        let mut sequence = ControlSequence::new(STEPS);
        sequence.0.iter_mut().zip(self.velocity).for_each(|(values, velocity)| values.fill(velocity));
        let limits = MotionLimits::new(&settings, 1.0);
        batch.sample(&sequence, &limits, self.velocity, self.robot.yaw as f32, 0.05);
        let situation = self.situation();
        let ahead = Route::default().ahead(&self.path, &self.robot, &self.map, &settings).to_vec();
        let scene = Scene::new(&situation, &ahead, &batch, (self.model, 0.05));
        let mut costs = [0.0];
        let is_possible = critic.score(&scene, &mut costs);
        (costs[0], is_possible)
    }
}

fn assert_near(found: f32, expected: f32) {
    assert!((found - expected).abs() <= expected.abs() * 1e-3 + 1e-4, "{found} instead of {expected}");
}

/// 0.4 m/s for a second: the points are 0.02, 0.04 … 0.4 m ahead.
const AHEAD: [f32; 3] = [0.4, 0.0, 0.0];

#[test]
fn the_distance_to_a_near_goal_counts() {
    // The mean distance from a goal at 1 m is 1 m - 0.21 m.
    assert_near(Case::new(AHEAD, 1.0).score(GoalCritic::default()).0, 5.0 * 0.79);
    assert_near(Case::new(AHEAD, 2.0).score(GoalCritic::default()).0, 0.0);
    let squared = GoalCritic { weight: Weight { weight: 5.0, power: 2 }, threshold: 1.4 };
    assert_near(Case::new(AHEAD, 1.0).score(squared).0, (5.0_f32 * 0.79).powi(2));
}

#[test]
fn the_heading_of_a_goal_counts_near_it() {
    let mut case = Case::new(AHEAD, 0.4);
    case.robot.yaw = 0.3;
    assert_near(case.score(GoalAngleCritic::default()).0, 3.0 * 0.3);
    case.robot.yaw = 3.0;
    let symmetric = GoalAngleCritic { is_symmetric: true, ..GoalAngleCritic::default() };
    assert_near(case.score(symmetric).0, 3.0 * (std::f32::consts::PI - 3.0));
    assert_near(Case::new(AHEAD, 1.0).score(GoalAngleCritic::default()).0, 0.0);
}

#[test]
fn the_distance_of_a_motion_to_the_path_counts() {
    // The motion reaches the 8th point of the path.
    let align = PathAlignCritic { offset_from_furthest: 8, ..PathAlignCritic::default() };
    let mut case = Case::new(AHEAD, 4.0);
    // Every fourth point except the first counts: it is 0.1, 0.18 … m ahead, and the path has a point each 0.05 m.
    let points = [0.08_f32, 0.16, 0.24, 0.32];
    let nearest = [0.1_f32, 0.15, 0.25, 0.3];
    let mean_distance = |offset: f32| {
        points.iter().zip(nearest).map(|(driven, along)| (along - (0.02 + driven)).hypot(offset)).sum::<f32>()
            / 4.0
    };
    assert_near(case.score(align).0, 10.0 * mean_distance(0.0));
    case.robot.y = 0.1;
    assert_near(case.score(align).0, 10.0 * mean_distance(0.1));
    let far = PathAlignCritic { offset_from_furthest: 9, ..align };
    assert_near(case.score(far).0, 0.0);
    // Half of the path is blocked, so the critic does not count.
    for column in 100..108 {
        if column % 2 == 0 {
            case.map.set((column, 100), LETHAL);
        }
    }
    assert_near(case.score(align).0, 0.0);
}

#[test]
fn the_progress_of_a_motion_along_the_path_counts() {
    // From the 8th point on, six more: 0.7 m. The motion ends at 0.4 m.
    let mut case = Case::new(AHEAD, 4.0);
    assert_near(case.score(PathFollowCritic::default()).0, 5.0 * 0.3);
    // The point is behind the obstacle on the path.
    let cell = case.map.cell_at([0.7, 0.0]).unwrap();
    case.map.set(cell, INSCRIBED);
    assert_near(case.score(PathFollowCritic::default()).0, 5.0 * 0.35);
    assert_near(Case::new(AHEAD, 1.0).score(PathFollowCritic::default()).0, 0.0);
}

#[test]
fn the_angle_to_the_path_counts() {
    let mut case = Case::new([0.0, 0.0, 0.0], 4.0);
    case.robot.yaw = FRAC_PI_2;
    // It stands, and the point is 0.2 m ahead: a right angle.
    let right = std::f32::consts::FRAC_PI_2;
    assert_near(case.score(PathAngleCritic::default()).0, 2.2 * right);
    case.robot.yaw = 3.0;
    let any =
        PathAngleCritic { mode: AngleMode::Any, max_angle_to_furthest: 0.1, ..PathAngleCritic::default() };
    assert_near(case.score(any).0, 2.2 * (std::f32::consts::PI - 3.0));
    case.path.iter_mut().for_each(|pose| pose.yaw = std::f64::consts::PI);
    let of_path = PathAngleCritic { mode: AngleMode::OfPath, ..any };
    assert_near(case.score(of_path).0, 2.2 * (std::f32::consts::PI - 3.0));
    case.robot.yaw = 0.2;
    assert_near(case.score(PathAngleCritic::default()).0, 0.0);
}

#[test]
fn velocities_outside_of_the_limits_and_backward_motion_count() {
    let fast = Case::new([0.6, 0.0, 0.0], 4.0);
    // 0.1 m/s too fast for a second.
    assert_near(fast.score(ConstraintCritic::default()).0, 4.0 * 0.1);
    let backward = Case::new([-0.45, 0.0, 0.0], 4.0);
    assert_near(backward.score(ConstraintCritic::default()).0, 4.0 * 0.1);
    assert_near(backward.score(PreferForwardCritic::default()).0, 5.0 * 0.45);
    let mut omni = Case::new([0.3, 0.4, 0.0], 4.0);
    omni.model = MotionModel::Omni;
    let limits = ConstraintCritic { vx_max: 0.3, vy_max: 0.0, ..ConstraintCritic::default() };
    assert_near(omni.score(limits).0, 4.0 * 0.2);
    let mut car = Case::new([0.4, 0.0, 1.0], 4.0);
    car.model = MotionModel::Ackermann { min_turning_radius: 0.5 };
    assert_near(car.score(ConstraintCritic::default()).0, 4.0 * 0.1);
    let turning = Case::new([0.0, 0.0, -0.5], 4.0);
    assert_near(turning.score(TwirlingCritic::default()).0, 10.0 * 0.5);
    let slow = Case::new([0.02, 0.0, 0.1], 4.0);
    let deadband =
        VelocityDeadbandCritic { deadband: [0.05, 1.0, 0.05], ..VelocityDeadbandCritic::default() };
    assert_near(slow.score(deadband).0, 35.0 * 0.03);
}

#[test]
fn obstacles_count_and_collisions_are_not_possible() {
    let (cost, is_possible) = Case::new(AHEAD, 4.0).with_cost(100).score(CostCritic::default());
    assert_near(cost, 3.81 * 100.0 / 254.0);
    assert!(is_possible);
    // A near collision by the settings.
    let careful = CostCritic { near_collision_cost: 90, ..CostCritic::default() };
    assert_near(Case::new(AHEAD, 4.0).with_cost(100).score(careful).0, 3.81 * 300.0 / 254.0);
    // Near the goal, costs below a near collision do not count.
    assert_near(Case::new(AHEAD, 0.4).with_cost(100).score(CostCritic::default()).0, 0.0);
    for blocked in [LETHAL, INSCRIBED, UNKNOWN] {
        let (cost, is_possible) = Case::new(AHEAD, 4.0).with_cost(blocked).score(CostCritic::default());
        assert_near(cost, 3.81 * 1e6 / 254.0 / 10.0);
        assert!(!is_possible, "{blocked}");
        assert!(!Case::new(AHEAD, 4.0).with_cost(blocked).score(ObstaclesCritic::default()).1, "{blocked}");
    }
    // An obstacle is below the outline of the robot, but not below its centre.
    let outline = CostCritic { consider_footprint: true, ..CostCritic::default() };
    let mut case = Case::new(AHEAD, 4.0).with_cost(1);
    case.footprint = Footprint::polygon(vec![[-0.3, -0.1], [0.3, -0.1], [0.3, 0.1], [-0.3, 0.1]]).unwrap();
    (90..110).for_each(|column| case.map.set((column, 102), LETHAL));
    assert!(case.score(CostCritic::default()).1);
    assert!(case.score(outline).1, "a cost of 1 is too far away for its outline");
    case = case.with_cost(200);
    (90..110).for_each(|column| case.map.set((column, 102), LETHAL));
    assert!(!case.score(outline).1);
}

#[test]
fn distances_of_obstacles_follow_from_costs() {
    // A cost of 252 is 1.3 mm from the radius of the robot, so all 20 points are 98.7 mm within the margin.
    let distance = (253.0_f32 / 252.0).ln() / 3.0;
    let (cost, is_possible) = Case::new(AHEAD, 4.0).with_cost(252).score(ObstaclesCritic::default());
    assert_near(cost, 20.0 * 20.0 * (0.1 - distance));
    assert!(is_possible);
    assert_near(Case::new(AHEAD, 4.0).with_cost(100).score(ObstaclesCritic::default()).0, 0.0);
}

#[test]
fn motions_are_arcs_with_the_acceleration_of_the_robot() {
    let settings = MppiSettings { batch_size: 1, time_steps: STEPS, ..MppiSettings::default() };
    let mut batch = Batch::new(&settings).without_noise();
    let mut sequence = ControlSequence::new(STEPS);
    sequence.0[0].fill(0.5);
    let limits = MotionLimits::new(&settings, 1.0);
    batch.sample(&sequence, &limits, [0.0; 3], 0.0, 0.05);
    // 3 m/s² in steps of 50 ms.
    let vx: Vec<f32> = batch.trajectory(0).vx[..5].iter().map(|vx| (vx * 1e4).round() / 1e4).collect();
    assert_eq!(vx, [0.0, 0.15, 0.3, 0.45, 0.5]);
    sequence.0[0].fill(0.4);
    sequence.0[2].fill(0.8);
    batch.sample(&sequence, &limits, [0.4, 0.0, 0.8], 0.0, 0.05);
    let motion = batch.trajectory(0);
    // A second on a circle with a radius of 0.5 m. The steps are chords, so the end is slightly off.
    assert!((motion.yaw[STEPS - 1] - 0.8).abs() < 1e-5);
    assert!((motion.x[STEPS - 1] - 0.5 * 0.8_f32.sin()).abs() < 0.01);
    assert!((motion.y[STEPS - 1] - 0.5 * (1.0 - 0.8_f32.cos())).abs() < 0.01);
}

#[test]
fn a_sequence_is_limited_smoothed_and_shifted() {
    let settings = MppiSettings { ax_max: 1.0, ax_min: -2.0, ..MppiSettings::default() };
    let limits = MotionLimits::new(&settings, 0.5);
    let mut sequence = ControlSequence::new(30);
    sequence.0[0][1..].fill(9.0);
    sequence.0[2].fill(-9.0);
    sequence.limit(&limits);
    let rounded: Vec<f32> = sequence.0[0][..7].iter().map(|vx| (vx * 1e4).round() / 1e4).collect();
    // Half of the velocity, but all of the acceleration.
    assert_eq!(rounded, [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.25]);
    assert!(sequence.0[2].iter().all(|wz| *wz == -0.95));
    // A quadratic filter does not change a parabola.
    let parabola = |step: usize| (step as f32 / 10.0).powi(2);
    let mut sequence = ControlSequence::new(30);
    sequence.0[0] = (0..30).map(parabola).collect();
    sequence.smooth(&[[0.16, 0.0, 0.0], [0.09, 0.0, 0.0], [0.04, 0.0, 0.0], [0.01, 0.0, 0.0]]);
    for step in 0..25 {
        assert!((sequence.0[0][step] - parabola(step)).abs() < 1e-4, "{step}");
    }
    let before = sequence.0[0].clone();
    sequence.shift();
    assert_eq!((sequence.0[0][0], sequence.0[0][28], sequence.0[0][29]), (before[1], before[29], before[29]));
    let car =
        MppiSettings { model: MotionModel::Ackermann { min_turning_radius: 0.5 }, ..MppiSettings::default() };
    let mut sequence = ControlSequence::new(3);
    sequence.0[0].fill(0.2);
    sequence.0[2].fill(-1.5);
    sequence.limit(&MotionLimits::new(&car, 1.0));
    assert!(sequence.0[2].iter().all(|wz| (*wz + 0.4).abs() < 1e-6));
}

#[test]
fn a_route_advances_and_stops_at_reversals() {
    let map = Costmap::new((60, 60), 0.05, [-1.5, -1.5], FREE);
    let tolerance = Inversion { xy: 0.1, yaw: 0.2 };
    let settings = MppiSettings { inversion: Some(tolerance), ..MppiSettings::default() };
    // To x = 1 m, and then back to x = 0.5 m.
    let back = (1..=10).map(|step| Pose::new(1.0 - f64::from(step) * 0.05, 0.0, 0.0));
    let path: Vec<Pose> = straight(1.0).into_iter().chain(back).collect();
    let mut route = Route::default();
    let end = |route: &mut Route, x: f64| {
        let ahead = route.ahead(&path, &Pose::new(x, 0.0, 0.0), &map, &settings);
        (ahead.first().unwrap().x, ahead.last().unwrap().x, ahead.len())
    };
    assert_eq!(end(&mut route, 0.0), (0.0, 1.0, 21));
    assert_eq!(end(&mut route, 0.8), (0.8, 1.0, 5));
    assert_eq!(end(&mut route, 0.99).1, 0.5);
    // The route does not go back to poses that the robot has passed.
    let plain = MppiSettings::default();
    let mut route = Route::default();
    assert_eq!(route.ahead(&path, &Pose::new(0.5, 0.0, 0.0), &map, &plain)[0].x, 0.5);
    assert!(route.ahead(&path, &Pose::default(), &map, &plain)[0].x >= 0.5);
    // Poses outside of the costmap do not count.
    let small = Costmap::new((10, 10), 0.05, [-0.25, -0.25], FREE);
    assert_eq!(Route::default().ahead(&path, &Pose::default(), &small, &plain).len(), 5);
    assert!(Route::default().ahead(&[], &Pose::default(), &map, &plain).is_empty());
}

fn controller(settings: MppiSettings) -> Mppi {
    let critics: Vec<Box<dyn Critic>> = vec![
        Box::new(ConstraintCritic::default()),
        Box::new(CostCritic::default()),
        Box::new(GoalCritic::default()),
        Box::new(GoalAngleCritic::default()),
        Box::new(PathAlignCritic::default()),
        Box::new(PathFollowCritic::default()),
        Box::new(PathAngleCritic::default()),
        Box::new(PreferForwardCritic::default()),
    ];
    Mppi::new(settings, critics).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_velocities() {
    let case = Case::new(AHEAD, 4.0);
    let commands = |seed| {
        let mut mppi = controller(MppiSettings { seed, ..MppiSettings::default() });
        (0..10).map(|_| mppi.command(&case.situation()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(commands(1), commands(1));
    assert_ne!(commands(1), commands(2));
}

#[test]
fn velocities_keep_their_limits() {
    let case = Case::new(AHEAD, 4.0);
    let mut mppi = controller(MppiSettings::default());
    mppi.limit_speed(SpeedLimit::Absolute(0.1));
    mppi.limit_speed(SpeedLimit::Absolute(f64::NAN));
    // The robot reaches each command at once.
    let mut velocity = Velocity::default();
    let mut fastest = |mppi: &mut Mppi| {
        let mut command = |_| {
            velocity = mppi.command(&Situation { velocity, ..case.situation() }).unwrap();
            velocity.x
        };
        (0..40).map(&mut command).fold(0.0, f64::max)
    };
    let limited = fastest(&mut mppi);
    assert!((0.05..=0.1001).contains(&limited), "{limited}");
    mppi.limit_speed(SpeedLimit::None);
    let free = fastest(&mut mppi);
    assert!((0.4..=0.5001).contains(&free), "{free}");
}

#[test]
fn impossible_situations_and_settings_are_errors() {
    let mut mppi = controller(MppiSettings::default());
    let blocked = Case::new(AHEAD, 4.0).with_cost(LETHAL);
    assert!(matches!(mppi.command(&blocked.situation()), Err(ControlError::NoValidControl(_))));
    let mut away = Case::new(AHEAD, 4.0);
    away.robot = Pose::new(100.0, 0.0, 0.0);
    away.path = vec![Pose::new(100.0, 0.0, 0.0)];
    assert!(matches!(mppi.command(&away.situation()), Err(ControlError::Path(_))));
    let mut wrong = Case::new(AHEAD, 4.0);
    wrong.robot.x = f64::NAN;
    assert!(matches!(mppi.command(&wrong.situation()), Err(ControlError::Path(_))));
    assert!(mppi.command(&Case::new(AHEAD, 4.0).situation()).is_ok());
    let mut broken = controller(MppiSettings::default());
    broken.critics.push(Box::new(TwirlingCritic { weight: Weight::linear(f64::NAN) }));
    let error = broken.command(&Case::new(AHEAD, 4.0).situation());
    assert!(matches!(error, Err(ControlError::NoValidControl(_))));
    // A robot that cannot drive sideways needs no deviation sideways.
    assert!(Mppi::new(MppiSettings { std: [0.2, 0.0, 0.4], ..MppiSettings::default() }, Vec::new()).is_ok());
    let refused = [
        MppiSettings { batch_size: 0, ..MppiSettings::default() },
        MppiSettings { batch_size: usize::MAX, ..MppiSettings::default() },
        MppiSettings { time_steps: 1, ..MppiSettings::default() },
        MppiSettings { temperature: 0.0, ..MppiSettings::default() },
        MppiSettings { std: [1e300, 0.2, 0.4], ..MppiSettings::default() },
        MppiSettings { vx_max: f64::NAN, ..MppiSettings::default() },
        MppiSettings { vx_min: 1.0, ..MppiSettings::default() },
        MppiSettings { std: [0.2, 0.2, 0.0], ..MppiSettings::default() },
        MppiSettings { period: 0.1, ..MppiSettings::default() },
        MppiSettings { model: MotionModel::Ackermann { min_turning_radius: 0.0 }, ..MppiSettings::default() },
    ];
    for settings in refused {
        assert!(Mppi::new(settings.clone(), Vec::new()).is_err(), "{settings:?}");
    }
}
