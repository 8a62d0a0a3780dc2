//! Tests of driving robots against closed forms.

use std::f64::consts::PI;

use super::*;

const DIFFERENTIAL: &str =
    "{kind: differential, wheel_separation: 0.287, wheel_radius: 0.033, max_acceleration: 1.0}";
const MECANUM: &str =
    "{kind: mecanum, wheel_separation: 0.3, wheel_base: 0.4, wheel_radius: 0.05, max_acceleration: 2.0}";
const ACKERMANN: &str = "{kind: ackermann, wheel_separation: 0.2, wheel_base: 0.4, wheel_radius: 0.05, max_acceleration: 2.0, max_steering: 0.5}";

/// Returns the pose of a robot after some seconds with a constant velocity in its own frame.
fn closed_form(start: Pose, velocity: Velocity, seconds: f64) -> Pose {
    let Velocity { forward, left, turn } = velocity;
    let angle = turn * seconds;
    let (sine, versine) = match angle.abs() < 1e-12 {
        true => (seconds, 0.0),
        false => (angle.sin() / turn, (1.0 - angle.cos()) / turn),
    };
    start.compose(&Pose::new(forward * sine - left * versine, forward * versine + left * sine, angle))
}

/// Returns the relative errors of the position and the heading of a robot against the closed form, after it has accelerated for a second.
fn error(world: &World, command: Command, velocity: Velocity, seconds: f64) -> (f64, f64) {
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.command(0, command);
    run(&mut simulation, 1.0);
    let name = simulation.names()[0].clone();
    let (start, _) = simulation.state(&name).unwrap();
    run(&mut simulation, seconds);
    let (end, _) = simulation.state(&name).unwrap();
    let expected = closed_form(start, velocity, seconds);
    let distance = velocity.forward.hypot(velocity.left) * seconds;
    let turned = velocity.turn.abs() * seconds;
    let position_error = (end.point() - expected.point()).length();
    let yaw_error = crate::pose::wrapped(end.yaw - expected.yaw).abs();
    (position_error / distance.max(0.1), yaw_error / turned.max(1.0))
}

fn command(forward: f64, left: f64, turn: f64) -> (Command, Velocity) {
    (Command { forward, left, turn }, Velocity { forward, left, turn })
}

#[test]
fn a_differential_drive_follows_lines_and_arcs_and_spins() {
    let robot = one(DIFFERENTIAL, "");
    let two_metres = 2.0 / 0.26;
    for (forward, turn, seconds) in
        [(0.26, 0.0, two_metres), (0.26, 0.5, 8.0), (0.2, -1.0, 6.0), (0.0, 1.0, 2.0 * PI), (-0.26, 0.3, 5.0)]
    {
        let (command_velocity, velocity) = command(forward, 0.0, turn);
        let (off, turned) = error(&robot, command_velocity, velocity, seconds);
        assert!(off < 0.01 && turned < 0.01, "{forward} {turn}: {off} {turned}");
    }
}

#[test]
fn mecanum_wheels_also_go_sideways() {
    let robot = one(MECANUM, "");
    for (forward, left, turn) in [(0.5, 0.0, 0.0), (0.0, 0.4, 0.0), (0.3, -0.3, 0.5), (0.0, 0.0, 1.0)] {
        let (command_velocity, velocity) = command(forward, left, turn);
        let (off, turned) = error(&robot, command_velocity, velocity, 5.0);
        assert!(off < 0.01 && turned < 0.01, "{forward} {left} {turn}: {off} {turned}");
    }
}

#[test]
fn motors_of_mecanum_wheels_have_all_their_torque() {
    // Four motors with 0.01 Nm at a radius of 0.05 m push 2 kg: 0.4 m/s² forward, and the same to the side.
    let robot = one(&MECANUM.replace('}', ", max_torque: 0.01}"), "");
    for command_velocity in [command(10.0, 0.0, 0.0).0, command(0.0, 10.0, 0.0).0] {
        let mut simulation = Simulation::new(&robot, 1).unwrap();
        simulation.command(0, command_velocity);
        run(&mut simulation, 1.0);
        let (_, velocity) = simulation.state("robot").unwrap();
        let speed = velocity.forward.hypot(velocity.left);
        assert!((0.38..0.41).contains(&speed), "{velocity:?}");
    }
}

