//! Tests of critics and samples against values that were computed by hand.

use std::time::Duration;

use proptest::prelude::*;
use saltus_costmap::{Cell, Costmap, FREE, Footprint, LETHAL, UNKNOWN};
use saltus_motion::{ControlError, Controller, GoalTolerance, Pose, Situation, SpeedLimit, Velocity};

use super::*;
use crate::{distances::CellDistances, samples::samples};

const KINEMATICS: Kinematics = Kinematics {
    min_velocity: [0.0, 0.0],
    max_velocity: [0.26, 0.0, 1.0],
    min_speed: 0.0,
    max_speed: 0.26,
    min_turning: 0.0,
    acceleration: [2.5, 0.0, 3.2],
    deceleration: [-2.5, 0.0, -3.2],
};

/// Returns a map of 2 m x 2 m around the origin.
fn map() -> Costmap {
    Costmap::new((40, 40), 0.05, [-1.0, -1.0], FREE)
}

fn footprint() -> Footprint {
    Footprint::circle(0.1)
}

/// Returns a path along the axis x to (0.825, 0.025).
fn path() -> Vec<Pose> {
    (0..17).map(|index| Pose::new(0.025 + 0.05 * f64::from(index), 0.025, 0.0)).collect()
}

fn situation<'a>(map: &'a Costmap, footprint: &'a Footprint, path: &'a [Pose]) -> Situation<'a> {
    Situation {
        map,
        footprint,
        robot: Pose::new(0.025, 0.025, 0.0),
        velocity: Velocity::default(),
        path,
        tolerance: GoalTolerance::default(),
        inflation: None,
        now: Duration::ZERO,
    }
}

/// Returns the trajectory of a robot that keeps its velocity.
fn trajectory(map: &Costmap, robot: Pose, velocity: Velocity) -> Trajectory {
    let simulation = Simulation { time: 1.0, linear_step: 0.05, ..Simulation::default() };
    let mut trajectory = Trajectory::default();
    simulation.run(&KINEMATICS, map, (robot, velocity), velocity, &mut trajectory);
    trajectory
}

#[test]
fn all_velocities_that_can_be_reached_are_tried() {
    let still = Velocity::default();
    let all: Vec<Velocity> = samples(&KINEMATICS, &still, [20, 5, 20], 1.7).collect();
    // 20 forward, one sideways, 20 turning and no turn; all except standing still.
    assert_eq!(all.len(), 20 * 21 - 1);
    assert_eq!((all[0], all[all.len() - 1]), (Velocity::new(0.0, 0.0, -1.0), Velocity::new(0.26, 0.0, 1.0)));
    assert!(all.contains(&Velocity::new(0.26, 0.0, 0.0)));
    // In 0.1 s it becomes faster by 0.25 m/s and 0.32 rad/s.
    let near: Vec<Velocity> = samples(&KINEMATICS, &still, [2, 1, 3], 0.1).collect();
    let ends = [near[0], near[near.len() - 1]];
    let ends = ends.map(|velocity| (velocity.x, (velocity.theta * 1e9).round() / 1e9));
    assert_eq!(ends, [(0.0, -0.32), (0.25, 0.32)]);
    let slow = KINEMATICS.limited(SpeedLimit::Percent(50.0));
    assert_eq!((slow.max_velocity, slow.max_speed), ([0.13, 0.0, 0.5], 0.13));
    assert_eq!(KINEMATICS.limited(SpeedLimit::Absolute(0.13)).max_velocity, [0.13, 0.0, 0.5]);
    assert_eq!(KINEMATICS.limited(SpeedLimit::Absolute(9.0)), KINEMATICS);
    // Too slow in both ways, or too fast.
    let least = Kinematics { min_speed: 0.1, min_turning: 0.4, ..KINEMATICS };
    let allowed = |x, theta| least.allows(&Velocity::new(x, 0.0, theta));
    assert_eq!(
        [allowed(0.05, 0.3), allowed(0.05, 0.5), allowed(0.2, 0.3), allowed(0.3, 0.3)],
        [false, true, true, false]
    );
}

