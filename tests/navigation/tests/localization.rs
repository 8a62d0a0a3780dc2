//! Tests of robots that localize themselves while they drive.

use saltus_amcl::Amcl;
use saltus_motion::{Pose, wrapped};
use saltus_navigation_tests::{Random, Sighting, Tour, World, amcl, scan};

/// Updates the localization with a scan. Returns the errors of the estimated pose, in metres and radians.
fn update(amcl: &mut Amcl, sighting: &Sighting) -> (f64, f64) {
    amcl.update(sighting.odometry, &scan(&sighting.ranges));
    // The motion since the last scan that was used, by the encoders.
    let moved = amcl.odometry().unwrap_or_default().relative(&sighting.odometry);
    let estimate = amcl.estimate().pose.then(&moved);
    (estimate.distance(&sighting.truth), wrapped(estimate.yaw - sighting.truth.yaw).abs())
}

/// Returns a room of 5 m x 5 m and a robot in it.
fn scene(seed: u64) -> (World, Tour) {
    let mut random = Random(seed);
    loop {
        let world = World::random(&mut random, 100);
        if let Some((start, _)) = world.task(&mut random) {
            let tour = Tour::new(&world, start, seed);
            return (world, tour);
        }
    }
}

/// Runs a function for 100 scenes on two threads. Returns the results.
fn on_two_threads<T: Send>(run: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let half = |first: u64| (first..100).step_by(2).map(&run).collect::<Vec<T>>();
    let (even, odd) = std::thread::scope(|scope| {
        let even = scope.spawn(|| half(0));
        (half(1), even.join().expect("the other half passes"))
    });
    even.into_iter().chain(odd).collect()
}

const SCANS_PER_SECOND: usize = 5;

/// The initial pose is off by up to 0.5 m and 0.5 rad. From 10 s to 60 s, the estimate is within 8 cm and 0.08 rad.
#[test]
fn a_robot_with_an_approximate_pose_finds_its_exact_pose() {
    let worst = on_two_threads(|seed| {
        let (world, mut tour) = scene(seed);
        let mut random = Random(seed + 1000);
        let truth = tour.truth();
        let mut error = || random.between(-0.5, 0.5);
        let about = Pose::new(truth.x + error(), truth.y + error(), wrapped(truth.yaw + error()));
        let mut amcl = amcl(&world, 2000, 60, seed);
        amcl.set_pose(about, [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.25]]);
        let mut worst = (0.0_f64, 0.0_f64);
        for scan in 0..60 * SCANS_PER_SECOND {
            let (distance, turn) = update(&mut amcl, &tour.scan());
            if scan >= 10 * SCANS_PER_SECOND {
                worst = (worst.0.max(distance), worst.1.max(turn));
            }
        }
        worst
    });
    let is_good = |(distance, turn): &&(f64, f64)| *distance < 0.08 && *turn < 0.08;
    let good = worst.iter().filter(is_good).count();
    let most =
        worst.iter().fold((0.0_f64, 0.0_f64), |most, worst| (most.0.max(worst.0), most.1.max(worst.1)));
    println!("{good} of 100, at most {:.3} m and {:.3} rad", most.0, most.1);
    assert_eq!(good, 100);
}

/// The initial pose is unknown, and after a minute the robot has found it. It needs more particles and fewer rays: 60 rays are not
/// independent of each other, so the particles converge too early, and only 83 of 100 robots are found.
#[test]
fn a_robot_without_a_pose_finds_its_pose() {
    let found = on_two_threads(|seed| {
        let (world, mut tour) = scene(seed);
        let mut amcl = amcl(&world, 10_000, 15, seed);
        amcl.set_anywhere();
        let mut last = (0.0, 0.0);
        for _ in 0..60 * SCANS_PER_SECOND {
            last = update(&mut amcl, &tour.scan());
        }
        last.0 < 0.2 && last.1 < 0.2
    });
    let found = found.iter().filter(|is_found| **is_found).count();
    println!("{found} of 100 robots found their poses");
    assert!(found >= 90, "{found}");
}
