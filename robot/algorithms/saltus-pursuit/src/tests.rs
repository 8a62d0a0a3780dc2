//! Tests of lookahead points, regulation and commands against values that were computed by hand.

use std::{f64::consts::PI, time::Duration};

use saltus_costmap::{Costmap, FREE, Footprint, Inflation, InflationSettings, LETHAL};
use saltus_motion::{ControlError, Controller, GoalTolerance, Pose, Situation, SpeedLimit, Velocity};

use super::*;
use crate::{
    carrot::{carrot, curvature, cusp},
    regulation::{approaching, obstacle_distance, regulated},
};

fn settings() -> PursuitSettings {
    PursuitSettings::default()
}

fn map() -> Costmap {
    Costmap::new((80, 80), 0.05, [-2.0, -2.0], FREE)
}

/// Returns a straight path from the origin in a direction.
fn straight(direction: f64, poses: u32) -> Vec<Pose> {
    let pose = |index: u32| {
        let distance = 0.05 * f64::from(index);
        Pose::new(distance * direction.cos(), distance * direction.sin(), direction)
    };
    (0..poses).map(pose).collect()
}

/// Returns the command of a controller for a robot at the origin.
fn command(
    pursuit: &mut Pursuit,
    map: &Costmap,
    path: &[Pose],
    velocity: Velocity,
) -> Result<Velocity, ControlError> {
    let footprint = Footprint::circle(0.2);
    pursuit.command(&Situation {
        map,
        footprint: &footprint,
        robot: Pose::default(),
        velocity,
        path,
        tolerance: GoalTolerance::default(),
        inflation: None,
        now: Duration::ZERO,
    })
}

#[test]
fn the_lookahead_point_is_on_a_circle() {
    let path = straight(0.0, 20);
    let point = carrot(&path, 0.63);
    assert!((point.x - 0.63).abs() < 1e-12 && point.y == 0.0);
    assert_eq!(carrot(&path, 5.0), path[19]);
    assert_eq!(carrot(&path[15..], 0.6), path[15]);
    assert_eq!(curvature(&Pose::new(0.3, 0.4, 0.0)), 2.0 * 0.4 / 0.25);
    assert_eq!(curvature(&Pose::new(0.01, 0.01, 0.0)), 0.0);
    let mut back = straight(0.0, 10);
    back.extend((0..5).map(|index| Pose::new(0.4 - 0.05 * f64::from(index), 0.0, 0.0)));
    assert_eq!((cusp(&back), cusp(&path)), (Some(back[9].x), None));
}

#[test]
fn curves_obstacles_and_the_goal_slow_a_robot_down() {
    assert_eq!(regulated(&settings(), 0.5, None), 0.5);
    // A radius of 0.6 m, where the robot slows down from 0.9 m on.
    assert!((regulated(&settings(), 1.0 / 0.6, None) - 0.5 * 0.6 / 0.9).abs() < 1e-12);
    assert_eq!(regulated(&settings(), 9.0, None), 0.25);
    assert!((regulated(&settings(), 0.0, Some(0.45)) - 0.375).abs() < 1e-12);
    // The desired speed is below the minimum speed.
    let slow = PursuitSettings { desired_linear_vel: 0.1, ..settings() };
    assert_eq!(regulated(&slow, 9.0, Some(0.1)), 0.1);
    let short = straight(0.0, 7);
    assert!((approaching(&settings(), &short, 0.5) - 0.25).abs() < 1e-9);
    assert_eq!(approaching(&settings(), &short[..2], 0.5), 0.05);
    assert_eq!(approaching(&settings(), &straight(0.0, 40), 0.5), 0.5);
    // The distance from the cost of the cell: 10 cells, except for the rounding of the cost.
    let mut map = map();
    map.set((50, 40), LETHAL);
    let inflation = InflationSettings { radius: 0.9, scaling: 3.0, inscribed: 0.2 };
    let area = map.area();
    Inflation::new(&inflation, 0.05).apply(&mut map, area);
    let distance = obstacle_distance(&settings(), &map, &Pose::new(0.01, 0.01, 0.0), 0.2).unwrap();
    assert!((distance - 0.5).abs() < 0.01, "{distance}");
    assert_eq!(obstacle_distance(&settings(), &map, &Pose::new(-1.5, 0.0, 0.0), 0.2), None);
}