#[test]
fn a_trajectory_has_the_accelerations_of_the_robot() {
    let simulation = Simulation { time: 0.2, time_step: Some(0.05), ..Simulation::default() };
    let mut trajectory = Trajectory::default();
    let command = Velocity::new(0.25, 0.0, 0.32);
    simulation.run(&KINEMATICS, &map(), (Pose::default(), Velocity::default()), command, &mut trajectory);
    // 0.125 m/s and 0.16 rad/s in the first step, and the whole velocity from the second on.
    let yaws: Vec<f64> = trajectory.poses.iter().map(|pose| (pose.yaw * 1e6).round() / 1e6).collect();
    assert_eq!(yaws, [0.0, 0.008, 0.024, 0.04, 0.056, 0.056]);
    let length: f64 = trajectory.poses.array_windows().map(|[from, to]| from.distance(to)).sum();
    assert!((length - 0.05 * (0.125 + 3.0 * 0.25)).abs() < 1e-9, "{length}");
    assert_eq!(trajectory.times.len(), trajectory.poses.len());
    // A turn on the spot of 1 rad/s for 1.7 s is simulated in steps of 0.025 rad.
    let turn = Velocity::new(0.0, 0.0, 1.0);
    Simulation::default().run(&KINEMATICS, &map(), (Pose::default(), turn), turn, &mut trajectory);
    assert_eq!(trajectory.poses.len(), 68 + 2);
}

/// Returns the score of a critic for a trajectory, with the scale 1.
fn scored(critic: &mut dyn Critic, situation: &Situation<'_>, velocity: Velocity) -> Score {
    let context = Context::new(situation, situation.path[situation.path.len() - 1], situation.path);
    critic.prepare(&context);
    let trajectory = trajectory(situation.map, situation.robot, velocity);
    let scale = critic.scale(1.0, &context);
    critic.score(&trajectory, &context).map(|score| score * scale)
}

#[test]
fn a_robot_slows_down_at_its_goal_and_then_turns() {
    let (map, footprint, path) = (map(), footprint(), path());
    let far = situation(&map, &footprint, &path);
    let mut critic = RotateToGoal::default();
    let fast = Velocity::new(0.26, 0.0, 0.0);
    assert_eq!(scored(&mut critic, &far, fast), Ok(0.0));
    // Near and fast: the score is 5 v² and the difference of the heading.
    let near = Situation { robot: Pose::new(0.7, 0.025, 0.3), velocity: fast, ..far };
    assert_eq!(scored(&mut critic, &near, fast), Err(Illegal("Not slowing down near goal.")));
    let score = scored(&mut critic, &near, Velocity::new(0.2, 0.0, -0.1)).unwrap();
    assert!((score - (5.0 * 0.04 + 0.2)).abs() < 1e-9, "{score}");
    // Slow: only turns, also if the robot has left the tolerance.
    let slow = Situation { robot: Pose::new(0.5, 0.025, 0.3), velocity: Velocity::new(0.2, 0.0, 0.0), ..far };
    assert_eq!(scored(&mut critic, &slow, fast), Err(Illegal("Nonrotation command near goal.")));
    let score = scored(&mut critic, &slow, Velocity::new(0.0, 0.0, -0.25)).unwrap();
    assert!((score - 0.05).abs() < 1e-9, "{score}");
    critic.reset();
    assert_eq!(scored(&mut critic, &slow, fast), Ok(0.0));
    // The heading after half a second.
    let settings = RotateToGoalSettings { lookahead_time: Some(0.5), ..RotateToGoalSettings::default() };
    let mut critic = RotateToGoal::new(settings);
    let at_goal = Situation { robot: Pose::new(0.8, 0.025, 0.3), ..far };
    let score = scored(&mut critic, &at_goal, Velocity::new(0.0, 0.0, -0.2)).unwrap();
    assert!((score - 0.2).abs() < 1e-9, "{score}");
}

