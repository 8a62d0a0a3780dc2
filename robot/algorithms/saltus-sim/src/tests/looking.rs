//! Tests of sensors against closed forms.

use super::*;

/// Returns the distance at which a ray enters a convex polygon, computed from the half-planes of its sides. It shares no code with the
/// simulator.
fn enters(origin: [f64; 2], direction: [f64; 2], corners: &[[f64; 2]]) -> Option<f64> {
    let (mut from, mut to) = (0.0_f64, f64::INFINITY);
    for (index, [ax, ay]) in corners.iter().enumerate() {
        let [bx, by] = corners[(index + 1) % corners.len()];
        // The normal that points to the outside of a counterclockwise polygon.
        let (nx, ny) = (by - ay, ax - bx);
        let outside = nx * (origin[0] - ax) + ny * (origin[1] - ay);
        let speed = nx * direction[0] + ny * direction[1];
        if speed < 0.0 {
            from = from.max(-outside / speed);
        } else if speed > 0.0 {
            to = to.min(-outside / speed);
        } else if outside > 0.0 {
            return None;
        }
    }
    (from <= to).then_some(from)
}

/// Returns the distance at which a ray enters a circle.
fn enters_circle(origin: [f64; 2], direction: [f64; 2], center: [f64; 2], radius: f64) -> Option<f64> {
    let (x, y) = (origin[0] - center[0], origin[1] - center[1]);
    let half = x * direction[0] + y * direction[1];
    let rest = half * half - (x * x + y * y - radius * radius);
    (rest >= 0.0 && -half - rest.sqrt() >= 0.0).then(|| -half - rest.sqrt())
}

fn hexagon(x: f64, y: f64, radius: f64) -> Vec<[f64; 2]> {
    let corner = |index: i32| (f64::from(index) * 60.0).to_radians();
    (0..6).map(corner).map(|angle| [x + radius * angle.cos(), y + radius * angle.sin()]).collect()
}

/// Returns the distance to the first obstacle in the arena of the TurtleBot3, computed from the numbers of its description.
fn arena_distance(origin: [f64; 2], direction: [f64; 2]) -> f64 {
    let mut hits = Vec::new();
    for x in [-1.1, 0.0, 1.1] {
        hits.extend([-1.1, 0.0, 1.1].map(|y| enters_circle(origin, direction, [x, y], 0.15)));
    }
    hits.push(enters(origin, direction, &hexagon(3.5, 0.0, 1.1732)));
    for (x, y) in [(1.8, 2.7), (1.8, -2.7), (-1.8, 2.7), (-1.8, -2.7)] {
        hits.push(enters(origin, direction, &hexagon(x, y, 0.8066)));
    }
    // Inside of the arena, a ray hits the wall where it leaves the inner hexagon.
    let inner = hexagon(0.0, 0.0, 2.9329);
    let leaves = (0..6).filter_map(|index| {
        let ([ax, ay], [bx, by]) = (inner[index], inner[(index + 1) % 6]);
        let (nx, ny) = (by - ay, ax - bx);
        let speed = nx * direction[0] + ny * direction[1];
        (speed > 0.0).then(|| (nx * (ax - origin[0]) + ny * (ay - origin[1])) / speed)
    });
    hits.push(leaves.min_by(f64::total_cmp));
    hits.into_iter().flatten().min_by(f64::total_cmp).unwrap()
}

fn scans(outputs: &[Output]) -> Vec<(i64, &Scan)> {
    outputs
        .iter()
        .filter_map(|output| match &output.reading {
            Reading::Scan(scan) => Some((output.time, scan)),
            _ => None,
        })
        .collect()
}

