//! Tests of motions against values that were computed by hand, and of smoothed paths on random maps.

use std::{f64::consts::PI, time::Duration};

use proptest::prelude::*;
use saltus_costmap::{Costmap, FREE, Footprint, LETHAL, UNKNOWN};

use super::{
    behavior::{Drive, Lookahead, Spin, SpinSettings, Step},
    *,
};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn poses_are_converted_between_frames() {
    let robot = Pose::new(1.0, -2.0, 2.5);
    let local = Pose::new(0.3, 0.4, 1.5);
    let global = robot.then(&local);
    let back = robot.relative(&global);
    assert!(back.distance(&local) < 1e-12 && (back.yaw - 1.5).abs() < 1e-12);
    assert!((global.yaw - (4.0 - 2.0 * PI)).abs() < 1e-12);
    assert_eq!((wrapped(PI), wrapped(-PI), wrapped(0.0)), (PI, PI, 0.0));
    assert!(!Pose::new(0.0, f64::NAN, 0.0).is_finite());
}

#[test]
fn parts_of_paths() {
    let path: Vec<Pose> = (0..5).map(|index| Pose::new(f64::from(index), 0.0, 0.0)).collect();
    assert_eq!(path::nearest(&path, &Pose::new(2.5, 1.0, 0.0)), Some(2));
    assert_eq!(path::nearest(&[], &Pose::default()), None);
    assert_eq!(path::remaining(&path, &Pose::new(2.6, 1.0, 0.0)), 1.0);
    assert_eq!((path::index_after(&path, 1.5), path::index_after(&path, 4.0)), (2, 5));
}

#[test]
fn a_goal_is_reached_within_its_tolerance() {
    let reached = |tolerance: GoalTolerance, robot: Pose, velocity: Velocity| {
        GoalChecker::new(tolerance).is_reached(&robot, &Pose::new(1.0, 0.0, 3.0), &velocity)
    };
    let tolerance = GoalTolerance::default();
    let still = Velocity::default();
    assert!(reached(tolerance, Pose::new(1.2, 0.1, -3.1), still));
    assert!(!reached(tolerance, Pose::new(1.3, 0.0, 3.0), still));
    assert!(!reached(tolerance, Pose::new(1.0, 0.0, 2.7), still));
    assert!(reached(GoalTolerance { yaw: None, ..tolerance }, Pose::new(1.0, 0.0, 0.0), still));
    let symmetric = GoalTolerance { is_symmetric: true, ..tolerance };
    assert!(reached(symmetric, Pose::new(1.0, 0.0, 3.0 - PI), still));
    assert!(!reached(symmetric, Pose::new(1.0, 0.0, 1.5), still));
    let stopped = GoalTolerance { stopped: Some((0.1, 0.1)), ..tolerance };
    assert!(!reached(stopped, Pose::new(1.0, 0.0, 3.0), Velocity::new(0.2, 0.0, 0.0)));
    assert!(reached(stopped, Pose::new(1.0, 0.0, 3.0), Velocity::new(0.05, 0.0, -0.05)));
    // A new path starts again.
    let mut checker = GoalChecker::new(tolerance);
    let goal = Pose::default();
    checker.is_reached(&Pose::new(0.1, 0.0, 1.0), &goal, &still);
    checker.reset();
    assert!(!checker.is_reached(&Pose::new(0.3, 0.0, 0.0), &goal, &still));
    let mut stateless = GoalChecker::new(GoalTolerance { is_stateful: false, ..tolerance });
    stateless.is_reached(&Pose::new(0.1, 0.0, 1.0), &goal, &still);
    assert!(!stateless.is_reached(&Pose::new(0.3, 0.0, 0.0), &goal, &still));
}

#[test]
fn a_robot_that_turns_makes_progress_if_turns_count() {
    let mut checker = ProgressChecker::new(0.5, Some(0.5), 10 * SECOND);
    assert!(checker.moves(&Pose::default(), SECOND));
    assert!(checker.moves(&Pose::new(0.0, 0.0, 0.6), 12 * SECOND));
    assert!(!checker.moves(&Pose::new(0.0, 0.0, 0.7), 23 * SECOND));
    // After a jump back in time, it starts again.
    assert!(checker.moves(&Pose::new(0.0, 0.0, 0.7), SECOND));
    checker.reset();
    assert!(checker.moves(&Pose::default(), 60 * SECOND));
}