#[test]
fn a_car_follows_arcs_within_the_limit_of_its_steering() {
    let robot = one(ACKERMANN, "");
    for (forward, turn) in [(0.5, 0.0), (0.5, 0.4), (-0.4, 0.3)] {
        let (command_velocity, velocity) = command(forward, 0.0, turn);
        let (off, turned) = error(&robot, command_velocity, velocity, 5.0);
        assert!(off < 0.01 && turned < 0.01, "{forward} {turn}: {off} {turned}");
    }
    // The largest angle of steering is 0.5 rad.
    let most = 0.5 * 0.5_f64.tan() / 0.4;
    let (off, turned) = error(&robot, command(0.5, 0.0, 9.0).0, command(0.5, 0.0, most).1, 5.0);
    assert!(off < 0.01 && turned < 0.01, "{off} {turned}");
    // A car does not turn on the spot, and does not move sideways.
    let (off, turned) = error(&robot, command(0.0, 1.0, 1.0).0, Velocity::default(), 2.0);
    assert!(off < 0.01 && turned < 0.01, "{off} {turned}");
}

/// Returns the states of joints among the outputs.
fn joints(outputs: &[Output]) -> Vec<&JointReading> {
    let joints = |output| match output {
        &Output { reading: Reading::Joints(ref joints), .. } => Some(joints),
        _ => None,
    };
    outputs.iter().filter_map(joints).collect()
}

#[test]
fn the_joints_of_the_steering_have_the_velocities_of_their_positions() {
    let mut simulation = Simulation::new(&one(ACKERMANN, "    joint_rate: 1000.0\n"), 1).unwrap();
    simulation.command(0, command(0.5, 0.0, 0.4).0);
    let outputs = run(&mut simulation, 0.3);
    let joints = joints(&outputs);
    let mut fastest = 0.0_f64;
    for [before, after] in joints.array_windows() {
        for joint in [4, 5] {
            let mean = f64::midpoint(before.velocities[joint], after.velocities[joint]);
            let moved = (after.positions[joint] - before.positions[joint]) / 1e-3;
            // The speed of the steering may change between the two.
            let has_constant_speed = (after.velocities[joint] - before.velocities[joint]).abs() < 0.05;
            assert!(!has_constant_speed || (moved - mean).abs() < 0.03, "{joint}: {moved}, {mean}");
            fastest = fastest.max(mean.abs());
        }
    }
    assert!((1.5..2.5).contains(&fastest), "{fastest}");
    let last = &joints[joints.len() - 1].velocities;
    assert_eq!(last[4..], [0.0, 0.0]);
}

#[test]
fn wheels_accelerate_up_to_their_limit() {
    let mut simulation = Simulation::new(&one(DIFFERENTIAL, ""), 1).unwrap();
    simulation.command(0, command(0.6, 0.0, 0.0).0);
    run(&mut simulation, 0.3);
    let (_, velocity) = simulation.state("robot").unwrap();
    // The wheels get new speeds 30 times per second.
    assert!((velocity.forward - 0.3).abs() < 0.034, "{velocity:?}");
    run(&mut simulation, 0.5);
    let (_, velocity) = simulation.state("robot").unwrap();
    assert!((velocity.forward - 0.6).abs() < 1e-9, "{velocity:?}");
}

#[test]
fn long_steps_give_the_same_acceleration() {
    let world = World { step: 100_000_000, ..one(DIFFERENTIAL, "") };
    let mut simulation = Simulation::new(&world, 1).unwrap();
    simulation.command(0, command(2.0, 0.0, 0.0).0);
    run(&mut simulation, 1.1);
    let (_, velocity) = simulation.state("robot").unwrap();
    assert!((velocity.forward - 1.0).abs() < 1e-6, "{velocity:?}");
}

#[test]
fn commands_have_limits() {
    let limited = DIFFERENTIAL.replace('}', ", max_forward: 0.26, max_turn: 1.0}");
    let (off, turned) = error(&one(&limited, ""), command(9.0, 0.0, -9.0).0, command(0.26, 0.0, -1.0).1, 3.0);
    assert!(off < 0.01 && turned < 0.01, "{off} {turned}");
    let mut simulation = Simulation::new(&one(DIFFERENTIAL, ""), 1).unwrap();
    simulation.command(0, command(f64::NAN, 0.0, 0.0).0);
    simulation.command(7, command(1.0, 0.0, 0.0).0);
    run(&mut simulation, 0.5);
    assert_eq!(simulation.state("robot").unwrap().0, Pose::default());
}

#[test]
fn friction_limits_how_fast_a_robot_accelerates() {
    let ice = DIFFERENTIAL.replace("max_acceleration: 1.0", "friction: 0.02");
    let mut simulation = Simulation::new(&one(&ice, ""), 1).unwrap();
    simulation.command(0, command(1.0, 0.0, 0.0).0);
    // From the first update of the wheels on, after 33 ms, the wheels spin.
    let outputs = run(&mut simulation, 1.0);
    let (_, velocity) = simulation.state("robot").unwrap();
    let expected = 0.02 * crate::wheels::GRAVITY * (1.0 - 0.034);
    assert!((velocity.forward - expected).abs() < 0.01 * expected, "{velocity:?} {expected}");
    let joints = outputs.iter().rev().find_map(|output| match &output.reading {
        Reading::Joints(joints) => Some(joints.velocities.clone()),
        _ => None,
    });
    let spinning = joints.unwrap();
    assert!((spinning[0] - 1.0 / 0.033).abs() < 1e-9, "{spinning:?}");
}

