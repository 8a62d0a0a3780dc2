//! Tests of robots that touch walls and obstacles that move.

use super::*;

const DRIVE: &str = "{wheel_separation: 0.3, wheel_radius: 0.05, max_torque: 1.0}";
const BUMPER: &str = "    sensors:\n    - bumper: {rate: 10.0}\n";

fn bumps(outputs: &[Output]) -> Vec<bool> {
    outputs
        .iter()
        .filter_map(|output| match output.reading {
            Reading::Bumper(touches) => Some(touches),
            _ => None,
        })
        .collect()
}

#[test]
fn a_robot_stops_at_a_wall_and_its_bumper_detects_it() {
    let mut world = one(DRIVE, BUMPER);
    world.obstacles =
        World::parse("obstacles:\n- wall: {points: [[1.0, -1.0], [1.0, 1.0]], thickness: 0.1}\n")
            .unwrap()
            .obstacles;
    let mut simulation = Simulation::new(&world, 1).unwrap();
    simulation.command(0, Command { forward: 0.5, ..Command::default() });
    let outputs = run(&mut simulation, 5.0);
    let (pose, velocity) = simulation.state("robot").unwrap();
    // The face of the wall is at 0.95, and the robot is 0.4 long.
    assert!((pose.x - 0.75).abs() < 0.01 && pose.y.abs() < 0.01, "{pose:?}");
    assert!(velocity.forward.abs() < 0.01, "{velocity:?}");
    let bumps = bumps(&outputs);
    assert!(!bumps[0] && bumps[bumps.len() - 1]);
    simulation.command(0, Command { forward: -0.5, ..Command::default() });
    let outputs = run(&mut simulation, 2.0);
    assert!(!self::bumps(&outputs).pop().unwrap());
}

#[test]
fn a_bumper_detects_only_contact() {
    let mut world = one(DRIVE, BUMPER);
    let wall = |y: f64| {
        let text = format!("obstacles:\n- box: {{center: [0.0, {y}], size: [20.0, 0.2]}}\n");
        World::parse(&text).unwrap().obstacles
    };
    // The robot is 0.3 wide: it drives along a wall at a distance of 15 mm.
    world.obstacles = wall(0.15 + 0.015 + 0.1);
    let mut simulation = Simulation::new(&world, 1).unwrap();
    simulation.command(0, Command { forward: 0.5, ..Command::default() });
    assert!(bumps(&run(&mut simulation, 5.0)).iter().all(|touches| !touches));
    // It is pushed against the wall by turning, and leaves it by 3 cm.
    world.obstacles = wall(0.15 + 0.0005 + 0.1);
    let mut simulation = Simulation::new(&world, 1).unwrap();
    assert!(bumps(&run(&mut simulation, 0.5)).pop().unwrap());
    simulation.set_state("robot", Pose::new(0.0, -0.03, 0.0), Velocity::default()).unwrap();
    assert!(!bumps(&run(&mut simulation, 0.5)).pop().unwrap());
}

#[test]
fn a_robot_pushes_light_obstacles() {
    let mut world = one(DRIVE, "");
    let text = "moving:\n- {name: crate, box: {size: [0.3, 0.3]}, pose: [0.6, 0.0, 0.0], mass: 1.0}\n\
                - {name: stone, box: {size: [0.3, 0.3]}, pose: [2.0, 0.0, 0.0], mass: 100000.0, damping: 100.0}\n";
    world.moving = World::parse(text).unwrap().moving;
    let mut simulation = Simulation::new(&world, 1).unwrap();
    simulation.command(0, Command { forward: 0.3, ..Command::default() });
    run(&mut simulation, 2.0);
    let (pushed, _) = simulation.state("crate").unwrap();
    assert!(pushed.x > 0.7, "{pushed:?}");
    run(&mut simulation, 10.0);
    let (stone, _) = simulation.state("stone").unwrap();
    assert!((stone.x - 2.0).abs() < 0.05, "{stone:?}");
}

#[test]
fn an_obstacle_moves_along_its_path_and_back() {
    let text = "moving:\n- {name: cart, circle: {radius: 0.2}, path: {points: [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], speed: 0.5}}\n";
    let mut simulation = Simulation::new(&World::parse(text).unwrap(), 1).unwrap();
    let mut advance = |seconds: f64| {
        run(&mut simulation, seconds);
        let (pose, _) = simulation.state("cart").unwrap();
        [pose.x, pose.y]
    };
    let near = |[x, y]: [f64; 2], expected: [f64; 2]| (x - expected[0]).hypot(y - expected[1]) < 1e-6;
    let (first, corner, last) = (advance(1.0), advance(1.0), advance(2.0));
    assert!(
        near(first, [0.5, 0.0]) && near(corner, [1.0, 0.0]) && near(last, [1.0, 1.0]),
        "{first:?} {corner:?} {last:?}"
    );
    let middle = advance(2.0_f64.sqrt());
    assert!((middle[0] - 0.5).abs() < 1e-3 && (middle[1] - 0.5).abs() < 1e-3, "{middle:?}");
}

#[test]
fn robots_are_spawned_moved_and_deleted() {
    let mut simulation = Simulation::new(&arena(), 1).unwrap();
    let spec =
        RobotSpec { name: "second".into(), pose: Pose::new(0.5, 0.5, 0.0), ..arena().robots[0].clone() };
    assert_eq!(simulation.spawn(spec.clone()), Ok(1));
    assert_eq!(simulation.spawn(spec.clone()), Err(EntityError::NotUnique("second".into())));
    let infinite =
        RobotSpec { name: "third".into(), pose: Pose { x: f64::INFINITY, ..Pose::default() }, ..spec };
    assert_eq!(simulation.spawn(infinite), Err(EntityError::TooLarge));
    assert_eq!(simulation.names(), ["waffle", "second"]);
    let velocity = Velocity { forward: 0.1, left: 0.0, turn: 0.5 };
    simulation.set_state("second", Pose::new(-0.5, 0.5, 1.0), velocity).unwrap();
    let (pose, moving) = simulation.state("second").unwrap();
    assert!((pose.yaw - 1.0).abs() < 1e-12 && (pose.x + 0.5).abs() < 1e-12, "{pose:?}");
    assert!((moving.forward - 0.1).abs() < 1e-9 && moving.left.abs() < 1e-9, "{moving:?}");
    let fast = Velocity { forward: 1e308, ..velocity };
    assert_eq!(simulation.set_state("second", Pose::default(), fast), Err(EntityError::TooLarge));
    assert_eq!(
        simulation.set_state("second", Pose::new(1e300, 0.0, 0.0), velocity),
        Err(EntityError::TooLarge)
    );
    assert_eq!(simulation.delete("waffle"), Ok(0));
    assert_eq!(simulation.delete("waffle"), Err(EntityError::NotFound("waffle".into())));
    let outputs = run(&mut simulation, 0.2);
    assert!(outputs.iter().all(|output| output.reading == Reading::Clock || output.robot == 1));
    // A robot with the name of a deleted robot counts as spawned.
    simulation.spawn(RobotSpec { name: "waffle".into(), ..arena().robots[0].clone() }).unwrap();
    simulation.reset(false, false, true);
    assert!(simulation.names().is_empty());
    simulation.reset(false, true, true);
    assert_eq!(simulation.names(), ["waffle"]);
    assert_eq!(simulation.time(), 200_000_000);
}
