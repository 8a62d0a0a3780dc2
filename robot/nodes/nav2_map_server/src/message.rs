//! Grids as messages.

use saltus::{
    Time,
    msgs::{
        geometry_msgs::msg::{Point, Pose, Quaternion},
        nav_msgs::msg::{MapMetaData, OccupancyGrid as GridMessage},
        std_msgs::msg::Header,
    },
    tf::{Transform, TransformError},
};
use saltus_map::OccupancyGrid;

/// Returns the message of a grid in a frame.
pub(crate) fn to_message(grid: OccupancyGrid, frame: &str, now: Time) -> GridMessage {
    let [x, y, angle] = grid.origin;
    let [i, j, k, w] = Transform::from_xyz_rpy([0.0; 3], [0.0, 0.0, angle]).rotation();
    GridMessage {
        header: Header { stamp: now.into(), frame_id: frame.into() },
        info: MapMetaData {
            map_load_time: now.into(),
            resolution: grid.resolution as f32,
            width: grid.width,
            height: grid.height,
            origin: Pose {
                position: Point { x, y, z: 0.0 },
                orientation: Quaternion { x: i, y: j, z: k, w },
            },
        },
        data: grid.cells,
    }
}

/// Returns the grid of a message. Its resolution is the number that the single-precision one of the message is written as.
///
/// # Errors
///
/// Returns an error if the origin is not a position and a rotation. [`save`](crate::save) checks the rest.
pub fn from_message(message: GridMessage) -> Result<OccupancyGrid, TransformError> {
    let MapMetaData { resolution, width, height, origin, .. } = message.info;
    let Pose { position: Point { x, y, z }, orientation: Quaternion { x: i, y: j, z: k, w } } = origin;
    let angle = Transform::new([x, y, z], [i, j, k, w])?.rpy()[2];
    Ok(OccupancyGrid {
        width,
        height,
        // Otherwise 0.05 would be 0.05000000074505806.
        resolution: resolution.to_string().parse().unwrap_or(f64::NAN),
        origin: [x, y, angle],
        cells: message.data,
    })
}