#[test]
fn the_outline_of_a_robot_touches_cells() {
    let mut map = Costmap::new((40, 40), 0.05, [0.0, 0.0], FREE);
    map.set((30, 20), LETHAL);
    map.set((10, 20), UNKNOWN);
    let robot = Footprint::circle(0.2);
    let free = |x: f64| is_free(&map, &robot, &Pose::new(x, 1.025, 0.0));
    assert_eq!(free(1.0), Ok(FREE));
    assert_eq!(free(1.325), Err(Collision::Obstacle));
    assert_eq!(free(0.325), Err(Collision::Unknown));
    assert_eq!(free(1.9), Err(Collision::OffGrid));
}

/// Runs a spin on a robot that follows each velocity. Returns the velocities and the last step.
fn run_spin(angle: f64, is_free: impl Fn(&Pose) -> bool + Copy) -> (Vec<f64>, Step) {
    let mut robot = Pose::new(0.0, 0.0, 3.0);
    let mut spin = Spin::new(SpinSettings::default(), angle, &robot);
    let mut velocities = Vec::new();
    loop {
        match spin.step(&robot, is_free) {
            Step::Move(velocity) => {
                velocities.push(velocity.theta);
                robot = robot.then(&Pose::new(0.0, 0.0, velocity.theta * 0.02));
            }
            end => return (velocities, end),
        }
    }
}

#[test]
fn a_spin_slows_down_before_its_end() {
    for angle in [1.57, -1.57, 7.0] {
        let (velocities, end) = run_spin(angle, |_| true);
        assert_eq!(end, Step::Done);
        let turned: f64 = velocities.iter().map(|velocity| velocity * 0.02).sum();
        assert!((turned - angle).abs() < 0.01, "{turned}");
        assert!(velocities.iter().all(|velocity| (0.4..=1.0).contains(&velocity.abs())));
        assert_eq!((velocities[0].abs(), velocities[velocities.len() - 1].abs()), (1.0, 0.4));
    }
    let (velocities, end) = run_spin(1.57, |pose| wrapped(pose.yaw - 3.0) < 1.0);
    assert_eq!(end, Step::Blocked);
    assert!(velocities.is_empty());
    // Obstacles beyond the end of the turn do not count.
    assert_eq!(run_spin(0.5, |pose| wrapped(pose.yaw - 3.0) < 0.9).1, Step::Done);
}

#[test]
fn a_drive_has_a_direction() {
    let ahead = Lookahead::default();
    assert!(Drive::new(ahead, 1.0, -0.1, &Pose::default()).is_none());
    assert!(Drive::new(ahead, -1.0, 0.0, &Pose::default()).is_none());
    let mut drive = Drive::new(ahead, 1.0, 0.2, &Pose::new(0.0, 0.0, 1.5)).unwrap();
    assert_eq!(drive.step(&Pose::new(0.0, 0.5, 1.5), |_| true), Step::Move(Velocity::new(0.2, 0.0, 0.0)));
    assert_eq!(drive.driven(), 0.5);
    // It checks the way 0.4 m ahead.
    assert_eq!(drive.step(&Pose::new(0.0, 0.5, 1.5), |pose| pose.y < 0.85), Step::Blocked);
    assert!(matches!(drive.step(&Pose::new(0.0, 0.5, 1.5), |pose| pose.y < 0.95), Step::Move(_)));
}

#[test]
fn velocities_change_within_the_limits_of_the_drive() {
    let limits = VelocityLimits {
        max_velocity: [0.26, 0.0, 1.0],
        min_velocity: [-0.26, 0.0, -1.0],
        deadband: [0.0, 0.0, 0.05],
        ..VelocityLimits::default()
    };
    let smoother = |scales| VelocitySmoother::new(limits, scales, 20.0, SECOND).unwrap();
    let mut free = smoother(false);
    assert_eq!(free.tick(SECOND, None), None);
    assert!(!free.set_command(Velocity::new(f64::NAN, 0.0, 0.0), SECOND));
    free.set_command(Velocity::new(1.0, 0.5, 0.16), SECOND);
    assert_eq!(free.tick(SECOND, None), Some(Velocity::new(0.125, 0.0, 0.16)));
    // All parts change by half of what they should, as x does.
    let mut scaled = smoother(true);
    scaled.set_command(Velocity::new(0.25, 0.0, 0.16), SECOND);
    assert_eq!(scaled.tick(SECOND, None), Some(Velocity::new(0.125, 0.0, 0.08)));
    // Velocities in the deadband become 0.
    scaled.set_command(Velocity::new(0.25, 0.0, 0.02), SECOND);
    assert_eq!(scaled.tick(2 * SECOND, Some(Velocity::new(0.25, 0.0, 0.02))).unwrap().theta, 0.0);
    // Without commands the robot slows down, and stops.
    let stops: Vec<_> = (0..4).map(|tick| free.tick(3 * SECOND + tick * SECOND / 20, None)).collect();
    assert_eq!(stops[0], Some(Velocity::default()));
    assert_eq!(stops[1..], [None; 3]);
    let wrong = VelocityLimits { max_deceleration: [1.0, 0.0, 0.0], ..limits };
    assert_eq!(wrong.check(), Err(LimitError::Deceleration));
    let nothing = VelocityLimits { max_velocity: [f64::NAN; 3], ..limits };
    assert_eq!(nothing.check(), Err(LimitError::MaxVelocity));
    let never = VelocitySmoother::new(limits, false, 0.0, SECOND);
    assert_eq!(never.map(|_| ()), Err(LimitError::Frequency));
}

