//! Tests of robots that drive to random goals in random worlds.

use saltus_motion::Controller;
use saltus_navigation_tests::{Drive, Outcome, Random, World, dwb, mppi, pursuit};

/// Drives to goals, each in its own world. Returns the number of reached goals, and prints the outcomes of the others.
fn reached(goals: usize, mut controller: impl FnMut() -> Box<dyn Controller>) -> usize {
    let mut random = Random(23);
    let (mut reached, mut count) = (0, 0);
    while count < goals {
        let world = World::random(&mut random, 160);
        let Some((start, goal)) = world.task(&mut random) else { continue };
        count += 1;
        let mut controller = controller();
        match Drive::new(&world, start, controller.as_mut()).drive_to(&goal, 180.0) {
            Outcome::Reached(_) => reached += 1,
            failure => println!("{count}: from {start:?} to {goal:?}: {failure:?}"),
        }
    }
    println!("{reached} of {count}");
    reached
}

#[test]
fn dwb_reaches_nearly_all_goals() {
    assert!(reached(200, || Box::new(dwb(false))) >= 195);
}

#[test]
fn pursuit_reaches_nearly_all_goals() {
    assert!(reached(200, || Box::new(pursuit())) >= 195);
}

/// MPPI samples 1000 motions in each cycle, so there are fewer goals. It reaches 38 of 40. Two robots stop 0.3 m and 0.4 m from their goals
/// with the right heading; the recoveries of a behavior tree would help them. The last digits of `exp` and `sin` differ between machines,
/// with little effect: with the seeds 2 to 5, MPPI reaches 37 or 38 goals, and misses the same two.
#[test]
fn mppi_reaches_nearly_all_goals() {
    assert!(reached(40, || Box::new(mppi())) >= 37);
}