#[test]
fn oscillating_trajectories_are_rejected() {
    let (map, footprint, path) = (map(), footprint(), path());
    let at = |x: f64| Situation { robot: Pose::new(x, 0.0, 0.0), ..situation(&map, &footprint, &path) };
    let mut critic = Oscillation::default();
    let choose = |critic: &mut Oscillation, situation: &Situation<'_>, velocity: Velocity| {
        let context = Context::new(situation, Pose::default(), situation.path);
        critic.velocity_chosen(&velocity, &context);
    };
    let (left, right) = (Velocity::new(0.0, 0.0, 0.5), Velocity::new(0.0, 0.0, -0.5));
    choose(&mut critic, &at(0.0), left);
    assert_eq!(scored(&mut critic, &at(0.0), right), Ok(0.0));
    choose(&mut critic, &at(0.0), right);
    assert_eq!(scored(&mut critic, &at(0.0), left), Err(Illegal("Trajectory is oscillating.")));
    // It may turn left again after it has moved.
    choose(&mut critic, &at(0.04), right);
    assert!(scored(&mut critic, &at(0.0), left).is_err());
    choose(&mut critic, &at(0.06), right);
    assert_eq!(scored(&mut critic, &at(0.0), left), Ok(0.0));
    // A fast robot may change the direction of its turn.
    let mut critic = Oscillation::default();
    for theta in [0.5, -0.5, 0.5] {
        choose(&mut critic, &at(0.0), Velocity::new(0.2, 0.0, theta));
    }
    assert_eq!(scored(&mut critic, &at(0.0), right), Ok(0.0));
}

#[test]
fn obstacles_reject_trajectories() {
    let (mut map, footprint, path) = (map(), footprint(), path());
    // The cell of (0.225, 0.025), which is reached after 0.2 m.
    map.set((24, 20), 100);
    map.set((22, 20), 50);
    let velocity = Velocity::new(0.2, 0.0, 0.0);
    let score =
        |map: &Costmap, critic: &mut dyn Critic| scored(critic, &situation(map, &footprint, &path), velocity);
    assert_eq!(score(&map, &mut BaseObstacle::default()), Ok(100.0));
    // Poses at 0.025, 0.075, 0.125 (50), 0.175, 0.225 (100) and again.
    assert_eq!(score(&map, &mut BaseObstacle { sums: true }), Ok(250.0));
    for cost in [253, LETHAL, UNKNOWN] {
        map.set((22, 20), cost);
        assert_eq!(score(&map, &mut BaseObstacle::default()), Err(Illegal("Trajectory Hits Obstacle.")));
    }
    map.set((22, 20), FREE);
    // The outline of the last pose is 0.1 m around it. Cells inside do not count.
    assert_eq!(score(&map, &mut ObstacleFootprint::default()), Ok(0.0));
    map.set((26, 20), 80);
    assert_eq!(score(&map, &mut ObstacleFootprint::default()), Ok(80.0));
    map.set((24, 22), LETHAL);
    let hits = score(&map, &mut ObstacleFootprint::default());
    assert_eq!(hits, Err(Illegal("Trajectory Hits Obstacle.")));
    map.set((24, 22), UNKNOWN);
    let unknown = score(&map, &mut ObstacleFootprint::default());
    assert_eq!(unknown, Err(Illegal("Trajectory Hits Unknown Region.")));
    let edge = Situation { robot: Pose::new(0.9, 0.0, 0.0), ..situation(&map, &footprint, &path) };
    let off = scored(&mut ObstacleFootprint::default(), &edge, velocity);
    assert_eq!(off, Err(Illegal("Footprint Goes Off Grid.")));
    assert_eq!(
        scored(&mut BaseObstacle::default(), &edge, velocity),
        Err(Illegal("Trajectory Goes Off Grid."))
    );
}