#[test]
fn a_scan_of_the_arena_is_exact() {
    let mut simulation = Simulation::new(&arena(), 1).unwrap();
    let mut worst = 0.0_f64;
    let mut count = 0;
    for (x, y, yaw) in
        [(-2.0, -0.5, 0.0), (0.55, 0.5, 1.0), (-0.5, 1.6, -2.5), (1.9, -1.2, 3.0), (0.6, -1.9, 0.3)]
    {
        simulation.set_state("waffle", Pose::new(x, y, yaw), Velocity::default()).unwrap();
        let outputs = run(&mut simulation, 0.2);
        let (_, scan) = scans(&outputs)[0];
        assert_eq!(scan.ranges.len(), 360);
        let laser = Pose::new(x, y, yaw).compose(&Pose::new(-0.064, 0.0, 0.0));
        for (ray, range) in scan.ranges.iter().enumerate() {
            let angle = yaw + (628.0 / 100.0) / 359.0 * ray as f64;
            let expected = arena_distance([laser.x, laser.y], [angle.cos(), angle.sin()]);
            if expected > 3.5 {
                assert_eq!(*range, f64::INFINITY);
            } else {
                worst = worst.max((range - expected).abs());
                count += 1;
            }
        }
    }
    assert!(count > 1500, "{count}");
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn noise_has_its_standard_deviation() {
    let lidar = "    sensors:\n    - lidar: {rate: 10.0, samples: 100000, range: [0.1, 9.0], noise: 0.01}\n";
    let mut world = one("{wheel_separation: 0.3, wheel_radius: 0.05}", lidar);
    world.obstacles = world_of("obstacles:\n- ring: {sides: 1000, inner: 3.0, outer: 3.1}\n").obstacles;
    let mut simulation = Simulation::new(&world, 2).unwrap();
    let outputs = run(&mut simulation, 0.1);
    let (_, noisy) = scans(&outputs)[0];
    world.robots[0].model.sensors[0].kind = match &world.robots[0].model.sensors[0].kind {
        SensorKind::Lidar(lidar) => SensorKind::Lidar(Lidar { noise: 0.0, ..lidar.clone() }),
        other => other.clone(),
    };
    let outputs = run(&mut Simulation::new(&world, 1).unwrap(), 0.1);
    let (_, exact) = scans(&outputs)[0];
    let missed: Vec<usize> = (0..exact.ranges.len()).filter(|ray| !exact.ranges[*ray].is_finite()).collect();
    assert!(missed.is_empty(), "{} {missed:?}", missed.len());
    let errors: Vec<f64> =
        noisy.ranges.iter().zip(&exact.ranges).map(|(noisy, exact)| noisy - exact).collect();
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    let deviation = (errors.iter().map(|error| (error - mean) * (error - mean)).sum::<f64>() / count).sqrt();
    // Three standard errors.
    assert!(mean.abs() < 3.0 * 0.01 / count.sqrt(), "{mean}");
    assert!((deviation / 0.01 - 1.0).abs() < 3.0 / (2.0 * count).sqrt(), "{deviation}");
    let neighbours =
        errors.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / count / deviation / deviation;
    assert!(neighbours.abs() < 0.01, "{neighbours}");
}

fn world_of(text: &str) -> World {
    World::parse(text).unwrap()
}

#[test]
fn ranges_have_limits_and_a_resolution() {
    let lidar = "    sensors:\n    - lidar: {rate: 10.0, samples: 4, range: [0.5, 2.0], resolution: 0.25}\n";
    let mut world = one("{wheel_separation: 0.3, wheel_radius: 0.05}", lidar);
    let text = "obstacles:\n- box: {center: [1.9, 0.0], size: [1.0, 1.0]}\n- circle: {center: [0.0, 0.5], radius: 0.2}\n\
                - box: {center: [-3.0, 0.0], size: [1.0, 1.0]}\n";
    world.obstacles = world_of(text).obstacles;
    let outputs = run(&mut Simulation::new(&world, 1).unwrap(), 0.1);
    let (time, scan) = scans(&outputs)[0];
    assert_eq!(time, 100_000_000);
    assert_eq!(scan.ranges, [1.5, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY]);
}

#[test]
fn a_robot_sees_others_but_not_itself() {
    let text = include_str!("../../worlds/turtlebot3_world.yaml");
    let text =
        format!("{text}- name: other\n  namespace: other\n  model: waffle.yaml\n  pose: [-1.5, -0.5, 0.0]\n");
    let mut simulation = Simulation::new(&world(&text), 1).unwrap();
    let outputs = run(&mut simulation, 0.2);
    let all = scans(&outputs);
    assert_eq!(all.len(), 2);
    // The other robot begins 0.064 + 0.1325 m behind its origin.
    let expected = 0.5 - 0.1965 + 0.064;
    assert!((all[0].1.ranges[0] - expected).abs() < 1e-6, "{}", all[0].1.ranges[0]);
}

#[test]
fn an_imu_measures_turns_accelerations_and_gravity() {
    let imu = "    sensors:\n    - imu: {rate: 100.0}\n";
    let drive = "{wheel_separation: 0.3, wheel_radius: 0.05, max_acceleration: 1.0, update_rate: 1000.0}";
    let mut simulation = Simulation::new(&one(drive, imu), 1).unwrap();
    simulation.command(0, Command { forward: 1.0, ..Command::default() });
    let readings = |outputs: Vec<Output>| -> Vec<ImuReading> {
        let read = |output: Output| match output.reading {
            Reading::Imu(imu) => Some(imu),
            _ => None,
        };
        outputs.into_iter().filter_map(read).collect()
    };
    let speeding = readings(run(&mut simulation, 0.9));
    assert_eq!(speeding.len(), 90);
    assert!((speeding[50].acceleration[0] - 1.0).abs() < 1e-6, "{:?}", speeding[50]);
    assert_eq!(speeding[50].acceleration[2], crate::wheels::GRAVITY);
    simulation.command(0, Command { forward: 1.0, turn: 0.5, ..Command::default() });
    let turning = readings(run(&mut simulation, 3.0));
    let last = turning.last().unwrap();
    assert!((last.turn[2] - 0.5).abs() < 1e-6 && last.turn[..2] == [0.0, 0.0], "{last:?}");
    // Towards the centre of the circle.
    assert!((last.acceleration[1] - 0.5).abs() < 0.01 && last.acceleration[0].abs() < 0.01, "{last:?}");
}

#[test]
fn a_position_sensor_measures_the_pose_with_noise() {
    let sensor =
        "    sensors:\n    - position: {rate: 100.0, noise: 0.5, yaw_noise: 0.1}\n  pose: [3.0, -4.0, 1.0]\n";
    let mut simulation =
        Simulation::new(&one("{wheel_separation: 0.3, wheel_radius: 0.05}", sensor), 1).unwrap();
    let outputs = run(&mut simulation, 10.0);
    let poses: Vec<Pose> = outputs
        .into_iter()
        .filter_map(|output| match output.reading {
            Reading::Position(pose) => Some(pose),
            _ => None,
        })
        .collect();
    let mean = |part: fn(&Pose) -> f64| poses.iter().map(part).sum::<f64>() / poses.len() as f64;
    assert!((mean(|pose| pose.x) - 3.0).abs() < 0.05 && (mean(|pose| pose.yaw) - 1.0).abs() < 0.01);
    let squares = poses.iter().map(|pose| (pose.y + 4.0) * (pose.y + 4.0)).sum::<f64>() / poses.len() as f64;
    assert!((squares.sqrt() - 0.5).abs() < 0.05, "{squares}");
}

#[test]
fn a_depth_camera_sees_walls_and_the_ground() {
    let camera = "    sensors:\n    - camera: {rate: 10.0, width: 41, image_height: 31, fov: 1.0, range_max: 4.0, height: 0.2}\n";
    let mut world = one("{wheel_separation: 0.3, wheel_radius: 0.05}", camera);
    world.obstacles = world_of("obstacles:\n- box: {center: [2.5, 0.0], size: [1.0, 1.0]}\n").obstacles;
    let outputs = run(&mut Simulation::new(&world, 1).unwrap(), 0.1);
    let image = outputs.iter().find_map(|output| match &output.reading {
        Reading::Depth(image) => Some(image),
        _ => None,
    });
    let depths = &image.unwrap().depths;
    let depth = |column: usize, row: usize| depths[row * 41 + column];
    // In the middle, the depth of the face of the box, which is flat.
    assert_eq!(depth(20, 15), 2.0);
    assert!((depth(16, 15) - 2.0).abs() < 1e-6);
    // The box is 0.5 m high, so the uppermost row is above it.
    assert_eq!(depth(20, 0), f32::INFINITY);
    // The lowest row looks at the ground: 15 pixels below the middle.
    let focal_length = 20.5 / 0.5_f64.tan();
    assert!((f64::from(depth(20, 30)) - 0.2 * focal_length / 15.0).abs() < 1e-6);
    world.height = 0.1;
    let error = Simulation::new(&world, 1).unwrap_err().to_string();
    assert_eq!(error, "the camera `camera` is above the obstacles, which are 0.1 m high");
    // There is no obstacle beside the box.
    assert_eq!(depth(0, 15), f32::INFINITY);
}