/// Returns the sum of the turns of a path, in radians.
fn total_turn(path: &[Pose]) -> f64 {
    let direction = |from: &Pose, to: &Pose| (to.y - from.y).atan2(to.x - from.x);
    path.array_windows()
        .map(|[before, current, after]| wrapped(direction(current, after) - direction(before, current)).abs())
        .sum()
}

#[test]
fn a_smoothed_path_turns_less() {
    let map = Costmap::new((100, 100), 0.05, [0.0, 0.0], FREE);
    let zigzag: Vec<Pose> = (0..40)
        .map(|index| Pose::new(0.5 + 0.05 * f64::from(index), 2.0 + 0.05 * f64::from(index % 2), 0.0))
        .collect();
    let mut path = zigzag.clone();
    SimpleSmoother::default().smooth(&map, &mut path, SECOND, || Duration::ZERO).unwrap();
    assert!(total_turn(&path) < 0.2 * total_turn(&zigzag), "{} {}", total_turn(&path), total_turn(&zigzag));
    assert_eq!((path[0].x, path[39]), (zigzag[0].x, zigzag[39]));
    assert!(path.iter().all(|pose| pose.yaw.abs() < 0.4));
    let late = SimpleSmoother::default().smooth(&map, &mut path, SECOND, || 2 * SECOND);
    assert_eq!(late, Err(SmoothError::Timeout));
    // The pose at which the robot reverses stays.
    let there = (0..20).map(|index| Pose::new(0.05 * f64::from(index), 0.0, 0.0));
    let back =
        (0..20).map(|index| Pose::new(0.95 - 0.05 * f64::from(index), 0.05 * f64::from(index + 1), PI));
    let mut path: Vec<Pose> = there.chain(back).collect();
    SimpleSmoother::default().smooth(&map, &mut path, SECOND, || Duration::ZERO).unwrap();
    assert_eq!(path[19].y, 0.0);
    assert!((path[19].x - 0.95).abs() < 1e-12);
    for short in 0..4 {
        let mut path = zigzag[..short].to_vec();
        SimpleSmoother::default().smooth(&map, &mut path, SECOND, || Duration::ZERO).unwrap();
        assert_eq!(path, zigzag[..short]);
    }
}

proptest! {
    /// Smoothing moves no pose into an obstacle.
    #[test]
    fn a_smoothed_path_touches_no_new_obstacle(
        steps in prop::collection::vec((-1_i32..=1, -1_i32..=1), 2..60),
        obstacles in prop::collection::vec((0_u32..60, 0_u32..60), 0..40),
    ) {
        let mut map = Costmap::new((60, 60), 0.05, [-1.5, -1.5], FREE);
        obstacles.iter().for_each(|cell| map.set(*cell, LETHAL));
        let mut position = [0, 0];
        let mut path = vec![Pose::default()];
        for (dx, dy) in steps {
            position = [position[0] + dx, position[1] + dy];
            path.push(Pose::new(0.05 * f64::from(position[0]), 0.05 * f64::from(position[1]), 0.0));
        }
        let touched = |path: &[Pose]| {
            let cost = |pose: &Pose| map.cell_at([pose.x, pose.y]).map(|cell| map.cost(cell));
            path.iter().filter(|pose| cost(pose) == Some(LETHAL)).count()
        };
        let before = path.clone();
        SimpleSmoother::default().smooth(&map, &mut path, SECOND, || Duration::ZERO).unwrap();
        prop_assert!(touched(&path) <= touched(&before));
        prop_assert_eq!((path.len(), path[0].x), (before.len(), before[0].x));
        prop_assert!(path.iter().all(Pose::is_finite));
    }
}
