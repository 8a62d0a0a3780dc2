//! Tests of driving, sensors and collisions against closed forms.

mod descriptions;
mod driving;
mod files;
mod looking;
mod repeating;
mod touching;

use super::*;

/// Returns the model of the TurtleBot3 Waffle without noise.
fn waffle() -> String {
    include_str!("../../worlds/waffle.yaml").replace("noise: 0.01", "noise: 0.0")
}

/// Reads a world with the files beside the worlds of this crate.
fn world(text: &str) -> World {
    World::parse_with(text, &mut |path| match path {
        "waffle.yaml" => Ok(waffle().into_bytes()),
        "waffle.urdf" => Ok(include_bytes!("../../worlds/waffle.urdf").to_vec()),
        other => Err(format!("there is no {other}")),
    })
    .unwrap()
}

fn arena() -> World {
    world(include_str!("../../worlds/turtlebot3_world.yaml"))
}

/// Returns a world with one robot, whose `drive` and other keys are given.
fn one(drive: &str, more: &str) -> World {
    world(&format!(
        "robots:\n- model:\n    body: {{box: {{size: [0.4, 0.3]}}, mass: 2.0}}\n    drive: {drive}\n{more}"
    ))
}

/// Advances by some seconds, and returns the outputs.
fn run(simulation: &mut Simulation, seconds: f64) -> Vec<Output> {
    let end = simulation.time() + (seconds * 1e9).round() as i64;
    let mut outputs = Vec::new();
    while simulation.time() < end {
        simulation.step(&mut |output| outputs.push(output));
    }
    outputs
}