#[test]
fn trajectories_are_better_near_the_path_and_its_end() {
    let (map, footprint, path) = (map(), footprint(), path());
    let at = |robot: Pose| Situation { robot, ..situation(&map, &footprint, &path) };
    // A cell counts 0.05 m x 0.5.
    let cells = |count: f64| Ok(count / 40.0);
    // The robot ends at (0.225, 0.225): 4 cells beside the path, and 12 + 4 from its end.
    let beside = at(Pose::new(0.025, 0.225, 0.0));
    let forward = Velocity::new(0.2, 0.0, 0.0);
    let score = |critic: &mut dyn Critic, situation: &Situation<'_>| {
        scored(critic, situation, forward).map(|score| (score * 1e9).round() / 1e9)
    };
    assert_eq!(score(&mut PathDist::default(), &beside), cells(4.0));
    assert_eq!(score(&mut GoalDist::default(), &beside), cells(16.0));
    // There are 6 poses, all 4 cells beside the path.
    assert_eq!(score(&mut PathDist { aggregation: Aggregation::Sum }, &beside), cells(24.0));
    assert_eq!(score(&mut PathDist { aggregation: Aggregation::Product }, &beside), cells(4096.0));
    // The robot looks up, and ends at (0.025, 0.425). A point 0.1 m ahead is 10 cells beside the path.
    let up = at(Pose::new(0.025, 0.225, std::f64::consts::FRAC_PI_2));
    let align = |forward_point_distance| PathAlign { forward_point_distance, ..PathAlign::default() };
    assert_eq!(score(&mut align(0.1), &up), cells(10.0));
    // The end is moved by 0.1 m away from the robot, which is at the same height here: 12 + 2 cells, less the 2 ahead.
    let ahead = at(Pose::new(0.025, 0.025, 0.0));
    assert_eq!(score(&mut GoalAlign::new(Aggregation::Last, 0.1), &ahead), cells(12.0));
    // Near the goal, the scale of the critic is 0.
    let near = at(Pose::new(0.75, 0.025, 0.0));
    let context = Context::new(&near, path[16], &path);
    assert_eq!(align(0.1).scale(32.0, &context), 0.0);
    let out = at(Pose::new(0.9, 0.0, 0.0));
    assert_eq!(score(&mut PathDist::default(), &out), Err(Illegal("Trajectory Goes Off Grid.")));
    let away = [Pose::new(5.0, 5.0, 0.0)];
    let lost = Situation { path: &away, ..beside };
    assert!(score(&mut PathDist::default(), &lost).is_err());
}

#[test]
fn a_robot_prefers_to_drive_forward() {
    let (map, footprint, path) = (map(), footprint(), path());
    let situation = situation(&map, &footprint, &path);
    let score = |critic: &mut dyn Critic, x: f64, theta: f64| {
        scored(critic, &situation, Velocity::new(x, 0.0, theta)).unwrap()
    };
    let mut forward = PreferForward::default();
    assert_eq!(score(&mut forward, -0.1, 0.0), 1.0);
    assert_eq!(score(&mut forward, 0.05, 0.1), 1.0);
    assert_eq!(score(&mut forward, 0.05, -0.5), 5.0);
    assert_eq!(score(&mut forward, 0.2, 0.1), 1.0);
    assert_eq!(score(&mut Twirling, 0.2, -0.3), 0.3);
}

/// Returns a controller that follows the path, and keeps its evaluation.
fn dwb() -> Dwb {
    let settings = DwbSettings {
        kinematics: KINEMATICS,
        simulation: Simulation { linear_step: 0.05, ..Simulation::default() },
        keeps_evaluation: true,
        short_circuits: false,
        ..DwbSettings::default()
    };
    let critics: Vec<(String, f64, Box<dyn Critic>)> = vec![
        ("BaseObstacle".into(), 0.02, Box::new(BaseObstacle::default())),
        ("PathDist".into(), 32.0, Box::new(PathDist::default())),
        ("GoalDist".into(), 24.0, Box::new(GoalDist::default())),
    ];
    Dwb::new(settings, critics)
}

