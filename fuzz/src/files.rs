//! Files that users get from others: maps and descriptions of robots.

use saltus_description::{Description, Positions};
use saltus_map::{Format, MapFile, Mode, OccupancyGrid, Picture, Thresholds, save};

/// How many pixels are looked at. Larger images only take longer.
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