#[test]
fn a_robot_drives_on_an_arc_or_turns_first() {
    let map = map();
    let mut pursuit = Pursuit::new(settings());
    let still = Velocity::default();
    assert_eq!(command(&mut pursuit, &map, &straight(0.0, 40), still), Ok(Velocity::new(0.5, 0.0, 0.0)));
    // To a point at 0.6 m in the direction 0.5 rad: the curvature is 2 sin 0.5 / 0.6.
    let curve = 2.0 * 0.5_f64.sin() / 0.6;
    let velocity = command(&mut pursuit, &map, &straight(0.5, 40), still).unwrap();
    let speed = 0.5 * (1.0 / curve) / 0.9;
    assert!(
        (velocity.x - speed).abs() < 1e-9 && (velocity.theta - speed * curve).abs() < 1e-9,
        "{velocity:?}"
    );
    // A large angle: it turns, with the highest angular acceleration.
    let path = straight(-2.0, 40);
    assert_eq!(command(&mut pursuit, &map, &path, still).unwrap().theta, -3.2 / 20.0);
    let fast = Velocity::new(0.0, 0.0, -1.75);
    assert_eq!(command(&mut pursuit, &map, &path, fast).unwrap().theta, -1.8);
    // Near the end it turns to the heading of the goal, slow enough to stop in time.
    let end = [Pose::default(), Pose::new(0.1, 0.0, 0.05)];
    let velocity = command(&mut pursuit, &map, &end, Velocity::new(0.0, 0.0, 1.0)).unwrap();
    assert!((velocity.theta - (2.0 * 3.2 * 0.05_f64).sqrt()).abs() < 1e-9, "{velocity:?}");
    // It stays at the goal, also if it has moved away, until there is a new path.
    let away = [Pose::default(), Pose::new(0.4, 0.0, 0.05)];
    assert_eq!(command(&mut pursuit, &map, &away, still).unwrap().x, 0.0);
    pursuit.start_path();
    assert!(command(&mut pursuit, &map, &away, still).unwrap().x > 0.0);
    assert!(matches!(command(&mut pursuit, &map, &[], still), Err(ControlError::Path(_))));
}

#[test]
fn a_robot_may_drive_backward_where_the_path_leads_backward() {
    let map = map();
    let settings = PursuitSettings { allow_reversing: true, use_rotate_to_heading: false, ..settings() };
    let mut pursuit = Pursuit::new(settings);
    let velocity = command(&mut pursuit, &map, &straight(PI, 40), Velocity::default()).unwrap();
    assert!((velocity.x + 0.5).abs() < 1e-9 && velocity.theta.abs() < 1e-9, "{velocity:?}");
}

#[test]
fn an_obstacle_ahead_stops_a_robot() {
    let mut map = map();
    let mut pursuit = Pursuit::new(settings());
    // The robot comes to 0.5 m in a second, and its front to 0.7 m.
    map.set((55, 40), LETHAL);
    assert!(command(&mut pursuit, &map, &straight(0.0, 40), Velocity::default()).is_ok());
    map.set((53, 40), LETHAL);
    let error = command(&mut pursuit, &map, &straight(0.0, 40), Velocity::default()).unwrap_err();
    assert_eq!(error.to_string(), "RegulatedPurePursuitController detected collision ahead!");
    // But not if it drives only to a point before it.
    assert!(command(&mut pursuit, &map, &straight(0.0, 8), Velocity::default()).is_ok());
    let careless = PursuitSettings { use_collision_detection: false, ..settings() };
    assert!(command(&mut Pursuit::new(careless), &map, &straight(0.0, 40), Velocity::default()).is_ok());
}

#[test]
fn the_speed_is_limited_and_a_canceled_robot_slows_down() {
    let map = map();
    let path = straight(0.0, 40);
    let mut pursuit = Pursuit::new(PursuitSettings { use_cancel_deceleration: true, ..settings() });
    for (limit, speed) in
        [(SpeedLimit::Percent(60.0), 0.3), (SpeedLimit::Absolute(0.2), 0.2), (SpeedLimit::None, 0.5)]
    {
        pursuit.limit_speed(limit);
        assert_eq!(command(&mut pursuit, &map, &path, Velocity::default()).unwrap().x, speed);
    }
    assert!(!pursuit.cancel());
    let slower = command(&mut pursuit, &map, &path, Velocity::new(0.5, 0.0, 0.0)).unwrap();
    assert!((slower.x - (0.5 - 3.2 / 20.0)).abs() < 1e-9);
    assert!(!pursuit.cancel());
    assert_eq!(command(&mut pursuit, &map, &path, Velocity::new(0.1, 0.0, 0.0)).unwrap().x, 0.0);
    assert!(pursuit.cancel());
    pursuit.reset();
    assert!(Pursuit::new(settings()).cancel());
}