#[test]
fn the_best_trajectory_is_taken() {
    let (mut map, footprint, path) = (map(), footprint(), path());
    let mut dwb = dwb();
    let velocity = dwb.command(&situation(&map, &footprint, &path)).unwrap();
    assert!(velocity.x > 0.24 && velocity.theta.abs() < 0.06, "{velocity:?}");
    let evaluation = dwb.evaluation();
    let best = &evaluation.trajectories[evaluation.best.unwrap()];
    assert_eq!(best.trajectory, *dwb.best());
    let sum: f64 = best.scores.iter().map(|(score, scale)| score * scale).sum();
    assert_eq!(best.total, Ok(sum));
    let totals = || evaluation.trajectories.iter().filter_map(|scored| scored.total.ok());
    assert_eq!(totals().fold(f64::INFINITY, f64::min), sum);
    let worst = evaluation.trajectories[evaluation.worst.unwrap()].total;
    assert_eq!(totals().fold(0.0, f64::max), worst.unwrap());

    // Obstacles all around.
    for index in 0..40 {
        [(index, 22), (index, 18), (22, index), (18, index)].iter().for_each(|cell| map.set(*cell, LETHAL));
        (0..40).for_each(|other| map.set((index, other), LETHAL));
    }
    let error = dwb.command(&situation(&map, &footprint, &path)).unwrap_err();
    let text = "No valid trajectories out of 419! \n1.00: BaseObstacle/Trajectory Hits Obstacle.";
    assert_eq!(error, ControlError::NoValidControl(text.into()));
    assert_eq!(dwb.critics().next(), Some("BaseObstacle"));

    let error = dwb.command(&situation(&map, &footprint, &[])).unwrap_err();
    assert_eq!(error, ControlError::Path("Resulting plan has 0 poses in it.".into()));
}

#[test]
fn the_path_behind_the_robot_is_discarded() {
    let map = map();
    let long: Vec<Pose> = (0..101).map(|index| Pose::new(-1.0 + 0.05 * f64::from(index), 0.0, 0.0)).collect();
    let window = Window { behind: Some(0.5), ahead: Some(0.5), search: f64::INFINITY };
    let part = window.select(&map, &Pose::new(0.01, 0.0, 0.0), &long, 0);
    assert_eq!((long[part.start].x, long[part.end - 1].x), (long[11].x, long[30].x));
    // The costmap ends 1 m from the robot.
    let window = Window { behind: None, ahead: None, search: f64::INFINITY };
    let part = window.select(&map, &Pose::new(0.01, 0.0, 0.0), &long, 30);
    assert_eq!((part.start, part.end), (30, 41));
    // Only the first half metre is searched.
    let window = Window { behind: Some(0.2), ahead: Some(0.2), search: 0.52 };
    assert_eq!(window.select(&map, &Pose::new(3.0, 0.0, 0.0), &long, 0).start, 11);
    assert_eq!(window.select(&map, &Pose::default(), &long, 500), 101..101);
}

proptest! {
    #[test]
    fn distances_are_counted_in_steps(
        size in (1_u32..20, 1_u32..20),
        cells in prop::collection::vec((0_u32..20, 0_u32..20), 1..6),
    ) {
        let map = Costmap::new(size, 0.1, [0.0, 0.0], FREE);
        let cells: Vec<Cell> = cells.iter().map(|cell| (cell.0 % size.0, cell.1 % size.1)).collect();
        let distances = CellDistances::new(&map, &cells);
        for row in 0..size.1 {
            for column in 0..size.0 {
                let steps = |cell: &Cell| cell.0.abs_diff(column) + cell.1.abs_diff(row);
                let nearest = cells.iter().map(steps).min().unwrap();
                prop_assert_eq!(distances.get(map.index((column, row))), f64::from(nearest));
            }
        }
    }
}
