//! Tests of simulated robots that localize themselves, plan and follow paths.

use saltus_motion::Pose;
use saltus_navigation_tests::{Random, World, drive};

/// Returns a world of 5 m x 5 m with a start and a goal.
fn scene(random: &mut Random) -> (World, (Pose, Pose)) {
    loop {
        let world = World::random(random, 100);
        if let Some(task) = world.task(random) {
            return (world, task);
        }
    }
}

/// The noise of the lidar, the drift of the encoders and the particles depend only on the seed.
#[test]
fn the_same_seed_leads_along_the_same_path() {
    let mut random = Random(23);
    let mut different = 0;
    for number in 0..10 {
        let (world, task) = scene(&mut random);
        let [first, second, other] = [1, 1, 2].map(|seed| drive(&world, task, seed, 120));
        assert_eq!(first, second, "{number}");
        let first = first.unwrap_or_else(|| panic!("{number}: from {:?} to {:?}", task.0, task.1));
        let end = first.last().map_or(f64::NAN, |end| end.distance(&task.1));
        assert!(end < 0.35, "{number}: {end} m from the goal");
        different += usize::from(other != Some(first));
    }
    assert_eq!(different, 10);
}
