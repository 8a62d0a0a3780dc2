//! Tests that the same world and the same commands give the same outputs.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::*;

/// Returns a hash of all outputs of a run.
fn digest(world: &World, threads: usize, seconds: f64) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut simulation = Simulation::new(world, threads).unwrap();
    hash(&mut simulation, seconds, &mut hasher);
    hasher.finish()
}

fn hash(simulation: &mut Simulation, seconds: f64, hasher: &mut DefaultHasher) {
    let end = simulation.time() + (seconds * 1e9) as i64;
    while simulation.time() < end {
        // The debug text of a float determines all its bits.
        simulation.step(&mut |output| format!("{output:?}").hash(hasher));
    }
}

/// Returns a world in which robots and obstacles touch each other, with noise, drift, and a scan that is cast on several threads.
fn busy() -> World {
    let waffle = include_str!("../../worlds/waffle.yaml")
        .replace("{source: world,", "{source: encoder, drift: 0.02,")
        .replace("samples: 360", "samples: 10000");
    let text = include_str!("../../worlds/turtlebot3_world.yaml");
    let text = format!(
        "{text}  commands: [[0.5, 0.26, 0.0, 0.3], [9.0, -0.2, 0.0, 1.0], [30.0, 0.26, 0.0, 0.0]]\n- name: other\n  namespace: \
         other\n  model: waffle.yaml\n  pose: [-1.5, 0.4, 0.0]\n  commands: [[0.0, 0.2, 0.0, -0.2]]\n\
         moving:\n- {{name: cart, circle: {{radius: 0.1}}, path: {{points: [[-0.5, -0.5], [0.5, -0.6]], speed: 0.3}}}}\n\
         - {{name: crate, box: {{size: [0.2, 0.2]}}, pose: [-0.6, 0.5, 0.3], mass: 0.5}}\n"
    );
    World::parse_with(&text, &mut |path| match path {
        "waffle.urdf" => Ok(include_bytes!("../../worlds/waffle.urdf").to_vec()),
        _ => Ok(waffle.clone().into_bytes()),
    })
    .unwrap()
}

#[test]
fn a_minute_is_the_same_on_one_thread_and_on_two() {
    let world = busy();
    let first = digest(&world, 1, 60.0);
    assert_eq!(digest(&world, 2, 60.0), first);
    let other = World { seed: 1, ..world };
    assert_ne!(digest(&other, 1, 1.0), digest(&busy(), 1, 1.0));
}

#[test]
fn a_reset_starts_the_same_run_again() {
    let mut simulation = Simulation::new(&busy(), 1).unwrap();
    let mut digests = [0, 0].map(|_| {
        let mut hasher = DefaultHasher::new();
        hash(&mut simulation, 3.0, &mut hasher);
        simulation.reset(true, true, true);
        hasher.finish()
    });
    digests.sort_unstable();
    assert_eq!(digests[0], digests[1]);
    run(&mut simulation, 1.0);
    simulation.reset(true, false, false);
    assert_eq!(simulation.time(), 0);
    let outputs = run(&mut simulation, 0.2);
    assert_eq!(outputs.iter().filter(|output| output.reading == Reading::Clock).count(), 2);
}
