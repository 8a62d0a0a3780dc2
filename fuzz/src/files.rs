//! Files that users get from others: maps, worlds, descriptions of robots, behavior trees.

use std::time::Duration;

use saltus_behavior_tree::{Factory, Status};
use saltus_description::{Description, Positions};
use saltus_map::{Format, MapFile, Mode, OccupancyGrid, Picture, Thresholds, save};
use saltus_sim::{Command, SensorKind, Simulation, World};

/// The largest number of pixels that are looked at. Larger images only take longer.
const MOST: usize = 1 << 20;

/// Reads a map: the YAML file, then a zero, then the image. A map that can be read is saved and read again: its cells must
/// be the same.
pub fn map(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let file = std::str::from_utf8(&data[..end]).ok().and_then(|text| MapFile::parse(text).ok());
    let picture = Picture::decode(data.get(end + 1..).unwrap_or_default());
    if let Some(file) = &file {
        let again = MapFile::parse(&file.text());
        assert!(again.as_ref().is_ok_and(|again| again == file), "{file:?} {again:?}");
    }
    let (Some(file), Ok(picture)) = (file, picture) else { return };
    let grid = file.grid(&picture);
    if grid.cells.len() > MOST {
        return;
    }
    for (mode, format) in [(Mode::Raw, Format::Png), (Mode::Raw, Format::Pgm), (Mode::Raw, Format::Bmp)] {
        let Ok((file, image)) = save(&grid, "map", mode, format, Thresholds::default()) else { return };
        let again = file.grid(&Picture::decode(&image).expect("an image that was just written"));
        assert_eq!(again, OccupancyGrid { origin: grid.origin, ..grid.clone() });
    }
}

/// Reads a world, in YAML or in SDF, and simulates it for a moment.
pub fn world(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let world = match text.trim_start().starts_with('<') {
        true => World::from_sdf(text, 0.1),
        false => World::parse(text),
    };
    let Ok(mut world) = world else { return };
    // More of them only take longer.
    if world.obstacles.len() + world.moving.len() > 1000 || world.robots.len() > 10 {
        return;
    }
    for sensor in world.robots.iter_mut().flat_map(|robot| &mut robot.model.sensors) {
        match &mut sensor.kind {
            SensorKind::Lidar(lidar) => lidar.samples = lidar.samples.min(100),
            SensorKind::Camera(camera) => {
                (camera.width, camera.height) = (camera.width.min(20), camera.height.min(20));
            }
            _ => {}
        }
    }
    let Ok(mut simulation) = Simulation::new(&world, 1) else { return };
    for robot in 0..world.robots.len() {
        simulation.command(robot, Command { forward: 1.0, left: 0.5, turn: -1.0 });
    }
    let mut last = 0;
    for _ in 0..20 {
        simulation.step(&mut |output| {
            assert!(output.time >= last, "time goes back");
            last = output.time;
        });
    }
    for name in simulation.names() {
        let (pose, _) = simulation.state(&name).expect("what has a name has a state");
        assert!(pose.x.is_finite() && pose.y.is_finite() && pose.yaw.is_finite(), "{name} {pose:?}");
    }
}

/// Reads a description in URDF, and moves its joints.
pub fn urdf(data: &[u8]) {
    let Ok(Ok(robot)) = std::str::from_utf8(data).map(Description::parse) else { return };
    let mut positions = Positions::default();
    for joint in robot.joints().iter().take(1000) {
        positions.set(&*joint.name, 0.5);
        assert!(positions.of(&robot, &joint.name).is_some());
        joint.transform(0.5);
    }
    assert!(robot.links().iter().any(|link| link.name == robot.root()));
}

/// Reads behavior trees, and ticks the main one.
pub fn tree(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut factory = Factory::<()>::new();
    if factory.load(text).is_err() {
        return;
    }
    let Ok(mut tree) = factory.create_main() else { return };
    for tick in 0..20 {
        if tree.tick(&mut (), Duration::from_millis(100) * tick).is_err() {
            break;
        }
    }
    let _ = tree.halt(&mut (), Duration::from_secs(2));
    assert!(tree.nodes().enumerate().all(|(index, _)| tree.status(index) == Status::Idle));
}