#[test]
fn a_weak_motor_accelerates_slowly_and_its_wheels_do_not_spin() {
    let weak = DIFFERENTIAL.replace("max_acceleration: 1.0", "max_torque: 0.01");
    let mut simulation = Simulation::new(&one(&weak, ""), 1).unwrap();
    simulation.command(0, command(1.0, 0.0, 0.0).0);
    let outputs = run(&mut simulation, 1.0);
    let (_, velocity) = simulation.state("robot").unwrap();
    let Some(joints) = outputs.iter().rev().find_map(|output| match &output.reading {
        Reading::Joints(joints) => Some(joints),
        _ => None,
    }) else {
        panic!()
    };
    assert!((joints.velocities[0] * 0.033 - velocity.forward).abs() < 1e-9, "{joints:?} {velocity:?}");
    // Two motors push 2 kg.
    let expected = 2.0 * 0.01 / 0.033 / 2.0 * (1.0 - 0.034);
    assert!((velocity.forward - expected).abs() < 0.05 * expected, "{velocity:?} {expected}");
}

/// Returns the last odometry and the true pose.
fn odometry(world: &World, seconds: f64) -> (OdometryReading, Pose) {
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.command(0, command(0.25, 0.0, 0.4).0);
    let outputs = run(&mut simulation, seconds);
    let last = outputs.iter().rev().find_map(|output| match output.reading {
        Reading::Odometry(odometry) => Some((output.time, odometry)),
        _ => None,
    });
    let (time, odometry) = last.unwrap();
    assert_eq!(time, simulation.time());
    (odometry, simulation.state("robot").unwrap().0)
}

#[test]
fn odometry_is_true_or_from_the_wheels() {
    let start = "  pose: [1.0, 2.0, 1.5]\n";
    let (odometry_of_world, pose) = odometry(&one(DIFFERENTIAL, start), 8.0);
    assert_eq!(odometry_of_world.pose, pose);
    assert!((odometry_of_world.velocity.turn - 0.4).abs() < 1e-6);
    let encoder = |drift: f64| format!("    odometry: {{source: encoder, drift: {drift}}}\n{start}");
    let (exact, pose) = odometry(&one(DIFFERENTIAL, &encoder(0.0)), 8.0);
    let seen = Pose::new(1.0, 2.0, 1.5).compose(&exact.pose);
    assert!((seen.point() - pose.point()).length() < 0.01, "{seen:?} {pose:?}");
    let (drifted, pose) = odometry(&one(DIFFERENTIAL, &encoder(0.05)), 8.0);
    let seen = Pose::new(1.0, 2.0, 1.5).compose(&drifted.pose);
    let off = (seen.point() - pose.point()).length();
    assert!((0.001..1.0).contains(&off), "{off}");
}

#[test]
fn the_state_of_joints_has_the_angles_of_the_wheels() {
    let mut simulation = Simulation::new(&one(DIFFERENTIAL, ""), 1).unwrap();
    simulation.command(0, command(0.3, 0.0, 0.0).0);
    let outputs = run(&mut simulation, 5.0);
    let joints = joints(&outputs);
    assert_eq!(joints.len(), 150);
    let (pose, _) = simulation.state("robot").unwrap();
    let last = joints.last().unwrap();
    assert!(
        (last.positions[0] * 0.033 - pose.x).abs() < 0.001 && (last.velocities[1] * 0.033 - 0.3).abs() < 1e-9
    );
    let mut car = Simulation::new(&one(ACKERMANN, ""), 1).unwrap();
    car.command(0, command(0.5, 0.0, 0.5).0);
    let outputs = run(&mut car, 2.0);
    let Some(Reading::Joints(joints)) = outputs
        .iter()
        .rev()
        .map(|output| &output.reading)
        .find(|reading| matches!(reading, Reading::Joints(_)))
    else {
        panic!()
    };
    // The inner wheel is steered more than the outer one, and both follow from the centre of the turn.
    let [left, right] = [4, 5].map(|index| joints.positions[index]);
    assert!(
        (left - 0.4_f64.atan2(1.0 - 0.1)).abs() < 1e-6 && (right - 0.4_f64.atan2(1.0 + 0.1)).abs() < 1e-6,
        "{joints:?}"
    );
}
